/* The problem that is integrated for a part: its member's, or one made from it.
 *
 *   slack     with algebraic equations of other parts, see slack.h
 *   iterates  with right sides at earlier iterates, see iterates.h
 *
 * What such a problem has for inputs beyond those of the member are ports: variables of parts, as
 * they were so many sweeps ago. */
#ifndef DAEDAL_WAVE_SUBSYSTEMS_FORM_H
#define DAEDAL_WAVE_SUBSYSTEMS_FORM_H

#include "wave/subsystems/member.h"
#include "wave/variants/iterates.h"
#include "wave/variants/slack.h"
#include <daedal/wave.h>

/* A further input: a variable of a part, or input `input` of the member itself where part is -1; of
 * which iterate: 1 what the sweep is given, 2 what the one before was given. */
typedef struct dae__extra {
  int part, variable, age;
} dae__extra;

typedef struct dae__form {
  dae__member *member;
  dae__slack *slack;       /* NULL: not in this form */
  dae__iterates *iterates; /* likewise */
  const dae_problem *problem;
  const int *entry; /* of each entry of the part's state vector in the problem's, NULL: the same */
  int inputs;       /* those of the member, then the extra ones */
  dae__extra *extra;
  int ages; /* oldest iterate among the inputs */
} dae__form;

typedef struct dae__form_recipe {
  const dae_coupled *coupled;
  int part;
  const bool *carried;     /* joints, see member.h */
  dae__lock *const *locks; /* one for each joint, NULL: one thread */
  bool slack, jacobi;
  const int *rank;             /* place of each part in a sweep */
  const dae_wave_terms *terms; /* NULL: no earlier iterates */
} dae__form_recipe;

dae_status dae__form_create(dae__arena *arena, const dae__form_recipe *recipe, dae__form *out,
                            dae_error *err);

/* Start of the problem out of a coupled state: first[i] is where part i begins in it. */
void dae__form_start(const dae__form *form, int part, const int *first, const double *coupled,
                     double *y);

#endif
