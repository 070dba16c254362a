/* Linear combinations of the rows of a matrix, the kernel of methods that solve all stages
 * together. Partial sums of four and two entries stay in registers over all rows. */
#ifndef DAEDAL_ONESTEP_HOST_SUMS_H
#define DAEDAL_ONESTEP_HOST_SUMS_H

#include "linalg/pair.h"

static inline void dae__sum_four(int s, const double *a, int stride, const double *x,
                                 dae__pair sum[restrict 2])
{
  dae__pair first = {0, 0}, second = {0, 0};
  for (int j = 0; j < s; j++, x += stride) {
    first += a[j] * dae__pair_from_anywhere(x);
    second += a[j] * dae__pair_from_anywhere(x + 2);
  }
  sum[0] = first;
  sum[1] = second;
}

static inline dae__pair dae__sum_two(int s, const double *a, int stride, const double *x)
{
  dae__pair sum = {0, 0};
  for (int j = 0; j < s; j++, x += stride)
    sum += a[j] * dae__pair_from_anywhere(x);
  return sum;
}

static inline double dae__sum_one(int s, const double *a, int stride, const double *x)
{
  double sum = 0;
  for (int j = 0; j < s; j++, x += stride)
    sum += a[j] * *x;
  return sum;
}

/* out_i = sum_j a_j X_ji for i < n, over the s rows of X, which are `stride` doubles apart */
static inline void dae__sum_rows(int s, const double *a, int n, int stride, const double *X,
                                 double *restrict out)
{
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    dae__pair sum[2];
    dae__sum_four(s, a, stride, X + i, sum);
    dae__pair_to(out + i, sum[0]);
    dae__pair_to(out + i + 2, sum[1]);
  }
  if (i + 2 <= n) {
    dae__pair_to(out + i, dae__sum_two(s, a, stride, X + i));
    i += 2;
  }
  if (i < n)
    out[i] = dae__sum_one(s, a, stride, X + i);
}

/* out_i = base_i + h sum_j a_j X_ji for i < n, over the s rows of X; base and out must not
 * overlap */
static inline void dae__add_rows(int s, const double *a, double h, int n, int stride,
                                 const double *X, const double *base, double *restrict out)
{
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    dae__pair sum[2];
    dae__sum_four(s, a, stride, X + i, sum);
    dae__pair_to(out + i, dae__pair_from_anywhere(base + i) + h * sum[0]);
    dae__pair_to(out + i + 2, dae__pair_from_anywhere(base + i + 2) + h * sum[1]);
  }
  if (i + 2 <= n) {
    dae__pair sum = dae__sum_two(s, a, stride, X + i);
    dae__pair_to(out + i, dae__pair_from_anywhere(base + i) + h * sum);
    i += 2;
  }
  if (i < n)
    out[i] = base[i] + h * dae__sum_one(s, a, stride, X + i);
}

#endif
