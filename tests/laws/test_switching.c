/* Between gauss, explicit steps and radau: where the motion becomes stiff they are changed once,
 * where it ceases to be they are changed back, and where it never is they are left alone; at little
 * more than what the better single method needs, and without a trace in save and load.
 *
 * The motions: examples/models/stiffening.dae, a spring that stiffens (or softens) by 1e6 half-way;
 * chains of N links, whose fastest mode is as fast as N; mechanisms that are not stiff. */
#include "counting_env.h"
#include "same_bits.h"
#include "text_problem.h"

#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 32 /* entries of a state vector */
#define COORDINATES 3
/* times the work of the better single method, whose evaluations are dearer; gauss keeps a smaller
 * share of the tolerance than radau, and is the first half of the run */
#define FEW 1.6
#define MATRICES                                                                                   \
  4 /* evaluations that the Jacobians at a point are worth, DAE__RADAU_JACOBIAN_WORK */

static const double all[] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
#define ALL ((int)(sizeof all / sizeof *all))

/* ---- motions ---- */

/* steep < 0: it softens. The model is to be freed after the problem. */
static dae_model *spring(const char *steep, test_problem *out)
{
  dae_model_options values = dae_model_defaults();
  dae_model *model = NULL;
  dae_error err = dae_error_none();
  values.set = &steep;
  values.set_count = 1;
  if (dae_model_load(MODELS "/stiffening.dae", &values, NULL, &model, &err))
    fail_msg("%s", err.text);
  *out = (test_problem){.name = "stiffening",
                        .problem = *dae_model_problem(model),
                        .start = dae_model_start(model),
                        .to = 20};
  out->size = dae_problem_size(&out->problem);
  assert_true(out->size <= MOST);
  return model;
}

static dae_integrator *create(const char *name, const test_problem *p, double tolerance,
                              const dae_env *env)
{
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  const dae_method *method = dae_method_find(name, &err);
  dae_rk_options opts = dae_rk_adaptive_defaults();
  opts.rtol = opts.atol = tolerance;
  assert_non_null(method);
  if (method->create(&p->problem, &p->start, &opts, env, &it, &err))
    fail_msg("%s, %s: %s", p->name, name, err.text);
  return it;
}

static bool step(const test_problem *p, dae_integrator *it)
{
  dae_error err = dae_error_none();
  if (dae_integrator_view(it).t >= p->to)
    return false;
  if (dae_integrator_step(it, p->to, &err) < 0)
    fail_msg("%s: %s", p->name, err.text);
  return true;
}

/* ---- runs ---- */

typedef struct ran {
  dae_stats stats;
  double y[MOST];
  double implicit[2]; /* share of steps of radau in the first half of the time, in the second */
  bool first, last;   /* whether those are its steps */
  long plain;         /* steps of a pair */
} ran;

/* at tolerances up to 1e-4 the order tells who made a step: radau 5, 9 or 13, a pair 8, gauss 10 or
 * 12 */
static ran run(const char *name, const test_problem *p, double tolerance)
{
  ran r = {.first = false};
  dae_integrator *it = create(name, p, tolerance, NULL);
  while (step(p, it)) {
    r.stats = dae_integrator_stats(it);
    dae_view view = dae_integrator_view(it);
    r.last = view.order % 2 == 1;
    r.plain += view.order == 8;
    r.first = r.stats.steps == 1 ? r.last : r.first;
    if (r.last)
      r.implicit[view.t > p->to / 2] += (view.t - view.t_previous) / (p->to / 2);
  }
  if (p->size <= MOST)
    support_state(it, r.y, NULL);
  dae_integrator_free(it);
  return r;
}

static double work(const ran *r)
{
  return (double)(r->stats.evaluations + MATRICES * r->stats.jacobians);
}

static void show(double tolerance, const ran *ours, const ran *radau)
{
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%.0e: %ld switches, %.2f of the work of radau\n", tolerance,
                  ours->stats.switches, work(ours) / work(radau));
}

static double apart(const ran *a, const ran *b)
{
  double most = 0;
  for (int i = 0; i < COORDINATES; i++)
    most = fmax(most, fabs(a->y[i] - b->y[i]));
  return most;
}

