/* Coupled models: the order of --sweep, the solvers of the systems, and what `check` says of the
 * iteration between them. */
#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_INDEX_2 1e-3 /* margin below which no iteration converges well */
#define SINGULAR 1e-12    /* margin that is round-off */
#define NO_GAIN 1e-6      /* so does the gain of a chain come out */
#define LISTED 8          /* names in one list */
#define MOST 200          /* systems that a mistyped name is compared with */

/* ---- the order ---- */

/* What a system is called; the part without a name is the model itself. */
static const char *system_name(const dae_model *model, int i)
{
  const char *name = dae_model_problem(model)->coupled->part[i].name;
  return name[0] ? name : dae_model_name(model);
}

/* bytes up to the next comma that does not part indices: S[1,2] is one name */
static size_t name_length(const char *text)
{
  size_t n = 0;
  for (int depth = 0; text[n] && (text[n] != ',' || depth > 0); n++)
    depth += (text[n] == '[') - (text[n] == ']');
  return n;
}

static dae_status refuse_name(const dae_model *model, const char *name, dae_error *err)
{
  const char *words[MOST];
  int parts = dae_model_problem(model)->coupled->parts, known = parts < MOST ? parts : MOST;
  for (int i = 0; i < known; i++)
    words[i] = system_name(model, i);
  const char *near = cli_nearest(name, words, known);
  return near ? cli_fail(err, DAE_ERROR_USAGE,
                         "--sweep: there is no system '%.60s': did you mean %s?", name, near)
              : cli_fail(err, DAE_ERROR_USAGE, "--sweep: there is no system '%.60s'", name);
}

/* The system of this name, which has not come yet. */
static dae_status find_system(const dae_model *model, const char *name, const int *order, int count,
                              int *out, dae_error *err)
{
  int parts = dae_model_problem(model)->coupled->parts, i = 0;
  while (i < parts && strcmp(system_name(model, i), name) != 0)
    i++;
  if (i == parts)
    return refuse_name(model, name, err);
  for (int k = 0; k < count; k++)
    if (order[k] == i)
      return cli_fail(err, DAE_ERROR_USAGE, "--sweep names %.60s twice", name);
  *out = i;
  return DAE_OK;
}

/* every system has to come once */
static dae_status check_complete(const dae_model *model, const int *order, int count,
                                 dae_error *err)
{
  int parts = dae_model_problem(model)->coupled->parts;
  for (int i = 0, k; i < parts; i++) {
    for (k = 0; k < count && order[k] != i; k++)
      ;
    if (k == count)
      return cli_fail(err, DAE_ERROR_USAGE, "--sweep does not name %.60s: an order of all %d %s",
                      system_name(model, i), parts, "systems is wanted");
  }
  return DAE_OK;
}

static dae_status read_order(const dae_model *model, const char *text, int *order, dae_error *err)
{
  int count = 0;
  dae_status status = DAE_OK;
  for (bool more = true; more && status >= 0;) {
    char name[256];
    size_t length = name_length(text);
    snprintf(name, sizeof name, "%.*s", (int)(length < 255 ? length : 255), text);
    status = find_system(model, name, order, count, &order[count], err);
    count += status >= 0;
    more = text[length] == ',';
    text += length + more;
  }
  return status < 0 ? status : check_complete(model, order, count, err);
}

static dae_status choose_order(const dae_model *model, const char *text, cli_choice *c,
                               dae_error *err)
{
  dae_wave_options *opts = c->options;
  if (!c->method->iterates)
    return cli_fail(err, DAE_ERROR_USAGE,
                    "--sweep: %s integrates all systems as one, there are no sweeps",
                    c->method->name);
  if (strcmp(c->method->name, "jacobi") == 0)
    return cli_fail(err, DAE_ERROR_USAGE,
                    "--sweep: jacobi integrates all systems at once, there is no order");
  c->order = calloc((size_t)dae_model_problem(model)->coupled->parts, sizeof *c->order);
  if (!c->order)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
  opts->order = c->order;
  return read_order(model, text, c->order, err);
}

/* ---- the solvers ---- */

