/* daedal run: results, account, and every exit code that a run can have. */
#include "command.h"

#include <daedal/text.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void test_pendulum_writes_its_columns_and_tells_how_good_they_are(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  outcome *o = command_exits(0, "run p.dae");
  assert_non_null(strstr(o->out, "model pendulum: a point mass on a rigid rod\n"));
  assert_non_null(strstr(o->out, "method switching (auto): "));
  assert_non_null(strstr(o->out, "pendulum: t = 0 to 10 with switching"));
  assert_non_null(strstr(o->out, "index 3, 1 degree of freedom"));
  assert_non_null(strstr(o->out, "rows in pendulum.csv"));
  assert_string_equal(o->err, ""); /* no progress without a terminal */

  table t = table_read("pendulum.csv");
  assert_string_equal(t.header, "t,x,y,der(x),der(y),lambda(rod),energy");
  assert_true(table_at(&t, 0, 0) == 0 && table_at(&t, -1, 0) == 10);
  for (int i = 0; i < t.rows; i++) {
    double x = table_at(&t, i, 1), y = table_at(&t, i, 2);
    assert_true(fabs(x * x + y * y - 1) < 1e-11);
    assert_true(fabs(table_at(&t, i, 6)) < 1e-3);
  }
  table_free(&t);
}

static void test_switches_to_implicit_steps_are_told(void **state)
{
  (void)state;
  outcome *o =
      command_exits(0, "run " SOURCES "/examples/models/stiffening.dae --json s.json --verbose");
  assert_non_null(strstr(o->out, "  1 switch between explicit and implicit steps\n"));
  assert_non_null(strstr(o->err, "stiffness detected: switching to radau\n"));
  assert_true(json_number("s.json", "switches") == 1);
  file_write("p.dae", pendulum);
  assert_null(strstr(command_exits(0, "run p.dae --json p.json")->out, "switches"));
  assert_true(json_number("p.json", "switches") == 0);
}

static void test_title_cannot_control_the_terminal(void **state)
{
  (void)state;
  file_write("d.dae", "model d \"a \033[31mred\033[0m title\"\nstate x = 1\nx' = -x\n");
  assert_non_null(strstr(command_exits(0, "check d.dae")->out, "model d: a ?[31mred?[0m title\n"));
  assert_null(strchr(command_exits(0, "run d.dae --to 1")->out, '\033'));
}

/* Every character is as a terminal or page may show it; one that was replaced is U+FFFD in UTF-8.
 */
static void check_clean(const char *text)
{
  int c;
  for (const char *from = text; (c = dae_text_next(&text)) != 0; from = text)
    if (c == 0xfffd && strncmp(from, "\xEF\xBF\xBD", 3) != 0)
      fail_msg("bytes %02x %02x at '%.60s'", (unsigned char)from[0], (unsigned char)from[1], from);
}

/* bad: bytes that are not shown as they are; single ones may be part of other characters */
static void check_shown(const outcome *o, const char *bad)
{
  check_clean(o->out);
  check_clean(o->err);
  assert_true(!bad[1] || (!strstr(o->out, bad) && !strstr(o->err, bad)));
}

/* C1 controls (0x9b is CSI), overrides of the direction of writing, bytes that are no UTF-8: in the
 * title and in names, which may have any byte above 127 */
static void test_names_cannot_control_the_terminal(void **state)
{
  (void)state;
  static const char *const hostile[] = {"\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6",
                                        "\x9b",     "\xc3",         "\xed\xa0\x80"};
  for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
    char text[512];
    const char *h = hostile[i];
    snprintf(text, sizeof text,
             "model d%s \"a %s b\"\nstate x%s = 1\nx%s' = -x%s\nalg y%s = 3\n0 = y%s - 1\n"
             "event e%s: x%s - 0.5 falling { x%s = 2 }\n",
             h, h, h, h, h, h, h, h, h, h);
    file_write("d.dae", text);
    check_shown(command_exits(0, "check d.dae"), h);
    check_shown(command_exits(0, "run d.dae --to 1 --out d.csv --report d.html --json d.json"), h);
    char *page = file_read("d.html"), *json = file_read("d.json");
    check_clean(page);
    check_clean(json);
    free(page);
    free(json);
    check_shown(command_exits(0, "plot d.csv"), h);
    check_shown(command_exits(0, "plot d.csv --names"), h);
    snprintf(text, sizeof text, "model d\nstate x%s = 1\nx' = -x\n", h);
    file_write("d.dae", text);
    check_shown(command_exits(2, "check d.dae"), h);
  }
}

