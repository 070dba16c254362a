/* Comparing methods: the reference, errors, costs, what is recommended, and what may go wrong. */
#include "counting_env.h"
#include "support.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define MOST 8

static const double loose_to_tight[] = {1e-3, 1e-5, 1e-7};

/* The CPU time that the library reads: ten microseconds a step and one a reading. Times, and with
 * them the step sizes that are chosen, are the same on every machine. */
static clock_t now;

clock_t clock(void)
{
  return now++;
}

static bool step_takes_time(void *user, const dae_compare_run *run, int done, int total)
{
  (void)user, (void)run, (void)done, (void)total;
  now += 10;
  return true;
}

/* A comparison of the problem by methods with these names, NULL behind the last one. */
typedef struct setting {
  dae_run_plan run;
  dae_compare_plan plan;
  const dae_method *methods[MOST];
} setting;

static void add(setting *s, const dae_method *method)
{
  assert_true(s->plan.method_count < MOST);
  s->methods[s->plan.method_count++] = method;
  s->plan.methods = s->methods;
}

static void set_up(setting *s, const test_problem *p, double to, const char *const *names)
{
  *s = (setting){.run = {.problem = p->problem,
                         .start = p->start,
                         .to = to,
                         .events = p->events,
                         .event_count = p->event_count}};
  s->plan = dae_compare_defaults(&s->run);
  s->plan.progress = step_takes_time;
  s->plan.rtol = loose_to_tight;
  s->plan.rtol_count = 3;
  for (; *names; names++) {
    const dae_method *method = dae_method_find(*names, NULL);
    assert_non_null(method);
    add(s, method);
  }
}

static dae_comparison *compared(const setting *s)
{
  dae_comparison *c = NULL;
  dae_error err = dae_error_none();
  if (dae_compare(&s->plan, NULL, &c, &err) < 0)
    fail_msg("%s", err.text);
  return c;
}

static const dae_compare_run *run_of(const dae_comparison *c, const dae_method *method, int i)
{
  for (int k = 0; k < c->runs; k++)
    if (c->run[k].method == method && i-- == 0)
      return &c->run[k];
  return NULL;
}

static const dae_method *named(const char *name)
{
  return dae_method_find(name, NULL);
}

/* ---- methods that are wrong ---- */

/* Starts with other velocities, and converges, to another motion. */
static double wrong_speed;

static dae_status wrong_create(const dae_problem *problem, const dae_start *start, const void *opts,
                               const dae_env *env, dae_integrator **out, dae_error *err)
{
  double y[5];
  dae_start other = *start;
  memcpy(y, start->y, sizeof y);
  y[3] += wrong_speed; /* of the pendulum, which is level */
  other.y = y;
  return named("explicit")->create(problem, &other, opts, env, out, err);
}

static dae_method wrong_method(double speed)
{
  dae_method m = *named("explicit");
  wrong_speed = speed;
  m.name = "wrong";
  m.family = NULL;
  m.create = wrong_create;
  return m;
}

static dae_status broken_create(const dae_problem *problem, const dae_start *start,
                                const void *opts, const dae_env *env, dae_integrator **out,
                                dae_error *err)
{
  (void)problem, (void)start, (void)opts, (void)env;
  *out = NULL;
  *err = dae_error_none();
  strcpy(err->text, "the spring of this method is broken");
  return err->status = DAE_ERROR_STEP;
}

/* ---- the reference ---- */

static void test_the_reference_is_a_pair_of_different_families(void **state)
{
  static const char *const names[] = {"bdf-ggl", "bdf-cs", "spark-gauss", "explicit",
                                      "gauss",   "radau",  NULL};
  test_problem p = test_pendulum();
  setting s;
  (void)state;
  set_up(&s, &p, 2, names);
  dae_comparison *c = compared(&s);
  const dae_reference *r = &c->reference;
  assert_int_equal(r->kind, DAE_REFERENCE_FAMILIES);
  assert_ptr_not_equal(r->run.method, r->witness.method);
  assert_true(!r->run.method->family || !r->witness.method->family ||
              strcmp(r->run.method->family, r->witness.method->family) != 0);
  assert_true(r->agreement < 1e-8); /* one of them at 1e-9: the tolerance less by 100 */
  assert_true(r->run.rtol < 1e-8 || r->witness.rtol < 1e-8);
  assert_true(r->floor == 3 * r->agreement);
  assert_int_equal(r->rows, s.plan.times + 1);
  char text[256];
  assert_true(dae_reference_text(c, text, sizeof text) == strlen(text));
  assert_non_null(strstr(text, r->run.method->name));
  dae_comparison_free(c);
}

