/* Few unknowns have a kernel of their own; beyond, the complex solver is the real one with other
 * ways to factor: a number is a pair of doubles. */
#include "linalg/zsolver.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/backend.h"
#include "linalg/pattern.h"
#include "linalg/zdense.h"
#include "linalg/zlu_small.h"

struct dae__zsolver {
  int n, count; /* unknowns, entries */
  dae__zlu_small *few;
  int *column; /* kept: where few failed, or -1 */
  dae__solver *pairs;
  double *b; /* a right side in pairs */
};

static dae_status zsolver_create_small(dae__arena *arena, const dae_pattern *pattern,
                                       dae__zsolver *solver)
{
  solver->column = DAE__STATE(arena, int, 1);
  solver->few = dae__zlu_small_create(arena, pattern);
  if (dae__arena_failed(arena))
    return DAE_ERROR_MEMORY;
  *solver->column = -1;
  return DAE_OK;
}

static dae_status zsolver_create_pairs(dae__arena *arena, const dae_pattern *pattern,
                                       dae__zsolver *solver, dae_error *err)
{
  dae__backends ways = {2, dae__zlu_crossover, &dae__backend_zdense, NULL, NULL};
#ifdef DAE_WITH_LAPACK
  ways.lapack = &dae__backend_zlapack;
#endif
#ifdef DAE_WITH_KLU
  ways.sparse = &dae__backend_zklu;
#endif
  solver->b = DAE__ALLOC(arena, double, 2 * (size_t)pattern->cols);
  if (!solver->b)
    return DAE_ERROR_MEMORY;
  return dae__solver_create_on(arena, pattern, ways, &solver->pairs, err);
}

dae_status dae__zsolver_create(dae__arena *arena, const dae_pattern *pattern, dae__zsolver **out,
                               dae_error *err)
{
  int n = pattern->cols;
  *out = NULL;
  dae__zsolver *solver = DAE__ALLOC(arena, dae__zsolver, 1);
  dae_status status = solver ? DAE_OK : DAE_ERROR_MEMORY;
  if (!status) {
    *solver = (dae__zsolver){.n = n, .count = dae__pattern_count(pattern)};
    status = n > 0 && n <= DAE__SMALL_N ? zsolver_create_small(arena, pattern, solver)
                                        : zsolver_create_pairs(arena, pattern, solver, err);
  }
  if (status == DAE_ERROR_MEMORY)
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "out of memory for a linear system");
  if (status == DAE_OK)
    *out = solver;
  return status;
}

void dae__zsolver_turn_to(dae__zsolver *solver, const dae_pattern *pattern)
{
  solver->n = pattern->cols;
  solver->count = dae__pattern_count(pattern);
  dae__zlu_small_turn_to(solver->few, pattern);
}

dae_status dae__zsolver_factor(dae__zsolver *solver, const double complex *values)
{
  const double *parts = (const double *)values;
  if (!solver->few)
    return dae__solver_factor(solver->pairs, parts);
  *solver->column = -1;
  if (!dae__all_finite(2 * solver->count, parts))
    return DAE_ERROR_RECOVERABLE;
  *solver->column = dae__zlu_small_factor(solver->few, parts) - 1;
  return *solver->column < 0 ? DAE_OK : DAE_ERROR_SINGULAR;
}

int dae__zsolver_column(const dae__zsolver *solver)
{
  return solver->few ? *solver->column : dae__solver_column(solver->pairs);
}

void dae__zsolver_solve(dae__zsolver *solver, double *x, double *y)
{
  if (solver->few) {
    dae__zlu_small_solve(solver->few, x, y);
    return;
  }
  for (int i = 0; i < solver->n; i++) {
    solver->b[2 * i] = x[i];
    solver->b[2 * i + 1] = y[i];
  }
  dae__solver_solve(solver->pairs, solver->b);
  for (int i = 0; i < solver->n; i++) {
    x[i] = solver->b[2 * i];
    y[i] = solver->b[2 * i + 1];
  }
}

dae_status dae__zsolver_reload(dae__zsolver *solver)
{
  return solver->few ? DAE_OK : dae__solver_reload(solver->pairs);
}

void dae__zsolver_forget(dae__zsolver *solver)
{
  if (solver->few)
    dae__zlu_small_forget(solver->few);
  else
    dae__solver_forget(solver->pairs);
}

void dae__zsolver_free(dae__zsolver *solver)
{
  if (solver)
    dae__solver_free(solver->pairs);
}
