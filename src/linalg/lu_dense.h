/* Dense LU with partial pivoting, S A = P L U, column-major, S the reciprocal largest entries of
 * the rows: one source for real (dense.c) and complex numbers (zdense.c), which define before it
 *
 *   number, factor             a number, and a number prepared for many products
 *   lu_factor(u), lu_times     factor of u, product of a number and a factor
 *   lu_four                    sum of four products
 *   lu_size, lu_largest_part   |a| for pivots, largest part of a for the scaling of rows
 *   lu_usable                  whether a is not zero and finite
 *   lu_stored(d)               diagonal entry d of U as stored
 *   lu_quotient, lu_divide     quotients by a stored entry, of a number and of an array
 *   lu_number, lu_parts        a number from its parts in two arrays, and back
 *   LU_TINY_SCALE              scale of rows below DBL_MIN, where reciprocals may overflow
 *   LU_LINKAGE                 static, or nothing where functions are part of dense.h
 *
 * The own kernel is right-looking in panels of four columns: a panel is factored, then every later
 * column is updated by all four at once, so that the inner loop runs down contiguous columns and
 * loads and stores the updated column once for four multiplications. pivot[j] = p: rows j and p
 * were exchanged at step j, counted from 0. */
#ifndef DAEDAL_LINALG_LU_DENSE_H
#define DAEDAL_LINALG_LU_DENSE_H

#include "core/mutant.h"
#include "linalg/backend.h"
#include "linalg/pattern.h"
#include <float.h>
#include <string.h>

static inline number *lu_column(number *A, int n, int j)
{
  return A + (size_t)j * (size_t)n;
}

LU_LINKAGE void lu_scale_rows(int n, number *restrict A, double *restrict scale)
{
  for (int i = 0; i < n; i++)
    scale[i] = 0;
  for (int j = 0; j < n; j++) {
    const number *a = lu_column(A, n, j);
    for (int i = 0; i < n; i++) {
      double t = lu_largest_part(a[i]);
      scale[i] = t > scale[i] ? t : scale[i];
    }
  }
  for (int i = 0; i < n; i++)
    scale[i] = scale[i] < DBL_MIN ? LU_TINY_SCALE : 1 / scale[i];
  for (int j = 0; j < n; j++) {
    number *a = lu_column(A, n, j);
    for (int i = 0; i < n; i++)
      a[i] *= scale[i];
  }
}

/* Forward substitution of four columns: y = L(k..k+3,k..k+3)\b(k..k+3), b -= L(:,k..k+3) y for the
 * rows below, b(k..k+3) = y. */
static inline void lu_forward_four(int n, const number *LU, int k, number *restrict b)
{
  const number *restrict l0 = LU + (size_t)k * (size_t)n, *restrict l1 = l0 + n;
  const number *restrict l2 = l1 + n, *restrict l3 = l2 + n;
  const factor y0 = lu_factor(b[k]);
  b[k + 1] -= lu_times(l0[k + 1], y0);
  const factor y1 = lu_factor(b[k + 1]);
  b[k + 2] = b[k + 2] - lu_times(l0[k + 2], y0) - lu_times(l1[k + 2], y1);
  const factor y2 = lu_factor(b[k + 2]);
  b[k + 3] = b[k + 3] - lu_times(l0[k + 3], y0) - lu_times(l1[k + 3], y1) - lu_times(l2[k + 3], y2);
  const factor y3 = lu_factor(b[k + 3]);
  for (int i = k + 4; i < n; i++)
    b[i] -= lu_four(l0[i], y0, l1[i], y1, l2[i], y2, l3[i], y3);
}

/* b -= u y in the first `count` rows */
static inline void lu_subtract(int count, const number *restrict u, number y, number *restrict b)
{
  const factor f = lu_factor(y);
  for (int i = 0; i < count; i++)
    b[i] -= lu_times(u[i], f);
}

static inline void lu_exchange(number *a, int i, int j)
{
  number t = a[i];
  a[i] = a[j];
  a[j] = t;
}

/* Row i >= j of the largest |a_i|; row j if a_j is NaN. Two searches run side by side, without
 * branches, which could not be predicted. */
