/* A child: one of our integrators behind a subsystem of a coupled problem. */
#ifndef DAEDAL_WAVE_SUBSYSTEMS_CHILD_H
#define DAEDAL_WAVE_SUBSYSTEMS_CHILD_H

#include "wave/iteration/waveform.h"
#include "wave/subsystems/augmented.h"

/* States at the nodes of the last advance, and at the midpoints of its intervals (state). */
typedef struct dae__trace {
  double *y, *dy; /* node after node */
  double *middle; /* interval after interval */
} dae__trace;

typedef struct dae__child {
  dae__augmented *augmented;
  dae_problem problem; /* integrated, with inputs from the waveforms */
  dae_integrator *it;
  int size;                   /* of the system's state vector */
  const int *entry;           /* of each of its entries in the integrator's, NULL: the same */
  const dae__output *outputs; /* of the subsystem */
  bool *algebraic;            /* entries of the state vector without a derivative of their own */
  bool *multiplier;           /* entries of the state vector that are multipliers */
  bool has_algebraic;         /* algebraic variables other than multipliers */
  dae_subsystem subsystem;    /* as the iteration sees it */
  double step;                /* fixed step size, 0: variable */
  dae_stats *work;            /* of all sweeps; the integrator's own statistics miss those that
                                 were repeated after load (state) */

  const dae_waveform *in; /* during an advance */
  dae_interpolation rule;
  int *nodes;       /* of the last advance (state) */
  double *t;        /* of the nodes (state) */
  double *in_nodes; /* inputs at the nodes (state) */
  dae__trace trace;
  double *inner_y, *inner_dy; /* scratch: the integrator's state */
  double *scratch, *sizes;    /* scratch: two states */
  double *output_values;      /* scratch: one set of outputs */
  double *scratch_in;         /* scratch: one set of inputs */
} dae__child;

/* Description of a child to be created. */
typedef struct dae__child_setup {
  const char *name;
  dae__augmented *augmented;
  const dae_problem *problem; /* integrated: the augmented system's, or one made from it */
  int inputs, size;           /* of the problem; of the system's state vector */
  const int *entry;           /* see dae__child */
  int output_count;
  const dae__output *outputs;
  const char *const *input_names, *const *output_names;
  const bool *direct;
  const dae_method *method;
  const void *options;
  double t;
  const double *y;  /* start of the problem */
  const double *in; /* inputs at the start */
  const bool *fixed;
  int capacity; /* largest number of nodes */
} dae__child_setup;

/* augmented, scratch_in and output_values of the child are set before. It must stay at its address;
 * memory outside the arena is released by free. */
dae_status dae__child_create(dae__arena *arena, const dae__child_setup *setup, dae__child *child,
                             dae_error *err);
void dae__child_free(dae__child *child);

/* The option `step` of a method, 0 where it has none or it is not set. */
double dae__method_step(const dae_method *method, const void *options);

/* Restarts from the problem's state y, with constant inputs in. */
dae_status dae__child_restart(dae__child *child, double t, const double *y, const double *in,
                              dae_error *err);

/* Replaces the present state by the system's state y nearby, without a restart. */
dae_status dae__child_adjust(dae__child *child, const double *y, dae_error *err);

/* Discards the last advance: the trace is the integrator's present state. */
dae_status dae__child_reset(dae__child *child, dae_error *err);

/* State and derivative (may be NULL) at t within the last advance, interpolated on the grid. */
void dae__child_state(const dae__child *child, double t, double *y, double *dy);

#endif
