/* A run in steps: loop { step -> events -> rows }.
 *
 * A step is completed in stages, so that a run can be read at any time within it: events are found
 * one after the other, and nothing behind the time to which the run is advanced happens before it
 * is advanced on. */
#include "run/simulation.h"

#include "core/options.h"
#include "core/vec.h"
#include "step/integrator.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* Whether t is the end time up to round-off. */
static bool simulation_at_end(const dae_simulation *r, double t)
{
  return r->plan.to - t <= 4 * DBL_EPSILON * fmax(fabs(t), fabs(r->plan.to));
}

/* Largest energy that a restart at a change of branches may remove with `damp`, relative to the
 * kinetic energy; chosen. */
#define DAMPED_BRANCH 0.1

/* Adds the energy that the restart at an event removed with the fast motion (damp). */
static dae_status simulation_measure_removal(dae_simulation *r, const dae__event_news *news,
                                             dae_error *err)
{
  double before, after, power;
  if (!news->unmoved)
    return DAE_OK;
  DAE__TRY(dae__monitor_energy(&r->monitor, news->t, news->unmoved, &before, &power, err));
  DAE__TRY(dae__monitor_energy(&r->monitor, news->t, news->after, &after, &power, err));
  r->summary.energy_removed_at_events += before - after;
  if (news->switched == 0 || !(before - after > DAMPED_BRANCH * r->monitor.kinetic) ||
      dae__options_number(r->plan.method->options, r->plan.options, "damp_time") > 0)
    return DAE_OK;
  dae__fail(
      err, DAE_ERROR_STEP, "damp",
      "a branch of the forces changes at t = %.10g, and damp takes the motion that follows "
      "for fast, with an energy of %.2g: a stop or a contact would not let go any more. Follow "
      "it without damp; damp_time says what is fast and takes the smooth motion nevertheless",
      news->t, before - after);
  dae__fail_at(err, news->t, NAN);
  return DAE_ERROR_STEP;
}

/* Completes the run up to an event at t: rows, actions of the event, rows before and after it. */
static dae_status simulation_apply_event(dae_simulation *r, double t, bool *restarted,
                                         dae_error *err)
{
  dae__event_news news = {0};
  dae__event_kinds found = dae__events_found(r->events);
  DAE__TRY(dae__simulation_rows_until(r, t, err));
  DAE__TRY(dae_integrator_interpolate(r->it, t, r->y, NULL, err));
  DAE__TRY(dae__monitor_pass(&r->monitor, r->it, t, r->y, err));
  if ((found.action || found.branch) && !dae__plan_has_times(&r->plan))
    DAE__TRY(dae__simulation_write_row(r, t, r->y, err));
  dae_status applied = dae__events_apply(r->events, r->it, &news, err);
  r->summary.events += news.fired;
  r->summary.switchings += news.switched;
  if (applied < 0)
    return applied;
  r->t = t;
  r->held_changed = r->held_changed || news.acted || news.switched > 0;
  dae__simulation_extend(r);
  *restarted = news.restarted;
  if (applied == DAE_STOPPED)
    snprintf(r->summary.message, sizeof r->summary.message, "%s",
             news.name ? news.name : "an event without a name");
  bool end = applied == DAE_STOPPED || (news.restarted && simulation_at_end(r, r->t));
  bool both = news.acted && !dae__plan_has_times(&r->plan);
  bool written = r->last_row == news.t && !news.acted;
  if (news.restarted) {
    if (!news.contacts)
      dae__trust_event(&r->trust, t);
    DAE__TRY(simulation_measure_removal(r, &news, err));
    DAE__TRY(dae__monitor_jump(&r->monitor, news.after, err));
  }
  /* a second run has time events at the same instants, and rows just before them */
  r->unverified = found.timed && !end;
  if ((both || end) && !written)
    DAE__TRY(dae__simulation_write_row(r, simulation_at_end(r, r->t) ? r->plan.to : news.t,
                                       news.after, err));
  r->unverified = false;
  return applied == DAE_OK && end ? DAE_END : applied;
}

