/* Creating dynamic iterations. */
#ifndef DAEDAL_WAVE_ITERATION_CREATE_H
#define DAEDAL_WAVE_ITERATION_CREATE_H

#include <daedal/wave.h>

/* Tolerances of children that are given none, relative to those of the waveforms: docs/methods. */
#define DAE__CHILD_SHARE (1.0 / 30)

/* Whether the method takes a problem; the reason in err. */
dae_status dae__wave_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__joint_accepts(const dae_problem *problem, dae_error *err);

/* Which of the methods is wanted. */
typedef struct dae__wave_request {
  const char *method;
  const dae_wave_options *opts; /* NULL: defaults */
  const dae_option_table *table;
  bool jacobi;
  dae_status (*accepts)(const dae_problem *problem, dae_error *err);
} dae__wave_request;

dae_status dae__wave_create_coupled(const dae__wave_request *request, const dae_problem *problem,
                                    const dae_start *start, const dae_env *env,
                                    dae_integrator **out, dae_error *err);

/* The method of a system for which none is named. Measured on the coupled examples, the methods
 * with larger steps need up to half the evaluations and mostly more time: what they have to show at
 * the nodes of the grid costs them more. */
const char *dae__wave_usual_method(const dae_part *part);

#endif
