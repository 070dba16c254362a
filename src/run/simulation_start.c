/* Start of a run: memory, columns, monitor and events, a consistent start, the integrator. */
#include "run/simulation.h"

#include "core/log.h"
#include "core/options.h"
#include "core/vec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Largest margin of a coupling loop at which its solution counts as not unique: round-off of the
 * computation of the margin; chosen, not measured. */
#define LOOP_MARGIN_ROUND_OFF 1e-12

void dae__simulation_extend(dae_simulation *r)
{
  const dae_held *held = &r->plan.problem.held;
  dae__copy(held->count, held->value, r->y + dae_problem_size(&r->plan.problem));
}

dae_status dae__simulation_stop_memory(dae_simulation *r, int count, dae_error *err)
{
  if (count <= r->stop_capacity)
    return DAE_OK;
  r->stop_capacity = 2 * count;
  r->stops = dae_arena_alloc(r->arena, (size_t)r->stop_capacity, sizeof *r->stops);
  return r->stops ? DAE_OK
                  : dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the stops of the run");
}

dae_status dae__simulation_find_stops(dae_simulation *r, double from, double to, dae_error *err)
{
  const dae_run_plan *plan = &r->plan;
  int count = plan->stops(plan->stops_user, from, to, r->stop_capacity, r->stops);
  if (count > r->stop_capacity) {
    DAE__TRY(dae__simulation_stop_memory(r, count, err));
    count = plan->stops(plan->stops_user, from, to, r->stop_capacity, r->stops);
  }
  if (count < 0)
    return dae__fail(err, DAE_ERROR_CALLBACK, "stops", "the stops of the plan were not found");
  r->stop_count = count;
  r->next_stop = 0;
  r->stops_known = to;
  return DAE_OK;
}

dae_status dae__simulation_allocate(const dae_run_plan *plan, const dae_env *env,
                                    dae_simulation **out, dae_error *err)
{
  dae__arena *arena = dae__arena_create(env);
  dae_simulation *r = DAE__ALLOC(arena, dae_simulation, 1);
  *out = r;
  if (!r) {
    dae__arena_free(arena);
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the run");
  }
  *r = (dae_simulation){.plan = *plan,
                        .env = *dae__arena_env(arena),
                        .summary = dae__plan_summary(plan),
                        .arena = arena,
                        .error = dae_error_none()};
  return DAE_OK;
}

/* Creates columns, monitor and events. */
static dae_status start_prepare(dae_simulation *r, dae_error *err)
{
  const dae_run_plan *plan = &r->plan;
  const dae_problem *problem = &plan->problem;
  r->y = DAE__ALLOC(r->arena, double, dae_problem_extended_size(problem));
  r->state = DAE__ALLOC(r->arena, double, dae_problem_extended_size(problem));
  r->dy = DAE__ALLOC(r->arena, double, dae_problem_size(problem));
  if (dae__arena_failed(r->arena))
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the run");
  DAE__TRY(dae__columns_create(r->arena, plan, &r->columns, err));
  r->verify = (dae__verify){.env = r->env, .columns = r->columns.count};
  DAE__TRY(dae__monitor_create(r->arena, plan->unmeasured ? NULL : problem, &r->monitor, err));
  DAE__TRY(dae__events_create(r->arena, problem, plan->events, plan->event_count, &r->events, err));
  dae__events_set_end(r->events, plan->to);
  r->events_before = dae_arena_alloc(r->arena, dae__events_state_size(r->events), 1);
  r->stop_capacity = 1;
  r->held_changed = true;
  r->stops = DAE__ALLOC(r->arena, double, 1);
  DAE__TRY(dae__arena_status(r->arena, err));
  return plan->stops && !plan->stops_held
             ? dae__simulation_find_stops(r, plan->start.t, plan->to, err)
             : DAE_OK;
}

/* Lists the values of all options in the summary, but for those that follow from others. */
static void start_list_options(const dae_option_table *table, const void *opts, dae_summary *s)
{
  dae__text text = dae__text_in(s->options, sizeof s->options);
  char value[64];
  for (int i = 0; i < table->count; i++) {
    dae_options_get(table, opts, i, value, sizeof value);
    if (strcmp(value, "nan") != 0)
      dae__text_add(&text, "%s\t%s\n", table->options[i].name, value);
  }
}

/* Options of the method, those of the plan or its defaults, and what the summary says of them. */
static dae_status start_read_options(dae_simulation *r, dae_error *err)
{
  const dae_method *method = r->plan.method;
  const void *opts = r->plan.options;
  dae_summary *s = &r->summary;
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
    start_list_options(method->options, opts, s);
    s->caution = method->caution ? method->caution(opts) : NULL;
  }
  r->options = opts;
  bool fixed = dae__trust_fixed_steps(s);
  dae__events_set_tolerances(r->events, fixed ? DAE__FIXED_STEP_RTOL : s->rtol,
                             fixed ? DAE__FIXED_STEP_ATOL : s->atol);
  return DAE_OK;
}

