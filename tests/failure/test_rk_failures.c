/* What the classical methods cannot do: each refusal and each failure names an equation, a variable
 * or an option; what was computed is kept, and the handle can be started anew and freed. */
#include "problems/problems.h"
#include "problems/rk_made.h"

#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"euler", "heun", "rk4", "trapezoid", "radau-iia"};
#define ALL ((int)(sizeof names / sizeof *names))
#define EXPLICIT 3 /* the first so many */

static void show(const char *what, const dae_error *err)
{
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%s: %s [%s] t = %g: %s\n", what, dae_status_name(err->status), err->equation,
                  err->t, err->text);
}

static dae_status create(const char *method, const dae_problem *p, const double *start,
                         dae_integrator **out, dae_error *err)
{
  dae_rk_options opts = dae_rk_defaults();
  dae_start from = {.y = start};
  opts.step = 0.01;
  *out = (dae_integrator *)&opts; /* must be overwritten */
  *err = dae_error_none();
  return dae_method_find(method, NULL)->create(p, &from, &opts, NULL, out, err);
}

/* ---- refused ---- */

static void refused(const char *method, const dae_problem *p, const double *start, const char *says)
{
  dae_integrator *it;
  dae_error err;
  assert_int_equal(create(method, p, start, &it, &err), DAE_ERROR_UNSUPPORTED);
  assert_null(it);
  show(method, &err);
  if (strcmp(err.equation, method) != 0 || !strstr(err.text, says) || !strstr(err.text, "use"))
    fail_msg("%s: [%s] %s", method, err.equation, err.text);
}

static void test_a_step_size_has_to_be_given(void **state)
{
  (void)state;
  test_problem p = test_bouncing_ball();
  dae_rk_options opts = dae_rk_defaults();
  for (int m = 0; m < ALL; m++)
    for (int i = 0; i < 3; i++) {
      const dae_method *method = dae_method_find(names[m], NULL);
      dae_integrator *it = (dae_integrator *)&opts; /* must be overwritten */
      dae_error err = dae_error_none();
      opts.step = i == 1 ? -1 : 0;
      assert_int_equal(method->create(&p.problem, &p.start, i < 2 ? &opts : NULL, NULL, &it, &err),
                       DAE_ERROR_OPTION);
      assert_null(it);
      assert_string_equal(err.equation, "step");
      assert_true(i == 1 || strstr(err.text, "--step"));
    }
}

static void test_stages_are_1_to_3(void **state)
{
  (void)state;
  test_problem p = test_bouncing_ball();
  dae_rk_options opts = dae_rk_defaults();
  dae_integrator *it;
  dae_error err = dae_error_none();
  opts.step = 0.1;
  opts.stages = 4;
  assert_int_equal(dae_radau_iia_create(&p.problem, &p.start, &opts, NULL, &it, &err),
                   DAE_ERROR_OPTION);
  assert_string_equal(err.equation, "stages");
}

static void test_the_momentum_form_is_refused(void **state)
{
  (void)state;
  test_problem p = test_curv_ham(true);
  for (int m = 0; m < ALL; m++) {
    refused(names[m], &p.problem, p.start.y, "momentum form");
    assert_int_equal(dae_method_find(names[m], NULL)->accepts(&p.problem, NULL),
                     DAE_ERROR_UNSUPPORTED);
  }
}

static void test_index_2_is_refused_whether_it_is_declared_or_not(void **state)
{
  (void)state;
  test_problem p = test_hessenberg2();
  dae_semi_explicit silent = *p.problem.semi_explicit, declared = silent;
  silent.index = 0;
  declared.index = 2;
  dae_problem problems[2] = {dae_problem_semi_explicit(&silent),
                             dae_problem_semi_explicit(&declared)};
  for (int m = 0; m < ALL - 1; m++) /* radau-iia takes it */
    for (int i = 0; i < 2; i++)
      refused(names[m], &problems[i], p.start.y, "index 2");
}

static void test_constraints_of_mechanics_are_refused_by_trapezoid(void **state)
{
  (void)state;
  test_problem all[] = {test_pendulum(), test_knife_edge(), test_structures()};
  for (int m = EXPLICIT; m < ALL - 1; m++) /* radau-iia takes them */
    for (int i = 0; i < 3; i++) {
      refused(names[m], &all[i].problem, all[i].start.y, "spark-gauss");
      assert_int_equal(dae_method_find(names[m], NULL)->accepts(&all[i].problem, NULL),
                       DAE_ERROR_UNSUPPORTED);
    }
}

static void test_a_singular_mass_is_refused_by_all_but_radau_iia(void **state)
{
  (void)state;
  test_problem p = rk_made_singular();
  for (int m = 0; m < ALL - 1; m++)
    refused(names[m], &p.problem, p.start.y, "radau-iia");
}

/* ---- failures ---- */

/* x' = -1, y^2 = x: F_y = 2y vanishes at t = 1 */
static int fold_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user, (void)at;
  f[0] = -1;
  return 0;
}

