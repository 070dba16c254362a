/* Whole runs of closed-form motions: rows, events, measures, and what is left after a failure. */
#include "exact.h"

#include "counting_env.h"

#include <daedal/run.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MOST_ROWS 4000
#define COLUMNS 4

/* A sink that remembers. */
typedef struct record {
  int opened, closed, columns, rows;
  int fails_at; /* the row that cannot be written, counted from 1; 0: none */
  char names[COLUMNS][32];
  double row[MOST_ROWS][COLUMNS];
} record;

static record last; /* of the last run */

static dae_status record_open(void *self, int columns, const char *const *names, dae_error *err)
{
  record *r = self;
  (void)err;
  assert_true(columns <= COLUMNS);
  r->opened++;
  r->columns = columns;
  for (int i = 0; i < columns; i++)
    snprintf(r->names[i], sizeof r->names[i], "%s", names[i]);
  return DAE_OK;
}

static dae_status record_row(void *self, const dae_row *row, dae_error *err)
{
  record *r = self;
  assert_int_equal(row->columns, r->columns);
  assert_true(r->rows < MOST_ROWS);
  memcpy(r->row[r->rows++], row->values, (size_t)row->columns * sizeof *row->values);
  if (r->rows != r->fails_at)
    return DAE_OK;
  *err = dae_error_none();
  snprintf(err->text, sizeof err->text, "disk full");
  return err->status = DAE_ERROR_FILE;
}

static dae_status record_close(void *self, dae_summary *summary, dae_error *err)
{
  (void)summary, (void)err;
  ((record *)self)->closed++;
  return DAE_OK;
}

static const dae_sink record_sink = {
    .self = &last, .open = record_open, .row = record_row, .close = record_close};

/* A plan: one of the two motions from (q, v) at t = 0, in steps of this size. */
typedef struct motion {
  exact_options opts;
  double y[3];
  dae_run_plan plan;
  dae_summary summary;
  dae_error err;
} motion;

static motion *set_up(motion *m, const dae_mechanical *mechanical, exact_flow *flow, double step,
                      double q, double v, double to)
{
  memset(&last, 0, sizeof last);
  *m = (motion){.opts = {.step = step, .rtol = 1e-3, .flow = flow}, .y = {q, v, 0}};
  m->plan = (dae_run_plan){.problem = dae_problem_mechanical(mechanical),
                           .start = {.y = m->y},
                           .method = &exact_method,
                           .options = &m->opts,
                           .to = to,
                           .sinks = &record_sink,
                           .sink_count = 1};
  return m;
}

static dae_status run(motion *m)
{
  return dae_run(&m->plan, NULL, &m->summary, &m->err);
}

static int value_height(void *user, double t, const double *y, double *value)
{
  (void)user, (void)t;
  *value = y[0];
  return 0;
}

static int value_time(void *user, double t, const double *y, double *value)
{
  (void)y;
  *value = t - *(const double *)user;
  return 0;
}

static int bounce(void *user, double t, const double *before, double *after)
{
  (void)user, (void)t;
  after[1] = -0.8 * before[1];
  return 0;
}

static int reverse(void *user, double t, const double *before, double *after)
{
  (void)user, (void)t;
  after[1] = -before[1];
  return 0;
}

static void assert_times_rise(void)
{
  for (int i = 1; i < last.rows; i++)
    assert_true(last.row[i][0] >= last.row[i - 1][0]);
}

