/* The whole flow: make consistent, create, loop { step -> events -> rows }, finish.
 *
 * Without `every` there is a row at the start, at every accepted step and at the end, and at an
 * event with an action one before and one after it; with it, rows at from + k every and at the
 * end; with `times`, rows at those. The last row is at the end time exactly. */
#include "core/arena.h"
#include "core/error.h"
#include "core/log.h"
#include "core/vec.h"
#include "run/columns.h"
#include "run/monitor.h"
#include "run/plan.h"
#include "run/verify.h"
#include "step/events.h"

#include <daedal/run.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* what the margin of a loop without a unique solution comes out as: round-off */
#define NO_MARGIN 1e-12
/* rows between two steps: a page full */
#define MOST_FILL 10000

typedef struct run {
  const dae_run_plan *plan;
  dae_summary *summary;
  dae__arena *arena;
  dae__columns columns;
  dae__monitor monitor;
  dae__events *events;
  dae_integrator *it;
  double *y;
  double t;        /* reached */
  double last_row; /* its time */
  long planned;    /* index of the next row at a time of the plan */
  dae__verify verify;
} run;

/* ---- before the start ---- */

/* Memory, columns, measures, events. */
static dae_status run_prepare(run *r, const dae_env *env, dae_error *err)
{
  const dae_run_plan *plan = r->plan;
  r->arena = dae__arena_create(env);
  if (r->arena)
    r->y = DAE__ALLOC(r->arena, double, dae_problem_size(&plan->problem));
  if (!r->arena || dae__arena_failed(r->arena))
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the run");
  dae_status status = dae__columns_create(r->arena, plan, &r->columns, err);
  r->verify = dae__verify_create(env, r->columns.count);
  if (status >= 0)
    status =
        dae__monitor_create(r->arena, plan->unmeasured ? NULL : &plan->problem, &r->monitor, err);
  if (status >= 0)
    status = dae__events_create(r->arena, &plan->problem, plan->events, plan->event_count,
                                plan->held, &r->events, err);
  return status;
}

/* States that are held are no degrees of freedom; a mechanical problem does not count them. */
static int run_held_states(const dae_run_plan *plan)
{
  const dae_coupled *c = plan->problem.coupled;
  bool mechanical = plan->problem.mechanical != NULL;
  int count = 0;
  for (int i = 0; c && i < c->parts; i++)
    mechanical = mechanical || c->part[i].mechanical;
  for (int i = 0; plan->held && !mechanical && i < dae_problem_size(&plan->problem); i++)
    count += plan->held[i];
  return count;
}

static dae_status run_make_consistent(run *r, const dae_env *env, dae_error *err)
{
  const dae_run_plan *plan = r->plan;
  dae_status status = dae_consistent_start(&plan->problem, &plan->start, env, r->y, NULL,
                                           &r->summary->diagnosis, err);
  if (status < 0)
    return status;
  dae__plan_moves(r->plan, r->y, r->summary);
  r->summary->diagnosis.dof -= run_held_states(plan);
  if (r->summary->moved > 0)
    dae__log(env, DAE_LOG_INFO, "start: values moved to make it consistent: %d", r->summary->moved);
  if (r->summary->diagnosis.rank < r->summary->diagnosis.constraints)
    dae__log(env, DAE_LOG_WARNING, "%s", r->summary->diagnosis.text);
  return DAE_OK;
}

/* value of the method's option of this name, NaN if it has none */
static double run_option_value(const dae_method *method, const void *opts, const char *name)
{
  for (int i = 0; i < method->options->count; i++) {
    const dae_option *option = &method->options->options[i];
    const char *at = (const char *)opts + option->offset;
    double value;
    bool flag;
    if (strcmp(option->name, name) != 0)
      continue;
    if (option->type == DAE_OPTION_BOOL)
      return memcpy(&flag, at, sizeof flag), flag;
    if (option->type == DAE_OPTION_DOUBLE)
      return memcpy(&value, at, sizeof value), value;
  }
  return NAN;
}

