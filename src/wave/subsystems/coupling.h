#ifndef DAEDAL_WAVE_SUBSYSTEMS_COUPLING_H
#define DAEDAL_WAVE_SUBSYSTEMS_COUPLING_H

/* The problem that is integrated for a part: its member's, or one made from it.
 *
 *   slack     with algebraic equations of other parts, see slack.h
 *   iterates  with right sides at earlier iterates, see iterates.h
 *
 * What such a problem has for inputs beyond those of the member are ports: variables of parts, as
 * they were so many sweeps ago. */

#include "wave/subsystems/augmented.h"
#include "wave/variants/iterates.h"
#include "wave/variants/slack.h"
#include <daedal/wave.h>

/* A further input: a variable of a part, or input `input` of the member itself where part is -1; of
 * which iterate: 1 what the sweep is given, 2 what the one before was given. */
typedef struct dae__extra {
  int part, variable, age;
} dae__extra;

typedef struct dae__child_problem {
  dae__augmented *member;
  dae__slack *slack;       /* NULL: not in this form */
  dae__iterates *iterates; /* likewise */
  const dae_problem *problem;
  const int *entry; /* of each entry of the part's state vector in the problem's, NULL: the same */
  int inputs;       /* those of the member, then the extra ones */
  dae__extra *extra;
  int ages; /* oldest iterate among the inputs */
} dae__child_problem;

typedef struct dae__child_problem_setup {
  const dae_coupled *coupled;
  int part;
  const bool *eliminated;  /* joints, see member.h */
  dae__lock *const *locks; /* one for each joint, NULL: one thread */
  bool slack, jacobi;
  const int *rank;             /* place of each part in a sweep */
  const dae_wave_terms *terms; /* NULL: no earlier iterates */
} dae__child_problem_setup;

dae_status dae__child_problem_create(dae__arena *arena, const dae__child_problem_setup *setup,
                                     dae__child_problem *out, dae_error *err);

/* Start of the problem out of a coupled state: first[i] is where part i begins in it. */
void dae__child_problem_start(const dae__child_problem *form, int part, const int *first,
                              const double *coupled, double *y);

/* A coupled problem taken apart: its parts as children with integrators of their own, and what
 * couples them. */

#include "wave/subsystems/interface.h"

typedef struct dae__coupling {
  const dae_problem *problem;
  int systems;
  dae__child_problem *child_problem;
  dae__child *child;
  dae__lock **locks; /* of the joints, where parts run in threads; NULL: they do not */
  int ages;          /* oldest iterate that an input is of */
  int *first_state;  /* of each part in the coupled state vector; then that of the multipliers */
  dae__output **outputs; /* outputs of each part */
  int *output_count;
  int *eliminated_in; /* for each joint the part that eliminates it, -1: none */
  dae__interface *f;
} dae__coupling;

/* How it is taken apart. */
typedef struct dae__coupling_setup {
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
} dae__coupling_setup;

dae_status dae__coupling_create(dae__arena *arena, const dae__coupling_setup *setup,
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
dae_status dae__coupling_feedthrough(dae__coupling *c, double t, const double *y, const double *z,
                                     double *gains, dae_error *err);

/* The inside of a coupling, shared by its files. */

#include "wave/subsystems/coupling.h"

static inline int dae__coupling_nq(const dae__coupling *c, int part)
{
  return c->problem->coupled->part[part].mechanical->nq;
}

/* entry of the coupled state vector that an output is, or whose rate's derivative it is */
static inline int dae__coupling_entry(const dae__coupling *c, int part, dae__output a)
{
  return c->first_state[part] + a.index;
}

/* coupling_describe.c */
/* The outputs of all parts. */
dae_status dae__coupling_answers(dae__arena *arena, dae__coupling *c, dae_error *err);
/* The interface, from outputs and forms. */
dae_status dae__coupling_describe(dae__arena *arena, dae__coupling *c, dae_error *err);
/* The unknown that multiplier i of joint j is. */
int dae__coupling_multiplier(const dae__coupling *c, int j, int i);

#endif
