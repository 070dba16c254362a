/* Memory that runs out under a dynamic iteration: in every constructor, in a restart, in load and
 * in a report, each refused allocation is a clean error, after which the handle can be used and
 * freed. Windows and what is shown between them ask for none. */
#include "counting_env.h"
#include "klu_memory.h"
#include "wave_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct sample {
  const char *model, *set, *method;
  dae_wave_update update;
  dae_wave_splitting splitting;
  double step; /* of trapezoidal children, 0: default ones */
} sample;

static const sample samples[] = {
    {"two_circuits", NULL, "gauss-seidel", DAE_WAVE_AUTO, DAE_WAVE_SPLIT_OPTIMAL, 0},
    {"two_circuits", NULL, "gauss-seidel", DAE_WAVE_SLACK, DAE_WAVE_SPLIT_OPTIMAL, 0.01},
    {"two_circuits", NULL, "jacobi", DAE_WAVE_XI, DAE_WAVE_SPLIT_OPTIMAL, 0.01},
    {"three_circuits", NULL, "jacobi", DAE_WAVE_ANDERSON, DAE_WAVE_SPLIT_OPTIMAL, 0},
    {"linked_pendula", NULL, "jacobi", DAE_WAVE_AUTO, DAE_WAVE_SPLIT_OPTIMAL, 0},
    {"linked_pendula", NULL, "joint", DAE_WAVE_AITKEN, DAE_WAVE_SPLIT_OPTIMAL, 0.01},
    {"structures_joint", NULL, "joint", DAE_WAVE_AUTO, DAE_WAVE_SPLIT_OPTIMAL, 0},
    {"circuits_ring", "N=5", "gauss-seidel", DAE_WAVE_AUTO, DAE_WAVE_SPLIT_OPTIMAL, 0},
};

#define SAMPLES (sizeof samples / sizeof *samples)

static void open_sample(wave_case *c, const sample *s)
{
  wave_open(c, coupled_model_find(s->model)->path, s->set);
  c->method = s->method;
  c->opts.rtol = 1e-4;
  c->opts.update = s->update;
  c->opts.splitting = s->splitting;
  c->opts.reorder = true;
  c->opts.workers = 2;
  c->opts.window = s->step > 0 ? 10 * s->step : 0;
  if (s->step > 0)
    wave_children(c, "trapezoid", s->step);
}

static void assert_memory(const sample *s, long n, dae_status status, const dae_error *err)
{
  if (status != DAE_ERROR_MEMORY || err->status != status || !strstr(err->text, "memory"))
    fail_msg("%s, %s, allocation %ld refused: %s [%s]", s->model, s->method, n,
             dae_status_name(status), err->text);
}

static void go(dae_integrator *it, int windows)
{
  dae_error err = dae_error_none();
  for (int i = 0; i < windows; i++)
    if (dae_integrator_step(it, 1, &err) < 0)
      fail_msg("%s", err.text);
}

/* ---- constructors ---- */

static void refuse_in_constructor(const sample *s)
{
  wave_case c;
  open_sample(&c, s);
  long n = 1;
  for (bool reached = true; reached; n++) {
    counting_env count = {.fail_at = n};
    dae_env env = counting_env_of(&count);
    dae_integrator *it = (dae_integrator *)&count; /* must be overwritten */
    dae_error err = dae_error_none();
    dae_status status = wave_try(&c, &env, &it, &err);
    reached = count.calls >= n;
    if (reached) {
      assert_null(it);
      assert_memory(s, n, status, &err);
    } else
      assert_int_equal(status, DAE_OK);
    dae_integrator_free(it);
    assert_int_equal(count.live, 0);
    assert_int_equal(klu_live, 0);
  }
  print_message("%s, %s: %ld allocations\n", s->model, s->method, n - 2);
  wave_close(&c);
}

static void test_every_refused_allocation_of_a_constructor_is_a_clean_error(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++)
    refuse_in_constructor(&samples[i]);
}

static void test_a_report_without_memory_is_a_clean_error(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    wave_case c;
    double y[WAVE_SIZE];
    open_sample(&c, &samples[i]);
    assert_int_equal(dae_consistent_start(c.problem, &c.start, NULL, y, NULL, NULL, NULL), DAE_OK);
    long n = 1;
    for (bool reached = true; reached; n++) {
      counting_env count = {.fail_at = n};
      dae_env env = counting_env_of(&count);
      dae_contraction now;
      dae_error err = dae_error_none();
      dae_status status = dae_contraction_at(c.problem, c.start.t, y, &env, &now, &err);
      reached = count.calls >= n;
      if (reached)
        assert_memory(&samples[i], n, status, &err);
      else
        assert_int_equal(status, DAE_OK);
      assert_int_equal(count.live, 0);
    }
    print_message("%s: %ld allocations of a report\n", samples[i].model, n - 2);
    wave_close(&c);
  }
}

