#include "step/assembled.h"
#include "core/error.h"
#include "problem/consistent.h"
#include "problem/coupled/assembly.h"
#include "step/permuted.h"

dae_status dae__assembled_check_problem(const dae_problem *problem, dae__newton_outcome *judge,
                                        dae_error *err)
{
  dae_status status = dae_problem_validate(problem, err);
  if (status || !problem->coupled)
    return status ? status : judge(problem, err);
  dae__arena *arena = dae__arena_create(NULL);
  dae__assembly *assembly;
  if (!arena)
    return dae__out_of_memory(err);
  status = dae__assembly_create(arena, problem, &assembly, err);
  if (!status)
    status = judge(dae__assembly_problem(assembly), err);
  dae__arena_free(arena);
  return status;
}

/* the integrator of the assembly, shown in the order of the parts */
static dae_status assembled_create_around(dae__arena *arena, const dae_problem *problem,
                                          const dae_start *start, dae__create_single *create,
                                          const void *request, const dae_env *env,
                                          dae_integrator **out, dae_error *err)
{
  int size = dae_problem_size(problem);
  double *y = DAE__ALLOC(arena, double, size);
  bool *fixed = start->fixed ? DAE__ALLOC(arena, bool, size) : NULL;
  dae__assembly *assembly;
  dae_integrator *child = NULL;
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  DAE__TRY(dae__assembly_create(arena, problem, &assembly, err));
  const int *order = dae__assembly_order(assembly);
  for (int i = 0; i < size; i++) {
    y[order[i]] = start->y[i];
    if (fixed)
      fixed[order[i]] = start->fixed[i];
  }
  dae_start inner = {.t = start->t, .y = y, .fixed = fixed};
  dae_status status = create(request, dae__assembly_problem(assembly), &inner, env, &child, err);
  if (!status)
    status = dae__permuted_create(arena, child, order, size, out, err);
  if (status)
    dae_integrator_free(child);
  return status;
}

dae_status dae__assembled_create(const dae_problem *problem, const dae_start *start,
                                 dae__create_single *create, const void *request,
                                 const dae_env *env, dae_integrator **out, dae_error *err)
{
  *out = NULL;
  dae_status status = dae_problem_validate(problem, err);
  if (!status)
    status = dae__start_check(problem, start, err);
  if (status || !problem->coupled)
    return status ? status : create(request, problem, start, env, out, err);
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return dae__out_of_memory(err);
  status = assembled_create_around(arena, problem, start, create, request, env, out, err);
  if (status)
    dae__arena_free(arena);
  return status;
}
