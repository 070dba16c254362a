/* Measuring a problem, and what is read from the measurements. Rounds go through all contenders in
 * turn, so that all see the same machine, and the least time of a run counts. */
#include "results.h"

#include "../measure.h"

#define LEAST_ROUNDS 3
#define SHORT 1e-3 /* seconds; such runs are repeated at once, the first one has cold caches */
#define REPEATS 3

const double accuracies[ACCURACIES] = {4, 6, 8};

/* ---- measuring ---- */

/* a run that was too long, after one that got to the end (or it is that one): tighter tolerances
 * are not tried. Codes may fail, and slowly, with loose ones. */
static bool hopeless(const bench_table *t, int j, int i, double patience)
{
  bool reached = false;
  for (int k = 0; k < i; k++) {
    reached = reached || !isnan(t->runs[j][k].mescd);
    if (reached && t->runs[j][k].seconds > patience)
      return true;
  }
  return false;
}

static void first_round(bench_table *t, const bench_effort *e)
{
  for (int i = 0; i < t->tolerances; i++)
    for (int j = 0; j < t->count; j++)
      t->runs[j][i] = hopeless(t, j, i, e->patience)
                          ? (bench_run){.mescd = NAN}
                          : contender_run(&t->list[j], &t->problem, t->tolerance[i], e->patience);
}

static void one_more_round(bench_table *t, const bench_effort *e)
{
  for (int i = 0; i < t->tolerances; i++)
    for (int j = 0; j < t->count; j++) {
      bench_run *best = &t->runs[j][i];
      if (isnan(best->mescd))
        continue;
      for (int again = best->seconds < SHORT ? REPEATS : 1; again > 0; again--) {
        bench_run now = contender_run(&t->list[j], &t->problem, t->tolerance[i], 10 * e->patience);
        best->seconds = fmin(best->seconds, now.seconds);
      }
    }
}

bench_table *results_measure(const bench_case *c, const bench_effort *effort)
{
  bench_table *t = calloc(1, sizeof *t);
  if (!t)
    exit(1);
  t->problem = *c;
  t->count = contenders_of(c, t->list);
  t->tolerances = effort->only > 0 ? 1 : 10 * effort->per_decade + 1;
  for (int i = 0; i < t->tolerances; i++)
    t->tolerance[i] =
        effort->only > 0 ? effort->only : pow(10, -2 - (double)i / effort->per_decade);
  double begin = bench_now();
  first_round(t, effort);
  for (int round = 1; round < effort->rounds; round++)
    if (round < LEAST_ROUNDS || bench_now() - begin < effort->seconds)
      one_more_round(t, effort);
  return t;
}

/* ---- reading ---- */

const bench_run *results_fastest(const bench_table *t, int j, double mescd)
{
  const bench_run *best = NULL;
  for (int i = 0; i < t->tolerances; i++) {
    const bench_run *r = &t->runs[j][i];
    if (r->mescd >= mescd && (!best || r->seconds < best->seconds))
      best = r;
  }
  return best;
}

int results_best(const bench_table *t, solver s, double mescd)
{
  int best = -1;
  double least = INFINITY;
  for (int j = 0; j < t->count; j++) {
    bool counts = t->list[j].solver == s && (s != DAEDAL || t->list[j].automatic);
    const bench_run *r = counts ? results_fastest(t, j, mescd) : NULL;
    if (r && r->seconds < least) {
      best = j;
      least = r->seconds;
    }
  }
  return best;
}

double results_ratio(const bench_table *t, solver peer, double mescd)
{
  int ours = results_best(t, DAEDAL, mescd), theirs = results_best(t, peer, mescd);
  if (ours < 0 || theirs < 0)
    return NAN;
  return results_fastest(t, theirs, mescd)->seconds / results_fastest(t, ours, mescd)->seconds;
}
