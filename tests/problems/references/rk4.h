/* What programs that make reference values share: long double, and the classical Runge-Kutta
 * method. */
#ifndef DAEDAL_REFERENCE_RK4_H
#define DAEDAL_REFERENCE_RK4_H

#include <stdio.h>

typedef long double real;

#ifndef MOST_STATES
#define MOST_STATES 6
#endif
enum { MOST = MOST_STATES }; /* entries of a state */

/* f: derivative of the state y of n entries */
typedef void rhs(const real *y, real *f);

static void integrate(rhs *f, int n, real to, long steps, real *y)
{
  real h = to / steps;
  for (long k = 0; k < steps; k++) {
    real k1[MOST], k2[MOST], k3[MOST], k4[MOST], z[MOST];
    f(y, k1);
    for (int i = 0; i < n; i++)
      z[i] = y[i] + h / 2 * k1[i];
    f(z, k2);
    for (int i = 0; i < n; i++)
      z[i] = y[i] + h / 2 * k2[i];
    f(z, k3);
    for (int i = 0; i < n; i++)
      z[i] = y[i] + h * k3[i];
    f(z, k4);
    for (int i = 0; i < n; i++)
      y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
}

#endif
