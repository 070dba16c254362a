/* Stepping on after load gives the same bits as stepping on after save: times, states, statistics;
 * in the same handle, in a fresh one, and in one that has been elsewhere; for every problem, every
 * method that takes it, variable and fixed steps, dense and sparse. */
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STEPS 12 /* after the save */

/* what is compared */
typedef struct record {
  int steps, size;
  double *values; /* for each step t, y, dy, and y within the step */
  dae_stats stats;
} record;

typedef union options {
  dae_bdf_options bdf;
  dae_spark_options spark;
} options;

typedef struct set_up {
  const test_problem *p;
  const dae_method *method;
  options opts; /* the method's */
  double step;
} set_up;

/* rtol = atol = 1e-6, and a fixed step unless it is 0 */
static set_up set_up_of(const test_problem *p, const dae_method *method, double step)
{
  set_up s = {.p = p, .method = method, .step = step};
  char text[40];
  dae_error err;
  assert_true(method->options_size <= sizeof s.opts);
  method->defaults(&s.opts);
  snprintf(text, sizeof text, "%.17g", step);
  assert_int_equal(dae_options_set(method->options, &s.opts, "rtol", "1e-6", &err), DAE_OK);
  assert_int_equal(dae_options_set(method->options, &s.opts, "atol", "1e-6", &err), DAE_OK);
  assert_int_equal(dae_options_set(method->options, &s.opts, "step", text, &err), DAE_OK);
  if (step > 0) /* of those that have it */
    dae_options_set(method->options, &s.opts, "order", "3", &err);
  return s;
}

static dae_integrator *create(const set_up *s)
{
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  if (s->method->create(&s->p->problem, &s->p->start, &s->opts, NULL, &it, &err) != DAE_OK)
    fail_msg("%s: %s", s->p->name, err.text);
  return it;
}

static bool step(const set_up *s, dae_integrator *it)
{
  dae_error err = dae_error_none();
  if (dae_integrator_view(it).t >= s->p->to)
    return false;
  if (dae_integrator_step(it, s->p->to, &err) < 0)
    fail_msg("%s, %s: %s", s->p->name, s->method->name, err.text);
  return true;
}

static void step_on(const set_up *s, dae_integrator *it, int steps)
{
  while (steps-- > 0 && step(s, it))
    ;
}

static record record_steps(const set_up *s, dae_integrator *it)
{
  int size = s->p->size, row = 1 + 3 * size;
  record r = {.size = row, .values = calloc((size_t)(STEPS * row), sizeof(double))};
  assert_non_null(r.values);
  while (r.steps < STEPS && step(s, it)) {
    double *at = r.values + r.steps++ * row;
    dae_view view = dae_integrator_view(it);
    at[0] = view.t;
    support_state(it, at + 1, at + 1 + size);
    assert_int_equal(dae_integrator_interpolate(it,
                                                view.t_previous + (view.t - view.t_previous) / 3,
                                                at + 1 + 2 * size, NULL, NULL),
                     DAE_OK);
  }
  r.stats = dae_integrator_stats(it);
  return r;
}

static void assert_same(const set_up *s, const record *a, record b, const char *what)
{
  assert_int_equal(a->steps, b.steps);
  bool values = memcmp(a->values, b.values, (size_t)(a->steps * a->size) * sizeof(double)) == 0;
  bool stats = memcmp(&a->stats, &b.stats, sizeof a->stats) == 0;
  free(b.values);
  if (!values || !stats)
    fail_msg("%s, %s, step %g, in %s: %s differ", s->p->name, s->method->name, s->step, what,
             values ? "statistics" : "states");
}

static void *save(dae_integrator *it, size_t *size)
{
  *size = dae_integrator_save_size(it);
  void *saved = malloc(*size);
  assert_non_null(saved);
  assert_int_equal(dae_integrator_save(it, saved, *size, NULL), DAE_OK);
  return saved;
}

