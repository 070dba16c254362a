/* Eigenvalues and vectors of a small real matrix, A = T diag(mu) T^-1. */
#ifndef DAEDAL_ONESTEP_SPARK_EIGEN_H
#define DAEDAL_ONESTEP_SPARK_EIGEN_H

#include "quadrature/small_matrix.h"
#include <complex.h>

/* Real eigenvalues first, in ascending order, then the one of each pair with positive imaginary
 * part; each vector has largest entry 1. T is n x blocks, Ti blocks x n, by rows, such that
 *
 *   A = sum over the reals of T_k mu_k Ti_k + 2 Re sum over the pairs of the same.
 *
 * blocks = 0 where that does not hold to DAE__EIGEN_TOLERANCE: A cannot be diagonalised, or hardly.
 */
#define DAE__EIGEN_TOLERANCE                                                                       \
  1e-9L /* relative to the norm of A; the families have 1e-14 or less                              \
         */

typedef struct dae__eigen {
  int n, reals, blocks;
  long double complex mu[DAE__SMALL_SIZE];
  long double complex T[DAE__SMALL_SIZE * DAE__SMALL_SIZE], Ti[DAE__SMALL_SIZE * DAE__SMALL_SIZE];
} dae__eigen;

dae__eigen dae__eigen_of(const dae__small *A);

#endif
