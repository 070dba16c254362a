/* Runs in steps: where a run is advanced to, read, saved and loaded has no influence on its rows,
 * steps, events and summary, for all kinds of problems and methods. */
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

/* A model of examples/models, a method (NULL: auto), a value of an option or of a param. */
typedef struct set_up {
  const char *model, *method, *option, *value, *set;
  double to; /* 0: that of the model */
} set_up;

static const set_up set_ups[] = {
    {"pendulum", NULL, NULL, NULL, NULL, 0},
    {"pendulum", "bdf-ggl", NULL, NULL, NULL, 0},
    {"pendulum", "spark-gauss", "step", "0.01", NULL, 0},
    {"skate", "lie", NULL, NULL, NULL, 2},
    {"chain", "radau", NULL, NULL, "N=60", 0.05}, /* sparse */
    {"chain", "bdf-ggl", NULL, NULL, "N=60", 0.05},
    {"chain", NULL, NULL, NULL, "N=40", 0.3},
    {"bouncing_ball", NULL, NULL, NULL, NULL, 0},
    {"hysteresis", NULL, NULL, NULL, NULL, 0},
    {"ratchet", NULL, NULL, NULL, NULL, 0},
    {"sampled_cart", NULL, NULL, NULL, NULL, 0}, /* clocks */
    {"thermostat", "radau", NULL, NULL, NULL, 0},
    {"circuits_ring", "jacobi", NULL, NULL, NULL, 0.5},
    {"yielding", "radau", NULL, NULL, NULL, 3}, /* equations that change their index */
    {"yielding", "bdf", NULL, NULL, NULL, 3},
    {"tank", NULL, NULL, NULL, NULL, 0},
    {"measured_motor", NULL, NULL, NULL, NULL, 0.2}, /* data */
    {"diode_bridge", NULL, NULL, NULL, NULL, 0.5},
    {"transistor_amplifier", "bdf", NULL, NULL, NULL, 0.05},
    {"two_pendula", "gauss-seidel", NULL, NULL, NULL, 0.3},
    {"three_circuits", "gauss-seidel", "update", "aitken", NULL, 0.5},
    {"three_circuits", "gauss-seidel", "update", "anderson", NULL, 0.5},
    {"three_circuits", "gauss-seidel", "update", "relax", NULL, 0.5},
    {"linked_pendula", "joint", NULL, NULL, NULL, 0.2},
    {"diode", "jacobi", NULL, NULL, NULL, 1},
    {"drive_train", NULL, NULL, NULL, NULL, 0},
    {"bushing", "radau", "damp", "1", NULL, 0},
    {"quarter_car", NULL, NULL, NULL, NULL, 2},
};
enum { SET_UPS = sizeof set_ups / sizeof *set_ups };

/* ---- rows and steps ---- */

/* Numbers of rows and steps, in turn. */
typedef struct record {
  size_t count, room;
  double *value;
} record;

static void record_add(record *r, const double *value, size_t count)
{
  if (r->count + count > r->room) {
    r->room = 2 * (r->room + count);
    r->value = realloc(r->value, r->room * sizeof *r->value);
    assert_non_null(r->value);
  }
  memcpy(r->value + r->count, value, count * sizeof *value);
  r->count += count;
}

static dae_status record_row(void *self, const dae_row *row, dae_error *err)
{
  (void)err;
  record_add(self, row->values, (size_t)row->columns);
  record_add(self, &row->position_drift, 1);
  record_add(self, &row->velocity_drift, 1);
  return DAE_OK;
}

static dae_status record_step(void *self, const dae_step_record *step, dae_error *err)
{
  const double values[] = {step->t, step->h, step->order, step->energy, step->balance};
  (void)err;
  record_add(self, values, sizeof values / sizeof *values);
  return DAE_OK;
}

static size_t record_save_size(void *self)
{
  (void)self;
  return sizeof(size_t);
}

static dae_status record_save(void *self, void *buffer, dae_error *err)
{
  (void)err;
  memcpy(buffer, &((record *)self)->count, sizeof(size_t));
  return DAE_OK;
}

static dae_status record_load(void *self, int columns, const char *const *names, const void *buffer,
                              size_t size, dae_error *err)
{
  (void)columns, (void)names, (void)err;
  assert_int_equal(size, sizeof(size_t));
  memcpy(&((record *)self)->count, buffer, size);
  return DAE_OK;
}

