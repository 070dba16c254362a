/* Ratios of times: what the peer needs, in times of what `auto` needs. Targets are met where they
 * are met at every accuracy that the peer reaches; they are printed, and nothing fails. */
#include "summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- targets ---- */

static const struct {
  const char *problem;
  solver peer;
  double ratio; /* at least */
} targets[] = {
    {"pendulum", RADAU5, 6},
    {"pendulum", IDA, 20},
    {"car_axis", RADAU5, 6},
    {"car_axis", IDA, 20},
    {"stiff_crank", RADAU5, 2},
    {"stiff_load", RADAU5, 2},
    {"transistor_amplifier", RADAU5, 1.3},
    {"transistor_amplifier", IDA, 5},
    {"akzo_nobel", RADAU5, 1.3},
    {"akzo_nobel", IDA, 5},
};

/* NaN: there is none */
static double target_of(const char *problem, solver peer)
{
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
    if (targets[i].peer == peer && strcmp(targets[i].problem, problem) == 0)
      return targets[i].ratio;
  return NAN;
}

const char *summary_verdict(bool met)
{
  return met ? "met" : "missed";
}

/* "6.12 (6: met)"; where there is no ratio, who is absent or does not get there. Not getting where
 * the peer does is a miss. */
static void add_ratio(const bench_table *t, solver peer, double mescd, sheet *s)
{
  double target = target_of(t->problem.problem.name, peer), ratio = results_ratio(t, peer, mescd);
  int ours = results_best(t, DAEDAL, mescd), theirs = results_best(t, peer, mescd);
  char verdict[32] = "";
  if (!isnan(target) && theirs >= 0)
    snprintf(verdict, sizeof verdict, " (%g: %s)", target, summary_verdict(ratio >= target));
  if (!solver_present(peer))
    sheet_add(s, "absent");
  else if (ours < 0 || theirs < 0)
    sheet_add(s, "%s%s",
              ours >= 0     ? "peer fails"
              : theirs >= 0 ? "auto fails"
                            : "both fail",
              verdict);
  else
    sheet_add(s, "%.2f%s", ratio, verdict);
}

/* ---- one problem ---- */

static void add_contender(const bench_table *t, int j, sheet *s)
{
  const contender *o = &t->list[j];
  sheet_add(s, "%s", solver_names[o->solver]);
  sheet_add(s, "%s", o->name);
  for (int d = 0; d < ACCURACIES; d++) {
    const bench_run *r = results_fastest(t, j, accuracies[d]);
    if (r)
      sheet_add(s, "%.4f (%ld) %.1e", 1e3 * r->seconds, r->counts.evaluations,
                t->tolerance[r - t->runs[j]]);
    else
      sheet_add(s, "-");
  }
  sheet_row(s, o->automatic ? DAE_PAGE_GOOD : DAE_PAGE_PLAIN);
}

static void add_peer(const bench_table *t, solver peer, sheet *s)
{
  sheet_add(s, "%s", solver_names[peer]);
  sheet_add(s, "best form");
  for (int d = 0; d < ACCURACIES; d++) {
    int best = results_best(t, peer, accuracies[d]);
    sheet_add(s, "%s", best < 0 ? "-" : t->list[best].name);
  }
  sheet_row(s, DAE_PAGE_PLAIN);
  sheet_add(s, "%s", solver_names[peer]);
  sheet_add(s, "its time / that of auto");
  for (int d = 0; d < ACCURACIES; d++)
    add_ratio(t, peer, accuracies[d], s);
  sheet_row(s, DAE_PAGE_PLAIN);
}

void summary_problem(const bench_table *t, sheet *s)
{
  char title[200];
  snprintf(title, sizeof title,
           "%s: CPU ms (evaluations) tolerance of the fastest run with a mescd of 4, 6, 8 in %d "
           "unknowns",
           t->problem.title, t->problem.scored);
  sheet_begin(s, title,
              "solver|method or form         |mescd 4                |6                      |8    "
              "                  ");
  for (int j = 0; j < t->count; j++)
    add_contender(t, j, s);
  for (solver peer = RADAU5; peer < SOLVERS; peer++)
    if (solver_present(peer))
      add_peer(t, peer, s);
  sheet_end(s);
}

/* ---- all problems ---- */

/* geometric means of the ratios where there are any, and of how many */
static void add_means(bench_table *const *tables, int count, const char *name, bool coupled,
                      sheet *s)
{
  sheet_add(s, "%s", name);
  for (solver peer = RADAU5; peer < SOLVERS; peer++)
    for (int d = 0; d < ACCURACIES; d++) {
      double sum = 0;
      int used = 0;
      for (int i = 0; i < count; i++) {
        double ratio = results_ratio(tables[i], peer, accuracies[d]);
        if (isnan(ratio) || (tables[i]->problem.problem.problem.coupled && !coupled))
          continue;
        sum += log(ratio);
        used++;
      }
      sheet_add(s, used > 0 ? "%.2f (%d)" : "-", exp(sum / used), used);
    }
  sheet_row(s, DAE_PAGE_GOOD);
}

static void add_missing(sheet *s)
{
  char text[120];
  for (solver peer = RADAU5; peer < SOLVERS; peer++)
    if (!solver_present(peer)) {
      snprintf(text, sizeof text, "%s is missing: it was not there when the bench was configured.",
               solver_names[peer]);
      sheet_text(s, text);
    }
}

void summary_all(bench_table *const *tables, int count, sheet *s)
{
  sheet_begin(s, "time of the peer's best form / time of auto, for a mescd of 4, 6, 8",
              "problem             |RADAU5 4          |6                 |8                 |IDA 4 "
              "            |6                 |8                 ");
  for (int i = 0; i < count; i++) {
    sheet_add(s, "%s", tables[i]->problem.problem.name);
    for (solver peer = RADAU5; peer < SOLVERS; peer++)
      for (int d = 0; d < ACCURACIES; d++)
        add_ratio(tables[i], peer, accuracies[d], s);
    sheet_row(s, DAE_PAGE_PLAIN);
  }
  add_means(tables, count, "geometric mean (of)", true, s);
  add_means(tables, count, "without coupled ones", false, s);
  sheet_end(s);
  add_missing(s);
}
