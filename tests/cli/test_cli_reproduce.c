/* `daedal reproduce`: all of each paper is as it should be, in 80 columns, and its files are whole.
 */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files of text and numbers ---- */

/* the end of a field, which may stand in quotes */
static char *field_end(char *at)
{
  if (*at == '"') {
    at = strchr(at + 1, '"');
    assert_non_null(at);
    at++;
  } else {
    at += strcspn(at, ",\r\n");
  }
  assert_true(*at == ',' || *at == '\r');
  return at;
}

/* kind t: a text, e: the same or nothing, n: a finite number, o: the same or nothing */
static bool is_of_kind(char kind, const char *field, const char *end)
{
  char *number_end;
  double value = strtod(field, &number_end);
  if (field == end)
    return kind == 'o' || kind == 'e';
  return kind == 't' || kind == 'e' || (number_end == end && isfinite(value));
}

/* Every record has as many fields as the header, of these kinds. The number of records. */
static int check_records(const char *path, const char *header, const char *kinds)
{
  char *text = file_read(path), *at = text + strlen(header);
  int records = 0;
  assert_memory_equal(text, header, strlen(header));
  for (; strcmp(at, "\r\n") != 0; records++) {
    assert_memory_equal(at, "\r\n", 2);
    at += 2;
    for (const char *kind = kinds; *kind; kind++) {
      char *field = at;
      at = field_end(field);
      if (!is_of_kind(*kind, field, at))
        fail_msg("%s: record %d: %.40s", path, records + 1, field);
      assert_true(*at == (kind[1] ? ',' : '\r'));
      at += kind[1] != '\0';
    }
  }
  free(text);
  return records;
}

#define TABLES                                                                                     \
  "table,row,quantity,paper,ours,reference,check,bound,verdict,regression,low,high,item,reading"

static void check_yp96_files(void)
{
  assert_true(check_records("r/yp96-figure-5.1.csv", "method,t,energy", "tnn") > 100);
  assert_true(check_records("r/yp96-figure-5.3.csv", "method,t,energy", "tnn") > 2000);
  assert_true(check_records("r/yp96-figure-5.4.csv", "method,t,x,w,lambda", "tnnnn") > 2000);
  assert_true(check_records("r/yp96-figure-5.6.csv", "reading,method,t,h", "ttnn") > 10000);
  assert_true(check_records("r/yp96-tables.csv", TABLES, "tttoootottooee") > 300);
}

/* ---- the whole ---- */

static void check_text(const char *out, const char *const *parts, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (!strstr(out, parts[i]))
      fail_msg("there is no '%s' in\n%s", parts[i], out);
  for (const char *line = out; *line; line += strcspn(line, "\n") + 1)
    if (strcspn(line, "\n") > 80)
      fail_msg("more than 80 columns:\n%.100s", line);
  assert_null(strstr(out, "OUT\n"));
}

/* All values are as before and all verdicts as recorded. The number of values. */
static int count_checked(const char *out, const char *key)
{
  char begin[32];
  int right = 0, checked = 0;
  snprintf(begin, sizeof begin, "\n%s: regression: ", key);
  const char *end = strstr(out, begin);
  assert_non_null(end);
  assert_int_equal(sscanf(end + strlen(begin), "%d of %d values", &right, &checked), 2);
  assert_int_equal(right, checked);
  assert_non_null(strstr(end, "files in r/\n"));
  assert_non_null(strstr(end, "\nverdicts as recorded"));
  return checked;
}

