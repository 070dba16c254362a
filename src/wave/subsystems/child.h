/* A part of a coupled problem with an integrator of its own, as a subsystem. */
#ifndef DAEDAL_WAVE_SUBSYSTEMS_CHILD_H
#define DAEDAL_WAVE_SUBSYSTEMS_CHILD_H

#include "wave/iteration/waveform.h"
#include "wave/subsystems/augmented.h"

/* The states at the nodes of the last advance, and half-way between them. Kept. */
typedef struct dae__trace {
  double *y, *dy; /* node after node */
  double *middle; /* of interval after interval */
} dae__trace;

typedef struct dae__child {
  dae__augmented *member;
  dae_problem problem; /* the member's, with inputs from the waveforms */
  dae_integrator *it;
  int size;                   /* of the part's state vector */
  const int *entry;           /* of each of its entries in the integrator's, NULL: the same */
  const dae__output *outputs; /* what its outputs are */
  bool *algebraic;            /* entries of the state vector without a derivative of their own */
  bool *multiplier;           /* among them */
  bool has_algebraic;         /* others than multipliers, that is */
  dae_subsystem subsystem;    /* what the iteration sees */
  double step;                /* fixed step size, 0: variable */
  dae_stats *work;            /* in all sweeps, of which those that were repeated are not in the
                                 integrator's own account; kept */

  const dae_waveform *in; /* during an advance */
  dae_interpolation rule;
  int *nodes;       /* of the last advance; kept */
  double *t;        /* kept */
  double *in_nodes; /* inputs at its nodes; kept */
  dae__trace trace;
  double *inner_y, *inner_dy;                           /* scratch: the integrator's state */
  double *scratch, *sizes, *output_values, *scratch_in; /* two states, one set of outputs, inputs */
} dae__child;

/* What a child is made from. */
typedef struct dae__child_setup {
  const char *name;
  dae__augmented *member;
  const dae_problem *problem; /* that is integrated: the member's, or one made from it */
  int inputs, size;           /* of the problem; of the part's state vector */
  const int *entry;           /* see dae__child */
  int outputs;
  const dae__output *answer;
  const char *const *input_names, *const *output_names;
  const bool *direct;
  const dae_method *method;
  const void *options;
  double t;
  const double *y;  /* start of the problem */
  const double *in; /* inputs there */
  const bool *fixed;
  int capacity; /* nodes of a grid at most */
} dae__child_setup;

/* Of the child its member, scratch_in and output_values are set before. It must stay where it is;
 * what is not in the arena is released by free. */
dae_status dae__child_create(dae__arena *arena, const dae__child_setup *setup, dae__child *child,
                             dae_error *err);
void dae__child_free(dae__child *child);

/* The option `step` of a method, 0 where it has none or it is not set. */
double dae__method_step(const dae_method *method, const void *options);

/* Starts anew from the problem's state y, with constant inputs in. */
dae_status dae__child_restart(dae__child *child, double t, const double *y, const double *in,
                              dae_error *err);

/* Goes on from the part's state y nearby. */
dae_status dae__child_adjust(dae__child *child, const double *y, dae_error *err);

/* Forgets the last advance: what is known is the state the integrator stands at. */
dae_status dae__child_reset(dae__child *child, dae_error *err);

/* State and derivative (may be NULL) at t within the last advance, as the grid has it. */
void dae__child_state(const dae__child *child, double t, double *y, double *dy);

#endif
