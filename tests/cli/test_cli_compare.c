/* daedal compare: models, what is told of them, files, and what is refused. */
#include "command.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODELS SOURCES "/examples/models/"

static void says(const char *text, const char *wanted)
{
  if (!strstr(text, wanted))
    fail_msg("'%s' is not in\n%s", wanted, text);
}

/* ---- the runs in a file ---- */

/* A column of the CSV file of runs in a line of it; NaN for what is none. */
static double field(const char *header, const char *line, const char *name)
{
  char wanted[64];
  snprintf(wanted, sizeof wanted, ",%s,", name);
  const char *at = strstr(header, wanted);
  assert_non_null(at);
  int commas = 1;
  for (const char *c = header; c < at; c++)
    commas += *c == ',';
  for (; commas > 0; commas--)
    line = strchr(line, ',') + 1;
  return strtod(line, NULL);
}

/* Calls each for all runs of a method; returns their number. */
typedef void each_run(void *user, const char *header, const char *line);

static int runs_of(const char *path, const char *method, each_run *each, void *user)
{
  char *text = file_read(path), start[64];
  int count = 0;
  snprintf(start, sizeof start, "%s,", method);
  for (char *line = strstr(text, "\r\n"); line && line[2]; line = strstr(line + 2, "\r\n"))
    if (strncmp(line + 2, start, strlen(start)) == 0) {
      count++;
      if (each)
        each(user, text, line + 2);
    }
  free(text);
  return count;
}

typedef struct least {
  double error, evaluations;
} least;

static void find_least(void *user, const char *header, const char *line)
{
  least *l = user;
  if (field(header, line, "error") <= l->error)
    l->evaluations = fmin(l->evaluations, field(header, line, "evaluations"));
}

/* the fewest evaluations of a run of the method that reached the error */
static double evaluations(const char *method, double error)
{
  least l = {error, INFINITY};
  assert_true(runs_of("c.csv", method, find_least, &l) > 0);
  return l.evaluations;
}

/* ---- models ---- */

static void check_model(const char *arguments, const char *const *methods)
{
  char all[512];
  snprintf(all, sizeof all, "compare %s --rtol 1e-3,1e-5,1e-7 --json c.json --out c.csv",
           arguments);
  outcome *o = command_exits(0, all);
  assert_string_equal(o->err, "");
  says(o->out, "\n  reference    ");
  says(o->out, "they are of different families");
  says(o->out, "\nms to reach ");
  says(o->out, "\n  recommended  ");
  says(o->out, " reaches an error of ");
  says(o->out, "\n  command      daedal run ");
  assert_true(json_number("c.json", "agreement") < 1e-7);
  assert_true(json_number("c.json", "rows") == 65);
  for (; *methods; methods++) {
    char row[64];
    snprintf(row, sizeof row, "\n%s ", *methods);
    says(o->out, row);
    assert_true(runs_of("c.csv", *methods, NULL, NULL) >= 3);
  }
}

/* as in bench_engines: the explicit ones need the fewest evaluations, then the implicit one-step
 * methods, then those of many steps */
static void test_a_pendulum_is_ranked_as_in_the_bench(void **state)
{
  static const char *const all[] = {"bdf-ggl",  "bdf-cs", "spark-gauss", "lie",
                                    "explicit", "gauss",  "switching",   "radau",
                                    "euler",    "rk4",    NULL};
  (void)state;
  check_model(MODELS "pendulum.dae --to 1.5", all);
  double reached = evaluations("explicit", 1e-5);
  assert_true(evaluations("gauss", 1e-5) < 1.5 * reached);
  assert_true(reached < evaluations("spark-gauss", 1e-5));
  assert_true(reached < evaluations("radau", 1e-5));
  assert_true(reached < evaluations("bdf-ggl", 1e-5));
}

