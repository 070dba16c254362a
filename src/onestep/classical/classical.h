/* Classical methods with fixed steps: euler, heun, rk4, and the trapezoidal rule. With slopes k of
 * x' = k(t, x),
 *
 *   explicit    k_i = k(t0 + c_i h, x0 + h sum_(j<i) a_ij k_j),   x1 = x0 + h sum_i b_i k_i
 *   trapezoid   x1 = x0 + h/2 (k_0 + k(t1, x1))
 *
 * Dense output is Hermite's cubic. */
#ifndef DAEDAL_ONESTEP_CLASSICAL_CLASSICAL_H
#define DAEDAL_ONESTEP_CLASSICAL_CLASSICAL_H

#include "onestep/host/integrator.h"

#define DAE__CLASSICAL_MAX_STAGES 4

/* Coefficients of an explicit method. */
typedef struct dae__classical_scheme {
  int stages, order;
  double c[DAE__CLASSICAL_MAX_STAGES];
  double a[DAE__CLASSICAL_MAX_STAGES][DAE__CLASSICAL_MAX_STAGES];
  double b[DAE__CLASSICAL_MAX_STAGES];
} dae__classical_scheme;

extern const dae__classical_scheme dae__classical_euler, dae__classical_heun, dae__classical_rk4;

/* Constructors of the steppers. Scheme and adapter must outlive them. */
dae_status dae__classical_create(dae__arena *arena, const dae_adapter *adapter,
                                 const dae__classical_scheme *scheme, dae__stepper *out,
                                 dae_error *err);
dae_status dae__trapezoid_create(dae__arena *arena, const dae_adapter *adapter,
                                 const dae_step_options *opts, dae__stepper *out, dae_error *err);

/* Dense output of both: Hermite's cubic; self begins with a pointer to the adapter. */
dae_status dae__classical_dense_output(void *self, const dae_step *step, double x,
                                       dae_dense accuracy, const dae_point *out, dae_error *err);

#endif
