/* Private declarations of a comparison, common to its files. */
#ifndef DAEDAL_RUN_COMPARE_COMPARE_H
#define DAEDAL_RUN_COMPARE_COMPARE_H

#include "core/arena.h"

#include <daedal/compare.h>

/* Rows of one run at the common times of a comparison. */
typedef struct dae__track {
  int count;    /* number of rows, from the first common time on */
  bool whole;   /* whether there is also a row at the end of the plan, stored last */
  double t_end; /* time at which the run ended */
  double *y;    /* state vectors of the rows, one after the other */
  /* numbers of events and changes of branches, as in a summary */
  char events[sizeof((dae_summary *)0)->event_list];
} dae__track;

/* Largest relative differences between the rows of two runs, by kind of variable. */
typedef struct dae__gap {
  double kind[DAE_VARIABLE_KINDS];
  double motion, algebraic;
} dae__gap;

/* Runs of one method, over tolerances or step sizes. */
typedef struct dae__series {
  const dae_method *method;
  dae_compare_run *run;
  int count;
} dae__series;

/* Candidate for the reference: a run with its rows. */
typedef struct dae__candidate {
  int series;
  dae_compare_run run;
  dae__track track;
} dae__candidate;

typedef struct dae__compare {
  const dae_compare_plan *plan;
  const dae_env *env;  /* environment of the runs, which a request stops */
  dae__arena *arena;   /* memory of the result */
  dae__arena *scratch; /* temporary memory, released before the result is returned */
  dae_comparison *out;
  dae__series *series;
  /* series_count: number of series; width: largest number of runs in a series */
  int series_count, width;
  dae__candidate *candidate;
  int candidates;
  int done, total; /* number of runs done, and expected in total, for the progress callback */
  /* time in seconds that at least a quarter of the methods take for their last run */
  double usual;

  const dae__candidate *reference; /* candidate selected as the reference; NULL: none */
  dae__track spare;                /* rows of a run that are discarded after its error is known */

  /* Comparison of rows: number of entries of a state vector, their kinds and scales, common
   * times. */
  int n;
  dae_variable_kind *kind;
  double *scale;
  double *times;
  int time_count;

  /* State of the current run. */
  void *options;
  dae__track *track; /* memory for the rows of the current run, or NULL */
  const dae_compare_run *running;
  double started; /* CPU time at the start of the current run */
  double limit;   /* largest time in seconds of the current run; 0: no limit */
  long steps;
  /* whether the current run was ended by its time limit, or by the caller */
  bool late, interrupted;
} dae__compare;

/* compare_series.c: functions for one run. A failure of the run is reported in the run; the status
 * is that of the comparison: DAE_OK, DAE_ERROR_MEMORY or DAE_ERROR_INTERRUPTED. */

/* Integrates a run in at most `limit` seconds (0: no limit): with rows at the common times, drift
 * and energy balance; or, for track = NULL, without rows, to measure its work and time. */
dae_status dae__trial(dae__compare *c, double limit, dae_compare_run *run, dae__track *track,
                      dae_error *err);

/* compare_reference.c: row i of a run. */
double *dae__rows_at(const dae__compare *c, const dae__track *track, int i);

/* Runs all methods over their tolerances or step sizes. */
dae_status dae__compare_series(dae__compare *c, dae_error *err);
#define DAE__ROUNDS 5 /* number of measurements of a short run; chosen, not measured */
/* Repeats short runs in rounds over all methods, so that changes of load or clock rate of the
 * processor favour none of them. The shortest time counts. */
dae_status dae__compare_rounds(dae__compare *c, dae_error *err);
/* Last successful run of a series; NULL: none succeeded. */
dae_compare_run *dae__series_best(const dae__series *s);
/* Expected time in seconds of a run at a tolerance smaller by this factor, extrapolated from the
 * growth over the last two runs. */
double dae__series_expect(const dae__series *s, double factor);

/* Selects the common times, once the end times of all runs are known, finds the candidates and
 * selects the reference from the two that agree best; dae__compare_errors: errors of all runs
 * against it. */
dae_status dae__compare_reference(dae__compare *c, dae_error *err);
dae_status dae__compare_errors(dae__compare *c, dae_error *err);

#define DAE__DIFFERENCE_SIZE sizeof((dae_compare_run *)0)->other_events
/* compare_events.c: whether the numbers of events or of changes of branches differ in two runs, and
 * the first one that does, with both numbers. */
bool dae__compare_events_differ(const dae_compare_run *a, const dae__track *x,
                                const dae_compare_run *b, const dae__track *y,
                                char text[DAE__DIFFERENCE_SIZE]);

/* compare_rank.c: recommends a method, with its reasons as text. */
void dae__compare_recommend(dae_comparison *c, bool interrupted,
                            const dae_method **order /* workspace */);

#endif