static int fold_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->y[0] * at->y[0] - at->x[0];
  return 0;
}

static const char *const fold_names[] = {"root"};
static const dae_semi_explicit fold = {
    .name = "fold", .nx = 1, .ny = 1, .f = fold_f, .F = fold_F, .y_names = fold_names};

static void test_where_F_y_becomes_singular_the_equation_is_named(void **state)
{
  (void)state;
  const dae_problem p = dae_problem_semi_explicit(&fold);
  for (int m = 0; m < ALL; m++) {
    static const double start[] = {1, 1};
    dae_integrator *it;
    dae_error err;
    double y[2];
    dae_status status = create(names[m], &p, start, &it, &err);
    assert_int_equal(status, DAE_OK);
    while (status == DAE_OK)
      status = dae_integrator_step(it, 2, &err);
    show(names[m], &err);
    assert_int_equal(status, DAE_ERROR_STEP);
    assert_non_null(strstr(err.text, "root"));
    double t = dae_integrator_view(it).t; /* about 1, and the state there is intact */
    assert_true(t > 0.9 && t < 1.02);
    assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
    assert_true(fabs(y[1] * y[1] - y[0]) < 1e-10);
    assert_int_equal(dae_integrator_restart(it, 0, start, &err), DAE_OK);
    assert_int_equal(dae_integrator_step(it, 2, &err), DAE_OK);
    dae_integrator_free(it);
  }
}

/* (x - 1/2) x1' = -1: M becomes singular on the way */
static int mass_M(void *user, const dae_semi_explicit_at *at, double *M)
{
  (void)user;
  M[0] = fmax(at->x[0] - 0.5, 0);
  return 0;
}

static void test_where_M_becomes_singular_the_variable_is_named(void **state)
{
  (void)state;
  static const char *const x_names[] = {"level"};
  static const double start[] = {1};
  const dae_semi_explicit mass = {
      .name = "mass", .nx = 1, .f = fold_f, .M = mass_M, .x_names = x_names};
  const dae_problem p = dae_problem_semi_explicit(&mass);
  for (int m = 0; m < ALL; m++) {
    dae_integrator *it;
    dae_error err;
    dae_status status = create(names[m], &p, start, &it, &err);
    assert_int_equal(status, DAE_OK);
    while (status == DAE_OK)
      status = dae_integrator_step(it, 2, &err);
    show(names[m], &err);
    assert_int_equal(status, DAE_ERROR_STEP);
    assert_non_null(strstr(err.text, "level"));
    dae_integrator_free(it);
  }
}

/* -- callbacks -- */

static double refuse_from; /* time */
static int refuse_by;

static int refusing_input(void *user, double t, double *in)
{
  const test_problem *p = user;
  return t > refuse_from ? refuse_by : p->problem.input(NULL, t, in);
}

static void test_inputs_that_refuse_or_fail_end_the_run_with_a_message(void **state)
{
  (void)state;
  const test_problem made[] = {rk_made_index1(), rk_made_mechanical()};
  for (int m = 0; m < ALL; m++)
    for (int i = 0; i < 4; i++) {
      test_problem own = made[i % 2];
      dae_problem p = own.problem;
      dae_integrator *it;
      dae_error err;
      double y[8];
      p.input = refusing_input;
      p.input_user = &own;
      refuse_from = 0.1;
      refuse_by = i < 2 ? 1 : -1;
      dae_status status = create(names[m], &p, own.start.y, &it, &err);
      assert_int_equal(status, DAE_OK);
      while (status == DAE_OK)
        status = dae_integrator_step(it, 1, &err);
      show(names[m], &err);
      assert_int_equal(status, i < 2 ? DAE_ERROR_STEP : DAE_ERROR_CALLBACK);
      assert_non_null(strstr(err.text, "input"));
      assert_true(fabs(dae_integrator_view(it).t - 0.1) < 0.011);
      refuse_from = 2; /* as if nothing had been */
      assert_int_equal(dae_integrator_step(it, 1, &err), DAE_OK);
      assert_int_equal(dae_integrator_interpolate(it, 0.1, y, NULL, NULL), DAE_OK);
      dae_integrator_free(it);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_step_size_has_to_be_given),
      cmocka_unit_test(test_stages_are_1_to_3),
      cmocka_unit_test(test_the_momentum_form_is_refused),
      cmocka_unit_test(test_index_2_is_refused_whether_it_is_declared_or_not),
      cmocka_unit_test(test_constraints_of_mechanics_are_refused_by_trapezoid),
      cmocka_unit_test(test_a_singular_mass_is_refused_by_all_but_radau_iia),
      cmocka_unit_test(test_where_F_y_becomes_singular_the_equation_is_named),
      cmocka_unit_test(test_where_M_becomes_singular_the_variable_is_named),
      cmocka_unit_test(test_inputs_that_refuse_or_fail_end_the_run_with_a_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
