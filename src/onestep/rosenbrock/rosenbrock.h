/* Rosenbrock methods, linearly implicit: RODAS of order 4 [HW96 IV.7] and Rodas5P of order 5 [S23],
 * both stiffly accurate, for M x' = f(t,x,y), 0 = F(t,x,y) of index 1 with a constant, regular M.
 * Its files:
 *   rosenbrock.c        the stepper
 *   rosenbrock_table.c  coefficients */
#ifndef DAEDAL_ONESTEP_ROSENBROCK_ROSENBROCK_H
#define DAEDAL_ONESTEP_ROSENBROCK_ROSENBROCK_H

#include "onestep/host/integrator.h"

#define DAE__ROSENBROCK_MAX_STAGES 8
#define DAE__ROSENBROCK_MAX_TERMS 3 /* largest number of terms of dense output */

/* Coefficients for increments u_i that are defined without products with the Jacobian [HW96 IV.7
 * (7.25)]:
 *
 *   (M/(h gamma) - J) u_i = f(t + alpha_i h, z + sum_j a_ij u_j) + M sum_j c_ij/h u_j + g_i h f_t
 *
 * The state of stage s-1 is z_(s-1) = z_(s-2) + u_(s-2), that of the last stage z_s = z_(s-1) +
 * u_(s-1); the end of the step is z_s + u_s, and u_s its error estimate. The table a has no rows
 * for these stages. */
typedef struct dae__rosenbrock_table {
  int stages, order;
  int estimate_order; /* power of h in the error estimate */
  double gamma;
  double a[DAE__ROSENBROCK_MAX_STAGES][DAE__ROSENBROCK_MAX_STAGES];
  double c[DAE__ROSENBROCK_MAX_STAGES][DAE__ROSENBROCK_MAX_STAGES];
  double alpha[DAE__ROSENBROCK_MAX_STAGES], g[DAE__ROSENBROCK_MAX_STAGES];
  int chained; /* first stage with the state z_(i-1) + u_(i-1) */
  /* Number of terms k of dense output z(t + x h) = z0 + x (z1 - z0) + x (1 - x) sum_k x^k sum_j
   * dense_kj u_j. */
  int terms;
  double dense[DAE__ROSENBROCK_MAX_TERMS][DAE__ROSENBROCK_MAX_STAGES];
} dae__rosenbrock_table;

extern const dae__rosenbrock_table dae__rodas4, dae__rodas5;

/* Creates the stepper of order 4 or 5. */
dae_status dae__rosenbrock_create(dae__arena *arena, const dae_adapter *adapter,
                                  const dae_step_options *opts, int order, dae__stepper *out,
                                  dae_error *err);
/* First step size of an integration up to t_stop, from the first two derivatives at the start; 0:
 * the derivatives cannot be evaluated. */
double dae__rosenbrock_first_step(void *self, double t, const dae_point *from, double t_stop);

#endif
