/* Large models from text. The chain of N links: seconds until it is loaded (parsed, expanded,
 * differentiated, compiled), until an integrator is ready, and the peak memory, for growing N.
 * Linear growth shows as equal times per link. Runs of models beside callbacks in C are measured by
 * bench_work, the tapes alone by bench_tape. */
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

int main(void)
{
  printf("chain from text: CPU seconds until it is loaded, until bdf-ggl can step; peak memory\n");
  printf("%8s %10s %10s %14s %10s\n", "N", "loaded", "ready", "us per link", "MB so far");
  for (int N = 1000; N <= 100000; N *= 10)
    print_chain(N);
  return 0;
}
