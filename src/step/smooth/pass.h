/* A step of size H forward by Radau IIA with s = 2 or 4 stages, then the same step back. With R its
 * stability function, a component exp(lambda t) of the motion is multiplied by
 *
 *   R(z) R(-z) = N / (N + D),   z = lambda H,
 *   s = 4:  N = 1 - 2 z^2/49 + z^4/980 - z^6/44100,  D = z^8/705600,
 *   s = 2:  N = 1 - z^2/9,                           D = z^4/36,
 *
 * which is 1 - O(z^(2s)) for slow components and s^2/|z|^2 for fast ones, and at most 1 for
 * oscillations and for real rates of both signs: an even number of stages has no real pole. The
 * slow motion stays where it is: the pass removes what is fast beside H from a state, nonlinear
 * forces included. It takes 4 stages. With 2 the velocity of slow motion across stiff forces keeps
 * an error of order H^2, which excites the fast motion again (pendulum at rest on a rod of 1e8, H =
 * 3e-3: 4e-6, with 4 stages 5e-13), and slow motion is blurred; what they move beside what 4 stages
 * leave tells the rate of an oscillation with few periods. */
#ifndef DAEDAL_STEP_SMOOTH_PASS_H
#define DAEDAL_STEP_SMOOTH_PASS_H

#include "step/smooth/form.h"

/* Work of the passes, saved with the integrator. */
typedef struct dae__smooth_work {
  long iterations, factorisations;
} dae__smooth_work;

typedef struct dae__smooth_pass {
  dae__smooth_form *form;
  int s;                                                                         /* stages */
  double c[DAE__SMOOTH_STAGES], inverse[DAE__SMOOTH_STAGES][DAE__SMOOTH_STAGES]; /* nodes, A^-1 */
  dae__smooth_matrix matrix;                                                     /* of all stages */
  double *Z, *K, *R; /* s n each: states, x', residuals of the stages; K: s nx */
  double *back;      /* n: state between the two steps */
  dae__smooth_work *work;
} dae__smooth_pass;

dae_status dae__smooth_pass_create(dae__arena *arena, dae__smooth_form *form, int s,
                                   dae__smooth_pass *out, dae_error *err);
void dae__smooth_pass_free(dae__smooth_pass *pass);
/* z = the state that the pass makes of z at t. DAE_ERROR_STEP and every other status with which a
 * step can be tried again leave z as it is. */
dae_status dae__smooth_pass_make(dae__smooth_pass *pass, double t, double H, double *z,
                                 dae_error *err);
/* Rate times H of an oscillation of which a pass by 2 stages leaves this ratio; 0: it grows. */
double dae__smooth_pass_resolve(double ratio);

#endif
