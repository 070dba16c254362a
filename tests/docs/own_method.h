/* RATTLE, a method that is not in the registry: the worked example of docs/adding_a_method.md. */
#ifndef DAEDAL_TESTS_OWN_METHOD_H
#define DAEDAL_TESTS_OWN_METHOD_H

#include <daedal/integrator.h>

typedef struct own_rattle_options {
  double step;        /* size of the steps */
  int max_iterations; /* of each of the two solves of a step */
} own_rattle_options;

extern const dae_option_table own_rattle_option_table;
own_rattle_options own_rattle_defaults(void);

dae_status own_rattle_create(const dae_problem *problem, const dae_start *start,
                             const own_rattle_options *opts, const dae_env *env,
                             dae_integrator **out, dae_error *err);

extern const dae_method own_rattle; /* as a row of the registry */

#endif
