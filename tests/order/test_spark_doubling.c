/* Steps by two halves (estimate doubling): errors follow the tolerance, what is shown between the
 * steps is continuous where the halves meet, and of at least order s + 1; events are found. */
#include "spark_orders.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *const methods[] = {"spark-gauss", "spark-radau", "spark-lobatto"};
enum { METHODS = 3 };

static dae_spark_options doubling(int s, double tolerance)
{
  dae_spark_options opts = dae_spark_defaults();
  opts.estimate = DAE_SPARK_ESTIMATE_DOUBLING;
  opts.stages = s;
  opts.rtol = opts.atol = tolerance;
  return opts;
}

static int order_of(int method, int s)
{
  return method == 0 ? 2 * s : method == 1 ? 2 * s - 1 : 2 * s - 2;
}

/* ---- errors ---- */

static void check_errors(const test_problem *p)
{
  for (int m = 0; m < METHODS; m++)
    for (int s = 2; s <= 4; s++)
      for (int digits = 4; digits <= 8; digits += 2) {
        dae_spark_options opts = doubling(s, pow(10, -digits));
        double y[SPARK_MOST];
        spark_run(methods[m], p, &opts, y);
        double error = support_error(p, y);
        if (getenv("DAEDAL_VERBOSE"))
          print_message("%-13s %-16s s = %d, tolerance %.0e: error %.2e\n", methods[m], p->name, s,
                        opts.rtol, error);
        /* tol^(1/(p+1)) steps, each in error by tol: what order 2 can do */
        double least = pow(opts.rtol, order_of(m, s) / (order_of(m, s) + 1.0));
        if (!(error <= fmax(100 * opts.rtol, least)))
          fail_msg("%s, %s, s = %d, tolerance %.0e: error %.2e", methods[m], p->name, s, opts.rtol,
                   error);
      }
}

static void test_errors_of_doubled_steps_are_within_100_tolerances(void **state)
{
  (void)state;
  static test_problem (*const make[])(void) = {
      test_pendulum_light, test_track,          test_rheonomic_length, test_knife_edge,
      test_sleigh,         test_cylinder_skate, test_curvilinear};
  for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
    test_problem p = make[i]();
    check_errors(&p);
  }
}

static void test_errors_of_the_momentum_form_are_within_100_tolerances(void **state)
{
  (void)state;
  test_problem all[] = {test_curv_ham(true), test_curv_lag(true), test_mixed(true)};
  for (int i = 0; i < 3; i++)
    check_errors(&all[i]);
}

/* ---- between the steps ---- */

static dae_integrator *create(const char *method, const test_problem *p,
                              const dae_spark_options *opts)
{
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  if (dae_method_find(method, NULL)->create(&p->problem, &p->start, opts, NULL, &it, &err))
    fail_msg("%s: %s", p->name, err.text);
  return it;
}

/* coordinates and rates */
static int motion_of(const test_problem *p)
{
  const dae_mechanical *m = p->problem.mechanical;
  return m ? 2 * m->nq : p->problem.momentum->ny + p->problem.momentum->nz;
}

static void test_dense_output_is_continuous_where_the_halves_meet(void **state)
{
  (void)state;
  test_problem all[] = {test_pendulum_light(), test_cylinder_skate(), test_curv_ham(true)};
  for (int i = 0; i < 3 * METHODS; i++)
    for (int s = 2; s <= 4; s++) {
      const test_problem *p = &all[i / METHODS];
      dae_spark_options opts = doubling(s, 1e-5);
      dae_integrator *it = create(methods[i % METHODS], p, &opts);
      double y[3][SPARK_MOST];
      while (dae_integrator_step(it, p->to, NULL) == DAE_OK) {
        dae_view view = dae_integrator_view(it);
        double h = view.t - view.t_previous, middle = view.t_previous + h / 2;
        for (int k = 0; k < 3; k++)
          assert_int_equal(
              dae_integrator_interpolate(it, middle + (k - 1) * 1e-9 * h, y[k], NULL, NULL),
              DAE_OK);
        for (int n = 0; n < motion_of(p); n++) {
          /* no jump, and no kink: both sides move on by as much */
          assert_true(fabs(y[2][n] - y[0][n]) < 1e-8);
          assert_true(fabs(y[2][n] - 2 * y[1][n] + y[0][n]) < 1e-12);
        }
      }
      dae_integrator_free(it);
    }
}

/* how an order is looked at: steps, all of one size, and a tolerance that admits them and leaves
 * little of the iteration */
typedef struct glass {
  int n;
  double tolerance;
} glass;

static glass glass_of(int order)
{
  return order <= 2   ? (glass){80, 1e-5}
         : order <= 4 ? (glass){20, 1e-4}
         : order <= 6 ? (glass){40, 1e-8}
                      : (glass){10, 1e-8};
}

