/* A coupled problem split into subsystems: children with integrators of their own, and the
 * interface between them.
 *
 * A child integrates the problem of an augmented system, or a variant of it (variants.h) with
 * further variables and inputs. */
#ifndef DAEDAL_WAVE_SUBSYSTEMS_COUPLING_H
#define DAEDAL_WAVE_SUBSYSTEMS_COUPLING_H

#include "wave/subsystems/augmented.h"
#include "wave/subsystems/interface.h"
#include <daedal/wave.h>

/* An input of a child's problem beyond those of the augmented system: variable `variable` of a
 * system, or an earlier iterate of input `variable` of the augmented system (system = -1). age 1:
 * value given to this sweep, 2: to the sweep before. */
typedef struct dae__extra_input {
  int system, variable, age;
} dae__extra_input;

/* Problem that a child integrates. */
typedef struct dae__child_problem {
  dae__augmented *augmented;
  const dae_problem *problem;
  /* index in the problem of each entry of the system's state vector; NULL: identity */
  const int *entry;
  int inputs; /* number of inputs, extra ones included */
  int extras; /* number of extra inputs, the last ones */
  dae__extra_input *extra;
  int ages;                   /* age of the oldest iterate among the inputs */
  int first_added, added;     /* entries of the problem's state vector that are not the system's */
  const dae_port *added_from; /* variable that gives the start value of each of these */
} dae__child_problem;

typedef struct dae__coupling {
  const dae_problem *problem;
  int systems;
  dae__child_problem *child_problem;
  dae__child *child;
  dae__lock **locks;     /* locks of the joints, for systems in threads; NULL: one thread */
  int ages;              /* age of the oldest iterate among all inputs */
  bool first_of_pair;    /* whether the sweep is the first of a pair of sweeps, see variants.h */
  int *first_state;      /* begin of each system in the coupled state; then of the multipliers */
  dae__output **outputs; /* outputs of each system */
  int *output_count;
  int *eliminated_in; /* system that eliminates each joint, -1: none */
  /* for each joint, number of multipliers of earlier joints with the same eliminated_in */
  int *eliminated_before;
  dae__interface *f;
} dae__coupling;

typedef struct dae__coupling_setup {
  const dae_problem *problem;
  dae_wave_splitting splitting;
  bool jacobi;                     /* Jacobi sweeps, with systems in threads */
  const dae_wave_options *options; /* options that select a variant; NULL: none */
  const int *rank;                 /* position of each system in a sweep; read by variants */
  bool with_children;              /* whether integrators are created; false for an analysis */
  const dae_wave_child *children;
  double rtol, atol; /* tolerances of children without options */
  double t;
  const double *y, *dy; /* consistent coupled state and its derivative */
  const bool *fixed;
  int capacity; /* largest number of nodes of the exchange grid */
} dae__coupling_setup;

dae_status dae__coupling_create(dae__arena *arena, const dae__coupling_setup *setup,
                                dae__coupling *out, dae_error *err);
void dae__coupling_free(dae__coupling *c);

/* Values z of the unknowns at a coupled state y with derivative dy. */
void dae__coupling_unknowns(const dae__coupling *c, const double *y, const double *dy, double *z);

/* Restarts all children from a coupled state, with inputs from the unknowns z. */
dae_status dae__coupling_restart(dae__coupling *c, double t, const double *y, const double *z,
                                 dae_error *err);

/* Feedthrough matrices of all systems at a coupled state with the unknowns z. */
dae_status dae__coupling_feedthrough(dae__coupling *c, double t, const double *y, const double *z,
                                     double *feedthrough, dae_error *err);

/* ---- coupling_interface.c ---- */

/* Finds the outputs of all systems. */
dae_status dae__coupling_find_outputs(dae__arena *arena, dae__coupling *c, dae_error *err);
/* Describes the interface, from the outputs and the problems of the children. */
dae_status dae__coupling_describe(dae__arena *arena, dae__coupling *c, dae_error *err);
/* Index among the unknowns of multiplier i of joint j. */
int dae__coupling_multiplier(const dae__coupling *c, int j, int i);

#endif
