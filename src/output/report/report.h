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
  int width; /* number of values in a record */
  long room; /* largest number of records */
  long count;
  long added;    /* number of records added, whether kept or dropped */
  long stride;   /* distance of the records kept: every stride-th of those added */
  double *value; /* values; record i begins at value[i * width] */
  double *last;  /* the last record added */
} dae__records;

/* Creates memory for at least two records; failures are recorded in the arena, see
 * dae__arena_failed. */
dae__records dae__records_create(dae__arena *arena, int width, long room);
void dae__records_add(dae__records *all, const double *record);
/* Ends the collection of records and keeps the last one. */
void dae__records_end(dae__records *all);
/* Returns a copy of one entry of all records, a time series; NULL: out of memory. */
double *dae__records_series(dae__arena *arena, const dae__records *all, int entry);

/* Kinds of result columns. */
typedef enum dae__column_kind {
  DAE__COLUMN_TIME,
  DAE__COLUMN_VARIABLE,
  DAE__COLUMN_RATE,
  DAE__COLUMN_MULTIPLIER,
  DAE__COLUMN_OUTPUT
} dae__column_kind;

/* Entries of a step record; DAE__STEP_STEPS to DAE__STEP_EVALUATIONS are counts since the start of
 * the run. */
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
  int columns;     /* number of columns kept */
  int all_columns; /* number of columns of the results */
  int *column;     /* index of each kept column in the results */
  char **names;
  dae__column_kind *kind;
  /* largest number of values with seven digits that the page may hold */
  size_t max_values;

  double *start; /* state vector of the first row */
  /* records of the kept columns, followed by the drift in position and velocity */
  dae__records rows;
  dae__records steps;  /* records with the entries DAE__STEP_T to DAE__STEP_PREDICTED */
  dae__records frames; /* records of t and the values of the drawing */
  double *record;      /* scratch memory of one record */
} dae__report;

/* Plot of some curves over time. */
typedef struct dae__report_plot {
  const char *title, *y_label;
  bool log;
  const double *t;
  long rows; /* number of values of each curve */
  dae_curve curves[2];
  int count;
} dae__report_plot;

/* Adds a curve if some of its values are finite, and writes the plot if it has a curve, in
 * report_steps.c. */
void dae__report_add_curve(dae__report_plot *plot, const char *label, const double *y,
                           dae_curve_style style);
void dae__report_plot_curves(const dae__report *r, const dae__report_plot *plot);

/* Writes the page of the report, in report_page.c. */
dae_status dae__report_write(dae__report *r, const dae_summary *summary, dae_error *err);

/* Writes the verdict on the run and a table of checks, in report_verdict.c. */
void dae__report_verdict(const dae__report *r, const dae_summary *s);
/* Writes plots of energy, steps and coupling, in report_steps.c. */
void dae__report_steps(const dae__report *r, const dae_summary *s, dae__arena *arena);

#endif
