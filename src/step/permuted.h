/* An integrator that shows the state vector of another one in a different order, such as that of a
 * coupled problem over its assembly. */
#ifndef DAEDAL_STEP_PERMUTED_H
#define DAEDAL_STEP_PERMUTED_H

#include "core/arena.h"
#include <daedal/integrator.h>

/* Entry i of the state vector shown is entry order[i] of the child's, which has size entries. The
 * handle owns arena and child from here on and frees both; where this fails they stay with the
 * caller. What the child needs (an assembly) may live in the arena: it is freed last. */
dae_status dae__permuted_create(dae__arena *arena, dae_integrator *child, const int *order,
                                int size, dae_integrator **out, dae_error *err);

#endif
