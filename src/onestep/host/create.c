/* Creation of a one-step integrator, and methods outside the library. */
#include "core/error.h"
#include "core/hash.h"
#include "core/option_rows.h"
#include "core/options.h"
#include "core/vec.h"
#include "linalg/solver.h"
#include "onestep/host/integrator.h"
#include "problem/consistent.h"
#include "problem/problem.h"
#include "step/assembled.h"
#include "step/smooth/smooth.h"
#include <float.h>
#include <math.h>

/* Number of steps for which the step size of a method outside the library stays below a size at
 * which an attempt failed. Chosen, not measured. */
#define BOUNDED_STEPS 8

/* Tests whether M is singular at the start, which some methods refuse. */
static dae_status onestep_check_mass(dae__onestep *o, dae__arena *arena, dae_error *err)
{
  const dae__onestep_needs *needs = &o->descriptor.needs;
  dae__semi *s = o->adapter.forms->s;
  char name[64] = "";
  int column;
  if (!o->adapter.problem->semi_explicit || !s->p->M)
    return DAE_OK;
  double *M = DAE__ALLOC(arena, double, dae__pattern_count(&s->M));
  DAE__TRY(dae__arena_status(arena, err));
  DAE__TRY(dae__semi_M(s, o->driver->t, o->now.z, M, err));
  dae_status status = dae__solver_check_regular(o->env, &s->M, M, &column, err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  if (column >= 0)
    dae__semi_variable_name(s->p, column, name, sizeof name);
  if (!needs->singular)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, needs->method,
                     "%s needs a regular mass matrix; this one is singular%s%s: use radau, "
                     "radau-iia or bdf",
                     needs->method, name[0] ? " at " : "", name);
  o->singular_mass = true;
  dae__onestep_update_singular(o);
  return DAE_OK;
}

static dae_status onestep_complete_crossing(void *self, double t, double *z, double *dz,
                                            dae_error *err)
{
  return dae__adapter_complete(self, t, z, dz, err);
}

static dae_status onestep_create_memory(dae__onestep *o, dae__arena *arena, dae_error *err)
{
  size_t size = (size_t)o->adapter.size;
  o->memory = DAE__STATE(arena, dae__onestep_memory, 1);
  o->driver = DAE__STATE(arena, dae__driver_memory, 1);
  dae_point *saved[] = {&o->now, &o->previous}, *work[] = {&o->next, &o->output};
  for (int i = 0; i < 2; i++) {
    saved[i]->z = DAE__STATE(arena, double, size);
    saved[i]->dz = DAE__STATE(arena, double, size);
    DAE__VECTORS(arena, size, &work[i]->z, &work[i]->dz);
  }
  o->crossing = (dae__crossing){.nx = o->adapter.nx,
                                .size = o->adapter.size,
                                .rtol = o->control.rtol,
                                .atol = o->control.atol,
                                .atol_scale = o->adapter.atol_scale,
                                .complete = onestep_complete_crossing,
                                .self = &o->adapter,
                                .work = DAE__ALLOC(arena, double, DAE__CROSSING_VECTORS *size)};
  o->in = DAE__STATE(arena, double, o->adapter.inputs);
  o->next_in = DAE__ALLOC(arena, double, o->adapter.inputs);
  o->first_step = o->control.first_step;
  dae__limits_create(arena, dae_problem_size(o->adapter.problem), &o->limits);
  DAE__TRY(dae__arena_status(arena, err));
  o->adapter.limiting = &o->limits.now;
  return DAE_OK;
}

/* Limits of the saved integers and truth values. */
static void onestep_limit_memory(dae__onestep *o, dae__arena *arena)
{
  dae__driver_memory *k = o->driver;
  int steppers = o->descriptor.create_rest ? DAE__MAX_STEPPERS : o->steppers;
  DAE__LIMIT(arena, &o->memory->current, 2, 0, steppers - 1);
  DAE__LIMIT_TRUTH(arena, &o->memory->swapped, 2); /* and crossed */
  DAE__LIMIT_COUNTER(arena, &o->memory->switches, 1);
  DAE__LIMIT_FINITE(arena, &k->t, 4); /* t, t_previous, h, leaving */
  DAE__LIMIT_FINITE(arena, o->now.z, o->adapter.size);
  DAE__LIMIT_FINITE(arena, o->previous.z, o->adapter.size);
  DAE__LIMIT_TRUTH(arena, &k->started, 1);
  DAE__LIMIT_COUNTER(arena, &k->done, 1);
  DAE__LIMIT_COUNTER(arena, &k->bounded, 1);
  DAE__LIMIT_TRUTH(arena, &k->controller.opts.predictive, 1);
  DAE__LIMIT_COUNTER(arena, &k->controller.opts.order, 1);
  DAE__LIMIT_TRUTH(arena, &k->controller.rejected, 1);
  DAE__LIMIT_COUNTER(arena, &k->stall.steps, 3);
  DAE__LIMIT_STATS(arena, &k->stats);
}

