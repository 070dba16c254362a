/* daedal against SUNDIALS IDA, in one process and by the same C callbacks, over tolerances: steps,
 * error-test failures, evaluations of the right-hand side (differences included), correct digits of
 * what both have in their error test (q and v, or x), CPU time.
 *
 * daedal takes the index-3 problem as it stands; IDA needs the stabilised form, see ida.c, and its
 * start is made consistent by daedal outside the time measured. "no derivatives" is daedal with M,
 * f and g alone. Times are the best of interleaved rounds, construction included. */
#include "ida.h"
#include "measure.h"

#include <daedal/daedal.h>

#define LARGEST 16
#define TIGHTEST 9
#define LOOSEST 4
#define ROUNDS 7
#define PATIENCE 0.5 /* seconds; a run that takes longer is not repeated */

typedef struct line {
  long steps, rejected, evaluations, jacobians;
  double mescd, seconds;
} line;

typedef struct contender {
  const char *name;
  const char *method; /* NULL: IDA */
  test_problem problem;
  line lines[TIGHTEST + 1];
} contender;

#define OURS(m, p)                                                                                 \
  {                                                                                                \
    .name = (m), .method = (m), .problem = (p)                                                     \
  }
#define BARE(p)                                                                                    \
  {                                                                                                \
    .name = "bdf-ggl, no derivatives", .method = "bdf-ggl", .problem = (p)                         \
  }
#define IDA(n, p)                                                                                  \
  {                                                                                                \
    .name = (n), .problem = (p)                                                                    \
  }

/* entries of the state vector that have an error test */
static int tested(const test_problem *p)
{
  const dae_mechanical *mechanical = p->problem.mechanical;
  return mechanical ? 2 * mechanical->nq : p->problem.semi_explicit->nx;
}

static line run_daedal(const contender *c, double tol, double *y)
{
  const test_problem *p = &c->problem;
  dae_integrator *it;
  dae_error err;
  dae_bdf_options opts = dae_bdf_defaults();
  opts.rtol = opts.atol = tol;
  const dae_method *method = dae_method_find(c->method, NULL);
  bench_check(method->create(&p->problem, &p->start, &opts, NULL, &it, &err), p->name, &err);
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, p->to, &err);
  if (status >= 0)
    status = dae_integrator_interpolate(it, p->to, y, NULL, &err);
  dae_stats s = dae_integrator_stats(it);
  dae_integrator_free(it);
  return (line){s.steps, s.rejected_by_error, s.evaluations, s.jacobians, status < 0 ? NAN : 0, 0};
}

static line run_ida(const contender *c, double tol, double *y, const double *dy)
{
  ida_result r = ida_run(&c->problem, tol, y, dy);
  return (line){r.steps, r.rejected, r.evaluations, r.jacobians, r.reached ? 0 : NAN, 0};
}

/* one round: the counts, and the time if it is the best so far */
static void measure(contender *c, int digits)
{
  const test_problem *p = &c->problem;
  line *best = &c->lines[digits];
  double y[LARGEST], dy[LARGEST], tol = pow(10, -digits);
  dae_error err;
  if (best->seconds > PATIENCE)
    return;
  bench_check(dae_consistent_start(&p->problem, &p->start, NULL, y, dy, NULL, &err), p->name, &err);
  double begin = bench_now();
  line now = c->method ? run_daedal(c, tol, y) : run_ida(c, tol, y, dy);
  now.seconds = bench_now() - begin;
  now.mescd += bench_mescd(p, tested(p), y);
  if (best->seconds > 0)
    now.seconds = fmin(now.seconds, best->seconds);
  *best = now;
}

static void print(const contender *c)
{
  for (int d = LOOSEST; d <= TIGHTEST; d++) {
    const line *l = &c->lines[d];
    printf("%-22s %-24s 1e-%d %7ld %6ld %8ld %6ld %7.2f %9.3f\n", c->problem.name, c->name, d,
           l->steps, l->rejected, l->evaluations, l->jacobians, l->mescd, l->seconds * 1e3);
  }
}

/* least time over the tolerances to reach the digits, infinity if none does */
static double time_to(const contender *c, double mescd)
{
  double best = INFINITY;
  for (int d = LOOSEST; d <= TIGHTEST; d++)
    if (c->lines[d].mescd >= mescd)
      best = fmin(best, c->lines[d].seconds);
  return best;
}

static void compare(const contender *c, int count)
{
  const contender *ida = &c[count - 1];
  for (int i = 0; i < count - 1; i++)
    for (int mescd = 4; mescd <= 6; mescd += 2) {
      double ours = time_to(&c[i], mescd), theirs = time_to(ida, mescd);
      printf("%-22s %-24s mescd %d: ", c[i].problem.name, c[i].name, mescd);
      if (isfinite(ours) && isfinite(theirs))
        printf("%.3f ms, IDA %.3f ms, ratio %.2f\n", ours * 1e3, theirs * 1e3, theirs / ours);
      else
        printf("%s, IDA %s\n", isfinite(ours) ? "reached" : "not reached",
               isfinite(theirs) ? "reached" : "not reached");
    }
}

int main(void)
{
  contender pendulum[] = {OURS("bdf-ggl", test_pendulum()), BARE(test_pendulum_bare()),
                          IDA("IDA, hand-written GGL", test_pendulum())};
  contender axis[] = {OURS("bdf-ggl", test_car_axis()), BARE(test_car_axis_bare()),
                      IDA("IDA, hand-written GGL", test_car_axis())};
  contender amplifier[] = {OURS("bdf", test_transistor_amplifier()),
                           IDA("IDA", test_transistor_amplifier())};
  contender akzo[] = {OURS("bdf", test_akzo_nobel()), IDA("IDA", test_akzo_nobel())};
  const struct {
    contender *list;
    int count;
  } groups[] = {{pendulum, 3}, {axis, 3}, {amplifier, 2}, {akzo, 2}};

  printf("%-22s %-24s %4s %7s %6s %8s %6s %7s %9s\n", "problem", "method", "tol", "steps", "failed",
         "evals", "Jacob.", "mescd", "CPU ms");
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
    for (int d = LOOSEST; d <= TIGHTEST; d++)
      for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < groups[g].count; i++)
          measure(&groups[g].list[i], d);
    for (int i = 0; i < groups[g].count; i++)
      print(&groups[g].list[i]);
    fflush(stdout);
  }
  printf("\ncheapest run that reaches the digits; ratio = time of IDA / ours\n");
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
    compare(groups[g].list, groups[g].count);
  return 0;
}