static void test_quiet_prints_nothing_and_writes_everything(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  outcome *o = command_exits(0, "run p.dae --quiet --every 0.5 --json account.json");
  assert_string_equal(o->out, "");
  assert_string_equal(o->err, "");
  table t = table_read("pendulum.csv");
  assert_int_equal(t.rows, 21);
  table_free(&t);
  assert_true(json_number("account.json", "rows") == 21);
}

static void test_verbose_tells_sizes_and_steps_on_stderr(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  outcome *o = command_exits(0, "run p.dae --to 0.1 --verbose");
  assert_non_null(strstr(o->err, "2 coordinates, 1 holonomic constraint"));
  assert_non_null(strstr(o->err, "daedal: debug: "));
  assert_null(strstr(o->out, "debug"));
}

/* rates of Newton's iteration, of the methods that measure them */
static void test_verbose_and_json_have_the_newton_rates(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  outcome *o = command_exits(0, "run p.dae --to 1 --method bdf-ggl --verbose --json bdf.json");
  int measured = 0;
  const char *line = strstr(o->err, "Newton convergence rates: ");
  assert_non_null(line);
  assert_int_equal(sscanf(line, "Newton convergence rates: %d measured", &measured), 1);
  double rates = json_number("bdf.json", "rates_0_01") + json_number("bdf.json", "rates_0_1") +
                 json_number("bdf.json", "rates_0_5") + json_number("bdf.json", "rates_1");
  assert_true(measured > 50 && rates == measured);
  assert_true(rates < json_number("bdf.json", "iterations"));
  o = command_exits(0, "run p.dae --to 1 --method explicit --verbose");
  assert_null(strstr(o->err, "Newton convergence rates"));
}

static void test_account_names_its_files_in_both_forms(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  outcome *o = command_exits(0, "run p.dae --to 1 --out rows.csv --json account.json");
  assert_non_null(strstr(o->out, "rows in rows.csv, account.json"));
  assert_true(json_number("account.json", "t_end") == 1);
  assert_true(json_number("account.json", "index") == 3);
  char *text = file_read("account.json");
  assert_non_null(strstr(text, "\"files\": \"rows.csv, account.json\""));
  free(text);
}

static void test_set_changes_the_result(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  command_exits(0, "run p.dae --to 1 --set L=2 --set g=1 --set m=2*3");
  table t = table_read("pendulum.csv");
  assert_true(table_at(&t, 0, 1) == 2);
  double x = table_at(&t, -1, 1), y = table_at(&t, -1, 2);
  assert_true(fabs(x * x + y * y - 4) < 1e-11);
  /* x = L sin(a), y = -L cos(a) with a'' = -g/L sin(a) from pi/2: a is near pi/2 - g/L t^2/2 */
  assert_true(fabs(y + 2 * sin(0.25)) < 0.01);
  table_free(&t);
  command_refuses(1, "run p.dae --set LL=2", "--set: the model has no param LL");
  command_refuses(1, "run p.dae --set x=2", "not a param");
  command_refuses(1, "check p.dae --set L=2*", "--set");
}

