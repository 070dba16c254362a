/* Backends of dae__solver and dae__zsolver: one table for each factorisation. Complex numbers are
 * pairs of doubles. */
#ifndef DAEDAL_LINALG_BACKEND_H
#define DAEDAL_LINALG_BACKEND_H

#include "linalg/solver.h"

typedef struct dae__backend {
  const char *kind;
  /* Allocates the backend's state in the arena; after a failure nothing is left to free. */
  dae_status (*create)(dae__arena *arena, const dae_pattern *pattern, void **state);
  /* Factors the matrix; DAE_ERROR_SINGULAR sets *column. Values must be finite, except for
   * dae__backend_lu_small, which reports infinite and NaN entries as singular. */
  dae_status (*factor)(void *state, const double *values, int *column);
  void (*solve)(void *state, double *b);
  double (*rcond)(const void *state);
  /* Makes the next factorisation search new pivots; NULL: every factorisation does. */
  void (*reset)(void *state);
  /* Frees memory outside the arena; NULL: all memory is in the arena. */
  void (*free)(void *state);
} dae__backend;

/* Backend for 1 to DAE__SMALL_N unknowns by a dense inverse. Its solutions may differ from those of
 * LU in their last digits. */
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

/* Backends for matrix entries of `width` doubles (1 real, 2 complex), and the order n from which on
 * LAPACK is faster than the own dense kernel; sparse may be NULL. */
typedef struct dae__backends {
  int width, crossover;
  const dae__backend *dense, *lapack, *sparse;
} dae__backends;

/* Creates a solver with the backend of the table that suits the pattern, like
 * dae__solver_create. */
dae_status dae__solver_create_on(dae__arena *arena, const dae_pattern *pattern,
                                 dae__backends backends, dae__solver **out, dae_error *err);

#endif
