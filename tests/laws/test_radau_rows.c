/* Rows between the ends of radau's steps are as good as the ends: a run and one of a much tighter
 * tolerance go on side by side, and events between the ends happen where and as often as they
 * should. */
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define MOST 32 /* entries of a state vector */
#define FEW 30  /* tolerances that rows may be off by, where the ends are not */

static dae_integrator *create(const char *name, const test_problem *p, double tolerance, int stages)
{
  dae_rk_options opts = dae_rk_adaptive_defaults();
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  opts.rtol = opts.atol = tolerance;
  opts.stages = stages;
  if (dae_method_find(name, NULL)->create(&p->problem, &p->start, &opts, NULL, &it, &err))
    fail_msg("%s, %s: %s", p->name, name, err.text);
  return it;
}

static void go(dae_integrator *it, double to)
{
  dae_error err = dae_error_none();
  while (dae_integrator_view(it).t < to)
    if (dae_integrator_step(it, to, &err) < 0)
      fail_msg("%s: %s", dae_integrator_view(it).method, err.text);
}

/* largest errors in units of the tolerance, at the ends of steps and between them */
typedef struct errors {
  double ends, rows;
} errors;

static double error_at(dae_integrator *it, dae_integrator *exact, int size, double t)
{
  double y[MOST], right[MOST], most = 0;
  assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
  go(exact, t);
  support_state(exact, right, NULL);
  for (int i = 0; i < size; i++) {
    double error = fabs(y[i] - right[i]) / (1 + fabs(right[i]));
    if (!(error <= most)) /* negated: a NaN counts */
      most = error;
  }
  return most;
}

static errors errors_of(const test_problem *p, double tolerance, int stages)
{
  dae_integrator *it = create("radau", p, tolerance, stages);
  dae_integrator *exact = create("radau", p, 1e-12, 7);
  errors e = {0, 0};
  while (dae_integrator_view(it).t < p->to) {
    double t0 = dae_integrator_view(it).t;
    dae_error err = dae_error_none();
    if (dae_integrator_step(it, p->to, &err) < 0)
      fail_msg("%s: %s", p->name, err.text);
    double t1 = dae_integrator_view(it).t;
    for (double x = 0.15; x < 1; x += 0.175)
      e.rows = fmax(e.rows, error_at(it, exact, p->size, t0 + x * (t1 - t0)) / tolerance);
    e.ends = fmax(e.ends, error_at(it, exact, p->size, t1) / tolerance);
  }
  dae_integrator_free(it);
  dae_integrator_free(exact);
  return e;
}

static void test_rows_between_steps_are_as_good_as_the_ends(void **state)
{
  (void)state;
  test_problem all[] = {test_pendulum(),    test_car_axis(),       test_motor(),
                        test_van_der_pol(), test_cylinder_skate(), test_akzo_nobel(),
                        test_slider_crank()};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    for (int stages = 0; stages <= 7; stages += stages ? 2 : 3)
      for (double tolerance = 1e-4; tolerance > 1e-9; tolerance /= 100) {
        errors e = errors_of(&all[i], tolerance, stages);
        if (getenv("DAEDAL_VERBOSE"))
          print_message("%-15s %d stages, %.0e: ends %.2g, rows %.2g tolerances\n", all[i].name,
                        stages, tolerance, e.ends, e.rows);
        if (!(e.rows <= 2 * e.ends + FEW))
          fail_msg("%s, %d stages, %.0e: rows off by %g tolerances, ends by %g", all[i].name,
                   stages, tolerance, e.rows, e.ends);
      }
}

/* ---- index 2 with stiff components ---- */

/* u' = e' + (stiff and nonlinear terms of u - e, zero on the solution) + G'(p - pe), G u-dependent:
 * the solution is u = e(t), p = pe(t) for every k. */
static void pressure_exact(double t, double *z)
{
  z[0] = 2 + sin(t);
  z[1] = cos(t);
  z[2] = exp(-t) * sin(3 * t);
  z[3] = 1 + 0.5 * sin(2 * t);
}

