/* The methods beside each other: least CPU time over rtol = atol = 10^(-k/2) to reach 4, 6, 8 and
 * 10 correct digits of all unknowns, and the evaluations and the tolerance of that run.
 *
 *   by default   the methods that `auto` takes and what they are made of, beside those it took
 *   with rows    the same with a row in the middle of every step
 *   variants     orders and stages by hand: the rules of explicit, gauss, radau and switching
 *                (which pair, how many stages, gauss or explicit) follow from these
 *   examples     models of examples/ that `daedal compare` is tested with, coupled ones among them
 *   chain        the sparse chain of tests/problems at 1e-5
 *
 * Times are those of the steps without the constructor, which has a column of its own, and the best
 * of rounds that go through all methods in turn. Runs that exceed the patience are given up. Names
 * of problems, or "chain", as arguments: these alone. */
#include "measure.h"

#include <daedal/daedal.h>
#include <daedal/model.h>
#include <string.h>

#define LARGEST 32    /* entries of a state vector */
#define FIRST_K 4     /* tolerances 10^(-k/2) from 1e-2 */
#define TOLERANCES 21 /* to 1e-12 */
#define AT_1E_6 8
#define DIGITS 4 /* 4, 6, 8, 10 */
#define ROUNDS 9
#define PATIENCE 0.05     /* seconds */
#define LONG_PATIENCE 100 /* of the chain */

typedef struct contender {
  const char *name, *method;
  const char *option, *value; /* NULL: as by default */
} contender;

#define BY_DEFAULT(m)                                                                              \
  {                                                                                                \
    .name = (m), .method = (m)                                                                     \
  }

static const contender methods[] = {
    BY_DEFAULT("explicit"),    BY_DEFAULT("gauss"),        BY_DEFAULT("radau"),
    BY_DEFAULT("switching"),   BY_DEFAULT("bdf"),          BY_DEFAULT("bdf-ggl"),
    BY_DEFAULT("spark-gauss"), BY_DEFAULT("gauss-seidel"), BY_DEFAULT("jacobi"),
};
static const contender variants[] = {
    {"explicit 5", "explicit", "order", "5"}, {"explicit 8", "explicit", "order", "8"},
    {"gauss 4", "gauss", "stages", "4"},      {"gauss 5", "gauss", "stages", "5"},
    {"gauss 6", "gauss", "stages", "6"},      {"radau 3", "radau", "stages", "3"},
    {"radau 5", "radau", "stages", "5"},      {"radau 7", "radau", "stages", "7"},
};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define MOST_CONTENDERS 9

/* ---- one run ---- */

typedef struct run {
  dae_stats stats;
  double create, seconds; /* of the constructor, of all steps */
  double mescd;           /* NaN: it did not get to the end, or nothing is known there */
} run;

/* What is asked of it. */
typedef struct task {
  const test_problem *problem;
  bool rows;       /* one in the middle of every step */
  double patience; /* seconds */
} task;

/* options as by default, at this tolerance, and the contender's own */
static void *options_of(const dae_method *method, const contender *c, double tol)
{
  dae_error err;
  void *opts = bench_options(method, tol);
  if (c->option)
    bench_check(dae_options_set(method->options, opts, c->option, c->value, &err), c->name, &err);
  return opts;
}

static dae_status driver(const task *k, dae_integrator *it, double *y)
{
  double until = bench_now() + k->patience;
  dae_status status = DAE_OK;
  for (long i = 1; status == DAE_OK; i++) {
    status = dae_integrator_step(it, k->problem->to, NULL);
    if (status >= 0 && k->rows) {
      dae_view v = dae_integrator_view(it);
      dae_status shown =
          dae_integrator_interpolate(it, v.t_previous + (v.t - v.t_previous) / 2, y, NULL, NULL);
      status = shown < 0 ? shown : status;
    }
    if (i % 100 == 0 && bench_now() > until)
      return DAE_ERROR_STEP;
  }
  return status;
}