static void test_a_row_for_every_step(void **state)
{
  (void)state;
  motion m;
  set_up(&m, &exact_oscillator, exact_oscillator_flow, 0.3, 1, 0, 1);
  assert_int_equal(run(&m), DAE_OK);
  assert_int_equal(last.rows, 5);
  const double t[] = {0, 0.3, 0.6, 0.9, 1};
  for (int i = 0; i < 5; i++) {
    assert_true(fabs(last.row[i][0] - t[i]) < 1e-15);
    assert_true(fabs(last.row[i][1] - cos(t[i])) < 1e-15);
    assert_true(fabs(last.row[i][2] + sin(t[i])) < 1e-15);
  }
  assert_true(last.row[4][0] == 1);
  assert_int_equal(last.opened, 1);
  assert_int_equal(last.closed, 1);
  const dae_summary *s = &m.summary;
  assert_int_equal(s->status, DAE_OK);
  assert_int_equal(s->rows, 5);
  assert_int_equal(s->stats.steps, 4);
  assert_int_equal(s->order, 3);
  assert_true(s->rtol == 1e-3 && isnan(s->atol));
  assert_true(s->t_start == 0 && s->t_end == 1);
  assert_string_equal(s->problem, "oscillator");
  assert_string_equal(s->method, "exact");
  assert_int_equal(s->moved, 0);
  assert_string_equal(s->message, "");
}

static int twice(void *user, double t, const double *y, double *out)
{
  (void)user, (void)t;
  out[0] = 2 * y[0];
  return 0;
}

static void test_columns_are_time_variables_rates_outputs(void **state)
{
  (void)state;
  const char *const names[] = {"twice"};
  motion m;
  set_up(&m, &exact_ball, exact_ball_flow, 0.3, 1, 2, 1);
  m.plan.outputs = 1;
  m.plan.output_names = names;
  m.plan.output = twice;
  assert_int_equal(run(&m), DAE_OK);
  assert_int_equal(last.columns, 4);
  assert_string_equal(last.names[0], "t");
  assert_string_equal(last.names[1], "height");
  assert_string_equal(last.names[2], "der(height)");
  assert_string_equal(last.names[3], "twice");
  for (int i = 0; i < last.rows; i++)
    assert_true(last.row[i][3] == 2 * last.row[i][1]);
}

static void test_columns_are_those_the_plan_lists(void **state)
{
  (void)state;
  const dae_column columns[] = {{1, "speed"}, {0, NULL}};
  motion m;
  set_up(&m, &exact_ball, exact_ball_flow, 0.3, 1, 2, 1);
  m.plan.columns = columns;
  m.plan.column_count = 2;
  m.plan.outputs = 1;
  m.plan.output = twice;
  assert_int_equal(run(&m), DAE_OK);
  assert_int_equal(last.columns, 4);
  assert_string_equal(last.names[0], "t");
  assert_string_equal(last.names[1], "speed");
  assert_string_equal(last.names[2], "height");
  assert_string_equal(last.names[3], "output[1]");
  assert_true(last.row[0][1] == 2 && last.row[0][2] == 1);
  for (int i = 0; i < last.rows; i++)
    assert_true(last.row[i][3] == 2 * last.row[i][2]);

  /* an entry twice is two columns; an empty list is none */
  const dae_column same[] = {{0, "a"}, {0, "b"}};
  set_up(&m, &exact_ball, exact_ball_flow, 0.3, 1, 2, 1);
  m.plan.columns = same;
  m.plan.column_count = 2;
  assert_int_equal(run(&m), DAE_OK);
  assert_true(last.columns == 3 && last.row[3][1] == last.row[3][2]);
  m.plan.column_count = 0;
  memset(&last, 0, sizeof last);
  assert_int_equal(run(&m), DAE_OK);
  assert_int_equal(last.columns, 1);
}

static void test_grid_rows_by_multiplication_and_the_end(void **state)
{
  (void)state;
  /* steps longer and shorter than the grid; an end on the grid, off it, and off by round-off */
  const double steps[] = {0.0371, 0.1, 5}, ends[] = {3, 2.95, 0.1 * 30};
  for (int s = 0; s < 3; s++)
    for (int e = 0; e < 3; e++) {
      motion m;
      set_up(&m, &exact_oscillator, exact_oscillator_flow, steps[s], 1, 0, ends[e]);
      m.plan.every = 0.1;
      assert_int_equal(run(&m), DAE_OK);
      assert_int_equal(last.rows, 31);
      for (int i = 0; i < last.rows - 1; i++)
        assert_true(last.row[i][0] == i * 0.1);
      assert_true(last.row[last.rows - 1][0] == ends[e]);
      for (int i = 0; i < last.rows; i++)
        assert_true(fabs(last.row[i][1] - cos(last.row[i][0])) < 1e-14);
    }
}

