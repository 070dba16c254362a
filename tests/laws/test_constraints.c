/* Every row of a run lies on its constraints: residuals of position and velocity level recomputed
 * from the rows, at accepted steps and on output grids that no step hits. */
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define BOUND 1e-10

/* 1000 s; less where sanitizers make it slow */
static double long_run(void)
{
#ifdef NDEBUG
  return 1000;
#else
  return getenv("DAEDAL_LONG") ? 1000 : 100;
#endif
}

typedef struct worst {
  const dae_mechanical *problem;
  double position, velocity, t;
  long rows;
} worst;

static void take(worst *w, double t, double position, double velocity)
{
  w->rows++;
  w->t = t;
  if (!(position <= w->position)) /* negated: a NaN counts */
    w->position = position;
  if (!(velocity <= w->velocity))
    w->velocity = velocity;
}

static void report(const char *name, const worst *w)
{
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-16s %6ld rows: |g| %.1e, |g_t + G v|, |k| %.1e\n", name, w->rows, w->position,
                  w->velocity);
}

/* x^2 + y^2 = 1, x u + y v = 0 */
static void pendulum_row(void *user, double t, const double *y)
{
  take(user, t, fabs(y[0] * y[0] + y[1] * y[1] - 1), fabs(y[0] * y[2] + y[1] * y[3]));
}

static void check_pendulum(double every)
{
  test_problem p = test_pendulum();
  dae_bdf_options opts = support_options(1e-6);
  dae_summary summary;
  worst w = {0};
  p.to = long_run();
  assert_int_equal(support_run(&p, &opts, every, pendulum_row, &w, NULL, &summary), DAE_OK);
  report(p.name, &w);
  assert_true(w.t == p.to);
  assert_true((double)w.rows > 50 * p.to || every > 0);
  assert_true(w.position < BOUND && w.velocity < BOUND);
  /* the account says the same: g_t + G v is twice x u + y v */
  assert_int_equal(summary.rows, w.rows);
  assert_true(fabs(summary.position_drift - w.position) < 1e-15);
  assert_true(fabs(summary.velocity_drift - 2 * w.velocity) < 1e-14);
}

static void test_pendulum_keeps_its_length_for_1000_s(void **state)
{
  (void)state;
  check_pendulum(0);
}

static void test_pendulum_keeps_its_length_between_steps(void **state)
{
  (void)state;
  check_pendulum(0.0371);
}

/* by the problem's own g, g_t, G and k */
static void problem_row(void *user, double t, const double *y)
{
  worst *w = user;
  double position, velocity;
  support_drift(w->problem, t, y, &position, &velocity);
  take(w, t, position, velocity);
}

static void check_problem(test_problem p)
{
  static const double tolerance[] = {1e-4, 1e-6};
  const double every[] = {0, p.to / 97.3};
  for (int i = 0; i < 4; i++) {
    dae_bdf_options opts = support_options(tolerance[i / 2]);
    worst w = {.problem = p.problem.mechanical};
    assert_int_equal(support_run(&p, &opts, every[i % 2], problem_row, &w, NULL, NULL), DAE_OK);
    report(p.name, &w);
    assert_true(w.rows > 20);
    assert_true(w.t == p.to);
    assert_true(w.position < BOUND && w.velocity < BOUND);
  }
  test_problem_free(&p);
}

static void test_car_axis_stays_on_moving_constraints(void **state)
{
  (void)state;
  check_problem(test_car_axis());
}

static void test_skates_stay_on_nonholonomic_constraints(void **state)
{
  (void)state;
  check_problem(test_knife_edge());
  check_problem(test_sleigh());
  check_problem(test_cylinder_skate());
}

static void test_slider_crank_stays_closed(void **state)
{
  (void)state;
  check_problem(test_slider_crank());
}

static void test_all_three_bars_keep_their_length_the_redundant_one_too(void **state)
{
  (void)state;
  assert_int_equal(test_parallel_bars().problem.mechanical->ng, 3);
  check_problem(test_parallel_bars());
}

static void test_motor_and_wall_keep_the_rod(void **state)
{
  (void)state;
  check_problem(test_motor());
  check_problem(test_pendulum_wall()); /* after every throw-back too */
}

static void test_chain_keeps_all_its_links(void **state)
{
  (void)state;
  check_problem(test_chain(50, TEST_CHAIN_MODE));
  check_problem(test_chain(8, TEST_CHAIN_HORIZONTAL));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum_keeps_its_length_for_1000_s),
      cmocka_unit_test(test_pendulum_keeps_its_length_between_steps),
      cmocka_unit_test(test_car_axis_stays_on_moving_constraints),
      cmocka_unit_test(test_skates_stay_on_nonholonomic_constraints),
      cmocka_unit_test(test_slider_crank_stays_closed),
      cmocka_unit_test(test_all_three_bars_keep_their_length_the_redundant_one_too),
      cmocka_unit_test(test_motor_and_wall_keep_the_rod),
      cmocka_unit_test(test_chain_keeps_all_its_links),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