static void test_errors_fall_with_the_tolerance(void **state)
{
  static const char *const names[] = {"bdf-ggl", "spark-gauss", "explicit", "radau", NULL};
  test_problem p = test_pendulum();
  setting s;
  (void)state;
  set_up(&s, &p, 2, names);
  dae_comparison *c = compared(&s);
  assert_int_equal(c->runs, 12);
  for (int m = 0; m < c->method_count; m++)
    for (int i = 0; i < 3; i++) {
      const dae_compare_run *run = run_of(c, c->methods[m], i);
      assert_true(run->status >= 0 && run->step == 0 && run->rtol == loose_to_tight[i]);
      assert_true(run->error < 100 * run->rtol); /* a tolerance is kept, or nearly */
      assert_true(run->error > 0);
      assert_true(run->error ==
                  fmax(run->kind[DAE_VARIABLE_COORDINATE], run->kind[DAE_VARIABLE_RATE]));
      assert_true(run->algebraic == run->kind[DAE_VARIABLE_MULTIPLIER]);
      assert_true(run->seconds > 0 && run->seconds_rows > 0 && run->stats.evaluations > 0);
      assert_true(run->position_drift < 1e-10);
      if (i > 0)
        assert_true(run->error < 0.2 * run_of(c, c->methods[m], i - 1)->error);
    }
  dae_comparison_free(c);
}

/* the pendulum has known values at t = 10, which nobody here has computed */
static void test_errors_are_those_from_the_motion_itself(void **state)
{
  static const char *const names[] = {"bdf-ggl", "explicit", "radau", NULL};
  test_problem p = test_pendulum();
  setting s;
  double y[5];
  (void)state;
  set_up(&s, &p, p.to, names);
  dae_comparison *c = compared(&s);
  assert_non_null(p.reference);
  for (int m = 0; m < c->method_count; m++) {
    const dae_compare_run *run = run_of(c, c->methods[m], 1);
    void *opts = malloc(run->method->options_size);
    assert_non_null(opts);
    run->method->defaults(opts);
    dae_options_set(run->method->options, opts, "rtol", "1e-5", NULL);
    dae_options_set(run->method->options, opts, "atol", "1e-7", NULL);
    assert_true(support_run_with(run->method->name, &p, opts, 0, NULL, NULL, y, NULL) >= 0);
    free(opts);
    double at_end = 0;
    for (int i = 0; i < 4; i++) { /* velocities reach sqrt(2 g), positions 1 */
      double largest = i < 2 ? 1 : sqrt(2 * 9.81);
      at_end = fmax(at_end, fabs(y[i] - p.reference[i]) / (largest + 0.01));
    }
    assert_true(at_end > 0.01 * run->error);
    assert_true(at_end < 1.2 * run->error);
  }
  dae_comparison_free(c);
}

static void test_one_family_and_one_method_have_weaker_references(void **state)
{
  static const char *const family[] = {"bdf-ggl", "bdf-cs", NULL};
  static const char *const single[] = {"explicit", NULL};
  static const char *const mixed[] = {"explicit", "switching", NULL};
  test_problem p = test_pendulum();
  setting s;
  (void)state;
  set_up(&s, &p, 1, family);
  dae_comparison *c = compared(&s);
  assert_int_equal(c->reference.kind, DAE_REFERENCE_METHODS);
  dae_comparison_free(c);
  set_up(&s, &p, 1, single);
  c = compared(&s);
  assert_int_equal(c->reference.kind, DAE_REFERENCE_TOLERANCES);
  assert_true(c->reference.run.method == c->reference.witness.method);
  assert_true(c->reference.run.rtol != c->reference.witness.rtol);
  dae_comparison_free(c);
  /* switching takes the steps of explicit: they agree to the last bit, which proves nothing */
  set_up(&s, &p, 1, mixed);
  c = compared(&s);
  assert_int_equal(c->reference.kind, DAE_REFERENCE_TOLERANCES);
  dae_comparison_free(c);
}

