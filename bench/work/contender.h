/* Who takes part in bench_work: daedal's methods, and each form of each peer. */
#ifndef DAEDAL_BENCH_CONTENDER_H
#define DAEDAL_BENCH_CONTENDER_H

#include "cases.h"

#include <daedal/daedal.h>
#include <daedal/model.h>

typedef enum solver { DAEDAL, RADAU5, IDA, DOP853, DVODE, SOLVERS } solver;
extern const char *const solver_names[SOLVERS];
/* Is it built in? */
bool solver_present(solver s);

/* What daedal gets: callbacks in C, the text of a model, its native code. */
typedef enum source { FROM_C, FROM_TEXT, FROM_NATIVE, SOURCES } source;

typedef struct contender {
  solver solver;
  source source;            /* daedal's */
  char name[64];            /* "auto (switching)", "index 1", "GGL + J": J is given */
  bool automatic;           /* what `auto` stands for */
  const dae_method *method; /* daedal's; of auto at 1e-6 */
  const peer_form *form;    /* the peers' */
  const dae_model *model;   /* not from C */
} contender;

#define MOST_CONTENDERS 32

/* All that take the problem, `auto` first; short: of daedal's methods only `auto`. Returns their
 * number. They keep models, which contenders_free releases. */
int contenders_of(const bench_case *c, bool short_list, contender list[MOST_CONTENDERS]);
void contenders_free(contender *list, int count);

/* A run, from nothing to nothing: creation, all steps, the state at the end, release. */
typedef struct bench_run {
  peer_counts counts;
  double seconds; /* CPU time */
  double mescd;   /* NaN: it did not get to the end */
} bench_run;

/* One of daedal's. At this CPU time it has failed. y gets the state vector at the end. */
peer_counts contender_integrate(const dae_method *method, const test_problem *p, const void *opts,
                                double until, double *y);

bench_run contender_run(const contender *o, const bench_case *c, double tol, double patience);

#endif
