/* Saddle systems of few unknowns with any symmetric, definite M and one or two rows, solved without
 * a factorisation that is kept:
 *
 *   M = L D L',   W = L\A',  u = L\f,   S = W'D^-1 W,  y = S\(W'D^-1 u - b),  x = L'\(D^-1 (u - W
 * y))
 *
 * in plain numbers, each where the next operation finds it: blocks of two, as in saddle_full.c,
 * would wait for numbers that callbacks have just written one by one. Accelerations of the four-bar
 * linkage of bench_work, (3, 2), take 61 ns besides its callback, by saddle_full.c 125. `two` and
 * small n are constants where kernels are called. Where A x = b does not hold to round-off,
 * saddle_full.c has to refine. */
#include "linalg/saddle/ldl.h"
#include "linalg/saddle/saddle_full.h"

#define KERNEL static inline __attribute__((always_inline))
#define MOST DAE__SADDLE_FULL_SMALL

typedef struct rows {
  double first[MOST], second[MOST];
} rows;

/* L and 1/D of M, column-major and full; false: M is not symmetric, or not definite */
KERNEL bool fused_factor_mass(size_t n, const double *M, dae__saddle_small_mass *out)
{
  double u[MOST]; /* a row of L D */
  int good = 1;
  for (size_t i = 0; i < n; i++) {
    double mass = M[i * n + i], d = mass;
    for (size_t j = 0; j < i; j++) {
      double a = M[j * n + i], off = a - M[i * n + j];
      good &= off * off <= DAE__SADDLE_ASYMMETRY * DAE__SADDLE_ASYMMETRY * mass * M[j * n + j];
      for (size_t k = 0; k < j; k++)
        a -= u[k] * out->L[j][k];
      u[j] = a;
      out->L[i][j] = a * out->r[j];
      d -= out->L[i][j] * a;
    }
    out->r[i] = 1 / d;
    good &= mass > DAE__SADDLE_LIGHT && mass < DAE__SADDLE_HEAVY && dae__ldl_usable(d, mass);
  }
  return good;
}

/* z = L\a, a_i `stride` apart */
KERNEL void fused_forward(size_t n, const dae__saddle_small_mass *m, const double *a, size_t stride,
                          double *z)
{
  for (size_t i = 0; i < n; i++) {
    double sum = a[i * stride];
    for (size_t k = 0; k < i; k++)
      sum -= m->L[i][k] * z[k];
    z[i] = sum;
  }
}

/* x = L'\(D\z) */
KERNEL void fused_backward(size_t n, const dae__saddle_small_mass *m, const double *z, double *x)
{
  for (size_t i = n; i-- > 0;) {
    double sum = z[i] * m->r[i];
    for (size_t k = i + 1; k < n; k++)
      sum -= m->L[k][i] * x[k];
    x[i] = sum;
  }
}

/* sum_i a_i b_i / d_i */
KERNEL double fused_product(size_t n, const dae__saddle_small_mass *m, const double *a,
                            const double *b)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += a[i] * m->r[i] * b[i];
  return sum;
}

/* y = S\(W'D^-1 u - b), b = -c; false: a pivot is not usable */
KERNEL bool fused_find_forces(size_t n, bool two, const dae__saddle_small_mass *m, const rows *W,
                              const double *u, const double *c, double y[2])
{
  double S11 = fused_product(n, m, W->first, W->first),
         b1 = fused_product(n, m, W->first, u) + c[0];
  y[0] = b1 / S11;
  y[1] = 0;
  if (!two)
    return fabs(S11) >= DAE__SADDLE_UNDERFLOW && fabs(S11) < INFINITY;
  double S21 = fused_product(n, m, W->second, W->first),
         S22 = fused_product(n, m, W->second, W->second);
  double b2 = fused_product(n, m, W->second, u) + c[1], l = S21 / S11, P2 = S22 - l * S21;
  y[1] = (b2 - l * b1) / P2;
  y[0] -= l * y[1];
  return fabs(S11) >= DAE__SADDLE_UNDERFLOW && fabs(S22) >= DAE__SADDLE_UNDERFLOW &&
         dae__ldl_usable(S11, S11) && dae__ldl_usable(P2, S22);
}

/* whether a row holds, A x = -c, to round-off of its terms; a is `stride` apart */
KERNEL bool fused_holds(size_t n, const double *a, size_t stride, double c, const double *x)
{
  double sum = c, size = fabs(c);
  for (size_t j = 0; j < n; j++) {
    double term = a[j * stride] * x[j];
    sum += term;
    size += fabs(term);
  }
  return fabs(sum) <= DAE__SADDLE_ROUND_OFF * size;
}

KERNEL bool fused_solve(size_t n, bool two, const dae__saddle_small_mass *m,
                        const dae__saddle_forces *of)
{
  size_t stride = two ? 2 : 1;
  rows W;
  double u[MOST], y[2];
  fused_forward(n, m, of->A, stride, W.first);
  if (two)
    fused_forward(n, m, of->A + 1, stride, W.second);
  fused_forward(n, m, of->f, 1, u);
  if (!fused_find_forces(n, two, m, &W, u, of->c, y))
    return false;
  for (size_t i = 0; i < n; i++)
    u[i] -= W.first[i] * y[0] + (two ? W.second[i] * y[1] : 0);
  fused_backward(n, m, u, of->x);
  of->y[0] = y[0];
  if (two)
    of->y[1] = y[1];
  return fused_holds(n, of->A, stride, of->c[0], of->x) &&
         (!two || fused_holds(n, of->A + 1, stride, of->c[1], of->x));
}

/* one row and two, with so many coordinates; n: any number of them */
#define FOR_ONE_AND_TWO(one, two, n)                                                               \
  static bool one(const void *mass, const dae__saddle_forces *of)                                  \
  {                                                                                                \
    const dae__saddle_small_mass *m = mass;                                                        \
    return fused_solve(n, false, m, of);                                                           \
  }                                                                                                \
  static bool two(const void *mass, const dae__saddle_forces *of)                                  \
  {                                                                                                \
    const dae__saddle_small_mass *m = mass;                                                        \
    return fused_solve(n, true, m, of);                                                            \
  }
FOR_ONE_AND_TWO(one_by_2, two_by_2, 2)
FOR_ONE_AND_TWO(one_by_3, two_by_3, 3)
FOR_ONE_AND_TWO(one_by_4, two_by_4, 4)
FOR_ONE_AND_TWO(one_by_any, two_by_any, m->n)

dae__saddle_fused dae__saddle_small_mass_fused(const dae__saddle_small_mass *mass, bool two)
{
  switch (mass->n) {
  case 2:
    return (dae__saddle_fused){.pass = two ? two_by_2 : one_by_2, .state = mass};
  case 3:
    return (dae__saddle_fused){.pass = two ? two_by_3 : one_by_3, .state = mass};
  case 4:
    return (dae__saddle_fused){.pass = two ? two_by_4 : one_by_4, .state = mass};
  default:
    return (dae__saddle_fused){.pass = two ? two_by_any : one_by_any, .state = mass};
  }
}

bool dae__saddle_small_mass_take(dae__saddle_small_mass *mass, const double *M)
{
  switch (mass->n) {
  case 2:
    return fused_factor_mass(2, M, mass);
  case 3:
    return fused_factor_mass(3, M, mass);
  case 4:
    return fused_factor_mass(4, M, mass);
  default:
    return fused_factor_mass(mass->n, M, mass);
  }
}
