/* What the command understands, what it refuses, and what it says then: help, usage errors,
 * methods, new. */
#include "command.h"

#include <daedal/daedal.h>
#include <stdlib.h>
#include <string.h>

static void test_help_teaches_the_pendulum_on_stdout(void **state)
{
  (void)state;
  outcome *o = command_exits(0, "--help");
  assert_non_null(strstr(o->out, "constraint rod: x^2 + y^2 = L^2"));
  assert_non_null(strstr(o->out, "daedal run pendulum.dae"));
  assert_string_equal(o->err, "");
  o = command_exits(0, "help run");
  assert_non_null(strstr(o->out, "--rtol R"));
  char *first = strdup(o->out);
  o = command_exits(0, "run --rtol --help"); /* help is given although the rest is wrong */
  assert_string_equal(o->out, first);
  free(first);
}

static void check_width(const char *arguments)
{
  outcome *o = command_exits(0, arguments);
  for (const char *line = o->out; *line; line += strcspn(line, "\n") + 1)
    if (strcspn(line, "\n") > 80)
      fail_msg("daedal %s: more than 80 columns:\n%.100s", arguments, line);
}

static void test_texts_fit_into_80_columns(void **state)
{
  (void)state;
  const char *const texts[] = {
      "--help",      "run --help",       "check --help", "methods --help", "new --help",
      "help --help", "methods",          "methods bdf",  "methods auto",   "methods bdf-ggl",
      "reproduce",   "reproduce --help", "plot --help"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    check_width(texts[i]);
}

static void test_version_is_that_of_the_library(void **state)
{
  (void)state;
  char wanted[64];
  snprintf(wanted, sizeof wanted, "daedal %s\n", dae_version());
  assert_string_equal(command_exits(0, "--version")->out, wanted);
}

static void test_usage_errors_name_the_mistake_and_point_to_help(void **state)
{
  (void)state;
  const struct {
    const char *arguments, *because;
  } cases[] = {
      {"runn", "did you mean run?"},
      {"pendulum.dae", "did you mean `daedal run pendulum.dae`?"},
      {"help nothing", "there is no command 'nothing'"},
      {"run", "daedal run needs a FILE"},
      {"run a.dae b.dae", "one FILE"},
      {"run p.dae --qiuet", "did you mean --quiet?"},
      {"run p.dae --error-tets q", "did you mean --error-test?"},
      {"run p.dae --rtol", "--rtol needs a value"},
      {"run p.dae --rtol --quiet", "--rtol needs a value"},
      {"run p.dae --rtol=", "--rtol needs a value"},
      {"run p.dae --rtol 1e-6x", "not a number"},
      {"run p.dae --to 0x10", "not a number"},
      {"run p.dae --to inf", "not a number"},
      {"run p.dae --to 1,5", "not a number"},
      {"run p.dae --out ''", "--out needs a value"},
      {"run p.dae --quiet=yes", "--quiet takes no value"},
      {"run p.dae --quiet --verbose", "exclude each other"},
      {"run p.dae -q", "two dashes"},
      {"run p.dae --set L", "--set a=3"},
      {"run p.dae --rtol 2", "must be from 1e-14 to 1"},
      {"run p.dae --order 2.5", "a whole number"},
      {"run p.dae --error-test z", "one of qv, q"},
      {"run p.dae --window 3", "switching has no option --window"},
      {"run p.dae --method bdf-ggl --stages 3", "bdf-ggl has no option --stages"},
      {"run p.dae --to 0", "is not greater than the start time"},
      {"run p.dae --to -3", "is not greater than the start time"},
      {"run p.dae --every -1", "negative"},
      {"run p.dae --method bdff", "did you mean 'bdf'?"},
      {"run p.dae --method bdf", "use bdf-ggl"},
      {"check p.dae --rtol 1", "there is no option --rtol"},
      {"methods bd", "did you mean 'bdf'?"},
      {"new", "daedal new needs a NAME"},
      {"reproduce yp69", "did you mean yp96?"},
      {"reproduce newton1687", "there is no paper 'newton1687'"},
      {"reproduce yp96 all", "one [PAPER]"},
      {"reproduce yp96 --rtol 1", "there is no option --rtol"},
  };
  file_write("p.dae", pendulum);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    command_refuses(1, cases[i].arguments, cases[i].because);
    assert_non_null(strstr(command(cases[i].arguments)->err, "--help"));
  }
  outcome *o = command_exits(1, "");
  assert_non_null(strstr(o->err, "daedal run pendulum.dae"));
  assert_string_equal(o->out, "");
  assert_false(file_exists("pendulum.csv"));
}

