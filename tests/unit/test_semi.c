#include "problems/problems.h"
#include "semi_fixture.h"

#include <stdlib.h>

/* ---- index 0 and 1 ---- */

static void test_ordinary_equations_keep_their_start(void **state)
{
  (void)state;
  test_problem p = test_van_der_pol();
  found r = consistent(&p.problem, 0, p.start.y, NULL);
  assert_int_equal(r.status, DAE_OK);
  assert_memory_equal(r.y, p.start.y, 2 * sizeof(double));
  assert_near(r.dy[0], 0, 0);
  assert_near(r.dy[1], -2e6, 1e-8);
  assert_int_equal(r.find.index, 0);
  assert_int_equal(r.find.dof, 2);
}

static void test_algebraic_variables_are_found_from_a_guess(void **state)
{
  (void)state;
  test_problem p = test_akzo_nobel();
  double y[6];
  memcpy(y, p.start.y, sizeof y);
  y[5] = 0;
  found r = consistent(&p.problem, 0, y, NULL);
  assert_int_equal(r.status, DAE_OK);
  assert_memory_equal(r.y, p.start.y, 5 * sizeof(double));
  assert_near(r.y[5], p.start.y[5], 1e-15);
  assert_near(defect(&p.problem, 0, r.y, r.dy), 0, 1e-14);
  assert_near(r.dy[5], 0, 0);
  assert_int_equal(r.find.index, 1);
  assert_int_equal(r.find.dof, 5);
  assert_int_equal(r.find.constraints, 1);
  assert_int_equal(r.find.rank, 1);
}

/* x' = -x, 0 = exp(y) + y - 1e4 x: far from the guess, differenced */
static int exponential_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = -at->x[0] + at->y[0];
  return 0;
}

static int exponential_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = exp(at->y[0]) + at->y[0] - 1e4 * at->x[0];
  return F[0] > 1e30; /* refuses what is far off */
}

static void test_newton_is_damped_and_takes_a_refusal(void **state)
{
  (void)state;
  dae_semi_explicit p = {.nx = 1, .ny = 1, .f = exponential_f, .F = exponential_F};
  dae_problem problem = {.semi_explicit = &p};
  const double y[] = {1, -30};
  found r = consistent(&problem, 0, y, NULL);
  assert_int_equal(r.status, DAE_OK);
  assert_near(exp(r.y[1]) + r.y[1], 1e4, 1e-9);
}

/* 0 = y^2 - x has a singular F_y at y = 0, but is no constraint of x */
static int square_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->y[0] * at->y[0] - at->x[0];
  return 0;
}

static void test_vanishing_derivative_at_a_point_is_not_index_2(void **state)
{
  (void)state;
  const char *const y_names[] = {"root"};
  dae_semi_explicit p = {.nx = 1, .ny = 1, .f = exponential_f, .F = square_F, .y_names = y_names};
  dae_problem problem = {.semi_explicit = &p};
  found r = consistent(&problem, 0, (const double[]){0.36, 0}, NULL);
  assert_int_equal(r.status, DAE_ERROR_START);
  assert_string_equal(r.err.equation, "root");
  r = consistent(&problem, 0, (const double[]){0.36, 0.1}, NULL);
  assert_int_equal(r.status, DAE_OK);
  assert_near(r.y[1], 0.6, 1e-14);
}

/* ---- index 2 ---- */

