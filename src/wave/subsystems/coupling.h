/* A coupled problem taken apart: its parts as children with integrators of their own, and what
 * couples them. */
#ifndef DAEDAL_WAVE_SUBSYSTEMS_COUPLING_H
#define DAEDAL_WAVE_SUBSYSTEMS_COUPLING_H

#include "wave/subsystems/form.h"
#include "wave/subsystems/interface.h"

typedef struct dae__coupling {
  const dae_problem *problem;
  int parts;
  dae__form *form;
  dae__child *child;
  dae__lock **locks; /* of the joints, where parts run in threads; NULL: they do not */
  int ages;          /* oldest iterate that an input is of */
  int *first_state;  /* of each part in the coupled state vector; then that of the multipliers */
  dae__answer **answers; /* outputs of each part */
  int *answer_count;
  int *carrier; /* for each joint the part that carries it, -1: none */
  dae__interface *f;
} dae__coupling;

/* How it is taken apart. */
typedef struct dae__coupling_recipe {
  const dae_problem *problem;
  dae_wave_splitting splitting;
  bool slack, jacobi;          /* jacobi: parts may run in threads */
  const int *rank;             /* place of each part in a sweep; for slack forms */
  const dae_wave_terms *terms; /* NULL: no earlier iterates */
  bool with_children;          /* else members only, to look at */
  const dae_wave_child *children;
  double rtol, atol; /* of children that are given none */
  double t;
  const double *y, *dy; /* a consistent coupled state and its derivative */
  const bool *fixed;
  int capacity; /* nodes of a grid at most */
} dae__coupling_recipe;

dae_status dae__coupling_create(dae__arena *arena, const dae__coupling_recipe *recipe,
                                dae__coupling *out, dae_error *err);
void dae__coupling_free(dae__coupling *c);

/* The unknowns at a coupled state and its derivative. */
void dae__coupling_unknowns(const dae__coupling *c, const double *y, const double *dy, double *z);

/* The multipliers of all joints among the unknowns z, in their order. */
void dae__coupling_multipliers(const dae__coupling *c, const double *z, double *lambda);

/* Starts all children anew from a coupled state, with inputs from the unknowns z. */
dae_status dae__coupling_restart(dae__coupling *c, double t, const double *y, const double *z,
                                 dae_error *err);

/* Gains of all parts at a coupled state with the unknowns z. */
dae_status dae__coupling_gains(dae__coupling *c, double t, const double *y, const double *z,
                               double *gains, dae_error *err);

#endif
