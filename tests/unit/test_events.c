/* Events on closed-form motions, where the times are known. */
#include "exact.h"

#include "core/arena.h"
#include "step/events.h"
#include "step/root.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static int value_q(void *user, double t, const double *y, double *value)
{
  (void)user, (void)t;
  *value = y[0];
  return 0;
}

/* q - *user */
static int value_above(void *user, double t, const double *y, double *value)
{
  (void)t;
  *value = y[0] - *(const double *)user;
  return 0;
}

static int value_time(void *user, double t, const double *y, double *value)
{
  (void)y;
  *value = t - *(const double *)user;
  return 0;
}

static int value_nan(void *user, double t, const double *y, double *value)
{
  (void)user, (void)y;
  *value = t > 0.35 ? NAN : 1;
  return 0;
}

static int value_refuses(void *user, double t, const double *y, double *value)
{
  (void)user, (void)y;
  *value = 1;
  return t > 0.35;
}

/* v -> -e v, with e = *user */
static int bounce(void *user, double t, const double *before, double *after)
{
  (void)t;
  after[1] = -*(const double *)user * before[1];
  return 0;
}

static int rate_q(void *user, double t, const double *y, const double *dy, double *rate)
{
  (void)user, (void)t;
  assert_true(dy[0] == y[1]);
  *rate = dy[0];
  return 0;
}

static int rates_asked;

static int rate_nan(void *user, double t, const double *y, const double *dy, double *rate)
{
  (void)user, (void)t, (void)y, (void)dy;
  *rate = NAN;
  return 0;
}

static int rate_refuses(void *user, double t, const double *y, const double *dy, double *rate)
{
  (void)user, (void)t, (void)y, (void)dy, (void)rate;
  return 1;
}

static int keep(void *user, double t, const double *before, double *after)
{
  (void)user, (void)t, (void)before, (void)after;
  return 0;
}

static int refuse(void *user, double t, const double *before, double *after)
{
  (void)user, (void)t, (void)before, (void)after;
  return 1;
}

/* A motion that is watched. */
typedef struct rig {
  dae_problem problem;
  dae__arena *arena;
  dae_integrator *it;
  dae__events *ev;
  dae__event_news news;
  dae_error err;
} rig;

static rig *set_up(rig *r, const dae_mechanical *mechanical, exact_flow *flow, double step,
                   double q, double v, const dae_event *events, int count)
{
  double y[2] = {q, v};
  *r = (rig){.problem = dae_problem_mechanical(mechanical)};
  r->arena = dae__arena_create(NULL);
  r->it = exact_create(mechanical, flow, step, 0, q, v);
  assert_int_equal(dae__events_create(r->arena, &r->problem, events, count, &r->ev, &r->err),
                   DAE_OK);
  assert_int_equal(dae__events_arm(r->ev, 0, y, &r->err), DAE_OK);
  return r;
}

static void tear_down(rig *r)
{
  dae_integrator_free(r->it);
  dae__arena_free(r->arena);
}

/* Goes on to the next event; DAE_END: there is none before `to`. */
static dae_status next_event(rig *r, double to)
{
  for (;;) {
    double t;
    dae_status status = dae__events_detect(r->ev, r->it, &t, &r->err);
    if (status == DAE_EVENT) {
      status = dae__events_apply(r->ev, r->it, &r->news, &r->err);
      assert_true(status < 0 || r->news.t == t);
      return status < 0 ? status : status == DAE_STOPPED ? status : DAE_EVENT;
    }
    if (status < 0)
      return status;
    if (dae_integrator_view(r->it).t >= to)
      return DAE_END;
    status = dae_integrator_step(r->it, to, &r->err);
    if (status < 0)
      return status;
  }
}