/* ---- a spring that stiffens ---- */

/* how far explicit steps come with so many evaluations */
static double reach(const test_problem *p, double tolerance, double evaluations)
{
  dae_integrator *it = create("explicit", p, tolerance, NULL);
  while ((double)dae_integrator_stats(it).evaluations < evaluations && step(p, it))
    ;
  double t = dae_integrator_view(it).t;
  dae_integrator_free(it);
  return t;
}

/* one switch, or a trial of radau that ends before it */
static void test_a_spring_that_stiffens_is_one_switch(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = spring("steep=20", &p);
  ran exact = run("radau", &p, 1e-12);
  for (int i = 0; i < ALL; i++) {
    ran r = run("switching", &p, all[i]);
    if (r.stats.switches != 1 && r.stats.switches != 3)
      fail_msg("%g: %ld switches", all[i], r.stats.switches);
    if (!(apart(&r, &exact) < 5 * all[i]))
      fail_msg("%g: apart by %g", all[i], apart(&r, &exact));
    assert_true(r.last);
  }
  dae_model_free(model);
}

static void test_it_costs_little_more_than_the_better_single_method(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = spring("steep=20", &p);
  for (int i = 0; i < ALL; i++) {
    ran radau = run("radau", &p, all[i]), ours = run("switching", &p, all[i]);
    show(all[i], &ours, &radau);
    if (!(work(&ours) <= FEW * work(&radau)))
      fail_msg("%g: %g evaluations, radau %g", all[i], work(&ours), work(&radau));
    assert_true(reach(&p, all[i], 2 * work(&radau)) < 12); /* radau is the better one */
  }
  dae_model_free(model);
}

/* ---- a spring that softens ---- */

static void test_a_spring_that_softens_begins_with_radau_and_is_one_switch(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = spring("steep=-40", &p);
  ran exact = run("radau", &p, 1e-12);
  for (int i = 0; i < ALL && all[i] > 1e-7; i++) {
    ran r = run("switching", &p, all[i]);
    if (r.stats.switches != 1 || !r.first || r.last)
      fail_msg("%g: %ld switches", all[i], r.stats.switches);
    assert_true(r.implicit[0] > 0.95 && r.implicit[1] < 0.85);
    assert_true(apart(&r, &exact) < 5 * all[i]);
  }
  dae_model_free(model);
}

/* gauss saves too little there to be worth it */
static void test_a_spring_that_softens_costs_little_more_than_radau(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = spring("steep=-40", &p);
  for (int i = 0; i < ALL; i++) {
    ran radau = run("radau", &p, all[i]), ours = run("switching", &p, all[i]);
    show(all[i], &ours, &radau);
    if (!(work(&ours) <= FEW * work(&radau)))
      fail_msg("%g: %g evaluations, radau %g", all[i], work(&ours), work(&radau));
  }
  dae_model_free(model);
}

/* ---- slow motion after a fast transient ---- */

/* Stiff modes that are damped, critically or more, or not at all: explicit steps are limited far
 * below their stability limit, by the error of stages off the slow motion. */
static void test_slow_motions_after_a_transient_cost_little_more_than_radau(void **state)
{
  (void)state;
#define ROD(k, d)                                                                                  \
  "model rod\ncoord x = 1, y = 0\nlet L = sqrt(x^2 + y^2)\nkinetic (x'^2 + y'^2)/2\n"              \
  "potential 9.81*y + " k "*(L - 1)^2/2\nforce x = -" d "*L'*x/L\nforce y = -" d "*L'*y/L\n"
  static const char *const texts[] = {
      ROD("1e6", "2e3"), ROD("1e8", "0"),
      "model brake\ncoord x = 1 rate 100\nkinetic x'^2/2\npotential x^2/2\nforce x = -1e5*x'\n",
      "model enzyme\nstate s = 1, c = 0\ns' = -1e4*s*(1e-3 - c) + 10*c\n"
      "c' = 1e4*s*(1e-3 - c) - 1010*c\n",
      "model pair\ncoord x = 0 rate 1, y = 0\nkinetic (x'^2 + y'^2)/2\n"
      "potential 1e7*(x - y)^2/2 + (x^2 + y^2)/2\nforce x = -5e3*(x' - y')\n"
      "force y = 5e3*(x' - y')\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    test_problem p;
    dae_model *model = text_problem(texts[i], NULL, 0, 100, &p);
    ran radau = run("radau", &p, 1e-6), ours = run("switching", &p, 1e-6);
    show(1e-6, &ours, &radau);
    if (!(work(&ours) <= 3 * work(&radau)))
      fail_msg("%s: %g evaluations, radau %g", p.name, work(&ours), work(&radau));
    dae_model_free(model);
  }
}

