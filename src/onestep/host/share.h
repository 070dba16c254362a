/* Share of the tolerance that a step, or its iteration, may leave.
 *
 * Errors of the iteration and of dissipative methods have the same direction in step after step.
 * The error of velocities that they amount to is a drift, and the error of the phase its integral.
 * Therefore the share of step n decreases as 1 / (1 + n / 10)^1.25, whose sum is finite: the error
 * of the phase grows in proportion to the time. */
#ifndef DAEDAL_ONESTEP_HOST_SHARE_H
#define DAEDAL_ONESTEP_HOST_SHARE_H

#include <math.h>

#define DAE__SHARED_STEPS 10 /* number of steps after which the share decreases; chosen */

/* Share of a step, after a number of completed steps. The exponent, above 1 so that the sum of the
 * shares is finite, is chosen; it needs no power function. */
static inline double dae__step_share(long steps)
{
  double x = 1 + (double)steps / DAE__SHARED_STEPS;
  return 1 / (x * sqrt(sqrt(x)));
}

#endif
