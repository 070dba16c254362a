/* The weighted root-mean-square norm in which errors are measured.
 *
 *   w_i = rtol |y_i| + atol,    |x| = sqrt( 1/n sum (x_i / w_i)^2 )
 *
 * so that |error| <= 1 means: within tolerance. A NaN in x makes the norm NaN. */
#ifndef DAEDAL_STEP_NORM_H
#define DAEDAL_STEP_NORM_H

#include <math.h>
#include <stdbool.h>

/* weights w = rtol |y| + atol of the norm */
static inline void dae__weights(int n, double rtol, double atol, const double *y, double *w)
{
  for (int i = 0; i < n; i++)
    w[i] = rtol * fabs(y[i]) + atol;
}

/* weighted norm |x|; 0 for n = 0 */
static inline double dae__norm(int n, const double *x, const double *w)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (x[i] / w[i]) * (x[i] / w[i]);
  return n > 0 ? sqrt(sum / n) : 0;
}

#endif