/* those before the start and from the end on are left out; events add none */
static void test_rows_at_the_times_of_a_list(void **state)
{
  (void)state;
  const double times[] = {-1, 0, 0.05, 0.3, 0.31, 1.9, 2, 3}, rows[] = {0, 0.05, 0.3, 0.31, 1.9, 2};
  dae_event event = {.name = "floor", .direction = -1, .value = value_height, .action = bounce};
  const double steps[] = {0.03, 0.7};
  for (int s = 0; s < 2; s++) {
    motion m;
    set_up(&m, &exact_ball, exact_ball_flow, steps[s], 1, 0, 2);
    m.plan.times = times;
    m.plan.time_count = 8;
    m.plan.events = &event;
    m.plan.event_count = 1;
    assert_int_equal(run(&m), DAE_OK);
    assert_int_equal(last.rows, 6);
    for (int i = 0; i < 6; i++)
      assert_true(last.row[i][0] == rows[i]);
  }
}

static void test_rows_before_and_after_a_bounce(void **state)
{
  (void)state;
  dae_event event = {.name = "floor", .direction = -1, .value = value_height, .action = bounce};
  motion m;
  set_up(&m, &exact_ball, exact_ball_flow, 0.05, 1, 0, 2);
  m.plan.events = &event;
  m.plan.event_count = 1;
  assert_int_equal(run(&m), DAE_OK);
  assert_times_rise();
  int pairs = 0;
  for (int i = 1; i < last.rows; i++)
    if (last.row[i][0] == last.row[i - 1][0]) {
      pairs++;
      assert_true(fabs(last.row[i][1]) < 1e-12);
      assert_true(last.row[i][2] == -0.8 * last.row[i - 1][2]);
    }
  double fall = sqrt(2 / GRAVITY), t = fall;
  int bounces = 0;
  for (double flight = 2 * fall * 0.8; t < 2; t += flight, flight *= 0.8)
    bounces++;
  assert_int_equal(pairs, bounces);
  assert_int_equal(m.summary.events, bounces);
  assert_int_equal(m.summary.stats.restarts, bounces);
  assert_true(last.row[last.rows - 1][0] == 2);
}

static void test_bounces_leave_the_grid_alone(void **state)
{
  (void)state;
  dae_event event = {.name = "floor", .direction = -1, .value = value_height, .action = bounce};
  motion m;
  set_up(&m, &exact_ball, exact_ball_flow, 0.05, 1, 0, 2);
  m.plan.every = 0.25;
  m.plan.events = &event;
  m.plan.event_count = 1;
  assert_int_equal(run(&m), DAE_OK);
  assert_int_equal(last.rows, 9);
  for (int i = 0; i < 9; i++) {
    assert_true(last.row[i][0] == 0.25 * i);
    assert_true(last.row[i][1] > -1e-12);
  }
}

static void test_terminal_event_has_the_last_row(void **state)
{
  (void)state;
  dae_event event = {.name = "floor", .direction = -1, .stop = true, .value = value_height};
  for (int grid = 0; grid < 2; grid++)
    for (int action = 0; action < 2; action++) {
      event.action = action ? reverse : NULL;
      motion m;
      set_up(&m, &exact_ball, exact_ball_flow, 0.1, 1, 0, 2);
      m.plan.every = grid ? 0.25 : 0;
      m.plan.events = &event;
      m.plan.event_count = 1;
      assert_int_equal(run(&m), DAE_STOPPED);
      assert_int_equal(m.summary.status, DAE_STOPPED);
      assert_non_null(strstr(m.summary.message, "floor"));
      const double *row = last.row[last.rows - 1];
      double t = sqrt(2 / GRAVITY);
      assert_true(fabs(row[0] - t) < 1e-14);
      assert_true(m.summary.t_end == row[0]);
      assert_true(fabs(row[2] - (action ? 1 : -1) * GRAVITY * t) < 1e-13);
      assert_int_equal(last.rows, (grid ? 2 : 5) + 1 + (action && !grid));
      assert_int_equal(last.closed, 1);
    }
}

