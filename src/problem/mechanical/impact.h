/* Impacts: jumps of the velocities where contacts close.
 *
 *   M (v+ - v-) = N'p + J's - A'mu,   A = [G; K],   A v+ = A v-
 *   c = N v + E_t,   c_i+ + e_i min(c_i-, 0) >= 0  _|_  p_i >= 0
 *   sigma = J v + S_t,   |s_i| <= f_i p_i,   s_i against sigma_i+
 *
 * N: gradients of the gaps E, J: of one or two sliding coordinates S of each contact; e and f:
 * coefficients of restitution and of friction. With the compliance of the constrained mechanism,
 * H = D X, D = [N; J], M X + A'Y = D', A X = 0, this is a linear complementarity problem [AP97].
 * The cone of friction of two sliding coordinates has eight facets.
 *
 * Energy does not grow but by the work of moving contacts: where the solution gains energy, which
 * different e and friction can do, v+ is moved towards the solution without restitution until the
 * loss -sum (p, s).(before + after)/2 is 0. Where there is no solution, or Lemke's method does not
 * find it, further ones are tried: without restitution, without friction, without both. */
#ifndef DAEDAL_PROBLEM_MECHANICAL_IMPACT_H
#define DAEDAL_PROBLEM_MECHANICAL_IMPACT_H

#include "problem/mechanical/motion.h"

#include <daedal/event.h>

/* A closed contact: gradients with respect to q, and derivatives in time at fixed q. */
typedef struct dae__impact_contact {
  const char *name;
  const double *normal;
  double normal_t;
  int slides; /* number of sliding coordinates */
  const double *slide[DAE_SLIDES];
  double slide_t[DAE_SLIDES];
  double restitution, friction, rest_friction;
  bool breaks; /* contacts that press: friction at rest has come to its end */
  int slip; /* contacts that press: direction of sliding, which friction opposes; 0: it is found */
} dae__impact_contact;

/* Forces of a contact that presses, and whether it slides. */
typedef struct dae__press_force {
  double normal, friction; /* pressing force, force along the sliding coordinate */
  /* with friction: it sticks, by a row of its own, or is to be found; else friction is -slip times
   * that of sliding: slip is -1 or 1 in a contact that slides, a share of it in one that other
   * contacts hold */
  bool sticks;
  double slip;
  bool shares;       /* other contacts hold it */
  double gap, slide; /* given: accelerations with these forces; 0 but for dependent rows */
  bool breaks;       /* given: it has come to the end of its friction at rest */
  bool changed;      /* they are not those that were given */
} dae__press_force;

/* Laws of the solution that was taken, from the one asked for to the last one. */
typedef enum dae__impact_law {
  DAE__IMPACT_AS_GIVEN,
  DAE__IMPACT_PLASTIC,       /* without restitution */
  DAE__IMPACT_SMOOTH,        /* without friction */
  DAE__IMPACT_PLASTIC_SMOOTH /* without both */
} dae__impact_law;

/* The contact that friction is nearest to jamming: share of the acceleration of its gap by its
 * force that friction leaves, and friction at which that is positive for either direction. */
typedef struct dae__jam {
  int contact; /* -1: none slides against its own force */
  double share, safe;
} dae__jam;

typedef struct dae__impact_outcome {
  dae__impact_law law;
  double reduced; /* share of the way from the solution without restitution; 1: not reduced */
  double lost;    /* energy lost */
  /* by contact, memory of the caller: normal impulse, gap rates before and after */
  double *impulse, *before, *after;
} dae__impact_outcome;

/* Velocities v after the impact of the contacts at the state y of a motion whose independent
 * constraints are selected; v holds those before on entry. Temporary memory is the arena's. */
dae_status dae__motion_impact(dae__motion *motion, dae__arena *arena, double t, const double *y,
                              int count, const dae__impact_contact *contact, double *v,
                              dae__impact_outcome *out, dae_error *err);

/* Forces of closed contacts that press, and directions of sliding. Given are forces that hold all
 * of them closed, which may pull, and hold those without a direction of sliding where they are.
 * Found are 0 <= normal, acceleration of the gap >= 0, one of both 0; friction at most friction
 * times normal, and against an acceleration of sliding. At rest, with the rows of the contacts
 * switched off.
 * Where friction of several contacts is not determined, since one sliding coordinate moves them,
 * some stick, and the others have the share of their friction in the solution. */
dae_status dae__motion_press(dae__motion *motion, dae__arena *arena, double t, const double *y,
                             int count, const dae__impact_contact *contact, const double *v,
                             dae__press_force *force, dae_error *err);

/* Finds the contact that is nearest to jamming among those that slide, with slip set and the rows
 * of the contacts switched off. */
dae_status dae__motion_jam(dae__motion *motion, dae__arena *arena, double t, const double *y,
                           int count, const dae__impact_contact *contact, const double *v,
                           dae__jam *out, dae_error *err);

#endif
