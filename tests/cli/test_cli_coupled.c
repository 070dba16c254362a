/* Coupled models from the command line: what is chosen, what check says of the loop between
 * systems, settings of systems, the order of a sweep, the account, verification, divergence. */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MODELS SOURCES "/examples/models/"

static const double pi = 3.14159265358979323846;

/* y is (cos t, sin t), z = (y + a other.y)/(1 - a^2) */
#define CIRCUITS(a, one, two, simulate)                                                            \
  "model c\nparam a = " a "\n"                                                                     \
  "system one {\n  state y = 1\n  alg   z = 0\n  y' = -two.y\n  0  = y - z + a*two.z\n" one "}\n"  \
  "system two {\n  state y = 0\n  alg   z = 0\n  y' = one.y\n  0  = y - z + a*one.z\n" two         \
  "}\n" simulate "\n"

static void says(const outcome *o, const char *text)
{
  if (!strstr(o->out, text))
    fail_msg("'%s' is not in\n%s", text, o->out);
}

/* error of (one.y, two.y) in the last row of c.csv */
static double error_at_end(void)
{
  table t = table_read("c.csv");
  double end = table_at(&t, -1, 0), one = table_at(&t, -1, 1), two = table_at(&t, -1, 3);
  assert_non_null(strstr(t.header, "t,one.y,one.z,two.y,two.z"));
  table_free(&t);
  return hypot(one - cos(end), two - sin(end));
}

/* ---- methods ---- */

static void test_the_iterations_are_listed_with_their_options(void **state)
{
  (void)state;
  outcome *o = command_exits(0, "methods");
  says(o, "\ngauss-seidel   ");
  says(o, "\njacobi         ");
  says(o, "\njoint          ");
  says(o, "[E07]");
  says(o, "[WHM11]");
  o = command_exits(0, "methods gauss-seidel");
  says(o, "--update WORD");
  says(o, "--window NUMBER");
  says(o, "--reorder SWITCH");
  o = command_exits(0, "methods jacobi --names");
  says(o, "workers\n");
  says(command_exits(0, "methods joint --names"), "splitting\n");
}

static void test_systems_run_as_one_unless_iteration_is_asked_for(void **state)
{
  (void)state;
  file_write("c.dae", CIRCUITS("0.9", "", "", "simulate to pi"));
  outcome *o = command_exits(0, "run c.dae --method gauss-seidel --json c.json");
  says(o, "coupling     2 systems in the order one, two\n");
  says(o, "windows, ");
  says(o, "in the loop of\n               one.z, two.z\n");
  says(o, "taken by the systems in all sweeps");
  assert_string_equal(o->err, "");
  assert_true(error_at_end() < 1e-5);
  assert_true(json_number("c.json", "systems") == 2);
  assert_true(json_number("c.json", "windows") == json_number("c.json", "steps"));
  assert_true(fabs(json_number("c.json", "predicted") - 0.81) < 1e-3);
  assert_true(json_number("c.json", "observed") < 0.5);
  assert_true(json_number("c.json", "inner_steps") > json_number("c.json", "sweeps"));
  assert_true(json_number("c.json", "most_sweeps") >= 2);

  o = command_exits(0, "run c.dae --json c.json");
  says(o, "method radau (auto): 2 systems assembled into one, semi-explicit with algebraic");
  assert_null(strstr(o->out, "coupling"));
  assert_true(json_number("c.json", "systems") == 0);
  assert_true(error_at_end() < 1e-5);
  /* auto takes a method that has the option asked for */
  says(command_exits(0, "run c.dae --workers 2"),
       "method jacobi (auto): it has the option workers");
  says(command_exits(0, "run c.dae --window 0.1"),
       "method gauss-seidel (auto): it has the option window");
  says(command_exits(0, "run c.dae --sweep two,one"),
       "method gauss-seidel (auto): --sweep asks for a dynamic iteration");
  says(command_exits(0, "run c.dae --verify"),
       "method gauss-seidel (auto): --verify asks for a dynamic iteration");
  file_write("c.dae", CIRCUITS("0.9", "  method radau-iia step 0.01\n", "", "simulate to pi"));
  says(command_exits(0, "run c.dae"),
       "method gauss-seidel (auto): system one has a solver of its own, by `method");
}

