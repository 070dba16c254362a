/* The inside of a comparison, shared by its files. */
#ifndef DAEDAL_RUN_COMPARE_COMPARE_H
#define DAEDAL_RUN_COMPARE_COMPARE_H

#include "core/arena.h"

#include <daedal/compare.h>

/* The rows of one run at the common times. */
typedef struct dae__track {
  int count;    /* rows from the first on */
  bool whole;   /* there is one at the end of the plan, too, in the last place */
  double t_end; /* where the run ended */
  double *y;    /* state vectors, one after the other */
} dae__track;

/* How one differs from another. */
typedef struct dae__gap {
  double kind[DAE_VARIABLE_KINDS];
  double motion, algebraic;
} dae__gap;

/* The runs of one method. */
typedef struct dae__series {
  const dae_method *method;
  dae_compare_run *run;
  int count;
} dae__series;

/* A run that may become the reference. */
typedef struct dae__candidate {
  int series;
  dae_compare_run run;
  dae__track track;
} dae__candidate;

typedef struct dae__compare {
  const dae_compare_plan *plan;
  dae__arena *arena;   /* of the result */
  dae__arena *scratch; /* released before it is handed over */
  dae_comparison *out;
  dae__series *series;
  int series_count, width; /* room for so many runs in each series */
  dae__candidate *candidate;
  int candidates;
  int done, total; /* runs, for the caller's progress */
  double usual;    /* seconds that a quarter of the methods take over their last run, or more */

  const dae__candidate *reference; /* NULL: none */
  dae__track spare;                /* rows that nobody keeps */

  /* what rows are compared by */
  int n; /* entries of a state vector */
  dae_variable_kind *kind;
  double *scale;
  double *times;
  int time_count;

  /* of the run that is going on */
  void *options;
  dae__track *track; /* where its rows go, or NULL */
  const dae_compare_run *running;
  double started; /* CPU time */
  double limit;   /* seconds it may take; 0: any */
  long steps;
  bool late, interrupted; /* why it was ended */
} dae__compare;

/* compare_series.c: one run. Its failure is reported in the run; the status is that of the
 * comparison: DAE_OK, DAE_ERROR_MEMORY or DAE_ERROR_INTERRUPTED. */

/* Work and time, without rows. */
dae_status dae__trial_time(dae__compare *c, dae_compare_run *run, dae_error *err);
/* Rows at the common times, drift and energy, in at most so many seconds (0: any). */
dae_status dae__trial_rows(dae__compare *c, double limit, dae_compare_run *run, dae__track *track,
                           dae_error *err);
/* Both once more, for times that nothing has disturbed. */
dae_status dae__trial_again(dae__compare *c, dae_compare_run *run, dae__track *track,
                            dae_error *err);

static inline bool dae__run_ok(const dae_compare_run *run)
{
  return run->status >= 0;
}

/* compare_reference.c: common times, and differences. */
dae_status dae__rows_prepare(dae__compare *c, dae_error *err);
/* Selects the times, once the ends of all runs are known. */
dae_status dae__rows_choose(dae__compare *c, dae_error *err);
/* Room for rows at all of them. */
dae_status dae__rows_track(dae__compare *c, dae__track *out, dae_error *err);
double *dae__rows_at(const dae__compare *c, const dae__track *track, int i);
/* Scales of the variables by this run; the difference of another one from it. */
void dae__rows_scale(dae__compare *c, const dae__track *track);
dae__gap dae__rows_differ(const dae__compare *c, const dae__track *a, const dae__track *b);

/* The tolerances or step sizes of every method. */
dae_status dae__compare_series(dae__compare *c, dae_error *err);
#define DAE__ROUNDS 5 /* repetitions of short runs; chosen, not measured */
/* Short runs again, in rounds that go through all methods, so that another load or clock rate of
 * the processor favours none of them. The shortest time counts. */
dae_status dae__compare_rounds(dae__compare *c, dae_error *err);
/* The last run of a series that went well, NULL: none did. */
dae_compare_run *dae__series_best(const dae__series *s);
/* Seconds that a run at a tolerance smaller by this factor will take, by how those before grew. */
double dae__series_expect(const dae__series *s, double factor);

/* Candidates, the two that agree best, and errors of all runs. */
dae_status dae__compare_reference(dae__compare *c, dae_error *err);
dae_status dae__compare_errors(dae__compare *c, dae_error *err);

/* compare_rank.c: the recommendation and its reasons. */
void dae__compare_recommend(dae_comparison *c, bool interrupted,
                            const dae_method **order /* scratch */);

#endif
