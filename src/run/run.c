/* The whole flow: make consistent, create, loop { step -> events -> rows }, finish.
 *
 * Without `every` there is a row at the start, at every accepted step and at the end, and at an
 * event with an action one before and one after it; with it, rows at from + k every and at the
 * end. The last row is at the end time exactly. */
#include "core/arena.h"
#include "core/error.h"
#include "core/log.h"
#include "core/vec.h"
#include "output/text.h"
#include "run/columns.h"
#include "run/monitor.h"
#include "step/events.h"

#include <daedal/run.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* a start value that changed by less, relative to 1 + |value|, was not moved: projection's own
 * tolerance */
#define MOVED 1e-12

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
  long grid;       /* index of the next row on the output grid */
} run;

/* ---- before the start ---- */

static const char *problem_name(const dae_problem *p)
{
  const char *name = p->mechanical      ? p->mechanical->name
                     : p->semi_explicit ? p->semi_explicit->name
                     : p->momentum      ? p->momentum->name
                     : p->coupled       ? p->coupled->name
                                        : NULL;
  return name ? name : "problem";
}

/* An account in which nothing has happened yet. */
static void clear_summary(dae_summary *s, const dae_run_plan *plan)
{
  *s = (dae_summary){.problem = problem_name(&plan->problem),
                     .method = plan->method ? plan->method->name : NULL,
                     .rtol = NAN,
                     .atol = NAN,
                     .t_start = plan->start.t,
                     .t_end = plan->start.t,
                     .position_drift = NAN,
                     .velocity_drift = NAN,
                     .energy_start = NAN,
                     .energy_change = NAN,
                     .energy_balance = NAN,
                     .energy_settled = NAN};
}

static dae_status check_plan(const dae_run_plan *plan, dae_error *err)
{
  if (!plan->method)
    return dae__fail(err, DAE_ERROR_USAGE, "method", "the run has no method: see dae_method_find");
  if (!plan->start.y || !isfinite(plan->start.t))
    return dae__fail(err, DAE_ERROR_USAGE, "start", "the run has no start values");
  if (!(isfinite(plan->to) && plan->to > plan->start.t))
    return dae__fail(err, DAE_ERROR_USAGE, "to",
                     "the end time, %g, does not lie beyond the start time, %g", plan->to,
                     plan->start.t);
  if (!(isfinite(plan->every) && plan->every >= 0))
    return dae__fail(err, DAE_ERROR_USAGE, "every",
                     "every = %g is not a distance of output times; 0 writes every step",
                     plan->every);
  if (plan->column_count < 0 || (plan->column_count > 0 && !plan->columns))
    return dae__fail(err, DAE_ERROR_USAGE, "columns", "the run has no list of its columns");
  if (plan->outputs < 0 || (plan->outputs > 0 && !plan->output))
    return dae__fail(err, DAE_ERROR_USAGE, "output", "the run has outputs but no output function");
  if (plan->event_count < 0 || (plan->event_count > 0 && !plan->events))
    return dae__fail(err, DAE_ERROR_USAGE, "events", "the run has no list of its events");
  if (plan->sink_count < 0 || (plan->sink_count > 0 && !plan->sinks))
    return dae__fail(err, DAE_ERROR_USAGE, "sinks", "the run has no list of its sinks");
  dae_status status = dae_problem_validate(&plan->problem, err);
  if (status >= 0 && plan->method->accepts)
    status = plan->method->accepts(&plan->problem, err);
  return status;
}

/* Memory, columns, measures, events. */
static dae_status prepare(run *r, const dae_env *env, dae_error *err)
{
  const dae_run_plan *plan = r->plan;
  r->arena = dae__arena_create(env);
  if (r->arena)
    r->y = DAE__TAKE(r->arena, double, dae_problem_size(&plan->problem));
  if (!r->arena || dae__arena_failed(r->arena))
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the run");
  dae_status status = dae__columns_create(r->arena, plan, &r->columns, err);
  if (status >= 0)
    status = dae__monitor_create(r->arena, &plan->problem, &r->monitor, err);
  if (status >= 0)
    status = dae__events_create(r->arena, &plan->problem, plan->events, plan->event_count,
                                plan->held, &r->events, err);
  return status;
}

