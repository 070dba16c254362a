/* The methods for constrained mechanics on one footing: each converges to the reference, stays on
 * both levels of the constraints, and keeps the energy; the frozen directions of stale CM do not.
 */
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct variant {
  const char *method;
  int multipliers;
  bool no_reset;
} variant;

static const variant variants[] = {{"bdf-ggl", 0, false},
                                   {"bdf-ggl-star", DAE_BDF_MULTIPLIERS_LEAST_SQUARES, false},
                                   {"bdf-ggl-star", DAE_BDF_MULTIPLIERS_SPLIT, false},
                                   {"bdf-ggl-star", 0, true},
                                   {"bdf-cs", DAE_BDF_MULTIPLIERS_LEAST_SQUARES, false},
                                   {"bdf-cs", DAE_BDF_MULTIPLIERS_SPLIT, false},
                                   {"bdf-cs", DAE_BDF_MULTIPLIERS_QR, false},
                                   {"bdf-cm", DAE_BDF_MULTIPLIERS_LEAST_SQUARES, false},
                                   {"bdf-cm", DAE_BDF_MULTIPLIERS_SPLIT, false}};
enum { VARIANTS = sizeof variants / sizeof *variants };

static dae_bdf_options options_of(const variant *v, double tolerance)
{
  dae_bdf_options opts = support_options(tolerance);
  opts.multipliers = v->multipliers;
  opts.reset = !v->no_reset;
  return opts;
}

static void test_all_converge_to_the_reference_on_the_constraints(void **state)
{
  (void)state;
  test_problem (*const problems[])(void) = {test_pendulum2, test_bead, test_spring};
  static const double tolerances[] = {1e-4, 1e-6, 1e-8};
  for (int i = 0; i < VARIANTS; i++)
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++)
      for (size_t j = 0; j < sizeof tolerances / sizeof *tolerances; j++) {
        test_problem p = problems[k]();
        dae_bdf_options opts = options_of(&variants[i], tolerances[j]);
        double y[16];
        dae_summary s;
        assert_int_equal(support_run_with(variants[i].method, &p, &opts, 0, NULL, NULL, y, &s),
                         DAE_OK);
        double error = support_error_of(&p, y, 0, 4);
        if (getenv("DAEDAL_VERBOSE"))
          print_message("%-12s %d %-10s %g: %.1f rtol, %ld steps\n", variants[i].method,
                        variants[i].multipliers, p.name, tolerances[j], error / tolerances[j],
                        s.stats.steps);
        if (!(error <= 300 * tolerances[j]))
          fail_msg("%s %d on %s: error %g at %g", variants[i].method, variants[i].multipliers,
                   p.name, error, tolerances[j]);
        assert_true(s.position_drift < 1e-10 && s.velocity_drift < 1e-10);
      }
}

/* nonholonomic, rheonomic, redundant, extra states and algebraic variables, a joint */
static void test_all_take_every_mechanical_problem(void **state)
{
  (void)state;
  test_problem (*const problems[])(void) = {test_knife_edge,     test_rheonomic_length,
                                            test_car_axis,       test_parallel_bars,
                                            test_cylinder_skate, test_motor,
                                            test_structures,     test_slider_crank};
  for (int i = 0; i < VARIANTS; i++)
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
      test_problem p = problems[k]();
      dae_bdf_options opts = options_of(&variants[i], 1e-7);
      double y[32];
      dae_summary s;
      assert_int_equal(support_run_with(variants[i].method, &p, &opts, 0, NULL, NULL, y, &s),
                       DAE_OK);
      double error = support_error(&p, y);
      if (!(error <= 1e-3))
        fail_msg("%s %d on %s: error %g", variants[i].method, variants[i].multipliers, p.name,
                 error);
      assert_true(!(s.position_drift > 1e-9) && !(s.velocity_drift > 1e-9));
    }
}