static int pressure_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  double k = *(const double *)user, t = at->t, e[4], dp;
  const double *u = at->x;
  pressure_exact(t, e);
  dp = at->y[0] - e[3];
  f[0] = cos(t) - (u[0] - e[0]) + u[1] * dp;
  f[1] = -sin(t) - k * (u[1] - e[1]) + u[0] * dp;
  f[2] = exp(-t) * (3 * cos(3 * t) - sin(3 * t)) - k * (u[2] - e[2]) + dp;
  return 0;
}

static int pressure_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  double e[4];
  (void)user;
  pressure_exact(at->t, e);
  F[0] = at->x[0] * at->x[1] + at->x[2] - e[0] * e[1] - e[2];
  return 0;
}

/* Largest errors of states [0] and of the pressure [1] over rows within all steps, in tolerances;
 * [2]: largest residual of the constraint. */
static void pressure_errors(double k, double tolerance, double most[3])
{
  dae_semi_explicit model = {
      .name = "pressure", .nx = 3, .ny = 1, .user = &k, .f = pressure_f, .F = pressure_F};
  double start[4], y[4], e[4], F;
  test_problem p = {.name = "pressure",
                    .problem = {.semi_explicit = &model},
                    .start = {.y = start},
                    .size = 4,
                    .to = 4};
  pressure_exact(0, start);
  most[0] = most[1] = most[2] = 0;
  dae_integrator *it = create("radau", &p, tolerance, 0);
  while (dae_integrator_view(it).t < p.to) {
    double t0 = dae_integrator_view(it).t;
    dae_error err = dae_error_none();
    if (dae_integrator_step(it, p.to, &err) < 0)
      fail_msg("k = %g: %s", k, err.text);
    double t1 = dae_integrator_view(it).t;
    for (double x = 0.03; x < 1; x += 0.061) {
      double t = t0 + x * (t1 - t0);
      assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
      pressure_exact(t, e);
      for (int i = 0; i < 4; i++)
        most[i / 3] = fmax(most[i / 3], fabs(y[i] - e[i]) / (1 + fabs(e[i])) / tolerance);
      pressure_F(&k, &(dae_semi_explicit_at){.t = t, .x = y}, &F);
      most[2] = fmax(most[2], fabs(F));
    }
  }
  dae_integrator_free(it);
}

static void test_rows_of_index_2_are_on_the_constraint_with_their_pressure(void **state)
{
  (void)state;
  for (double k = 1; k < 1e5; k *= 100)
    for (double tolerance = 1e-4; tolerance > 1e-9; tolerance /= 100) {
      double most[3];
      pressure_errors(k, tolerance, most);
      if (getenv("DAEDAL_VERBOSE"))
        print_message("k = %g, %.0e: states %.2g, pressure %.2g tolerances, constraint %.1e\n", k,
                      tolerance, most[0], most[1], most[2]);
      assert_true(most[0] <= FEW && most[1] <= FEW && most[2] <= 1e-3 * tolerance);
    }
}

/* ---- large steps along a stiff solution ---- */

/* x1' = -x1^2 and a stiff u: u' = -k (u - cos(t) - x1) - sin(t) - x1^2; solution x1 = 1/(1 + t),
 * u = cos(t) + x1 + (u(0) - 2) e^(-kt). */
static int relaxation_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  double k = *(const double *)user, x = at->x[0], u = at->x[1];
  f[0] = -x * x;
  f[1] = -k * (u - cos(at->t) - x) - sin(at->t) - x * x;
  return 0;
}

/* the same as a point on a stiff spring with a damper: q'' = -k (q - cos(t)) - d (v + sin(t)) -
 * cos(t) */
static int spring_f(void *user, const dae_mechanical_at *at, double *f)
{
  double k = *(const double *)user;
  f[0] = -k * (at->q[0] - cos(at->t)) - 2.5 * sqrt(k) * (at->v[0] + sin(at->t)) - cos(at->t);
  return 0;
}

static int spring_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = 1;
  return 0;
}

typedef void exact_rows(double k, double off, double t, double *y);

static void relaxation_exact(double k, double off, double t, double *y)
{
  y[0] = 1 / (1 + t);
  y[1] = cos(t) + y[0] + off * exp(-k * t);
}

static void spring_exact(double k, double off, double t, double *y)
{
  double a = 0.5 * sqrt(k), b = 2 * sqrt(k); /* a + b = 2.5 sqrt(k), a b = k */
  y[0] = cos(t) + off * (b * exp(-a * t) - a * exp(-b * t)) / (b - a);
  y[1] = -sin(t) + off * a * b * (exp(-b * t) - exp(-a * t)) / (b - a);
}

