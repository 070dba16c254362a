/* States of a Gauss step by the slopes of its stages, see gauss.c: the kernel of its sweeps. Two
 * numbers at a time, and with the number of stages known to the compiler where tolerances ask for
 * it. */
#include "onestep/gauss/gauss.h"

void dae__gauss_point_create(const dae__gauss *o, int first, int n, int last, double x,
                             const double *single, const double *twice, dae__gauss_point *out)
{
  out->count = n;
  out->x = x;
  for (int i = 0, j = last; i < n; i++) {
    j = j + 1 < n ? j + 1 : 0;
    out->at[i] = (size_t)(first + j) * o->stride;
    out->single[i] = (dae__pair){single[j], single[j]};
    out->twice[i] = (dae__pair){twice[j], twice[j]};
  }
}

#define KERNEL static inline __attribute__((always_inline))

/* sum_j w_j k_j of two entries */
KERNEL dae__pair gauss_sum_two(const dae__gauss_point *p, int n, const dae__pair *w,
                               const double *k)
{
  dae__pair sum = {0, 0};
#pragma GCC unroll 7
  for (int j = 0; j < n; j++)
    sum += w[j] * dae__pair_from_anywhere(k + p->at[j]);
  return sum;
}

KERNEL double gauss_sum_one(const dae__gauss_point *p, int n, const dae__pair *w, const double *k)
{
  double sum = 0;
  for (int j = 0; j < n; j++)
    sum += w[j][0] * k[p->at[j]];
  return sum;
}

/* Two of q and v where q' = v, from i on. Sweeps wait for the slope that was evaluated last, so
 * that all else is added up before it, in two sums each. */
KERNEL void gauss_move_two(const dae__gauss *o, int n, double h, const double *x0, const double *K,
                           const dae__gauss_point *p, size_t i, double *restrict z)
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

/* an even number of q and v, and nothing else */
KERNEL void gauss_move_even(const dae__gauss *o, int n, double h, const double *x0, const double *K,
                            const dae__gauss_point *p, double *restrict z)
{
  for (size_t i = 0; i < (size_t)o->n2; i += 2)
    gauss_move_two(o, n, h, x0, K, p, i, z);
}

/* any number of q and v, and u, which is all of x where there is no q */
KERNEL void gauss_move_move(const dae__gauss *o, int n, double h, const double *x0, const double *K,
                            const dae__gauss_point *p, double *restrict z)
{
  size_t n2 = (size_t)o->n2, nx = (size_t)o->adapter->nx, i = 0;
  for (; i + 2 <= n2; i += 2)
    gauss_move_two(o, n, h, x0, K, p, i, z);
  if (i < n2) {
    z[i] = x0[i] + h * p->x * K[i] + h * h * gauss_sum_one(p, n, p->twice, K + n2 + i);
    z[n2 + i] = x0[n2 + i] + h * gauss_sum_one(p, n, p->single, K + n2 + i);
  }
  for (i = 2 * n2; i + 2 <= nx; i += 2)
    dae__pair_to(z + i,
                 dae__pair_from_anywhere(x0 + i) + h * gauss_sum_two(p, n, p->single, K + i));
  if (i < nx)
    z[i] = x0[i] + h * gauss_sum_one(p, n, p->single, K + i);
}

/* with the stages of those tolerances that are asked for most, and any */
#define MOVE(name, kernel, n)                                                                      \
  static void name(const dae__gauss *o, double h, const double *x0, const double *K,               \
                   const dae__gauss_point *p, double *z)                                           \
  {                                                                                                \
    kernel(o, n, h, x0, K, p, z);                                                                  \
  }
MOVE(move_even_by_5, gauss_move_even, 5)
MOVE(move_even_by_6, gauss_move_even, 6)
MOVE(move_even_by_7, gauss_move_even, 7)
MOVE(move_by_5, gauss_move_move, 5)
MOVE(move_by_6, gauss_move_move, 6)
MOVE(move_by_7, gauss_move_move, 7)

void dae__gauss_move_by_any(const dae__gauss *o, double h, const double *x0, const double *K,
                            const dae__gauss_point *p, double *z)
{
  gauss_move_move(o, p->count, h, x0, K, p, z);
}

dae__gauss_move *dae__gauss_mover(const dae__gauss *o, int n)
{
  bool even = o->n2 % 2 == 0 && o->adapter->nx == 2 * o->n2;
  switch (n) {
  case 5:
    return even ? move_even_by_5 : move_by_5;
  case 6:
    return even ? move_even_by_6 : move_by_6;
  case 7:
    return even ? move_even_by_7 : move_by_7;
  default:
    return dae__gauss_move_by_any;
  }
}

void dae__gauss_combine(const dae__gauss *o, int n, const double *w, const double *K, double *k)
{
  size_t i = (size_t)o->n2, nx = (size_t)o->adapter->nx;
  for (; i + 2 <= nx; i += 2) {
    dae__pair sum = {0, 0};
    for (int j = 0; j < n; j++)
      sum += w[j] * dae__pair_from_anywhere(K + (size_t)j * o->stride + i);
    dae__pair_to(k + i, sum);
  }
  if (i < nx) {
    k[i] = 0;
    for (int j = 0; j < n; j++)
      k[i] += w[j] * K[(size_t)j * o->stride + i];
  }
}
