/* Bad options are refused when an integrator is created or an option is set, with the field named;
 * nothing given means defaults; a caller that wants no details gives no error record. */
#include "problems/problems.h"

#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef dae_status create_fn(const dae_problem *problem, const dae_start *start,
                             const dae_bdf_options *opts, const dae_env *env, dae_integrator **out,
                             dae_error *err);

static create_fn *const creates[] = {dae_bdf_create, dae_bdf_ggl_create};

/* a problem that both methods take */
static test_problem ball(void)
{
  return test_bouncing_ball();
}

typedef struct bad_option {
  const char *field;
  void (*set)(dae_bdf_options *opts, double value);
  double values[6];
  int count;
} bad_option;

#define SETTER(name, cast)                                                                         \
  static void set_##name(dae_bdf_options *opts, double value)                                      \
  {                                                                                                \
    opts->name = (cast)value;                                                                      \
  }
SETTER(rtol, double)
SETTER(atol, double)
SETTER(order, int)
SETTER(step, double)
SETTER(first_step, double)
SETTER(max_step, double)
SETTER(error_test, int)
SETTER(rules, int)
SETTER(max_failures, int)

static const bad_option bad_options[] = {
    {"rtol", set_rtol, {-1e-6, 0, 2, (double)NAN, (double)INFINITY, -(double)INFINITY}, 6},
    {"atol", set_atol, {-1e-8, (double)NAN, (double)INFINITY, -(double)INFINITY}, 4},
    {"order", set_order, {0, 6, 9, -1}, 4},
    {"step", set_step, {-0.1, (double)NAN, (double)INFINITY, -(double)INFINITY}, 4},
    {"first_step", set_first_step, {-0.1, (double)NAN, (double)INFINITY}, 3},
    {"max_step", set_max_step, {-0.1, (double)NAN, (double)INFINITY}, 3},
    {"error_test", set_error_test, {-1, 2, 100}, 3},
    {"rules", set_rules, {-1, 2}, 2},
    {"max_failures", set_max_failures, {0, -1, 1000000}, 3},
};

static void test_a_bad_option_is_refused_at_create_by_name(void **state)
{
  (void)state;
  test_problem p = ball();
  for (size_t i = 0; i < sizeof bad_options / sizeof *bad_options; i++)
    for (int j = 0; j < bad_options[i].count; j++)
      for (int m = 0; m < 2; m++) {
        const bad_option *bad = &bad_options[i];
        dae_bdf_options opts = dae_bdf_defaults();
        bad->set(&opts, bad->values[j]);
        dae_integrator *it = (dae_integrator *)&opts; /* must be overwritten */
        dae_error err = dae_error_none();
        dae_status status = creates[m](&p.problem, &p.start, &opts, NULL, &it, &err);
        if (status != DAE_ERROR_OPTION || err.status != status || it ||
            strcmp(err.equation, bad->field) != 0 || !strstr(err.text, bad->field))
          fail_msg("%s = %g: %s [%s] %s", bad->field, bad->values[j], dae_status_name(status),
                   err.equation, err.text);
      }
}

static void test_options_at_the_ends_of_their_ranges_are_taken(void **state)
{
  (void)state;
  const bad_option good[] = {
      {"rtol", set_rtol, {1e-14, 1}, 2},
      {"atol", set_atol, {0, 1e-300, 1e10}, 3},
      {"order", set_order, {1, 5}, 2},
      {"step", set_step, {0, 1e-3}, 2},
      {"first_step", set_first_step, {0, 10}, 2},
      {"max_step", set_max_step, {0, 1e-3}, 2},
      {"error_test", set_error_test, {DAE_BDF_TEST_QV, DAE_BDF_TEST_Q}, 2},
      {"rules", set_rules, {DAE_BDF_RULES_ACCURATE, DAE_BDF_RULES_DASSL}, 2},
      {"max_failures", set_max_failures, {1, 1000}, 2},
  };
  test_problem p = ball();
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    for (int j = 0; j < good[i].count; j++) {
      dae_bdf_options opts = dae_bdf_defaults();
      dae_integrator *it;
      dae_error err = dae_error_none();
      good[i].set(&opts, good[i].values[j]);
      if (dae_bdf_create(&p.problem, &p.start, &opts, NULL, &it, &err))
        fail_msg("%s = %g: %s", good[i].field, good[i].values[j], err.text);
      dae_integrator_free(it);
    }
}

