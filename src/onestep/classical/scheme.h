/* The coefficients of a classical method. With slopes k of x' = k(t, x),
 *
 *   explicit   k_i = k(t0 + c_i h, x0 + h sum_(j<i) a_ij k_j),   x1 = x0 + h sum_i b_i k_i
 *   implicit   k_i = k(t0 + c_i h, X_i),  h k_i = sum_j d_ij (X_j - x0) + e h k_0,   x1 = X_s
 *
 * where d = A^-1 for a collocation method with c_s = 1, and k_0 is the slope at the start. */
#ifndef DAEDAL_ONESTEP_CLASSICAL_SCHEME_H
#define DAEDAL_ONESTEP_CLASSICAL_SCHEME_H

#include <stdbool.h>

#define DAE__RK_STAGES 4 /* most */

typedef struct dae__rk_scheme {
  const char *name;
  int stages, order;
  bool implicit;
  double c[DAE__RK_STAGES];
  double a[DAE__RK_STAGES][DAE__RK_STAGES]; /* implicit: d */
  double b[DAE__RK_STAGES];                 /* explicit */
  double e;                                 /* implicit */
} dae__rk_scheme;

dae__rk_scheme dae__rk_euler(void);
dae__rk_scheme dae__rk_heun(void);
dae__rk_scheme dae__rk_classical(void);
dae__rk_scheme dae__rk_trapezoid(void);
dae__rk_scheme dae__rk_radau_iia(int stages); /* 1 to 3 */

/* The polynomial through the values at 0, c_1, ..., c_s: the weight of each at x, and those of its
 * derivative; s + 1 entries. */
void dae__rk_collocation(const dae__rk_scheme *scheme, double x, double *value, double *slope);

#endif
