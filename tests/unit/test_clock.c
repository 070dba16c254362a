/* Instants of time events, from the text of models: against closed forms, by counts, and the
 * refusals of what cannot be a time event. */
#include <daedal/daedal.h>

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PI 3.14159265358979323846
#define MOST 100000 /* most instants of a test */

typedef struct instants {
  int count;
  double t[MOST];
} instants;

static instants found;

/* A model with the discrete variables a, b and an event e with a given trigger. */
static dae_model *load(const char *trigger)
{
  char text[2000];
  dae_model *model;
  dae_error err = dae_error_none();
  snprintf(text, sizeof text,
           "model m\nparam P = 0.1, w = 2*pi\nstate x = 1\ndiscrete a = 0.25, b = 3\nx' = -x\n"
           "event e: %s\nsimulate from 0, to 100\n",
           trigger);
  dae_status status = dae_model_parse("m.dae", text, strlen(text), NULL, NULL, &model, &err);
  if (status)
    fail_msg("%s: %s", trigger, err.text);
  return model;
}

/* All instants after `from` and not after `to` with the start values of a and b. */
static void follow(dae_model *model, double from, double to)
{
  dae_run_plan plan = {.to = 0};
  const double y[3] = {1, 0.25, 3};
  dae_model_plan(model, &plan);
  assert_int_equal(plan.event_count, 1);
  const dae_event *e = &plan.events[0];
  assert_true(e->next && !e->value);
  found.count = 0;
  for (double t = from, next; found.count < MOST; t = found.t[found.count++] = next) {
    int status = e->next(e->user, t, to, y, &next);
    assert_int_equal(status, 0);
    if (isinf(next))
      return;
    assert_true(next > t && next <= to);
  }
}

static void follow_text(const char *trigger, double from, double to)
{
  dae_model *model = load(trigger);
  follow(model, from, to);
  dae_model_free(model);
}

static void expect(const char *trigger, double from, double to, int count, const double *t,
                   double tolerance)
{
  follow_text(trigger, from, to);
  if (found.count != count)
    fail_msg("%s: %d instants in place of %d, the first at %.17g", trigger, found.count, count,
             found.t[0]);
  for (int i = 0; i < count; i++)
    if (!(fabs(found.t[i] - t[i]) <= tolerance * fabs(t[i])))
      fail_msg("%s: %.17g in place of %.17g", trigger, found.t[i], t[i]);
}
#define EXPECT(trigger, from, to, tolerance, ...)                                                  \
  expect(trigger, from, to, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)),               \
         (double[]){__VA_ARGS__}, tolerance)

/* ---- given instants ---- */

/* Instants first + k period by one product each, exactly. */
static void test_every_is_exact(void **state)
{
  (void)state;
  follow_text("every P { a = a + 1 }", 0, 10000);
  assert_int_equal(found.count, MOST); /* 100000 * 0.1 = 10000, the end itself */
  for (int k = 0; k < MOST; k++)
    assert_true(found.t[k] == (k + 1) * 0.1);
  follow_text("every 0.1 from 0.1", 0, 10000); /* 0.1 + 99999 * 0.1 is 1.8e-12 behind the end */
  assert_true(found.count == MOST && found.t[MOST - 1] == 10000);
  follow_text("every 0.25 from -1 { a = 0 }", nextafter(0, -1), 1);
  assert_int_equal(found.count, 5); /* 0, 0.25, ... */
  assert_true(found.t[0] == 0 && found.t[4] == 1);
  follow_text("every (2*pi) from 50 stop", 0, 60);
  assert_int_equal(found.count, 2);
  assert_true(found.t[0] == 50 && found.t[1] == 50 + 2 * PI);
  EXPECT("every 3 from 7", 0, 8, 0, 7);
}

/* More than 1e9 instants are refused up to the end of the run, whatever the text says. */
static void test_too_many_instants_up_to_the_end_of_the_run(void **state)
{
  (void)state;
  dae_model *model = load("every 1e-8 { a = a + 1 }");
  dae_run_plan plan = {.to = 0};
  double next;
  dae_error err;
  dae_model_plan(model, &plan);
  const dae_event *e = &plan.events[0];
  assert_int_equal(e->next(e->user, 0, 100, plan.start.y, &next), 2);
  assert_int_equal(e->next(e->user, 0, 1e-5, plan.start.y, &next), 0);
  assert_true(next == 1e-8);
  plan.method = dae_method_find("radau", &err);
  assert_int_equal(dae_run(&plan, NULL, NULL, &err), DAE_ERROR_CALLBACK);
  assert_non_null(strstr(err.text, "too many instants up to t = 100"));
  dae_summary summary;
  plan.to = 1e-5;
  assert_int_equal(dae_run(&plan, NULL, &summary, &err), DAE_OK);
  assert_int_equal(summary.events, 1000);
  dae_model_free(model);
}