static void test_all_of_yp96_is_as_it_should_be(void **state)
{
  (void)state;
  const char *const parts[] = {
      "Table 5.1: ",  "Table 5.2: ", "Table 5.3: ",   "Table 5.4: ", "Table 5.4, bad split:",
      "Figure 5.6: ", "Energy, ",    "Theorem 4.2: ", "Remark 3.1: "};
  outcome *o = command_exits(0, "reproduce yp96 --quick --out r");
  assert_string_equal(o->err, "");
  check_text(o->out, parts, sizeof parts / sizeof *parts);
  assert_true(count_checked(o->out, "yp96") > 80);
  check_yp96_files();
}

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
  check_text(o->out, parts, sizeof parts / sizeof *parts);
  assert_null(strstr(o->out, "paper ours")); /* it prints no numbers */
  assert_true(count_checked(o->out, "j09") > 500);
  assert_int_equal(check_records("r/j09-figure-energy.csv", "method,t,lowest,highest", "tnnn"),
                   4 * 500);
  assert_true(check_records("r/j09-tables.csv", TABLES, "tttoootottooee") > 650);
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
  check_text(o->out, parts, sizeof parts / sizeof *parts);
  assert_true(count_checked(o->out, "l13") > 130);
  assert_int_equal(
      check_records("r/l13-figure-1.csv", "run,t,Q1,Q2,lambda,consistency,inner,outer", "tnnnnnnn"),
      2 * 1000);
  assert_int_equal(
      check_records("r/l13-figure-2.csv", "run,t,x1,x2,lambda,constraint,inner,outer", "tnnnnnnn"),
      2 * 1000);
  assert_int_equal(check_records("r/l13-figure-3.csv",
                                 "run,t,u1,du1,u2,du2,lambda,weak,I1,I2,inner,outer",
                                 "tnnnnnnnnnnn"),
                   2 * 1000);
  assert_int_equal(check_records("r/l13-figure-4.csv",
                                 "run,t,x1,x2,x3,x4,lambda1,lambda2,I1,I2,inner,outer",
                                 "tnnnnnnnnnnn"),
                   1000);
  assert_int_equal(check_records("r/l13-equation-45.csv", "run,t,u1,du1,u2,du2,weak,I1,inner,outer",
                                 "tnnnnnnnnn"),
                   2 * 1000);
  assert_int_equal(
      check_records("r/l13-orders.csv", "example,order,h,x,y_end,y_middle,y_of_x", "tnnnoon"),
      4 * 2 * 5);
  assert_true(check_records("r/l13-tables.csv", TABLES, "tttoootottooee") > 200);
}

/* in full it takes ten seconds, as the next one */
static void test_all_of_e07_is_as_it_should_be(void **state)
{
  (void)state;
  const char *const parts[] = {"Table 1: ",
                               "Table 1, Jacobi: ",
                               "Table 1, dependence: ",
                               "Rate: ",
                               "Stopping test: ",
                               "Windows, ODEs: ",
                               "Windows, DAEs: ",
                               "Interpolation: ",
                               "Loops: ",
                               "Loops, solutions: ",
                               "Reproduced",
                               "paper ours"};
  outcome *o = command_exits(0, "reproduce e07 --quick --out r");
  assert_string_equal(o->err, "");
  check_text(o->out, parts, sizeof parts / sizeof *parts);
  assert_true(count_checked(o->out, "e07") > 150);
  assert_true(check_records("r/e07-convergence.csv", "method,alpha,sweep,change,error", "tnnnn") >
              300);
  assert_true(check_records("r/e07-tables.csv", TABLES, "tttoootottooee") > 200);
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
                               "Not reproduced",
                               "paper ours"};
  outcome *o = command_exits(0, "reproduce whm11 --quick --out r");
  assert_string_equal(o->err, "");
  check_text(o->out, parts, sizeof parts / sizeof *parts);
  assert_true(count_checked(o->out, "whm11") > 150);
  assert_true(
      check_records("r/whm11-convergence.csv", "signs,window,sweep,x2,y1,lambda", "tnnnnn") > 60);
  assert_true(check_records("r/whm11-tables.csv", TABLES, "tttoootottooee") > 200);
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
      IN_FOLDER(test_all_of_yp96_is_as_it_should_be),
      IN_FOLDER(test_all_of_j09_is_as_it_should_be),
      IN_FOLDER(test_all_of_l13_is_as_it_should_be),
      IN_FOLDER(test_all_of_e07_is_as_it_should_be),
      IN_FOLDER(test_all_of_whm11_is_as_it_should_be),
      IN_FOLDER(test_folders_that_cannot_be_written_are_7),
      IN_FOLDER(test_papers_are_listed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