static void test_action_at_the_end_time_is_in_the_last_row(void **state)
{
  (void)state;
  /* exactly there, and before it by round-off */
  for (int i = 0; i < 2; i++) {
    double when = i ? nextafter(1, 0) : 1;
    dae_event event = {
        .name = "clock", .direction = 1, .user = &when, .value = value_time, .action = reverse};
    motion m;
    set_up(&m, &exact_ball, exact_ball_flow, 0.3, 10, 0, 1);
    m.plan.events = &event;
    m.plan.event_count = 1;
    assert_int_equal(run(&m), DAE_OK);
    const double *row = last.row[last.rows - 1];
    assert_true(row[0] == 1);
    assert_true(fabs(row[2] - GRAVITY) < 1e-13);
    assert_true(m.summary.t_end <= 1);
  }
}

static void test_energy_balance_closes(void **state)
{
  (void)state;
  /* the ball's energy is known: it does not change but at bounces, which are accounted for */
  dae_event event = {.name = "floor", .direction = -1, .value = value_height, .action = bounce};
  motion m;
  set_up(&m, &exact_ball, exact_ball_flow, 0.05, 1, 0, 1.5);
  assert_int_equal(run(&m), DAE_OK);
  assert_true(m.summary.energy_has_potential);
  assert_true(fabs(m.summary.energy_start - GRAVITY) < 1e-14);
  assert_true(fabs(m.summary.energy_change) < 1e-12);
  assert_true(fabs(m.summary.energy_balance) < 1e-9); /* powers are differenced */
  assert_true(isnan(m.summary.position_drift) && isnan(m.summary.velocity_drift));
  set_up(&m, &exact_ball, exact_ball_flow, 0.05, 1, 0, 1.5);
  m.plan.events = &event;
  m.plan.event_count = 1;
  assert_int_equal(run(&m), DAE_OK);
  assert_true(m.summary.energy_change < -1);
  assert_true(fabs(m.summary.energy_balance) < 1e-9);
}

static void test_work_of_forces_is_of_fourth_order(void **state)
{
  (void)state;
  /* of the oscillator only the kinetic energy is known; its force does work */
  double error[2];
  for (int i = 0; i < 2; i++) {
    motion m;
    set_up(&m, &exact_oscillator, exact_oscillator_flow, i ? 0.05 : 0.1, 1, 0, 2);
    assert_int_equal(run(&m), DAE_OK);
    assert_false(m.summary.energy_has_potential);
    assert_true(fabs(m.summary.energy_change - sin(2) * sin(2) / 2) < 1e-14);
    error[i] = fabs(m.summary.energy_balance);
  }
  assert_true(error[0] < 1e-6);
  double order = log2(error[0] / error[1]);
  assert_true(order > 3.8 && order < 4.2);
}

static void test_moved_start_values_are_listed(void **state)
{
  (void)state;
  /* a point that is pinned at 1, and starts elsewhere and moving */
  motion m;
  set_up(&m, &exact_pin, exact_pin_flow, 0.5, 1.25, 0.5, 1);
  assert_int_equal(run(&m), DAE_OK);
  const dae_summary *s = &m.summary;
  assert_int_equal(s->moved, 2);
  assert_non_null(strstr(s->moves, "q[1]\t1.25\t1\n"));
  assert_non_null(strstr(s->moves, "der(q[1])\t0.5\t0\n"));
  assert_null(strstr(s->moves, "lambda")); /* only a guess */
  assert_true(s->position_drift < 1e-12 && s->velocity_drift < 1e-12);
  assert_string_equal(last.names[3], "lambda(pin)");
  assert_true(fabs(last.row[0][3] + GRAVITY) < 1e-9);
  assert_int_equal(s->diagnosis.constraints, 1);
  assert_int_equal(s->diagnosis.dof, 0);
}

