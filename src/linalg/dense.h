/* Dense LU with partial pivoting, column-major: own kernel for small n, LAPACK (in builds with it)
 * from the measured crossover on. */
#ifndef DAEDAL_LINALG_DENSE_H
#define DAEDAL_LINALG_DENSE_H

/* Scales the rows: scale_i = 1 / max_j |a_ij|, A = diag(scale) A. */
void dae__lu_scale_rows(int n, double *A, double *scale);
/* Factors A = P L U in place. Returns 0, or j + 1 for the first column j without a usable pivot. */
int dae__lu_factor(int n, double *A, int *pivot);
/* Factorisation of dae__lu_factor without LAPACK for all n. */
int dae__lu_factor_own(int n, double *A, int *pivot);
/* b = A\b, and b = A'\b */
void dae__lu_solve(int n, const double *LU, const int *pivot, double *b);
void dae__lu_solve_transposed(int n, const double *LU, const int *pivot, double *b);

#endif
