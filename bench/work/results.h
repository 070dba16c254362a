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
  bool short_list; /* of daedal's methods only auto */
} bench_effort;

/* Measures a problem. */
bench_table *results_measure(const bench_case *c, const bench_effort *effort);
void results_free(bench_table *t);

/* The fastest run of a contender that has the digits; NULL: there is none. */
const bench_run *results_fastest(const bench_table *t, int j, double mescd);
/* The contender of a peer that has them first; -1: none has. */
int results_best(const bench_table *t, solver peer, double mescd);
/* auto, with that source; NULL: it does not get there */
const bench_run *results_auto(const bench_table *t, source from, double mescd);
/* Time of the peer over that of `auto` from C; NaN: one of them does not get there. */
double results_ratio(const bench_table *t, solver peer, double mescd);
/* The least time of all peers, those by factors included, for an accuracy; NaN: none gets there.
 * name gets the code, with a mark where it is by a factor. */
double results_best_peer(const bench_table *t, int accuracy, char *name, size_t size);

#endif
