/* Requests to stop: whenever the caller wants long work to end, it ends with DAE_ERROR_INTERRUPTED,
 * soon and without a trace. The n-th question is answered by "stop", for every kind of work. */
#include "counting_env.h"

#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Questions that may follow the answer "stop": each unfinished level of the work may ask once. */
#define QUESTIONS_AFTER 40

typedef struct stopping {
  counting_env memory; /* first: the argument of its functions, too */
  long asked, stop_at; /* questions so far, and the one that is answered by "stop"; 0: none */
} stopping;

static bool stopping_answer(void *user)
{
  stopping *s = user;
  s->asked++;
  return s->stop_at > 0 && s->asked >= s->stop_at;
}

/* Some work in this environment, on a model if there is one. */
typedef dae_status work(const dae_env *env, const dae_model *model, dae_error *err);

typedef struct task {
  work *work;
  const char *text; /* of its model */
  long least;       /* questions that it asks at least */
  bool timed;       /* it measures times, which decide how many questions it asks */
} task;

static dae_model *load(const char *text)
{
  dae_model *model;
  dae_error err;
  if (dae_model_parse("model", text, strlen(text), NULL, NULL, &model, &err) < 0)
    fail_msg("%s", err.text);
  return model;
}

static dae_status task_try(const task *k, long stop_at, stopping *s, dae_error *err)
{
  dae_model *model = load(k->text);
  *s = (stopping){.stop_at = stop_at};
  dae_env env = counting_env_of(&s->memory);
  env.user = s;
  env.stop = stopping_answer;
  dae_status status = k->work(&env, model, err);
  assert_int_equal(s->memory.live, 0);
  dae_model_free(model);
  return status;
}

static void check_task(const task *k)
{
  stopping s;
  dae_error err = dae_error_none();
  if (task_try(k, 0, &s, &err) < 0)
    fail_msg("%s", err.text);
  long all = s.asked;
  if (all < k->least)
    fail_msg("%ld questions, fewer than %ld", all, k->least);
  /* the first twenty, then ever sparser ones, and the last one */
  for (long n = 1; n <= all; n = n < 20 ? n + 1 : n < all && 5 * n / 4 > all ? all : 5 * n / 4) {
    err = dae_error_none();
    dae_status status = task_try(k, n, &s, &err);
    if (k->timed && status >= 0 && s.asked < n)
      continue; /* it was done before this question */
    if (status != DAE_ERROR_INTERRUPTED)
      fail_msg("stopped at question %ld of %ld: %s, %s", n, all, dae_status_name(status), err.text);
    assert_int_equal(err.status, DAE_ERROR_INTERRUPTED);
    assert_non_null(strstr(err.text, "interrupted"));
    if (s.asked > n + QUESTIONS_AFTER)
      fail_msg("stopped at question %ld of %ld, %ld asked", n, all, s.asked);
  }
}

/* ---- kinds of work ---- */

static const char chain[] =
    "model chain\n"
    "param N = 300, L = 1/N\n"
    "coord x[1..N] = i*L, y[1..N] = 0.01*L\n"
    "for i in 1..N { kinetic (x[i]'^2 + y[i]'^2)/2/N; potential 9.81*y[i]/N }\n"
    "constraint x[1]^2 + y[1]^2 = L^2\n"
    "for i in 2..N { constraint (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = L^2 }\n"
    "simulate to 0.05\n";
static const char dense[] = "model dense\n"
                            "param N = 60\n"
                            "state x[1..N] = 1\n"
                            "alg w = 0\n"
                            "for i in 1..N { x[i]' = -x[i]*sum(j in 1..N, x[j]*sin(i+j)/N) - w }\n"
                            "0 = w^3 + w - x[1]\n"
                            "simulate to 1\n";
static const char coupled[] = "model ring\n"
                              "param N = 40\n"
                              "system A[k in 1..N] {\n"
                              "  state x = k\n"
                              "  x' = -x + 0.1*A[mod(k, N) + 1].x\n"
                              "}\n"
                              "simulate to 1\n";
static const char pendulum[] = "model pendulum\n"
                               "coord x = 1, y = 0\n"
                               "kinetic (x'^2 + y'^2)/2\n"
                               "potential 9.81*y\n"
                               "constraint rod: x^2 + y^2 = 1\n"
                               "event low: x falling { y' = 1.1*y' }\n"
                               "simulate to 2\n";

static dae_status load_again(const dae_env *env, const dae_model *model, dae_error *err)
{
  const char *text = dae_model_source(model, 0, NULL);
  dae_model *again = NULL;
  dae_status status = dae_model_parse("again", text, strlen(text), NULL, env, &again, err);
  dae_model_free(again);
  return status;
}

