/* Problems in the momentum form that make no sense, starts that are not consistent, and callbacks
 * that refuse, fail or give no number: repaired, or refused by name. */
#include "core/vec.h"
#include "counting_env.h"
#include "problems/problems.h"

#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct found {
  dae_status status;
  double y[16], dy[16];
  dae_diagnosis find;
  dae_error err;
} found;

static found consistent(const dae_momentum *p, const dae_start *start)
{
  found r = {.err = dae_error_none()};
  dae_problem problem = dae_problem_momentum(p);
  r.status = dae_consistent_start(&problem, start, NULL, r.y, r.dy, &r.find, &r.err);
  return r;
}

static void assert_says(const found *r, dae_status status, const char *equation, const char *says)
{
  if (r->status != status || r->err.status != status || strcmp(r->err.equation, equation) != 0 ||
      !strstr(r->err.text, says))
    fail_msg("%s [%s] %s", dae_status_name(r->status), r->err.equation, r->err.text);
}

/* ---- descriptions ---- */

static void assert_refused(const dae_momentum *p, const char *field)
{
  static const double zero[16];
  dae_start start = {.y = zero};
  found r = consistent(p, &start);
  assert_says(&r, DAE_ERROR_PROBLEM, field, field);
}

static void test_descriptions_that_make_no_sense_are_refused_by_field(void **state)
{
  (void)state;
  const dae_momentum good = *test_mixed(true).problem.momentum;
  static const int start[] = {0, 1, 2, 3, 4}, row[] = {0, 1, 2, 3};
  static const dae_pattern wrong = {.rows = 4, .cols = 4, .start = start, .row = row};
#define REFUSED(field, ...)                                                                        \
  do {                                                                                             \
    dae_momentum p = good;                                                                         \
    __VA_ARGS__;                                                                                   \
    assert_refused(&p, field);                                                                     \
  } while (0)
  REFUSED("ny", p.ny = 0);
  REFUSED("nz", p.nz = 0);
  REFUSED("ng", p.ng = -1);
  REFUSED("ng", p.ng = 4);
  REFUSED("nk", p.nk = -3);
  REFUSED("v", p.v = NULL);
  REFUSED("f", p.f = NULL);
  REFUSED("r", p.r = NULL);
  REFUSED("g", p.g = NULL);
  REFUSED("k", p.k = NULL);
  REFUSED("p_y", p.p_y = p.v_y);
  REFUSED("p_z", p.p_z = p.v_z);
  REFUSED("g_y_pattern", p.g_y_pattern = &wrong);
  REFUSED("f_psi_pattern", p.f_psi_pattern = &wrong);
  REFUSED("k_z_pattern", p.k_z_pattern = &wrong);
#undef REFUSED
}

static void test_exactly_one_of_the_four_forms_is_given(void **state)
{
  (void)state;
  dae_error err = dae_error_none();
  dae_problem two = test_mixed(true).problem, none = {0};
  two.mechanical = test_pendulum().problem.mechanical;
  assert_int_equal(dae_problem_validate(&two, &err), DAE_ERROR_PROBLEM);
  assert_non_null(strstr(err.text, "four forms"));
  assert_int_equal(dae_problem_validate(&none, &err), DAE_ERROR_PROBLEM);
}

static void test_other_methods_refuse_the_momentum_form(void **state)
{
  (void)state;
  static const char *const names[] = {"bdf", "bdf-ggl", "bdf-ggl-star", "bdf-cs", "bdf-cm"};
  test_problem p = test_mixed(true);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    dae_error err = dae_error_none();
    dae_integrator *it = NULL;
    const dae_method *method = dae_method_find(names[i], &err);
    assert_non_null(method);
    assert_int_equal(method->accepts(&p.problem, &err), DAE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "momentum form"));
    err = dae_error_none();
    assert_int_equal(method->create(&p.problem, &p.start, NULL, NULL, &it, &err),
                     DAE_ERROR_UNSUPPORTED);
    assert_null(it);
    assert_non_null(strstr(err.text, "momentum form"));
  }
}

