/* What the reproduction of [J09] rests on: the solutions that errors are taken from, and errors
 * that have an upper bound only. */
#include "j09.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- solutions ---- */

static void is_zero(double value)
{
  assert_float_equal(value, 0, 4e-16);
}

static void test_solutions_meet_their_constraints(void **state)
{
  (void)state;
  static const j09_problem circles[] = {J09_PENDULUM, J09_SAND, J09_RHEO_LENGTH};
  for (int i = 0; i < 3; i++) {
    const j09_exact e = j09_solution(circles[i]);
    const double *y = e.values, *z = y + 2, moving = circles[i] == J09_RHEO_LENGTH;
    is_zero((y[0] * y[0] + y[1] * y[1] - 1 - moving * e.t * e.t) / 2);
    is_zero(y[0] * z[0] + y[1] * z[1] - moving * e.t);
  }
  const j09_exact knife = j09_solution(J09_KNIFE), sleigh = j09_solution(J09_SLEIGH),
                  mixed = j09_solution(J09_MIXED);
  const double *k = knife.values, *s = sleigh.values, *m = mixed.values;
  is_zero(k[3] * sin(k[2]) - k[4] * cos(k[2]));
  is_zero(-s[3] * sin(s[2]) + s[4] * cos(s[2]) - 0.4 * s[5]);
  is_zero((m[0] * m[0] + m[2] * m[2] - 1) / 2);
  is_zero(m[0] * m[4] + m[2] * m[6]);
  is_zero((m[2] * m[4] - m[0] * m[6]) * cos(m[3]) + m[5] * sin(m[3]));
}

static void test_solutions_keep_the_energy_of_their_start(void **state)
{
  (void)state;
  const j09_exact pendulum = j09_solution(J09_PENDULUM), knife = j09_solution(J09_KNIFE),
                  mixed = j09_solution(J09_MIXED), curved = j09_solution(J09_CURV_LAG);
  const double *p = pendulum.values, *k = knife.values, *m = mixed.values, *q = curved.values;
  double x_rate = q[2] + 0.6 * q[1] * q[3];
  is_zero((p[2] * p[2] + p[3] * p[3]) / 2 + p[1]);
  is_zero((k[3] * k[3] + k[4] * k[4]) / 2 - k[0]);
  is_zero((m[4] * m[4] + m[5] * m[5] + m[6] * m[6]) / 2 - m[1]);
  is_zero((x_rate * x_rate + q[3] * q[3]) / 2 + q[1]);
}

/* momenta are M(q) q' of the Lagrangian form */
static void test_the_hamiltonian_solution_is_the_lagrangian_one(void **state)
{
  (void)state;
  const j09_exact lagrangian = j09_solution(J09_CURV_LAG), hamiltonian = j09_solution(J09_CURV_HAM);
  const double *q = lagrangian.values, *p = hamiltonian.values, c = 0.6 * q[1];
  is_zero(p[0] - q[0]);
  is_zero(p[1] - q[1]);
  is_zero(p[2] - (q[2] + c * q[3]));
  is_zero(p[3] - (c * q[2] + (1 + c * c) * q[3]));
  is_zero(p[4] - q[4]);
}

/* ---- errors ---- */

static dae_status run_limits(rep_report *report)
{
  static const rep_table table = {.name = "Table",
                                  .title = "errors",
                                  .setting = "none",
                                  .label = "",
                                  .quantities = 1,
                                  .quantity = {"error"}};
  rep_table_begin(report, &table);
  rep_table_row(report, "below", &(rep_value){NAN, 1, 100, REP_AT_MOST, 0.5}, NULL);
  rep_table_row(report, "at it", &(rep_value){NAN, 150, 100, REP_AT_MOST, 0.5}, NULL);
  rep_table_row(report, "above", &(rep_value){NAN, 151, 100, REP_AT_MOST, 0.5}, NULL);
  rep_table_row(report, "nothing", &(rep_value){NAN, NAN, 100, REP_AT_MOST, 0.5}, NULL);
  rep_table_end(report);
  return rep_quick(report) ? rep_status(report) : DAE_ERROR_USAGE;
}

static void test_errors_above_their_bound_are_wrong(void **state)
{
  (void)state;
  const rep_paper paper = {"limits", "a paper", NULL, run_limits, NULL};
  char folder[] = "reproduce_XXXXXX", remove[64];
  rep_settings settings = {.folder = mkdtemp(folder), .quick = true};
  rep_result result;
  dae_error err;
  assert_non_null(settings.folder);
  assert_int_equal(rep_run(&paper, 1, &settings, &result, &err), DAE_OK);
  assert_int_equal(result.checked, 4);
  assert_int_equal(result.wrong, 2);
  assert_non_null(
      strstr(result.list, "limits, Table, above: error 151, more than 50 % above 100\n"));
  free(result.list);
  settings.quick = false;
  assert_int_equal(rep_run(&paper, 1, &settings, &result, &err), DAE_ERROR_USAGE);
  free(result.list);
  snprintf(remove, sizeof remove, "rm -rf %s", folder);
  assert_int_equal(system(remove), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solutions_meet_their_constraints),
      cmocka_unit_test(test_solutions_keep_the_energy_of_their_start),
      cmocka_unit_test(test_the_hamiltonian_solution_is_the_lagrangian_one),
      cmocka_unit_test(test_errors_above_their_bound_are_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
