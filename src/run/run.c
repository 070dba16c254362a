/* The flow of a run: consistent start, creation of the integrator, loop { step -> events -> rows },
 * summary.
 *
 * The first row is at the start, the last row at the end time exactly. Between them are rows at
 * from + k every (with `every`), at given times (with `times`), or, with neither, at every accepted
 * step, and before and after an event with an action. */
#include "core/arena.h"
#include "core/env.h"
#include "core/error.h"
#include "core/log.h"
#include "core/options.h"
#include "core/text.h"
#include "core/vec.h"
#include "run/columns.h"
#include "run/limits.h"
#include "run/monitor.h"
#include "run/plan.h"
#include "run/trust.h"
#include "run/verify.h"
#include "step/events.h"

#include <daedal/run.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Largest margin of a coupling loop at which its solution counts as not unique: round-off of the
 * computation of the margin; chosen, not measured. */
#define LOOP_MARGIN_ROUND_OFF 1e-12
/* Largest number of rows between two steps for one sink: the points of a curve on a page;
 * chosen. */
#define FILL_ROWS_MAX 10000
/* Largest number of steps of the assembled systems after an iteration that does not converge;
 * chosen. */
#define OFFER_STEPS 1000

typedef struct run {
  const dae_run_plan *plan;
  dae_summary *summary;
  dae__arena *arena;
  dae__columns columns;
  dae__monitor monitor;
  dae__events *events;
  dae_integrator *it;
  const void *options; /* of the method */
  double *y, *dy;      /* extended state vector and derivative of the state vector */
  dae__text moves;     /* values that actions have moved */
  double t;            /* time up to which the run is completed */
  double last_row;     /* time of the last row */
  bool unverified;     /* rows are not kept for a comparison with a second run */
  long planned;        /* index of the next row at an output time of the plan */
  double *stops;       /* stops of the plan */
  int stop_count, stop_capacity;
  int next_stop;      /* index of the next one */
  double stops_known; /* time up to which they are known */
  bool held_changed;  /* held values have changed since the stops were found */
  dae__verify verify;
  dae__trust_facts trust;
} run;

/* Writes the held values behind the state vector r->y. */
static void run_extend(run *r)
{
  const dae_held *held = &r->plan->problem.held;
  dae__copy(held->count, held->value, r->y + dae_problem_size(&r->plan->problem));
}

/* ---- preparation ---- */

/* Finds the times between from and to at which steps end without an event. */
static dae_status run_find_stops(run *r, double from, double to, dae_error *err)
{
  const dae_run_plan *plan = r->plan;
  int count = plan->stops(plan->stops_user, from, to, r->stop_capacity, r->stops);
  if (count > r->stop_capacity) {
    r->stop_capacity = 2 * count;
    r->stops = dae_arena_alloc(r->arena, (size_t)r->stop_capacity, sizeof *r->stops);
    if (!r->stops)
      return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the stops of the run");
    count = plan->stops(plan->stops_user, from, to, r->stop_capacity, r->stops);
  }
  if (count < 0)
    return dae__fail(err, DAE_ERROR_CALLBACK, "stops", "the stops of the plan were not found");
  r->stop_count = count;
  r->next_stop = 0;
  r->stops_known = to;
  return DAE_OK;
}

/* Options of the method, those of the plan or its defaults, and what the summary says of them. */
static dae_status run_read_options(run *r, dae_error *err)
{
  const dae_method *method = r->plan->method;
  dae_summary *s = r->summary;
  const void *opts = r->plan->options;
  if (!opts && method->defaults) {
    void *own = dae_arena_alloc(r->arena, 1, method->options_size);
    if (!own)
      return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the options");
    method->defaults(own);
    opts = own;
  }
  if (opts && method->options) {
    s->rtol = dae__options_number(method->options, opts, "rtol");
    s->atol = dae__options_number(method->options, opts, "atol");
    s->atol = dae__options_atol(s->rtol, s->atol);
    double step = dae__options_number(method->options, opts, "step");
    s->step = step > 0 ? step : 0;
    s->damped = dae__options_number(method->options, opts, "damp") == 1;
    s->caution = method->caution ? method->caution(opts) : NULL;
  }
  r->options = opts;
  bool fixed = dae__trust_fixed_steps(s);
  dae__events_set_tolerances(r->events, fixed ? DAE__FIXED_STEP_RTOL : s->rtol,
                             fixed ? DAE__FIXED_STEP_ATOL : s->atol);
  return DAE_OK;
}

