/* Which stepper goes on: an explicit one while the motion is not stiff, radau where it is. */
#ifndef DAEDAL_ONESTEP_SWITCHING_SWITCHING_H
#define DAEDAL_ONESTEP_SWITCHING_SWITCHING_H

#include "onestep/host/integrator.h"

/* The memory of the choice, before any stepper is created. */
dae_status dae__switching_create(dae__rk *o, dae__arena *arena, dae_error *err);
/* The steppers are there: gauss, an explicit pair of per_attempt evaluations whose limit of
 * stability is `reach`, then those of radau, of which the current one suits the tolerance. */
void dae__switching_select_first(dae__rk *o, double per_attempt, double reach);

/* As the members of a descriptor. */
void dae__switching_start(dae__rk *o, double t_stop);
void dae__switching_select_stepper(dae__rk *o);

#endif
