/* The driver of one-step methods: attempt, error test, acceptance, next step size.
 *
 *   fixed steps     end at t_origin + k step, the last one at t_stop; a failed step ends the run
 *   variable steps  a controller selects the size by the error; a failed step is repeated with a
 *                   smaller size, and after a failed iteration the size is bounded for some steps
 */
#ifndef DAEDAL_STEP_DRIVER_H
#define DAEDAL_STEP_DRIVER_H

#include "step/controller.h"
#include "step/stall.h"
#include <stddef.h>

/* State of a driver that is saved with the arena, without pointers. */
typedef struct dae__driver_memory {
  double t, t_previous; /* end and start time of the last accepted step */
  double h;             /* size of the next step */
  bool started;
  double t_origin; /* start time of the sequence of fixed steps */
  long done;       /* number of fixed steps since t_origin */
  double bound;    /* bound of the step size after a failed iteration */
  int bounded;     /* number of further steps with this bound */
  dae__controller controller;
  dae__stall stall;
  dae_stats stats; /* counts of steps, rejections and restarts */
} dae__driver_memory;

typedef struct dae__driver_table {
  /* Prepares the first step after a start or restart. */
  void (*begin)(void *self);
  /* Attempts a step of size h from memory->t; *error, of variable steps only, is relative to the
   * tolerance. DAE_ERROR_STEP, _SINGULAR, _RECOVERABLE: a smaller step may succeed. */
  dae_status (*attempt)(void *self, double h, double *error, dae_error *err);
  /* Accepts the last attempt, which ends at t. A failure leaves the last accepted step intact. */
  dae_status (*accept)(void *self, double t, dae_error *err);
  /* Largest rate of change of a variable, relative to rtol |y| + atol; name (may be NULL) receives
   * the name of the variable. */
  double (*rate)(const void *self, double rtol, double atol, char *name, size_t size);
  /* Whether constraints become dependent at memory->t, with the name of one; NULL: the problem has
   * no constraints. */
  bool (*stuck)(const void *self, char *name, size_t size);
} dae__driver_table;

typedef struct dae__driver {
  const dae__driver_table *table;
  void *self;
  double rtol, atol;
  /* step = 0: variable steps; first_step = 0: automatic; max_step = 0: no limit */
  double step, first_step, max_step;
  double largest_first; /* largest automatic first step; 0: no limit */
  int max_failures;
  int bounded; /* number of steps of bounded size after a failed iteration */
  int order;   /* order of the method */
  dae__controller_options control;
  const dae_env *env;
  dae__driver_memory *memory; /* saved state */
} dae__driver;

/* Makes one accepted step, not beyond t_stop: DAE_OK, or DAE_END if it ends at t_stop. */
dae_status dae__driver_step(dae__driver *m, double t_stop, dae_error *err);

/* Moves the driver to time t, where the next step is a first step. */
void dae__driver_reset(dae__driver *m, double t);

/* Whether a smaller step may succeed after a failure with this status. */
bool dae__driver_can_retry(dae_status status);

/* Public view of the driver of an integrator with `size` variables. */
dae_view dae__driver_view(const dae__driver *m, int size);

/* Records the failure of dense output at t for the reason `why`; returns the status of err. */
dae_status dae__driver_dense_output_failed(const dae__driver *m, double t, dae_status status,
                                           const dae_error *why, dae_error *err);

#endif
