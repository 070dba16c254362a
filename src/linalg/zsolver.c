/* Complex linear solver: zlu_small for small systems; for larger ones the real solver with complex
 * backends, a number being a pair of doubles. The dense backend is S A = P L U, S the reciprocal
 * largest real or imaginary parts of the rows; L, U, pivots and S are state of the arena. */
#include "linalg/zsolver.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/backend.h"
#include "linalg/pattern.h"
#include "linalg/zdense.h"
#include "linalg/zlu_small.h"
#include <float.h>
#include <math.h>
#include <string.h>

#ifdef DAE_WITH_LAPACK
void zgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
void zgetrs_(const char *trans, const int *n, const int *nrhs, const double *A, const int *lda,
             const int *pivot, double *B, const int *ldb, int *info, size_t trans_length);
#endif

struct dae__zsolver {
  int n, count;          /* number of unknowns; number of matrix entries */
  dae__zlu_small *small; /* solver of small systems; NULL: no unknowns, or more than DAE__SMALL_N */
  int *column;           /* saved state: column at which the small solver failed, or -1 */
  dae__solver *pairs;
  double *b; /* right side as pairs of real and imaginary part */
};

dae_status dae__zsolver_create(dae__arena *arena, const dae_pattern *pattern, dae__zsolver **out,
                               dae_error *err)
{
  int n = pattern->cols;
  bool small = n > 0 && n <= DAE__SMALL_N;
  dae__backends backends = {2, dae__zlu_crossover, &dae__backend_zdense, NULL, NULL};
#ifdef DAE_WITH_LAPACK
  backends.lapack = &dae__backend_zlapack;
#endif
#ifdef DAE_WITH_KLU
  backends.sparse = &dae__backend_zklu;
#endif
  *out = NULL;
  dae__zsolver *solver = DAE__ALLOC(arena, dae__zsolver, 1);
  int *column = small ? DAE__STATE(arena, int, 1) : NULL;
  dae__zlu_small *lu = small ? dae__zlu_small_create(arena, pattern) : NULL;
  double *b = small ? NULL : DAE__ALLOC(arena, double, 2 * (size_t)n);
  if (dae__arena_failed(arena))
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "out of memory for a linear system");
  *solver = (dae__zsolver){
      .n = n, .count = dae__pattern_count(pattern), .small = lu, .column = column, .b = b};
  if (small) {
    *column = -1;
    DAE__LIMIT(arena, column, 1, -1, n - 1);
  } else
    DAE__TRY(dae__solver_create_on(arena, pattern, backends, &solver->pairs, err));
  *out = solver;
  return DAE_OK;
}

void dae__zsolver_set_pattern(dae__zsolver *solver, const dae_pattern *pattern)
{
  solver->n = pattern->cols;
  solver->count = dae__pattern_count(pattern);
  dae__zlu_small_set_pattern(solver->small, pattern);
}

dae_status dae__zsolver_factor(dae__zsolver *solver, const double complex *values)
{
  const double *parts = (const double *)values;
  if (!solver->small)
    return dae__solver_factor(solver->pairs, parts);
  *solver->column = -1;
  if (!dae__all_finite(2 * solver->count, parts))
    return DAE_ERROR_RECOVERABLE;
  *solver->column = dae__zlu_small_factor(solver->small, parts) - 1;
  return *solver->column < 0 ? DAE_OK : DAE_ERROR_SINGULAR;
}

int dae__zsolver_column(const dae__zsolver *solver)
{
  return solver->small ? *solver->column : dae__solver_column(solver->pairs);
}

