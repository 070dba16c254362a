/* The interface of a one-step method to its host. An integrator (integrator.h) owns one or several
 * steppers and makes each step with one of them. */
#ifndef DAEDAL_ONESTEP_HOST_STEPPER_H
#define DAEDAL_ONESTEP_HOST_STEPPER_H

#include "core/arena.h"
#include "step/controller.h"
#include <daedal/integrator.h>

/* A state z = (x, y) and its derivative dz, of which only the entries of x are defined. */
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
  /* Clears the memory of earlier steps: at a start or restart, and at a change from another
   * stepper; NULL: stepper without such memory. */
  void (*begin)(void *self);
  /* One attempt at a step from a consistent point with its derivative: to->z receives x at the end,
   * and y there or a guess of it; *error the error estimate relative to the tolerance, 0 without an
   * estimate. After DAE_ERROR_STEP, _SINGULAR and _RECOVERABLE a smaller step may succeed. */
  dae_status (*attempt)(void *self, const dae__rk_step *step, double *error, dae_error *err);
  /* Completes the step accepted after the last attempt: projects `to` onto the constraints,
   * computes y and derivative there, and stores the data of dense output. A failure leaves the
   * memory of the step before intact. */
  dae_status (*complete)(void *self, const dae__rk_step *step, dae_error *err);
  /* Dense output z at t + x h, 0 < x < 1, within the last completed step; z need not satisfy the
   * constraints, and its y may be a guess. */
  void (*dense_output)(void *self, const dae__rk_step *step, double x, double *z);
  /* Derivative dz of dense output; called for singular problems only (adapter.h). */
  void (*rate)(void *self, const dae__rk_step *step, double x, double *dz);
  /* Raises the accuracy of dense output to that of the steps, called at most once per step; NULL:
   * not necessary. Later steps must not be affected. */
  dae_status (*refine)(void *self, const dae__rk_step *step, dae_error *err);
  /* Ratio of the size of the last completed step to the stability limit, 0: not known; NULL:
   * stepper without such a limit. */
  double (*stiffness)(const void *self);
  /* Work since creation in evaluations, without dense output; only differences of two values are
   * meaningful. NULL: equal work for all attempts. */
  double (*work)(const void *self);
  /* Selection after an accepted step: may change to another stepper of the same family, whose
   * indices in the integrator begin at `first`; NULL: no alternatives. */
  void (*select)(struct dae__rk *o, int first);
  /* adds statistics of the stepper; NULL: none */
  void (*count)(const void *self, dae_stats *stats);
  /* restores data derived from the saved state, after load; NULL: none */
  dae_status (*reload)(void *self, dae_error *err);
  void (*free)(void *self); /* frees memory outside the arena; NULL: none */
} dae__stepper_table;

typedef struct dae__stepper {
  const dae__stepper_table *table;
  void *self;
  int order;
  dae__controller_options control; /* step-size control of variable steps */
} dae__stepper;

#endif
