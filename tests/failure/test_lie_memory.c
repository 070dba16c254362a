/* Memory that runs out under the Lie-group method: in its constructor, in a restart (which makes
 * anew what depends on the rows of F) and in load, each refused allocation is a clean error, after
 * which the handle can be used and freed. Steps and what is shown between them ask for none. */
#include "counting_env.h"
#include "klu_memory.h"
#include "lie_tracks.h"
#include "problems/l13.h"

#include <daedal/daedal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SIZE 256 /* entries of a state vector at most */

/* ---- samples ---- */

static lie_track track = {.circle = true, .R = 1};
static lie_rod rod = {.end_given = true};
static dae_semi_explicit track_problem, rod_problem;

static test_problem plastic(void)
{
  return l13_problem(L13_PLASTIC, true);
}

static test_problem hessenberg(void)
{
  return l13_problem(L13_HESSENBERG, true);
}

static test_problem pendulum4(void)
{
  return l13_problem(L13_PENDULUM, false);
}

static test_problem ode(void)
{
  return l13_problem(L13_ODE, false);
}

static test_problem switched(void)
{
  static const double start[] = {1, 0, 0};
  track_problem = lie_track_of(&track);
  return (test_problem){.name = "track",
                        .problem = {.semi_explicit = &track_problem},
                        .start = {.y = start},
                        .to = 1,
                        .size = 3};
}

static test_problem heated_rod(void)
{
  static const double start[LIE_ROD + 1];
  rod_problem = lie_rod_of(&rod);
  return (test_problem){.name = "rod",
                        .problem = {.semi_explicit = &rod_problem},
                        .start = {.y = start},
                        .to = 1,
                        .size = LIE_ROD + 1};
}

static test_problem chain(void)
{
  return test_chain(20, TEST_CHAIN_MODE);
}

typedef struct sample {
  test_problem (*make)(void);
  double step; /* 0: variable */
  int order;
  dae_lie_iteration iteration;
  dae_lie_form form;
  bool sparse;
} sample;

static const sample samples[] = {
    {plastic, 0, 2, DAE_LIE_NEWTON, DAE_LIE_GGL, false},
    {plastic, 0.01, 4, DAE_LIE_NESTED, DAE_LIE_GGL, false},
    {hessenberg, 0, 2, DAE_LIE_NEWTON, DAE_LIE_GGL, false}, /* y is not determined at the start */
    {pendulum4, 0, 4, DAE_LIE_NEWTON, DAE_LIE_GGL, false},
    {ode, 0, 2, DAE_LIE_NEWTON, DAE_LIE_GGL, false},
    {switched, 0, 2, DAE_LIE_NEWTON, DAE_LIE_GGL, false},
    {test_cylinder_skate, 0, 2, DAE_LIE_NEWTON, DAE_LIE_GGL, false},
    {test_cylinder_skate, 0.01, 2, DAE_LIE_NESTED, DAE_LIE_WEAK, false},
    {test_pendulum_bare, 0.01, 2, DAE_LIE_NEWTON, DAE_LIE_GGL, false},
    {test_parallel_bars, 0, 2, DAE_LIE_NEWTON, DAE_LIE_GGL, false}, /* a dependent row */
    {test_motor, 0, 2, DAE_LIE_NEWTON, DAE_LIE_GGL, false},         /* u and w */
    {test_two_circuits, 0, 2, DAE_LIE_NEWTON, DAE_LIE_GGL, false},
    {test_structures, 0.01, 2, DAE_LIE_NEWTON, DAE_LIE_GGL, false},
    {heated_rod, 0, 2, DAE_LIE_NEWTON, DAE_LIE_GGL, true},
    {chain, 0, 2, DAE_LIE_NEWTON, DAE_LIE_GGL, true},
    {chain, 0.01, 4, DAE_LIE_NEWTON, DAE_LIE_WEAK, true},
};

#define SAMPLES (sizeof samples / sizeof *samples)

static dae_status create(const sample *s, const test_problem *p, const dae_env *env,
                         dae_integrator **out, dae_error *err)
{
  dae_lie_options opts = dae_lie_defaults();
  opts.step = s->step;
  opts.order = s->order;
  opts.lie_iteration = s->iteration;
  opts.form = s->form;
  return dae_lie_create(&p->problem, &p->start, &opts, env, out, err);
}

static double end_of(const sample *s, const test_problem *p)
{
  return s->step > 0 ? 20 * s->step : 0.1 * p->to;
}

static void assert_memory(const char *name, long n, dae_status status, const dae_error *err)
{
  if (status != DAE_ERROR_MEMORY || err->status != status || !strstr(err->text, "memory"))
    fail_msg("%s, allocation %ld refused: %s [%s]", name, n, dae_status_name(status), err->text);
}

