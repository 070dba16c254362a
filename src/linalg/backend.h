/* What lies behind dae__solver and dae__zsolver: one table per way to factor. Complex numbers are
 * pairs of doubles. */
#ifndef DAEDAL_LINALG_BACKEND_H
#define DAEDAL_LINALG_BACKEND_H

#include "linalg/solver.h"

typedef struct dae__backend {
  const char *kind;
  /* state goes to the arena; on failure nothing is left to free */
  dae_status (*create)(dae__arena *arena, const dae_pattern *pattern, void **state);
  /* DAE_ERROR_SINGULAR sets *column; the values are finite. dae__backend_lu_small is given others,
   * too, and finds them singular */
  dae_status (*factor)(void *state, const double *values, int *column);
  void (*solve)(void *state, double *b);
  double (*rcond)(const void *state);
  dae_status (*reload)(void *state);
  void (*forget)(void *state); /* the next factorisation chooses its pivots anew; NULL: all do */
  void (*free)(void *state);
} dae__backend;

/* for n from 1 to DAE__SMALL_N, by the inverse, so that solutions may differ in their last digits
 */
#define DAE__SMALL_N 12
extern const dae__backend dae__backend_lu_small;
void dae__lu_small_turn_to(void *state, const dae_pattern *pattern); /* see dae__solver_turn_to */
extern const dae__backend dae__backend_dense, dae__backend_lapack, dae__backend_zdense;
#ifdef DAE_WITH_LAPACK
extern const dae__backend dae__backend_zlapack;
#endif
#ifdef DAE_WITH_KLU
extern const dae__backend dae__backend_klu, dae__backend_zklu;
#endif

/* The ways to factor numbers of `width` doubles, and the n from which on LAPACK is the faster;
 * sparse may be NULL. */
typedef struct dae__backends {
  int width, crossover;
  const dae__backend *dense, *lapack, *sparse;
} dae__backends;

/* As dae__solver_create; the pattern decides which of the ways is taken. */
dae_status dae__solver_create_on(dae__arena *arena, const dae_pattern *pattern, dae__backends ways,
                                 dae__solver **out, dae_error *err);

#endif
