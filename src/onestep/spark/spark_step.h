/* The SPARK stepper of a tableau. */
#ifndef DAEDAL_ONESTEP_SPARK_SPARK_STEP_H
#define DAEDAL_ONESTEP_SPARK_SPARK_STEP_H

#include "onestep/host/integrator.h"
#include <daedal/spark.h>

typedef struct dae__spark_method {
  const dae_spark_tableau *tableau; /* validated tableau */
  dae_spark_tableau *owned;         /* the same if it is freed with the stepper; NULL: it is not */
  int order;
  const dae_spark_options *opts;
} dae__spark_method;

/* Adds the SPARK stepper of a method to a one-step integrator with its start; `owned` is freed with
 * the stepper, and after a failure. */
dae_status dae__spark_create_stepper(dae__onestep *host, dae__arena *arena,
                                     const dae__spark_method *method, dae_error *err);

#endif
