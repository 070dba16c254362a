/* What explicit, gauss, radau and switching cannot do: options and problems are refused by name,
 * forces that jump and positions where constraints become dependent are gone through or end the run
 * with a message that names what is in the way. */
#include "problems/problems.h"
#include "problems/rk_made.h"
#include "step/integrator.h"
#include "support.h"
#include "text_problem.h"

#include <math.h>
#include <stdlib.h>

static const char *const names[] = {"explicit", "gauss", "switching", "radau"};
#define ALL ((int)(sizeof names / sizeof *names))
#define FREE 3 /* the first so many take no algebraic variables */
#define RADAU 3
#define MANY 30000 /* steps */

static dae_status create(const char *method, const dae_problem *p, const double *start,
                         const dae_rk_options *opts, dae_integrator **out, dae_error *err)
{
  *out = (dae_integrator *)(void *)out; /* must be overwritten */
  *err = dae_error_none();
  return dae_method_find(method, NULL)->create(p, &(dae_start){.y = start}, opts, NULL, out, err);
}

static dae_rk_options of_tolerance(double tolerance)
{
  dae_rk_options opts = dae_rk_adaptive_defaults();
  opts.rtol = opts.atol = tolerance;
  return opts;
}

static void show(const char *method, double tolerance, const dae_error *err)
{
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%s, %.0e: %s [%s] t = %g: %s\n", method, tolerance, dae_status_name(err->status),
                  err->equation, err->t, err->text);
}

/* ---- options ---- */

static void refuse(int method, const dae_rk_options *opts, const char *option)
{
  test_problem p = test_bouncing_ball();
  dae_integrator *it;
  dae_error err;
  dae_status status = create(names[method], &p.problem, p.start.y, opts, &it, &err);
  if (status != DAE_ERROR_OPTION || err.status != status || strcmp(err.equation, option) != 0 ||
      !strstr(err.text, option))
    fail_msg("%s, %s: %s [%s] %s", names[method], option, dae_status_name(status), err.equation,
             err.text);
  assert_null(it);
}

static void test_options_are_refused_by_name(void **state)
{
  (void)state;
  static const double bad[] = {0, -1e-6, 2, (double)NAN, (double)INFINITY};
  for (int m = 0; m < ALL; m++) {
    dae_rk_options opts = dae_rk_adaptive_defaults();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
      opts.rtol = bad[i];
      refuse(m, &opts, "rtol");
    }
    opts = dae_rk_adaptive_defaults();
    opts.atol = -1e-9;
    refuse(m, &opts, "atol");
    opts = dae_rk_adaptive_defaults();
    opts.first_step = -1;
    refuse(m, &opts, "first_step");
    opts = dae_rk_adaptive_defaults();
    opts.max_failures = 0;
    refuse(m, &opts, "max_failures");
  }
}

static void test_stages_and_orders_that_there_are_not_are_refused(void **state)
{
  (void)state;
  static const int stages[] = {-1, 1, 2, 4, 6, 8, 9}, orders[] = {-1, 1, 4, 6, 7, 9};
  dae_rk_options opts = dae_rk_adaptive_defaults();
  for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
    opts.stages = stages[i];
    refuse(RADAU, &opts, "stages");
  }
  opts.stages = 9;
  refuse(1, &opts, "stages");
  opts.stages = 0;
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    opts.order = orders[i];
    refuse(0, &opts, "order");
  }
}

/* ---- problems ---- */

static void reject(const char *method, const test_problem *p, const char *says)
{
  dae_integrator *it;
  dae_error err;
  dae_status status = create(method, &p->problem, p->start.y, NULL, &it, &err);
  if (status != DAE_ERROR_UNSUPPORTED || strcmp(err.equation, method) != 0 ||
      !strstr(err.text, says))
    fail_msg("%s, %s: %s [%s] %s", method, p->name, dae_status_name(status), err.equation,
             err.text);
  assert_null(it);
}