static void test_at_is_ascending(void **state)
{
  (void)state;
  EXPECT("at 3, 1, 2*w, 1, 200 { a = 1 }", 0, 100, 0, 1, 3, 4 * PI);
  EXPECT("at (1), 2", 1, 100, 0, 2);
  follow_text("at -1 + 0.5 stop", 0, 100);
  assert_int_equal(found.count, 0);
}

/* ---- closed forms ---- */

static void test_affine_functions(void **state)
{
  (void)state;
  EXPECT("t - b", 0, 100, 0, 3);
  EXPECT("3*a - t falling", 0, 100, 0, 0.75);
  EXPECT("(t - 5)*3/b", 0, 100, 0, 5);
  follow_text("t - b falling", 0, 100);
  assert_int_equal(found.count, 0);
  follow_text("t - b", 3, 100); /* the instant itself does not recur */
  assert_int_equal(found.count, 0);
}

static void test_held_values_are_coefficients(void **state)
{
  (void)state;
  dae_model *model = load("t - b");
  dae_run_plan plan = {.to = 0};
  double y[3] = {1, 0, 0}, next;
  dae_model_plan(model, &plan);
  for (int k = 1; k < 100; k++) { /* an action that moves b by 0.1 */
    y[2] = k * 0.1;
    assert_int_equal(plan.events[0].next(plan.events[0].user, (k - 1) * 0.1, 100, y, &next), 0);
    assert_true(next == k * 0.1);
    assert_int_equal(plan.events[0].next(plan.events[0].user, next, 100, y, &next), 0);
    assert_true(isinf(next));
  }
  dae_model_free(model);
}

/* Jumps of floor and mod, exactly at their multiples. */
static void test_multiples(void **state)
{
  (void)state;
  EXPECT("floor(t) - 2.5", 0, 100, 0, 3);
  EXPECT("mod(t, 0.1) - 0.05 falling", 0, 0.45, 0, 0.1, 0.2, 3 * 0.1, 0.4);
  EXPECT("mod(t, 10) - 5 rising", 0, 40, 0, 5, 15, 25, 35);
  EXPECT("if(t >= 5 && t < 6, 1, 0) - 0.5", 0, 100, 0, 5, 6);
  EXPECT("sign(t - 7)", 0, 100, 0, 7);
  EXPECT("min(t - 1, 4 - t)", 0, 100, 0, 1, 4);
  EXPECT("abs(t - 2) - b/3", 0, 100, 0, 1, 3);
  EXPECT("floor(-3*t) + 4.5", 0, 100, 1e-16, 4.0 / 3);
}

/* ---- interval search ---- */

static void test_sines(void **state)
{
  (void)state;
  follow_text("sin(w*t) rising", 0.5, 100.5);
  assert_int_equal(found.count, 100);
  for (int k = 0; k < 100; k++)
    assert_true(fabs(found.t[k] - (k + 1)) <= 4 * DBL_EPSILON * (k + 1));
  follow_text("sin(1e5*t) - 0.999", 0, 1);
  assert_int_equal(found.count, 2 * 15915 + 2);
  for (int k = 0; k < found.count; k++) {
    double turn = floor(k / 2.0) * 2 * PI,
           exact = (turn + (k % 2 == 0 ? asin(0.999) : PI - asin(0.999))) / 1e5;
    assert_true(fabs(found.t[k] - exact) <= 1e-14);
  }
}

