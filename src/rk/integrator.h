/* The inside of a classical one-step integrator, shared by its two files:
 *   integrator.c   the verbs, creation
 *   advance.c      steps */
#ifndef DAEDAL_RK_INTEGRATOR_H
#define DAEDAL_RK_INTEGRATOR_H

#include "rk/body.h"
#include "rk/stages.h"
#include "step/integrator.h"
#include "step/march.h"

/* A point of the motion: z = (x, y) and its derivative. */
typedef struct dae__rk_point {
  double *z, *dz;
} dae__rk_point;

typedef struct dae__rk {
  dae_rk_options opts;
  dae__rk_scheme scheme;
  dae__rk_body body;
  dae__rk_stages stages; /* implicit methods */
  dae__march march;
  dae__rk_point now, previous; /* kept: the last step */
  double *in;                  /* kept: the inputs that now was found with */
  double *inside;              /* kept: the stages of the last step, where M is singular */
  dae__rk_point next, shown;   /* the step at hand; a point between */
  double *K;                   /* explicit methods: slopes of the stages */
  dae__integrator_table table;
} dae__rk;

extern const dae__march_table dae__rk_march;

/* The inputs at t are those that now was found with. */
dae_status dae__rk_take_inputs(dae__rk *o, double t, dae_error *err);

#endif
