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
#include "core/env.h"
#include "core/error.h"
#include "core/options.h"
#include "core/vec.h"
#include "run/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
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

static bool trial_progress(void *user, double t)
{
  dae__compare *c = user;
  const dae_compare_plan *plan = c->plan;
  (void)t;
  c->steps++;
  if (plan->progress && !plan->progress(plan->user, c->running, c->done, c->total))
    c->interrupted = true;
  if (c->limit > 0 && (c->steps <= CLOCK_READ_STEPS || c->steps % CLOCK_READ_INTERVAL == 0))
    c->late = (double)clock() / CLOCKS_PER_SEC - c->started > c->limit;
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

static dae_status trial_set_options(dae__compare *c, const dae_compare_run *run, dae_error *err)
{
  const dae_method *method = run->method;
  double atol = run->rtol * c->plan->atol_ratio;
  if (!method->defaults || !method->options)
    return DAE_OK;
  method->defaults(c->options);
  DAE__TRY(dae__options_set_number(method->options, c->options, "rtol", run->rtol, err));
  DAE__TRY(dae__options_set_number(method->options, c->options, "atol", atol, err));
  if (run->step > 0)
    DAE__TRY(dae__options_set_number(method->options, c->options, "step", run->step, err));
  return c->plan->options
             ? c->plan->options(c->plan->user, method, run->rtol, atol, c->options, err)
             : DAE_OK;
}

/* Integrates a run once; returns the status of the comparison, not of the run. */
static dae_status trial_integrate(dae__compare *c, const dae_run_plan *plan, dae_compare_run *run,
                                  dae_summary *summary, dae_error *err)
{
  dae_error why = dae_error_none();
  c->running = run;
  c->steps = 0;
  c->late = false;
  c->started = (double)clock() / CLOCKS_PER_SEC;
  if (c->track)
    *c->track = (dae__track){.y = c->track->y};
  dae_status status = trial_set_options(c, run, &why);
  *summary = (dae_summary){.t_end = plan->start.t};
  if (status >= 0)
    status = dae_run(plan, c->env, summary, &why);
  c->interrupted = c->interrupted || dae__env_stopped(c->env);
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

dae_status dae__trial(dae__compare *c, double limit, dae_compare_run *run, dae__track *track,
                      dae_error *err)
{
  const dae_sink sink = {.self = c, .row = trial_row};
  const dae_run_plan *given = c->plan->plan;
  const dae_run_plan plan = {.problem = given->problem,
                             .start = given->start,
                             .to = given->to,
                             .events = given->events,
                             .event_count = given->event_count,
                             .stops = given->stops,
                             .stops_user = given->stops_user,
                             .method = run->method,
                             .options = run->method->defaults ? c->options : NULL,
                             .times = c->times,
                             .time_count = track ? c->time_count : 0,
                             .sinks = &sink,
                             .sink_count = track != NULL,
                             .unmeasured = !track,
                             .progress = trial_progress,
                             .progress_user = c};
  dae_summary summary;
  c->limit = limit;
  c->track = track;
  dae_status status = trial_integrate(c, &plan, run, &summary, err);
  if (status >= 0 && run->status >= 0)
    *(track ? &run->seconds_rows : &run->seconds) = summary.seconds;
  run->events = summary.events;
  run->switchings = summary.switchings;
  if (!track) {
    run->stats = summary.stats;
    return status;
  }
  c->done++;
  track->t_end = summary.t_end;
  memcpy(track->events, summary.event_list, sizeof track->events);
  run->position_drift = summary.position_drift;
  run->velocity_drift = summary.velocity_drift;
  run->energy_balance = summary.energy_balance;
  return status;
}

/* ---- extrapolation of times ---- */

dae_compare_run *dae__series_best(const dae__series *s)
{
  for (int i = s->count - 1; i >= 0; i--)
    if (s->run[i].status >= 0)
      return &s->run[i];
  return NULL;
}

double dae__series_expect(const dae__series *s, double factor)
{
  const dae_compare_run *last = dae__series_best(s);
  const dae_compare_run *a = s->count > 1 ? &s->run[s->count - 2] : NULL;
  const dae_compare_run *b = s->count > 1 ? &s->run[s->count - 1] : NULL;
  /* exponent p of work ~ (1/rtol)^p: that of a method of order 2, or by the last two runs; 1 for
   * work over the number of steps */
  double p = 0.5;
  if (!last)
    return 0;
  if (s->run[0].step > 0)
    p = 1;
  else if (a && a->status >= 0 && b->status >= 0 && b->rtol < a->rtol)
    p = fmin(fmax(log(b->seconds / a->seconds) / log(a->rtol / b->rtol), 0), 1);
  return last->seconds * pow(factor, p);
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
  if (!(limit > 0 && expected > limit)) {
    c->done++;
    return dae__trial(c, limit, run, NULL, err);
  }
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

/* Runs a fixed-step method over step sizes; steps: number of steps of the first run. */
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
    if (status < 0 || compare_is_over(c, s) || (run->status >= 0 && run->seconds > c->usual))
      break;
    if (!known && run->status >= 0 && left > 0) {
      growth = pow(c->usual / run->seconds, 1.0 / left);
      growth = fmin(fmax(growth, STEPS_GROWTH_MIN), STEPS_GROWTH_MAX);
      known = true;
    }
    n *= growth;
  }
  return status;
}

/* ---- repetition of short runs ---- */

/* Repeats the run without and with rows, for times free of disturbances. */
static dae_status compare_repeat(dae__compare *c, dae_compare_run *run, dae_error *err)
{
  dae_compare_run again = *run;
  dae_status status = dae__trial(c, 0, &again, NULL, err);
  if (status >= 0)
    status = dae__trial(c, 0, &again, &c->spare, err);
  if (status < 0 || again.status < 0)
    return status;
  run->seconds = fmin(run->seconds, again.seconds);
  run->seconds_rows = fmin(run->seconds_rows, again.seconds_rows);
  return DAE_OK;
}

dae_status dae__compare_rounds(dae__compare *c, dae_error *err)
{
  dae_status status = DAE_OK;
  for (int round = 1; round < DAE__ROUNDS; round++)
    for (int i = 0; i < c->series_count; i++)
      for (int k = 0; k < c->series[i].count && status >= 0; k++) {
        dae_compare_run *run = &c->series[i].run[k];
        if (run->status >= 0 && run->seconds + run->seconds_rows < REPEATED_RUN_SECONDS)
          status = compare_repeat(c, run, err);
        else
          c->done++;
      }
  return status;
}

/* ---- series of all methods ---- */

dae_status dae__compare_series(dae__compare *c, dae_error *err)
{
  const dae_compare_plan *plan = c->plan;
  dae_status status = DAE_OK;
  double steps = INFINITY; /* smallest number of steps of a run at a tolerance */
  for (int i = 0; i < c->series_count; i++) {
    dae__series *s = &c->series[i];
    bool over = s->method->fixed_step;
    for (int k = 0; k < plan->rtol_count && status >= 0 && !over; k++) {
      double factor = k > 0 ? plan->rtol[k - 1] / plan->rtol[k] : 1;
      status = compare_attempt(c, s, plan->rtol[k], 0, factor, err);
      over = compare_is_over(c, s);
    }
    /* dynamic iterations are left out, since they count windows, not steps */
    for (int k = 0; k < s->count && !s->method->iterates; k++)
      if (s->run[k].status >= 0)
        steps = fmin(steps, (double)s->run[k].stats.steps);
  }
  steps = isinf(steps) ? FIRST_STEPS : fmax(steps, FIRST_STEPS_MIN);
  c->usual = compare_usual_time(c);
  for (int i = 0; i < c->series_count && status >= 0; i++)
    if (c->series[i].method->fixed_step)
      status = compare_over_steps(c, &c->series[i], steps, err);
  return status;
}
