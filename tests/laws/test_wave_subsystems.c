/* Subsystems with solvers of their own, coupled by dae_wave_create: they converge to the solution,
 * with derivatives of their outputs and without; an event in one of them ends the window for all;
 * what is saved comes back. */
#include "wave_pair.h"

#define TOLERANCES 1e-5 /* ten of them, as by default */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_solvers_of_a_user_converge_to_the_solution(void **state)
{
  (void)state;
  static const double gains[] = {0.5, 0.9, 1.1};
  for (int i = 0; i < 12; i++) {
    wave_pair p;
    dae_contraction seen;
    wave_pair_set_up(&p, gains[i % 3]);
    p.jacobi = i / 3 % 2;
    if (i / 6) /* one of them does not know its derivatives */
      p.subsystem[1].gain = NULL;
    dae_integrator *it = wave_pair_create(&p);
    double worst = wave_pair_run(it, p.a, 3, INFINITY);
    assert_int_equal(dae_contraction_of(it, &seen, NULL), DAE_OK);
    print_message("a = %g, %s, %s: %.1e, %d sweeps at most, plain %.4g\n", p.a,
                  p.jacobi ? "jacobi" : "gauss-seidel", i / 6 ? "anderson" : "schur", worst,
                  seen.most_sweeps, p.jacobi ? seen.jacobi : seen.gauss_seidel);
    assert_true(worst < TOLERANCES);
    dae_integrator_free(it);
  }
}

static void test_an_event_ends_the_window_for_all(void **state)
{
  (void)state;
  const double at = acos(0.6);
  for (int jacobi = 0; jacobi < 2; jacobi++) {
    wave_pair p;
    dae_status status = DAE_OK;
    bool ended = false;
    double worst = 0;
    wave_pair_set_up(&p, 0.5);
    p.solver[0].mark = 0.6;
    p.jacobi = jacobi;
    p.opts.window = 0;
    p.opts.nodes = 40;
    p.opts.max_window = 0.5;
    dae_integrator *it = wave_pair_create(&p);
    while (status == DAE_OK) {
      status = dae_integrator_step(it, 3, NULL);
      assert_true(status >= 0);
      ended = ended || fabs(dae_integrator_view(it).t - at) < 1e-6;
      worst = fmax(worst, wave_pair_error(it, p.a, at));
    }
    print_message("%s: %.1e\n", p.jacobi ? "jacobi" : "gauss-seidel", worst);
    assert_true(ended);
    assert_true(p.solver[0].now.pushed);
    assert_true(worst < TOLERANCES);
    dae_integrator_free(it);
  }
}

static void test_save_and_load_reach_into_the_subsystems(void **state)
{
  (void)state;
  wave_pair p;
  double first[4], again[4];
  wave_pair_set_up(&p, 0.9);
  p.solver[0].mark = 0.6;
  dae_integrator *it = wave_pair_create(&p);
  for (int i = 0; i < 3; i++)
    assert_int_equal(dae_integrator_step(it, 3, NULL), DAE_OK);
  size_t size = dae_integrator_save_size(it);
  void *saved = malloc(size);
  assert_int_equal(dae_integrator_save(it, saved, size, NULL), DAE_OK);
  while (dae_integrator_step(it, 3, NULL) == DAE_OK)
    ;
  assert_int_equal(dae_integrator_interpolate(it, 3, first, NULL, NULL), DAE_OK);
  assert_int_equal(dae_integrator_load(it, saved, size, NULL), DAE_OK);
  assert_true(p.solver[0].now.y > 0.6 && !p.solver[0].now.pushed);
  while (dae_integrator_step(it, 3, NULL) == DAE_OK)
    ;
  assert_int_equal(dae_integrator_interpolate(it, 3, again, NULL, NULL), DAE_OK);
  assert_memory_equal(first, again, sizeof first);
  free(saved);
  dae_integrator_free(it);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solvers_of_a_user_converge_to_the_solution),
      cmocka_unit_test(test_an_event_ends_the_window_for_all),
      cmocka_unit_test(test_save_and_load_reach_into_the_subsystems),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
