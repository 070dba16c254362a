/* The iteration matrix of one sweep: T = -(1 + L)^-1 U, C = L + U the matrix of a loop, L its
 * entries from subsystems earlier in the order; Jacobi has L = 0. */
#ifndef DAEDAL_WAVE_ANALYSIS_SPLITTING_H
#define DAEDAL_WAVE_ANALYSIS_SPLITTING_H

#include "core/arena.h"
#include "wave/analysis/loop_matrix.h"

typedef struct dae__splitting {
  const dae__loop_matrix *matrix;
  const dae_pattern *pattern; /* of C, or of C' */
  const double *C;
  int *first;        /* begin of the unknowns of each place in `turn` */
  int *turn;         /* unknowns in the order of the sweep */
  int *place;        /* place of the subsystem of each unknown in the order */
  int *system_place; /* place of each subsystem in the order */
  int *active;       /* unknowns with a column, or a row, in U */
  int *row_seen;
  double *x, *y;   /* vectors */
  double *B;       /* T on the active unknowns, dense */
  double *re, *im; /* eigenvalues, or an eigenvector */

  /* Arnoldi process for T with more active unknowns: T V = V H + h v e' */
  int dimension;
  double *V, *H; /* n x (dimension + 1), dimension x dimension, by columns */
} dae__splitting;

/* Out of memory shows in dae__arena_failed. An order must be set before anything else. */
dae__splitting dae__splitting_create(dae__arena *arena, const dae__loop_matrix *matrix);
void dae__splitting_order(dae__splitting *s, const int *order); /* NULL: Jacobi */

/* rho(T): dense eigenvalues where few columns, or rows, of U are not zero, else Arnoldi and power
 * iterations. */
dae_status dae__splitting_radius(dae__splitting *s, const dae_env *env, double *rho,
                                 dae_error *err);

/* A low-accuracy estimate of rho(T) by a short power iteration. */
double dae__splitting_estimate(dae__splitting *s);

/* weight_i = |y_i x_i|, (mu (1 + L) + U) x = 0 and y'(mu (1 + L) + U) = 0 for the largest |mu|: the
 * participation of unknown i in the mode, independent of its unit. Largest 1, or all zero for
 * rho = 0. */
dae_status dae__splitting_mode(dae__splitting *s, const dae_env *env, double *weight,
                               dae_error *err);

#endif