static void test_crossings_are_found_to_round_off(void **state)
{
  (void)state;
  /* cos t = 0: all of them, the falling ones, the rising ones; short and long steps */
  const double steps[] = {0.01, 0.3, 1, 2.9};
  for (int direction = -1; direction <= 1; direction++)
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
      dae_event event = {.name = "zero", .direction = direction, .value = value_q};
      rig r;
      set_up(&r, &exact_oscillator, exact_oscillator_flow, steps[s], 1, 0, &event, 1);
      int found = 0;
      for (int k = 0; k < 12; k++) {
        double expected = (k + 0.5) * acos(-1);
        if (direction == (k % 2 ? -1 : 1))
          continue; /* odd ones rise */
        assert_int_equal(next_event(&r, 12 * acos(-1)), DAE_EVENT);
        assert_true(fabs(r.news.t - expected) < 16 * DBL_EPSILON * 40);
        assert_int_equal(r.news.fired, 1);
        assert_false(r.news.restarted);
        found++;
      }
      assert_int_equal(next_event(&r, 12 * acos(-1)), DAE_END);
      assert_int_equal(found, direction == 0 ? 12 : 6);
      assert_int_equal(dae_integrator_stats(r.it).restarts, 0);
      tear_down(&r);
    }
}

static void test_two_crossings_in_one_step_are_both_found(void **state)
{
  (void)state;
  /* thrown up at 10 m/s, above 3 m within one step of 2 s and back below it */
  double height = 3;
  dae_event event = {.name = "line", .user = &height, .value = value_above};
  rig r;
  set_up(&r, &exact_ball, exact_ball_flow, 2, 0, 10, &event, 1);
  double root = sqrt(100 - 2 * GRAVITY * height);
  assert_int_equal(next_event(&r, 4), DAE_EVENT);
  assert_true(fabs(r.news.t - (10 - root) / GRAVITY) < 1e-14);
  assert_int_equal(next_event(&r, 4), DAE_EVENT);
  assert_true(fabs(r.news.t - (10 + root) / GRAVITY) < 1e-14);
  assert_int_equal(next_event(&r, 4), DAE_END);
  tear_down(&r);
}

static void test_ball_bounces_at_the_right_times(void **state)
{
  (void)state;
  /* however long the steps are: the last of these is longer than every flight but the first */
  const double steps[] = {0.003, 0.05, 1, 10};
  double e = 0.8;
  dae_event event = {
      .name = "floor", .direction = -1, .user = &e, .value = value_q, .action = bounce};
  for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
    rig r;
    set_up(&r, &exact_ball, exact_ball_flow, steps[s], 1, 0, &event, 1);
    double t = sqrt(2 / GRAVITY), v = GRAVITY * t;
    for (int k = 0; k < 40; k++) {
      assert_int_equal(next_event(&r, 100), DAE_EVENT);
      assert_true(fabs(r.news.t - t) < 1e-12);
      assert_true(r.news.restarted);
      v *= e;
      assert_true(fabs(r.news.after[1] - v) < 1e-12);
      assert_true(fabs(r.news.after[0]) < 1e-13);
      t += 2 * v / GRAVITY;
    }
    tear_down(&r);
  }
}

/* a rate is the exact one: the search uses it where the event depends on states alone */
static int counted_rate(void *user, double t, const double *y, const double *dy, double *rate)
{
  rates_asked++;
  return rate_q(user, t, y, dy, rate);
}

static void test_a_rate_that_is_given_is_used(void **state)
{
  (void)state;
  double e = 0.8;
  for (int i = 0; i < 2; i++) {
    dae_event event = {.name = "floor",
                       .direction = -1,
                       .user = &e,
                       .value = value_q,
                       .rate = counted_rate,
                       .action = bounce,
                       .states_only = i == 1};
    rig r;
    rates_asked = 0;
    set_up(&r, &exact_ball, exact_ball_flow, 10, 1, 0, &event, 1);
    double t = sqrt(2 / GRAVITY), v = 0.8 * GRAVITY * t;
    assert_int_equal(next_event(&r, 100), DAE_EVENT);
    assert_true(i == 0 ? rates_asked == 1 : rates_asked > 3);
    assert_int_equal(next_event(&r, 100), DAE_EVENT);
    assert_true(fabs(r.news.t - t - 2 * v / GRAVITY) < 1e-12);
    tear_down(&r);
  }
}

/* heights of four lines, and how often they were asked for together and alone */
typedef struct lines {
  double height[4];
  int together, alone, refused_from;
} lines;

static lines drawn = {.height = {1e3, 0.5, -2e3, 1.5}};

static int value_line(void *user, double t, const double *y, double *value)
{
  drawn.alone++;
  return value_above(user, t, y, value);
}

