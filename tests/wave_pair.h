/* Two subsystems with solvers of their own,
 *
 *   y' = -+ in_y + push,   z = y + a in_z,
 *
 * the first, pump, with minus, the second, tank, with plus: y = cos t, sin t, until the pump falls
 * to a mark, from where on it is pushed. z is direct: plain sweeps contract by a^2. */
#ifndef DAEDAL_TESTS_WAVE_PAIR_H
#define DAEDAL_TESTS_WAVE_PAIR_H

#include <daedal/daedal.h>
#include <daedal/wave.h>

/* what a solver saves and loads */
typedef struct wave_memory {
  double y;
  bool pushed;
} wave_memory;

/* The classical Runge-Kutta method for one of them. */
typedef struct wave_solver {
  wave_memory now;
  double sign, a;
  double mark;         /* y at which the event is; -INFINITY: none */
  double fails_from;   /* t */
  dae_status fails_by; /* DAE_OK: an output that is no number */
} wave_solver;

typedef struct wave_pair {
  wave_solver solver[2];
  dae_subsystem subsystem[2];
  double a;
  dae_wave_options opts; /* windows of 0.25 with 20 intervals, rtol = 1e-6 */
  bool jacobi;
} wave_pair;

/* The pair must stay where it is. */
void wave_pair_set_up(wave_pair *p, double a);
/* outputs: y and z of both */
dae_status wave_pair_try(wave_pair *p, const dae_env *env, dae_integrator **it, dae_error *err);
/* Fails the test where it cannot be created. */
dae_integrator *wave_pair_create(wave_pair *p);

/* All outputs at t, pushed from t_event on. */
void wave_pair_exact(double a, double t, double t_event, double *out);
/* The largest |y - exact| / (1 + |exact|) at the end of the last window and inside of it. */
double wave_pair_error(dae_integrator *it, double a, double t_event);
/* The same over all windows up to t = to. */
double wave_pair_run(dae_integrator *it, double a, double to, double t_event);

#endif
