/* The complex solver is the real one with other ways to factor: a number is a pair of doubles. */
#include "linalg/zsolver.h"
#include "core/error.h"
#include "linalg/backend.h"
#include "linalg/zdense.h"

struct dae__zsolver {
  dae__solver *pairs;
};

dae_status dae__zsolver_create(dae__arena *arena, const dae_pattern *pattern, dae__zsolver **out,
                               dae_error *err)
{
  *out = NULL;
  dae__backends ways = {2, dae__zlu_crossover, &dae__backend_zdense, NULL, NULL};
#ifdef DAE_WITH_LAPACK
  ways.lapack = &dae__backend_zlapack;
#endif
#ifdef DAE_WITH_KLU
  ways.sparse = &dae__backend_zklu;
#endif
  dae__zsolver *solver = DAE__TAKE(arena, dae__zsolver, 1);
  if (!solver)
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "out of memory for a linear system");
  dae_status status = dae__solver_create_on(arena, pattern, ways, &solver->pairs, err);
  if (status == DAE_OK)
    *out = solver;
  return status;
}

dae_status dae__zsolver_factor(dae__zsolver *solver, const double complex *values)
{
  return dae__solver_factor(solver->pairs, (const double *)values);
}

int dae__zsolver_column(const dae__zsolver *solver)
{
  return dae__solver_column(solver->pairs);
}

void dae__zsolver_solve(dae__zsolver *solver, double complex *b)
{
  dae__solver_solve(solver->pairs, (double *)b);
}

dae_status dae__zsolver_reload(dae__zsolver *solver)
{
  return dae__solver_reload(solver->pairs);
}

void dae__zsolver_forget(dae__zsolver *solver)
{
  dae__solver_forget(solver->pairs);
}

void dae__zsolver_free(dae__zsolver *solver)
{
  if (solver)
    dae__solver_free(solver->pairs);
}
