/* Stiff forces: the simplified Newton iteration of SPARK contracts only up to h nu = 2 to 6;
 * beyond, the decoupled iteration takes over, and where lambda is as large as a stiff spring the
 * full one; statistics tell so. What no iteration can cure: constraint forces are summed
 * explicitly. */
#include "support.h"
#include "text_problem.h"

#include <daedal/model.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* a pendulum with drag nu and a spring of stiffness k to the place where it starts, with speed w */
static const char model[] = "model stiff\n"
                            "param nu = 0, k = 0, w = 0\n"
                            "coord x = 0.6 rate 0.8*w, y = -0.8 rate 0.6*w\n"
                            "kinetic (x'^2 + y'^2)/2\n"
                            "potential y + k*((x - 0.6)^2 + (y + 0.8)^2)/2\n"
                            "force x = -nu*x'\n"
                            "force y = -nu*y'\n"
                            "constraint (x^2 + y^2 - 1)/2 = 0\n";
enum { SIZE = 5 };

static void run(const char *force, const char *speed, const dae_spark_options *opts, double *y,
                dae_stats *stats)
{
  const char *const set[] = {force, speed};
  dae_model_options values = dae_model_defaults();
  dae_model *loaded;
  dae_error err = dae_error_none();
  dae_integrator *it;
  values.set = set;
  values.set_count = 2;
  assert_int_equal(dae_model_parse("stiff", model, sizeof model - 1, &values, NULL, &loaded, &err),
                   DAE_OK);
  dae_start start = dae_model_start(loaded);
  assert_int_equal(dae_spark_gauss_create(dae_model_problem(loaded), &start, opts, NULL, &it, &err),
                   DAE_OK);
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, 1, &err);
  if (status < 0)
    fail_msg("%s, %s, %d stages: %s", force, speed, opts->stages, err.text);
  support_state(it, y, NULL);
  *stats = dae_integrator_stats(it);
  dae_integrator_free(it);
  dae_model_free(loaded);
}

static const char *const stiff[] = {"nu=100", "nu=1e4", "nu=1e6", "k=1e3", "k=1e4", "k=1e6"};
enum { STIFF = sizeof stiff / sizeof *stiff };

/* at rest, and thrown against the drag: Gauss does not damp what it does not resolve */
static void test_stiff_forces_converge_at_a_fixed_step(void **state)
{
  (void)state;
  static const char *const speeds[] = {"w=0", "w=1"};
  for (int i = 0; i < 2 * STIFF; i++)
    for (int s = 1; s <= 5; s++) {
      dae_spark_options opts = dae_spark_defaults();
      dae_stats stats;
      double y[SIZE];
      opts.step = 0.1;
      opts.stages = s;
      opts.project = false;
      run(stiff[i / 2], speeds[i % 2], &opts, y, &stats);
      if (getenv("DAEDAL_VERBOSE"))
        print_message("%s, %s, s = %d: %ld iterations in %ld steps, %ld decoupled, %ld full\n",
                      stiff[i / 2], speeds[i % 2], s, stats.iterations, stats.steps,
                      stats.decoupled, stats.full);
      assert_int_equal(stats.steps, 10);
      assert_true(stats.iterations <= 25 * stats.steps);
      assert_true(stats.decoupled + stats.full > 0);
      assert_true(fabs(y[0] * y[0] + y[1] * y[1] - 1) < 1e-13);
      assert_true(fabs(y[0] * y[2] + y[1] * y[3]) < 1e-12);
    }
}

static void test_gentle_forces_need_no_decoupled_iteration(void **state)
{
  (void)state;
  dae_spark_options opts = dae_spark_defaults();
  dae_stats stats;
  double y[SIZE];
  opts.step = 0.05;
  opts.stages = 3;
  run("nu=1", "w=0", &opts, y, &stats);
  assert_int_equal(stats.decoupled, 0);
}

static void test_variable_steps_through_stiff_drag_are_accurate(void **state)
{
  (void)state;
  for (int i = 0; i < 3; i++) {
    dae_spark_options opts = dae_spark_defaults();
    dae_stats stats;
    double y[SIZE], fine[SIZE];
    opts.rtol = opts.atol = 1e-6;
    run(stiff[i], "w=1", &opts, y, &stats);
    opts.rtol = opts.atol = 1e-11;
    run(stiff[i], "w=1", &opts, fine, &stats);
    for (int k = 0; k < 4; k++)
      assert_true(fabs(y[k] - fine[k]) < 1e-5);
  }
}

