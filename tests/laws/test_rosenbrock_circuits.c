/* A rectifier, whose current is an exponential of its voltage: rosenbrock gets through at every
 * tolerance and order, and to the same end as bdf. */
#include "support.h"
#include "text_problem.h"

#include <math.h>
#include <stdlib.h>

/* A diode loads a capacitor in short pulses and blocks in between: nothing but an algebraic
 * variable moves then, and a step that passes a pulse by leaves the capacitor a volt lower. */
static const char rectifier[] = "model rectifier\n"
                                "param R = 1e3, Rs = 1, C = 1e-4, Is = 1e-9, UT = 0.026, f = 50\n"
                                "let source = 10*sin(2*pi*f*t)\n"
                                "state u = 0\n"
                                "alg i = 0, ud = 0\n"
                                "C*u' = i - u/R\n"
                                "i = Is*(exp(ud/UT) - 1)\n"
                                "source = Rs*i + ud + u\n";

static dae_integrator *create(const char *method, const test_problem *p, const void *opts)
{
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  if (dae_method_find(method, NULL)->create(&p->problem, &p->start, opts, NULL, &it, &err))
    fail_msg("%s, %s: %s", p->name, method, err.text);
  return it;
}

static dae_integrator *rosenbrock(const test_problem *p, double rtol, double atol, int order)
{
  dae_rk_options opts = dae_rk_adaptive_defaults();
  opts.rtol = rtol;
  opts.atol = atol;
  opts.order = order;
  return create("rosenbrock", p, &opts);
}

static dae_integrator *tight(const test_problem *p)
{
  dae_rk_options opts = dae_rk_adaptive_defaults();
  opts.rtol = opts.atol = 1e-12;
  return create("radau", p, &opts);
}

/* to the end, which is written to y; the integrator is freed */
static void finish(dae_integrator *it, const test_problem *p, double *y)
{
  dae_error err = dae_error_none();
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, p->to, &err);
  if (status != DAE_END)
    fail_msg("%s: %s", p->name, err.text);
  support_state(it, y, NULL);
  dae_integrator_free(it);
}

static void test_no_pulse_of_a_rectifier_is_passed_by(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(rectifier, NULL, 0, 0.1, &p);
  dae_bdf_options tight = support_options(1e-11);
  double exact[3], y[3];
  finish(create("bdf", &p, &tight), &p, exact);
  for (int order = 4; order <= 5; order++)
    for (int digits = 6; digits <= 20; digits += 2)
      for (double part = 1; part > 1e-3; part /= 100) {
        double tolerance = pow(10, -digits / 2.0);
        finish(rosenbrock(&p, tolerance, part * tolerance, order), &p, y);
        double error = fabs(y[0] - exact[0]);
        if (getenv("DAEDAL_VERBOSE"))
          print_message("order %d, %.0e and %.0e: %.1e\n", order, tolerance, part * tolerance,
                        error);
        if (!(error < 10 * tolerance))
          fail_msg("order %d, %.1e and %.1e: the voltage is off by %g", order, tolerance,
                   part * tolerance, error);
        assert_true(fabs(y[2] + y[0]) < tolerance + 1e-8); /* it blocks */
      }
  dae_model_free(model);
}

/* the equations of the diode hold wherever a step ends, not only where changes were small */
static void test_the_diode_holds_at_the_ends_of_all_steps(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(rectifier, NULL, 0, 0.1, &p);
  for (int order = 4; order <= 5; order++)
    for (double tolerance = 1e-3; tolerance > 1e-8; tolerance /= 10) {
      dae_integrator *it = rosenbrock(&p, tolerance, tolerance / 100, order);
      dae_status status = DAE_OK;
      double y[3], worst = 0;
      while (status == DAE_OK) {
        status = dae_integrator_step(it, p.to, NULL);
        support_state(it, y, NULL);
        double current = 1e-9 * expm1(y[2] / 0.026);
        worst = fmax(worst, fabs(y[1] - current) / (0.01 + fabs(current)));
      }
      assert_int_equal(status, DAE_END);
      if (getenv("DAEDAL_VERBOSE"))
        print_message("order %d, %.0e: off by %.1e\n", order, tolerance, worst);
      assert_true(worst < 0.1);
      dae_integrator_free(it);
    }
  dae_model_free(model);
}

/* both at t: how far they are apart, relative to 1 + |y| */
static double apart(dae_integrator *it, dae_integrator *exact, double t)
{
  double y[3], right[3], most = 0;
  while (dae_integrator_view(exact).t < t)
    assert_true(dae_integrator_step(exact, t, NULL) >= 0);
  assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
  support_state(exact, right, NULL);
  for (int i = 0; i < 3; i++) {
    double error = fabs(y[i] - right[i]) / (1 + fabs(right[i]));
    if (!(error <= most)) /* negated: a NaN counts */
      most = error;
  }
  return most;
}

/* steps are large where the diode blocks, and nothing but the voltage on it moves */
static void test_rows_between_the_steps_of_a_rectifier_are_right(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(rectifier, NULL, 0, 0.1, &p);
  for (int order = 4; order <= 5; order++)
    for (int digits = 4; digits <= 6; digits += 2) {
      double tolerance = pow(10, -digits), worst = 0;
      dae_integrator *it = rosenbrock(&p, tolerance, tolerance / 100, order);
      dae_integrator *exact = tight(&p);
      for (double t = 0; t < p.to; t = dae_integrator_view(it).t) {
        assert_true(dae_integrator_step(it, p.to, NULL) >= 0);
        double h = dae_integrator_view(it).t - t;
        for (double x = 0.1; x < 1; x += 0.2)
          worst = fmax(worst, apart(it, exact, t + x * h));
      }
      if (getenv("DAEDAL_VERBOSE"))
        print_message("order %d, %.0e: rows off by %.2g tolerances, %ld steps\n", order, tolerance,
                      worst / tolerance, dae_integrator_stats(it).steps);
      if (!(worst < 30 * tolerance))
        fail_msg("order %d, %.0e: rows off by %g", order, tolerance, worst);
      dae_integrator_free(it);
      dae_integrator_free(exact);
    }
  dae_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_pulse_of_a_rectifier_is_passed_by),
      cmocka_unit_test(test_the_diode_holds_at_the_ends_of_all_steps),
      cmocka_unit_test(test_rows_between_the_steps_of_a_rectifier_are_right),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
