/* BDF against values that do not come from this library: closed forms and published end values.
 *
 *   error = max_i |y_i - ref_i| / (1 + |ref_i|) over the whole state vector, multipliers included,
 *   digits = -log10 error   (the "mescd" of the published test sets) */
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 64 /* entries of a state vector */

static double digits_at(const test_problem *p, double tolerance, dae_summary *summary)
{
  double y[MOST];
  dae_summary own;
  dae_bdf_options opts = support_options(tolerance);
  assert_true(p->size <= MOST);
  summary = summary ? summary : &own;
  assert_int_equal(support_run(p, &opts, 0, NULL, NULL, y, summary), DAE_OK);
  double digits = -log10(support_error(p, y));
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-22s %.0e: %5.2f digits, %ld steps, %ld rejected\n", p->name, tolerance, digits,
                  summary->stats.steps, summary->stats.rejected_by_error);
  return digits;
}

static void test_pendulum_has_5_digits_at_1e_8_and_6_at_1e_10(void **state)
{
  (void)state;
  test_problem variants[] = {test_pendulum(), test_pendulum_eval(), test_pendulum_bare()};
  for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
    assert_true(digits_at(&variants[i], 1e-8, NULL) >= 5);
    assert_true(digits_at(&variants[i], 1e-10, NULL) >= 6);
  }
}

static void test_car_axis_loses_at_most_3_digits(void **state)
{
  (void)state;
  test_problem variants[] = {test_car_axis(), test_car_axis_bare()};
  for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
    for (int digits = 4; digits <= 9; digits++)
      assert_true(digits_at(&variants[i], pow(10, -digits), NULL) >= digits - 3);
}

static void test_transistor_amplifier_loses_at_most_2_digits_and_does_not_stall(void **state)
{
  (void)state;
  test_problem p = test_transistor_amplifier();
  for (int digits = 4; digits <= 9; digits++) {
    dae_summary summary;
    assert_true(digits_at(&p, pow(10, -digits), &summary) >= digits - 2);
    assert_true(summary.stats.rejected_by_error < summary.stats.steps / 10);
    assert_true(summary.stats.rejected_by_convergence < summary.stats.steps / 10);
  }
}

static void check_all(bool bare)
{
  test_problem p;
  int checked = 0;
  for (int i = 0; test_problem_at(i, &p); i++) {
    static const double tolerance[] = {1e-4, 1e-7};
    support_variant memory;
    test_problem variant = p;
    bool exists = !bare || support_bare(&p, &memory, &variant);
    for (int j = 0; exists && j < 2; j++) {
      double error = pow(10, -digits_at(&variant, tolerance[j], NULL));
      if (!(error <= 1000 * tolerance[j]))
        fail_msg("%s%s at %.0e: error %.2e", p.name, bare ? " (bare)" : "", tolerance[j], error);
      checked++;
    }
    test_problem_free(&p);
  }
  assert_true(checked > 0);
}

static void test_every_problem_ends_within_1000_rtol(void **state)
{
  (void)state;
  check_all(false);
}

static void test_every_problem_without_derivatives_ends_within_1000_rtol(void **state)
{
  (void)state;
  check_all(true);
}

/* a quarter of a digit more each time: at no tolerance the step is doubled and rejected in turn. At
 * orders 1 to 5 the steps grow by 10^(1/4/(k + 1)), 1.10 to 1.33 */
static void test_transistor_amplifier_does_not_stall_between_powers_of_ten(void **state)
{
  (void)state;
  test_problem p = test_transistor_amplifier();
  long before = 0;
  for (int quarters = 16; quarters <= 36; quarters++) {
    dae_summary summary;
    (void)digits_at(&p, pow(10, -quarters / 4.0), &summary);
    dae_stats stats = summary.stats;
    assert_true((double)stats.rejected_by_error < 0.12 * (double)stats.steps);
    assert_true((double)stats.rejected_by_convergence < 0.02 * (double)stats.steps);
    if (before > 0)
      assert_true((double)stats.steps > 0.9 * (double)before &&
                  (double)stats.steps < 1.4 * (double)before);
    before = stats.steps;
  }
}

/* the hidden constraint has two roots y, 1 and 1/2 at the start: the small first steps must not
 * leave for the other one */
static void test_index_2_ends_within_1000_rtol_at_every_tolerance(void **state)
{
  (void)state;
  test_problem p = test_hessenberg2();
  for (int digits = 4; digits <= 9; digits++)
    assert_true(digits_at(&p, pow(10, -digits), NULL) >= digits - 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum_has_5_digits_at_1e_8_and_6_at_1e_10),
      cmocka_unit_test(test_car_axis_loses_at_most_3_digits),
      cmocka_unit_test(test_transistor_amplifier_loses_at_most_2_digits_and_does_not_stall),
      cmocka_unit_test(test_transistor_amplifier_does_not_stall_between_powers_of_ten),
      cmocka_unit_test(test_index_2_ends_within_1000_rtol_at_every_tolerance),
      cmocka_unit_test(test_every_problem_ends_within_1000_rtol),
      cmocka_unit_test(test_every_problem_without_derivatives_ends_within_1000_rtol),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
