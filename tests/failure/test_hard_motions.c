/* Motions and calls that a run cannot, or can barely, get through: it must not hang, what it says
 * must help, and what it has computed must be kept. And time itself: fixed steps, ends, grids. */
#include "problems/problems.h"

#include <daedal/daedal.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CSV "test_hard_motions.tmp.csv"
#define MOST 200000

/* ---- a sink that remembers the times ---- */

typedef struct times {
  int opened, closed;
  long rows;
  double t[MOST], first[MOST]; /* time and first variable of each row */
} times;

static times seen;

static dae_status times_open(void *self, int columns, const char *const *names, dae_error *err)
{
  (void)columns, (void)names, (void)err;
  ((times *)self)->opened++;
  return DAE_OK;
}

static dae_status times_row(void *self, const dae_row *row, dae_error *err)
{
  times *s = self;
  (void)err;
  assert_true(s->rows < MOST);
  for (int i = 0; i < row->columns; i++)
    assert_true(isfinite(row->values[i]));
  s->t[s->rows] = row->values[0];
  s->first[s->rows++] = row->values[1];
  return DAE_OK;
}

static dae_status times_close(void *self, dae_summary *summary, dae_error *err)
{
  (void)summary, (void)err;
  ((times *)self)->closed++;
  return DAE_OK;
}

static const dae_sink sink = {
    .self = &seen, .open = times_open, .row = times_row, .close = times_close};

typedef struct outcome {
  dae_status status;
  dae_error err;
  dae_summary summary;
} outcome;

static dae_run_plan plan_of(const dae_problem *problem, const double *y, double to)
{
  memset(&seen, 0, sizeof seen);
  return (dae_run_plan){.problem = *problem,
                        .start = {.y = y},
                        .method = dae_method_find(problem->mechanical ? "bdf-ggl" : "bdf", NULL),
                        .to = to,
                        .sinks = &sink,
                        .sink_count = 1};
}

static outcome run(const dae_run_plan *plan)
{
  outcome o = {.err = dae_error_none()};
  o.status = dae_run(plan, NULL, &o.summary, &o.err);
  assert_int_equal(seen.rows, o.summary.rows);
  assert_int_equal(seen.closed, 1);
  for (long i = 1; i < seen.rows; i++)
    assert_true(seen.t[i] > seen.t[i - 1]);
  return o;
}

/* ---- forces that jump ---- */

static int one_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = 1;
  return 0;
}

static int switched_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user;
  f[0] = at->t < 0.5 ? 0 : 10;
  return 0;
}

static int kicked_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user;
  f[0] = at->q[0] < 0.3 ? 1 : -1e6 * at->v[0];
  return 0;
}

static const char *const slider[] = {"slider"};

static void test_a_force_that_is_switched_on_is_gone_through(void **state)
{
  (void)state;
  const dae_mechanical m = {
      .nq = 1, .q_names = slider, .M = one_M, .f = switched_f, .constant_mass = true};
  dae_problem problem = dae_problem_mechanical(&m);
  const double y[] = {0, 1};
  dae_run_plan plan = plan_of(&problem, y, 1);
  outcome o = run(&plan);
  assert_int_equal(o.status, DAE_OK);
  assert_true(o.summary.stats.rejected_by_error > 0);
  assert_true(o.summary.stats.steps < 1000);
  assert_true(fabs(seen.first[seen.rows - 1] - (1 + 10 * 0.125)) < 1e-4);
}

static void test_a_jump_in_the_state_is_gone_through(void **state)
{
  (void)state;
  const dae_mechanical m = {
      .nq = 1, .q_names = slider, .M = one_M, .f = kicked_f, .constant_mass = true};
  dae_problem problem = dae_problem_mechanical(&m);
  const double y[] = {0, 1};
  dae_run_plan plan = plan_of(&problem, y, 1);
  outcome o = run(&plan);
  assert_int_equal(o.status, DAE_OK);
  assert_true(o.summary.stats.steps < 5000);
  assert_true(fabs(seen.first[seen.rows - 1] - 0.3) < 1e-4);
}

static int dry_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user;
  f[0] = -(at->v[0] > 0) + (at->v[0] < 0);
  return 0;
}

/* a mass on a table with dry friction comes to rest, where sign(v) jumps and no step satisfies the
 * equations: it says which variable it is instead of going on in steps of round-off */
