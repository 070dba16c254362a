/* Command line over simulate over defaults, and who is to diagnose for what does not fit. */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MODEL "model d\nstate x = 1\nx' = -x\n"

static void check_run(const char *arguments, double to, double rtol, double atol, double rows)
{
  char line[256];
  snprintf(line, sizeof line, "run d.dae --quiet --json a.json %s", arguments);
  command_exits(0, line);
  assert_true(json_number("a.json", "t_end") == to);
  assert_true(json_number("a.json", "rtol") == rtol);
  assert_true(json_number("a.json", "atol") == atol);
  if (rows > 0)
    assert_true(json_number("a.json", "rows") == rows);
}

static void test_command_line_is_over_simulate_is_over_defaults(void **state)
{
  (void)state;
  file_write("d.dae", MODEL "simulate to 2\n");
  check_run("", 2, 1e-6, 1e-8, 0);
  check_run("--rtol 1e-12", 2, 1e-12, 1e-14, 0);
  check_run("--rtol 1e-3 --method bdf", 2, 1e-3, 1e-5, 0);
  check_run("--rtol 1e-4 --atol 1e-9", 2, 1e-4, 1e-9, 0);
  file_write("d.dae", MODEL "simulate to 2 rtol 1e-3 atol 10^-4 output every 1/4\n");
  check_run("", 2, 1e-3, 1e-4, 9);
  check_run("--to 3 --rtol 1e-5", 3, 1e-5, 1e-4, 13);
  check_run("--every 0.5 --atol=1e-9", 2, 1e-3, 1e-9, 5);
  file_write("d.dae", MODEL "simulate from 1 to 2 output every 0.5\n");
  check_run("", 2, 1e-6, 1e-8, 3);
  command_refuses(1, "run d.dae --to 1", "start time 1");
  check_run("--every 0 --step 0.1", 2, 1e-6, 1e-8, 11);
}

static void test_method_of_the_model_is_used_and_overridden(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  file_write("d.dae", MODEL "simulate to 1 method bdf order 1\n");
  outcome *o = command_exits(0, "run d.dae");
  assert_non_null(strstr(o->out, "method       bdf, order up to 1"));
  assert_null(strstr(o->out, "(auto)"));
  o = command_exits(0, "run d.dae --method auto --order=3");
  assert_non_null(strstr(o->out, "(auto): "));
  assert_non_null(strstr(o->out, "order up to 3"));
  command_refuses(1, "run d.dae --method bdf-ggl", "bdf-ggl takes mechanical problems");
}

