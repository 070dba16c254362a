/* Complex linear systems with a fixed pattern and changing values, the complex version of
 * linalg/solver.h: the blocks of implicit Runge-Kutta methods, one for each pair of eigenvalues. */
#ifndef DAEDAL_LINALG_ZSOLVER_H
#define DAEDAL_LINALG_ZSOLVER_H

#include "core/arena.h"
#include <complex.h>
#include <daedal/pattern.h>
#include <daedal/status.h>

typedef struct dae__zsolver dae__zsolver;

/* Analyses the pattern, which must live as long as the solver. On failure *out is NULL. */
dae_status dae__zsolver_create(dae__arena *arena, const dae_pattern *pattern, dae__zsolver **out,
                               dae_error *err);

/* Replaces the pattern of a solver for at most DAE__SMALL_N unknowns by another of no more
 * unknowns. dae__zsolver_reset must follow, unless the last matrix already had the new pattern, as
 * after a load. */
void dae__zsolver_set_pattern(dae__zsolver *solver, const dae_pattern *pattern);

/* Factors the matrix with these values. DAE_ERROR_SINGULAR: see dae__zsolver_column; values that
 * are not finite are DAE_ERROR_RECOVERABLE. No message is written. */
dae_status dae__zsolver_factor(dae__zsolver *solver, const double complex *values);

/* Column at which the last factorisation failed, -1 if it succeeded or the column is not known. */
int dae__zsolver_column(const dae__zsolver *solver);

/* Solution x + i y = A\(x + i y); does not allocate. */
void dae__zsolver_solve(dae__zsolver *solver, double *x, double *y);

/* Makes the next factorisation independent of earlier ones by a new search for pivots. */
void dae__zsolver_reset(dae__zsolver *solver);

void dae__zsolver_free(dae__zsolver *solver); /* Frees memory outside the arena; NULL is allowed. */

#endif
