/* What the reproductions of [E07] and [WHM11] rest on: exact solutions, the constants of a bound,
 * quotients of errors, and how sweeps are counted. */
#include "e07.h"
#include "whm11.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void is_near(double value, double expected, double bound)
{
  if (!(fabs(value - expected) <= bound))
    fail_msg("%.17g is not within %g of %.17g", value, bound, expected);
}

/* ---- [E07] ---- */

static void test_the_solution_of_example_3_7_meets_its_equations(void **state)
{
  (void)state;
  const double d = 1e-4;
  for (double alpha = 0.3; alpha < 1.2; alpha += 0.2)
    for (double t = 0.5; t < 3; t += 0.5) {
      double z[4], before[4], after[4];
      e07_exact(alpha, t, z);
      e07_exact(alpha, t - d, before);
      e07_exact(alpha, t + d, after);
      is_near((after[0] - before[0]) / (2 * d), -z[2], 1e-8);
      is_near((after[2] - before[2]) / (2 * d), z[0], 1e-8);
      is_near(z[0] - z[1] + alpha * z[3], 0, 1e-13);
      is_near(z[2] - z[3] + alpha * z[1], 0, 1e-13);
    }
}

/* ---- [WHM11] ---- */

enum { X1, X2, Y1, Y2, LAMBDA };

static void second_derivative(double t, double *out)
{
  const double d = 1e-3;
  double middle[WHM11_VALUES], before[WHM11_VALUES], after[WHM11_VALUES];
  whm11_exact(t, middle);
  whm11_exact(t - d, before);
  whm11_exact(t + d, after);
  for (int i = 0; i < WHM11_VALUES; i++)
    out[i] = (after[i] - 2 * middle[i] + before[i]) / (d * d);
}

static void test_the_solution_of_the_structures_meets_19(void **state)
{
  (void)state;
  for (double t = 0.5; t <= 3; t += 0.5) {
    double v[WHM11_VALUES], a[WHM11_VALUES];
    whm11_exact(t, v);
    second_derivative(t, a);
    is_near(4 * a[X1] + a[X2], 2 * v[X1] + v[X2] + 6, 1e-5);
    is_near(a[X1] + 3 * a[X2] + v[LAMBDA], v[X1] + 2 * v[X2] + 7, 1e-5);
    is_near(5 * a[Y1] + 2 * a[Y2] - 2 * v[LAMBDA], v[Y1] + 2 * v[Y2] + 10, 1e-5);
    is_near(2 * a[Y1] + 4 * a[Y2], 2 * v[Y2] + 4, 1e-5);
    is_near(v[X2], 2 * v[Y1], 1e-13);
  }
}

static void test_the_structures_start_from_rest(void **state)
{
  (void)state;
  double v[WHM11_VALUES], a[WHM11_VALUES];
  whm11_exact(0, v);
  second_derivative(0, a);
  for (int i = X1; i <= Y2; i++)
    is_near(v[i], 0, 1e-14);
  is_near(v[LAMBDA], -22.0 / 15, 1e-14);
  is_near(a[X2], 38.0 / 15, 1e-6);
}

/* 22 digits, from a matrix exponential */
static void test_the_structures_are_followed_to_many_digits(void **state)
{
  (void)state;
  static const double known[WHM11_VALUES] = {2962.273972107864517697, 4358.887430410580251511,
                                             2179.443715205290125756, -2203.204039375218324239,
                                             2436.362782668293059176};
  double v[WHM11_VALUES];
  whm11_exact(10, v);
  for (int i = 0; i < WHM11_VALUES; i++)
    is_near(v[i], known[i], 1e-14 * 64 * 470);
}

static void test_the_printed_signs_lead_elsewhere_on_the_constraint(void **state)
{
  (void)state;
  static const double times[] = {2, 3, 10};
  for (int i = 0; i < 3; i++) {
    double v[WHM11_VALUES], right[WHM11_VALUES];
    whm11_exact_printed(times[i], v);
    whm11_exact(times[i], right);
    is_near(v[X2], 2 * v[Y1], 1e-12);
    assert_true(fabs(v[X2] - right[X2]) > 0.3);
  }
}

static void test_the_bound_has_its_limits(void **state)
{
  (void)state;
  whm11_bound b = whm11_bound_of(1e-3, 64), right = whm11_bound_of(1e-3, 32);
  is_near(b.E, 13.0 / 121, 1e-15);
  is_near(b.F, 4.0 / 11, 1e-15);
  is_near(b.beta, 8 - 1e-6, 1e-9);
  is_near(right.beta, 8 - 2e-6, 1e-9);
  is_near(b.gamma, b.F + (b.E + b.F / 16) * 1e-6, 1e-11);
  is_near(right.gamma, b.gamma, 1e-11);
}

static void test_quotients_are_those_of_the_error(void **state)
{
  (void)state;
  whm11_result runs[3];
  double R[3];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < WHM11_VALUES; k++) /* of order 2 in x, 1 in y, 3 in lambda */
      runs[i].values[k] = 1 + (k + 1) * ldexp(1, -i * (k < 2 ? 2 : k < 4 ? 1 : 3));
  whm11_quotients(runs, R);
  is_near(R[0], 4, 1e-14);
  is_near(R[1], 2, 1e-14);
  is_near(R[2], 8, 1e-14);
}

/* ---- values of tables ---- */

static void test_counts_have_a_slack_in_sweeps(void **state)
{
  (void)state;
  rep_value near = waves_count(81, 78, 79, 1), fails = waves_count(NAN, 12, WAVES_FAILS, 1),
            shown = waves_count(NAN, 12, NAN, 1);
  assert_true(near.check == REP_NEAR && near.paper == 81 && near.reference == 79);
  assert_true(near.bound * near.reference >= 1 && near.bound * near.reference < 2);
  assert_true(fails.check == REP_FAILS && isnan(fails.reference));
  assert_true(shown.check == REP_SHOWN);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_solution_of_example_3_7_meets_its_equations),
      cmocka_unit_test(test_the_solution_of_the_structures_meets_19),
      cmocka_unit_test(test_the_structures_start_from_rest),
      cmocka_unit_test(test_the_structures_are_followed_to_many_digits),
      cmocka_unit_test(test_the_printed_signs_lead_elsewhere_on_the_constraint),
      cmocka_unit_test(test_the_bound_has_its_limits),
      cmocka_unit_test(test_quotients_are_those_of_the_error),
      cmocka_unit_test(test_counts_have_a_slack_in_sweeps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