static int sample_lines(void *user, double t, const double *y, const double *dy, double *values,
                        double *rates)
{
  lines *l = user;
  (void)t;
  for (int i = 0; i < 4; i++) {
    values[i] = y[0] - l->height[i];
    if (rates)
      rates[i] = dy[0];
  }
  return ++l->together >= l->refused_from;
}

static int rate_line(void *user, double t, const double *y, const double *dy, double *rate)
{
  (void)user, (void)t, (void)y;
  *rate = dy[0];
  return 0;
}

static void test_a_group_gives_values_of_all_its_events(void **state)
{
  (void)state;
  /* 2 cos t crosses the second and the fourth line; the others are far away. A group that refuses
   * leaves its events to their own functions */
  for (int i = 0; i < 6; i++) {
    bool grouped = i >= 2, with_rates = i % 2;
    dae_event_group group = {.count = 4, .user = &drawn, .sample = sample_lines};
    dae_event events[4];
    drawn.together = drawn.alone = 0;
    drawn.refused_from = i < 4 ? 1 << 30 : 5;
    for (int k = 0; k < 4; k++)
      events[k] = (dae_event){.name = "line",
                              .user = &drawn.height[k],
                              .value = value_line,
                              .rate = with_rates ? rate_line : NULL,
                              .states_only = with_rates,
                              .group = grouped ? &group : NULL,
                              .member = k};
    rig r;
    set_up(&r, &exact_oscillator, exact_oscillator_flow, 0.1, 2, 0, events, 4);
    const double pi = acos(-1),
                 expected[] = {acos(0.75), acos(0.25), 2 * pi - acos(0.25), 2 * pi - acos(0.75)};
    for (int k = 0; k < 4; k++) {
      assert_int_equal(next_event(&r, 2 * pi), DAE_EVENT);
      assert_true(fabs(r.news.t - expected[k]) < 1e-13);
    }
    assert_int_equal(next_event(&r, 2 * pi), DAE_END);
    assert_int_equal(dae__events_count(r.ev, 1).fired, 2);
    assert_int_equal(dae__events_count(r.ev, 3).fired, 2);
    assert_true(grouped ? drawn.together > 0 : drawn.together == 0);
    if (i == 3) /* 64 steps with three samples of four events */
      assert_true(drawn.alone < 64 * 3);
    tear_down(&r);
  }
}

static void test_accumulating_bounces_end_with_the_name_of_the_event(void **state)
{
  (void)state;
  const double restitution[] = {0.9, 0.5, 0.1, 1e-3, 1e-6};
  const double steps[] = {0.01, 1};
  for (size_t i = 0; i < sizeof restitution / sizeof *restitution; i++)
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
      double e = restitution[i], t = sqrt(2 / GRAVITY) * (1 + e) / (1 - e);
      dae_event event = {
          .name = "floor", .direction = -1, .user = &e, .value = value_q, .action = bounce};
      rig r;
      set_up(&r, &exact_ball, exact_ball_flow, steps[s], 1, 0, &event, 1);
      dae_status status;
      int bounces = 0;
      while ((status = next_event(&r, 20)) == DAE_EVENT)
        assert_true(++bounces < 1000);
      assert_int_equal(status, DAE_ERROR_STEP);
      assert_string_equal(r.err.equation, "floor");
      assert_true(fabs(r.err.t - t) < 1e-5);
      tear_down(&r);
    }
}

static void test_restart_at_an_event_is_not_a_second_event(void **state)
{
  (void)state;
  double floor = 1;
  /* an action that changes nothing still restarts: falls through once, without an echo */
  dae_event event = {.name = "line", .user = &floor, .value = value_above, .action = keep};
  rig r;
  set_up(&r, &exact_ball, exact_ball_flow, 0.02, 2, 0, &event, 1);
  assert_int_equal(next_event(&r, 3), DAE_EVENT);
  assert_true(fabs(r.news.t - sqrt(2 / GRAVITY)) < 1e-14);
  assert_true(r.news.restarted);
  assert_int_equal(next_event(&r, 3), DAE_END);
  tear_down(&r);
}

