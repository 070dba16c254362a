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

enum { ROWS_MOST = 200 }; /* of a matrix: above the crossover to LAPACK */

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

/* A value that crosses zero at the instant of a time event, but for round-off: the action of the
 * time event restarts the integrator, and the value would have no side from then on. */
static void test_a_crossing_at_an_instant_happens_once(void **state)
{
  (void)state;
  for (int i = 0; i < 60; i++) {
    last_row last;
    char text[400];
    double at = 0.3 + i / 23., rate = 0.5 + i / 17., x = i / 13. - 2;
    snprintf(
        text, sizeof text,
        "model m\ncoord x = %.17g rate %.17g\nkinetic x'^2/2\ndiscrete a = 0, b = 0\n"
        "param T = %.17g\nevent tick: every 10 from T { a = a + 1; x' = x' + 1 }\n"
        "event cross: x - (%.17g + %.17g*T) rising { b = b + 1 }\noutput ticks = a, crossings = b\n"
        "simulate to 4\n",
        x, rate, at, x, rate);
    run_model(text, "switching", "1e-6", &last);
    if (last.values[last.columns - 2] != 1 || last.values[last.columns - 1] != 1)
      fail_msg("at %g: %g ticks, %g crossings", at, last.values[last.columns - 2],
               last.values[last.columns - 1]);
  }
}

/* ---- what the verdict on a run tells ---- */

static void test_events_that_accumulate_are_told(void **state)
{
  (void)state;
  static const struct {
    const char *restitution, *to;
    bool accumulate;
  } balls[] = {{"0.5", "1.354", true}, {"0.5", "1.3", false}, {"0.9", "2", false}};
  for (int i = 0; i < 3; i++) {
    last_row last;
    char text[200];
    snprintf(text, sizeof text,
             "model b\ncoord z = 1\nkinetic z'^2/2\npotential 9.81*z\n"
             "event ground: z falling { z' = -%s*z' }\nsimulate to %s\n",
             balls[i].restitution, balls[i].to);
    dae_summary s = run_model(text, "switching", "1e-6", &last);
    assert_true(!strstr(s.reasons, "events accumulate near t = 1.35") == !balls[i].accumulate);
    assert_int_equal(s.trust, balls[i].accumulate ? DAE_TRUST_AMBER : DAE_TRUST_GREEN);
  }
}

static void test_a_variable_beyond_all_bounds_is_named(void **state)
{
  (void)state;
  last_row last;
  dae_summary s = run_model("model g\nstate calm = 1, wild = 1\ncalm' = -calm\nwild' = 300*wild\n"
                            "simulate to 1\n",
                            "radau", "1e-6", &last);
  assert_int_equal(s.trust, DAE_TRUST_RED);
  assert_non_null(strstr(s.reasons, "wild grows beyond all bounds"));
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

/* Factors a dense matrix of n rows, the identity but for its first two rows and columns, which are
 * (1, 1; 1, 1 + gap); returns the estimate of the condition. */
static double rcond_of(int n, double gap)
{
  static double A[ROWS_MOST * ROWS_MOST];
  dae__arena *arena = dae__arena_create(NULL);
  dae__solver *solver;
  dae_error err;
  dae_pattern dense = dae__pattern_dense(arena, n, n);
  memset(A, 0, sizeof A);
  for (int i = 0; i < n; i++)
    A[i + i * n] = 1;
  A[1] = A[n] = 1;
  A[1 + n] = 1 + gap;
  assert_int_equal(dae__solver_create(arena, &dense, &solver, &err), DAE_OK);
  assert_int_equal(dae__solver_factor(solver, A), DAE_OK);
  double rcond = dae__solver_rcond(solver);
  dae__solver_free(solver);
  dae__arena_free(arena);
  return rcond;
}

/* The ratio of the pivots, not only pivots of zero, in every kernel of dense matrices. */
static void test_nearly_singular_matrices_have_a_small_condition(void **state)
{
  (void)state;
  static const int rows[] = {2, 3, 12, 13, 40, ROWS_MOST};
  for (int i = 0; i < 6; i++) {
    assert_true(rcond_of(rows[i], 4e-15) < 1e-14);
    assert_true(rcond_of(rows[i], 1) > 0.1);
  }
}

/* Algebraic variables, of which the equations determine all but the difference of the first two:
 * that needs the derivative of the equations. */
static void test_nearly_dependent_algebraic_equations_have_index_2(void **state)
{
  (void)state;
  static const int count[] = {2, 3, 12, 13, 16, 40};
  static const char *const gap[] = {"4e-15", "1e-3"};
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 2; k++) {
      dae_diagnosis find;
      char text[400];
      snprintf(text, sizeof text,
               "model u\nstate x = 1\nalg z[k in 1..%d] = 1\nx' = -z[1]\n0 = z[1] + z[2] - x\n"
               "0 = z[1] + (1 + %s)*z[2] - x\nfor k in 3..%d { 0 = z[k] - x }\nsimulate to 1\n",
               count[i], gap[k], count[i]);
      assert_int_equal(start_of(text, &find), DAE_OK);
      assert_int_equal(find.index, k == 0 ? 2 : 1);
    }
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

/* x'' = cos t + size max(0, t - at), without an event at the bend of the force. */
typedef struct bend {
  double at, size;
} bend;

static int bend_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = 1;
  return 0;
}