dae_status cli_choose_coupling(const dae_model *model, const cli_arguments *args, cli_choice *c,
                               dae_error *err)
{
  const char *sweep = cli_value(args, "sweep");
  if (cli_flag(args, "verify") && !c->method->iterates)
    return cli_fail(err, DAE_ERROR_USAGE,
                    "--verify: %s integrates the model as one system, there is nothing to compare "
                    "it with; gauss-seidel, jacobi and joint iterate between systems",
                    c->method->name);
  dae_status status = sweep ? choose_order(model, sweep, c, err) : DAE_OK;
  if (status < 0 || !c->method->iterates)
    return status;
  dae_wave_options *opts = c->options;
  status = dae_model_children(model, opts->rtol, opts->atol, NULL, &c->children, err);
  opts->children = c->children;
  return status;
}

/* ---- what check says ---- */

/* "1.38 (> 1)" */
typedef struct gain {
  char text[40];
} gain;

static gain gain_of(double rho)
{
  gain g;
  snprintf(g.text, sizeof g.text, "%.3g%s", rho, rho >= 1.005 ? " (> 1)" : "");
  return g;
}

/* "0.364 + 0.13 W^2": with what windows of length W add [WHM11 (54)], where that is known */
static gain side_of(double rho, double growth)
{
  gain g = gain_of(rho);
  if (isfinite(rho) && isfinite(growth))
    snprintf(g.text, sizeof g.text, "%.3g + %.3g W^2%s", rho, growth, rho >= 1.005 ? " (> 1)" : "");
  return g;
}

/* "    gauss-seidel   1.38 ...", as the methods are listed */
__attribute__((format(printf, 2, 3))) static void print_gain(const char *name, const char *format,
                                                             ...)
{
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  int column = printf("    %-13s  ", name);
  cli_wrap(stdout, column, column, text);
}

/* "one, two, three" */
static void given_order(const dae_coupled *c, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < c->parts && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                             c->part[i].name[0] ? c->part[i].name : "the model itself");
}

/* a list of names, cut after LISTED of them */
typedef struct names {
  char text[256];
} names;

static names shortened(const char *list)
{
  names n;
  const char *end = list;
  for (int i = 0; i < LISTED && *end; i++) {
    end += *end == ',';
    end += strcspn(end, ",");
  }
  snprintf(n.text, sizeof n.text, "%.*s%s", (int)(end - list), list, *end ? ", ..." : "");
  return n;
}

static void print_loop(const dae_coupled *coupled, const dae_contraction *c)
{
  char given[sizeof c->order];
  given_order(coupled, given, sizeof given);
  cli_row("coupling", "algebraic loop of %s; its gain in a plain sweep:", shortened(c->loop).text);
  if (strcmp(given, c->order) == 0)
    print_gain("gauss-seidel", "%s in the order %s, the best", gain_of(c->gauss_seidel).text,
               shortened(given).text);
  else
    print_gain("gauss-seidel", "%s in the order %s; %s in the order %s, the best",
               gain_of(c->gauss_seidel).text, shortened(given).text, gain_of(c->best).text,
               shortened(c->order).text);
  print_gain("jacobi", "%s", gain_of(c->jacobi).text);
  if (!isnan(c->on_first))
    print_gain("joint",
               "%s with the constraint on the first system of a joint, %s on the last, W being the "
               "length of a window",
               side_of(c->on_first, c->first_growth).text,
               side_of(c->on_second, c->second_growth).text);
}

static void print_margin(const dae_coupled *coupled, const dae_contraction *c)
{
  if (c->margin <= SINGULAR && coupled->joints > 0)
    cli_row("", "the loop does not determine its variables: joints depend on each other");
  else if (c->margin <= SINGULAR)
    cli_row("", "the loop does not determine its variables: the coupled problem has a higher "
                "index than its systems, and no iteration between them converges");
  else if (c->margin < NEAR_INDEX_2)
    cli_row("",
            "close to index 2 (margin %.2g): no iteration between these systems can converge "
            "well",
            c->margin);
  else
    cli_row("", "the default update, schur, takes the loop into account");
}

void cli_print_coupling(const dae_problem *problem, double t, const double *y)
{
  dae_contraction c;
  dae_error err;
  if (!problem->coupled || problem->coupled->parts < 2)
    return;
  if (dae_contraction_at(problem, t, y, NULL, &c, &err) < 0) {
    cli_row("coupling", "%s", err.text);
    return;
  }
  if (!c.loop[0] || !(c.jacobi > NO_GAIN)) {
    cli_row("coupling", "no algebraic loop: sweeps converge faster than geometrically");
    return;
  }
  print_loop(problem->coupled, &c);
  print_margin(problem->coupled, &c);
}
