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

static bool takes_part(const bench_table *t, solver peer)
{
  for (int j = 0; j < t->count; j++)
    if (t->list[j].solver == peer)
      return true;
  return false;
}

/* "6.12 (6: met)"; where there is no ratio, who is absent or does not get there. Not getting where
 * the peer does is a miss. */
static void add_ratio(const bench_table *t, solver peer, double mescd, sheet *s)
{
  double target = target_of(t->problem.problem.name, peer), ratio = results_ratio(t, peer, mescd);
  int theirs = results_best(t, peer, mescd);
  bool ours = results_auto(t, FROM_C, mescd) != NULL;
  char verdict[32] = "";
  if (!isnan(target) && theirs >= 0)
    snprintf(verdict, sizeof verdict, " (%g: %s)", target, summary_verdict(ratio >= target));
  if (!solver_present(peer))
    sheet_add(s, "absent");
  else if (!takes_part(t, peer))
    sheet_add(s, "-");
  else if (!ours || theirs < 0)
    sheet_add(s, "%s%s", ours ? "peer fails" : theirs >= 0 ? "auto fails" : "both fail", verdict);
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
    if (solver_present(peer) && takes_part(t, peer))
      add_peer(t, peer, s);
  sheet_end(s);
}

/* ---- beside the best peer ---- */

static const char *const source_names[SOURCES] = {"C", "text", "--jit"};

/* At least, of a single ratio and of the geometric mean; 0: no target */
static const struct {
  const char *title;
  bool kinds[KINDS];
  double least[SOURCES], mean[SOURCES];
} groups[] = {
    {"non-stiff", {[NON_STIFF] = true}, {0.7, 0, 1}, {1.2, 0, 1.6}},
    {"stiff", {[STIFF] = true}, {0.9, 0, 0.9}, {0}},
    {"index 1", {[INDEX_1] = true}, {0.9, 0, 0.9}, {0}},
    {"stiff and index 1", {[STIFF] = true, [INDEX_1] = true}, {0.9, 0, 0.9}, {1.5, 0, 1.5}},
};
enum { GROUPS = sizeof groups / sizeof *groups };

static double least_of(bench_kind kind, source from)
{
  for (int g = 0; g < GROUPS; g++)
    if (groups[g].kinds[kind])
      return groups[g].least[from];
  return 0;
}

/* best peer / auto; NaN: one of them does not get there */
static double best_ratio(const bench_table *t, source from, int accuracy)
{
  char name[32];
  const bench_run *ours = results_auto(t, from, accuracies[accuracy]);
  return ours ? results_best_peer(t, accuracy, name, sizeof name) / ours->seconds : NAN;
}

static void add_best(const bench_table *t, source from, int accuracy, sheet *s)
{
  double ratio = best_ratio(t, from, accuracy), least = least_of(t->problem.kind, from);
  if (isnan(ratio))
    sheet_add(s, "-");
  else
    sheet_add(s, "%.2f%s", ratio, ratio < least ? " missed" : "");
}

static void show_best(bench_table *const *tables, int count, sheet *s)
{
  sheet_begin(
      s,
      "best peer for a mescd of 4, 6, 8, and its time / that of auto from C, from the text "
      "of a model, with --jit (* by a factor of bench/work/factors.c)",
      "problem             |peer 4   |6        |8        |C 4        |6          |8          "
      "|text 4|6     |8     |--jit 4    |6          |8          ");
  for (int i = 0; i < count; i++) {
    const bench_table *t = tables[i];
    sheet_add(s, "%s", t->problem.problem.name);
    for (int d = 0; d < ACCURACIES; d++) {
      char name[32] = "-";
      results_best_peer(t, d, name, sizeof name);
      sheet_add(s, "%s", name);
    }
    for (source from = FROM_C; from < SOURCES; from++)
      for (int d = 0; d < ACCURACIES; d++)
        add_best(t, from, d, s);
    sheet_row(s, DAE_PAGE_PLAIN);
  }
  sheet_end(s);
}

/* geometric mean of the ratios of a group for an accuracy, negative: for all, their number, and the
 * least one */
static double mean_of(bench_table *const *tables, int count, int group, source from, int accuracy,
                      int *terms, double *least)
{
  double sum = 0;
  *terms = 0;
  *least = INFINITY;
  for (int i = 0; i < count; i++)
    for (int d = 0; d < ACCURACIES; d++) {
      double ratio = best_ratio(tables[i], from, d);
      if (isnan(ratio) || !groups[group].kinds[tables[i]->problem.kind] ||
          (accuracy >= 0 && d != accuracy))
        continue;
      sum += log(ratio);
      *least = fmin(*least, ratio);
      ++*terms;
    }
  return exp(sum / *terms);
}

static void add_group(bench_table *const *tables, int count, int g, source from, sheet *s)
{
  int terms = 0;
  double least = 0, mean = 0, wanted = groups[g].mean[from], most = groups[g].least[from];
  mean_of(tables, count, g, from, -1, &terms, &least);
  if (terms == 0)
    return;
  sheet_add(s, "%s", groups[g].title);
  sheet_add(s, "%s", source_names[from]);
  for (int d = 0; d < ACCURACIES; d++) {
    mean = mean_of(tables, count, g, from, d, &terms, &least);
    sheet_add(s, terms > 0 ? "%.2f (%d)" : "-", mean, terms);
  }
  mean = mean_of(tables, count, g, from, -1, &terms, &least);
  if (wanted > 0)
    sheet_add(s, "%.2f (%g: %s)", mean, wanted, summary_verdict(mean >= wanted));
  else
    sheet_add(s, "%.2f", mean);
  if (most > 0)
    sheet_add(s, "%.2f (%g: %s)", least, most, summary_verdict(least >= most));
  else
    sheet_add(s, "%.2f", least);
  sheet_row(s, DAE_PAGE_GOOD);
}

static void show_means(bench_table *const *tables, int count, sheet *s)
{
  sheet_begin(
      s, "geometric means of best peer's time / that of auto (of how many problems)",
      "problems         |auto from|4        |6        |8        |all, at least       |least "
      "of all        ");
  for (int g = 0; g < GROUPS; g++)
    for (source from = FROM_C; from < SOURCES; from++)
      add_group(tables, count, g, from, s);
  sheet_end(s);
}

/* ---- all problems beside single peers ---- */

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
        if (isnan(ratio) || (tables[i]->problem.kind == COUPLED && !coupled))
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
  sheet_begin(
      s, "time of the peer's best form / time of auto from C, for a mescd of 4, 6, 8",
      "problem             |RADAU5 4        |6               |8               |IDA 4        "
      "   |6               |8               |DOP853 4|6      |8      |DVODE 4 |6      |8   "
      "   ");
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
  show_best(tables, count, s);
  show_means(tables, count, s);
  add_missing(s);
}