/* ---- runs ---- */

/* A run of a set-up, with a model of its own. */
typedef struct bench {
  dae_model *model;
  void *options;
  dae_wave_child *children;
  record rows;
  dae_sink sink;
  dae_run_plan plan;
} bench;

static void bench_open(const set_up *s, bench *b)
{
  dae_error err = dae_error_none();
  char path[256];
  dae_model_options values = dae_model_defaults();
  *b = (bench){0};
  values.set = &s->set;
  values.set_count = s->set != NULL;
  snprintf(path, sizeof path, "%s/examples/models/%s.dae", SOURCES, s->model);
  if (dae_model_load(path, &values, NULL, &b->model, &err) < 0)
    fail_msg("%s: %s", s->model, err.text);
  dae_model_plan(b->model, &b->plan);
  b->plan.method =
      s->method ? dae_method_find(s->method, &err) : dae_model_choose(b->model, NULL, 0, &err);
  if (!b->plan.method)
    fail_msg("%s: %s", s->model, err.text);
  b->options = calloc(1, b->plan.method->options_size);
  assert_non_null(b->options);
  b->plan.method->defaults(b->options);
  if (s->option && dae_options_set(b->plan.method->options, b->options, s->option, s->value, &err))
    fail_msg("%s: %s", s->model, err.text);
  b->plan.options = b->options;
  if (s->to > 0)
    b->plan.to = s->to;
  b->sink = (dae_sink){.self = &b->rows,
                       .row = record_row,
                       .step = record_step,
                       .save_size = record_save_size,
                       .save = record_save,
                       .load = record_load};
  b->plan.sinks = &b->sink;
  b->plan.sink_count = 1;
}

static void bench_close(bench *b)
{
  free(b->rows.value);
  free(b->options);
  dae_model_free(b->model);
}

static dae_simulation *bench_create(bench *b)
{
  dae_simulation *run;
  dae_error err;
  if (dae_simulation_create(&b->plan, NULL, &run, &err) < 0)
    fail_msg("%s", err.text);
  return run;
}

static void same_rows(const set_up *s, const record *a, const record *b, const char *what)
{
  size_t i = 0, count = a->count < b->count ? a->count : b->count;
  while (i < count && memcmp(&a->value[i], &b->value[i], sizeof *a->value) == 0)
    i++;
  if (i < count || a->count != b->count)
    fail_msg("%s by %s: %s: other rows or steps: number %zu of %zu, %zu is %.17g, not %.17g",
             s->model, s->method ? s->method : "auto", what, i, a->count, b->count,
             i < b->count ? b->value[i] : NAN, i < a->count ? a->value[i] : NAN);
}

/* Fails with the first line in which two texts differ. */
static void fail_first_difference(const set_up *s, const char *a, const char *b)
{
  size_t line = 0;
  for (size_t i = 0; a[i] == b[i]; i++)
    line = a[i] == '\n' ? i + 1 : line;
  fail_msg("%s by %s: other summary: %.*s instead of %.*s", s->model,
           s->method ? s->method : "auto", (int)strcspn(b + line, "\n"), b + line,
           (int)strcspn(a + line, "\n"), a + line);
}

/* Equality of the summaries as JSON, but for the time, and, unless `work`, for statistics: a search
 * for events within the step in which a run is saved is done again. */
static void same_summary(const set_up *s, bool work, const dae_summary *a, const dae_summary *b)
{
  dae_summary x = *a, y = *b;
  x.seconds = y.seconds = 0;
  if (!work)
    x.stats = y.stats = (dae_stats){0};
  size_t size = dae_summary_json(&x, NULL, 0) + 1;
  char *first = malloc(size), *second = malloc(size);
  assert_true(first && second);
  dae_summary_json(&x, first, size);
  dae_summary_json(&y, second, size);
  if (strcmp(first, second) != 0)
    fail_first_difference(s, first, second);
  free(first);
  free(second);
}

/* Pseudo-random share of the interval [0, 1), of a fixed sequence. */
static double share(unsigned *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / (double)(1u << 24);
}

static dae_status finish(dae_simulation *run, dae_summary *summary)
{
  dae_error err;
  dae_status status = dae_simulation_finish(run, summary, &err);
  if (status < 0)
    fail_msg("%s", err.text);
  dae_simulation_free(run);
  return status;
}