/* ---- methods that are wrong ---- */

static void test_a_wrong_method_is_neither_reference_nor_recommended(void **state)
{
  static const char *const names[] = {"explicit", "radau", "spark-gauss", NULL};
  test_problem p = test_pendulum();
  dae_method wrong = wrong_method(1e-3);
  setting s;
  (void)state;
  set_up(&s, &p, 2, names);
  add(&s, &wrong);
  s.plan.wanted = 1e-5;
  dae_comparison *c = compared(&s);
  assert_int_equal(c->reference.kind, DAE_REFERENCE_FAMILIES);
  assert_true(c->reference.run.method != &wrong && c->reference.witness.method != &wrong);
  assert_non_null(c->recommended);
  assert_ptr_not_equal(c->recommended, &wrong);
  for (int i = 0; i < 3; i++) /* it converges, but not to the motion */
    assert_true(run_of(c, &wrong, i)->error > 1e-4);
  assert_true(isnan(dae_comparison_cost(c, &wrong, 1e-5, DAE_COST_SECONDS)));
  assert_non_null(strstr(c->why, "Not reached by wrong"));
  dae_comparison_free(c);
}

/* one of two is wrong: nobody can say which */
static void test_where_two_differ_nothing_is_known_beyond(void **state)
{
  static const char *const names[] = {"explicit", NULL};
  test_problem p = test_pendulum();
  dae_method wrong = wrong_method(1e-3);
  setting s;
  (void)state;
  set_up(&s, &p, 2, names);
  add(&s, &wrong);
  dae_comparison *c = compared(&s);
  assert_int_equal(c->reference.kind, DAE_REFERENCE_FAMILIES);
  assert_true(c->reference.agreement > 1e-4 && c->reference.agreement < 1e-2);
  assert_null(c->recommended);
  assert_non_null(strstr(c->why, "known to"));
  assert_true(isnan(dae_comparison_cost(c, named("explicit"), 1e-6, DAE_COST_SECONDS)));
  dae_comparison_free(c);

  wrong_speed = 1; /* and here there is no reference at all */
  c = compared(&s);
  assert_int_equal(c->reference.kind, DAE_REFERENCE_NONE);
  assert_true(c->reference.agreement > 1e-2);
  assert_null(c->recommended);
  assert_null(c->best);
  assert_non_null(strstr(c->why, "differ by"));
  for (int i = 0; i < c->runs; i++) {
    assert_true(isnan(c->run[i].error));
    assert_true(c->run[i].seconds > 0); /* the rest is known all the same */
  }
  dae_comparison_free(c);
}

/* x = t - t^2/2 reaches 0.5, 5e-10 below the sensor; the other method, 1e-9 higher, crosses it up
 * and down. Rows agree to 1e-9, the numbers of events do not. */
static int above_sensor(void *user, double t, const double *y, double *value)
{
  (void)user, (void)t;
  *value = y[0] - (0.5 + 5e-10);
  return 0;
}

static int throw_rates(void *user, const dae_semi_explicit_at *at, double *dx)
{
  (void)user;
  dx[0] = at->x[1];
  dx[1] = -1;
  return 0;
}

static dae_status higher_create(const dae_problem *problem, const dae_start *start,
                                const void *opts, const dae_env *env, dae_integrator **out,
                                dae_error *err)
{
  double y[] = {start->y[0] + 1e-9, start->y[1]};
  dae_start other = *start;
  other.y = y;
  return named("rosenbrock")->create(problem, &other, opts, env, out, err);
}

