#include "run/columns.h"

#include "core/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_SIZE 256

/* groups of columns, from left to right */
enum { VARIABLES, RATES, MULTIPLIERS, GROUPS };

static const char *columns_copy_of(dae__arena *arena, const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = DAE__ALLOC(arena, char, size);
  return copy ? memcpy(copy, text, size) : "";
}

/* Adds the columns listed in the plan or, without a list, all entries of the state vector, group by
 * group. */
static void columns_add_entries(dae__arena *arena, const dae_run_plan *plan, dae__columns *c)
{
  char name[NAME_SIZE];
  int next = 0;
  for (int i = 0; plan->columns && i < c->variables; i++) {
    const dae_column *column = &plan->columns[i];
    c->entry[i] = column->entry;
    dae_problem_variable(&plan->problem, column->entry, name, sizeof name);
    c->names[1 + i] = column->name ? column->name : columns_copy_of(arena, name);
  }
  for (int group = 0; !plan->columns && group < GROUPS; group++)
    for (int i = 0; i < c->variables; i++) {
      dae_variable_kind kind = dae_problem_variable(&plan->problem, i, name, sizeof name);
      if (group != (kind == DAE_VARIABLE_RATE         ? RATES
                    : kind == DAE_VARIABLE_MULTIPLIER ? MULTIPLIERS
                                                      : VARIABLES))
        continue;
      c->entry[next++] = i;
      c->names[next] = columns_copy_of(arena, name);
    }
}

dae_status dae__columns_create(dae__arena *arena, const dae_run_plan *plan, dae__columns *out,
                               dae_error *err)
{
  int size = dae_problem_extended_size(&plan->problem);
  for (int i = 0; plan->columns && i < plan->column_count; i++)
    if (plan->columns[i].entry < 0 || plan->columns[i].entry >= size)
      return dae__fail(
          err, DAE_ERROR_USAGE, "columns",
          "column %d is entry %d of the extended state vector, which has entries 0 to %d", i + 1,
          plan->columns[i].entry, size - 1);
  dae__columns c = {.plan = plan, .variables = plan->columns ? plan->column_count : size};
  c.count = 1 + c.variables + plan->outputs;
  c.names = DAE__ALLOC(arena, const char *, c.count);
  c.entry = DAE__ALLOC(arena, int, c.variables);
  c.values = DAE__ALLOC(arena, double, c.count);
  if (!dae__arena_failed(arena)) {
    c.names[0] = "t";
    columns_add_entries(arena, plan, &c);
  }
  for (int i = 0; !dae__arena_failed(arena) && i < plan->outputs; i++) {
    char name[32];
    snprintf(name, sizeof name, "output[%d]", i + 1);
    const char *given = plan->output_names ? plan->output_names[i] : NULL;
    c.names[1 + c.variables + i] = given ? given : columns_copy_of(arena, name);
  }
  if (dae__arena_failed(arena))
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the result columns");
  *out = c;
  return DAE_OK;
}

dae_status dae__columns_fill(const dae__columns *c, double t, const double *y, dae_error *err)
{
  const dae_run_plan *plan = c->plan;
  c->values[0] = t;
  for (int i = 0; i < c->variables; i++)
    c->values[1 + i] = y[c->entry[i]];
  if (plan->outputs == 0 ||
      plan->output(plan->output_user, t, y, c->values + 1 + c->variables) == 0)
    return DAE_OK;
  dae__fail(err, DAE_ERROR_CALLBACK, "output", "the outputs could not be evaluated at t = %.10g",
            t);
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_CALLBACK;
}