/* at most `steps` steps; whether there is more to go */
static bool go(dae_integrator *it, const char *name, double to, int steps)
{
  dae_error err = dae_error_none();
  for (int i = 0; i < steps && dae_integrator_view(it).t < to; i++)
    if (dae_integrator_step(it, to, &err) < 0)
      fail_msg("%s: %s", name, err.text);
  return dae_integrator_view(it).t < to;
}

static void state_of(dae_integrator *it, double *y)
{
  assert_int_equal(dae_integrator_interpolate(it, dae_integrator_view(it).t, y, NULL, NULL),
                   DAE_OK);
}

/* ---- the constructor ---- */

static void test_every_refused_allocation_of_the_constructor_is_a_clean_error(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    test_problem p = samples[i].make();
    long n = 1;
    for (;; n++) {
      counting_env count = {.fail_at = n};
      dae_env env = counting_env_of(&count);
      dae_integrator *it = (dae_integrator *)&count; /* must be overwritten */
      dae_error err = dae_error_none();
      dae_status status = create(&samples[i], &p, &env, &it, &err);
      bool reached = count.calls >= n;
      if (reached) {
        assert_null(it);
        assert_memory(p.name, n, status, &err);
      } else
        assert_int_equal(status, DAE_OK);
      dae_integrator_free(it);
      assert_int_equal(count.live, 0);
      assert_int_equal(klu_live, 0);
      if (!reached)
        break;
    }
    assert_true(n > 2); /* something was refused */
    test_problem_free(&p);
  }
}

/* memory is taken in chunks: with the size of the problem, the places where one is needed wander
 * through the constructor */
static void test_refused_allocations_are_clean_errors_wherever_a_chunk_ends(void **state)
{
  (void)state;
  for (int links = 3; links <= 40; links++) {
    test_problem p = test_chain(links, TEST_CHAIN_MODE);
    const sample s = {NULL, 0, 2, DAE_LIE_NEWTON, links % 2 ? DAE_LIE_GGL : DAE_LIE_WEAK, true};
    for (long n = 1;; n++) {
      counting_env count = {.fail_at = n};
      dae_env env = counting_env_of(&count);
      dae_integrator *it = NULL;
      dae_error err = dae_error_none();
      dae_status status = create(&s, &p, &env, &it, &err);
      bool reached = count.calls >= n;
      if (reached)
        assert_memory(p.name, n, status, &err);
      dae_integrator_free(it);
      assert_int_equal(count.live, 0);
      if (!reached)
        break;
    }
    test_problem_free(&p);
  }
}

/* ---- restart and load ---- */

/* a restart of a handle that stepped; the n-th allocation of it is refused. False: it needed less
 */
static bool refuse_in_restart(const sample *s, const test_problem *p, long n)
{
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  double y[SIZE], after[SIZE], to = end_of(s, p);
  assert_int_equal(create(s, p, &env, &it, &err), DAE_OK);
  go(it, p->name, to, 2);
  double t = dae_integrator_view(it).t;
  state_of(it, y);
  count.fail_at = count.calls + n;
  dae_status status = dae_integrator_restart(it, t, y, &err);
  bool refused = count.calls >= count.fail_at;
  count.fail_at = 0;
  if (refused) {
    assert_memory(p->name, n, status, &err);
    assert_true(dae_integrator_view(it).t == t); /* where it stood */
    state_of(it, after);
    assert_memory_equal(y, after, (size_t)p->size * sizeof *y);
    assert_int_equal(dae_integrator_restart(it, t, y, &err), DAE_OK);
  }
  assert_false(go(it, p->name, to, 10000));
  dae_integrator_free(it);
  assert_int_equal(count.live, 0);
  return refused;
}

static void test_a_restart_without_memory_is_a_clean_error_and_can_be_repeated(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    test_problem p = samples[i].make();
    long n = 1;
    while (refuse_in_restart(&samples[i], &p, n))
      n++;
    if (getenv("DAEDAL_VERBOSE"))
      print_message("%s: %ld allocations of a restart refused\n", p.name, n - 1);
    test_problem_free(&p);
  }
}

/* as above, but it is stepped on, and looked into, as it is */
static void test_after_a_restart_without_memory_steps_go_on_or_are_clean_errors(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    test_problem p = samples[i].make();
    for (long n = 1;; n++) {
      counting_env count = {0};
      dae_env env = counting_env_of(&count);
      dae_integrator *it = NULL;
      dae_error err = dae_error_none();
      double y[SIZE], to = end_of(&samples[i], &p);
      assert_int_equal(create(&samples[i], &p, &env, &it, &err), DAE_OK);
      go(it, p.name, to, 2);
      dae_view view = dae_integrator_view(it);
      state_of(it, y);
      count.fail_at = count.calls + n;
      dae_status status = dae_integrator_restart(it, view.t, y, &err);
      bool refused = status == DAE_ERROR_MEMORY;
      count.fail_at = 0;
      if (refused) {
        err = dae_error_none();
        status = dae_integrator_interpolate(it, (view.t + view.t_previous) / 2, y, NULL, &err);
        assert_true(status == DAE_OK || err.text[0]);
        err = dae_error_none();
        status = view.t < to ? dae_integrator_step(it, to, &err) : DAE_END;
        assert_true(status >= 0 || err.text[0]);
      }
      dae_integrator_free(it);
      assert_int_equal(count.live, 0);
      if (!refused)
        break;
    }
    test_problem_free(&p);
  }
}