static void test_runs_with_other_numbers_of_events_do_not_agree(void **state)
{
  static const char *const names[] = {"explicit", "radau", NULL};
  static const double start[] = {0, 1};
  const dae_semi_explicit throw = {.nx = 2, .f = throw_rates};
  const dae_event sensor = {.name = "sensor", .value = above_sensor, .states_only = true};
  const test_problem p = {.problem = {.semi_explicit = &throw},
                          .start = {.y = start},
                          .events = &sensor,
                          .event_count = 1};
  dae_method higher = *named("rosenbrock");
  setting s;
  (void)state;
  higher.name = "higher";
  higher.create = higher_create;
  set_up(&s, &p, 2, names);
  add(&s, &higher);
  dae_comparison *c = compared(&s);
  assert_int_equal(c->reference.kind, DAE_REFERENCE_FAMILIES);
  assert_string_equal(c->reference.other_events, "");
  assert_true(c->reference.run.method != &higher && c->reference.witness.method != &higher);
  for (int i = 0; i < c->runs; i++) {
    const dae_compare_run *run = &c->run[i];
    bool other = run->method == &higher;
    assert_int_equal(run->events, other ? 2 : 0);
    assert_true(other ? isinf(run->error) : run->error < 1e-12);
    assert_true(run->kind[DAE_VARIABLE_STATE] < 1e-8);
    assert_true(strstr(run->other_events, "event sensor: 2 in higher at 1e-") ==
                (other ? run->other_events : NULL));
  }
  assert_ptr_not_equal(c->recommended, &higher);
  assert_true(isnan(dae_comparison_cost(c, &higher, 1e-3, DAE_COST_SECONDS)));
  dae_comparison_free(c);

  /* two methods: neither agrees with the other, each with itself */
  set_up(&s, &p, 2, (const char *const[]){"explicit", NULL});
  add(&s, &higher);
  c = compared(&s);
  assert_int_equal(c->reference.kind, DAE_REFERENCE_TOLERANCES);
  assert_non_null(strstr(c->reference.other_events, "event sensor: 2 in higher at 1e-"));
  assert_non_null(strstr(c->reference.other_events, ", 0 in explicit at 1e-"));
  char text[512];
  dae_reference_text(c, text, sizeof text);
  assert_non_null(strstr(text, c->reference.other_events));
  dae_comparison_free(c);
}

static void test_a_method_that_fails_says_why(void **state)
{
  static const char *const names[] = {"explicit", "radau", "bdf", NULL};
  test_problem p = test_pendulum();
  dae_method broken = *named("explicit");
  setting s;
  (void)state;
  broken.name = "broken";
  broken.create = broken_create;
  set_up(&s, &p, 1, names);
  add(&s, &broken);
  dae_comparison *c = compared(&s);
  for (int i = 0; i < 3; i++) {
    const dae_compare_run *run = run_of(c, &broken, i);
    assert_int_equal(run->status, DAE_ERROR_STEP);
    assert_string_equal(run->message, "the spring of this method is broken");
    assert_true(isnan(run->error) && isnan(run->seconds));
  }
  /* one that does not take the problem says so once */
  assert_int_equal(run_of(c, named("bdf"), 0)->status, DAE_ERROR_UNSUPPORTED);
  assert_true(strlen(run_of(c, named("bdf"), 0)->message) > 0);
  assert_null(run_of(c, named("bdf"), 1));
  assert_int_equal(c->reference.kind, DAE_REFERENCE_FAMILIES);
  dae_comparison_free(c);
}

static void test_a_run_that_takes_too_long_is_given_up(void **state)
{
  static const char *const names[] = {"explicit", "radau", NULL};
  test_problem p = test_pendulum();
  setting s;
  (void)state;
  set_up(&s, &p, 1000, names);
  s.plan.seconds = 1e-9;
  dae_comparison *c = compared(&s);
  assert_int_equal(c->runs, 2);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(c->run[i].status, DAE_ERROR_INTERRUPTED);
    assert_non_null(strstr(c->run[i].message, "takes longer than 1e-09 s"));
    assert_true(c->run[i].t_end < 1000);
  }
  assert_int_equal(c->reference.kind, DAE_REFERENCE_NONE);
  assert_null(c->recommended);
  assert_true(strlen(c->why) > 0);
  dae_comparison_free(c);
}

/* ---- fixed steps ---- */

static void test_fixed_steps_go_through_step_sizes(void **state)
{
  static const char *const names[] = {"rk4", "explicit", "radau", NULL};
  test_problem p = test_pendulum();
  setting s;
  (void)state;
  set_up(&s, &p, 2, names);
  dae_comparison *c = compared(&s);
  const dae_compare_run *last = run_of(c, named("rk4"), 0);
  assert_true(last->step > 0);
  int count = 1;
  for (const dae_compare_run *run; (run = run_of(c, named("rk4"), count)); last = run, count++) {
    assert_true(run->step < 0.6 * last->step);
    assert_true(fabs(2 / run->step - rint(2 / run->step)) < 1e-9);
    assert_int_equal(run->stats.steps, lrint(2 / run->step));
    assert_true(run->seconds >
                1e-5 * (double)(run->stats.steps - 1)); /* the last one ends the run */
    if (run->status >= 0 && last->status >= 0 && last->error > 1e-7)
      assert_true(run->error < last->error);
  }
  assert_true(count >= 3);
  assert_true(last->error < 1e-4);
  dae_comparison_free(c);
}

