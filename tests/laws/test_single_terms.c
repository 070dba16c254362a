/* Laws that hang on one tolerance, one sign or one term: what no accuracy of a whole run shows. */
#include "core/arena.h"
#include "linalg/pattern.h"
#include "linalg/solver.h"
#include "problem/measure.h"

#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static dae_model *load(const char *text)
{
  dae_model *model;
  dae_error err;
  if (dae_model_parse("model", text, strlen(text), NULL, NULL, &model, &err) < 0)
    fail_msg("%s", err.text);
  return model;
}

typedef struct last_row {
  int columns;
  double values[32];
} last_row;

static dae_status keep_row(void *user, const dae_row *row, dae_error *err)
{
  last_row *last = user;
  (void)err;
  assert_true(row->columns <= 32);
  last->columns = row->columns;
  memcpy(last->values, row->values, (size_t)row->columns * sizeof *row->values);
  return DAE_OK;
}

/* Runs a model by a method; the last row in *last. */
static dae_summary run_model(const char *text, const char *method, const char *rtol, last_row *last)
{
  dae_model *model = load(text);
  dae_summary summary;
  dae_error err;
  char options[4096];
  const dae_method *m = dae_method_find(method, &err);
  dae_sink sink = {.self = last, .row = keep_row};
  dae_run_plan plan = {.method = m, .options = options, .sinks = &sink, .sink_count = 1};
  assert_true(m && m->options_size <= sizeof options);
  m->defaults(options);
  assert_true(dae_options_set(m->options, options, "rtol", rtol, &err) >= 0);
  dae_model_plan(model, &plan);
  if (dae_run(&plan, NULL, &summary, &err) < 0)
    fail_msg("%s", err.text);
  dae_model_free(model);
  return summary;
}

/* ---- events ---- */

/* The later one stands first in the list; both lie in one part of one step, where 2 (3 n) + 1
 * differs from 3 (2 n + 1). */
static void test_two_events_in_one_part_of_a_step_happen_in_order(void **state)
{
  (void)state;
  static const char *const methods[] = {"explicit", "gauss", "radau", "bdf", "switching"};
  for (int i = 0; i < 5; i++) {
    last_row last;
    run_model("model two\nstate x = 0\ndiscrete n = 1\nx' = 1\n"
              "event late: x - 0.501 rising { n = 2*n + 1 }\n"
              "event early: x - 0.5 rising { n = 3*n }\n"
              "event no: x - 0.5005 falling { n = 100 }\nsimulate to 1\n",
              methods[i], "1e-4", &last);
    assert_true(last.values[last.columns - 1] == 7);
  }
}

/* ---- measures ---- */

static void check_drift(const char *text, const double *y, double position, double velocity)
{
  dae_model *model = load(text);
  dae_error err;
  double found[2];
  dae__arena *arena = dae__arena_create(NULL);
  dae__measure *measure;
  assert_int_equal(dae__measure_create(arena, dae_model_problem(model), &measure, &err), DAE_OK);
  assert_int_equal(dae__measure_drift(measure, 0, y, &found[0], &found[1], &err), DAE_OK);
  if (isnan(position))
    assert_true(isnan(found[0]));
  else
    assert_true(fabs(found[0] - position) < 1e-12);
  assert_true(fabs(found[1] - velocity) < 1e-12);
  dae__arena_free(arena);
  dae_model_free(model);
}

static void test_velocity_drift_is_that_of_all_constraints(void **state)
{
  (void)state;
  /* holonomic alone: g = x^2 + y^2 - 1, g' = 2 (x x' + y y') */
  check_drift("model p\ncoord x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\nconstraint x^2 + y^2 = 1\n"
              "simulate to 1\n",
              (const double[]){1.1, 0, 0.3, 0.2, 0, 0}, 0.21, 0.66);
  /* nonholonomic alone: k = x' sin(phi) - y' cos(phi) */
  check_drift("model k\ncoord x = 0, y = 0, phi = 0\nkinetic (x'^2 + y'^2 + phi'^2)/2\n"
              "constraint x'*sin(phi) - y'*cos(phi) = 0\nsimulate to 1\n",
              (const double[]){0, 0, 0, 1, 0.25, 0, 0}, NAN, 0.25);
  /* both, the nonholonomic one the larger */
  check_drift("model b\ncoord x = 0, y = 0, phi = 0, z = 0\n"
              "kinetic (x'^2 + y'^2 + phi'^2 + z'^2)/2\nconstraint z = 0\n"
              "constraint x'*sin(phi) - y'*cos(phi) = 0\nsimulate to 1\n",
              (const double[]){0, 0, 0, 0, 1, 0.25, 0, 0.125, 0, 0}, 0, 0.25);
}

/* ---- tolerances of the start ---- */

static dae_status start_of(const char *text, dae_diagnosis *find)
{
  dae_model *model = load(text);
  double y[64];
  dae_error err;
  dae_start start = dae_model_start(model);
  dae_status status =
      dae_consistent_start(dae_model_problem(model), &start, NULL, y, NULL, find, &err);
  dae_model_free(model);
  return status;
}

