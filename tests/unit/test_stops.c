/* Times at which steps end: edges of narrow features of functions of time, from the text of models.
 */
#include "expressions.h"

#include <daedal/daedal.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MOST 20000

static double stop[MOST];

/* Stops from 0 to 100 of x' = -x + f; -1: the plan has none. */
static int stops_of(const char *f)
{
  char text[1000];
  dae_model *model;
  dae_run_plan plan = {.to = 0};
  dae_error err = dae_error_none();
  snprintf(text, sizeof text, "model m\nparam w = 3\ndiscrete d = 2\nstate x = 1\nx' = -x + %s\n",
           f);
  if (dae_model_parse("m.dae", text, strlen(text), NULL, NULL, &model, &err))
    fail_msg("%s: %s", f, err.text);
  dae_model_plan(model, &plan);
  int count = plan.stops ? plan.stops(plan.stops_user, 0, 100, MOST, stop) : -1;
  if (count > 0) /* too little room: the number alone */
    assert_int_equal(plan.stops(plan.stops_user, 0, 100, count - 1, stop) >= count, 1);
  if (count > 0)
    assert_int_equal(plan.stops(plan.stops_user, 0, 100, MOST, stop), count);
  dae_model_free(model);
  for (int i = 0; i < count; i++)
    assert_true(stop[i] > (i > 0 ? stop[i - 1] : 0) && stop[i] < 100);
  return count;
}

/* Largest distance of neighbouring stops within [from, to], with both ends between stops. */
static double widest(int count, double from, double to)
{
  double most = 0;
  assert_true(count > 1 && stop[0] <= from && stop[count - 1] >= to);
  for (int i = 1; i < count; i++)
    if (stop[i] >= from && stop[i - 1] <= to)
      most = fmax(most, stop[i] - stop[i - 1]);
  return most;
}

/* Pulses and steps of random place and width lie between stops that are no wider than they. */
static void test_narrow_features_have_stops(void **state)
{
  (void)state;
  for (int k = 0; k < 200; k++) {
    char f[200];
    double at = draw_real(2, 98), width = pow(10, draw_real(-7, -1.5));
    snprintf(f, sizeof f,
             k % 2 ? "5*exp(-((t - %.17g)/%.17g)^2) - 1" : "2 + 3*tanh((t - %.17g)/%.17g)", at,
             width);
    int count = stops_of(f);
    assert_true(widest(count, at - 0.4 * width, at + 0.4 * width) <= 4 * width);
    assert_true(count < 150);
  }
}

static void test_several_features(void **state)
{
  (void)state;
  int count = stops_of("exp(-((t - 20)/0.01)^2)*x + exp(-((t - 70)/0.001)^2)");
  assert_true(widest(count, 19.996, 20.004) <= 0.04 && widest(count, 69.9996, 70.0004) <= 0.004);
  count = stops_of("exp(-((mod(t, 10) - 5)/0.01)^2)"); /* a train of pulses */
  for (int k = 0; k < 10; k++)
    assert_true(widest(count, 10 * k + 4.996, 10 * k + 5.004) <= 0.04);
  count = stops_of("exp(-((t - d)/0.01)^2)"); /* where a discrete has its value */
  assert_true(widest(count, 1.996, 2.004) <= 0.04);
  count = stops_of("if(t > 50, exp(-((t - 60)/0.01)^2), 0)");
  assert_true(widest(count, 59.996, 60.004) <= 0.04);
}

/* What varies everywhere, or nowhere fast, has no stops; nor has what holds variables. */
static void test_other_functions_have_none(void **state)
{
  (void)state;
  assert_int_equal(stops_of("3*sin(w*t)"), 0);
  assert_int_equal(stops_of("sin(1000*t)*x"), 0);
  assert_int_equal(stops_of("sin(t)^2/(2 + cos(w*t))"), 0);
  assert_int_equal(stops_of("sin(t^2)"), 0);
  assert_int_equal(stops_of("exp(-t/10)"), 0);
  assert_int_equal(stops_of("log(t) + sqrt(t)"), 0);
  assert_int_equal(stops_of("if(t > 20, 1, 0)"), 0);
  assert_int_equal(stops_of("w*t + 2*(t - 1)^2"), -1);
  assert_int_equal(stops_of("x^3*t"), -1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_narrow_features_have_stops),
      cmocka_unit_test(test_several_features),
      cmocka_unit_test(test_other_functions_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
