/* Data of inputs and params from files, tables from files, units in what the command writes. */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MODEL                                                                                      \
  "model d\nparam k = 1 \"1/s\", c[1..2] = 0\ninput u = 1 linear \"V\"\nstate x = 0 \"m\"\n"       \
  "x' = k*u + c[1] + 10*c[2]\nsimulate to 4 rtol 1e-9\n"

static double end_of(const char *path)
{
  table t = table_read(path);
  double x = table_at(&t, t.rows - 1, 1);
  table_free(&t);
  return x;
}

static void test_input_gives_columns_by_name(void **state)
{
  (void)state;
  file_write("d.dae", MODEL);
  file_write("u.csv", "u,t\n0,0\n2,1\n2,3\n");
  command_exits(0, "run d.dae");
  assert_true(fabs(end_of("d.csv") - 4) < 1e-8); /* the value of the model */
  outcome *o = command_exits(0, "run d.dae --input u.csv --json a.json");
  assert_true(fabs(end_of("d.csv") - 7) < 1e-8); /* 1 + 4 + 2 */
  assert_non_null(strstr(o->out, "inputs       u: 3 samples of u.csv, linear, t = 0 to 3"));
  assert_non_null(strstr(o->out, "constant after its last sample, t > 3"));
  char *json = file_read("a.json");
  assert_non_null(strstr(json, "\"inputs\": [{\"name\": \"u\", \"interpolation\": \"linear\", "
                               "\"source\": \"u.csv\", \"samples\": 3, \"from\": 0, \"to\": 3}]"));
  assert_non_null(strstr(json, "\"units\": {\"k\": \"1/s\", \"u\": \"V\", \"x\": \"m\"}"));
  free(json);
  o = command_exits(0, "check d.dae --input u.csv");
  assert_non_null(strstr(o->out, "inputs       u: linear, data of u.csv"));
  command_refuses(7, "run d.dae --input v.csv", "cannot read v.csv");
  file_write("u.csv", "t,u\r\n0,0\r\n1,x\r\n");
  command_refuses(7, "run d.dae --input u.csv", "u.csv:3:3: x is not a finite number");
  file_write("u.csv", "t,v\n0,0\n1,1\n");
  command_refuses(7, "run d.dae --input u.csv", "v is no input of the model; its first one is u");
}

static void test_set_from_gives_params_and_set_overrides_it(void **state)
{
  (void)state;
  file_write("d.dae", MODEL);
  file_write("s.txt", "# values\nk = 2*3 # stiff\n\nc[1] = k\n");
  command_exits(0, "run d.dae --set-from s.txt");
  assert_true(fabs(end_of("d.csv") - 48) < 1e-7); /* 4 (6 + 6) */
  command_exits(0, "run d.dae --set k=1 --set-from s.txt --set c[2]=1");
  assert_true(fabs(end_of("d.csv") - 48) < 1e-7); /* 4 (1 + 1 + 10) */
  file_write("s.txt", "k = 2\nkk = 3\n");
  outcome *o = command("run d.dae --set-from s.txt");
  assert_int_equal(o->code, 2);
  assert_non_null(
      strstr(o->err, "s.txt:2:1: the model has no param kk; did you mean k?\n  kk = 3"));
  command_refuses(7, "run d.dae --set-from none.txt", "cannot read none.txt");
}

static void test_units_stand_in_the_summary_and_the_report(void **state)
{
  (void)state;
  file_write("p.dae",
             "model p\ncoord x = 1 \"m\", y = 0.1 \"m\"\nkinetic (x'^2 + y'^2)/2\n"
             "potential 9.81*y\nconstraint x^2 + y^2 = 1\noutput v = hypot(x', y') \"m/s\"\n"
             "simulate to 1\n");
  outcome *o = command_exits(0, "run p.dae --report");
  assert_non_null(strstr(o->out, "-> 0.099503719021 m\n"));
  char *page = file_read("p.html");
  assert_non_null(strstr(page, "x [m]"));
  assert_non_null(strstr(page, "der(x) [m/s]"));
  assert_non_null(strstr(page, "v [m/s]"));
  free(page);
}

static void test_tables_come_from_files_below_the_model(void **state)
{
  (void)state;
  file_write("f.dae", "model f\ntable f \"f.csv\" columns \"b\" \"a\"\nstate x\nx' = f(t)\n"
                      "simulate to 2 rtol 1e-9\n");
  file_write("f.csv", "a,\"b\",c\r\n0,0,9\r\n2, 1 ,9\r\n\"2\",2,9\r\n");
  command_exits(0, "run f.dae --out r.csv");
  assert_true(fabs(end_of("r.csv") - 3) < 1e-8);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_input_gives_columns_by_name),
      IN_FOLDER(test_set_from_gives_params_and_set_overrides_it),
      IN_FOLDER(test_units_stand_in_the_summary_and_the_report),
      IN_FOLDER(test_tables_come_from_files_below_the_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