static void test_a_car_axis_is_ranked_as_in_the_bench(void **state)
{
  static const char *const some[] = {"bdf-ggl", "spark-gauss", "explicit", "gauss", "radau", NULL};
  (void)state;
  check_model(MODELS "car_axis.dae --to 0.5 --methods bdf-ggl,spark-gauss,explicit,gauss,radau",
              some);
  double reached = evaluations("explicit", 1e-5);
  assert_true(evaluations("gauss", 1e-5) < 1.5 * reached);
  assert_true(reached < evaluations("spark-gauss", 1e-5));
  assert_true(reached < evaluations("radau", 1e-5));
  assert_true(evaluations("radau", 1e-5) < evaluations("bdf-ggl", 1e-5));
}

static void test_a_skate_is_ranked_as_in_the_bench(void **state)
{
  static const char *const some[] = {"bdf-ggl", "spark-gauss", "explicit", "gauss", "rk4", NULL};
  (void)state;
  check_model(MODELS "skate.dae --to 2", some);
  double reached = evaluations("explicit", 1e-5);
  assert_true(evaluations("gauss", 1e-5) < 1.5 * reached);
  assert_true(reached < evaluations("spark-gauss", 1e-5));
  assert_true(reached < evaluations("bdf-ggl", 1e-5));
}

/* one system takes less than an iteration between two */
static void test_two_circuits_are_ranked(void **state)
{
  static const char *const all[] = {"bdf",       "radau",        "lie",    "rk4",
                                    "radau-iia", "gauss-seidel", "jacobi", NULL};
  (void)state;
  check_model(MODELS "two_circuits.dae --to 1", all);
  assert_true(evaluations("radau", 1e-5) < evaluations("gauss-seidel", 1e-5));
  assert_true(evaluations("bdf", 1e-5) < evaluations("gauss-seidel", 1e-5));
  assert_true(evaluations("gauss-seidel", 1e-5) < evaluations("jacobi", 1e-5) * 1.5);
}

static void test_an_amplifier_is_for_bdf_and_others_say_why_not(void **state)
{
  (void)state;
  outcome *o = command_exits(0, "compare " MODELS
                                "transistor_amplifier.dae --to 0.02 --rtol 1e-4..1e-7 --out c.csv");
  says(o->out, "\n  recommended  ");
  assert_true(evaluations("bdf", 1e-5) < evaluations("radau", 1e-5));
  assert_int_equal(runs_of("c.csv", "bdf", NULL, NULL), 4);
  assert_int_equal(runs_of("c.csv", "explicit", NULL, NULL), 1); /* does not take it */
  says(o->out, "\nexplicit ");
}

/* ---- settings ---- */

static void count_steps(void *user, const char *header, const char *line)
{
  *(double *)user = fmin(*(double *)user, field(header, line, "steps"));
}

static const char limited[] = "model limited\nstate x = 1, y = 0\nx' = -y\ny' = x\n"
                              "simulate to 1 max_step 0.01 rtol 1e-5\n";

static void test_settings_of_the_model_hold(void **state)
{
  double steps = INFINITY;
  (void)state;
  file_write("l.dae", limited);
  outcome *o =
      command_exits(0, "compare l.dae --rtol 1e-3..1e-5 --methods explicit,bdf --out c.csv");
  says(o->out, "an error of 1e-5 in "); /* the rtol of the model */
  assert_int_equal(runs_of("c.csv", "explicit", count_steps, &steps), 3);
  assert_true(steps >= 100);
  /* what it says for its own method is for that one alone */
  file_write("l.dae", "model l\nstate x = 1, y = 0\nx' = -y\ny' = x\n"
                      "simulate to 1 method bdf max_step 0.01\n");
  steps = INFINITY;
  command_exits(0, "compare l.dae --rtol 1e-4 --methods explicit,bdf --out c.csv");
  runs_of("c.csv", "explicit", count_steps, &steps);
  assert_true(steps < 50);
  steps = INFINITY;
  runs_of("c.csv", "bdf", count_steps, &steps);
  assert_true(steps >= 100);
}

