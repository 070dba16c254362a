/* Memory that runs out under the one-step methods: in a constructor, in a restart and in load,
 * each refused allocation is a clean error, after which the handle can be used and freed. Steps and
 * what is shown between them ask for none. */
#include "counting_env.h"
#include "klu_memory.h"
#include "lie_tracks.h"
#include "problems/rk_made.h"

#include <daedal/daedal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SIZE 256 /* entries of a state vector at most */
#define STEP 1e-3

/* ---- samples ---- */

static lie_rod rod;
static dae_semi_explicit rod_problem;

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
  const char *method;
  bool sparse;
} sample;

static const sample samples[] = {
    {rk_made_index1, "euler", false},
    {rk_made_quasilinear, "rk4", false},
    {rk_made_quasilinear, "trapezoid", false},
    {rk_made_singular, "radau-iia", false},
    {rk_made_mechanical, "heun", false},
    {rk_made_mechanical, "radau-iia", false},
    {test_pendulum_bare, "rk4", false},
    {test_parallel_bars, "euler", false}, /* a dependent row */
    {test_two_circuits, "trapezoid", false},
    {test_structures, "rk4", false},
    {heated_rod, "heun", true},
    {heated_rod, "radau-iia", true},
    {chain, "rk4", true},
    {test_parallel_bars, "explicit", false},
    {test_parallel_bars, "gauss", false},
    {chain, "explicit", true},
    {chain, "gauss", true},
    {rk_made_singular, "radau", false},
    {rk_made_mechanical, "radau", false},
    {test_hessenberg2, "radau", false},
    {test_parallel_bars, "radau", false},
    {test_structures, "radau", false},
    {heated_rod, "radau", true},
    {chain, "radau", true},
    {rk_made_index1, "rosenbrock", false},
    {test_two_circuits, "rosenbrock", false},
    {test_parallel_bars, "switching", false},
    {test_pendulum_bare, "switching", false},
    {chain, "switching", true},
};

#define SAMPLES (sizeof samples / sizeof *samples)

static dae_status create(const sample *s, const test_problem *p, const dae_env *env,
                         dae_integrator **out, dae_error *err)
{
  bool variable = strcmp(s->method, "radau") == 0 || strcmp(s->method, "switching") == 0 ||
                  strcmp(s->method, "rosenbrock") == 0;
  dae_rk_options opts = variable ? dae_rk_adaptive_defaults() : dae_rk_defaults();
  opts.step = variable ? 0 : STEP;
  opts.max_step = STEP;
  opts.max_failures = 10;
  return dae_method_find(s->method, err)->create(&p->problem, &p->start, &opts, env, out, err);
}

static void assert_memory(const sample *s, const char *name, long n, dae_status status,
                          const dae_error *err)
{
  if (status != DAE_ERROR_MEMORY || err->status != status || !strstr(err->text, "memory"))
    fail_msg("%s, %s, allocation %ld refused: %s [%s]", name, s->method, n, dae_status_name(status),
             err->text);
}

static void go(dae_integrator *it, const char *name, int steps)
{
  dae_error err = dae_error_none();
  for (int i = 0; i < steps; i++)
    if (dae_integrator_step(it, 1, &err) < 0)
      fail_msg("%s: %s", name, err.text);
}

static void state_of(dae_integrator *it, double *y)
{
  assert_int_equal(dae_integrator_interpolate(it, dae_integrator_view(it).t, y, NULL, NULL),
                   DAE_OK);
}

/* ---- the constructor ---- */

static void refuse_in_constructor(const sample *s, const test_problem *p)
{
  for (long n = 1;; n++) {
    counting_env count = {.fail_at = n};
    dae_env env = counting_env_of(&count);
    dae_integrator *it = (dae_integrator *)&count; /* must be overwritten */
    dae_error err = dae_error_none();
    dae_status status = create(s, p, &env, &it, &err);
    bool reached = count.calls >= n;
    if (reached) {
      assert_null(it);
      assert_memory(s, p->name, n, status, &err);
    } else {
      assert_int_equal(status, DAE_OK);
    }
    dae_integrator_free(it);
    assert_int_equal(count.live, 0);
    assert_int_equal(klu_live, 0);
    if (!reached)
      break;
  }
}

static void test_every_refused_allocation_of_the_constructor_is_a_clean_error(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    test_problem p = samples[i].make();
    refuse_in_constructor(&samples[i], &p);
    test_problem_free(&p);
  }
}

/* memory is taken in chunks: with the size of the problem, the places where one is needed wander
 * through the constructor */
static void test_refused_allocations_are_clean_errors_wherever_a_chunk_ends(void **state)
{
  (void)state;
  static const sample all[] = {
      {NULL, "rk4", true}, {NULL, "explicit", true}, {NULL, "gauss", true}, {NULL, "radau", true}};
  for (int i = 0; i < 4; i++)
    for (int links = 3; links <= 40; links++) {
      test_problem p = test_chain(links, TEST_CHAIN_MODE);
      refuse_in_constructor(&all[i], &p);
      test_problem_free(&p);
    }
}

