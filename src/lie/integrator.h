/* The inside of a Lie-group integrator, shared by its two files:
 *   integrator.c   the verbs, creation
 *   advance.c      steps: composition, step doubling, choice of the step size */
#ifndef DAEDAL_LIE_INTEGRATOR_H
#define DAEDAL_LIE_INTEGRATOR_H

#include "lie/step.h"
#include "step/controller.h"
#include "step/crawl.h"
#include "step/integrator.h"

typedef struct dae__lie_stand {
  double t, t_previous;
  double t_middle; /* of the last step, t_previous: it was not made by halves */
  double h;        /* to try */
  bool started;
  bool undetermined; /* y at t */
  double t_origin;   /* fixed steps */
  long done;
  dae__controller controller;
  dae__crawl crawl;
  dae_stats stats;
} dae__lie_stand;

/* A point of the motion: z = (x, y), its derivative, and the y that the step to it had, which is
 * that at its middle. */
typedef struct dae__lie_point {
  double *z, *dz, *y;
} dae__lie_point;

typedef struct dae__lie {
  dae_lie_options opts;
  dae__lie_body body;
  dae__lie_step step;
  int order;
  dae__lie_stand *stand;                /* kept */
  dae__lie_point now, previous, middle; /* kept: the last step */
  dae__lie_point half, next, coarse;    /* the step at hand */
  double *weight, *x;                   /* nx */
  const dae_env *env;
  dae__integrator_table table;
} dae__lie;

/* The first step, or the first one after a restart. */
void dae__lie_begin(dae__lie *o, double t_stop);
/* One accepted step that ends at t_stop at the latest. */
dae_status dae__lie_fixed_step(dae__lie *o, double t_stop, dae_error *err);
dae_status dae__lie_variable_step(dae__lie *o, double t_stop, dae_error *err);
/* Whether a smaller step may do where this one failed. */
bool dae__lie_can_retry(dae_status status);

#endif