static void test_mistakes_in_simulate_are_2_and_shown_at_their_place(void **state)
{
  (void)state;
  const struct {
    const char *simulate, *because;
  } cases[] = {
      {"simulate to 1 method bdff\n", "did you mean 'bdf'?"},
      {"simulate to 1 method bdf-ggl\n", "bdf-ggl takes mechanical problems"},
      {"simulate to 1 windw 0.1\n", "windw"},
      {"simulate to 1 window 0.1\n", "switching has no option 'window'"},
      {"simulate to 1 rtol 2\n", "must be from 1e-14 to 1"},
      {"simulate to 1 order 2.5\n", "a whole number"},
      {"simulate to 1 error_test z\n", "one of qv, q"},
      {"simulate to 0\n", "end time"},
      {"simulate to 1 output every -1\n", "every"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[256];
    snprintf(text, sizeof text, "%s%s", MODEL, cases[i].simulate);
    file_write("d.dae", text);
    command_refuses(2, "run d.dae", "d.dae:4:");
    command_refuses(2, "run d.dae", cases[i].because);
    assert_non_null(strstr(command("run d.dae")->err, "  simulate to "));
  }
}

static void test_other_methods_leave_out_what_was_said_for_the_first(void **state)
{
  (void)state;
  file_write("d.dae", MODEL "simulate to 1 method nosuch window 0.1 rtol 1e-4\n");
  command_refuses(2, "run d.dae", "nosuch");
  outcome *o = command_exits(0, "run d.dae --method bdf");
  assert_non_null(strstr(o->err, "`window 0.1` of simulate is not an option of bdf: ignored"));
  assert_non_null(strstr(o->out, "rtol 0.0001"));
  o = command_exits(0, "run d.dae --method bdf --quiet");
  assert_string_equal(o->err, "");
  /* what the command line says itself replaces what the model says wrongly */
  file_write("d.dae", MODEL "simulate to 1 rtol 2\n");
  command_exits(0, "run d.dae --rtol 1e-4");
}

static void test_settings_of_systems_are_noted_where_one_method_runs_all(void **state)
{
  (void)state;
  file_write("c.dae", "model c\n"
                      "system one {\n  state y = 1\n  y' = -two.y\n  step 0.1\n  rtol 1e-3\n}\n"
                      "system two {\n  state y = 0\n  y' = one.y\n}\n"
                      "simulate to 1\n");
  outcome *o = command_exits(0, "run c.dae --method bdf");
  assert_non_null(
      strstr(o->err, "`step 0.1` of system one: ignored, bdf integrates the assembled system"));
  assert_string_equal(command_exits(0, "run c.dae")->err, ""); /* each by its own solver */
  table t = table_read("c.csv");
  assert_string_equal(t.header, "t,one.y,two.y");
  table_free(&t);
  /* tolerances of systems: the smallest rtol, and atol of the variables */
  file_write("c.dae", "model c\n"
                      "system one {\n  state y = 1\n  y' = -two.y\n  rtol 1e-9\n}\n"
                      "system two {\n  state y = 0\n  y' = one.y\n  rtol 1e-3\n}\n"
                      "simulate to 1\n");
  o = command_exits(0, "run c.dae");
  assert_non_null(strstr(o->out, "method switching (auto): 2 systems assembled into one"));
  assert_non_null(strstr(o->out, "rtol 1e-09"));
  assert_string_equal(o->err, "");
  assert_non_null(strstr(command_exits(0, "run c.dae --rtol 1e-4")->out, "rtol 0.0001"));
}

/* two masses on a stiff spring, one of which a rod holds at its distance from the origin */
#define STIFF                                                                                      \
  "model d\n"                                                                                      \
  "coord x = 1, y = 0, z = 1 rate 1, w = 0\n"                                                      \
  "kinetic (x'^2 + y'^2 + z'^2 + w'^2)/2\n"                                                        \
  "potential y + 1e10*((x - z)^2 + (y - w)^2)/2\n"                                                 \
  "constraint rod: x^2 + y^2 = 1\n"

static void test_auto_takes_a_method_that_has_the_options_asked_for(void **state)
{
  (void)state;
  file_write("d.dae", STIFF "simulate to 1 rtol 1e-4 atol 1e-4\n");
  static const char *const commands[] = {"run d.dae --damp", "run --damp d.dae",
                                         "run d.dae --damp on", "run d.dae --damp=on"};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    outcome *o = command_exits(0, commands[i]);
    assert_non_null(strstr(o->out, "method radau (auto): it has the option damp\n"));
    assert_non_null(strstr(o->out, "  damp  "));
    assert_non_null(strstr(o->out, "consistent and slow"));
  }
  command_exits(0, "run d.dae --damp --json d.json");
  char *json = file_read("d.json");
  assert_non_null(strstr(json, "\"damped\": true"));
  assert_non_null(strstr(json, "\"damping\": {\"kind\": \"removed\""));
  assert_non_null(strstr(json, "\"energy_removed_at_start\": 0.")); /* of 1/2, half is left */
  free(json);
  command_refuses(1, "run d.dae --projector fresh", "switching has no option --projector");
  command_refuses(1, "run d.dae --method gauss --damp", "gauss has no option --damp");
  static const char *const settings[] = {"damp on", "damp", "damp, rtol 1e-4", "damp rtol 1e-4",
                                         "damp_time 0.01 damp"};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    char text[400];
    snprintf(text, sizeof text, STIFF "simulate to 1 atol 1e-4 %s\n", settings[i]);
    file_write("d.dae", text);
    outcome *o = command_exits(0, "run d.dae");
    assert_non_null(strstr(o->out, "it has the option damp"));
    assert_non_null(strstr(o->out, "removed at the start"));
  }
  file_write("d.dae", STIFF "simulate to 1 rtol 1e-4 atol 1e-4 damp off\n");
  assert_null(strstr(command_exits(0, "run d.dae --to 0.01")->out, "  damp  "));
  file_write("d.dae", "model d\ncoord x = 1\nkinetic x'^2/2\npotential 1e6*x^2/2\n"
                      "simulate to 1\n");
  command_refuses(4, "run d.dae --damp", "all motion of the start is faster than");
  command_exits(0, "run d.dae --damp --damp-time 0.01");
}

