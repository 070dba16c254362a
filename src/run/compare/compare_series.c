/* The runs of a comparison, and the tolerances or step sizes of every method.
 *
 * Work and time of a run are measured without rows except the last: dense output costs some methods
 * more than their steps, and so does the energy balance.
 *
 * A method with variable steps runs over the tolerances, loosest first. A method with fixed steps
 * runs over step sizes: its first run has the fewest steps of all runs at a tolerance, its last run
 * is to take about as long as the slowest quarter of the last runs at a tolerance, and the number
 * of steps grows by the same factor from run to run. A series ends early when a run takes longer
 * than the limit, or when the next run is expected to, by extrapolation from the last two. */
#include "core/error.h"
#include "core/vec.h"
#include "run/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

/* Number of steps of the first run of a fixed-step method if no run at a tolerance succeeded;
 * chosen. */
#define FIRST_STEPS 64
/* Time in seconds of the last run of a fixed-step method if no run at a tolerance succeeded;
 * chosen. */
#define LAST_RUN_SECONDS 0.1
/* Smallest number of steps of the first run of a fixed-step method; chosen. */
#define FIRST_STEPS_MIN 16
/* Limits of the growth factor of the number of steps from run to run, and growth factor until a run
 * succeeds; chosen. */
#define STEPS_GROWTH_MIN 2.0
#define STEPS_GROWTH_MAX 10.0
#define STEPS_GROWTH_AFTER_FAILURE 4.0
/* Time in seconds, with and without rows together, below which a run is repeated in rounds;
 * chosen. */
#define REPEATED_RUN_SECONDS 0.02
/* Reading of the clock: after each of the first CLOCK_READ_STEPS steps, then after one in
 * CLOCK_READ_INTERVAL. It takes part of a microsecond, a step a few; chosen. */
#define CLOCK_READ_STEPS 64
#define CLOCK_READ_INTERVAL 16

/* ---- one run ---- */

static double trial_cpu_time(void)
{
  return (double)clock() / CLOCKS_PER_SEC;
}

static bool trial_progress(void *user, double t)
{
  dae__compare *c = user;
  const dae_compare_plan *plan = c->plan;
  (void)t;
  c->steps++;
  if (plan->progress && !plan->progress(plan->user, c->running, c->done, c->total))
    c->interrupted = true;
  if (c->limit > 0 && (c->steps <= CLOCK_READ_STEPS || c->steps % CLOCK_READ_INTERVAL == 0))
    c->late = trial_cpu_time() - c->started > c->limit;
  return !c->interrupted && !c->late;
}

static dae_status trial_row(void *self, const dae_row *row, dae_error *err)
{
  dae__compare *c = self;
  dae__track *track = c->track;
  double t = row->values[0];
  (void)err;
  if (track->count < c->time_count && t == c->times[track->count])
    dae__copy(c->n, row->y, dae__rows_at(c, track, track->count++));
  else if (t == c->plan->plan->to) {
    dae__copy(c->n, row->y, dae__rows_at(c, track, c->time_count));
    track->whole = true;
  }
  return DAE_OK;
}

static dae_status trial_set(const dae_method *method, void *opts, const char *name, double value,
                            dae_error *err)
{
  char number[40];
  for (int i = 0; i < method->options->count; i++)
    if (strcmp(method->options->options[i].name, name) == 0) {
      snprintf(number, sizeof number, "%.17g", value);
      return dae_options_set(method->options, opts, name, number, err);
    }
  return DAE_OK;
}

static dae_status trial_set_options(dae__compare *c, const dae_compare_run *run, dae_error *err)
{
  const dae_method *method = run->method;
  double atol = run->rtol * c->plan->atol_ratio;
  if (!method->defaults || !method->options)
    return DAE_OK;
  method->defaults(c->options);
  DAE__TRY(trial_set(method, c->options, "rtol", run->rtol, err));
  DAE__TRY(trial_set(method, c->options, "atol", atol, err));
  if (run->step > 0)
    DAE__TRY(trial_set(method, c->options, "step", run->step, err));
  return c->plan->options
             ? c->plan->options(c->plan->user, method, run->rtol, atol, c->options, err)
             : DAE_OK;
}

