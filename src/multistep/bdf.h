/* The BDF host and its correctors. */
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

/* Makes an integrator of a corrector, starting from the consistent state y and its derivative dy;
 * a damped run moves them, but for what is fixed (NULL: nothing).
 * The arena must be the one the corrector lives in; the integrator owns both from then on. On
 * failure they stay with the caller. */
dae_status dae__bdf_host_create(dae__arena *arena, const dae__corrector *corrector,
                                const dae_bdf_options *opts, double t, const bool *fixed, double *y,
                                double *dy, dae_integrator **out, dae_error *err);

/* Correctors. Each makes the start consistent; y and dy have room for the state vector. */
dae_status dae__ggl_create(dae__arena *arena, const dae_problem *problem, const dae_start *start,
                           const dae_bdf_options *opts, double *y, double *dy, dae__corrector *out,
                           dae_error *err);
dae_status dae__ggl_star_create(dae__arena *arena, const dae_problem *problem,
                                const dae_start *start, const dae_bdf_options *opts, double *y,
                                double *dy, dae__corrector *out, dae_error *err);
dae_status dae__cs_create(dae__arena *arena, const dae_problem *problem, const dae_start *start,
                          const dae_bdf_options *opts, double *y, double *dy, dae__corrector *out,
                          dae_error *err);
dae_status dae__cm_create(dae__arena *arena, const dae_problem *problem, const dae_start *start,
                          const dae_bdf_options *opts, double *y, double *dy, dae__corrector *out,
                          dae_error *err);
dae_status dae__plain_create(dae__arena *arena, const dae_problem *problem, const dae_start *start,
                             const dae_bdf_options *opts, double *y, double *dy,
                             dae__corrector *out, dae_error *err);

#endif