static void test_a_motion_that_sticks_at_a_jump_ends_there_and_names_the_variable(void **state)
{
  (void)state;
  const dae_mechanical m = {
      .nq = 1, .q_names = slider, .M = one_M, .f = dry_f, .constant_mass = true};
  dae_problem problem = dae_problem_mechanical(&m);
  const double y[] = {0, 1};
  for (double rtol = 1e-3; rtol > 1e-9; rtol /= 10) {
    dae_bdf_options opts = dae_bdf_defaults();
    opts.rtol = rtol;
    opts.atol = 1e-8; /* at 1e-5 the steps between the two signs are large enough to go on */
    dae_run_plan plan = plan_of(&problem, y, 2);
    plan.options = &opts;
    outcome o = run(&plan);
    assert_int_equal(o.status, DAE_ERROR_STEP);
    assert_string_equal(o.err.equation, "der(slider)");
    assert_non_null(strstr(o.err.text, "t = 1.0"));
    assert_non_null(strstr(o.err.text, "der(slider)"));
    assert_true(fabs(o.err.t - 1) < 1e-3);
    assert_true(o.summary.stats.steps < 50000);
    assert_true(seen.rows > 10 && seen.t[seen.rows - 1] == o.summary.t_end);
    assert_true(fabs(seen.first[seen.rows - 1] - 0.5) < 1e-3); /* where it stops */
  }
}

/* a right side that is larger than any step can take from t = 1/2 on */
static int step_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = -at->x[0];
  f[1] = at->t < 0.5 ? 0 : 1e30;
  return 0;
}

static void test_a_jump_that_no_step_can_pass_names_the_variable(void **state)
{
  (void)state;
  static const char *const names[] = {"calm", "wild"};
  const dae_semi_explicit s = {.nx = 2, .x_names = names, .f = step_f};
  dae_problem problem = dae_problem_semi_explicit(&s);
  const double y[] = {1, 0};
  dae_run_plan plan = plan_of(&problem, y, 1);
  outcome o = run(&plan);
  assert_int_equal(o.status, DAE_ERROR_STEP);
  assert_string_equal(o.err.equation, "wild");
  assert_non_null(strstr(o.err.text, "wild"));
  assert_non_null(strstr(o.err.text, "discontinuous"));
  assert_true(fabs(o.err.t - 0.5) < 1e-6);
  assert_true(seen.t[seen.rows - 1] == o.err.t);
  assert_true(fabs(seen.first[seen.rows - 1] - exp(-0.5)) < 1e-5);
}

/* ---- blow-up ---- */

static int square_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = at->x[0] * at->x[0];
  return 0;
}

static void test_blow_up_in_finite_time_ends_there_with_its_rows(void **state)
{
  (void)state;
  const double rtol[] = {1e-4, 1e-6, 1e-9};
  for (int i = 0; i < 3; i++) {
    static const char *const names[] = {"u"};
    const dae_semi_explicit s = {.nx = 1, .x_names = names, .f = square_f};
    dae_problem problem = dae_problem_semi_explicit(&s);
    const double y[] = {1};
    dae_bdf_options opts = dae_bdf_defaults();
    opts.rtol = rtol[i];
    dae_run_plan plan = plan_of(&problem, y, 2);
    plan.options = &opts;
    outcome o = run(&plan);
    assert_int_equal(o.status, DAE_ERROR_STEP);
    assert_true(fabs(o.err.t - 1) < 100 * rtol[i]);
    assert_true(o.err.h > 0);
    assert_non_null(strstr(o.err.text, "t = "));
    assert_string_equal(o.err.equation, "u");
    assert_true(o.summary.t_end == o.err.t);
    assert_true(seen.t[seen.rows - 1] == o.err.t);
    for (long k = 0; k < seen.rows; k++)
      if (seen.t[k] < 0.9)
        assert_true(fabs(seen.first[k] * (1 - seen.t[k]) - 1) < 1000 * rtol[i]);
  }
}

/* ---- constraints that become dependent on the way ---- */

