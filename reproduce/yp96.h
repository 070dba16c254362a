/* [YP96] section 5: its problems, settings and tables. What can be reproduced of it, and what not,
 * is in docs/methods/coordinate-split.md. */
#ifndef DAEDAL_REPRODUCE_YP96_H
#define DAEDAL_REPRODUCE_YP96_H

#include "reproduce.h"

#include <daedal/run.h>

/* ---- yp96_runs.c: one run ---- */

typedef enum yp96_problem {
  YP96_POINT,  /* mass on a circle, oscillatory force */
  YP96_SPRING, /* the same with a spring */
  YP96_BUSHING /* two bodies */
} yp96_problem;

/* The iterations that are compared: the paper's, and what two of them should have been. */
typedef enum yp96_iteration {
  YP96_GGL,
  YP96_GGL_STAR,
  YP96_CS,      /* multipliers by the split */
  YP96_CM,      /* directions from the last Jacobian */
  YP96_CS_LSQ,  /* multipliers by least squares */
  YP96_CM_FRESH /* directions from each step's prediction */
} yp96_iteration;

const char *yp96_name(yp96_iteration iteration);

/* What the runs of a table share. */
typedef struct yp96_setting {
  yp96_problem problem;
  double to;
  int order;       /* largest */
  bool velocities; /* they stand in the error test beside the positions */
  bool bad_split;  /* the split keeps x2 of the bushing independent, where y2 would be right, and
                      the first step is that of a start without accelerations */
  const char *set; /* a further param, NULL: none */
} yp96_setting;

typedef struct yp96_case {
  yp96_iteration iteration;
  const char *tolerance, *eps; /* as printed */
} yp96_case;

/* Who looks on: columns of the result by name at every accepted step. */
typedef struct yp96_watch {
  const char *const *columns;
  int count; /* 4 at most */
  void (*row)(void *user, const double *values);
  void *user;
} yp96_watch;

/* Runs it by the rules of DASSL, without projection and filter, with DASSL's first step. watch may
 * be NULL, and so may progress, which is that of a run plan. */
dae_status yp96_integrate(const yp96_setting *setting, const yp96_case *run,
                          const yp96_watch *watch, bool (*progress)(void *user, double t),
                          void *user, dae_summary *summary, dae_error *err);

/* ---- yp96_tables.c: the tables of the paper ---- */

/* steps, residuals of Newton's iteration, Jacobians, failed error tests, failed convergence tests
 */
#define YP96_COUNTS 5
void yp96_counts(const dae_stats *stats, double *counts);

typedef struct yp96_row {
  yp96_case run;
  double paper[YP96_COUNTS];
  double reference[YP96_COUNTS];
  double bound; /* of the steps, 0: shown without a check */
} yp96_row;

typedef struct yp96_table {
  rep_table text;
  yp96_setting setting;
  const yp96_row *rows;
  int count;
  double failure_bound; /* of the failed convergence tests in rows that have more than a hundred */
} yp96_table;

/* in the order they are printed */
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

/* ---- yp96.c, yp96_figures.c ---- */

extern const char yp96_notes[];
dae_status yp96_run(rep_report *report);
void yp96_figures(rep_report *report);
/* One run; false if the report is at its end. A run that gives up says why in trouble. */
bool yp96_case_run(rep_report *report, const yp96_setting *setting, const yp96_case *run,
                   const yp96_watch *watch, dae_summary *summary, char trouble[256]);

#endif
