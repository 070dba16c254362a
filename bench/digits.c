/* Evaluations for 4, 6 and 8 digits at the end, on the problems of bench_work.
 *
 *   bench_digits [METHOD ...]            CSV: problem, method, digits, evaluations
 *   bench_digits --compare FILE          beside such a file: ratios, and their geometric means by
 *                                        method and digits; fails if one exceeds 1.05
 *   bench_digits --runs [METHOD ...]     every run: problem, method, tolerance, digits, evaluations
 *
 * Tolerances are scanned, eight in a decade, and log(evaluations) is fitted by a line over the runs
 * whose digits are within WINDOW of those asked for: single runs reach their digits by luck. */
#include "measure.h"
#include "work/cases.h"

#include <daedal/daedal.h>
#include <string.h>

enum { PER_DECADE = 8, LOOSEST = 0, TIGHTEST = 12, RUNS = (TIGHTEST - LOOSEST) * PER_DECADE + 1 };
enum { MOST_EVALUATIONS = 1000000, MOST_ENTRIES = 256 };
#define WINDOW 0.75
#define MOST_GROWTH 1.05

static const int asked[] = {4, 6, 8};
static const char *const methods[] = {"gauss", "radau", "explicit"};
enum { ASKED = sizeof asked / sizeof *asked, METHODS = sizeof methods / sizeof *methods };

typedef struct digits_run {
  double digits, evaluations; /* digits: NaN where the run failed */
} digits_run;

typedef struct digits_entry {
  char problem[64], method[32];
  int digits;
  double evaluations;
} digits_entry;

static digits_run digits_of(const bench_case *c, const dae_method *method, double tol)
{
  const test_problem *p = &c->problem;
  dae_integrator *it = NULL;
  double y[MOST_UNKNOWNS];
  void *opts = bench_options(method, tol);
  dae_status status = method->create(&p->problem, &p->start, opts, NULL, &it, NULL);
  dae_stats stats = {0};
  if (status >= 0)
    for (status = DAE_OK; status == DAE_OK && stats.evaluations < MOST_EVALUATIONS;
         stats = dae_integrator_stats(it))
      status = dae_integrator_step(it, p->to, NULL);
  bool reached = status == DAE_END && dae_integrator_interpolate(it, p->to, y, NULL, NULL) >= 0;
  dae_integrator_free(it);
  free(opts);
  return (digits_run){reached ? bench_mescd(p, c->scored, y) : NAN, (double)stats.evaluations};
}

/* NaN where no run reaches the digits; the least evaluations where fewer than three in the window
 * do not, since the loosest tolerances give more. */
static double digits_fit(const digits_run *runs, int count, double digits)
{
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, least = INFINITY;
  int below = 0, above = 0;
  for (int i = 0; i < count; i++) {
    double x = runs[i].digits - digits, y = log(runs[i].evaluations);
    if (x >= 0)
      least = fmin(least, runs[i].evaluations);
    if (!(fabs(x) <= WINDOW))
      continue;
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
    below += x < 0, above += x >= 0;
  }
  double spread = n * sxx - sx * sx;
  if (below < 3 || above < 3 || spread <= 0)
    return isfinite(least) ? least : NAN;
  double slope = (n * sxy - sx * sy) / spread;
  return exp((sy - slope * sx) / n);
}

static int digits_of_method(const bench_case *c, const dae_method *method, bool all_runs,
                            digits_entry *out)
{
  digits_run runs[RUNS];
  int count = 0, found = 0;
  for (; count < RUNS; count++) {
    double tol = pow(10, -LOOSEST - (double)count / PER_DECADE);
    runs[count] = digits_of(c, method, tol);
    if (all_runs)
      printf("%s,%s,%.3g,%.3f,%.0f\n", c->problem.name, method->name, tol, runs[count].digits,
             runs[count].evaluations);
    if (runs[count].evaluations >= MOST_EVALUATIONS)
      break;
  }
  for (int i = 0; i < ASKED; i++) {
    double evaluations = digits_fit(runs, count, asked[i]);
    if (isnan(evaluations))
      continue;
    out[found] = (digits_entry){.digits = asked[i], .evaluations = evaluations};
    snprintf(out[found].problem, sizeof out->problem, "%s", c->problem.name);
    snprintf(out[found++].method, sizeof out->method, "%s", method->name);
  }
  return found;
}

