/* Dense complex LU with partial pivoting, for small n. Real and imaginary parts are stored apart
 * and columns have an even number of rows, so that the inner loops are real and run over pairs. */
#ifndef DAEDAL_LINALG_ZDENSE_H
#define DAEDAL_LINALG_ZDENSE_H

#include "linalg/pair.h"

/* Order n from which on LAPACK's zgetrf is faster. */
extern const int dae__zlu_crossover;

/* Doubles from the real parts of a column to its imaginary parts, half the distance of two columns.
 * The last row of an odd n is padding. */
static inline size_t dae__zlu_stride(int n)
{
  return dae__pair_rows(n);
}

/* Doubles of a factored matrix: the columns, then L around the diagonal and 1/U_jj. */
static inline size_t dae__zlu_size(int n)
{
  return (size_t)n * (2 * dae__zlu_stride(n) + 6);
}

/* Factors A = P L U in place, n > 0; A is aligned to 16 bytes. Returns 0, or j + 1 for the first
 * column j without a usable pivot. */
int dae__zlu_factor(int n, double *A, int *pivot);
/* Solution x + i y = A\(x + i y); x and y have dae__zlu_stride rows and are aligned to 16 bytes. */
void dae__zlu_solve(int n, const double *LU, const int *pivot, double *x, double *y);
/* smallest over largest |U_jj|, an estimate of the reciprocal condition number */
double dae__zlu_rcond(int n, const double *LU);

#endif
