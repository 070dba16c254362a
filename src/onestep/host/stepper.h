/* The interface of a one-step method to its host. An integrator (integrator.h) owns one or several
 * steppers and makes each step with one of them. */
#ifndef DAEDAL_ONESTEP_HOST_STEPPER_H
#define DAEDAL_ONESTEP_HOST_STEPPER_H

#include "core/arena.h"
#include "step/controller.h"
#include <daedal/integrator.h>

/* A state z = (x, y) and its derivative, defined for the entries of x. */
typedef struct dae__rk_point {
  double *z, *dz;
} dae__rk_point;

/* A step of size h from (t, from) to (t + h, to). */
typedef struct dae__rk_step {
  double t, h;
  dae__rk_point from, to;
} dae__rk_step;

struct dae__rk;

typedef struct dae__stepper_table {
  /* Integration starts or restarts here, or this stepper takes over from another one; NULL: no
   * memory of earlier steps. */
  void (*begin)(void *self);
  /* From a consistent point with its derivative: to->z receives x at the end, and y there or a
   * guess. *error relative to the tolerance, 0 without an estimate. DAE_ERROR_STEP, _SINGULAR and
   * _RECOVERABLE: a smaller step may succeed. */
  dae_status (*attempt)(void *self, const dae__rk_step *step, double *error, dae_error *err);
  /* The last attempt is accepted: completes `to`, on its constraints, with y and derivative, and
   * stores what dense output needs. A failure leaves the memory of the step before intact. */
  dae_status (*complete)(void *self, const dae__rk_step *step, dae_error *err);
  /* z at t + x h, 0 < x < 1, within the last completed step; need not lie on its constraints, y may
   * be a guess. */
  void (*dense_output)(void *self, const dae__rk_step *step, double x, double *z);
  /* The derivative of dense output, called for singular problems only (adapter.h). */
  void (*rate)(void *self, const dae__rk_step *step, double x, double *dz);
  /* Makes dense output as accurate as the steps, at most once a step; NULL: it is already. Must not
   * change later steps. */
  dae_status (*refine)(void *self, const dae__rk_step *step, dae_error *err);
  /* Size of the last completed step over the stability limit, 0: not known; NULL: no limit. */
  double (*stiffness)(const void *self);
  /* Work so far in evaluations, without dense output; only differences count. NULL: the same for
   * every attempt. */
  double (*work)(const void *self);
  /* After an accepted step: may change to another stepper of the same family, those of the
   * integrator from `first` on; NULL: no alternatives. */
  void (*select)(struct dae__rk *o, int first);
  void (*count)(const void *self, dae_stats *stats); /* adds its statistics; NULL: none */
  dae_status (*reload)(void *self, dae_error *err);  /* after load; NULL: nothing to do */
  void (*free)(void *self); /* releases memory outside the arena; NULL: none */
} dae__stepper_table;

typedef struct dae__stepper {
  const dae__stepper_table *table;
  void *self;
  int order;
  dae__controller_options control; /* of variable steps */
} dae__stepper;

#endif