/* links of a chain: the estimates are sparse, the results those of bdf-ggl */
static void test_a_sparse_chain_gives_the_same_motion(void **state)
{
  (void)state;
  double tip[VARIANTS][2];
  for (int i = 0; i < VARIANTS; i++) {
    test_problem p = test_chain(40, TEST_CHAIN_MODE);
    dae_bdf_options opts = options_of(&variants[i], 1e-7);
    double y[240];
    dae_summary s;
    assert_true(p.size <= 240);
    assert_int_equal(support_run_with(variants[i].method, &p, &opts, 0, NULL, NULL, y, &s), DAE_OK);
    tip[i][0] = y[78], tip[i][1] = y[79];
    test_problem_free(&p);
    assert_true(fabs(tip[i][0] - tip[0][0]) < 1e-5 && fabs(tip[i][1] - tip[0][1]) < 1e-5);
  }
}

/* the paper's efficiency of CM on its spring is the energy that stale directions take away;
 * with fresh ones it stays */
static void test_stale_directions_destroy_the_energy(void **state)
{
  (void)state;
  double kept[2], lowest = 0;
  for (int stale = 0; stale < 2; stale++) {
    test_problem p = test_spring();
    dae_bdf_options opts = support_options(1e-6);
    double y[16], T0, V0, T, V;
    dae_summary s;
    opts.rules = DAE_BDF_RULES_DASSL;
    opts.error_test = DAE_BDF_TEST_X;
    opts.project = false;
    opts.filter = false;
    opts.multipliers = DAE_BDF_MULTIPLIERS_SPLIT;
    opts.projector = stale ? DAE_BDF_PROJECTOR_STALE : DAE_BDF_PROJECTOR_FRESH;
    assert_int_equal(support_run_with("bdf-cm", &p, &opts, 0, NULL, NULL, y, &s), DAE_OK);
    assert_true((s.caution != NULL) == (stale != 0)); /* the closing block says so */
    const dae_mechanical *m = p.problem.mechanical;
    m->energy(m->user, &(dae_mechanical_at){.q = p.start.y, .v = p.start.y + 2}, &T0, &V0);
    m->energy(m->user, &(dae_mechanical_at){.q = y, .v = y + 2}, &T, &V);
    lowest = 1e4 * 0.1 * 0.1 / 2 - 1; /* at rest at (0, -1) */
    kept[stale] = (T + V - lowest) / (T0 + V0 - lowest);
  }
  if (getenv("DAEDAL_VERBOSE"))
    print_message("energy kept: fresh %.4g, stale %.4g\n", kept[0], kept[1]);
  assert_true(kept[0] > 0.97 && kept[0] < 1.03);
  assert_true(kept[1] < 0.1);
}

/* the spring with its stretch e as an appended coordinate, without mass: the same motion
 * [YP96 section 4] */
static void test_appended_coordinates_need_no_mass(void **state)
{
  (void)state;
  static const char spring[] = "model spring\n"
                               "coord x = 0.044710000355444504239, y = -0.99900000794205009471\n"
                               "coord e = sqrt(x^2 + (y + 0.5)^2) - 0.4\n"
                               "kinetic (x'^2 + y'^2)/2\n"
                               "potential 1e4*e^2/2 + y\n"
                               "constraint circle: (x^2 + y^2 - 1)/2 = 0\n"
                               "constraint stretch: (e + 0.4)^2 = x^2 + (y + 0.5)^2\n";
  test_problem known = test_spring();
  for (int i = 0; i < VARIANTS; i++) {
    dae_bdf_options opts = options_of(&variants[i], 1e-6);
    dae_model *model;
    dae_error err;
    dae_integrator *it;
    double y[8];
    assert_int_equal(dae_model_parse("spring", spring, sizeof spring - 1, NULL, NULL, &model, &err),
                     DAE_OK);
    dae_start start = dae_model_start(model);
    assert_int_equal(dae_method_find(variants[i].method, &err)
                         ->create(dae_model_problem(model), &start, &opts, NULL, &it, &err),
                     DAE_OK);
    dae_status status = DAE_OK;
    while (status == DAE_OK)
      status = dae_integrator_step(it, known.to, &err);
    assert_int_equal(status, DAE_END);
    support_state(it, y, NULL);
    for (int k = 0; k < 2; k++)
      if (!(fabs(y[k] - known.reference[k]) < 1e-4))
        fail_msg("%s %d: %g off", variants[i].method, variants[i].multipliers,
                 y[k] - known.reference[k]);
    dae_integrator_free(it);
    dae_model_free(model);
  }
}

