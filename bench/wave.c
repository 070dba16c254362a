/* Dynamic iteration in threads: a ring of delay lines (examples/models/circuits_ring.dae), each
 * integrated by a solver of its own.
 *
 * Wall-clock time of Jacobi's sweeps with one worker and with more, the same run otherwise: the
 * results are compared bit by bit. Beside it Gauss-Seidel, and the ring assembled into one problem,
 * as the peers would solve it. Best of a few rounds.
 *
 *   bench_wave [systems [rounds]] */
#include "measure.h"
#include <daedal/daedal.h>
#include <daedal/wave.h>
#include <string.h>

#define RING EXAMPLES "/circuits_ring.dae"
#define END 1.0

static double wall(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* One way to solve it, and what came out. */
typedef struct way {
  const char *name;
  const char *method;
  int workers;
  double seconds;
  double *y;
  dae_stats stats;
} way;

static dae_integrator *create(const dae_model *model, const way *w)
{
  dae_error err;
  dae_integrator *it;
  dae_start start = dae_model_start(model);
  const dae_problem *problem = dae_model_problem(model);
  dae_wave_options opts = dae_wave_defaults();
  opts.workers = w->workers;
  dae_status status = DAE_OK;
  if (strcmp(w->method, "jacobi") == 0)
    status = dae_jacobi_create(problem, &start, &opts, NULL, &it, &err);
  else if (strcmp(w->method, "gauss-seidel") == 0)
    status = dae_gauss_seidel_create(problem, &start, &opts, NULL, &it, &err);
  else
    status = dae_method_find(w->method, &err)->create(problem, &start, NULL, NULL, &it, &err);
  bench_check(status, w->name, &err);
  return it;
}

static void run(const dae_model *model, way *w)
{
  dae_error err;
  dae_integrator *it = create(model, w);
  dae_status status = DAE_OK;
  double begin = wall();
  while (status == DAE_OK)
    status = dae_integrator_step(it, END, &err);
  w->seconds = fmin(w->seconds, wall() - begin);
  bench_check(status, w->name, &err);
  bench_check(dae_integrator_interpolate(it, END, w->y, NULL, &err), w->name, &err);
  w->stats = dae_integrator_stats(it);
  dae_integrator_free(it);
}

static dae_model *load(int systems)
{
  char set[32];
  const char *sets[] = {set};
  dae_error err;
  dae_model *model;
  dae_model_options options = dae_model_defaults();
  snprintf(set, sizeof set, "N=%d", systems);
  options.set = sets;
  options.set_count = 1;
  bench_check(dae_model_load(RING, &options, NULL, &model, &err), "load", &err);
  return model;
}

int main(int argc, char **argv)
{
  int systems = argc > 1 ? atoi(argv[1]) : 200, rounds = argc > 2 ? atoi(argv[2]) : 3;
  dae_model *model = load(systems);
  size_t size = (size_t)dae_problem_size(dae_model_problem(model));
  way ways[] = {{.name = "jacobi, 1 worker", .method = "jacobi", .workers = 1},
                {.name = "jacobi, 2 workers", .method = "jacobi", .workers = 2},
                {.name = "gauss-seidel", .method = "gauss-seidel"},
                {.name = "assembled, bdf", .method = "bdf"}};
  const int count = sizeof ways / sizeof *ways;
  for (int i = 0; i < count; i++) {
    ways[i].seconds = INFINITY;
    ways[i].y = calloc(size, sizeof *ways[i].y);
  }
  for (int r = 0; r < rounds; r++) /* in turn, so that all see the same machine */
    for (int i = 0; i < count; i++)
      run(model, &ways[i]);
  printf("ring of %d systems, %zu unknowns, to t = %g\n", systems, size, END);
  printf("%-20s %10s %10s %10s %12s\n", "", "seconds", "windows", "sweeps", "evaluations");
  for (int i = 0; i < count; i++)
    printf("%-20s %10.3f %10ld %10ld %12ld\n", ways[i].name, ways[i].seconds, ways[i].stats.steps,
           ways[i].stats.sweeps, ways[i].stats.evaluations);
  bool same = memcmp(ways[0].y, ways[1].y, size * sizeof *ways[0].y) == 0;
  printf("two workers: %.2f times faster, %s\n", ways[0].seconds / ways[1].seconds,
         same ? "same bits" : "OTHER BITS");
  for (int i = 0; i < count; i++)
    free(ways[i].y);
  dae_model_free(model);
  return same ? 0 : 1;
}
