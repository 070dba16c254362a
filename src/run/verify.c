#include "run/verify.h"

#include "core/error.h"
#include "core/mutant.h"
#include "core/number.h"
#include "core/options.h"
#include "core/text.h"
#include "core/vec.h"
#include "run/auto.h"
#include "run/event_counts.h"
#include "run/trust.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIRST_CAPACITY 256 /* number of rows of the first allocation */
#define FINER 0.1          /* tolerances or step of the second run over those of the first */

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

dae_status dae__verify_reserve(dae__verify *v, long count, dae_error *err)
{
  long capacity = v->capacity > 0 ? v->capacity : FIRST_CAPACITY;
  size_t bytes = (size_t)v->columns * sizeof *v->rows;
  if (count <= v->capacity)
    return DAE_OK;
  while (capacity < count)
    capacity *= 2;
  double *rows = v->env.allocate(v->env.user, (size_t)capacity * bytes);
  if (!rows)
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for rows that are to be verified");
  if (v->rows)
    memcpy(rows, v->rows, (size_t)v->count * bytes);
  dae__verify_free(v);
  v->rows = rows;
  v->capacity = capacity;
  return DAE_OK;
}

dae_status dae__verify_keep(dae__verify *v, const double *row, dae_error *err)
{
  DAE__TRY(dae__verify_reserve(v, v->count + 1, err));
  dae__copy(v->columns, row, verify_row_of(v, v->count++));
  return DAE_OK;
}

/* ---- comparison of rows ---- */

/* Comparison of the rows of the second run with the rows of the first. */
typedef struct comparison {
  const dae__verify *v;
  const dae__columns *columns;
  int compared;         /* number of compared columns, from column 1 on */
  double *scale;        /* rtol max|y| + atol of each column */
  dae_difference *most; /* largest difference of each column */
  double *times;        /* times at which rows are compared */
  long time_count;
  long next; /* index of the next row of the first run to compare */
  long rows; /* number of compared rows */
  const dae_method *method;
  double rtol, step;
  dae_summary *other; /* summary of the second run; NULL: there was none */
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
  for (int i = 0; i < c->compared; i++) {
    double difference = fabs(a[1 + i] - b[1 + i]), tolerances = difference / c->scale[i];
    if (isnan(c->most[i].tolerances) ||
        DAE__MUTATE(verify_difference, tolerances > c->most[i].tolerances,
                    tolerances < c->most[i].tolerances))
      c->most[i] = (dae_difference){.tolerances = tolerances, .absolute = difference, .t = a[0]};
  }
  c->rows++;
  return DAE_OK;
}

/* Allocates the comparison, with the scales of the columns and the times of the rows. */
static dae_status verify_prepare(dae__arena *arena, const dae_summary *s, comparison *c,
                                 dae_error *err)
{
  const dae__verify *v = c->v;
  c->scale = DAE__ALLOC(arena, double, c->compared);
  c->most = DAE__ALLOC(arena, dae_difference, c->compared);
  c->times = DAE__ALLOC(arena, double, v->count);
  DAE__TRY(dae__arena_status(arena, err));
  bool fixed = dae__trust_fixed_steps(s);
  double rtol = fixed ? DAE__FIXED_STEP_RTOL : s->rtol,
         atol = fixed ? DAE__FIXED_STEP_ATOL : s->atol;
  for (int i = 0; i < c->compared; i++) {
    double most = 0;
    for (long k = 0; k < v->count; k++)
      most = fmax(most, fabs(verify_row_of(v, k)[1 + i]));
    c->scale[i] = rtol * most + atol;
    c->most[i].tolerances = NAN;
  }
  for (long i = 0; i < v->count; i++)
    if (!verify_is_jump(v, i))
      c->times[c->time_count++] = verify_row_of(v, i)[0];
  return DAE_OK;
}

/* ---- the second run ---- */

/* Runs the plan again by the method and the options of the comparison, with rows at the times of
 * the first run. */
