/* The adapters of the problem forms (<daedal/stepper.h>: the problem as a one-step method sees
 * it). */
#ifndef DAEDAL_ONESTEP_HOST_ADAPTER_H
#define DAEDAL_ONESTEP_HOST_ADAPTER_H

#include "core/error.h"
#include "problem/mechanical/motion.h"
#include "problem/momentum/momentum_motion.h"
#include "problem/semi_explicit/semi.h"
#include <daedal/stepper.h>

/* Semi-explicit form of mechanical problems that a method integrates. */
typedef enum dae__adapter_form {
  DAE__FORM_MECHANICAL, /* none: the method uses accelerations */
  DAE__FORM_VELOCITY,   /* constraints on velocity level; projection of the velocities only */
  DAE__FORM_GGL         /* constraints on both levels, with multipliers mu after the state vector */
} dae__adapter_form;

/* Requirements of a method on its problem. */
typedef struct dae__onestep_needs {
  const char *method;
  dae__adapter_form form;
  bool singular; /* method admits a singular M */
  int index;     /* largest index of the semi-explicit problems that the method admits */
  /* slopes of semi-explicit problems of index 2, whose constraints are projected; false: such
   * problems are singular (dae_adapter.singular) */
  bool index_2_slopes;
  /* starts of index 2 at which the constraints do not determine y */
  bool undetermined_start;
} dae__onestep_needs;

/* The problem forms behind an adapter. */
typedef struct dae__forms {
  dae__semi *s;             /* semi-explicit form; NULL: none */
  dae__mech *m;             /* mechanical problem; NULL: another form */
  dae__motion *motion;      /* its accelerations and projection in the steps */
  dae__momentum *momentum;  /* momentum form; NULL: another form */
  const bool *active;       /* independent rows of F of the form GGL or VELOCITY; NULL: all */
  const bool *undetermined; /* y kept its guess in the last call of slopes, since the constraints do
                               not determine it there: index 2 only; NULL: never */
} dae__forms;

/* Adapters of the forms; out->atol_scale is set by the caller and kept. */
dae_status dae__adapter_mechanical(dae__arena *arena, const dae_problem *problem,
                                   const dae__onestep_needs *needs, const dae_step_options *control,
                                   dae_adapter *out, dae_error *err);
dae_status dae__adapter_semi(dae__arena *arena, const dae_problem *problem,
                             const dae__onestep_needs *needs, const dae_step_options *control,
                             dae_adapter *out, dae_error *err);
dae_status dae__adapter_momentum(dae__arena *arena, const dae_problem *problem,
                                 const dae__onestep_needs *needs, const dae_step_options *control,
                                 dae_adapter *out, dae_error *err);

/* Completes the end of a step: dae_adapter_complete, inline. */
static inline dae_status dae__adapter_complete(const dae_adapter *a, double t, double *z,
                                               double *dz, dae_error *err)
{
  if (a->table->project_and_accelerate)
    return a->table->project_and_accelerate(a->self, t, z, dz, err);
  if (a->table->project)
    DAE__TRY(a->table->project(a->self, false, t, z, err));
  return a->table->slopes(a->self, false, t, z, dz, err);
}

#endif
