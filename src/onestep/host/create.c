/* Creation of a one-step integrator. */
#include "core/error.h"
#include "core/vec.h"
#include "linalg/solver.h"
#include "onestep/host/integrator.h"
#include "problem/consistent.h"
#include "step/assembled.h"

/* Number of steps for which the step size stays below a size at which the iteration failed;
 * evaluations of radau hardly differ from 4 to 20. */
#define BOUNDED_STEPS 8

/* Sets adapter.singular: M is singular at the start, which some methods refuse, or the index is
 * 2. */
static dae_status onestep_check_slopes(dae__rk *o, dae__arena *arena, dae_error *err)
{
  dae__semi *s = o->adapter.s;
  const char *method = o->descriptor.needs.method;
  char name[64] = "";
  int column;
  if (o->adapter.problem->semi_explicit && s->hidden_count > 0)
    o->adapter.singular = true;
  if (!o->adapter.problem->semi_explicit || !s->p->M)
    return DAE_OK;
  double *M = DAE__ALLOC(arena, double, dae__pattern_count(&s->M));
  if (!M)
    return dae__out_of_memory(err);
  DAE__TRY(dae__semi_M(s, o->driver.memory->t, o->now.z, M, err));
  dae_status status = dae__solver_check_regular(dae__arena_env(arena), &s->M, M, &column, err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  if (column >= 0)
    dae__semi_variable_name(s->p, column, name, sizeof name);
  if (!o->descriptor.needs.singular)
    return dae__fail(
        err, DAE_ERROR_UNSUPPORTED, method,
        "%s needs a regular mass matrix; this one is singular%s%s: use radau, radau-iia or "
        "bdf",
        method, name[0] ? " at " : "", name);
  o->adapter.singular = true;
  return DAE_OK;
}

static dae_status onestep_create(dae__rk *o, dae__arena *arena, const dae_problem *problem,
                                 const dae_start *start, dae_error *err)
{
  const dae__rk_needs *needs = &o->descriptor.needs;
  DAE__TRY(problem->mechanical
               ? dae__rk_adapter_mechanical(arena, problem, needs, &o->opts, &o->adapter, err)
               : dae__rk_adapter_semi(arena, problem, needs, &o->opts, &o->adapter, err));
  size_t size = (size_t)o->adapter.size;
  o->memory = DAE__STATE(arena, dae__rk_memory, 1);
  o->driver = (dae__driver){.table = &dae__rk_driver,
                            .self = o,
                            .rtol = o->opts.rtol,
                            .atol = o->opts.atol,
                            .step = o->opts.step,
                            .first_step = o->opts.first_step,
                            .max_step = o->opts.max_step,
                            .max_failures = o->opts.max_failures,
                            .bounded = BOUNDED_STEPS,
                            .env = dae__arena_env(arena),
                            .memory = DAE__STATE(arena, dae__driver_memory, 1)};
  o->now.z = DAE__STATE(arena, double, size);
  o->now.dz = DAE__STATE(arena, double, size);
  o->previous.z = DAE__STATE(arena, double, size);
  o->previous.dz = DAE__STATE(arena, double, size);
  o->in = DAE__STATE(arena, double, o->adapter.nin);
  o->next.z = DAE__ALLOC(arena, double, size);
  o->next.dz = DAE__ALLOC(arena, double, size);
  o->output.z = DAE__ALLOC(arena, double, size);
  o->output.dz = DAE__ALLOC(arena, double, size);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae__copy(o->adapter.size, start->y, o->next.z);
  dae_status status = dae__rk_reset_at(o, start->t, start->fixed, err);
  if (!status)
    status = onestep_check_slopes(o, arena, err);
  if (!status)
    status = o->descriptor.create_steppers(o, arena, err);
  if (!status)
    dae__rk_update_driver(o);
  return dae__start_status(status, err);
}

typedef struct request {
  const dae__rk_descriptor *descriptor;
  const dae_rk_options *opts;
} request;

static dae_status onestep_create_single(const void *request_of, const dae_problem *problem,
                                        const dae_start *start, const dae_env *env,
                                        dae_integrator **out, dae_error *err)
{
  const request *r = request_of;
  DAE__TRY(r->descriptor->check_problem(r->descriptor, problem, err));
  dae__arena *arena = dae__arena_create(env);
  dae__rk *o = arena ? DAE__ALLOC(arena, dae__rk, 1) : NULL;
  if (!o) {
    dae__arena_free(arena);
    return dae__out_of_memory(err);
  }
  o->opts = *r->opts;
  o->descriptor = *r->descriptor;
  o->table = dae__rk_verbs;
  o->table.method = r->descriptor->needs.method;
  dae_status status = onestep_create(o, arena, problem, start, err);
  if (!status && dae__integrator_create(arena, &o->table, o, out))
    status = dae__out_of_memory(err);
  if (status) {
    o->table.free(o);
    dae__arena_free(arena);
  }
  return status;
}

dae_status dae__rk_create(const dae__rk_descriptor *descriptor, const dae_rk_options *opts,
                          const dae_problem *problem, const dae_start *start, const dae_env *env,
                          dae_integrator **out, dae_error *err)
{
  request r = {.descriptor = descriptor, .opts = opts};
  return dae__assembled_create(problem, start, onestep_create_single, &r, env, out, err);
}