/* A damped run may have moved the start, and taken energy out of it. */
static dae_status run_look_at_start(run *r, dae_error *err)
{
  dae_summary *s = r->summary;
  double before, after;
  dae_status status = dae__monitor_energy(&r->monitor, r->plan->start.t, r->y, &before, err);
  if (status >= 0)
    status = dae_integrator_interpolate(r->it, r->plan->start.t, r->y, NULL, err);
  if (status >= 0)
    status = dae__monitor_energy(&r->monitor, r->plan->start.t, r->y, &after, err);
  if (status < 0)
    return status;
  s->energy_removed_at_start = before - after;
  dae__plan_moves(r->plan, r->y, r->summary);
  return DAE_OK;
}

static dae_status run_create(run *r, const dae_env *env, dae_error *err)
{
  const dae_method *method = r->plan->method;
  const void *opts = r->plan->options;
  if (!opts && method->defaults) {
    void *own = dae__arena_alloc(r->arena, 1, method->options_size);
    if (!own)
      return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the options");
    method->defaults(own);
    opts = own;
  }
  if (opts && method->options) {
    r->summary->rtol = run_option_value(method, opts, "rtol");
    r->summary->atol = run_option_value(method, opts, "atol");
    double step = run_option_value(method, opts, "step");
    r->summary->step = step > 0 ? step : 0;
    r->summary->damped = run_option_value(method, opts, "damp") == 1;
    r->summary->caution = method->caution ? method->caution(opts) : NULL;
  }
  dae_start start = r->plan->start;
  start.y = r->y;
  dae_status status = method->create(&r->plan->problem, &start, opts, env, &r->it, err);
  return status >= 0 && r->summary->damped ? run_look_at_start(r, err) : status;
}

/* Where coupling raises the index of the systems, that is what to tell. */
static void run_diagnose_loop(const dae_run_plan *plan, dae_error *err)
{
  const dae_coupled *coupled = plan->problem.coupled;
  dae_contraction c;
  if (!coupled || coupled->parts < 2 || coupled->joints > 0 ||
      dae_contraction_at(&plan->problem, plan->start.t, plan->start.y, NULL, &c, NULL) < 0 ||
      !c.loop[0] || !(c.margin <= NO_MARGIN))
    return;
  snprintf(err->text, sizeof err->text,
           "the loop of %.200s does not determine its variables at the start: coupled, the systems "
           "have a higher index than each of them alone, and no iteration between them converges. "
           "Write one of the equations of the loop in another way",
           c.loop);
}

/* Where the start does not determine every variable, the method may be able to leave it all the
 * same; what it then says of the start is what is shown. */
static dae_status run_create_anyway(run *r, const dae_env *env, dae_error *err)
{
  const dae_run_plan *plan = r->plan;
  dae_error refusal = *err;
  dae__copy(dae_problem_size(&plan->problem), plan->start.y, r->y);
  dae_status status = run_create(r, env, err);
  if (status >= 0)
    status = dae_integrator_interpolate(r->it, plan->start.t, r->y, NULL, err);
  if (status == DAE_ERROR_MEMORY)
    return status;
  if (status < 0) {
    *err = refusal;
    run_diagnose_loop(plan, err);
    return refusal.status;
  }
  *err = dae_error_none();
  dae__plan_moves(r->plan, r->y, r->summary);
  r->summary->diagnosis.dof -= run_held_states(plan);
  return DAE_OK;
}

static dae_status run_begin(run *r, const dae_env *env, dae_error *err)
{
  dae_status status = run_make_consistent(r, env, err);
  if (status == DAE_ERROR_START)
    return run_create_anyway(r, env, err);
  return status >= 0 ? run_create(r, env, err) : status;
}

/* ---- rows ---- */

static dae_status run_open_sinks(run *r, dae_error *err)
{
  dae_status status = DAE_OK;
  for (int i = 0; i < r->plan->sink_count && status >= 0; i++) {
    const dae_sink *sink = &r->plan->sinks[i];
    if (sink->open)
      status = sink->open(sink->self, r->columns.count, r->columns.names, err);
  }
  return status;
}

