/* Fused Schur kernel of small saddle systems with a symmetric, definite M = L D L':
 *
 *   [ M  B' ] [ x ]   [ a ]        W = L\B',  V = L\G',  S = V'D^-1 W,  u = L\a
 *   [ G  0  ] [ y ] = [ b ]        y = S\(V'D^-1 u - b),  x = L'\(D^-1 (u - W y))
 *
 * B = G, the rows of which are the force directions of ideal constraints, makes S symmetric: it is
 * factored without pivoting, and refused where a pivot loses too many digits. Any other B needs row
 * exchanges within S.
 *
 * Every function is inlined with a constant number of rows m, where it pays with a constant number
 * of coordinates n, and with `diagonal` (L = 1) and `symmetric` (B = G) as constants: loops over
 * rows are unrolled, and S stays in registers. Rows are stored by columns, m numbers for each
 * coordinate. Plain C, number by number: callbacks store their results one by one, and a load of
 * two would wait until both have reached the cache. */
#ifndef DAEDAL_LINALG_SADDLE_SCHUR_KERNEL_H
#define DAEDAL_LINALG_SADDLE_SCHUR_KERNEL_H

#include "linalg/saddle/schur_pairs.h"

typedef double schur_matrix[DAE__SCHUR_ROWS][DAE__SCHUR_ROWS];

/* W = L\A', from the first column of each row of L on */
DAE__SCHUR_KERNEL void schur_forward(const int m, const int n, const dae__schur_mass *M,
                                     const double *A, double *restrict W)
{
  for (int j = 0; j < n; j++) {
    const double *l = M->L + j * n;
    double w[DAE__SCHUR_ROWS];
    DAE__SCHUR_UNROLL
    for (int i = 0; i < m; i++)
      w[i] = A[j * m + i];
    for (int k = M->first[j]; k < j; k++) {
      DAE__SCHUR_UNROLL
      for (int i = 0; i < m; i++)
        w[i] -= l[k] * W[k * m + i];
    }
    DAE__SCHUR_UNROLL
    for (int i = 0; i < m; i++)
      W[j * m + i] = w[i];
  }
}

/* S = V'D^-1 W, the lower triangle where it is symmetric */
DAE__SCHUR_KERNEL void schur_form(const int m, const int n, const bool symmetric, const double *r,
                                  const double *W, const double *V, schur_matrix S)
{
  DAE__SCHUR_UNROLL
  for (int i = 0; i < m; i++) {
    DAE__SCHUR_UNROLL
    for (int c = 0; c < m; c++)
      S[i][c] = 0;
  }
  for (int j = 0; j < n; j++) {
    DAE__SCHUR_UNROLL
    for (int c = 0; c < m; c++) {
      double w = r[j] * W[j * m + c];
      DAE__SCHUR_UNROLL
      for (int i = symmetric ? c : 0; i < m; i++)
        S[i][c] += w * V[j * m + i];
    }
  }
}

/* Exchanges row k of S with the row of the largest entry in column k below it, relative to the
 * sizes of the rows. */
DAE__SCHUR_KERNEL void schur_exchange(const int m, const int k, schur_matrix S, double *scale,
                                      int *order)
{
  int p = k, row = order[k];
  double size = scale[k];
  for (int i = k + 1; i < m; i++)
    p = fabs(S[i][k]) * scale[p] > fabs(S[p][k]) * scale[i] ? i : p;
  order[k] = order[p];
  order[p] = row;
  scale[k] = scale[p];
  scale[p] = size;
  for (int c = 0; c < m; c++) {
    double s = S[k][c];
    S[k][c] = S[p][c];
    S[p][c] = s;
  }
}

/* Whether a pivot keeps enough digits of its size before the elimination, and is finite. */
DAE__SCHUR_KERNEL bool schur_usable(double pivot, double tiny, double before)
{
  return (pivot >= tiny * before) & (pivot < INFINITY);
}

/* Reciprocals of the pivots k and k + 1 of a symmetric S with one division, the critical path of
 * two rows: 1/a = det/(a det), a/det = a^2/(a det), det = a d - b^2. *small: a pivot is below
 * DAE__LDL_SMALL. */
