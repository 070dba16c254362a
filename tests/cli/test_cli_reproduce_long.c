/* `daedal reproduce` of the papers that take seconds: values as before, verdicts as recorded, 80
 * columns, whole files. */
#include "command.h"
#include "reproduction.h"

#include <stdlib.h>
#include <string.h>

static void check_yp96_files(void)
{
  assert_true(reproduction_records("r/yp96-figure-5.1.csv", "method,t,energy", "tnn") > 100);
  assert_true(reproduction_records("r/yp96-figure-5.3.csv", "method,t,energy", "tnn") > 2000);
  assert_true(reproduction_records("r/yp96-figure-5.4.csv", "method,t,x,w,lambda", "tnnnn") > 2000);
  assert_true(reproduction_records("r/yp96-figure-5.6.csv", "reading,method,t,h", "ttnn") > 10000);
  assert_true(reproduction_records("r/yp96-tables.csv", TABLES, TABLE_KINDS) > 300);
}

static void test_all_of_yp96_is_as_it_should_be(void **state)
{
  (void)state;
  const char *const parts[] = {
      "Table 5.1: ",  "Table 5.2: ", "Table 5.3: ",   "Table 5.4: ", "Table 5.4, bad split:",
      "Figure 5.6: ", "Energy, ",    "Theorem 4.2: ", "Remark 3.1: "};
  outcome *o = command_exits(0, "reproduce yp96 --quick --out r");
  assert_string_equal(o->err, "");
  reproduction_text(o->out, parts, sizeof parts / sizeof *parts);
  assert_true(reproduction_values(o->out, "yp96") > 80);
  check_yp96_files();
}

/* in full it takes ten seconds, as the next one */
static void test_all_of_e07_is_as_it_should_be(void **state)
{
  (void)state;
  const char *const parts[] = {
      "Table 1: ",       "Table 1, Jacobi: ",  "Table 1, dependence: ",    "Rate: ",
      "Stopping test: ", "Windows, ODEs: ",    "Windows, DAEs: ",          "Interpolation: ",
      "Loops: ",         "Loops, solutions: ", "reproduced (within 10 %)", "paper ours"};
  outcome *o = command_exits(0, "reproduce e07 --quick --out r");
  assert_string_equal(o->err, "");
  reproduction_text(o->out, parts, sizeof parts / sizeof *parts);
  assert_true(reproduction_values(o->out, "e07") > 150);
  assert_true(reproduction_records("r/e07-convergence.csv", "method,alpha,sweep,change,error",
                                   "tnnnn") > 300);
  assert_true(reproduction_records("r/e07-tables.csv", TABLES, TABLE_KINDS) > 200);
}

static void test_all_of_whm11_is_as_it_should_be(void **state)
{
  (void)state;
  const char *const parts[] = {"Table 1, iterations: ",
                               "Table 1, ratios: ",
                               "Section 4: ",
                               "Rates: ",
                               "Table 2: ",
                               "Table 3 b: ",
                               "Table 4: ",
                               "Errors: ",
                               "Solution: ",
                               "Section 6: ",
                               "Section 6, relaxation: ",
                               "Section 6, growth: ",
                               "Other joints: ",
                               "Other joints, solutions: ",
                               "Nonlinear joint: ",
                               "order only",
                               "paper ours"};
  outcome *o = command_exits(0, "reproduce whm11 --quick --out r");
  assert_string_equal(o->err, "");
  reproduction_text(o->out, parts, sizeof parts / sizeof *parts);
  assert_true(reproduction_values(o->out, "whm11") > 150);
  assert_true(reproduction_records("r/whm11-convergence.csv", "signs,window,sweep,x2,y1,lambda",
                                   "tnnnnn") > 60);
  assert_true(reproduction_records("r/whm11-tables.csv", TABLES, TABLE_KINDS) > 200);
}

/* all verdicts, in a minute */
static void test_all_verdicts_are_as_recorded(void **state)
{
  (void)state;
  if (!getenv("DAEDAL_LONG"))
    skip();
  outcome *o = command_exits(0, "reproduce all --out r --json verdicts.json");
  assert_string_equal(o->err, "");
  reproduction_text(o->out, NULL, 0);
  assert_null(strstr(o->out, "  not run in full"));
  assert_non_null(strstr(o->out, "\nverdicts as recorded\n"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_all_of_yp96_is_as_it_should_be),
      IN_FOLDER(test_all_of_e07_is_as_it_should_be),
      IN_FOLDER(test_all_of_whm11_is_as_it_should_be),
      IN_FOLDER(test_all_verdicts_are_as_recorded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
