/* What sinks are told of steps and rows adds up to the account at the end; rows between steps. */
#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* What a sink has seen. */
typedef struct seen {
  double from;     /* where the next step begins */
  double covered;  /* sum of the steps */
  dae_stats stats; /* at the last step */
  double energy, balance;
  double position, velocity; /* largest drift of rows */
  long steps, sweeps;
  double observed, predicted;
  int order;
} seen;

static dae_status see_row(void *self, const dae_row *row, dae_error *err)
{
  seen *s = self;
  (void)err;
  assert_true(row->columns > 1 && row->y);
  s->position = fmax(s->position, row->position_drift);
  s->velocity = fmax(s->velocity, row->velocity_drift);
  return DAE_OK;
}

static dae_status see_step(void *self, const dae_step_record *step, dae_error *err)
{
  seen *s = self;
  (void)err;
  assert_true(step->h > 0);
  assert_true(fabs(step->t - step->h - s->from) <= 1e-12 * (1 + step->t));
  assert_true(step->stats.steps >= s->stats.steps);
  assert_true(step->stats.evaluations >= s->stats.evaluations);
  s->from = step->t;
  s->covered += step->h;
  s->stats = step->stats;
  s->energy = step->energy;
  s->balance = step->balance;
  s->order = step->order > s->order ? step->order : s->order;
  s->steps++;
  s->sweeps += step->sweeps;
  s->observed = fmax(s->observed, step->observed);
  s->predicted = fmax(s->predicted, step->predicted);
  return DAE_OK;
}

/* Runs the text with the method that it asks for, or auto. */
static seen run_text(const char *text, const char *method, dae_summary *summary)
{
  seen s = {.position = NAN, .velocity = NAN, .observed = NAN, .predicted = NAN};
  const dae_sink sink = {.self = &s, .row = see_row, .step = see_step};
  dae_model *model;
  dae_error err;
  if (dae_model_parse("test", text, strlen(text), NULL, NULL, &model, &err) < 0)
    fail_msg("%s", err.text);
  dae_run_plan plan = {.sinks = &sink, .sink_count = 1};
  dae_model_plan(model, &plan);
  plan.method = dae_method_find(method, &err);
  assert_non_null(plan.method);
  if (dae_run(&plan, NULL, summary, &err) < 0)
    fail_msg("%s", err.text);
  dae_model_free(model);
  return s;
}

static const char pendulum[] = "model pendulum\n"
                               "coord x = 1, y = 0\n"
                               "kinetic (x'^2 + y'^2)/2\n"
                               "potential 9.81*y\n"
                               "constraint x^2 + y^2 = 1\n"
                               "simulate to 2 every 0.1\n";

static void test_steps_cover_the_run_and_end_with_its_account(void **state)
{
  (void)state;
  static const char *const methods[] = {"bdf-ggl", "switching", "radau", "spark-gauss"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    dae_summary summary;
    seen s = run_text(pendulum, methods[i], &summary);
    assert_true(fabs(s.covered - 2) < 1e-12);
    assert_int_equal(s.steps, summary.stats.steps);
    assert_int_equal(s.stats.steps, summary.stats.steps);
    assert_int_equal(s.order, summary.order);
    assert_true(s.energy - summary.energy_start == summary.energy_change);
    assert_true(s.balance == summary.energy_balance);
    assert_true(s.position == summary.position_drift && s.velocity == summary.velocity_drift);
    assert_int_equal(s.sweeps, 0);
    assert_true(isnan(s.observed) && isnan(s.predicted));
  }
}

static void test_a_step_with_an_event_ends_there(void **state)
{
  (void)state;
  dae_summary summary;
  seen s = run_text("model ball\n"
                    "coord z = 1\n"
                    "kinetic z'^2/2\n"
                    "potential 9.81*z\n"
                    "event ground: z falling { z' = -0.8*z' }\n"
                    "simulate to 1\n",
                    "switching", &summary);
  assert_int_equal(summary.events, 1);
  assert_true(fabs(s.covered - 1) < 1e-12);
  assert_true(fabs(s.balance - summary.energy_balance) < 1e-12);
}

