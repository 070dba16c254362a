/* What every method is run with.
 *
 * A method with variable steps goes through the tolerances, loosest first. One with fixed steps
 * goes through step sizes: it begins with the fewest steps that a run at a tolerance took, and its
 * last run is to take about as long as theirs (as the slowest quarter of their last ones); in
 * between the number of steps grows by the same factor. A series ends early where a run takes
 * longer than the limit, or where the next one is expected to, by how the last two grew. */
#include "run/compare/compare.h"

#include <math.h>
#include <stdio.h>

#define FIRST_STEPS 64   /* where no tolerance says how many */
#define LONGEST 0.1      /* seconds of the last run there */
#define FEWEST_STEPS 16  /* to begin with */
#define LEAST_GROWTH 2.0 /* of the number of steps from run to run */
#define MOST_GROWTH 10.0
#define SHORT 0.02        /* seconds, with and without rows */
#define AFTER_FAILURE 4.0 /* growth while none has come to its end */

/* ---- growth ---- */

dae_compare_run *dae__series_best(const dae__series *s)
{
  for (int i = s->count - 1; i >= 0; i--)
    if (dae__run_ok(&s->run[i]))
      return &s->run[i];
  return NULL;
}

/* how work depends on 1/rtol, or on the number of steps, as a power: by the last two runs */
static double compare_power_of(const dae__series *s)
{
  const dae_compare_run *a = s->count > 1 ? &s->run[s->count - 2] : NULL;
  const dae_compare_run *b = s->count > 1 ? &s->run[s->count - 1] : NULL;
  if (s->run[0].step > 0)
    return 1;
  if (!a || !dae__run_ok(a) || !dae__run_ok(b) || !(b->rtol < a->rtol))
    return 0.5; /* of a method of order 2 */
  double ratio = log(b->seconds / a->seconds) / log(a->rtol / b->rtol);
  return fmin(fmax(ratio, 0), 1);
}

double dae__series_expect(const dae__series *s, double factor)
{
  const dae_compare_run *last = dae__series_best(s);
  return last ? last->seconds * pow(factor, compare_power_of(s)) : 0;
}

/* ---- one series ---- */

static dae_compare_run *compare_add(dae__series *s, double rtol, double step)
{
  dae_compare_run *run = &s->run[s->count++];
  *run = (dae_compare_run){.method = s->method,
                           .rtol = rtol,
                           .step = step,
                           .error = NAN,
                           .algebraic = NAN,
                           .position_drift = NAN,
                           .velocity_drift = NAN,
                           .energy_balance = NAN,
                           .seconds = NAN,
                           .seconds_rows = NAN};
  for (int i = 0; i < DAE_VARIABLE_KINDS; i++)
    run->kind[i] = NAN;
  return run;
}

/* Runs it, unless that is expected to take too long. */
static dae_status compare_attempt(dae__compare *c, dae__series *s, double rtol, double step,
                                  double factor, dae_error *err)
{
  double expected = s->count > 0 ? dae__series_expect(s, factor) : 0, limit = c->plan->seconds;
  dae_compare_run *run = compare_add(s, rtol, step);
  if (!(limit > 0 && expected > limit))
    return dae__trial_time(c, run, err);
  c->late = true;
  run->status = DAE_ERROR_INTERRUPTED;
  snprintf(run->message, sizeof run->message,
           "given up: it would take about %.2g s, more than the limit of %.4g s", expected, limit);
  return DAE_OK;
}

/* A step may fail at one tolerance and not at another; whatever else does fails at all of them. */
static bool compare_is_over(const dae__compare *c, const dae__series *s)
{
  dae_status last = s->run[s->count - 1].status;
  return c->late || last == DAE_ERROR_UNSUPPORTED || last == DAE_ERROR_OPTION ||
         last == DAE_ERROR_PROBLEM || last == DAE_ERROR_START || last == DAE_ERROR_MODEL;
}

