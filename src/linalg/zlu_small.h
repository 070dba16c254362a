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

typedef struct dae__zfew dae__zfew;

/* For 1 to DAE__FEW unknowns; NULL: out of memory. The pattern has to stay where it is. */
dae__zfew *dae__zfew_create(dae__arena *arena, const dae_pattern *pattern);
/* See dae__zsolver_turn_to. */
void dae__zfew_turn_to(dae__zfew *d, const dae_pattern *pattern);
/* From values that are pairs of real and imaginary part, and finite. Returns 0, or j + 1 for the
 * first column j without a usable pivot. */
int dae__zfew_factor(const dae__zfew *d, const double *values);
/* The next factorisation does not depend on those before it. */
void dae__zfew_forget(const dae__zfew *d);
/* x + i y = A\(x + i y) */
void dae__zfew_solve(const dae__zfew *d, double *x, double *y);

#endif
