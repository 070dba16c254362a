/* Chains at rtol = atol = 1e-5 over one second, in both shapes: CPU time of whole runs.
 *
 * IDA gets the stabilised index-2 form with its sparse matrix written out, solved by KLU (ida.c).
 * RADAU5, which has dense and banded matrices only, has nothing to offer here. The longest chain
 * runs in a process of its own, so that the peak of its memory is known. */
#include "chains.h"

#include "../measure.h"
#include "summary.h"
#ifdef BENCH_WITH_IDA
#include "../ida.h"
#endif

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOLERANCE 1e-5
#define LONGEST 100000 /* links */
#define MOST_RATIO 5.  /* targets */
#define MOST_EXPONENT 1.1
#define MOST_MEGABYTES 2048.

/* ---- ends that tests/problems does not know, or not as well: by references_chain.c, both step
 *      sizes extrapolated to none ---- */

static const struct {
  int n;
  test_chain_shape shape;
  double x, y;
} tips[] = {
    {1000, TEST_CHAIN_MODE, -0.081391090070747, -0.996492265020807},
    {10000, TEST_CHAIN_MODE, -0.08134176618961, -0.99649651312293},
    {LONGEST, TEST_CHAIN_MODE, -0.0813368273, -0.996496938}, /* the others, extrapolated in 1/N */
    {100, TEST_CHAIN_HORIZONTAL, -0.9075034885, -0.1797636628},
    {1000, TEST_CHAIN_HORIZONTAL, -0.90796101, -0.18485035},
};

static double tip_error(const test_problem *p, test_chain_shape shape, int n, const double *y)
{
  const double *tip = y + 2 * n - 2;
  for (size_t i = 0; i < sizeof tips / sizeof *tips; i++)
    if (tips[i].n == n && tips[i].shape == shape)
      return hypot(tip[0] - tips[i].x, tip[1] - tips[i].y);
  const double *end = p->reference ? p->reference + 2 * n - 2 : NULL;
  return end ? hypot(tip[0] - end[0], tip[1] - end[1]) : NAN;
}

/* ---- one run ---- */

static peer_counts run_ida(const test_problem *p, double *y, const double *dy)
{
#ifdef BENCH_WITH_IDA
  return ida_run(p, &(ida_settings){TOLERANCE, TOLERANCE, TOLERANCE, 5}, y, dy);
#else
  (void)p, (void)y, (void)dy;
  return (peer_counts){0};
#endif
}

static void run_once(const test_problem *p, chain_run *r)
{
  double *y = malloc(2 * (size_t)p->size * sizeof *y), *dy = y + p->size;
  dae_error err;
  if (!y)
    exit(1);
  if (r->solver == IDA)
    bench_check(dae_consistent_start(&p->problem, &p->start, NULL, y, dy, NULL, &err), p->name,
                &err);
  const dae_method *method = r->solver == DAEDAL ? dae_method_find(r->name, NULL) : NULL;
  void *opts = method ? bench_options(method, TOLERANCE) : NULL;
  double begin = bench_now();
  r->counts = method ? contender_integrate(method, p, opts, INFINITY, y) : run_ida(p, y, dy);
  r->seconds = fmin(r->seconds, bench_now() - begin);
  if (r->counts.reached)
    r->tip_error = tip_error(p, r->shape, r->n, y);
  free(opts);
  free(y);
}

/* largest resident size of this process, in MB, which a fork begins anew; NaN: not told */
static double peak_memory(void)
{
  char line[128];
  double kilobytes = NAN;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "VmHWM: %lf kB", &kilobytes) == 1)
      break;
  if (file)
    fclose(file);
  return kilobytes / 1024;
}