static run integrate(const task *k, const contender *c, double tol, double *y)
{
  const test_problem *p = k->problem;
  const dae_method *method = dae_method_find(c->method, NULL);
  void *opts = options_of(method, c, tol);
  dae_integrator *it;
  dae_error err;
  run r = {.mescd = NAN};
  double begin = bench_now();
  bench_check(method->create(&p->problem, &p->start, opts, NULL, &it, &err), c->name, &err);
  double ready = bench_now();
  dae_status status = driver(k, it, y);
  r.seconds = bench_now() - ready;
  r.create = ready - begin;
  r.stats = dae_integrator_stats(it);
  if (status >= 0 && dae_integrator_interpolate(it, p->to, y, NULL, NULL) >= 0 && p->reference)
    r.mescd = bench_mescd(p, p->size, y);
  dae_integrator_free(it);
  free(opts);
  return r;
}

/* ---- one problem ---- */

typedef struct table {
  const contender *list;
  int count;
  bool taken[MOST_CONTENDERS]; /* the problem */
  run runs[MOST_CONTENDERS][TOLERANCES];
} table;

/* a singular M shows at creation only */
static bool takes(const contender *c, const test_problem *p)
{
  const dae_method *method = dae_method_find(c->method, NULL);
  dae_integrator *it = NULL;
  bool taken = method->accepts(&p->problem, NULL) >= 0 &&
               method->create(&p->problem, &p->start, NULL, NULL, &it, NULL) >= 0;
  dae_integrator_free(it);
  return taken;
}

/* one run more; times are the best so far */
static void repeat(const task *k, const contender *c, int i, bool first, run *best)
{
  double y[LARGEST];
  if (!first && isnan(best->mescd))
    return;
  run now = integrate(k, c, pow(10, -0.5 * (FIRST_K + i)), y);
  if (!first) {
    now.seconds = fmin(now.seconds, best->seconds);
    now.create = fmin(now.create, best->create);
  }
  *best = now;
}

static void measure(const task *k, table *t)
{
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < TOLERANCES; i++)
      for (int j = 0; j < t->count; j++)
        if (t->taken[j])
          repeat(k, &t->list[j], i, round == 0, &t->runs[j][i]);
}

/* the fastest run that has the digits; NULL: there is none */
static const run *fastest(const table *t, int j, int d)
{
  const run *best = NULL;
  for (int i = 0; i < TOLERANCES; i++) {
    const run *r = &t->runs[j][i];
    if (r->mescd >= 4 + 2 * d && (!best || r->seconds < best->seconds))
      best = r;
  }
  return best;
}

/* ms, evaluations, tolerance for each number of digits; creation at 1e-6 */
static void print_row(const table *t, int j)
{
  printf("| %-12s |", t->list[j].name);
  for (int d = 0; d < DIGITS; d++) {
    const run *r = fastest(t, j, d);
    if (r)
      printf(" %7.3f %6ld 1e-%-4.1f |", 1e3 * r->seconds, r->stats.evaluations,
             0.5 * (double)(FIRST_K + (r - t->runs[j])));
    else
      printf(" %7s %6s %7s |", "-", "", "");
  }
  printf(" %6.1f |\n", 1e6 * t->runs[j][AT_1E_6].create);
}

static void print_winners(const table *t)
{
  printf("| %-12s |", "fastest");
  for (int d = 0; d < DIGITS; d++) {
    int best = -1;
    for (int j = 0; j < t->count; j++) {
      const run *r = t->taken[j] ? fastest(t, j, d) : NULL;
      if (r && (best < 0 || r->seconds < fastest(t, best, d)->seconds))
        best = j;
    }
    printf(" %-22s |", best < 0 ? "-" : t->list[best].name);
  }
  printf(" %6s |\n", "");
}