/* ---- lambda as large as the spring is stiff ---- */

/* ten steps of 0.1 that keep the circle; angles from where it points at the spring's end, if not
 * NULL; false: a step did not converge */
static bool pull(const char *anchor, const char *speed, const dae_spark_options *opts,
                 double *angles, dae_stats *stats)
{
  const char *const set[] = {anchor, speed};
  test_problem p;
  dae_model *loaded = text_problem(text_pulled, set, 2, 1, &p);
  dae_integrator *it;
  dae_error err = dae_error_none();
  dae_status status = dae_spark_gauss_create(&p.problem, &p.start, opts, NULL, &it, &err);
  for (int n = 0; status == DAE_OK; n++) {
    double y[SIZE];
    support_state(it, y, NULL);
    assert_true(fabs(y[0] * y[0] + y[1] * y[1] - 1) < 1e-13);
    assert_true(fabs(y[0] * y[2] + y[1] * y[3]) < 1e-13 * (1 + fabs(y[2]) + fabs(y[3])));
    if (angles)
      angles[n] = atan2(0.6 * y[1] + 0.8 * y[0], 0.6 * y[0] - 0.8 * y[1]);
    status = dae_integrator_step(it, p.to, &err);
  }
  *stats = dae_integrator_stats(it);
  dae_integrator_free(it);
  dae_model_free(loaded);
  return status == DAE_END;
}

static dae_spark_options tenths(int s)
{
  dae_spark_options opts = dae_spark_defaults();
  opts.step = 0.1;
  opts.stages = s;
  opts.project = false;
  return opts;
}

/* the spring's end beyond the circle, and inside of it: lambda = 5000 and -5000 */
static void test_a_spring_off_the_tangent_needs_the_full_iteration(void **state)
{
  (void)state;
  static const char *const anchors[] = {"a=1.5", "a=0.5"};
  for (int i = 0; i < 2; i++)
    for (int s = 3; s <= 5; s++) {
      dae_spark_options opts = tenths(s);
      dae_stats stats;
      assert_true(pull(anchors[i], "w=1", &opts, NULL, &stats));
      if (getenv("DAEDAL_VERBOSE"))
        print_message("%s, s = %d: %ld iterations, %ld Jacobians, %ld full of %ld steps\n",
                      anchors[i], s, stats.iterations, stats.jacobians, stats.full, stats.steps);
      assert_int_equal(stats.steps, 10);
      assert_true(stats.full > 0);
      assert_true(stats.iterations <= 25 * stats.steps);
      assert_true(stats.jacobians <= 5 * stats.steps);
    }
}

/* In the tangent the pendulum is x'' = -(K + lambda) x, K summed by A, lambda by the tilde
 * coefficients at Lobatto nodes, as in RATTLE. The half trace T of that linear step, for K = 100
 * and lambda = 50 with h = 1, grows by T +- sqrt(T^2 - 1) where it is beyond 1:
 *   s = 1: -1.8846   s = 2: 1.7030   s = 3: -0.3595   s = 4: -1.0873 */
static void test_large_positive_multipliers_make_the_steps_unstable(void **state)
{
  (void)state;
  static const double growth[] = {-3.482, 3.081, 0, -1.514};
  for (int s = 1; s <= 4; s++) {
    dae_spark_options opts = tenths(s);
    dae_stats stats;
    double angle[12] = {0};
    bool ends = pull("a=1.5", "w=0", &opts, angle, &stats);
    int n = s < 3 ? 5 : 9; /* small still, and the growing part is left */
    assert_true(stats.steps >= n);
    double found = (angle[n] - angle[n - 1]) / (angle[n - 1] - angle[n - 2]);
    if (getenv("DAEDAL_VERBOSE"))
      print_message("s = %d: %.3f times in a step, after %ld steps %s\n", s, found, stats.steps,
                    ends ? "all is well" : "there is no solution any more");
    if (growth[s - 1] != 0)
      assert_true(fabs(found / growth[s - 1] - 1) < 0.01);
    else
      assert_true(ends && fabs(angle[10]) < 2e-4);
  }
}

