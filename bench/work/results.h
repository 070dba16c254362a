/* What bench_work has measured: for each problem a table of runs, contenders by tolerances. */
#ifndef DAEDAL_BENCH_RESULTS_H
#define DAEDAL_BENCH_RESULTS_H

#include "contender.h"

#define MOST_TOLERANCES 41 /* 1e-2 to 1e-12 in quarters of a decade */
#define ACCURACIES 3
extern const double accuracies[ACCURACIES]; /* mescd 4, 6, 8 */

typedef struct bench_table {
  bench_case problem;
  contender list[MOST_CONTENDERS];
  int count, tolerances;
  double tolerance[MOST_TOLERANCES];
  bench_run runs[MOST_CONTENDERS][MOST_TOLERANCES]; /* mescd NaN: failed, or not tried */
} bench_table;

/* How much is measured. */
typedef struct bench_effort {
  int per_decade;  /* tolerances */
  int rounds;      /* at most */
  double seconds;  /* for a problem, after three rounds */
  double patience; /* of one run; with tighter tolerances it is not tried again */
  double only;     /* this tolerance; 0: a scan */
} bench_effort;

/* Measures a problem. Release it with free. */
bench_table *results_measure(const bench_case *c, const bench_effort *effort);

/* The fastest run of a contender that has the digits; NULL: there is none. */
const bench_run *results_fastest(const bench_table *t, int j, double mescd);
/* The contender of a solver (of daedal: `auto`) that has them first; -1: none has. */
int results_best(const bench_table *t, solver s, double mescd);
/* Time of the peer over that of `auto`; NaN: one of them does not get there. */
double results_ratio(const bench_table *t, solver peer, double mescd);

#endif
