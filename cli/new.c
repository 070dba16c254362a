/* daedal new: a starter model with explanatory comments, or the model of a robot. */
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* text of the model, with @ for its name */
static const char *const starter[] = {
    "# A first model. `daedal run @.dae` integrates it, `daedal check @.dae`",
    "# reports the kind of problem. A # starts a comment.",
    "",
    "# the name, also of the result file, and a title",
    "model @ \"a point mass on a rigid rod\"",
    "",
    "# constants; another value: daedal run @.dae --set L=2",
    "param m = 1, L = 1, g = 9.81",
    "",
    "# coordinates and their start values; `x = L rate 2` adds a start velocity, and",
    "# `x = L fixed` keeps the value when the start is made consistent",
    "coord x = L, y = 0",
    "",
    "# kinetic and potential energy, where x' is the rate of x. The equations of",
    "# motion, with all derivatives, follow from them.",
    "kinetic    m*(x'^2 + y'^2)/2",
    "potential  m*g*y",
    "",
    "# a constraint; rod is its name in messages and results: lambda(rod)",
    "constraint rod: x^2 + y^2 = L^2",
    "",
    "# a force without a potential, here air drag:",
    "# force x = -0.1*x'",
    "# force y = -0.1*y'",
    "",
    "# a constraint with rates is nonholonomic, here a blade that does not slip",
    "# sideways (it needs a coord phi and its energy, and no rod):",
    "# constraint blade: x'*sin(phi) = y'*cos(phi)",
    "",
    "# an event: at a zero of the expression, values change, or the run stops",
    "# event bump: x falling { x' = -0.5*x'; y' = -0.5*y' }",
    "# event low: y + 0.9*L falling stop",
    "",
    "# an additional column of the results",
    "output energy = kinetic + potential",
    "",
    "# a drawing, which `daedal run @.dae --report` animates",
    "draw line (0, 0) (x, y)",
    "draw circle (x, y) radius 0.1*L",
    "",
    "# end time and tolerance",
    "simulate to 10 rtol 1e-6",
    "# simulate to 10 rtol 1e-6 output every 0.01    # evenly spaced rows",
};

static bool new_is_letter(char c)
{
  return isalpha((unsigned char)c) || (unsigned char)c > 127;
}

/* Reason against a name of a model, NULL: the name is valid. */
static const char *new_name_reason(const char *name)
{
  size_t length = strlen(name);
  if (length > 4 && strcmp(name + length - 4, ".dae") == 0)
    return "leave out .dae, it is added";
  if (length > 100)
    return "it is too long";
  if (!new_is_letter(name[0]))
    return "a name begins with a letter";
  for (const char *c = name; *c; c++)
    if (!new_is_letter(*c) && !isdigit((unsigned char)*c) && *c != '_')
      return "a name has letters, digits and _ only";
  return NULL;
}

static void new_write_starter(FILE *file, const char *name)
{
  for (size_t i = 0; i < sizeof starter / sizeof *starter; i++) {
    for (const char *c = starter[i]; *c; c++)
      if (*c == '@')
        fputs(name, file);
      else
        fputc(*c, file);
    fputc('\n', file);
  }
}

/* Parses the starter model with this name: reserved words of the language are refused. */
static dae_status new_try_name(const char *name, dae_error *err)
{
  char text[8192];
  dae_model *model;
  FILE *file = fmemopen(text, sizeof text, "w");
  if (!file)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
  new_write_starter(file, name);
  size_t length = (size_t)ftell(file);
  fclose(file);
  dae_status status = dae_model_parse(name, text, length, NULL, NULL, &model, err);
  if (status >= 0)
    dae_model_free(model);
  return status;
}

static dae_status new_check_name(const char *name, dae_error *err)
{
  dae_error why = dae_error_none();
  const char *reason = new_name_reason(name);
  if (!reason && new_try_name(name, &why) < 0)
    reason = why.text;
  return reason ? cli_fail(err, DAE_ERROR_USAGE, "'%.60s' cannot be the name of a model: %s", name,
                           reason)
                : DAE_OK;
}

/* Writes the starter model with this name, or a text. */
static dae_status new_write_model(const char *path, const char *name, const char *text,
                                  dae_error *err)
{
  FILE *file = fopen(path, "wx");
  if (!file && errno == EEXIST)
    return cli_fail(err, DAE_ERROR_FILE, "%s exists already and is not overwritten", path);
  if (!file)
    return cli_fail(err, DAE_ERROR_FILE, "%s could not be created: %s", path, strerror(errno));
  if (text)
    fputs(text, file);
  else
    new_write_starter(file, name);
  bool failed = ferror(file) != 0;
  failed = fclose(file) != 0 || failed;
  return failed ? cli_fail(err, DAE_ERROR_FILE, "%s could not be written", path) : DAE_OK;
}

static void new_note(void *user, const char *message)
{
  (void)user;
  cli_note("%s", message);
}

cli_exit cli_new(const cli_arguments *args)
{
  const char *name = args->operand, *from = cli_value(args, "from");
  const dae_urdf_options options = {
      .model = name, .floating = cli_flag(args, "floating"), .report = new_note};
  dae_error err = dae_error_none();
  char path[128], *text = NULL;
  dae_status status = new_check_name(name, &err);
  snprintf(path, sizeof path, "%.110s.dae", name);
  if (status >= 0 && options.floating && !from)
    status = cli_fail(&err, DAE_ERROR_USAGE, "--floating belongs to a robot: --from FILE.urdf");
  if (status >= 0 && from)
    status = dae_urdf_import(from, &options, NULL, &text, &err);
  if (status >= 0)
    status = new_write_model(path, name, text, &err);
  dae_urdf_free(text, NULL);
  if (status < 0)
    return cli_report("new", &err);
  printf("%s is a model of %s. Next command:\n", path,
         from ? "the robot" : "a pendulum, with comments");
  printf("  daedal run %s%s\n", path, from ? " --report" : "");
  return CLI_OK;
}
