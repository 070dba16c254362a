/* The weighted root-mean-square norm in which errors are measured.
 *
 *   w_i = rtol |y_i| + atol scale_i,    |x| = sqrt( 1/n sum (x_i / w_i)^2 )
 *
 * where scale_i is the absolute tolerance of variable i relative to that of the options, atol
 * (dae__problem_atol_scale),
 * so that |error| <= 1 means: within tolerance. A NaN in x makes the norm NaN. */
#ifndef DAEDAL_STEP_NORM_H
#define DAEDAL_STEP_NORM_H

#include "core/vec.h"
#include <math.h>
#include <stdbool.h>

/* weights w = rtol |y| + atol scale of the norm; scale NULL: 1 */
static inline void dae__weights(int n, double rtol, double atol, const double *scale,
                                const double *y, double *w)
{
  for (int i = 0; i < n; i++)
    w[i] = rtol * fabs(y[i]) + (scale ? atol * scale[i] : atol);
}

/* reciprocals 1 / (rtol |y| + atol scale) of the weights; scale NULL: 1 */
static inline void dae__inverse_weights(int n, double rtol, double atol, const double *scale,
                                        const double *y, double *inverse)
{
  int i = 0;
  for (; scale && i + 2 <= n; i += 2) { /* one division for two */
    dae__two size = {fabs(y[i]), fabs(y[i + 1])};
    *(dae__two *)(inverse + i) = 1 / (rtol * size + atol * *(const dae__two *)(scale + i));
  }
  for (; i < n; i++)
    inverse[i] = 1 / (rtol * fabs(y[i]) + (scale ? atol * scale[i] : atol));
}

/* weighted norm |x|; 0 for n = 0 */
static inline double dae__norm(int n, const double *x, const double *w)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (x[i] / w[i]) * (x[i] / w[i]);
  return n > 0 ? sqrt(sum / n) : 0;
}

/* index of the largest |x_i| / w_i, by products: w_j |x_i| > w_i |x_j|; -1: all are 0 or NaN */
static inline int dae__largest(int n, const double *x, const double *w)
{
  double most = 0, weight = 1;
  int largest = -1;
  for (int i = 0; i < n; i++)
    if (weight * fabs(x[i]) > w[i] * most)
      most = fabs(x[i]), weight = w[i], largest = i;
  return largest;
}

/* index of the largest |x_i| inverse_i; -1: all are 0 or NaN */
static inline int dae__largest_scaled(int n, const double *x, const double *inverse)
{
  double most = 0;
  int largest = -1;
  for (int i = 0; i < n; i++)
    if (fabs(x[i] * inverse[i]) > most)
      most = fabs(x[i] * inverse[i]), largest = i;
  return largest;
}

#endif
