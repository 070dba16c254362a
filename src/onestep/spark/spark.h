/* SPARK methods: supported problems, and the integrator of a tableau. */
#ifndef DAEDAL_ONESTEP_SPARK_SPARK_H
#define DAEDAL_ONESTEP_SPARK_SPARK_H

#include "core/arena.h"
#include <daedal/spark.h>

/* Checks whether SPARK supports the problem; the reason for a refusal is in err. */
dae_status dae__spark_accepts(const dae_problem *problem, dae_error *err);

typedef struct dae__spark_descriptor {
  const char *method;
  const dae_spark_tableau *tableau; /* validated tableau */
  int order;
  const dae_spark_options *opts;
} dae__spark_descriptor;

/* Creates a SPARK integrator for an uncoupled problem in the mechanical or the momentum form. The
 * integrator owns the arena from then on; on failure the arena stays with the caller. `owned`,
 * unless NULL, is freed with the integrator. */
dae_status dae__spark_integrator_create(dae__arena *arena, const dae__spark_descriptor *descriptor,
                                        const dae_problem *problem, const dae_start *start,
                                        dae_spark_tableau *owned, dae_integrator **out,
                                        dae_error *err);

#endif