/* ---- conserve ---- */

#define CONSERVES "method spark-gauss (auto): conserve: symplectic, no energy drift in long runs"
#define MODELS SOURCES "/examples/models/"

/* largest |energy| of the rows of pendulum.csv in a part of the time */
static double energy_within(double from, double to)
{
  table t = table_read("pendulum.csv");
  double most = 0;
  for (int i = 0; i < t.rows; i++)
    if (table_at(&t, i, 0) >= from && table_at(&t, i, 0) <= to)
      most = fmax(most, fabs(table_at(&t, i, 6)));
  table_free(&t);
  return most;
}

/* it goes to and fro; a method that is not symplectic loses as much every time */
static void test_conserve_keeps_the_energy_of_long_runs(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  outcome *o = command_exits(0, "run p.dae --conserve --step 0.1 --stages 2 --to 500");
  assert_non_null(strstr(o->out, CONSERVES "\n"));
  double first = energy_within(0, 50), last = energy_within(450, 500);
  assert_true(first > 1e-4 && first < 1e-3); /* two stages are not many */
  assert_true(fabs(last / first - 1) < 0.05);
  command_exits(0, "run p.dae --method rk4 --step 0.02 --to 500");
  assert_true(energy_within(450, 500) > 5 * energy_within(0, 50));
}

static void test_conserve_takes_what_spark_gauss_takes(void **state)
{
  (void)state;
  static const char *const taken[] = {"skate", "membrane", "linked_pendula"};
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    char line[256];
    snprintf(line, sizeof line, "run %s%s.dae --conserve --to 0.1", MODELS, taken[i]);
    assert_non_null(strstr(command_exits(0, line)->out, CONSERVES));
  }
  assert_non_null(strstr(
      command_exits(0, "run " MODELS "skate.dae --conserve --method auto --to 1")->out, CONSERVES));
  /* what the model says for another method gives way, with a note */
  file_write("p.dae", "model p\ncoord x = 1\nkinetic x'^2/2\npotential x^2/2\n"
                      "simulate to 1 method bdf order 3 rtol 1e-4\n");
  outcome *o = command_exits(0, "run p.dae --conserve");
  assert_non_null(strstr(o->out, CONSERVES));
  assert_non_null(strstr(o->out, "rtol 0.0001"));
  assert_non_null(strstr(o->err, "`order 3` of simulate is not an option of spark-gauss: ignored"));
}

static void test_conserve_is_refused_with_the_reason(void **state)
{
  (void)state;
  static const struct {
    const char *arguments, *because;
  } cases[] = {
      {"pendulum.dae --conserve --method bdf-ggl",
       "--method selects bdf-ggl: give only one of the two"},
      {"pendulum.dae --conserve --order 3", "spark-gauss has no option --order"},
      {"motor.dae --conserve", "does not apply to this model: SPARK takes no algebraic variables"},
      {"tank.dae --conserve", "does not apply to this model: SPARK takes mechanical problems"},
      {"two_circuits.dae --conserve",
       "does not apply to this model: SPARK takes mechanical problems"},
      {"linked_pendula.dae --conserve --verify", "already integrates the assembled system"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char line[256];
    snprintf(line, sizeof line, "run %s%s", MODELS, cases[i].arguments);
    command_refuses(1, line, cases[i].because);
  }
  assert_false(file_exists("pendulum.csv"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_command_line_is_over_simulate_is_over_defaults),
      IN_FOLDER(test_method_of_the_model_is_used_and_overridden),
      IN_FOLDER(test_mistakes_in_simulate_are_2_and_shown_at_their_place),
      IN_FOLDER(test_other_methods_leave_out_what_was_said_for_the_first),
      IN_FOLDER(test_settings_of_systems_are_noted_where_one_method_runs_all),
      IN_FOLDER(test_auto_takes_a_method_that_has_the_options_asked_for),
      IN_FOLDER(test_conserve_keeps_the_energy_of_long_runs),
      IN_FOLDER(test_conserve_takes_what_spark_gauss_takes),
      IN_FOLDER(test_conserve_is_refused_with_the_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