static void test_index_2_start_is_projected(void **state)
{
  (void)state;
  test_problem p = test_hessenberg2();
  dae_semi_explicit bare = *p.problem.semi_explicit;
  bare.J = NULL;
  const dae_problem forms[] = {p.problem, {.semi_explicit = &bare}};
  for (int i = 0; i < 2; i++) {
    found r = consistent(&forms[i], 0, (const double[]){1.1, 1.05, 1.3}, NULL);
    assert_int_equal(r.status, DAE_OK);
    double x1 = r.y[0], x2 = r.y[1];
    assert_near(defect(&forms[i], 0, r.y, r.dy), 0, 1e-12);
    assert_near(2 * x1 * x2 * r.dy[0] + x1 * x1 * r.dy[1], 0, 1e-11);
    /* the change is along the gradient, x1 and x2 being of one size */
    assert_near((x1 - 1.1) / (2 * x1 * x2), (x2 - 1.05) / (x1 * x1), 5e-2);
    assert_int_equal(r.find.index, 2);
    assert_int_equal(r.find.dof, 1);
    assert_mentions(r.find.text, "y[1]");
  }
}

static void test_consistent_index_2_start_stays(void **state)
{
  (void)state;
  test_problem p = test_hessenberg2();
  found r = consistent(&p.problem, 0, p.start.y, NULL);
  assert_int_equal(r.status, DAE_OK);
  assert_memory_equal(r.y, p.start.y, 2 * sizeof(double));
  assert_near(r.y[2], 1, 1e-14);
  assert_near(r.dy[0], 1, 1e-14);
  assert_near(r.dy[1], -2, 1e-14);
}

/* x1' = y, x2' = -x2, 0 = x1 - sin(w t) */
static int driven_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = at->y[0];
  f[1] = -at->x[1];
  return 0;
}

static int driven_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  F[0] = at->x[0] - sin(*(double *)user * at->t);
  return 0;
}

static void test_time_dependent_constraint_of_any_frequency(void **state)
{
  (void)state;
  for (double w = 1e-2; w < 2e4; w *= 10) {
    dae_semi_explicit p = {.nx = 2, .ny = 1, .user = &w, .f = driven_f, .F = driven_F};
    dae_problem problem = {.semi_explicit = &p};
    double t = 0.3;
    found r = consistent(&problem, t, (const double[]){0, 2, 0}, NULL);
    assert_int_equal(r.status, DAE_OK);
    assert_near(r.y[0], sin(w * t), 1e-14);
    assert_near(r.y[2] / w, cos(w * t), 1e-6 + 1e-10 / w);
    assert_near(r.dy[0], r.y[2], 1e-12 * w);
  }
}

static int driven_F_t(void *user, const dae_semi_explicit_at *at, double *F_t)
{
  double w = *(double *)user;
  F_t[0] = -w * cos(w * at->t);
  return 0;
}

/* beyond what differences in time can follow */
static void test_time_derivative_that_is_given_is_used(void **state)
{
  (void)state;
  for (double w = 1; w < 2e12; w *= 1e4) {
    dae_semi_explicit p = {
        .nx = 2, .ny = 1, .user = &w, .f = driven_f, .F = driven_F, .F_t = driven_F_t};
    dae_problem problem = {.semi_explicit = &p};
    double t = 0.3;
    found r = consistent(&problem, t, (const double[]){0, 2, 0}, NULL);
    assert_int_equal(r.status, DAE_OK);
    assert_near(r.y[2] / w, cos(w * t), 1e-12);
  }
}

static int refuse_F_t(void *user, const dae_semi_explicit_at *at, double *F_t)
{
  (void)at;
  F_t[0] = *(const double *)user;
  return isnan(*(const double *)user) ? 0 : -1;
}

static void test_time_derivative_that_fails_is_named(void **state)
{
  (void)state;
  double value[] = {NAN, 1};
  for (int i = 0; i < 2; i++) {
    dae_semi_explicit p = {.nx = 2,
                           .ny = 1,
                           .user = &value[i],
                           .f = driven_f,
                           .F = pendulum_F,
                           .F_t = refuse_F_t,
                           .y_names = pendulum_y};
    dae_problem problem = {.semi_explicit = &p};
    found r = consistent(&problem, 0.3, (const double[]){1, 0, 0}, NULL);
    assert_true(r.status < 0);
    assert_mentions(r.err.text, "F_t");
    assert_string_equal(r.err.equation, i == 0 ? "tension" : "F_t");
  }
}

