/* Problems that the Lie-group method supports. */
#ifndef DAEDAL_ONESTEP_LIE_LIE_H
#define DAEDAL_ONESTEP_LIE_LIE_H

#include <daedal/lie.h>

/* Checks whether the Lie-group method supports the problem; the reason for a refusal is in err. */
dae_status dae__lie_accepts(const dae_problem *problem, dae_error *err);

#endif
