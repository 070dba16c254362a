/* What the removed oscillation would have done to the slow motion.
 *
 * An oscillation of small amplitude and high frequency w keeps its action E/w, so that its energy
 * follows a frequency that depends on the slow motion, at the expense of that: it acts as a
 * potential. Its modes, those of the linearised motion that the removed displacement consists of,
 * are followed along the run by inverse iteration; the mean acceleration that a mode with amplitude
 * a (complex) adds,
 *
 *   (D2 a(2 Re a) + D2 a(2 Im a)) / 4,   D2 a(x) = a(z + x) + a(z - x) - 2 a(z),
 *
 * drives the linearised slow motion, whose solution is the deviation of the true motion, in the
 * mean, from the smooth one. */
#ifndef DAEDAL_STEP_SMOOTH_FOLLOW_H
#define DAEDAL_STEP_SMOOTH_FOLLOW_H

#include "linalg/zsolver.h"
#include "step/smooth/ladder.h"
#include <daedal/integrator.h>

#define DAE__FOLLOW_MODES 6

/* State of the modes, saved with the integrator. */
typedef struct dae__follow_memory {
  int modes;   /* number of modes that are followed; 0: none */
  bool decays; /* something that was removed decays within its period */
  bool lost;   /* a mode could not be followed */
  double t;    /* time of the last step */
  double rate[DAE__FOLLOW_MODES], decay[DAE__FOLLOW_MODES]; /* eigenvalue -decay + i rate */
  double first[DAE__FOLLOW_MODES];                          /* rate at the start */
  double action[DAE__FOLLOW_MODES];                         /* energy over rate */
  double left[DAE__FOLLOW_MODES]; /* what decay has left of it, or growth made, relative to 1 */
} dae__follow_memory;

typedef struct dae__follow {
  dae__ladder *ladder;
  dae__zsolver *solver;
  double complex *values;
  dae__follow_memory *memory;                            /* saved */
  double *re[DAE__FOLLOW_MODES], *im[DAE__FOLLOW_MODES]; /* saved: modes, n each */
  double share[DAE__FOLLOW_MODES];                       /* mean of `left` since the last point */
  double *drift, *largest;          /* saved, n each: deviation; largest |x| so far */
  double *z, *dz, *x, *y, *a, *sum; /* n each: workspace */
} dae__follow;

dae_status dae__follow_create(dae__arena *arena, dae__ladder *ladder, dae__follow *out,
                              dae_error *err);
void dae__follow_free(dae__follow *f);
/* Begins with what was removed, `removed` (n entries), from a start that is now z with derivative
 * dz; H: largest size of a pass that removed something. Sets the periods of the report. */
dae_status dae__follow_start(dae__follow *f, double t, const double *z, const double *dz,
                             const double *removed, double H, dae_damping *report);
/* Follows the modes to the state vector y at t, the end of a step, and updates the report. */
dae_status dae__follow_step(dae__follow *f, double t, const double *y, dae_damping *report);

#endif
