/* Where the sweeps of a Gauss step begin: the polynomial through slopes k_0 ... k_n of the last
 * step at its nodes x_0 ... x_n, in the form of Newton,
 *
 *   p(x) = d_n + (x - x_n) (d_(n-1) + (x - x_(n-1)) (... + (x - x_1) d_0)),
 *
 * d_j the divided difference of k_j ... k_n. */
#include "core/vec.h"
#include "onestep/gauss/gauss.h"

#define FARTHEST 10 /* a step so many times as long as the last one is not predicted from it */

#define KERNEL static inline __attribute__((always_inline))

KERNEL void gauss_divide(const dae__gauss *o, int n, dae__pair *d)
{
#pragma GCC unroll 8
  for (int last = 0; last < n; last++)
#pragma GCC unroll 8
    for (int j = 0; j < n - last; j++)
      d[j] = (d[j + 1] - d[j]) * o->apart[j + 1 + last][j];
}

KERNEL dae__pair gauss_evaluate(int n, const dae__pair *d, dae__pair x, const dae__pair *node)
{
  dae__pair p = d[0];
#pragma GCC unroll 8
  for (int j = 1; j <= n; j++)
    p = p * (x - node[j]) + d[j];
  return p;
}

/* two numbers of K_1 ... K_s, or one, the first of a slope being i; n = s + 1, q: the step over the
 * last one */
KERNEL void gauss_foresee(const dae__gauss *o, int n, double q, size_t i, bool two, double *K)
{
  const double *last = o->K[o->memory->last] + i;
  double *to = K + i;
  dae__pair d[DAE__NODAL_MOST];
#pragma GCC unroll 8
  for (int j = 0; j <= n; j++, last += o->stride)
    d[j] = two ? dae__pair_from_anywhere(last) : (dae__pair){*last, 0};
  gauss_divide(o, n, d);
  for (int k = 0; k < n - 1; k++) {
    double x = 1 + q * o->c[k];
    dae__pair p = gauss_evaluate(n, d, (dae__pair){x, x}, o->node);
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
    gauss_foresee(o, n, q, i, true, K);
  if (i < nx)
    gauss_foresee(o, n, q, i, false, K);
}

#define EXTRAPOLATE(name, n)                                                                       \
  static void name(const dae__gauss *o, double q, double *K)                                       \
  {                                                                                                \
    gauss_extrapolate(o, n, q, K);                                                                 \
  }
EXTRAPOLATE(extrapolate_by_5, 6)
EXTRAPOLATE(extrapolate_by_6, 7)
EXTRAPOLATE(extrapolate_by_any, o->s + 1)

bool dae__gauss_predict(dae__gauss *o, const dae__rk_step *step, double *K)
{
  const dae__gauss_memory *m = o->memory;
  int nx = o->adapter->nx;
  dae__copy(nx, step->from.dz, K);
  dae__copy(o->n2, step->from.z + o->n2, K);
  bool follows = m->h > 0 && step->h <= FARTHEST * m->h;
  if (follows)
    (o->s == 5   ? extrapolate_by_5
     : o->s == 6 ? extrapolate_by_6
                 : extrapolate_by_any)(o, step->h / m->h, K);
  else
    for (int i = 1; i <= o->s; i++)
      dae__copy(nx, step->from.dz, dae__gauss_slope(o, K, i));
  return follows;
}