/* Allocates memory and creates columns, monitor and events. */
static dae_status run_prepare(run *r, const dae_env *env, dae_error *err)
{
  const dae_run_plan *plan = r->plan;
  const dae_problem *problem = &plan->problem;
  r->arena = dae__arena_create(env);
  if (r->arena)
    r->y = DAE__ALLOC(r->arena, double, dae_problem_extended_size(problem));
  if (r->arena)
    r->dy = DAE__ALLOC(r->arena, double, dae_problem_size(problem));
  if (!r->arena || dae__arena_failed(r->arena))
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the run");
  DAE__TRY(dae__columns_create(r->arena, plan, &r->columns, err));
  r->verify = (dae__verify){.env = dae__env_of(env), .columns = r->columns.count};
  DAE__TRY(dae__monitor_create(r->arena, plan->unmeasured ? NULL : problem, &r->monitor, err));
  DAE__TRY(dae__events_create(r->arena, problem, plan->events, plan->event_count, &r->events, err));
  dae__events_set_end(r->events, plan->to);
  r->stop_capacity = 1;
  r->held_changed = true;
  r->stops = DAE__ALLOC(r->arena, double, 1);
  DAE__TRY(dae__arena_status(r->arena, err));
  return plan->stops && !plan->stops_held ? run_find_stops(r, plan->start.t, plan->to, err)
                                          : DAE_OK;
}

static dae_status run_create(run *r, const dae_env *env, dae_error *err)
{
  const dae_method *method = r->plan->method;
  dae_summary *s = r->summary;
  dae_start start = r->plan->start;
  start.y = r->y;
  start.given = NULL; /* y is consistent */
  start.held = NULL;
  start.to = r->plan->to;
  DAE__TRY(method->create(&r->plan->problem, &start, r->options, env, &r->it, err));
  if (!s->damped)
    return DAE_OK;
  /* energy before and after the move onto the slow motion */
  s->damping = dae_integrator_damping(r->it);
  double before, after, power;
  DAE__TRY(dae__monitor_energy(&r->monitor, start.t, r->y, &before, &power, err));
  DAE__TRY(dae_integrator_interpolate(r->it, start.t, r->y, NULL, err));
  DAE__TRY(dae__monitor_energy(&r->monitor, start.t, r->y, &after, &power, err));
  s->energy_removed_at_start = before - after;
  dae__plan_moves(r->plan, r->y, s);
  return DAE_OK;
}

/* Creates the integrator without a consistent start: if the start does not determine every
 * variable, the first step of the method may. The summary then contains the start of the method.
 * If that fails, too, the message of the start is replaced where the coupling raises the index of
 * the systems. */
static dae_status run_create_inconsistent(run *r, const dae_env *env, dae_error *err)
{
  const dae_run_plan *plan = r->plan;
  const dae_coupled *coupled = plan->problem.coupled;
  dae_error refusal = *err;
  dae_contraction c;
  dae__copy(dae_problem_size(&plan->problem), plan->start.y, r->y);
  dae_status status = run_create(r, env, err);
  if (status >= 0)
    status = dae_integrator_interpolate(r->it, plan->start.t, r->y, NULL, err);
  if (status == DAE_ERROR_MEMORY)
    return status;
  *err = status < 0 ? refusal : dae_error_none();
  if (status < 0) {
    if (coupled && coupled->parts >= 2 && coupled->joints == 0 &&
        dae_contraction_at(&plan->problem, plan->start.t, plan->start.y, NULL, &c, NULL) >= 0 &&
        c.loop[0] && c.margin <= LOOP_MARGIN_ROUND_OFF)
      snprintf(err->text, sizeof err->text,
               "the loop of %.200s does not determine its variables at the start: coupled, the "
               "systems have a higher index than each of them alone, and no iteration between them "
               "converges. Write one of the equations of the loop in another way",
               c.loop);
    return refusal.status;
  }
  dae__plan_moves(plan, r->y, r->summary);
  return DAE_OK;
}

