/* What a dynamic iteration keeps: the same bits for any number of threads, and after save and load;
 * a restart that forgets what was; rows that do not change the motion, and are as good inside a
 * window as at its end. */
#include "wave_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WINDOWS 5 /* that are recorded */

/* ---- records ---- */

typedef struct record {
  int windows;
  double *values; /* of each window t, y, dy, and y at a third and at five sixths of it */
  dae_stats stats;
} record;

static void look(dae_integrator *it, int size, double *at)
{
  dae_view view = dae_integrator_view(it);
  double h = view.t - view.t_previous;
  at[0] = view.t;
  wave_state(it, at + 1, at + 1 + size);
  for (int i = 0; i < 2; i++)
    assert_int_equal(dae_integrator_interpolate(it, view.t_previous + (2 + 3 * i) * h / 6,
                                                at + 1 + (2 + i) * size, NULL, NULL),
                     DAE_OK);
}

/* the window it stands after, and those that follow */
static record record_of(const wave_case *c, dae_integrator *it, double to)
{
  int row = 1 + 4 * c->size;
  record r = {.values = calloc((size_t)(WINDOWS * row), sizeof(double))};
  dae_error err = dae_error_none();
  assert_non_null(r.values);
  look(it, c->size, r.values);
  for (r.windows = 1; r.windows < WINDOWS && dae_integrator_view(it).t < to; r.windows++) {
    if (dae_integrator_step(it, to, &err) < 0)
      fail_msg("%s: %s", dae_model_name(c->model), err.text);
    look(it, c->size, r.values + r.windows * row);
  }
  r.stats = dae_integrator_stats(it);
  return r;
}

/* frees the values of b */
static void assert_same(const wave_case *c, const record *a, record b, const char *what)
{
  size_t bytes = (size_t)(a->windows * (1 + 4 * c->size)) * sizeof(double);
  bool values = a->windows == b.windows && memcmp(a->values, b.values, bytes) == 0;
  bool stats = memcmp(&a->stats, &b.stats, sizeof a->stats) == 0;
  free(b.values);
  if (!values || !stats)
    fail_msg("%s, %s, %s: %s differ", dae_model_name(c->model), c->method, what,
             values ? "statistics" : "states");
}

/* ---- threads ---- */

static void check_threads(const char *model, dae_wave_update update, double to)
{
  static const int workers[] = {1, 2, 3, 8};
  wave_case c;
  record one = {0};
  wave_open(&c, coupled_model_find(model)->path, NULL);
  c.method = "jacobi";
  c.opts.rtol = 1e-4;
  c.opts.update = update;
  for (int i = 0; i < 4; i++) {
    c.opts.workers = workers[i];
    dae_integrator *it = wave_create(&c);
    record r = record_of(&c, it, to);
    dae_integrator_free(it);
    if (i == 0)
      one = r;
    else
      assert_same(&c, &one, r, "another number of threads");
  }
  assert_true(one.windows > 2);
  free(one.values);
  wave_close(&c);
}

static void test_jacobi_gives_the_same_bits_for_any_number_of_threads(void **state)
{
  (void)state;
  check_threads("circuits_ring", DAE_WAVE_AUTO, 0.1);
  check_threads("linked_pendula", DAE_WAVE_AUTO, 2);
  check_threads("linked_pendula", DAE_WAVE_ANDERSON, 2);
}

/* ---- save and load ---- */

typedef struct sample {
  const char *model, *method;
  dae_wave_update update;
  dae_wave_splitting splitting;
  double window; /* with ten trapezoidal steps; 0: as it comes */
} sample;

static const sample samples[] = {
    {"two_circuits", "gauss-seidel", DAE_WAVE_AUTO, DAE_WAVE_SPLIT_OPTIMAL, 0},
    {"two_circuits", "gauss-seidel", DAE_WAVE_SLACK, DAE_WAVE_SPLIT_OPTIMAL, 0.2},
    {"two_circuits", "jacobi", DAE_WAVE_XI, DAE_WAVE_SPLIT_OPTIMAL, 0.2},
    {"three_circuits", "jacobi", DAE_WAVE_ANDERSON, DAE_WAVE_SPLIT_OPTIMAL, 0.2},
    {"diode", "gauss-seidel", DAE_WAVE_AUTO, DAE_WAVE_SPLIT_OPTIMAL, 0},
    {"linked_pendula", "joint", DAE_WAVE_AUTO, DAE_WAVE_SPLIT_OPTIMAL, 0},
    {"linked_pendula", "jacobi", DAE_WAVE_AUTO, DAE_WAVE_SPLIT_OPTIMAL, 0.1},
    {"two_chains", "joint", DAE_WAVE_AITKEN, DAE_WAVE_SPLIT_SECOND, 0.2},
    {"moving_joint", "gauss-seidel", DAE_WAVE_AUTO, DAE_WAVE_SPLIT_OPTIMAL, 0},
};

