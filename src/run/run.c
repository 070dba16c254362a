/* A whole run: the short form of a run in steps. */
#include "run/simulation.h"

#include <math.h>

dae_status dae_run(const dae_run_plan *plan, const dae_env *env, dae_summary *summary,
                   dae_error *err)
{
  dae_simulation *run;
  dae_error own_error;
  err = err ? err : &own_error;
  *err = dae_error_none();
  dae_status status = dae__simulation_allocate(plan, env, &run, err);
  if (status < 0) {
    status = dae__env_status(env, status, err);
    dae_simulation none = {
        .plan = *plan, .summary = dae__plan_summary(plan), .status = status, .error = *err};
    return dae_simulation_finish(&none, summary, err);
  }
  run->status = dae__simulation_cause(run, dae__simulation_start(run, err), err);
  run->status = dae__env_status(env, run->status, err);
  run->error = *err;
  if (run->status >= 0)
    dae_simulation_advance(run, INFINITY, err);
  status = dae_simulation_finish(run, summary, err);
  dae_simulation_free(run);
  return status;
}
