/* Internal interface of dynamic iterations to other layers, in addition to <daedal/wave.h>. */
#ifndef DAEDAL_WAVE_ITERATION_CREATE_H
#define DAEDAL_WAVE_ITERATION_CREATE_H

#include <daedal/wave.h>

/* Default tolerances of children relative to the tolerances of the waveforms: docs/methods. */
#define DAE__CHILD_TOLERANCE_RATIO (1.0 / 30)

/* Checks whether the methods gauss-seidel and jacobi, or joint, apply to a problem; the reason for
 * a refusal is in err. */
dae_status dae__wave_check_problem(const dae_problem *problem, dae_error *err);
dae_status dae__joint_check_problem(const dae_problem *problem, dae_error *err);

/* Default method of a system. Measured on the coupled examples: methods with larger steps need up
 * to half the evaluations but mostly more time, spent in dense output at the nodes of the grid. */
const dae_method *dae__wave_default_method(const dae_part *part);

#endif