/* With the option `damp`: moves the start in o->next onto the slow motion. */
static dae_status onestep_create_smooth(dae__onestep *o, dae__arena *arena,
                                        const dae_problem *problem, const dae_start *start,
                                        dae_error *err)
{
  const dae__smooth_options opts = {.rtol = o->control.rtol,
                                    .atol = o->control.atol,
                                    .time = o->descriptor.damp_time,
                                    .from = start->t,
                                    .to = start->to};
  if (!o->descriptor.damp)
    return DAE_OK;
  DAE__TRY(dae__smooth_create(arena, problem, &opts, &o->smooth, err));
  return dae__smooth_start(o->smooth, start->t, start->fixed, o->next.z, err);
}

static dae_status onestep_create(dae__onestep *o, dae__arena *arena, const dae_problem *problem,
                                 const dae_start *start, dae_error *err)
{
  int size = dae_problem_size(problem);
  double *scale = DAE__ALLOC(arena, double, size);
  DAE__TRY(dae__arena_status(arena, err));
  dae__problem_atol_scale(problem, o->control.atol, size, scale);
  o->adapter.atol_scale = scale;
  DAE__TRY((problem->mechanical      ? dae__adapter_mechanical
            : problem->semi_explicit ? dae__adapter_semi
                                     : dae__adapter_momentum)(arena, problem, &o->descriptor.needs,
                                                              &o->control, &o->adapter, err));
  DAE__TRY(onestep_create_memory(o, arena, err));
  dae__mech *m = o->adapter.forms->s ? NULL : o->adapter.forms->m;
  DAE__TRY(dae__conserve_create(arena, m, &o->control, scale, &o->conserve, err));
  dae__copy(o->adapter.size, start->y, o->next.z);
  dae_status status = onestep_create_smooth(o, arena, problem, start, err);
  if (!status)
    status = dae__onestep_reset_at(o, start->t, start->fixed, err);
  if (!status)
    status = onestep_check_mass(o, arena, err);
  if (!status)
    status = o->descriptor.create_steppers(o, arena, err);
  if (!status)
    onestep_limit_memory(o, arena);
  return dae__start_status(status, err);
}

typedef struct request {
  const dae__onestep_descriptor *descriptor;
  const dae_step_options *control;
} request;

static dae_status onestep_create_single(const void *request_of, const dae_problem *problem,
                                        const dae_start *start, const dae_env *env,
                                        dae_integrator **out, dae_error *err)
{
  const request *r = request_of;
  DAE__TRY(r->descriptor->check_problem(r->descriptor, problem, err));
  dae__arena *arena = dae__arena_create(env);
  dae__onestep *o = DAE__ALLOC(arena, dae__onestep, 1);
  if (!o) {
    dae__arena_free(arena);
    return dae__out_of_memory(err);
  }
  o->control = *r->control;
  o->descriptor = *r->descriptor;
  o->env = dae__arena_env(arena);
  o->table = dae__onestep_verbs;
  o->table.method = r->descriptor->needs.method;
  dae_status status = onestep_create(o, arena, problem, start, err);
  o->descriptor.options = o->descriptor.data = NULL;
  if (!status && dae__integrator_create(arena, &o->table, o, out))
    status = dae__out_of_memory(err);
  if (!status && o->smooth)
    status = dae__integrator_smooth(*out, o->smooth, err);
  if (status) {
    *out = NULL;
    dae__smooth_free(o->smooth);
    o->table.free(o);
    dae__arena_free(arena);
  }
  return status;
}

