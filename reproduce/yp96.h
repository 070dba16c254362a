/* [YP96] section 5: its problems, settings and tables. docs/methods/coordinate-split.md lists the
 * reproducible ones. */
#ifndef DAEDAL_REPRODUCE_YP96_H
#define DAEDAL_REPRODUCE_YP96_H

#include "reproduce.h"

#include <daedal/run.h>

/* ---- yp96_runs.c: one run ---- */

typedef enum yp96_problem {
  YP96_POINT,  /* mass on a circle, oscillatory force */
  YP96_SPRING, /* mass on a circle with a spring */
  YP96_BUSHING /* two bodies with a bushing */
} yp96_problem;

/* Compared iterations: those of the paper, and corrected versions of two of them. */
typedef enum yp96_iteration {
  YP96_GGL,
  YP96_GGL_STAR,
  YP96_CS,      /* multipliers by the split */
  YP96_CM,      /* directions of the last Jacobian */
  YP96_CS_LSQ,  /* multipliers by least squares */
  YP96_CM_FRESH /* directions of each step's prediction */
} yp96_iteration;

const char *yp96_name(yp96_iteration iteration);

/* Settings of the runs of a table. */
typedef struct yp96_setting {
  yp96_problem problem;
  double to;
  int order;       /* largest order */
  bool velocities; /* velocities in the error test beside the positions */
  bool bad_split;  /* split with x2 of the bushing independent instead of y2, and initial step size
                      without accelerations */
  const char *set; /* value of a param, NULL: none */
  double shift;    /* relative change of the tolerance */
} yp96_setting;

typedef struct yp96_case {
  yp96_iteration iteration;
  const char *tolerance, *eps; /* texts as printed */
} yp96_case;

/* Observer: columns of the result by name at every accepted step. */
typedef struct yp96_watch {
  const char *const *columns;
  int count; /* number of columns, at most 4 */
  void (*row)(void *user, const double *values);
  void *user;
} yp96_watch;

/* Model of a case. */
dae_status yp96_model(const yp96_setting *setting, const yp96_case *run, dae_model **out,
                      dae_error *err);

/* Runs a case by the rules of DASSL, without projection and filter, with DASSL's initial step
 * size. watch may be NULL, and so may progress, the progress function of a run plan. */
dae_status yp96_integrate(const yp96_setting *setting, const yp96_case *run,
                          const yp96_watch *watch, bool (*progress)(void *user, double t),
                          void *user, dae_summary *summary, dae_error *err);

/* ---- yp96_tables.c: the tables of the paper ---- */

/* Counts: steps, residuals of the Newton iteration, Jacobians, failed error tests, failed
 * convergence tests. */
#define YP96_COUNTS 5
void yp96_counts(const dae_stats *stats, double *counts);

typedef struct yp96_row {
  yp96_case run;
  double paper[YP96_COUNTS];
  double reference[YP96_COUNTS];
  double bound; /* bound of the steps, 0: not checked */
} yp96_row;

typedef struct yp96_table {
  rep_table text;
  yp96_setting setting;
  const yp96_row *rows;
  int count;
  const char *item_ggl; /* item of the rows of GGL and GGL*, NULL: that of the table */
  bool costly;          /* a single run per row with `quick`, instead of perturbed ones */
  double failure_bound; /* bound of the failed convergence tests in rows with more than a hundred */
} yp96_table;

/* columns in the order of the table */
enum {
  YP96_TABLE_5_1,
  YP96_TABLE_5_1_TIGHT,
  YP96_TABLE_5_2,
  YP96_TABLE_5_3,
  YP96_TABLE_5_3_HEAVY,
  YP96_TABLE_5_4,
  YP96_TABLE_5_4_SPLIT,
  YP96_FIGURE_5_6,
  YP96_FIGURE_5_6_SPLIT,
  YP96_TABLES
};
extern const yp96_table yp96_tables[YP96_TABLES];

/* ---- yp96_sample.c: medians of perturbed runs ---- */

typedef struct yp96_sample {
  double median[REP_QUANTITIES];     /* NaN: most runs failed */
  rep_spread spread[REP_QUANTITIES]; /* of the runs that did not fail */
  int runs, failed;
  char trouble[256]; /* number and reason of failed runs, empty: none */
} yp96_sample;

/* Values of a run with TOL (1 + shift); false after a failure of the report. trouble: reason of a
 * failed run, empty: none. */
typedef bool yp96_measure(rep_report *report, const void *user, double shift, double *values,
                          char trouble[256]);
/* Runs with all tolerances, or one alone. */
bool yp96_sample_run(rep_report *report, bool single, yp96_measure *measure, const void *user,
                     yp96_sample *sample);

/* ---- yp96_energy.c ---- */

/* x at 0.5 s of the spring with eps = 1e-2, by two integrations of the equation of the angle that
 * differ by 5e-16 */
extern const double yp96_spring_x;
/* Row function of a yp96_watch that keeps the first column in the double user. */
void yp96_keep_last(void *user, const double *values);

void yp96_energies(rep_report *report);

/* ---- yp96_peers.c: DASPK and RADAU5, where R's package deSolve is installed ---- */

void yp96_peers(rep_report *report);

/* ---- yp96_theorems.c ---- */

void yp96_theorems(rep_report *report);

/* ---- yp96.c, yp96_figures.c ---- */

extern const char yp96_notes[];
dae_status yp96_run(rep_report *report);
void yp96_figures(rep_report *report);
/* Runs a case; false after a failure of the report. trouble: reason of a failed run. */
bool yp96_case_run(rep_report *report, const yp96_setting *setting, const yp96_case *run,
                   const yp96_watch *watch, dae_summary *summary, char trouble[256]);

#endif
