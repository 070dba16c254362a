/* daedal beside RADAU5, IDA, DOP853 and DVODE, in one process: CPU time over accuracy.
 *
 *   bench_work [--quick] [--short] [--tolerance TOL] [--csv FILE] [--page FILE] [NAME...]
 *
 * A NAME is a problem, a kind of problems (non-stiff, stiff, index-1, coupled), `chain` or
 * `models`; without one, all of them. --quick takes fewer tolerances, rounds and links, --short of
 * daedal's methods only auto, --tolerance this one alone. docs/bench.md says what is measured and
 * how to read it. */
#include "../measure.h"
#include "report.h"

#include <string.h>

static const bench_effort full = {.per_decade = 4, .rounds = 200, .seconds = 40, .patience = 0.5};
static const bench_effort quick = {.per_decade = 2, .rounds = 100, .seconds = 6, .patience = 0.05};

typedef struct arguments {
  bool quick, short_list;
  double tolerance; /* 0: a scan */
  const char *csv, *page;
  char **names;
  int count;
} arguments;

static int usage(void)
{
  fprintf(stderr,
          "bench_work [--quick] [--short] [--tolerance TOL] [--csv FILE] [--page FILE] [NAME...]\n"
          "NAME: chain, models");
  for (bench_kind kind = 0; kind < KINDS; kind++)
    fprintf(stderr, ", %s", bench_kind_names[kind]);
  bench_case c;
  for (int i = 0; case_at(i, &c); i++)
    fprintf(stderr, ", %s", c.problem.name);
  fprintf(stderr, "\n");
  return 2;
}

static bool known(const char *name)
{
  bench_case c;
  for (int i = 0; case_at(i, &c); i++)
    if (strcmp(name, c.problem.name) == 0 || strcmp(name, bench_kind_names[c.kind]) == 0)
      return true;
  return strcmp(name, "chain") == 0 || strcmp(name, "models") == 0;
}

static bool parse(int argc, char **argv, arguments *a)
{
  int i = 1;
  for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(argv[i], "--quick") == 0) {
      a->quick = true;
      continue;
    }
    if (strcmp(argv[i], "--short") == 0) {
      a->short_list = true;
      continue;
    }
    if (!value)
      return false;
    if (strcmp(argv[i], "--csv") == 0)
      a->csv = value;
    else if (strcmp(argv[i], "--page") == 0)
      a->page = value;
    else if (strcmp(argv[i], "--tolerance") == 0)
      a->tolerance = strtod(value, NULL);
    else
      return false;
    i++;
  }
  a->names = argv + i;
  a->count = argc - i;
  for (int k = 0; k < a->count; k++)
    if (!known(a->names[k]))
      return false;
  return a->tolerance >= 0 && a->tolerance < 1;
}

static bool asked_for(const arguments *a, const char *name)
{
  for (int i = 0; i < a->count; i++)
    if (strcmp(name, a->names[i]) == 0)
      return true;
  return a->count == 0;
}

static void measure(const arguments *a, bench_results *r)
{
  bench_effort effort = a->quick ? quick : full;
  sheet out = {0};
  bench_case c;
  effort.only = a->tolerance;
  effort.short_list = a->short_list;
  if (effort.only > 0)
    effort.seconds = 0; /* a look, in as few rounds as there can be */
  for (int i = 0; case_at(i, &c); i++)
    if (asked_for(a, c.problem.name) || asked_for(a, bench_kind_names[c.kind])) {
      r->tables[r->count] = results_measure(&c, &effort);
      summary_problem(r->tables[r->count++], &out);
    }
  if (asked_for(a, "chain")) {
    chains_measure(a->quick, &r->chains);
    chains_show(&r->chains, &out);
  }
  if (asked_for(a, "models")) {
    models_measure(a->quick ? 0.5 : 5, &r->models);
    models_show(&r->models, &out);
  }
  if (r->count > 0)
    summary_all(r->tables, r->count, &out);
}

int main(int argc, char **argv)
{
  static bench_results r;
  arguments a = {0};
  dae_error err;
  if (!parse(argc, argv, &a))
    return usage();
  measure(&a, &r);
  if (a.csv)
    bench_check(report_csv(&r, a.csv, &err), "bench_work", &err);
  if (a.page)
    bench_check(report_page(&r, a.page, &err), "bench_work", &err);
  for (int i = 0; i < r.count; i++)
    results_free(r.tables[i]);
  return 0;
}
