/* What the options of windows and sweeps promise: no window is longer than the largest, fixed ones
 * end at multiples, and a number of sweeps asked for is what there is. */
#include "problems/coupled_models.h"
#include <daedal/daedal.h>
#include <daedal/model.h>
#include <daedal/wave.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define END 1.0

/* Windows of a run, as far as they are looked at. */
typedef struct seen {
  double longest;
  double off; /* largest distance of a window's end from a multiple of `window` */
  int sweeps; /* in the last window */
} seen;

static void watch(void *user, const dae_wave_sweep *sweep)
{
  ((seen *)user)->sweeps = sweep->sweep;
}

static seen run(dae_wave_options opts)
{
  seen s = {0};
  dae_model *model;
  dae_integrator *it;
  dae_error err = dae_error_none();
  const char *path = coupled_model_find("two_circuits")->path;
  assert_int_equal(dae_model_load(path, NULL, NULL, &model, &err), DAE_OK);
  dae_start start = dae_model_start(model);
  opts.watch = watch;
  opts.user = &s;
  assert_int_equal(
      dae_gauss_seidel_create(dae_model_problem(model), &start, &opts, NULL, &it, &err), DAE_OK);
  dae_status status = DAE_OK;
  while (status == DAE_OK) {
    status = dae_integrator_step(it, END, &err);
    dae_view view = dae_integrator_view(it);
    s.longest = fmax(s.longest, view.t - view.t_previous);
    if (opts.window > 0)
      s.off = fmax(s.off, fabs(view.t - opts.window * round(view.t / opts.window)));
  }
  assert_int_equal(status, DAE_END);
  dae_integrator_free(it);
  dae_model_free(model);
  return s;
}

static void test_no_window_is_longer_than_the_largest(void **state)
{
  (void)state;
  dae_wave_options opts = dae_wave_defaults();
  assert_true(run(opts).longest > 0.1);
  opts.max_window = 1e-3; /* shorter than the first one would be */
  assert_true(run(opts).longest <= 1e-3 * (1 + 1e-9));
}

static void test_fixed_windows_end_at_multiples(void **state)
{
  (void)state;
  dae_wave_options opts = dae_wave_defaults();
  opts.window = 0.1;
  seen s = run(opts);
  assert_true(s.off < 1e-12 && s.longest < 0.1 + 1e-12);
}

static void test_sweeps_that_are_asked_for_are_made(void **state)
{
  (void)state;
  dae_wave_options opts = dae_wave_defaults();
  opts.window = 0.5;
  for (int sweeps = 1; sweeps < 60; sweeps += 49) { /* 50: more than auto makes by itself */
    opts.sweeps = sweeps;
    assert_int_equal(run(opts).sweeps, sweeps);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_window_is_longer_than_the_largest),
      cmocka_unit_test(test_fixed_windows_end_at_multiples),
      cmocka_unit_test(test_sweeps_that_are_asked_for_are_made),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
