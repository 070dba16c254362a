/* Kernels of a Gauss step, vectorised by pairs of entries, with a constant number of stages for the
 * numbers that dae__gauss_stages selects:
 *
 * - states as linear combinations of the slopes of the stages (gauss.c);
 * - initial slopes by extrapolation of the polynomial through the slopes k_0 ... k_n of the last
 *   step at its nodes x_0 ... x_n, in Newton's form,
 *
 *   p(x) = d_n + (x - x_n) (d_(n-1) + (x - x_(n-1)) (... + (x - x_1) d_0)),
 *
 *   d_j the divided difference of k_j ... k_n;
 * - correction of these slopes by those evaluated so far: with a further node x_i the polynomial
 *   changes by (k_i - p(x_i)) psi(x) / psi(x_i), psi(x) = (x - x_0) ... (x - x_n). */
#include "core/assert.h"
#include "core/vec.h"
#include "onestep/gauss/gauss.h"

/* Ratio of the step size to the last one above which slopes are not extrapolated. Chosen, not
 * measured. */
#define LONGEST_EXTRAPOLATION 10

#define KERNEL static inline __attribute__((always_inline))

/* ---- states by slopes ---- */

void dae__gauss_point_create(const dae__gauss *o, int first, int n, int last, double x,
                             const double *single, const double *twice, dae__gauss_point *out)
{
  DAE__ASSERT(n > 0 && n <= DAE__GAUSS_NODES && last < n);
  out->count = n;
  out->x = x;
  for (int i = 0, j = last; i < n; i++) {
    j = j + 1 < n ? j + 1 : 0;
    out->at[i] = (size_t)(first + j) * o->stride;
    out->single[i] = (dae__pair){single[j], single[j]};
    out->twice[i] = (dae__pair){twice[j], twice[j]};
  }
}

/* sum_j w_j k_j for one entry of k */
KERNEL double gauss_sum(const dae__gauss_point *p, int n, const dae__pair *w, const double *k)
{
  double sum = 0;
  for (int j = 0; j < n; j++)
    sum += w[j][0] * k[p->at[j]];
  return sum;
}

/* State at point p, entries i and i + 1 of q and of v. The sum waits for the slope evaluated last,
 * so all other terms are added before it, in two partial sums each. */
KERNEL void gauss_state_pair(const dae__gauss *o, int n, double h, const double *x0,
                             const double *K, const dae__gauss_point *p, size_t i,
                             double *restrict z)
{
  size_t n2 = (size_t)o->n2;
  const double *k = K + n2 + i;
  dae__pair q[2] = {{0, 0}, {0, 0}}, v[2] = {{0, 0}, {0, 0}};
#pragma GCC unroll 7
  for (int j = 0; j < n - 1; j++) {
    dae__pair slope = dae__pair_from_anywhere(k + p->at[j]);
    q[j % 2] += p->twice[j] * slope;
    v[j % 2] += p->single[j] * slope;
  }
  dae__pair start = dae__pair_from_anywhere(x0 + i) + h * p->x * dae__pair_from_anywhere(K + i);
  dae__pair position = start + h * h * (q[0] + q[1]),
            velocity = dae__pair_from_anywhere(x0 + n2 + i) + h * (v[0] + v[1]),
            last = dae__pair_from_anywhere(k + p->at[n - 1]);
  dae__pair_to(z + i, position + h * h * p->twice[n - 1] * last);
  dae__pair_to(z + n2 + i, velocity + h * p->single[n - 1] * last);
}

/* state at point p of a problem with x = (q, v) and q of even size */
KERNEL void gauss_state_even(const dae__gauss *o, int n, double h, const double *x0,
                             const double *K, const dae__gauss_point *p, double *restrict z)
{
  for (size_t i = 0; i < (size_t)o->n2; i += 2)
    gauss_state_pair(o, n, h, x0, K, p, i, z);
}

/* state at point p of a problem with x = (q, v, u) of any sizes */
KERNEL void gauss_state_general(const dae__gauss *o, int n, double h, const double *x0,
                                const double *K, const dae__gauss_point *p, double *restrict z)
{
  size_t n2 = (size_t)o->n2, nx = (size_t)o->adapter->nx, i = 0;
  for (; i + 2 <= n2; i += 2)
    gauss_state_pair(o, n, h, x0, K, p, i, z);
  if (i < n2) {
    z[i] = x0[i] + h * p->x * K[i] + h * h * gauss_sum(p, n, p->twice, K + n2 + i);
    z[n2 + i] = x0[n2 + i] + h * gauss_sum(p, n, p->single, K + n2 + i);
  }
  for (i = 2 * n2; i + 2 <= nx; i += 2) {
    dae__pair sum = {0, 0};
#pragma GCC unroll 7
    for (int j = 0; j < n; j++)
      sum += p->single[j] * dae__pair_from_anywhere(K + i + p->at[j]);
    dae__pair_to(z + i, dae__pair_from_anywhere(x0 + i) + h * sum);
  }
  if (i < nx)
    z[i] = x0[i] + h * gauss_sum(p, n, p->single, K + i);
}