static bool digits_have(const digits_entry *list, int count, const char *problem)
{
  for (int i = 0; i < count; i++)
    if (strcmp(list[i].problem, problem) == 0)
      return true;
  return count == 0;
}

/* base_count > 0: only problems of the baseline */
static int digits_measure(const char *const *names, int count, bool all_runs,
                          const digits_entry *base, int base_count, digits_entry *out)
{
  int found = 0;
  bench_case c;
  dae_error err;
  for (int i = 0; case_at(i, &c); i++)
    for (int k = 0; k < count && found + ASKED <= MOST_ENTRIES; k++) {
      const dae_method *method = dae_method_find(names[k], &err);
      bench_check(method ? DAE_OK : err.status, names[k], &err);
      if (digits_have(base, base_count, c.problem.name) &&
          method->accepts(&c.problem.problem, NULL) >= 0)
        found += digits_of_method(&c, method, all_runs, out + found);
    }
  return found;
}

static int digits_read(const char *path, digits_entry *out)
{
  FILE *file = fopen(path, "r");
  char line[256];
  int found = 0;
  if (!file) {
    fprintf(stderr, "bench_digits: %s cannot be read\n", path);
    exit(2);
  }
  while (found < MOST_ENTRIES && fgets(line, sizeof line, file)) {
    digits_entry *e = &out[found];
    found += sscanf(line, "%63[^,],%31[^,],%d,%lf", e->problem, e->method, &e->digits,
                    &e->evaluations) == 4;
  }
  fclose(file);
  return found;
}

static const digits_entry *digits_find(const digits_entry *list, int count, const digits_entry *e)
{
  for (int i = 0; i < count; i++)
    if (strcmp(list[i].problem, e->problem) == 0 && strcmp(list[i].method, e->method) == 0 &&
        list[i].digits == e->digits)
      return &list[i];
  return NULL;
}

/* Number of means that exceed the limit, and of problems that no longer reach their digits. */
static int digits_compare(const digits_entry *base, int base_count, const digits_entry *now,
                          int count)
{
  double sum[METHODS][ASKED] = {{0}};
  int terms[METHODS][ASKED] = {{0}}, failed = 0;
  for (int i = 0; i < base_count; i++) {
    const digits_entry *b = &base[i], *e = digits_find(now, count, b);
    if (!e) {
      printf("%-22s %-9s %d digits: not reached any more\n", b->problem, b->method, b->digits);
      failed++;
      continue;
    }
    double ratio = e->evaluations / b->evaluations;
    printf("%-22s %-9s %d digits: %8.0f %8.0f %6.3f\n", b->problem, b->method, b->digits,
           b->evaluations, e->evaluations, ratio);
    for (int m = 0; m < METHODS; m++)
      for (int k = 0; k < ASKED; k++)
        if (strcmp(methods[m], b->method) == 0 && asked[k] == b->digits)
          sum[m][k] += log(ratio), terms[m][k]++;
  }
  for (int m = 0; m < METHODS; m++)
    for (int k = 0; k < ASKED; k++) {
      double mean = exp(sum[m][k] / fmax(terms[m][k], 1));
      bool grew = mean > MOST_GROWTH;
      printf("%-9s %d digits: %.3f of the baseline in the geometric mean of %d%s\n", methods[m],
             asked[k], mean, terms[m][k], grew ? ", GREW" : "");
      failed += grew;
    }
  return failed;
}

int main(int argc, char **argv)
{
  static digits_entry now[MOST_ENTRIES], base[MOST_ENTRIES];
  bool compare = argc == 3 && strcmp(argv[1], "--compare") == 0;
  bool all_runs = argc > 1 && strcmp(argv[1], "--runs") == 0;
  int named = compare ? 0 : argc - 1 - all_runs;
  int base_count = compare ? digits_read(argv[2], base) : 0;
  const char *const *names = named ? (const char *const *)argv + argc - named : methods;
  int count = digits_measure(names, named ? named : METHODS, all_runs, base, base_count, now);
  if (compare)
    return digits_compare(base, base_count, now, count) ? 1 : 0;
  if (!all_runs)
    for (int i = 0; i < count; i++)
      printf("%s,%s,%d,%.1f\n", now[i].problem, now[i].method, now[i].digits, now[i].evaluations);
  return 0;
}
