/* Backends of dae__solver and dae__zsolver: one table for each factorisation. Complex numbers are
 * pairs of doubles. */
#ifndef DAEDAL_LINALG_BACKEND_H
#define DAEDAL_LINALG_BACKEND_H

#include "linalg/solver.h"

typedef struct dae__backend {
  const char *kind;
  /* state goes to the arena; on failure nothing is left to free */
  dae_status (*create)(dae__arena *arena, const dae_pattern *pattern, void **state);
  /* DAE_ERROR_SINGULAR sets *column. The values are finite, except for dae__backend_lu_small, which
   * reports others as singular. */
  dae_status (*factor)(void *state, const double *values, int *column);
  void (*solve)(void *state, double *b);
  double (*rcond)(const void *state);
  dae_status (*reload)(void *state); /* NULL: all factors are saved with the arena */
  void (*reset)(void *state);        /* new pivots at the next factorisation; NULL: at each */
  void (*free)(void *state);         /* NULL: all memory is in the arena */
} dae__backend;

/* Dense inverse for n from 1 to DAE__SMALL_N, whose solutions may differ from those of LU in their
 * last digits. */
#define DAE__SMALL_N 12
extern const dae__backend dae__backend_lu_small;
void dae__lu_small_set_pattern(void *state, const dae_pattern *pattern);
extern const dae__backend dae__backend_dense, dae__backend_lapack, dae__backend_zdense;
#ifdef DAE_WITH_LAPACK
extern const dae__backend dae__backend_zlapack;
#endif
#ifdef DAE_WITH_KLU
extern const dae__backend dae__backend_klu, dae__backend_zklu;
#endif

/* Backends for numbers of `width` doubles, and the n from which on LAPACK is faster; sparse may be
 * NULL. */
typedef struct dae__backends {
  int width, crossover;
  const dae__backend *dense, *lapack, *sparse;
} dae__backends;

/* dae__solver_create with the backend of these that suits the pattern. */
dae_status dae__solver_create_on(dae__arena *arena, const dae_pattern *pattern,
                                 dae__backends backends, dae__solver **out, dae_error *err);

#endif
