/* Dense output within the last accepted step, or within each half of it. */
#ifndef DAEDAL_ONESTEP_SPARK_DENSE_H
#define DAEDAL_ONESTEP_SPARK_DENSE_H

#include "onestep/spark/stages.h"
#include "quadrature/lagrange.h"

#include <daedal/spark.h>

/* A step, or a half of one. */
typedef struct dae__spark_dense_step {
  long number;     /* of the step, from 1 */
  bool first_half; /* false: whole step, or second half */
  double t, h;
  const dae__stage_values *stages;
  const double *start_rate, *end_rate; /* derivatives of the state vector at both ends */
} dae__spark_dense_step;

/* Saved state; index 0: whole steps and second halves, 1: first halves. */
typedef struct dae__spark_dense_memory {
  long step[2];    /* number of the step whose refinement was tried last, 0: none */
  bool refined[2]; /* the sweeps converged */
} dae__spark_dense_memory;

typedef struct dae__spark_dense {
  const dae__spark_adapter *adapter;
  bool fixed; /* step size; false: refinement ends at the tolerances */
  double rtol, atol;
  int max_sweeps;
  dae__hermite low_order, refined; /* through the stages, through the nodes of the sweeps */
  double *W;                       /* W_ij, by rows */
  dae__spark_dense_memory *memory; /* saved */
  dae__stage_values values[2];     /* saved: Y and Z at the nodes of the sweeps */
  double *V, *A;                   /* their derivatives */
  double *state, *rate;            /* at one node */
  double *y_rate[2], *z_rate[2];   /* at both ends */
  double *y_weight, *z_weight;
} dae__spark_dense;

/* The stages have to outlive the dense output; order: of the method. */
dae_status dae__spark_dense_create(dae__arena *arena, const dae_spark_options *opts, int order,
                                   const dae__stages *stages, dae__spark_dense *out,
                                   dae_error *err);

/* Refines the interpolant of this step to the order of its ends, once; on failure the low-order
 * interpolant remains. */
dae_status dae__spark_dense_refine(dae__spark_dense *d, const dae__spark_dense_step *step,
                                   dae_error *err);

/* y and z at a time within the step. */
void dae__spark_dense_eval(dae__spark_dense *d, const dae__spark_dense_step *step, double t,
                           double *y, double *z);

#endif