static void test_a_model_of_one_system_is_not_iterated(void **state)
{
  (void)state;
  file_write("c.dae", "model c\nsystem one {\n  state y = 1\n  y' = -y\n}\nsimulate to 1\n");
  says(command_exits(0, "run c.dae"), "method switching (auto): 1 system assembled into one");
  command_refuses(1, "run c.dae --method gauss-seidel", "this problem is a single system");
  command_refuses(1, "run c.dae --method jacobi --quiet", "this problem is a single system");
}

static void test_options_stand_on_the_command_line_and_in_simulate(void **state)
{
  (void)state;
  file_write("c.dae", CIRCUITS("0.5", "", "", "simulate to 2"));
  command_exits(0, "run c.dae --window 0.25 --update plain --json c.json");
  assert_true(json_number("c.json", "windows") == 8);
  assert_true(fabs(json_number("c.json", "predicted") - 0.25) < 1e-6);
  command_exits(0, "run c.dae --window 0.25 --update anderson --depth 3 --begin constant");
  assert_true(error_at_end() < 1e-5);
  file_write("c.dae", CIRCUITS("0.5", "", "",
                               "simulate to 2 method gauss-seidel window 0.25 update plain, "
                               "max-sweeps 60 stop increment"));
  command_exits(0, "run c.dae --json d.json");
  assert_true(json_number("d.json", "windows") == 8);
  command_exits(0, "run c.dae --window 0.5 --json d.json");
  assert_true(json_number("d.json", "windows") == 4);
  command_refuses(1, "run c.dae --update plane", "plain");
  command_refuses(1, "run c.dae --method bdf --window 0.1", "bdf has no option --window");
  file_write("c.dae", CIRCUITS("0.5", "", "", "simulate to 2 update plane"));
  command_refuses(2, "run c.dae", "c.dae:15:15");
}

static void test_options_that_do_not_fit_the_systems_are_refused(void **state)
{
  (void)state;
  command_refuses(1, "run " MODELS "three_circuits.dae --update xi", "two systems");
  static const char three[] = "model c\nsystem S[k in 1..3] {\n  state y = k\n  alg z = 0\n"
                              "  y' = -y\n  z = y + S[mod(k, 3) + 1].z/2\n}\n";
  char text[512];
  snprintf(text, sizeof text, "%ssimulate to 1 update xi\n", three);
  file_write("c.dae", text);
  command_refuses(2, "run c.dae", "c.dae:8:15");
  snprintf(text, sizeof text, "%ssimulate to 1 method gauss-seidel update xi\n", three);
  file_write("c.dae", text);
  command_refuses(2, "run c.dae", "c.dae:8:35");
  command_refuses(1, "run c.dae --update xi", "two systems");
  command_exits(0, "run c.dae --update schur");
}

static void test_joints_are_iterated_too(void **state)
{
  (void)state;
  outcome *o = command_exits(0, "run " MODELS "structures_joint.dae --method joint --json j.json");
  says(o, "coupling     2 systems");
  assert_true(json_number("j.json", "position_drift") < 1e-12 * 8800); /* of the terms: 4400 each */
  command_exits(0, "run " MODELS "structures_joint.dae --splitting second --json j.json");
  assert_true(json_number("j.json", "systems") == 2);
  command_refuses(1, "run " MODELS "two_circuits.dae --method joint", "this problem has none");
}

/* ---- check ---- */

