/* Method and options of a run: the command line overrides `simulate`, which overrides the defaults.
 *
 * An error in a setting of the model is reported with its place in the text (DAE_ERROR_MODEL), an
 * error of the command line as a usage error. Settings of the model that the method of --method
 * does not have are ignored, with a note. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* settings of simulate that are not options of a method */
static const char *const run_level[] = {"to", "from", "every", "method"};

/* ---- the method ---- */

dae_status cli_accepts(const dae_method *method, const dae_problem *problem, dae_error *err)
{
  return method->accepts ? method->accepts(problem, err) : DAE_OK;
}

static bool settings_is_run_level(const char *name)
{
  for (size_t i = 0; i < sizeof run_level / sizeof *run_level; i++)
    if (cli_same_name(run_level[i], name))
      return true;
  return false;
}

/* Whether an option of the command line is one of the method. */
static bool settings_is_of_method(const cli_given *given)
{
  return !given->option || given->option->kind == CLI_METHOD || given->option->kind == CLI_SWITCH;
}

/* first given option that the method does not have, NULL: none */
static const char *settings_missing_option(const dae_method *method, const dae_model *model,
                                           const cli_arguments *args)
{
  const dae_model_setting *settings;
  int count = dae_model_settings(model, &settings);
  for (int i = 0; i < args->count; i++)
    if (settings_is_of_method(&args->given[i]) &&
        cli_option_index(method->options, args->given[i].name) < 0)
      return args->given[i].name;
  for (int i = 0; i < count; i++)
    if (!settings[i].system && !settings_is_run_level(settings[i].name) &&
        cli_option_index(method->options, settings[i].name) < 0)
      return settings[i].name;
  return NULL;
}

/* auto with options that the selected method lacks: the first applicable method that has all of
 * them, if any; never a method with a caution. radau, to which auto switches where the motion is
 * stiff, is the first to be tried. */
static void settings_match_options(const dae_model *model, const cli_arguments *args, cli_choice *c)
{
  const char *missing = settings_missing_option(c->method, model, args);
  dae_start start = dae_model_start(model);
  dae_error ignored;
  for (int i = -1; missing && (i < 0 || dae_method_at(i)); i++) {
    const dae_method *method = i < 0 ? dae_method_find("radau", &ignored) : dae_method_at(i);
    if (method->caution || settings_missing_option(method, model, args) ||
        dae_method_check(method, dae_model_problem(model), &start, NULL, cli_env(), &ignored) < 0)
      continue;
    c->method = method;
    snprintf(c->why, sizeof c->why, "it has the option %s", cli_dashes(missing).text + 2);
    return;
  }
}

/* Option of the command line that asks for a dynamic iteration; NULL: none. */
static const char *settings_asks_for_iteration(const dae_model *model, const cli_arguments *args)
{
  if (!dae_model_problem(model)->coupled)
    return NULL;
  return cli_value(args, "sweep") ? "--sweep" : cli_flag(args, "verify") ? "--verify" : NULL;
}

static dae_status settings_select_auto(const dae_model *model, const cli_arguments *args,
                                       cli_choice *c, dae_error *err)
{
  const char *asks = settings_asks_for_iteration(model, args);
  c->automatic = true;
  if (asks) {
    snprintf(c->why, sizeof c->why, "%s asks for a dynamic iteration", asks);
    c->method = dae_method_find("gauss-seidel", err);
    return c->method ? DAE_OK : err->status;
  }
  c->method = dae_model_choose_at(model, cli_number(args, "rtol", 0), c->why, sizeof c->why, err);
  if (c->method) {
    settings_match_options(model, args, c);
    return DAE_OK;
  }
  err->status = DAE_ERROR_MODEL; /* no method applies: an error of the model, not of the usage */
  return DAE_ERROR_MODEL;
}

/* --conserve: the symplectic method. Settings of the model for another method are ignored, as with
 * --method. */
static dae_status settings_select_conserving(const dae_model *model, const cli_arguments *args,
                                             cli_choice *c, dae_error *err)
{
  const char *named = cli_value(args, "method");
  dae_error why;
  if (named && strcmp(named, "auto") != 0)
    return cli_fail(err, DAE_ERROR_USAGE,
                    "--conserve selects spark-gauss, --method selects %.60s: give only one of the "
                    "two",
                    named);
  c->automatic = c->from_command = true;
  c->method = dae_method_find("spark-gauss", err);
  if (!c->method)
    return err->status;
  if (cli_accepts(c->method, dae_model_problem(model), &why) < 0)
    return cli_fail(
        err, DAE_ERROR_USAGE,
        "--conserve: the symplectic method spark-gauss does not apply to this model: %s", why.text);
  snprintf(c->why, sizeof c->why, "conserve: symplectic, no energy drift in long runs");
  return DAE_OK;
}