static void open_sample(wave_case *c, const sample *s)
{
  wave_open(c, coupled_model_find(s->model)->path, NULL);
  c->method = s->method;
  c->opts.rtol = s->window > 0 ? 0 : 1e-5;
  c->opts.update = s->update;
  c->opts.splitting = s->splitting;
  c->opts.window = s->window;
  c->opts.reorder = true;
  if (s->window > 0)
    wave_children(c, "trapezoid", s->window / 10);
}

static void go(const wave_case *c, dae_integrator *it, int windows, double to)
{
  dae_error err = dae_error_none();
  while (windows-- > 0 && dae_integrator_view(it).t < to)
    if (dae_integrator_step(it, to, &err) < 0)
      fail_msg("%s: %s", dae_model_name(c->model), err.text);
}

static void load(dae_integrator *it, const void *saved, size_t size)
{
  void *again = malloc(size);
  assert_int_equal(dae_integrator_load(it, saved, size, NULL), DAE_OK);
  assert_int_equal(dae_integrator_save(it, again, size, NULL), DAE_OK);
  assert_memory_equal(saved, again, size);
  free(again);
}

static void check_save(const sample *s, int before)
{
  wave_case c;
  open_sample(&c, s);
  double to = coupled_model_find(s->model)->to;
  dae_integrator *it = wave_create(&c), *fresh = wave_create(&c), *elsewhere = wave_create(&c);
  go(&c, it, before, to);
  size_t size = dae_integrator_save_size(it);
  void *saved = malloc(size);
  assert_int_equal(dae_integrator_save(it, saved, size, NULL), DAE_OK);
  record first = record_of(&c, it, to);
  assert_true(first.windows > 1);
  load(it, saved, size);
  assert_same(&c, &first, record_of(&c, it, to), "the same handle");
  load(fresh, saved, size);
  assert_same(&c, &first, record_of(&c, fresh, to), "a fresh handle");
  go(&c, elsewhere, before + 3, to);
  load(elsewhere, saved, size);
  assert_same(&c, &first, record_of(&c, elsewhere, to), "a handle that was elsewhere");
  free(first.values);
  free(saved);
  dae_integrator_free(it);
  dae_integrator_free(fresh);
  dae_integrator_free(elsewhere);
  wave_close(&c);
}

static void test_windows_after_load_are_the_same_bits(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
    check_save(&samples[i], 0);
    check_save(&samples[i], 3);
  }
}

/* ---- restarts ---- */

/* from a state that jumps, as in an event, and that the motion before does not lead to. With fixed
 * windows and steps the same bits follow as in a fresh handle, but for projections onto joints */
static void check_restart(const sample *s)
{
  wave_case c;
  open_sample(&c, s);
  double to = coupled_model_find(s->model)->to, y[WAVE_SIZE];
  dae_integrator *it = wave_create(&c);
  go(&c, it, 3, to);
  double t = dae_integrator_view(it).t;
  wave_state(it, y, NULL);
  for (int i = 0; i < c.size; i++) {
    char name[96];
    if (dae_problem_variable(c.problem, i, name, sizeof name) == DAE_VARIABLE_STATE)
      y[i] = 0.9 * y[i] + 0.05;
  }
  assert_int_equal(dae_integrator_restart(it, t, y, NULL), DAE_OK);
  assert_int_equal(dae_integrator_stats(it).restarts, 1);
  c.start = (dae_start){.t = t, .y = y};
  dae_integrator *fresh = wave_create(&c);
  double a[WAVE_SIZE], b[WAVE_SIZE], end = t + (to - t) / 2, apart = 0;
  go(&c, it, 1 << 20, end);
  go(&c, fresh, 1 << 20, end);
  wave_state(it, a, NULL);
  wave_state(fresh, b, NULL);
  for (int i = 0; i < c.size; i++)
    apart = fmax(apart, fabs(a[i] - b[i]) / (c.opts.rtol * fabs(b[i]) + c.opts.atol));
  print_message("%s, %s: after a restart %.2g tolerances from a fresh run\n", s->model, s->method,
                apart);
  bool bits = s->window > 0;
  assert_true(bits ? apart == 0 : apart < 1);
  dae_integrator_free(it);
  dae_integrator_free(fresh);
  wave_close(&c);
}

