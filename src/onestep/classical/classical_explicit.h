/* The steppers of the classical methods: explicit ones, and implicit ones with all stages in one
 * system. Both are for fixed steps. */
#ifndef DAEDAL_ONESTEP_CLASSICAL_CLASSICAL_EXPLICIT_H
#define DAEDAL_ONESTEP_CLASSICAL_CLASSICAL_EXPLICIT_H

#include "onestep/classical/scheme.h"
#include "onestep/host/integrator.h"

dae_status dae__simple_create(dae__arena *arena, const dae__rk_adapter *adapter,
                              const dae__rk_scheme *scheme, dae__stepper *out, dae_error *err);
/* step: the size of whole steps */
dae_status dae__simple_implicit_create(dae__arena *arena, const dae__rk_adapter *adapter,
                                       const dae__rk_scheme *scheme, const dae_rk_options *opts,
                                       dae__stepper *out, dae_error *err);

#endif