/* ---- events ---- */

static int hits_bottom(void *user, double t, const double *y, double *value)
{
  (void)user, (void)t;
  *value = y[0]; /* x = 0 */
  return 0;
}

static void test_stop_events_end_all_runs_and_rows_are_compared_up_to_there(void **state)
{
  static const char *const names[] = {"explicit", "radau", "bdf-ggl", NULL};
  const dae_event bottom = {.name = "bottom", .value = hits_bottom, .stop = true};
  test_problem p = test_pendulum();
  setting s;
  (void)state;
  set_up(&s, &p, 100, names);
  s.run.events = &bottom;
  s.run.event_count = 1;
  dae_comparison *c = compared(&s);
  assert_int_equal(c->reference.kind, DAE_REFERENCE_FAMILIES);
  assert_int_equal(c->reference.rows, s.plan.times);
  for (int i = 0; i < c->runs; i++) {
    assert_int_equal(c->run[i].status, DAE_STOPPED);
    /* a quarter of the period of a pendulum that starts level: K(1/2)/sqrt(g) */
    double off = fabs(c->run[i].t_end - 1.8540746773013719 / sqrt(9.81)) / c->run[i].t_end;
    assert_true(off <= c->run[i].error + c->reference.floor);
  }
  assert_non_null(c->recommended);
  dae_comparison_free(c);
}

static void test_jumps_do_not_spoil_errors(void **state)
{
  static const char *const names[] = {"explicit", "radau", "bdf", NULL};
  test_problem p = test_bouncing_ball();
  setting s;
  (void)state;
  set_up(&s, &p, p.to, names);
  dae_comparison *c = compared(&s);
  assert_int_equal(c->reference.kind, DAE_REFERENCE_FAMILIES);
  for (int m = 0; m < c->method_count; m++)
    assert_true(run_of(c, c->methods[m], 2)->error < 1e-5);
  dae_comparison_free(c);
}

/* ---- costs ---- */

static dae_compare_run made_up(const dae_method *method, double error, long evaluations)
{
  return (dae_compare_run){.method = method,
                           .rtol = error,
                           .error = error,
                           .seconds = 1e-6 * (double)evaluations,
                           .seconds_rows = 2e-6 * (double)evaluations,
                           .stats = {.evaluations = evaluations}};
}

static void test_costs_between_runs_are_interpolated_in_logarithms(void **state)
{
  const dae_method *a = named("explicit"), *b = named("radau"), *list[] = {b, a}, *order[2];
  const dae_compare_run runs[] = {made_up(b, 1e-1, 1000), made_up(b, 1e-5, 3000),
                                  made_up(a, 1e-2, 10), made_up(a, 1e-4, 1000),
                                  made_up(a, 1e-9, 9000)};
  dae_comparison c = {.runs = 5,
                      .run = runs,
                      .methods = list,
                      .method_count = 2,
                      .reference = {.kind = DAE_REFERENCE_FAMILIES, .floor = 1e-8}};
  const dae_compare_cost work = DAE_COST_EVALUATIONS;
  (void)state;
  assert_true(fabs(dae_comparison_cost(&c, a, 1e-3, work) - 100) < 1e-9);
  assert_true(fabs(dae_comparison_cost(&c, a, 1e-3, DAE_COST_SECONDS) - 1e-4) < 1e-15);
  assert_true(fabs(dae_comparison_cost(&c, a, 1e-3, DAE_COST_SECONDS_ROWS) - 2e-4) < 1e-15);
  assert_true(fabs(dae_comparison_cost(&c, a, 1e-4, work) - 1000) < 1e-9);
  assert_true(dae_comparison_cost(&c, a, 0.5, work) == 10); /* the loosest run will do */
  /* below the floor nothing is known, and the last run counts as if it were there */
  assert_true(isnan(dae_comparison_cost(&c, a, 1e-9, work)));
  assert_true(fabs(dae_comparison_cost(&c, a, 1e-8, work) - 9000) < 1e-6);
  assert_true(isnan(dae_comparison_cost(&c, b, 1e-6, work))); /* not reached */
  assert_int_equal(dae_comparison_rank(&c, 1e-2, work, order), 2);
  assert_ptr_equal(order[0], a);
  assert_int_equal(dae_comparison_rank(&c, 1e-5, work, order), 2);
  assert_ptr_equal(order[0], a); /* 1000 9^(1/4) < 3000 */
  assert_int_equal(dae_comparison_rank(&c, 1e-6, work, order), 1);
  c.reference.kind = DAE_REFERENCE_NONE;
  assert_int_equal(dae_comparison_rank(&c, 1e-2, work, order), 0);
}