static dae_status run_row(run *r, double t, const double *y, dae_error *err)
{
  dae_status status = dae__columns_fill(&r->columns, t, y, err);
  if (status >= 0)
    status = dae__monitor_row(&r->monitor, t, y, err);
  const dae_row shown = {.columns = r->columns.count,
                         .values = r->columns.values,
                         .y = y,
                         .position_drift = r->monitor.row_position,
                         .velocity_drift = r->monitor.row_velocity};
  for (int i = 0; i < r->plan->sink_count && status >= 0; i++) {
    const dae_sink *sink = &r->plan->sinks[i];
    if (sink->row)
      status = sink->row(sink->self, &shown, err);
  }
  if (status < 0)
    return status;
  r->last_row = t;
  r->summary->rows++;
  return r->plan->verify ? dae__verify_keep(&r->verify, r->columns.values, err) : DAE_OK;
}

/* The row at a time t within the integrator's last step. */
static dae_status run_row_at(run *r, double t, dae_error *err)
{
  dae_status status = dae_integrator_interpolate(r->it, t, r->y, NULL, err);
  return status < 0 ? status : run_row(r, t, r->y, err);
}

/* The rows at times of the plan up to t, without one that belongs to the end. */
static dae_status run_planned_rows(run *r, double t, dae_error *err)
{
  dae_status status = DAE_OK;
  double at;
  while (status >= 0 && (at = dae__plan_time(r->plan, r->planned)) <= t) {
    if (at > r->plan->start.t)
      status = run_row_at(r, at, err);
    r->planned++;
  }
  return status;
}

/* A row between steps, for one sink alone. Where there is none the run goes on, as it would without
 * this sink. */
static dae_status run_fill_row(run *r, const dae_sink *sink, double t, dae_error *err)
{
  dae_row shown = {.columns = r->columns.count, .values = r->columns.values, .y = r->y};
  dae_error why;
  dae_status status = dae_integrator_interpolate(r->it, t, r->y, NULL, &why);
  if (status >= 0)
    status = dae__columns_fill(&r->columns, t, r->y, &why);
  if (status >= 0)
    status = dae__monitor_drift(&r->monitor, t, r->y, &shown.position_drift, &shown.velocity_drift,
                                &why);
  return status < 0 ? DAE_OK : sink->row(sink->self, &shown, err);
}

/* The rows that sinks want between r->t and t, which lie within the last step. */
static dae_status run_fill_rows(run *r, double t, dae_error *err)
{
  dae_status status = DAE_OK;
  double length = t - r->t;
  for (int i = 0; i < r->plan->sink_count; i++) {
    const dae_sink *sink = &r->plan->sinks[i];
    if (!sink->row || !(sink->fill > 0) || dae__plan_has_times(r->plan))
      continue;
    double pieces = fmin(ceil(length / sink->fill), MOST_FILL);
    for (int k = 1; k < pieces && status >= 0; k++)
      status = run_fill_row(r, sink, r->t + k * length / pieces, err);
  }
  return status;
}

/* ---- the loop ---- */

/* nothing but round-off is left up to the end */
static bool run_at_end(const run *r, double t)
{
  return r->plan->to - t <= 4 * DBL_EPSILON * fmax(fabs(t), fabs(r->plan->to));
}

/* The rows around an event, and the one at the end if the run ends here. */
static dae_status run_event_rows(run *r, const dae__event_news *news, bool end, dae_error *err)
{
  bool around = news->restarted && !dae__plan_has_times(r->plan);
  bool known = r->last_row == news->t && !news->restarted;
  dae_status status = around ? run_row(r, news->t, news->before, err) : DAE_OK;
  if (status < 0 || !(around || end) || known)
    return status;
  return run_row(r, run_at_end(r, r->t) ? r->plan->to : news->t, news->after, err);
}