/* State kernels for the numbers of slopes in frequent use, which are constants for the compiler. */
#define STATE_KERNEL(name, kernel, n)                                                              \
  static void name(const dae__gauss *o, double h, const double *x0, const double *K,               \
                   const dae__gauss_point *p, double *z)                                           \
  {                                                                                                \
    kernel(o, n, h, x0, K, p, z);                                                                  \
  }
STATE_KERNEL(gauss_state_even_5, gauss_state_even, 5)
STATE_KERNEL(gauss_state_even_6, gauss_state_even, 6)
STATE_KERNEL(gauss_state_even_7, gauss_state_even, 7)
STATE_KERNEL(gauss_state_5, gauss_state_general, 5)
STATE_KERNEL(gauss_state_6, gauss_state_general, 6)
STATE_KERNEL(gauss_state_7, gauss_state_general, 7)

void dae__gauss_state_any(const dae__gauss *o, double h, const double *x0, const double *K,
                          const dae__gauss_point *p, double *z)
{
  gauss_state_general(o, p->count, h, x0, K, p, z);
}

dae__gauss_kernel *dae__gauss_select_kernel(const dae__gauss *o, int n)
{
  bool even = o->n2 % 2 == 0 && o->adapter->nx == 2 * o->n2;
  switch (n) {
  case 5:
    return even ? gauss_state_even_5 : gauss_state_5;
  case 6:
    return even ? gauss_state_even_6 : gauss_state_6;
  case 7:
    return even ? gauss_state_even_7 : gauss_state_7;
  default:
    return dae__gauss_state_any;
  }
}

/* ---- extrapolation of slopes ---- */

/* Extrapolates two entries, i and i + 1, of K_1 ... K_s, or entry i only; n = s + 1, q = ratio of
 * the step size to the last one. */
KERNEL void gauss_extrapolate_pair(const dae__gauss *o, int n, double q, size_t i, bool two,
                                   double *K)
{
  const double *last = o->K[o->memory->last] + i;
  double *to = K + i;
  dae__pair d[DAE__GAUSS_NODES];
#pragma GCC unroll 8
  for (int j = 0; j <= n; j++, last += o->stride)
    d[j] = two ? dae__pair_from_anywhere(last) : (dae__pair){*last, 0};
    /* divided differences d_j, in place */
#pragma GCC unroll 8
  for (int level = 0; level < n; level++)
#pragma GCC unroll 8
    for (int j = 0; j < n - level; j++)
      d[j] = (d[j + 1] - d[j]) * o->rule.inverse_distance[j + 1 + level][j];
  for (int k = 0; k < n - 1; k++) {
    double at = 1 + q * o->rule.c[k];
    dae__pair x = {at, at}, p = d[0];
#pragma GCC unroll 8
    for (int j = 1; j <= n; j++)
      p = p * (x - o->rule.node[j]) + d[j];
    to += o->stride;
    if (two)
      dae__pair_to(to, p);
    else
      *to = p[0];
  }
}

KERNEL void gauss_extrapolate(const dae__gauss *o, int n, double q, double *K)
{
  size_t i = (size_t)o->n2, nx = (size_t)o->adapter->nx;
  for (; i + 2 <= nx; i += 2)
    gauss_extrapolate_pair(o, n, q, i, true, K);
  if (i < nx)
    gauss_extrapolate_pair(o, n, q, i, false, K);
}

#define EXTRAPOLATE(name, n)                                                                       \
  static void name(const dae__gauss *o, double q, double *K)                                       \
  {                                                                                                \
    gauss_extrapolate(o, n, q, K);                                                                 \
  }
EXTRAPOLATE(gauss_extrapolate_5, 6)
EXTRAPOLATE(gauss_extrapolate_6, 7)
EXTRAPOLATE(gauss_extrapolate_any, o->s + 1)

bool dae__gauss_predict(dae__gauss *o, const dae_step *step, double *K, double *psi)
{
  const dae__gauss_memory *m = o->memory;
  int nx = o->adapter->nx;
  dae__copy(nx, step->from.dz, K);
  dae__copy(o->n2, step->from.z + o->n2, K);
  bool follows = m->h > 0 && step->h <= LONGEST_EXTRAPOLATION * m->h;
  double q = follows ? step->h / m->h : 0;
  for (int i = 0; i < o->s; i++) {
    psi[i] = 1;
    for (int j = 0; j < o->s + 2; j++)
      psi[i] *= 1 + q * o->rule.c[i] - o->rule.node[j][0];
  }
  if (follows)
    (o->s == 5   ? gauss_extrapolate_5
     : o->s == 6 ? gauss_extrapolate_6
                 : gauss_extrapolate_any)(o, q, K);
  else
    for (int i = 1; i <= o->s; i++)
      dae__copy(nx, step->from.dz, dae__gauss_slope(o, K, i));
  return follows;
}

void dae__gauss_correct(const dae__gauss *o, int i, double *psi, double *K)
{
  const double *k = dae__gauss_slope(o, K, i + 1);
  size_t nx = (size_t)o->adapter->nx;
  for (int j = i + 1; j < o->s; j++) {
    double ratio = psi[j] / psi[i], *later = dae__gauss_slope(o, K, j + 1);
    for (size_t e = (size_t)o->n2; e < nx; e++)
      later[e] += ratio * (k[e] - o->predicted[e]);
    psi[j] *= o->rule.c[j] - o->rule.c[i];
  }
}
