#ifndef DAEDAL_WAVE_ANALYSIS_GROWTH_H
#define DAEDAL_WAVE_ANALYSIS_GROWTH_H

#include "wave/subsystems/coupling.h"

/* A consistent state of a coupled problem with joints, which their last systems carry, or the
 * first. */
typedef struct dae__growth_at {
  const dae_problem *problem;
  bool last;
  double t;
  const double *y, *dy;
} dae__growth_at;

/* The factor of W^2 in what a sweep over a window of length W contracts by. */
dae_status dae__joint_growth(const dae__growth_at *at, const dae_env *env, double *growth,
                             dae_error *err);

#endif
