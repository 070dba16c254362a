/* Steps across a discontinuity.
 *
 * Where the slopes x' or the algebraic variables y jump, an error test fails at every step size
 * until x hardly changes within a step, and that of y for ever. After a failed attempt at a step so
 * short that the parabola
 *
 *   p(s) = x0 + s x0' + s^2 x0''/2,   x0'' by a difference of slopes,
 *
 * is the motion within the tolerance, the jump is located on it by bisection, one evaluation of the
 * slopes each, and two steps replace the attempt:
 *
 *   to the jump   along p, to the end of the bracket that lies behind the jump
 *   away from it  by a Runge-Kutta step of order 3, so far that differences of the equations, for
 *                 Jacobians, do not reach across the jump: they would show stiffness where there is
 *                 none, and iterations with it end before they have converged
 *
 * The error of the first is s |x'(s) - p'(s)|/3 before the jump, and (b - a) |x'(b) - x'(a)| for
 * the bracket (a, b). Integration starts anew behind each, with y on its new side. */
#ifndef DAEDAL_STEP_CROSSING_H
#define DAEDAL_STEP_CROSSING_H

#include <daedal/stepper.h>
#include <stdbool.h>

typedef struct dae__crossing {
  int nx, size; /* entries of x, and of the state z = (x, y); nx = 0: no such steps */
  double rtol, atol;
  const double *atol_scale; /* error of z_i relative to rtol |z_i| + atol atol_scale[i] */
  /* Makes the state z at t, near a consistent one, consistent and computes dz = x'. */
  dae_status (*complete)(void *self, double t, double *z, double *dz, dae_error *err);
  void *self;
  double *work; /* DAE__CROSSING_VECTORS vectors of `size` entries */
} dae__crossing;

#define DAE__CROSSING_VECTORS 10

/* Error of an attempt above which a jump is searched for, and number of failed attempts at a step,
 * beside the last one, after which it is anyway. Smooth motion does not reach them often: the Akzo
 * Nobel problem takes 16 % more instructions with an error of 4. */
#define DAE__CROSSING_LEAST_ERROR 100
#define DAE__CROSSING_FAILURES 2

/* Whether a step of size h from the state z with the slope dz is short enough for the parabola. */
bool dae__crossing_possible(const dae__crossing *c, double h, const double *z, const double *dz);
/* Locates a jump in (t, t + h] after a failed attempt from the consistent state z with slope dz.
 * *size: distance of the end of its bracket, with the state there in z1; 0: no jump is found, or h
 * is too large. */
dae_status dae__crossing_locate(const dae__crossing *c, double t, double h, const double *z,
                                const double *dz, double *size, double *z1, dae_error *err);
/* Step of at most h away from a jump at t; *size: its size, with its end in z1; 0: none. */
dae_status dae__crossing_leave(const dae__crossing *c, double t, double h, const double *z,
                               const double *dz, double *size, double *z1, dae_error *err);
/* State at s h of a step by one of these functions, 0 < s < 1: the parabola through its ends with
 * the slope of the start; the slope at the end is that behind the jump.; dz (may be
 * NULL) = its time derivative. */
void dae__crossing_interpolate(const dae__crossing *c, const dae_step *step, double s, double *z,
                               double *dz);

#endif
