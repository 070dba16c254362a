/* Coupled models: order of --sweep, solvers of the systems, and the contraction of the dynamic
 * iteration as reported by `check`. */
#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_INDEX_2 1e-3 /* margin below which every iteration converges slowly */
#define SINGULAR 1e-12    /* margin at round-off level */
#define NO_LOOP 1e-6      /* contraction factor at round-off level, without a loop */
#define LISTED 8          /* names in one list */
#define MOST 200          /* systems compared with a mistyped name */

/* ---- the order ---- */

/* Name of a system; the part without a name is the model itself. */
static const char *coupling_system_name(const dae_model *model, int i)
{
  const char *name = dae_model_problem(model)->coupled->part[i].name;
  return name[0] ? name : dae_model_name(model);
}

/* bytes up to the next comma outside of brackets: S[1,2] is one name */
static size_t coupling_name_length(const char *text)
{
  size_t n = 0;
  for (int depth = 0; text[n] && (text[n] != ',' || depth > 0); n++)
    depth += (text[n] == '[') - (text[n] == ']');
  return n;
}

static dae_status coupling_refuse_name(const dae_model *model, const char *name, dae_error *err)
{
  const char *words[MOST];
  int parts = dae_model_problem(model)->coupled->parts, known = parts < MOST ? parts : MOST;
  for (int i = 0; i < known; i++)
    words[i] = coupling_system_name(model, i);
  const char *near = cli_nearest(name, words, known);
  return near ? cli_fail(err, DAE_ERROR_USAGE,
                         "--sweep: there is no system '%.60s': did you mean %s?", name, near)
              : cli_fail(err, DAE_ERROR_USAGE, "--sweep: there is no system '%.60s'", name);
}

/* Index of the system of this name, which is not yet in the order. */
static dae_status coupling_find_system(const dae_model *model, const char *name, const int *order,
                                       int count, int *out, dae_error *err)
{
  int parts = dae_model_problem(model)->coupled->parts, i = 0;
  while (i < parts && strcmp(coupling_system_name(model, i), name) != 0)
    i++;
  if (i == parts)
    return coupling_refuse_name(model, name, err);
  for (int k = 0; k < count; k++)
    if (order[k] == i)
      return cli_fail(err, DAE_ERROR_USAGE, "--sweep names %.60s twice", name);
  *out = i;
  return DAE_OK;
}

/* check that every system is in the order */
static dae_status coupling_check_complete(const dae_model *model, const int *order, int count,
                                          dae_error *err)
{
  int parts = dae_model_problem(model)->coupled->parts;
  for (int i = 0, k; i < parts; i++) {
    for (k = 0; k < count && order[k] != i; k++)
      ;
    if (k == count)
      return cli_fail(err, DAE_ERROR_USAGE, "--sweep does not name %.60s: list all %d systems",
                      coupling_system_name(model, i), parts);
  }
  return DAE_OK;
}

static dae_status coupling_read_order(const dae_model *model, const char *text, int *order,
                                      dae_error *err)
{
  int count = 0;
  dae_status status = DAE_OK;
  for (bool more = true; more && status >= 0;) {
    char name[256];
    size_t length = coupling_name_length(text);
    snprintf(name, sizeof name, "%.*s", (int)(length < 255 ? length : 255), text);
    status = coupling_find_system(model, name, order, count, &order[count], err);
    count += status >= 0;
    more = text[length] == ',';
    text += length + more;
  }
  return status < 0 ? status : coupling_check_complete(model, order, count, err);
}

static dae_status coupling_set_order(const dae_model *model, const char *text, cli_choice *c,
                                     dae_error *err)
{
  dae_wave_options *opts = c->options;
  if (!c->method->iterates)
    return cli_fail(err, DAE_ERROR_USAGE,
                    "--sweep: %s integrates the assembled system, without sweeps", c->method->name);
  if (strcmp(c->method->name, "jacobi") == 0)
    return cli_fail(err, DAE_ERROR_USAGE,
                    "--sweep: jacobi integrates all systems in parallel, without an order");
  c->order = calloc((size_t)dae_model_problem(model)->coupled->parts, sizeof *c->order);
  if (!c->order)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
  opts->order = c->order;
  return coupling_read_order(model, text, c->order, err);
}

/* ---- the solvers ---- */

