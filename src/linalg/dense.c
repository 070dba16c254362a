/* Dense LU with partial pivoting, S A = P L U, column-major, S the reciprocal largest entries of
 * the rows; and the backend of dae__solver that uses it.
 *
 * The own kernel is right-looking in panels of four columns: a panel is factored, then every later
 * column is updated by all four at once, so that the inner loop runs down contiguous columns and
 * loads and stores the updated column once for four multiplications. pivot[j] = p: rows j and p
 * were exchanged at step j, counted from 0. */
#include "linalg/dense.h"
#include "linalg/backend.h"
#include "linalg/pattern.h"
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#ifdef DAE_WITH_LAPACK
void dgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
#endif

/* Order n from which on dae__lu_factor calls LAPACK. Measured by bench/lu.c, gcc 12 and clang 14 at
 * -O3 (SSE2), against the serial OpenBLAS 0.3.21: the own kernel is 1.4 to 2 times faster up to n =
 * 25 and 1.1 to 1.4 times up to 60. With OpenBLAS's Haswell and SkylakeX kernels dgetrf wins from n
 * = 70 to 100 on; with its generic kernel (Prescott, the fallback on processors it does not know)
 * both take the same time up to 400. The own triangular solves beat dgetrs at every size. */
#ifdef DAE_WITH_LAPACK
#define CROSSOVER 80
#else
#define CROSSOVER INT_MAX
#endif
const int dae__lu_crossover = CROSSOVER;

void dae__lu_scale_rows(int n, double *restrict A, double *restrict scale)
{
  for (int i = 0; i < n; i++)
    scale[i] = 0;
  for (int j = 0; j < n; j++) {
    const double *a = A + (size_t)j * (size_t)n;
    for (int i = 0; i < n; i++) {
      double t = fabs(a[i]);
      scale[i] = t > scale[i] ? t : scale[i];
    }
  }
  for (int i = 0; i < n; i++) /* scale 1 below DBL_MIN, where reciprocals may overflow */
    scale[i] = scale[i] < DBL_MIN ? 1 : 1 / scale[i];
  for (int j = 0; j < n; j++) {
    double *a = A + (size_t)j * (size_t)n;
    for (int i = 0; i < n; i++)
      a[i] *= scale[i];
  }
}

/* Forward substitution of four columns: y = L(k..k+3,k..k+3)\b(k..k+3), b -= L(:,k..k+3) y for the
 * rows below, b(k..k+3) = y. */
static inline void dense_forward_four(int n, const double *LU, int k, double *restrict b)
{
  const double *restrict l0 = LU + (size_t)k * (size_t)n, *restrict l1 = l0 + n;
  const double *restrict l2 = l1 + n, *restrict l3 = l2 + n;
  double y0 = b[k];
  double y1 = b[k + 1] - l0[k + 1] * y0;
  double y2 = b[k + 2] - l0[k + 2] * y0 - l1[k + 2] * y1;
  double y3 = b[k + 3] - l0[k + 3] * y0 - l1[k + 3] * y1 - l2[k + 3] * y2;
  b[k + 1] = y1;
  b[k + 2] = y2;
  b[k + 3] = y3;
  for (int i = k + 4; i < n; i++)
    b[i] -= (l0[i] * y0 + l1[i] * y1) + (l2[i] * y2 + l3[i] * y3);
}

static inline void dense_exchange(double *a, int i, int j)
{
  double t = a[i];
  a[i] = a[j];
  a[j] = t;
}

/* Row i >= j of the largest |a_i|; row j if a_j is NaN. Two searches run side by side, without
 * branches, which could not be predicted. */
static inline int dense_largest_from(int n, const double *a, int j)
{
  int p = j, q = j, i = j + 1;
  double max_p = fabs(a[j]), max_q = max_p;
  for (; i + 2 <= n; i += 2) {
    double s = fabs(a[i]), t = fabs(a[i + 1]);
    p = s > max_p ? i : p;
    max_p = s > max_p ? s : max_p;
    q = t > max_q ? i + 1 : q;
    max_q = t > max_q ? t : max_q;
  }
  if (i < n && fabs(a[i]) > max_p) {
    max_p = fabs(a[i]);
    p = i;
  }
  return max_q > max_p ? q : p;
}

/* Factors the panel of columns k to end - 1, already updated by the columns before k, and exchanges
 * rows in these columns only. Returns 0, or j + 1 for the first column j without a usable pivot. */
static inline int dense_factor_panel(int n, double *A, int k, int end, int *pivot)
{
  for (int j = k; j < end; j++) {
    double *restrict l = A + (size_t)j * (size_t)n;
    int p = pivot[j] = dense_largest_from(n, l, j);
    if (!isfinite(l[p]) || l[p] == 0)
      return j + 1;
    for (int c = k; c < end; c++)
      dense_exchange(A + (size_t)c * (size_t)n, j, p);
    /* column of L divided by the pivot d; 1/d may overflow for d < DBL_MIN */
    double d = l[j], r = 1 / d;
    if (fabs(d) < DBL_MIN)
      for (int i = j + 1; i < n; i++)
        l[i] /= d;
    else
      for (int i = j + 1; i < n; i++)
        l[i] *= r;
    for (int c = j + 1; c < end; c++) {
      double *restrict a = A + (size_t)c * (size_t)n, u = a[j];
      for (int i = j + 1; i < n; i++)
        a[i] -= l[i] * u;
    }
  }
  return 0;
}

static inline void dense_exchange_panel(double *a, int k, int end, const int *pivot)
{
  for (int j = k; j < end; j++)
    dense_exchange(a, j, pivot[j]);
}