static void test_what_is_recommended_reached_what_is_wanted(void **state)
{
  static const char *const names[] = {"bdf-ggl", "explicit", "radau", "lie", NULL};
  test_problem p = test_pendulum();
  setting s;
  const dae_method *order[MOST];
  (void)state;
  set_up(&s, &p, 2, names);
  s.plan.wanted = 1e-4;
  dae_comparison *c = compared(&s);
  assert_non_null(c->recommended);
  assert_ptr_equal(c->best->method, c->recommended);
  assert_true(c->best->error <= 1e-4);
  for (int i = 0; i < c->runs; i++) /* of its runs the fastest that is accurate enough */
    if (c->run[i].method == c->recommended && c->run[i].error <= 1e-4)
      assert_true(c->best->seconds <= c->run[i].seconds);
  assert_non_null(strstr(c->why, c->recommended->name));
  int count = dae_comparison_rank(c, 1e-4, DAE_COST_SECONDS, order);
  assert_true(count >= 3);
  for (int i = 1; i < count; i++)
    assert_true(dae_comparison_cost(c, order[i - 1], 1e-4, DAE_COST_SECONDS) <=
                dae_comparison_cost(c, order[i], 1e-4, DAE_COST_SECONDS));
  /* none costs more than 10 % less */
  assert_true(dae_comparison_cost(c, c->recommended, 1e-4, DAE_COST_SECONDS) <=
              1.1 * dae_comparison_cost(c, order[0], 1e-4, DAE_COST_SECONDS));
  /* as in bench_engines: explicit needs the fewest evaluations, bdf more than radau for 6 digits */
  dae_comparison_rank(c, 1e-4, DAE_COST_EVALUATIONS, order);
  assert_ptr_equal(order[0], named("explicit"));
  dae_comparison_free(c);
}

/* ---- coupled problems ---- */

static int asked_for_options; /* of methods that iterate */

static dae_status look_at_options(void *user, const dae_method *method, double rtol, double atol,
                                  void *opts, dae_error *err)
{
  (void)user, (void)err;
  assert_true(fabs(atol - 0.01 * rtol) < 1e-12 * rtol);
  if (method->iterates) {
    assert_true(((dae_wave_options *)opts)->rtol == rtol);
    asked_for_options++;
  }
  return DAE_OK;
}

static void test_iterations_are_compared_with_one_system(void **state)
{
  static const char *const names[] = {"gauss-seidel", "jacobi", "bdf", "radau", NULL};
  test_problem p = test_two_circuits();
  setting s;
  (void)state;
  set_up(&s, &p, p.to, names);
  s.plan.options = look_at_options;
  dae_comparison *c = compared(&s);
  assert_true(asked_for_options >= 12); /* with and without rows */
  assert_int_equal(c->reference.kind, DAE_REFERENCE_FAMILIES);
  assert_false(c->reference.run.method->iterates || c->reference.witness.method->iterates);
  for (int m = 0; m < c->method_count; m++)
    assert_true(run_of(c, c->methods[m], 2)->error < 1e-5);
  dae_comparison_free(c);
}

/* ---- all methods ---- */

static void test_by_default_all_methods_that_take_the_problem_are_compared(void **state)
{
  static const char *const none[] = {NULL};
  test_problem p = test_knife_edge();
  setting s;
  int count = 0;
  (void)state;
  set_up(&s, &p, 0.5, none);
  s.plan.rtol_count = 2;
  dae_comparison *c = compared(&s);
  for (int i = 0; dae_method_at(i); i++)
    if (dae_method_at(i)->accepts(&p.problem, NULL) >= 0)
      assert_ptr_equal(c->methods[count++], dae_method_at(i));
  assert_int_equal(c->method_count, count);
  assert_true(count > 10);
  assert_int_equal(c->reference.kind, DAE_REFERENCE_FAMILIES);
  dae_comparison_free(c);
}