/* largest error at and between steps, in tolerances; velocities over their largest size */
static double stiff_rows(const dae_problem *problem, exact_rows *exact, double k, double off,
                         double tolerance)
{
  double start[2], y[2], e[2], most = 0;
  test_problem p = {
      .name = "stiff", .problem = *problem, .start = {.y = start}, .size = 2, .to = 5};
  exact(k, off, 0, start);
  dae_integrator *it = create("radau", &p, tolerance, 0);
  while (dae_integrator_view(it).t < p.to) {
    double t0 = dae_integrator_view(it).t;
    dae_error err = dae_error_none();
    if (dae_integrator_step(it, p.to, &err) < 0)
      fail_msg("k = %g: %s", k, err.text);
    double t1 = dae_integrator_view(it).t;
    for (double x = 1; x > 0; x -= 0.037) {
      double t = t0 + x * (t1 - t0);
      assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
      exact(k, off, t, e);
      double fast = problem->mechanical ? fabs(off) * sqrt(k) : 0;
      for (int i = 0; i < 2; i++)
        most = fmax(most, fabs(y[i] - e[i]) / (1 + fabs(e[i]) + i * fast) / tolerance);
    }
  }
  dae_integrator_free(it);
  return most;
}

static void test_rows_of_large_steps_along_a_stiff_solution_keep_the_tolerance(void **state)
{
  (void)state;
  for (double k = 1e2; k < 2e9; k *= sqrt(10))
    for (int on = 0; on < 2; on++)
      for (double tolerance = 1e-4; tolerance > 1e-11; tolerance /= 100) {
        double off = on ? 0 : 0.7;
        dae_semi_explicit relaxation = {
            .name = "relaxation", .nx = 2, .user = &k, .f = relaxation_f};
        dae_mechanical spring = {.name = "spring",
                                 .nq = 1,
                                 .user = &k,
                                 .constant_mass = true,
                                 .M = spring_M,
                                 .f = spring_f};
        dae_problem problems[] = {{.semi_explicit = &relaxation}, {.mechanical = &spring}};
        exact_rows *const exact[] = {relaxation_exact, spring_exact};
        for (int i = 0; i < 2; i++) {
          double most = stiff_rows(&problems[i], exact[i], k, off, tolerance);
          if (getenv("DAEDAL_VERBOSE"))
            print_message("%s, k = %.2g, off %g, %.0e: %.2g\n", i ? "spring" : "relaxation", k, off,
                          tolerance, most);
          if (!(most <= FEW))
            fail_msg("%s, k = %g, off %g, %.0e: rows off by %g tolerances",
                     i ? "spring" : "relaxation", k, off, tolerance, most);
        }
      }
}

/* ---- events ---- */

static void check_hits(const char *method, test_problem p)
{
  for (int digits = 3; digits <= 9; digits += 2) {
    double tolerance = pow(10, -digits), y[MOST];
    dae_rk_options opts = dae_rk_adaptive_defaults();
    dae_summary summary;
    opts.rtol = opts.atol = tolerance;
    assert_int_equal(support_run_with(method, &p, &opts, 0, NULL, NULL, y, &summary), DAE_OK);
    assert_int_equal(summary.events, p.hits);
    assert_int_equal(summary.stats.restarts, p.hits);
    if (getenv("DAEDAL_VERBOSE"))
      print_message("%s, %s, %.0e: error %.1e\n", p.name, method, tolerance, support_error(&p, y));
    assert_true(support_error(&p, y) < 100 * tolerance);
  }
}

static void test_events_between_the_ends_of_steps_are_found(void **state)
{
  (void)state;
  static const char *const methods[] = {"explicit", "gauss", "radau", "switching"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    check_hits(methods[i], test_bouncing_ball());
    check_hits(methods[i], test_pendulum_wall());
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_between_steps_are_as_good_as_the_ends),
      cmocka_unit_test(test_rows_of_index_2_are_on_the_constraint_with_their_pressure),
      cmocka_unit_test(test_rows_of_large_steps_along_a_stiff_solution_keep_the_tolerance),
      cmocka_unit_test(test_events_between_the_ends_of_steps_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
