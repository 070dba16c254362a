/* A SPARK integrator, shared by its two files:
 *   step.c         one step: attempt, error estimate, acceptance
 *   integrator.c   verbs, dense output, creation */
#ifndef DAEDAL_ONESTEP_SPARK_STEP_H
#define DAEDAL_ONESTEP_SPARK_STEP_H

#include "onestep/spark/dense.h"
#include "onestep/spark/spark.h"
#include "onestep/spark/stages.h"
#include "step/driver.h"
#include "step/integrator.h"

/* Calibration of the embedded estimate by step doubling; saved state. */
typedef struct dae__spark_calibration {
  double factor;  /* of the embedded estimate, at least 1 */
  long next_step; /* number of the first step that may be checked next */
} dae__spark_calibration;

typedef struct dae__spark {
  dae_spark_options opts;
  dae__spark_adapter adapter;
  dae__spark_transform transform;
  dae__stages stages;
  dae__spark_dense dense;
  dae__driver driver;
  dae__spark_calibration *calibration; /* saved */
  double *t_middle;      /* saved: end of the first half of the last step; its start: not halved */
  double *state, *rate;  /* saved: at the end of the last step */
  double *previous_rate; /* saved: at the start of the last step */
  double *middle_rate;   /* saved: at t_middle */
  double *y, *z;         /* state split into y and z */
  double *new_state, *new_rate; /* at the end of the current step */
  double t_half;                /* middle of the current step */
  double *y_middle, *z_middle, *y_whole,
      *z_whole; /* of a halved step: middle; end without halves */
  double *y_weight, *z_weight, *y_rate, *z_rate;
  int estimate_nodes;
  double *estimate_weights;        /* of the derivative at the start, estimate_nodes */
  double gamma0, tolerance_factor; /* of the embedded estimate */
  dae_spark_tableau *owned;        /* NULL: the tableau is the user's */
  dae__integrator_table table;
} dae__spark;

/* Constants of the error estimate. */
void dae__spark_prepare_estimate(dae__spark *o);
extern const dae__driver_table dae__spark_driver;

#endif