/* ---- texts ---- */

static void check_text(const dae_comparison *c,
                       size_t (*make)(const dae_comparison *c, char *text, size_t size))
{
  size_t size = make(c, NULL, 0) + 1;
  char *text = malloc(size), cut[10];
  assert_non_null(text);
  assert_int_equal(make(c, text, size), size - 1);
  assert_int_equal(strlen(text), size - 1);
  assert_int_equal(make(c, cut, sizeof cut), size - 1);
  assert_memory_equal(cut, text, 9);
  for (int i = 0; i < c->method_count; i++)
    assert_non_null(strstr(text, c->methods[i]->name));
  assert_non_null(strstr(text, "decoupled"));
  assert_non_null(strstr(text, "richer")); /* deprecated: decoupled */
  free(text);
}

static void test_texts_have_the_length_they_tell(void **state)
{
  static const char *const names[] = {"explicit", "radau", NULL};
  test_problem p = test_pendulum();
  setting s;
  char text[16];
  (void)state;
  set_up(&s, &p, 0.5, names);
  dae_comparison *c = compared(&s);
  check_text(c, dae_comparison_json);
  check_text(c, dae_comparison_csv);
  dae_comparison_free(c);
  const struct {
    double rtol, step;
    const char *text;
  } all[] = {{1e-3, 0, "1e-3"},   {1e-10, 0, "1e-10"},  {2.5e-4, 0, "2.5e-4"},
             {0.01, 0, "1e-2"},   {1e-6, 0.5, "h 0.5"}, {1, 9.9e-4, "h 9.9e-4"},
             {9.97e-5, 0, "1e-4"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    dae_compare_asked(&(dae_compare_run){.rtol = all[i].rtol, .step = all[i].step}, text,
                      sizeof text);
    assert_string_equal(text, all[i].text);
  }
}

/* ---- interrupts, refusals, memory ---- */

static long calls_left;

static bool stop_after(void *user, const dae_compare_run *run, int done, int total)
{
  (void)user;
  assert_non_null(run->method);
  assert_true(done >= 0 && total > 0);
  return calls_left-- > 0;
}

static void test_an_interrupt_keeps_what_there_is(void **state)
{
  static const char *const names[] = {"explicit", "radau", NULL};
  static const double after[] = {0, 0.02, 0.05, 0.1, 0.2}; /* of all calls */
  test_problem p = test_pendulum();
  setting s;
  (void)state;
  set_up(&s, &p, 1, names);
  s.plan.progress = stop_after;
  calls_left = LONG_MAX;
  dae_comparison_free(compared(&s));
  long calls = LONG_MAX - calls_left;
  for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
    dae_comparison *c = NULL;
    dae_error err = dae_error_none();
    calls_left = (long)(after[i] * (double)calls);
    assert_int_equal(dae_compare(&s.plan, NULL, &c, &err), DAE_ERROR_INTERRUPTED);
    assert_non_null(strstr(err.text, "interrupted"));
    assert_non_null(c);
    assert_true(c->runs > 0 && strlen(c->why) > 0);
    assert_int_equal(c->method_count, 2);
    dae_comparison_free(c);
  }
}

static void refuses(const setting *s, const char *field)
{
  dae_comparison *c = (dae_comparison *)s; /* has to be overwritten */
  dae_error err = dae_error_none();
  assert_int_equal(dae_compare(&s->plan, NULL, &c, &err), DAE_ERROR_USAGE);
  assert_string_equal(err.equation, field);
  assert_true(strlen(err.text) > 0);
  assert_null(c);
}