static void test_check_tells_the_loop_and_its_gain(void **state)
{
  (void)state;
  outcome *o = command_exits(0, "check " MODELS "three_circuits.dae");
  says(o, "form         coupled, 3 systems");
  says(o, "coupling     algebraic loop of one.z, two.z, three.z; contraction");
  says(o, "    gauss-seidel   1.38 (> 1) in the order one, two, three; 0.212 in the order\n"
          "                   one, three, two, the best\n");
  says(o, "    jacobi         1.07 (> 1)\n");
  says(o, "solves the loop");
  o = command_exits(0, "check " MODELS "structures_joint.dae");
  says(o, "0.364 in the order x, y, the best");
  says(o, "    joint          2.75 + 0.984 W^2 (> 1) with the constraint on the first");
  says(command_exits(0, "check " MODELS "ring.dae"),
       "coupling     no algebraic loop: sweeps converge superlinearly\n");
  assert_null(strstr(command_exits(0, "check " MODELS "pendulum.dae")->out, "coupling"));
}

static void test_check_warns_near_a_higher_index(void **state)
{
  (void)state;
  file_write("c.dae", CIRCUITS("0.9", "", "", "simulate to 1"));
  assert_null(strstr(command_exits(0, "check c.dae")->out, "index 2"));
  says(command_exits(0, "check c.dae --set a=0.9995"), "close to index 2 (margin 0.0005)");
}

static void test_a_loop_without_a_unique_solution_is_told_and_refused(void **state)
{
  (void)state;
  file_write("c.dae", CIRCUITS("1", "", "", "simulate to 1"));
  outcome *o = command_exits(3, "check c.dae");
  says(o, "algebraic loop of one.z, two.z");
  says(o, "the coupled problem");
  says(o, "higher index than its systems");
  command_refuses(3, "run c.dae", "the loop of one.z, two.z does not determine its variables");
  command_refuses(3, "run c.dae --method bdf", "higher index than each of them alone");
}

/* ---- systems with settings of their own ---- */

static void test_systems_are_integrated_as_they_say(void **state)
{
  (void)state;
  double error[2];
  static const char *const models[] = {
      CIRCUITS("0.5", "  method euler; step 0.02\n", "  rtol 1e-9\n", "simulate to 1 window 0.1"),
      CIRCUITS("0.5", "  method euler step 0.01\n", "  rtol 1e-9\n", "simulate to 1 window 0.1")};
  for (int i = 0; i < 2; i++) {
    file_write("c.dae", models[i]);
    outcome *o = command_exits(0, "run c.dae --json c.json");
    assert_string_equal(o->err, "");
    says(o, "gauss-seidel, order up to 1,");
    error[i] = error_at_end();
  }
  /* of order 1 as Euler's method is */
  assert_true(error[0] > 1e-3 && fabs(error[0] / error[1] - 2) < 0.1);
  file_write("c.dae", CIRCUITS("0.5", "  method trapezoid step 0.01\n", "  step 0.01 order 2\n",
                               "simulate to 1 method jacobi window 0.1"));
  command_exits(0, "run c.dae");
  assert_true(error_at_end() > 1e-7 && error_at_end() < 1e-3);
}

