/* Coupled problems for methods that integrate one system: the method integrates the assembly of the
 * subsystems, the caller sees state vectors in the order of the coupled problem. */
#ifndef DAEDAL_STEP_ASSEMBLED_H
#define DAEDAL_STEP_ASSEMBLED_H

#include "core/arena.h"
#include <daedal/integrator.h>

/* Check whether a method accepts a problem that is not coupled; err receives the reason if not;
 * method: data of the method. */
typedef dae_status dae__problem_check(const void *method, const dae_problem *problem,
                                      dae_error *err);
/* Constructor of an integrator for a problem that is not coupled; request: data of the method. */
typedef dae_status dae__create_single(const void *request, const dae_problem *problem,
                                      const dae_start *start, const dae_env *env,
                                      dae_integrator **out, dae_error *err);

/* Validates a problem and checks whether the method accepts it; for a coupled problem, whether it
 * accepts the assembly. */
dae_status dae__assembled_check_problem(const dae_problem *problem, dae__problem_check *check,
                                        const void *method, dae_error *err);

/* Validates problem and start, and creates the integrator; for a coupled problem, the integrator of
 * its assembly. */
dae_status dae__assembled_create(const dae_problem *problem, const dae_start *start,
                                 dae__create_single *create, const void *request,
                                 const dae_env *env, dae_integrator **out, dae_error *err);

/* Creates an integrator whose state vectors are permuted state vectors of the child: entry i is
 * entry order[i] of the child's `size` entries. The handle owns arena and child and frees both, the
 * arena last: it may hold memory that the child needs (an assembly). After a failure both stay with
 * the caller. */
dae_status dae__permuted_create(dae__arena *arena, dae_integrator *child, const int *order,
                                int size, dae_integrator **out, dae_error *err);

#endif