/* Completes the last step after its events: rows, and the energy balance. */
static dae_status simulation_end_rows(dae_simulation *r, double t, dae_error *err)
{
  bool end = simulation_at_end(r, t), row = end || !dae__plan_has_times(&r->plan);
  DAE__TRY(dae__simulation_rows_until(r, t, err));
  if (row || !r->plan.unmeasured)
    DAE__TRY(dae_integrator_interpolate(r->it, t, r->y, NULL, err));
  if (row)
    DAE__TRY(dae__simulation_write_row(r, end ? r->plan.to : t, r->y, err));
  DAE__TRY(dae__monitor_pass(&r->monitor, r->it, t, r->y, err));
  r->t = t;
  return end ? DAE_END : DAE_OK;
}

/* Whether t lies within the round-off of time behind r->t: too near for a step. */
static bool simulation_is_now(const dae_simulation *r, double t)
{
  return t - r->t <= 16 * DBL_EPSILON * fabs(r->t);
}

/* End of the next step at the latest: the end time, a time event, or a stop of the plan. */
static double simulation_stop(dae_simulation *r)
{
  const dae_run_plan *plan = &r->plan;
  double next = fmin(plan->to, dae__events_next(r->events));
  while (r->next_stop < r->stop_count && simulation_is_now(r, r->stops[r->next_stop]))
    r->next_stop++;
  return r->next_stop < r->stop_count ? fmin(next, r->stops[r->next_stop]) : next;
}

/* Stops that depend on held values: those up to the next time event, once the others are passed or
 * held values have changed. */
static dae_status simulation_renew_stops(dae_simulation *r, dae_error *err)
{
  double next = fmin(r->plan.to, dae__events_next(r->events));
  bool known = !r->held_changed && r->t < r->stops_known;
  if (!r->plan.stops_held || !r->plan.stops || known || !(next > r->t))
    return DAE_OK;
  r->held_changed = false;
  return dae__simulation_find_stops(r, r->t, next, err);
}

/* ---- stages of a step ---- */

/* Takes a step, unless a time event is at the end of the last one. */
static dae_status simulation_take_step(dae_simulation *r, dae_error *err)
{
  r->due = simulation_is_now(r, dae__events_next(r->events));
  DAE__TRY(simulation_renew_stops(r, err));
  dae_status status = r->due ? DAE_OK : dae_integrator_step(r->it, simulation_stop(r), err);
  if (status < 0)
    return dae__events_explain(r->events, r->it, status, err);
  r->view = dae_integrator_view(r->it);
  if (r->view.order > r->summary.order)
    r->summary.order = r->view.order;
  r->stage = DAE__STEP_TAKEN;
  return DAE_OK;
}

/* Searches the rest of the step for its next event. */
static dae_status simulation_search(dae_simulation *r, dae_error *err)
{
  dae_status status = dae__events_detect(r->events, r->it, &r->t_found, err);
  if (status < 0)
    return status;
  r->stage = status == DAE_EVENT ? DAE__STEP_EVENT : DAE__STEP_SEARCHED;
  return DAE_OK;
}

/* Applies the event that was found, or writes the rows at the end of the step. */
static dae_status simulation_process(dae_simulation *r, dae_error *err)
{
  bool restarted = false, event = r->stage == DAE__STEP_EVENT;
  dae_status status = event    ? simulation_apply_event(r, r->t_found, &restarted, err)
                      : r->due ? DAE_OK
                               : simulation_end_rows(r, r->view.t, err);
  if (status < 0)
    return status;
  bool complete = !event || restarted || status != DAE_OK;
  r->stage = complete ? DAE__STEP_COMPLETE : DAE__STEP_TAKEN;
  r->searched_before = false;
  return status;
}