/* in a process of its own, which sends back the run */
static void run_apart(chain_run *r)
{
  int ends[2];
  const char *name = r->name;
  if (pipe(ends))
    return;
  pid_t child = fork();
  if (child == 0) {
    test_problem p = test_chain(r->n, r->shape);
    if (!p.memory)
      _exit(1);
    run_once(&p, r);
    r->megabytes = peak_memory();
    _exit(write(ends[1], r, sizeof *r) != sizeof *r);
  }
  close(ends[1]);
  chain_run back;
  if (child > 0 && read(ends[0], &back, sizeof back) == sizeof back)
    *r = back;
  r->name = name;
  close(ends[0]);
  if (child > 0)
    waitpid(child, NULL, 0);
}

/* ---- all of them ---- */

typedef struct chain_size {
  test_chain_shape shape;
  int n, rounds;
  bool quick; /* is in the quick bench, too */
} chain_size;

static const chain_size sizes[] = {
    {TEST_CHAIN_MODE, 10, 15, true},       {TEST_CHAIN_MODE, 100, 9, true},
    {TEST_CHAIN_MODE, 1000, 3, true},      {TEST_CHAIN_MODE, 10000, 1, true},
    {TEST_CHAIN_MODE, LONGEST, 1, false},  {TEST_CHAIN_HORIZONTAL, 10, 9, true},
    {TEST_CHAIN_HORIZONTAL, 100, 1, true}, {TEST_CHAIN_HORIZONTAL, 1000, 1, false},
};

/* the contenders for a size, `auto` first; returns their number */
static int line_up(const test_problem *p, const chain_size *size, chain_run *out)
{
  static const char *const others[] = {"radau", "bdf-ggl"};
  const dae_method *chosen = dae_method_choose(&p->problem, NULL, 0, NULL);
  chain_run blank = {
      .shape = size->shape, .n = size->n, .seconds = INFINITY, .tip_error = NAN, .megabytes = NAN};
  int count = 0;
  for (int i = 0; i < 4; i++)
    out[i] = blank;
  out[count].automatic = true;
  out[count++].name = chosen->name;
  for (int i = 0; i < 2; i++)
    if (strcmp(others[i], chosen->name) != 0)
      out[count++].name = others[i];
  if (solver_present(IDA) && size->n < LONGEST) {
    out[count].solver = IDA;
    out[count++].name = "GGL + J, KLU";
  }
  return count;
}

/* has this contender been too slow with a shorter chain? A chain of ten times as many links takes
 * ten times as long at least */
static bool too_slow(const chain_results *all, const chain_run *r, double limit)
{
  for (int i = 0; i < all->count; i++) {
    const chain_run *o = &all->run[i];
    bool same = o->shape == r->shape && o->solver == r->solver && strcmp(o->name, r->name) == 0;
    if (same && (o->counts.steps == 0 || o->seconds * r->n / o->n > limit))
      return true;
  }
  return false;
}

static void measure_size(const chain_size *size, double limit, chain_results *all)
{
  test_problem p = test_chain(size->n, size->shape);
  if (!p.memory)
    exit(1);
  chain_run list[4];
  int count = line_up(&p, size, list);
  bool tried[4];
  for (int j = 0; j < count; j++)
    tried[j] = !too_slow(all, &list[j], limit);
  for (int round = 0; round < size->rounds; round++)
    for (int j = 0; j < count; j++)
      if (tried[j] && size->n < LONGEST)
        run_once(&p, &list[j]);
  test_problem_free(&p);
  for (int j = 0; j < count; j++) {
    if (tried[j] && size->n == LONGEST)
      run_apart(&list[j]);
    all->run[all->count++] = list[j];
  }
}

void chains_measure(bool quick, chain_results *out)
{
  out->count = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (!quick || sizes[i].quick)
      measure_size(&sizes[i], quick ? 10 : 300, out);
}

/* ---- what they say ---- */

static const chain_run *find(const chain_results *r, solver s, int n)
{
  for (int i = 0; i < r->count; i++) {
    const chain_run *o = &r->run[i];
    if (o->shape == TEST_CHAIN_MODE && o->n == n && o->solver == s && o->counts.reached &&
        (s != DAEDAL || o->automatic))
      return o;
  }
  return NULL;
}