static void test_bounce_in_both_directions_fires_once_each(void **state)
{
  (void)state;
  /* the value rises through zero right after each bounce; that is no event */
  double e = 1;
  dae_event event = {.name = "floor", .user = &e, .value = value_q, .action = bounce};
  const double steps[] = {0.001, 0.07, 3};
  for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
    rig r;
    set_up(&r, &exact_ball, exact_ball_flow, steps[s], 1, 0, &event, 1);
    double fall = sqrt(2 / GRAVITY);
    for (int k = 0; k < 20; k++) {
      assert_int_equal(next_event(&r, 100), DAE_EVENT);
      assert_true(fabs(r.news.t - (2 * k + 1) * fall) < 1e-12);
    }
    tear_down(&r);
  }
}

/* A switch that is thrown back as soon as it was thrown, from t = 0.5 on. */
typedef struct chatter {
  double thrown;
  int side;
} chatter;

static int value_chatter(void *user, double t, const double *y, double *value)
{
  const chatter *c = user;
  (void)y;
  *value = c->side * fmin(fmax(1 - 1e20 * (t - c->thrown), -1), 1);
  return 0;
}

static int throw_switch(void *user, double t, const double *before, double *after)
{
  chatter *c = user;
  (void)before, (void)after;
  *c = (chatter){.thrown = t, .side = -c->side};
  return 0;
}

static void test_events_without_time_between_them_do_not_hang(void **state)
{
  (void)state;
  chatter c = {.thrown = 0.5, .side = 1};
  dae_event event = {.name = "switch", .user = &c, .value = value_chatter, .action = throw_switch};
  rig r;
  set_up(&r, &exact_ball, exact_ball_flow, 0.1, 1, 0, &event, 1);
  dae_status status;
  int count = 0;
  while ((status = next_event(&r, 1)) == DAE_EVENT)
    assert_true(++count < 1000);
  assert_int_equal(status, DAE_ERROR_STEP);
  assert_string_equal(r.err.equation, "switch");
  assert_true(fabs(r.err.t - 0.5) < 1e-12);
  tear_down(&r);
}

static void test_events_at_one_time_fire_together_from_the_values_before(void **state)
{
  (void)state;
  /* the second event's action sees the velocity before the first one's */
  double e = 0.5, when = sqrt(2 / GRAVITY);
  dae_event events[] = {
      {.name = "floor", .direction = -1, .user = &e, .value = value_q, .action = bounce},
      {.name = "clock", .direction = 1, .user = &when, .value = value_time},
      {.name = "later", .direction = 1, .user = &when, .value = value_above, .action = refuse},
  };
  rig r;
  set_up(&r, &exact_ball, exact_ball_flow, 0.1, 1, 0, events, 3);
  assert_int_equal(next_event(&r, 10), DAE_EVENT);
  assert_int_equal(r.news.fired, 2);
  assert_true(fabs(r.news.after[1] - e * GRAVITY * when) < 1e-13);
  assert_int_equal(next_event(&r, 10), DAE_EVENT);
  assert_int_equal(r.news.fired, 1);
  assert_string_equal(r.news.name, "floor");
  tear_down(&r);
}

static void test_value_that_is_zero_at_the_start_does_not_fire(void **state)
{
  (void)state;
  for (int direction = -1; direction <= 1; direction++) {
    dae_event event = {.name = "floor", .direction = direction, .value = value_q};
    rig r;
    set_up(&r, &exact_ball, exact_ball_flow, 0.1, 0, 1, &event, 1);
    /* only the return to the floor counts, and only as a fall */
    dae_status status = next_event(&r, 1);
    assert_int_equal(status, direction == 1 ? DAE_END : DAE_EVENT);
    if (status == DAE_EVENT)
      assert_true(fabs(r.news.t - 2 / GRAVITY) < 1e-14);
    tear_down(&r);
  }
}

static void test_terminal_event_stops(void **state)
{
  (void)state;
  dae_event event = {.name = "floor", .direction = -1, .stop = true, .value = value_q};
  rig r;
  set_up(&r, &exact_ball, exact_ball_flow, 0.1, 1, 0, &event, 1);
  assert_int_equal(next_event(&r, 1), DAE_STOPPED);
  assert_true(fabs(r.news.t - sqrt(2 / GRAVITY)) < 1e-15);
  assert_string_equal(r.news.name, "floor");
  tear_down(&r);
}

