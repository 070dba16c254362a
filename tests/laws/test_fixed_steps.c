/* Fixed steps: t_n = t_0 + n h, whatever stops there are between. */
#include "problems/problems.h"
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define H 0.01

static dae_integrator *create(double step)
{
  test_problem p = test_pendulum();
  dae_bdf_options opts = support_options(1e-6);
  dae_integrator *it;
  opts.step = step;
  opts.order = 3;
  assert_int_equal(dae_bdf_ggl_create(&p.problem, &p.start, &opts, NULL, &it, NULL), DAE_OK);
  return it;
}

static double step(dae_integrator *it, double stop)
{
  assert_true(dae_integrator_step(it, stop, NULL) >= 0);
  return dae_integrator_view(it).t;
}

static void test_a_stop_off_the_grid_leaves_the_grid_as_it_is(void **state)
{
  (void)state;
  dae_integrator *it = create(H);
  const double stop = 7.3 * H;
  for (int n = 1; n <= 7; n++)
    assert_true(step(it, stop) == n * H);
  assert_true(step(it, stop) == stop);
  for (int n = 8; n <= 20; n++)
    assert_true(step(it, 1) == n * H);
  dae_integrator_free(it);
}

static void test_a_stop_before_the_first_grid_point_does_not_shift_the_grid(void **state)
{
  (void)state;
  dae_integrator *it = create(H);
  assert_true(step(it, 0.4 * H) == 0.4 * H);
  for (int n = 1; n <= 10; n++)
    assert_true(fabs(step(it, 1) - n * H) <= 1e-15);
  dae_integrator_free(it);
}

static void test_a_remainder_is_joined_to_the_last_step(void **state)
{
  (void)state;
  dae_integrator *it = create(H);
  const double stop = 10 * H + 1e-12;
  for (int n = 1; n < 10; n++)
    assert_true(step(it, stop) == n * H);
  assert_int_equal(dae_integrator_step(it, stop, NULL), DAE_END);
  assert_true(dae_integrator_view(it).t == stop);
  dae_integrator_free(it);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_stop_off_the_grid_leaves_the_grid_as_it_is),
      cmocka_unit_test(test_a_stop_before_the_first_grid_point_does_not_shift_the_grid),
      cmocka_unit_test(test_a_remainder_is_joined_to_the_last_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
