/* The classical one-step methods: what they take, and the integrator behind them. */
#ifndef DAEDAL_RK_RK_H
#define DAEDAL_RK_RK_H

#include "core/arena.h"
#include "rk/integrator.h"
#include <daedal/rk.h>

/* Whether a method takes the problem; the reason in err. */
dae_status dae__euler_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__heun_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__rk4_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__trapezoid_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__radau_iia_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__explicit_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__gauss_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__radau_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__rosenbrock_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__switching_accepts(const dae_problem *problem, dae_error *err);

/* An integrator by this recipe, around the assembly of a coupled problem; opts have been checked.
 */
dae_status dae__rk_create(const dae__rk_recipe *recipe, const dae_rk_options *opts,
                          const dae_problem *problem, const dae_start *start, const dae_env *env,
                          dae_integrator **out, dae_error *err);

#endif
