/* Which columns of a result a report shows, and what each of them is. A page has room for some
 * hundred curves; of longer results the first columns and the outputs are kept. */
#include "output/report/report.h"

#include "core/error.h"

#include <string.h>

#define LEAST_ROWS 400 /* of a curve that is worth a look */

/* the three kinds in which entries of the state vector are written */
static dae__column_kind report_kind_of_entry(const dae_problem *problem, int entry)
{
  char name[8];
  dae_variable_kind kind = dae_problem_variable(problem, entry, name, sizeof name);
  return kind == DAE_VARIABLE_RATE         ? DAE__COLUMN_RATE
         : kind == DAE_VARIABLE_MULTIPLIER ? DAE__COLUMN_MULTIPLIER
                                           : DAE__COLUMN_VARIABLE;
}

/* Without a list the variables come first, then rates, then multipliers: how many of each. */
static void report_count_kinds(const dae_problem *problem, int count[DAE__COLUMN_OUTPUT])
{
  int size = dae_problem_size(problem);
  for (int i = 0; i < size; i++)
    count[report_kind_of_entry(problem, i)]++;
}

static dae__column_kind report_kind_of(const dae_run_plan *plan, const int *count, int column)
{
  if (column == 0)
    return DAE__COLUMN_TIME;
  if (plan->columns)
    return column <= plan->column_count
               ? report_kind_of_entry(&plan->problem, plan->columns[column - 1].entry)
               : DAE__COLUMN_OUTPUT;
  int kind = DAE__COLUMN_VARIABLE, end = count[kind];
  while (column > end && kind < DAE__COLUMN_OUTPUT)
    end += ++kind < DAE__COLUMN_OUTPUT ? count[kind] : 0;
  return (dae__column_kind)kind;
}

/* all of them, or the first ones and then the outputs, these at most half */
static void report_choose(dae__report *r, int outputs)
{
  int kept_outputs = outputs < r->columns / 2 ? outputs : r->columns / 2;
  int first = r->columns - kept_outputs, variables = r->all_columns - outputs;
  for (int i = 0; i < r->columns; i++)
    r->column[i] = r->columns == r->all_columns || i < first ? i : variables + i - first;
}

dae_status dae__report_columns(dae__report *r, int columns, const char *const *names,
                               dae_error *err)
{
  const dae_run_plan *plan = r->options.plan;
  int most = (int)(r->max_values / LEAST_ROWS), count[DAE__COLUMN_OUTPUT] = {0};
  r->all_columns = columns;
  r->columns = columns < most || most < 2 ? columns : most;
  r->column = DAE__ALLOC(r->arena, int, r->columns);
  r->names = DAE__ALLOC(r->arena, char *, r->columns);
  r->kind = DAE__ALLOC(r->arena, dae__column_kind, r->columns);
  if (dae__arena_failed(r->arena))
    return dae__out_of_memory(err);
  report_choose(r, plan->outputs);
  if (!plan->columns)
    report_count_kinds(&plan->problem, count);
  for (int i = 0; i < r->columns; i++) {
    const char *name = names[r->column[i]];
    r->kind[i] = report_kind_of(plan, count, r->column[i]);
    r->names[i] = DAE__ALLOC(r->arena, char, strlen(name) + 1);
    if (dae__arena_failed(r->arena))
      return dae__out_of_memory(err);
    memcpy(r->names[i], name, strlen(name) + 1);
  }
  return DAE_OK;
}

double *dae__report_series(dae__arena *arena, const dae__records *all, int entry)
{
  double *values = DAE__ALLOC(arena, double, all->count);
  for (long i = 0; values && i < all->count; i++)
    values[i] = all->value[i * all->width + entry];
  return values;
}