/* Largest number of rounds in which the branches of guards at the start follow from each other. */
#define START_ROUNDS 100

/* Consistent start with the held values of guards those of their branches. */
static dae_status run_start(run *r, const dae_env *env, dae_error *err)
{
  const dae_run_plan *plan = r->plan;
  dae_start start = plan->start;
  double *held = r->y + dae_problem_size(&plan->problem), t = start.t;
  bool changed = true;
  if (start.held)
    dae__copy(plan->problem.held.count, start.held, held);
  else
    run_extend(r);
  start.held = held;
  for (int round = 0; changed; round++) {
    dae_status status =
        dae_consistent_start(&plan->problem, &start, env, r->y, r->dy, &r->summary->diagnosis, err);
    if (status < 0)
      return status;
    DAE__TRY(dae__events_set_guards(r->events, t, r->y, r->dy, &changed, err));
    if (changed && round == START_ROUNDS)
      return dae__fail(err, DAE_ERROR_START, "guards",
                       "no branches of the conditions fit each other at the start: each choice "
                       "leads to another one. Give start values away from the borders");
  }
  return DAE_OK;
}

/* Computes a consistent start and creates the integrator there. */
static dae_status run_begin(run *r, const dae_env *env, dae_error *err)
{
  const dae_run_plan *plan = r->plan;
  dae_summary *s = r->summary;
  dae_status status = run_start(r, env, err);
  if (status == DAE_ERROR_START)
    return run_create_inconsistent(r, env, err);
  if (status < 0)
    return status;
  DAE__TRY(dae__events_start_contacts(r->events, plan->start.t, r->y, err));
  dae__plan_moves(plan, r->y, s);
  if (s->moved > 0)
    dae__log(env, DAE_LOG_INFO, "start: values moved to make it consistent: %d", s->moved);
  if (s->diagnosis.rank < s->diagnosis.constraints)
    dae__log(env, DAE_LOG_WARNING, "%s", s->diagnosis.text);
  return run_create(r, env, err);
}

/* ---- rows ---- */

static dae_status run_row(run *r, double t, const double *y, dae_error *err)
{
  DAE__TRY(dae__columns_fill(&r->columns, t, y, err));
  DAE__TRY(dae__monitor_row(&r->monitor, t, y, err));
  const dae_row row = {.columns = r->columns.count,
                       .values = r->columns.values,
                       .y = y,
                       .position_drift = r->monitor.row_position,
                       .velocity_drift = r->monitor.row_velocity};
  for (int i = 0; i < r->plan->sink_count; i++) {
    const dae_sink *sink = &r->plan->sinks[i];
    dae_status status = sink->row ? sink->row(sink->self, &row, err) : DAE_OK;
    if (status < 0)
      return status;
  }
  dae__events_note_forces(r->events, y);
  r->last_row = t;
  r->summary->rows++;
  dae__trust_row(&r->trust, &r->plan->problem, y);
  return (r->plan->verify || r->plan->check_error) && !r->unverified
             ? dae__verify_keep(&r->verify, r->columns.values, err)
             : DAE_OK;
}

/* Writes rows up to t, within the last step: rows at the output times of the plan, except the end
 * time; or, in a plan without output times, rows after r->t for the sinks that request them. If the
 * dense output of a requested row fails the run continues without it, as it would without this
 * sink. */
