/* Smallest step size, and detection of stalls: a force that switches back and forth makes steps
 * tiny, and many of them rejected, without a final failure. Progress is checked every
 * DAE__STALL_WINDOW steps. */
#ifndef DAEDAL_STEP_STALL_H
#define DAEDAL_STEP_STALL_H

#include <daedal/integrator.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>

/* Smallest step size: a few units of round-off of t, or, near t = 0, negligible beside the whole
 * run. */
static inline double dae__smallest_step(double t, double t_stop)
{
  return 4 * DBL_EPSILON * fmax(fabs(t), DBL_EPSILON * fabs(t_stop));
}

/* Number of steps between two checks of progress. Chosen, not measured. */
#define DAE__STALL_WINDOW 10000
/* Smallest progress between two checks, over the time left, if the rejected attempts exceed a fifth
 * of the steps: a smooth pendulum at rtol 1e-6 has a tenth. Chosen, not measured. */
#define DAE__STALL_PROGRESS 1e-4
/* Smallest progress between two checks, over the time left, if the failed iterations exceed a
 * tenth of the steps: long runs have many errors above the tolerance, from controllers at their
 * limit, but hardly so many failed iterations. */
#define DAE__STALL_PROGRESS_FAILING 1e-3

#define DAE__STALL_TEXT                                                                            \
  "the steps stay so small that the end is not reached: a force may switch back and forth, or "    \
  "the tolerances are below what can be reached"

/* Time and counts at the last check of progress. Saved state, without pointers. */
typedef struct dae__stall {
  double t;
  long steps, by_error, by_convergence;
} dae__stall;

static inline dae__stall dae__stall_begin(double t, const dae_stats *stats)
{
  return (dae__stall){t, stats->steps, stats->rejected_by_error, stats->rejected_by_convergence};
}

/* Whether the run, now at t, has stalled. */
static inline bool dae__is_stalled(dae__stall *c, const dae_stats *stats, double t, double t_stop)
{
  if (stats->steps < c->steps + DAE__STALL_WINDOW)
    return false;
  double progress = t - c->t, left = t_stop - t;
  long failed = stats->rejected_by_convergence - c->by_convergence;
  long rejected = stats->rejected_by_error - c->by_error + failed;
  *c = dae__stall_begin(t, stats);
  return (rejected > DAE__STALL_WINDOW / 5 && progress < DAE__STALL_PROGRESS * left) ||
         (failed > DAE__STALL_WINDOW / 10 && progress < DAE__STALL_PROGRESS_FAILING * left);
}

#endif
