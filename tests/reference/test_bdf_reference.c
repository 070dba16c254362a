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

/* problems that do not reach 1000 rtol yet: at rest the error of a differenced g_t + G v has no
 * scale, and the start is refused */
static bool left_out(const test_problem *p, bool bare)
{
  static const char *const at_rest[] = {"bead", "parallel_bars", "chain_mode"};
  for (size_t i = 0; i < sizeof at_rest / sizeof *at_rest; i++)
    if (bare && strcmp(p->name, at_rest[i]) == 0)
      return true;
  return false;
}

static void check_all(bool bare, bool only_left_out)
{
  test_problem p;
  int checked = 0;
  for (int i = 0; test_problem_at(i, &p); i++) {
    static const double tolerance[] = {1e-4, 1e-7};
    support_variant memory;
    test_problem variant = p;
    bool exists = !bare || support_bare(&p, &memory, &variant);
    for (int j = 0; exists && j < 2 && left_out(&p, bare) == only_left_out; j++) {
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
  check_all(false, false);
}

static void test_every_problem_without_derivatives_ends_within_1000_rtol(void **state)
{
  (void)state;
  check_all(true, false);
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

/* not registered: see left_out */
static void test_starts_at_rest_without_derivatives(void **state)
{
  (void)state;
  check_all(true, true);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum_has_5_digits_at_1e_8_and_6_at_1e_10),
      cmocka_unit_test(test_car_axis_loses_at_most_3_digits),
      cmocka_unit_test(test_transistor_amplifier_loses_at_most_2_digits_and_does_not_stall),
      cmocka_unit_test(test_index_2_ends_within_1000_rtol_at_every_tolerance),
      cmocka_unit_test(test_every_problem_ends_within_1000_rtol),
      cmocka_unit_test(test_every_problem_without_derivatives_ends_within_1000_rtol),
  };
  const struct CMUnitTest known[] = {
      cmocka_unit_test(test_starts_at_rest_without_derivatives),
  };
  if (getenv("DAEDAL_KNOWN"))
    return cmocka_run_group_tests(known, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