/* Reports a step that is complete. */
static dae_status simulation_report_step(dae_simulation *r, dae_status status, dae_error *err)
{
  DAE__TRY(dae__simulation_record_step(r, err));
  r->reached = r->t;
  if (status != DAE_OK || !r->plan.progress || r->plan.progress(r->plan.progress_user, r->t))
    return status;
  r->between = true;
  return dae__simulation_interrupted(r->t, err);
}

/* Whether the run stays within its step, before the next event or the end of the step, to be read
 * at `until`. */
static bool simulation_holds(dae_simulation *r, double until)
{
  return until < (r->stage == DAE__STEP_EVENT ? r->t_found : r->view.t);
}

/* One stage of a step; *held: the run has reached `until`, within the step. */
static dae_status simulation_continue(dae_simulation *r, double until, bool *held, dae_error *err)
{
  *held = false;
  if (r->stage == DAE__STEP_COMPLETE)
    return simulation_take_step(r, err);
  if (r->stage == DAE__STEP_TAKEN) {
    /* a state saved within the step is that before the search */
    if (until < r->view.t)
      dae__events_copy_state(r->events, r->events_before);
    r->searched_before = until < r->view.t;
    return simulation_search(r, err);
  }
  *held = simulation_holds(r, until);
  if (*held)
    return DAE_OK;
  dae_status status = simulation_process(r, err);
  if (status < 0 || (status == DAE_OK && r->stage != DAE__STEP_COMPLETE))
    return status;
  return simulation_report_step(r, status, err);
}

/* ---- the start ---- */

double dae__simulation_seconds(const dae_simulation *r)
{
  return r->running ? r->seconds + (double)(clock() - r->begin) / CLOCKS_PER_SEC : r->seconds;
}

void dae__simulation_list_moves(dae_simulation *r, size_t length)
{
  r->moves = dae__text_in(r->summary.action_moves, sizeof r->summary.action_moves);
  r->moves.length = length;
  dae__events_list_moves(r->events, &r->moves);
}

/* Opens the sinks, starts monitor and events, writes the first row. */
static dae_status simulation_open(dae_simulation *r, dae_error *err)
{
  const dae_run_plan *plan = &r->plan;
  bool fixed = dae__trust_fixed_steps(&r->summary);
  dae_status status = DAE_OK;
  r->opened = true;
  for (int i = 0; i < plan->sink_count && status >= 0; i++)
    if (plan->sinks[i].open)
      status = plan->sinks[i].open(plan->sinks[i].self, r->columns.count, r->columns.names, err);
  if (status < 0)
    return status;
  r->begin = clock();
  dae__simulation_extend(r);
  DAE__TRY(dae__monitor_start(&r->monitor, r->t, r->y,
                              fixed ? DAE__FIXED_STEP_RTOL : r->summary.rtol,
                              fixed ? DAE__FIXED_STEP_ATOL : r->summary.atol, err));
  dae__simulation_list_moves(r, 0);
  DAE__TRY(dae__events_arm(r->events, r->t, r->y, err));
  return dae__simulation_write_row(r, r->t, r->y, err);
}

dae_status dae_simulation_create(const dae_run_plan *plan, const dae_env *env, dae_simulation **out,
                                 dae_error *err)
{
  dae_status status = dae__simulation_allocate(plan, env, out, err);
  if (status < 0)
    return dae__env_status(env, status, err);
  status = dae__simulation_cause(*out, dae__simulation_start(*out, err), err);
  status = dae__env_status(env, status, err);
  if (status >= 0)
    return DAE_OK;
  (*out)->status = status;
  (*out)->error = err ? *err : dae_error_none();
  status = dae_simulation_finish(*out, NULL, err);
  dae_simulation_free(*out);
  *out = NULL;
  return status;
}

/* ---- advancing ---- */

/* Whether something is left to do up to `until`: steps, or the end of a step there. */
static bool simulation_is_before(const dae_simulation *r, double until)
{
  return r->t < until || (r->stage != DAE__STEP_COMPLETE && r->view.t <= until);
}

