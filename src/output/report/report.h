/* What a report has seen of its run, and the page that is made of it. */
#ifndef DAEDAL_OUTPUT_REPORT_REPORT_H
#define DAEDAL_OUTPUT_REPORT_REPORT_H

#include "core/arena.h"
#include "output/report/records.h"

#include <daedal/page.h>
#include <daedal/report.h>

/* Columns of a result by what they are. */
typedef enum dae__column_kind {
  DAE__COLUMN_TIME,
  DAE__COLUMN_VARIABLE,
  DAE__COLUMN_RATE,
  DAE__COLUMN_MULTIPLIER,
  DAE__COLUMN_OUTPUT
} dae__column_kind;

/* Of each step: its end and size, order, energy, balance, work so far, sweeps, contraction. */
enum {
  DAE__STEP_T,
  DAE__STEP_H,
  DAE__STEP_ORDER,
  DAE__STEP_ENERGY,
  DAE__STEP_BALANCE,
  DAE__STEP_STEPS,
  DAE__STEP_REJECTED,
  DAE__STEP_ITERATIONS,
  DAE__STEP_EVALUATIONS,
  DAE__STEP_SWEEPS,
  DAE__STEP_OBSERVED,
  DAE__STEP_PREDICTED,
  DAE__STEP_WIDTH
};

typedef struct dae__report {
  dae__arena *arena;
  dae_report_options options;
  dae_drawing drawing;
  char *path;
  dae_page *page;

  bool opened;
  int columns; /* kept of those of the run */
  int all_columns;
  int *column; /* which ones */
  char **names;
  dae__column_kind *kind;
  size_t max_values; /* numbers of seven digits that the page may hold */

  double *start;       /* the state vector of the first row */
  dae__records rows;   /* the columns kept, then the drift in position and velocity */
  dae__records steps;  /* DAE__STEP_... */
  dae__records frames; /* t, then the values of the drawing */
  double *record;      /* one to be added */
} dae__report;

/* report_columns.c: chooses the columns to keep. */
dae_status dae__report_columns(dae__report *r, int columns, const char *const *names,
                               dae_error *err);

/* Numbers of one column of the records, to be taken as they are: copied into memory of the arena.
 * NULL without memory. */
double *dae__report_series(dae__arena *arena, const dae__records *all, int entry);

/* report_page.c: writes the whole page. */
dae_status dae__report_write(dae__report *r, const dae_summary *summary, dae_error *err);

/* report_verdict.c: whether the run was a good one, in a box and a table of checks. */
void dae__report_verdict(const dae__report *r, const dae_summary *s);
/* report_steps.c: how the method went along. */
void dae__report_steps(const dae__report *r, const dae_summary *s, dae__arena *arena);

#endif