static void test_stop_event_is_a_good_end(void **state)
{
  (void)state;
  file_write("d.dae", "model d\nstate x = 1\nx' = -x\nevent half: x - 0.5 falling stop\n"
                      "simulate to 10\n");
  outcome *o = command_exits(0, "run d.dae");
  assert_non_null(strstr(o->out, "stopped"));
  assert_non_null(strstr(o->out, "half"));
  table t = table_read("d.csv");
  assert_true(fabs(table_at(&t, -1, 0) - log(2)) < 1e-5);
  table_free(&t);
}

static void test_bad_model_is_2_and_shows_its_line(void **state)
{
  (void)state;
  file_write("p.dae", "model p\ncoord x = 1\nkinetic xx'^2/2\nsimulate to 1\n");
  command_refuses(2, "run p.dae", "p.dae:3:");
  command_refuses(2, "check p.dae", "kinetic xx'^2/2");
  command_refuses(2, "run p.dae --quiet", "xx");
  assert_false(file_exists("p.csv"));
}

static void test_missing_end_time_is_2_and_says_both_ways_out(void **state)
{
  (void)state;
  file_write("d.dae", decay);
  command_refuses(2, "run d.dae", "simulate to T");
  command_refuses(2, "run d.dae", "--to");
  command_exits(0, "run d.dae --to 1");
}

static void test_inconsistent_start_is_3_and_names_the_equation(void **state)
{
  (void)state;
  file_write("p.dae", "model p\ncoord x = 2 fixed, y = 0 fixed\nkinetic (x'^2 + y'^2)/2\n"
                      "constraint rod: x^2 + y^2 = 1\nsimulate to 1\n");
  command_refuses(3, "run p.dae", "rod");
  command_refuses(3, "check p.dae", "rod");
  command_refuses(3, "check p.dae", "p.dae:4:");
}

static void test_blow_up_is_4_and_keeps_the_rows_before(void **state)
{
  (void)state;
  file_write("b.dae", "model b\nstate x = 1\nx' = x^2\nsimulate to 2\n");
  command_refuses(4, "run b.dae --json a.json", "t = ");
  outcome *o = command("run b.dae");
  assert_non_null(strstr(o->out, "not finished"));
  table t = table_read("b.csv");
  double end = table_at(&t, -1, 0);
  assert_true(end > 0.9 && end < 1.1);
  assert_true(json_number("a.json", "t_end") == end);
  table_free(&t);
}

static void test_verdict_is_told_and_strict_makes_red_8(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  outcome *o = command_exits(0, "run p.dae --strict --check-error --json p.json");
  assert_non_null(strstr(o->out, "  trust:       green\n"));
  assert_non_null(strstr(o->out, "  error check  by radau at rtol 1e-07"));
  assert_true(json_number("p.json", "tolerances") < 30);
  /* steps that are too long for the motion */
  o = command_exits(0, "run p.dae --method rk4 --step 0.02 --out c.csv");
  assert_non_null(strstr(o->out, "  trust:       amber: fixed steps have no error control"));
  command_exits(0, "run p.dae --method rk4 --step 0.25 --out c.csv");
  table first = table_read("c.csv");
  o = command_exits(0, "run p.dae --method rk4 --step 0.25 --check-error --out c.csv");
  assert_non_null(strstr(o->out, "  trust:       red: "));
  o = command_exits(8, "run p.dae --method rk4 --step 0.25 --check-error --strict --out c.csv");
  assert_non_null(strstr(o->out, "differs from the second run by"));
  table second = table_read("c.csv"); /* the results are those of the first run */
  assert_int_equal(first.rows, second.rows);
  for (int i = 0; i < first.rows; i++)
    assert_true(table_at(&first, i, 1) == table_at(&second, i, 1));
  table_free(&first);
  table_free(&second);
}