static void test_contradictions_far_below_an_rtol_are_refused(void **state)
{
  (void)state;
  static const char *const gaps[] = {"1e-3", "1e-5", "1e-7", "4e-9"};
  char text[400];
  dae_diagnosis find;
  for (int i = 0; i < 4; i++) {
    snprintf(text, sizeof text,
             "model c\ncoord x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\nconstraint x = 1\n"
             "constraint x = 1 + %s\nsimulate to 1\n",
             gaps[i]);
    assert_int_equal(start_of(text, &find), DAE_ERROR_START);
  }
}

static void test_rows_are_independent_far_above_round_off(void **state)
{
  (void)state;
  static const struct {
    const char *slope;
    int rank;
  } rows[] = {{"1", 1}, {"1 + 1e-13", 1}, {"1 + 1e-7", 2}, {"1 + 1e-5", 2}, {"1.1", 2}};
  char text[400];
  for (int i = 0; i < 5; i++) {
    dae_diagnosis find;
    snprintf(text, sizeof text,
             "model r\ncoord x = 0, y = 0, z = 0\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
             "constraint x + y = 0\nconstraint x + (%s)*y = 0\nsimulate to 1\n",
             rows[i].slope);
    assert_int_equal(start_of(text, &find), DAE_OK);
    assert_int_equal(find.rank, rows[i].rank);
  }
}

/* The ratio of the pivots, not only pivots of zero. */
static void test_nearly_singular_matrices_have_a_small_condition(void **state)
{
  (void)state;
  dae__arena *arena = dae__arena_create(NULL);
  dae__solver *solver;
  dae_error err;
  dae_pattern dense = dae__pattern_dense(arena, 3, 3);
  const double A[9] = {1, 1, 0, 1, 1 + 4e-15, 0, 0, 0, 1}, B[9] = {1, 0, 0, 0, 2, 0, 0, 0, 4};
  assert_int_equal(dae__solver_create(arena, &dense, &solver, &err), DAE_OK);
  assert_int_equal(dae__solver_factor(solver, A), DAE_OK);
  assert_true(dae__solver_rcond(solver) < 1e-14);
  assert_int_equal(dae__solver_factor(solver, B), DAE_OK);
  assert_true(dae__solver_rcond(solver) > 0.1);
  dae__arena_free(arena);
}

/* ---- the error estimate of radau ---- */

/* An overdamped stiff position behind a drive with kinks: the estimates of position and velocity
 * cancel, so that steps over the kinks are not rejected again and again (0.27 of the steps; 0.72
 * where the estimates add up). */
static void test_radau_filters_the_estimates_of_stiff_positions(void **state)
{
  (void)state;
  last_row last;
  dae_stats n = run_model("model m\ncoord x = 0 rate 0\nkinetic x'^2/2\n"
                          "force x = -1e6*(x - abs(sin(3*t))) - 1e5*x'\nsimulate to 10\n",
                          "radau", "1e-5", &last)
                    .stats;
  if (2 * n.rejected_by_error > n.steps)
    fail_msg("%ld of %ld steps were rejected", n.rejected_by_error, n.steps);
}

/* The slope of x is an algebraic variable that varies within steps: the estimate from the slope at
 * the start of a step does not see it. */
static void test_radau_sees_what_algebraic_variables_drive(void **state)
{
  (void)state;
  static const double rtol[] = {1e-4, 1e-6, 1e-8};
  for (int i = 0; i < 3; i++) {
    last_row last;
    char text[32];
    snprintf(text, sizeof text, "%g", rtol[i]);
    run_model("model d\nstate x = 0\nalg z = 0\nx' = z\n0 = z - 1/(1 + 100*(t - 2)^2)\n"
              "simulate to 4\n",
              "radau", text, &last);
    double exact = 2 * atan(20) / 10, error = fabs(last.values[1] - exact);
    if (!(error < 30 * rtol[i]))
      fail_msg("error %g with rtol %g", error, rtol[i]);
  }
}

/* A pulse that no earlier step shows: steps beyond the tolerance are repeated, not only made
 * smaller afterwards. */
static void test_bdf_rejects_steps_over_a_pulse(void **state)
{
  (void)state;
  last_row last;
  dae_stats n = run_model("model d\nstate x = 0\nx' = 1/(1 + 1e4*(t - 2)^2) - x\nsimulate to 4\n",
                          "bdf", "1e-6", &last)
                    .stats;
  assert_true(n.rejected_by_error > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_events_in_one_part_of_a_step_happen_in_order),
      cmocka_unit_test(test_velocity_drift_is_that_of_all_constraints),
      cmocka_unit_test(test_contradictions_far_below_an_rtol_are_refused),
      cmocka_unit_test(test_rows_are_independent_far_above_round_off),
      cmocka_unit_test(test_nearly_singular_matrices_have_a_small_condition),
      cmocka_unit_test(test_radau_filters_the_estimates_of_stiff_positions),
      cmocka_unit_test(test_bdf_rejects_steps_over_a_pulse),
      cmocka_unit_test(test_radau_sees_what_algebraic_variables_drive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
