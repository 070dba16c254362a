/* Checkpoints as files: what is read is what was written, or it is refused. */
#define _XOPEN_SOURCE 700
#include "counting_env.h"
#include "output/file_hash.h"

#include <daedal/checkpoint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define PATH "test_checkpoint.tmp"
#define OLDER PATH ".old"

enum { STATE = 100001, LIBRARY = 16, BUILD = 32, VERSION = 8 };
static char state_bytes[STATE];
static const char about[] = "folder\0origin\0words";

static int clean(void **state)
{
  (void)state;
  dae_checkpoint_remove(PATH);
  return 0;
}

/* Bytes with runs of zeros of all kinds, the sequence `seed`. */
static dae_checkpoint contents(unsigned seed)
{
  for (size_t i = 0; i < STATE; i++) {
    seed = seed * 1664525u + 1013904223u;
    state_bytes[i] = (char)(i / 20000 % 3 == 1 ? 0 : seed >> 24);
  }
  return (dae_checkpoint){about, sizeof about, state_bytes, STATE};
}

static void write_checkpoint(unsigned seed)
{
  dae_error err;
  dae_checkpoint c = contents(seed);
  if (dae_checkpoint_write(PATH, &c, NULL, &err) < 0)
    fail_msg("%s", err.text);
}

static void check_read(const char *path, unsigned seed)
{
  dae_error err;
  dae_checkpoint c, expected = contents(seed);
  if (dae_checkpoint_read(path, NULL, &c, &err) < 0)
    fail_msg("%s", err.text);
  assert_int_equal(c.about_bytes, expected.about_bytes);
  assert_memory_equal(c.about, expected.about, expected.about_bytes);
  assert_int_equal(c.state_bytes, expected.state_bytes);
  assert_memory_equal(c.state, expected.state, expected.state_bytes);
  dae_checkpoint_free(&c, NULL);
}

static void check_refused(dae_status status, const char *because)
{
  dae_error err;
  dae_checkpoint c;
  assert_int_equal(dae_checkpoint_read(PATH, NULL, &c, &err), status);
  assert_null(c.about);
  if (!strstr(err.text, because))
    fail_msg("%s", err.text);
}

static size_t read_file(char **bytes)
{
  struct stat status;
  FILE *file = fopen(PATH, "rb");
  assert_non_null(file);
  assert_int_equal(fstat(fileno(file), &status), 0);
  *bytes = malloc((size_t)status.st_size);
  assert_non_null(*bytes);
  assert_int_equal(fread(*bytes, 1, (size_t)status.st_size, file), status.st_size);
  fclose(file);
  return (size_t)status.st_size;
}

static void write_file(const char *bytes, size_t size)
{
  FILE *file = fopen(PATH, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static void test_what_is_written_is_read_and_the_one_before_stays(void **state)
{
  (void)state;
  write_checkpoint(1);
  check_read(PATH, 1);
  assert_int_not_equal(access(OLDER, F_OK), 0);
  write_checkpoint(2);
  check_read(PATH, 2);
  check_read(OLDER, 1);
  write_checkpoint(3);
  check_read(PATH, 3);
  check_read(OLDER, 2);
  struct stat status;
  assert_int_equal(stat(PATH, &status), 0);
  assert_true(status.st_size < STATE * 3 / 4); /* without most of its zeros */
  dae_checkpoint_remove(PATH);
  assert_int_not_equal(access(PATH, F_OK), 0);
  assert_int_not_equal(access(OLDER, F_OK), 0);
}

static void test_torn_files_are_refused_at_every_length(void **state)
{
  (void)state;
  char *bytes;
  write_checkpoint(1);
  size_t size = read_file(&bytes);
  for (size_t length = 8; length < size; length += 1 + length / 40) {
    write_file(bytes, length);
    check_refused(DAE_ERROR_FILE, "is torn");
  }
  write_file(bytes, 5);
  check_refused(DAE_ERROR_FILE, "is no checkpoint");
  for (size_t at = 16; at < size; at += 1 + size / 300) {
    bytes[at] ^= 4;
    write_file(bytes, size);
    check_refused(DAE_ERROR_FILE, "is torn");
    bytes[at] ^= 4;
  }
  write_file(bytes, size);
  check_read(PATH, 1);
  free(bytes);
}

/* A byte replaced, and the end of the file made anew. */
static void test_other_versions_and_builds_are_refused_by_name(void **state)
{
  (void)state;
  const struct {
    size_t at;
    const char *because;
  } cases[] = {
      {VERSION, "has version"}, {LIBRARY, "was written by daedal"}, {BUILD, "another build"}};
  char *bytes;
  write_checkpoint(1);
  size_t size = read_file(&bytes), end = size - 2 * sizeof(uint64_t);
  for (size_t i = 0; i < 3; i++) {
    bytes[cases[i].at]++;
    dae__file_hash hash = dae__file_hash_start();
    dae__file_hash_add(&hash, bytes, end);
    uint64_t value = dae__file_hash_value(&hash);
    memcpy(bytes + end + sizeof value, &value, sizeof value);
    write_file(bytes, size);
    check_refused(DAE_ERROR_PROBLEM, cases[i].because);
    bytes[cases[i].at]--;
  }
  free(bytes);
}

static void test_nothing_but_a_checkpoint_is_replaced(void **state)
{
  (void)state;
  assert_true(dae_checkpoint_replaces(PATH));
  write_file("", 0);
  assert_true(dae_checkpoint_replaces(PATH));
  write_file("model pendulum", 14);
  assert_false(dae_checkpoint_replaces(PATH));
  write_file("daec", 4);
  assert_false(dae_checkpoint_replaces(PATH));
  write_checkpoint(1);
  assert_true(dae_checkpoint_replaces(PATH));
}

static bool build(const dae_env *env)
{
  dae_checkpoint c = contents(1), out = {0};
  dae_status status = dae_checkpoint_write(PATH, &c, env, NULL);
  if (status >= 0)
    status = dae_checkpoint_read(PATH, env, &out, NULL);
  dae_checkpoint_free(&out, env);
  return status >= 0;
}

static void test_every_allocation_may_fail(void **state)
{
  (void)state;
  assert_int_equal(counting_env_fault(build), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_what_is_written_is_read_and_the_one_before_stays, clean),
      cmocka_unit_test_teardown(test_torn_files_are_refused_at_every_length, clean),
      cmocka_unit_test_teardown(test_other_versions_and_builds_are_refused_by_name, clean),
      cmocka_unit_test_teardown(test_nothing_but_a_checkpoint_is_replaced, clean),
      cmocka_unit_test_teardown(test_every_allocation_may_fail, clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
