/* Circuits with semiconductors, whose currents are exponentials of their voltages: radau and
 * rosenbrock get through at every tolerance, number of stages and order, and to the same end as
 * bdf.
 */
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

typedef struct way {
  const char *method;
  int order, stages; /* 0: by the tolerance, or there is no such choice */
} way;

/* radau alone takes a singular M */
static const way ways[] = {{"radau", 0, 0}, {"radau", 0, 3},      {"radau", 0, 5},
                           {"radau", 0, 7}, {"rosenbrock", 4, 0}, {"rosenbrock", 5, 0}};
enum { WAYS = sizeof ways / sizeof *ways, RADAU = 4 };

static dae_integrator *make(const way *w, const test_problem *p, double rtol, double atol)
{
  dae_rk_options opts = dae_rk_adaptive_defaults();
  opts.rtol = rtol;
  opts.atol = atol;
  opts.order = w->order;
  opts.stages = w->stages;
  return create(w->method, p, &opts);
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
  for (int w = 0; w < WAYS; w++)
    for (int digits = 6; digits <= 20; digits += 2)
      for (double part = 1; part > 1e-3; part /= 100) {
        double tolerance = pow(10, -digits / 2.0);
        finish(make(&ways[w], &p, tolerance, part * tolerance), &p, y);
        double error = fabs(y[0] - exact[0]);
        if (getenv("DAEDAL_VERBOSE"))
          print_message("%s %d, %.0e and %.0e: %.1e\n", ways[w].method,
                        ways[w].order + ways[w].stages, tolerance, part * tolerance, error);
        if (!(error < 10 * tolerance))
          fail_msg("%s %d, %.1e and %.1e: the voltage is off by %g", ways[w].method,
                   ways[w].order + ways[w].stages, tolerance, part * tolerance, error);
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
  for (int w = 0; w < WAYS; w++)
    for (double tolerance = 1e-3; tolerance > 1e-8; tolerance /= 10) {
      dae_integrator *it = make(&ways[w], &p, tolerance, tolerance / 100);
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
        print_message("%s %d, %.0e: off by %.1e\n", ways[w].method, ways[w].order + ways[w].stages,
                      tolerance, worst);
      assert_true(worst < 0.1);
      dae_integrator_free(it);
    }
  dae_model_free(model);
}

static void test_the_transistor_amplifier_gets_through_at_all_tolerances(void **state)
{
  (void)state;
  test_problem p = test_transistor_amplifier();
  for (int w = 0; w < RADAU; w++)
    for (int digits = 6; digits <= 22; digits += 2) {
      double tolerance = pow(10, -digits / 2.0), y[8];
      finish(make(&ways[w], &p, tolerance, tolerance), &p, y);
      double error = support_error(&p, y);
      if (getenv("DAEDAL_VERBOSE"))
        print_message("%s %d, %.0e: %.1e\n", ways[w].method, ways[w].order + ways[w].stages,
                      tolerance, error);
      if (!(error < 100 * tolerance))
        fail_msg("%s %d, %.1e: error %g", ways[w].method, ways[w].order + ways[w].stages, tolerance,
                 error);
    }
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
  for (int w = 1; w < WAYS; w++)
    for (int digits = 4; digits <= 6; digits += 2) {
      double tolerance = pow(10, -digits), worst = 0;
      dae_integrator *it = make(&ways[w], &p, tolerance, tolerance / 100);
      dae_integrator *exact = make(&ways[3], &p, 1e-12, 1e-12);
      for (double t = 0; t < p.to; t = dae_integrator_view(it).t) {
        assert_true(dae_integrator_step(it, p.to, NULL) >= 0);
        double h = dae_integrator_view(it).t - t;
        for (double x = 0.1; x < 1; x += 0.2)
          worst = fmax(worst, apart(it, exact, t + x * h));
      }
      if (getenv("DAEDAL_VERBOSE"))
        print_message("%s %d, %.0e: rows off by %.2g tolerances, %ld steps\n", ways[w].method,
                      ways[w].order + ways[w].stages, tolerance, worst / tolerance,
                      dae_integrator_stats(it).steps);
      if (!(worst < 30 * tolerance))
        fail_msg("%s %d, %.0e: rows off by %g", ways[w].method, ways[w].order + ways[w].stages,
                 tolerance, worst);
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
      cmocka_unit_test(test_the_transistor_amplifier_gets_through_at_all_tolerances),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
