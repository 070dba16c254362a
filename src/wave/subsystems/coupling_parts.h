/* The inside of a coupling, shared by its files. */
#ifndef DAEDAL_WAVE_SUBSYSTEMS_COUPLING_PARTS_H
#define DAEDAL_WAVE_SUBSYSTEMS_COUPLING_PARTS_H

#include "wave/subsystems/coupling.h"

static inline int dae__coupling_nq(const dae__coupling *c, int part)
{
  return c->problem->coupled->part[part].mechanical->nq;
}

/* entry of the coupled state vector that an output is, or whose rate's derivative it is */
static inline int dae__coupling_entry(const dae__coupling *c, int part, dae__answer a)
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