static void reference(const set_up *s, bench *b, dae_summary *summary)
{
  dae_error err;
  bench_open(s, b);
  if (dae_run(&b->plan, NULL, summary, &err) < 0)
    fail_msg("%s by %s: %s", s->model, s->method ? s->method : "auto", err.text);
}

/* ---- the properties ---- */

/* Also read: the states there are those of rows of a run at these times. */
static void check_advance(const set_up *s, const bench *whole, const dae_summary *expected,
                          unsigned seed)
{
  enum { TIMES = 40 };
  bench b;
  dae_summary summary;
  dae_error err;
  dae_status status = DAE_OK;
  bench_open(s, &b);
  dae_simulation *run = bench_create(&b);
  double from = b.plan.start.t, length = b.plan.to - from, t = from;
  int size = dae_problem_extended_size(&b.plan.problem), names = 0;
  const char *const *name;
  double *y = malloc((size_t)size * sizeof *y);
  assert_non_null(y);
  names = dae_simulation_columns(run, &name);
  assert_string_equal(name[0], "t");
  while (status == DAE_OK) {
    dae_row row;
    t += 2 * share(&seed) * length / TIMES;
    status = dae_simulation_advance(run, t, &err);
    if (status < 0)
      fail_msg("%s: %s", s->model, err.text);
    assert_int_equal(dae_simulation_state(run, y, &err), DAE_OK);
    assert_int_equal(dae_simulation_row(run, &row, &err), DAE_OK);
    assert_int_equal(row.columns, names);
    for (int i = 0; i < size; i++)
      if (memcmp(&row.y[i], &y[i], sizeof *y) != 0)
        fail_msg("%s by %s: t = %.17g: y[%d] of %d = %.17g, %.17g", s->model, b.plan.method->name,
                 t, i, size, row.y[i], y[i]);
    assert_true(row.values[0] == dae_simulation_time(run));
    assert_true(status != DAE_OK || dae_simulation_time(run) == t);
  }
  assert_int_equal(dae_simulation_advance(run, 2 * t, &err), status);
  finish(run, &summary);
  same_rows(s, &whole->rows, &b.rows, "advanced");
  same_summary(s, true, expected, &summary);
  free(y);
  bench_close(&b);
}

/* Saved at a time (within a step, unless `step`), loaded in a run of another model handle. */
static void check_load(const set_up *s, const bench *whole, const dae_summary *expected, double at,
                       bool step)
{
  bench a, b;
  dae_summary summary;
  dae_error err;
  bench_open(s, &a);
  dae_simulation *run = bench_create(&a), *other;
  dae_status status = DAE_OK;
  double t = a.plan.start.t + at * (a.plan.to - a.plan.start.t);
  while (step && status == DAE_OK && dae_simulation_time(run) < t)
    status = dae_simulation_step(run, &err);
  if (!step)
    status = dae_simulation_advance(run, t, &err);
  assert_true(status >= 0);
  size_t size = dae_simulation_save_size(run);
  void *buffer = malloc(size), *again = malloc(size);
  assert_true(buffer && again);
  if (dae_simulation_save(run, buffer, size, &err) < 0)
    fail_msg("%s: %s", s->model, err.text);

  bench_open(s, &b);
  record_add(&b.rows, a.rows.value, a.rows.count);
  other = bench_create(&b);
  if (dae_simulation_load(other, buffer, size, &err) < 0)
    fail_msg("%s by %s: %s", s->model, s->method ? s->method : "auto", err.text);
  assert_true(dae_simulation_time(other) == dae_simulation_time(run));
  dae_simulation_advance(other, INFINITY, &err);
  finish(other, &summary);
  same_rows(s, &whole->rows, &b.rows, step ? "loaded between steps" : "loaded within a step");
  same_summary(s, step, expected, &summary);

  /* back in the same handle */
  dae_simulation_advance(run, INFINITY, &err);
  if (dae_simulation_load(run, buffer, size, &err) < 0)
    fail_msg("%s: %s", s->model, err.text);
  dae_simulation_advance(run, INFINITY, &err);
  finish(run, &summary);
  same_rows(s, &whole->rows, &a.rows, "gone back");
  same_summary(s, step, expected, &summary);
  free(buffer);
  free(again);
  bench_close(&a);
  bench_close(&b);
}