dae_status dae__onestep_create(const dae__onestep_descriptor *descriptor,
                               const dae_step_options *control, const dae_problem *problem,
                               const dae_start *start, const dae_env *env, dae_integrator **out,
                               dae_error *err)
{
  request r = {.descriptor = descriptor, .control = control};
  *out = NULL;
  DAE__TRY(dae__assembled_create(problem, start, onestep_create_single, &r, env, out, err));
  dae__identity identity = {problem, descriptor->table, descriptor->options, descriptor->other};
  if (!identity.table) { /* a method outside the library: its own options are in `other` */
    identity.table = &dae_step_option_table;
    identity.options = control;
  }
  return dae__integrator_identify(out, &identity, err);
}

static dae_status onestep_check_single(const void *descriptor, const dae_problem *problem,
                                       dae_error *err)
{
  const dae__onestep_descriptor *d = descriptor;
  return d->check_problem(d, problem, err);
}

dae_status dae__onestep_accepts(const dae__onestep_descriptor *descriptor,
                                const dae_problem *problem, dae_error *err)
{
  return dae__assembled_check_problem(problem, onestep_check_single, descriptor, err);
}

/* ---- methods outside the library ---- */

#define OPTIONS dae_step_options
static const dae_option step_options[] = {RTOL,     ATOL,         STEP,   FIRST_STEP,
                                          MAX_STEP, MAX_FAILURES, PROJECT};

const dae_option_table dae_step_option_table = TABLE("the one-step method", step_options);

void dae_step_defaults(void *opts)
{
  *(dae_step_options *)opts = (dae_step_options){.rtol = 1e-6, .max_failures = 30, .project = true};
}

static dae_status onestep_check_own(const dae__onestep_descriptor *descriptor,
                                    const dae_problem *problem, dae_error *err)
{
  const dae_onestep_method *method = descriptor->data;
  if (problem->momentum)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, method->name,
                     "%s does not take the momentum form: use spark-gauss", method->name);
  return method->check_problem ? method->check_problem(problem, err) : DAE_OK;
}

static dae_status onestep_create_own(dae__onestep *o, dae__arena *arena, dae_error *err)
{
  const dae_onestep_method *method = o->descriptor.data;
  dae__stepper stepper = {.table = &method->stepper,
                          .order = method->order,
                          .control = dae__controller_defaults(method->error_order),
                          .second_order = true};
  DAE__TRY(method->create(arena, &o->adapter, o->descriptor.options, &stepper.self, err));
  dae__onestep_add_stepper(o, &stepper);
  return DAE_OK;
}

static dae__onestep_descriptor onestep_own_descriptor(const dae_onestep_method *method,
                                                      const void *options)
{
  return (dae__onestep_descriptor){.needs = {.method = method->name, .index = 1},
                                   .bounded_steps = BOUNDED_STEPS,
                                   .check_problem = onestep_check_own,
                                   .create_steppers = onestep_create_own,
                                   .options = options,
                                   .data = method};
}

dae_status dae_onestep_accepts(const dae_onestep_method *method, const dae_problem *problem,
                               dae_error *err)
{
  dae__onestep_descriptor descriptor = onestep_own_descriptor(method, NULL);
  return dae__onestep_accepts(&descriptor, problem, err);
}

dae_status dae_onestep_create(const dae_onestep_method *method, const dae_step_options *control,
                              const void *options, const dae_problem *problem,
                              const dae_start *start, const dae_env *env, dae_integrator **out,
                              dae_error *err)
{
  dae__onestep_descriptor descriptor = onestep_own_descriptor(method, options);
  const dae_stepper_table *t = &method->stepper;
  dae_step_options own;
  dae_step_defaults(&own);
  own = control ? *control : own;
  *out = NULL;
  if (!method->name || !method->create || !t->attempt || !t->complete || !t->dense_output)
    return dae__fail(err, DAE_ERROR_USAGE, "method",
                     "a one-step method needs name, create, attempt, complete and dense_output");
  DAE__TRY(dae_options_validate(&dae_step_option_table, &own, err));
  own.atol = dae__options_atol(own.rtol, own.atol);
  if (method->options && options)
    DAE__TRY(dae_options_validate(method->options, options, err));
  if (own.step == 0 && method->error_order == 0)
    return dae__fail(err, DAE_ERROR_OPTION, "step",
                     "%s has fixed steps: give their size by step (--step on the command line)",
                     method->name);
  descriptor.other = dae__hash_options(DAE__HASH_START, method->options, options);
  return dae__onestep_create(&descriptor, &own, problem, start, env, out, err);
}
