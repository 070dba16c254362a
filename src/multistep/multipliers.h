/* Estimates of multipliers from a residual: s minimises r + A' s, A = [G; K].
 *
 *   least squares   A A' s = -A r
 *   QR              the same by A' = Q R, R s = -Q' r; dense [YP96 Remark 2.2]
 *   split           (A Y)' s = -Y' r,   q = X q_x + Y q_y, with the dependent coordinates q_y as
 *                   pivots of an elimination of A' [YP96 Lemma 2.2, with (GY)^-T]
 *
 * Where r = -A' s* all give s*; elsewhere least squares and split differ, and the split depends on
 * the condition of A Y. Both come from one sparse system,
 *
 *   [ D  A' ] [ x ]   [ -r ]        D = 1, or 1 on X and 0 on Y,
 *   [ A  0  ] [ s ] = [  0 ]
 *
 * so that A A', (A Y)^-1 and the projector P = X' - Q' Y', which are dense, are never formed. */
#ifndef DAEDAL_MULTISTEP_MULTIPLIERS_H
#define DAEDAL_MULTISTEP_MULTIPLIERS_H

#include "linalg/saddle/saddle.h"
#include "problem/mechanical/mech.h"
#include <daedal/bdf.h>

typedef struct dae__multipliers_memory {
  double rcond; /* of A Y at the selection of the split; 0: not known yet */
  long factorisations;
} dae__multipliers_memory;

typedef struct dae__multipliers {
  dae__mech *m;
  dae_bdf_multipliers kind;
  bool split;         /* a split is selected, for the estimate or for the error test */
  dae__saddle *of_A;  /* system with [G; K] */
  dae__saddle *of_G;  /* system with G alone; NULL: there is no K */
  double *diagonal;   /* nq + nc, saved: D, and ones for dependent constraints */
  double *diagonal_G; /* nq + ng, saved: the same for G alone */
  double *x;          /* nq: right side */
  /* split */
  int independent; /* coordinate that stays independent, -1: any */
  dae_pattern A;
  dae__block G_in_A, K_in_A;
  double *stacked; /* values of A */
  int *pivot;      /* nc: dependent coordinate of each constraint, -1: none */
  bool *rows;      /* nc: independent constraints */
  /* QR */
  double *Q, *tau; /* nq x nc: the reflections below the diagonal, R on and above it */
  dae__multipliers_memory *memory; /* saved */
  const dae_env *env;
} dae__multipliers;

dae_status dae__multipliers_create(dae__arena *arena, dae__mech *m, const dae_bdf_options *opts,
                                   dae__multipliers *out, dae_error *err);
dae_status dae__multipliers_reload(dae__multipliers *e);
void dae__multipliers_free(dae__multipliers *e); /* memory outside the arena */

/* Selects a split at a point with these Jacobians, where `split` asks for one: pivot. */
dae_status dae__multipliers_select_split(dae__multipliers *e, const double *G, const double *K,
                                         dae_error *err);
/* Factors the estimates with these Jacobians. DAE_ERROR_SINGULAR: A Y is singular, or its condition
 * ten times worse than at the selection of the split. */
dae_status dae__multipliers_factor(dae__multipliers *e, const double *G, const double *K,
                                   dae_error *err);
/* y = (lambda, psi) of r2, mu of r1. */
void dae__multipliers_estimate(dae__multipliers *e, const double *r1, const double *r2, double *y,
                               double *mu);

#endif
