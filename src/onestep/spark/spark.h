/* SPARK methods: supported problems. */
#ifndef DAEDAL_ONESTEP_SPARK_SPARK_H
#define DAEDAL_ONESTEP_SPARK_SPARK_H

#include <daedal/spark.h>

/* Checks whether SPARK supports the problem; the reason for a refusal is in err. */
dae_status dae__spark_accepts(const dae_problem *problem, dae_error *err);

#endif
