/* Dense LU behind dae__solver: S A = P L U, S the reciprocal largest entries of the rows.
 * L, U, pivots and S are kept in the arena, so that nothing has to be rebuilt after a load. */
#include "linalg/backend.h"
#include "linalg/dense.h"
#include "linalg/pattern.h"
#include <math.h>
#include <string.h>

typedef struct dense {
  int n;
  bool full; /* the pattern is */
  const dae_pattern *pattern;
  double *LU, *scale;
  int *pivot;
} dense;

static dae_status dense_solver_create(dae__arena *arena, const dae_pattern *pattern, void **state)
{
  size_t n = (size_t)pattern->cols;
  dense *d = DAE__ALLOC(arena, dense, 1);
  double *LU = DAE__STATE(arena, double, n *n);
  double *scale = DAE__STATE(arena, double, n);
  int *pivot = DAE__STATE(arena, int, n);
  if (dae__arena_failed(arena))
    return DAE_ERROR_MEMORY;
  bool full = (size_t)dae__pattern_count(pattern) == n * n;
  *d = (dense){pattern->cols, full, pattern, LU, scale, pivot};
  *state = d;
  return DAE_OK;
}

/* LU = A */
static void dense_solver_scatter(const dense *d, const double *values)
{
  const dae_pattern *p = d->pattern;
  size_t n = (size_t)d->n;
  if (d->full) {
    memcpy(d->LU, values, n * n * sizeof *values);
    return;
  }
  memset(d->LU, 0, n * n * sizeof *values);
  for (int j = 0; j < d->n; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      d->LU[(size_t)j * n + (size_t)p->row[e]] = values[e];
}

static dae_status dense_solver_factor(void *state, const double *values, int *column)
{
  dense *d = state;
  if (d->n == 0)
    return DAE_OK;
  dense_solver_scatter(d, values);
  dae__lu_scale_rows(d->n, d->LU, d->scale); /* scale = S, LU = S A */
  int failed = dae__lu_factor(d->n, d->LU, d->pivot);
  *column = failed - 1;
  return failed ? DAE_ERROR_SINGULAR : DAE_OK;
}

static void dense_solver_solve(void *state, double *b)
{
  const dense *d = state;
  for (int i = 0; i < d->n; i++) /* b = S b */
    b[i] *= d->scale[i];
  dae__lu_solve(d->n, d->LU, d->pivot, b); /* b = (S A)\b */
}

/* min |U_ii| / max |U_ii| */
static double dense_solver_rcond(const void *state)
{
  const dense *d = state;
  double min = INFINITY, max = 0;
  for (int i = 0; i < d->n; i++) {
    double u = fabs(d->LU[(size_t)i * (size_t)d->n + (size_t)i]);
    min = u < min ? u : min;
    max = u > max ? u : max;
  }
  if (d->n == 0)
    return 1;
  return max > 0 ? min / max : 0;
}

static dae_status dense_solver_reload(void *state)
{
  (void)state;
  return DAE_OK;
}

static void dense_solver_release(void *state)
{
  (void)state;
}

const dae__backend dae__backend_dense = {"dense",
                                         dense_solver_create,
                                         dense_solver_factor,
                                         dense_solver_solve,
                                         dense_solver_rcond,
                                         dense_solver_reload,
                                         NULL,
                                         dense_solver_release};
const dae__backend dae__backend_lapack = {"lapack",
                                          dense_solver_create,
                                          dense_solver_factor,
                                          dense_solver_solve,
                                          dense_solver_rcond,
                                          dense_solver_reload,
                                          NULL,
                                          dense_solver_release};
