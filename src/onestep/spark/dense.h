/* Dense output within the last accepted step of SPARK, or within each half of a step that was
 * halved by step doubling. */
#ifndef DAEDAL_ONESTEP_SPARK_DENSE_H
#define DAEDAL_ONESTEP_SPARK_DENSE_H

#include "onestep/spark/stages.h"
#include "quadrature/lagrange.h"

#include <daedal/spark.h>

/* Interval of one interpolant: a whole step, or a half of a step that was halved by step
 * doubling. */
typedef struct dae__spark_dense_step {
  bool first_half; /* first half of a halved step; false: whole step, or second half */
  double t, h;
  const dae__stage_values *stages;
  const double *state; /* state vector at the start of the step; its multipliers are the guess of
                        * the accelerations */
  const double *start_rate, *end_rate; /* derivatives of the state vector at both ends */
} dae__spark_dense_step;

/* State of the refinement in the last step, saved with the integrator; index 0: whole steps and
 * second halves, index 1: first halves. */
typedef struct dae__spark_dense_memory {
  bool attempted[2]; /* whether a refinement was attempted */
  bool refined[2];   /* whether its Picard sweeps converged */
} dae__spark_dense_memory;

typedef struct dae__spark_dense {
  const dae_adapter *adapter;
  const dae__spark_equations *equations;
  bool fixed; /* whether the step size is fixed; false: sweeps end at the tolerances */
  double rtol, atol;
  int max_sweeps;
  /* interpolants through the stages, and through the nodes of the sweeps */
  dae__hermite low_order, refined;
  /* integrals W_ij of the Lagrange polynomials l_j from 0 to node i, stored by rows */
  double *W;
  dae__spark_dense_memory *memory; /* saved with the integrator */
  double *U[2];       /* u = (y, z) at the nodes of the sweeps, saved with the integrator */
  double *F, *weight; /* derivatives of u at the nodes of the sweeps, and weights of its changes */
  double *rate[2];    /* derivatives of u at the start and at the end */
  dae_point state;    /* state vector and its derivative at one node */
} dae__spark_dense;

/* Creates the dense output of a method of this order; the stages have to outlive it. opts: rtol,
 * atol and step of the method. */
dae_status dae__spark_dense_create(dae__arena *arena, const dae_adapter *adapter,
                                   const dae_spark_options *opts, int order,
                                   const dae__stages *stages, dae__spark_dense *out,
                                   dae_error *err);

/* Refines the interpolant of this step, once, to the order of the method; on failure the low-order
 * interpolant remains in use. */
dae_status dae__spark_dense_refine(dae__spark_dense *d, const dae__spark_dense_step *step,
                                   dae_error *err);

/* Interpolates u = (y, z) at the relative time x of the step: by the refined interpolant where it
 * exists. */
void dae__spark_dense_eval(dae__spark_dense *d, const dae__spark_dense_step *step, double x,
                           double *u);

#endif