static dae_status compare_over_tolerances(dae__compare *c, dae__series *s, dae_error *err)
{
  const dae_compare_plan *plan = c->plan;
  dae_status status = DAE_OK;
  for (int i = 0; i < plan->rtol_count && status >= 0; i++) {
    double factor = i > 0 ? plan->rtol[i - 1] / plan->rtol[i] : 1;
    status = compare_attempt(c, s, plan->rtol[i], 0, factor, err);
    if (compare_is_over(c, s))
      break;
  }
  return status;
}

/* whether a quarter of all methods took at least as long over their last run */
static bool compare_is_usual(const dae__compare *c, double seconds)
{
  int slower = 0, all = 0;
  for (int i = 0; i < c->series_count; i++) {
    const dae_compare_run *last = dae__series_best(&c->series[i]);
    all += last != NULL;
    slower += last && last->seconds >= seconds;
  }
  return 4 * slower >= all;
}

static double compare_usual_time(const dae__compare *c)
{
  double seconds = 0;
  for (int i = 0; i < c->series_count; i++) {
    const dae_compare_run *last = dae__series_best(&c->series[i]);
    if (last && compare_is_usual(c, last->seconds))
      seconds = fmax(seconds, last->seconds);
  }
  return seconds > 0 ? seconds : LONGEST;
}

/* of the runs at tolerances; a step of an iteration is another thing */
static double compare_fewest_steps(const dae__compare *c)
{
  double steps = INFINITY;
  for (int i = 0; i < c->series_count; i++)
    for (int k = 0; k < c->series[i].count && !c->series[i].method->iterates; k++)
      if (dae__run_ok(&c->series[i].run[k]))
        steps = fmin(steps, (double)c->series[i].run[k].stats.steps);
  return isinf(steps) ? FIRST_STEPS : fmax(steps, FEWEST_STEPS);
}

static dae_status compare_over_steps(dae__compare *c, dae__series *s, double steps, dae_error *err)
{
  const dae_compare_plan *plan = c->plan;
  double span = plan->plan->to - plan->plan->start.t, n = steps, growth = AFTER_FAILURE;
  int left = c->width;
  bool known = false; /* how long a step takes */
  dae_status status = DAE_OK;
  while (left-- > 0 && status >= 0) {
    status = compare_attempt(c, s, plan->rtol[plan->rtol_count - 1], span / rint(n), growth, err);
    const dae_compare_run *run = &s->run[s->count - 1];
    if (status < 0 || compare_is_over(c, s) || (dae__run_ok(run) && run->seconds > c->usual))
      break;
    if (!known && dae__run_ok(run) && left > 0) {
      growth = pow(c->usual / run->seconds, 1.0 / left);
      growth = fmin(fmax(growth, LEAST_GROWTH), MOST_GROWTH);
      known = true;
    }
    n *= growth;
  }
  return status;
}

/* ---- rounds ---- */

static bool compare_is_short(const dae_compare_run *run)
{
  return dae__run_ok(run) && run->seconds + run->seconds_rows < SHORT;
}

dae_status dae__compare_rounds(dae__compare *c, dae_error *err)
{
  dae_status status = DAE_OK;
  for (int round = 1; round < DAE__ROUNDS; round++)
    for (int i = 0; i < c->series_count; i++)
      for (int k = 0; k < c->series[i].count && status >= 0; k++)
        if (compare_is_short(&c->series[i].run[k]))
          status = dae__trial_again(c, &c->series[i].run[k], &c->spare, err);
        else
          c->done++;
  return status;
}

/* ---- all of them ---- */

dae_status dae__compare_series(dae__compare *c, dae_error *err)
{
  dae_status status = DAE_OK;
  for (int i = 0; i < c->series_count && status >= 0; i++)
    if (!c->series[i].method->fixed_step)
      status = compare_over_tolerances(c, &c->series[i], err);
  double steps = compare_fewest_steps(c);
  c->usual = compare_usual_time(c);
  for (int i = 0; i < c->series_count && status >= 0; i++)
    if (c->series[i].method->fixed_step)
      status = compare_over_steps(c, &c->series[i], steps, err);
  return status;
}
