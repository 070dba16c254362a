/* Stiff mechanisms from a smooth start: what bdf-cs with its filtered error test needs beside plain
 * bdf-ggl, and beside IDA on the stabilised form written out by hand (ida.c).
 *
 *   crank   a slider crank whose wrist pin is a bushing of stiffness 1e8, without damping; at
 *           tolerance 1e-4 the slow motion is wanted, not the oscillation in the bushing
 *
 * Steps and CPU time for one simulated second, least of some rounds; the error is that of the crank
 * angle against bdf-cs at 1e-8. */
#include "ida.h"
#include "measure.h"

#include <daedal/daedal.h>
#include <string.h>

static const char crank[] =
    "model crank\n"
    "param k = 1e8, w = 10, J1 = 0.0027, J2 = 0.0027, m2 = 0.15, m3 = 0.0755, l1 = 0.15, l2 = 0.3\n"
    "coord phi = 0 rate w, x = l1 + l2/2, y = 0 rate w*l1/2, th = 0 rate -w*l1/l2, s = l1 + l2\n"
    "kinetic J1*phi'^2/2 + m2*(x'^2 + y'^2)/2 + J2*th'^2/2 + m3*s'^2/2\n"
    "let ex = x + l2/2*cos(th) - s, ey = y + l2/2*sin(th)\n"
    "potential k*(ex^2 + ey^2)/2 + 9.81*m2*y\n"
    "constraint x - l2/2*cos(th) = l1*cos(phi)\n"
    "constraint y - l2/2*sin(th) = l1*sin(phi)\n";

enum { SIZE = 12, ROUNDS = 3 }; /* q, v, lambda */

typedef struct result {
  long steps;
  double seconds, phi;
} result;

static result run(const test_problem *p, const char *method, double tolerance)
{
  result best = {.seconds = INFINITY};
  for (int round = 0; round < ROUNDS; round++) {
    dae_bdf_options opts = dae_bdf_defaults();
    dae_integrator *it;
    dae_error err;
    double y[SIZE];
    opts.rtol = opts.atol = tolerance;
    bench_check(
        dae_method_find(method, &err)->create(&p->problem, &p->start, &opts, NULL, &it, &err),
        method, &err);
    double begin = bench_now();
    dae_status status = DAE_OK;
    while (status == DAE_OK)
      status = dae_integrator_step(it, p->to, &err);
    best.seconds = fmin(best.seconds, bench_now() - begin);
    bench_check(status, method, &err);
    bench_check(dae_integrator_interpolate(it, p->to, y, NULL, &err), method, &err);
    best.steps = dae_integrator_stats(it).steps;
    best.phi = y[0];
    dae_integrator_free(it);
  }
  return best;
}

static result run_ida(const test_problem *p, double tolerance)
{
  result best = {.seconds = INFINITY};
  for (int round = 0; round < ROUNDS; round++) {
    double y[SIZE], dy[SIZE];
    dae_error err;
    bench_check(dae_consistent_start(&p->problem, &p->start, NULL, y, dy, NULL, &err), "start",
                &err);
    double begin = bench_now();
    ida_result r = ida_run(p, tolerance, y, dy);
    best.seconds = fmin(best.seconds, bench_now() - begin);
    best.steps = r.steps;
    best.phi = r.reached ? y[0] : NAN;
  }
  return best;
}

static void print(const char *name, const result *r, const result *ggl, double phi)
{
  printf("%-10s %9ld %11.2f %12.2f %10.1e\n", name, r->steps, 1e3 * r->seconds,
         ggl->seconds / r->seconds, fabs(r->phi - phi));
}

int main(void)
{
  dae_model *model;
  dae_error err;
  bench_check(dae_model_parse("crank", crank, strlen(crank), NULL, NULL, &model, &err), "crank",
              &err);
  test_problem p = {.name = "crank",
                    .problem = *dae_model_problem(model),
                    .start = dae_model_start(model),
                    .to = 1,
                    .size = SIZE};
  double phi = run(&p, "bdf-cs", 1e-8).phi;
  result ggl = run(&p, "bdf-ggl", 1e-4), cs = run(&p, "bdf-cs", 1e-4), ida = run_ida(&p, 1e-4);
  printf("slider crank with a bushing of stiffness 1e8, tolerance 1e-4, 1 s\n");
  printf("%-10s %9s %11s %12s %10s\n", "", "steps", "ms", "ggl's / ms", "error");
  print("bdf-ggl", &ggl, &ggl, phi);
  print("bdf-cs", &cs, &ggl, phi);
  print("IDA", &ida, &ggl, phi);
  printf("IDA's time / that of bdf-cs: %.1f\n", ida.seconds / cs.seconds);
  dae_model_free(model);
  return 0;
}