/* Method of simulate, which must exist and apply to the problem. */
static dae_status settings_select_by_model(const dae_model *model, const dae_model_setting *setting,
                                           cli_choice *c, dae_error *err)
{
  c->method = dae_method_find(setting->text, err);
  if (c->method && cli_accepts(c->method, dae_model_problem(model), err) >= 0)
    return DAE_OK;
  dae_error why = *err;
  return dae_model_fail(model, setting->place, why.text, err);
}

static dae_status settings_select_method(const dae_model *model, const cli_arguments *args,
                                         cli_choice *c, dae_error *err)
{
  const char *named = cli_value(args, "method");
  const dae_model_setting *setting = dae_model_find_setting(model, "method");
  if (cli_flag(args, "conserve"))
    return settings_select_conserving(model, args, c, err);
  c->from_command = named != NULL;
  if (!named && setting && strcmp(setting->text, "auto") != 0)
    return settings_select_by_model(model, setting, c, err);
  if (!named || strcmp(named, "auto") == 0)
    return settings_select_auto(model, args, c, err);
  c->method = dae_method_find(named, err);
  if (!c->method)
    return err->status;
  return cli_accepts(c->method, dae_model_problem(model), err);
}

/* ---- the end time ---- */

dae_status cli_set_end(const dae_model *model, const cli_arguments *args, dae_run_plan *plan,
                       dae_error *err)
{
  const dae_model_setting *to = dae_model_find_setting(model, "to");
  double from = plan->start.t;
  bool given = cli_value(args, "to") != NULL;
  if (!given && !to)
    return cli_fail(err, DAE_ERROR_MODEL,
                    "%.200s has no end time: add `simulate to T` to it, or give --to T",
                    args->operand);
  plan->to = cli_number(args, "to", plan->to);
  if (plan->to > from)
    return DAE_OK;
  char text[160];
  snprintf(text, sizeof text, "the end time %.10g is not greater than the start time %.10g",
           plan->to, from);
  return given ? cli_fail(err, DAE_ERROR_USAGE, "--to: %s", text)
               : dae_model_fail(model, to->place, text, err);
}

/* ---- the options ---- */

static bool settings_is_given(const cli_arguments *args, const char *name)
{
  for (int i = 0; i < args->count; i++)
    if (cli_same_name(args->given[i].name, name))
      return true;
  return false;
}

/* option table with the name of the method, not of the family that shares it, in messages */
static dae_option_table settings_table(const dae_method *method)
{
  dae_option_table table = *method->options;
  table.owner = method->name;
  return table;
}

const char *cli_setting_text(const dae_model_setting *setting, char number[40])
{
  if (isnan(setting->value))
    return setting->text;
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(number, 40, "%.*g", digits, setting->value);
    if (strtod(number, NULL) == setting->value)
      break;
  }
  return number;
}

static dae_status settings_set_from_model(const dae_model *model, const dae_model_setting *setting,
                                          cli_choice *c, dae_error *err)
{
  char number[40];
  dae_error why;
  dae_option_table table = settings_table(c->method);
  const char *value = cli_setting_text(setting, number);
  if (c->from_command && cli_option_index(&table, setting->name) < 0) {
    if (!c->quiet)
      cli_note("`%s %s` of simulate is not an option of %s: ignored", setting->name, value,
               c->method->name);
    return DAE_OK;
  }
  if (dae_options_set(&table, c->options, setting->name, value, &why) >= 0)
    return DAE_OK;
  return dae_model_fail(model, setting->place, why.text, err);
}

/* Sets the rtol of the assembled system to that of a system where this one is smaller. */
static dae_status settings_lower_rtol(const dae_model *model, const dae_model_setting *setting,
                                      const cli_choice *c, dae_error *err)
{
  dae_option_table table = settings_table(c->method);
  char text[sizeof err->text];
  dae_error why;
  double before;
  int i = cli_option_index(&table, "rtol");
  if (i < 0)
    return DAE_OK;
  char *rtol = (char *)c->options + table.options[i].offset;
  memcpy(&before, rtol, sizeof before);
  if (dae_options_set(&table, c->options, "rtol", setting->text, &why) < 0) {
    snprintf(text, sizeof text, "system %.60s: %.400s", setting->system, why.text);
    return dae_model_fail(model, setting->place, text, err);
  }
  if (before < setting->value)
    memcpy(rtol, &before, sizeof before);
  return DAE_OK;
}

/* Note on settings of systems, which a method for the assembled system ignores. */
static void settings_note_systems(const dae_model_setting *first, int count, const cli_choice *c)
{
  char number[40], more[64] = "";
  if (count > 1)
    snprintf(more, sizeof more, " and %d more setting%s of systems", count - 1,
             count > 2 ? "s" : "");
  cli_note("`%s %s` of system %s%s: ignored, %s integrates the assembled system", first->name,
           cli_setting_text(first, number), first->system, more, c->method->name);
}