static void test_failed_run_keeps_its_rows(void **state)
{
  (void)state;
  motion m;
  set_up(&m, &exact_oscillator, exact_oscillator_flow, 0.25, 1, 0, 3);
  m.opts.fails_at = 1.1;
  assert_int_equal(run(&m), DAE_ERROR_STEP);
  assert_int_equal(last.rows, 5);
  assert_int_equal(last.closed, 1);
  assert_int_equal(m.summary.status, DAE_ERROR_STEP);
  assert_true(m.summary.t_end == 1);
  assert_int_equal(m.summary.stats.steps, 4);
  assert_non_null(strstr(m.summary.message, "no step beyond"));
}

static bool until_one(void *user, double t)
{
  (void)user;
  return t < 1;
}

static void test_interrupted_run_keeps_its_rows(void **state)
{
  (void)state;
  motion m;
  set_up(&m, &exact_oscillator, exact_oscillator_flow, 0.25, 1, 0, 3);
  m.plan.progress = until_one;
  assert_int_equal(run(&m), DAE_ERROR_INTERRUPTED);
  assert_int_equal(last.rows, 5);
  assert_int_equal(last.closed, 1);
  assert_true(m.summary.t_end == 1);
}

static void test_sink_that_fails_ends_the_run(void **state)
{
  (void)state;
  motion m;
  set_up(&m, &exact_oscillator, exact_oscillator_flow, 0.25, 1, 0, 3);
  last.fails_at = 4;
  assert_int_equal(run(&m), DAE_ERROR_FILE);
  assert_string_equal(m.err.text, "disk full");
  assert_string_equal(m.summary.message, "disk full");
  assert_int_equal(last.closed, 1);
}

static void test_bad_plans_are_refused_by_name(void **state)
{
  (void)state;
  motion m;
  set_up(&m, &exact_oscillator, exact_oscillator_flow, 0.25, 1, 0, 3);
  struct {
    const char *field;
    dae_run_plan plan;
  } bad[15];
  const double falling[] = {1, 0.5};
  const dae_column beyond[] = {{0, NULL}, {2, "z"}}, before[] = {{-1, NULL}};
  for (int i = 0; i < 15; i++)
    bad[i].plan = m.plan;
  bad[0].field = "to", bad[0].plan.to = 0;
  bad[1].field = "to", bad[1].plan.to = NAN;
  bad[2].field = "every", bad[2].plan.every = -1;
  bad[3].field = "method", bad[3].plan.method = NULL;
  bad[4].field = "start", bad[4].plan.start.y = NULL;
  bad[5].field = "output", bad[5].plan.outputs = 1;
  bad[6].field = "sinks", bad[6].plan.sinks = NULL;
  bad[7].field = "events", bad[7].plan.event_count = 1;
  bad[8].field = "columns", bad[8].plan.column_count = 1;
  bad[9].field = "columns", bad[9].plan.columns = beyond, bad[9].plan.column_count = 2;
  bad[10].field = "columns", bad[10].plan.columns = before, bad[10].plan.column_count = 1;
  bad[11].field = "columns", bad[11].plan.columns = before, bad[11].plan.column_count = -1;
  bad[12].field = "times", bad[12].plan.time_count = 1;
  bad[13].field = "times", bad[13].plan.times = falling, bad[13].plan.time_count = 2;
  bad[14].field = "verify", bad[14].plan.verify = true;
  for (int i = 0; i < 15; i++) {
    dae_error err;
    dae_summary summary;
    assert_int_equal(dae_run(&bad[i].plan, NULL, &summary, &err), DAE_ERROR_USAGE);
    assert_string_equal(err.equation, bad[i].field);
    assert_int_equal(summary.status, DAE_ERROR_USAGE);
    char text[4096];
    dae_summary_text(&summary, text, sizeof text); /* can be written whatever happened */
  }
  assert_int_equal(last.rows, 0);
}