static void test_fixed_values_do_not_move(void **state)
{
  (void)state;
  test_problem p = test_hessenberg2();
  const bool first[] = {true, false, false}, both[] = {true, true, false};
  const double y[] = {1.1, 1.05, 1.3};
  found r = consistent(&p.problem, 0, y, first);
  assert_int_equal(r.status, DAE_OK);
  assert_true(r.y[0] == 1.1);
  assert_near(r.y[1], 1 / (1.1 * 1.1), 1e-14);
  r = consistent(&p.problem, 0, y, both);
  assert_int_equal(r.status, DAE_ERROR_START);
  assert_string_equal(r.err.equation, "y[1]");
  assert_mentions(r.err.text, "fixed");
  assert_memory_equal(r.y, y, sizeof y);
}

static void test_fixed_algebraic_variable_is_refused_by_name(void **state)
{
  (void)state;
  test_problem p = test_akzo_nobel();
  bool fixed[6] = {false};
  double y[6];
  memcpy(y, p.start.y, sizeof y);
  fixed[5] = true;
  assert_int_equal(consistent(&p.problem, 0, y, fixed).status, DAE_OK);
  y[5] += 1e-3;
  found r = consistent(&p.problem, 0, y, fixed);
  assert_int_equal(r.status, DAE_ERROR_START);
  assert_string_equal(r.err.equation, "y6");
  assert_memory_equal(r.y, y, sizeof y);
}

/* 0 = x1^2 + x2^2 + 1 */
static int impossible_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->x[0] * at->x[0] + at->x[1] * at->x[1] + 1;
  return 0;
}

static void test_constraint_that_cannot_be_met_is_named(void **state)
{
  (void)state;
  const char *const F_names[] = {"circle"};
  dae_semi_explicit p = {.nx = 2, .ny = 1, .f = driven_f, .F = impossible_F, .F_names = F_names};
  dae_problem problem = {.semi_explicit = &p};
  found r = consistent(&problem, 0, (const double[]){1, 2, 0}, NULL);
  assert_int_equal(r.status, DAE_ERROR_START);
  assert_string_equal(r.err.equation, "circle");
}

/* ---- index 3 ---- */

static void test_index_3_is_recognised(void **state)
{
  (void)state;
  dae_problem problem = {.semi_explicit = &pendulum};
  found r = consistent(&problem, 0, (const double[]){0.6, 0.8, 0, 0, 0}, NULL);
  assert_int_equal(r.status, DAE_ERROR_START);
  assert_int_equal(r.find.index, 3);
  assert_int_equal(r.find.dof, 2);
  assert_string_equal(r.err.equation, "tension");
  assert_mentions(r.err.text, "index 3");
}

/* ---- quasi-linear ---- */

static void test_amplifier_start_stays_and_slopes_solve(void **state)
{
  (void)state;
  test_problem p = test_transistor_amplifier();
  dae_semi_explicit bare = *p.problem.semi_explicit;
  bare.J = NULL;
  bare.constant_mass = false;
  const dae_problem forms[] = {p.problem, {.semi_explicit = &bare}};
  for (int i = 0; i < 2; i++) {
    found r = consistent(&forms[i], 0, p.start.y, NULL);
    assert_int_equal(r.status, DAE_OK);
    assert_memory_equal(r.y, p.start.y, 8 * sizeof(double));
    assert_near(defect(&forms[i], 0, r.y, r.dy), 0, 1e-10);
    /* the sums of paired rows have no derivatives: their time derivative vanishes,
     * (y1' - Ue')/r0 + 2 y2'/r + (1 - alpha) D (y2' - y3') = 0, D = beta/uf */
    double sum = (r.dy[0] - 20 * 3.14159265358979323846) / 1000 + r.dy[1] * 2 / 9000 +
                 0.01 * 1e-6 / 0.026 * (r.dy[1] - r.dy[2]);
    assert_near(sum, 0, 1e-8);
    assert_near((r.dy[6] + r.dy[7]) / 9000 + 0.99e-6 / 0.026 * (r.dy[4] - r.dy[5]), 0, 1e-8);
    assert_int_equal(r.find.index, 1);
    assert_int_equal(r.find.dof, 5);
    assert_mentions(r.find.text, "singular");
  }
}