static dae_status run_rows_until(run *r, double t, dae_error *err)
{
  const dae_run_plan *plan = r->plan;
  double at, length = t - r->t;
  for (; (at = dae__plan_time(plan, r->planned)) <= t; r->planned++) {
    if (!(at > plan->start.t))
      continue;
    DAE__TRY(dae_integrator_interpolate(r->it, at, r->y, NULL, err));
    DAE__TRY(run_row(r, at, r->y, err));
  }
  for (int i = 0; !dae__plan_has_times(plan) && i < plan->sink_count; i++) {
    const dae_sink *sink = &plan->sinks[i];
    double pieces =
        sink->row && sink->fill > 0 ? fmin(ceil(length / sink->fill), FILL_ROWS_MAX) : 0;
    for (int k = 1; k < pieces; k++) {
      dae_row row = {.columns = r->columns.count, .values = r->columns.values, .y = r->y};
      double *position = &row.position_drift, *velocity = &row.velocity_drift;
      dae_error why;
      at = r->t + k * length / pieces;
      if (dae_integrator_interpolate(r->it, at, r->y, NULL, &why) < 0 ||
          dae__columns_fill(&r->columns, at, r->y, &why) < 0 ||
          dae__monitor_drift(&r->monitor, at, r->y, position, velocity, &why) < 0) {
        r->trust.rows_missing++;
        continue;
      }
      dae_status status = sink->row(sink->self, &row, err);
      if (status < 0)
        return status;
    }
  }
  return DAE_OK;
}

/* ---- the loop ---- */

/* Whether t is the end time up to round-off. */
static bool run_at_end(const run *r, double t)
{
  return r->plan->to - t <= 4 * DBL_EPSILON * fmax(fabs(t), fabs(r->plan->to));
}

/* Largest energy that an oscillation removed by `damp` may exchange with the slow motion, and that
 * a restart at a change of branches may remove, relative to the kinetic energy; chosen. */
#define DAMPED_EXCHANGE 1
#define DAMPED_BRANCH 0.1
/* Least deviation of the slow motion by it, in tolerances: nonholonomic constraints may change the
 * frequency without a force on the slow motion. */
#define DAMPED_DRIFT 10

