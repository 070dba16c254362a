/* Whole runs by the BDF methods keep their tolerance: errors at the end of problems with
 * references, in tolerances. A step that is accepted in spite of its error shows. */
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define WITHIN 4 /* tolerances that a run may be off by; measured: at most 1.9 */

static void check_kept(const test_problem *p, double tolerance)
{
  double end[64];
  dae_bdf_options opts = support_options(tolerance);
  assert_int_equal(support_run(p, &opts, 0, NULL, NULL, end, NULL), DAE_OK);
  double error = support_error(p, end) / tolerance;
  print_message("%s at %g: %.3g tolerances\n", p->name, tolerance, error);
  assert_true(error <= WITHIN);
}

static void test_bdf_keeps_its_tolerance(void **state)
{
  (void)state;
  const test_problem problems[] = {test_pendulum(), test_car_axis(), test_knife_edge(),
                                   test_van_der_pol(), test_transistor_amplifier()};
  for (int i = 0; i < 5; i++)
    for (double tolerance = 1e-4; tolerance > 1e-9; tolerance /= 100)
      check_kept(&problems[i], tolerance);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bdf_keeps_its_tolerance)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
