/* What moves: a problem as the semi-explicit one that the steps see, with what else has to be known
 * of it. The state vector of the steps is z = (x, y); the caller's one is its beginning. */
#ifndef DAEDAL_ONESTEP_LIE_ADAPTER_H
#define DAEDAL_ONESTEP_LIE_ADAPTER_H

#include "problem/semi_explicit/semi.h"

#include <daedal/lie.h>

/* What is shown has factorisations of its own, so that showing it does not change the motion. */
typedef struct dae__lie_adapter_table {
  /* Makes z consistent in place and finds its derivative dz; fixed may be NULL. */
  dae_status (*consistent)(void *self, double t, const bool *fixed, double *z, double *dz,
                           dae_error *err);
  /* y and the derivative dz that belong to x. Without a message: DAE_ERROR_SINGULAR, where y is not
   * determined, and z and dz are left as they are. */
  dae_status (*slopes)(void *self, bool shown, double t, double *z, double *dz, dae_error *err);
  /* x onto its constraints, from near them. */
  dae_status (*project)(void *self, double t, double *z, dae_error *err);
  void (*count)(const void *self, dae_stats *stats);
  dae_status (*reload)(void *self, dae_error *err); /* after load */
  void (*free)(void *self);
} dae__lie_adapter_table;

typedef struct dae__lie_adapter {
  const dae__lie_adapter_table *table;
  void *self;
  dae__semi *s;       /* what the steps see */
  int size;           /* of the caller's state vector */
  const bool *active; /* ny: rows of F that were not taken out as dependent; NULL: all */
} dae__lie_adapter;

/* A semi-explicit problem. */
dae_status dae__lie_adapter_semi(dae__arena *arena, const dae_problem *problem,
                                 dae__lie_adapter *out, dae_error *err);
/* A mechanical problem, seen as a semi-explicit one. */
dae_status dae__lie_adapter_mechanical(dae__arena *arena, const dae_problem *problem,
                                       dae_lie_form form, dae__lie_adapter *out, dae_error *err);

#endif
