/* The sparse chain of tests/problems, bdf-ggl at rtol 1e-5, one simulated second: what a step and
 * a link cost as the number N of links grows. The time of a step is to be linear in N, within 30 %
 * from N = 1000 to 10,000. With DAEDAL_LONG=1 in the environment there is N = 100,000 too.
 *
 * "step" is the integrator alone; "run" is dae_run with a row at every step and no file, with
 * drift and energy measured; both are CPU time, the best of some rounds. */
#include "measure.h"

#include <daedal/daedal.h>

typedef struct result {
  dae_stats stats;
  double create, step, run; /* seconds: the constructor, all steps, dae_run */
  double tip[2];
} result;

static void integrate(const test_problem *p, const dae_bdf_options *opts, double *y, result *out)
{
  dae_integrator *it;
  dae_error err;
  double t0 = bench_now();
  bench_check(dae_bdf_ggl_create(&p->problem, &p->start, opts, NULL, &it, &err), p->name, &err);
  double t1 = bench_now();
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, p->to, &err);
  bench_check(status, p->name, &err);
  double t2 = bench_now();
  bench_check(dae_integrator_interpolate(it, p->to, y, NULL, &err), p->name, &err);
  out->stats = dae_integrator_stats(it);
  out->create = fmin(out->create, t1 - t0);
  out->step = fmin(out->step, t2 - t1);
  dae_integrator_free(it);
}

static void run(const test_problem *p, const dae_bdf_options *opts, result *out)
{
  dae_run_plan plan = {.problem = p->problem, .start = p->start, .options = opts, .to = p->to};
  dae_summary summary;
  dae_error err;
  plan.method = dae_method_find("bdf-ggl", &err);
  bench_check(dae_run(&plan, NULL, &summary, &err), p->name, &err);
  out->run = fmin(out->run, summary.seconds);
}

static result measure(const test_problem *p, int n, int rounds)
{
  result out = {.create = INFINITY, .step = INFINITY, .run = INFINITY};
  dae_bdf_options opts = dae_bdf_defaults();
  double *y = malloc((size_t)p->size * sizeof *y);
  if (!y)
    exit(1);
  opts.rtol = opts.atol = 1e-5;
  for (int i = 0; i < rounds; i++) {
    integrate(p, &opts, y, &out);
    run(p, &opts, &out);
  }
  out.tip[0] = y[2 * n - 2];
  out.tip[1] = y[2 * n - 1];
  free(y);
  return out;
}

static void print(const test_problem *p, int n, const result *r, double previous)
{
  double steps = (double)r->stats.steps, per_link = r->step / steps / n * 1e6;
  const double *end = p->reference ? p->reference + 2 * n - 2 : NULL;
  printf("%7d %6ld %7ld %7ld %7ld %10.4f %10.4f %10.4f", n, r->stats.steps, r->stats.iterations,
         r->stats.jacobians, r->stats.factorisations, r->create * 1e3, r->step / steps * 1e3,
         r->run / steps * 1e3);
  printf(" %9.3f", per_link);
  if (previous > 0)
    printf(" %7.2f", per_link / previous);
  else
    printf(" %7s", "");
  if (end)
    printf(" %9.1e", hypot(r->tip[0] - end[0], r->tip[1] - end[1]));
  else
    printf(" %9s", "unknown");
  printf(" %8.1f\n", bench_peak_memory());
  fflush(stdout);
}

int main(void)
{
  static const struct {
    int n, rounds;
  } sizes[] = {{100, 15}, {1000, 7}, {10000, 3}, {100000, 1}};
  int count = getenv("DAEDAL_LONG") ? 4 : 3;
  double previous = 0;
  printf("chain, mode shape, rtol = atol = 1e-5, 1 s\n%7s %6s %7s %7s %7s %10s %10s %10s %9s %7s "
         "%9s %8s\n",
         "N", "steps", "iterat.", "Jacob.", "factor.", "create ms", "step ms", "run ms/st",
         "us/st/N", "ratio", "tip error", "peak MB");
  for (int i = 0; i < count; i++) {
    int n = sizes[i].n;
    test_problem p = test_chain(n, TEST_CHAIN_MODE);
    if (!p.memory)
      return 1;
    result r = measure(&p, n, sizes[i].rounds);
    print(&p, n, &r, previous);
    previous = r.step / (double)r.stats.steps / n * 1e6;
    test_problem_free(&p);
  }
  return 0;
}
