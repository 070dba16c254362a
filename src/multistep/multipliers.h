/* Estimates of multipliers from a residual: s minimises |r + A' s|, A = [G; K].
 *
 *   least squares   A A' s = -A r
 *   QR              least squares by A' = Q R [YP96 Remark 2.2], see linalg/qr.h
 *   split           (A Y)' s = -Y' r,   q = X q_x + Y q_y, with the dependent coordinates q_y as
 *                   pivots of an elimination of A' [YP96 Lemma 2.2, with (GY)^-T]
 *
 * Where r = -A' s* all give s*; elsewhere least squares and split differ, and the split depends on
 * the condition of A Y. Least squares and split come from one sparse system,
 *
 *   [ D  A' ] [ x ]   [ -r ]        D = 1, or 1 on X and 0 on Y,
 *   [ A  0  ] [ s ] = [  0 ]
 *
 * so that A A', (A Y)^-1 and the projector P = X' - Q' Y', which are dense, are never formed. */
#ifndef DAEDAL_MULTISTEP_MULTIPLIERS_H
#define DAEDAL_MULTISTEP_MULTIPLIERS_H

#include "linalg/qr.h"
#include "linalg/saddle/saddle.h"
#include "problem/mechanical/mech.h"
#include <daedal/bdf.h>

typedef struct dae__multipliers_memory {
  /* reciprocal condition number of A Y at the selection of the split; 0: not known yet */
  double rcond;
  long factorisations;
} dae__multipliers_memory;

typedef struct dae__multipliers {
  dae__mech *m;
  dae_bdf_multipliers kind;
  /* whether a split is needed, for the estimate or for the error test */
  bool split;
  dae__saddle *of_A; /* saddle system with A = [G; K] */
  dae__saddle *of_G; /* saddle system with A = G; NULL: the problem has no K */
  /* diagonal D, and unit entries for dependent constraints, length nq + nc; saved */
  double *diagonal;
  /* diagonal D of the system with G alone, length nq + ng; saved */
  double *diagonal_G;
  double *x; /* right side, length nq */
  /* Data of the split. */
  int independent; /* coordinate that has to be independent, -1: no such coordinate */
  dae_pattern A;
  dae__block G_in_A, K_in_A;
  double *stacked; /* values of A = [G; K] */
  /* dependent coordinate of each of the nc constraints, -1: none */
  int *pivot;
  bool *rows; /* whether each of the nc constraints is independent */
  /* Data of the QR factorisation. */
  dae__qr qr;
  double *factored;                /* values of A that are factored */
  dae__multipliers_memory *memory; /* saved with the integrator */
  const dae_env *env;
} dae__multipliers;

dae_status dae__multipliers_create(dae__arena *arena, dae__mech *m, const dae_bdf_options *opts,
                                   dae__multipliers *out, dae_error *err);
/* Frees the memory outside the arena. */
void dae__multipliers_free(dae__multipliers *e);

/* Selects a split, stored in `pivot`, at a point with the Jacobians G and K; no effect unless
 * `split` is true. */
dae_status dae__multipliers_select_split(dae__multipliers *e, const double *G, const double *K,
                                         dae_error *err);
/* Factors the systems of the estimates with the Jacobians G and K. DAE_ERROR_SINGULAR: A Y is
 * singular, or its condition is ten times worse than at the selection of the split. */
dae_status dae__multipliers_factor(dae__multipliers *e, const double *G, const double *K,
                                   dae_error *err);
/* Estimates the multipliers y = (lambda, psi) from the residual r2, and mu from r1. */
void dae__multipliers_estimate(dae__multipliers *e, const double *r1, const double *r2, double *y,
                               double *mu);

#endif
