/* Complex LU of few unknowns: S A = P L U, S the reciprocal largest parts of the rows' entries.
 * What linalg/lu_small.c says of orders and columns holds here, too; real and imaginary parts are
 * kept apart. Factors are kept in the arena.
 *
 * S and P of the last matrix are taken again as long as they do: no pivots are looked for, no rows
 * exchanged. Where an entry of L becomes large they are chosen anew. */
#ifndef DAEDAL_LINALG_ZLU_SMALL_H
#define DAEDAL_LINALG_ZLU_SMALL_H

#include "core/arena.h"
#include <daedal/pattern.h>

typedef struct dae__zlu_small dae__zlu_small;

/* For 1 to DAE__SMALL_N unknowns; NULL: out of memory. The pattern has to stay where it is. */
dae__zlu_small *dae__zlu_small_create(dae__arena *arena, const dae_pattern *pattern);
/* See dae__zsolver_turn_to. */
void dae__zlu_small_turn_to(dae__zlu_small *d, const dae_pattern *pattern);
/* From values that are pairs of real and imaginary part, and finite. Returns 0, or j + 1 for the
 * first column j without a usable pivot. */
int dae__zlu_small_factor(const dae__zlu_small *d, const double *values);
/* The next factorisation does not depend on those before it. */
void dae__zlu_small_forget(const dae__zlu_small *d);
/* x + i y = A\(x + i y) */
void dae__zlu_small_solve(const dae__zlu_small *d, double *x, double *y);

#endif
