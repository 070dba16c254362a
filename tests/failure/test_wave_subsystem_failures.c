/* Subsystems with solvers of their own that fail, and what dae_wave_create refuses. */
#include "counting_env.h"
#include "wave_pair.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* fails by its own words, or by an output that is no number; goes on where that is over */
static void test_a_subsystem_that_fails_is_named_and_what_was_is_kept(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    wave_pair p;
    dae_status status = DAE_OK;
    dae_error err = dae_error_none();
    wave_pair_set_up(&p, 0.5);
    p.jacobi = i % 2;
    p.solver[1].fails_from = 1;
    p.solver[1].fails_by = i / 2 ? DAE_OK : DAE_ERROR_STEP;
    dae_integrator *it = wave_pair_create(&p);
    while (status == DAE_OK) {
      status = dae_integrator_step(it, 3, &err);
      assert_true(wave_pair_error(it, p.a, INFINITY) < 1e-6);
    }
    print_message("%s [%s]: %s\n", dae_status_name(status), err.equation, err.text);
    assert_int_equal(status, DAE_ERROR_STEP);
    assert_non_null(strstr(err.text, i / 2 ? "tank" : "the pipe has burst"));
    assert_non_null(strstr(err.text, "tank"));
    assert_true(dae_integrator_view(it).t <= 1);
    p.solver[1].fails_from = INFINITY;
    assert_true(wave_pair_run(it, p.a, 3, INFINITY) < 1e-6);
    dae_integrator_free(it);
  }
}

static int lost(void *user, double t, double *unknowns)
{
  (void)user;
  wave_pair_exact(0.5, t, INFINITY, unknowns);
  return t > 1;
}

static void test_a_reduced_model_begins_a_window_and_may_fail(void **state)
{
  (void)state;
  wave_pair p;
  dae_error err = dae_error_none();
  wave_pair_set_up(&p, 0.5);
  p.opts.guess = lost;
  dae_integrator *it = wave_pair_create(&p);
  for (int k = 0; k < 4; k++) {
    assert_int_equal(dae_integrator_step(it, 3, &err), DAE_OK);
    assert_true(wave_pair_error(it, p.a, INFINITY) <
                1e-8); /* it is exact, and so one sweep is enough */
  }
  assert_true(dae_integrator_stats(it).sweeps < 10);
  assert_int_equal(dae_integrator_step(it, 3, &err), DAE_ERROR_CALLBACK);
  assert_non_null(strstr(err.text, "reduced model"));
  assert_true(dae_integrator_view(it).t == 1);
  dae_integrator_free(it);
}

static wave_pair *refused_pair;

static void refused(dae_status status, const char *says)
{
  dae_integrator *it = (dae_integrator *)refused_pair; /* must be overwritten */
  dae_error err = dae_error_none();
  dae_status got = wave_pair_try(refused_pair, NULL, &it, &err);
  if (got != status || it || !strstr(err.text, says))
    fail_msg("%s: %s", dae_status_name(got), err.text);
}

static void test_what_is_missing_is_refused(void **state)
{
  (void)state;
  wave_pair p;
  refused_pair = &p;
  wave_pair_set_up(&p, 0.5), p.subsystem[1].advance = NULL,
                             refused(DAE_ERROR_PROBLEM, "tank has no advance");
  wave_pair_set_up(&p, 0.5), p.subsystem[0].save = NULL,
                             refused(DAE_ERROR_PROBLEM, "pump has no save");
  wave_pair_set_up(&p, 0.5), p.subsystem[0].load = NULL,
                             refused(DAE_ERROR_PROBLEM, "pump has no load");
  wave_pair_set_up(&p, 0.5), p.subsystem[0].outputs = 1, refused(DAE_ERROR_PROBLEM, "link");
  wave_pair_set_up(&p, 0.5), p.opts.update = DAE_WAVE_SLACK,
                             refused(DAE_ERROR_UNSUPPORTED, "slack");
  wave_pair_set_up(&p, 0.5), p.opts.update = DAE_WAVE_SCHUR, p.subsystem[0].gain = NULL;
  refused(DAE_ERROR_UNSUPPORTED, "anderson");
}

static void test_a_restart_is_left_to_the_owner(void **state)
{
  (void)state;
  wave_pair p;
  const double y[4] = {1, 1, 0, 0};
  wave_pair_set_up(&p, 0.5);
  dae_integrator *it = wave_pair_create(&p);
  assert_int_equal(dae_integrator_restart(it, 0, y, NULL), DAE_ERROR_USAGE);
  assert_true(wave_pair_run(it, p.a, 1, INFINITY) < 1e-6);
  dae_integrator_free(it);
}

static bool build(const dae_env *env)
{
  wave_pair p;
  dae_error err = dae_error_none();
  dae_integrator *it;
  wave_pair_set_up(&p, 0.5);
  p.jacobi = true;
  p.opts.workers = 2;
  dae_status status = wave_pair_try(&p, env, &it, &err);
  assert_true(status == DAE_OK || (status == DAE_ERROR_MEMORY && !it));
  dae_integrator_free(it);
  return status == DAE_OK;
}

static void test_every_refused_allocation_is_a_clean_error(void **state)
{
  (void)state;
  assert_int_equal(counting_env_fault(build), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_subsystem_that_fails_is_named_and_what_was_is_kept),
      cmocka_unit_test(test_a_reduced_model_begins_a_window_and_may_fail),
      cmocka_unit_test(test_what_is_missing_is_refused),
      cmocka_unit_test(test_a_restart_is_left_to_the_owner),
      cmocka_unit_test(test_every_refused_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