static void test_csv_and_json_of_a_run(void **state)
{
  (void)state;
  motion m;
  set_up(&m, &exact_ball, exact_ball_flow, 0.1, 1, 0, 1);
  dae_sink sinks[2];
  assert_int_equal(dae_csv_sink("test_run.tmp.csv", NULL, &sinks[0], NULL), DAE_OK);
  assert_int_equal(dae_json_sink("test_run.tmp.json", NULL, &sinks[1], NULL), DAE_OK);
  m.plan.sinks = sinks;
  m.plan.sink_count = 2;
  assert_int_equal(run(&m), DAE_OK);
  assert_string_equal(m.summary.files, "test_run.tmp.csv, test_run.tmp.json");
  char line[256] = "";
  FILE *file = fopen("test_run.tmp.csv", "rb");
  assert_non_null(file);
  assert_non_null(fgets(line, sizeof line, file));
  assert_string_equal(line, "t,height,der(height)\r\n");
  int rows = 0;
  while (fgets(line, sizeof line, file))
    rows++;
  fclose(file);
  assert_int_equal(rows, m.summary.rows);
  for (int i = 0; i < 2; i++)
    sinks[i].free(sinks[i].self);
  assert_int_equal(remove("test_run.tmp.csv"), 0);
  assert_int_equal(remove("test_run.tmp.json"), 0);
}

static void test_every_refused_allocation_is_a_clean_error(void **state)
{
  (void)state;
  dae_event event = {.name = "floor", .direction = -1, .value = value_height, .action = bounce};
  for (long n = 1;; n++) {
    counting_env count = {.fail_at = n};
    dae_env env = counting_env_of(&count);
    motion m;
    set_up(&m, &exact_ball, exact_ball_flow, 0.1, 1, 0, 1);
    m.plan.events = &event;
    m.plan.event_count = 1;
    dae_status status = dae_run(&m.plan, &env, &m.summary, &m.err);
    assert_int_equal(count.live, 0);
    assert_int_equal(last.closed, 1);
    if (count.calls < n) {
      assert_int_equal(status, DAE_OK);
      break;
    }
    assert_int_equal(status, DAE_ERROR_MEMORY);
  }
}

static void test_steps_do_not_allocate(void **state)
{
  (void)state;
  long calls[2];
  for (int i = 0; i < 2; i++) {
    counting_env count = {0};
    dae_env env = counting_env_of(&count);
    motion m;
    dae_event event = {.name = "floor", .value = value_height};
    set_up(&m, &exact_oscillator, exact_oscillator_flow, i ? 0.01 : 0.5, 1, 0, 10);
    m.plan.events = &event;
    m.plan.event_count = 1;
    assert_int_equal(dae_run(&m.plan, &env, &m.summary, &m.err), DAE_OK);
    calls[i] = count.calls;
  }
  assert_int_equal(calls[0], calls[1]);
}

static void test_method_names(void **state)
{
  (void)state;
  int count = 0;
  while (dae_method_at(count)) {
    const dae_method *method = dae_method_at(count++);
    assert_ptr_equal(dae_method_find(method->name, NULL), method);
    assert_non_null(method->summary);
    assert_non_null(method->create);
  }
  assert_true(count >= 2);
  assert_null(dae_method_at(-1));
  dae_error err;
  assert_null(dae_method_find("bdf-gll", &err));
  assert_int_equal(err.status, DAE_ERROR_USAGE);
  assert_non_null(strstr(err.text, "'bdf-ggl'"));
  assert_null(dae_method_find("leapfrog-of-verlet", &err));
  assert_non_null(strstr(err.text, "bdf, bdf-ggl"));
  assert_null(dae_method_find(NULL, NULL));
}

