/* Adapter: a problem in the semi-explicit form that the Lie-group steps integrate, M x' = f, 0 = F.
 * The state vector of the steps is z = (x, y), and begins with the state vector of the caller.
 * Dense output has its own factorisations, so that output does not change the steps. */
#ifndef DAEDAL_ONESTEP_LIE_ADAPTER_H
#define DAEDAL_ONESTEP_LIE_ADAPTER_H

#include "problem/semi_explicit/semi.h"

#include <daedal/lie.h>

typedef struct dae__lie_adapter_table {
  /* Makes z consistent in place and finds its derivative dz; fixed: entries that keep their value,
   * NULL: none. */
  dae_status (*consistent)(void *self, double t, const bool *fixed, double *z, double *dz,
                           dae_error *err);
  /* Computes y and the derivative dz for given x; for_output selects the factorisations of dense
   * output. DAE_ERROR_SINGULAR without a message: y is not determined, z and dz are unchanged. */
  dae_status (*rates)(void *self, bool for_output, double t, double *z, double *dz, dae_error *err);
  /* Projects x, which is close to its constraints, onto them. */
  dae_status (*project)(void *self, double t, double *z, dae_error *err);
  void (*count)(const void *self, dae_stats *stats);
  /* Restores the factorisations after the integrator was loaded. */
  dae_status (*reload)(void *self, dae_error *err);
  void (*free)(void *self);
} dae__lie_adapter_table;

typedef struct dae__lie_adapter {
  const dae__lie_adapter_table *table;
  void *self;
  dae__semi *s;       /* semi-explicit problem that the steps integrate */
  int size;           /* number of entries of the caller's state vector */
  const bool *active; /* independent rows among the ny rows of F; NULL: all rows */
} dae__lie_adapter;

/* Creates the adapter of a semi-explicit problem. */
dae_status dae__lie_adapter_semi(dae__arena *arena, const dae_problem *problem,
                                 dae__lie_adapter *out, dae_error *err);
/* Creates the adapter of a mechanical problem, which is integrated in the semi-explicit form. */
dae_status dae__lie_adapter_mechanical(dae__arena *arena, const dae_problem *problem,
                                       dae_lie_form form, dae__lie_adapter *out, dae_error *err);

#endif
