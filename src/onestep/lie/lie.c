/* The constructor of the Lie-group method. */
#include "onestep/lie/lie.h"
#include "core/error.h"
#include "step/assembled.h"
#include <math.h>

static dae_status lie_check_problem(const dae_problem *problem, dae_error *err)
{
  if (problem->momentum)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "lie",
                     "lie does not take the momentum form: use spark-gauss, or give the problem in "
                     "the mechanical form");
  if (problem->semi_explicit && problem->semi_explicit->index == 3)
    return dae__fail(
        err, DAE_ERROR_UNSUPPORTED, "lie",
        "lie takes semi-explicit problems of index 1 and 2; this one declares index 3: "
        "give it in the mechanical form, or differentiate its constraints once");
  return DAE_OK;
}

dae_status dae__lie_accepts(const dae_problem *problem, dae_error *err)
{
  return dae__assembled_check_problem(problem, lie_check_problem, err);
}

static dae_status lie_check_options(const dae_lie_options *o, dae_error *err)
{
  dae_lie_options finite = *o; /* of all options kappa alone may be infinite */
  if (finite.kappa == INFINITY)
    finite.kappa = 0;
  DAE__TRY(dae_options_validate(&dae_lie_option_table, &finite, err));
  if (o->order == 3)
    return dae__fail(err, DAE_ERROR_OPTION, "order", "order is 2, or 4 by composition, not 3");
  if (o->order == 4 && o->theta != 0.5)
    return dae__fail(err, DAE_ERROR_OPTION, "theta",
                     "order 4 is composed of symmetric steps, which only theta = 0.5 gives");
  if (o->lie_iteration != DAE_LIE_NESTED && (o->inner_tol > 0 || o->outer_tol > 0))
    return dae__fail(err, DAE_ERROR_OPTION, o->inner_tol > 0 ? "inner_tol" : "outer_tol",
                     "this is for the nested iteration; Newton's always goes to round-off");
  if (o->lie_iteration == DAE_LIE_NESTED && o->kappa > 1e150)
    return dae__fail(err, DAE_ERROR_OPTION, "kappa",
                     "the nested iteration needs a finite kappa: it is not the midpoint rule");
  return DAE_OK;
}

static dae_status lie_create_single(const void *request, const dae_problem *problem,
                                    const dae_start *start, const dae_env *env,
                                    dae_integrator **out, dae_error *err)
{
  DAE__TRY(lie_check_problem(problem, err));
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return dae__out_of_memory(err);
  dae_status status = dae__lie_integrator_create(arena, problem, start, request, out, err);
  if (status)
    dae__arena_free(arena);
  return status;
}

dae_status dae_lie_create(const dae_problem *problem, const dae_start *start,
                          const dae_lie_options *opts, const dae_env *env, dae_integrator **out,
                          dae_error *err)
{
  dae_lie_options defaults = dae_lie_defaults();
  opts = opts ? opts : &defaults;
  *out = NULL;
  dae_status status = lie_check_options(opts, err);
  return status ? status
                : dae__assembled_create(problem, start, lie_create_single, opts, env, out, err);
}
