/* A comparison on a terminal: all runs, the time to reach an accuracy, the reference and the
 * recommendation. */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OTHER_EVENTS 8 /* listed runs whose events are others than those of the reference */

const int compare_goals[COMPARE_GOALS] = {4, 6, 8};

/* ---- cells ---- */

compare_cell compare_digits(double error, double floor)
{
  compare_cell c = {"-"};
  if (isnan(error) || isinf(error))
    return c;
  if (error < floor)
    snprintf(c.text, sizeof c.text, "> %.1f", fmin(-log10(floor), 16));
  else
    snprintf(c.text, sizeof c.text, "%.1f", fmax(-log10(error), -99));
  return c;
}

compare_cell compare_number(double value)
{
  compare_cell c = {"-"};
  double size = fabs(value);
  if (isnan(value))
    return c;
  if (size >= 1e-3 && size < 1e5)
    snprintf(c.text, sizeof c.text, "%.*f",
             size < 0.995  ? 3
             : size < 9.95 ? 2
             : size < 99.5 ? 1
                           : 0,
             value);
  else
    snprintf(c.text, sizeof c.text, "%.1e", value);
  return c;
}

compare_cell compare_asked(const dae_compare_run *run)
{
  compare_cell c;
  dae_compare_asked(run, c.text, sizeof c.text);
  return c;
}

bool compare_has_algebraic(const dae_comparison *c)
{
  for (int i = 0; i < c->runs; i++)
    if (!isnan(c->run[i].algebraic))
      return true;
  return false;
}

bool compare_has_energy(const dae_comparison *c)
{
  for (int i = 0; i < c->runs; i++)
    if (!isnan(c->run[i].energy_balance))
      return true;
  return false;
}

int compare_place(const dae_method *const *order, int count, const dae_method *method)
{
  for (int i = 0; i < count; i++)
    if (order[i] == method)
      return i + 1;
  return 0;
}

/* ---- all runs ---- */

typedef struct columns {
  bool algebraic, energy;
} columns;

static void compare_print_head(const columns *shown)
{
  printf("\n%-13s %8s %7s", "method", "rtol", "digits");
  if (shown->algebraic)
    printf(" %7s", "alg.");
  printf(" %7s %8s %7s %8s", "steps", "evals", "factor", "ms");
  if (shown->energy)
    printf(" %8s", "energy");
  printf("\n");
}

/* text cut to one line; files have the whole text */
static void compare_print_cut(int room, const char *text)
{
  char line[CLI_WIDTH + 1];
  bool whole = (int)strlen(text) <= room;
  snprintf(line, sizeof line, "%.*s%s", whole ? room : room - 3, text, whole ? "" : "...");
  cli_put_clean(stdout, line);
  putchar('\n');
}

static void compare_print_run(const dae_comparison *c, const dae_compare_run *r, bool first,
                              const columns *shown)
{
  int column = printf("%-13s %8s ", first ? r->method->name : "", compare_asked(r).text);
  if (r->status < 0) {
    compare_print_cut(CLI_WIDTH - column, r->message);
    return;
  }
  printf("%7s", compare_digits(r->error, c->reference.floor).text);
  if (shown->algebraic)
    printf(" %7s", compare_digits(r->algebraic, c->reference.algebraic_floor).text);
  printf(" %7ld %8ld %7ld %8s", r->stats.steps, r->stats.evaluations, r->stats.factorisations,
         compare_number(1e3 * r->seconds).text);
  if (shown->energy)
    printf(" %8.0e", fabs(r->energy_balance));
  printf("\n");
}

static void compare_print_runs(const dae_comparison *c)
{
  columns shown = {compare_has_algebraic(c), compare_has_energy(c)};
  compare_print_head(&shown);
  for (int i = 0; i < c->runs; i++)
    compare_print_run(c, &c->run[i], i == 0 || c->run[i].method != c->run[i - 1].method, &shown);
}

/* ---- time to reach ---- */