static void test_auto_is_a_method_that_takes_the_momentum_form(void **state)
{
  (void)state;
  char why[200];
  dae_error err = dae_error_none();
  test_problem p = test_mixed(true);
  const dae_method *method = dae_method_choose(&p.problem, why, sizeof why, &err);
  assert_non_null(method);
  assert_string_equal(method->name, "spark-gauss");
  assert_non_null(strstr(why, "momentum form"));
}

/* ---- starts ---- */

static double rod_of(const double *q)
{
  double X = q[0] + 0.3 * q[1] * q[1];
  return X * X + q[1] * q[1] - 1;
}

static void test_an_inconsistent_start_is_repaired(void **state)
{
  (void)state;
  static const double y[] = {1.5, -0.4, 0.3, 0.9, 0};
  for (int derivatives = 0; derivatives < 2; derivatives++) {
    test_problem p = test_curv_lag(derivatives);
    found r = consistent(p.problem.momentum, &(dae_start){.y = y});
    if (r.status)
      fail_msg("%s", r.err.text);
    double X = r.y[0] + 0.3 * r.y[1] * r.y[1], a = r.y[2] + 0.6 * r.y[1] * r.y[3];
    assert_true(fabs(rod_of(r.y)) < 1e-14 && fabs(X * a + r.y[1] * r.y[3]) < 1e-11);
    /* lambda = X'^2 + Y'^2 - Y, y' = z */
    assert_true(fabs(r.y[4] - (a * a + r.y[3] * r.y[3] - r.y[1])) < 1e-10);
    assert_true(r.dy[0] == r.y[2] && r.dy[1] == r.y[3] && r.dy[4] == 0);
    assert_int_equal(r.find.index, 3);
    assert_int_equal(r.find.dof, 1);
    assert_int_equal(r.find.constraints, 1);
    assert_int_equal(r.find.rank, 1);
  }
}

static void test_fixed_values_are_not_moved(void **state)
{
  (void)state;
  static const double y[] = {0.9, 0.1, 0.3, 0.2, 0.3, 0.8, 0.6, 1.3, 0, 0};
  static const bool fixed[] = {true, true, false, true, false, true, true, true, false, false};
  test_problem p = test_mixed(true);
  found r = consistent(p.problem.momentum, &(dae_start){.y = y, .fixed = fixed});
  /* gdot and k ask for two of the free velocities, and there is one */
  assert_says(&r, DAE_ERROR_START, "cylinder", "fixed");
  static const bool fewer[] = {true, true, false, true, false, false, true, true, false, false};
  r = consistent(p.problem.momentum, &(dae_start){.y = y, .fixed = fewer});
  if (r.status)
    fail_msg("%s", r.err.text);
  for (int i = 0; i < 8; i++)
    if (fewer[i])
      assert_true(r.y[i] == y[i]);
  assert_true(fabs(r.y[0] * r.y[0] + r.y[2] * r.y[2] - 1) < 1e-14);
  assert_true(fabs(r.y[0] * r.y[4] + r.y[2] * r.y[6]) < 1e-14);
  assert_true(fabs(r.y[2] * cos(r.y[3]) * r.y[4] + sin(r.y[3]) * r.y[5] -
                   r.y[0] * cos(r.y[3]) * r.y[6]) < 1e-14);
}

static int far_g(void *user, const dae_momentum_at *at, double *g)
{
  (void)user;
  g[0] = at->y[0] * at->y[0] + at->y[1] * at->y[1] + 1; /* never zero */
  return 0;
}

static void test_a_constraint_that_cannot_be_met_is_named(void **state)
{
  (void)state;
  static const double y[] = {1, 0.5, 0, 0, 0};
  dae_momentum p = *test_curv_ham(false).problem.momentum;
  p.g = far_g;
  found r = consistent(&p, &(dae_start){.y = y});
  assert_says(&r, DAE_ERROR_START, "rod", "cannot be met");
}