static dae_run_plan trial_plan_of(dae__compare *c, const dae_compare_run *run)
{
  const dae_run_plan *given = c->plan->plan;
  return (dae_run_plan){.problem = given->problem,
                        .start = given->start,
                        .to = given->to,
                        .events = given->events,
                        .event_count = given->event_count,
                        .held = given->held,
                        .method = run->method,
                        .options = run->method->defaults ? c->options : NULL,
                        .times = c->times,
                        .progress = trial_progress,
                        .progress_user = c};
}

/* Integrates a run once; returns the status of the comparison, not of the run. */
static dae_status trial_integrate(dae__compare *c, const dae_run_plan *plan, dae_compare_run *run,
                                  dae_summary *summary, dae_error *err)
{
  dae_error why = dae_error_none();
  c->running = run;
  c->steps = 0;
  c->late = false;
  c->started = trial_cpu_time();
  if (c->track)
    *c->track = (dae__track){.y = c->track->y};
  dae_status status = trial_set_options(c, run, &why);
  *summary = (dae_summary){.t_end = plan->start.t};
  if (status >= 0)
    status = dae_run(plan, dae__arena_env(c->arena), summary, &why);
  run->t_end = summary->t_end;
  run->status = status;
  run->message[0] = '\0';
  if (status < 0) {
    run->seconds = run->seconds_rows = NAN;
    if (c->late)
      snprintf(run->message, sizeof run->message,
               "given up at t = %.4g: it takes longer than %.4g s", run->t_end, c->limit);
    else
      snprintf(run->message, sizeof run->message, "%.255s", why.text);
  }
  if (c->interrupted)
    return dae__fail(err, DAE_ERROR_INTERRUPTED, NULL,
                     "the comparison was interrupted; what was measured is kept");
  if (status != DAE_ERROR_MEMORY)
    return DAE_OK;
  *err = why;
  return status;
}

static dae_status trial_time_once(dae__compare *c, dae_compare_run *run, dae_error *err)
{
  dae_run_plan plan = trial_plan_of(c, run);
  dae_summary summary;
  plan.unmeasured = true;
  c->track = NULL;
  dae_status status = trial_integrate(c, &plan, run, &summary, err);
  run->stats = summary.stats;
  if (status >= 0 && dae__run_ok(run))
    run->seconds = summary.seconds;
  return status;
}

dae_status dae__trial_time(dae__compare *c, dae_compare_run *run, dae_error *err)
{
  c->limit = c->plan->seconds;
  c->done++;
  return trial_time_once(c, run, err);
}

dae_status dae__trial_rows(dae__compare *c, double limit, dae_compare_run *run, dae__track *track,
                           dae_error *err)
{
  const dae_sink sink = {.self = c, .row = trial_row};
  dae_run_plan plan = trial_plan_of(c, run);
  dae_summary summary;
  plan.time_count = c->time_count;
  plan.sinks = &sink;
  plan.sink_count = 1;
  c->limit = limit;
  c->track = track;
  c->done++;
  dae_status status = trial_integrate(c, &plan, run, &summary, err);
  track->t_end = summary.t_end;
  run->position_drift = summary.position_drift;
  run->velocity_drift = summary.velocity_drift;
  run->energy_balance = summary.energy_balance;
  if (status >= 0 && dae__run_ok(run))
    run->seconds_rows = summary.seconds;
  return status;
}

dae_status dae__trial_again(dae__compare *c, dae_compare_run *run, dae__track *track,
                            dae_error *err)
{
  dae_compare_run again = *run;
  c->limit = 0;
  dae_status status = trial_time_once(c, &again, err);
  if (status >= 0)
    status = dae__trial_rows(c, 0, &again, track, err);
  if (status < 0 || !dae__run_ok(&again))
    return status;
  run->seconds = fmin(run->seconds, again.seconds);
  run->seconds_rows = fmin(run->seconds_rows, again.seconds_rows);
  return DAE_OK;
}

/* ---- extrapolation of times ---- */

dae_compare_run *dae__series_best(const dae__series *s)
{
  for (int i = s->count - 1; i >= 0; i--)
    if (dae__run_ok(&s->run[i]))
      return &s->run[i];
  return NULL;
}

/* Exponent p of work ~ (1/rtol)^p, by the last two runs; 1 for work over the number of steps. */
static double compare_power_of(const dae__series *s)
{
  const dae_compare_run *a = s->count > 1 ? &s->run[s->count - 2] : NULL;
  const dae_compare_run *b = s->count > 1 ? &s->run[s->count - 1] : NULL;
  if (s->run[0].step > 0)
    return 1;
  if (!a || !dae__run_ok(a) || !dae__run_ok(b) || !(b->rtol < a->rtol))
    return 0.5; /* exponent of a method of order 2 */
  double ratio = log(b->seconds / a->seconds) / log(a->rtol / b->rtol);
  return fmin(fmax(ratio, 0), 1);
}