/* The motion up to an event, its actions, the rows around it. */
static dae_status run_pass_event(run *r, double t, bool *restarted, dae_error *err)
{
  dae__event_news news = {0};
  dae_status status = run_planned_rows(r, t, err);
  if (status >= 0)
    status = run_fill_rows(r, t, err);
  if (status >= 0)
    status = dae_integrator_interpolate(r->it, t, r->y, NULL, err);
  if (status >= 0)
    status = dae__monitor_pass(&r->monitor, r->it, t, r->y, err);
  if (status < 0)
    return status;
  dae_status applied = dae__events_apply(r->events, r->it, &news, err);
  if (applied < 0)
    return applied;
  r->t = t;
  r->summary->events += news.fired;
  *restarted = news.restarted;
  if (applied == DAE_STOPPED)
    snprintf(r->summary->message, sizeof r->summary->message, "%s",
             news.name ? news.name : "an event without a name");
  bool end = applied == DAE_STOPPED || (news.restarted && run_at_end(r, r->t));
  status = news.restarted ? dae__monitor_jump(&r->monitor, news.after, err) : DAE_OK;
  if (status >= 0)
    status = run_event_rows(r, &news, end, err);
  return status < 0 ? status : applied == DAE_OK && end ? DAE_END : applied;
}

/* All events within the last step; *restarted: it ended at one of them. */
static dae_status run_pass_events(run *r, bool *restarted, dae_error *err)
{
  dae_status status = DAE_OK;
  *restarted = false;
  while (status == DAE_OK && !*restarted) {
    double t;
    status = dae__events_look(r->events, r->it, &t, err);
    if (status != DAE_EVENT)
      return status;
    status = run_pass_event(r, t, restarted, err);
  }
  return status;
}

/* The rest of the last step: rows and the work of forces. */
static dae_status run_pass_step(run *r, double t, dae_error *err)
{
  bool end = run_at_end(r, t), shown = end || !dae__plan_has_times(r->plan);
  dae_status status = run_planned_rows(r, t, err);
  if (status >= 0)
    status = run_fill_rows(r, t, err);
  if (status >= 0 && (shown || !r->plan->unmeasured))
    status = dae_integrator_interpolate(r->it, t, r->y, NULL, err);
  if (status >= 0 && shown)
    status = run_row(r, end ? r->plan->to : t, r->y, err);
  if (status >= 0)
    status = dae__monitor_pass(&r->monitor, r->it, t, r->y, err);
  if (status < 0)
    return status;
  r->t = t;
  return end ? DAE_END : DAE_OK;
}

static dae_status run_start(run *r, dae_error *err)
{
  r->t = r->plan->start.t;
  dae_status status = dae__monitor_start(&r->monitor, r->t, r->y, err);
  if (status >= 0)
    status = dae__events_arm(r->events, r->t, r->y, err);
  if (status >= 0)
    status = run_row(r, r->t, r->y, err);
  return status;
}

static dae_status run_ask_progress(const run *r, dae_error *err)
{
  if (!r->plan->progress || r->plan->progress(r->plan->progress_user, r->t))
    return DAE_OK;
  dae__fail(err, DAE_ERROR_INTERRUPTED, NULL,
            "the run was interrupted at t = %.10g; the results up to then are kept", r->t);
  dae__fail_at(err, r->t, NAN);
  return DAE_ERROR_INTERRUPTED;
}

/* What is known of a step besides its place. */
static void run_describe_step(const run *r, dae_step_record *step)
{
  dae_contraction c;
  step->stats = dae_integrator_stats(r->it);
  step->energy = r->monitor.energy;
  step->balance = r->monitor.energy - r->monitor.energy_start - r->monitor.work;
  step->observed = step->predicted = NAN;
  if (!r->plan->method->iterates || dae_contraction_of(r->it, &c, NULL) < 0)
    return;
  step->sweeps = c.last_sweeps;
  step->observed = c.last_observed;
  step->predicted = c.last_predicted;
}