static void compare(const task *k, const char *what, const contender *list, int count)
{
  static table t;
  t = (table){.list = list, .count = count};
  if (k->problem->size > LARGEST || count > MOST_CONTENDERS)
    exit(1);
  for (int j = 0; j < count; j++)
    t.taken[j] = takes(&list[j], k->problem);
  measure(k, &t);
  printf("\n%s, %s: ms, evaluations, tolerance for so many digits; microseconds to create\n"
         "| %-12s | %-22s | %-22s | %-22s | %-22s | %-6s |\n|---|---|---|---|---|---|\n",
         k->problem->name, what, "", "4", "6", "8", "10", "create");
  for (int j = 0; j < count; j++)
    if (t.taken[j])
      print_row(&t, j);
  print_winners(&t);
  fflush(stdout);
}

/* ---- a stiff mechanism ---- */

/* that of bench_stiff with a damper in its bushing, whose direction turns with the rod */
static const char crank_text[] =
    "model crank\n"
    "param k = 1e8, d = 1e4, w = 10, J1 = 0.0027, J2 = 0.0027, m2 = 0.15, m3 = 0.0755\n"
    "param l1 = 0.15, l2 = 0.3\n"
    "coord phi = 0 rate w, x = l1 + l2/2, y = 0 rate w*l1/2, th = 0 rate -w*l1/l2, s = l1 + l2\n"
    "kinetic J1*phi'^2/2 + m2*(x'^2 + y'^2)/2 + J2*th'^2/2 + m3*s'^2/2\n"
    "let ex = x + l2/2*cos(th) - s, ey = y + l2/2*sin(th)\n"
    "let dx = x' - l2/2*sin(th)*th' - s', dy = y' + l2/2*cos(th)*th'\n"
    "potential k*(ex^2 + ey^2)/2 + 9.81*m2*y\n"
    "force x = -d*dx\n"
    "force y = -d*dy\n"
    "force s = d*dx\n"
    "force th = d*dx*l2/2*sin(th) - d*dy*l2/2*cos(th)\n"
    "constraint x - l2/2*cos(th) = l1*cos(phi)\n"
    "constraint y - l2/2*sin(th) = l1*sin(phi)\n";

/* the end: 50,000 steps of gauss at 1e-12; explicit at 1e-11 agrees to 1e-12 in q and v */
static test_problem stiff_crank(dae_model **model)
{
  static const double end[] = {3.4021917865579692,  0.0038146423639525274, -0.019324465456254828,
                               0.12918878694839186, 0.15256464476288326,   10.568317054901234,
                               0.30895924809083936, -0.76586142105599131,  5.1486483432380101,
                               0.20946435144242859, -2.633411500874026,    -1.0367016816734527};
  dae_error err;
  bench_check(dae_model_parse("bench", crank_text, strlen(crank_text), NULL, NULL, model, &err),
              "crank", &err);
  return (test_problem){.name = "stiff_crank",
                        .problem = *dae_model_problem(*model),
                        .start = dae_model_start(*model),
                        .to = 0.5,
                        .size = COUNT(end),
                        .reference = end};
}

/* ---- models that `daedal compare` is tested with ---- */

/* A model of examples/models. Its end comes from radau at 1e-13, which rk4 with small steps agrees
 * with to 1e-14 on the circuits, and gauss on the skate (`daedal compare`). */
static test_problem example(const char *name, dae_model **model, double end[LARGEST])
{
  static const contender tight = BY_DEFAULT("radau");
  char path[512];
  dae_error err;
  dae_run_plan plan = {.to = 0};
  snprintf(path, sizeof path, EXAMPLES "/%s.dae", name);
  bench_check(dae_model_load(path, NULL, NULL, model, &err), name, &err);
  dae_model_plan(*model, &plan);
  test_problem p = {.name = name,
                    .problem = plan.problem,
                    .start = plan.start,
                    .to = plan.to,
                    .size = dae_problem_size(&plan.problem)};
  if (p.size > LARGEST)
    exit(1);
  integrate(&(task){.problem = &p, .patience = LONG_PATIENCE}, &tight, 1e-13, end);
  p.reference = end;
  return p;
}

