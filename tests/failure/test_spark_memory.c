/* The full iteration is made when a fixed step needs it for the first time. Where there is no
 * memory for it, that is an error of memory, the last state is intact, and the next attempt goes
 * through. */
#include "counting_env.h"
#include "klu_memory.h"
#include "text_problem.h"

#include <daedal/daedal.h>
#include <stdlib.h>

#define SIZE 64 /* entries of a state vector at most */
#define STEPS 6

static dae_integrator *create(const test_problem *p, const dae_env *env)
{
  dae_spark_options opts = dae_spark_defaults();
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  opts.step = 0.1;
  opts.stages = 3;
  if (dae_spark_gauss_create(&p->problem, &p->start, &opts, env, &it, &err))
    fail_msg("%s", err.text);
  assert_true(p->size <= SIZE);
  return it;
}

static void state_of(dae_integrator *it, double *y)
{
  assert_int_equal(dae_integrator_interpolate(it, dae_integrator_view(it).t, y, NULL, NULL),
                   DAE_OK);
}

/* the rest of STEPS steps */
static void go_on(dae_integrator *it, double *y)
{
  while (dae_integrator_stats(it).steps < STEPS)
    assert_int_equal(dae_integrator_step(it, 1, NULL), DAE_OK);
  state_of(it, y);
}

static void assert_says_memory(dae_status status, const dae_error *err)
{
  if (status != DAE_ERROR_MEMORY || err->status != status || !strstr(err->text, "memory"))
    fail_msg("%s: %s", dae_status_name(status), err->text);
}

/* steps until one fails; its error is one of memory, and the state stays as it was */
static bool fails_cleanly(dae_integrator *it, int size)
{
  double before[SIZE], after[SIZE];
  dae_error err = dae_error_none();
  dae_status status = DAE_OK;
  double t = 0;
  while (status == DAE_OK && dae_integrator_stats(it).steps < STEPS) {
    state_of(it, before);
    t = dae_integrator_view(it).t;
    status = dae_integrator_step(it, 1, &err);
  }
  if (status == DAE_OK)
    return false;
  assert_says_memory(status, &err);
  assert_true(dae_integrator_view(it).t == t);
  state_of(it, after);
  assert_memory_equal(before, after, (size_t)size * sizeof *before);
  return true;
}

/* ---- own memory ---- */

static void check(const char *text)
{
  test_problem p;
  dae_model *model = text_problem(text, NULL, 0, 1, &p);
  double undisturbed[SIZE], y[SIZE];
  int refused = 0;
  for (long n = 0;; n++) {
    counting_env count = {0};
    dae_env env = counting_env_of(&count);
    dae_integrator *it = create(&p, &env);
    count.fail_at = n > 0 ? count.calls + n : 0;
    bool failed = fails_cleanly(it, p.size);
    count.fail_at = 0;
    if (n == 0) { /* nothing is refused */
      assert_false(failed);
      assert_true(dae_integrator_stats(it).full > 0);
      state_of(it, undisturbed);
    } else if (failed) { /* it can be stepped on, and ends where it should */
      refused++;
      go_on(it, y);
      for (int i = 0; i < p.size; i++)
        assert_true(y[i] - undisturbed[i] < 1e-9 && undisturbed[i] - y[i] < 1e-9);
    }
    dae_integrator_free(it);
    assert_int_equal(count.live, 0);
    assert_int_equal(klu_live, 0);
    if (n > 0 && !failed)
      break;
  }
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%s: %d allocations refused\n", p.name, refused);
  assert_true(refused > 0);
  dae_model_free(model);
}

static void test_a_full_iteration_without_memory_is_a_clean_error_of_the_step(void **state)
{
  (void)state;
  check(text_pulled);
  check(text_many_pulled);
}

static void test_the_full_iteration_is_made_once(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(text_pulled, NULL, 0, 1, &p);
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  dae_integrator *it = create(&p, &env);
  while (dae_integrator_stats(it).full == 0)
    assert_int_equal(dae_integrator_step(it, 1, NULL), DAE_OK);
  long calls = count.calls, full = dae_integrator_stats(it).full;
  double y[SIZE];
  go_on(it, y);
  assert_true(dae_integrator_stats(it).full > full);
  assert_int_equal(count.calls, calls);
  dae_integrator_free(it);
  dae_model_free(model);
}

/* ---- KLU's ---- */

#ifdef DAE_WITH_KLU
static void test_klu_without_memory_for_the_full_iteration_is_a_clean_error(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(text_many_pulled, NULL, 0, 1, &p);
  int refused = 0;
  for (long n = 1; n < 60; n++) {
    dae_integrator *it = create(&p, NULL);
    double y[SIZE];
    klu_fail_at = klu_calls + n;
    bool failed = fails_cleanly(it, p.size);
    klu_fail_at = 0;
    refused += failed;
    go_on(it, y);
    assert_true(dae_integrator_stats(it).full > 0);
    dae_integrator_free(it);
    assert_int_equal(klu_live, 0);
  }
  if (getenv("DAEDAL_VERBOSE"))
    print_message("KLU: %d allocations refused\n", refused);
  assert_true(refused > 5);
  dae_model_free(model);
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, count_klu_memory, restore_klu_memory)
#else
#define TEST(name) cmocka_unit_test(name)
#endif

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_a_full_iteration_without_memory_is_a_clean_error_of_the_step),
      TEST(test_the_full_iteration_is_made_once),
#ifdef DAE_WITH_KLU
      TEST(test_klu_without_memory_for_the_full_iteration_is_a_clean_error),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