/* Advances to a time, or, with until = infinity and `one`, by one step. */
static dae_status simulation_run(dae_simulation *r, double until, bool one, dae_error *err)
{
  bool held = false;
  dae_error own;
  err = err ? err : &own;
  if (r->broken)
    return dae__fail(err, DAE_ERROR_USAGE, "run",
                     "the run has failed or is finished: it cannot be advanced");
  if (r->status > 0)
    return r->status;
  r->read = false;
  r->begin = clock();
  r->running = true;
  r->between = false;
  r->status = r->opened ? DAE_OK : simulation_open(r, err);
  bool begun = r->stage != DAE__STEP_COMPLETE;
  while (r->status == DAE_OK && !held &&
         (one ? !begun || r->stage != DAE__STEP_COMPLETE : simulation_is_before(r, until))) {
    r->status = simulation_continue(r, until, &held, err);
    begun = true;
  }
  if (r->status < 0 && r->status != DAE_ERROR_INTERRUPTED && dae__env_stopped(&r->env))
    r->status = dae__simulation_interrupted(r->t, err);
  r->status = dae__simulation_cause(r, r->status, err);
  if (r->status >= 0)
    r->reached = held ? until : r->t;
  r->summary.t_end = r->t;
  r->summary.seconds = r->seconds = dae__simulation_seconds(r);
  r->running = false;
  if (r->status < 0)
    r->error = *err;
  r->broken = r->status < 0 && !r->between;
  return r->status;
}

dae_status dae_simulation_advance(dae_simulation *r, double t, dae_error *err)
{
  if (isnan(t) || t < r->reached)
    return dae__fail(err, DAE_ERROR_USAGE, "t",
                     "a run at t = %.10g cannot be advanced to t = %.10g", r->reached, t);
  return simulation_run(r, t, false, err);
}

dae_status dae_simulation_step(dae_simulation *r, dae_error *err)
{
  return simulation_run(r, INFINITY, true, err);
}

/* ---- reading ---- */

double dae_simulation_time(const dae_simulation *r)
{
  return r->reached;
}

const dae_integrator *dae_simulation_integrator(const dae_simulation *r)
{
  return r->it;
}

int dae_simulation_columns(const dae_simulation *r, const char *const **names)
{
  *names = r->columns.names;
  return r->columns.count;
}

/* Finds the state at r->reached. The integrator is left as it was: projections keep factors, and
 * statistics count. */
static dae_status simulation_read(dae_simulation *r, dae_error *err)
{
  const dae_held *held = &r->plan.problem.held;
  if (r->read)
    return DAE_OK;
  if (!r->unread)
    r->unread = dae_arena_alloc(r->arena, dae__integrator_state_size(r->it), 1);
  DAE__TRY(dae__arena_status(r->arena, err));
  dae__integrator_copy_state(r->it, r->unread);
  dae_status status = dae_integrator_interpolate(r->it, r->reached, r->state, NULL, err);
  dae_status restored = dae__integrator_restore_state(r->it, r->unread, status < 0 ? NULL : err);
  r->broken = r->broken || restored < 0;
  dae__copy(held->count, held->value, r->state + dae_problem_size(&r->plan.problem));
  r->read = status >= 0;
  return status < 0 ? status : restored;
}

dae_status dae_simulation_state(dae_simulation *r, double *y, dae_error *err)
{
  DAE__TRY(simulation_read(r, err));
  dae__copy(dae_problem_extended_size(&r->plan.problem), r->state, y);
  return DAE_OK;
}

dae_status dae_simulation_row(dae_simulation *r, dae_row *row, dae_error *err)
{
  *row = (dae_row){.columns = r->columns.count, .values = r->columns.values, .y = r->state};
  DAE__TRY(simulation_read(r, err));
  DAE__TRY(dae__columns_fill(&r->columns, r->reached, r->state, err));
  return dae__monitor_drift(&r->monitor, r->reached, r->state, &row->position_drift,
                            &row->velocity_drift, err);
}