/* ---- restart and load ---- */

/* the n-th allocation of a restart is refused. False: it needed less */
static bool refuse_in_restart(const sample *s, const wave_case *c, long n)
{
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  double y[WAVE_SIZE];
  assert_int_equal(wave_try(c, &env, &it, &err), DAE_OK);
  go(it, 1);
  double t = dae_integrator_view(it).t;
  wave_state(it, y, NULL);
  count.fail_at = count.calls + n;
  dae_status status = dae_integrator_restart(it, t, y, &err);
  bool refused = count.calls >= count.fail_at;
  count.fail_at = 0;
  if (refused) {
    assert_memory(s, n, status, &err);
    assert_int_equal(dae_integrator_restart(it, t, y, &err), DAE_OK);
  }
  go(it, 1);
  dae_integrator_free(it);
  assert_int_equal(count.live, 0);
  return refused;
}

static void test_a_restart_without_memory_is_a_clean_error_and_can_be_repeated(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    wave_case c;
    open_sample(&c, &samples[i]);
    long n = 1;
    while (refuse_in_restart(&samples[i], &c, n))
      n++;
    print_message("%s, %s: %ld allocations of a restart\n", samples[i].model, samples[i].method,
                  n - 1);
    wave_close(&c);
  }
}

/* ---- windows ---- */

static void test_windows_and_what_is_shown_between_them_allocate_nothing(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    wave_case c;
    counting_env count = {0};
    dae_env env = counting_env_of(&count);
    dae_integrator *it;
    double y[WAVE_SIZE], dy[WAVE_SIZE];
    open_sample(&c, &samples[i]);
    assert_int_equal(wave_try(&c, &env, &it, NULL), DAE_OK);
    long calls = count.calls, live = count.live;
    for (int k = 0; k < 5; k++) {
      go(it, 1);
      dae_view view = dae_integrator_view(it);
      double inside = view.t - (view.t - view.t_previous) / 3;
      assert_int_equal(dae_integrator_interpolate(it, inside, y, dy, NULL), DAE_OK);
      wave_state(it, y, NULL);
    }
    if (count.calls != calls || count.live != live)
      fail_msg("%s, %s: %ld allocations in windows", samples[i].model, samples[i].method,
               count.calls - calls);
    dae_integrator_free(it);
    assert_int_equal(count.live, 0);
    wave_close(&c);
  }
}

/* ---- KLU's own memory ---- */

#ifdef DAE_WITH_KLU
/* the n-th of KLU's allocations is refused. False: it asked for less */
static bool refuse_in_klu(const sample *s, const wave_case *c, long n, long *refused)
{
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  klu_calls = 0;
  klu_fail_at = n;
  dae_status status = wave_try(c, NULL, &it, &err);
  if (status == DAE_OK)
    status = dae_integrator_step(it, 1, &err);
  bool reached = klu_calls >= n;
  klu_fail_at = 0;
  if (reached && status < 0) {
    assert_memory(s, n, status, &err);
    ++*refused;
  }
  if (it) /* it goes on */
    assert_true(dae_integrator_step(it, 1, &err) >= 0);
  dae_integrator_free(it);
  assert_int_equal(klu_live, 0);
  return reached;
}

static void test_klu_without_memory_is_a_clean_error_of_the_constructor_or_of_a_window(void **state)
{
  (void)state;
  const sample *ring = &samples[SAMPLES - 1];
  wave_case c;
  long refused = 0, n = 1;
  open_sample(&c, ring);
  while (refuse_in_klu(ring, &c, n, &refused))
    n++;
  print_message("KLU: %ld of %ld allocations refused are errors\n", refused, n - 1);
  assert_true(refused > 5);
  wave_close(&c);
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, count_klu_memory, restore_klu_memory)
#else
#define TEST(name) cmocka_unit_test(name)
#endif

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_every_refused_allocation_of_a_constructor_is_a_clean_error),
      TEST(test_a_report_without_memory_is_a_clean_error),
      TEST(test_a_restart_without_memory_is_a_clean_error_and_can_be_repeated),
      TEST(test_windows_and_what_is_shown_between_them_allocate_nothing),
#ifdef DAE_WITH_KLU
      TEST(test_klu_without_memory_is_a_clean_error_of_the_constructor_or_of_a_window),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