/* Adds a line to the table of moved start values while there is room. */
static void add_move(dae_summary *s, const char *name, double from, double to)
{
  char a[40], b[40], line[400];
  dae__number_text(from, 12, a);
  dae__number_text(fabs(to) <= MOVED * fabs(from) ? 0 : to, 12, b);
  int length = snprintf(line, sizeof line, "%.250s\t%s\t%s\n", name, a, b);
  size_t used = strlen(s->moves), kept_free = 40;
  s->moved++;
  if (used + (size_t)length + kept_free < sizeof s->moves)
    memcpy(s->moves + used, line, (size_t)length + 1);
}

/* the values given that are others by now */
static void list_moves(run *r)
{
  r->summary->moved = 0;
  r->summary->moves[0] = '\0';
  const dae_problem *problem = &r->plan->problem;
  const double *from = r->plan->start.y, *to = r->y;
  for (int i = 0; i < dae_problem_size(problem); i++) {
    char name[256];
    dae_variable_kind kind = dae_problem_variable(problem, i, name, sizeof name);
    /* algebraic variables and multipliers are guesses */
    bool given =
        kind == DAE_VARIABLE_COORDINATE || kind == DAE_VARIABLE_RATE || kind == DAE_VARIABLE_STATE;
    if (given && fabs(to[i] - from[i]) > MOVED * (1 + fabs(from[i])))
      add_move(r->summary, name, from[i], to[i]);
  }
  int listed = 0;
  for (const char *c = r->summary->moves; *c; c++)
    listed += *c == '\n';
  size_t used = strlen(r->summary->moves);
  if (listed < r->summary->moved)
    snprintf(r->summary->moves + used, sizeof r->summary->moves - used, "... and %d more\n",
             r->summary->moved - listed);
}

/* States that are held are no degrees of freedom; a mechanical problem does not count them. */
static int held_states(const dae_run_plan *plan)
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

static dae_status make_consistent(run *r, const dae_env *env, dae_error *err)
{
  const dae_run_plan *plan = r->plan;
  dae_status status = dae_consistent_start(&plan->problem, &plan->start, env, r->y, NULL,
                                           &r->summary->diagnosis, err);
  if (status < 0)
    return status;
  list_moves(r);
  r->summary->diagnosis.dof -= held_states(plan);
  if (r->summary->moved > 0)
    dae__log(env, DAE_LOG_INFO, "start: values moved to make it consistent: %d", r->summary->moved);
  if (r->summary->diagnosis.rank < r->summary->diagnosis.constraints)
    dae__log(env, DAE_LOG_WARNING, "%s", r->summary->diagnosis.text);
  return DAE_OK;
}

/* value of the method's option of this name, NaN if it has none */
static double option_value(const dae_method *method, const void *opts, const char *name)
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
static dae_status look_at_start(run *r, dae_error *err)
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
  s->energy_settled = before - after;
  list_moves(r);
  return DAE_OK;
}

static dae_status create(run *r, const dae_env *env, dae_error *err)
{
  const dae_method *method = r->plan->method;
  const void *opts = r->plan->options;
  if (!opts && method->defaults) {
    void *own = dae__arena_take(r->arena, 1, method->options_size);
    if (!own)
      return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the options");
    method->defaults(own);
    opts = own;
  }
  if (opts && method->options) {
    r->summary->rtol = option_value(method, opts, "rtol");
    r->summary->atol = option_value(method, opts, "atol");
    r->summary->damped = option_value(method, opts, "damp") == 1;
    r->summary->caution = method->caution ? method->caution(opts) : NULL;
  }
  dae_start start = r->plan->start;
  start.y = r->y;
  dae_status status = method->create(&r->plan->problem, &start, opts, env, &r->it, err);
  return status >= 0 && r->summary->damped ? look_at_start(r, err) : status;
}

/* Where the start does not determine every variable, the method may be able to leave it all the
 * same; what it then says of the start is what is shown. */
