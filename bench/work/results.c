/* Measuring a problem, and what is read from the measurements. Rounds go through all contenders in
 * turn, so that all see the same machine, and the least time of a run counts. */
#include "results.h"

#include "../measure.h"
#include "factors.h"

#include <string.h>

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
  t->count = contenders_of(c, effort->short_list, t->list);
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

void results_free(bench_table *t)
{
  contenders_free(t->list, t->count);
  free(t);
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

int results_best(const bench_table *t, solver peer, double mescd)
{
  int best = -1;
  double least = INFINITY;
  for (int j = 0; j < t->count; j++) {
    const bench_run *r = t->list[j].solver == peer ? results_fastest(t, j, mescd) : NULL;
    if (r && r->seconds < least) {
      best = j;
      least = r->seconds;
    }
  }
  return best;
}

const bench_run *results_auto(const bench_table *t, source from, double mescd)
{
  for (int j = 0; j < t->count; j++)
    if (t->list[j].automatic && t->list[j].source == from)
      return results_fastest(t, j, mescd);
  return NULL;
}

static double peer_seconds(const bench_table *t, solver peer, double mescd)
{
  int best = results_best(t, peer, mescd);
  return best < 0 ? NAN : results_fastest(t, best, mescd)->seconds;
}

double results_ratio(const bench_table *t, solver peer, double mescd)
{
  const bench_run *ours = results_auto(t, FROM_C, mescd);
  return ours ? peer_seconds(t, peer, mescd) / ours->seconds : NAN;
}

double results_best_peer(const bench_table *t, int accuracy, char *name, size_t size)
{
  double least = NAN;
  peer_factor f;
  for (solver peer = RADAU5; peer < SOLVERS; peer++) {
    double seconds = peer_seconds(t, peer, accuracies[accuracy]);
    if (isnan(seconds) || seconds >= least)
      continue;
    least = seconds;
    snprintf(name, size, "%s", solver_names[peer]);
  }
  for (int i = 0; factor_at(i, &f); i++) {
    if (f.factor[accuracy] == 0 || strcmp(f.problem, t->problem.problem.name) != 0)
      continue;
    double seconds = f.factor[accuracy] * peer_seconds(t, f.base, accuracies[accuracy]);
    if (isnan(seconds) || seconds >= least)
      continue;
    least = seconds;
    snprintf(name, size, "%s *", f.name);
  }
  return least;
}