/* ---- the chain ---- */

static void print_chain(int n, const contender *c, const run *r)
{
  const dae_stats *s = &r->stats;
  printf("| %5d | %-9s | %5ld | %6ld | %5ld | %5ld | %2ld | %8.2f |", n, c->name, s->steps,
         s->evaluations, s->jacobians, s->factorisations, s->switches, 1e3 * r->seconds);
  if (isnan(r->mescd)) /* the tip of 10,000 links is not known */
    printf(" %5s |\n", "-");
  else
    printf(" %5.2f |\n", r->mescd);
  fflush(stdout);
}

static void compare_chain(int n, int rounds)
{
  static const contender all[] = {BY_DEFAULT("switching"),
                                  BY_DEFAULT("radau"),
                                  {"radau 3", "radau", "stages", "3"},
                                  BY_DEFAULT("bdf-ggl")};
  run best[COUNT(all)] = {{.seconds = 0}};
  test_problem p = test_chain(n, TEST_CHAIN_MODE);
  task k = {.problem = &p, .patience = LONG_PATIENCE};
  double *y = malloc((size_t)p.size * sizeof *y);
  if (!p.memory || !y)
    exit(1);
  for (int round = 0; round < rounds; round++)
    for (int j = 0; j < COUNT(all); j++) {
      run now = integrate(&k, &all[j], 1e-5, y);
      now.seconds = round > 0 ? fmin(now.seconds, best[j].seconds) : now.seconds;
      best[j] = now;
    }
  for (int j = 0; j < COUNT(all); j++)
    print_chain(n, &all[j], &best[j]);
  free(y);
  test_problem_free(&p);
}

/* ---- all of them ---- */

static void compare_all(const test_problem *p)
{
  task k = {.problem = p, .patience = PATIENCE};
  compare(&k, "by default", methods, COUNT(methods));
  compare(&k, "variants", variants, COUNT(variants));
  k.rows = true;
  compare(&k, "with rows", methods, COUNT(methods));
}

static void compare_chains(void)
{
  printf("\nchain, mode shape, rtol = atol = 1e-5, 1 s\n| N | method | steps | evaluations | "
         "Jacobians | factorisations | switches | ms | mescd |\n|---|---|---|---|---|---|---|---|"
         "---|\n");
  compare_chain(100, 7);
  compare_chain(1000, 3);
  compare_chain(10000, 1);
}

static bool asked_for(const char *name, int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (strcmp(name, argv[i]) == 0)
      return true;
  return argc < 2;
}

static void compare_examples(int argc, char **argv)
{
  static const char *const names[] = {"skate", "two_circuits", "three_circuits"};
  for (int i = 0; i < COUNT(names); i++) {
    dae_model *model;
    double end[LARGEST];
    if (!asked_for(names[i], argc, argv))
      continue;
    test_problem p = example(names[i], &model, end);
    compare(&(task){.problem = &p, .patience = PATIENCE}, "by default", methods, COUNT(methods));
    dae_model_free(model);
  }
}

int main(int argc, char **argv)
{
  dae_model *model;
  const test_problem all[] = {
      test_pendulum(),     test_car_axis(),    test_slider_crank(),
      stiff_crank(&model), test_knife_edge(),  test_cylinder_skate(),
      test_motor(),        test_van_der_pol(), test_transistor_amplifier(),
      test_akzo_nobel(),   test_hessenberg2(),
  };
  for (int i = 0; i < COUNT(all); i++)
    if (asked_for(all[i].name, argc, argv))
      compare_all(&all[i]);
  compare_examples(argc, argv);
  if (asked_for("chain", argc, argv))
    compare_chains();
  dae_model_free(model);
  return 0;
}