/* ---- restart and load ---- */

/* the n-th allocation of a restart is refused. False: it needed less */
static bool refuse_in_restart(const sample *s, const test_problem *p, long n)
{
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  double y[SIZE], after[SIZE];
  assert_int_equal(create(s, p, &env, &it, &err), DAE_OK);
  go(it, p->name, 2);
  double t = dae_integrator_view(it).t;
  state_of(it, y);
  count.fail_at = count.calls + n;
  dae_status status = dae_integrator_restart(it, t, y, &err);
  bool refused = count.calls >= count.fail_at;
  count.fail_at = 0;
  if (refused) {
    assert_memory(s, p->name, n, status, &err);
    assert_true(dae_integrator_view(it).t == t); /* where it stood */
    state_of(it, after);
    assert_memory_equal(y, after, (size_t)p->size * sizeof *y);
    assert_int_equal(dae_integrator_restart(it, t, y, &err), DAE_OK);
  }
  go(it, p->name, 5);
  dae_integrator_free(it);
  assert_int_equal(count.live, 0);
  return refused;
}

static void test_a_restart_without_memory_is_a_clean_error_and_can_be_repeated(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    test_problem p = samples[i].make();
    for (long n = 1; refuse_in_restart(&samples[i], &p, n); n++)
      ;
    test_problem_free(&p);
  }
}

static bool refuse_in_load(const sample *s, const test_problem *p, long n)
{
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  double before[SIZE], after[SIZE];
  assert_int_equal(create(s, p, &env, &it, &err), DAE_OK);
  go(it, p->name, 2);
  size_t size = dae_integrator_save_size(it);
  void *saved = malloc(size);
  assert_int_equal(dae_integrator_save(it, saved, size, NULL), DAE_OK);
  go(it, p->name, 2);
  state_of(it, before);
  count.fail_at = count.calls + n;
  dae_status status = dae_integrator_load(it, saved, size, &err);
  bool refused = count.calls >= count.fail_at;
  count.fail_at = 0;
  if (refused)
    assert_memory(s, p->name, n, status, &err);
  assert_int_equal(dae_integrator_load(it, saved, size, &err), DAE_OK);
  go(it, p->name, 2);
  state_of(it, after);
  assert_memory_equal(before, after, (size_t)p->size * sizeof *before);
  dae_integrator_free(it);
  free(saved);
  assert_int_equal(count.live, 0);
  return refused;
}

static void test_a_load_without_memory_is_a_clean_error_and_can_be_repeated(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    test_problem p = samples[i].make();
    for (long n = 1; refuse_in_load(&samples[i], &p, n); n++)
      ;
    test_problem_free(&p);
  }
}

/* ---- steps ---- */

static void test_steps_and_what_is_shown_between_them_allocate_nothing(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    test_problem p = samples[i].make();
    counting_env count = {0};
    dae_env env = counting_env_of(&count);
    dae_integrator *it;
    double y[SIZE], dy[SIZE];
    assert_int_equal(create(&samples[i], &p, &env, &it, NULL), DAE_OK);
    long calls = count.calls, live = count.live;
    for (int k = 0; k < 20; k++) {
      go(it, p.name, 1);
      dae_view view = dae_integrator_view(it);
      double t = view.t, between = t - (t - view.t_previous) / 3;
      assert_int_equal(dae_integrator_interpolate(it, between, y, dy, NULL), DAE_OK);
      assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
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
/* the n-th of KLU's allocations is refused. False: it asked for less */
static bool refuse_in_klu(const sample *s, const test_problem *p, long n, long *refused)
{
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  klu_calls = 0;
  klu_fail_at = n;
  dae_status status = create(s, p, NULL, &it, &err);
  for (int k = 0; k < 3 && status == DAE_OK; k++)
    status = dae_integrator_step(it, 1, &err);
  bool reached = klu_calls >= n;
  klu_fail_at = 0;
  if (reached && status < 0) {
    assert_memory(s, p->name, n, status, &err);
    ++*refused;
  }
  if (it) /* it goes on */
    assert_true(dae_integrator_step(it, 1, &err) >= 0);
  dae_integrator_free(it);
  assert_int_equal(klu_live, 0);
  return reached;
}

static void test_klu_without_memory_is_a_clean_error_of_the_constructor_or_of_a_step(void **state)
{
  long refused = 0;
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    test_problem p = samples[i].make();
    for (long n = 1; samples[i].sparse && refuse_in_klu(&samples[i], &p, n, &refused); n++)
      ;
    test_problem_free(&p);
  }
  assert_true(refused > 5);
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
      TEST(test_a_load_without_memory_is_a_clean_error_and_can_be_repeated),
      TEST(test_steps_and_what_is_shown_between_them_allocate_nothing),
#ifdef DAE_WITH_KLU
      TEST(test_klu_without_memory_is_a_clean_error_of_the_constructor_or_of_a_step),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