static dae_status create_anyway(run *r, const dae_env *env, dae_error *err)
{
  const dae_run_plan *plan = r->plan;
  dae_error refusal = *err;
  dae__copy(dae_problem_size(&plan->problem), plan->start.y, r->y);
  dae_status status = create(r, env, err);
  if (status >= 0)
    status = dae_integrator_interpolate(r->it, plan->start.t, r->y, NULL, err);
  if (status == DAE_ERROR_MEMORY)
    return status;
  if (status < 0) {
    *err = refusal;
    return refusal.status;
  }
  *err = dae_error_none();
  list_moves(r);
  r->summary->diagnosis.dof -= held_states(plan);
  return DAE_OK;
}

static dae_status begin(run *r, const dae_env *env, dae_error *err)
{
  dae_status status = make_consistent(r, env, err);
  if (status == DAE_ERROR_START)
    return create_anyway(r, env, err);
  return status >= 0 ? create(r, env, err) : status;
}

/* ---- rows ---- */

static dae_status open_sinks(run *r, dae_error *err)
{
  dae_status status = DAE_OK;
  for (int i = 0; i < r->plan->sink_count && status >= 0; i++) {
    const dae_sink *sink = &r->plan->sinks[i];
    status = sink->open(sink->self, r->columns.count, r->columns.names, err);
  }
  return status;
}

static dae_status row(run *r, double t, const double *y, dae_error *err)
{
  dae_status status = dae__columns_fill(&r->columns, t, y, err);
  if (status >= 0)
    status = dae__monitor_row(&r->monitor, t, y, err);
  for (int i = 0; i < r->plan->sink_count && status >= 0; i++) {
    const dae_sink *sink = &r->plan->sinks[i];
    status = sink->row(sink->self, r->columns.count, r->columns.values, err);
  }
  if (status < 0)
    return status;
  r->last_row = t;
  r->summary->rows++;
  return DAE_OK;
}

/* The row at a time t within the integrator's last step. */
static dae_status row_at(run *r, double t, dae_error *err)
{
  dae_status status = dae_integrator_interpolate(r->it, t, r->y, NULL, err);
  return status < 0 ? status : row(r, t, r->y, err);
}

/* The rows of the output grid up to t, without one that belongs to the end. */
static dae_status grid_rows(run *r, double t, dae_error *err)
{
  const dae_run_plan *plan = r->plan;
  while (plan->every > 0) {
    double at = plan->start.t + (double)r->grid * plan->every;
    if (at > t || at >= plan->to - 1e-9 * plan->every)
      break;
    dae_status status = row_at(r, at, err);
    if (status < 0)
      return status;
    r->grid++;
  }
  return DAE_OK;
}

/* ---- the loop ---- */

/* nothing but round-off is left up to the end */
static bool at_end(const run *r, double t)
{
  return r->plan->to - t <= 4 * DBL_EPSILON * fmax(fabs(t), fabs(r->plan->to));
}

/* The rows around an event, and the one at the end if the run ends here. */
static dae_status event_rows(run *r, const dae__event_news *news, bool end, dae_error *err)
{
  bool around = news->restarted && !(r->plan->every > 0);
  bool known = r->last_row == news->t && !news->restarted;
  dae_status status = around ? row(r, news->t, news->before, err) : DAE_OK;
  if (status < 0 || !(around || end) || known)
    return status;
  return row(r, at_end(r, r->t) ? r->plan->to : news->t, news->after, err);
}

/* The motion up to an event, its actions, the rows around it. */
static dae_status pass_event(run *r, double t, bool *restarted, dae_error *err)
{
  dae__event_news news = {0};
  dae_status status = grid_rows(r, t, err);
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
  bool end = applied == DAE_STOPPED || (news.restarted && at_end(r, r->t));
  status = news.restarted ? dae__monitor_jump(&r->monitor, news.after, err) : DAE_OK;
  if (status >= 0)
    status = event_rows(r, &news, end, err);
  return status < 0 ? status : applied == DAE_OK && end ? DAE_END : applied;
}

