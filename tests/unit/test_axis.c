/* Axes of plots: whatever the numbers are, the range is one, and its ticks are few, round and told
 * by labels that read back as the place where they stand. */
#include "output/plot/axis.h"
#include "output/text.h"
#include "uniform.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int count_labels(const dae__ticks *ticks)
{
  int count = 0;
  for (int i = 0; i < ticks->count; i++)
    count += ticks->at[i].label[0] != '\0';
  return count;
}

/* "0 2 4 6" */
static const char *labels(const dae__ticks *ticks)
{
  static char text[1024];
  text[0] = '\0';
  for (int i = 0; i < ticks->count; i++)
    if (ticks->at[i].label[0])
      strcat(strcat(text, text[0] ? " " : ""), ticks->at[i].label);
  return text;
}

static void check_labels(bool log, double least, double most, double margin, int count,
                         const char *base, const char *wanted)
{
  dae__axis axis = dae__axis_fit(log, least, most, margin);
  dae__ticks ticks;
  dae__axis_ticks(&axis, count, &ticks);
  assert_string_equal(labels(&ticks), wanted);
  assert_string_equal(ticks.base, base);
}

static void test_labels_are_those_one_would_write(void **state)
{
  (void)state;
  check_labels(false, 0, 10, 0, 6, "", "0 2 4 6 8 10");
  check_labels(false, -1, 1, 0.05, 5, "", "-1.0 -0.5 0 0.5 1.0");
  check_labels(false, 0, 3e-8, 0.05, 6, "", "0 1e-8 2e-8 3e-8");
  check_labels(false, 1e6, 3e6, 0.05, 5, "", "1e6 1.5e6 2e6 2.5e6 3e6");
  check_labels(false, 0.001, 0.002, 0, 5, "", "0.0010 0.0012 0.0014 0.0016 0.0018 0.0020");
  check_labels(true, 1, 1000, 0, 6, "", "1 10 100 1000");
  check_labels(true, 1, 100, 0, 6, "", "1 2 5 10 20 50 100");
  check_labels(true, 1e-12, 1e-3, 0.05, 6, "", "1e-12 1e-10 1e-8 1e-6 1e-4");
  check_labels(true, 2, 7, 0.05, 6, "", "2 3 4 5 6 7");
}

static void test_late_digits_are_told_from_a_round_base(void **state)
{
  (void)state;
  check_labels(false, -4.90500003, -4.90499999, 0.05, 5, "-4.905", "-3e-8 -2e-8 -1e-8 0 1e-8");
  check_labels(false, 1, 1 + 1e-12, 0.05, 3, "1", "0 5e-13 1e-12");
  check_labels(false, 123456789, 123456790, 0, 5, "1.2345679e8", "-1.0 -0.8 -0.6 -0.4 -0.2 0");
}

static void test_one_value_gets_room(void **state)
{
  (void)state;
  const double values[] = {0,    5,       -3e-7,  1e15,    DBL_MAX, -DBL_MAX,
                           1e-9, DBL_MIN, 5e-324, -5e-324, 1e300,   1e-290};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    for (int log = 0; log < 2; log++) {
      if (!dae__axis_takes(log, values[i]))
        continue;
      dae__axis axis = dae__axis_fit(log, values[i], values[i], 0.05);
      double share = dae__axis_share(&axis, values[i]);
      assert_true(axis.low < axis.high);
      assert_true(share >= 0 && share <= 1);
      dae__ticks ticks;
      dae__axis_ticks(&axis, 5, &ticks);
      assert_in_range(count_labels(&ticks), 2, 6);
    }
}

static void test_rounding_is_not_magnified(void **state)
{
  (void)state;
  check_labels(false, 1, 1 + 4 * DBL_EPSILON, 0.05, 5, "", "0.96 0.98 1.00 1.02 1.04");
  check_labels(false, 0, 5e-324, 0.05, 5, "", "-1.0 -0.5 0 0.5 1.0");
}

static void test_no_values_make_an_axis_all_the_same(void **state)
{
  (void)state;
  check_labels(false, INFINITY, -INFINITY, 0.05, 3, "", "0 0.5 1.0");
  check_labels(true, INFINITY, -INFINITY, 0.05, 3, "", "1 2 5 10");
  check_labels(false, NAN, NAN, 0.05, 3, "", "0 0.5 1.0");
}

static void test_what_has_no_place_is_known(void **state)
{
  (void)state;
  assert_true(dae__axis_takes(false, -1) && dae__axis_takes(false, 0));
  assert_true(dae__axis_takes(true, 5e-324));
  assert_false(dae__axis_takes(true, 0) || dae__axis_takes(true, -1));
  assert_false(dae__axis_takes(false, NAN) || dae__axis_takes(false, INFINITY));
  assert_false(dae__axis_takes(true, NAN) || dae__axis_takes(true, -INFINITY));
}

