/* Counts of the variables that limit steps and iterations (dae_limits): the tests of an attempt
 * name the entries with the largest share (dae_limiting), its outcome counts for them. Every failed
 * attempt is counted, of the accepted ones after some first ones a sample, which counts for all
 * since the sample before: the search for the largest share takes 3 % of the instructions of a
 * small BDF step. */
#ifndef DAEDAL_STEP_LIMITS_H
#define DAEDAL_STEP_LIMITS_H

#include "core/arena.h"
#include <daedal/stepper.h>

#define DAE__LIMITS_FIRST 8 /* number of first accepted attempts that are counted one by one */
/* Number of accepted attempts between two samples, 16 to 23 in changing order: samples do not keep
 * step with an oscillation. */
#define DAE__LIMITS_INTERVAL(sample) (16 + 5 * ((sample) % 8) % 8)

/* State saved with the integrator: numbers only, one array of them. */
typedef struct dae__limits_memory {
  long since;   /* number of accepted attempts since the last sample */
  long wait;    /* number of accepted attempts between the last sample and the next */
  long samples; /* number of samples */
  dae_limits count[];
} dae__limits_memory;

typedef struct dae__limits {
  int n; /* number of entries with counts */
  dae_limiting now;
  dae__limits_memory *m;
} dae__limits;

static inline void dae__limits_create(dae__arena *arena, int n, dae__limits *out)
{
  size_t numbers = (sizeof(dae__limits_memory) + (size_t)n * sizeof(dae_limits)) / sizeof(long);
  long *saved = DAE__STATE(arena, long, numbers);
  *out = (dae__limits){.n = n, .m = (dae__limits_memory *)saved};
  if (!dae__arena_failed(arena))
    DAE__LIMIT_COUNTER(arena, saved, numbers);
}

/* Begins an attempt: no entry is named. */
static inline void dae__limits_begin(dae__limits *l)
{
  l->now = (dae_limiting){-1, -1, l->m->since >= l->m->wait};
}

/* Counts a failed attempt; diverged: its iteration did not converge. */
static inline void dae__limits_count_failed(dae__limits *l, bool diverged)
{
  int entry = diverged ? l->now.change : l->now.error;
  if (entry >= 0 && entry < l->n)
    *(diverged ? &l->m->count[entry].failed : &l->m->count[entry].rejected) += 1;
}

/* Counts an accepted attempt. */
static inline void dae__limits_count_accepted(dae__limits *l)
{
  dae__limits_memory *m = l->m;
  m->since++;
  if (!l->now.wanted)
    return;
  if (l->now.error >= 0 && l->now.error < l->n)
    m->count[l->now.error].steps += m->since;
  if (l->now.change >= 0 && l->now.change < l->n)
    m->count[l->now.change].iterations += m->since;
  m->since = 0;
  m->wait = ++m->samples < DAE__LIMITS_FIRST ? 0 : DAE__LIMITS_INTERVAL(m->samples);
}

#endif
