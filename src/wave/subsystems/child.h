/* A child: an integrator of daedal behind a subsystem of a coupled problem. */
#ifndef DAEDAL_WAVE_SUBSYSTEMS_CHILD_H
#define DAEDAL_WAVE_SUBSYSTEMS_CHILD_H

#include "wave/iteration/waveform.h"
#include "wave/subsystems/augmented.h"

typedef struct dae__child {
  dae__augmented *augmented;
  dae_problem problem; /* problem of the integrator, with inputs from waveforms */
  dae_integrator *it;
  int size;                   /* size of the system's state vector */
  const int *entry;           /* index in the integrator's state of each entry; NULL: identity */
  const dae__output *outputs; /* quantities that are outputs of the subsystem */
  bool *algebraic;            /* marks entries of the state vector without a derivative */
  bool *multiplier;           /* marks entries of the state vector that are multipliers */
  bool has_algebraic;         /* whether there are algebraic variables besides multipliers */
  dae_subsystem subsystem;    /* interface to the dynamic iteration */
  double step;                /* fixed step size, 0: variable */
  /* statistics of all sweeps; those of the integrator omit sweeps discarded by load (state) */
  dae_stats *work;

  const dae_waveform *in; /* input waveforms; NULL: constant inputs */
  dae_interpolation rule;
  int *nodes;       /* number of nodes in the last advance (state) */
  double *t;        /* times of the nodes (state) */
  double *in_nodes; /* inputs at the nodes (state) */
  /* states and derivatives at the nodes of the last advance, node after node (state); states at the
   * midpoints between nodes */
  double *y, *dy, *middle;
  double *inner_y, *inner_dy; /* scratch: state and derivative of the integrator */
  double *scratch, *sizes;    /* scratch: two vectors of the system's size */
  double *output_values;      /* scratch: one set of outputs */
  double *scratch_in;         /* scratch: one set of inputs */
} dae__child;

/* Creates the integrator of a child by the method and options `how`, with inputs scratch_in and at
 * most `capacity` nodes in an advance. Set before: augmented, problem, size, entry, outputs,
 * scratch_in, output_values, and the description of the subsystem. The child must stay at its
 * address; its integrator is freed by the caller. */
dae_status dae__child_create(dae__arena *arena, dae__child *child, const dae_wave_child *how,
                             const dae_start *start, int capacity, dae_error *err);

/* Value of the option `step` of a method; 0: the method has no such option, or it is not set. */
double dae__method_step(const dae_method *method, const void *options);

/* Replaces the current state of the child by a nearby state y of the system, without a restart. */
dae_status dae__child_adjust(dae__child *child, const double *y, dae_error *err);

/* Discards the last advance: the recorded states are reduced to the integrator's current state. */
dae_status dae__child_reset(dae__child *child, dae_error *err);

/* State and derivative (may be NULL) of the system at t within the last advance, interpolated
 * between the nodes. */
void dae__child_state(const dae__child *child, double t, double *y, double *dy);

#endif