static void test_a_load_without_memory_is_a_clean_error_and_can_be_repeated(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    test_problem p = samples[i].make();
    for (long n = 1;; n++) {
      counting_env count = {0};
      dae_env env = counting_env_of(&count);
      dae_integrator *it = NULL;
      dae_error err = dae_error_none();
      double to = end_of(&samples[i], &p), before[SIZE], after[SIZE];
      assert_int_equal(create(&samples[i], &p, &env, &it, &err), DAE_OK);
      go(it, p.name, to, 1);
      size_t size = dae_integrator_save_size(it);
      void *saved = malloc(size);
      assert_int_equal(dae_integrator_save(it, saved, size, NULL), DAE_OK);
      go(it, p.name, to, 1);
      state_of(it, before);
      count.fail_at = count.calls + n;
      dae_status status = dae_integrator_load(it, saved, size, &err);
      bool refused = count.calls >= count.fail_at;
      count.fail_at = 0;
      if (refused)
        assert_memory(p.name, n, status, &err);
      assert_int_equal(dae_integrator_load(it, saved, size, &err), DAE_OK);
      go(it, p.name, to, 1);
      state_of(it, after);
      assert_memory_equal(before, after, (size_t)p.size * sizeof *before);
      dae_integrator_free(it);
      free(saved);
      assert_int_equal(count.live, 0);
      if (!refused)
        break;
    }
    test_problem_free(&p);
  }
}

/* ---- steps ---- */

static void test_steps_and_what_is_shown_between_them_allocate_nothing(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    const sample *s = &samples[i];
    test_problem p = s->make();
    counting_env count = {0};
    dae_env env = counting_env_of(&count);
    dae_integrator *it;
    double y[SIZE], dy[SIZE];
    assert_int_equal(create(s, &p, &env, &it, NULL), DAE_OK);
    long calls = count.calls, live = count.live;
    for (bool more = true; more;) {
      more = go(it, p.name, end_of(s, &p), 1);
      dae_view view = dae_integrator_view(it);
      assert_int_equal(dae_integrator_interpolate(it, (view.t_previous + view.t) / 2, y, dy, NULL),
                       DAE_OK);
      assert_int_equal(dae_integrator_interpolate(it, view.t, y, NULL, NULL), DAE_OK);
    }
    if (count.calls != calls || count.live != live)
      fail_msg("%s: %ld allocations in the step loop", p.name, count.calls - calls);
    dae_integrator_free(it);
    assert_int_equal(count.live, 0);
    test_problem_free(&p);
  }
}

/* ---- KLU's own memory ---- */

#ifdef DAE_WITH_KLU
static void test_klu_without_memory_is_a_clean_error_of_the_constructor_or_of_a_step(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    if (!samples[i].sparse)
      continue;
    test_problem p = samples[i].make();
    long refused = 0;
    for (long n = 1;; n++) {
      dae_integrator *it = NULL;
      dae_error err = dae_error_none();
      klu_calls = 0;
      klu_fail_at = n;
      dae_status status = create(&samples[i], &p, NULL, &it, &err);
      for (int k = 0; k < 3 && status == DAE_OK; k++)
        status = dae_integrator_step(it, end_of(&samples[i], &p), &err);
      bool reached = klu_calls >= n;
      klu_fail_at = 0;
      if (reached && status < 0) {
        assert_memory(p.name, n, status, &err);
        refused++;
      }
      if (it) /* it goes on */
        assert_true(dae_integrator_step(it, p.to, &err) >= 0);
      dae_integrator_free(it);
      assert_int_equal(klu_live, 0);
      if (!reached)
        break;
    }
    if (getenv("DAEDAL_VERBOSE"))
      print_message("%s: %ld of KLU's allocations refused\n", p.name, refused);
    assert_true(refused > 5);
    test_problem_free(&p);
  }
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, count_klu_memory, restore_klu_memory)
#else
#define TEST(name) cmocka_unit_test(name)
#endif

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_every_refused_allocation_of_the_constructor_is_a_clean_error),
      TEST(test_refused_allocations_are_clean_errors_wherever_a_chunk_ends),
      TEST(test_a_restart_without_memory_is_a_clean_error_and_can_be_repeated),
      TEST(test_after_a_restart_without_memory_steps_go_on_or_are_clean_errors),
      TEST(test_a_load_without_memory_is_a_clean_error_and_can_be_repeated),
      TEST(test_steps_and_what_is_shown_between_them_allocate_nothing),
#ifdef DAE_WITH_KLU
      TEST(test_klu_without_memory_is_a_clean_error_of_the_constructor_or_of_a_step),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
