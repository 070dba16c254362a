/* Problems at given iterates, integrated: Picard's iteration by hand against quadrature, a linear
 * part against its closed solution, constraints at the present point. */
#include "wave/variants/iterates.h"

#include "arena_fixture.h"

#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const double one[] = {1}, last[] = {0, 1};
static const dae_wave_terms picard = {1, 1, one, last, one, 0};

typedef int input_fn(void *user, double t, double *in);
typedef dae_status create_fn(const dae_problem *problem, const dae_start *start,
                             const dae_bdf_options *opts, const dae_env *env, dae_integrator **out,
                             dae_error *err);

static void assert_near(double a, double b, double tolerance)
{
  if (!(fabs(a - b) <= tolerance))
    fail_msg("%.12g is not near %.12g", a, b);
}

/* the state at `end`, in[] being the iterates */
static void integrate(const dae_problem *base, const dae_wave_terms *terms, create_fn *create,
                      input_fn *input, void *user, const double *start, double end, double *y)
{
  dae__iterates *it = NULL;
  dae_integrator *run = NULL;
  dae_error err = dae_error_none();
  dae_bdf_options opts = dae_bdf_defaults();
  opts.rtol = opts.atol = 1e-10;
  dae_status status = dae__iterates_create(arena, base, terms, &it, &err);
  if (status)
    fail_msg("%s", err.text);
  dae_problem p = *&it->problem;
  p.input = input;
  p.input_user = user;
  status = create(&p, &(dae_start){.y = start}, &opts, NULL, &run, &err);
  while (status == DAE_OK)
    status = dae_integrator_step(run, end, &err);
  if (status != DAE_END)
    fail_msg("%s", err.text);
  assert_int_equal(dae_integrator_interpolate(run, end, y, NULL, NULL), DAE_OK);
  dae_integrator_free(run);
}

/* Simpson's rule for a smooth function on [0, end] */
static double integral(double (*fn)(double t), double end)
{
  int n = 2000;
  double h = end / n, sum = fn(0) + fn(end);
  for (int i = 1; i < n; i++)
    sum += (i % 2 ? 4 : 2) * fn(i * h);
  return sum * h / 3;
}

/* ---- x' = -x + in ---- */

static int decay_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = -at->x[0] + at->in[0];
  return 0;
}

static const dae_semi_explicit decay = {.nx = 1, .nin = 1, .f = decay_f};

/* in = 0, x^(n-1) the sum of the first *user terms of exp(-t) */
static int partial_sum(void *user, double t, double *in)
{
  double term = 1;
  in[0] = in[1] = 0;
  for (int k = 0; k < *(int *)user; k++) {
    in[1] += term;
    term *= -t / (k + 1);
  }
  return 0;
}

static void test_picard_builds_up_the_exponential_term_by_term(void **state)
{
  (void)state;
  const double start[] = {1};
  for (int n = 1; n < 8; n++) {
    double y[1], next[2];
    int more = n + 1;
    integrate(&(dae_problem){.semi_explicit = &decay}, &picard, dae_bdf_create, partial_sum, &n,
              start, 1.5, y);
    partial_sum(&more, 1.5, next);
    assert_near(y[0], next[1], 1e-8);
  }
}

static int waves(void *user, double t, double *in)
{
  (void)user;
  in[0] = cos(t);
  in[1] = sin(2 * t);
  return 0;
}

static void test_picard_is_a_quadrature(void **state)
{
  (void)state;
  const double start[] = {0.5};
  double y[1];
  integrate(&(dae_problem){.semi_explicit = &decay}, &picard, dae_bdf_create, waves, NULL, start, 2,
            y);
  assert_near(y[0], 0.5 + sin(2) + (cos(4) - 1) / 2, 1e-8);
}

/* ---- x' = -x^2 + in ---- */

static int parabola_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = -at->x[0] * at->x[0] + at->in[0];
  return 0;
}

static int parabola_J(void *user, const dae_semi_explicit_at *at, double *J)
{
  (void)user;
  J[0] = -2 * at->x[0];
  return 0;
}

/* in^(n-1), in^(n-2), x^(n-1), x^(n-2) */
static int two_ages(void *user, double t, double *in)
{
  (void)user;
  in[0] = cos(t);
  in[1] = exp(-t);
  in[2] = sin(t);
  in[3] = 1 / (1 + t);
  return 0;
}

static double two_terms(double t)
{
  double in[4];
  two_ages(NULL, t, in);
  double first = -pow(0.7 * in[2] + 0.3 * in[3], 2) + 2 * in[0] - in[1];
  double second = -pow(3 * in[2] - 2 * in[3], 2) + 0.5 * in[0] + 0.5 * in[1];
  return 1.25 * first - 0.25 * second;
}