static dae_status verify_integrate(dae__arena *arena, comparison *c, const void *opts,
                                   dae_error *err)
{
  dae_run_plan plan = *c->columns->plan;
  const dae_sink sink = {.self = c, .row = verify_take_row};
  dae_summary *other = DAE__ALLOC(arena, dae_summary, 1);
  DAE__TRY(dae__arena_status(arena, err));
  plan.method = c->method;
  plan.options = opts;
  plan.to = verify_row_of(c->v, c->v->count - 1)[0];
  plan.times = c->times;
  plan.time_count = c->time_count;
  plan.outputs = c->compared - c->columns->variables;
  plan.sinks = &sink;
  plan.sink_count = 1;
  plan.verify = plan.check_error = false;
  if (!(plan.to > plan.start.t))
    return DAE_OK;
  c->other = other;
  return dae_run(&plan, dae__arena_env(arena), other, err);
}

/* Default options of the method with these tolerances; NULL: out of memory or refused. */
static void *verify_options(dae__arena *arena, const dae_method *method, double rtol, double atol,
                            dae_error *err)
{
  void *opts = dae_arena_alloc(arena, 1, method->options_size);
  if (!opts) {
    dae__out_of_memory(err);
    return NULL;
  }
  method->defaults(opts);
  bool set = dae__options_set_number(method->options, opts, "rtol", rtol, err) >= 0 &&
             dae__options_set_number(method->options, opts, "atol", atol, err) >= 0;
  return set ? opts : NULL;
}

/* Ends a comparison: a failure of the second run, other than that of memory or by the user, becomes
 * the message of the summary. */
static dae_status verify_outcome(dae_status status, const dae_error *why, char *message,
                                 size_t size, dae_error *err)
{
  if (status >= 0)
    return DAE_OK;
  *err = *why;
  if (status != DAE_ERROR_MEMORY && status != DAE_ERROR_INTERRUPTED)
    snprintf(message, size, "%.*s", (int)size - 1, why->text);
  return status;
}

/* ---- a dynamic iteration and the assembled system ---- */

dae_status dae__verify_run(const dae__verify *v, const dae__columns *columns, dae_summary *summary,
                           dae_error *err)
{
  comparison c = {.v = v, .columns = columns, .compared = columns->variables};
  dae_verification *out = &summary->verification;
  dae_error why = dae_error_none();
  dae__arena *arena = dae__arena_create(&v->env);
  if (!arena)
    return dae__out_of_memory(err);
  *out = (dae_verification){0};
  dae_status status = verify_prepare(arena, summary, &c, &why);
  c.method = status >= 0 ? dae__method_for_one(&columns->plan->problem, summary->rtol, &why) : NULL;
  out->method = c.method ? c.method->name : NULL;
  void *opts =
      c.method ? verify_options(arena, c.method, summary->rtol, summary->atol, &why) : NULL;
  status = opts ? verify_integrate(arena, &c, opts, &why) : why.status;
  /* Reduces the differences of the columns to those of the kinds of variables */
  char name[8];
  for (int i = 0; i < DAE_VARIABLE_KINDS; i++)
    out->most[i].tolerances = NAN;
  for (int i = 0; c.most && i < c.compared; i++) {
    dae_variable_kind kind =
        dae_problem_variable(&c.columns->plan->problem, c.columns->entry[i], name, sizeof name);
    dae_difference *most = &out->most[kind];
    if (!(isnan(most->tolerances) || c.most[i].tolerances > most->tolerances))
      continue;
    *most = c.most[i];
    snprintf(most->name, sizeof most->name, "%s", c.columns->names[1 + i]);
  }
  out->rows = c.rows;
  dae__arena_free(arena);
  status = verify_outcome(status, &why, out->message, sizeof out->message, err);
  if (status >= 0 || !out->message[0])
    return status;
  return dae__fail(err, DAE_ERROR_CHECK, why.equation,
                   "the run is complete, but its verification as one system by %s failed: %.300s",
                   out->method ? out->method : "another method", why.text);
}

/* ---- the error of a run ---- */

/* Method of the second run: of another family, of high order and with variable steps; the same one
 * for fixed steps and for damped runs, and where no other applies. */
static const dae_method *verify_other_method(const dae_run_plan *plan, const dae_summary *s)
{
  static const char *const names[] = {"radau", "gauss", "bdf", "spark-radau", "spark-gauss"};
  const dae_method *used = plan->method;
  if (dae__trust_fixed_steps(s) || s->damped)
    return used;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const dae_method *other = dae_method_find(names[i], NULL);
    if (other && other != used &&
        !(used->family && used->family[0] && strcmp(used->family, other->family) == 0) &&
        (!other->accepts || other->accepts(&plan->problem, NULL) >= 0))
      return other;
  }
  return used;
}

