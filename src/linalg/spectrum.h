/* Eigenvalues and eigenvectors of dense real matrices A, n x n by columns, and the smallest
 * singular value. All memory is temporary. Entries that are not finite are
 * DAE_ERROR_RECOVERABLE. */
#ifndef DAEDAL_LINALG_SPECTRUM_H
#define DAEDAL_LINALG_SPECTRUM_H

#include <daedal/env.h>
#include <daedal/status.h>

/* All n eigenvalues re + i im, in no particular order. */
dae_status dae__spectrum_values(const dae_env *env, int n, const double *A, double *re, double *im,
                                dae_error *err);

/* Eigenvector x + i y of A for the eigenvalue re + i im, of largest modulus 1, by inverse
 * iteration; y is zero for im = 0. */
dae_status dae__spectrum_vector(const dae_env *env, int n, const double *A, double re, double im,
                                double *x, double *y, dae_error *err);

/* Smallest singular value of A, n >= 1, to a relative accuracy of about 1e-8. */
dae_status dae__spectrum_smallest(const dae_env *env, int n, const double *A, double *sigma,
                                  dae_error *err);

#endif
