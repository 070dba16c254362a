/* Option tables: refusals name the field, text and struct say the same. */
#include "core/number.h"
#include "core/options.h"

#include <daedal/options.h>
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct options {
  double rtol, step, shift;
  int order, error_test;
  bool project;
} options;

static const char *const tests_of_error[] = {"qv", "q", "all-of-it", NULL};
#define AT(field) offsetof(options, field)
static const dae_option list[] = {
    {"rtol", DAE_OPTION_DOUBLE, AT(rtol), DBL_MIN, 1, NULL, "relative tolerance"},
    {"first_step", DAE_OPTION_DOUBLE, AT(step), 0, INFINITY, NULL, "first step size, 0: chosen"},
    {"shift", DAE_OPTION_DOUBLE, AT(shift), -INFINITY, INFINITY, NULL, NULL},
    {"order", DAE_OPTION_INT, AT(order), 1, 5, NULL, "largest order"},
    {"error_test", DAE_OPTION_CHOICE, AT(error_test), 0, 0, tests_of_error, "what is tested"},
    {"project", DAE_OPTION_BOOL, AT(project), 0, 0, NULL, "keep projected values"},
};
#define COUNT ((int)(sizeof list / sizeof list[0]))
static const dae_option_table table = {"bdf", list, COUNT};

static const options good = {.rtol = 1e-6, .order = 5, .project = true};

/* opts is refused with a message that names the field, and says `hint`. */
static void assert_refused(options opts, const char *field, const char *hint)
{
  dae_error err;
  assert_int_equal(dae_options_validate(&table, &opts, &err), DAE_ERROR_OPTION);
  assert_int_equal(err.status, DAE_ERROR_OPTION);
  assert_string_equal(err.equation, field);
  assert_non_null(strstr(err.text, "bdf"));
  assert_non_null(strstr(err.text, field));
  if (!strstr(err.text, hint))
    fail_msg("'%s' does not say '%s'", err.text, hint);
}

#define REFUSED(field, name, value, hint)                                                          \
  do {                                                                                             \
    options bad = good;                                                                            \
    bad.field = (value);                                                                           \
    assert_refused(bad, name, hint);                                                               \
  } while (0)

static void test_good_options_pass(void **state)
{
  (void)state;
  assert_int_equal(dae_options_validate(&table, &good, NULL), DAE_OK);
}

static void test_every_refusal_names_the_field_and_what_would_be_right(void **state)
{
  (void)state;
  REFUSED(rtol, "rtol", -1, "rtol = -1 is not valid, it must be greater than 0 and at most 1");
  REFUSED(rtol, "rtol", 0, "relative tolerance");
  REFUSED(rtol, "rtol", NAN, "nan");
  REFUSED(step, "first_step", -0.5, "at least 0");
  REFUSED(step, "first_step", INFINITY, "inf");
  REFUSED(shift, "shift", NAN, "a finite number");
  REFUSED(order, "order", 9, "order = 9 is not valid, it must be a whole number from 1 to 5");
  REFUSED(order, "order", 0, "from 1 to 5");
  REFUSED(error_test, "error_test", 3, "one of qv, q, all-of-it");
  REFUSED(error_test, "error_test", -1, "one of qv, q, all-of-it");
}

static void test_a_bool_that_was_never_set_is_refused(void **state)
{
  (void)state;
  options bad = good;
  memset((char *)&bad + AT(project), 0x5a, sizeof bad.project);
  dae_error err;
  assert_int_equal(dae_options_validate(&table, &bad, &err), DAE_ERROR_OPTION);
  assert_string_equal(err.equation, "project");
  assert_non_null(strstr(err.text, "on or off"));
}

static void test_set_reads_every_type(void **state)
{
  (void)state;
  options opts = good;
  assert_int_equal(dae_options_set(&table, &opts, "rtol", "1e-3", NULL), DAE_OK);
  assert_int_equal(dae_options_set(&table, &opts, "first-step", ".25", NULL), DAE_OK);
  assert_int_equal(dae_options_set(&table, &opts, "order", "2", NULL), DAE_OK);
  assert_int_equal(dae_options_set(&table, &opts, "error-test", "all_of_it", NULL), DAE_OK);
  assert_true(opts.rtol == 1e-3 && opts.step == 0.25);
  assert_int_equal(opts.order, 2);
  assert_int_equal(opts.error_test, 2);
  static const char *const words[] = {"off", "on", "false", "true", "no", "yes", "0", "1"};
  for (int i = 0; i < 8; i++) {
    assert_int_equal(dae_options_set(&table, &opts, "project", words[i], NULL), DAE_OK);
    assert_int_equal(opts.project, i % 2);
  }
}

