/* Automatic method switching: gauss or an explicit pair for nonstiff phases, radau for stiff
 * ones. */
#ifndef DAEDAL_ONESTEP_SWITCHING_SWITCHING_H
#define DAEDAL_ONESTEP_SWITCHING_SWITCHING_H

#include "onestep/host/integrator.h"

/* The steppers of radau, which are created when they are first needed. */
typedef struct dae__switching_radau {
  /* Adds them; memory->current becomes the one selected by the tolerance. */
  dae_status (*create)(dae__onestep *o, dae__arena *arena, int stages, dae_error *err);
  /* Selects among them; their indices begin at `first`. */
  void (*select)(dae__onestep *o, int first);
  int stages; /* number of stages, 0: by the tolerance */
} dae__switching_radau;

/* Creates the state of the selection; called before the steppers are created. */
dae_status dae__switching_create(dae__onestep *o, dae__arena *arena,
                                 const dae__switching_radau *radau, dae_error *err);
/* Selects the stepper of the first step; called after the steppers are created, in this order:
 * gauss; an explicit pair, with its number of evaluations per attempt and its stability limit. */
dae_status dae__switching_select_first(dae__onestep *o, double evaluations, double stability_limit,
                                       dae_error *err);

/* Functions of the method descriptor: start, select_stepper, select_after_failure, create_rest. */
dae_status dae__switching_start(dae__onestep *o, double t_stop, dae_error *err);
dae_status dae__switching_select_stepper(dae__onestep *o, dae_error *err);
dae_status dae__switching_select_after_failure(dae__onestep *o, double h, dae_error *err);
dae_status dae__switching_create_radau(dae__onestep *o, dae_error *err);

#endif
