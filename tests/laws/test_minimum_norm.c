/* Redundant constraints: the dependent set is named, the motion goes on, and of all multipliers
 * that exert the same forces those of minimum norm come out. */
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_the_redundant_bar_is_named(void **state)
{
  (void)state;
  test_problem p = test_parallel_bars();
  dae_diagnosis find;
  double y[9];
  assert_int_equal(dae_consistent_start(&p.problem, &p.start, NULL, y, NULL, &find, NULL), DAE_OK);
  assert_int_equal(find.constraints, 3);
  assert_int_equal(find.rank, 2);
  assert_int_equal(find.dof, 1);
  assert_int_equal(find.index, 3);
  assert_non_null(strstr(find.text, "bar3 depends on bar1, bar2"));
}

static void test_independent_constraints_are_not_suspected(void **state)
{
  (void)state;
  test_problem p = test_slider_crank();
  dae_diagnosis find;
  double y[14];
  assert_int_equal(dae_consistent_start(&p.problem, &p.start, NULL, y, NULL, &find, NULL), DAE_OK);
  assert_int_equal(find.constraints, 4);
  assert_int_equal(find.rank, 4);
  assert_int_equal(find.dof, 1);
  assert_null(strstr(find.text, "depends"));
}

/* with parallel bars all combinations (1, -2, 1) exert no force, and the minimum is orthogonal to
 * them; no torque makes the outer bars equal, hence all three; their sum carries the platform */
static void bars_row(void *user, double t, const double *y)
{
  const double *lambda = y + 6, mass = 2, gravity = 9.81;
  double sum = mass * (y[3] * y[3] + y[4] * y[4] - gravity * y[1]);
  (void)t;
  ++*(long *)user;
  assert_true(fabs(lambda[0] - 2 * lambda[1] + lambda[2]) < 1e-9);
  for (int i = 0; i < 3; i++)
    assert_true(fabs(lambda[i] - sum / 3) < 1e-9);
}

static void test_all_bars_share_the_load(void **state)
{
  (void)state;
  test_problem p = test_parallel_bars();
  const double every[] = {0, 0.0371};
  for (int i = 0; i < 2; i++) {
    dae_bdf_options opts = support_options(1e-6);
    dae_summary summary;
    long rows = 0;
    assert_int_equal(support_run(&p, &opts, every[i], bars_row, &rows, NULL, &summary), DAE_OK);
    assert_true(rows > 50);
    assert_int_equal(summary.diagnosis.rank, 2);
    assert_non_null(strstr(summary.diagnosis.text, "bar3 depends on bar1, bar2"));
  }
}

/* a pendulum whose rod is stated three times, once of them scaled: G2 = 2 G1, G3 = -G1 */
static int rods_g(void *user, const dae_mechanical_at *at, double *g)
{
  (void)user;
  g[0] = (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1) / 2;
  g[1] = 2 * g[0];
  g[2] = -g[0];
  return 0;
}

static void test_multiples_of_a_constraint_share_by_their_weight(void **state)
{
  (void)state;
  static const char *const names[] = {"rod", "twice", "minus"};
  test_problem p = test_pendulum2();
  dae_mechanical rods = {.name = "rods",
                         .nq = 2,
                         .ng = 3,
                         .user = p.problem.mechanical->user,
                         .g_names = names,
                         .M = p.problem.mechanical->M,
                         .f = p.problem.mechanical->f,
                         .g = rods_g};
  double start[7] = {0.6, -0.8, 4, 3}, y[7];
  dae_problem problem = dae_problem_mechanical(&rods);
  dae_diagnosis find;
  assert_int_equal(
      dae_consistent_start(&problem, &(dae_start){.y = start}, NULL, y, NULL, &find, NULL), DAE_OK);
  assert_int_equal(find.rank, 1);
  assert_int_equal(find.dof, 1);
  assert_non_null(strstr(find.text, "twice depends on rod"));
  assert_non_null(strstr(find.text, "minus depends on rod"));
  /* lambda = load (1, 2, -1)/6 */
  double load = 25 + 9.81 * 0.8;
  assert_true(fabs(y[4] - load / 6) < 1e-8);
  assert_true(fabs(y[5] - load / 3) < 1e-8);
  assert_true(fabs(y[6] + load / 6) < 1e-8);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_redundant_bar_is_named),
      cmocka_unit_test(test_independent_constraints_are_not_suspected),
      cmocka_unit_test(test_all_bars_share_the_load),
      cmocka_unit_test(test_multiples_of_a_constraint_share_by_their_weight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