static void test_option_forms_mean_the_same(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  const char *const forms[] = {"run p.dae --to 1 --error-test q --quiet --json a",
                               "run --quiet --to=1 --error_test=q --json=a -- p.dae",
                               "run --json a --to 5 --to 1 --error-test=q p.dae --quiet"};
  double steps = 0;
  for (int i = 0; i < 3; i++) {
    command_exits(0, forms[i]);
    assert_true(json_number("a", "t_end") == 1);
    if (i > 0)
      assert_true(json_number("a", "steps") == steps);
    steps = json_number("a", "steps");
  }
}

static void test_methods_are_those_of_the_registry(void **state)
{
  (void)state;
  char names[1024] = "";
  for (int i = 0; dae_method_at(i); i++) {
    const dae_method *method = dae_method_at(i);
    strcat(strcat(names, method->name), "\n");
    char arguments[128];
    snprintf(arguments, sizeof arguments, "methods %s", method->name);
    outcome *o = command_exits(0, arguments);
    for (int k = 0; k < method->options->count; k++) {
      char option[80];
      snprintf(option, sizeof option, "  --%s ", method->options->options[k].name);
      for (char *c = option; *c; c++)
        *c = *c == '_' ? '-' : *c;
      assert_non_null(strstr(o->out, option));
    }
  }
  assert_string_equal(command_exits(0, "methods --names")->out, names);
  outcome *o = command_exits(0, "methods");
  for (char *name = strtok(names, "\n"); name; name = strtok(NULL, "\n"))
    assert_non_null(strstr(o->out, name));
}

static void test_new_writes_a_model_that_runs_once(void **state)
{
  (void)state;
  outcome *o = command_exits(0, "new swing");
  assert_non_null(strstr(o->out, "daedal run swing.dae"));
  command_exits(0, "check swing.dae");
  command_exits(0, "run swing.dae");
  assert_true(file_exists("swing.csv"));
  char *before = file_read("swing.dae");
  command_refuses(7, "new swing", "swing.dae exists already");
  char *after = file_read("swing.dae");
  assert_string_equal(before, after);
  free(before);
  free(after);
}

/* the comments of the starter with this beginning become statements */
static void uncomment(char *text, const char *line)
{
  char commented[256];
  snprintf(commented, sizeof commented, "\n# %s", line);
  char *at = strstr(text, commented);
  assert_non_null(at);
  at[1] = ' ';
}

static void test_hints_of_the_starter_are_true(void **state)
{
  (void)state;
  command_exits(0, "new swing");
  char *text = file_read("swing.dae");
  const char *const hints[] = {"force x", "force y", "event bump"};
  for (int i = 0; i < 3; i++)
    uncomment(text, hints[i]);
  file_write("swing.dae", text);
  command_exits(0, "run swing.dae");
  uncomment(text, "event low");
  file_write("swing.dae", text);
  assert_non_null(strstr(command_exits(0, "run swing.dae")->out, "stopped"));
  free(text);
}

static void test_new_refuses_what_cannot_be_a_name(void **state)
{
  (void)state;
  command_refuses(1, "new 1st", "begins with a letter");
  command_refuses(1, "new two-words", "letters, digits and _ only");
  command_refuses(1, "new ../up", "begins with a letter");
  command_refuses(1, "new a/b", "letters, digits and _ only");
  command_refuses(1, "new a.dae", "leave out .dae");
  command_refuses(1, "new model", "is a keyword");
  command_exits(0, "new \xc3\xbc"
                   "ber");
  command_exits(0, "run \xc3\xbc"
                   "ber.dae");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_help_teaches_the_pendulum_on_stdout),
      IN_FOLDER(test_texts_fit_into_80_columns),
      IN_FOLDER(test_version_is_that_of_the_library),
      IN_FOLDER(test_usage_errors_name_the_mistake_and_point_to_help),
      IN_FOLDER(test_option_forms_mean_the_same),
      IN_FOLDER(test_methods_are_those_of_the_registry),
      IN_FOLDER(test_new_writes_a_model_that_runs_once),
      IN_FOLDER(test_hints_of_the_starter_are_true),
      IN_FOLDER(test_new_refuses_what_cannot_be_a_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
