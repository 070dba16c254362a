/* Complex LU of small systems: S A = P L U, S the reciprocal largest real or imaginary parts of the
 * rows. Orders are even and instances separate as in lu_small.c; real and imaginary parts are
 * stored apart. The factors are state of the arena.
 *
 * S and P of the last matrix are used again, without a search for pivots and exchanges of rows, as
 * long as no entry of L becomes large. */
#ifndef DAEDAL_LINALG_ZLU_SMALL_H
#define DAEDAL_LINALG_ZLU_SMALL_H

#include "core/arena.h"
#include <daedal/pattern.h>

typedef struct dae__zlu_small dae__zlu_small;

/* Creates a solver for 1 to DAE__SMALL_N unknowns; NULL: out of memory. The pattern must live as
 * long as the solver. */
dae__zlu_small *dae__zlu_small_create(dae__arena *arena, const dae_pattern *pattern);
void dae__zlu_small_set_pattern(dae__zlu_small *d, const dae_pattern *pattern);
/* Factors the matrix, whose values are finite pairs of real and imaginary part. Returns 0, or j + 1
 * for the first column j without a usable pivot. */
int dae__zlu_small_factor(const dae__zlu_small *d, const double *values);
/* Makes the next factorisation independent of earlier ones by a new search for pivots. */
void dae__zlu_small_reset(const dae__zlu_small *d);
/* x + i y = A\(x + i y) */
void dae__zlu_small_solve(const dae__zlu_small *d, double *x, double *y);

#endif