static void test_inconsistent_amplifier_start_is_repaired(void **state)
{
  (void)state;
  test_problem p = test_transistor_amplifier();
  double y[8];
  memcpy(y, p.start.y, sizeof y);
  y[0] += 0.3;
  y[7] -= 0.2;
  found r = consistent(&p.problem, 0, y, NULL);
  assert_int_equal(r.status, DAE_OK);
  assert_near(defect(&p.problem, 0, r.y, r.dy), 0, 1e-9);
  /* what the capacitors hold does not jump */
  assert_near(r.y[1] - r.y[0], y[1] - y[0], 1e-8);
  assert_near(r.y[7] - r.y[6], y[7] - y[6], 1e-8);
  assert_near(r.y[2], y[2], 1e-8);
  found again = consistent(&p.problem, 0, r.y, NULL);
  assert_memory_equal(again.y, r.y, sizeof y);

  bool fixed[8] = {false};
  fixed[6] = true;
  r = consistent(&p.problem, 0, y, fixed);
  assert_int_equal(r.status, DAE_ERROR_START);
  assert_string_equal(r.err.equation, "y7");
  assert_memory_equal(r.y, y, sizeof y);
}

/* M(x) = [1 x2; 0 0]: x1' + x2 x2' = -x1 - x2^2/2 + y, 0 = x1 x2 - 2, 0 = y - x2 */
static int product_M(void *user, const dae_semi_explicit_at *at, double *M)
{
  (void)user;
  M[0] = 1;
  M[1] = M[3] = 0;
  M[2] = at->x[1];
  return 0;
}

static int product_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *x = at->x;
  (void)user;
  f[0] = -x[0] - x[1] * x[1] / 2 + at->y[0];
  f[1] = x[0] * x[1] - 2;
  return 0;
}

static int product_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->y[0] - at->x[1];
  return 0;
}

static void test_singular_mass_that_depends_on_the_state(void **state)
{
  (void)state;
  dae_semi_explicit p = {.nx = 2, .ny = 1, .M = product_M, .f = product_f, .F = product_F};
  dae_problem problem = {.semi_explicit = &p};
  const double starts[][3] = {{1, 2, 0}, {1.2, 2, 0}};
  for (int i = 0; i < 2; i++) {
    found r = consistent(&problem, 0, starts[i], NULL);
    assert_int_equal(r.status, DAE_OK);
    assert_near(r.y[0] * r.y[1], 2, 1e-10);
    assert_near(r.y[2], r.y[1], 1e-9);
    assert_near(defect(&problem, 0, r.y, r.dy), 0, 1e-8);
    assert_near(r.dy[0] * r.y[1] + r.y[0] * r.dy[1], 0, 1e-7);
    if (i == 0)
      assert_memory_equal(r.y, starts[i], 2 * sizeof(double));
  }
}

/* M = diag(1, 0): x1' = x2, 0 = x1 - sin(t) is of index 2 */
static int higher_M(void *user, const dae_semi_explicit_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = 1;
  M[1] = M[2] = M[3] = 0;
  return 0;
}

static int higher_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = at->x[1];
  f[1] = at->x[0] - sin(at->t);
  return 0;
}

static void test_quasi_linear_index_2_is_refused_by_name(void **state)
{
  (void)state;
  const char *const names[] = {"position", "force"};
  dae_semi_explicit p = {.nx = 2, .x_names = names, .M = higher_M, .f = higher_f};
  dae_problem problem = {.semi_explicit = &p};
  found r = consistent(&problem, 0, (const double[]){0, 1}, NULL);
  assert_int_equal(r.status, DAE_ERROR_START);
  assert_string_equal(r.err.equation, "force");
  assert_mentions(r.err.text, "index");
}