DAE__SCHUR_KERNEL bool schur_two_pivots(const int k, const double tiny, const double *scale,
                                        schur_matrix S, double *r, bool *small)
{
  double a = S[k][k], b = S[k + 1][k], det = a * S[k + 1][k + 1] - b * b, size = a * det;
  double inverse = 1 / size, reference = a * scale[k + 1];
  r[k] = det * inverse;
  r[k + 1] = a * a * inverse;
  *small |= (a < DAE__LDL_SMALL * scale[k]) | (det < DAE__LDL_SMALL * reference);
  return (a >= tiny * scale[k]) & schur_usable(det, tiny, reference) &
         (size >= DAE__SCHUR_UNDERFLOW);
}

/* Factors S = L R^-1 U, unit L below the diagonal and unit U above it (U = L', not stored, where S
 * is symmetric), r the reciprocal pivots. tiny: smallest pivot, relative to its value before the
 * elimination, or to its row where rows are exchanged; *small: a pivot of a symmetric S is below
 * DAE__LDL_SMALL. False: a pivot is smaller than tiny or not finite. */
DAE__SCHUR_KERNEL bool schur_eliminate(const int m, const bool symmetric, const double tiny,
                                       dae__schur *f, bool *small)
{
  double(*S)[DAE__SCHUR_ROWS] = f->S, *r = f->r, scale[DAE__SCHUR_ROWS], u[DAE__SCHUR_ROWS];
  bool good = true;
  *small = false;
  DAE__SCHUR_UNROLL
  for (int i = 0; i < m; i++) {
    scale[i] = S[i][i];
    if (!symmetric) {
      f->order[i] = i;
      scale[i] = fabs(scale[i]);
      for (int c = 0; c < m; c++)
        scale[i] = fabs(S[i][c]) > scale[i] ? fabs(S[i][c]) : scale[i];
    }
    good &= scale[i] >= DAE__SCHUR_UNDERFLOW;
  }
  DAE__SCHUR_UNROLL
  for (int k = 0; k < m; k++) {
    if (!symmetric)
      schur_exchange(m, k, S, scale, f->order);
    if (symmetric && k % 2 == 0 && k + 1 < m) {
      good &= schur_two_pivots(k, tiny, scale, S, r, small);
    } else if (!symmetric || k % 2 == 0) {
      r[k] = 1 / S[k][k];
      good &= schur_usable(symmetric ? S[k][k] : fabs(S[k][k]), tiny, scale[k]);
      *small |= S[k][k] < DAE__LDL_SMALL * scale[k];
    }
    DAE__SCHUR_UNROLL
    for (int c = k + 1; c < m; c++) {
      u[c] = symmetric ? S[c][k] : S[k][c];
      if (!symmetric)
        S[k][c] *= r[k];
    }
    DAE__SCHUR_UNROLL
    for (int i = k + 1; i < m; i++) {
      const int end = symmetric ? i + 1 : m;
      S[i][k] *= r[k];
      DAE__SCHUR_UNROLL
      for (int c = k + 1; c < end; c++)
        S[i][c] -= S[i][k] * u[c];
    }
  }
  return good;
}

/* schur_form and schur_eliminate for B = G */
DAE__SCHUR_KERNEL bool schur_factor_pairs(const int m, const int n, const double *reciprocal,
                                          const double *W, const double tiny, dae__schur *f,
                                          bool *small)
{
  schur_pairs S;
  schur_matrix two;
  double scale[DAE__SCHUR_ROWS];
  bool good = true;
  *small = false;
  schur_form_pairs(m, n, reciprocal, W, S);
  DAE__SCHUR_UNROLL
  for (int i = 0; i < m; i++) {
    scale[i] = S[i][i / 2][i % 2];
    good &= scale[i] >= DAE__SCHUR_UNDERFLOW;
  }
  DAE__SCHUR_UNROLL
  for (int k = 0; k < m; k += 2) {
    double a = S[k][k / 2][0];
    if (k + 1 < m) {
      two[k][k] = a;
      two[k + 1][k] = S[k][k / 2][1];
      two[k + 1][k + 1] = S[k + 1][k / 2][1];
      good &= schur_two_pivots(k, tiny, scale, two, f->r, small);
      schur_two_columns(m, k, two[k + 1][k], S, f);
    } else {
      f->r[k] = 1 / a;
      good &= schur_usable(a, tiny, scale[k]);
      *small |= a < DAE__LDL_SMALL * scale[k];
    }
  }
  return good;
}

