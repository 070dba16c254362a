#include "counting_env.h"

#include <daedal/run.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PATH "test_csv.tmp"

/* what stands in the file */
static const char *content(void)
{
  static char text[1 << 20];
  FILE *file = fopen(PATH, "rb");
  assert_non_null(file);
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  return text;
}

static void test_names_are_quoted_where_they_have_to_be(void **state)
{
  (void)state;
  const char *const names[] = {"t", "x[3]", "der(x)", "a,b", "say \"hi\"", "two\nlines"};
  dae_sink sink;
  dae_summary summary = {0};
  assert_int_equal(dae_csv_sink(PATH, NULL, &sink, NULL), DAE_OK);
  assert_int_equal(sink.open(sink.self, 6, names, NULL), DAE_OK);
  assert_int_equal(sink.close(sink.self, &summary, NULL), DAE_OK);
  assert_string_equal(content(), "t,x[3],der(x),\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\"\r\n");
  assert_string_equal(summary.files, PATH);
  sink.free(sink.self);
  remove(PATH);
}

static void write_rows(const double *values, int rows, int columns)
{
  const char *const names[] = {"a", "b", "c"};
  dae_sink sink;
  dae_summary summary = {0};
  dae_csv_sink(PATH, NULL, &sink, NULL);
  assert_int_equal(sink.open(sink.self, columns, names, NULL), DAE_OK);
  for (int i = 0; i < rows; i++)
    assert_int_equal(
        sink.row(sink.self, &(dae_row){.columns = columns, .values = values + i * columns}, NULL),
        DAE_OK);
  assert_int_equal(sink.close(sink.self, &summary, NULL), DAE_OK);
  sink.free(sink.self);
}

static void test_numbers_read_back_as_the_same_bits(void **state)
{
  (void)state;
  double values[3000];
  uint64_t bits = 88172645463325252u;
  for (int i = 0; i < 3000; i++) {
    do { /* xorshift over all finite doubles */
      bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
      memcpy(&values[i], &bits, sizeof bits);
    } while (!isfinite(values[i]));
  }
  write_rows(values, 1000, 3);
  const char *at = strchr(content(), '\n');
  for (int i = 0; i < 3000; i++) {
    char *end;
    double value = strtod(at + 1, &end);
    assert_memory_equal(&value, &values[i], sizeof value);
    assert_int_equal(*end, i % 3 == 2 ? '\r' : ',');
    at = i % 3 == 2 ? end + 1 : end;
  }
  remove(PATH);
}

static void test_numbers_have_a_point_in_every_locale(void **state)
{
  (void)state;
  const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"};
  const double values[] = {0.5, -1024.0625, 3};
  for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
    if (!setlocale(LC_ALL, locales[i]))
      continue;
    write_rows(values, 1, 3);
    setlocale(LC_ALL, "C");
    assert_string_equal(strchr(content(), '\n') + 1, "0.5,-1024.0625,3\r\n");
  }
  remove(PATH);
}

static void test_what_is_not_a_number_is_written_as_such(void **state)
{
  (void)state;
  const double values[] = {-(double)NAN, INFINITY, -INFINITY};
  write_rows(values, 1, 3);
  assert_string_equal(strchr(content(), '\n') + 1, "nan,inf,-inf\r\n");
  remove(PATH);
}

static void test_rows_are_kept_if_the_sink_is_freed_unclosed(void **state)
{
  (void)state;
  const char *const names[] = {"t"};
  const double value = 1;
  dae_sink sink;
  dae_csv_sink(PATH, NULL, &sink, NULL);
  sink.open(sink.self, 1, names, NULL);
  sink.row(sink.self, &(dae_row){.columns = 1, .values = &value}, NULL);
  sink.free(sink.self);
  assert_string_equal(content(), "t\r\n1\r\n");
  remove(PATH);
}

static void test_unwritable_path_is_named(void **state)
{
  (void)state;
  const char *const names[] = {"t"};
  dae_sink sink;
  dae_error err;
  dae_summary summary = {0};
  assert_int_equal(dae_csv_sink("no/such/folder/x.csv", NULL, &sink, &err), DAE_OK);
  assert_int_equal(sink.open(sink.self, 1, names, &err), DAE_ERROR_FILE);
  assert_non_null(strstr(err.text, "no/such/folder/x.csv"));
  assert_int_equal(sink.close(sink.self, &summary, &err), DAE_OK);
  assert_string_equal(summary.files, "");
  sink.free(sink.self);
  assert_int_equal(dae_csv_sink("", NULL, &sink, &err), DAE_ERROR_USAGE);
  assert_int_equal(dae_csv_sink(NULL, NULL, &sink, &err), DAE_ERROR_USAGE);
}

static void test_full_disk_is_noticed(void **state)
{
  (void)state;
  FILE *full = fopen("/dev/full", "wb");
  if (!full)
    skip();
  fclose(full);
  const char *const names[] = {"t"};
  const double value = 1.0 / 3;
  dae_sink sink;
  dae_error err;
  dae_summary summary = {0};
  /* at the latest when it is closed */
  dae_csv_sink("/dev/full", NULL, &sink, &err);
  assert_int_equal(sink.open(sink.self, 1, names, &err), DAE_OK);
  assert_int_equal(sink.close(sink.self, &summary, &err), DAE_ERROR_FILE);
  assert_non_null(strstr(err.text, "/dev/full"));
  sink.free(sink.self);
  /* and by a row, once the buffer is full */
  dae_csv_sink("/dev/full", NULL, &sink, &err);
  sink.open(sink.self, 1, names, &err);
  dae_status status = DAE_OK;
  for (int i = 0; i < 10000 && status == DAE_OK; i++)
    status = sink.row(sink.self, &(dae_row){.columns = 1, .values = &value}, &err);
  assert_int_equal(status, DAE_ERROR_FILE);
  assert_int_equal(sink.close(sink.self, &summary, &err), DAE_ERROR_FILE);
  sink.free(sink.self);
}

static void test_no_memory_is_a_clean_error(void **state)
{
  (void)state;
  dae_status (*const create[])(const char *, const dae_env *, dae_sink *,
                               dae_error *) = {dae_csv_sink, dae_json_sink};
  for (int i = 0; i < 2; i++)
    for (long n = 1;; n++) {
      counting_env count = {.fail_at = n};
      dae_env env = counting_env_of(&count);
      dae_sink sink;
      dae_status status = create[i](PATH, &env, &sink, NULL);
      if (status == DAE_OK)
        sink.free(sink.self);
      assert_int_equal(count.live, 0);
      if (status == DAE_OK)
        break;
      assert_int_equal(status, DAE_ERROR_MEMORY);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_are_quoted_where_they_have_to_be),
      cmocka_unit_test(test_numbers_read_back_as_the_same_bits),
      cmocka_unit_test(test_numbers_have_a_point_in_every_locale),
      cmocka_unit_test(test_what_is_not_a_number_is_written_as_such),
      cmocka_unit_test(test_rows_are_kept_if_the_sink_is_freed_unclosed),
      cmocka_unit_test(test_unwritable_path_is_named),
      cmocka_unit_test(test_full_disk_is_noticed),
      cmocka_unit_test(test_no_memory_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