static void test_problems_are_refused_with_a_way_out(void **state)
{
  (void)state;
  test_problem momentum = test_curv_ham(true), motor = test_motor(), index_1 = test_akzo_nobel();
  test_problem index_2 = test_hessenberg2(), singular = rk_made_singular(), index_3 = index_2;
  test_problem amplifier = test_transistor_amplifier();
  dae_semi_explicit declared = *index_2.problem.semi_explicit;
  declared.index = 3;
  index_3.problem.semi_explicit = &declared;
  for (int m = 0; m < ALL; m++)
    reject(names[m], &momentum, "spark-gauss");
  for (int m = 0; m < FREE; m++) {
    reject(names[m], &motor, "radau");
    reject(names[m], &index_1, "radau");
    reject(names[m], &index_2, "radau");
    reject(names[m], &singular, "radau");
    reject(names[m], &amplifier, "radau");
  }
  reject("radau", &index_3, "mechanical form");
  reject("rosenbrock", &motor, "radau");
  reject("rosenbrock", &index_2, "radau");
  reject("rosenbrock", &index_3, "mechanical form");
  reject("rosenbrock", &singular, "radau");
}

/* ---- runs that may end early ---- */

typedef struct outcome {
  dae_status status;
  dae_error err;
  double t, y[16];
  long steps;
} outcome;

static outcome run(int method, const dae_problem *p, const double *start, double to,
                   double tolerance)
{
  outcome o;
  dae_rk_options opts = of_tolerance(tolerance);
  dae_integrator *it;
  o.status = create(names[method], p, start, &opts, &it, &o.err);
  assert_int_equal(o.status, DAE_OK);
  while (o.status == DAE_OK && dae_integrator_stats(it).steps < MANY)
    o.status = dae_integrator_step(it, to, &o.err);
  o.t = dae_integrator_view(it).t;
  o.steps = dae_integrator_stats(it).steps;
  show(names[method], tolerance, &o.err);
  assert_int_equal(o.status == DAE_END ? dae_integrator_interpolate(it, o.t, o.y, NULL, NULL)
                                       : dae__integrator_interpolate_raw(it, o.t, o.y, NULL, NULL),
                   DAE_OK);
  dae_integrator_free(it);
  return o;
}

static int one_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = 1;
  return 0;
}

static int switched_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user;
  f[0] = at->t < 0.5 ? 0 : 10;
  return 0;
}

static int dry_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user;
  f[0] = -(at->v[0] > 0) + (at->v[0] < 0);
  return 0;
}

static const char *const slider[] = {"slider"};

/* where a motion is not smooth the orders of error estimates are not what tolerances are mapped by
 */
static void test_a_force_that_is_switched_on_is_gone_through(void **state)
{
  (void)state;
  static const double start[] = {0, 1};
  const dae_mechanical m = {
      .nq = 1, .q_names = slider, .M = one_M, .f = switched_f, .constant_mass = true};
  const dae_problem p = dae_problem_mechanical(&m);
  for (int k = 0; k < ALL; k += RADAU)
    for (double tolerance = 1e-3; tolerance > 1e-10; tolerance /= 10) {
      outcome o = run(k, &p, start, 1, tolerance);
      assert_int_equal(o.status, DAE_END);
      assert_true(o.steps < 200);
      assert_true(fabs(o.y[0] - (1 + 10 * 0.125)) < 5 * sqrt(tolerance));
    }
}

static int late_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user;
  f[0] = at->t > 0.97;
  return 0;
}

