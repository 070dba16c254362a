/* daedal check says what a model is, and leaves nothing behind. */
#include "command.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void says(const outcome *o, const char *line)
{
  if (!strstr(o->out, line))
    fail_msg("does not say '%s' but\n%s%s", line, o->out, o->err);
}

/* the verdict on a method, whatever the width of the names */
static void says_of(const outcome *o, const char *method, const char *verdict)
{
  char line[64];
  snprintf(line, sizeof line, "\n    %s ", method);
  const char *at = strstr(o->out, line);
  at = at ? at + strlen(line) : "";
  if (strncmp(at + strspn(at, " "), verdict, strlen(verdict)) != 0)
    fail_msg("does not say '%s' of %s but\n%s", verdict, method, o->out);
}

static int count_entries(void)
{
  int count = 0;
  DIR *folder = opendir(".");
  assert_non_null(folder);
  while (readdir(folder))
    count++;
  closedir(folder);
  return count;
}

static void test_pendulum_is_known_before_it_runs(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  int entries = count_entries();
  outcome *o = command_exits(0, "check p.dae");
  says(o, "model pendulum: a point mass on a rigid rod\n");
  says(o, "2 coordinates, 1 holonomic constraint, 1 output");
  says(o, "form         mechanical\n");
  says(o, "index        3\n");
  says(o, "1 degree of freedom");
  says(o, "consistent as given");
  says_of(o, "bdf", "does not apply: ");
  says_of(o, "bdf-ggl", "applies");
  assert_string_equal(o->err, "");
  assert_int_equal(count_entries(), entries);
}

static void test_moved_values_are_listed(void **state)
{
  (void)state;
  file_write("p.dae", "model p\nparam a = 2\ncoord x = a, y = 0 rate 3\nkinetic (x'^2 + y'^2)/2\n"
                      "constraint rod: x^2 + y^2 = 1\n");
  outcome *o = command_exits(0, "check p.dae");
  says(o, "1 value has to be moved");
  says(o, "x  2 -> 1\n");
  says(o, "give the end time with --to");
  says(command_exits(0, "check p.dae --set a=1"), "consistent as given");
}

static void test_redundant_constraints_are_named(void **state)
{
  (void)state;
  file_write("p.dae", "model p\ncoord x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\n"
                      "constraint rod: x^2 + y^2 = 1\nconstraint twin: 2*x^2 + 2*y^2 = 2\n"
                      "simulate to 1\n");
  outcome *o = command_exits(0, "check p.dae");
  says(o, "2, of which 1 independent: 1 redundant");
  says(o, "rod");
  says(o, "twin");
  says(o, "1 degree of freedom");
}

static void test_discrete_variables_are_no_freedom(void **state)
{
  (void)state;
  file_write("d.dae", "model d\nstate x = 1\ndiscrete m = 1\nx' = -m*x\n"
                      "event e: x - 0.5 falling { m = 2 }\nsimulate to 1\n");
  outcome *o = command_exits(0, "check d.dae");
  says(o, "1 discrete variable");
  says(o, "1 degree of freedom\n");
  says(o, "constraints  none");
}

static void test_coupled_models_are_judged_part_by_part_and_assembled(void **state)
{
  (void)state;
  file_write("c.dae", "model two_circuits \"coupled index-1 systems\"\nparam a = 0.9\n"
                      "system one {\n  state y = 1\n  alg   z = 1/(1 - a^2)\n  y' = -two.y\n"
                      "  0  = y - z + a*two.z\n}\n"
                      "system two {\n  state y = 0\n  alg   z = a/(1 - a^2)\n  y' = one.y\n"
                      "  0  = y - z + a*one.z\n}\n"
                      "simulate to pi method nosuch\n");
  outcome *o = command_exits(0, "check c.dae");
  says(o, "2 systems");
  says(o, "form         coupled, 2 systems");
  says(o, "one: semi-explicit");
  says(o, "index        1");
  says(o, "2 degrees of freedom");
  says(o, "there is no method 'nosuch'");
  says_of(o, "bdf", "applies");
  says_of(o, "bdf-ggl", "does not");
  says_of(o, "radau", "applies; selected by auto: 2 systems assembled into one");
  says_of(o, "gauss-seidel", "applies");
  says_of(o, "joint", "does not");
}

