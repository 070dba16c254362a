/* Adapter: a problem as the semi-explicit one of the steps, M x' = f, 0 = F. The state vector of
 * the steps is z = (x, y); that of the caller is its beginning. Dense output has its own
 * factorisations, so that output does not change the steps. */
#ifndef DAEDAL_ONESTEP_LIE_ADAPTER_H
#define DAEDAL_ONESTEP_LIE_ADAPTER_H

#include "problem/semi_explicit/semi.h"

#include <daedal/lie.h>

typedef struct dae__lie_adapter_table {
  /* Makes z consistent in place and finds its derivative dz; fixed may be NULL. */
  dae_status (*consistent)(void *self, double t, const bool *fixed, double *z, double *dz,
                           dae_error *err);
  /* y and the derivative dz at x; for_output selects the factorisations of dense output.
   * DAE_ERROR_SINGULAR without a message: y is not determined, z and dz are unchanged. */
  dae_status (*rates)(void *self, bool for_output, double t, double *z, double *dz, dae_error *err);
  /* Projects x onto its constraints; x is near them. */
  dae_status (*project)(void *self, double t, double *z, dae_error *err);
  void (*count)(const void *self, dae_stats *stats);
  dae_status (*reload)(void *self, dae_error *err); /* after load */
  void (*free)(void *self);
} dae__lie_adapter_table;

typedef struct dae__lie_adapter {
  const dae__lie_adapter_table *table;
  void *self;
  dae__semi *s;       /* the semi-explicit problem of the steps */
  int size;           /* entries of the caller's state vector */
  const bool *active; /* ny: independent rows of F; NULL: all */
} dae__lie_adapter;

/* A semi-explicit problem. */
dae_status dae__lie_adapter_semi(dae__arena *arena, const dae_problem *problem,
                                 dae__lie_adapter *out, dae_error *err);
/* A mechanical problem in the semi-explicit form. */
dae_status dae__lie_adapter_mechanical(dae__arena *arena, const dae_problem *problem,
                                       dae_lie_form form, dae__lie_adapter *out, dae_error *err);

#endif