static void show_ratio(const chain_results *r, sheet *s)
{
  const chain_run *ours = find(r, DAEDAL, 10000), *theirs = find(r, IDA, 10000);
  char text[240];
  if (!ours || !theirs)
    return;
  double ratio = theirs->seconds / ours->seconds;
  snprintf(text, sizeof text,
           "Mode shape, N = 10,000: IDA / auto %.2f (at least %.0f: %s), tip off by %.1e, IDA's by "
           "%.1e (as accurate: %s).",
           ratio, MOST_RATIO, summary_verdict(ratio >= MOST_RATIO), ours->tip_error,
           theirs->tip_error, summary_verdict(ours->tip_error <= theirs->tip_error));
  sheet_text(s, text);
}

/* slope of log(time of a step) over log N, least squares, from N = 100 on */
static void show_exponent(const chain_results *r, sheet *s)
{
  char text[240];
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  int longest = 0;
  for (int size = 100; size <= LONGEST; size *= 10) {
    const chain_run *o = find(r, DAEDAL, size);
    if (!o)
      continue;
    double a = log(size), b = log(o->seconds / (double)o->counts.steps);
    n++, x += a, y += b, xx += a * a, xy += a * b;
    longest = size;
  }
  if (n < 2)
    return;
  double exponent = (n * xy - x * y) / (n * xx - x * x);
  snprintf(text, sizeof text,
           "Mode shape, auto: the time of a step grows with N^%.2f from N = 100 to %d (at most "
           "%.1f: %s).",
           exponent, longest, MOST_EXPONENT, summary_verdict(exponent <= MOST_EXPONENT));
  sheet_text(s, text);
}

static void show_memory(const chain_results *r, sheet *s)
{
  const chain_run *o = find(r, DAEDAL, LONGEST);
  char text[200];
  if (!o || isnan(o->megabytes))
    return;
  snprintf(text, sizeof text,
           "Mode shape, auto, N = %d: at most %.0f MB resident (below %.0f: %s).", LONGEST,
           o->megabytes, MOST_MEGABYTES, summary_verdict(o->megabytes < MOST_MEGABYTES));
  sheet_text(s, text);
}

static void add_run(const chain_run *o, sheet *s)
{
  const peer_counts *c = &o->counts;
  sheet_add(s, "%s", o->shape == TEST_CHAIN_MODE ? "mode" : "horizontal");
  sheet_add(s, "%d", o->n);
  sheet_add(s, "%s", solver_names[o->solver]);
  sheet_add(s, o->automatic ? "auto (%s)" : "%s", o->name);
  if (c->steps == 0)
    sheet_add(s, "not tried, too long");
  else {
    sheet_add(s, "%.2f%s", 1e3 * o->seconds, c->reached ? "" : " fails");
    sheet_add(s, "%ld", c->steps);
    sheet_add(s, "%ld", c->evaluations);
    sheet_add(s, "%ld", c->factorisations);
    sheet_add(s, "%.4f", 1e3 * o->seconds / (double)c->steps);
    sheet_add(s, isnan(o->tip_error) ? "unknown" : "%.1e", o->tip_error);
    if (!isnan(o->megabytes))
      sheet_add(s, "%.0f", o->megabytes);
  }
  sheet_row(s, o->automatic ? DAE_PAGE_GOOD : DAE_PAGE_PLAIN);
}

void chains_show(const chain_results *r, sheet *s)
{
  sheet_begin(s,
              "chain, rtol = atol = 1e-5, 1 s: CPU time of whole runs, and how far the tip is off",
              "shape     |N     |solver|method or form          |ms        |steps |evaluations|"
              "factorisations|ms/step |tip error|MB   ");
  for (int i = 0; i < r->count; i++)
    add_run(&r->run[i], s);
  sheet_end(s);
  show_ratio(r, s);
  show_exponent(r, s);
  show_memory(r, s);
}
