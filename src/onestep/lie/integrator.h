/* The inside of a Lie-group integrator, shared by its two files:
 *   integrator.c   the verbs, creation
 *   advance.c      steps: composition, step doubling */
#ifndef DAEDAL_ONESTEP_LIE_INTEGRATOR_H
#define DAEDAL_ONESTEP_LIE_INTEGRATOR_H

#include "onestep/lie/step.h"
#include "step/driver.h"
#include "step/integrator.h"

typedef struct dae__lie_reset {
  double t_middle;   /* of the last step, its beginning: it was not made by halves */
  bool undetermined; /* y where it stands */
} dae__lie_reset;

/* A point of the motion: z = (x, y), its derivative, and the y that the step to it had, which is
 * that at its middle. */
typedef struct dae__lie_point {
  double *z, *dz, *y;
} dae__lie_point;

typedef struct dae__lie {
  dae_lie_options opts;
  dae__lie_adapter adapter;
  dae__lie_step step;
  dae__driver driver;
  dae__lie_reset *stand;                /* kept */
  dae__lie_point now, previous, middle; /* kept: the last step */
  dae__lie_point half, next, coarse;    /* the step at hand */
  double *weight, *x;                   /* nx */
  double t_half; /* where the halves of the step at hand meet, its beginning: there are none */
  dae__integrator_table table;
} dae__lie;

extern const dae__driver_table dae__lie_driver;

#endif