/* Sinks that look at steps are told of the last one, up to an event if it had one. */
static dae_status run_tell_step(const run *r, const dae_view *view, dae_error *err)
{
  dae_step_record step = {.t = r->t, .h = r->t - view->t_previous, .order = view->order};
  dae_status status = DAE_OK;
  bool filled = false;
  for (int i = 0; i < r->plan->sink_count && status >= 0; i++) {
    const dae_sink *sink = &r->plan->sinks[i];
    if (!sink->step)
      continue;
    if (!filled)
      run_describe_step(r, &step);
    filled = true;
    status = sink->step(sink->self, &step, err);
  }
  return status;
}

static dae_status run_one_step(run *r, dae_error *err)
{
  dae_status status = dae_integrator_step(r->it, r->plan->to, err);
  if (status < 0)
    return status;
  dae_view view = dae_integrator_view(r->it);
  if (view.order > r->summary->order)
    r->summary->order = view.order;
  bool restarted;
  status = run_pass_events(r, &restarted, err);
  if (status == DAE_OK && !restarted)
    status = run_pass_step(r, view.t, err);
  if (status >= 0) {
    dae_status told = run_tell_step(r, &view, err);
    status = told < 0 ? told : status;
  }
  return status == DAE_OK ? run_ask_progress(r, err) : status;
}

static dae_status run_integrate(run *r, dae_error *err)
{
  clock_t begin = clock();
  dae_status status = run_start(r, err);
  while (status == DAE_OK)
    status = run_one_step(r, err);
  r->summary->t_end = r->t;
  r->summary->seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  return status;
}

/* ---- the end ---- */

static void run_close_sinks(const run *r, dae_error *err)
{
  dae_summary *s = r->summary;
  for (int i = 0; r->plan->sinks && i < r->plan->sink_count; i++) {
    const dae_sink *sink = &r->plan->sinks[i];
    /* the first failure is the one to tell */
    dae_error ours = dae_error_none();
    dae_status status = sink->close ? sink->close(sink->self, s, &ours) : DAE_OK;
    if (status >= 0 || s->status < 0)
      continue;
    s->status = status;
    snprintf(s->message, sizeof s->message, "%s", ours.text);
    *err = ours;
  }
}

/* The run as one system beside this one, which has ended with `ended`. */
static dae_status run_verify(run *r, dae_status ended, dae_error *err)
{
  dae_status status = dae__verify_run(&r->verify, &r->columns, r->summary, err);
  return status < 0 ? status : ended;
}

/* What an iteration between systems has seen. */
static void run_account_for_coupling(run *r)
{
  const dae_coupled *c = r->plan->problem.coupled;
  dae_contraction *out = &r->summary->contraction;
  if (!r->plan->method->iterates)
    return;
  r->summary->systems = c->parts;
  dae_contraction_of(r->it, out, NULL);
  if (!out->loop[0] && c->joints > 0) /* what balances joints is not a plain sweep */
    out->gauss_seidel = NAN;
}

/* Fills in the account, closes the sinks and releases everything. */
static dae_status run_finish(run *r, dae_status status, dae_error *err)
{
  dae_summary *s = r->summary;
  s->status = status == DAE_END ? DAE_OK : status;
  if (status < 0)
    snprintf(s->message, sizeof s->message, "%s", err->text);
  if (r->it) {
    s->stats = dae_integrator_stats(r->it);
    run_account_for_coupling(r);
  }
  if (r->monitor.measure)
    dae__monitor_report(&r->monitor, s);
  run_close_sinks(r, err);
  dae_integrator_free(r->it);
  dae__monitor_free(&r->monitor);
  dae__verify_free(&r->verify);
  dae__arena_free(r->arena);
  return s->status;
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
    status = run_begin(&r, env, err);
  if (status >= 0)
    status = run_open_sinks(&r, err);
  if (status >= 0)
    status = run_integrate(&r, err);
  if (status >= 0 && plan->verify)
    status = run_verify(&r, status, err);
  return run_finish(&r, status, err);
}
