/* Measures of a state: drift off the constraints, and energy. */
#ifndef DAEDAL_PROBLEM_MEASURE_H
#define DAEDAL_PROBLEM_MEASURE_H

#include "core/arena.h"
#include <daedal/problem.h>

typedef struct dae__measure dae__measure;

dae_status dae__measure_create(dae__arena *arena, const dae_problem *problem, dae__measure **out,
                               dae_error *err);

/* Drift at the state vector y: *position = largest |g|, or |F| of a semi-explicit problem,
 * *velocity = largest |g_t + G v| or |k|; NaN without such constraints. */
dae_status dae__measure_drift(dae__measure *m, double t, const double *y, double *position,
                              double *velocity, dae_error *err);

/* Largest drift of the last dae__measure_drift, at the same y, over that by an error rtol |x| +
 * atol in every position or velocity x; 0: not a mechanical problem. */
double dae__measure_drift_tolerances(dae__measure *m, const double *y, double rtol, double atol);

/* True where constraint forces do no work, so that energy and power do not depend on the
 * multipliers. */
bool dae__measure_workless(const dae__measure *measure);

/* Energy at the state vector y, and the power of all forces that are not included in it; *energy =
 * NaN for a problem without energy. *has_potential: whether the user gave an energy. */
dae_status dae__measure_energy(dae__measure *m, double t, const double *y, double *energy,
                               double *power, bool *has_potential, dae_error *err);
/* Change of the energy, to first order, by an error rtol |x| + atol in every position and velocity
 * x of the state of the last dae__measure_energy; NaN: not a mechanical problem. */
double dae__measure_energy_tolerance(const dae__measure *m, double rtol, double atol);
/* Kinetic energy v.p/2 of the same state; NaN: not a mechanical problem. */
double dae__measure_kinetic(const dae__measure *m);
/* Power of all forces that are not included in the energy, without an evaluation of the energy; NaN
 * for a problem that is not mechanical. */
dae_status dae__measure_power(dae__measure *m, double t, const double *y, double *power,
                              dae_error *err);

#endif