int compare_order(const dae_comparison *c, const dae_method **order, const dae_method **scratch)
{
  int count = 0;
  const double wanted[] = {c->wanted, 1e-6, 1e-4, 1e-8};
  for (size_t g = 0; g < sizeof wanted / sizeof *wanted; g++) {
    int reached = dae_comparison_rank(c, wanted[g], DAE_COST_SECONDS, scratch);
    for (int i = 0; i < reached; i++)
      if (!compare_place(order, count, scratch[i]))
        order[count++] = scratch[i];
  }
  return count;
}

static void compare_print_goals(const dae_comparison *c, const dae_method **order,
                                const dae_method **scratch)
{
  int count = compare_order(c, order, scratch);
  if (count == 0)
    return;
  printf("\n%-16s", "ms to reach");
  for (int g = 0; g < COMPARE_GOALS; g++)
    printf("   %6d digits", compare_goals[g]);
  printf("\n");
  for (int i = 0; i < count; i++) {
    printf("%-16s", order[i]->name);
    for (int g = 0; g < COMPARE_GOALS; g++) {
      double error = pow(10, -compare_goals[g]);
      double time = dae_comparison_cost(c, order[i], error, DAE_COST_SECONDS);
      int ranked = dae_comparison_rank(c, error, DAE_COST_SECONDS, scratch);
      int place = compare_place(scratch, ranked, order[i]);
      if (place)
        printf(" (%2d) %10s", place, compare_number(1e3 * time).text);
      else
        printf(" %15s", "-");
    }
    printf("\n");
  }
}

/* ---- reference and recommendation ---- */

/* rank of the method that auto selects */
static void compare_print_auto(const dae_comparison *c, const dae_model *model,
                               const dae_method **order)
{
  dae_error ignored;
  const dae_method *own = dae_model_choose_at(model, c->wanted, NULL, 0, &ignored);
  int count = dae_comparison_rank(c, c->wanted, DAE_COST_SECONDS, order);
  int place = own ? compare_place(order, count, own) : 0;
  if (!place || own == c->recommended)
    return;
  double time = dae_comparison_cost(c, own, c->wanted, DAE_COST_SECONDS);
  cli_row("auto", "%s, the default of `run`, has rank %d with %s ms", own->name, place,
          compare_number(1e3 * time).text);
}

static void compare_print_command(const dae_comparison *c, const cli_arguments *args)
{
  const dae_compare_run *best = c->best;
  printf("  %-13sdaedal run %s --method %s ", "command", args->operand, best->method->name);
  if (best->step > 0)
    printf("--step %.4g\n", best->step);
  else
    printf("--rtol %s\n", compare_asked(best).text);
}

/* Runs whose numbers of events are not those of the reference. */
static void compare_print_events(const dae_comparison *c)
{
  int listed = 0;
  for (int i = 0; i < c->runs; i++)
    if (c->run[i].other_events[0] && listed++ < OTHER_EVENTS)
      cli_row(listed == 1 ? "no agreement" : "", "%s", c->run[i].other_events);
  if (listed > OTHER_EVENTS)
    cli_row("", "... and %d more runs with other numbers of events", listed - OTHER_EVENTS);
}

static void compare_print_recommendation(const dae_comparison *c, const dae_model *model,
                                         const cli_arguments *args, const dae_method **order)
{
  char text[512];
  dae_reference_text(c, text, sizeof text);
  printf("\n");
  cli_row("reference", "%s", text);
  compare_print_events(c);
  if (c->native.instructions > 0) {
    dae_native_text(&c->native, text, sizeof text);
    cli_row("native code", "%s", text);
  }
  cli_row(c->recommended ? "recommended" : "not ranked", "%s", c->why);
  if (!c->recommended)
    return;
  compare_print_auto(c, model, order);
  compare_print_command(c, args);
}

void compare_print(const dae_comparison *c, const dae_model *model, const cli_arguments *args)
{
  const dae_method **order = calloc((size_t)c->method_count + 1, 2 * sizeof *order);
  if (!order)
    return;
  compare_print_runs(c);
  compare_print_goals(c, order, order + c->method_count);
  compare_print_recommendation(c, model, args, order);
  free(order);
}
