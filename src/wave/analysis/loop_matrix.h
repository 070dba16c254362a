/* Matrix of a loop between subsystems, condensed to the unknowns that close the loop.
 *
 *   Gd^-1 G = 1 + C,   Gd the diagonal blocks of G, one for each subsystem
 *
 * C_ij is the feedthrough from unknown j to unknown i of another subsystem. Unknowns that only
 * their owner uses, or that lie on no closed path of C, do not contribute to rho(T) and are left
 * out; the other unknowns are scaled by powers of two, D^-1 C D, so that their units play no
 * role. */
#ifndef DAEDAL_WAVE_ANALYSIS_LOOP_MATRIX_H
#define DAEDAL_WAVE_ANALYSIS_LOOP_MATRIX_H

#include "core/arena.h"
#include "wave/analysis/contraction.h"

typedef struct dae__loop_matrix {
  int n, systems;
  const int *unknown, *owner;      /* unknown of G for each row of C, and its subsystem */
  dae_pattern pattern, transposed; /* patterns of C and C'; no entries within a subsystem */
  const double *values, *transposed_values;
} dae__loop_matrix;

/* Condensed loop matrix C, with all memory from the arena. DAE_ERROR_SINGULAR, without a message,
 * where Gd is singular. */
dae_status dae__loop_matrix_create(dae__arena *arena, const dae__loop *loop, dae__loop_matrix *out,
                                   dae_error *err);

/* ---- splitting.c ---- */

/* The iteration matrix of one sweep, T = -(1 + L)^-1 U, with C = L + U the matrix of a loop and L
 * the entries from subsystems earlier in the order; Jacobi has L = 0. */
typedef struct dae__splitting {
  const dae__loop_matrix *matrix;
  const dae_pattern *pattern; /* pattern of C, or of C' for the transposed sweep */
  const double *C;
  int *first;        /* begin in `turn` of the unknowns of the k-th subsystem */
  int *turn;         /* unknowns in the order of the sweep */
  int *place;        /* position in the order of each unknown's subsystem */
  int *system_place; /* position of each subsystem in the order */
  int *active;       /* unknowns whose column (transposed: row) of U is nonzero */
  int *row_seen;
  double *x, *y;   /* scratch: two vectors of all unknowns */
  double *B;       /* dense T on the active unknowns */
  double *re, *im; /* real and imaginary parts of eigenvalues, or of an eigenvector */

  /* Arnoldi process T V = V H + h v e' for more than MAX_DENSE_UNKNOWNS active unknowns */
  int dimension;
  double *V, *H; /* V: n x (dimension + 1), H: dimension x dimension, by columns */
} dae__splitting;

/* Splitting of a loop matrix, without an order: dae__splitting_order must be called first. Lack of
 * memory is reported by dae__arena_failed. */
dae__splitting dae__splitting_create(dae__arena *arena, const dae__loop_matrix *matrix);
/* Sets the order of the subsystems in a sweep; NULL: Jacobi. */
void dae__splitting_order(dae__splitting *s, const int *order);

/* rho(T): dense eigenvalues where few columns, or few rows, of U are nonzero, else Arnoldi and
 * power iterations. */
dae_status dae__splitting_radius(dae__splitting *s, const dae_env *env, double *rho,
                                 dae_error *err);

/* Low-accuracy estimate of rho(T) by a short power iteration. */
double dae__splitting_estimate(dae__splitting *s);

/* Participation weight_i = |y_i x_i| of unknown i in the mode of the largest |mu|, with (mu (1 + L)
 * + U) x = 0 and y'(mu (1 + L) + U) = 0; independent of the units. Largest weight 1, or all weights
 * zero for rho = 0. */
dae_status dae__splitting_mode(dae__splitting *s, const dae_env *env, double *weight,
                               dae_error *err);

#endif