void dae__zsolver_solve(dae__zsolver *solver, double *x, double *y)
{
  if (solver->small) {
    dae__zlu_small_solve(solver->small, x, y);
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

void dae__zsolver_reset(dae__zsolver *solver)
{
  if (solver->small)
    dae__zlu_small_reset(solver->small);
  else
    dae__solver_reset(solver->pairs);
}

void dae__zsolver_free(dae__zsolver *solver)
{
  if (solver)
    dae__solver_free(solver->pairs);
}

/* ---- dense backend ---- */

/* Storage of a matrix: distance in doubles from row to row, from column to column, and from the
 * real to the imaginary part of an entry. */
typedef struct layout {
  size_t row, column, imaginary;
} layout;

typedef struct zdense {
  int n;
  layout layout;
  size_t size; /* number of doubles of LU */
  const dae_pattern *pattern;
  double *LU, *scale; /* factors L and U, row scales; saved state */
  double *x, *y;      /* real and imaginary parts of the right side */
  int *pivot;         /* row exchanges; saved state */
} zdense;

static dae_status zdense_solver_create(dae__arena *arena, const dae_pattern *pattern, layout where,
                                       size_t size, void **state)
{
  int n = pattern->cols;
  size_t stride = dae__zlu_stride(n);
  zdense *d = DAE__ALLOC(arena, zdense, 1);
  double *LU = DAE__STATE(arena, double, size), *scale = DAE__STATE(arena, double, n);
  int *pivot = DAE__STATE(arena, int, n);
  double *x = DAE__ALLOC(arena, double, stride), *y = DAE__ALLOC(arena, double, stride);
  if (dae__arena_failed(arena))
    return DAE_ERROR_MEMORY;
  DAE__LIMIT(arena, pivot, n, 0, n - 1);
  *d = (zdense){n, where, size, pattern, LU, scale, x, y, pivot};
  *state = d;
  return DAE_OK;
}

static dae_status zdense_solver_create_own(dae__arena *arena, const dae_pattern *pattern,
                                           void **state)
{
  size_t stride = dae__zlu_stride(pattern->cols);
  layout apart = {1, 2 * stride, stride};
  return zdense_solver_create(arena, pattern, apart, dae__zlu_size(pattern->cols), state);
}

/* Row scales S and LU = S A from values in pairs of real and imaginary part. */
static void zdense_solver_scatter(const zdense *d, const double *values)
{
  const dae_pattern *p = d->pattern;
  double *scale = d->scale;
  int count = dae__pattern_count(p);
  for (int i = 0; i < d->n; i++)
    scale[i] = 0;
  for (int e = 0; e < count; e++) {
    double x = fabs(values[2 * e]), y = fabs(values[2 * e + 1]), t = x > y ? x : y;
    int i = p->row[e];
    scale[i] = t > scale[i] ? t : scale[i];
  }
  for (int i = 0; i < d->n; i++) /* scale 2^1000 below DBL_MIN: reciprocals may overflow */
    scale[i] = scale[i] < DBL_MIN ? 0x1p1000 : 1 / scale[i];
  memset(d->LU, 0, d->size * sizeof *d->LU);
  for (int j = 0; j < d->n; j++) {
    double *a = d->LU + (size_t)j * d->layout.column;
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      double *to = a + (size_t)p->row[e] * d->layout.row, s = scale[p->row[e]];
      to[0] = s * values[2 * e];
      to[d->layout.imaginary] = s * values[2 * e + 1];
    }
  }
}

static dae_status zdense_solver_factor_own(void *state, const double *values, int *column)
{
  zdense *d = state;
  if (d->n == 0)
    return DAE_OK;
  zdense_solver_scatter(d, values);
  int failed = dae__zlu_factor(d->n, d->LU, d->pivot);
  *column = failed - 1;
  return failed ? DAE_ERROR_SINGULAR : DAE_OK;
}

static void zdense_solver_solve_own(void *state, double *b)
{
  const zdense *d = state;
  for (int i = 0; i < d->n; i++) { /* x + i y = S b */
    d->x[i] = d->scale[i] * b[2 * i];
    d->y[i] = d->scale[i] * b[2 * i + 1];
  }
  dae__zlu_solve(d->n, d->LU, d->pivot, d->x, d->y); /* x + i y = (S A)\(x + i y) */
  for (int i = 0; i < d->n; i++) {
    b[2 * i] = d->x[i];
    b[2 * i + 1] = d->y[i];
  }
}

static double zdense_solver_rcond_own(const void *state)
{
  const zdense *d = state;
  return dae__zlu_rcond(d->n, d->LU);
}

const dae__backend dae__backend_zdense = {.kind = "dense",
                                          .create = zdense_solver_create_own,
                                          .factor = zdense_solver_factor_own,
                                          .solve = zdense_solver_solve_own,
                                          .rcond = zdense_solver_rcond_own};

#ifdef DAE_WITH_LAPACK
static dae_status zdense_solver_create_lapack(dae__arena *arena, const dae_pattern *pattern,
                                              void **state)
{
  size_t n = (size_t)pattern->cols;
  layout pairs = {2, 2 * n, 1};
  return zdense_solver_create(arena, pattern, pairs, 2 * n * n, state);
}

static dae_status zdense_solver_factor_lapack(void *state, const double *values, int *column)
{
  zdense *d = state;
  int info;
  zdense_solver_scatter(d, values);
  zgetrf_(&d->n, &d->n, d->LU, &d->n, d->pivot, &info);
  for (int j = 0; j < d->n; j++) {
    const double *u = d->LU + 2 * ((size_t)j * (size_t)d->n + (size_t)j);
    if (!isfinite(u[0]) || !isfinite(u[1]) || (u[0] == 0 && u[1] == 0)) {
      *column = j;
      return DAE_ERROR_SINGULAR;
    }
  }
  return DAE_OK;
}

static void zdense_solver_solve_lapack(void *state, double *b)
{
  const zdense *d = state;
  int info, one = 1;
  for (int i = 0; i < d->n; i++) { /* b = S b */
    b[2 * i] *= d->scale[i];
    b[2 * i + 1] *= d->scale[i];
  }
  zgetrs_("N", &d->n, &one, d->LU, &d->n, d->pivot, b, &d->n, &info, 1); /* b = (S A)\b */
}

static double zdense_solver_rcond_lapack(const void *state)
{
  const zdense *d = state;
  double min = INFINITY, max = 0;
  for (int j = 0; j < d->n; j++) {
    const double *u = d->LU + 2 * ((size_t)j * (size_t)d->n + (size_t)j);
    double t = hypot(u[0], u[1]);
    min = t < min ? t : min;
    max = t > max ? t : max;
  }
  return max > 0 ? min / max : 0;
}

const dae__backend dae__backend_zlapack = {.kind = "lapack",
                                           .create = zdense_solver_create_lapack,
                                           .factor = zdense_solver_factor_lapack,
                                           .solve = zdense_solver_solve_lapack,
                                           .rcond = zdense_solver_rcond_lapack};
#endif
