/* One run of a fixed small set, to be counted by callgrind: instructions tell what a clock on a
 * busy machine does not (bench/check.sh, `make bench-check`).
 *
 *   bench_count            lists the runs
 *   bench_count NAME       does one: once to warm up, once more in bench_counted_run
 *   bench_count PROBLEM METHOD TOLERANCE   does this one, prints its digits
 *   bench_count --built    says by what the library and the bench were compiled */
#include "measure.h"
#include "work/cases.h"

#include <daedal/daedal.h>
#include <daedal/model.h>
#include <string.h>

typedef struct counted {
  const char *name, *problem, *method; /* method "auto": what it stands for */
  double tol;
} counted;

/* problem: a case of bench_work, a model NAME.dae of examples/models, or a number of links */
static const counted runs[] = {
    {"pendulum-auto-6", "pendulum", "auto", 1e-6},
    {"pendulum-explicit-6", "pendulum", "explicit", 1e-6},
    {"pendulum-gauss-10", "pendulum", "gauss", 1e-10},
    {"pendulum-bdf-ggl-6", "pendulum", "bdf-ggl", 1e-6},
    {"car-axis-auto-6", "car_axis", "auto", 1e-6},
    {"knife-edge-auto-6", "knife_edge", "auto", 1e-6},
    {"stiff-crank-radau-6", "stiff_crank", "radau", 1e-6},
    {"stiff-load-radau-4", "stiff_load", "radau", 1e-4},
    {"stiff-load-auto-2", "stiff_load", "auto", 1e-2},
    {"damped-crank-auto-4", "damped_crank", "auto", 1e-4},
    {"amplifier-auto-4", "transistor_amplifier", "auto", 1e-4},
    {"akzo-auto-6", "akzo_nobel", "auto", 1e-6},
    {"akzo-radau-6", "akzo_nobel", "radau", 1e-6},
    {"four-bar-bdf-ggl-6", "four_bar", "bdf-ggl", 1e-6},
    {"robertson-auto-3", "robertson", "auto", 1e-3},
    {"robertson-auto-7", "robertson", "auto", 1e-7},
    {"akzo-bdf-6", "akzo_nobel", "bdf", 1e-6},
    {"two-circuits-auto-4", "two_circuits", "auto", 1e-4},
    {"chain-100-auto-5", "100", "auto", 1e-5},
    {"chain-100-bdf-ggl-5", "100", "bdf-ggl", 1e-5},
    {"pendulum-dae-auto-6", "pendulum.dae", "auto", 1e-6},
    {"car-axis-dae-auto-6", "car_axis.dae", "auto", 1e-6},
};
enum { RUNS = sizeof runs / sizeof *runs };

/* from creation to release */
static void run(const dae_method *method, const test_problem *p, const void *opts, double *y)
{
  dae_integrator *it;
  dae_error err;
  bench_check(method->create(&p->problem, &p->start, opts, NULL, &it, &err), p->name, &err);
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, p->to, &err);
  bench_check(status, p->name, &err);
  bench_check(dae_integrator_interpolate(it, p->to, y, NULL, &err), p->name, &err);
  dae_integrator_free(it);
}

/* callgrind is told to count what happens in here */
__attribute__((noinline)) void bench_counted_run(const dae_method *method, const test_problem *p,
                                                 const void *opts, double *y);
void bench_counted_run(const dae_method *method, const test_problem *p, const void *opts, double *y)
{
  run(method, p, opts, y);
}

static test_problem from_model(const char *file, dae_model **model)
{
  char path[512];
  dae_error err;
  dae_run_plan plan = {.to = 0};
  snprintf(path, sizeof path, EXAMPLES "/%s", file);
  bench_check(dae_model_load(path, NULL, NULL, model, &err), path, &err);
  dae_model_plan(*model, &plan);
  return (test_problem){.name = file,
                        .problem = plan.problem,
                        .start = plan.start,
                        .to = plan.to,
                        .size = dae_problem_size(&plan.problem)};
}

/* *scored: number of entries of the state whose digits count, 0: no reference */
static test_problem find_problem(const char *name, dae_model **model, int *scored)
{
  bench_case c;
  *scored = 0;
  for (int i = 0; case_at(i, &c); i++)
    if (strcmp(c.problem.name, name) == 0) {
      *scored = c.scored;
      return c.problem;
    }
  return strstr(name, ".dae") ? from_model(name, model) : test_chain(atoi(name), TEST_CHAIN_MODE);
}

static int count_one(const counted *c)
{
  dae_model *model = NULL;
  dae_error err;
  int scored;
  test_problem p = find_problem(c->problem, &model, &scored);
  const dae_method *method = strcmp(c->method, "auto") == 0
                                 ? dae_method_choose_at(&p.problem, c->tol, NULL, 0, &err)
                                 : dae_method_find(c->method, &err);
  void *opts = bench_options(method, c->tol);
  double *y = malloc((size_t)p.size * sizeof *y);
  if (!y)
    return 1;
  run(method, &p, opts, y); /* symbols are bound, and what is made at a first call is made */
  bench_counted_run(method, &p, opts, y);
  if (!c->name)
    printf("%s %s %.3g: %.2f digits\n", c->problem, method->name, c->tol,
           scored > 0 ? bench_mescd(&p, scored, y) : NAN);
  free(y);
  free(opts);
  test_problem_free(&p);
  dae_model_free(model);
  return 0;
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--built") == 0) {
    printf("%s, %s\n", BENCH_COMPILER, BENCH_FLAGS);
    return 0;
  }
  if (argc == 4)
    return count_one(
        &(counted){.problem = argv[1], .method = argv[2], .tol = strtod(argv[3], NULL)});
  for (int i = 0; i < RUNS; i++) {
    if (argc < 2)
      printf("%s\n", runs[i].name);
    else if (strcmp(argv[1], runs[i].name) == 0)
      return count_one(&runs[i]);
  }
  return argc < 2 ? 0 : 2;
}