static int bend_f(void *user, const dae_mechanical_at *at, double *f)
{
  const bend *of = user;
  f[0] = cos(at->t) + of->size * fmax(0, at->t - of->at);
  return 0;
}

/* Error of position and velocity at t = 8, the larger one in tolerances. */
static double bend_error(bend of, double rtol)
{
  const dae_mechanical m = {.nq = 1, .user = &of, .M = bend_M, .f = bend_f, .constant_mass = true};
  const double start[] = {0, 0}, to = 8, d = to - of.at;
  const double exact[] = {1 - cos(to) + of.size * d * d * d / 6, sin(to) + of.size * d * d / 2};
  const dae_method *by = dae_method_find("radau", NULL);
  dae_rk_options options = dae_rk_adaptive_defaults();
  dae_problem problem = dae_problem_mechanical(&m);
  dae_start from = {.y = start};
  dae_integrator *it;
  dae_error err;
  double y[2], error = 0;
  options.rtol = rtol;
  options.atol = rtol / 100;
  assert_int_equal(by->create(&problem, &from, &options, NULL, &it, &err), DAE_OK);
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, to, &err);
  assert_int_equal(status, DAE_END);
  assert_int_equal(dae_integrator_interpolate(it, to, y, NULL, &err), DAE_OK);
  dae_integrator_free(it);
  for (int i = 0; i < 2; i++)
    error = fmax(error, fabs(y[i] - exact[i]) / (rtol * (1 + fabs(exact[i]))));
  return error;
}

/* A force that bends within a step: the error has another order than the estimate, whose tolerance
 * is mapped, and must not pass with it (errors of up to 1 tolerance; hundreds where only the
 * mapped tolerance is kept). */
static void test_radau_keeps_its_tolerance_over_bends(void **state)
{
  (void)state;
  for (double size = 0.1; size < 2; size *= 10)
    for (double rtol = 1e-3; rtol > 1e-9; rtol /= 10)
      for (int k = 0; k < 12; k++) {
        bend of = {.at = 5 + k / 13., .size = size};
        double error = bend_error(of, rtol);
        if (!(error < 5))
          fail_msg("%g tolerances at %g, bend of %g at %g", error, rtol, size, of.at);
      }
}

/* ---- the error test of bdf ---- */

/* A pulse that no earlier step shows is met with large steps, which are repeated until they keep
 * the tolerance (errors of up to 0.7 tolerances, wherever the pulse is). */
static void test_bdf_keeps_its_tolerance_over_pulses(void **state)
{
  (void)state;
  static const double rtol[] = {1e-3, 1e-4};
  static const struct {
    double size, rate;
  } pulses[] = {{10, 300}, {100, 1000}};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 12; k++) {
      double A = pulses[i / 2].size, w = pulses[i / 2].rate, at = 1 + k / 13.;
      double exact = sin(3) + A / w * (atan(w * (3 - at)) + atan(w * at));
      last_row last;
      char text[200], tolerance[32];
      snprintf(text, sizeof text,
               "model d\nstate x = 0\nx' = cos(t) + %g/(1 + (%g*(t - %.17g))^2)\nsimulate to 3\n",
               A, w, at);
      snprintf(tolerance, sizeof tolerance, "%g", rtol[i % 2]);
      run_model(text, "bdf", tolerance, &last);
      double error = fabs(last.values[1] - exact) / rtol[i % 2];
      if (!(error < 2))
        fail_msg("%g tolerances at %g, pulse of %g at %g", error, rtol[i % 2], A, at);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_events_in_one_part_of_a_step_happen_in_order),
      cmocka_unit_test(test_a_crossing_at_an_instant_happens_once),
      cmocka_unit_test(test_events_that_accumulate_are_told),
      cmocka_unit_test(test_a_variable_beyond_all_bounds_is_named),
      cmocka_unit_test(test_velocity_drift_is_that_of_all_constraints),
      cmocka_unit_test(test_contradictions_far_below_an_rtol_are_refused),
      cmocka_unit_test(test_rows_are_independent_far_above_round_off),
      cmocka_unit_test(test_nearly_singular_matrices_have_a_small_condition),
      cmocka_unit_test(test_nearly_dependent_algebraic_equations_have_index_2),
      cmocka_unit_test(test_radau_filters_the_estimates_of_stiff_positions),
      cmocka_unit_test(test_bdf_keeps_its_tolerance_over_pulses),
      cmocka_unit_test(test_radau_keeps_its_tolerance_over_bends),
      cmocka_unit_test(test_radau_sees_what_algebraic_variables_drive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