/* ---- callbacks ---- */

static int nan_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)at;
  f[0] = 0;
  f[1] = NAN;
  return *(int *)user;
}

static void test_callback_that_fails_is_named(void **state)
{
  (void)state;
  const char *const f_names[] = {"mass balance", "heat balance"};
  int code = 0;
  dae_semi_explicit p = {.nx = 2, .user = &code, .f = nan_f};
  dae_problem problem = {.semi_explicit = &p};
  found r = consistent(&problem, 7, (const double[]){0, 1}, NULL);
  assert_int_equal(r.status, DAE_ERROR_RECOVERABLE);
  assert_string_equal(r.err.equation, "x[2]");
  assert_near(r.err.t, 7, 0);
  p.f_names = f_names;
  r = consistent(&problem, 7, (const double[]){0, 1}, NULL);
  assert_string_equal(r.err.equation, "heat balance");
  code = 1;
  r = consistent(&problem, 7, (const double[]){0, 1}, NULL);
  assert_int_equal(r.status, DAE_ERROR_RECOVERABLE);
  assert_string_equal(r.err.equation, "f");
  code = -1;
  r = consistent(&problem, 7, (const double[]){0, 1}, NULL);
  assert_int_equal(r.status, DAE_ERROR_CALLBACK);
}

/* ---- inputs ---- */

static int input_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = at->y[0];
  return 0;
}

static int input_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->x[0] - at->in[0];
  return 0;
}

static int input(void *user, double t, double *in)
{
  (void)user;
  in[0] = t * t;
  return 0;
}

/* F does not depend on t itself */
static int input_F_t(void *user, const dae_semi_explicit_at *at, double *F_t)
{
  (void)user, (void)at;
  F_t[0] = 0;
  return 0;
}

static void test_inputs_move_with_time(void **state)
{
  (void)state;
  for (int given = 0; given < 2; given++) {
    dae_semi_explicit p = {
        .nx = 1, .ny = 1, .nin = 1, .f = input_f, .F = input_F, .F_t = given ? input_F_t : NULL};
    dae_problem problem = {.semi_explicit = &p, .input = input};
    found r = consistent(&problem, 3, (const double[]){0, 0}, NULL);
    assert_int_equal(r.status, DAE_OK);
    assert_near(r.y[0], 9, 1e-14);
    assert_near(r.y[1], 6, 1e-10);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ordinary_equations_keep_their_start),
      cmocka_unit_test(test_algebraic_variables_are_found_from_a_guess),
      cmocka_unit_test(test_newton_is_damped_and_takes_a_refusal),
      cmocka_unit_test(test_vanishing_derivative_at_a_point_is_not_index_2),
      cmocka_unit_test(test_index_2_start_is_projected),
      cmocka_unit_test(test_consistent_index_2_start_stays),
      cmocka_unit_test(test_time_dependent_constraint_of_any_frequency),
      cmocka_unit_test(test_time_derivative_that_is_given_is_used),
      cmocka_unit_test(test_time_derivative_that_fails_is_named),
      cmocka_unit_test(test_fixed_values_do_not_move),
      cmocka_unit_test(test_fixed_algebraic_variable_is_refused_by_name),
      cmocka_unit_test(test_constraint_that_cannot_be_met_is_named),
      cmocka_unit_test(test_index_3_is_recognised),
      cmocka_unit_test(test_amplifier_start_stays_and_slopes_solve),
      cmocka_unit_test(test_inconsistent_amplifier_start_is_repaired),
      cmocka_unit_test(test_singular_mass_that_depends_on_the_state),
      cmocka_unit_test(test_quasi_linear_index_2_is_refused_by_name),
      cmocka_unit_test(test_callback_that_fails_is_named),
      cmocka_unit_test(test_inputs_move_with_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