static void assert_chosen(const dae_problem *problem, const char *name, const char *why)
{
  char text[256];
  dae_error err;
  const dae_method *method = dae_method_choose(problem, text, sizeof text, &err);
  if (!method)
    fail_msg("%s", err.text);
  assert_string_equal(method->name, name);
  assert_string_equal(text, why);
  assert_ptr_equal(dae_method_choose(problem, NULL, 0, NULL), method);
  char small[8];
  assert_ptr_equal(dae_method_choose(problem, small, sizeof small, NULL), method);
  assert_memory_equal(small, why, sizeof small - 1);
}

static int some_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user, (void)at, (void)f;
  return -1;
}

static int some_k(void *user, const dae_mechanical_at *at, double *k)
{
  (void)user, (void)at, (void)k;
  return -1;
}

#define FAST "gauss or explicit steps, radau where the motion is stiff"

static int some_joint(void *user, double t, const double *z, double *g)
{
  (void)user, (void)t, (void)z, (void)g;
  return -1;
}

static void test_auto_is_a_method_that_fits_and_says_why(void **state)
{
  (void)state;
  dae_mechanical both = exact_pin, rolling = exact_ball, driven = exact_pin;
  both.ng = 4;
  both.nk = 1;
  both.k = some_k;
  rolling.nk = 2;
  rolling.k = some_k;
  driven.nw = 1;
  driven.c = some_k;
  const dae_semi_explicit semi = {.nx = 1, .f = some_f};
  const dae_semi_explicit circuit = {.nx = 1, .ny = 1, .f = some_f, .F = some_f};
  dae_semi_explicit known = circuit, large;
  known.index = 1;
  known.J = some_f;
  large = known;
  large.nx = 30;
  const dae_semi_explicit heavy = {.nx = 1, .f = some_f, .M = some_f};
  dae_problem p = dae_problem_mechanical(&exact_ball);
  assert_chosen(&p, "switching", "mechanical without constraints: " FAST);
  p = dae_problem_mechanical(&exact_pin);
  assert_chosen(&p, "switching", "mechanical with 1 holonomic constraint: " FAST);
  p = dae_problem_mechanical(&both);
  assert_chosen(&p, "switching",
                "mechanical with 4 holonomic and 1 nonholonomic constraints: " FAST);
  p = dae_problem_mechanical(&rolling);
  assert_chosen(&p, "switching", "mechanical with 2 nonholonomic constraints: " FAST);
  p = dae_problem_mechanical(&driven);
  assert_chosen(&p, "radau",
                "mechanical with 1 holonomic constraint and with algebraic variables: Radau IIA of "
                "order 5, 9 or 13, by the tolerance");
  p = dae_problem_semi_explicit(&semi);
  assert_chosen(&p, "switching", "ordinary differential equations: " FAST);
  p = dae_problem_semi_explicit(&circuit);
  assert_chosen(
      &p, "radau",
      "semi-explicit with algebraic variables: Radau IIA of order 5, 9 or 13, by the tolerance");
  p = dae_problem_semi_explicit(&known);
  assert_chosen(&p, "rosenbrock",
                "semi-explicit with algebraic variables: linearly implicit, of order 4 or 5");
  assert_string_equal(dae_method_choose_at(&p, 1e-8, NULL, 0, NULL)->name, "radau");
  known.time_free = true;
  assert_string_equal(dae_method_choose_at(&p, 1e-8, NULL, 0, NULL)->name, "rosenbrock");
  assert_string_equal(dae_method_choose_at(&p, 1e-9, NULL, 0, NULL)->name, "radau");
  p = dae_problem_semi_explicit(&large);
  assert_string_equal(dae_method_choose_at(&p, 1e-5, NULL, 0, NULL)->name, "bdf");
  assert_chosen(
      &p, "radau",
      "semi-explicit with algebraic variables: Radau IIA of order 5, 9 or 13, by the tolerance");
  p = dae_problem_semi_explicit(&heavy);
  assert_chosen(&p, "radau", "quasi-linear: Radau IIA of order 5, 9 or 13, by the tolerance");

  /* coupled problems are assembled: free parts, a joint between them, no mechanics */
  const dae_part parts[] = {{.mechanical = &exact_ball}, {.mechanical = &exact_ball}};
  const dae_part other[] = {{.semi_explicit = &semi}, {.semi_explicit = &semi}};
  const dae_port z[] = {{0, 0}, {1, 0}};
  const dae_joint joint = {.ng = 1, .nz = 2, .z = z, .g = some_joint};
  dae_coupled c = {.parts = 2, .part = parts};
  p = dae_problem_coupled(&c);
  assert_chosen(&p, "switching",
                "2 systems assembled into one, mechanical without constraints: " FAST);
  c.joints = 1;
  c.joint = &joint;
  assert_chosen(&p, "switching",
                "2 systems assembled into one, mechanical with 1 holonomic constraint: " FAST);
  c = (dae_coupled){.parts = 2, .part = other};
  assert_chosen(&p, "switching",
                "2 systems assembled into one, ordinary differential equations: " FAST);
  const int wrong[] = {0, 1, 3};
  c.offset = wrong;
  assert_null(dae_method_choose(&p, NULL, 0, NULL));
}