static void load(dae_integrator *it, const void *saved, size_t size)
{
  assert_int_equal(dae_integrator_load(it, saved, size, NULL), DAE_OK);
  void *again = malloc(size);
  assert_non_null(again);
  assert_int_equal(dae_integrator_save(it, again, size, NULL), DAE_OK);
  assert_memory_equal(saved, again, size);
  free(again);
}

static void free_all(dae_integrator *a, dae_integrator *b, dae_integrator *c)
{
  dae_integrator_free(a);
  dae_integrator_free(b);
  dae_integrator_free(c);
}

/* saved after `before` steps */
static void check(const set_up *s, int before)
{
  size_t size;
  dae_integrator *it = create(s), *fresh = create(s), *elsewhere = create(s);
  step_on(s, it, before);
  if (before > 1 && dae_integrator_view(it).t >= s->p->to) { /* it did not need so many steps */
    free_all(it, fresh, elsewhere);
    return;
  }
  void *saved = save(it, &size);
  record first = record_steps(s, it);
  assert_true(first.steps > 0);
  load(it, saved, size);
  assert_same(s, &first, record_steps(s, it), "the same handle");
  load(fresh, saved, size);
  assert_same(s, &first, record_steps(s, fresh), "a fresh handle");
  step_on(s, elsewhere, 5);
  load(elsewhere, saved, size);
  assert_same(s, &first, record_steps(s, elsewhere), "a handle that was elsewhere");
  free(first.values);
  free(saved);
  free_all(it, fresh, elsewhere);
}

static void check_problem(const test_problem *p, double step_size)
{
  const dae_method *method;
  int methods = 0;
  for (int i = 0; (method = dae_method_at(i)); i++) {
    if (method->accepts(&p->problem, NULL) != DAE_OK)
      continue;
    set_up s = set_up_of(p, method, step_size);
    check(&s, 0);
    check(&s, 1); /* with fixed steps: among the start values */
    check(&s, 17);
    methods++;
  }
  assert_true(methods > 0);
}

static void test_variable_steps_go_on_with_the_same_bits(void **state)
{
  (void)state;
  test_problem p;
  for (int i = 0; test_problem_at(i, &p); i++) {
    check_problem(&p, 0);
    test_problem_free(&p);
  }
}

static void test_fixed_steps_go_on_with_the_same_bits(void **state)
{
  (void)state;
  test_problem p;
  for (int i = 0; test_problem_at(i, &p); i++) {
    check_problem(&p, (p.to - p.start.t) / 20000); /* small enough for akzo_nobel's start */
    test_problem_free(&p);
  }
}

static void test_a_sparse_chain_goes_on_with_the_same_bits(void **state)
{
  (void)state;
  test_problem p = test_chain(60, TEST_CHAIN_MODE);
  check_problem(&p, 0);
  check_problem(&p, 1e-3);
  test_problem_free(&p);
}

/* of another problem, of another method for the same problem, cut off, and nonsense */
static void test_foreign_and_cut_buffers_change_nothing(void **state)
{
  (void)state;
  test_problem pendulum = test_pendulum(), car = test_car_axis(), ball = test_bouncing_ball();
  const dae_method *ggl = dae_method_find("bdf-ggl", NULL), *bdf = dae_method_find("bdf", NULL);
  set_up s = set_up_of(&pendulum, ggl, 0), other = set_up_of(&car, ggl, 0);
  set_up by_ggl = set_up_of(&ball, ggl, 0), by_bdf = set_up_of(&ball, bdf, 0);
  dae_integrator *it = create(&s), *foreign = create(&other);
  dae_integrator *a = create(&by_ggl), *b = create(&by_bdf);
  step_on(&s, it, 9);
  step_on(&other, foreign, 9);
  size_t size, foreign_size, other_size;
  void *saved = save(it, &size), *theirs = save(foreign, &foreign_size);
  void *method = save(b, &other_size);
  dae_error err = dae_error_none();
  const size_t cut[] = {0, 1, 40, size / 2, size - 1};
  for (size_t i = 0; i < sizeof cut / sizeof *cut; i++)
    assert_int_equal(dae_integrator_load(it, saved, cut[i], &err), DAE_ERROR_USAGE);
  assert_int_equal(dae_integrator_load(it, theirs, foreign_size, &err), DAE_ERROR_USAGE);
  assert_int_equal(dae_integrator_load(a, method, other_size, &err), DAE_ERROR_USAGE);
  memset(theirs, 0x5a, foreign_size);
  assert_int_equal(dae_integrator_load(it, theirs, foreign_size, &err), DAE_ERROR_USAGE);
  assert_string_equal(err.equation, "buffer");
  size_t size_after;
  void *after = save(it, &size_after);
  assert_int_equal(size_after, size);
  assert_memory_equal(after, saved, size);
  free(after), free(saved), free(theirs), free(method);
  dae_integrator_free(it);
  dae_integrator_free(foreign);
  dae_integrator_free(a);
  dae_integrator_free(b);
}

