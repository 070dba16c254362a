/* The whole command with an allocation that fails, and with a write that fails: it ends with a
 * message and an exit code of its own, and never destroys an older result. In short form a sample,
 * with DAEDAL_LONG every single call. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

static bool is_long(void)
{
  return getenv("DAEDAL_LONG") != NULL;
}

static void fail_at(const char *what, long n, bool on)
{
  char text[32];
  snprintf(text, sizeof text, "%ld", n);
  setenv("LD_PRELOAD", FAULTS, 1);
  setenv(what, text, 1);
  if (on)
    setenv("DAEDAL_FAIL_ON", "1", 1);
}

static void fail_no_more(void)
{
  unsetenv("LD_PRELOAD");
  unsetenv("DAEDAL_FAIL_ALLOCATION");
  unsetenv("DAEDAL_FAIL_WRITE");
  unsetenv("DAEDAL_FAIL_ON");
}

/* What the command does with the n-th call failing: nothing worse than a message. */
static outcome *command_failing(const char *what, long n, bool on, const char *arguments)
{
  fail_at(what, n, on);
  outcome *o = command(arguments);
  fail_no_more();
  if (o->code >= 128)
    fail_msg("daedal %s, %s=%ld: ended by signal %d\n%s", arguments, what, n, o->code - 128,
             o->err);
  return o;
}

/* Every n, or ever sparser ones, until the command has fewer calls. */
static void check_allocations(const char *arguments, const char *file)
{
  int failed = 0;
  for (long n = 1, fine = 0; fine < 3; n += is_long() ? 1 : 1 + n / 4) {
    outcome *o = command_failing("DAEDAL_FAIL_ALLOCATION", n, n % 2 == 0, arguments);
    fine = o->code == 0 ? fine + 1 : 0;
    failed += o->code != 0;
    if (o->code != 0 && !strstr(o->err, "memory") && !strstr(o->err, "error"))
      fail_msg("daedal %s, allocation %ld: exit code %d without a reason: %s", arguments, n,
               o->code, o->err);
    if (file) {
      char *text = file_read(file);
      assert_true(strncmp(text, "old", 3) == 0 || strstr(text, "\n10,") || o->code == 0);
      free(text);
      file_write(file, "old");
    }
    if (n > 100000)
      break;
  }
  assert_true(failed > 0);
}

static void test_every_failing_allocation_of_a_run_is_told(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  file_write("o.csv", "old");
  check_allocations("run p.dae --quiet --out o.csv --out o.npz --json o.json", "o.csv");
}

static void test_every_failing_allocation_of_other_commands_is_told(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  command_exits(0, "run p.dae --quiet --out q.csv --out q.mat");
  check_allocations("check p.dae", NULL);
  check_allocations("plot q.csv --ascii", NULL);
  check_allocations("plot q.mat --ascii", NULL);
  check_allocations("methods", NULL);
}

/* Old results stay, or the new ones are whole. */
static void test_every_failing_write_keeps_old_results(void **state)
{
  (void)state;
  static const char *const outs[] = {"o.csv", "o.mat", "o.npz"};
  char arguments[160];
  file_write("p.dae", pendulum);
  for (int k = 0; k < 3; k++) {
    snprintf(arguments, sizeof arguments, "run p.dae --quiet --every 0.001 --out %s --json o.json",
             outs[k]);
    int failed = 0;
    for (long n = 1, fine = 0; fine < 2 && n < 1000; n += is_long() ? 1 : 1 + n / 8) {
      file_write(outs[k], "old");
      outcome *o = command_failing("DAEDAL_FAIL_WRITE", n, n % 3 == 0, arguments);
      fine = o->code == 0 ? fine + 1 : 0;
      failed += o->code != 0;
      assert_true(o->code == 0 || o->code == 7);
      if (o->code != 0)
        assert_true(strstr(o->err, "space") || strstr(o->err, "could not"));
      char *text = file_read(outs[k]);
      bool old = strcmp(text, "old") == 0;
      free(text);
      if (old)
        assert_true(o->code != 0);
      else
        command_exits(0, k == 0   ? "plot o.csv --names"
                         : k == 1 ? "plot o.mat --names"
                                  : "plot o.npz --names");
    }
    assert_true(failed > 1);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_every_failing_allocation_of_a_run_is_told),
      IN_FOLDER(test_every_failing_allocation_of_other_commands_is_told),
      IN_FOLDER(test_every_failing_write_keeps_old_results),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