static void test_redundant_bars_pass_the_flat_position(void **state)
{
  (void)state;
  /* swung round fast enough to pass y = 0, where all three bars lie in one line */
  test_problem p = test_parallel_bars();
  double y[9] = {0, -1, 0, 7, 0, 0, 0, 0, 0};
  dae_run_plan plan = plan_of(&p.problem, y, 3);
  outcome o = run(&plan);
  if (o.status) { /* a bifurcation: it may stop there, but must say so */
    assert_int_equal(o.status, DAE_ERROR_STEP);
    assert_true(o.err.equation[0] != '\0');
    assert_non_null(strstr(o.err.text, "t = "));
  } else {
    double smallest = 1, largest = -1;
    for (long i = 0; i < seen.rows; i++) {
      smallest = fmin(smallest, seen.first[i]);
      largest = fmax(largest, seen.first[i]);
    }
    assert_true(smallest < -0.9 && largest > 0.9); /* it went round */
    assert_true(o.summary.position_drift < 1e-10);
    assert_true(fabs(o.summary.energy_change) < 1e-2);
  }
}

/* a start in the flat position, where one bar stands for all three; beyond it they are two */
static void test_rows_that_become_independent_again_are_not_lost(void **state)
{
  (void)state;
  test_problem p = test_parallel_bars();
  double y[9] = {1, 0, 0, 0, -7, 0, 0, 0, 0};
  dae_run_plan plan = plan_of(&p.problem, y, 1);
  outcome o = run(&plan);
  if (o.status == DAE_OK)
    assert_true(o.summary.position_drift < 1e-10);
  else
    assert_non_null(strstr(o.err.text, "constraint bar"));
  assert_true(o.summary.position_drift < 1e-6);
}

/* ---- calls out of order ---- */

static dae_integrator *pendulum_integrator(const dae_bdf_options *opts)
{
  test_problem p = test_pendulum();
  dae_integrator *it;
  assert_int_equal(dae_bdf_ggl_create(&p.problem, &p.start, opts, NULL, &it, NULL), DAE_OK);
  return it;
}

static void test_a_stop_that_is_not_ahead_is_refused(void **state)
{
  (void)state;
  dae_integrator *it = pendulum_integrator(NULL);
  const double bad[] = {0, -1, (double)NAN, -(double)INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    dae_error err = dae_error_none();
    assert_int_equal(dae_integrator_step(it, bad[i], &err), DAE_ERROR_USAGE);
    assert_non_null(strstr(err.text, "t_stop"));
  }
  assert_true(dae_integrator_step(it, 1, NULL) >= 0);
  double t = dae_integrator_view(it).t;
  assert_int_equal(dae_integrator_step(it, t, NULL), DAE_ERROR_USAGE);
  assert_true(dae_integrator_step(it, 1, NULL) >= 0); /* and goes on */
  assert_true(dae_integrator_view(it).t > t);
  dae_integrator_free(it);
}

static void test_the_last_step_ends_at_the_stop_exactly(void **state)
{
  (void)state;
  dae_integrator *it = pendulum_integrator(NULL);
  const double stops[] = {0.1, 0.3, 0.30000000001, 1 / 3., 0.7, 0.7000001, 1};
  for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
    dae_status status;
    do
      status = dae_integrator_step(it, stops[i], NULL);
    while (status == DAE_OK);
    assert_int_equal(status, DAE_END);
    assert_true(dae_integrator_view(it).t == stops[i]);
  }
  dae_integrator_free(it);
}

/* as stops that are formed in two ways do */
static void test_stops_that_differ_by_round_off_do_no_harm(void **state)
{
  (void)state;
  dae_integrator *it = pendulum_integrator(NULL);
  const double stops[] = {0.3, 0.1 * 3, 0.7, nextafter(0.7, 1), 1};
  for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
    dae_status status;
    dae_error err = dae_error_none();
    do
      status = dae_integrator_step(it, stops[i], &err);
    while (status == DAE_OK);
    if (status != DAE_END)
      fail_msg("%s", err.text);
    assert_true(dae_integrator_view(it).t == stops[i]);
  }
  dae_integrator_free(it);
}

