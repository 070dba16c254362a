/* Status names and texts, the error record and the log hook. */
#include "core/error.h"
#include "core/log.h"

#include <daedal/status.h>
#include <daedal/version.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define VALUE(name, value, text) name,
static const dae_status all[] = {DAE_STATUS_LIST(VALUE)};
#define COUNT (sizeof all / sizeof all[0])

static void test_every_status_has_a_value_a_name_and_a_text_of_its_own(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT; i++)
    for (size_t j = 0; j < i; j++) {
      assert_int_not_equal(all[i], all[j]);
      assert_string_not_equal(dae_status_name(all[i]), dae_status_name(all[j]));
      assert_string_not_equal(dae_status_text(all[i]), dae_status_text(all[j]));
    }
}

static void test_errors_are_negative_and_named_so(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT; i++) {
    bool error = strncmp(dae_status_name(all[i]), "DAE_ERROR_", 10) == 0;
    assert_int_equal(error, all[i] < 0);
  }
  assert_string_equal(dae_status_name(DAE_ERROR_STEP), "DAE_ERROR_STEP");
}

static void test_an_unknown_status_has_a_text_too(void **state)
{
  (void)state;
  int unknown = -99;
  assert_non_null(strstr(dae_status_name((dae_status)unknown), "unknown"));
  assert_non_null(dae_status_text((dae_status)unknown));
}

static void test_fail_fills_in_the_record_and_returns_the_status(void **state)
{
  (void)state;
  dae_error err = dae_error_none();
  assert_int_equal(err.status, DAE_OK);
  assert_true(isnan(err.t) && isnan(err.h));
  assert_int_equal(dae__fail(&err, DAE_ERROR_STEP, "rod", "order %d", 3), DAE_ERROR_STEP);
  assert_int_equal(err.status, DAE_ERROR_STEP);
  assert_string_equal(err.equation, "rod");
  assert_string_equal(err.text, "order 3");
  assert_true(isnan(err.t));
  dae__fail_at(&err, 2, 0.5);
  assert_true(err.t == 2 && err.h == 0.5);
}

static void test_fail_may_quote_the_record_it_overwrites(void **state)
{
  (void)state;
  dae_error err = dae_error_none();
  dae__fail(&err, DAE_ERROR_SINGULAR, "rod", "column 3 is zero");
  dae__fail(&err, DAE_ERROR_STEP, err.equation, "no step: %s", err.text);
  assert_string_equal(err.equation, "rod");
  assert_string_equal(err.text, "no step: column 3 is zero");
}

