/* The smooth motion (option `damp`): a start is moved onto the slow motion, which a method then
 * follows in steps of its own size.
 *
 *   form.c     the problem in semi-explicit form
 *   pass.c     a step forward and back, which removes what is fast beside its size
 *   ladder.c   passes from small to large sizes and back, and where to stop
 *   smooth.c   starts and restarts, values that stay, the report */
#ifndef DAEDAL_STEP_SMOOTH_SMOOTH_H
#define DAEDAL_STEP_SMOOTH_SMOOTH_H

#include "step/smooth/ladder.h"
#include <daedal/integrator.h>

typedef struct dae__smooth dae__smooth;

/* Options of the methods with `damp`. */
typedef struct dae__smooth_options {
  double rtol, atol;
  double time;     /* time scale below which motion is fast; 0: a part of the length of the run */
  double from, to; /* the run; to = 0: not known */
} dae__smooth_options;

/* Creates the memory of a damped run, which belongs to the arena. */
dae_status dae__smooth_create(dae__arena *arena, const dae_problem *problem,
                              const dae__smooth_options *opts, dae__smooth **out, dae_error *err);
void dae__smooth_free(dae__smooth *o); /* o may be NULL */
/* Moves the consistent state vector y at t onto the slow motion; fixed (may be NULL): entries that
 * keep their values. */
dae_status dae__smooth_start(dae__smooth *o, double t, const bool *fixed, double *y,
                             dae_error *err);
/* The same for a restart, in the middle of the motion. */
dae_status dae__smooth_restart(dae__smooth *o, double t, double *y, dae_error *err);
/* Moves the end y of a step back onto the slow motion, off which large steps leave
 * velocities across stiff directions; *moved: y has changed. */
dae_status dae__smooth_correct(dae__smooth *o, double t, double *y, bool *moved, dae_error *err);
/* Whether an oscillation that was removed is followed, and follows it to the state vector y at t,
 * the end of a step: what it would have done to the slow motion. */
bool dae__smooth_follows(const dae__smooth *o);
dae_status dae__smooth_follow(dae__smooth *o, double t, const double *y, dae_error *err);
/* Time scale up to which the state was made slow: size of the first step from there. */
double dae__smooth_cut(const dae__smooth *o);
dae_damping dae__smooth_report(const dae__smooth *o);
/* Adds the work of the passes. */
void dae__smooth_count(const dae__smooth *o, dae_stats *stats);

#endif