int dae__lu_factor_own(int n, double *A, int *pivot)
{
  for (int k = 0; k < n; k += 4) {
    int end = k + 4 < n ? k + 4 : n;
    int failed = dense_factor_panel(n, A, k, end, pivot);
    if (failed)
      return failed;
    for (int c = 0; c < k; c++) /* row exchanges of the panel in the columns of L before it */
      dense_exchange_panel(A + (size_t)c * (size_t)n, k, end, pivot);
    for (int c = end; c < n; c++) { /* columns after the panel: row exchanges, U = L\A, A -= L U */
      double *a = A + (size_t)c * (size_t)n;
      dense_exchange_panel(a, k, end, pivot);
      dense_forward_four(n, A, k, a);
    }
  }
  return 0;
}

int dae__lu_factor(int n, double *A, int *pivot)
{
#ifdef DAE_WITH_LAPACK
  if (n >= CROSSOVER) {
    int info = 0;
    dgetrf_(&n, &n, A, &n, pivot, &info);
    for (int j = 0; j < n; j++)
      pivot[j]--;
    for (int j = 0; j < n; j++) {
      double u = A[(size_t)j * (size_t)n + (size_t)j];
      if (!isfinite(u) || u == 0)
        return j + 1;
    }
    return 0;
  }
#endif
  return dae__lu_factor_own(n, A, pivot);
}

void dae__lu_solve(int n, const double *LU, const int *pivot, double *restrict b)
{
  for (int k = 0; k < n; k++) /* b = P'b */
    dense_exchange(b, k, pivot[k]);
  int k = 0;
  for (; k + 4 <= n; k += 4) /* b = L\b */
    dense_forward_four(n, LU, k, b);
  for (; k < n; k++) {
    const double *restrict l = LU + (size_t)k * (size_t)n;
    double y = b[k];
    for (int i = k + 1; i < n; i++)
      b[i] -= l[i] * y;
  }
  k = n - 1; /* b = U\b */
  for (; k >= 3; k -= 4) {
    const double *restrict u0 = LU + (size_t)k * (size_t)n, *restrict u1 = u0 - n;
    const double *restrict u2 = u1 - n, *restrict u3 = u2 - n;
    double y0 = b[k] / u0[k];
    double y1 = (b[k - 1] - u0[k - 1] * y0) / u1[k - 1];
    double y2 = (b[k - 2] - u0[k - 2] * y0 - u1[k - 2] * y1) / u2[k - 2];
    double y3 = (b[k - 3] - u0[k - 3] * y0 - u1[k - 3] * y1 - u2[k - 3] * y2) / u3[k - 3];
    b[k] = y0;
    b[k - 1] = y1;
    b[k - 2] = y2;
    b[k - 3] = y3;
    for (int i = 0; i < k - 3; i++)
      b[i] -= (u0[i] * y0 + u1[i] * y1) + (u2[i] * y2 + u3[i] * y3);
  }
  for (; k >= 0; k--) {
    const double *restrict u = LU + (size_t)k * (size_t)n;
    double y = b[k] /= u[k];
    for (int i = 0; i < k; i++)
      b[i] -= u[i] * y;
  }
}

void dae__lu_solve_transposed(int n, const double *LU, const int *pivot, double *restrict b)
{
  for (int k = 0; k < n; k++) { /* b = U'\b */
    const double *restrict u = LU + (size_t)k * (size_t)n;
    double sum = b[k];
    for (int i = 0; i < k; i++)
      sum -= u[i] * b[i];
    b[k] = sum / u[k];
  }
  for (int k = n - 1; k >= 0; k--) { /* b = L'\b */
    const double *restrict l = LU + (size_t)k * (size_t)n;
    double sum = b[k];
    for (int i = k + 1; i < n; i++)
      sum -= l[i] * b[i];
    b[k] = sum;
  }
  for (int k = n - 1; k >= 0; k--) /* b = P b */
    dense_exchange(b, k, pivot[k]);
}

/* ---- backend ---- */

typedef struct dense {
  int n;
  bool full; /* whether the pattern has all entries */
  const dae_pattern *pattern;
  double *LU, *scale; /* factors L and U, row scales; saved state */
  int *pivot;         /* row exchanges; saved state */
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
  DAE__LIMIT(arena, pivot, n, 0, pattern->cols - 1);
  bool full = (size_t)dae__pattern_count(pattern) == n * n;
  *d = (dense){pattern->cols, full, pattern, LU, scale, pivot};
  *state = d;
  return DAE_OK;
}

static dae_status dense_solver_factor(void *state, const double *values, int *column)
{
  dense *d = state;
  const dae_pattern *p = d->pattern;
  size_t n = (size_t)d->n;
  if (n == 0)
    return DAE_OK;
  if (d->full) { /* LU = A */
    memcpy(d->LU, values, n * n * sizeof *values);
  } else {
    memset(d->LU, 0, n * n * sizeof *values);
    for (int j = 0; j < d->n; j++)
      for (int e = p->start[j]; e < p->start[j + 1]; e++)
        d->LU[(size_t)j * n + (size_t)p->row[e]] = values[e];
  }
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

/* ratio of smallest to largest pivot, min |U_ii| / max |U_ii| */
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

#define DENSE_VERBS                                                                                \
  .create = dense_solver_create, .factor = dense_solver_factor, .solve = dense_solver_solve,       \
  .rcond = dense_solver_rcond
const dae__backend dae__backend_dense = {.kind = "dense", DENSE_VERBS};
const dae__backend dae__backend_lapack = {.kind = "lapack", DENSE_VERBS};
