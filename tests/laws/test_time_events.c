/* Motions with time events and with narrow features in time, by all methods that take them, against
 * closed forms. */
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

typedef struct outcome {
  double y[16]; /* columns of the last row */
  dae_summary summary;
} outcome;

static dae_status keep_row(void *self, const dae_row *row, dae_error *err)
{
  (void)err;
  memcpy(((outcome *)self)->y, row->values, (size_t)row->columns * sizeof *row->values);
  return DAE_OK;
}

/* Runs a model by a method with tolerances 1e-9; false: the method does not take it. */
static bool run(const char *text, const char *method, double to, outcome *out)
{
  dae_model *model;
  dae_error err = dae_error_none();
  if (dae_model_parse("m.dae", text, strlen(text), NULL, NULL, &model, &err))
    fail_msg("%s", err.text);
  dae_run_plan plan = {.method = dae_method_find(method, &err)};
  const dae_sink sink = {.self = out, .row = keep_row};
  dae_model_plan(model, &plan);
  plan.sinks = &sink;
  plan.sink_count = 1;
  if (to > 0)
    plan.to = to;
  bool takes = plan.method && dae_method_check(plan.method, &plan.problem, &plan.start, NULL, NULL,
                                               NULL) == DAE_OK;
  if (takes) {
    void *options = malloc(plan.method->options_size);
    plan.method->defaults(options);
    dae_options_set(plan.method->options, options, "rtol", "1e-9", &err);
    dae_options_set(plan.method->options, options, "atol", "1e-11", &err);
    plan.options = options;
    dae_status status = dae_run(&plan, NULL, &out->summary, &err);
    if (status < 0)
      fail_msg("%s: %s", method, err.text);
    free(options);
  }
  dae_model_free(model);
  return takes;
}