/* slider crank whose wrist pin is a bushing of stiffness 1e8, without damping, started at rest in
 * the bushing */
static const char crank[] =
    "model crank\n"
    "param k = 1e8, w = 10, J1 = 0.0027, J2 = 0.0027, m2 = 0.15, m3 = 0.0755, l1 = 0.15, l2 = 0.3\n"
    "coord phi = 0 rate w, x = l1 + l2/2, y = 0 rate w*l1/2, th = 0 rate -w*l1/l2, s = l1 + l2\n"
    "kinetic J1*phi'^2/2 + m2*(x'^2 + y'^2)/2 + J2*th'^2/2 + m3*s'^2/2\n"
    "let ex = x + l2/2*cos(th) - s, ey = y + l2/2*sin(th)\n"
    "potential k*(ex^2 + ey^2)/2 + 9.81*m2*y\n"
    "constraint x - l2/2*cos(th) = l1*cos(phi)\n"
    "constraint y - l2/2*sin(th) = l1*sin(phi)\n";

static long steps_of_crank(const char *method, bool stability, double *phi)
{
  dae_bdf_options opts = support_options(1e-4);
  dae_model *model;
  dae_error err;
  dae_integrator *it;
  double y[16];
  opts.stability = stability;
  assert_int_equal(dae_model_parse("crank", crank, sizeof crank - 1, NULL, NULL, &model, &err),
                   DAE_OK);
  dae_start start = dae_model_start(model);
  assert_int_equal(dae_method_find(method, &err)
                       ->create(dae_model_problem(model), &start, &opts, NULL, &it, &err),
                   DAE_OK);
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, 0.2, &err);
  assert_int_equal(status, DAE_END);
  support_state(it, y, NULL);
  *phi = y[0];
  long steps = dae_integrator_stats(it).steps;
  dae_integrator_free(it);
  dae_model_free(model);
  return steps;
}

/* plain GGL has neither the filter nor the watch on stability */
static void test_the_filter_keeps_steps_at_the_slow_scale(void **state)
{
  (void)state;
  double slow, all;
  long filtered = steps_of_crank("bdf-cs", true, &slow);
  long followed = steps_of_crank("bdf-ggl", false, &all);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("bdf-cs %ld steps, bdf-ggl %ld; phi %.8f %.8f\n", filtered, followed, slow, all);
  assert_true(5 * filtered < followed);
  assert_true(fabs(slow - all) < 2e-3);
}

/* the pendulum through x = 0 and y = 0, a turning crank through its dead points: another split is
 * chosen there, without more than a failed step a passage */
static void test_splits_are_chosen_anew_without_failures(void **state)
{
  (void)state;
  test_problem (*const problems[])(void) = {test_pendulum, test_slider_crank};
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
    test_problem p = problems[i]();
    dae_bdf_options opts = support_options(1e-6);
    double y[32];
    dae_summary s;
    opts.multipliers = DAE_BDF_MULTIPLIERS_SPLIT;
    p.to = 10; /* a dozen passages, at least */
    assert_int_equal(support_run_with("bdf-cs", &p, &opts, 0, NULL, NULL, y, &s), DAE_OK);
    if (getenv("DAEDAL_VERBOSE"))
      print_message("%s: %ld steps, %ld failed to converge\n", p.name, s.stats.steps,
                    s.stats.rejected_by_convergence);
    assert_true(s.stats.rejected_by_convergence <= 12);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_converge_to_the_reference_on_the_constraints),
      cmocka_unit_test(test_all_take_every_mechanical_problem),
      cmocka_unit_test(test_a_sparse_chain_gives_the_same_motion),
      cmocka_unit_test(test_stale_directions_destroy_the_energy),
      cmocka_unit_test(test_appended_coordinates_need_no_mass),
      cmocka_unit_test(test_splits_are_chosen_anew_without_failures),
      cmocka_unit_test(test_the_filter_keeps_steps_at_the_slow_scale),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