/* largest error within a half of the last step */
static double error_between(int method, const test_problem *p, int s, glass with, int half)
{
  double h = p->to / with.n, y[SPARK_MOST], exact[SPARK_MOST], worst = 0;
  dae_spark_options opts = doubling(s, with.tolerance), fine = doubling(6, 1e-13);
  fine.estimate = DAE_SPARK_ESTIMATE_EMBEDDED;
  opts.first_step = opts.max_step = h;
  dae_integrator *it = create(methods[method], p, &opts);
  dae_integrator *reference = create("spark-gauss", p, &fine);
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, p->to, NULL);
  assert_int_equal(status, DAE_END);
  if (dae_integrator_stats(it).steps != with.n)
    fail_msg("%s, %s, s = %d: %ld steps instead of %d", methods[method], p->name, s,
             dae_integrator_stats(it).steps, with.n);
  for (int k = 1; k < 5; k++) {
    double t = p->to - (1 - 0.1 * k - 0.5 * half) * h;
    assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
    do
      status = dae_integrator_step(reference, t, NULL);
    while (status == DAE_OK);
    assert_int_equal(status, DAE_END);
    support_state(reference, exact, NULL);
    for (int i = 0; i < motion_of(p); i++)
      worst = fmax(worst, fabs(y[i] - exact[i]));
  }
  dae_integrator_free(it);
  dae_integrator_free(reference);
  return worst;
}

static void check_dense(int method, const test_problem *p, int s, int half)
{
  int order = order_of(method, s);
  glass with = glass_of(order), finer = {2 * with.n, with.tolerance / pow(2, order + 1)};
  double coarse = error_between(method, p, s, with, half);
  double fine = error_between(method, p, s, finer, half), found = log2(coarse / fine);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-13s %-16s s = %d, %s half: %.1e, order %.2f\n", methods[method], p->name, s,
                  half ? "second" : "first", fine, found);
  if (!(found > fmin(order, s + 1) - 0.4 || fine < 1e-13)) /* round-off says nothing */
    fail_msg("%s, %s, s = %d, %s half: order %.2f", methods[method], p->name, s,
             half ? "second" : "first", found);
}

static void test_dense_output_of_doubled_steps_is_of_order_s_plus_1_at_least(void **state)
{
  (void)state;
  test_problem all[] = {test_pendulum_light(), test_cylinder_skate(), test_curv_ham(true)};
  for (int i = 0; i < 3 * METHODS; i++)
    for (int s = 2; s <= 4; s++) {
      check_dense(i % METHODS, &all[i / METHODS], s, 0);
      check_dense(i % METHODS, &all[i / METHODS], s, 1);
    }
}

/* ---- events ---- */

static void test_events_are_found_within_doubled_steps(void **state)
{
  (void)state;
  test_problem (*const make[])(void) = {test_bouncing_ball, test_pendulum_wall};
  for (int i = 0; i < 2 * METHODS; i++)
    for (int digits = 4; digits <= 8; digits += 2) {
      test_problem p = make[i / METHODS]();
      dae_spark_options opts = doubling(0, pow(10, -digits));
      dae_summary summary;
      double y[32];
      assert_int_equal(
          support_run_with(methods[i % METHODS], &p, &opts, 0, NULL, NULL, y, &summary), DAE_OK);
      double error = support_error(&p, y);
      if (getenv("DAEDAL_VERBOSE"))
        print_message("%-13s %-14s %.0e: error %.1e, %ld steps\n", methods[i % METHODS], p.name,
                      opts.rtol, error, summary.stats.steps);
      assert_int_equal(summary.events, p.hits);
      assert_true(error <= 300 * opts.rtol);
    }
}

/* with a fixed step there is nothing to estimate */
static void test_a_fixed_step_is_the_same_with_either_estimate(void **state)
{
  (void)state;
  test_problem p = test_cylinder_skate();
  dae_spark_options opts = doubling(3, 1e-6);
  double a[SPARK_MOST], b[SPARK_MOST];
  opts.step = 0.05;
  spark_run("spark-gauss", &p, &opts, a);
  opts.estimate = DAE_SPARK_ESTIMATE_EMBEDDED;
  spark_run("spark-gauss", &p, &opts, b);
  assert_memory_equal(a, b, (size_t)p.size * sizeof *a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_errors_of_doubled_steps_are_within_100_tolerances),
      cmocka_unit_test(test_errors_of_the_momentum_form_are_within_100_tolerances),
      cmocka_unit_test(test_dense_output_is_continuous_where_the_halves_meet),
      cmocka_unit_test(test_dense_output_of_doubled_steps_is_of_order_s_plus_1_at_least),
      cmocka_unit_test(test_events_are_found_within_doubled_steps),
      cmocka_unit_test(test_a_fixed_step_is_the_same_with_either_estimate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