static void test_a_run_is_the_same_wherever_it_is_advanced_to(void **state)
{
  (void)state;
  for (int i = 0; i < SET_UPS; i++) {
    bench whole;
    dae_summary summary;
    reference(&set_ups[i], &whole, &summary);
    for (unsigned seed = 1; seed <= 2; seed++)
      check_advance(&set_ups[i], &whole, &summary, seed);
    bench_close(&whole);
  }
}

static void test_a_run_goes_on_with_the_same_bits_from_a_saved_state(void **state)
{
  (void)state;
  unsigned seed = 7;
  for (int i = 0; i < SET_UPS; i++) {
    bench whole;
    dae_summary summary;
    reference(&set_ups[i], &whole, &summary);
    for (int k = 0; k < 2; k++) {
      check_load(&set_ups[i], &whole, &summary, share(&seed), true);
      check_load(&set_ups[i], &whole, &summary, share(&seed), false);
    }
    bench_close(&whole);
  }
}

/* All models by all methods, over a part of their time: long, under DAEDAL_LONG. */
static void test_every_model_by_every_method_goes_on_with_the_same_bits(void **state)
{
  (void)state;
  if (!getenv("DAEDAL_LONG"))
    skip();
  static const char *const models[] = {"akzo_nobel",
                                       "angle_chain",
                                       "balls",
                                       "bicycle",
                                       "bouncing_ball",
                                       "bricard",
                                       "bushing",
                                       "bushing_frame",
                                       "car_axis",
                                       "circuits_ring",
                                       "clutch",
                                       "coin",
                                       "crane",
                                       "diode",
                                       "diode_bridge",
                                       "drive_train",
                                       "double_pendulum",
                                       "engine",
                                       "fast_particle",
                                       "flyball",
                                       "four_bar",
                                       "gyroscope",
                                       "heated_bar",
                                       "heavy_top",
                                       "hessenberg",
                                       "hysteresis",
                                       "linked_pendula",
                                       "loudspeaker",
                                       "measured_motor",
                                       "motor",
                                       "moving_joint",
                                       "moving_wire",
                                       "pendulum",
                                       "platform",
                                       "pursuit",
                                       "quarter_car",
                                       "ratchet",
                                       "rattleback",
                                       "ring",
                                       "robot_arm",
                                       "rolling_ball",
                                       "sampled_cart",
                                       "skate",
                                       "slider_crank",
                                       "stewart",
                                       "suspension",
                                       "tank",
                                       "thermostat",
                                       "three_circuits",
                                       "track",
                                       "train",
                                       "two_circuits",
                                       "two_pendula",
                                       "yielding",
                                       "structures_joint"};
  unsigned seed = 11;
  int checked = 0;
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    for (int k = 0; dae_method_at(k); k++) {
      set_up s = {.model = models[i], .method = dae_method_at(k)->name};
      bench whole;
      dae_summary summary;
      dae_error err;
      if (dae_method_at(k)->fixed_step)
        continue;
      bench_open(&s, &whole);
      s.to = whole.plan.start.t + 0.05 * (whole.plan.to - whole.plan.start.t);
      whole.plan.to = s.to;
      if (dae_run(&whole.plan, NULL, &summary, &err) >= 0) {
        checked++;
        check_load(&s, &whole, &summary, share(&seed), true);
        check_load(&s, &whole, &summary, share(&seed), false);
        check_advance(&s, &whole, &summary, seed);
      }
      bench_close(&whole);
    }
  print_message("%d runs\n", checked);
  assert_true(checked > 300);
}

/* ---- refusals ---- */

static void refuses(bench *b, const void *buffer, size_t size, const char *because)
{
  dae_error err;
  dae_simulation *run = bench_create(b);
  assert_int_equal(dae_simulation_load(run, buffer, size, &err), DAE_ERROR_USAGE);
  if (!strstr(err.text, because))
    fail_msg("%s", err.text);
  /* the run itself is intact */
  assert_int_equal(dae_simulation_advance(run, INFINITY, &err), DAE_END);
  dae_simulation_free(run);
}