static void test_plans_that_make_no_sense_are_refused(void **state)
{
  static const char *const names[] = {"explicit", NULL};
  static const double rising[] = {1e-6, 1e-4}, beyond[] = {2};
  test_problem p = test_pendulum();
  setting s;
  (void)state;
#define REFUSES(change, field)                                                                     \
  set_up(&s, &p, 1, names);                                                                        \
  s.plan.change;                                                                                   \
  refuses(&s, field)
  REFUSES(plan = NULL, "plan");
  REFUSES(rtol_count = 0, "rtol");
  REFUSES(rtol = rising, "rtol");
  REFUSES(rtol = beyond, "rtol");
  REFUSES(atol_ratio = 0, "atol_ratio");
  REFUSES(wanted = NAN, "wanted");
  REFUSES(seconds = -1, "seconds");
  REFUSES(times = 0, "times");
  REFUSES(method_count = 0, "methods");
#undef REFUSES
}

static bool compare_once(const dae_env *env)
{
  static const char *const names[] = {"explicit", "radau", NULL};
  test_problem p = test_pendulum();
  setting s;
  dae_comparison *c = NULL;
  set_up(&s, &p, 0.02, names);
  s.plan.rtol_count = 1;
  dae_status status = dae_compare(&s.plan, env, &c, NULL);
  assert_true(status == DAE_OK || status == DAE_ERROR_MEMORY);
  assert_true((status == DAE_OK) == (c != NULL));
  dae_comparison_free(c);
  return status == DAE_OK;
}

/* the n-th allocation, for every n at first and then for some */
static void test_memory_may_run_out_anywhere(void **state)
{
  (void)state;
  bool done = false;
  for (long n = 1; !done; n += n < 60 ? 1 : 29) {
    counting_env count = {.fail_at = n};
    dae_env env = counting_env_of(&count);
    done = compare_once(&env);
    assert_int_equal(count.live, 0);
    assert_true(done == (count.calls < n));
  }
}

/* ---- runs that are timed ---- */

static void test_an_unmeasured_run_is_the_same_without_an_account(void **state)
{
  test_problem p = test_pendulum();
  const double no_times[1] = {0};
  dae_run_plan plan = {.problem = p.problem,
                       .start = p.start,
                       .method = named("explicit"),
                       .to = 2,
                       .times = no_times};
  dae_summary with, without;
  (void)state;
  assert_int_equal(dae_run(&plan, NULL, &with, NULL), DAE_OK);
  plan.unmeasured = true;
  assert_int_equal(dae_run(&plan, NULL, &without, NULL), DAE_OK);
  assert_false(isnan(with.position_drift) || isnan(with.energy_balance));
  assert_true(isnan(without.position_drift) && isnan(without.velocity_drift));
  assert_true(isnan(without.energy_balance) && isnan(without.energy_start));
  assert_int_equal(with.stats.steps, without.stats.steps);
  assert_int_equal(with.rows, without.rows);
  assert_true(without.stats.evaluations <= with.stats.evaluations);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_reference_is_a_pair_of_different_families),
      cmocka_unit_test(test_errors_fall_with_the_tolerance),
      cmocka_unit_test(test_errors_are_those_from_the_motion_itself),
      cmocka_unit_test(test_one_family_and_one_method_have_weaker_references),
      cmocka_unit_test(test_a_wrong_method_is_neither_reference_nor_recommended),
      cmocka_unit_test(test_where_two_differ_nothing_is_known_beyond),
      cmocka_unit_test(test_runs_with_other_numbers_of_events_do_not_agree),
      cmocka_unit_test(test_a_method_that_fails_says_why),
      cmocka_unit_test(test_a_run_that_takes_too_long_is_given_up),
      cmocka_unit_test(test_fixed_steps_go_through_step_sizes),
      cmocka_unit_test(test_stop_events_end_all_runs_and_rows_are_compared_up_to_there),
      cmocka_unit_test(test_jumps_do_not_spoil_errors),
      cmocka_unit_test(test_costs_between_runs_are_interpolated_in_logarithms),
      cmocka_unit_test(test_what_is_recommended_reached_what_is_wanted),
      cmocka_unit_test(test_iterations_are_compared_with_one_system),
      cmocka_unit_test(test_by_default_all_methods_that_take_the_problem_are_compared),
      cmocka_unit_test(test_texts_have_the_length_they_tell),
      cmocka_unit_test(test_an_interrupt_keeps_what_there_is),
      cmocka_unit_test(test_plans_that_make_no_sense_are_refused),
      cmocka_unit_test(test_memory_may_run_out_anywhere),
      cmocka_unit_test(test_an_unmeasured_run_is_the_same_without_an_account)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
