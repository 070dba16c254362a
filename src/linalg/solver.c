/* The functions of the linear solvers, real and complex, and the selection of their backends. */
#include "linalg/solver.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "linalg/backend.h"
#include "linalg/pattern.h"
#include "linalg/zsolver.h"
#include <math.h>
#include <stdint.h>

/* Largest order n of a matrix that is treated as dense: for any pattern, and for a pattern with at
 * least a quarter of all entries. Up to the first limit a dense factorisation takes some
 * microseconds (bench/lu.c) and needs no indirect addressing; a pattern a quarter full mostly fills
 * in. Both are estimates, not measured against KLU. Without KLU, every matrix is dense. */
#define DENSE_ALWAYS_N 40
#define DENSE_QUARTER_N 500

struct dae__solver {
  const dae__backend *backend;
  void *state;
  int count;   /* number of doubles of the matrix values */
  int width;   /* number of doubles of a matrix entry: 1 real, 2 complex */
  int *column; /* saved state: column at which the last factorisation failed, or -1 */
};

/* Backends for matrix entries of `width` doubles (1 real, 2 complex), and the order from which on
 * LAPACK is faster than the own dense kernel; small (up to DAE__SMALL_N unknowns) and sparse may be
 * NULL. */
typedef struct backends {
  int width, crossover;
  const dae__backend *small, *dense, *lapack, *sparse;
} backends;

static const dae__backend *solver_select(const dae_pattern *pattern, const backends *of)
{
  int n = pattern->cols;
  int64_t full = (int64_t)n * n, entries = dae__pattern_count(pattern);
  bool fills_in = 4 * entries > full && n <= DENSE_QUARTER_N;
  if (of->small && n > 0 && n <= DAE__SMALL_N)
    return of->small;
  if (of->sparse && n > DENSE_ALWAYS_N && entries < full && !fills_in)
    return of->sparse;
  return n >= of->crossover ? of->lapack : of->dense;
}

static dae_status solver_create_on(dae__arena *arena, const dae_pattern *pattern,
                                   const backends *of, dae__solver **out, dae_error *err)
{
  *out = NULL;
  dae__solver *solver = DAE__ALLOC(arena, dae__solver, 1);
  int *column = DAE__STATE(arena, int, 1);
  dae_status status = DAE_ERROR_MEMORY;
  if (!dae__arena_failed(arena)) {
    *column = -1;
    DAE__LIMIT(arena, column, 1, -1, pattern->cols - 1);
    *solver = (dae__solver){.backend = solver_select(pattern, of),
                            .count = of->width * dae__pattern_count(pattern),
                            .width = of->width,
                            .column = column};
    status = solver->backend->create(arena, pattern, &solver->state);
  }
  if (status == DAE_ERROR_MEMORY)
    return dae__fail(err, status, NULL, "out of memory for a linear system");
  if (status < 0)
    return dae__fail(err, status, NULL,
                     "the symbolic analysis of a linear system of %d equations fails",
                     pattern->cols);
  DAE__ASSERT(solver->backend->factor && solver->backend->solve && solver->backend->rcond);
  *out = solver;
  return DAE_OK;
}

#ifdef DAE_WITH_KLU
#define KLU_OR_NULL(klu) (&(klu))
#else
#define KLU_OR_NULL(klu) NULL
#endif

dae_status dae__solver_create(dae__arena *arena, const dae_pattern *pattern, dae__solver **out,
                              dae_error *err)
{
  backends of = {1,
                 dae__lu_crossover,
                 NULL,
                 &dae__backend_dense,
                 &dae__backend_lapack,
                 KLU_OR_NULL(dae__backend_klu)};
  return solver_create_on(arena, pattern, &of, out, err);
}

dae_status dae__solver_create_iteration(dae__arena *arena, const dae_pattern *pattern,
                                        dae__solver **out, dae_error *err)
{
  backends of = {1,
                 dae__lu_crossover,
                 &dae__backend_lu_small,
                 &dae__backend_dense,
                 &dae__backend_lapack,
                 KLU_OR_NULL(dae__backend_klu)};
  return solver_create_on(arena, pattern, &of, out, err);
}

dae_status dae__zsolver_create(dae__arena *arena, const dae_pattern *pattern, dae__zsolver **out,
                               dae_error *err)
{
  backends of = {2,
                 dae__zlu_crossover,
                 &dae__backend_zlu_small,
                 &dae__backend_zdense,
                 &dae__backend_zlapack,
                 KLU_OR_NULL(dae__backend_zklu)};
  return solver_create_on(arena, pattern, &of, out, err);
}

