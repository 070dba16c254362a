/* SPARK integrators: what they take, and the step behind them. */
#ifndef DAEDAL_ONESTEP_SPARK_SPARK_H
#define DAEDAL_ONESTEP_SPARK_SPARK_H

#include "core/arena.h"
#include <daedal/spark.h>

/* Whether SPARK takes the problem; the reason in err. */
dae_status dae__spark_accepts(const dae_problem *problem, dae_error *err);

/* What an integrator is made of. */
typedef struct dae__spark_recipe {
  const char *method;
  const dae_spark_tableau *tableau; /* valid */
  int order;
  const dae_spark_options *opts;
} dae__spark_recipe;

/* An integrator for a mechanical problem that is not coupled, in this arena, which it owns from
 * then on; where this fails, the arena stays with the caller. `owned`, unless NULL, is freed with
 * it. */
dae_status dae__spark_step_create(dae__arena *arena, const dae__spark_recipe *recipe,
                                  const dae_problem *problem, const dae_start *start,
                                  dae_spark_tableau *owned, dae_integrator **out, dae_error *err);

#endif