static void test_a_restart_forgets_what_was(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
    check_restart(&samples[i]);
}

/* ---- rows ---- */

/* looking at the motion does not change it */
static void check_rows(const sample *s)
{
  wave_case c;
  open_sample(&c, s);
  double to = coupled_model_find(s->model)->to, a[WAVE_SIZE], b[WAVE_SIZE];
  dae_integrator *watched = wave_create(&c), *alone = wave_create(&c);
  for (int k = 0; k < 6; k++) {
    go(&c, watched, 1, to);
    dae_view view = dae_integrator_view(watched);
    for (int i = 0; i <= 4; i++)
      assert_int_equal(dae_integrator_interpolate(
                           watched, view.t - i * (view.t - view.t_previous) / 4, a, NULL, NULL),
                       DAE_OK);
  }
  go(&c, alone, 6, to);
  wave_state(watched, a, NULL);
  wave_state(alone, b, NULL);
  if (memcmp(a, b, (size_t)c.size * sizeof *a) != 0)
    fail_msg("%s, %s: rows change the motion", s->model, s->method);
  dae_integrator_free(watched);
  dae_integrator_free(alone);
  wave_close(&c);
}

static void test_rows_do_not_change_the_motion(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
    check_rows(&samples[i]);
}

/* the state and its derivative at t from a sharp solution of the same problem as one system */
static void sharp_state(const wave_case *c, double t, double *y, double *dy)
{
  dae_bdf_options opts = dae_bdf_defaults();
  dae_error err = dae_error_none();
  dae_integrator *it = NULL;
  opts.rtol = 1e-10;
  opts.atol = 1e-11;
  if (wave_as_one(c)->create(c->problem, &c->start, &opts, NULL, &it, &err) != DAE_OK)
    fail_msg("%s", err.text);
  go(c, it, 1 << 20, t);
  wave_state(it, y, dy);
  dae_integrator_free(it);
}

/* distance of a row inside the last window from the sharp solution, in tolerances; dy only where
 * variables have derivatives of their own */
static void distance_inside(const wave_case *c, dae_integrator *it, double part, double *of)
{
  double y[WAVE_SIZE], dy[WAVE_SIZE], sharp[WAVE_SIZE], sharp_rate[WAVE_SIZE];
  dae_view view = dae_integrator_view(it);
  double t = view.t_previous + part * (view.t - view.t_previous);
  assert_int_equal(dae_integrator_interpolate(it, t, y, dy, NULL), DAE_OK);
  sharp_state(c, t, sharp, sharp_rate);
  for (int i = 0; i < c->size; i++) {
    char name[96];
    dae_variable_kind kind = dae_problem_variable(c->problem, i, name, sizeof name);
    bool derivative = kind < DAE_VARIABLE_ALGEBRAIC;
    double scale = c->opts.rtol * fmax(1, fabs(sharp[i]));
    double rate_scale = fmax(scale, c->opts.rtol * fabs(sharp_rate[i]));
    of[0] = fmax(of[0], fabs(y[i] - sharp[i]) / scale);
    of[1] = fmax(of[1], derivative ? fabs(dy[i] - sharp_rate[i]) / rate_scale : 0);
  }
}

static void test_rows_inside_a_window_are_as_good_as_at_its_end(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
    wave_case c;
    if (samples[k].window > 0)
      continue;
    open_sample(&c, &samples[k]);
    dae_integrator *it = wave_create(&c);
    double inside[2] = {0, 0}, end[2] = {0, 0};
    go(&c, it, 1 << 20, coupled_model_find(samples[k].model)->to / 2);
    distance_inside(&c, it, 1, end);
    for (int i = 1; i < 8; i++)
      distance_inside(&c, it, (i + 0.37) / 8, inside); /* between the nodes */
    print_message("%s: %.2g inside, %.2g at the end; derivatives %.2g, %.2g\n", samples[k].model,
                  inside[0], end[0], inside[1], end[1]);
    assert_true(inside[0] < fmax(1, 2 * end[0]) && inside[1] < fmax(1, 5 * end[1]));
    dae_integrator_free(it);
    wave_close(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_jacobi_gives_the_same_bits_for_any_number_of_threads),
      cmocka_unit_test(test_windows_after_load_are_the_same_bits),
      cmocka_unit_test(test_a_restart_forgets_what_was),
      cmocka_unit_test(test_rows_do_not_change_the_motion),
      cmocka_unit_test(test_rows_inside_a_window_are_as_good_as_at_its_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
