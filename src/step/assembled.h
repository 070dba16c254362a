/* Coupled problems for methods that integrate one system: they see the assembly of the parts, and
 * the caller sees the parts in their own order. */
#ifndef DAEDAL_STEP_ASSEMBLED_H
#define DAEDAL_STEP_ASSEMBLED_H

#include <daedal/integrator.h>

/* Whether a method takes a problem that is not coupled; the reason in err. */
typedef dae_status dae__newton_outcome(const dae_problem *problem, dae_error *err);
/* An integrator for such a problem; request is the method's own. */
typedef dae_status dae__create_single(const void *request, const dae_problem *problem,
                                      const dae_start *start, const dae_env *env,
                                      dae_integrator **out, dae_error *err);

/* Validates the problem and judges it, a coupled one by its assembly. */
dae_status dae__assembled_check_problem(const dae_problem *problem, dae__newton_outcome *judge,
                                        dae_error *err);

/* Validates problem and start, and creates the integrator, around the assembly of a coupled one. */
dae_status dae__assembled_create(const dae_problem *problem, const dae_start *start,
                                 dae__create_single *create, const void *request,
                                 const dae_env *env, dae_integrator **out, dae_error *err);

#endif
