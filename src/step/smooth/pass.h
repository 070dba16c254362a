/* A step of size H forward by Radau IIA with 2 stages, then the same step back. With R its
 * stability function, a component exp(lambda t) of the motion is multiplied by
 *
 *   R(z) R(-z) = (1 - z^2/9) / (1 - z^2/9 + z^4/36),   z = lambda H,
 *
 * which is 1 - O(z^4) for slow components and 4/|z|^2 for fast ones, and at most 1 for oscillations
 * and for real rates of both signs. The slow motion stays where it is: the pass removes what is
 * fast beside H from a state, nonlinear forces included. */
#ifndef DAEDAL_STEP_SMOOTH_PASS_H
#define DAEDAL_STEP_SMOOTH_PASS_H

#include "step/smooth/form.h"

/* Work of the passes, saved with the integrator. */
typedef struct dae__smooth_work {
  long iterations, factorisations;
} dae__smooth_work;

typedef struct dae__smooth_pass {
  dae__smooth_form *form;
  dae__smooth_matrix matrix; /* of both stages */
  double *Z, *K, *R;         /* 2 n each: states, x', residuals of the stages; K: 2 nx */
  double *back;              /* n: state between the two steps */
  dae__smooth_work *work;
} dae__smooth_pass;

dae_status dae__smooth_pass_create(dae__arena *arena, dae__smooth_form *form, dae__smooth_pass *out,
                                   dae_error *err);
void dae__smooth_pass_free(dae__smooth_pass *pass);
/* z = the state that the pass makes of z at t. DAE_ERROR_STEP and every other status with which a
 * step can be tried again leave z as it is. */
dae_status dae__smooth_pass_make(dae__smooth_pass *pass, double t, double H, double *z,
                                 dae_error *err);

#endif