static void test_interpolation_outside_the_last_step_is_refused(void **state)
{
  (void)state;
  dae_integrator *it = pendulum_integrator(NULL);
  double y[5];
  for (int i = 0; i < 30; i++)
    assert_int_equal(dae_integrator_step(it, 5, NULL), DAE_OK);
  dae_view view = dae_integrator_view(it);
  double h = view.t - view.t_previous;
  const double bad[] = {view.t_previous - h, view.t_previous - 1e-6 * h, view.t + 1e-6 * h,
                        view.t + h, (double)NAN};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    dae_error err = dae_error_none();
    assert_int_equal(dae_integrator_interpolate(it, bad[i], y, NULL, &err), DAE_ERROR_USAGE);
    assert_string_equal(err.equation, "t");
  }
  const double good[] = {view.t_previous, view.t_previous + h / 3, view.t};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(dae_integrator_interpolate(it, good[i], y, NULL, NULL), DAE_OK);
    assert_true(fabs(y[0] * y[0] + y[1] * y[1] - 1) < 1e-11);
  }
  dae_integrator_free(it);
}

/* ---- ends of runs ---- */

static bool until_two(void *user, double t)
{
  ++*(long *)user;
  return t < 2;
}

static void test_an_interrupted_run_keeps_its_rows(void **state)
{
  (void)state;
  test_problem p = test_pendulum();
  long asked = 0;
  dae_run_plan plan = plan_of(&p.problem, p.start.y, 10);
  plan.progress = until_two;
  plan.progress_user = &asked;
  outcome o = run(&plan);
  assert_int_equal(o.status, DAE_ERROR_INTERRUPTED);
  assert_int_equal(o.summary.status, DAE_ERROR_INTERRUPTED);
  assert_int_equal(asked, o.summary.stats.steps);
  assert_int_equal(seen.rows, asked + 1);
  assert_true(seen.t[seen.rows - 1] == o.summary.t_end);
  assert_true(o.summary.t_end >= 2 && o.summary.t_end < 2.5);
  assert_true(o.err.t == o.summary.t_end);
  assert_non_null(strstr(o.summary.message, "interrupted"));
  assert_true(o.summary.position_drift < 1e-11);
}

static void test_a_file_that_cannot_be_written_is_named(void **state)
{
  (void)state;
  const char *const path = "no such folder/rows.csv";
  test_problem p = test_pendulum();
  for (int which = 0; which < 2; which++) {
    dae_sink file;
    outcome o = {.err = dae_error_none()};
    assert_int_equal((which ? dae_json_sink : dae_csv_sink)(path, NULL, &file, NULL), DAE_OK);
    dae_run_plan plan = plan_of(&p.problem, p.start.y, 0.1);
    plan.sinks = &file;
    o.status = dae_run(&plan, NULL, &o.summary, &o.err);
    assert_int_equal(o.status, DAE_ERROR_FILE);
    assert_int_equal(o.summary.status, DAE_ERROR_FILE);
    assert_non_null(strstr(o.err.text, path));
    assert_string_equal(o.summary.message, o.err.text);
    file.free(file.self);
  }
}

/* ---- fixed steps ---- */

static int turn_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = -at->x[1];
  f[1] = at->x[0];
  return 0;
}

static const dae_semi_explicit turn = {.nx = 2, .f = turn_f};

static outcome run_fixed(double from, double to, double step, int order)
{
  dae_problem problem = dae_problem_semi_explicit(&turn);
  const double y[] = {1, 0};
  dae_bdf_options opts = dae_bdf_defaults();
  opts.step = step;
  opts.order = order;
  dae_run_plan plan = plan_of(&problem, y, to);
  plan.start.t = from;
  plan.options = &opts;
  return run(&plan);
}

static void test_fixed_steps_are_multiples_to_the_last_bit(void **state)
{
  (void)state;
  const double from[] = {0, 0.1, -3, 1e6}, step[] = {0.1, 0.01, 1 / 3. / 1024, 0.07};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int order = 1; order <= 5; order += 2) {
        double to = from[i] + 2000 * step[j];
        outcome o = run_fixed(from[i], to, step[j], order);
        if (o.status)
          fail_msg("from %g by %g, order %d: %s", from[i], step[j], order, o.err.text);
        assert_int_equal(o.summary.stats.steps, 2000);
        assert_int_equal(seen.rows, 2001);
        for (long n = 0; n < 2000; n++)
          assert_true(seen.t[n] == from[i] + (double)n * step[j]);
        assert_true(seen.t[2000] == to);
      }
}

