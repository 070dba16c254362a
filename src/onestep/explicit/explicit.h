/* Steps of the explicit pairs of order 5 and 8. */
#ifndef DAEDAL_ONESTEP_EXPLICIT_EXPLICIT_H
#define DAEDAL_ONESTEP_EXPLICIT_EXPLICIT_H

#include "onestep/host/adapter.h"
#include "onestep/host/stepper.h"

/* order: 5 or 8. adapter has to stay where it is. */
dae_status dae__explicit_create(dae__arena *arena, const dae__rk_adapter *adapter,
                                const dae_rk_options *opts, int order, dae__stepper *out,
                                dae_error *err);

#endif