static void test_a_bad_option_ends_a_run_before_it_starts(void **state)
{
  (void)state;
  test_problem p = ball();
  dae_bdf_options opts = dae_bdf_defaults();
  opts.rtol = -1;
  dae_run_plan plan = {.problem = p.problem,
                       .start = p.start,
                       .method = dae_method_find("bdf", NULL),
                       .options = &opts,
                       .to = 1};
  dae_summary summary;
  dae_error err;
  assert_int_equal(dae_run(&plan, NULL, &summary, &err), DAE_ERROR_OPTION);
  assert_string_equal(err.equation, "rtol");
  assert_int_equal(summary.status, DAE_ERROR_OPTION);
  assert_int_equal(summary.rows, 0);
}

static void test_an_unknown_option_is_refused_with_the_nearest_one(void **state)
{
  (void)state;
  const struct {
    const char *name, *meant;
  } slips[] = {{"rtoll", "rtol"},           {"attol", "atol"},
               {"ordre", "order"},          {"max-failurs", "max_failures"},
               {"eror_test", "error_test"}, {"projet", "project"}};
  for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
    dae_bdf_options opts = dae_bdf_defaults();
    dae_error err = dae_error_none();
    assert_int_equal(dae_options_set(&dae_bdf_option_table, &opts, slips[i].name, "1", &err),
                     DAE_ERROR_OPTION);
    assert_string_equal(err.equation, slips[i].name);
    if (!strstr(err.text, "did you mean") || !strstr(err.text, slips[i].meant))
      fail_msg("%s: %s", slips[i].name, err.text);
  }
}

