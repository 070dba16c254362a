/* What lies behind dae__solver: one table per way to factor. */
#ifndef DAEDAL_LINALG_BACKEND_H
#define DAEDAL_LINALG_BACKEND_H

#include "core/arena.h"
#include <daedal/pattern.h>
#include <daedal/status.h>

typedef struct dae__backend {
  const char *kind;
  /* state goes to the arena; on failure nothing is left to free */
  dae_status (*create)(dae__arena *arena, const dae_pattern *pattern, void **state);
  /* DAE_ERROR_SINGULAR sets *column; the values are finite */
  dae_status (*factor)(void *state, const double *values, int *column);
  void (*solve)(void *state, double *b);
  double (*rcond)(const void *state);
  dae_status (*reload)(void *state);
  void (*forget)(void *state); /* the next factorisation chooses its pivots anew; NULL: all do */
  void (*free)(void *state);
} dae__backend;

extern const dae__backend dae__backend_dense, dae__backend_lapack;
#ifdef DAE_WITH_KLU
extern const dae__backend dae__backend_klu;
#endif

#endif
