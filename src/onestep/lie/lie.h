/* Lie-group method: supported problems, and its integrator. */
#ifndef DAEDAL_ONESTEP_LIE_LIE_H
#define DAEDAL_ONESTEP_LIE_LIE_H

#include "core/arena.h"
#include <daedal/lie.h>

/* Checks whether the Lie-group method supports the problem; the reason for a refusal is in err. */
dae_status dae__lie_accepts(const dae_problem *problem, dae_error *err);

/* Creates a Lie-group integrator for an uncoupled problem. The integrator owns the arena from then
 * on; on failure the arena stays with the caller. */
dae_status dae__lie_integrator_create(dae__arena *arena, const dae_problem *problem,
                                      const dae_start *start, const dae_lie_options *opts,
                                      dae_integrator **out, dae_error *err);

#endif