static inline int lu_largest_from(int n, const number *a, int j)
{
  int p = j, q = j, i = j + 1;
  double max_p = lu_size(a[j]), max_q = max_p;
  for (; i + 2 <= n; i += 2) {
    double s = lu_size(a[i]), t = lu_size(a[i + 1]);
    p = s > max_p ? i : p;
    max_p = s > max_p ? s : max_p;
    q = t > max_q ? i + 1 : q;
    max_q = t > max_q ? t : max_q;
  }
  if (i < n && lu_size(a[i]) > max_p) {
    max_p = lu_size(a[i]);
    p = i;
  }
  return DAE__MUTATE(lu_pivot, max_q > max_p ? q : p, max_q > max_p ? p : q);
}

/* Factors the panel of columns k to end - 1, already updated by the columns before k, and exchanges
 * rows in these columns only. Returns 0, or j + 1 for the first column j without a usable pivot. */
static inline int lu_factor_panel(int n, number *A, int k, int end, int *pivot)
{
  for (int j = k; j < end; j++) {
    number *l = lu_column(A, n, j);
    int p = pivot[j] = lu_largest_from(n, l, j);
    if (!lu_usable(l[p]))
      return j + 1;
    for (int c = k; c < end; c++)
      lu_exchange(lu_column(A, n, c), j, p);
    l[j] = lu_stored(l[j]);
    lu_divide(n - j - 1, l + j + 1, l[j]);
    for (int c = j + 1; c < end; c++) {
      number *a = lu_column(A, n, c);
      lu_subtract(n - j - 1, l + j + 1, a[j], a + j + 1);
    }
  }
  return 0;
}

LU_LINKAGE int lu_factor_own(int n, number *A, int *pivot)
{
  for (int k = 0; k < n; k += 4) {
    int end = k + 4 < n ? k + 4 : n;
    int failed = lu_factor_panel(n, A, k, end, pivot);
    if (failed)
      return failed;
    for (int c = 0; c < k; c++) /* row exchanges of the panel in the columns of L before it */
      for (int j = k; j < end; j++)
        lu_exchange(lu_column(A, n, c), j, pivot[j]);
    for (int c = end; c < n; c++) { /* columns after the panel: row exchanges, U = L\A, A -= L U */
      number *a = lu_column(A, n, c);
      for (int j = k; j < end; j++)
        lu_exchange(a, j, pivot[j]);
      lu_forward_four(n, A, k, a);
    }
  }
  return 0;
}

/* Factors by LAPACK from the order LU_CROSSOVER on, by the own kernel below it. */
LU_LINKAGE int lu_factor_any(int n, number *A, int *pivot)
{
#ifdef DAE_WITH_LAPACK
  if (n >= LU_CROSSOVER) {
    int info = 0, failed = 0;
    LU_GETRF(&n, &n, (double *)A, &n, pivot, &info);
    for (int j = n - 1; j >= 0; j--) {
      number *u = lu_column(A, n, j) + j;
      pivot[j]--;
      failed = lu_usable(*u) ? failed : j + 1;
      *u = lu_stored(*u);
    }
    return failed;
  }
#endif
  return lu_factor_own(n, A, pivot);
}

LU_LINKAGE void lu_solve(int n, const number *LU, const int *pivot, number *restrict b)
{
  for (int k = 0; k < n; k++) /* b = P'b */
    lu_exchange(b, k, pivot[k]);
  int k = 0;
  for (; k + 4 <= n; k += 4) /* b = L\b */
    lu_forward_four(n, LU, k, b);
  for (; k < n; k++)
    lu_subtract(n - k - 1, LU + (size_t)k * (size_t)n + k + 1, b[k], b + k + 1);
  k = n - 1; /* b = U\b */
  for (; k >= 3; k -= 4) {
    const number *restrict u0 = LU + (size_t)k * (size_t)n, *restrict u1 = u0 - n;
    const number *restrict u2 = u1 - n, *restrict u3 = u2 - n;
    b[k] = lu_quotient(b[k], u0[k]);
    const factor y0 = lu_factor(b[k]);
    b[k - 1] = lu_quotient(b[k - 1] - lu_times(u0[k - 1], y0), u1[k - 1]);
    const factor y1 = lu_factor(b[k - 1]);
    b[k - 2] = lu_quotient(b[k - 2] - lu_times(u0[k - 2], y0) - lu_times(u1[k - 2], y1), u2[k - 2]);
    const factor y2 = lu_factor(b[k - 2]);
    b[k - 3] = lu_quotient(b[k - 3] - lu_times(u0[k - 3], y0) - lu_times(u1[k - 3], y1) -
                               lu_times(u2[k - 3], y2),
                           u3[k - 3]);
    const factor y3 = lu_factor(b[k - 3]);
    for (int i = 0; i < k - 3; i++)
      b[i] -= lu_four(u0[i], y0, u1[i], y1, u2[i], y2, u3[i], y3);
  }
  for (; k >= 0; k--) {
    const number *u = LU + (size_t)k * (size_t)n;
    b[k] = lu_quotient(b[k], u[k]);
    lu_subtract(k, u, b[k], b);
  }
}

