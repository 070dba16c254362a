/* Decimal digits without printf and strtod: where they are given, they are theirs. */
#include "core/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* xorshift */
static uint64_t next(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* counts the numbers that are not told */
static void compare(double value, int digits, long *refused)
{
  char ours[40], theirs[40];
  if (!dae__decimal(value, digits, ours)) {
    ++*refused;
    return;
  }
  snprintf(theirs, sizeof theirs, "%.*g", digits, value);
  if (strcmp(ours, theirs) != 0)
    fail_msg("%d digits: %s, by printf %s", digits, ours, theirs);
}

static void test_numbers_of_all_sizes_give_the_text_of_printf(void **state)
{
  (void)state;
  uint64_t random = 88172645463325252u;
  long refused = 0, count = 200000;
  for (long i = 0; i < count; i++) {
    double size = pow(10, (double)(i % 54) - 37), value = (double)next(&random) * 0x1p-64 * size;
    compare(i % 2 ? value : -value, 17, &refused);
  }
  assert_true(refused < count / 20);
}

static void test_all_bits_and_numbers_of_digits_give_the_text_of_printf(void **state)
{
  (void)state;
  uint64_t random = 88172645463325252u;
  long refused = 0, count = 200000;
  for (long i = 0; i < count; i++) {
    uint64_t bits = next(&random);
    double value;
    memcpy(&value, &bits, sizeof value);
    compare(isfinite(value) ? value : 1, 1 + (int)(i % 17), &refused);
  }
  assert_true(refused < count);
}

static void test_numbers_near_powers_of_ten_give_the_text_of_printf(void **state)
{
  (void)state;
  long refused = 0;
  for (int p = -60; p <= 20; p++)
    for (int ulps = -3; ulps <= 3; ulps++)
      for (int digits = 1; digits <= 17; digits++) {
        double value = pow(10, p);
        for (int i = 0; i < abs(ulps); i++)
          value = nextafter(value, ulps < 0 ? 0 : INFINITY);
        compare(-value, digits, &refused);
      }
  assert_true(refused < 81 * 7 * 17);
}

/* whole numbers and halves, which lie in the middle for fewer digits */
static void test_ties_go_to_the_even_digit(void **state)
{
  (void)state;
  long refused = 0;
  for (int i = 0; i < 100000; i++)
    for (int digits = 3; digits <= 6; digits++)
      compare(i * 0x1p-7, digits, &refused);
  assert_int_equal(refused, 0);
}

static void test_short_numbers_are_told(void **state)
{
  (void)state;
  static const struct {
    double value;
    const char *text;
  } known[] = {{0, "0"},
               {-0., "-0"},
               {1, "1"},
               {-1200, "-1200"},
               {0.5, "0.5"},
               {0.0625, "0.0625"},
               {1e16, "10000000000000000"},
               {9.765625e-4, "0.0009765625"},
               {0.1, "0.10000000000000001"},
               {1. / 3, "0.33333333333333331"},
               {-1e-7, "-9.9999999999999995e-08"},
               {1e-30, "1.0000000000000001e-30"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char text[40];
    assert_true(dae__decimal(known[i].value, 17, text));
    assert_string_equal(text, known[i].text);
  }
}

static void test_what_has_no_digits_is_refused(void **state)
{
  (void)state;
  char text[40];
  assert_false(dae__decimal(NAN, 17, text));
  assert_false(dae__decimal(-INFINITY, 17, text));
  assert_false(dae__decimal(1, 0, text));
  assert_false(dae__decimal(1, 18, text));
  assert_false(dae__decimal(3e17, 17, text));
  assert_false(dae__decimal(1e-60, 17, text));
}

/* digits, a point somewhere among them, and often a power of ten */
static void test_short_texts_are_read_as_by_strtod(void **state)
{
  (void)state;
  uint64_t random = 88172645463325252u;
  for (int i = 0; i < 200000; i++) {
    char digits[24], text[48];
    int count = 1 + (int)(next(&random) % 15), point = (int)(next(&random) % (uint64_t)(count + 1));
    int behind = count - point, power = (int)(next(&random) % 45) - 22 + behind;
    snprintf(digits, sizeof digits, "%015llu",
             (unsigned long long)(next(&random) % 1000000000000000u));
    int used = snprintf(text, sizeof text, "%s%.*s%s%.*s", i % 3 ? "" : "-", point, digits,
                        behind > 0 || i % 2 ? "." : "", behind, digits + point);
    if (i % 4)
      snprintf(text + used, sizeof text - (size_t)used, "%c%d", i % 2 ? 'e' : 'E', power);
    double value = NAN;
    if (!dae__decimal_value(text, &value) || value != strtod(text, NULL))
      fail_msg("%s is read as %.17g", text, value);
  }
  double zero = 1;
  assert_true(dae__decimal_value("-0.0", &zero) && zero == 0 && signbit(zero));
}

static void test_texts_that_are_not_short_numbers_are_left_to_strtod(void **state)
{
  (void)state;
  static const char *const texts[] = {"",
                                      ".",
                                      "-",
                                      "e5",
                                      "1e",
                                      "1e+",
                                      "1e5x",
                                      "1.2.3",
                                      "--1",
                                      "inf",
                                      "0x10",
                                      " 1",
                                      "1 ",
                                      "1e23",
                                      "1e-23",
                                      "1e9999999999999999999",
                                      "1234567890123456",
                                      "0.1234567890123456"};
  double value;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (dae__decimal_value(texts[i], &value))
      fail_msg("%s is read as %.17g", texts[i], value);
}

/* number of significant digits of a text */
static int digits_of(const char *text)
{
  int count = 0, zeros = 0;
  for (; *text && *text != 'e'; text++) {
    if (*text < '0' || *text > '9' || (count == 0 && *text == '0'))
      continue;
    zeros = *text == '0' ? zeros + 1 : 0;
    count++;
  }
  return count - zeros;
}

/* at most as many digits as the first precision of printf that reads back as the value: at powers
 * of two, whose interval is smaller below, a number that is not the nearest may have one less;
 * counts the numbers that are not told */
static void check_shortest(double value, long *refused)
{
  char ours[40], theirs[40];
  size_t length = dae__decimal_shortest(value, ours);
  if (length == 0) {
    ++*refused;
    return;
  }
  int digits = 1;
  for (; digits <= 17; digits++) {
    snprintf(theirs, sizeof theirs, "%.*g", digits, value);
    if (strtod(theirs, NULL) == value)
      break;
  }
  assert_int_equal(length, strlen(ours));
  if (strtod(ours, NULL) != value || digits_of(ours) > digits_of(theirs))
    fail_msg("%.17g: %s, by printf %s", value, ours, theirs);
}

static void test_the_shortest_text_reads_back_as_the_same_number(void **state)
{
  (void)state;
  static const double some[] = {0.1,
                                0.3,
                                1. / 3,
                                1,
                                10,
                                1200,
                                1e16,
                                0.01,
                                1e-5,
                                2.5e-7,
                                123456,
                                0.7 + 0.1,
                                9007199254740993.,
                                0.0001,
                                1e-37,
                                4.35e-9,
                                0x1p-40,
                                0x1p50,
                                0x1.fffffffffffffp40};
  uint64_t random = 88172645463325252u;
  long refused = 0, count = 20000;
  char text[40];
  for (size_t i = 0; i < sizeof some / sizeof *some; i++)
    check_shortest(some[i], &refused);
  for (int p = -120; p <= 56; p++) { /* the interval of a power of two is smaller below */
    check_shortest(ldexp(1, p), &refused);
    check_shortest(nextafter(ldexp(1, p), 0), &refused);
    check_shortest(nextafter(ldexp(1, p), 1e30), &refused);
  }
  assert_true(refused < 50);
  refused = 0;
  for (long i = 0; i < count; i++) {
    double size = pow(10, (double)(i % 54) - 37), value = (double)next(&random) * 0x1p-64 * size;
    check_shortest(i % 2 ? value : -value, &refused);
    snprintf(text, sizeof text, "%.*g", 1 + (int)(i % 16), value); /* few digits */
    check_shortest(strtod(text, NULL), &refused);
  }
  assert_true(refused < count / 10);
  assert_int_equal(dae__decimal_shortest(-0.0, text), 2);
  assert_string_equal(text, "-0");
  assert_int_equal(dae__decimal_shortest(NAN, text), 0);
  assert_int_equal(dae__number_shortest(1e300, text), 6);
  assert_string_equal(text, "1e+300");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_shortest_text_reads_back_as_the_same_number),
      cmocka_unit_test(test_numbers_of_all_sizes_give_the_text_of_printf),
      cmocka_unit_test(test_all_bits_and_numbers_of_digits_give_the_text_of_printf),
      cmocka_unit_test(test_numbers_near_powers_of_ten_give_the_text_of_printf),
      cmocka_unit_test(test_ties_go_to_the_even_digit),
      cmocka_unit_test(test_short_numbers_are_told),
      cmocka_unit_test(test_what_has_no_digits_is_refused),
      cmocka_unit_test(test_short_texts_are_read_as_by_strtod),
      cmocka_unit_test(test_texts_that_are_not_short_numbers_are_left_to_strtod)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