/* ---- constraints that are dependent ---- */

/* the rate of the rod once more, as a nonholonomic constraint of the Lagrangian pendulum */
static int roll(void *user, const dae_momentum_at *at, double *k)
{
  double X = at->y[0] + 0.3 * at->y[1] * at->y[1];
  (void)user;
  k[0] = 3 * (X * (at->z[0] + 0.6 * at->y[1] * at->z[1]) + at->y[1] * at->z[1]);
  return 0;
}

static int rolled(void *user, const dae_momentum_at *at, const double *psi, double *f)
{
  dae_momentum p = *test_curv_lag(false).problem.momentum;
  int code = p.f(user, at, NULL, f);
  f[0] -= 0.3 * psi[0];
  f[1] -= psi[0];
  return code;
}

static void test_a_k_that_follows_from_g_is_refused_naming_both(void **state)
{
  (void)state;
  static const char *const names[] = {"roll"};
  static const double y[] = {0.9, 0.2, 0.4, 0.3, 0, 0};
  for (int derivatives = 0; derivatives < 2; derivatives++) {
    dae_momentum p = *test_curv_lag(derivatives).problem.momentum;
    p.nk = 1;
    p.k = roll;
    p.k_names = names;
    p.f = rolled;
    found r = consistent(&p, &(dae_start){.y = y});
    assert_says(&r, DAE_ERROR_START, "roll", "constraint roll depends on rod: remove it");
  }
}

static int nothing(void *user, const dae_momentum_at *at, double *k)
{
  (void)user, (void)at;
  k[0] = 0;
  return 0;
}

static void test_a_constraint_that_restricts_nothing_is_refused(void **state)
{
  (void)state;
  test_problem mixed = test_mixed(false);
  dae_momentum p = *mixed.problem.momentum;
  p.k = nothing;
  found r = consistent(&p, &mixed.start);
  assert_says(&r, DAE_ERROR_START, "blade", "does not restrict");
}

static int no_force(void *user, const dae_momentum_at *at, const double *lambda, double *r)
{
  (void)user, (void)at, (void)lambda;
  for (int i = 0; i < 4; i++)
    r[i] = 0;
  return 0;
}

static int flat_p(void *user, const dae_momentum_at *at, double *p)
{
  (void)user;
  p[0] = at->z[0];
  p[1] = p[2] = p[3] = 0;
  return 0;
}

static void test_a_singular_matrix_is_named(void **state)
{
  (void)state;
  test_problem mixed = test_mixed(false);
  dae_momentum p = *mixed.problem.momentum;
  p.r = no_force;
  found r = consistent(&p, &mixed.start);
  assert_says(&r, DAE_ERROR_START, "cylinder", "singular");
  p = *mixed.problem.momentum;
  p.p = flat_p;
  r = consistent(&p, &mixed.start);
  assert_says(&r, DAE_ERROR_START, "vY", "singular");
}

/* ---- callbacks ---- */

/* Each callback in turn returns `code`, or has this in all its entries. */
typedef struct fault {
  int code;
  double value;
} fault;

static int spoil(const fault *how, int n, double *out)
{
  for (int i = 0; i < n; i++)
    out[i] = how->value;
  return how->code;
}

static int bad_4(void *user, const dae_momentum_at *at, double *out)
{
  (void)at;
  return spoil(user, 4, out);
}

static int bad_1(void *user, const dae_momentum_at *at, double *out)
{
  (void)at;
  return spoil(user, 1, out);
}

static int bad_force(void *user, const dae_momentum_at *at, const double *multiplier, double *out)
{
  (void)at, (void)multiplier;
  return spoil(user, 4, out);
}

typedef struct spoilt {
  const char *callback; /* that refuses or fails */
  const char *row;      /* that is not a number */
  dae_momentum p;
} spoilt;

