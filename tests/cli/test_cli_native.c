/* --jit: the same results by native code, which later runs find again; without a compiler the model
 * is interpreted, and the command says so. */
#include "command.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* the cache in the folder of the test; the compiler a script there, which can be taken away */
static int enter(void **state)
{
  int failed = command_enter(state);
  setenv("DAEDAL_CACHE", "cache", 1);
  setenv("CC", "./compiler", 1);
  file_write("pendulum.dae", pendulum);
  file_write("compiler", "#!/bin/sh\nexec cc \"$@\"\n");
  return failed || chmod("compiler", 0700) != 0;
}

#define WITH_CACHE(test) cmocka_unit_test_setup_teardown(test, enter, command_leave)

static void check_same_file(const char *a, const char *b)
{
  char *x = file_read(a), *y = file_read(b);
  assert_string_equal(x, y);
  free(x);
  free(y);
}

static void test_native_code_gives_the_same_rows(void **state)
{
  (void)state;
  command_exits(0, "run pendulum.dae --out plain.csv");
  outcome *o = command_exits(0, "run pendulum.dae --jit --out first.csv --json first.json");
  assert_non_null(strstr(o->out, "\n  native code  compiled in "));
  assert_true(json_number("first.json", "instructions") > 0);
  check_same_file("plain.csv", "first.csv");
  remove("compiler");
  o = command_exits(0, "run pendulum.dae --jit --out second.csv");
  assert_non_null(strstr(o->out, "\n  native code  found in the cache\n"));
  check_same_file("plain.csv", "second.csv");
  o = command_exits(0, "run pendulum.dae --jit --set L=2");
  assert_non_null(strstr(o->out, "found in the cache"));
}

static void test_without_the_option_nothing_is_compiled(void **state)
{
  (void)state;
  outcome *o = command_exits(0, "run pendulum.dae --json plain.json");
  assert_null(strstr(o->out, "native"));
  assert_false(file_exists("cache"));
  char *json = file_read("plain.json");
  assert_non_null(strstr(json, "\"native_code\": null"));
  free(json);
}

static void test_without_a_compiler_the_model_is_interpreted(void **state)
{
  (void)state;
  remove("compiler");
  command_exits(0, "run pendulum.dae --out plain.csv");
  outcome *o = command_exits(0, "run pendulum.dae --jit --out jit.csv");
  assert_non_null(strstr(o->err, "--jit: cannot start the compiler ./compiler"));
  assert_non_null(strstr(o->err, "interpreted instead"));
  assert_null(strstr(o->out, "native"));
  check_same_file("plain.csv", "jit.csv");
}

static void test_compare_takes_native_code(void **state)
{
  (void)state;
  outcome *o = command_exits(
      0, "compare pendulum.dae --jit --to 0.1 --methods gauss,radau --rtol 1e-6 --json c.json");
  assert_non_null(strstr(o->out, "\n  native code  compiled in "));
  assert_true(json_number("c.json", "instructions") > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      WITH_CACHE(test_native_code_gives_the_same_rows),
      WITH_CACHE(test_without_the_option_nothing_is_compiled),
      WITH_CACHE(test_without_a_compiler_the_model_is_interpreted),
      WITH_CACHE(test_compare_takes_native_code),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
