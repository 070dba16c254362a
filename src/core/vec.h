/* Small vector kernels. */
#ifndef DAEDAL_CORE_VEC_H
#define DAEDAL_CORE_VEC_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* y = x */
static inline void dae__copy(int n, const double *x, double *y)
{
  if (n > 0)
    memcpy(y, x, (size_t)n * sizeof *y);
}

/* y = 0 */
static inline void dae__zero(int n, double *y)
{
  if (n > 0)
    memset(y, 0, (size_t)n * sizeof *y);
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

/* largest |x_i|; NaN if an entry is NaN */
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

static inline bool dae__all_finite(int n, const double *x)
{
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i]))
      return false;
  return true;
}

#endif
