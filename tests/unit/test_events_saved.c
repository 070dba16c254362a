/* Saved state of events: sides, clocks, conditions and branches go on after a restoration to the
 * bit, in another detector of another copy of the model. */
#include "core/arena.h"
#include "step/events.h"

#include <daedal/daedal.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A clock, a list, a crossing that acts and one that counts, a branch, a condition, near misses. */
static const char text[] = "model m\n"
                           "coord x = 1\n"
                           "discrete n = 0, push = 0\n"
                           "kinetic x'^2/2\n"
                           "potential 2*x^2\n"
                           "force x = push - if(x > 0.3, x, 0)\n"
                           "event tick: every 0.4 { n = n + 1 }\n"
                           "event once: at 3, 7 { push = push + 0.1 }\n"
                           "event turn: x' rising { x' = x' + 0.01 }\n"
                           "event many: when n > 12 { push = 0 }\n"
                           "event zero: x\n"
                           "simulate to 12\n";

typedef struct rig {
  dae_model *model;
  dae_run_plan plan;
  dae__arena *arena;
  dae_integrator *it;
  dae__events *ev;
  double t;
} rig;

typedef struct record {
  int count;
  double t[400], x[400], n[400];
} record;

static void set_up(rig *r, const char *method)
{
  dae_error err;
  *r = (rig){.plan = {.to = NAN, .every = NAN}};
  assert_int_equal(dae_model_parse("m.dae", text, strlen(text), NULL, NULL, &r->model, &err),
                   DAE_OK);
  dae_model_plan(r->model, &r->plan);
  r->arena = dae__arena_create(NULL);
  const dae_problem *problem = &r->plan.problem;
  int size = dae_problem_extended_size(problem);
  double *y = DAE__ALLOC(r->arena, double, size), *dy = DAE__ALLOC(r->arena, double, size);
  assert_int_equal(dae_consistent_start(problem, &r->plan.start, NULL, y, dy, NULL, &err), DAE_OK);
  const dae_start start = {.t = r->plan.start.t, .y = y};
  const dae_method *m = dae_method_find(method, &err);
  assert_int_equal(m->create(problem, &start, NULL, NULL, &r->it, &err), DAE_OK);
  assert_int_equal(
      dae__events_create(r->arena, problem, r->plan.events, r->plan.event_count, &r->ev, &err),
      DAE_OK);
  dae__events_set_tolerances(r->ev, 1e-6, 1e-8);
  dae__events_set_end(r->ev, 12);
  assert_int_equal(dae__events_arm(r->ev, start.t, y, &err), DAE_OK);
}

static void tear_down(rig *r)
{
  dae_integrator_free(r->it);
  dae__arena_free(r->arena);
  dae_model_free(r->model);
}

/* Steps on to `to`, or up to the first step behind `pause`. */
static void go(rig *r, double to, double pause, record *out)
{
  dae_error err;
  dae__event_news news = {.restarted = false};
  while (to - r->t > 1e-12 && r->t < pause) {
    double stop = fmin(to, dae__events_next(r->ev));
    if (stop - r->t > 16 * DBL_EPSILON * r->t)
      assert_true(dae_integrator_step(r->it, stop, &err) >= 0);
    for (dae_status status = DAE_EVENT; status == DAE_EVENT && !news.restarted;) {
      status = dae__events_detect(r->ev, r->it, &r->t, &err);
      assert_true(status >= 0);
      if (status != DAE_EVENT)
        break;
      assert_int_equal(dae__events_apply(r->ev, r->it, &news, &err), DAE_OK);
      assert_true(out->count < 400);
      out->t[out->count] = news.t;
      out->x[out->count] = news.after[0];
      out->n[out->count++] = news.after[2];
    }
    if (!news.restarted)
      r->t = dae_integrator_view(r->it).t;
    news.restarted = false;
  }
}

static void same_bits(const double *a, const double *b, int count)
{
  assert_memory_equal(a, b, (size_t)count * sizeof *a);
}

static void test_events_go_on_after_a_restoration_to_the_bit(void **state)
{
  (void)state;
  static const char *const methods[] = {"radau", "bdf", "gauss", "explicit", "lie"};
  dae_error err;
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
    for (double pause = 0.9; pause < 10; pause += 1.7) {
      record whole = {.count = 0}, rest = {.count = 0};
      rig a, b;
      set_up(&a, methods[m]);
      set_up(&b, methods[m]);
      go(&a, 12, pause, &whole);
      size_t size = dae_integrator_save_size(a.it), events = dae__events_state_size(a.ev);
      char *buffer = malloc(size + events);
      assert_int_equal(dae_integrator_save(a.it, buffer, size, &err), DAE_OK);
      dae__events_copy_state(a.ev, buffer + size);
      go(&b, 12, 1.2, &rest); /* it has gone another way before */
      rest.count = 0;
      assert_int_equal(dae_integrator_load(b.it, buffer, size, &err), DAE_OK);
      assert_int_equal(dae__events_restore_state(b.ev, buffer + size, &err), DAE_OK);
      b.t = a.t;
      int before = whole.count;
      go(&a, 12, INFINITY, &whole);
      go(&b, 12, INFINITY, &rest);
      assert_int_equal(whole.count - before, rest.count);
      assert_true(whole.count > 40 && rest.count > 3);
      same_bits(whole.t + before, rest.t, rest.count);
      same_bits(whole.x + before, rest.x, rest.count);
      same_bits(whole.n + before, rest.n, rest.count);
      for (int i = 0; i < a.plan.event_count; i++) {
        dae__event_count p = dae__events_count(a.ev, i), q = dae__events_count(b.ev, i);
        assert_true(p.fired == q.fired && p.near_misses == q.near_misses);
      }
      free(buffer);
      tear_down(&a);
      tear_down(&b);
    }
}

static void test_a_damaged_state_is_refused_and_changes_nothing(void **state)
{
  (void)state;
  dae_error err;
  record out = {.count = 0};
  rig r;
  set_up(&r, "radau");
  go(&r, 12, 5, &out);
  size_t size = dae__events_state_size(r.ev), refused = 0;
  char *good = malloc(size), *bad = malloc(size), *now = malloc(size);
  dae__events_copy_state(r.ev, good);
  for (size_t i = 0; i < size; i++) {
    memcpy(bad, good, size);
    bad[i] = (char)(bad[i] ^ 0x80);
    dae__events_copy_state(r.ev, now);
    assert_memory_equal(now, good, size);
    if (dae__events_restore_state(r.ev, bad, &err) == DAE_ERROR_USAGE)
      refused++;
    else
      assert_int_equal(dae__events_restore_state(r.ev, good, &err), DAE_OK);
  }
  assert_true(refused > 10);
  free(good);
  free(bad);
  free(now);
  tear_down(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_events_go_on_after_a_restoration_to_the_bit),
      cmocka_unit_test(test_a_damaged_state_is_refused_and_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
