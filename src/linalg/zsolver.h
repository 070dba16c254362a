/* Complex linear systems with a fixed pattern and changing values, solvers of
 * linalg/solver.h with complex backends: the blocks of implicit Runge-Kutta methods, one for each
 * pair of eigenvalues. */
#ifndef DAEDAL_LINALG_ZSOLVER_H
#define DAEDAL_LINALG_ZSOLVER_H

#include "linalg/solver.h"
#include <complex.h>

typedef struct dae__solver dae__zsolver;

/* Analyses the pattern, which must live as long as the solver. On failure *out is NULL. */
dae_status dae__zsolver_create(dae__arena *arena, const dae_pattern *pattern, dae__zsolver **out,
                               dae_error *err);

/* Solution x + i y = A\(x + i y); does not allocate. */
void dae__zsolver_solve(dae__zsolver *solver, double *x, double *y);

/* Functions of dae__solver; after dae__zsolver_set_pattern, dae__zsolver_reset must follow, unless
 * the last matrix already had the new pattern, as after a load. */
#define dae__zsolver_factor(solver, values) dae__solver_factor(solver, (const double *)(values))
#define dae__zsolver_set_pattern dae__solver_set_pattern
#define dae__zsolver_column dae__solver_column
#define dae__zsolver_reset dae__solver_reset
#define dae__zsolver_free dae__solver_free

#endif
