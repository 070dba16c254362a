/* A bridge of four diodes whose middle a is an algebraic variable. It passes zero where guards
 * switch: there Newton's steps for a are round-off of rows with much larger terms, whatever the
 * size of a. All methods that take it, beside an integration of its own. */
#include <daedal/daedal.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

typedef struct bridge {
  double on, off; /* conductances */
} bridge;

static double diode(const bridge *b, double v)
{
  return (v > 0 ? b->on : b->off) * v;
}

/* currents into the load and out of it */
static double surplus(const bridge *b, double a, double source, double u)
{
  return diode(b, a - u) + diode(b, a - source - u) - diode(b, -a) - diode(b, source - a);
}

static double load_rate(const bridge *b, double t, double u)
{
  double source = 10 * sin(2 * PI * t), left = -100, right = 100;
  for (int i = 0; i < 60; i++) { /* the surplus rises with a */
    double middle = (left + right) / 2;
    if (surplus(b, middle, source, u) > 0)
      right = middle;
    else
      left = middle;
  }
  return diode(b, left - u) + diode(b, left - source - u) - u / 5;
}

/* u(1) by the method of Runge and Kutta in small steps */
static double load_after_a_second(const bridge *b)
{
  enum { STEPS = 20000 };
  double u = 0, h = 1.0 / STEPS;
  for (int i = 0; i < STEPS; i++) {
    double t = i * h, k1 = load_rate(b, t, u), k2 = load_rate(b, t + h / 2, u + h / 2 * k1);
    double k3 = load_rate(b, t + h / 2, u + h / 2 * k2), k4 = load_rate(b, t + h, u + h * k3);
    u += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return u;
}

static dae_status keep_load(void *self, const dae_row *row, dae_error *err)
{
  (void)err;
  *(double *)self = row->values[1];
  return DAE_OK;
}

static double run(const bridge *b, const char *method, const char *rtol)
{
  char text[512];
  snprintf(text, sizeof text,
           "model bridge\nstate u = 0\nalg a = 0\nlet source = 10*sin(2*pi*t)\n"
           "let diode(v) = if(v > 0, %g*v, %g*v)\n"
           "u' = diode(a - u) + diode(a - source - u) - u/5\n"
           "diode(a - u) + diode(a - source - u) = diode(-a) + diode(source - a)\n"
           "simulate to 1\n",
           b->on, b->off);
  dae_model *model;
  dae_error err = dae_error_none();
  double u = NAN;
  assert_int_equal(dae_model_parse("m.dae", text, strlen(text), NULL, NULL, &model, &err), DAE_OK);
  dae_run_plan plan = {.method = dae_method_find(method, &err)};
  const dae_sink sink = {.self = &u, .row = keep_load};
  dae_model_plan(model, &plan);
  void *options = malloc(plan.method->options_size);
  plan.method->defaults(options);
  assert_int_equal(dae_options_set(plan.method->options, options, "rtol", rtol, &err), DAE_OK);
  plan.options = options;
  plan.sinks = &sink;
  plan.sink_count = 1;
  if (dae_run(&plan, NULL, NULL, &err) < 0)
    fail_msg("%s, rtol %s: %s", method, rtol, err.text);
  free(options);
  dae_model_free(model);
  return u;
}

static void test_a_middle_that_passes_zero(void **state)
{
  (void)state;
  static const bridge bridges[] = {{10, 1e-9}, {10, 1e-6}, {1e-3, 1e-9}, {1, 1e-4}};
  static const char *const methods[] = {"radau", "bdf", "rosenbrock", "lie"};
  static const char *const rtols[] = {"1e-4", "1e-6"};
  for (size_t i = 0; i < sizeof bridges / sizeof *bridges; i++) {
    double exact = load_after_a_second(&bridges[i]);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
      for (int k = 0; k < 2; k++) {
        double error = fabs(run(&bridges[i], methods[m], rtols[k]) - exact) / (1 + fabs(exact));
        if (!(error <= 30 * atof(rtols[k])))
          fail_msg("%s, rtol %s, %g: off by %g", methods[m], rtols[k], bridges[i].on, error);
      }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_middle_that_passes_zero)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
