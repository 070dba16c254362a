/* Iterations of the stage system down to 1e-12: at most one above those of an independent
 * implementation of the Gauss-Seidel form with the midpoint Jacobian; in the momentum form as many
 * as in the mechanical one. */
#include "stage_fixture.h"

#include <math.h>
#include <stdlib.h>

#define S 3

/* iterations of each of the steps to t = 2, changes below 1e-12 (1 + |z0|) */
static double iterations(const test_problem *p, double h)
{
  stage_fixture o;
  int steps = (int)lround(2 / h);
  stage_set_up(p, S, &o);
  for (int n = 0; n < steps; n++) {
    stage_solve(&o, n * h, h, 1e-12);
    stage_take(&o);
  }
  double each = (double)o.stages.memory->iterations / steps;
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-14s h = %-5g: %.2f iterations a step\n", p->name, h, each);
  assert_int_equal(o.stages.memory->steps[DAE__STAGES_SIMPLIFIED], steps);
  stage_tear_down(&o);
  return each;
}

static void check(test_problem p, const double tabulated[4])
{
  for (int i = 0; i < 4; i++)
    assert_true(iterations(&p, 0.2 / (1 << i)) <= tabulated[i] + 1);
}

static void test_iterations_are_those_of_the_reference(void **state)
{
  (void)state;
  check(test_pendulum_light(), (const double[]){10.8, 7.6, 5.8, 4.5});
  check(test_cylinder_skate(), (const double[]){12.3, 8.8, 6.4, 5.0});
}

/* the same equations in the momentum form, and the Hamiltonian ones, where v is not z */
static void test_iterations_of_the_momentum_form_are_as_few(void **state)
{
  (void)state;
  const test_problem curved = test_curvilinear(), skate = test_cylinder_skate();
  for (int derivatives = 0; derivatives < 2; derivatives++) {
    const test_problem lag = test_curv_lag(derivatives), ham = test_curv_ham(derivatives);
    const test_problem mixed = test_mixed(derivatives);
    for (int i = 0; i < 4; i++) {
      double h = 0.2 / (1 << i), mechanical = iterations(&curved, h);
      assert_true(fabs(iterations(&lag, h) - mechanical) < 0.3);
      assert_true(fabs(iterations(&ham, h) - mechanical) < 1.5);
      assert_true(fabs(iterations(&mixed, h) - iterations(&skate, h)) < 0.3);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_iterations_are_those_of_the_reference),
      cmocka_unit_test(test_iterations_of_the_momentum_form_are_as_few),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
