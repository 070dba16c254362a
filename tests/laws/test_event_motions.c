/* Events located in motions that BDF integrates, against closed forms. */
#include "problems/problems.h"
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void check_hits(test_problem p)
{
  for (int digits = 4; digits <= 8; digits += 2) {
    double tolerance = pow(10, -digits), y[16];
    dae_bdf_options opts = support_options(tolerance);
    dae_summary summary;
    assert_int_equal(support_run(&p, &opts, 0, NULL, NULL, y, &summary), DAE_OK);
    assert_int_equal(summary.events, p.hits);
    assert_int_equal(summary.stats.restarts, p.hits);
    assert_true(support_error(&p, y) < 300 * tolerance);
  }
}

static void test_bouncing_ball_hits_the_ground_as_often_as_it_should(void **state)
{
  (void)state;
  check_hits(test_bouncing_ball());
}

static void test_pendulum_at_a_wall_stays_on_its_circle(void **state)
{
  (void)state;
  check_hits(test_pendulum_wall());
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bouncing_ball_hits_the_ground_as_often_as_it_should),
      cmocka_unit_test(test_pendulum_at_a_wall_stays_on_its_circle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