dae_status cli_choose_coupling(const dae_model *model, const cli_arguments *args, cli_choice *c,
                               dae_error *err)
{
  const char *sweep = cli_value(args, "sweep");
  if (cli_flag(args, "verify") && !c->method->iterates)
    return cli_fail(err, DAE_ERROR_USAGE,
                    "--verify: %s already integrates the assembled system; use it with "
                    "gauss-seidel, jacobi or joint, which iterate between systems",
                    c->method->name);
  dae_status status = sweep ? coupling_set_order(model, sweep, c, err) : DAE_OK;
  if (status < 0 || !c->method->iterates)
    return status;
  dae_wave_options *opts = c->options;
  status = dae_model_children(model, opts->rtol, opts->atol, NULL, &c->children, err);
  opts->children = c->children;
  return status;
}

/* ---- report of the contraction ---- */

/* Text of a contraction factor: "1.38 (> 1)". */
typedef struct factor_text {
  char text[40];
} factor_text;

static factor_text coupling_factor(double rho)
{
  factor_text g;
  snprintf(g.text, sizeof g.text, "%.3g%s", rho, rho >= 1.005 ? " (> 1)" : "");
  return g;
}

/* factor with the growth over windows of length W [WHM11 (54)], if known: "0.364 + 0.13 W^2" */
static factor_text coupling_side_factor(double rho, double growth)
{
  factor_text g = coupling_factor(rho);
  if (isfinite(rho) && isfinite(growth))
    snprintf(g.text, sizeof g.text, "%.3g + %.3g W^2%s", rho, growth, rho >= 1.005 ? " (> 1)" : "");
  return g;
}

/* row in the format of the list of methods: "    gauss-seidel   1.38 ..." */
__attribute__((format(printf, 2, 3))) static void coupling_print_factor(const char *name,
                                                                        const char *format, ...)
{
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  int column = cli_put_name(4, name, 13);
  cli_wrap(stdout, column, column, text);
}

/* names in the order of the model: "one, two, three" */
static void coupling_given_order(const dae_coupled *c, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < c->parts && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                             c->part[i].name[0] ? c->part[i].name : "the model itself");
}

/* list of at most LISTED names */
typedef struct names {
  char text[256];
} names;

static names coupling_shorten(const char *list)
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

static void coupling_print_loop(const dae_coupled *coupled, const dae_contraction *c)
{
  char given[sizeof c->order];
  coupling_given_order(coupled, given, sizeof given);
  cli_row("coupling", "algebraic loop of %s; contraction factor of a plain sweep:",
          coupling_shorten(c->loop).text);
  if (strcmp(given, c->order) == 0)
    coupling_print_factor("gauss-seidel", "%s in the order %s, the best",
                          coupling_factor(c->gauss_seidel).text, coupling_shorten(given).text);
  else
    coupling_print_factor("gauss-seidel", "%s in the order %s; %s in the order %s, the best",
                          coupling_factor(c->gauss_seidel).text, coupling_shorten(given).text,
                          coupling_factor(c->best).text, coupling_shorten(c->order).text);
  coupling_print_factor("jacobi", "%s", coupling_factor(c->jacobi).text);
  if (!isnan(c->on_first))
    coupling_print_factor(
        "joint",
        "%s with the constraint on the first system of a joint, %s on the last, with W the "
        "length of a window",
        coupling_side_factor(c->on_first, c->first_growth).text,
        coupling_side_factor(c->on_second, c->second_growth).text);
}

static void coupling_print_margin(const dae_coupled *coupled, const dae_contraction *c)
{
  if (c->margin <= SINGULAR && coupled->joints > 0)
    cli_row("", "the loop does not determine its variables: joints are dependent");
  else if (c->margin <= SINGULAR)
    cli_row("", "the loop does not determine its variables: the coupled problem has a higher "
                "index than its systems, and no iteration between them converges");
  else if (c->margin < NEAR_INDEX_2)
    cli_row("",
            "close to index 2 (margin %.2g): every iteration between these systems converges "
            "slowly",
            c->margin);
  else
    cli_row("", "the default update, schur, solves the loop");
}

void cli_print_coupling(const dae_problem *problem, double t, const double *y)
{
  dae_contraction c;
  dae_error err;
  if (!problem->coupled || problem->coupled->parts < 2)
    return;
  if (dae_contraction_at(problem, t, y, cli_env(), &c, &err) < 0) {
    cli_row("coupling", "%s", err.text);
    return;
  }
  if (!c.loop[0] || !(c.jacobi > NO_LOOP)) {
    cli_row("coupling", "no algebraic loop: sweeps converge superlinearly");
    return;
  }
  coupling_print_loop(problem->coupled, &c);
  coupling_print_margin(problem->coupled, &c);
}
