/* One run of a comparison.
 *
 * Its work and its time are those of a run that shows nothing but its end: rows between steps cost
 * some methods more than their steps, and the balance of the energy costs as much. */
#include "core/error.h"
#include "core/vec.h"
#include "run/compare/compare.h"

#include <stdio.h>
#include <time.h>

/* reading the clock takes part of a microsecond, a step may take few: after so many steps only one
 * in EVERY is timed */
#define ALL_OF_FIRST 64
#define EVERY 16

static double trial_cpu_time(void)
{
  return (double)clock() / CLOCKS_PER_SEC;
}

/* ---- while it runs ---- */

static bool trial_go_on(void *user, double t)
{
  dae__compare *c = user;
  const dae_compare_plan *plan = c->plan;
  (void)t;
  c->steps++;
  if (plan->progress && !plan->progress(plan->user, c->running, c->done, c->total))
    c->interrupted = true;
  if (c->limit > 0 && (c->steps <= ALL_OF_FIRST || c->steps % EVERY == 0))
    c->late = trial_cpu_time() - c->started > c->limit;
  return !c->interrupted && !c->late;
}

static dae_status trial_keep_row(void *self, const dae_row *row, dae_error *err)
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

/* ---- what it is asked for ---- */

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

static dae_status trial_make_options(dae__compare *c, const dae_compare_run *run, dae_error *err)
{
  const dae_method *method = run->method;
  double atol = run->rtol * c->plan->atol_ratio;
  dae_status status = DAE_OK;
  if (!method->defaults || !method->options)
    return DAE_OK;
  method->defaults(c->options);
  status = trial_set(method, c->options, "rtol", run->rtol, err);
  if (status >= 0)
    status = trial_set(method, c->options, "atol", atol, err);
  if (status >= 0 && run->step > 0)
    status = trial_set(method, c->options, "step", run->step, err);
  if (status >= 0 && c->plan->options)
    status = c->plan->options(c->plan->user, method, run->rtol, atol, c->options, err);
  return status;
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
                        .progress = trial_go_on,
                        .progress_user = c};
}

/* ---- how it ends ---- */

static void trial_tell(const dae__compare *c, dae_status status, const dae_error *err,
                       dae_compare_run *run)
{
  run->status = status;
  run->message[0] = '\0';
  if (status >= 0)
    return;
  run->seconds = run->seconds_rows = NAN;
  if (c->late)
    snprintf(run->message, sizeof run->message, "given up at t = %.4g: it takes longer than %.4g s",
             run->t_end, c->limit);
  else
    snprintf(run->message, sizeof run->message, "%.255s", err->text);
}

/* The run once, and what the comparison is to do then. */
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
  dae_status status = trial_make_options(c, run, &why);
  *summary = (dae_summary){.t_end = plan->start.t};
  if (status >= 0)
    status = dae_run(plan, dae__arena_env(c->arena), summary, &why);
  run->t_end = summary->t_end;
  trial_tell(c, status, &why, run);
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
  const dae_sink sink = {.self = c, .row = trial_keep_row};
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
