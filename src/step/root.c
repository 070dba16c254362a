#include "step/root.h"

#include <math.h>
#include <stdbool.h>

dae_status dae__root_narrow(dae__bracket *bracket, double tolerance, dae__root_fn *f, void *user,
                            dae_error *err)
{
  double side = bracket->fa > 0 ? 1 : -1;
  /* points of the iteration: newest end, opposite end, dropped end of the bracket */
  double x[3] = {bracket->b, bracket->a, bracket->a};
  double fx[3] = {bracket->fb, bracket->fa, bracket->fa};
  double s = 0.5;
  while (fx[0] != 0 && fabs(x[1] - x[0]) > 2 * tolerance) {
    double margin = tolerance / fabs(x[1] - x[0]);
    s = fmin(fmax(s, margin), 1 - margin);
    double xs = x[0] + s * (x[1] - x[0]), fs;
    dae_status status = f(user, xs, &fs, err);
    if (status < 0)
      return status;
    bool same = (fs * side > 0) == (fx[0] * side > 0);
    int dropped = same ? 0 : 1;
    x[2] = x[dropped], fx[2] = fx[dropped];
    if (!same)
      x[1] = x[0], fx[1] = fx[0];
    x[0] = xs, fx[0] = fs;
    /* next point as a fraction of the interval: by the inverse quadratic through the three points
     * if it is monotone [C97], else (and for a NaN) by bisection */
    double xi = (x[0] - x[1]) / (x[2] - x[1]), phi = (fx[0] - fx[1]) / (fx[2] - fx[1]);
    s = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi
            ? fx[0] / (fx[1] - fx[0]) * fx[2] / (fx[1] - fx[2]) +
                  (x[2] - x[0]) / (x[1] - x[0]) * fx[0] / (fx[2] - fx[0]) * fx[1] / (fx[2] - fx[1])
            : 0.5;
  }
  int a = fx[0] * side > 0 ? 0 : 1, b = 1 - a;
  *bracket = (dae__bracket){.a = x[a], .b = x[b], .fa = fx[a], .fb = fx[b]};
  return DAE_OK;
}
