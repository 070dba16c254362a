/* Automatic method switching: gauss or an explicit pair for nonstiff phases, radau for stiff
 * ones. */
#ifndef DAEDAL_ONESTEP_SWITCHING_SWITCHING_H
#define DAEDAL_ONESTEP_SWITCHING_SWITCHING_H

#include "onestep/host/integrator.h"

/* Selection among the steppers of radau, whose indices begin at `first`: after a step, and after a
 * failed attempt of size h. */
typedef struct dae__select_radau {
  void (*after_step)(dae__onestep *o, int first);
  void (*after_failure)(dae__onestep *o, int first, double h);
} dae__select_radau;

/* Creates the state of the selection; called before the steppers are created. */
dae_status dae__switching_create(dae__onestep *o, dae__arena *arena, dae__select_radau select_radau,
                                 dae_error *err);
/* Selects the stepper of the first step; called after the steppers are created, in this order:
 * gauss; an explicit pair, with its number of evaluations per attempt and its stability limit;
 * those of radau, of which the current one is selected by the tolerance. */
void dae__switching_select_first(dae__onestep *o, double evaluations, double stability_limit);

/* Functions start, select_stepper and select_after_failure of the method descriptor. */
void dae__switching_start(dae__onestep *o, double t_stop);
void dae__switching_select_stepper(dae__onestep *o);
void dae__switching_select_after_failure(dae__onestep *o, double h);

#endif
