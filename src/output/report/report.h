/* A report of a run while its data are collected, and the page made of them. */
#ifndef DAEDAL_OUTPUT_REPORT_REPORT_H
#define DAEDAL_OUTPUT_REPORT_REPORT_H

#include "core/arena.h"

#include <daedal/page.h>
#include <daedal/report.h>

/* Records of numbers in bounded memory: when it is full, every second record is dropped, so that
 * the rest is evenly spread over all records added. The first and the last record are always kept.
 */
typedef struct dae__records {
  int width; /* numbers in a record */
  long room; /* records */
  long count;
  long added;    /* records, kept or not */
  long stride;   /* every stride-th record is kept */
  double *value; /* record i from value[i * width] on */
  double *last;  /* the last record added */
} dae__records;

/* Creates memory for at least two records; out of memory: see dae__arena_failed. */
dae__records dae__records_create(dae__arena *arena, int width, long room);
void dae__records_add(dae__records *all, const double *record);
/* Ends the records: the last one is kept. */
void dae__records_end(dae__records *all);
/* Returns a copy of one entry of all records; NULL: out of memory. */
double *dae__records_series(dae__arena *arena, const dae__records *all, int entry);

/* Kinds of result columns. */
typedef enum dae__column_kind {
  DAE__COLUMN_TIME,
  DAE__COLUMN_VARIABLE,
  DAE__COLUMN_RATE,
  DAE__COLUMN_MULTIPLIER,
  DAE__COLUMN_OUTPUT
} dae__column_kind;

/* Entries of a step record; STEPS to EVALUATIONS are counted from the start of the run. */
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
  int columns;     /* kept */
  int all_columns; /* of the run */
  int *column;     /* numbers of the columns kept */
  char **names;
  dae__column_kind *kind;
  size_t max_values; /* numbers of seven digits that the page may hold */

  double *start;       /* state vector of the first row */
  dae__records rows;   /* columns kept, then the drift in position and velocity */
  dae__records steps;  /* DAE__STEP_... */
  dae__records frames; /* t, then the values of the drawing */
  double *record;      /* scratch memory of one record */
} dae__report;

/* report_page.c: writes the page. */
dae_status dae__report_write(dae__report *r, const dae_summary *summary, dae_error *err);

/* report_verdict.c: writes the verdict on the run and a table of checks. */
void dae__report_verdict(const dae__report *r, const dae_summary *s);
/* report_steps.c: writes plots of energy, steps and coupling. */
void dae__report_steps(const dae__report *r, const dae_summary *s, dae__arena *arena);

#endif
