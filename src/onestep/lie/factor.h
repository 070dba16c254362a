/* Factor sigma of a step.
 *
 * [L13 (17)] moves x along f by eta d a: with a and b frozen at xb = (1 - theta) x0 + theta x1 the
 * exact solution of x' = a (b.x). In terms of the increment x1 - x0,
 *
 *   x1 = x0 + h sigma f(xb, y, tb),   sigma = (e^u - 1) / (u (1 + theta (e^u - 1))),
 *   u = h f.w / (|w|^2 + kappa^2),    w = xb,
 *
 * where kappa is the augmented component of x. Since s = (x1 - x0).w / (|w|^2 + kappa^2)
 * is sigma u, u follows from s without f:
 *
 *   e^u = (1 + (1 - theta) s) / (1 - theta s),   sigma = s / u.
 *
 * e^u is det G of [L13 (15)] and has to be positive. For theta = 1/2, sigma = tanh(u/2) / (u/2). */
#ifndef DAEDAL_ONESTEP_LIE_FACTOR_H
#define DAEDAL_ONESTEP_LIE_FACTOR_H

#include <math.h>
#include <stdbool.h>

/* |s| below which the series of sigma is exact to round-off. */
#define DAE__LIE_SERIES_BELOW 1e-5

static inline bool dae__lie_positive(double theta, double s)
{
  return 1 - theta * s > 0 && 1 + (1 - theta) * s > 0;
}

/* sigma(s) and its derivative with respect to s; NaN where det G is not positive */
static inline double dae__lie_sigma(double theta, double s, double *derivative)
{
  double skew = theta - 0.5;
  if (fabs(s) < DAE__LIE_SERIES_BELOW) {
    *derivative = -skew - s / 6;
    return 1 - skew * s - s * s / 12;
  }
  if (!dae__lie_positive(theta, s)) {
    *derivative = NAN;
    return NAN;
  }
  double below = 1 - theta * s, u = log1p(s / below), du = 1 / (below * (1 + (1 - theta) * s));
  *derivative = 1 / u - s * du / (u * u);
  return s / u;
}

#endif
