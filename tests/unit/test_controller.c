#include "step/controller.h"
#include "step/norm.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static dae__controller controller(int order)
{
  dae__controller_options opts = dae__controller_defaults(order);
  dae__controller c;
  dae__controller_reset(&c, &opts);
  return c;
}

static void test_constant_error_law_settles_below_tolerance(void **state)
{
  (void)state;
  /* err = (h/h*)^k: the step settles at the fixed point, within the safety factor of h* */
  for (int k = 2; k <= 6; k++) {
    dae__controller c = controller(k);
    double h = 1e-3, best = 0.37;
    int rejected = 0;
    for (int i = 0; i < 60; i++)
      rejected += !dae__controller_propose(&c, h, pow(h / best, k), &h);
    assert_true(h < best && h > 0.8 * best);
    assert_int_equal(rejected, 0);
  }
}

static void test_limits_hold(void **state)
{
  (void)state;
  dae__controller c = controller(3);
  double h;
  assert_true(dae__controller_propose(&c, 1, 0, &h));
  assert_true(h == c.opts.max_factor);
  c = controller(3);
  assert_false(dae__controller_propose(&c, 1, 1e30, &h));
  assert_true(h == c.opts.min_factor);
  c = controller(3);
  c.opts.max_step = 1.5;
  dae__controller_propose(&c, 1, 0, &h);
  assert_true(h == 1.5);
}

static void test_error_that_is_not_a_number_is_refused(void **state)
{
  (void)state;
  dae__controller c = controller(4);
  double h;
  assert_false(dae__controller_propose(&c, 1, NAN, &h));
  assert_true(h == c.opts.min_factor);
  assert_false(dae__controller_propose(&c, 1, INFINITY, &h));
  assert_true(h == c.opts.min_factor);
}

static void test_no_growth_after_a_rejection(void **state)
{
  (void)state;
  dae__controller c = controller(4);
  double h;
  assert_false(dae__controller_propose(&c, 1, 2, &h));
  assert_true(h < 1);
  assert_true(dae__controller_propose(&c, h, 1e-6, &h));
  assert_true(h < 1);
  double before = h;
  assert_true(dae__controller_propose(&c, h, 1e-6, &h));
  assert_true(h > before);
  h = dae__controller_failed(&c, h, 0.25);
  before = h;
  assert_true(dae__controller_propose(&c, h, 1e-6, &h));
  assert_true(h <= before);
}

static void test_memory_holds_back_a_growing_error(void **state)
{
  (void)state;
  /* of two steps with the same error the one that comes after a smaller error is followed by the
   * smaller step: the error is rising */
  dae__controller rising = controller(5), steady = controller(5);
  double h_rising, h_steady, h;
  dae__controller_propose(&rising, 1, 0.01, &h);
  dae__controller_propose(&steady, 1, 0.5, &h);
  dae__controller_propose(&rising, 1, 0.5, &h_rising);
  dae__controller_propose(&steady, 1, 0.5, &h_steady);
  assert_true(h_rising < h_steady);
}

static void test_norm_is_one_at_the_tolerance(void **state)
{
  (void)state;
  const double y[] = {2, -30, 0};
  double w[3], e[3];
  const double scale[] = {1, 1e-3, 5};
  dae__weights(3, 1e-3, 1e-6, scale, y, w);
  assert_true(w[1] == 1e-3 * 30 + 1e-6 * 1e-3 && w[2] == 1e-6 * 5);
  dae__inverse_weights(3, 1e-3, 1e-6, scale, y, e);
  assert_true(e[0] == 1 / w[0] && e[1] == 1 / w[1] && e[2] == 1 / w[2]);
  dae__weights(3, 1e-3, 1e-6, NULL, y, w);
  assert_true(fabs(w[1] - (1e-3 * 30 + 1e-6)) < 1e-18);
  for (int i = 0; i < 3; i++)
    e[i] = i % 2 ? w[i] : -w[i];
  assert_true(fabs(dae__norm(3, e, w) - 1) < 1e-15);
  assert_true(dae__norm(0, e, w) == 0);
  e[1] = NAN;
  assert_true(isnan(dae__norm(3, e, w)));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_constant_error_law_settles_below_tolerance),
      cmocka_unit_test(test_limits_hold),
      cmocka_unit_test(test_error_that_is_not_a_number_is_refused),
      cmocka_unit_test(test_no_growth_after_a_rejection),
      cmocka_unit_test(test_memory_holds_back_a_growing_error),
      cmocka_unit_test(test_norm_is_one_at_the_tolerance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
