/* Automatic method switching: gauss or an explicit pair while the problem is not stiff, radau where
 * it is. */
#ifndef DAEDAL_ONESTEP_SWITCHING_SWITCHING_H
#define DAEDAL_ONESTEP_SWITCHING_SWITCHING_H

#include "onestep/host/integrator.h"

/* Memory of the selection; called before the steppers are created. */
dae_status dae__switching_create(dae__rk *o, dae__arena *arena, dae_error *err);
/* Called after the steppers are created, in this order: gauss; an explicit pair with so many
 * evaluations per attempt and this stability limit; those of radau, the current one suiting the
 * tolerance. */
void dae__switching_select_first(dae__rk *o, double evaluations, double stability_limit);

/* Members of the method descriptor. */
void dae__switching_start(dae__rk *o, double t_stop);
void dae__switching_select_stepper(dae__rk *o);

#endif