static void test_several_terms_are_a_quadrature(void **state)
{
  (void)state;
  const double b[] = {1.25, -0.25}, own[] = {0, 0.7, 0.3, 0, 3, -2}, others[] = {2, -1, 0.5, 0.5};
  const double start[] = {0.5};
  dae_semi_explicit parabola = {.nx = 1, .nin = 1, .f = parabola_f, .J = parabola_J};
  double y[1];
  integrate(&(dae_problem){.semi_explicit = &parabola}, &(dae_wave_terms){2, 2, b, own, others, 0},
            dae_bdf_create, two_ages, NULL, start, 2, y);
  assert_near(y[0], 0.5 + integral(two_terms, 2), 1e-8);
}

/* x^(n-1) = 3/2, in = 0 */
static int constant(void *user, double t, double *in)
{
  (void)user, (void)t;
  in[0] = 0;
  in[1] = 1.5;
  return 0;
}

/* u = x - c: u' = -c^2 - 2 theta c u */
static void test_a_linear_part_follows_the_present_variables(void **state)
{
  (void)state;
  const double c = 1.5, end = 2, start[] = {0.5};
  for (int k = 0; k < 4; k++) {
    double theta = k % 2 ? 1 : 0.3, rate = 2 * theta * c, y[1];
    dae_semi_explicit parabola = {
        .nx = 1, .nin = 1, .f = parabola_f, .J = k < 2 ? parabola_J : NULL};
    dae_wave_terms terms = {1, 1, one, last, one, theta};
    integrate(&(dae_problem){.semi_explicit = &parabola}, &terms, dae_bdf_create, constant, NULL,
              start, end, y);
    double limit = -c * c / rate;
    assert_near(y[0], c + limit + (start[0] - c - limit) * exp(-rate * end), k < 2 ? 1e-8 : 1e-6);
  }
}

/* ---- x' = y - x, 0 = y + x - in ---- */

static int loop_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = at->y[0] - at->x[0];
  return 0;
}

static int loop_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->y[0] + at->x[0] - at->in[0];
  return 0;
}

/* x' = in - x - x^(n-1), in = 1, x^(n-1) = t */
static int ramp(void *user, double t, double *in)
{
  (void)user;
  in[0] = 1;
  in[1] = t;
  return 0;
}

static void test_algebraic_equations_see_the_present_variables(void **state)
{
  (void)state;
  const double start[] = {0, 1};
  dae_semi_explicit loop = {.nx = 1, .ny = 1, .nin = 1, .f = loop_f, .F = loop_F};
  double y[2], end = 1.5, x = 2 - end - 2 * exp(-end);
  integrate(&(dae_problem){.semi_explicit = &loop}, &picard, dae_bdf_create, ramp, NULL, start, end,
            y);
  assert_near(y[0], x, 1e-8);
  assert_near(y[1], 1 - x, 1e-8);
}

/* ---- on a circle: q'' + q lambda = -2 q ---- */

static int unit_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = M[3] = 1;
  M[1] = M[2] = 0;
  return 0;
}

static int spring_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user;
  f[0] = -2 * at->q[0];
  f[1] = -2 * at->q[1];
  return 0;
}

static int circle_g(void *user, const dae_mechanical_at *at, double *g)
{
  (void)user;
  g[0] = (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1) / 2;
  return 0;
}

/* q, v: once around in 2 pi */
static int around(void *user, double t, double *in)
{
  (void)user;
  in[0] = in[3] = cos(t);
  in[1] = sin(t);
  in[2] = -sin(t);
  return 0;
}

static void test_constraints_hold_at_the_present_point(void **state)
{
  (void)state;
  const double start[] = {1, 0, 0, 1, 0};
  dae_mechanical p = {
      .nq = 2, .ng = 1, .M = unit_M, .f = spring_f, .g = circle_g, .constant_mass = true};
  double y[5], end = 2;
  integrate(&(dae_problem){.mechanical = &p}, &picard, dae_bdf_ggl_create, around, NULL, start, end,
            y);
  assert_near(y[0], cos(end), 1e-7);
  assert_near(y[1], sin(end), 1e-7);
  assert_near(y[2], -sin(end), 1e-7);
  assert_near(y[4], -1, 1e-6);
}

/* ---- q'' = -2 q without constraint: two quadratures ---- */

static void test_picard_of_mechanics_integrates_twice(void **state)
{
  (void)state;
  const double start[] = {1, 0, 0, 1};
  dae_mechanical p = {.nq = 2, .M = unit_M, .f = spring_f, .constant_mass = true};
  double y[4], end = 2;
  integrate(&(dae_problem){.mechanical = &p}, &picard, dae_bdf_create, around, NULL, start, end, y);
  assert_near(y[0], 2 * cos(end) - 1, 1e-8);
  assert_near(y[1], 2 * sin(end) - end, 1e-8);
  assert_near(y[2], -2 * sin(end), 1e-8);
  assert_near(y[3], 2 * cos(end) - 1, 1e-8);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_picard_builds_up_the_exponential_term_by_term),
      TEST(test_picard_is_a_quadrature),
      TEST(test_several_terms_are_a_quadrature),
      TEST(test_a_linear_part_follows_the_present_variables),
      TEST(test_algebraic_equations_see_the_present_variables),
      TEST(test_constraints_hold_at_the_present_point),
      TEST(test_picard_of_mechanics_integrates_twice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
