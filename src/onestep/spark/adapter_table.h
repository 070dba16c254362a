/* What moves: a problem with its state vector as the integrator keeps it, and the face of it that
 * the stages see. */
#ifndef DAEDAL_ONESTEP_SPARK_ADAPTER_TABLE_H
#define DAEDAL_ONESTEP_SPARK_ADAPTER_TABLE_H

#include "onestep/spark/adapter.h"

/* There are two sets of factorisations: of the motion itself, and of what is shown of it, so that
 * showing it does not change it. */
typedef struct dae__body_table {
  /* Makes the state consistent in place and finds its derivative; fixed may be NULL. */
  dae_status (*consistent)(void *self, double t, const bool *fixed, double *state, double *rate,
                           dae_error *err);
  /* The state onto its constraints. */
  dae_status (*project)(void *self, bool shown, double t, double *state, dae_error *err);
  /* Multipliers into the state, and its derivative (may be NULL). */
  dae_status (*accelerate)(void *self, bool shown, double t, double *state, double *rate,
                           dae_error *err);
  void (*count)(const void *self, dae_stats *stats); /* adds its own */
  dae_status (*reload)(void *self);                  /* after load */
  void (*free)(void *self);
} dae__body_table;

typedef struct dae__body {
  const dae__body_table *table;
  void *self;
  dae__face face;
  int size; /* entries of the state vector */
} dae__body;

/* What the face has to offer. */
typedef struct dae__body_needs {
  bool matrices;
  int blocks; /* of the richer iteration, 0: none */
} dae__body_needs;

/* A mechanical problem: y = (q, u), z = v, momenta p = dT/dv, r = -G' lambda, f = F - K' psi. */
dae_status dae__body_mechanical(dae__arena *arena, const dae_problem *problem,
                                const dae__body_needs *needs, dae__body *out, dae_error *err);
/* A problem in the momentum form. */
dae_status dae__body_momentum(dae__arena *arena, const dae_problem *problem,
                              const dae__body_needs *needs, dae__body *out, dae_error *err);

#endif