static void test_a_value_that_does_not_fit_is_refused_when_it_is_set(void **state)
{
  (void)state;
  const struct {
    const char *name, *value;
  } bad[] = {
      {"rtol", "-1e-6"},     {"rtol", "nan"},        {"rtol", "small"}, {"rtol", ""},
      {"atol", "-1e-9"},     {"order", "9"},         {"order", "2.5"},  {"order", "0"},
      {"step", "-0.1"},      {"step", "inf"},        {"step", "1 s"},   {"error_test", "x"},
      {"error-test", "qvq"}, {"project", "perhaps"}, {"rules", "lax"},  {"max-failures", "0"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    dae_bdf_options opts = dae_bdf_defaults(), before = opts;
    dae_error err = dae_error_none();
    dae_status status =
        dae_options_set(&dae_bdf_option_table, &opts, bad[i].name, bad[i].value, &err);
    if (status != DAE_ERROR_OPTION || !err.text[0])
      fail_msg("%s = '%s': %s %s", bad[i].name, bad[i].value, dae_status_name(status), err.text);
    assert_memory_equal(&opts, &before, sizeof opts);
  }
}

static void test_deprecated_words_have_the_effect_of_the_new_ones(void **state)
{
  (void)state;
  dae_bdf_options opts = dae_bdf_defaults();
  dae_error err;
  char text[16];
  opts.rules = DAE_BDF_RULES_DASSL;
  assert_int_equal(dae_options_set(&dae_bdf_option_table, &opts, "rules", "strict", &err), DAE_OK);
  assert_int_equal(opts.rules, DAE_BDF_RULES_ACCURATE);
  for (int i = 0; i < dae_bdf_option_table.count; i++)
    if (strcmp(dae_bdf_option_table.options[i].name, "rules") == 0) {
      dae_options_get(&dae_bdf_option_table, &opts, i, text, sizeof text);
      assert_string_equal(text, "accurate");
    }
  assert_int_equal(dae_options_set(&dae_bdf_option_table, &opts, "error_test", "strict", &err),
                   DAE_ERROR_OPTION);
}

static void test_an_unknown_method_is_refused_with_the_nearest_one(void **state)
{
  (void)state;
  dae_error err = dae_error_none();
  assert_null(dae_method_find("bdf-gg", &err));
  assert_int_equal(err.status, DAE_ERROR_USAGE);
  assert_non_null(strstr(err.text, "did you mean 'bdf-ggl'?"));
  assert_string_equal(err.equation, "bdf-gg");
  assert_null(dae_method_find("BFD", &err));
  assert_non_null(strstr(err.text, "did you mean 'bdf'?"));
  assert_null(dae_method_find("runge-kutta-nystroem", &err));
  assert_null(strstr(err.text, "did you mean"));
  assert_non_null(strstr(err.text, "bdf-ggl")); /* what there is */
}

static void test_no_options_means_defaults(void **state)
{
  (void)state;
  test_problem p = test_pendulum();
  dae_bdf_options defaults = dae_bdf_defaults();
  assert_int_equal(dae_options_validate(&dae_bdf_option_table, &defaults, NULL), DAE_OK);
  const dae_bdf_options *opts[] = {NULL, &defaults};
  double y[2][5];
  for (int i = 0; i < 2; i++) {
    dae_integrator *it;
    assert_int_equal(dae_bdf_ggl_create(&p.problem, &p.start, opts[i], NULL, &it, NULL), DAE_OK);
    dae_status status;
    do
      status = dae_integrator_step(it, 1, NULL);
    while (status == DAE_OK);
    assert_int_equal(status, DAE_END);
    assert_int_equal(dae_integrator_interpolate(it, 1, y[i], NULL, NULL), DAE_OK);
    dae_integrator_free(it);
  }
  assert_memory_equal(y[0], y[1], sizeof y[0]);
  dae_run_plan plan = {
      .problem = p.problem, .start = p.start, .method = dae_method_find("bdf-ggl", NULL), .to = 1};
  dae_summary summary;
  assert_int_equal(dae_run(&plan, NULL, &summary, NULL), DAE_OK);
  assert_true(summary.rtol == defaults.rtol && summary.atol == defaults.rtol / 100);
}

/* every function that takes an error record, on its way into a failure, without one */
static void test_failures_without_an_error_record(void **state)
{
  (void)state;
  test_problem p = test_pendulum(), contradiction = test_contradiction();
  dae_bdf_options opts = dae_bdf_defaults();
  dae_integrator *it;
  double y[8];
  opts.order = 9;
  assert_int_equal(dae_bdf_ggl_create(&p.problem, &p.start, &opts, NULL, &it, NULL),
                   DAE_ERROR_OPTION);
  assert_int_equal(dae_bdf_create(&p.problem, &p.start, NULL, NULL, &it, NULL),
                   DAE_ERROR_UNSUPPORTED);
  assert_int_equal(
      dae_consistent_start(&contradiction.problem, &contradiction.start, NULL, y, NULL, NULL, NULL),
      DAE_ERROR_START);
  assert_int_equal(
      dae_bdf_ggl_create(&contradiction.problem, &contradiction.start, NULL, NULL, &it, NULL),
      DAE_ERROR_START);
  assert_int_equal(dae_problem_validate(&(dae_problem){0}, NULL), DAE_ERROR_PROBLEM);
  assert_int_equal(dae_options_set(&dae_bdf_option_table, &opts, "x", "1", NULL), DAE_ERROR_OPTION);
  assert_int_equal(dae_options_validate(&dae_bdf_option_table, &opts, NULL), DAE_ERROR_OPTION);
  assert_null(dae_method_find("none", NULL));
  for (int i = 0; dae_method_at(i); i++)
    assert_true(dae_method_at(i)->accepts(&(dae_problem){0}, NULL) < 0);

  assert_int_equal(dae_bdf_ggl_create(&p.problem, &p.start, NULL, NULL, &it, NULL), DAE_OK);
  assert_int_equal(dae_integrator_step(it, -1, NULL), DAE_ERROR_USAGE);
  assert_int_equal(dae_integrator_interpolate(it, 2, y, NULL, NULL), DAE_ERROR_USAGE);
  assert_int_equal(dae_integrator_restart(it, (double)NAN, y, NULL), DAE_ERROR_USAGE);
  assert_int_equal(dae_integrator_save(it, y, 1, NULL), DAE_ERROR_USAGE);
  assert_int_equal(dae_integrator_load(it, y, 1, NULL), DAE_ERROR_USAGE);
  dae_integrator_free(it);

  dae_sink sink;
  dae_run_plan plan = {.problem = p.problem, .start = p.start, .to = -1};
  assert_int_equal(dae_run(&plan, NULL, NULL, NULL), DAE_ERROR_USAGE);
  assert_int_equal(dae_csv_sink("", NULL, &sink, NULL), DAE_ERROR_USAGE);
  assert_int_equal(dae_json_sink(NULL, NULL, &sink, NULL), DAE_ERROR_USAGE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_bad_option_is_refused_at_create_by_name),
      cmocka_unit_test(test_options_at_the_ends_of_their_ranges_are_taken),
      cmocka_unit_test(test_a_bad_option_ends_a_run_before_it_starts),
      cmocka_unit_test(test_an_unknown_option_is_refused_with_the_nearest_one),
      cmocka_unit_test(test_a_value_that_does_not_fit_is_refused_when_it_is_set),
      cmocka_unit_test(test_deprecated_words_have_the_effect_of_the_new_ones),
      cmocka_unit_test(test_an_unknown_method_is_refused_with_the_nearest_one),
      cmocka_unit_test(test_no_options_means_defaults),
      cmocka_unit_test(test_failures_without_an_error_record),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
