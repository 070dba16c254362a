/* Constructors of the BDF host and of its correctors. */
#ifndef DAEDAL_MULTISTEP_BDF_H
#define DAEDAL_MULTISTEP_BDF_H

#include "core/arena.h"
#include "multistep/corrector.h"
#include <daedal/bdf.h>

/* Whether the method takes the problem; the reason in err. */
dae_status dae__bdf_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__bdf_ggl_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__bdf_ggl_star_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__bdf_cs_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__bdf_cm_accepts(const dae_problem *problem, dae_error *err);

/* Integrator of a corrector, from the consistent state y with derivative dy. A damped run moves
 * both, except fixed entries (NULL: none). The arena is that of the corrector; the integrator owns
 * both afterwards. On failure they stay with the caller. */
dae_status dae__bdf_host_create(dae__arena *arena, const dae__corrector *corrector,
                                const dae_bdf_options *opts, double t, const bool *fixed, double *y,
                                double *dy, dae_integrator **out, dae_error *err);

/* Constructor of a corrector: makes the start consistent, y and dy of the size of the state. */
typedef dae_status dae__corrector_create(dae__arena *arena, const dae_problem *problem,
                                         const dae_start *start, const dae_bdf_options *opts,
                                         double *y, double *dy, dae__corrector *out,
                                         dae_error *err);
dae__corrector_create dae__ggl_create, dae__ggl_star_create, dae__cs_create, dae__cm_create,
    dae__plain_create;

#endif