static void test_long_names_and_texts_are_cut_off(void **state)
{
  (void)state;
  char text[2000];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = 0;
  dae_error err;
  dae__fail(&err, DAE_ERROR_USAGE, text, "%s", text);
  assert_int_equal(strlen(err.equation), sizeof err.equation - 1);
  assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

/* what dae_error_text makes of a record, and that a buffer that is too small gets its beginning */
static const char *text_of(const dae_error *err)
{
  static char text[1024];
  char small[20];
  size_t length = dae_error_text(err, text, sizeof text);
  assert_int_equal(length, strlen(text));
  assert_int_equal(dae_error_text(err, NULL, 0), length);
  for (size_t size = 1; size <= sizeof small; size++) {
    memset(small, '?', sizeof small);
    assert_int_equal(dae_error_text(err, small, size), length);
    size_t kept = length < size ? length : size - 1;
    assert_memory_equal(small, text, kept);
    assert_int_equal(small[kept], 0);
  }
  return text;
}

static dae_error located(const char *source, int caret)
{
  dae_error err = dae_error_none();
  dae__fail(&err, DAE_ERROR_MODEL, "yy", "unknown name yy; did you mean y?");
  snprintf(err.file, sizeof err.file, "pendulum.dae");
  snprintf(err.source, sizeof err.source, "%s", source);
  err.line = 6;
  err.column = 23;
  err.caret = caret;
  return err;
}

static void test_error_text_points_at_the_place(void **state)
{
  (void)state;
  dae_error err = located("constraint rod: x^2 + yy^2 = L^2", 22);
  assert_string_equal(text_of(&err), "pendulum.dae:6:23: unknown name yy; did you mean y?\n"
                                     "  constraint rod: x^2 + yy^2 = L^2\n"
                                     "                        ^");
  err.source[0] = 0;
  assert_string_equal(text_of(&err), "pendulum.dae:6:23: unknown name yy; did you mean y?");
  err.column = 0;
  assert_string_equal(text_of(&err), "pendulum.dae:6: unknown name yy; did you mean y?");
  err.file[0] = 0;
  assert_string_equal(text_of(&err), "line 6: unknown name yy; did you mean y?");
  err = dae_error_none();
  dae__fail(&err, DAE_ERROR_STEP, "rod", "no step at t = 2");
  dae__fail_at(&err, 2, 0.5);
  assert_string_equal(text_of(&err), "no step at t = 2");
}

static void test_error_text_keeps_tabs_and_counts_characters(void **state)
{
  (void)state;
  /* a tab, and two letters of two bytes each, before the mark */
  dae_error err = located("\tparam \xce\xb1\xce\xb2 = yy", 14);
  assert_string_equal(text_of(&err), "pendulum.dae:6:23: unknown name yy; did you mean y?\n"
                                     "  \tparam \xce\xb1\xce\xb2 = yy\n"
                                     "  \t           ^");
  /* a mark beyond the line stands at its end, one before it at its beginning */
  err = located("ab", 7);
  assert_non_null(strstr(text_of(&err), "\n  ab\n    ^"));
  err = located("ab", -7);
  assert_non_null(strstr(text_of(&err), "\n  ab\n  ^"));
}

static void test_error_text_of_an_empty_record(void **state)
{
  (void)state;
  dae_error err = dae_error_none();
  assert_true(err.file[0] == 0 && err.source[0] == 0 && err.caret == 0);
  assert_string_equal(text_of(&err), "success");
  err.status = DAE_ERROR_MEMORY;
  assert_string_equal(text_of(&err), "out of memory");
  assert_string_equal(text_of(NULL), "");
}

/* a record that is filled in anew does not keep the place of the last one */
static void test_fail_forgets_the_place(void **state)
{
  (void)state;
  dae_error err = located("x", 0);
  dae__fail(&err, DAE_ERROR_STEP, NULL, "no step");
  assert_string_equal(text_of(&err), "no step");
}

static void test_no_record_is_no_problem(void **state)
{
  (void)state;
  assert_int_equal(dae__fail(NULL, DAE_ERROR_USAGE, NULL, "nobody listens"), DAE_ERROR_USAGE);
  dae__fail_at(NULL, 0, 0);
}

static void store_line(void *user, dae_log_level level, const char *line)
{
  snprintf(user, 64, "%d %s", (int)level, line);
}

static void test_the_log_hook_gets_formatted_lines(void **state)
{
  (void)state;
  char line[64] = "";
  dae_env env = dae_env_defaults();
  dae__log(&env, DAE_LOG_INFO, "silence");
  dae__log(NULL, DAE_LOG_INFO, "silence");
  env.log = store_line;
  env.user = line;
  dae__log(&env, DAE_LOG_WARNING, "h = %g", 0.25);
  assert_string_equal(line, "2 h = 0.25");
}

static void test_header_and_library_have_the_same_version(void **state)
{
  (void)state;
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", DAE_VERSION_MAJOR, DAE_VERSION_MINOR,
           DAE_VERSION_PATCH);
  assert_string_equal(dae_version(), version);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_status_has_a_value_a_name_and_a_text_of_its_own),
      cmocka_unit_test(test_errors_are_negative_and_named_so),
      cmocka_unit_test(test_an_unknown_status_has_a_text_too),
      cmocka_unit_test(test_fail_fills_in_the_record_and_returns_the_status),
      cmocka_unit_test(test_fail_may_quote_the_record_it_overwrites),
      cmocka_unit_test(test_long_names_and_texts_are_cut_off),
      cmocka_unit_test(test_error_text_points_at_the_place),
      cmocka_unit_test(test_error_text_keeps_tabs_and_counts_characters),
      cmocka_unit_test(test_error_text_of_an_empty_record),
      cmocka_unit_test(test_fail_forgets_the_place),
      cmocka_unit_test(test_no_record_is_no_problem),
      cmocka_unit_test(test_the_log_hook_gets_formatted_lines),
      cmocka_unit_test(test_header_and_library_have_the_same_version),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
