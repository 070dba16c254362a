/* Impacts of a problem with a mechanical part, at a state vector. */
#ifndef DAEDAL_PROBLEM_IMPACT_H
#define DAEDAL_PROBLEM_IMPACT_H

#include "problem/mechanical/impact.h"

/* Replaces the rates in the state vector y by those after the impact of `count` closed contacts,
 * whose gradients have an entry for each entry of the state vector. Works in temporary memory. */
dae_status dae__impact(const dae_problem *problem, double t, double *y, int count,
                       const dae__impact_contact *contact, const dae_env *env,
                       dae__impact_outcome *out, dae_error *err);

/* Forces of `count` closed contacts that press, from those that hold all of them closed
 * (dae__motion_press), at the state vector y with the rows of the contacts switched off. */
dae_status dae__press(const dae_problem *problem, double t, double *y, int count,
                      const dae__impact_contact *contact, const dae_env *env,
                      dae__press_force *force, dae_error *err);

/* Distance of the state vector y from the rows that held values switch on, |g_i|/|G_i|, the largest
 * one and the name of its row; 0 without such rows. */
dae_status dae__switched_distance(const dae_problem *problem, double t, double *y,
                                  const dae_env *env, double *distance, char *name, size_t size,
                                  dae_error *err);

#endif
