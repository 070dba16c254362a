/* Vector kernels. Most vectors are short, and a call of memcpy or memset costs more than their
 * copy: short vectors are copied by a loop, and the compiler options of the library keep it from
 * being replaced by such a call. */
#ifndef DAEDAL_CORE_VEC_H
#define DAEDAL_CORE_VEC_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* largest number of entries that are copied by a loop; chosen, not measured */
#define DAE__SHORT_VECTOR 16

/* Two doubles with the alignment of one. */
typedef double dae__two __attribute__((vector_size(16), aligned(8), may_alias));

/* Copy and zero of vectors with n > DAE__SHORT_VECTOR entries. */
void dae__copy_long(int n, const double *x, double *y);
void dae__zero_long(int n, double *y);

/* y = x */
static inline void dae__copy(int n, const double *x, double *y)
{
  size_t size = (size_t)n, i = 0;
  if (size > DAE__SHORT_VECTOR) {
    dae__copy_long(n, x, y);
    return;
  }
  for (; i + 2 <= size; i += 2) /* one store of two numbers: a later load of both is forwarded */
    *(dae__two *)(y + i) = *(const dae__two *)(x + i);
  if (i < size)
    y[i] = x[i];
}

/* y = -x */
static inline void dae__negate(int n, const double *restrict x, double *restrict y)
{
  int i = 0;
  for (; i + 2 <= n; i += 2)
    *(dae__two *)(y + i) = -*(const dae__two *)(x + i);
  if (i < n)
    y[i] = -x[i];
}

/* y = 0 */
static inline void dae__zero(int n, double *y)
{
  if (n > DAE__SHORT_VECTOR)
    dae__zero_long(n, y);
  else
    for (int i = 0; i < n; i++)
      y[i] = 0;
}

/* y += a x */
static inline void dae__axpy(int n, double a, const double *x, double *y)
{
  for (int i = 0; i < n; i++)
    y[i] += a * x[i];
}

/* x *= a */
static inline void dae__scale(int n, double a, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] *= a;
}

static inline double dae__dot(int n, const double *x, const double *y)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

/* the larger of both, y if x is not a number; a call of fmax takes ten times the instructions */
static inline double dae__larger(double x, double y)
{
  return x > y ? x : y;
}

/* largest absolute entry, max |x_i|; NaN if an entry is NaN */
static inline double dae__max_abs(int n, const double *x)
{
  double max = 0;
  for (int i = 0; i < n; i++) {
    double a = fabs(x[i]);
    if (isnan(a))
      return a;
    if (a > max)
      max = a;
  }
  return max;
}

/* Whether all entries are finite: the sum of 0 x_i is 0 for finite entries, NaN otherwise. */
static inline bool dae__all_finite(int n, const double *x)
{
  dae__two sum = {0, 0}, other = {0, 0};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    sum += 0 * *(const dae__two *)(x + i);
    other += 0 * *(const dae__two *)(x + i + 2);
  }
  for (; i + 2 <= n; i += 2)
    sum += 0 * *(const dae__two *)(x + i);
  if (i < n)
    sum[0] += 0 * x[i];
  sum += other;
  return sum[0] + sum[1] == 0;
}

#endif