/* from the same state twice, after different pasts */
static void check_restart(const test_problem *p)
{
  set_up s = set_up_of(p, support_method(&p->problem), 0);
  dae_integrator *it = create(&s);
  double *y = calloc((size_t)p->size, sizeof *y);
  assert_non_null(y);
  step_on(&s, it, 20);
  double t = dae_integrator_view(it).t;
  support_state(it, y, NULL);
  record r[2];
  for (int i = 0; i < 2; i++) {
    dae_error err = dae_error_none();
    if (dae_integrator_restart(it, t, y, &err) != DAE_OK)
      fail_msg("%s: %s", p->name, err.text);
    assert_true(dae_integrator_view(it).t == t);
    r[i] = record_steps(&s, it);
  }
  assert_int_equal(r[1].stats.restarts, 2);
  r[1].stats = r[0].stats; /* they count on */
  assert_same(&s, &r[0], r[1], "a second restart");
  free(r[0].values);
  free(y);
  dae_integrator_free(it);
}

static void test_a_restart_forgets_the_past(void **state)
{
  (void)state;
  test_problem p;
  for (int i = 0; test_problem_at(i, &p); i++) {
    check_restart(&p);
    test_problem_free(&p);
  }
}

/* a run with rows between the steps and one without them */
static void test_looking_does_not_change_the_motion(void **state)
{
  (void)state;
  test_problem p;
  for (int i = 0; test_problem_at(i, &p); i++) {
    set_up s = set_up_of(&p, support_method(&p.problem), 0);
    dae_integrator *seen = create(&s), *unseen = create(&s);
    double *a = calloc((size_t)(2 * p.size), sizeof *a), *b = a + p.size;
    assert_non_null(a);
    for (int j = 0; j < 60 && step(&s, seen); j++) {
      dae_view view = dae_integrator_view(seen);
      for (int k = 1; k < 4; k++)
        assert_int_equal(
            dae_integrator_interpolate(seen, view.t_previous + k * (view.t - view.t_previous) / 4,
                                       a, NULL, NULL),
            DAE_OK);
      step(&s, unseen);
    }
    support_state(seen, a, NULL);
    support_state(unseen, b, NULL);
    bool same = memcmp(a, b, (size_t)p.size * sizeof *a) == 0;
    free(a);
    dae_integrator_free(seen);
    dae_integrator_free(unseen);
    test_problem_free(&p);
    if (!same)
      fail_msg("%s: the bits differ", p.name);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_variable_steps_go_on_with_the_same_bits),
      cmocka_unit_test(test_fixed_steps_go_on_with_the_same_bits),
      cmocka_unit_test(test_a_sparse_chain_goes_on_with_the_same_bits),
      cmocka_unit_test(test_foreign_and_cut_buffers_change_nothing),
      cmocka_unit_test(test_a_restart_forgets_the_past),
      cmocka_unit_test(test_looking_does_not_change_the_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