/* Options of the second run: a tenth of the tolerances, or of the fixed step. Sets c->rtol and
 * c->step. */
static const void *verify_finer_options(dae__arena *arena, comparison *c, const dae_summary *s,
                                        dae_error *err)
{
  const dae_run_plan *plan = c->columns->plan;
  const dae_method *method = c->method;
  const void *given = plan->options;
  c->rtol = s->rtol * FINER;
  c->step = s->step * FINER;
  if (method != plan->method)
    return verify_options(arena, method, c->rtol, s->atol * FINER, err);
  void *opts = dae_arena_alloc(arena, 1, method->options_size);
  if (!opts) {
    dae__out_of_memory(err);
    return NULL;
  }
  if (given)
    memcpy(opts, given, method->options_size);
  else
    method->defaults(opts);
  bool set = true;
  if (c->step > 0)
    set = dae__options_set_number(method->options, opts, "step", c->step, err) >= 0;
  if (!isnan(c->rtol))
    set = set && dae__options_set_number(method->options, opts, "rtol", c->rtol, err) >= 0 &&
          dae__options_set_number(method->options, opts, "atol", s->atol * FINER, err) >= 0;
  return set ? opts : NULL;
}

/* Notes an event that the second run has another number of times. */
static void verify_compare_events(const dae_summary *s, const dae_summary *other,
                                  dae_error_check *out)
{
  const dae__event_counts first = {s->event_list, s->events, s->switchings},
                          second = {other->event_list, other->events, other->switchings};
  dae__event_difference d;
  if (dae__event_counts_differ(&first, &second, &d))
    snprintf(out->other_events, sizeof out->other_events, "%s: %ld, %ld in the second run", d.name,
             d.number[0], d.number[1]);
}

dae_status dae__check_error_run(const dae__verify *v, const dae__columns *columns,
                                dae_summary *summary, dae_error *err)
{
  comparison c = {.v = v, .columns = columns, .compared = columns->count - 1};
  dae_error_check *out = &summary->check;
  dae_error why = dae_error_none();
  dae__arena *arena = dae__arena_create(&v->env);
  if (!arena)
    return dae__out_of_memory(err);
  c.method = verify_other_method(columns->plan, summary);
  dae_status status = verify_prepare(arena, summary, &c, &why);
  const void *opts = status >= 0 ? verify_finer_options(arena, &c, summary, &why) : NULL;
  status = opts ? verify_integrate(arena, &c, opts, &why) : why.status;
  *out =
      (dae_error_check){.method = c.method->name, .rtol = c.rtol, .step = c.step, .rows = c.rows};
  /* Lists the differences of all columns in the summary, and the largest of them */
  const size_t kept_free = 40; /* bytes for the last line, "... and 3 more" */
  dae__text lines = dae__text_in(out->columns, sizeof out->columns);
  int listed = 0;
  out->most.tolerances = NAN;
  for (int i = 0; c.most && c.rows > 0 && i < c.compared; i++) {
    const dae_difference *d = &c.most[i];
    const char *name = c.columns->names[1 + i];
    char line[400];
    /* outputs are listed only: that of a conserved quantity has no scale of its own */
    bool judged = i < c.columns->variables;
    if (judged && (isnan(out->most.tolerances) || d->tolerances > out->most.tolerances)) {
      out->most = *d;
      snprintf(out->most.name, sizeof out->most.name, "%s", name);
    }
    int length = snprintf(line, sizeof line, "%.250s\t%s\t%s\t%s\n", name,
                          dae__number_text(d->tolerances, 3).text,
                          dae__number_text(d->absolute, 3).text, dae__number_text(d->t, 10).text);
    if (lines.length + (size_t)length + kept_free >= sizeof out->columns)
      continue;
    dae__text_add(&lines, "%s", line);
    listed++;
  }
  if (c.rows > 0 && listed < c.compared)
    dae__text_add(&lines, "... and %d more\n", c.compared - listed);
  if (status >= 0 && c.other)
    verify_compare_events(summary, c.other, out);
  dae__arena_free(arena);
  status = verify_outcome(status, &why, out->message, sizeof out->message, err);
  if (status >= 0 && c.rows <= 1 && v->count > 1)
    snprintf(out->message, sizeof out->message,
             "all rows behind the start are at events; with --every there are others");
  if (!out->message[0])
    return status;
  *err = dae_error_none(); /* the verdict has the failure */
  return DAE_OK;
}
