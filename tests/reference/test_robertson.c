/* Robertson's reactions over eleven decades of time, from steps of 1e-4 to such of 1e10: the end
 * value is that of the Bari test set for initial value problem solvers, problem ROBER. The start is
 * not stiff, and becomes so within 1e-3. */
#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char robertson[] = "model robertson\n"
                                "state a = 1, b = 0, c = 0\n"
                                "a' = -0.04*a + 1e4*b*c\n"
                                "b' = 0.04*a - 1e4*b*c - 3e7*b^2\n"
                                "c' = 3e7*b^2\n"
                                "simulate to 1e11\n";

static dae_status keep_last(void *self, const dae_row *row, dae_error *err)
{
  (void)err;
  memcpy(self, row->y, 3 * sizeof *row->y);
  return DAE_OK;
}

static void test_the_end_of_a_long_time_is_reached(void **state)
{
  (void)state;
  static const double end[] = {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050};
  static const char *const methods[] = {"bdf", "radau", "switching", "rosenbrock"};
  dae_model *model;
  dae_error err;
  assert_int_equal(
      dae_model_parse("robertson", robertson, strlen(robertson), NULL, NULL, &model, &err), DAE_OK);
  for (int i = 0; i < 4; i++) {
    double y[3];
    const dae_sink sink = {.self = y, .row = keep_last};
    dae_bdf_options bdf = dae_bdf_defaults();
    dae_rk_options rk = dae_rk_adaptive_defaults();
    bdf.rtol = rk.rtol = 1e-8;
    bdf.atol = rk.atol = 1e-16;
    dae_run_plan plan = {.method = dae_method_find(methods[i], NULL),
                         .options = i == 0 ? (const void *)&bdf : &rk,
                         .sinks = &sink,
                         .sink_count = 1};
    dae_model_plan(model, &plan);
    if (dae_run(&plan, NULL, NULL, &err) < 0)
      fail_msg("%s: %s", methods[i], err.text);
    for (int k = 0; k < 3; k++)
      assert_true(fabs(y[k] / end[k] - 1) < 1e-6);
  }
  dae_model_free(model);
}

/* The Jacobian at the start does not show how soon the second reaction sets in. */
static void test_no_first_step_of_rosenbrock_is_rejected(void **state)
{
  (void)state;
  static const double tolerances[] = {1e-3, 1e-5, 1e-7};
  dae_model *model;
  dae_error err;
  assert_int_equal(
      dae_model_parse("robertson", robertson, strlen(robertson), NULL, NULL, &model, &err), DAE_OK);
  const dae_start start = dae_model_start(model);
  for (int i = 0; i < 3; i++) {
    dae_integrator *it;
    dae_rk_options opts = dae_rk_adaptive_defaults();
    opts.rtol = opts.atol = tolerances[i];
    assert_int_equal(
        dae_rosenbrock_create(dae_model_problem(model), &start, &opts, NULL, &it, &err), DAE_OK);
    for (int steps = 0; steps < 5; steps++)
      assert_int_equal(dae_integrator_step(it, 40, &err), DAE_OK);
    assert_int_equal(dae_integrator_stats(it).rejected_by_error, 0);
    dae_integrator_free(it);
  }
  dae_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_end_of_a_long_time_is_reached),
      cmocka_unit_test(test_no_first_step_of_rosenbrock_is_rejected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
