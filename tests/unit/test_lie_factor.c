/* The factor sigma of a step: the paper's own eta, d and a give the same one; its series meets its
 * formula; det G is positive where it is a number and nowhere else. */
#include "lie_fixture.h"
#include "onestep/lie/factor.h"
#include "uniform.h"

#include <daedal/lie.h>
#include <float.h>

/* ---- sigma ---- */

/* one step of the frozen equation x' = a (b.x), made so that xb is where it was frozen */
static void check_definition(double theta)
{
  double xb[3], f[3], delta[3], x0[3], size = 0, c = 0;
  double h = exp(-3.5 + 4.5 * uniform());
  for (int i = 0; i < 3; i++) {
    xb[i] = uniform();
    f[i] = 2 * uniform();
    size += xb[i] * xb[i];
    c += f[i] * xb[i];
  }
  c /= size; /* a.b */
  size = sqrt(size);
  if (fabs(c * h) > 5)
    return;
  double growth = expm1(c * h), eta = growth / c, d = size / (1 + theta * growth), x0_b = 0, s = 0;
  if (1 + theta * growth < 1e-2) /* d is x0.b, which is positive for all h that are not too large */
    return;
  for (int i = 0; i < 3; i++) {
    delta[i] = eta * d * f[i] / size;
    x0[i] = xb[i] - theta * delta[i];
    x0_b += x0[i] * xb[i] / size;
    s += delta[i] * xb[i] / (size * size);
  }
  assert_true(fabs(x0_b - d) <= 1e-12 * size * (1 + fabs(s)));
  double slope, sigma = dae__lie_sigma(theta, s, &slope);
  for (int i = 0; i < 3; i++)
    assert_true(fabs(h * sigma * f[i] - delta[i]) <= 1e-13 * (1 + fabs(delta[i])) * (1 + fabs(s)));
  /* det G = 1 + eta a.b = e^(ch) */
  double det = (1 + (1 - theta) * s) / (1 - theta * s);
  assert_true(fabs(det - exp(c * h)) <= 1e-11 * det);
  assert_true(dae__lie_positive(theta, s));
}

static void test_sigma_is_what_eta_d_and_a_give(void **state)
{
  (void)state;
  for (int i = 0; i < 2000; i++)
    check_definition((1 + uniform()) / 2);
  for (int i = 0; i < 500; i++) {
    check_definition(0);
    check_definition(0.5);
    check_definition(1);
  }
}

static void test_sigma_of_the_midpoint_is_a_hyperbolic_tangent(void **state)
{
  (void)state;
  for (double u = 1e-8; u < 30; u *= 1.7)
    for (int sign = -1; sign <= 1; sign += 2) {
      double expected = tanh(u / 2) / (u / 2), s = sign * expected * u, slope;
      if (dae__lie_positive(0.5, s)) /* close to |s| = 2, u is hard to find from s */
        assert_true(fabs(dae__lie_sigma(0.5, s, &slope) - expected) <=
                    4e-16 + 2e-16 * exp(u) / u * expected);
    }
}

static void test_series_and_formula_meet(void **state)
{
  (void)state;
  for (double theta = 0; theta <= 1; theta += 0.125)
    for (int sign = -1; sign <= 1; sign += 2) {
      double below = sign * DAE__LIE_SERIES_BELOW * (1 - 1e-9),
             above = sign * DAE__LIE_SERIES_BELOW * (1 + 1e-9);
      double a, b, series = dae__lie_sigma(theta, below, &a);
      double formula = dae__lie_sigma(theta, above, &b);
      assert_true(fabs(series - formula) < 1e-13);
      assert_true(fabs(a - b) < 1e-9);
    }
}

static void test_the_derivative_of_sigma_is_that_of_its_values(void **state)
{
  (void)state;
  for (int i = 0; i < 2000; i++) {
    double theta = (1 + uniform()) / 2, s = 0.9 * uniform(), h = 1e-5, none, found;
    dae__lie_sigma(theta, s, &found);
    double after = dae__lie_sigma(theta, s + h, &none),
           before = dae__lie_sigma(theta, s - h, &none);
    assert_true(fabs((after - before) / (2 * h) - found) < 1e-7 * (1 + fabs(found)));
  }
}

static void test_outside_the_domain_sigma_is_not_a_number(void **state)
{
  (void)state;
  for (double theta = 0; theta <= 1; theta += 0.125) {
    double upper = theta > 0 ? 1 / theta : (double)INFINITY, slope;
    double lower = theta < 1 ? -1 / (1 - theta) : -(double)INFINITY;
    for (int i = 1; i < 100; i++) {
      double factor = 1 + 0.01 * i;
      if (theta > 0)
        assert_true(isnan(dae__lie_sigma(theta, upper * factor, &slope)) && isnan(slope));
      if (theta < 1)
        assert_true(isnan(dae__lie_sigma(theta, lower * factor, &slope)) && isnan(slope));
      if (theta > 0)
        assert_true(dae__lie_sigma(theta, upper * (1 - 0.009 * i), &slope) > 0);
      if (theta < 1)
        assert_true(dae__lie_sigma(theta, lower * (1 - 0.009 * i), &slope) > 0);
    }
    assert_true(isnan(dae__lie_sigma(theta, (double)NAN, &slope)));
  }
}

/* ---- what it is for ---- */

static int linear_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  f[0] = *(const double *)user * at->x[0];
  return 0;
}

static void test_a_scalar_linear_equation_is_exact_without_kappa(void **state)
{
  (void)state;
  static const double start[] = {0.7}, rates[] = {-1.5, -1, -0.3, 1e-7, 0.2, 1, 1.5};
  static const double thetas[] = {0, 0.3, 0.5, 0.8, 1};
  for (int k = 0; k < 7; k++)
    for (int i = 0; i < 5; i++) {
      double rate = rates[k];
      dae_semi_explicit p = {.name = "linear", .nx = 1, .f = linear_f, .user = &rate};
      test_problem linear = {
          .name = "linear", .problem = {.semi_explicit = &p}, .start = {.y = start}, .size = 1};
      dae_lie_options opts = dae_lie_defaults();
      lie_fixture o;
      dae_error err = dae_error_none();
      opts.kappa = 0;
      opts.theta = thetas[i];
      lie_set_up(&linear, &opts, &o);
      for (int n = 1; n <= 10; n++) {
        if (lie_step_to(&o, 0.4 * n, &err))
          fail_msg("rate %g, theta %g: %s", rate, thetas[i], err.text);
        double exact = 0.7 * exp(rate * 0.4 * n);
        assert_true(fabs(o.z[0] - exact) <= 1e-13 * exact);
      }
      lie_tear_down(&o);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sigma_is_what_eta_d_and_a_give),
      cmocka_unit_test(test_sigma_of_the_midpoint_is_a_hyperbolic_tangent),
      cmocka_unit_test(test_series_and_formula_meet),
      cmocka_unit_test(test_the_derivative_of_sigma_is_that_of_its_values),
      cmocka_unit_test(test_outside_the_domain_sigma_is_not_a_number),
      cmocka_unit_test(test_a_scalar_linear_equation_is_exact_without_kappa),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
