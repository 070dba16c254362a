/* Passes (pass.h) over a ladder of sizes H, from below the fastest period up to H*, 2.6 times the
 * time scale below which motion is fast: each mode is removed by the smallest H that can do it, as
 * what a pass blurs of the slow motion grows with H, and Newton's method then starts within reach
 * at the next rung. Where the passes up there no longer move the state, all above is slow; where
 * they do, the ladder ends at the gap between both.
 */
#ifndef DAEDAL_STEP_SMOOTH_LADDER_H
#define DAEDAL_STEP_SMOOTH_LADDER_H

#include "step/smooth/pass.h"

typedef enum dae__ladder_end {
  DAE__LADDER_QUIET,  /* nothing moves at H* any more */
  DAE__LADDER_GAP,    /* fast motion is removed, what moves at H* is slower than the cut */
  DAE__LADDER_ALL,    /* all that moved is removed, up to H* */
  DAE__LADDER_SLOW,   /* what moves at H* is below a tolerance */
  DAE__LADDER_NO_GAP, /* motion near H* that is neither fast nor slow is kept */
  DAE__LADDER_NONE    /* no rung: nothing is faster than H*, or no pass converges */
} dae__ladder_end;

typedef struct dae__ladder_rung {
  double H;
  double first, last; /* moves of the first pass and of the last one, in tolerances */
} dae__ladder_rung;

#define DAE__LADDER_RUNGS 48

typedef struct dae__ladder {
  dae__smooth_pass pass;    /* 4 stages */
  dae__smooth_pass probe;   /* 2 stages */
  dae__smooth_matrix euler; /* of the filter (I - H J)^-1 */
  dae__ladder_rung rung[DAE__LADDER_RUNGS];
  double *z[DAE__LADDER_RUNGS]; /* n each: state after the rung */
  int rungs;                    /* number of rungs made, from the smallest */
  double *rate;                 /* saved: fastest linearised rate */
  double *before, *a, *b, *state, *rates, *start, *kept; /* n each */
  double *at; /* n: state whose size the tolerances are relative to */
} dae__ladder;

typedef struct dae__ladder_result {
  dae__ladder_end end;
  double cut;     /* H up to which the state is slow */
  double slowest; /* largest H at which something was removed; 0: nothing was */
  double above;   /* rate of what moves at H*, or is slower, and is kept; 0: none, or not known */
} dae__ladder_result;

dae_status dae__ladder_create(dae__arena *arena, dae__smooth_form *form, dae__ladder *out,
                              dae_error *err);
void dae__ladder_free(dae__ladder *o);
/* Factors the matrix of the filter F = (I - H J)^-1 on the constraints, at z with derivative dz. */
dae_status dae__ladder_factor(dae__ladder *o, double t, double H, const double *z, const double *dz,
                              dae_error *err);
/* out (n entries) = F x, with the values of M of the last factorisation */
void dae__ladder_filter(dae__ladder *o, double H, const double *x, double *out);
/* Moves z at t, with derivative dz, onto the slow motion; given: H* is that of the user. */
dae_status dae__ladder_climb(dae__ladder *o, double t, double top, bool given, const double *dz,
                             double *z, dae__ladder_result *out, dae_error *err);

/* Size of a move from one state to another, in tolerances of the state at the start of the passes:
 * of the state, and of the velocities that displacements turn into a quarter of the fastest period
 * later. */
dae_status dae__ladder_measure(dae__ladder *o, double t, const double *from, const double *z,
                               double *moved);
/* Passes from H = top down to a few times the fastest period, until one moves nothing; *moved: z
 * has changed. */
dae_status dae__ladder_descend(dae__ladder *o, double t, double top, double *z, bool *moved,
                               dae_error *err);

#endif