double dae__series_expect(const dae__series *s, double factor)
{
  const dae_compare_run *last = dae__series_best(s);
  return last ? last->seconds * pow(factor, compare_power_of(s)) : 0;
}

/* ---- one series ---- */

/* Adds a run to the series, unless its expected time exceeds the limit. */
static dae_status compare_attempt(dae__compare *c, dae__series *s, double rtol, double step,
                                  double factor, dae_error *err)
{
  double expected = s->count > 0 ? dae__series_expect(s, factor) : 0, limit = c->plan->seconds;
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
  if (!(limit > 0 && expected > limit))
    return dae__trial_time(c, run, err);
  c->late = true;
  run->status = DAE_ERROR_INTERRUPTED;
  snprintf(run->message, sizeof run->message,
           "given up: it would take about %.2g s, more than the limit of %.4g s", expected, limit);
  return DAE_OK;
}

/* Whether all later runs of the series would fail, too: failures of steps depend on the tolerance,
 * failures of the setup do not. */
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

/* Largest time of a method's last run that at least a quarter of all methods reach with theirs. */
static double compare_usual_time(const dae__compare *c)
{
  double seconds = 0;
  for (int i = 0; i < c->series_count; i++) {
    const dae_compare_run *own = dae__series_best(&c->series[i]);
    int slower = 0, all = 0;
    for (int k = 0; own && k < c->series_count; k++) {
      const dae_compare_run *other = dae__series_best(&c->series[k]);
      all += other != NULL;
      slower += other && other->seconds >= own->seconds;
    }
    if (own && 4 * slower >= all)
      seconds = fmax(seconds, own->seconds);
  }
  return seconds > 0 ? seconds : LAST_RUN_SECONDS;
}

/* Smallest number of steps of a run at a tolerance; dynamic iterations are left out, since they
 * count windows, not steps. */
static double compare_fewest_steps(const dae__compare *c)
{
  double steps = INFINITY;
  for (int i = 0; i < c->series_count; i++)
    for (int k = 0; k < c->series[i].count && !c->series[i].method->iterates; k++)
      if (dae__run_ok(&c->series[i].run[k]))
        steps = fmin(steps, (double)c->series[i].run[k].stats.steps);
  return isinf(steps) ? FIRST_STEPS : fmax(steps, FIRST_STEPS_MIN);
}

static dae_status compare_over_steps(dae__compare *c, dae__series *s, double steps, dae_error *err)
{
  const dae_compare_plan *plan = c->plan;
  double span = plan->plan->to - plan->plan->start.t, n = steps,
         growth = STEPS_GROWTH_AFTER_FAILURE;
  int left = c->width;
  bool known = false; /* whether the time of a step is known */
  dae_status status = DAE_OK;
  while (left-- > 0 && status >= 0) {
    status = compare_attempt(c, s, plan->rtol[plan->rtol_count - 1], span / rint(n), growth, err);
    const dae_compare_run *run = &s->run[s->count - 1];
    if (status < 0 || compare_is_over(c, s) || (dae__run_ok(run) && run->seconds > c->usual))
      break;
    if (!known && dae__run_ok(run) && left > 0) {
      growth = pow(c->usual / run->seconds, 1.0 / left);
      growth = fmin(fmax(growth, STEPS_GROWTH_MIN), STEPS_GROWTH_MAX);
      known = true;
    }
    n *= growth;
  }
  return status;
}

/* ---- repetition of short runs ---- */

dae_status dae__compare_rounds(dae__compare *c, dae_error *err)
{
  dae_status status = DAE_OK;
  for (int round = 1; round < DAE__ROUNDS; round++)
    for (int i = 0; i < c->series_count; i++)
      for (int k = 0; k < c->series[i].count && status >= 0; k++) {
        dae_compare_run *run = &c->series[i].run[k];
        if (dae__run_ok(run) && run->seconds + run->seconds_rows < REPEATED_RUN_SECONDS)
          status = dae__trial_again(c, run, &c->spare, err);
        else
          c->done++;
      }
  return status;
}

/* ---- series of all methods ---- */

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
