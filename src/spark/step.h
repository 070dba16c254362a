/* The inside of a SPARK integrator, shared by its two files:
 *   step.c         one step: attempts, error estimate, choice of the step size
 *   integrator.c   the verbs, creation */
#ifndef DAEDAL_SPARK_STEP_H
#define DAEDAL_SPARK_STEP_H

#include "spark/body.h"
#include "spark/dense.h"
#include "spark/spark.h"
#include "spark/stages.h"
#include "step/controller.h"
#include "step/crawl.h"
#include "step/integrator.h"

typedef struct dae__spark_memory {
  double t, t_previous;
  double t_middle; /* between the halves of the last step, t_previous: it has none */
  double h;        /* to try */
  bool started;
  double t_origin; /* fixed steps */
  long done;
  double bound; /* of the step size: the iteration has failed above it, */
  int bounded;  /* and is not tried there for so many steps */
  dae__controller controller;
  dae__crawl crawl;
  dae_stats stats;
} dae__spark_memory;

typedef struct dae__spark {
  dae_spark_options opts;
  dae__body body;
  dae__spark_transform transform;
  dae__stages stages;
  dae__dense dense;
  dae__spark_memory *memory;                       /* kept */
  double *state, *rate;                            /* kept: where the motion stands */
  double *previous_rate;                           /* kept: where the last step began */
  double *middle_rate;                             /* kept: between its halves */
  double *y, *z;                                   /* the same as SPARK sees it */
  double *y_middle, *z_middle, *y_whole, *z_whole; /* of a step by halves */
  double t_half;                                   /* where they meet */
  double *y_weight, *z_weight;
  double *y_rate, *z_rate, *shown_state, *shown_rate;
  double *derivative; /* weights of so many nodes: */
  int compared;
  double gamma0, map; /* map: factor of the tolerances for the estimate */
  int order;
  dae_spark_tableau *owned; /* NULL: the tableau is the user's */
  const dae_env *env;
  dae__integrator_table table;
} dae__spark;

/* Constants of the error estimate. */
void dae__spark_prepare_estimate(dae__spark *o);
/* The first step, or the first one after a restart. */
void dae__spark_begin(dae__spark *o, double t_stop);
/* One accepted step that ends at t_stop at the latest. */
dae_status dae__spark_fixed_step(dae__spark *o, double t_stop, dae_error *err);
dae_status dae__spark_variable_step(dae__spark *o, double t_stop, dae_error *err);
/* Whether a smaller step may do where this one failed. */
bool dae__spark_can_retry(dae_status status);

#endif
