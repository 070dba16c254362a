/* Explicit Runge-Kutta methods with error estimates and polynomials between the ends.
 *
 *   X_i = x0 + h sum_(j<i) a_ij k_j,   k_i = k(t0 + c_i h, X_i),   i = 1 ... s,   k_0 at x0
 *
 * X_s = x1 is the end of the step, with c_s = 1. h sum_j e_j k_j estimates the error, and with
 * D = x1 - x0 and y = 1 - x
 *
 *   p(x) = x0 + x (D + y (h k_0 - D + x (2 D - h k_0 - h k_s + y (F_0 + x (F_1 + y (F_2 + x
 * F_3))))))
 *
 * with F_m = h sum_j d_mj k_j is the state between the ends, to which it has the right slopes. */
#ifndef DAEDAL_ONESTEP_EXPLICIT_PAIR_H
#define DAEDAL_ONESTEP_EXPLICIT_PAIR_H

#include <stdbool.h>

#define DAE__PAIR_SLOPES 16 /* most */
#define DAE__PAIR_TERMS 4

enum { DAE__PAIR_ROUGH, DAE__PAIR_FINE };

typedef struct dae__pair {
  int order;
  int stages;         /* s */
  int extra;          /* slopes after that at the end, for the fine polynomial */
  int estimates;      /* 2: E^2 / sqrt(E^2 + 0.01 E'^2) by the norms of both [HNW93 II.10] */
  int estimate_order; /* power of h in it */
  bool closed;        /* they need the slope at the end */
  double reach;       /* of the stability domain along the negative real axis, about */
  double c[DAE__PAIR_SLOPES], a[DAE__PAIR_SLOPES][DAE__PAIR_SLOPES];
  double e[2][DAE__PAIR_SLOPES];
  /* rough: of order 4 (pair5) or 5 (pair8), by slopes that are there; fine, where there are extra
   * ones: of order 7 */
  int terms[2];
  double d[2][DAE__PAIR_TERMS][DAE__PAIR_SLOPES];
} dae__pair;

extern const dae__pair dae__pair5, dae__pair8;

#endif