static void test_states_of_other_runs_are_refused(void **state)
{
  (void)state;
  const set_up s = {"bouncing_ball", NULL, NULL, NULL, NULL, 1};
  set_up other = s;
  bench a, b;
  dae_error err;
  bench_open(&s, &a);
  dae_simulation *run = bench_create(&a);
  size_t size = dae_simulation_save_size(run);
  char *buffer = malloc(size + 4096);
  assert_non_null(buffer);
  assert_int_equal(dae_simulation_save(run, buffer, size, &err), DAE_ERROR_USAGE);
  assert_non_null(strstr(err.text, "has not begun"));
  assert_int_equal(dae_simulation_advance(run, 0.5, &err), DAE_OK);
  assert_int_equal(dae_simulation_advance(run, 0.4, &err), DAE_ERROR_USAGE);
  assert_int_equal(dae_simulation_advance(run, NAN, &err), DAE_ERROR_USAGE);
  size = dae_simulation_save_size(run);
  assert_int_equal(dae_simulation_save(run, buffer, size - 1, &err), DAE_ERROR_USAGE);
  assert_int_equal(dae_simulation_save(run, buffer, size, &err), DAE_OK);

  refuses(&a, buffer, size - 1, "bytes after its header");
  refuses(&a, buffer, 10, "cannot be a saved run");
  for (size_t i = 0; i < size; i += 1 + size / 50) {
    buffer[i] ^= 1;
    refuses(&a, buffer, size, i < 12 || (i >= 24 && i < 40) ? "not written by" : "");
    buffer[i] ^= 1;
  }
  other.to = 2;
  bench_open(&other, &b);
  refuses(&b, buffer, size, "another plan");
  bench_close(&b);
  other = s;
  other.option = "rtol", other.value = "1e-5";
  bench_open(&other, &b);
  refuses(&b, buffer, size, "rtol");
  bench_close(&b);
  other = s;
  other.set = "g=3";
  bench_open(&other, &b);
  refuses(&b, buffer, size, "another problem");
  bench_close(&b);
  dae_simulation_finish(run, NULL, &err);
  assert_int_equal(dae_simulation_save(run, buffer, size, &err), DAE_ERROR_USAGE);
  assert_int_equal(dae_simulation_step(run, &err), DAE_ERROR_USAGE);
  dae_simulation_free(run);
  free(buffer);
  bench_close(&a);
}

/* An interrupted run goes on, and saves what it has. */
static bool progress_once(void *user, double t)
{
  double *until = user;
  if (t < *until)
    return true;
  *until = INFINITY;
  return false;
}

static void test_an_interrupted_run_goes_on(void **state)
{
  (void)state;
  const set_up *s = &set_ups[0];
  bench whole, b;
  dae_summary expected, summary;
  dae_error err;
  double until = 3;
  reference(s, &whole, &expected);
  bench_open(s, &b);
  b.plan.progress = progress_once;
  b.plan.progress_user = &until;
  dae_simulation *run = bench_create(&b);
  assert_int_equal(dae_simulation_advance(run, INFINITY, &err), DAE_ERROR_INTERRUPTED);
  size_t size = dae_simulation_save_size(run);
  void *buffer = malloc(size);
  assert_int_equal(dae_simulation_save(run, buffer, size, &err), DAE_OK);
  free(buffer);
  assert_int_equal(dae_simulation_advance(run, INFINITY, &err), DAE_END);
  finish(run, &summary);
  same_rows(s, &whole.rows, &b.rows, "interrupted");
  same_summary(s, true, &expected, &summary);
  bench_close(&b);
  bench_close(&whole);
}

static void test_a_run_can_be_ended_early(void **state)
{
  (void)state;
  bench b;
  dae_summary summary;
  dae_error err;
  bench_open(&set_ups[0], &b);
  dae_simulation *run = bench_create(&b);
  assert_int_equal(dae_simulation_step(run, &err), DAE_OK);
  double t = dae_simulation_time(run);
  assert_true(t > 0 && t == dae_integrator_view(dae_simulation_integrator(run)).t);
  assert_int_equal(finish(run, &summary), DAE_OK);
  assert_true(summary.t_end == t && summary.rows == 2);
  bench_close(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_run_is_the_same_wherever_it_is_advanced_to),
      cmocka_unit_test(test_a_run_goes_on_with_the_same_bits_from_a_saved_state),
      cmocka_unit_test(test_every_model_by_every_method_goes_on_with_the_same_bits),
      cmocka_unit_test(test_states_of_other_runs_are_refused),
      cmocka_unit_test(test_an_interrupted_run_goes_on),
      cmocka_unit_test(test_a_run_can_be_ended_early),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
