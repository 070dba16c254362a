/* [E07]: how many sweeps a dynamic iteration takes. The paper has one table; what else its theorems
 * claim is put beside runs, with references of a prototype. */
#ifndef DAEDAL_REPRODUCE_E07_H
#define DAEDAL_REPRODUCE_E07_H

#include "waves.h"

#define E07_PI 3.14159265358979323846

/* ---- e07_errors.c: one run of example 3.7 against its exact solution ---- */

typedef enum e07_test {
  E07_LARGEST,   /* largest error below 1e-6 */
  E07_SUM,       /* sum of errors below 1e-6 */
  E07_HALF,      /* largest error below 5e-7, */
  E07_DOUBLE,    /* below 2e-6 */
  E07_Y,         /* that of y alone */
  E07_RELATIVE,  /* relative to the largest value */
  E07_INCREMENT, /* the change below 1e-6 */
  E07_UPDATED,   /* as the first, z after the update */
  E07_TESTS
} e07_test;

typedef struct e07_case {
  double alpha;
  waves_kind kind;
  dae_wave_update update;
  double omega;      /* of relax */
  const int *order;  /* NULL: 1, 2 */
  waves_child child; /* one without a method: solved to 1e-9 */
  const char *curve; /* name in the file of histories, NULL: none */
  int sweeps;        /* exactly so many, 0: until they converge */
} e07_case;

typedef struct e07_result {
  bool failed;
  double sweeps[E07_TESTS]; /* NaN: it failed */
  double rate;              /* of the last two changes that are not round-off */
  /* of y2 and z2, which are fed back, when their change is first below 1e-6: that change, the one
   * before, their error */
  double increment, before, error;
} e07_result;

#define E07_HISTORY "method,alpha,sweep,change,error"

/* False if the report is at its end. */
bool e07_iterate(rep_report *report, const e07_case *run, rep_file *history, e07_result *result);

/* y1, z1, y2, z2 at t. */
void e07_exact(double alpha, double t, double *z);

/* ---- e07_table.c, e07_windows.c, e07_loops.c, e07.c ---- */

void e07_table(rep_report *report);
void e07_windows(rep_report *report);
void e07_loops(rep_report *report);

extern const char e07_notes[];
dae_status e07_run(rep_report *report);

#endif