static const char *const METHODS[] = {"bdf",       "radau",      "gauss",      "explicit",
                                      "switching", "rosenbrock", "spark-gauss"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

/* A cart whose force is sampled every 0.1: between samples a parabola, so that the samples obey
 * x+ = x + T v + T^2 u / 2 m, v+ = v + T u / m, exactly. The last instant is the end. */
static void test_sampled_controller(void **state)
{
  (void)state;
  static const char text[] = "model cart\nparam m = 2, T = 0.1, kp = 8, kd = 5\ncoord x = 1\n"
                             "discrete u = 0, n = 0\nkinetic m*x'^2/2\nforce x = u\n"
                             "event sample: every T { u = -kp*x - kd*x'; n = n + 1 }\n"
                             "simulate to 10\n";
  double x = 1, v = 0, u = 0, T = 0.1, m = 2;
  for (int k = 1; k <= 100; k++) {
    x += T * v + T * T * u / (2 * m);
    v += T * u / m;
    u = -8 * x - 5 * v;
  }
  int taken = 0;
  for (int i = 0; i < METHOD_COUNT; i++) {
    outcome out;
    if (!run(text, METHODS[i], 0, &out))
      continue;
    taken++; /* columns: t, x, u, n, der(x) */
    assert_true(out.y[0] == 10 && out.y[3] == 100);
    assert_true(fabs(out.y[1] - x) < 1e-7 && fabs(out.y[4] - v) < 1e-7 &&
                fabs(out.y[2] - u) < 1e-6);
    assert_int_equal(out.summary.events, 100);
  }
  assert_true(taken >= 5);
}

/* A counter of all instants, without loss; with DAEDAL_LONG over 1e4. */
static void test_counter_is_exact(void **state)
{
  (void)state;
  bool all = getenv("DAEDAL_LONG") != NULL;
  double to = all ? 1e4 : 500;
  outcome out;
  assert_true(run("model m\nstate x = 1\ndiscrete n = 0\nx' = -x\n"
                  "event tick: every 0.1 { n = n + 1 }\nsimulate to 1e4\n",
                  "radau", to, &out));
  assert_true(out.y[0] == to && out.y[2] == (all ? 1e5 : 5000));
}

/* An instant at the end, one before the start, one at the start, and a discrete that moves the
 * next one: 1, 1.5, 2.25, ... */
static void test_instants_at_the_ends(void **state)
{
  (void)state;
  static const char text[] =
      "model m\nstate x = 0\ndiscrete n = 0, a = 0, b = 0, next = 1, c = 0\nx' = 1\n"
      "event grid: every 0.5 from -1.25 { n = n + 1 }\nevent list: at 3, -1, 0, 5 { a = a + 1 }\n"
      "event wave: sin(pi*t) { b = b + 1 }\n"
      "event moved: t - next { next = 1.5*next; c = c + 1 }\nsimulate from 0, to 5\n";
  for (int i = 0; i < METHOD_COUNT; i++) {
    outcome out;
    if (!run(text, METHODS[i], 0, &out))
      continue;
    /* t, x, n, a, b, next, c: 0.25, ..., 4.75; 0, 3, 5; 1, ..., 5; 1, 1.5, 2.25, 3.375 */
    assert_true(fabs(out.y[1] - 5) < 1e-9);
    assert_true(out.y[2] == 10 && out.y[3] == 3 && out.y[4] == 5 && out.y[6] == 4);
    assert_true(out.y[5] == 5.0625);
  }
}

/* Pulses that steps would jump over: x'' = a pulse 0.02 wide at t = 60 of 100. */
static void test_pulses_are_met(void **state)
{
  (void)state;
  static const char text[] = "model pulse\ncoord x = 0\nkinetic x'^2/2\n"
                             "force x = exp(-((t - 60)/0.02)^2)\nsimulate to 100\n";
  double v = 0.02 * sqrt(PI);
  for (int i = 0; i < METHOD_COUNT; i++) {
    outcome out;
    if (run(text, METHODS[i], 0, &out))
      assert_true(fabs(out.y[2] - v) < 1e-8 && fabs(out.y[1] - 40 * v) < 1e-6);
    /* an end that is given for the run */
    if (run(text, METHODS[i], 61, &out))
      assert_true(out.y[0] == 61 && fabs(out.y[2] - v) < 1e-8);
  }
}

/* Branches of functions of time, which change at the start by rounding alone: sin(pi*t) vanishes
 * 4e-17 behind t = 1. */
static void test_branches_in_time(void **state)
{
  (void)state;
  static const char text[] = "model m\nstate x = 0, y = 0\nx' = if(sin(pi*t) > 0, 1, -1)\n"
                             "y' = mod(t, 0.5)\nsimulate from 1, to 10\n";
  for (int i = 0; i < METHOD_COUNT; i++) {
    outcome out;
    if (!run(text, METHODS[i], 0, &out))
      continue;
    assert_true(fabs(out.y[1] + 1) < 1e-9 && fabs(out.y[2] - 18 * 0.125) < 1e-9);
    assert_true(out.summary.switchings >= 26);
  }
}

/* A function of time that cannot be followed ends the run with the name of its event. */
static void test_undecided_instants_are_refused(void **state)
{
  (void)state;
  static const char text[] = "model m\nstate x = 1\nx' = -x\n"
                             "event never: sin(t)^2 + cos(t)^2 - 1\nsimulate to 10\n";
  dae_model *model;
  dae_error err = dae_error_none();
  dae_summary summary;
  assert_int_equal(dae_model_parse("m.dae", text, strlen(text), NULL, NULL, &model, &err), DAE_OK);
  dae_run_plan plan = {.method = dae_method_find("radau", &err)};
  dae_model_plan(model, &plan);
  assert_true(dae_run(&plan, NULL, &summary, &err) < 0);
  assert_non_null(strstr(err.text, "never"));
  dae_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sampled_controller),
      cmocka_unit_test(test_counter_is_exact),
      cmocka_unit_test(test_instants_at_the_ends),
      cmocka_unit_test(test_pulses_are_met),
      cmocka_unit_test(test_branches_in_time),
      cmocka_unit_test(test_undecided_instants_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
