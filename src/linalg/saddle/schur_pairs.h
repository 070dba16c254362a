/* The Schur kernel of schur_kernel.h for B = G by pairs of rows: from DAE__SCHUR_PAIRS_MIN rows on,
 * where it takes fewer instructions than number by number (seven coordinates and six rows: half).
 *
 * S is stored by columns, of which pairs of rows from the diagonal on stay in registers; a last
 * single row is paired with zeros. Pairs of A are loaded number by number, as callbacks store
 * them. */
#ifndef DAEDAL_LINALG_SADDLE_SCHUR_PAIRS_H
#define DAEDAL_LINALG_SADDLE_SCHUR_PAIRS_H

#include "linalg/pair.h"
#include "linalg/saddle/schur_small.h"

#ifdef __SANITIZE_ADDRESS__ /* instrumented, the inlined copies take half a minute to compile */
#define DAE__SCHUR_KERNEL static inline
#define DAE__SCHUR_UNROLL
#else
#define DAE__SCHUR_KERNEL static inline __attribute__((always_inline))
#define DAE__SCHUR_UNROLL _Pragma("GCC unroll 6")
#endif

#define DAE__SCHUR_PAIRS_MIN 4
#define DAE__SCHUR_PAIRS ((DAE__SCHUR_ROWS + 1) / 2)

typedef dae__pair schur_pairs[DAE__SCHUR_ROWS][DAE__SCHUR_PAIRS];

/* Rows 2 p and 2 p + 1 of a column of m numbers. */
DAE__SCHUR_KERNEL dae__pair schur_pair_at(const int m, const double *a, const int p)
{
  return (dae__pair){a[2 * p], 2 * p + 1 < m ? a[2 * p + 1] : 0};
}

/* lower triangle of S = W'D^-1 W */
DAE__SCHUR_KERNEL void schur_form_pairs(const int m, const int n, const double *r, const double *W,
                                        schur_pairs S)
{
  const int pairs = (m + 1) / 2;
  DAE__SCHUR_UNROLL
  for (int c = 0; c < m; c++) {
    DAE__SCHUR_UNROLL
    for (int p = c / 2; p < pairs; p++)
      S[c][p] = (dae__pair){0, 0};
  }
  for (int j = 0; j < n; j++) {
    dae__pair w[DAE__SCHUR_PAIRS];
    DAE__SCHUR_UNROLL
    for (int p = 0; p < pairs; p++)
      w[p] = schur_pair_at(m, W + j * m, p);
    DAE__SCHUR_UNROLL
    for (int c = 0; c < m; c++) {
      double a = r[j] * W[j * m + c];
      DAE__SCHUR_UNROLL
      for (int p = c / 2; p < pairs; p++)
        S[c][p] += a * w[p];
    }
  }
}

/* Eliminates columns k and k + 1, of pairs k / 2 on, from those behind; b = S_(k+1,k). */
DAE__SCHUR_KERNEL void schur_two_columns(const int m, const int k, double b, schur_pairs S,
                                         dae__schur *f)
{
  const int pairs = (m + 1) / 2;
  const double r0 = f->r[k], r1 = f->r[k + 1], l = b * r0;
  dae__pair L0[DAE__SCHUR_PAIRS], L1[DAE__SCHUR_PAIRS], u[DAE__SCHUR_PAIRS];
  f->S[k + 1][k] = l;
  DAE__SCHUR_UNROLL
  for (int p = k / 2 + 1; p < pairs; p++) {
    u[p] = S[k + 1][p] - l * S[k][p];
    L0[p] = r0 * S[k][p];
    L1[p] = r1 * u[p];
    DAE__SCHUR_UNROLL
    for (int i = 2 * p; i < (2 * p + 2 < m ? 2 * p + 2 : m); i++) {
      f->S[i][k] = L0[p][i % 2];
      f->S[i][k + 1] = L1[p][i % 2];
    }
  }
  DAE__SCHUR_UNROLL
  for (int c = k + 2; c < m; c++) {
    const double p0 = S[k][c / 2][c % 2], p1 = u[c / 2][c % 2];
    DAE__SCHUR_UNROLL
    for (int p = c / 2; p < pairs; p++)
      S[c][p] -= p0 * L0[p] + p1 * L1[p];
  }
}

/* z = V'D^-1 u - b */
DAE__SCHUR_KERNEL void schur_reduce_pairs(const int m, const int n, const double *r,
                                          const double *V, const double *u, const double *b,
                                          double *z)
{
  const int pairs = (m + 1) / 2;
  dae__pair sum[DAE__SCHUR_PAIRS];
  DAE__SCHUR_UNROLL
  for (int p = 0; p < pairs; p++)
    sum[p] = -schur_pair_at(m, b, p);
  for (int j = 0; j < n; j++) {
    double a = u[j] * r[j];
    DAE__SCHUR_UNROLL
    for (int p = 0; p < pairs; p++)
      sum[p] += a * schur_pair_at(m, V + j * m, p);
  }
  DAE__SCHUR_UNROLL
  for (int i = 0; i < m; i++)
    z[i] = sum[i / 2][i % 2];
}

/* entry (W y)_j */
DAE__SCHUR_KERNEL double schur_along_pairs(const int m, const double *w, const double *y)
{
  const int pairs = (m + 1) / 2;
  dae__pair sum = schur_pair_at(m, w, 0) * schur_pair_at(m, y, 0);
  DAE__SCHUR_UNROLL
  for (int p = 1; p < pairs; p++)
    sum += schur_pair_at(m, w, p) * schur_pair_at(m, y, p);
  return dae__pair_sum(sum);
}

#endif