static void test_set_refuses_bad_text_and_leaves_the_struct_alone(void **state)
{
  (void)state;
  static const char *const bad[][2] = {
      {"rtol", "small"}, {"rtol", ""},      {"rtol", "1e-3x"},         {"rtol", "nan"},
      {"rtol", "1e999"}, {"rtol", "2"},     {"rtol", " 1e-3"},         {"rtol", "0x1p-3"},
      {"order", "2.5"},  {"order", "9"},    {"order", "999999999999"}, {"order", ""},
      {"order", "2-"},   {"project", "si"}, {"error_test", "v"},       {"error_test", "0"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    options opts = good;
    dae_error err;
    assert_int_equal(dae_options_set(&table, &opts, bad[i][0], bad[i][1], &err), DAE_ERROR_OPTION);
    assert_string_equal(err.equation, bad[i][0]);
    assert_non_null(strstr(err.text, bad[i][1]));
    assert_memory_equal(&opts, &good, sizeof opts);
  }
}

static void test_an_unknown_name_is_refused_with_the_nearest_one(void **state)
{
  (void)state;
  static const char *const near[][2] = {{"rtoll", "'rtol'"},      {"otrder", "'order'"},
                                        {"ordre", "'order'"},     {"fist-step", "'first_step'"},
                                        {"Project", "'project'"}, {"errortest", "'error_test'"}};
  for (size_t i = 0; i < sizeof near / sizeof near[0]; i++) {
    options opts = good;
    dae_error err;
    assert_int_equal(dae_options_set(&table, &opts, near[i][0], "1", &err), DAE_ERROR_OPTION);
    assert_string_equal(err.equation, near[i][0]);
    assert_non_null(strstr(err.text, "did you mean"));
    assert_non_null(strstr(err.text, near[i][1]));
  }
  options opts = good;
  dae_error err;
  assert_int_equal(dae_options_set(&table, &opts, "temperature", "1", &err), DAE_ERROR_OPTION);
  assert_null(strstr(err.text, "did you mean"));
  assert_non_null(strstr(err.text, "rtol, first_step, shift, order, error_test, project"));
}

static void test_what_get_writes_set_reads(void **state)
{
  (void)state;
  options from = {.rtol = 1.0 / 3, .step = 0.1, .shift = -1e300, .order = 4, .error_test = 2};
  options to = good;
  for (int i = 0; i < COUNT; i++) {
    char text[64];
    dae_options_get(&table, &from, i, text, sizeof text);
    assert_int_equal(dae_options_set(&table, &to, list[i].name, text, NULL), DAE_OK);
  }
  assert_true(from.rtol == to.rtol && from.step == to.step && from.shift == to.shift);
  assert_int_equal(from.order, to.order);
  assert_int_equal(from.error_test, to.error_test);
  assert_int_equal(from.project, to.project);
}

static void test_numbers_are_written_as_short_as_they_read_back(void **state)
{
  (void)state;
  char text[32];
  dae__format_double(0.1, text, sizeof text);
  assert_string_equal(text, "0.1");
  dae__format_double(0.1 + 0.2, text, sizeof text);
  assert_string_equal(text, "0.30000000000000004");
  double numbers[] = {0, 1e-6, DBL_MAX, DBL_MIN, -0.7071067811865476, 5e-324, 123456789};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    double back = 1;
    dae__format_double(numbers[i], text, sizeof text);
    assert_true(dae__parse_double(text, &back));
    assert_true(back == numbers[i]);
  }
}

static void test_numbers_have_a_point_in_every_locale(void **state)
{
  (void)state;
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
    skip();
  double value = 0;
  char text[32];
  bool read = dae__parse_double("0.25", &value);
  dae__format_double(0.5, text, sizeof text);
  setlocale(LC_NUMERIC, "C");
  assert_true(read && value == 0.25);
  assert_string_equal(text, "0.5");
}

static void test_numbers_are_read_and_set_by_name(void **state)
{
  (void)state;
  options opts = good;
  dae_error err;
  assert_true(dae__options_number(&table, &opts, "rtol") == 1e-6);
  assert_true(dae__options_number(&table, &opts, "project") == 1);
  assert_true(isnan(dae__options_number(&table, &opts, "atol")));
  assert_int_equal(dae__options_set_number(&table, &opts, "rtol", 0.1 / 3, &err), DAE_OK);
  assert_true(opts.rtol == 0.1 / 3);
  assert_int_equal(dae__options_set_number(&table, &opts, "rtol", -1, &err), DAE_ERROR_OPTION);
  assert_int_equal(dae__options_set_number(&table, &opts, "atol", 1, &err), DAE_OK);
  assert_true(opts.rtol == 0.1 / 3);
}

static void test_edit_distance_counts_slips(void **state)
{
  (void)state;
  static const struct {
    const char *a, *b;
    int distance;
  } pairs[] = {{"", "", 0},           {"", "abc", 3},           {"order", "order", 0},
               {"ordre", "order", 1}, {"oder", "order", 1},     {"border", "order", 1},
               {"arder", "order", 1}, {"kitten", "sitting", 3}, {"BDF-ggl", "bdf_ggl", 0}};
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    assert_int_equal(dae__edit_distance(pairs[i].a, pairs[i].b), pairs[i].distance);
    assert_int_equal(dae__edit_distance(pairs[i].b, pairs[i].a), pairs[i].distance);
  }
  char word[100];
  memset(word, 'x', sizeof word - 1);
  word[sizeof word - 1] = 0;
  assert_int_equal(dae__edit_distance(word, "x"), INT_MAX);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_good_options_pass),
      cmocka_unit_test(test_every_refusal_names_the_field_and_what_would_be_right),
      cmocka_unit_test(test_a_bool_that_was_never_set_is_refused),
      cmocka_unit_test(test_set_reads_every_type),
      cmocka_unit_test(test_set_refuses_bad_text_and_leaves_the_struct_alone),
      cmocka_unit_test(test_an_unknown_name_is_refused_with_the_nearest_one),
      cmocka_unit_test(test_what_get_writes_set_reads),
      cmocka_unit_test(test_numbers_are_written_as_short_as_they_read_back),
      cmocka_unit_test(test_numbers_have_a_point_in_every_locale),
      cmocka_unit_test(test_numbers_are_read_and_set_by_name),
      cmocka_unit_test(test_edit_distance_counts_slips),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
