/* Small matrices of Runge-Kutta coefficients, in long double so that coefficients derived from a
 * tableau are correct to the last digits of a double. */
#ifndef DAEDAL_QUADRATURE_SMALL_MATRIX_H
#define DAEDAL_QUADRATURE_SMALL_MATRIX_H

#include <daedal/spark.h>

#define DAE__SMALL_SIZE (DAE_SPARK_MAX_STAGES + 1)

typedef struct dae__small {
  int rows, cols;
  long double at[DAE__SMALL_SIZE][DAE__SMALL_SIZE];
} dae__small;

dae__small dae__small_zero(int rows, int cols);
dae__small dae__small_identity(int n);
/* conversion from and to arrays stored by rows */
dae__small dae__small_of(int rows, int cols, const double *values);
void dae__small_round(const dae__small *A, double *values);

dae__small dae__small_times(const dae__small *A, const dae__small *B);
/* A above B, as one matrix */
dae__small dae__small_stacked(const dae__small *A, const dae__small *B);
/* submatrix of `count` rows of A, from row `first` on */
dae__small dae__small_rows(const dae__small *A, int first, int count);

/* max norm of a matrix: largest sum of |a_ij| along a row */
long double dae__small_norm(const dae__small *A);
/* Inverse B = A^-1. Returns the reciprocal condition number in the max norm; 0, with B undefined,
 * if a pivot vanishes. */
long double dae__small_inverse(const dae__small *A, dae__small *B);

#endif