/* All events within the last step; *restarted: it ended at one of them. */
static dae_status pass_events(run *r, bool *restarted, dae_error *err)
{
  dae_status status = DAE_OK;
  *restarted = false;
  while (status == DAE_OK && !*restarted) {
    double t;
    status = dae__events_look(r->events, r->it, &t, err);
    if (status != DAE_EVENT)
      return status;
    status = pass_event(r, t, restarted, err);
  }
  return status;
}

/* The rest of the last step: rows and the work of forces. */
static dae_status pass_step(run *r, double t, dae_error *err)
{
  bool end = at_end(r, t);
  dae_status status = grid_rows(r, t, err);
  if (status >= 0)
    status = dae_integrator_interpolate(r->it, t, r->y, NULL, err);
  if (status >= 0 && (end || !(r->plan->every > 0)))
    status = row(r, end ? r->plan->to : t, r->y, err);
  if (status >= 0)
    status = dae__monitor_pass(&r->monitor, r->it, t, r->y, err);
  if (status < 0)
    return status;
  r->t = t;
  return end ? DAE_END : DAE_OK;
}

static dae_status start(run *r, dae_error *err)
{
  r->t = r->plan->start.t;
  r->grid = 1;
  dae_status status = dae__monitor_start(&r->monitor, r->t, r->y, err);
  if (status >= 0)
    status = dae__events_arm(r->events, r->t, r->y, err);
  if (status >= 0)
    status = row(r, r->t, r->y, err);
  return status;
}

static dae_status ask_progress(const run *r, dae_error *err)
{
  if (!r->plan->progress || r->plan->progress(r->plan->progress_user, r->t))
    return DAE_OK;
  dae__fail(err, DAE_ERROR_INTERRUPTED, NULL,
            "the run was interrupted at t = %.10g; the results up to then are kept", r->t);
  dae__fail_at(err, r->t, NAN);
  return DAE_ERROR_INTERRUPTED;
}

static dae_status one_step(run *r, dae_error *err)
{
  dae_status status = dae_integrator_step(r->it, r->plan->to, err);
  if (status < 0)
    return status;
  dae_view view = dae_integrator_view(r->it);
  if (view.order > r->summary->order)
    r->summary->order = view.order;
  bool restarted;
  status = pass_events(r, &restarted, err);
  if (status == DAE_OK && !restarted)
    status = pass_step(r, view.t, err);
  return status == DAE_OK ? ask_progress(r, err) : status;
}

static dae_status integrate(run *r, dae_error *err)
{
  clock_t begin = clock();
  dae_status status = start(r, err);
  while (status == DAE_OK)
    status = one_step(r, err);
  r->summary->t_end = r->t;
  r->summary->seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  return status;
}

/* ---- the end ---- */

static void close_sinks(const run *r, dae_error *err)
{
  dae_summary *s = r->summary;
  for (int i = 0; r->plan->sinks && i < r->plan->sink_count; i++) {
    const dae_sink *sink = &r->plan->sinks[i];
    /* the first failure is the one to tell */
    dae_error ours = dae_error_none();
    dae_status status = sink->close(sink->self, s, &ours);
    if (status >= 0 || s->status < 0)
      continue;
    s->status = status;
    snprintf(s->message, sizeof s->message, "%s", ours.text);
    *err = ours;
  }
}

/* Fills in the account, closes the sinks and releases everything. */
static dae_status finish(run *r, dae_status status, dae_error *err)
{
  dae_summary *s = r->summary;
  s->status = status == DAE_END ? DAE_OK : status;
  if (status < 0)
    snprintf(s->message, sizeof s->message, "%s", err->text);
  if (r->it)
    s->stats = dae_integrator_stats(r->it);
  if (r->monitor.measure)
    dae__monitor_report(&r->monitor, s);
  close_sinks(r, err);
  dae_integrator_free(r->it);
  dae__monitor_free(&r->monitor);
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
  clear_summary(r.summary, plan);

  dae_status status = check_plan(plan, err);
  if (status >= 0)
    status = prepare(&r, env, err);
  if (status >= 0)
    status = begin(&r, env, err);
  if (status >= 0)
    status = open_sinks(&r, err);
  if (status >= 0)
    status = integrate(&r, err);
  return finish(&r, status, err);
}