static void test_auto_says_why_nothing_fits(void **state)
{
  (void)state;
  const dae_semi_explicit high = {.nx = 1, .index = 3, .f = some_f}, empty = {0};
  char why[64] = "?";
  dae_error err;
  dae_problem p = dae_problem_semi_explicit(&high);
  assert_null(dae_method_choose(&p, why, sizeof why, &err));
  assert_int_equal(err.status, DAE_ERROR_UNSUPPORTED);
  assert_non_null(strstr(err.text, "index 3"));
  assert_string_equal(why, "");
  assert_null(dae_method_choose(&p, NULL, 0, NULL));
  p = dae_problem_semi_explicit(&empty);
  assert_null(dae_method_choose(&p, why, sizeof why, &err));
  assert_int_equal(err.status, DAE_ERROR_PROBLEM);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_row_for_every_step),
      cmocka_unit_test(test_columns_are_time_variables_rates_outputs),
      cmocka_unit_test(test_columns_are_those_the_plan_lists),
      cmocka_unit_test(test_grid_rows_by_multiplication_and_the_end),
      cmocka_unit_test(test_rows_at_the_times_of_a_list),
      cmocka_unit_test(test_rows_before_and_after_a_bounce),
      cmocka_unit_test(test_bounces_leave_the_grid_alone),
      cmocka_unit_test(test_terminal_event_has_the_last_row),
      cmocka_unit_test(test_action_at_the_end_time_is_in_the_last_row),
      cmocka_unit_test(test_energy_balance_closes),
      cmocka_unit_test(test_work_of_forces_is_of_fourth_order),
      cmocka_unit_test(test_moved_start_values_are_listed),
      cmocka_unit_test(test_failed_run_keeps_its_rows),
      cmocka_unit_test(test_interrupted_run_keeps_its_rows),
      cmocka_unit_test(test_sink_that_fails_ends_the_run),
      cmocka_unit_test(test_bad_plans_are_refused_by_name),
      cmocka_unit_test(test_csv_and_json_of_a_run),
      cmocka_unit_test(test_every_refused_allocation_is_a_clean_error),
      cmocka_unit_test(test_steps_do_not_allocate),
      cmocka_unit_test(test_method_names),
      cmocka_unit_test(test_auto_is_a_method_that_fits_and_says_why),
      cmocka_unit_test(test_auto_says_why_nothing_fits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
