/* Rows of lie on problems of index 2 with stiff components: x and y are right at the ends of steps
 * and within them, for every stiffness. Exact solution u = e(t), p = pe(t). */
#include "text_problem.h"

#include <daedal/daedal.h>
#include <math.h>
#include <stdlib.h>

static const char text[] =
    "model pressure\nparam k = 1e6\n"
    "let e1 = 2 + sin(t), e2 = cos(t), e3 = exp(-t)*sin(3*t), pe = 1 + 0.5*sin(2*t)\n"
    "state u1 = 2, u2 = 1, u3 = 0\nalg p = 1\n"
    "u1' = cos(t) - (u1 - e1) + u2*(p - pe)\n"
    "u2' = -sin(t) - k*(u2 - e2) + u1*(p - pe)\n"
    "u3' = exp(-t)*(3*cos(3*t) - sin(3*t)) - k*(u3 - e3) + (p - pe)\n"
    "0 = u1*u2 + u3 - e1*e2 - e3\n";

static void exact_at(double t, double *z)
{
  z[0] = 2 + sin(t), z[1] = cos(t), z[2] = exp(-t) * sin(3 * t), z[3] = 1 + 0.5 * sin(2 * t);
}

/* largest errors at the ends of steps and within them, x and y */
static double largest_error(const char *k, const char *rtol, double to)
{
  const char *set[] = {k};
  test_problem p;
  dae_model *model = text_problem(text, set, 1, to, &p);
  dae_error err = dae_error_none();
  const dae_method *method = dae_method_find("lie", &err);
  void *options = malloc(method->options_size);
  dae_integrator *it;
  method->defaults(options);
  assert_int_equal(dae_options_set(method->options, options, "rtol", rtol, &err), DAE_OK);
  assert_int_equal(dae_options_set(method->options, options, "atol", rtol, &err), DAE_OK);
  assert_int_equal(method->create(&p.problem, &p.start, options, NULL, &it, &err), DAE_OK);
  double most = 0, y[4], e[4];
  for (dae_status status = DAE_OK; status != DAE_END;) {
    status = dae_integrator_step(it, to, &err);
    if (status < 0)
      fail_msg("%s, rtol %s: %s", k, rtol, err.text);
    dae_view view = dae_integrator_view(it);
    for (double x = 0.25; x <= 1; x += 0.25) {
      double t = view.t_previous + x * (view.t - view.t_previous);
      assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, &err), DAE_OK);
      exact_at(t, e);
      for (int i = 0; i < 4; i++)
        most = fmax(most, fabs(y[i] - e[i]) / (1 + fabs(e[i])));
    }
  }
  dae_integrator_free(it);
  free(options);
  dae_model_free(model);
  return most / atof(rtol);
}

static void test_algebraic_variables_are_controlled(void **state)
{
  (void)state;
  static const char *const rates[] = {"k=1", "k=1e2", "k=1e4", "k=1e6"};
  static const char *const rtols[] = {"1e-3", "1e-4"};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 2; j++) {
      double error = largest_error(rates[i], rtols[j], i == 3 ? 0.5 : 2);
      if (!(error <= 30))
        fail_msg("%s, rtol %s: off by %g tolerances", rates[i], rtols[j], error);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_algebraic_variables_are_controlled)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