/* they are kept small by their error, and do not need it */
static void
test_variable_steps_off_the_tangent_are_accurate_without_the_full_iteration(void **state)
{
  (void)state;
  static const char *const anchors[] = {"a=1.5", "a=0.5"};
  for (int i = 0; i < 8; i++) {
    test_problem p;
    dae_model *loaded = text_problem(text_pulled, &anchors[i / 4], 1, 1, &p);
    dae_spark_options opts = dae_spark_defaults();
    double y[SIZE], fine[SIZE], tolerance = i % 2 ? 1e-7 : 1e-5;
    dae_summary summary;
    opts.stages = i % 4 < 2 ? 0 : 3;
    opts.rtol = opts.atol = tolerance;
    assert_int_equal(support_run_with("spark-gauss", &p, &opts, 0, NULL, NULL, y, &summary),
                     DAE_OK);
    opts.rtol = opts.atol = 1e-12;
    opts.stages = 0;
    assert_int_equal(support_run_with("spark-gauss", &p, &opts, 0, NULL, NULL, fine, NULL), DAE_OK);
    for (int k = 0; k < 4; k++)
      assert_true(fabs(y[k] - fine[k]) < 10 * tolerance);
    assert_int_equal(summary.stats.full, 0);
    assert_true(summary.stats.rejected_by_convergence <= 2);
    dae_model_free(loaded);
  }
}

/* ---- stiff extra states ---- */

static void lag(const dae_spark_options *opts, double *y, dae_stats *stats)
{
  test_problem p;
  dae_model *loaded = text_problem(text_lagged, NULL, 0, 1, &p);
  dae_integrator *it;
  dae_error err = dae_error_none();
  dae_status status = dae_spark_gauss_create(&p.problem, &p.start, opts, NULL, &it, &err);
  while (status == DAE_OK)
    status = dae_integrator_step(it, p.to, &err);
  if (status < 0)
    fail_msg("%d stages: %s", opts->stages, err.text);
  support_state(it, y, NULL);
  *stats = dae_integrator_stats(it);
  dae_integrator_free(it);
  dae_model_free(loaded);
}

static void test_stiff_extra_states_go_through_the_decoupled_iteration(void **state)
{
  (void)state;
  for (int s = 1; s <= 5; s++) {
    dae_spark_options opts = tenths(s);
    dae_stats stats;
    double y[7];
    lag(&opts, y, &stats);
    if (getenv("DAEDAL_VERBOSE"))
      print_message("s = %d: %ld iterations in %ld steps, %ld decoupled, %ld full\n", s,
                    stats.iterations, stats.steps, stats.decoupled, stats.full);
    assert_int_equal(stats.steps, 10);
    assert_int_equal(stats.decoupled, 10);
    assert_int_equal(stats.full, 0);
    assert_true(stats.iterations <= 15 * stats.steps);
    assert_true(fabs(y[0] * y[0] + y[1] * y[1] - 1) < 1e-13);
    assert_true(fabs(y[0] * y[2] + y[1] * y[3]) < 1e-13);
  }
}

static void test_variable_steps_with_stiff_extra_states_converge_and_are_accurate(void **state)
{
  (void)state;
  for (int digits = 4; digits <= 8; digits += 2) {
    dae_spark_options opts = dae_spark_defaults();
    dae_stats stats, fine_stats;
    double y[7], fine[7];
    opts.rtol = opts.atol = pow(10, -digits);
    lag(&opts, y, &stats);
    opts.rtol = opts.atol = 1e-11;
    lag(&opts, fine, &fine_stats);
    double worst = 0;
    for (int k = 0; k < 6; k++)
      worst = fmax(worst, fabs(y[k] - fine[k]));
    if (getenv("DAEDAL_VERBOSE"))
      print_message("1e-%d: error %.1e, %ld steps, %ld decoupled, %ld and %ld rejected\n", digits,
                    worst, stats.steps, stats.decoupled, stats.rejected_by_error,
                    stats.rejected_by_convergence);
    assert_true(worst < 100 * pow(10, -digits));
    assert_true(stats.decoupled > 0);
    assert_int_equal(stats.rejected_by_convergence, 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stiff_forces_converge_at_a_fixed_step),
      cmocka_unit_test(test_gentle_forces_need_no_decoupled_iteration),
      cmocka_unit_test(test_variable_steps_through_stiff_drag_are_accurate),
      cmocka_unit_test(test_a_spring_off_the_tangent_needs_the_full_iteration),
      cmocka_unit_test(test_variable_steps_off_the_tangent_are_accurate_without_the_full_iteration),
      cmocka_unit_test(test_large_positive_multipliers_make_the_steps_unstable),
      cmocka_unit_test(test_stiff_extra_states_go_through_the_decoupled_iteration),
      cmocka_unit_test(test_variable_steps_with_stiff_extra_states_converge_and_are_accurate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