static void test_error_check_compares_numbers_of_events(void **state)
{
  (void)state;
  /* bdf at 1e-3 loses so much amplitude that most tops are missed */
  file_write("top.dae", "model top\ncoord x = 1\nkinetic x'^2/2\npotential x^2/2\n"
                        "event top: x - 0.99998 rising\n"
                        "simulate to 200 rtol 1e-3 method bdf\n");
  outcome *o = command_exits(0, "run top.dae --check-error --json top.json");
  assert_non_null(strstr(o->out, "another number of events: event top: "));
  assert_non_null(strstr(o->out, ", 31 in the second run"));
  /* both runs have all of them, those of a failed instant too */
  file_write("slide.dae", "model slide\nstate x = 1\nx' = if(x > 0, -1, 1)\nsimulate to 3\n");
  o = command("run slide.dae");
  assert_non_null(strstr(o->out, "branches     2 changes"));
  assert_non_null(strstr(o->out, "x > 0 2 times"));
}

static void test_variables_that_limit_the_step_are_named(void **state)
{
  (void)state;
  /* a slow variable and a fast one, which the steps have to follow */
  file_write("f.dae", "model f\nstate slow = 1, fast = 0, other = 1\nslow' = -slow/10\n"
                      "fast' = 20*other\nother' = -20*fast\nsimulate to 5\n");
  outcome *o = command_exits(0, "run f.dae --verbose --json f.json");
  assert_non_null(strstr(o->err, "step size limited by fast: share of steps 0."));
  assert_non_null(strstr(o->err, "iteration limited by fast: share of iterations 0."));
  assert_null(strstr(o->err, "limited by slow"));
  char *json = file_read("f.json");
  assert_non_null(strstr(json, "\"limits\": {\""));
  assert_non_null(strstr(json, "\"iteration_limits\": {\""));
  assert_non_null(strstr(json, "\": {\"steps\": 0."));
  assert_non_null(strstr(json, "\": {\"iterations\": 0."));
  free(json);
  o = command_exits(0, "run f.dae --verbose --method rk4 --step 0.01 --json f.json");
  assert_null(strstr(o->err, "limited by")); /* neither an error test nor an iteration */
  json = file_read("f.json");
  assert_non_null(strstr(json, "\"limits\": {}"));
  assert_non_null(strstr(json, "\"iteration_limits\": {}"));
  free(json);
}

static void test_events_that_accumulate_are_told(void **state)
{
  (void)state;
  file_write("ball.dae", "model ball\ncoord h = 1\nkinetic h'^2/2\npotential 9.81*h\n"
                         "event floor: h falling { h' = -0.5*h' }\nsimulate to 1.354\n");
  outcome *o = command_exits(0, "run ball.dae --json b.json");
  assert_non_null(strstr(o->out, "events accumulate near t = 1.35"));
  assert_non_null(strstr(command_exits(0, "run ball.dae --to 0.9")->out, "trust:       green"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_pendulum_writes_its_columns_and_tells_how_good_they_are),
      IN_FOLDER(test_switches_to_implicit_steps_are_told),
      IN_FOLDER(test_title_cannot_control_the_terminal),
      IN_FOLDER(test_names_cannot_control_the_terminal),
      IN_FOLDER(test_quiet_prints_nothing_and_writes_everything),
      IN_FOLDER(test_verbose_tells_sizes_and_steps_on_stderr),
      IN_FOLDER(test_verbose_and_json_have_the_newton_rates),
      IN_FOLDER(test_account_names_its_files_in_both_forms),
      IN_FOLDER(test_set_changes_the_result),
      IN_FOLDER(test_stop_event_is_a_good_end),
      IN_FOLDER(test_bad_model_is_2_and_shows_its_line),
      IN_FOLDER(test_missing_end_time_is_2_and_says_both_ways_out),
      IN_FOLDER(test_inconsistent_start_is_3_and_names_the_equation),
      IN_FOLDER(test_blow_up_is_4_and_keeps_the_rows_before),
      IN_FOLDER(test_verdict_is_told_and_strict_makes_red_8),
      IN_FOLDER(test_error_check_compares_numbers_of_events),
      IN_FOLDER(test_variables_that_limit_the_step_are_named),
      IN_FOLDER(test_events_that_accumulate_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
