/* What the reproduction of [L13] rests on: the solutions that errors are taken from, and the
 * schemes it is compared with. */
#include "l13.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void at(l13_problem problem, double t, double *x, double *y)
{
  l13_solution s = l13_begin(problem);
  l13_solution_at(&s, t, x, y);
}

static void is_near(double a, double b, double tolerance)
{
  if (!(fabs(a - b) <= tolerance))
    fail_msg("%.17g is not %.17g", a, b);
}

/* ---- solutions ---- */

static void test_solutions_begin_where_the_models_do(void **state)
{
  (void)state;
  double x[L13_X], y[L13_Y];
  at(L13_PLASTIC, 0, x, y);
  assert_true(x[0] == 200 && x[1] == 0 && y[0] == 0);
  at(L13_HESSENBERG, 0, x, y);
  assert_true(x[0] == 0 && x[1] == 0 && y[0] == 0);
  at(L13_TRACK, 0, x, y);
  assert_true(x[0] == 0 && x[1] == 0 && x[2] == 1 && x[3] == 0 && y[0] == 0);
  at(L13_PENDULUM, 0, x, y);
  assert_true(x[0] == 1 && x[1] == 0 && x[2] == 0 && x[3] == 0 && y[0] == 0);
}

static void test_solutions_meet_their_constraints(void **state)
{
  (void)state;
  double x[L13_X], y[L13_Y];
  for (double t = 0.25; t <= 10; t += 0.25) {
    at(L13_PLASTIC, t, x, y);
    is_near(hypot(x[0], x[1]), 200, 1e-12);
    assert_true(y[0] > 0); /* it stays plastic */
    at(L13_HESSENBERG, t, x, y);
    is_near(x[0] + t * x[1], log1p(t) + t * t / (1 + t), 1e-14);
    at(L13_PENDULUM, t, x, y);
    is_near(x[0] * x[2] + x[1] * x[3], 0, 1e-15);
    is_near((x[2] * x[2] + x[3] * x[3]) / 2 + x[1], 0, 1e-12); /* the energy */
    is_near(y[0], x[2] * x[2] + x[3] * x[3] - x[1], 1e-14);
  }
}

/* Q' = k q' - (k lambda/Q0) Q, by central differences */
static void test_the_plastic_solution_meets_its_equation(void **state)
{
  (void)state;
  const double d = 1e-4, k = 200000, Q0 = 200, q0 = 0.002;
  for (double t = 0.5; t < 10; t += 0.5) {
    double Q[2], lambda, before[2], after[2], unused;
    at(L13_PLASTIC, t, Q, &lambda);
    at(L13_PLASTIC, t - d, before, &unused);
    at(L13_PLASTIC, t + d, after, &unused);
    const double rate[2] = {-q0 * sin(t), q0 * cos(t)};
    for (int i = 0; i < 2; i++)
      is_near((after[i] - before[i]) / (2 * d), k * rate[i] - k * lambda / Q0 * Q[i], 1e-5);
  }
}

/* 20 digits, from elliptic functions */
static void test_the_pendulum_is_followed_to_many_digits(void **state)
{
  (void)state;
  static const double at_2[] = {-0.20419321478828042252, -0.97893060583190838214,
                                -1.3697548850034141373, 0.28571448453499951468};
  static const double at_10[] = {-0.81158644619130383427, -0.58423235134539570106,
                                 -0.63152914906501758095, 0.87728879884106932896};
  double x[L13_X], y[L13_Y];
  l13_solution s = l13_begin(L13_PENDULUM);
  for (int i = 1; i <= 1000; i++) { /* as a run asks for it */
    l13_solution_at(&s, 0.01 * i, x, y);
    for (int k = 0; k < 4 && (i == 200 || i == 1000); k++)
      is_near(x[k], i == 200 ? at_2[k] : at_10[k], 1e-12);
  }
}

/* ---- other schemes ---- */

static double error_of(l13_scheme *scheme, double h)
{
  double Q[2] = {200, 0}, exact[2], lambda, worst = 0;
  for (int i = 0; i < lround(2 / h); i++) {
    scheme(i * h, h, Q);
    at(L13_PLASTIC, (i + 1) * h, exact, &lambda);
    worst = fmax(worst, hypot(Q[0] - exact[0], Q[1] - exact[1]));
    is_near(hypot(Q[0], Q[1]), 200, 1e-10);
  }
  return worst;
}

static void test_other_schemes_keep_the_yield_surface_and_their_order(void **state)
{
  (void)state;
  static const struct {
    l13_scheme *scheme;
    int order;
  } rows[] = {{l13_exponential_increment, 2},
              {l13_exponential_middle, 2},
              {l13_exponential_start, 1},
              {l13_return, 2}};
  for (int i = 0; i < 4; i++)
    is_near(log2(error_of(rows[i].scheme, 0.01) / error_of(rows[i].scheme, 0.005)), rows[i].order,
            0.05);
}

/* ---- options ---- */

static void test_the_papers_bounds_become_relative_ones(void **state)
{
  (void)state;
  dae_lie_options o = l13_nested(1e-3, 199, 1e-8, 1e-6);
  assert_int_equal(o.lie_iteration, DAE_LIE_NESTED);
  assert_true(o.kappa == 0 && o.theta == 0.5 && o.step == 1e-3 && o.order == 2);
  is_near(o.inner_tol, 5e-11, 1e-25);
  is_near(o.outer_tol, 1e-9, 1e-24);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solutions_begin_where_the_models_do),
      cmocka_unit_test(test_solutions_meet_their_constraints),
      cmocka_unit_test(test_the_plastic_solution_meets_its_equation),
      cmocka_unit_test(test_the_pendulum_is_followed_to_many_digits),
      cmocka_unit_test(test_other_schemes_keep_the_yield_surface_and_their_order),
      cmocka_unit_test(test_the_papers_bounds_become_relative_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