static dae_status start(const dae_env *env, const dae_model *model, dae_error *err)
{
  static double y[2000];
  dae_start from = dae_model_start(model);
  assert_true(dae_problem_extended_size(dae_model_problem(model)) <= 2000);
  return dae_consistent_start(dae_model_problem(model), &from, env, y, NULL, NULL, err);
}

static dae_status run_plan(const dae_env *env, const dae_model *model, const char *method,
                           double every, dae_error *err)
{
  dae_summary summary;
  dae_run_plan plan = {.method = method ? dae_method_find(method, err)
                                        : dae_model_choose(model, NULL, 0, err)};
  assert_non_null(plan.method);
  dae_model_plan(model, &plan);
  plan.every = every;
  dae_status status = dae_run(&plan, env, &summary, err);
  assert_int_equal(summary.status, status < 0 ? status : DAE_OK);
  return status;
}

static dae_status run_auto(const dae_env *env, const dae_model *model, dae_error *err)
{
  return run_plan(env, model, NULL, 0, err);
}

static dae_status run_bdf(const dae_env *env, const dae_model *model, dae_error *err)
{
  return run_plan(env, model, "bdf-ggl", 0, err);
}

static dae_status run_windows(const dae_env *env, const dae_model *model, dae_error *err)
{
  return run_plan(env, model, "gauss-seidel", 0, err);
}

/* rows between few steps */
static dae_status run_rows(const dae_env *env, const dae_model *model, dae_error *err)
{
  return run_plan(env, model, NULL, 1e-3, err);
}

static dae_status compare(const dae_env *env, const dae_model *model, dae_error *err)
{
  static const double rtol[] = {1e-3, 1e-5};
  dae_comparison *c = NULL;
  dae_run_plan plan = {.method = NULL};
  dae_model_plan(model, &plan);
  plan.to = 0.2;
  dae_compare_plan all = dae_compare_defaults(&plan);
  all.rtol = rtol;
  all.rtol_count = 2;
  all.times = 8;
  dae_status status = dae_compare(&all, env, &c, err);
  dae_comparison_free(c);
  return status;
}

#define STOPS(name, function, model, ...)                                                          \
  static void name(void **state)                                                                   \
  {                                                                                                \
    (void)state;                                                                                   \
    check_task(&(task){.work = function, .text = model, .least = __VA_ARGS__});                    \
  }
STOPS(test_loading_stops, load_again, chain, 20)
STOPS(test_loading_of_systems_stops, load_again, coupled, 20)
STOPS(test_consistent_start_stops, start, chain, 10)
STOPS(test_start_of_a_semi_explicit_problem_stops, start, dense, 5)
STOPS(test_run_of_a_mechanism_stops, run_auto, chain, 100)
STOPS(test_run_by_bdf_stops, run_bdf, chain, 100)
STOPS(test_run_of_a_dense_problem_stops, run_auto, dense, 50)
STOPS(test_windows_stop, run_windows, coupled, 500)
STOPS(test_rows_stop, run_rows, pendulum, 2000)
STOPS(test_events_stop, run_auto, pendulum, 50)
STOPS(test_comparison_stops, compare, pendulum, 500, .timed = true)

/* a run of more rows than a file can hold is refused with their number */
static void test_too_many_rows_are_refused(void **state)
{
  (void)state;
  dae_model *model = load(pendulum);
  dae_error err;
  dae_run_plan plan = {.method = dae_method_find("gauss", &err)};
  dae_model_plan(model, &plan);
  plan.every = 1e-9;
  assert_int_equal(dae_run(&plan, NULL, NULL, &err), DAE_ERROR_USAGE);
  assert_non_null(strstr(err.text, "2000000000 rows"));
  assert_string_equal(err.equation, "every");
  plan.every = 0;
  dae_rk_options fixed = dae_rk_defaults();
  fixed.step = 1e-10;
  plan.options = &fixed;
  assert_int_equal(dae_run(&plan, NULL, NULL, &err), DAE_ERROR_USAGE);
  assert_non_null(strstr(err.text, "2e+10 rows"));
  dae_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loading_stops),
      cmocka_unit_test(test_loading_of_systems_stops),
      cmocka_unit_test(test_consistent_start_stops),
      cmocka_unit_test(test_start_of_a_semi_explicit_problem_stops),
      cmocka_unit_test(test_run_of_a_mechanism_stops),
      cmocka_unit_test(test_run_by_bdf_stops),
      cmocka_unit_test(test_run_of_a_dense_problem_stops),
      cmocka_unit_test(test_windows_stop),
      cmocka_unit_test(test_rows_stop),
      cmocka_unit_test(test_events_stop),
      cmocka_unit_test(test_comparison_stops),
      cmocka_unit_test(test_too_many_rows_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
