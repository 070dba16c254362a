/* Explicit Runge-Kutta pairs of order 5(4) and 8(5,3): coefficients, kernel and stepper.
 *
 *   X_i = x0 + h sum_(j<i) a_ij k_j,   k_i = k(t0 + c_i h, X_i),   i = 1 ... s,   k_0 at x0
 *
 * X_s = x1 is the end of the step, with c_s = 1. h sum_j e_j k_j estimates the error. Dense output,
 * with D = x1 - x0 and y = 1 - x, is
 *
 *   p(x) = x0 + x (D + y (h k_0 - D + x (2 D - h k_0 - h k_s + y (F_0 + x (F_1 + y (F_2 + x
 * F_3))))))
 *
 * with F_m = h sum_j d_mj k_j; the slopes of p at both ends are k_0 and k_s. */
#ifndef DAEDAL_ONESTEP_EXPLICIT_EXPLICIT_H
#define DAEDAL_ONESTEP_EXPLICIT_EXPLICIT_H

#include "onestep/host/integrator.h"

/* Creates the stepper of order 5 or 8. The adapter must outlive the stepper and keep its
 * address. */
dae_status dae__explicit_create(dae__arena *arena, const dae_adapter *adapter,
                                const dae_step_options *opts, int order, dae__stepper *out,
                                dae_error *err);

/* ---- coefficients ---- */

#define DAE__EXPLICIT_MAX_SLOPES 16
#define DAE__EXPLICIT_MAX_TERMS 4

/* Index of a polynomial of dense output: low order from the slopes of the step, order 4 (pair 5) or
 * 5 (pair 8); refined by extra slopes, order 7 (pair 8). */
enum { DAE__EXPLICIT_LOW_ORDER, DAE__EXPLICIT_REFINED };

typedef struct dae__explicit_pair {
  int order;
  int stages; /* number of stages s */
  int extra;  /* number of slopes after k_s, for the refined polynomial */
  /* Number of error estimates; two, of norms E and E', give E^2 / sqrt(E^2 + 0.01 E'^2) [HNW93
   * II.10]. */
  int estimates;
  int estimate_order; /* power of h in the error estimate */
  bool closed;        /* error estimate uses k_s */
  /* limit of h |lambda| on the negative real axis, approximate [HW96 IV.2] */
  double stability_limit;
  double c[DAE__EXPLICIT_MAX_SLOPES], a[DAE__EXPLICIT_MAX_SLOPES][DAE__EXPLICIT_MAX_SLOPES];
  double e[2][DAE__EXPLICIT_MAX_SLOPES];
  int terms[2]; /* number of terms F_m in each polynomial */
  double d[2][DAE__EXPLICIT_MAX_TERMS][DAE__EXPLICIT_MAX_SLOPES];
} dae__explicit_pair;

extern const dae__explicit_pair dae__explicit_pair5, dae__explicit_pair8;

/* ---- kernel: x = base + h sum_j a_j k_j ----
 *
 * Sums of eight, four and two entries at a time stay in registers over all j, and compilers
 * vectorise them. Measured with 8 slopes (gcc -O2, SSE2): 9 ns for 4 entries, 12 for 8, 24 for 14,
 * against 22, 35, 64 by one axpy for each slope. */

/* Nonzero coefficients of a linear combination of slopes. */
typedef struct dae__combination {
  int count;
  size_t at[DAE__EXPLICIT_MAX_SLOPES + 1]; /* offset of each slope in K */
  double a[DAE__EXPLICIT_MAX_SLOPES + 1];
} dae__combination;

/* Collects the nonzero ones of n coefficients, for slopes at a distance of `stride` doubles. A zero
 * is overwritten by the next coefficient, so that the arrays have one entry more than needed. */
static inline void dae__combination_set(dae__combination *c, int n, const double *a, size_t stride)
{
  c->count = 0;
  for (int j = 0; j < n; j++) {
    c->at[c->count] = (size_t)j * stride;
    c->a[c->count] = a[j];
    c->count += a[j] != 0;
  }
}

/* Linear combination for `width` entries, a constant at compile time. */
static inline __attribute__((always_inline)) void
dae__combine_block(const dae__combination *c, int width, double h, const double *K,
                   const double *base, double *restrict x)
{
  double sum[8] = {0};
  for (int j = 0; j < c->count; j++) {
    const double *k = K + c->at[j];
    double a = c->a[j];
#pragma GCC unroll 8
    for (int i = 0; i < width; i++)
      sum[i] += a * k[i];
  }
#pragma GCC unroll 8
  for (int i = 0; i < width; i++)
    x[i] = base[i] + h * sum[i];
}

/* x = base + h sum_j a_j k_j for n entries; x overlaps neither K nor base */
static inline void dae__combine(const dae__combination *c, int n, double h, const double *K,
                                const double *base, double *restrict x)
{
  int i = 0;
  for (; i + 8 <= n; i += 8)
    dae__combine_block(c, 8, h, K + i, base + i, x + i);
  if (i + 4 <= n) {
    dae__combine_block(c, 4, h, K + i, base + i, x + i);
    i += 4;
  }
  if (i + 2 <= n) {
    dae__combine_block(c, 2, h, K + i, base + i, x + i);
    i += 2;
  }
  if (i < n)
    dae__combine_block(c, 1, h, K + i, base + i, x + i);
}

#endif
