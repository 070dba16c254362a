/* A way of making steps: what differs between the one-step methods. The integrator (integrator.h)
 * has one or several of them and makes each step with one. */
#ifndef DAEDAL_ONESTEP_HOST_STEPPER_H
#define DAEDAL_ONESTEP_HOST_STEPPER_H

#include "core/arena.h"
#include "step/controller.h"
#include <daedal/integrator.h>

/* A point of the motion: z = (x, y) and its derivative, of which the entries of x count. */
typedef struct dae__rk_point {
  double *z, *dz;
} dae__rk_point;

/* A step from (t, from) of size h, to. */
typedef struct dae__rk_step {
  double t, h;
  dae__rk_point from, to;
} dae__rk_step;

struct dae__rk;

typedef struct dae__stepper_table {
  /* The motion begins anew where it stands, or this stepper takes over from another one; NULL:
   * nothing to forget. */
  void (*begin)(void *self);
  /* From a consistent point with its derivative: to->z receives x at the end, and y there or a
   * guess. *error relative to the tolerance, 0 where there is no estimate. A failure of
   * DAE_ERROR_STEP, _SINGULAR or _RECOVERABLE: a smaller step may do. */
  dae_status (*attempt)(void *self, const dae__rk_step *step, double *error, dae_error *err);
  /* The step attempted last is good: completes `to`, on its constraints, with y and derivative, and
   * keeps what between needs. Where this fails, what was kept of the step before is intact. */
  dae_status (*complete)(void *self, const dae__rk_step *step, dae_error *err);
  /* z at t + x h, 0 < x < 1, within the step settled last; need not lie on its constraints, and y
   * may be a guess. */
  void (*dense_output)(void *self, const dae__rk_step *step, double x, double *z);
  /* The derivative of x there, where problems have no slopes at a point; else never asked. */
  void (*rate)(void *self, const dae__rk_step *step, double x, double *dz);
  /* Makes between as good as the ends of the step are, once for a step; NULL: it is. Must not
   * change the motion. */
  dae_status (*refine)(void *self, const dae__rk_step *step, dae_error *err);
  /* Of the step settled last: its size in units of the largest one that stability allows, as far as
   * that shows (0: it does not); NULL: there is no limit. */
  double (*stiffness)(const void *self);
  /* Work so far in evaluations, dense output not included; only differences count. NULL: every
   * attempt takes the same. */
  double (*work)(const void *self);
  /* After an accepted step: may let another stepper of the same family go on, of those of the
   * integrator from `first` on; NULL: there is no choice. */
  void (*select)(struct dae__rk *o, int first);
  void (*count)(const void *self, dae_stats *stats); /* adds its own; NULL: none */
  dae_status (*reload)(void *self, dae_error *err);  /* after load; NULL: nothing to do */
  void (*free)(void *self);                          /* what is not in the arena; NULL: nothing */
} dae__stepper_table;

typedef struct dae__stepper {
  const dae__stepper_table *table;
  void *self;
  int order;
  dae__controller_options control; /* of variable steps */
} dae__stepper;

#endif