/* every label read back, and added to the base, is where its tick is */
static void check_places(const dae__axis *axis, const dae__ticks *ticks, double scale)
{
  double base = strtod(ticks->base, NULL), before = -1;
  for (int i = 0; i < ticks->count; i++) {
    const dae__tick *tick = &ticks->at[i];
    assert_true(tick->share >= 0 && tick->share <= 1);
    assert_true(tick->share > before);
    before = tick->share;
    if (!tick->label[0])
      continue;
    assert_in_range(strlen(tick->label), 1, 14);
    double value = base + strtod(tick->label, NULL);
    if (isinf(value) || value < scale) /* a label beyond the largest number, or a denormal one */
      continue;
    if (fabs(dae__axis_share(axis, value) - tick->share) > 1e-3)
      fail_msg("%s%s%s stands at %g, not at %g", ticks->base, ticks->base[0] ? " and " : "",
               tick->label, tick->share, dae__axis_share(axis, value));
  }
}

static void check_range(bool log, double least, double most, int count)
{
  dae__axis axis = dae__axis_fit(log, least, most, 0.05);
  dae__ticks ticks;
  assert_true(isfinite(axis.low) && isfinite(axis.high) && axis.low < axis.high);
  assert_true(dae__axis_share(&axis, least) >= 0 && dae__axis_share(&axis, most) <= 1);
  assert_true(dae__axis_share(&axis, least) <= dae__axis_share(&axis, most));
  dae__axis_ticks(&axis, count, &ticks);
  if (count_labels(&ticks) < 2 || count_labels(&ticks) > (count < 4 ? 6 : count + 2))
    fail_msg("%s %.17g to %.17g: %d labels of %d: %s", log ? "log" : "linear", least, most,
             count_labels(&ticks), count, labels(&ticks));
  check_places(&axis, &ticks, log ? DBL_MIN : -DBL_MAX);
}

static void test_ticks_of_any_range_are_few_and_where_they_say(void **state)
{
  (void)state;
  for (int i = 0; i < 20000; i++) {
    double centre = uniform() * pow(10, 300 * uniform());
    double width = fabs(centre) * pow(10, 8 * uniform() - 5);
    int count = 12 + (int)(10.999 * uniform()); /* 2 to 22 */
    if (isfinite(centre + width))
      check_range(false, centre - width, centre + width, count);
    double low = pow(10, 315 * uniform() - 8), high = low * pow(10, 15 * uniform() + 15);
    if (low > 0 && isfinite(high))
      check_range(true, low, high, count);
  }
}

static void test_largest_and_smallest_ranges_have_ticks(void **state)
{
  (void)state;
  check_range(false, -DBL_MAX, DBL_MAX, 5);
  check_range(false, 1e-300, 1e300, 5);
  check_range(false, 0, 1e-299, 5);
  check_range(false, 5e-324, 1e-310, 5);
  check_range(false, DBL_MAX / 2, DBL_MAX, 5);
  check_range(true, 5e-324, DBL_MAX, 5);
  check_range(true, 1e-300, 1e300, 5);
  check_range(true, 5e-324, 1e-320, 5);
  check_range(true, DBL_MAX / 2, DBL_MAX, 5);
}

static void test_widening_keeps_the_middle(void **state)
{
  (void)state;
  dae__axis axis = dae__axis_fit(false, 1, 3, 0), other = dae__axis_fit(false, 0, 8, 0);
  dae__axis_equal(&axis, &other, 1, 1);
  assert_true(axis.low == -2 && axis.high == 6);
  assert_true(other.low == 0 && other.high == 8);
  axis = other = dae__axis_fit(false, -DBL_MAX, DBL_MAX, 0);
  dae__axis_equal(&axis, &other, 4, 1);
  assert_true(isfinite(axis.low) && isfinite(axis.high));
}

static void test_numbers_get_a_point_whatever_printf_wrote(void **state)
{
  (void)state;
  const char *const cases[][2] = {{"1,5e-08", "1.5e-08"},
                                  {"-0\xd9\xab"
                                   "25",
                                   "-0.25"},
                                  {"3.5", "3.5"},
                                  {"12", "12"},
                                  {"1e-08", "1e-08"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[40];
    snprintf(text, sizeof text, "%s", cases[i][0]);
    dae__number_point(text);
    assert_string_equal(text, cases[i][1]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_labels_are_those_one_would_write),
      cmocka_unit_test(test_late_digits_are_told_from_a_round_base),
      cmocka_unit_test(test_one_value_gets_room),
      cmocka_unit_test(test_rounding_is_not_magnified),
      cmocka_unit_test(test_no_values_make_an_axis_all_the_same),
      cmocka_unit_test(test_what_has_no_place_is_known),
      cmocka_unit_test(test_ticks_of_any_range_are_few_and_where_they_say),
      cmocka_unit_test(test_largest_and_smallest_ranges_have_ticks),
      cmocka_unit_test(test_widening_keeps_the_middle),
      cmocka_unit_test(test_numbers_get_a_point_whatever_printf_wrote),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