/* A crank of length 1 with a rod of length 2 to a slider on y = 0, at the angle 0.5 with the rate
 * 3: sin(angle of the rod) = -sin(0.5)/2. */
static void test_given_start_values_outweigh_the_others(void **state)
{
  (void)state;
  static const char crank[] = "model crank\ncoord phi = 0.5 rate 3, x%s, rod\n"
                              "kinetic (x'^2 + phi'^2 + rod'^2)/2\n"
                              "constraint cos(phi) + 2*cos(rod) = x\n"
                              "constraint sin(phi) + 2*sin(rod) = 0\nsimulate to 1\n";
  char text[512], line[64];
  double rod = asin(-sin(0.5) / 2), rate = -cos(0.5) * 3 / (2 * cos(rod));
  snprintf(text, sizeof text, crank, "");
  file_write("c.dae", text);
  outcome *o = command_exits(0, "check c.dae");
  says(o, "4 values have to be moved to make it consistent; no given value\n");
  snprintf(line, sizeof line, "rod       0 -> %.12g", rod);
  says(o, line);
  snprintf(line, sizeof line, "der(rod)  0 -> %.12g", rate);
  says(o, line);
  assert_null(strstr(o->out, "phi "));
  /* x contradicts the angle: both move, the rate is held all the same */
  snprintf(text, sizeof text, crank, " = 2.5");
  file_write("c.dae", text);
  o = command_exits(0, "run c.dae");
  says(o, "5 values were moved to make it consistent; `fixed` holds a value:");
  says(o, "phi ");
  assert_null(strstr(o->out, "der(phi)"));
}

