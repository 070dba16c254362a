/* The eigenvalue of largest modulus of a large operator x -> T x. */
#ifndef DAEDAL_WAVE_ANALYSIS_DOMINANT_H
#define DAEDAL_WAVE_ANALYSIS_DOMINANT_H

#include "core/arena.h"
#include <daedal/status.h>

typedef void dae__apply(const void *T, const double *x, double *y); /* y = T x */

typedef struct dae__dominant {
  int n, dimension; /* of x, and of the subspace */
  dae__apply *apply;
  const void *T;
  double *V, *H;   /* n x (dimension + 1), dimension x dimension, by columns */
  double *re, *im; /* dimension */
} dae__dominant;

/* Out of memory shows in dae__arena_failed. */
dae__dominant dae__dominant_create(dae__arena *arena, int n, dae__apply *apply, const void *T);

/* rho = |mu| to about 1e-3; modulus (may be NULL) becomes |x_i| for the vector to mu, largest 1, or
 * zero for rho = 0. */
dae_status dae__dominant_find(dae__dominant *d, const dae_env *env, double *rho, double *modulus,
                              dae_error *err);

#endif