/* ---- manifolds that become attractive ---- */

/* A whole run, with the default atol, and with steps that end where functions of time are steep. */
static ran run_model(const dae_model *model, const char *method, double rtol)
{
  dae_summary summary;
  dae_error err = dae_error_none();
  dae_rk_options opts = dae_rk_adaptive_defaults();
  dae_run_plan plan = {
      .method = dae_method_find(method, NULL), .options = &opts, .unmeasured = true};
  dae_model_plan(model, &plan);
  opts.rtol = rtol;
  if (dae_run(&plan, NULL, &summary, &err) < 0)
    fail_msg("%s: %s", method, err.text);
  return (ran){.stats = summary.stats};
}

/* From t = 10 on the manifold attracts at a rate of 1e3 or 1e5; explicit steps are limited by the
 * error of their stages off the manifold, to a small part of the stability limit, at which no step
 * is near it or short for the tolerance (measured: at most 1.4 times the work of radau; up to 190
 * times where only such steps count as stiff). */
static void test_manifolds_that_become_attractive_cost_little_more_than_radau(void **state)
{
  (void)state;
#define RATE(digits) "let k = 10^(" digits "*(1 + tanh(20*(t - 10)))/2)\n"
#define SQUARE "u' = -k*(u - x^2)\nx' = y\ny' = -4*x\nsimulate to 40\n"
  static const char *const texts[] = {
      "model follower\nstate u = 1\n" RATE("3") "u' = -k*(u - cos(t))\nsimulate to 40\n",
      "model square\nstate u = 1, x = 1, y = 0\n" RATE("3") SQUARE,
      "model square\nstate u = 1, x = 1, y = 0\n" RATE("5") SQUARE};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    for (int k = 0; k < ALL; k++) {
      test_problem p;
      dae_model *model = text_problem(texts[i], NULL, 0, 40, &p);
      ran radau = run_model(model, "radau", all[k]), ours = run_model(model, "switching", all[k]);
      show(all[k], &ours, &radau);
      if (!(work(&ours) <= 3 * work(&radau)))
        fail_msg("%s, %g: %g evaluations, radau %g", p.name, all[k], work(&ours), work(&radau));
      dae_model_free(model);
    }
}

/* ---- others ---- */

/* stability binds explicit steps to 0.7/N, and lets them have 17 N evaluations in a second */
static void test_long_chains_do_not_stay_explicit(void **state)
{
  (void)state;
  static const int sizes[] = {100, 200, 1000};
  for (int i = 0; i < 3; i++) {
    test_problem p = test_chain(sizes[i], TEST_CHAIN_MODE);
    ran r = run("switching", &p, 1e-5);
    if (!(r.last && r.stats.switches <= 1 && r.stats.evaluations < 700))
      fail_msg("N = %d: %ld switches, %ld evaluations", sizes[i], r.stats.switches,
               r.stats.evaluations);
    test_problem_free(&p);
  }
}

static void test_motions_that_are_not_stiff_never_switch(void **state)
{
  (void)state;
  test_problem (*const makers[])(void) = {test_pendulum, test_car_axis, test_knife_edge};
  for (size_t k = 0; k < sizeof makers / sizeof *makers; k++)
    for (int i = 0; i < ALL; i++) {
      test_problem p = makers[k]();
      ran r = run("switching", &p, all[i]);
      if (r.stats.switches || r.stats.jacobians)
        fail_msg("%s, %g: %ld switches", p.name, all[i], r.stats.switches);
      test_problem_free(&p);
    }
}

