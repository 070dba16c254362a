/* A coupled problem split into subsystems: children with integrators of their own, and the
 * interface between them.
 *
 * The problem integrated for a system is that of its augmented system, or one made from it:
 *
 *   slack     with algebraic equations of other systems, see slack.h
 *   iterates  with right sides at earlier iterates, see iterates.h
 *
 * Its inputs beyond those of the augmented system are variables of systems, of this or an earlier
 * sweep. */
#ifndef DAEDAL_WAVE_SUBSYSTEMS_COUPLING_H
#define DAEDAL_WAVE_SUBSYSTEMS_COUPLING_H

#include "wave/subsystems/augmented.h"
#include "wave/subsystems/interface.h"
#include "wave/variants/iterates.h"
#include "wave/variants/slack.h"
#include <daedal/wave.h>

/* A further input: a variable of a system, or input `variable` of the augmented system itself where
 * system is -1; age 1: given to this sweep, 2: given to the one before. */
typedef struct dae__extra_input {
  int system, variable, age;
} dae__extra_input;

/* The problem that a child integrates. */
typedef struct dae__child_problem {
  dae__augmented *augmented;
  dae__slack *slack;       /* NULL: not this variant */
  dae__iterates *iterates; /* NULL: not this variant */
  const dae_problem *problem;
  const int
      *entry; /* of each entry of the system's state vector in the problem's, NULL: the same */
  int inputs; /* of the augmented system, then the further ones */
  int extras; /* number of further inputs */
  dae__extra_input *extra;
  int ages; /* oldest iterate among the inputs */
} dae__child_problem;

typedef struct dae__coupling {
  const dae_problem *problem;
  int systems;
  dae__child_problem *child_problem;
  dae__child *child;
  dae__lock **locks; /* of the joints, for systems in threads; NULL: one thread */
  int ages;          /* oldest iterate among all inputs */
  int *first_state;  /* of each system in the coupled state vector; then that of the multipliers */
  dae__output **outputs; /* of each system */
  int *output_count;
  int *eliminated_in; /* system that eliminates each joint, -1: none */
  dae__interface *f;
} dae__coupling;

typedef struct dae__coupling_setup {
  const dae_problem *problem;
  dae_wave_splitting splitting;
  bool slack, jacobi;          /* jacobi: systems may run in threads */
  const int *rank;             /* position of each system in a sweep, for slack */
  const dae_wave_terms *terms; /* NULL: no earlier iterates */
  bool with_children;          /* else without integrators, for an analysis */
  const dae_wave_child *children;
  double rtol, atol; /* of children without options */
  double t;
  const double *y, *dy; /* a consistent coupled state and its derivative */
  const bool *fixed;
  int capacity; /* largest number of nodes */
} dae__coupling_setup;

dae_status dae__coupling_create(dae__arena *arena, const dae__coupling_setup *setup,
                                dae__coupling *out, dae_error *err);
void dae__coupling_free(dae__coupling *c);

/* The unknowns at a coupled state and its derivative. */
void dae__coupling_unknowns(const dae__coupling *c, const double *y, const double *dy, double *z);

/* The multipliers of all joints among the unknowns z, in their order. */
void dae__coupling_multipliers(const dae__coupling *c, const double *z, double *lambda);

/* Restarts all children from a coupled state, with inputs from the unknowns z. */
dae_status dae__coupling_restart(dae__coupling *c, double t, const double *y, const double *z,
                                 dae_error *err);

/* Feedthrough matrices of all systems at a coupled state with the unknowns z. */
dae_status dae__coupling_feedthrough(dae__coupling *c, double t, const double *y, const double *z,
                                     double *feedthrough, dae_error *err);

/* ---- coupling_interface.c ---- */

/* The outputs of all systems. */
dae_status dae__coupling_find_outputs(dae__arena *arena, dae__coupling *c, dae_error *err);
/* The interface, from outputs and child problems. */
dae_status dae__coupling_describe(dae__arena *arena, dae__coupling *c, dae_error *err);
/* The unknown of multiplier i of joint j. */
int dae__coupling_multiplier(const dae__coupling *c, int j, int i);

static inline int dae__coupling_nq(const dae__coupling *c, int system)
{
  return c->problem->coupled->part[system].mechanical->nq;
}

#endif
