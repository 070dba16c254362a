/* Classical methods with fixed steps: euler, heun, rk4; trapezoid and radau-iia with all stages in
 * one system. With slopes k of x' = k(t, x),
 *
 *   explicit   k_i = k(t0 + c_i h, x0 + h sum_(j<i) a_ij k_j),   x1 = x0 + h sum_i b_i k_i
 *   implicit   k_i = k(t0 + c_i h, X_i),  h k_i = sum_j d_ij (X_j - x0) + e h k_0,   x1 = X_s
 *
 * where d = A^-1 for a collocation method with c_s = 1, and k_0 is the slope at the start. */
#ifndef DAEDAL_ONESTEP_CLASSICAL_CLASSICAL_H
#define DAEDAL_ONESTEP_CLASSICAL_CLASSICAL_H

#include "onestep/host/integrator.h"

#define DAE__CLASSICAL_MAX_STAGES 4

typedef struct dae__classical_scheme {
  const char *name;
  int stages, order;
  bool implicit;
  double c[DAE__CLASSICAL_MAX_STAGES];
  /* coefficients a_ij; implicit methods: d_ij */
  double a[DAE__CLASSICAL_MAX_STAGES][DAE__CLASSICAL_MAX_STAGES];
  /* weights b_i of explicit methods */
  double b[DAE__CLASSICAL_MAX_STAGES];
  /* coefficient e of implicit methods */
  double e;
} dae__classical_scheme;

extern const dae__classical_scheme dae__classical_euler, dae__classical_heun, dae__classical_rk4,
    dae__classical_trapezoid;
dae__classical_scheme dae__classical_radau_iia(int stages); /* radau-iia with 1 to 3 stages */

/* Weights of the values at the nodes 0, c_1, ..., c_s in the interpolation polynomial at x, and in
 * its derivative; s + 1 entries each. */
void dae__classical_collocation(const dae__classical_scheme *scheme, double x, double *value,
                                double *slope);

/* Constructors of the steppers. The scheme is copied, the adapter must outlive the stepper. */
dae_status dae__classical_explicit_create(dae__arena *arena, const dae_adapter *adapter,
                                          const dae__classical_scheme *scheme, dae__stepper *out,
                                          dae_error *err);
dae_status dae__classical_implicit_create(dae__arena *arena, const dae_adapter *adapter,
                                          const dae__classical_scheme *scheme,
                                          const dae_step_options *opts, dae__stepper *out,
                                          dae_error *err);

#endif