static void test_callbacks_that_refuse_fail_or_give_no_number_are_named(void **state)
{
  (void)state;
  static const fault faults[] = {{1, 0}, {-1, 0}, {0, NAN}};
  test_problem mixed = test_mixed(true);
  const dae_momentum good = *mixed.problem.momentum;
  spoilt all[] = {{"v", "x", good},          {"p", "vx", good},        {"f", "vx", good},
                  {"r", "vx", good},         {"g", "cylinder", good},  {"k", "blade", good},
                  {"g_y", "cylinder", good}, {"r_lambda", "vx", good}, {"f_psi", "vx", good},
                  {"k_z", "blade", good},    {"g_t", "cylinder", good}};
  all[0].p.v = bad_4;
  all[1].p.p = bad_4;
  all[2].p.f = bad_force;
  all[3].p.r = bad_force;
  all[4].p.g = bad_1;
  all[5].p.k = bad_1;
  all[6].p.g_y = bad_4;
  all[7].p.r_lambda = bad_force;
  all[8].p.f_psi = bad_force;
  all[9].p.k_z = bad_4;
  all[10].p.g_t = bad_1;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    for (int j = 0; j < 3; j++) {
      dae_momentum p = all[i].p;
      p.user = (void *)&faults[j];
      found r = consistent(&p, &mixed.start);
      assert_says(&r, faults[j].code < 0 ? DAE_ERROR_CALLBACK : DAE_ERROR_START,
                  j < 2 ? all[i].callback : all[i].row,
                  j == 0   ? "refused the point"
                  : j == 1 ? "failed"
                           : "not a finite number");
    }
}

/* ---- memory ---- */

static bool start_mixed(const dae_env *env)
{
  static const double y[] = {0.9, 0.1, 0.3, 0.2, 0.3, 0.8, 0.6, 1.3, 0, 0};
  test_problem p = test_mixed(false);
  double out[10], dy[10];
  dae_error err = dae_error_none();
  dae_status status =
      dae_consistent_start(&p.problem, &(dae_start){.y = y}, env, out, dy, NULL, &err);
  if (status && (status != DAE_ERROR_MEMORY || err.status != status || !err.text[0]))
    fail_msg("%s: %s", dae_status_name(status), err.text);
  return status == DAE_OK;
}

static bool start_dependent(const dae_env *env)
{
  static const double y[] = {0.9, 0.2, 0.4, 0.3, 0, 0};
  dae_momentum p = *test_curv_lag(true).problem.momentum;
  double out[6];
  p.nk = 1;
  p.k = roll;
  p.f = rolled;
  dae_problem problem = dae_problem_momentum(&p);
  dae_status status =
      dae_consistent_start(&problem, &(dae_start){.y = y}, env, out, NULL, NULL, NULL);
  assert_true(status == DAE_ERROR_MEMORY || status == DAE_ERROR_START);
  return status == DAE_ERROR_START;
}

static void test_every_refused_allocation_of_a_start_is_a_clean_error(void **state)
{
  (void)state;
  assert_int_equal(counting_env_fault(start_mixed), 0);
  assert_int_equal(counting_env_fault(start_dependent), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_descriptions_that_make_no_sense_are_refused_by_field),
      cmocka_unit_test(test_exactly_one_of_the_four_forms_is_given),
      cmocka_unit_test(test_other_methods_refuse_the_momentum_form),
      cmocka_unit_test(test_auto_is_a_method_that_takes_the_momentum_form),
      cmocka_unit_test(test_an_inconsistent_start_is_repaired),
      cmocka_unit_test(test_fixed_values_are_not_moved),
      cmocka_unit_test(test_a_constraint_that_cannot_be_met_is_named),
      cmocka_unit_test(test_a_k_that_follows_from_g_is_refused_naming_both),
      cmocka_unit_test(test_a_constraint_that_restricts_nothing_is_refused),
      cmocka_unit_test(test_a_singular_matrix_is_named),
      cmocka_unit_test(test_callbacks_that_refuse_fail_or_give_no_number_are_named),
      cmocka_unit_test(test_every_refused_allocation_of_a_start_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