/* y = S\y */
DAE__SCHUR_KERNEL void schur_divide(const int m, const bool symmetric, const dae__schur *f,
                                    double *y)
{
  double z[DAE__SCHUR_ROWS];
  DAE__SCHUR_UNROLL
  for (int i = 0; i < m; i++) {
    z[i] = y[symmetric ? i : f->order[i]];
    DAE__SCHUR_UNROLL
    for (int k = 0; k < i; k++)
      z[i] -= f->S[i][k] * z[k];
  }
  DAE__SCHUR_UNROLL
  for (int k = m - 1; k >= 0; k--) {
    y[k] = z[k] * f->r[k];
    DAE__SCHUR_UNROLL
    for (int i = k + 1; i < m; i++)
      y[k] -= (symmetric ? f->S[i][k] : f->S[k][i]) * y[i];
  }
}

/* x = L'\x */
DAE__SCHUR_KERNEL void schur_backward(const int n, const dae__schur_mass *M, double *x)
{
  for (int j = n - 1; j > 0; j--)
    for (int k = M->first[j]; k < j; k++)
      x[k] -= M->L[j * n + k] * x[j];
}

/* Right side z = V'D^-1 u - b of y, with u = L\a in x (u = a where M is diagonal); a may be x. */
DAE__SCHUR_KERNEL void schur_reduce(const int m, const int n, const bool diagonal,
                                    const dae__schur_mass *M, const double *V, const double *a,
                                    const double *b, double *x, double *z)
{
  const double *r = M->r, *u = diagonal ? a : x;
  for (int j = 0; !diagonal && j < n; j++) {
    const double *l = M->L + j * n;
    double sum = a[j];
    for (int k = M->first[j]; k < j; k++)
      sum -= l[k] * x[k];
    x[j] = sum;
  }
  if (m >= DAE__SCHUR_PAIRS_MIN) {
    schur_reduce_pairs(m, n, r, V, u, b, z);
    return;
  }
  DAE__SCHUR_UNROLL
  for (int i = 0; i < m; i++)
    z[i] = -b[i];
  for (int j = 0; j < n; j++) {
    double w = u[j] * r[j];
    DAE__SCHUR_UNROLL
    for (int i = 0; i < m; i++)
      z[i] += w * V[j * m + i];
  }
}

/* x = L'\(D^-1 (u - W y)), u may be x */
DAE__SCHUR_KERNEL void schur_expand(const int m, const int n, const bool diagonal,
                                    const dae__schur_mass *M, const double *W, const double *u,
                                    const double *y, double *x)
{
  const double *r = M->r;
  for (int j = 0; j < n; j++) {
    double sum = u ? u[j] : 0;
    if (m >= DAE__SCHUR_PAIRS_MIN)
      sum -= schur_along_pairs(m, W + j * m, y);
    DAE__SCHUR_UNROLL
    for (int i = 0; m < DAE__SCHUR_PAIRS_MIN && i < m; i++)
      sum -= W[j * m + i] * y[i];
    x[j] = r[j] * sum;
  }
  if (!diagonal)
    schur_backward(n, M, x);
}

/* Whether G x = -c holds to the round-off of its terms; rest: the residual -c - G x. */
DAE__SCHUR_KERNEL bool schur_holds(const int m, const int n, const double *G, const double *c,
                                   const double *x, double *rest)
{
  double size[DAE__SCHUR_ROWS] = {0};
  bool holds = true;
  DAE__SCHUR_UNROLL
  for (int i = 0; i < m; i++) {
    rest[i] = -c[i];
    size[i] = fabs(c[i]);
  }
  for (int j = 0; j < n; j++) {
    DAE__SCHUR_UNROLL
    for (int i = 0; i < m; i++) {
      double term = G[j * m + i] * x[j];
      rest[i] -= term;
      size[i] += fabs(term);
    }
  }
  DAE__SCHUR_UNROLL
  for (int i = 0; i < m; i++)
    holds &= fabs(rest[i]) <= DAE__SCHUR_ROUND_OFF * size[i];
  return holds;
}

#endif
