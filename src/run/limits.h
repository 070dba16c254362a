/* Variables that limit the step size: those whose third difference over the last four accepted
 * states, in tolerances, is the largest. It stands for the error estimates of the methods, which
 * have different orders and norms: steps follow the variable that is the least smooth. */
#ifndef DAEDAL_RUN_LIMITS_H
#define DAEDAL_RUN_LIMITS_H

#include "core/arena.h"

#include <daedal/run.h>

enum { DAE__LIMITS_STATES = 4 };

typedef struct dae__limits {
  int n;     /* size of the state vector; 0: nothing is counted */
  int count; /* number of states kept; set to 0 where the next one follows a jump */
  double t[DAE__LIMITS_STATES];
  double *y[DAE__LIMITS_STATES]; /* the last states, latest first */
  bool *counts;                  /* whether an entry has an error test: no multiplier */
  long *steps;                   /* number of steps that the entry limited */
  long *rejected;                /* number of rejected attempts before these steps */
  long all_steps, all_rejected;
  long seen; /* rejected attempts up to the last step */
} dae__limits;

/* Allocates the counts; failures are recorded in the arena. */
void dae__limits_create(dae__arena *arena, const dae_problem *problem, dae__limits *out);
/* Takes note of the state at the end of a step; stats: of the run so far. */
void dae__limits_step(dae__limits *limits, double t, const double *y, double rtol, double atol,
                      const dae_stats *stats);
/* Lists the variables with the largest shares in the summary. */
void dae__limits_list(const dae__limits *limits, const dae_problem *problem, dae_summary *s);

#endif