static void test_settings_of_systems_that_do_not_fit_are_shown(void **state)
{
  (void)state;
  static const struct {
    const char *model, *place, *because;
  } cases[] = {
      {CIRCUITS("0.5", "  method bdf-ggl\n", "", "simulate to 1"), "c.dae:8:3",
       "system one: bdf-ggl takes mechanical problems"},
      {CIRCUITS("0.5", "", "  method bfd\n", "simulate to 1"), "c.dae:14:3",
       "system two: there is no method 'bfd': did you mean 'bdf'?"},
      {CIRCUITS("0.5", "  method rk4\n", "", "simulate to 1"), "c.dae:8:3", "add `step H`"},
      {CIRCUITS("0.5", "  rtol 3\n", "", "simulate to 1"), "c.dae:8:3", "system one: radau: rtol"},
      {CIRCUITS("0.5", "  method bdf update plain\n", "", "simulate to 1"), "c.dae:8:14",
       "bdf has no option 'update'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    file_write("c.dae", cases[i].model);
    command_refuses(2, "run c.dae", cases[i].place);
    command_refuses(2, "run c.dae", cases[i].because);
    assert_false(file_exists("c.csv"));
  }
}

/* ---- the order ---- */

static void test_the_order_of_a_sweep_can_be_given(void **state)
{
  (void)state;
  outcome *o =
      command_exits(0, "run " MODELS "three_circuits.dae --method gauss-seidel --json o.json");
  says(o, "in the order one, three, two\n");
  assert_true(fabs(json_number("o.json", "predicted") - 0.212) < 0.01);
  o = command_exits(0, "run " MODELS "three_circuits.dae --sweep two,three,one --json o.json");
  says(o, "in the order two, three, one\n");
  assert_true(fabs(json_number("o.json", "predicted") - 1.385) < 0.01);
  says(command_exits(0, "run " MODELS "ring.dae --to 1 --sweep "
                        "mass[6],mass[5],mass[4],mass[3],mass[2],mass[1]"),
       "in the order mass[6], mass[5]");
}

static void test_an_order_names_every_system_once(void **state)
{
  (void)state;
  static const struct {
    const char *sweep, *because;
  } cases[] = {
      {"one,tow,three", "there is no system 'tow': did you mean two?"},
      {"one,two", "--sweep does not name three: list all 3 systems"},
      {"one,two,one", "--sweep names one twice"},
      {"one,two,three,one", "--sweep names one twice"},
      {"one,,two", "there is no system ''"},
      {"one,two,three,", "there is no system ''"},
      {"one,two,three --method jacobi", "jacobi integrates all systems in parallel"},
      {"one,two,three --method bdf", "bdf integrates the assembled system"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char line[256];
    snprintf(line, sizeof line, "run " MODELS "three_circuits.dae --sweep %s", cases[i].sweep);
    command_refuses(1, line, cases[i].because);
  }
  file_write("d.dae", decay);
  command_refuses(1, "run d.dae --to 1 --sweep one", "without sweeps");
}

/* ---- verification ---- */

static void test_verify_tells_the_difference_to_one_system(void **state)
{
  (void)state;
  file_write("c.dae", CIRCUITS("0.9", "", "", "simulate to pi"));
  outcome *o = command_exits(0, "run c.dae --verify --json c.json");
  says(o, "verified     by radau on all systems as one");
  says(o, "states ");
  says(o, "algebraic variables ");
  assert_null(strstr(o->out, "multipliers"));
  table t = table_read("c.csv"); /* rows of the iteration alone: one for each window */
  assert_true(t.rows == json_number("c.json", "windows") + 1);
  table_free(&t);
  /* both kinds of variables, the worst of them a few tolerances off */
  assert_true(json_number("c.json", "tolerances") > 0 && json_number("c.json", "tolerances") < 20);
  o = command_exits(0, "run " MODELS "linked_pendula.dae --verify --every 0.1");
  says(o, "verified     by switching on all systems as one, 21 rows");
  says(o, "positions ");
  says(o, "velocities ");
  says(o, "multipliers ");
  /* a solver that is off shows */
  file_write("c.dae", CIRCUITS("0.5", "  method euler step 0.01\n", "", "simulate to 1"));
  command_exits(0, "run c.dae --verify --json c.json");
  assert_true(json_number("c.json", "tolerances") > 1000);
}

static void test_verify_goes_as_far_as_the_run(void **state)
{
  (void)state;
  file_write("c.dae", CIRCUITS("0.5", "", "", "event e: two.y - 0.5 rising stop\nsimulate to 3"));
  outcome *o = command_exits(0, "run c.dae --verify --json c.json");
  says(o, "stopped");
  says(o, "verified     by radau");
  assert_true(fabs(json_number("c.json", "t_end") - pi / 6) < 1e-6);
  assert_true(json_number("c.json", "tolerances") < 20);
}

static void test_verify_is_refused_where_nothing_is_iterated(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  file_write("c.dae", CIRCUITS("0.5", "", "", "simulate to 1"));
  command_refuses(1, "run p.dae --verify", "switching already integrates the assembled system");
  command_refuses(1, "run c.dae --verify --method bdf", "already integrates the assembled system");
  assert_false(file_exists("c.csv"));
}

/* ---- divergence ---- */

static void test_divergence_is_5_and_names_the_loop(void **state)
{
  (void)state;
  command_refuses(5, "run " MODELS "two_circuits.dae --set a=1.1 --update plain",
                  "diverges in the loop of one.z, two.z");
  outcome *o = command_exits(5, "run " MODELS "two_circuits.dae --set a=1.1 --update plain");
  says(o, "not finished");
  assert_non_null(strstr(o->err, "two_circuits.dae:"));
  assert_null(strstr(o->err, "--help"));
  /* the default update is not impressed */
  command_exits(0, "run " MODELS "two_circuits.dae --set a=1.1");
}

static void test_a_cycle_of_two_is_5_and_told(void **state)
{
  (void)state;
  command_refuses(5, "run " MODELS "diode.dae --update plain", "falls into a 2-cycle");
  command_refuses(5, "run " MODELS "diode.dae --update plain", "in the loop of source.i, load.v");
}

static void test_rows_up_to_a_divergence_are_kept(void **state)
{
  (void)state;
  /* the gain of the loop is t^2/4 */
  file_write("g.dae", "model g\n"
                      "system one {\n  state y = 1\n  alg z = 0\n  y' = -two.y\n"
                      "  0 = y - z + t/2*two.z\n}\n"
                      "system two {\n  state y = 0\n  alg z = 0\n  y' = one.y\n"
                      "  0 = y - z - t/2*one.z\n}\n"
                      "simulate to 4\n");
  command_refuses(5, "run g.dae --update plain --window 0.25 --json g.json", "one.z, two.z");
  table t = table_read("g.csv");
  assert_true(t.rows > 4 && table_at(&t, -1, 0) > 1 && table_at(&t, -1, 0) < 2.5);
  assert_true(json_number("g.json", "rows") == t.rows);
  table_free(&t);
  command_exits(0, "run g.dae");
}

static void test_divergence_names_the_assembled_run_that_goes_on(void **state)
{
  (void)state;
  command_refuses(5,
                  "run " MODELS "two_circuits.dae --method gauss-seidel --rtol 1e-13 --out d.csv",
                  "--method auto");
  table t = table_read("d.csv"); /* up to the divergence */
  assert_true(t.rows > 10 && table_at(&t, t.rows - 1, 0) > 1);
  table_free(&t);
  command_exits(0, "run " MODELS "two_circuits.dae --method auto --rtol 1e-13");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_the_iterations_are_listed_with_their_options),
      IN_FOLDER(test_systems_run_as_one_unless_iteration_is_asked_for),
      IN_FOLDER(test_a_model_of_one_system_is_not_iterated),
      IN_FOLDER(test_options_stand_on_the_command_line_and_in_simulate),
      IN_FOLDER(test_options_that_do_not_fit_the_systems_are_refused),
      IN_FOLDER(test_joints_are_iterated_too),
      IN_FOLDER(test_check_tells_the_loop_and_its_gain),
      IN_FOLDER(test_check_warns_near_a_higher_index),
      IN_FOLDER(test_a_loop_without_a_unique_solution_is_told_and_refused),
      IN_FOLDER(test_systems_are_integrated_as_they_say),
      IN_FOLDER(test_settings_of_systems_that_do_not_fit_are_shown),
      IN_FOLDER(test_the_order_of_a_sweep_can_be_given),
      IN_FOLDER(test_an_order_names_every_system_once),
      IN_FOLDER(test_verify_tells_the_difference_to_one_system),
      IN_FOLDER(test_verify_goes_as_far_as_the_run),
      IN_FOLDER(test_verify_is_refused_where_nothing_is_iterated),
      IN_FOLDER(test_divergence_is_5_and_names_the_loop),
      IN_FOLDER(test_a_cycle_of_two_is_5_and_told),
      IN_FOLDER(test_rows_up_to_a_divergence_are_kept),
      IN_FOLDER(test_divergence_names_the_assembled_run_that_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
