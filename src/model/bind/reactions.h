/* Directions B of the constraint forces of a mechanical system, where they are not all gradients:
 * those that constraints give, and multipliers in forces, lambda(c) E, whose factor -E is an entry.
 */
#ifndef DAEDAL_MODEL_BIND_REACTIONS_H
#define DAEDAL_MODEL_BIND_REACTIONS_H

#include "model/bind/bind.h"

typedef struct dae__reactions {
  dae__binder *b;
  const dae__system *u;
  DAE__LIST(dae__triplet) by_forces; /* entries of B by multipliers in forces */
} dae__reactions;

/* Force without its multipliers, which become entries of B. */
dae__node dae__reactions_take(dae__reactions *r, const dae__force *force);
/* Whether a constraint force does not act along its gradient. */
bool dae__reactions_any(const dae__reactions *r);
/* The matrix B; G, K: gradients of the constraints. */
dae__triplets dae__reactions_directions(const dae__reactions *r, const dae__triplets *G,
                                        const dae__triplets *K);

#endif
