/* [E07]: number of sweeps of a dynamic iteration. The paper has one table; its other theorems are
 * compared with runs, with references of a prototype. */
#ifndef DAEDAL_REPRODUCE_E07_H
#define DAEDAL_REPRODUCE_E07_H

#include "waves.h"

#define E07_PI 3.14159265358979323846

/* ---- e07_errors.c: one run of example 3.7 against its exact solution ---- */

typedef enum e07_test {
  E07_LARGEST,   /* largest error below 1e-6 */
  E07_SUM,       /* sum of errors below 1e-6 */
  E07_HALF,      /* largest error below 5e-7 */
  E07_DOUBLE,    /* largest error below 2e-6 */
  E07_Y,         /* largest error of y below 1e-6 */
  E07_RELATIVE,  /* largest error relative to the largest value below 1e-6 */
  E07_INCREMENT, /* change below 1e-6 */
  E07_UPDATED,   /* largest error below 1e-6, with z after the update */
  E07_TESTS
} e07_test;

typedef struct e07_case {
  double alpha;
  waves_kind kind;
  dae_wave_update update;
  double omega;      /* relaxation factor of relax */
  const int *order;  /* order of the systems, NULL: 1, 2 */
  waves_child child; /* solver; without a method: accuracy 1e-9 */
  const char *curve; /* name of the curve in the file of histories, NULL: none */
  int sweeps;        /* fixed number of sweeps, 0: until convergence */
} e07_case;

typedef struct e07_result {
  bool failed;
  double sweeps[E07_TESTS]; /* number of sweeps per test, NaN: failed */
  double rate;              /* ratio of the last two changes above round-off */
  /* state of the fed-back variables y2 and z2 at their first change below 1e-6: this change, the
   * preceding one, the error */
  double increment, before, error;
} e07_result;

#define E07_HISTORY "method,alpha,sweep,change,error"

/* Runs a case; false after a failure of the report. */
bool e07_iterate(rep_report *report, const e07_case *run, rep_file *history, e07_result *result);

/* Exact solution y1, z1, y2, z2 at t. */
void e07_exact(double alpha, double t, double *z);

/* ---- e07_table.c, e07_windows.c, e07_loops.c, e07.c ---- */

void e07_table(rep_report *report);
void e07_windows(rep_report *report);
void e07_loops(rep_report *report);

extern const char e07_notes[];
dae_status e07_run(rep_report *report);

#endif