static void test_a_very_long_run_of_fixed_steps_keeps_its_grid(void **state)
{
  (void)state;
  const long n = 150000;
  outcome o = run_fixed(0, (double)n * 0.1, 0.1, 2);
  assert_int_equal(o.status, DAE_OK);
  assert_int_equal(seen.rows, n + 1);
  for (long i = 0; i < n; i++)
    assert_true(seen.t[i] == (double)i * 0.1);
  assert_true(seen.t[n] == (double)n * 0.1);
}

static void test_a_remainder_is_a_shorter_last_step(void **state)
{
  (void)state;
  outcome o = run_fixed(0, 1.03, 0.1, 3);
  assert_int_equal(o.status, DAE_OK);
  assert_int_equal(seen.rows, 12);
  for (int i = 0; i <= 10; i++)
    assert_true(seen.t[i] == i * 0.1);
  assert_true(seen.t[11] == 1.03);
  assert_true(fabs(seen.first[11] - cos(1.03)) < 1e-2);
}

static void test_a_remainder_of_round_off_is_joined_to_the_last_step(void **state)
{
  (void)state;
  const double ends[] = {1 + 4e-11, 1 - 4e-11, 1 + 1e-14, 1 - 1e-14};
  for (int i = 0; i < 4; i++) {
    outcome o = run_fixed(0, ends[i], 0.1, 3);
    assert_int_equal(o.status, DAE_OK);
    assert_int_equal(o.summary.stats.steps, 10);
    assert_int_equal(seen.rows, 11);
    assert_true(seen.t[9] == 9 * 0.1);
    assert_true(seen.t[10] == ends[i]);
  }
  outcome o = run_fixed(0, 1 + 1e-9, 0.1, 3); /* more than that is not */
  assert_int_equal(o.status, DAE_OK);
  assert_int_equal(o.summary.stats.steps, 11);
}

static void test_a_step_larger_than_the_interval_is_one_step(void **state)
{
  (void)state;
  for (int order = 1; order <= 5; order++) {
    outcome o = run_fixed(0, 0.05, 0.1, order);
    assert_int_equal(o.status, DAE_OK);
    assert_int_equal(seen.rows, 2);
    assert_true(seen.t[1] == 0.05);
    assert_true(fabs(seen.first[1] - cos(0.05)) < 1e-3);
  }
}

static void test_an_interval_shorter_than_the_start_of_a_high_order(void **state)
{
  (void)state;
  for (int steps = 1; steps <= 5; steps++) { /* order 5 wants five values before its first step */
    outcome o = run_fixed(0, 0.1 * steps, 0.1, 5);
    assert_int_equal(o.status, DAE_OK);
    assert_int_equal(o.summary.stats.steps, steps);
    assert_int_equal(seen.rows, steps + 1);
    assert_true(fabs(seen.first[steps] - cos(0.1 * steps)) < 1e-6);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_force_that_is_switched_on_is_gone_through),
      cmocka_unit_test(test_a_jump_in_the_state_is_gone_through),
      cmocka_unit_test(test_a_motion_that_sticks_at_a_jump_ends_there_and_names_the_variable),
      cmocka_unit_test(test_stops_that_differ_by_round_off_do_no_harm),
      cmocka_unit_test(test_a_jump_that_no_step_can_pass_names_the_variable),
      cmocka_unit_test(test_blow_up_in_finite_time_ends_there_with_its_rows),
      cmocka_unit_test(test_redundant_bars_pass_the_flat_position),
      cmocka_unit_test(test_rows_that_become_independent_again_are_not_lost),
      cmocka_unit_test(test_a_stop_that_is_not_ahead_is_refused),
      cmocka_unit_test(test_the_last_step_ends_at_the_stop_exactly),
      cmocka_unit_test(test_interpolation_outside_the_last_step_is_refused),
      cmocka_unit_test(test_an_interrupted_run_keeps_its_rows),
      cmocka_unit_test(test_a_file_that_cannot_be_written_is_named),
      cmocka_unit_test(test_fixed_steps_are_multiples_to_the_last_bit),
      cmocka_unit_test(test_a_very_long_run_of_fixed_steps_keeps_its_grid),
      cmocka_unit_test(test_a_remainder_is_a_shorter_last_step),
      cmocka_unit_test(test_a_remainder_of_round_off_is_joined_to_the_last_step),
      cmocka_unit_test(test_a_step_larger_than_the_interval_is_one_step),
      cmocka_unit_test(test_an_interval_shorter_than_the_start_of_a_high_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
