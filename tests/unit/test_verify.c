/* An iterated run beside one as a single system: what is compared, and what becomes of failures. */
#include "counting_env.h"

#include <daedal/daedal.h>
#include <daedal/model.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* y is (cos t, sin t); a ball falls beside it, and bounces */
static const char text[] = "model c\n"
                           "system one {\n  state y = 1\n  alg z = 0\n  y' = -two.y\n"
                           "  0 = y - z + 0.5*two.z\n}\n"
                           "system two {\n  state y = 0\n  alg z = 0\n  y' = one.y\n"
                           "  0 = y - z + 0.5*one.z\n}\n"
                           "system ball {\n  coord h = 1\n  kinetic h'^2/2\n  potential 9.81*h\n}\n"
                           "event floor: ball.h falling { ball.h' = -ball.h' }\n"
                           "simulate to 1\n";

typedef struct trial {
  dae_model *model;
  dae_wave_options opts;
  dae_run_plan plan;
  dae_summary summary;
  dae_error err;
} trial;

static void set_up(trial *t)
{
  *t = (trial){.opts = dae_wave_defaults()};
  if (dae_model_parse("c.dae", text, strlen(text), NULL, NULL, &t->model, &t->err) != DAE_OK)
    fail_msg("%s", t->err.text);
  dae_model_plan(t->model, &t->plan);
  t->plan.method = dae_method_find("gauss-seidel", &t->err);
  t->plan.options = &t->opts;
  t->plan.verify = true;
}

static void test_differences_are_told_by_kind(void **state)
{
  (void)state;
  trial t;
  set_up(&t);
  assert_true(dae_run(&t.plan, NULL, &t.summary, &t.err) >= 0);
  const dae_verification *v = &t.summary.verification;
  assert_string_equal(v->method, "radau");
  assert_string_equal(v->message, "");
  /* the rows around the bounce are not compared */
  assert_int_equal(t.summary.events, 1);
  assert_int_equal(v->rows, t.summary.rows - 2);
  for (int kind = 0; kind < DAE_VARIABLE_KINDS; kind++) {
    const dae_difference *d = &v->most[kind];
    if (kind == DAE_VARIABLE_MULTIPLIER || kind == DAE_VARIABLE_HELD)
      assert_true(isnan(d->tolerances));
    else
      assert_true(d->tolerances < 50 && d->absolute < 1e-4 && d->t <= 1);
  }
  assert_non_null(strstr("one.y two.y", v->most[DAE_VARIABLE_STATE].name));
  assert_string_equal(v->most[DAE_VARIABLE_RATE].name, "der(ball.h)");
  dae_model_free(t.model);
}

/* Euler's method for one system is far off, and the account says so */
static void test_an_error_of_the_iterated_run_shows(void **state)
{
  (void)state;
  trial t;
  set_up(&t);
  dae_rk_options euler = dae_rk_defaults();
  euler.step = 0.01;
  dae_wave_child children[3] = {{dae_method_find("euler", NULL), &euler}};
  t.opts.children = children;
  t.plan.every = 0.1;
  assert_true(dae_run(&t.plan, NULL, &t.summary, &t.err) >= 0);
  const dae_difference *d = &t.summary.verification.most[DAE_VARIABLE_STATE];
  assert_int_equal(t.summary.verification.rows, 11);
  assert_true(d->tolerances > 1000 && d->absolute > 1e-3 && d->absolute < 1e-2);
  dae_model_free(t.model);
}

/* ---- failures ---- */

/* refuses time after it has gone back: in the second run */
typedef struct watcher {
  double last;
  bool second;
} watcher;

static int fails_in_the_second(void *user, double t, const double *y, double *value)
{
  watcher *w = user;
  (void)y;
  w->second = w->second || t < w->last - 0.5;
  w->last = t;
  *value = 1;
  return w->second && t > 0.5 ? -1 : 0;
}

static void test_a_second_run_that_fails_is_a_failed_check(void **state)
{
  (void)state;
  trial t;
  watcher w = {0};
  const dae_event event = {.name = "watch", .value = fails_in_the_second, .user = &w};
  set_up(&t);
  t.plan.events = &event;
  t.plan.event_count = 1;
  assert_int_equal(dae_run(&t.plan, NULL, &t.summary, &t.err), DAE_ERROR_CHECK);
  assert_int_equal(t.summary.status, DAE_ERROR_CHECK);
  assert_non_null(strstr(t.err.text, "its verification as one system by radau failed"));
  assert_true(t.summary.verification.message[0] != '\0');
  assert_true(t.summary.rows > 2 && t.summary.t_end == 1);
  assert_true(t.summary.verification.rows > 0 && t.summary.verification.rows < t.summary.rows - 1);
  dae_model_free(t.model);
}

static bool only_once(void *user, double t)
{
  watcher *w = user;
  bool on = t >= w->last;
  w->last = t;
  return on;
}

static void test_a_second_run_can_be_interrupted(void **state)
{
  (void)state;
  trial t;
  watcher w = {0};
  set_up(&t);
  t.plan.progress = only_once;
  t.plan.progress_user = &w;
  assert_int_equal(dae_run(&t.plan, NULL, &t.summary, &t.err), DAE_ERROR_INTERRUPTED);
  assert_true(t.summary.t_end == 1);
  dae_model_free(t.model);
}

static void test_every_refused_allocation_is_a_clean_error(void **state)
{
  (void)state;
  trial t;
  set_up(&t);
  t.plan.to = 0.01;
  t.plan.every = 1e-5; /* rows enough for their memory to grow */
  for (long n = 1, step = 1;; n += step, step = n > 40 ? 7 : 1) {
    counting_env count = {.fail_at = n};
    dae_env env = counting_env_of(&count);
    dae_status status = dae_run(&t.plan, &env, &t.summary, &t.err);
    assert_int_equal(count.live, 0);
    if (count.calls < n) {
      assert_true(status >= 0);
      break;
    }
    assert_int_equal(status, DAE_ERROR_MEMORY);
  }
  dae_model_free(t.model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_differences_are_told_by_kind),
      cmocka_unit_test(test_an_error_of_the_iterated_run_shows),
      cmocka_unit_test(test_a_second_run_that_fails_is_a_failed_check),
      cmocka_unit_test(test_a_second_run_can_be_interrupted),
      cmocka_unit_test(test_every_refused_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
