/* `daedal reproduce`: values as before, verdicts as recorded, 80 columns, whole files. */
#include "command.h"
#include "reproduction.h"

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

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_all_of_j09_is_as_it_should_be),
      IN_FOLDER(test_all_of_l13_is_as_it_should_be),
      IN_FOLDER(test_folders_that_cannot_be_written_are_7),
      IN_FOLDER(test_papers_are_listed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
