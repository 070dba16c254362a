#include "exact.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static dae_integrator *oscillator(double step)
{
  return exact_create(&exact_oscillator, exact_oscillator_flow, step, 1, 1, 0);
}

static void test_view_names_the_method(void **state)
{
  (void)state;
  dae_integrator *it = oscillator(0.25);
  dae_view view = dae_integrator_view(it);
  assert_string_equal(view.method, "exact");
  assert_int_equal(view.size, 2);
  assert_true(view.t == 1 && view.t_previous == 1);
  dae_integrator_free(it);
}

static void test_a_stop_that_is_not_ahead_is_refused(void **state)
{
  (void)state;
  dae_integrator *it = oscillator(0.25);
  const double bad[] = {1, 0, -INFINITY, NAN};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    dae_error err = dae_error_none();
    assert_int_equal(dae_integrator_step(it, bad[i], &err), DAE_ERROR_USAGE);
    assert_string_equal(err.equation, "t_stop");
  }
  assert_int_equal(dae_integrator_stats(it).steps, 0);
  assert_int_equal(dae_integrator_step(it, 2, NULL), DAE_OK);
  assert_int_equal(dae_integrator_step(it, 1.3, NULL), DAE_END);
  dae_integrator_free(it);
}

static void test_interpolation_serves_the_last_step_only(void **state)
{
  (void)state;
  dae_integrator *it = oscillator(0.25);
  double y[2], dy[2];
  dae_integrator_step(it, 10, NULL);
  dae_integrator_step(it, 10, NULL); /* now at 1.25 ... 1.5 */
  assert_int_equal(dae_integrator_interpolate(it, 1.4, y, dy, NULL), DAE_OK);
  assert_true(fabs(y[0] - cos(0.4)) < 1e-15 && dy[0] == y[1]);
  /* round-off of a few bits is forgiven, and nothing more */
  double above = nextafter(1.5, 2), below = nextafter(1.25, 1);
  assert_int_equal(dae_integrator_interpolate(it, above, y, NULL, NULL), DAE_OK);
  assert_true(y[0] == cos(0.5)); /* at the end of the step, not past it */
  assert_int_equal(dae_integrator_interpolate(it, below, y, NULL, NULL), DAE_OK);
  const double bad[] = {1.2499, 1.5001, NAN, INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(dae_integrator_interpolate(it, bad[i], y, NULL, NULL), DAE_ERROR_USAGE);
  assert_int_equal(dae_integrator_interpolate(it, 1.3, NULL, NULL, NULL), DAE_ERROR_USAGE);
  dae_integrator_free(it);
}

static void test_restart_refuses_what_is_not_finite(void **state)
{
  (void)state;
  dae_integrator *it = oscillator(0.25);
  double y[2] = {0.5, NAN};
  dae_error err;
  assert_int_equal(dae_integrator_restart(it, 3, y, &err), DAE_ERROR_USAGE);
  y[1] = 0;
  assert_int_equal(dae_integrator_restart(it, NAN, y, &err), DAE_ERROR_USAGE);
  assert_int_equal(dae_integrator_restart(it, 3, NULL, &err), DAE_ERROR_USAGE);
  assert_true(dae_integrator_view(it).t == 1);
  assert_int_equal(dae_integrator_restart(it, 3, y, &err), DAE_OK);
  assert_true(dae_integrator_view(it).t == 3);
  dae_integrator_free(it);
}

static void test_stepping_on_after_load_gives_the_same_bits(void **state)
{
  (void)state;
  dae_integrator *a = oscillator(0.3), *b = oscillator(0.3);
  dae_integrator_step(a, 10, NULL);
  size_t size = dae_integrator_save_size(a);
  void *saved = malloc(size), *again = malloc(size);
  assert_int_equal(dae_integrator_save(a, saved, size, NULL), DAE_OK);
  assert_int_equal(dae_integrator_load(b, saved, size, NULL), DAE_OK);
  for (int i = 0; i < 5; i++) {
    dae_integrator_step(a, 10, NULL);
    dae_integrator_step(b, 10, NULL);
  }
  double ya[2], yb[2];
  dae_integrator_interpolate(a, dae_integrator_view(a).t, ya, NULL, NULL);
  dae_integrator_interpolate(b, dae_integrator_view(b).t, yb, NULL, NULL);
  assert_memory_equal(ya, yb, sizeof ya);
  dae_integrator_save(a, saved, size, NULL);
  dae_integrator_save(b, again, size, NULL);
  assert_memory_equal(saved, again, size);
  free(saved);
  free(again);
  dae_integrator_free(a);
  dae_integrator_free(b);
}

static void test_a_foreign_or_cut_buffer_changes_nothing(void **state)
{
  (void)state;
  dae_integrator *it = oscillator(0.3);
  size_t size = dae_integrator_save_size(it);
  unsigned char *now = malloc(size), *saved = malloc(size), *bad = malloc(size);
  dae_integrator_save(it, saved, size, NULL);
  dae_integrator_step(it, 10, NULL);
  dae_integrator_save(it, now, size, NULL);
  assert_int_equal(dae_integrator_save(it, bad, size - 1, NULL), DAE_ERROR_USAGE);
  assert_int_equal(dae_integrator_load(it, saved, size - 1, NULL), DAE_ERROR_USAGE);
  assert_int_equal(dae_integrator_load(it, saved, 3, NULL), DAE_ERROR_USAGE);
  assert_int_equal(dae_integrator_load(it, NULL, size, NULL), DAE_ERROR_USAGE);
  /* magic, version, size of the state, name of the method */
  const size_t at[] = {0, 8, 12, 16};
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    dae_error err = dae_error_none();
    memcpy(bad, saved, size);
    bad[at[i]] ^= 1;
    assert_int_equal(dae_integrator_load(it, bad, size, &err), DAE_ERROR_USAGE);
    assert_string_equal(err.equation, "buffer");
  }
  dae_integrator_save(it, bad, size, NULL);
  assert_memory_equal(bad, now, size);
  free(now);
  free(saved);
  free(bad);
  dae_integrator_free(it);
}

static void test_freeing_nothing_is_allowed(void **state)
{
  (void)state;
  dae_integrator_free(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_view_names_the_method),
      cmocka_unit_test(test_a_stop_that_is_not_ahead_is_refused),
      cmocka_unit_test(test_interpolation_serves_the_last_step_only),
      cmocka_unit_test(test_restart_refuses_what_is_not_finite),
      cmocka_unit_test(test_stepping_on_after_load_gives_the_same_bits),
      cmocka_unit_test(test_a_foreign_or_cut_buffer_changes_nothing),
      cmocka_unit_test(test_freeing_nothing_is_allowed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
