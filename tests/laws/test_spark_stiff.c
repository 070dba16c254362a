/* Stiff forces: the modified Newton iteration of SPARK contracts only up to h nu = 2 to 6; beyond,
 * the richer iteration takes over, and statistics tell so. */
#include "support.h"

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
        print_message("%s, %s, s = %d: %ld iterations in %ld steps, %ld rich, %ld full\n",
                      stiff[i / 2], speeds[i % 2], s, stats.iterations, stats.steps, stats.richer,
                      stats.full);
      assert_int_equal(stats.steps, 10);
      assert_true(stats.iterations <= 25 * stats.steps);
      assert_true(stats.richer + stats.full > 0);
      assert_true(fabs(y[0] * y[0] + y[1] * y[1] - 1) < 1e-13);
      assert_true(fabs(y[0] * y[2] + y[1] * y[3]) < 1e-12);
    }
}

static void test_gentle_forces_need_no_richer_iteration(void **state)
{
  (void)state;
  dae_spark_options opts = dae_spark_defaults();
  dae_stats stats;
  double y[SIZE];
  opts.step = 0.05;
  opts.stages = 3;
  run("nu=1", "w=0", &opts, y, &stats);
  assert_int_equal(stats.richer, 0);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stiff_forces_converge_at_a_fixed_step),
      cmocka_unit_test(test_gentle_forces_need_no_richer_iteration),
      cmocka_unit_test(test_variable_steps_through_stiff_drag_are_accurate)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