static dae_status start_create(dae_simulation *r, dae_error *err)
{
  const dae_method *method = r->plan.method;
  dae_summary *s = &r->summary;
  dae_start start = r->plan.start;
  start.y = r->y;
  start.given = NULL; /* y is consistent */
  start.held = NULL;
  start.to = r->plan.to;
  DAE__TRY(method->create(&r->plan.problem, &start, r->options, &r->env, &r->it, err));
  if (!s->damped)
    return DAE_OK;
  /* energy before and after the move onto the slow motion */
  s->damping = dae_integrator_damping(r->it);
  double before, after, power;
  DAE__TRY(dae__monitor_energy(&r->monitor, start.t, r->y, &before, &power, err));
  DAE__TRY(dae_integrator_interpolate(r->it, start.t, r->y, NULL, err));
  DAE__TRY(dae__monitor_energy(&r->monitor, start.t, r->y, &after, &power, err));
  s->energy_removed_at_start = before - after;
  dae__plan_moves(&r->plan, r->y, s);
  return DAE_OK;
}

/* Creates the integrator without a consistent start: if the start does not determine every
 * variable, the first step of the method may. The summary then contains the start of the method.
 * If that fails, too, the message of the start is replaced where the coupling raises the index of
 * the systems. */
static dae_status start_create_inconsistent(dae_simulation *r, dae_error *err)
{
  const dae_run_plan *plan = &r->plan;
  const dae_coupled *coupled = plan->problem.coupled;
  dae_error refusal = *err;
  dae_contraction c;
  dae__copy(dae_problem_size(&plan->problem), plan->start.y, r->y);
  dae_status status = start_create(r, err);
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
  dae__plan_moves(plan, r->y, &r->summary);
  return DAE_OK;
}

/* Largest number of rounds in which the branches of guards at the start follow from each other. */
#define START_ROUNDS 100

/* Consistent start with the held values of guards those of their branches. */
static dae_status start_consistent(dae_simulation *r, dae_error *err)
{
  const dae_run_plan *plan = &r->plan;
  dae_start start = plan->start;
  double *held = r->y + dae_problem_size(&plan->problem), t = start.t;
  bool changed = true, rests, leant = false;
  if (start.held)
    dae__copy(plan->problem.held.count, start.held, held);
  else
    dae__simulation_extend(r);
  start.held = held;
  for (int round = 0; changed; round++) {
    dae_status status = dae_consistent_start(&plan->problem, &start, &r->env, r->y, r->dy,
                                             &r->summary.diagnosis, err);
    if (status < 0)
      return status;
    DAE__TRY(dae__events_set_guards(r->events, t, r->y, r->dy, &changed, &rests, err));
    if (!changed && rests && !leant) {
      leant = true;
      DAE__TRY(dae__events_lean(r->events, t, r->y, r->dy, &changed, err));
    }
    if (changed && round == START_ROUNDS)
      return dae__fail(err, DAE_ERROR_START, "guards",
                       "no branches of the conditions fit each other at the start: each choice "
                       "leads to another one. Give start values away from the borders");
  }
  return DAE_OK;
}

/* Computes a consistent start and creates the integrator there. */
static dae_status start_begin(dae_simulation *r, dae_error *err)
{
  const dae_run_plan *plan = &r->plan;
  dae_summary *s = &r->summary;
  dae_status status = start_consistent(r, err);
  if (status == DAE_ERROR_START)
    return start_create_inconsistent(r, err);
  if (status < 0)
    return status;
  DAE__TRY(dae__events_start_contacts(r->events, plan->start.t, r->y, err));
  dae__plan_moves(plan, r->y, s);
  if (s->moved > 0)
    dae__log(&r->env, DAE_LOG_INFO, "start: values moved to make it consistent: %d", s->moved);
  if (s->diagnosis.rank < s->diagnosis.constraints)
    dae__log(&r->env, DAE_LOG_WARNING, "%s", s->diagnosis.text);
  return start_create(r, err);
}

dae_status dae__simulation_start(dae_simulation *r, dae_error *err)
{
  dae_status status = dae__plan_check(&r->plan, err);
  if (status >= 0)
    status = start_prepare(r, err);
  if (status >= 0)
    status = start_read_options(r, err);
  if (status >= 0)
    status = start_begin(r, err);
  r->t = r->trust.event_t = r->reached = r->plan.start.t;
  return status;
}
