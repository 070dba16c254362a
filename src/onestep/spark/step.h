/* The inside of a SPARK integrator, shared by its two files:
 *   step.c         one step: attempt, error estimate, taking it over
 *   integrator.c   the verbs, creation */
#ifndef DAEDAL_ONESTEP_SPARK_STEP_H
#define DAEDAL_ONESTEP_SPARK_STEP_H

#include "onestep/spark/adapter_table.h"
#include "onestep/spark/dense.h"
#include "onestep/spark/spark.h"
#include "onestep/spark/stages.h"
#include "step/driver.h"
#include "step/integrator.h"

/* What comparing halves with the whole has shown of the embedded estimate. */
typedef struct dae__spark_scale {
  double factor; /* by which it is multiplied, at least 1 */
  long due;      /* the step that is looked at next */
} dae__spark_scale;

typedef struct dae__spark {
  dae_spark_options opts;
  dae__body body;
  dae__spark_transform transform;
  dae__stages stages;
  dae__dense dense;
  dae__driver driver;
  dae__spark_scale *scale; /* kept */
  double *t_middle;      /* kept: between the halves of the last step, its beginning: it has none */
  double *state, *rate;  /* kept: where the motion stands */
  double *previous_rate; /* kept: where the last step began */
  double *middle_rate;   /* kept: between its halves */
  double *y, *z;         /* the same as SPARK sees it */
  double *y_middle, *z_middle, *y_other, *z_other; /* of a step by halves */
  double t_half;                                   /* where they meet */
  double *y_weight, *z_weight;
  double *y_rate, *z_rate, *shown_state, *shown_rate;
  double *derivative; /* weights of so many nodes: */
  int compared;
  double gamma0, map;       /* map: factor of the tolerances for the estimate */
  dae_spark_tableau *owned; /* NULL: the tableau is the user's */
  dae__integrator_table table;
} dae__spark;

/* Constants of the error estimate. */
void dae__spark_prepare_estimate(dae__spark *o);
extern const dae__driver_table dae__spark_driver;

#endif