static void test_windows_add_up_to_the_coupling(void **state)
{
  (void)state;
  dae_summary summary;
  seen s = run_text("model pair\n"
                    "system A { state x = 1\n alg z = 0\n x' = -x + z\n z = 0.5*B.z + x }\n"
                    "system B { state x = 0\n alg z = 0\n x' = -x + z\n z = 0.8*A.z - x }\n"
                    "simulate to 3\n",
                    "gauss-seidel", &summary);
  assert_int_equal(s.steps, summary.contraction.windows);
  assert_true(s.sweeps >= s.steps && s.sweeps <= summary.contraction.sweeps);
  assert_true(s.observed == summary.contraction.observed);
  assert_true(fabs(s.predicted - 0.4) < 1e-6);
  assert_true(fabs(summary.contraction.gauss_seidel - 0.4) < 1e-6);
}

/* ---- rows between steps ---- */

/* refuses what lies within steps of an eighth */
static int at_steps_only(void *user, double t, const double *y, double *out)
{
  (void)user, (void)y;
  *out = t;
  return fabs(8 * t - round(8 * t)) > 1e-9;
}

typedef struct filled {
  long rows;
  double t, gap; /* of the last row; largest distance of two */
} filled;

static dae_status see_filled(void *self, const dae_row *row, dae_error *err)
{
  filled *f = self;
  (void)err;
  f->gap = f->rows++ > 0 ? fmax(f->gap, row->values[0] - f->t) : 0;
  assert_true(f->rows == 1 || row->values[0] > f->t);
  f->t = row->values[0];
  return DAE_OK;
}

/* The same run for a sink with rows between its steps and for one without. */
static void run_filled(filled *plain, filled *dense, bool refusing)
{
  static const char *const names[] = {"time"};
  const dae_sink sinks[] = {{.self = plain, .row = see_filled},
                            {.self = dense, .row = see_filled, .fill = 0.03}};
  dae_rk_options opts = dae_rk_adaptive_defaults();
  dae_model *model;
  dae_error err;
  assert_int_equal(dae_model_parse("test", pendulum, strlen(pendulum), NULL, NULL, &model, &err),
                   DAE_OK);
  dae_run_plan plan = {.sinks = sinks, .sink_count = 2};
  dae_model_plan(model, &plan);
  opts.step = 0.125;
  plan.every = 0;
  plan.method = dae_method_find("radau", NULL);
  plan.options = &opts;
  if (refusing) {
    plan.outputs = 1;
    plan.output_names = names;
    plan.output = at_steps_only;
  }
  if (dae_run(&plan, NULL, NULL, &err) < 0)
    fail_msg("%s", err.text);
  dae_model_free(model);
}

static void test_rows_are_filled_in_for_those_who_want_them(void **state)
{
  (void)state;
  filled plain = {0}, dense = {0};
  run_filled(&plain, &dense, false);
  assert_int_equal(plain.rows, 17);
  assert_int_equal(dense.rows, 17 + 16 * 4);
  assert_true(dense.gap <= 0.03);
}

static void test_a_row_that_cannot_be_filled_in_is_left_out(void **state)
{
  (void)state;
  filled plain = {0}, dense = {0};
  run_filled(&plain, &dense, true);
  assert_int_equal(plain.rows, 17);
  assert_int_equal(dense.rows, 17);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_steps_cover_the_run_and_end_with_its_account),
      cmocka_unit_test(test_a_step_with_an_event_ends_there),
      cmocka_unit_test(test_windows_add_up_to_the_coupling),
      cmocka_unit_test(test_rows_are_filled_in_for_those_who_want_them),
      cmocka_unit_test(test_a_row_that_cannot_be_filled_in_is_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