/* Settings of simulate; of systems, where they are assembled, the smallest rtol, while their atol
 * is that of their variables and other settings are ignored with a note. */
static dae_status settings_set_all_from_model(const dae_model *model, const cli_arguments *args,
                                              cli_choice *c, dae_error *err)
{
  const dae_model_setting *settings, *of_system = NULL;
  int count = dae_model_settings(model, &settings), of_systems = 0;
  for (int i = 0; i < count; i++) {
    const dae_model_setting *s = &settings[i];
    bool tolerance = cli_same_name(s->name, "rtol") || cli_same_name(s->name, "atol");
    if (s->system && !tolerance) {
      of_system = of_system ? of_system : s;
      of_systems++;
    } else if (!s->system && !settings_is_run_level(s->name) && !settings_is_given(args, s->name)) {
      dae_status status = settings_set_from_model(model, s, c, err);
      if (status < 0)
        return status;
    }
  }
  if (c->method->iterates)
    return DAE_OK;
  dae_status status = DAE_OK;
  for (int i = 0; i < count && status >= 0 && !settings_is_given(args, "rtol"); i++)
    if (settings[i].system && cli_same_name(settings[i].name, "rtol"))
      status = settings_lower_rtol(model, &settings[i], c, err);
  if (status < 0)
    return status;
  if (of_system && !c->quiet)
    settings_note_systems(of_system, of_systems, c);
  return DAE_OK;
}

static dae_status settings_refuse_option(const cli_arguments *args, const dae_method *method,
                                         const char *name, dae_error *err)
{
  const char *near = cli_nearest_option(args->syntax, method, name);
  if (near && !cli_same_name(near, name))
    return cli_fail(err, DAE_ERROR_USAGE, "%s has no option %s: did you mean %s?", method->name,
                    cli_dashes(name).text, cli_dashes(near).text);
  return cli_fail(err, DAE_ERROR_USAGE,
                  "%s has no option %s: `daedal methods %s` lists its options", method->name,
                  cli_dashes(name).text, method->name);
}

static dae_status settings_set_all_from_command(const cli_arguments *args, cli_choice *c,
                                                dae_error *err)
{
  dae_option_table table = settings_table(c->method);
  for (int i = 0; i < args->count; i++) {
    const cli_given *given = &args->given[i];
    if (!settings_is_of_method(given))
      continue;
    if (cli_option_index(&table, given->name) < 0)
      return settings_refuse_option(args, c->method, given->name, err);
    dae_status status = dae_options_set(&table, c->options, given->name, given->value, err);
    if (status < 0)
      return status;
  }
  return DAE_OK;
}

/* Options of the method: the defaults, overridden by simulate. */
static dae_status settings_from_defaults(const dae_model *model, const cli_arguments *args,
                                         cli_choice *c, dae_error *err)
{
  c->options = calloc(1, c->method->options_size);
  if (!c->options)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
  c->method->defaults(c->options);
  return settings_set_all_from_model(model, args, c, err);
}

dae_status cli_choose_options(const dae_model *model, const dae_method *method, cli_choice *out,
                              dae_error *err)
{
  *out = (cli_choice){.method = method, .from_command = true, .quiet = true};
  return settings_from_defaults(model, &(cli_arguments){0}, out, err);
}

dae_status cli_choose(const dae_model *model, const cli_arguments *args, cli_choice *out,
                      dae_error *err)
{
  *out = (cli_choice){.quiet = cli_flag(args, "quiet")};
  dae_status status = settings_select_method(model, args, out, err);
  if (status >= 0)
    status = settings_from_defaults(model, args, out, err);
  if (status >= 0)
    status = settings_set_all_from_command(args, out, err);
  return status < 0 ? status : cli_choose_coupling(model, args, out, err);
}

void cli_choice_free(cli_choice *c)
{
  dae_model_children_free(c->children, NULL);
  free(c->order);
  free(c->options);
}

dae_status cli_locate_setting(const dae_model *model, const cli_arguments *args, dae_status status,
                              dae_error *err)
{
  const dae_model_setting *setting = NULL;
  bool refused = status == DAE_ERROR_UNSUPPORTED || status == DAE_ERROR_OPTION;
  if (!refused || settings_is_given(args, err->equation))
    return status;
  setting = dae_model_find_setting(model, err->equation);
  if (!setting && status == DAE_ERROR_UNSUPPORTED && !cli_value(args, "method"))
    setting = dae_model_find_setting(model, "method");
  if (!setting)
    return status;
  dae_error why = *err;
  return dae_model_fail(model, setting->place, why.text, err);
}