void dae__solver_set_pattern(dae__solver *solver, const dae_pattern *pattern)
{
  DAE__ASSERT(solver->backend->set_pattern);
  solver->count = solver->width * dae__pattern_count(pattern);
  solver->backend->set_pattern(solver->state, pattern);
}

bool dae__solver_takes_plan(const dae__solver *solver)
{
  return solver->backend->set_plan != NULL;
}

void dae__solver_set_plan(dae__arena *arena, const struct dae__fronts_plan *plan,
                          dae__solver *solver)
{
  if (plan && dae__solver_takes_plan(solver))
    solver->backend->set_plan(arena, plan, solver->state);
}

dae_status dae__solver_factor(dae__solver *solver, const double *values)
{
  /* whether the backend itself detects entries that are not finite: in lu_small each of them
   * reaches a pivot */
  bool detects = solver->backend == &dae__backend_lu_small;
  *solver->column = -1;
  if (!detects && !dae__all_finite(solver->count, values))
    return DAE_ERROR_RECOVERABLE;
  dae_status status = solver->backend->factor(solver->state, values, solver->column);
  if (status == DAE_OK || !detects || dae__all_finite(solver->count, values))
    return status;
  *solver->column = -1;
  return DAE_ERROR_RECOVERABLE;
}

int dae__solver_column(const dae__solver *solver)
{
  return *solver->column;
}

void dae__solver_solve(dae__solver *solver, double *b)
{
  solver->backend->solve(solver->state, b, NULL);
}

void dae__zsolver_solve(dae__zsolver *solver, double *x, double *y)
{
  solver->backend->solve(solver->state, x, y);
}

double dae__solver_rcond(const dae__solver *solver)
{
  return solver->backend->rcond(solver->state);
}

void dae__solver_reset(dae__solver *solver)
{
  if (solver->backend->reset)
    solver->backend->reset(solver->state);
}

const char *dae__solver_kind(const dae__solver *solver)
{
  return solver->backend->kind;
}

void dae__solver_free(dae__solver *solver)
{
  if (solver && solver->backend->free)
    solver->backend->free(solver->state);
}

/* Whether every diagonal entry is larger than the sum of the others in its column, by a factor of
 * two: the matrix is regular. */
static bool solver_is_dominant(const dae_pattern *p, const double *values)
{
  for (int j = 0; j < p->cols; j++) {
    double diagonal = 0, others = 0;
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      *(p->row[e] == j ? &diagonal : &others) += fabs(values[e]);
    if (!(diagonal > 2 * others && diagonal < INFINITY))
      return false;
  }
  return true;
}

dae_status dae__solver_check_regular(const dae_env *env, const dae_pattern *pattern,
                                     const double *values, int *column, dae_error *err)
{
  *column = -1;
  if (solver_is_dominant(pattern, values))
    return DAE_OK;
  dae__arena *arena = dae__arena_create(env);
  dae__solver *solver = NULL;
  if (!arena)
    return dae__out_of_memory(err);
  dae_status status = dae__solver_create(arena, pattern, &solver, err);
  if (!status) {
    status = dae__solver_factor(solver, values);
    if (!status && dae__solver_rcond(solver) < DAE__SINGULAR_RCOND)
      status = DAE_ERROR_SINGULAR;
    *column = dae__solver_column(solver);
    if (status == DAE_ERROR_MEMORY)
      dae__out_of_memory(err);
  }
  dae__solver_free(solver);
  dae__arena_free(arena);
  return status;
}

/* ---- blocks of larger matrices ---- */

dae_status dae__block_solver_create(dae__arena *arena, const dae_pattern *matrix, int first_row,
                                    int n, dae__block_solver *out, dae_error *err)
{
  int first = matrix->cols - n, all = dae__pattern_count(matrix), count = 0;
  int *start = DAE__ALLOC(arena, int, n + 1), *row = DAE__ALLOC(arena, int, all);
  *out = (dae__block_solver){.entry = DAE__ALLOC(arena, int, all),
                             .values = DAE__ALLOC(arena, double, all)};
  DAE__TRY(dae__arena_status(arena, err));
  for (int j = 0; j < n; j++) {
    for (int e = matrix->start[first + j]; e < matrix->start[first + j + 1]; e++)
      if (matrix->row[e] >= first_row)
        row[count] = matrix->row[e] - first_row, out->entry[count++] = e;
    start[j + 1] = count;
  }
  out->pattern = (dae_pattern){n, n, start, row};
  return n > 0 ? dae__solver_create(arena, &out->pattern, &out->solver, err) : DAE_OK;
}

dae_status dae__block_solver_factor(dae__block_solver *block, const double *values)
{
  for (int e = 0; e < dae__pattern_count(&block->pattern); e++)
    block->values[e] = values[block->entry[e]];
  return dae__solver_factor(block->solver, block->values);
}
