/* A method without error: closed-form motions behind the integrator's verbs, for tests of what is
 * built on them. Its steps have the length asked for, however far the motion bends. */
#ifndef TESTS_UNIT_EXACT_H
#define TESTS_UNIT_EXACT_H

#include <daedal/integrator.h>

/* y(tau) and, unless NULL, its derivative, for the motion that is y0 at tau = 0. */
typedef void exact_flow(double tau, const double *y0, double *y, double *dy);

typedef struct exact_options {
  double step;
  double rtol;
  double fails_at; /* steps beyond this time fail; 0: none do */
  exact_flow *flow;
} exact_options;

#define GRAVITY 9.81

/* Mechanical problems with the state vector (q, v), and lambda for the one with a constraint. */
extern const dae_mechanical exact_ball;       /* q'' = -GRAVITY, one coordinate called height */
extern const dae_mechanical exact_oscillator; /* q'' = -q, one coordinate called q */
extern const dae_mechanical exact_pin;        /* q'' = -GRAVITY - lambda with 0 = q - 1 */
exact_flow exact_ball_flow, exact_oscillator_flow, exact_pin_flow;

extern const dae_method exact_method;

/* An integrator of one of them; fails the test if there is none. */
dae_integrator *exact_create(const dae_mechanical *mechanical, exact_flow *flow, double step,
                             double t, double q, double v);

#endif