/* ---- gauss or explicit steps ---- */

static void test_smooth_motions_are_those_of_gauss(void **state)
{
  (void)state;
  test_problem (*const makers[])(void) = {test_pendulum, test_car_axis, test_knife_edge};
  for (size_t k = 0; k < sizeof makers / sizeof *makers; k++)
    for (int i = 0; i < ALL; i++) {
      test_problem p = makers[k]();
      ran gauss = run("gauss", &p, all[i]), ours = run("switching", &p, all[i]);
      assert_int_equal(ours.plain, 0);
      assert_int_equal(ours.stats.rejected_by_convergence, 0); /* in its first step, that is */
      if (gauss.stats.rejected_by_convergence == 0) {
        assert_int_equal(ours.stats.steps, gauss.stats.steps);
        assert_memory_equal(ours.y, gauss.y, (size_t)p.size * sizeof *ours.y);
      }
      test_problem_free(&p);
    }
}

/* The fast modes of a short chain hardly move: they limit the convergence of gauss, not accuracy.
 */
static void test_fast_modes_that_rest_are_not_left_to_gauss(void **state)
{
  (void)state;
  for (int i = 0; i < ALL && all[i] > 1e-9; i++) {
    test_problem p = test_chain(20, TEST_CHAIN_MODE);
    ran pair = run("explicit", &p, all[i]), ours = run("switching", &p, all[i]);
    bool changed = ours.plain > 0 || ours.stats.switches > 0;
    if (!(changed && (double)ours.stats.evaluations < 1.6 * (double)pair.stats.evaluations))
      fail_msg("%g: %ld explicit steps, %ld evaluations, explicit %ld", all[i], ours.plain,
               ours.stats.evaluations, pair.stats.evaluations);
    test_problem_free(&p);
  }
}

/* ---- save and load ---- */

/* the number of the step after which the first switch is there */
static int step_of_switch(const same_set_up *s)
{
  dae_integrator *it = same_create(s);
  int steps = 0;
  while (dae_integrator_stats(it).switches == 0) {
    assert_true(same_step(s, it));
    steps++;
  }
  dae_integrator_free(it);
  return steps;
}

static void check_bits(const char *steep, const char *tolerance)
{
  test_problem p;
  dae_model *model = spring(steep, &p);
  same_set_up s = same_set_up_of(&p, dae_method_find("switching", NULL), 0);
  assert_int_equal(dae_options_set(s.method->options, &s.opts, "rtol", tolerance, NULL), DAE_OK);
  assert_int_equal(dae_options_set(s.method->options, &s.opts, "atol", tolerance, NULL), DAE_OK);
  int at = step_of_switch(&s);
  assert_true(at > 2);
  const int before[] = {1, at / 2, at - 1, at, at + 1, at + 12};
  for (size_t i = 0; i < sizeof before / sizeof *before; i++)
    same_check(&s, before[i]);
  dae_model_free(model);
}

static void test_load_goes_on_with_the_same_bits_around_a_switch(void **state)
{
  (void)state;
  static const char *const tolerances[] = {"1e-4", "1e-6", "1e-8"};
  for (int i = 0; i < 3; i++) {
    check_bits("steep=20", tolerances[i]);
    check_bits("steep=-40", tolerances[i]);
  }
}

/* ---- memory and log ---- */

static void test_neither_steps_nor_switches_allocate(void **state)
{
  (void)state;
  static const char *const steep[] = {"steep=20", "steep=-40"};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < ALL; i++) {
      test_problem p;
      counting_env count = {0};
      dae_env env = counting_env_of(&count);
      dae_model *model = spring(steep[k], &p);
      dae_integrator *it = create("switching", &p, all[i], &env);
      assert_true(dae_integrator_save_size(it) > 0); /* all state, that of radau among it */
      long calls = count.calls;
      while (step(&p, it))
        ;
      if (k == 0 || all[i] > 1e-7)
        assert_true(dae_integrator_stats(it).switches > 0);
      assert_int_equal(count.calls, calls);
      dae_integrator_free(it);
      assert_int_equal(count.live, 0);
      dae_model_free(model);
    }
}