static void test_callbacks_that_fail_are_named(void **state)
{
  (void)state;
  const dae_event bad[] = {
      {.name = "nan", .value = value_nan},
      {.name = "refuses", .value = value_refuses},
      {.name = "action", .value = value_q, .action = refuse},
      {.name = "no rate", .value = value_q, .action = keep, .rate = rate_refuses},
      {.name = "nan rate", .value = value_q, .action = keep, .rate = rate_nan},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    rig r;
    set_up(&r, &exact_ball, exact_ball_flow, 0.1, 1, 0, &bad[i], 1);
    assert_int_equal(next_event(&r, 1), DAE_ERROR_CALLBACK);
    assert_string_equal(r.err.equation, bad[i].name);
    assert_non_null(strstr(r.err.text, bad[i].name));
    assert_true(r.err.t > 0.3 && r.err.t < 0.5);
    tear_down(&r);
  }
}

static void test_bad_events_are_refused(void **state)
{
  (void)state;
  const dae_event bad[] = {{.name = "empty"}, {.name = "askew", .value = value_q, .direction = 2}};
  dae_problem problem = dae_problem_mechanical(&exact_ball);
  dae__arena *arena = dae__arena_create(NULL);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    dae__events *ev;
    dae_error err;
    assert_int_equal(dae__events_create(arena, &problem, &bad[i], 1, &ev, &err), DAE_ERROR_PROBLEM);
    assert_string_equal(err.equation, bad[i].name);
  }
  dae__arena_free(arena);
}

/* ---- the root finder ---- */

typedef struct curve {
  double (*f)(double x);
  int calls;
} curve;

static dae_status eval_curve(void *user, double x, double *value, dae_error *err)
{
  (void)err;
  curve *c = user;
  c->calls++;
  *value = c->f(x);
  return DAE_OK;
}

static double flat(double x)
{
  return pow(x - 0.3, 9);
}

static double steep(double x)
{
  return tanh(1e6 * (x - 0.3));
}

static double line(double x)
{
  return 3 * (x - 0.3);
}

static double jump(double x)
{
  return x < 0.3 ? -1e-3 : 5;
}

static void test_roots_are_bracketed_with_few_calls(void **state)
{
  (void)state;
  double (*const curves[])(double) = {flat, steep, line, jump};
  const int most[] = {160, 80, 12, 110};
  for (int i = 0; i < 4; i++) {
    curve c = {curves[i], 0};
    dae__bracket b = {.a = 0, .b = 1, .fa = c.f(0), .fb = c.f(1)};
    assert_int_equal(dae__root_narrow(&b, 1e-15, eval_curve, &c, NULL), DAE_OK);
    /* the ninth power underflows to zero around its root */
    assert_true(fabs(b.b - 0.3) < 1e-14 || c.f(b.b) == 0 || i == 0);
    assert_true(b.a < b.b && b.fa < 0 && b.fb >= 0);
    assert_true(c.calls <= most[i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_crossings_are_found_to_round_off),
      cmocka_unit_test(test_two_crossings_in_one_step_are_both_found),
      cmocka_unit_test(test_ball_bounces_at_the_right_times),
      cmocka_unit_test(test_a_rate_that_is_given_is_used),
      cmocka_unit_test(test_accumulating_bounces_end_with_the_name_of_the_event),
      cmocka_unit_test(test_restart_at_an_event_is_not_a_second_event),
      cmocka_unit_test(test_bounce_in_both_directions_fires_once_each),
      cmocka_unit_test(test_events_without_time_between_them_do_not_hang),
      cmocka_unit_test(test_events_at_one_time_fire_together_from_the_values_before),
      cmocka_unit_test(test_value_that_is_zero_at_the_start_does_not_fire),
      cmocka_unit_test(test_a_group_gives_values_of_all_its_events),
      cmocka_unit_test(test_terminal_event_stops),
      cmocka_unit_test(test_callbacks_that_fail_are_named),
      cmocka_unit_test(test_bad_events_are_refused),
      cmocka_unit_test(test_roots_are_bracketed_with_few_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
