/* Start values that must not change, on the slow motion. */
#ifndef DAEDAL_STEP_SMOOTH_FIXED_H
#define DAEDAL_STEP_SMOOTH_FIXED_H

#include "step/smooth/ladder.h"

/* Moves z, slow up to the time scale `cut`, along the slow motion until its fixed entries are those
 * of `start` again. *held: they cannot be, the fast motion is in the fixed values themselves. */
dae_status dae__smooth_keep_fixed(dae__ladder *o, double t, double cut, const bool *fixed,
                                  const double *start, double *z, bool *held, dae_error *err);

#endif