/* what `methods auto` says of kinds of problems is what is taken for a model of the kind */
static void test_auto_is_told_as_it_is_taken(void **state)
{
  (void)state;
  static const struct {
    const char *model, *kind, *method;
  } cases[] = {
      {"pendulum", "  mechanics, ordinary differential equations  ", "switching"},
      {"thermostat", "  mechanics, ordinary differential equations  ", "switching"},
      {"motor", "  mechanics with algebraic variables  ", "radau"},
      {"akzo_nobel", "index 1, few unknowns  ", "rosenbrock"},
      {"tank", ", M(t, x) x' = f  ", "radau"},
      {"two_circuits", ", M(t, x) x' = f  ", "radau"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char line[256];
    snprintf(line, sizeof line, "check %s/examples/models/%s.dae", SOURCES, cases[i].model);
    says_of(command_exits(0, line), cases[i].method, "applies; selected by auto: ");
    const char *told = strstr(command_exits(0, "methods auto")->out, cases[i].kind);
    assert_non_null(told);
    size_t width = strlen(cases[i].method);
    told += strcspn(told, "\n") - width;
    assert_memory_equal(told, cases[i].method, width);
  }
}

/* a file of examples/models, by its name */
static bool is_model(const char *name)
{
  const char *dot = strrchr(name, '.');
  return dot && strcmp(dot, ".dae") == 0;
}

static void test_every_example_is_judged(void **state)
{
  (void)state;
  static const char *const lines[] = {"  form  ",  "  index  ",   "  freedom  ", "  constraints  ",
                                      "  start  ", "  methods\n", "    bdf  ",   "    bdf-ggl  "};
  int judged = 0;
  DIR *folder = opendir(SOURCES "/examples/models");
  assert_non_null(folder);
  for (struct dirent *entry; (entry = readdir(folder));) {
    char arguments[512];
    if (!is_model(entry->d_name))
      continue;
    snprintf(arguments, sizeof arguments, "check '%s/examples/models/%s'", SOURCES, entry->d_name);
    outcome *o = command_exits(0, arguments);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
      says(o, lines[i]);
    if (!strstr(o->out, " applies") ||
        (strstr(o->out, "does not") && !strstr(o->out, "does not apply: ")))
      fail_msg("%s: no method applies, or the reason is missing\n%s", entry->d_name, o->out);
    judged++;
  }
  closedir(folder);
  assert_true(judged >= 12);
}

/* The settings of the model are those of the run, an event may change the index, and a start that
 * does not determine lambda is one for lie alone. */
static void test_check_is_of_the_run(void **state)
{
  static const char *const cases[][3] = {{"track", "explicit", "lie"},
                                         {"track_ode", "explicit", "lie"},
                                         {"yielding", "rosenbrock", "bdf"},
                                         {"hessenberg", "radau", "lie"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1024];
    snprintf(text, sizeof text, "check " SOURCES "/examples/models/%s.dae", cases[i][0]);
    outcome *o = command(text);
    says_of(o, cases[i][1], "does not apply");
    says_of(o, cases[i][2], "applies");
    snprintf(text, sizeof text, "run " SOURCES "/examples/models/%s.dae --method %s", cases[i][0],
             cases[i][1]);
    assert_int_not_equal(command(text)->code, 0);
    snprintf(text, sizeof text, "run " SOURCES "/examples/models/%s.dae --method %s", cases[i][0],
             cases[i][2]);
    command_exits(0, text);
  }
}

/* Events with their kind, instants and line; guards with their line; what nothing watches. */
static void test_events_and_guards_are_listed(void **state)
{
  (void)state;
  file_write("parts.dae", "system s {\n  state z = 0\n  z' = 1\n  event own: z - 0.5 stop\n}\n");
  file_write("e.dae", "model e\nimport \"parts.dae\"\nstate x = 1, v = 0\ndiscrete u = 0\nx' = v\n"
                      "v' = u - x + if(x < 0.25, 1, 0) +\n  noevent(max(v, 0)) + floor(4*x)/9\n"
                      "event sample: every 0.1 from 0.05 { u = -v }\n"
                      "event hits: at 0.25, 0.5 { v = v + 1 }\nevent ticks: every 0.25\nevent "
                      "waves: sin(20*pi*t) rising\n"
                      "event low: x falling\nevent slow: when v < 0.1 && x < 0.25 stop\n"
                      "simulate to 1\n");
  outcome *o = command_exits(0, "check e.dae");
  says(o, "  events       7\n");
  says(o, " sample  every 0.1 from 0.05; line 8\n");
  says(o, " hits    at t = 0.25, 0.5; line 9\n");
  says(o, " ticks   every 0.25 from 0.25; line 10\n");
  says(o, " waves   at t = 0.1, 0.2, 0.3, 0.4, ...; line 11\n");
  says(o, " low     falling; line 12\n");
  says(o, " slow    when a condition becomes true, stop; line 13\n");
  says(o, " s.own   at every zero, stop; line 4 of parts.dae\n");
  says(o, "  guards       3\n");
  says(o, " x < 0.25    line 6\n");
  says(o, " floor(4*x)  line 7\n");
  says(o, " v < 0.1     line 13\n");
  says(o, "  not watched  1 condition in noevent\n");
  file_write("p.dae", pendulum);
  o = command_exits(0, "check p.dae");
  assert_null(strstr(o->out, "events "));
  assert_null(strstr(o->out, "guards "));
  assert_null(strstr(o->out, "not watched"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_pendulum_is_known_before_it_runs),
      IN_FOLDER(test_moved_values_are_listed),
      IN_FOLDER(test_redundant_constraints_are_named),
      IN_FOLDER(test_discrete_variables_are_no_freedom),
      IN_FOLDER(test_coupled_models_are_judged_part_by_part_and_assembled),
      IN_FOLDER(test_given_start_values_outweigh_the_others),
      IN_FOLDER(test_events_and_guards_are_listed),
      IN_FOLDER(test_auto_is_told_as_it_is_taken),
      IN_FOLDER(test_every_example_is_judged),
      IN_FOLDER(test_check_is_of_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