/* the first step of gauss that is tried ends at 1, its nodes do not reach 0.96 */
static void test_a_force_that_begins_after_the_last_node_is_noticed(void **state)
{
  (void)state;
  static const double start[] = {0, 0};
  const dae_mechanical m = {
      .nq = 1, .q_names = slider, .M = one_M, .f = late_f, .constant_mass = true};
  const dae_problem p = dae_problem_mechanical(&m);
  for (double tolerance = 1e-4; tolerance > 1e-10; tolerance /= 10) {
    dae_rk_options opts = of_tolerance(tolerance);
    dae_integrator *it;
    dae_error err;
    double y[2];
    opts.first_step = 1;
    assert_int_equal(create("gauss", &p, start, &opts, &it, &err), DAE_OK);
    while (dae_integrator_step(it, 2, &err) == DAE_OK)
      ;
    assert_int_equal(dae_integrator_interpolate(it, 2, y, NULL, &err), DAE_OK);
    assert_true(fabs(y[1] - 1.03) < sqrt(tolerance));
    dae_integrator_free(it);
  }
}

/* an oscillator that is pushed at t = user[0], by a force or by one that grows (user[1]) */
static int pushed_f(void *user, const dae_mechanical_at *at, double *f)
{
  const double *push = user, since = at->t - push[0];
  f[0] = -at->q[0] + (since > 0 ? push[1] > 0 ? since : 1 : 0);
  return 0;
}

/* the largest error at t = 5, in tolerances */
static double pushed_error(const char *method, double tolerance, double *push)
{
  static const double start[] = {1, 0};
  const dae_mechanical m = {
      .nq = 1, .M = one_M, .f = pushed_f, .user = push, .constant_mass = true};
  const dae_problem p = dae_problem_mechanical(&m);
  dae_rk_options opts = of_tolerance(tolerance);
  dae_integrator *it;
  dae_error err;
  double y[2], since = 5 - push[0], q = cos(5), v = -sin(5);
  assert_int_equal(create(method, &p, start, &opts, &it, &err), DAE_OK);
  while (dae_integrator_step(it, 5, &err) == DAE_OK)
    ;
  assert_int_equal(dae_integrator_interpolate(it, 5, y, NULL, &err), DAE_OK);
  dae_integrator_free(it);
  q += push[1] > 0 ? since - sin(since) : 1 - cos(since);
  v += push[1] > 0 ? 1 - cos(since) : sin(since);
  return fmax(fabs(y[0] - q), fabs(y[1] - v)) / tolerance;
}

/* though its tolerance is mapped as for smooth motions */
static void test_gauss_follows_its_tolerance_where_forces_jump_or_bend(void **state)
{
  (void)state;
  for (double tolerance = 1e-4; tolerance > 1e-10; tolerance /= 10)
    for (int bends = 0; bends < 2; bends++) {
      double worst = 0, sum = 0;
      for (int i = 0; i < 50; i++) {
        double push[] = {1 + 0.04 * i + 0.0037, bends};
        double error = pushed_error("gauss", tolerance, push);
        worst = fmax(worst, error);
        sum += error;
      }
      if (!(worst < 20 && sum / 50 < 5))
        fail_msg("%g: errors up to %g, %g in the mean", tolerance, worst, sum / 50);
    }
}

/* a mass on a table with dry friction comes to rest, where sign(v) jumps: it says which variable it
 * is instead of going on in steps of round-off */
static void test_a_motion_that_sticks_at_a_jump_names_the_variable(void **state)
{
  (void)state;
  static const double start[] = {0, 1};
  const dae_mechanical m = {
      .nq = 1, .q_names = slider, .M = one_M, .f = dry_f, .constant_mass = true};
  const dae_problem p = dae_problem_mechanical(&m);
  for (double tolerance = 1e-4; tolerance > 1e-9; tolerance /= 10) {
    outcome o = run(RADAU, &p, start, 2, tolerance);
    assert_int_equal(o.status, DAE_ERROR_STEP);
    assert_non_null(strstr(o.err.text, "slider"));
    assert_true(fabs(o.y[0] - 0.5) < 1e-6 && fabs(o.t - 1) < 1e-2);
  }
}

static int square_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = at->x[0] * at->x[0];
  return 0;
}

