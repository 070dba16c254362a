/* Models from text.
 *
 * The chain of N links: seconds until it is loaded (parsed, expanded, differentiated, compiled),
 * until an integrator is ready, and the peak memory, for growing N. Linear growth shows as equal
 * times per link.
 *
 * The car axis: a whole integration with the model, and with the callbacks of the test problem,
 * which are written by hand. What the tapes alone cost is measured by bench_tape. */
#include "measure.h"
#include <daedal/daedal.h>
#include <string.h>

static const char chain_text[] =
    "model chain\n"
    "param N = 100, L = 1/N, g = 9.81\n"
    "coord x[1..N] = i*L, y[1..N] = 0\n"
    "for i in 1..N {\n"
    "  kinetic    (x[i]'^2 + y[i]'^2)/2/N\n"
    "  potential  g*y[i]/N\n"
    "}\n"
    "constraint x[1]^2 + y[1]^2 = L^2\n"
    "for i in 2..N { constraint (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = L^2 }\n";

static const char car_text[] =
    "model car_axis\n"
    "param M = 10, eps = 0.01, L = 1, L0 = 0.5, r = 0.1, w = 10, g = 1, k = M*eps^2/2\n"
    "coord xl = 0 rate -0.5, yl = 0.5, xr = 1 rate -0.5, yr = 0.5\n"
    "let yb = r*sin(w*t), xb = sqrt(L^2 - yb^2)\n"
    "let Ll = sqrt(xl^2 + yl^2), Lr = sqrt((xr - xb)^2 + (yr - yb)^2)\n"
    "kinetic k*(xl'^2 + yl'^2 + xr'^2 + yr'^2)/2\n"
    "potential (Ll - L0)^2/2 + (Lr - L0)^2/2 + k*g*(yl + yr)\n"
    "constraint xl*xb + yl*yb = 0\n"
    "constraint (xl - xr)^2 + (yl - yr)^2 = L^2\n";

static dae_model *load(const char *text, const char *set)
{
  dae_error err;
  dae_model *model;
  dae_model_options options = dae_model_defaults();
  options.set = &set;
  options.set_count = set != NULL;
  bench_check(dae_model_parse("bench", text, strlen(text), &options, NULL, &model, &err), "load",
              &err);
  return model;
}

static void print_chain(int N)
{
  char set[32];
  dae_error err;
  dae_integrator *it;
  snprintf(set, sizeof set, "N=%d", N);
  double begin = bench_now();
  dae_model *model = load(chain_text, set);
  double loaded = bench_now();
  dae_start start = dae_model_start(model);
  const dae_method *method = dae_method_find("bdf-ggl", &err);
  bench_check(method->create(dae_model_problem(model), &start, NULL, NULL, &it, &err), "create",
              &err);
  double ready = bench_now();
  printf("%8d %10.3f %10.3f %14.2f %10.0f\n", N, loaded - begin, ready - begin,
         1e6 * (ready - begin) / N, bench_peak_memory());
  dae_integrator_free(it);
  dae_model_free(model);
}

/* ---- car axis ---- */

enum { ROUNDS = 15 };

/* seconds of one integration over 3 s at rtol = atol = 1e-6 */
static double integrate(const dae_problem *problem, const dae_start *start)
{
  dae_error err;
  dae_integrator *it;
  dae_bdf_options opts = dae_bdf_defaults();
  opts.rtol = opts.atol = 1e-6;
  bench_check(dae_bdf_ggl_create(problem, start, &opts, NULL, &it, &err), "create", &err);
  double begin = bench_now();
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, 3, &err);
  double seconds = bench_now() - begin;
  bench_check(status, "step", &err);
  dae_integrator_free(it);
  return seconds;
}

static void print_car(void)
{
  test_problem by_hand = test_car_axis();
  dae_model *model = load(car_text, NULL);
  dae_start start = dae_model_start(model);
  double best[2] = {INFINITY, INFINITY};
  for (int round = 0; round < ROUNDS; round++) {
    best[0] = fmin(best[0], integrate(dae_model_problem(model), &start));
    best[1] = fmin(best[1], integrate(&by_hand.problem, &by_hand.start));
  }
  printf("%10.2f %10.2f %8.2f\n", 1e3 * best[0], 1e3 * best[1], best[0] / best[1]);
  dae_model_free(model);
  test_problem_free(&by_hand);
}

int main(void)
{
  printf("chain from text: CPU seconds until it is loaded, until bdf-ggl can step; peak memory\n");
  printf("%8s %10s %10s %14s %10s\n", "N", "loaded", "ready", "us per link", "MB so far");
  for (int N = 1000; N <= 100000; N *= 10)
    print_chain(N);
  printf("\ncar axis, 3 s with bdf-ggl at 1e-6: milliseconds from text and with callbacks in C\n");
  printf("%10s %10s %8s\n", "model", "C", "ratio");
  print_car();
  return 0;
}
