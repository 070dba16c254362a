/* Which stepper goes on: an explicit one while the motion is not stiff, radau where it is. */
#ifndef DAEDAL_RK_SWITCHING_H
#define DAEDAL_RK_SWITCHING_H

#include "rk/integrator.h"

/* As the members of a recipe. */
dae_status dae__switching_furnish(dae__rk *o, dae__arena *arena, dae_error *err);
void dae__switching_start(dae__rk *o, double t_stop);
void dae__switching_choose(dae__rk *o);

/* ---- shared with the constructors of the single methods ---- */

/* explicit: 5 or 8, by option or tolerance; radau: rule 0, 1, 2 for 3, 5, 7 stages. */
int dae__explicit_order(const dae_rk_options *opts);
int dae__radau_rule_for(const dae_rk_options *opts);
/* Adds the steppers of radau; the one that suits the tolerance is current. */
dae_status dae__radau_furnish(dae__rk *o, dae__arena *arena, dae_error *err);

#endif
