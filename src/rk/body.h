/* What moves: a problem as the steps see it. Its state vector is z = (x, y), where x has slopes and
 * y belongs to x: algebraic variables and multipliers. */
#ifndef DAEDAL_RK_BODY_H
#define DAEDAL_RK_BODY_H

#include "problem/semi.h"
#include "rk/scheme.h"
#include <daedal/rk.h>

/* What is shown has factorisations of its own, so that showing it does not change the motion. */
typedef struct dae__rk_body_table {
  /* Makes z consistent in place and finds its derivative dz; fixed may be NULL. */
  dae_status (*consistent)(void *self, double t, const bool *fixed, double *z, double *dz,
                           dae_error *err);
  /* y, from the guess in z, and the derivative dz that belong to x; entries of dz for y are left
   * alone. */
  dae_status (*slopes)(void *self, bool shown, double t, double *z, double *dz, dae_error *err);
  /* x onto its constraints, from near them; NULL: there are none. */
  dae_status (*project)(void *self, bool shown, double t, double *z, dae_error *err);
  /* The inputs at t. */
  dae_status (*inputs)(void *self, double t, const double **in, dae_error *err);
  void (*count)(const void *self, dae_stats *stats);
  dae_status (*reload)(void *self, dae_error *err); /* after load */
  void (*free)(void *self);
} dae__rk_body_table;

typedef struct dae__rk_body {
  const dae__rk_body_table *table;
  void *self;
  const dae_problem *problem;
  int nx, size, nin;
  dae__semi *s;  /* as a semi-explicit problem; NULL: mechanical, for an explicit method */
  bool singular; /* M: there are no slopes of x at a point */
} dae__rk_body;

/* scheme: the method it is for. */
dae_status dae__rk_body_semi(dae__arena *arena, const dae_problem *problem,
                             const dae__rk_scheme *scheme, const dae_rk_options *opts,
                             dae__rk_body *out, dae_error *err);
dae_status dae__rk_body_mechanical(dae__arena *arena, const dae_problem *problem,
                                   const dae__rk_scheme *scheme, const dae_rk_options *opts,
                                   dae__rk_body *out, dae_error *err);

#endif