/* A pulse 1e-6 wide in 1e4, pairs 3e-5 apart, a double root and one that is just none. */
static void test_narrow_features(void **state)
{
  (void)state;
  double half = 1e-6 * sqrt(log(2));
  EXPECT("exp(-((t - 1234.5678)/1e-6)^2) - 0.5", 0, 1e4, 1e-15, 1234.5678 - half, 1234.5678 + half);
  EXPECT("cos(t) - cos(1.5e-5)", 1, 14, 1e-11, 2 * PI - 1.5e-5, 2 * PI + 1.5e-5, 4 * PI - 1.5e-5,
         4 * PI + 1.5e-5); /* values of 1e-10 with the rounding of 1 */
  follow_text("sin(t) - 1", 0, 100);
  assert_int_equal(found.count, 0);
  follow_text("(t - 5)^2", 0, 100);
  assert_int_equal(found.count, 0);
  follow_text("(t - 5)^2 + 1e-20", 0, 100);
  assert_int_equal(found.count, 0);
  EXPECT("(t - 5)^3", 0, 100, 1e-15, 5);
  EXPECT("t^3 - 15*t^2 + 75*t - 125", 0, 100, 1e-4, 5); /* to the rounding of its terms */
}

/* No rule but the enclosure decides: functions that vanish, that have poles, that are undefined. */
static void test_degenerate_functions(void **state)
{
  (void)state;
  dae_model *model = load("sin(t)^2 + cos(t)^2 - 1"); /* vanishes: refused, not passed over */
  dae_run_plan plan = {.to = 0};
  double next;
  dae_model_plan(model, &plan);
  assert_int_equal(plan.events[0].next(plan.events[0].user, 0, 100, plan.start.y, &next), 1);
  dae_model_free(model);
  follow_text("max(sin(t), 0)", 0, 100);
  assert_int_equal(found.count, 0);
  EXPECT("sqrt(t - 5) - 1", 0, 100, 1e-15, 6);
  EXPECT("log(t) + 1", 0, 100, 1e-15, exp(-1));
  EXPECT("tan(t) rising", 1, 7, 1e-15, PI, 2 * PI);
  EXPECT("tan(t) falling", 1, 7, 1e-14, PI / 2, 3 * PI / 2);
  EXPECT("max(sin(t), 0) - if(t > 5, 0.5, 0)", 0, 14, 1e-15, 5, 2 * PI + PI / 6,
         2 * PI + 5 * PI / 6, 4 * PI + PI / 6);
}

/* ---- refusals ---- */

static void refused(const char *trigger, const char *text)
{
  char model_text[1000];
  dae_model *model;
  dae_error err;
  snprintf(model_text, sizeof model_text,
           "model m\nstate x = 1\nx' = -x\nevent e: %s\nsimulate to 100\n", trigger);
  dae_status status =
      dae_model_parse("m.dae", model_text, strlen(model_text), NULL, NULL, &model, &err);
  assert_int_equal(status, DAE_ERROR_MODEL);
  assert_int_equal(err.line, 4);
  if (!strstr(err.text, text))
    fail_msg("%s: %s", trigger, err.text);
}

static void test_refusals(void **state)
{
  (void)state;
  refused("every 0", "not positive");
  refused("every 1 - 2 { x = 1 }", "not positive");
  refused("every x", "constant");
  refused("every 1 from t", "constant");
  refused("every 1 rising", "after every");
  refused("at 1, x", "constant");
  refused("at 1, 2 falling", "after at");
  refused("at 1/0", "finite");
  refused("every", "unknown name every");
  refused("at 1 2", "end of the statement");
}

/* every and at stay names. */
static void test_words_stay_names(void **state)
{
  (void)state;
  static const char text[] = "model m\nstate every = 1, at = 1\nevery' = -every\nat' = -every\n"
                             "event e: every falling\nevent f: at - 0.5 stop\n"
                             "event g: every*at\nevent h: every 0.5\nsimulate to 1\n";
  dae_model *model;
  dae_run_plan plan = {.to = 0};
  dae_error err;
  assert_int_equal(dae_model_parse("m.dae", text, strlen(text), NULL, NULL, &model, &err), DAE_OK);
  dae_model_plan(model, &plan);
  assert_int_equal(plan.event_count, 4);
  for (int i = 0; i < 4; i++)
    assert_int_equal(plan.events[i].next != NULL, i == 3);
  dae_model_free(model);
  refused("at -1\ndiscrete at = 1", "declared, too");
  refused("every (2)\nlet every(x) = x", "declared, too");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_too_many_instants_up_to_the_end_of_the_run),
      cmocka_unit_test(test_every_is_exact),
      cmocka_unit_test(test_at_is_ascending),
      cmocka_unit_test(test_affine_functions),
      cmocka_unit_test(test_held_values_are_coefficients),
      cmocka_unit_test(test_multiples),
      cmocka_unit_test(test_sines),
      cmocka_unit_test(test_narrow_features),
      cmocka_unit_test(test_degenerate_functions),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_words_stay_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
