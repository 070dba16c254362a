/* Dense LU behind dae__zsolver: S A = P L U, S the reciprocal largest parts of the rows' entries.
 * L, U, pivots and S are kept in the arena, so that nothing has to be rebuilt after a load. */
#include "linalg/backend.h"
#include "linalg/pattern.h"
#include "linalg/zdense.h"
#include <float.h>
#include <math.h>
#include <string.h>

#ifdef DAE_WITH_LAPACK
void zgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
void zgetrs_(const char *trans, const int *n, const int *nrhs, const double *A, const int *lda,
             const int *pivot, double *B, const int *ldb, int *info, size_t trans_length);
#endif

/* where entry (i, j) is: doubles from row to row, from column to column, and from the real to the
 * imaginary part */
typedef struct layout {
  size_t row, column, imaginary;
} layout;

typedef struct dense {
  int n;
  layout layout;
  size_t size; /* doubles of LU */
  const dae_pattern *pattern;
  double *LU, *scale;
  double *x, *y; /* the right side's parts */
  int *pivot;
} dense;

static dae_status zdense_solver_create(dae__arena *arena, const dae_pattern *pattern, layout where,
                                       size_t size, void **state)
{
  int n = pattern->cols;
  size_t stride = dae__zlu_stride(n);
  dense *d = DAE__ALLOC(arena, dense, 1);
  double *LU = DAE__STATE(arena, double, size), *scale = DAE__STATE(arena, double, n);
  int *pivot = DAE__STATE(arena, int, n);
  double *x = DAE__ALLOC(arena, double, stride), *y = DAE__ALLOC(arena, double, stride);
  if (dae__arena_failed(arena))
    return DAE_ERROR_MEMORY;
  *d = (dense){n, where, size, pattern, LU, scale, x, y, pivot};
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

/* scale = S, values in pairs */
static void zdense_solver_find_scale(const dense *d, const double *values)
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
  for (int i = 0; i < d->n; i++) /* below DBL_MIN the reciprocal may overflow */
    scale[i] = scale[i] < DBL_MIN ? 0x1p1000 : 1 / scale[i];
}

/* LU = S A */
static void zdense_solver_scatter(const dense *d, const double *values)
{
  const dae_pattern *p = d->pattern;
  memset(d->LU, 0, d->size * sizeof *d->LU);
  for (int j = 0; j < d->n; j++) {
    double *a = d->LU + (size_t)j * d->layout.column;
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      double *to = a + (size_t)p->row[e] * d->layout.row, scale = d->scale[p->row[e]];
      to[0] = scale * values[2 * e];
      to[d->layout.imaginary] = scale * values[2 * e + 1];
    }
  }
}

static dae_status zdense_solver_factor_own(void *state, const double *values, int *column)
{
  dense *d = state;
  if (d->n == 0)
    return DAE_OK;
  zdense_solver_find_scale(d, values);
  zdense_solver_scatter(d, values);
  int failed = dae__zlu_factor(d->n, d->LU, d->pivot);
  *column = failed - 1;
  return failed ? DAE_ERROR_SINGULAR : DAE_OK;
}

static void zdense_solver_solve_own(void *state, double *b)
{
  const dense *d = state;
  for (int i = 0; i < d->n; i++) { /* x + i y = S b */
    d->x[i] = d->scale[i] * b[2 * i];
    d->y[i] = d->scale[i] * b[2 * i + 1];
  }
  dae__zlu_solve(d->n, d->LU, d->pivot, d->x, d->y); /* (S A)\(x + i y) */
  for (int i = 0; i < d->n; i++) {
    b[2 * i] = d->x[i];
    b[2 * i + 1] = d->y[i];
  }
}

static double zdense_solver_rcond_own(const void *state)
{
  const dense *d = state;
  return dae__zlu_rcond(d->n, d->LU);
}

static dae_status zdense_solver_reload(void *state)
{
  (void)state;
  return DAE_OK;
}

static void zdense_solver_release(void *state)
{
  (void)state;
}

const dae__backend dae__backend_zdense = {"dense",
                                          zdense_solver_create_own,
                                          zdense_solver_factor_own,
                                          zdense_solver_solve_own,
                                          zdense_solver_rcond_own,
                                          zdense_solver_reload,
                                          NULL,
                                          zdense_solver_release};

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
  dense *d = state;
  int info;
  zdense_solver_find_scale(d, values);
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
  const dense *d = state;
  int info, one = 1;
  for (int i = 0; i < d->n; i++) { /* b = S b */
    b[2 * i] *= d->scale[i];
    b[2 * i + 1] *= d->scale[i];
  }
  zgetrs_("N", &d->n, &one, d->LU, &d->n, d->pivot, b, &d->n, &info, 1); /* b = (S A)\b */
}

static double zdense_solver_rcond_lapack(const void *state)
{
  const dense *d = state;
  double min = INFINITY, max = 0;
  for (int j = 0; j < d->n; j++) {
    const double *u = d->LU + 2 * ((size_t)j * (size_t)d->n + (size_t)j);
    double t = hypot(u[0], u[1]);
    min = t < min ? t : min;
    max = t > max ? t : max;
  }
  return max > 0 ? min / max : 0;
}

const dae__backend dae__backend_zlapack = {"lapack",
                                           zdense_solver_create_lapack,
                                           zdense_solver_factor_lapack,
                                           zdense_solver_solve_lapack,
                                           zdense_solver_rcond_lapack,
                                           zdense_solver_reload,
                                           NULL,
                                           zdense_solver_release};
#endif
