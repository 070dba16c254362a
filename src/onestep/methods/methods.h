/* The one-step methods of the registry. */
#ifndef DAEDAL_ONESTEP_METHODS_METHODS_H
#define DAEDAL_ONESTEP_METHODS_METHODS_H

#include <daedal/rk.h>

/* Tests whether a method accepts the problem; err receives the reason if not. */
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

#endif