/* ---- backend ---- */

typedef struct dense {
  int n;
  bool full; /* whether the pattern has all entries */
  const dae_pattern *pattern;
  number *LU;    /* saved state: factors L and U */
  double *scale; /* saved state: row scales */
  int *pivot;    /* saved state: row exchanges */
  number *b;     /* right side */
} dense;

static dae_status lu_solver_create(dae__arena *arena, const dae_pattern *pattern, void **state)
{
  size_t n = (size_t)pattern->cols;
  dense *d = DAE__ALLOC(arena, dense, 1);
  number *LU = DAE__STATE(arena, number, n * n);
  double *scale = DAE__STATE(arena, double, n);
  int *pivot = DAE__STATE(arena, int, n);
  number *b = DAE__ALLOC(arena, number, n);
  DAE__LIMIT(arena, pivot, n, 0, pattern->cols - 1);
  if (dae__arena_failed(arena))
    return DAE_ERROR_MEMORY;
  bool full = (size_t)dae__pattern_count(pattern) == n * n;
  *d = (dense){pattern->cols, full, pattern, LU, scale, pivot, b};
  *state = d;
  return DAE_OK;
}

static dae_status lu_solver_factor(void *state, const double *values, int *column)
{
  dense *d = state;
  const dae_pattern *p = d->pattern;
  size_t n = (size_t)d->n, width = sizeof(number) / sizeof(double);
  if (n == 0)
    return DAE_OK;
  if (d->full) { /* LU = A */
    memcpy(d->LU, values, n * n * sizeof *d->LU);
  } else {
    memset(d->LU, 0, n * n * sizeof *d->LU);
    for (int j = 0; j < d->n; j++)
      for (int e = p->start[j]; e < p->start[j + 1]; e++)
        memcpy(lu_column(d->LU, d->n, j) + p->row[e], values + (size_t)e * width, sizeof *d->LU);
  }
  lu_scale_rows(d->n, d->LU, d->scale); /* scale = S, LU = S A */
  int failed = lu_factor_any(d->n, d->LU, d->pivot);
  *column = failed - 1;
  return failed ? DAE_ERROR_SINGULAR : DAE_OK;
}

/* Solution of the system; y: imaginary parts, unused for real numbers. */
static void lu_solver_solve(void *state, double *x, double *y)
{
  const dense *d = state;
  for (int i = 0; i < d->n; i++) /* b = S (x + i y) */
    d->b[i] = lu_number(x, y, i) * d->scale[i];
  lu_solve(d->n, d->LU, d->pivot, d->b); /* b = (S A)\b */
  for (int i = 0; i < d->n; i++)
    lu_parts(d->b[i], i, x, y);
}

/* ratio of smallest to largest pivot, min |U_ii| / max |U_ii| */
static double lu_solver_rcond(const void *state)
{
  const dense *d = state;
  double min = INFINITY, max = 0;
  for (int i = 0; i < d->n; i++) {
    double u = lu_modulus(lu_column(d->LU, d->n, i)[i]);
    min = u < min ? u : min;
    max = u > max ? u : max;
  }
  if (d->n == 0)
    return 1;
  return DAE__MUTATE(lu_rcond, max > 0 ? min / max : 0, 1.0);
}

#define LU_VERBS                                                                                   \
  .create = lu_solver_create, .factor = lu_solver_factor, .solve = lu_solver_solve,                \
  .rcond = lu_solver_rcond

#endif
