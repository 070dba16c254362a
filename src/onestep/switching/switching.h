/* Automatic method switching: gauss or an explicit pair for nonstiff phases, radau for stiff
 * ones. */
#ifndef DAEDAL_ONESTEP_SWITCHING_SWITCHING_H
#define DAEDAL_ONESTEP_SWITCHING_SWITCHING_H

#include "onestep/host/integrator.h"

/* The steppers beside gauss, which are created when one of them is first needed. */
typedef struct dae__switching_rest {
  /* Adds an explicit pair and the steppers of radau; memory->current becomes the one of radau that
   * the tolerance selects. */
  dae_status (*create)(dae__onestep *o, dae__arena *arena, int stages, int order, dae_error *err);
  /* Selects among the steppers of radau; their indices begin at `first`. */
  void (*select_radau)(dae__onestep *o, int first);
  void (*select_radau_after_failure)(dae__onestep *o, int first, double h);
  int stages;             /* number of stages, 0: by the tolerance */
  int order;              /* order of the explicit pair */
  double evaluations;     /* number of its evaluations per attempt */
  double stability_limit; /* stability limit of its steps */
} dae__switching_rest;

/* Creates the state of the selection; called before the steppers are created. */
dae_status dae__switching_create(dae__onestep *o, dae__arena *arena,
                                 const dae__switching_rest *rest, dae_error *err);
/* Selects the stepper of the first step; called after gauss is created. */
dae_status dae__switching_select_first(dae__onestep *o, dae_error *err);

/* Functions of the method descriptor: start, select_stepper, select_after_failure, create_rest. */
dae_status dae__switching_start(dae__onestep *o, double t_stop, dae_error *err);
dae_status dae__switching_select_stepper(dae__onestep *o, dae_error *err);
dae_status dae__switching_select_after_failure(dae__onestep *o, double h, dae_error *err);
dae_status dae__switching_create_rest(dae__onestep *o, dae_error *err);

#endif
