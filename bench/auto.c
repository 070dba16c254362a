/* `auto` beside every single method on models in text, for bench/auto.py.
 *
 *   bench_auto runs FILE              natively: all runs with status, evaluations, error, as CSV
 *   bench_auto count FILE METHOD:RTOL ...
 *                                     under callgrind: these runs, each in bench_counted_run
 *
 * A run is dae_run without rows: consistent start, creation of the integrator, steps, events. The
 * first run of `count` has a method whose constructor refuses: its instructions are those of the
 * consistent start, which are the same for every method, and are subtracted from the others. */
#include "measure.h"

#include <daedal/daedal.h>
#include <daedal/model.h>
#include <string.h>

#define ATOL_RATIO 0.01
enum { METHODS_MAX = 64 };

static const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};

static dae_model *load(const char *path, dae_run_plan *plan)
{
  dae_error err;
  dae_model *model;
  bench_check(dae_model_load(path, NULL, NULL, &model, &err), path, &err);
  dae_model_plan(model, plan);
  return model;
}

/* Single methods with variable steps that accept the problem, without dynamic iterations;
 * `switching` is what `auto` selects among others, not a single method. The first entry is the
 * selection of `auto` at the tolerance of the model. */
static int list_methods(const dae_model *model, const dae_problem *p, const dae_method **list)
{
  dae_error err;
  int count = 1;
  list[0] = dae_model_choose(model, NULL, 0, &err);
  if (!list[0])
    bench_check(err.status, "auto", &err);
  for (int i = 0; dae_method_at(i) && count < METHODS_MAX; i++) {
    const dae_method *m = dae_method_at(i);
    if (m != list[0] && !m->fixed_step && !m->iterates && strcmp(m->name, "switching") != 0 &&
        (!m->accepts || m->accepts(p, NULL) >= 0))
      list[count++] = m;
  }
  return count;
}

/* ---- runs ---- */

static int print_runs(const char *path)
{
  const dae_method *list[METHODS_MAX];
  dae_comparison *c;
  dae_error err;
  dae_run_plan run = {.to = 0};
  dae_model *model = load(path, &run);
  dae_compare_plan plan = dae_compare_defaults(&run);
  plan.methods = list;
  plan.method_count = list_methods(model, &run.problem, list);
  plan.rtol = tolerances;
  plan.rtol_count = sizeof tolerances / sizeof *tolerances;
  plan.atol_ratio = ATOL_RATIO;
  bench_check(dae_compare(&plan, NULL, &c, &err), path, &err);
  printf("method,rtol,status,evaluations,seconds,error,floor\n");
  for (int i = 0; i < c->runs; i++) {
    const dae_compare_run *r = &c->run[i];
    printf("%s%s,%g,%d,%ld,%.3g,%.3g,%.3g\n",
           r->method == dae_model_choose_at(model, r->rtol, NULL, 0, NULL) ? "auto=" : "",
           r->method->name, r->rtol, (int)r->status, r->stats.evaluations, r->seconds, r->error,
           c->reference.floor);
  }
  dae_comparison_free(c);
  dae_model_free(model);
  return 0;
}

/* ---- counted runs ---- */

/* collected and dumped by callgrind */
__attribute__((noinline)) dae_status bench_counted_run(const dae_run_plan *plan, dae_error *err);
dae_status bench_counted_run(const dae_run_plan *plan, dae_error *err)
{
  dae_summary summary = {0};
  return dae_run(plan, NULL, &summary, err);
}

static dae_status refuse(const dae_problem *problem, const dae_start *start, const void *opts,
                         const dae_env *env, dae_integrator **out, dae_error *err)
{
  (void)problem, (void)start, (void)opts, (void)env, (void)err;
  *out = NULL;
  return DAE_ERROR_USAGE;
}

static int count_runs(const char *path, int count, char **runs)
{
  dae_error err;
  dae_run_plan plan = {.to = 0};
  dae_model *model = load(path, &plan);
  dae_method none = *dae_method_find("radau", &err);
  none.create = refuse;
  plan = (dae_run_plan){.problem = plan.problem,
                        .start = plan.start,
                        .to = plan.to,
                        .events = plan.events,
                        .event_count = plan.event_count,
                        .stops = plan.stops,
                        .stops_user = plan.stops_user,
                        .unmeasured = true,
                        .times = &plan.to};
  for (int i = -1; i < count; i++) {
    char name[64] = "";
    double rtol = 1e-3;
    if (i >= 0 && sscanf(runs[i], "%63[^:]:%lf", name, &rtol) != 2)
      return 2;
    plan.method = i < 0 ? &none : dae_method_find(name, &err);
    if (!plan.method)
      bench_check(DAE_ERROR_USAGE, runs[i], &err);
    void *opts = bench_options(plan.method, rtol);
    char text[32];
    snprintf(text, sizeof text, "%.17g", rtol * ATOL_RATIO);
    bench_check(dae_options_set(plan.method->options, opts, "atol", text, &err), name, &err);
    plan.options = opts;
    dae_summary unused = {0};
    if (i < 0 || strncmp(runs[i], i > 0 ? runs[i - 1] : "", strlen(name) + 1) != 0)
      dae_run(&plan, NULL, &unused, &err); /* tapes that a first evaluation compiles */
    bench_counted_run(&plan, &err);
    free(opts);
  }
  dae_model_free(model);
  return 0;
}

int main(int argc, char **argv)
{
  if (argc == 3 && strcmp(argv[1], "runs") == 0)
    return print_runs(argv[2]);
  if (argc > 3 && strcmp(argv[1], "count") == 0)
    return count_runs(argv[2], argc - 3, argv + 3);
  fprintf(stderr, "usage: bench_auto runs FILE | bench_auto count FILE METHOD:RTOL ...\n");
  return 2;
}