/* Status of a run with an allocation refused, counted from the creation of the integrator on. */
static dae_status run_refused(const test_problem *p, long refused, long *asked)
{
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  dae_error err = dae_error_none();
  dae_integrator *it = create("switching", p, 1e-6, &env);
  long created = count.calls;
  dae_status status = DAE_OK;
  count.fail_at = refused > 0 ? created + refused : 0;
  while (status == DAE_OK)
    status = dae_integrator_step(it, p->to, &err);
  *asked = count.calls - created;
  assert_true(status >= 0 || err.status == status);
  if (status < 0) { /* the memory stays refused, and is asked for before any byte is written */
    char buffer[1];
    assert_int_equal(dae_integrator_save(it, buffer, sizeof buffer, NULL), DAE_ERROR_MEMORY);
  }
  dae_integrator_free(it);
  assert_int_equal(count.live, 0);
  return status;
}

static void test_memory_for_radau_is_asked_for_at_the_first_switch(void **state)
{
  (void)state;
  test_problem p, plain = test_pendulum();
  dae_model *model = spring("steep=20", &p);
  long asked, asked_then;
  assert_int_equal(run_refused(&plain, 0, &asked), DAE_END);
  assert_int_equal(asked, 0);
  assert_int_equal(run_refused(&p, 0, &asked), DAE_END);
  assert_true(asked > 0);
  for (long i = 1; i <= asked; i++)
    assert_int_equal(run_refused(&p, i, &asked_then), DAE_ERROR_MEMORY);
  dae_model_free(model);
}

typedef struct told {
  int begins, stiff, free;
} told;

static void listen(void *user, dae_log_level level, const char *line)
{
  told *t = user;
  (void)level;
  t->begins += strstr(line, "stiffness detected: starting with radau") != NULL;
  t->stiff += strstr(line, "stiffness detected: switching to radau") != NULL;
  t->free += strstr(line, "no stiffness detected: switching to explicit steps") != NULL;
}

static told log_of(const char *steep)
{
  test_problem p;
  told t = {0, 0, 0};
  dae_env env = dae_env_defaults();
  dae_model *model = spring(steep, &p);
  env.log = listen;
  env.user = &t;
  dae_integrator *it = create("switching", &p, 1e-6, &env);
  while (step(&p, it))
    ;
  dae_integrator_free(it);
  dae_model_free(model);
  return t;
}

static void test_the_log_tells_every_switch(void **state)
{
  (void)state;
  told stiffens = log_of("steep=20"), softens = log_of("steep=-40");
  /* before the spring stiffens radau may be on trial once */
  assert_true(stiffens.begins == 0 && stiffens.stiff == 1 + stiffens.free && stiffens.free <= 1);
  assert_true(softens.begins == 1 && softens.stiff == 0 && softens.free == 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_spring_that_stiffens_is_one_switch),
      cmocka_unit_test(test_it_costs_little_more_than_the_better_single_method),
      cmocka_unit_test(test_a_spring_that_softens_begins_with_radau_and_is_one_switch),
      cmocka_unit_test(test_a_spring_that_softens_costs_little_more_than_radau),
      cmocka_unit_test(test_slow_motions_after_a_transient_cost_little_more_than_radau),
      cmocka_unit_test(test_manifolds_that_become_attractive_cost_little_more_than_radau),
      cmocka_unit_test(test_long_chains_do_not_stay_explicit),
      cmocka_unit_test(test_motions_that_are_not_stiff_never_switch),
      cmocka_unit_test(test_smooth_motions_are_those_of_gauss),
      cmocka_unit_test(test_fast_modes_that_rest_are_not_left_to_gauss),
      cmocka_unit_test(test_load_goes_on_with_the_same_bits_around_a_switch),
      cmocka_unit_test(test_neither_steps_nor_switches_allocate),
      cmocka_unit_test(test_memory_for_radau_is_asked_for_at_the_first_switch),
      cmocka_unit_test(test_the_log_tells_every_switch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