static void test_blow_up_in_finite_time_ends_there(void **state)
{
  (void)state;
  static const char *const x_names[] = {"u"};
  static const double start[] = {1};
  const dae_semi_explicit s = {.nx = 1, .x_names = x_names, .f = square_f};
  const dae_problem p = dae_problem_semi_explicit(&s);
  for (int k = 0; k < ALL; k++)
    for (double tolerance = 1e-4; tolerance > 1e-10; tolerance /= 100) {
      outcome o = run(k, &p, start, 2, tolerance);
      assert_int_equal(o.status, DAE_ERROR_STEP);
      assert_string_equal(o.err.equation, "u");
      assert_non_null(strstr(o.err.text, "t = "));
      assert_true(fabs(o.t - 1) < 100 * tolerance);
    }
}

/* ---- constraints that become dependent on the way ---- */

/* at the dead point crank and rod of equal lengths lie upon each other */
static const char dead_point[] = "model dead\n"
                                 "coord x = 0.6 rate -0.8, y = 0.8 rate 0.6, s = 1.2 rate -1.6\n"
                                 "kinetic (x'^2 + y'^2 + s'^2)/2\n"
                                 "constraint crank: x^2 + y^2 = 1\n"
                                 "constraint rod: (x - s)^2 + y^2 = 1\n";

/* a constraint is named or, where accelerations get too large before, their variable */
static void check_passed(const dae_problem *p, const outcome *o, int method, const char *constraint)
{
  double position, velocity;
  if (o->status == DAE_END) {
    support_drift(p->mechanical, o->t, o->y, &position, &velocity);
    assert_true(position < 1e-10 && velocity < 1e-8);
  } else if (o->status != DAE_ERROR_STEP || !strstr(o->err.text, "t = ") ||
             !(strstr(o->err.text, constraint) || strstr(o->err.text, "singularity here")) ||
             o->err.equation[0] == '\0') {
    fail_msg("%s: %s [%s] %s", names[method], dae_status_name(o->status), o->err.equation,
             o->err.text);
  }
  assert_true(o->steps < MANY);
}

static void test_a_dead_point_is_passed_or_its_constraint_is_named(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(dead_point, NULL, 0, 2, &p);
  for (int k = 0; k < ALL; k++)
    for (double tolerance = 1e-3; tolerance > 1e-10; tolerance /= 10) {
      outcome o = run(k, &p.problem, p.start.y, p.to, tolerance);
      check_passed(&p.problem, &o, k, "constraint");
    }
  dae_model_free(model);
}

/* swung round fast enough to pass the flat position, where all three bars lie in one line; and from
 * a start there, where one bar stands for all three */
static void test_bars_that_become_dependent_are_passed_or_named(void **state)
{
  (void)state;
  static const double starts[2][9] = {{0, -1, 0, 7}, {1, 0, 0, 0, -7}};
  test_problem p = test_parallel_bars();
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < ALL; k++)
      for (double tolerance = 1e-3; tolerance > 1e-10; tolerance /= 10) {
        outcome o = run(k, &p.problem, starts[i], 3, tolerance);
        check_passed(&p.problem, &o, k, "constraint bar");
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_options_are_refused_by_name),
      cmocka_unit_test(test_stages_and_orders_that_there_are_not_are_refused),
      cmocka_unit_test(test_problems_are_refused_with_a_way_out),
      cmocka_unit_test(test_a_force_that_is_switched_on_is_gone_through),
      cmocka_unit_test(test_a_force_that_begins_after_the_last_node_is_noticed),
      cmocka_unit_test(test_gauss_follows_its_tolerance_where_forces_jump_or_bend),
      cmocka_unit_test(test_a_motion_that_sticks_at_a_jump_names_the_variable),
      cmocka_unit_test(test_blow_up_in_finite_time_ends_there),
      cmocka_unit_test(test_a_dead_point_is_passed_or_its_constraint_is_named),
      cmocka_unit_test(test_bars_that_become_dependent_are_passed_or_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
