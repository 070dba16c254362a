/* Backends of dae__solver and dae__zsolver: one table for each factorisation. Values of complex
 * matrices are pairs of doubles. */
#ifndef DAEDAL_LINALG_BACKEND_H
#define DAEDAL_LINALG_BACKEND_H

#include "linalg/solver.h"

struct dae__fronts_plan;

typedef struct dae__backend {
  const char *kind;
  /* Allocates the backend's state in the arena; after a failure nothing is left to free. */
  dae_status (*create)(dae__arena *arena, const dae_pattern *pattern, void **state);
  /* Factors the matrix; DAE_ERROR_SINGULAR sets *column. Values must be finite, except for
   * dae__backend_lu_small, which reports infinite and NaN entries as singular. */
  dae_status (*factor)(void *state, const double *values, int *column);
  /* Solution x = A\x, of complex numbers x + i y = A\(x + i y). */
  void (*solve)(void *state, double *x, double *y);
  double (*rcond)(const void *state);
  /* Makes the next factorisation search new pivots; NULL: every factorisation does. */
  void (*reset)(void *state);
  /* Replaces the pattern by another of no more unknowns; NULL: not supported. */
  void (*set_pattern)(void *state, const dae_pattern *pattern);
  /* Allocates memory to factor by fronts in the order of a plan; NULL: not supported. */
  void (*set_plan)(dae__arena *arena, const struct dae__fronts_plan *plan, void *state);
  /* Frees memory outside the arena; NULL: all memory is in the arena. */
  void (*free)(void *state);
} dae__backend;

/* Backends for 1 to DAE__SMALL_N unknowns. Solutions by the inverse of real matrices may differ
 * from those of LU in their last digits. */
#define DAE__SMALL_N 12
extern const dae__backend dae__backend_lu_small, dae__backend_zlu_small;
/* Dense LU; LAPACK factors from the order dae__lu_crossover or dae__zlu_crossover on. */
extern const dae__backend dae__backend_dense, dae__backend_lapack;
extern const dae__backend dae__backend_zdense, dae__backend_zlapack;
extern const int dae__lu_crossover, dae__zlu_crossover;
#ifdef DAE_WITH_KLU
extern const dae__backend dae__backend_klu, dae__backend_zklu;
#endif

#endif
