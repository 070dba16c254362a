/* Stiff mechanisms from a smooth start: what bdf-cs with its filtered error test needs beside
 * bdf-ggl, and beside IDA on the stabilised form written out by hand (ida.c), which gets its
 * Jacobian written out as well.
 *
 *   crank   a slider crank whose wrist pin is a bushing of stiffness 1e8, without damping
 *   chain   100 links with bending stiffness 1e6: it swings like a rod from a straight start
 *
 * At tolerance 1e-4 the slow motion is wanted, not the oscillations. Plain GGL is bdf-ggl without
 * the watch on stability. IDA, tuned: order 2 and a loose tolerance of the multipliers, which a
 * user has to find out by trial. Steps and CPU time for one simulated second, least of some rounds;
 * the error is that of one coordinate against bdf-cs at a tight tolerance. */
#include "ida.h"
#include "measure.h"

#include <daedal/daedal.h>
#include <daedal/model.h>
#include <string.h>

enum { ROUNDS = 3 };

typedef struct mechanism {
  const char *title, *text;
  int watched;  /* coordinate */
  double tight; /* tolerance of the reference */
} mechanism;

static const mechanism mechanisms[] = {
    {"slider crank with a bushing of stiffness 1e8",
     "model crank\n"
     "param k = 1e8, w = 10, J1 = 0.0027, J2 = 0.0027, m2 = 0.15, m3 = 0.0755\n"
     "param l1 = 0.15, l2 = 0.3\n"
     "coord phi = 0 rate w, x = l1 + l2/2, y = 0 rate w*l1/2, th = 0 rate -w*l1/l2, s = l1 + l2\n"
     "kinetic J1*phi'^2/2 + m2*(x'^2 + y'^2)/2 + J2*th'^2/2 + m3*s'^2/2\n"
     "let ex = x + l2/2*cos(th) - s, ey = y + l2/2*sin(th)\n"
     "potential k*(ex^2 + ey^2)/2 + 9.81*m2*y\n"
     "constraint x - l2/2*cos(th) = l1*cos(phi)\n"
     "constraint y - l2/2*sin(th) = l1*sin(phi)\n",
     0, 1e-8},
    {"chain of 100 links with bending stiffness 1e6",
     "model chain\n"
     "param N = 100, L = 1/N, g = 9.81, k = 1e6, a = 0.1\n"
     "coord x[1..N] = i*L*sin(a), y[1..N] = -i*L*cos(a)\n"
     "let bx[i in 1..N-1] = x[i+1] - 2*x[i] + if(i > 1, x[i-1], 0)\n"
     "let by[i in 1..N-1] = y[i+1] - 2*y[i] + if(i > 1, y[i-1], 0)\n"
     "for i in 1..N { kinetic (x[i]'^2 + y[i]'^2)/2/N }\n"
     "for i in 1..N { potential g*y[i]/N }\n"
     "for i in 1..N-1 { potential k*(bx[i]^2 + by[i]^2)/2 }\n"
     "constraint x[1]^2 + y[1]^2 = L^2\n"
     "for i in 2..N { constraint (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = L^2 }\n",
     99, 1e-7}};

typedef struct result {
  long steps;
  double seconds, watched;
} result;

/* ---- one run ---- */

static result run(const test_problem *p, int watched, const char *method,
                  const dae_bdf_options *opts, double *y)
{
  dae_integrator *it;
  dae_error err;
  const dae_method *m = dae_method_find(method, &err);
  bench_check(m->create(&p->problem, &p->start, opts, NULL, &it, &err), method, &err);
  double begin = bench_now();
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, p->to, &err);
  result out = {.seconds = bench_now() - begin, .steps = dae_integrator_stats(it).steps};
  bench_check(status, method, &err);
  bench_check(dae_integrator_interpolate(it, p->to, y, NULL, &err), method, &err);
  out.watched = y[watched];
  dae_integrator_free(it);
  return out;
}

static result run_ida(const test_problem *p, int watched, const ida_settings *set, double *y)
{
  dae_error err;
  double *dy = y + p->size;
  bench_check(dae_consistent_start(&p->problem, &p->start, NULL, y, dy, NULL, &err), "start", &err);
  double begin = bench_now();
  peer_counts r = ida_run(p, set, y, dy);
  return (result){
      .steps = r.steps, .seconds = bench_now() - begin, .watched = r.reached ? y[watched] : NAN};
}

/* ---- the rows of a mechanism ---- */

typedef struct row {
  const char *name, *method;
  bool stability;
  ida_settings ida; /* where method is NULL */
} row;

enum { CS = 2, IDA = 3, TUNED = 4, ROWS = 5 };
static const row rows[ROWS] = {
    {.name = "plain GGL", .method = "bdf-ggl"},
    {.name = "bdf-ggl", .method = "bdf-ggl", .stability = true},
    [CS] = {.name = "bdf-cs", .method = "bdf-cs", .stability = true},
    [IDA] = {.name = "IDA", .ida = {1e-4, 1e-4, 1e-4, 5}},
    [TUNED] = {.name = "IDA, tuned", .ida = {1e-4, 1e-4, 1e4, 2}},
};

static result measure(const test_problem *p, int watched, const row *r, double *y)
{
  result best = {.seconds = INFINITY};
  dae_bdf_options opts = dae_bdf_defaults();
  opts.rtol = opts.atol = 1e-4;
  opts.stability = r->stability;
  for (int round = 0; round < ROUNDS; round++) {
    result one = r->method ? run(p, watched, r->method, &opts, y) : run_ida(p, watched, &r->ida, y);
    double seconds = fmin(best.seconds, one.seconds);
    best = one;
    best.seconds = seconds;
  }
  return best;
}

static void compare(const mechanism *m)
{
  dae_model *model;
  dae_error err;
  result results[ROWS];
  bench_check(dae_model_parse("bench", m->text, strlen(m->text), NULL, NULL, &model, &err),
              m->title, &err);
  test_problem p = {.name = "bench",
                    .problem = *dae_model_problem(model),
                    .start = dae_model_start(model),
                    .to = 1,
                    .size = dae_problem_size(dae_model_problem(model))};
  double *y = malloc(2 * (size_t)p.size * sizeof *y);
  if (!y)
    exit(1);
  dae_bdf_options tight = dae_bdf_defaults();
  tight.rtol = tight.atol = m->tight;
  double reference = run(&p, m->watched, "bdf-cs", &tight, y).watched;
  printf("%s, tolerance 1e-4, 1 s\n%-12s %8s %10s %10s\n", m->title, "", "steps", "ms", "error");
  for (int i = 0; i < ROWS; i++) {
    results[i] = measure(&p, m->watched, &rows[i], y);
    printf("%-12s %8ld %10.2f %10.1e\n", rows[i].name, results[i].steps, 1e3 * results[i].seconds,
           fabs(results[i].watched - reference));
  }
  const result *cs = &results[CS];
  printf("steps of plain GGL / bdf-cs: %.1f; time of IDA / bdf-cs: %.1f, tuned: %.2f\n\n",
         (double)results[0].steps / (double)cs->steps, results[IDA].seconds / cs->seconds,
         results[TUNED].seconds / cs->seconds);
  free(y);
  dae_model_free(model);
}

int main(void)
{
  for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++)
    compare(&mechanisms[i]);
  return 0;
}
