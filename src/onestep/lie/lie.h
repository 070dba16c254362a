/* Lie-group method: supported problems, and its integrator. */
#ifndef DAEDAL_ONESTEP_LIE_LIE_H
#define DAEDAL_ONESTEP_LIE_LIE_H

#include "core/arena.h"
#include <daedal/lie.h>

/* Whether the method supports the problem; the reason in err. */
dae_status dae__lie_accepts(const dae_problem *problem, dae_error *err);

/* An integrator for a problem that is not coupled, in this arena, which it owns from then on; on
 * failure the arena stays with the caller. */
dae_status dae__lie_integrator_create(dae__arena *arena, const dae_problem *problem,
                                      const dae_start *start, const dae_lie_options *opts,
                                      dae_integrator **out, dae_error *err);

#endif
