#include "run/verify.h"

#include "core/error.h"
#include "core/options.h"
#include "core/vec.h"
#include "run/auto.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIRST_CAPACITY 256 /* number of rows of the first allocation */

/* ---- rows of the first run ---- */

void dae__verify_free(dae__verify *v)
{
  if (v->rows)
    v->env.release(v->env.user, v->rows);
  v->rows = NULL;
}

static double *verify_row_of(const dae__verify *v, long i)
{
  return v->rows + (size_t)i * (size_t)v->columns;
}

dae_status dae__verify_keep(dae__verify *v, const double *row, dae_error *err)
{
  if (v->count == v->capacity) {
    long capacity = v->capacity > 0 ? 2 * v->capacity : FIRST_CAPACITY;
    size_t bytes = (size_t)v->columns * sizeof *v->rows;
    double *rows = v->env.allocate(v->env.user, (size_t)capacity * bytes);
    if (!rows)
      return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for rows that are to be verified");
    if (v->rows)
      memcpy(rows, v->rows, (size_t)v->count * bytes);
    dae__verify_free(v);
    v->rows = rows;
    v->capacity = capacity;
  }
  dae__copy(v->columns, row, verify_row_of(v, v->count++));
  return DAE_OK;
}

/* ---- the second run ---- */

/* Comparison of the rows of the second run with the rows of the first. */
typedef struct comparison {
  const dae__verify *v;
  const dae__columns *columns;
  dae_variable_kind *kind; /* kind of variable of each column */
  double *scale;           /* rtol max|y| + atol of each column */
  double *times;           /* times at which rows are compared */
  long time_count;
  long next; /* index of the next row of the first run to compare */
  dae_verification *out;
} comparison;

/* Whether row i is at an event that changes the state: the second run has that event at another
 * time. */
static bool verify_is_jump(const dae__verify *v, long i)
{
  double t = verify_row_of(v, i)[0];
  return (i > 0 && verify_row_of(v, i - 1)[0] == t) ||
         (i + 1 < v->count && verify_row_of(v, i + 1)[0] == t);
}

/* Compares a row of the second run with the row of the first run at the same time. */
static dae_status verify_take_row(void *self, const dae_row *row, dae_error *err)
{
  comparison *c = self;
  const dae__verify *v = c->v;
  const double *b = row->values;
  (void)err;
  while (c->next < v->count && verify_row_of(v, c->next)[0] < b[0])
    c->next++;
  const double *a = c->next < v->count ? verify_row_of(v, c->next) : NULL;
  if (!a || a[0] != b[0] || verify_is_jump(v, c->next))
    return DAE_OK;
  for (int i = 0; i < c->columns->variables; i++) {
    dae_difference *most = &c->out->most[c->kind[i]];
    double difference = fabs(a[1 + i] - b[1 + i]), tolerances = difference / c->scale[i];
    if (!isnan(most->tolerances) && !(tolerances > most->tolerances))
      continue;
    *most = (dae_difference){.tolerances = tolerances, .absolute = difference, .t = a[0]};
    snprintf(most->name, sizeof most->name, "%s", c->columns->names[1 + i]);
  }
  c->out->rows++;
  return DAE_OK;
}

/* ---- scales and times of the comparison ---- */

static dae_status verify_prepare(dae__arena *arena, const dae_summary *s, comparison *c,
                                 dae_error *err)
{
  char name[8];
  c->kind = DAE__ALLOC(arena, dae_variable_kind, c->columns->variables);
  c->scale = DAE__ALLOC(arena, double, c->columns->variables);
  c->times = DAE__ALLOC(arena, double, c->v->count);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *c->out = (dae_verification){0};
  for (int i = 0; i < DAE_VARIABLE_KINDS; i++)
    c->out->most[i].tolerances = NAN;
  for (int i = 0; i < c->columns->variables; i++) {
    double most = 0;
    for (long k = 0; k < c->v->count; k++)
      most = fmax(most, fabs(verify_row_of(c->v, k)[1 + i]));
    c->scale[i] = s->rtol * most + s->atol;
    c->kind[i] =
        dae_problem_variable(&c->columns->plan->problem, c->columns->entry[i], name, sizeof name);
  }
  for (long i = 0; i < c->v->count; i++)
    if (!verify_is_jump(c->v, i))
      c->times[c->time_count++] = verify_row_of(c->v, i)[0];
  return DAE_OK;
}

/* Integrates by the method that `auto` prefers, with its default options and the tolerances of the
 * first run. */
static dae_status verify_integrate_as_one(dae__arena *arena, comparison *c, const dae_summary *s,
                                          dae_error *err)
{
  dae_run_plan plan = *c->columns->plan;
  const dae_sink sink = {.self = c, .row = verify_take_row};
  dae_summary other;
  plan.method = dae__method_for_one(&plan.problem, err);
  if (!plan.method)
    return err->status;
  c->out->method = plan.method->name;
  void *opts = dae_arena_alloc(arena, 1, plan.method->options_size);
  if (!opts)
    return dae__out_of_memory(err);
  plan.method->defaults(opts);
  dae__options_set_number(plan.method->options, opts, "rtol", s->rtol, NULL);
  dae__options_set_number(plan.method->options, opts, "atol", s->atol, NULL);
  plan.options = opts;
  plan.to = verify_row_of(c->v, c->v->count - 1)[0];
  plan.times = c->times;
  plan.time_count = c->time_count;
  plan.outputs = 0;
  plan.sinks = &sink;
  plan.sink_count = 1;
  plan.verify = false;
  return plan.to > plan.start.t ? dae_run(&plan, dae__arena_env(arena), &other, err) : DAE_OK;
}

dae_status dae__verify_run(const dae__verify *v, const dae__columns *columns, dae_summary *summary,
                           dae_error *err)
{
  comparison c = {.v = v, .columns = columns, .out = &summary->verification};
  dae_error why = dae_error_none();
  dae__arena *arena = dae__arena_create(&v->env);
  if (!arena)
    return dae__out_of_memory(err);
  dae_status status = verify_prepare(arena, summary, &c, &why);
  if (status >= 0)
    status = verify_integrate_as_one(arena, &c, summary, &why);
  dae__arena_free(arena);
  if (status >= 0)
    return DAE_OK;
  *err = why;
  if (status == DAE_ERROR_MEMORY || status == DAE_ERROR_INTERRUPTED)
    return status;
  snprintf(c.out->message, sizeof c.out->message, "%.255s", why.text);
  return dae__fail(err, DAE_ERROR_CHECK, why.equation,
                   "the run is complete, but its verification as one system by %s failed: %.300s",
                   c.out->method ? c.out->method : "another method", why.text);
}