static void test_systems_keep_their_solvers(void **state)
{
  (void)state;
  file_write("c.dae", "model c\nsystem one { state y = 1\n method rk4 step 0.001\n y' = -two.y }\n"
                      "system two { state y = 0\n y' = one.y }\nsimulate to 1\n");
  outcome *o = command_exits(0, "compare c.dae --rtol 1e-4,1e-6 --methods gauss-seidel,bdf,radau");
  says(o->out, "\ngauss-seidel      1e-4 ");
  file_write("c.dae", "model c\nsystem one { state y = 1\n method rk4 stepp 0.001\n y' = -two.y }\n"
                      "system two { state y = 0\n y' = one.y }\nsimulate to 1\n");
  o = command_exits(0, "compare c.dae --rtol 1e-4,1e-6 --methods gauss-seidel,bdf,radau");
  says(o->out, "\ngauss-seidel      1e-4 system one: "); /* says what is wrong, the others go on */
  says(o->out, "\n  recommended  ");
}

static void test_a_single_tolerance_is_what_is_wanted(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  outcome *o = command_exits(
      0, "compare p.dae --to 1 --rtol 1e-5 --methods gauss,spark-gauss --json c.json");
  says(o->out, "an error of 1e-5 in ");
  assert_true(json_number("c.json", "wanted") == 1e-5);
}

static void test_without_agreement_nothing_is_ranked(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  outcome *o = command_exits(0, "compare p.dae --to 9 --rtol 1e-3 --methods euler,lie");
  says(o->out, "\n  not ranked   There is no reference: even the two runs that agree best differ");
  assert_null(strstr(o->out, "ms to reach"));
  assert_null(strstr(o->out, "recommended"));
  says(o->out, "\nlie "); /* the table is there */
}

static void test_a_limit_gives_methods_up(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  outcome *o = command("compare p.dae --to 1e5 --seconds 0.01 --methods explicit,radau");
  assert_int_equal(o->code, 4);
  says(o->out, "given up");
  says(o->err, "all methods fail");
}

/* ---- files ---- */

static void test_the_page_holds_verdict_plots_tables_and_model(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  outcome *o = command_exits(
      0,
      "compare p.dae --to 1 --rtol 1e-3..1e-5 --methods explicit,radau,bdf-ggl --report --quiet");
  assert_string_equal(o->out, "");
  assert_string_equal(o->err, "");
  char *page = file_read("pendulum_compared.html");
  says(page, "is recommended for an error of 1e-6");
  says(page, "they are of different families");
  says(page, "Error over time");
  says(page, "Error over evaluations");
  says(page, "All runs");
  says(page, "constraint rod: x^2 + y^2 = L^2");
  says(page,
       "daedal compare p.dae --to 1 --rtol 1e-3..1e-5 --methods explicit,radau,bdf-ggl --report");
  free(page);
  command_exits(0, "compare p.dae --to 1 --rtol 1e-3 --methods explicit,radau --report other.html");
  assert_true(file_exists("other.html"));
}

static void test_files_that_would_be_overwritten_are_refused(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  command_refuses(1, "compare p.dae --out p.dae", "--out p.dae would overwrite the model");
  command_refuses(1, "compare p.dae --json p.dae", "would overwrite the model");
  command_refuses(1, "compare p.dae --json a --out a", "need different files");
  command_refuses(7, "compare p.dae --json no/where", "no/where could not be created");
  command_refuses(7, "compare p.dae --report no/where.html", "no/where.html");
}

/* ---- refusals ---- */