/* Adds the energy that the restart at an event removed with the fast motion (damp). */
static dae_status run_measure_removal(run *r, const dae__event_news *news, dae_error *err)
{
  double before, after, power;
  if (!news->unmoved)
    return DAE_OK;
  DAE__TRY(dae__monitor_energy(&r->monitor, news->t, news->unmoved, &before, &power, err));
  DAE__TRY(dae__monitor_energy(&r->monitor, news->t, news->after, &after, &power, err));
  r->summary->energy_removed_at_events += before - after;
  if (news->switched == 0 || !(before - after > DAMPED_BRANCH * r->monitor.kinetic) ||
      dae__options_number(r->plan->method->options, r->plan->options, "damp_time") > 0)
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
static dae_status run_event(run *r, double t, bool *restarted, dae_error *err)
{
  dae__event_news news = {0};
  dae__event_kinds found = dae__events_found(r->events);
  DAE__TRY(run_rows_until(r, t, err));
  DAE__TRY(dae_integrator_interpolate(r->it, t, r->y, NULL, err));
  DAE__TRY(dae__monitor_pass(&r->monitor, r->it, t, r->y, err));
  if ((found.action || found.branch) && !dae__plan_has_times(r->plan))
    DAE__TRY(run_row(r, t, r->y, err));
  dae_status applied = dae__events_apply(r->events, r->it, &news, err);
  r->summary->events += news.fired;
  r->summary->switchings += news.switched;
  if (applied < 0)
    return applied;
  r->t = t;
  r->held_changed = r->held_changed || news.acted || news.switched > 0;
  run_extend(r);
  *restarted = news.restarted;
  if (applied == DAE_STOPPED)
    snprintf(r->summary->message, sizeof r->summary->message, "%s",
             news.name ? news.name : "an event without a name");
  bool end = applied == DAE_STOPPED || (news.restarted && run_at_end(r, r->t));
  bool both = news.acted && !dae__plan_has_times(r->plan);
  bool written = r->last_row == news.t && !news.acted;
  if (news.restarted) {
    if (!news.contacts)
      dae__trust_event(&r->trust, t);
    DAE__TRY(run_measure_removal(r, &news, err));
    DAE__TRY(dae__monitor_jump(&r->monitor, news.after, err));
  }
  /* a second run has time events at the same instants, and rows just before them */
  r->unverified = found.timed && !end;
  if ((both || end) && !written)
    DAE__TRY(run_row(r, run_at_end(r, r->t) ? r->plan->to : news.t, news.after, err));
  r->unverified = false;
  return applied == DAE_OK && end ? DAE_END : applied;
}

/* Completes the last step after its events: rows, and the energy balance. */
static dae_status run_step_rows(run *r, double t, dae_error *err)
{
  bool end = run_at_end(r, t), row = end || !dae__plan_has_times(r->plan);
  DAE__TRY(run_rows_until(r, t, err));
  if (row || !r->plan->unmeasured)
    DAE__TRY(dae_integrator_interpolate(r->it, t, r->y, NULL, err));
  if (row)
    DAE__TRY(run_row(r, end ? r->plan->to : t, r->y, err));
  DAE__TRY(dae__monitor_pass(&r->monitor, r->it, t, r->y, err));
  r->t = t;
  return end ? DAE_END : DAE_OK;
}

/* Reports the last step, up to its event if it had one, to the sinks that request steps. */
static dae_status run_record_step(const run *r, const dae_view *view, dae_error *err)
{
  dae_step_record step = {.t = r->t, .h = r->t - view->t_previous, .order = view->order};
  dae_contraction c;
  bool filled = false;
  for (int i = 0; i < r->plan->sink_count; i++) {
    const dae_sink *sink = &r->plan->sinks[i];
    if (!sink->step)
      continue;
    if (!filled) {
      step.stats = dae_integrator_stats(r->it);
      step.energy = r->monitor.energy;
      step.balance = r->monitor.energy - r->monitor.energy_start - r->monitor.work;
      step.observed = step.predicted = NAN;
      if (r->plan->method->iterates && dae_contraction_of(r->it, &c, NULL) >= 0) {
        step.sweeps = c.last_sweeps;
        step.observed = c.last_observed;
        step.predicted = c.last_predicted;
      }
      filled = true;
    }
    dae_status status = sink->step(sink->self, &step, err);
    if (status < 0)
      return status;
  }
  return DAE_OK;
}

/* Whether t lies within the round-off of time behind r->t: too near for a step. */
static bool run_is_now(const run *r, double t)
{
  return t - r->t <= 16 * DBL_EPSILON * fabs(r->t);
}

/* End of the next step at the latest: the end time, a time event, or a stop of the plan. */
static double run_stop(run *r)
{
  const dae_run_plan *plan = r->plan;
  double next = fmin(plan->to, dae__events_next(r->events));
  while (r->next_stop < r->stop_count && run_is_now(r, r->stops[r->next_stop]))
    r->next_stop++;
  return r->next_stop < r->stop_count ? fmin(next, r->stops[r->next_stop]) : next;
}

/* Stops that depend on held values: those up to the next time event, once the others are passed or
 * held values have changed. */
static dae_status run_renew_stops(run *r, dae_error *err)
{
  double next = fmin(r->plan->to, dae__events_next(r->events));
  bool known = !r->held_changed && r->t < r->stops_known;
  if (!r->plan->stops_held || !r->plan->stops || known || !(next > r->t))
    return DAE_OK;
  r->held_changed = false;
  return run_find_stops(r, r->t, next, err);
}

/* Processes the events within the last step, up to one that restarts the integrator. */
static dae_status run_step_events(run *r, bool *restarted, dae_error *err)
{
  double t;
  *restarted = false;
  for (;;) {
    dae_status status = dae__events_detect(r->events, r->it, &t, err);
    if (status != DAE_EVENT)
      return status;
    status = run_event(r, t, restarted, err);
    if (status != DAE_OK || *restarted)
      return status;
  }
}

/* Takes a step and processes all events within it, up to one that restarts the integrator. */
static dae_status run_one_step(run *r, dae_error *err)
{
  bool restarted, due = run_is_now(r, dae__events_next(r->events));
  DAE__TRY(run_renew_stops(r, err));
  dae_status status = due ? DAE_OK : dae_integrator_step(r->it, run_stop(r), err);
  if (status < 0)
    return status;
  dae_view view = dae_integrator_view(r->it);
  if (view.order > r->summary->order)
    r->summary->order = view.order;
  status = run_step_events(r, &restarted, err);
  if (status == DAE_OK && !restarted && !due)
    status = run_step_rows(r, view.t, err);
  if (status < 0)
    return status;
  DAE__TRY(run_record_step(r, &view, err));
  if (status != DAE_OK || !r->plan->progress || r->plan->progress(r->plan->progress_user, r->t))
    return status;
  dae__fail(err, DAE_ERROR_INTERRUPTED, NULL,
            "the run was interrupted at t = %.10g; the results up to then are kept", r->t);
  dae__fail_at(err, r->t, NAN);
  return DAE_ERROR_INTERRUPTED;
}

/* Integrates from the start to the end of the plan. */
static dae_status run_integrate(run *r, dae_error *err)
{
  clock_t begin = clock();
  r->t = r->trust.event_t = r->plan->start.t;
  run_extend(r);
  bool fixed = dae__trust_fixed_steps(r->summary);
  dae_status status =
      dae__monitor_start(&r->monitor, r->t, r->y, fixed ? DAE__FIXED_STEP_RTOL : r->summary->rtol,
                         fixed ? DAE__FIXED_STEP_ATOL : r->summary->atol, err);
  r->moves = dae__text_in(r->summary->action_moves, sizeof r->summary->action_moves);
  dae__events_list_moves(r->events, &r->moves);
  if (status == DAE_OK)
    status = dae__events_arm(r->events, r->t, r->y, err);
  if (status == DAE_OK)
    status = run_row(r, r->t, r->y, err);
  while (status == DAE_OK)
    status = run_one_step(r, err);
  r->summary->t_end = r->t;
  r->summary->seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  return status;
}

/* ---- end of the run ---- */

/* Lists the events that happened or nearly did, and after them the guards. */
static void run_list_events(const run *r, dae_summary *s)
{
  const size_t kept_free = 64; /* for the line that counts those left out */
  dae__text lines = dae__text_in(s->event_list, sizeof s->event_list);
  int left_out = 0;
  s->unwatched = r->plan->unwatched;
  s->action_moved = r->events ? dae__events_moved(r->events) : 0;
  for (int k = 0; r->events && k < 2 * r->plan->event_count; k++) {
    int i = k % r->plan->event_count;
    const dae__event_count n = dae__events_count(r->events, i);
    const char *name = r->plan->events[i].name;
    bool guard = r->plan->events[i].kind == DAE_EVENT_GUARD;
    char line[400];
    if (guard != (k >= r->plan->event_count) || (n.fired == 0 && n.near_misses == 0))
      continue;
    s->near_misses += n.near_misses;
    int length = snprintf(line, sizeof line, "%s\t%.250s\t%ld\t%.17g\t%.17g\t%ld\n",
                          guard                        ? "branch"
                          : r->plan->events[i].contact ? "impact"
                                                       : "event",
                          name ? name : "without a name", n.fired, n.first, n.last, n.near_misses);
    if (left_out > 0 || lines.length + (size_t)length + kept_free >= sizeof s->event_list)
      left_out++;
    else
      dae__text_add(&lines, "%s", line);
  }
  if (left_out > 0)
    dae__text_add(&lines, "... and %d more\n", left_out);
}

/* Lists impacts and contacts: impulses, laws that were not obeyed, times closed and forces. */
static void run_list_impacts(const run *r, dae_summary *s)
{
  dae__text lines = dae__text_in(s->impact_list, sizeof s->impact_list);
  s->energy_lost = r->events ? dae__events_energy_lost(r->events) : 0;
  for (int i = 0; r->events && i < r->plan->event_count; i++) {
    const dae_event *event = &r->plan->events[i];
    const dae__event_count n = dae__events_count(r->events, i);
    bool holds = event->contact && event->contact->holds;
    if (!event->contact || !(n.fired > 0 || holds) || lines.length + 400 > sizeof s->impact_list)
      continue;
    dae__text_add(&lines, "%.250s\t%.17g\t%ld\t%ld", event->name ? event->name : "without a name",
                  n.impulse, n.reduced, n.left_out);
    if (holds)
      dae__text_add(&lines, "\t%.17g\t%.17g",
                    dae__events_closed_share(r->events, i, r->plan->start.t, r->t), n.force);
    dae__text_add(&lines, "\n");
  }
}

/* After a dynamic iteration that does not converge: tries the method of `auto`, for the systems
 * assembled into one, over the next window from the last state, and names it in the message if it
 * goes on. */
static void run_offer_assembled(run *r, const dae_env *env, dae_error *err)
{
  const dae_wave_options defaults = dae_wave_defaults();
  const dae_wave_options *wave = r->plan->options ? r->plan->options : &defaults;
  const dae_method *method = dae_method_choose(&r->plan->problem, NULL, 0, NULL);
  dae_view view = dae_integrator_view(r->it);
  dae_integrator *it = NULL;
  char tolerance[2][40];
  void *options = method ? DAE__ALLOC(r->arena, char, method->options_size) : NULL;
  if (!options || dae_integrator_interpolate(r->it, view.t, r->y, NULL, NULL) < 0)
    return;
  method->defaults(options);
  snprintf(tolerance[0], sizeof tolerance[0], "%.17g", wave->rtol);
  snprintf(tolerance[1], sizeof tolerance[1], "%.17g", wave->atol);
  (void)dae_options_set(method->options, options, "rtol", tolerance[0], NULL);
  (void)dae_options_set(method->options, options, "atol", tolerance[1], NULL);
  dae_start start = {.t = view.t, .y = r->y};
  double to = view.h_next > 0 ? fmin(view.t + view.h_next, r->plan->to) : r->plan->to, t = view.t;
  dae_status status = method->create(&r->plan->problem, &start, options, env, &it, NULL);
  for (int i = 0; i < OFFER_STEPS && status >= 0 && t < to; i++) {
    status = dae_integrator_step(it, to, NULL);
    t = dae_integrator_view(it).t;
  }
  size_t used = strlen(err->text);
  if (it && status >= 0 && t > view.t)
    snprintf(err->text + used, sizeof err->text - used,
             ". Assembled into one the systems go on from t = %.10g, by %s: --method auto", view.t,
             method->name);
  dae_integrator_free(it);
}

/* Fills in the summary, closes the sinks and frees all memory of the run. */
static dae_status run_finish(run *r, dae_status status, dae_error *err)
{
  dae_summary *s = r->summary;
  const dae_coupled *coupled = r->plan->problem.coupled;
  s->status = status == DAE_END ? DAE_OK : status;
  if (status < 0)
    snprintf(s->message, sizeof s->message, "%s", err->text);
  if (r->it)
    s->stats = dae_integrator_stats(r->it);
  if (r->it && s->damped)
    s->damping = dae_integrator_damping(r->it);
  if (r->it && r->plan->method->iterates) {
    s->systems = coupled->parts;
    dae_contraction_of(r->it, &s->contraction, NULL);
    /* no contraction: with joints alone there is no plain sweep */
    if (!s->contraction.loop[0] && coupled->joints > 0)
      s->contraction.gauss_seidel = NAN;
  }
  if (r->monitor.measure) {
    s->position_drift = r->monitor.position;
    s->velocity_drift = r->monitor.velocity;
    r->trust.drift = r->monitor.drift_tolerances;
    s->energy_start = r->monitor.energy_start;
    s->energy_change = r->monitor.energy - r->monitor.energy_start;
    s->energy_balance = s->energy_change - r->monitor.work;
    s->energy_has_potential = r->monitor.has_potential;
    s->energy_error = isnan(s->energy_balance) ? NAN : r->monitor.energy_error;
    s->energy_tolerance = r->monitor.energy_tolerance;
    s->energy_supplied = r->monitor.corrected;
    s->oscillations = dae__monitor_oscillations(&r->monitor);
    r->trust.kinetic = r->monitor.kinetic;
    s->phase_error = dae__trust_phase(s, &r->monitor);
  }
  dae__list_limits(r->it, &r->plan->problem, s);
  dae__trust_judge(s, &r->trust);
  for (int i = 0; r->plan->sinks && i < r->plan->sink_count; i++) {
    const dae_sink *sink = &r->plan->sinks[i];
    /* error of this sink; only the first failure of all sinks is reported */
    dae_error ours = dae_error_none();
    dae_status closed = sink->close ? sink->close(sink->self, s, &ours) : DAE_OK;
    if (closed >= 0 || s->status < 0)
      continue;
    s->status = closed;
    snprintf(s->message, sizeof s->message, "%s", ours.text);
    *err = ours;
  }
  dae_integrator_free(r->it);
  dae__verify_free(&r->verify);
  dae__arena_free(r->arena);
  return s->status;
}

/* Refuses a damped run whose oscillation determines the slow motion, unless the user has said by
 * damp_time what is fast. */
static dae_status run_check_damping(const run *r, dae_status status, dae_error *err)
{
  const dae_summary *s = r->summary;
  const dae_option_table *table = r->plan->method->options;
  const dae_damping d = dae_integrator_damping(r->it);
  double energy = fabs(d.exchange * s->energy_removed_at_start);
  if (!s->damped || !(d.drift > DAMPED_DRIFT) || !(energy > DAMPED_EXCHANGE * r->monitor.kinetic) ||
      dae__options_number(table, r->plan->options, "damp_time") > 0)
    return status;
  return dae__fail(err, DAE_ERROR_STEP, "damp",
                   "the oscillation that damp removes drives the slow motion: it exchanges an "
                   "energy of about %.2g with it, whose kinetic energy is at most %.2g. The true "
                   "motion is another one: follow it without damp; damp_time says what is fast "
                   "and takes the smooth one nevertheless",
                   energy, r->monitor.kinetic);
}

dae_status dae_run(const dae_run_plan *plan, const dae_env *env, dae_summary *summary,
                   dae_error *err)
{
  dae_error own_error;
  dae_summary own_summary;
  run r = {.plan = plan, .summary = summary ? summary : &own_summary};
  err = err ? err : &own_error;
  *err = dae_error_none();
  *r.summary = dae__plan_summary(plan);

  dae_status status = dae__plan_check(plan, err);
  if (status >= 0)
    status = run_prepare(&r, env, err);
  if (status >= 0)
    status = run_read_options(&r, err);
  if (status >= 0)
    status = run_begin(&r, env, err);
  for (int i = 0; i < plan->sink_count && status >= 0; i++)
    if (plan->sinks[i].open)
      status = plan->sinks[i].open(plan->sinks[i].self, r.columns.count, r.columns.names, err);
  if (status >= 0)
    status = run_integrate(&r, err);
  if (status >= 0)
    status = run_check_damping(&r, status, err);
  if (status == DAE_ERROR_COUPLING && plan->method->iterates && r.it)
    run_offer_assembled(&r, env, err);
  if (status == DAE_END)
    dae__events_finish(r.events);
  run_list_events(&r, r.summary);
  run_list_impacts(&r, r.summary);
  if (status >= 0 && plan->verify) {
    dae_status verified = dae__verify_run(&r.verify, &r.columns, r.summary, err);
    status = verified < 0 ? verified : status;
  }
  if (status >= 0 && plan->check_error) {
    dae_status checked = dae__check_error_run(&r.verify, &r.columns, r.summary, err);
    status = checked < 0 ? checked : status;
  }
  return run_finish(&r, status, err);
}
