/* Eigenvalues and eigenvectors of a small real matrix, A = T diag(mu) T^-1. */
#ifndef DAEDAL_TESTS_EIGEN_REFERENCE_H
#define DAEDAL_TESTS_EIGEN_REFERENCE_H

#include "quadrature/small_matrix.h"
#include <complex.h>

/* Defect of the decomposition relative to the norm of A above which A counts as not diagonalisable;
 * the Runge-Kutta families have 1e-14 or less. */
#define DAE__EIGEN_TOLERANCE 1e-9L

/* Eigenvalues mu and eigenvectors: the real eigenvalues in ascending order, then of each complex
 * pair the eigenvalue with positive imaginary part; each vector has largest entry 1. T is
 * n x blocks, Ti blocks x n, by rows, and
 *
 *   A = sum over the reals of T_k mu_k Ti_k + 2 Re sum over the pairs of T_k mu_k Ti_k.
 *
 * blocks = 0: the decomposition does not hold to DAE__EIGEN_TOLERANCE. */
typedef struct dae__eigen {
  int n, reals, blocks;
  long double complex mu[DAE__SMALL_SIZE];
  long double complex T[DAE__SMALL_SIZE * DAE__SMALL_SIZE], Ti[DAE__SMALL_SIZE * DAE__SMALL_SIZE];
} dae__eigen;

dae__eigen dae__eigen_of(const dae__small *A);

#endif