static void test_what_makes_no_sense_is_refused(void **state)
{
  (void)state;
  file_write("p.dae", pendulum);
  file_write("d.dae", decay);
  command_refuses(1, "compare", "daedal compare needs a FILE");
  command_refuses(1, "compare p.dae --rtol abc", "expected a tolerance, a list or a range");
  command_refuses(1, "compare p.dae --rtol 1e-3..", "expected a tolerance, a list or a range");
  command_refuses(1, "compare p.dae --rtol 2", "2 is not between 0 and 1");
  command_refuses(1, "compare p.dae --methods radua,bdf", "did you mean 'radau'?");
  command_refuses(1, "compare p.dae --methods radau,radau", "--methods names radau twice");
  command_refuses(1, "compare p.dae --methods radau,bdf", "bdf");
  command_refuses(1, "compare p.dae --seconds 0", "--seconds: expected a positive number");
  command_refuses(1, "compare p.dae --to -1", "is not greater than the start time");
  command_refuses(2, "compare d.dae", "has no end time");
  command_refuses(1, "compare p.dae --set nothing=1", "nothing");
}

/* decades from the one to the other, loosest first, both ends, each once */
static void test_tolerances_are_a_range_or_a_list(void **state)
{
  static const char *const forms[] = {"1e-3..1e-6", "1e-6..1e-3", "1e-6,1e-3,1e-4,1e-5",
                                      "1e-3..1e-5,1e-6,1e-4"};
  (void)state;
  file_write("p.dae", pendulum);
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    char arguments[160];
    snprintf(arguments, sizeof arguments,
             "compare p.dae --to 0.5 --methods explicit,radau --out c.csv --rtol %s", forms[i]);
    outcome *o = command_exits(0, arguments);
    assert_int_equal(runs_of("c.csv", "explicit", NULL, NULL), 4);
    const char *first = strstr(o->out, "\nexplicit          1e-3 ");
    assert_non_null(first);
    assert_non_null(strstr(first, "\n                  1e-4 "));
  }
  command_exits(0, "compare p.dae --to 0.5 --methods explicit,radau --out c.csv --rtol 1e-3..2e-5");
  assert_int_equal(runs_of("c.csv", "explicit", NULL, NULL), 3); /* 1e-3, 1e-4, 2e-5 */
}

/* ---- interrupts ---- */

static void test_an_interrupt_shows_what_there_is_and_is_130(void **state)
{
  const char *const arguments[] = {"compare", "p.dae", "--to", "1000", "--json", "c.json", NULL};
  (void)state;
  file_write("p.dae", pendulum);
  pid_t child = command_start(arguments, -1, -1);
  file_await("out.txt");
  sleep(1);
  kill(child, SIGINT);
  assert_int_equal(command_wait(child), 130);
  char *out = file_read("out.txt"), *err = file_read("err.txt");
  says(out, "\nmethod ");
  says(out, "\nbdf-ggl ");
  says(err, "the comparison was interrupted");
  assert_true(isnan(json_number("c.json", "agreement")) || json_number("c.json", "rows") >= 0);
  free(out);
  free(err);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_a_pendulum_is_ranked_as_in_the_bench),
      IN_FOLDER(test_a_car_axis_is_ranked_as_in_the_bench),
      IN_FOLDER(test_a_skate_is_ranked_as_in_the_bench),
      IN_FOLDER(test_two_circuits_are_ranked),
      IN_FOLDER(test_an_amplifier_is_for_bdf_and_others_say_why_not),
      IN_FOLDER(test_settings_of_the_model_hold),
      IN_FOLDER(test_systems_keep_their_solvers),
      IN_FOLDER(test_a_single_tolerance_is_what_is_wanted),
      IN_FOLDER(test_without_agreement_nothing_is_ranked),
      IN_FOLDER(test_a_limit_gives_methods_up),
      IN_FOLDER(test_the_page_holds_verdict_plots_tables_and_model),
      IN_FOLDER(test_files_that_would_be_overwritten_are_refused),
      IN_FOLDER(test_what_makes_no_sense_is_refused),
      IN_FOLDER(test_tolerances_are_a_range_or_a_list),
      IN_FOLDER(test_an_interrupt_shows_what_there_is_and_is_130),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
