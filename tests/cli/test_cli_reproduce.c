/* `daedal reproduce`: values as before, verdicts as recorded, 80 columns, whole files. */
#include "command.h"
#include "reproduction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* in full it takes a minute */
static void test_all_of_j09_is_as_it_should_be(void **state)
{
  (void)state;
  const char *const parts[] = {"Orders, Gauss: ",
                               "Orders, Gauss, multipliers: ",
                               "Orders, Radau: ",
                               "Orders, Lobatto: ",
                               "Orders, Lobatto, multipliers: ",
                               "Energy, Gauss: ",
                               "Energy, Gauss, nonholonomic: ",
                               "Energy, Radau: ",
                               "Constraints: ",
                               "quick: 2000 steps"};
  outcome *o = command_exits(0, "reproduce j09 --quick --out r");
  assert_string_equal(o->err, "");
  reproduction_text(o->out, parts, sizeof parts / sizeof *parts);
  assert_null(strstr(o->out, "paper ours")); /* it prints no numbers */
  assert_true(reproduction_values(o->out, "j09") > 500);
  assert_int_equal(
      reproduction_records("r/j09-figure-energy.csv", "method,t,lowest,highest", "tnnn"), 4 * 500);
  assert_true(reproduction_records("r/j09-tables.csv", TABLES, TABLE_KINDS) > 650);
}

/* it is short, so that nothing is cut */
static void test_all_of_l13_is_as_it_should_be(void **state)
{
  (void)state;
  const char *const parts[] = {
      "Figure 1: ",   "Figure 2: ",       "Figure 3: ",      "Figure 4: ",     "Equation (45)",
      "Iterations: ", "Orders: ",         "Other schemes: ", "Past x = 0: ",   "SO(n) scheme",
      "Stiffness: ",  "Variable steps: ", "paper ours",      "The paper: u1, "};
  outcome *o = command_exits(0, "reproduce l13 --quick --out r");
  assert_string_equal(o->err, "");
  reproduction_text(o->out, parts, sizeof parts / sizeof *parts);
  assert_true(reproduction_values(o->out, "l13") > 130);
  assert_int_equal(reproduction_records("r/l13-figure-1.csv",
                                        "run,t,Q1,Q2,lambda,consistency,inner,outer", "tnnnnnnn"),
                   2 * 1000);
  assert_int_equal(reproduction_records("r/l13-figure-2.csv",
                                        "run,t,x1,x2,lambda,constraint,inner,outer", "tnnnnnnn"),
                   2 * 1000);
  assert_int_equal(reproduction_records("r/l13-figure-3.csv",
                                        "run,t,u1,du1,u2,du2,lambda,weak,I1,I2,inner,outer",
                                        "tnnnnnnnnnnn"),
                   2 * 1000);
  assert_int_equal(reproduction_records("r/l13-figure-4.csv",
                                        "run,t,x1,x2,x3,x4,lambda1,lambda2,I1,I2,inner,outer",
                                        "tnnnnnnnnnnn"),
                   1000);
  assert_int_equal(reproduction_records("r/l13-equation-45.csv",
                                        "run,t,u1,du1,u2,du2,weak,I1,inner,outer", "tnnnnnnnnn"),
                   2 * 1000);
  assert_int_equal(reproduction_records("r/l13-orders.csv",
                                        "example,order,h,x,y_end,y_middle,y_of_x", "tnnnoon"),
                   4 * 2 * 5);
  assert_true(reproduction_records("r/l13-tables.csv", TABLES, TABLE_KINDS) > 200);
}

static void test_folders_that_cannot_be_written_are_7(void **state)
{
  (void)state;
  command_refuses(7, "reproduce yp96 --out no/such/folder", "no/such/folder");
  file_write("file", "");
  command_refuses(7, "reproduce yp96 --out file", "file is not a folder");
  assert_int_equal(mkdir("locked", 0777), 0);
  assert_int_equal(mkdir("locked/yp96-tables.csv", 0777), 0); /* root may write anywhere else */
  command_refuses(7, "reproduce yp96 --out locked", "locked/yp96-tables.csv");
  assert_string_equal(command("reproduce yp96 --out locked")->out, "");
  assert_int_equal(rmdir("locked/yp96-tables.csv"), 0);
}

static void test_papers_are_listed(void **state)
{
  (void)state;
  assert_non_null(strstr(command_exits(0, "reproduce")->out, "yp96 "));
  assert_non_null(strstr(command_exits(0, "reproduce")->out, "j09 "));
  assert_non_null(strstr(command_exits(0, "reproduce")->out, "l13 "));
  assert_non_null(strstr(command_exits(0, "reproduce")->out, "e07 "));
  assert_non_null(strstr(command_exits(0, "reproduce")->out, "whm11 "));
  assert_non_null(strstr(command_exits(0, "reproduce --names")->out, "yp96\n"));
  command_refuses(1, "reproduce yp69", "did you mean yp96?");
}

/* Algorithms 2.1 and 3.1 of YP96 over whole motions: the bushing has order 1 by their fixed point,
 * 2 by Newton's iteration, and their errors are thousands of times larger. */
static void test_an_algorithm_of_yp96_is_selected(void **state)
{
  (void)state;
  static const char *const names[] = {"newton", "2.1", "2.1-cheap", "2.1-printed", "3.1"};
  double error[5], order[5];
  for (int i = 0; i < 5; i++) {
    char arguments[80];
    snprintf(arguments, sizeof arguments, "reproduce yp96 --iteration %s", names[i]);
    command_exits(0, arguments);
    char *text = file_read("reproduced/yp96-tables.csv");
    const char *row = strstr(text, "bushing 1e-2");
    assert_non_null(row);
    assert_int_equal(sscanf(strstr(row, ",4 N,,"), ",4 N,,%lf", &error[i]), 1);
    assert_int_equal(sscanf(strstr(row, ",order,,"), ",order,,%lf", &order[i]), 1);
    free(text);
  }
  assert_true(fabs(order[0] - 2) < 0.1);
  for (int i = 1; i < 5; i++)
    assert_true(order[i] < 1.3 && error[i] > 1000 * error[0]);
  command_refuses(1, "reproduce yp96 --iteration 2.2", "2.1-printed, 3.1");
  command_refuses(1, "reproduce e07 --iteration 2.1", "reproduce yp96");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_all_of_j09_is_as_it_should_be),
      IN_FOLDER(test_all_of_l13_is_as_it_should_be),
      IN_FOLDER(test_folders_that_cannot_be_written_are_7),
      IN_FOLDER(test_papers_are_listed),
      IN_FOLDER(test_an_algorithm_of_yp96_is_selected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
