/* Fast oscillations that nobody excited stay asleep: orders 3 to 5, which would wake them, are left
 * where they do, and nowhere else. */
#include "support.h"

#include <daedal/model.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* 20 links, so stiff in bending that they swing like a rod from a straight start */
static const char rod[] =
    "model rod\n"
    "param N = 20, L = 1/N, g = 9.81, k = 1e5, a = 0.1\n"
    "coord x[1..N] = i*L*sin(a), y[1..N] = -i*L*cos(a)\n"
    "let bx[i in 1..N-1] = x[i+1] - 2*x[i] + if(i > 1, x[i-1], 0)\n"
    "let by[i in 1..N-1] = y[i+1] - 2*y[i] + if(i > 1, y[i-1], 0)\n"
    "for i in 1..N { kinetic (x[i]'^2 + y[i]'^2)/2/N }\n"
    "for i in 1..N { potential g*y[i]/N }\n"
    "for i in 1..N-1 { potential k*(bx[i]^2 + by[i]^2)/2 }\n"
    "constraint x[1]^2 + y[1]^2 = L^2\n"
    "for i in 2..N { constraint (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = L^2 }\n";
enum { TIP = 19 }; /* x of the last link */

static void run_rod(const char *method, const dae_bdf_options *opts, double *tip, dae_summary *s)
{
  dae_model *model;
  dae_error err;
  double y[101];
  assert_int_equal(dae_model_parse("rod", rod, sizeof rod - 1, NULL, NULL, &model, &err), DAE_OK);
  test_problem p = {.name = "rod",
                    .problem = *dae_model_problem(model),
                    .start = dae_model_start(model),
                    .to = 1,
                    .size = dae_problem_size(dae_model_problem(model))};
  assert_true(p.size <= (int)(sizeof y / sizeof *y));
  assert_int_equal(support_run_with(method, &p, opts, 0.1, NULL, NULL, y, s), DAE_OK);
  *tip = y[TIP];
  dae_model_free(model);
}

static void test_a_stiff_chain_swings_in_steps_of_the_swing(void **state)
{
  (void)state;
  static const char *const methods[] = {"bdf-ggl", "bdf-ggl-star", "bdf-cs"};
  dae_summary s;
  double reference, tip;
  dae_bdf_options opts = support_options(1e-6);
  opts.order = 2; /* damps every oscillation */
  run_rod("bdf-cs", &opts, &reference, &s);
  for (int i = 0; i < 3; i++)
    for (int order = 3; order <= 5; order++) {
      opts = support_options(4e-4);
      opts.order = order;
      run_rod(methods[i], &opts, &tip, &s);
      if (getenv("DAEDAL_VERBOSE"))
        print_message("%s, order up to %d: %ld steps, tip off by %.1e, energy by %.1e\n",
                      methods[i], order, s.stats.steps, tip - reference, s.energy_change);
      assert_true(s.stats.steps < 900); /* without the watch: 2900 to 40,000 */
      assert_true(fabs(tip - reference) < 2e-3);
      assert_true(fabs(s.energy_change) < 1e-3);
    }
}

static void test_without_the_watch_stability_limits_the_step(void **state)
{
  (void)state;
  dae_summary with, without;
  double tip;
  dae_bdf_options opts = support_options(1e-4);
  run_rod("bdf-ggl", &opts, &tip, &with);
  opts.stability = false;
  run_rod("bdf-ggl", &opts, &tip, &without);
  assert_true(without.stats.steps > 10 * with.stats.steps);
}

/* the watch sees accuracy at work, and leaves the orders alone */
static void test_smooth_motions_are_not_touched(void **state)
{
  (void)state;
  static test_problem (*const problems[])(void) = {test_pendulum, test_car_axis,
                                                   test_transistor_amplifier};
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
    for (double tolerance = 1e-4; tolerance > 1e-8; tolerance /= 1000) {
      test_problem p = problems[i]();
      dae_bdf_options opts = support_options(tolerance);
      dae_summary with, without;
      assert_int_equal(support_run(&p, &opts, 0, NULL, NULL, NULL, &with), DAE_OK);
      opts.stability = false;
      assert_int_equal(support_run(&p, &opts, 0, NULL, NULL, NULL, &without), DAE_OK);
      assert_int_equal(with.stats.steps, without.stats.steps);
      test_problem_free(&p);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_stiff_chain_swings_in_steps_of_the_swing),
      cmocka_unit_test(test_without_the_watch_stability_limits_the_step),
      cmocka_unit_test(test_smooth_motions_are_not_touched)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
