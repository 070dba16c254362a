#ifndef DAEDAL_WAVE_ANALYSIS_SPLITTING_H
#define DAEDAL_WAVE_ANALYSIS_SPLITTING_H

/* The eigenvalue of largest modulus of a large operator x -> T x. */

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

/* What one sweep does to errors: T = -(1 + L)^-1 U, C = L + U the gains of a loop, L those from
 * subsystems that come before in the order; Jacobi has L = 0. */

#include "wave/analysis/loop_matrix.h"

typedef struct dae__splitting {
  const dae__loop_matrix *matrix;
  const dae_pattern *pattern; /* of C, or of C' */
  const double *C;
  int *first, *turn; /* by place: where its unknowns begin in turn; unknowns in turn */
  int *place;        /* by unknown: that of its subsystem */
  int *system_place; /* by subsystem */
  int *active;       /* unknowns with a column, or a row, in U */
  int *row_seen;
  double *x, *y, *B; /* vectors, and T on the active unknowns where these are few */
  double *re, *im;
  dae__dominant dominant; /* where they are many */
} dae__splitting;

/* Out of memory shows in dae__arena_failed. An order must be set before anything else. */
dae__splitting dae__splitting_create(dae__arena *arena, const dae__loop_matrix *matrix);
void dae__splitting_order(dae__splitting *s, const int *order); /* NULL: Jacobi */

/* rho(T): dense eigenvalues where few columns, or rows, of U are not zero, else a power iteration.
 */
dae_status dae__splitting_radius(dae__splitting *s, const dae_env *env, double *rho,
                                 dae_error *err);

/* A rough guess of rho(T), from a few products: for choosing whom to look at. */
double dae__splitting_guess(dae__splitting *s);

/* weight_i = |y_i x_i|, (mu (1 + L) + U) x = 0 and y'(mu (1 + L) + U) = 0 for the largest |mu|: how
 * much unknown i takes part in the mode, whatever its unit. Largest 1, or all zero for rho = 0. */
dae_status dae__splitting_mode(dae__splitting *s, const dae_env *env, double *weight,
                               dae_error *err);

#endif
