/* SPARK through the verbs and runs that every method has: redundant constraints, events, extra
 * states, sparse problems, tableaux of the user's, starts that have to be repaired, and what is
 * refused. */
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const methods[] = {"spark-gauss", "spark-radau"};

static dae_spark_options options(double tolerance)
{
  dae_spark_options opts = dae_spark_defaults();
  opts.rtol = opts.atol = tolerance;
  return opts;
}

/* ---- problems of all kinds ---- */

static void check_run(const char *method, const test_problem *p, double tolerance)
{
  dae_spark_options opts = options(tolerance);
  dae_summary summary;
  double y[32];
  assert_int_equal(support_run_with(method, p, &opts, 0, NULL, NULL, y, &summary), DAE_OK);
  double error = support_error(p, y);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%s %-14s %.0e: error %.1e, %ld steps, %ld evaluations\n", method, p->name,
                  tolerance, error, summary.stats.steps, summary.stats.evaluations);
  if (!(error <= 300 * tolerance))
    fail_msg("%s, %s, tolerance %.0e: error %.2e", method, p->name, tolerance, error);
  assert_int_equal(summary.events, p->hits);
  assert_int_equal(summary.stats.restarts, p->hits);
}

static void check_runs(test_problem (*make)(void))
{
  for (int i = 0; i < 2; i++)
    for (int digits = 4; digits <= 8; digits += 2) {
      test_problem p = make();
      check_run(methods[i], &p, pow(10, -digits));
    }
}

static void test_redundant_constraints_are_taken(void **state)
{
  (void)state;
  assert_int_equal(test_parallel_bars().problem.mechanical->ng, 3);
  check_runs(test_parallel_bars);
}

static void test_events_are_hit_as_often_as_they_should(void **state)
{
  (void)state;
  check_runs(test_bouncing_ball);
  check_runs(test_pendulum_wall);
}

static void test_mechanisms_and_moving_constraints_end_where_they_should(void **state)
{
  (void)state;
  check_runs(test_slider_crank);
  check_runs(test_car_axis);
  check_runs(test_pendulum_bare); /* every derivative differenced */
  check_runs(test_structures);    /* coupled by a joint */
}

/* ---- extra states ---- */

static const char by_coordinate[] = "model by_coordinate\n"
                                    "coord x = 1, y = 0\n"
                                    "kinetic (x'^2 + y'^2)/2\n"
                                    "potential y + (x - 0.5)^2\n"
                                    "constraint rod: (x^2 + y^2 - 1)/2 = 0\n"
                                    "simulate to 2\n";
/* the same spring, but its length is a state of its own */
static const char by_state[] = "model by_state\n"
                               "coord x = 1, y = 0\n"
                               "state stretch = 0.5\n"
                               "kinetic (x'^2 + y'^2)/2\n"
                               "potential y\n"
                               "force x = -2*stretch\n"
                               "stretch' = x'\n"
                               "constraint rod: (x^2 + y^2 - 1)/2 = 0\n"
                               "simulate to 2\n";

static void end_of(const char *text, const dae_spark_options *opts, double *y)
{
  dae_model *model = NULL;
  dae_integrator *it;
  dae_error err = dae_error_none();
  dae_status status = dae_model_parse("model", text, strlen(text), NULL, NULL, &model, &err);
  if (status)
    fail_msg("%s", err.text);
  dae_start start = dae_model_start(model);
  assert_int_equal(dae_spark_gauss_create(dae_model_problem(model), &start, opts, NULL, &it, NULL),
                   DAE_OK);
  while (status == DAE_OK)
    status = dae_integrator_step(it, 2, &err);
  assert_int_equal(status, DAE_END);
  support_state(it, y, NULL);
  dae_integrator_free(it);
  dae_model_free(model);
}

static void test_a_spring_whose_length_is_a_state_is_the_same_spring(void **state)
{
  (void)state;
  for (int s = 1; s <= 4; s++)
    for (int fixed = 0; fixed < 2; fixed++) {
      dae_spark_options opts = options(1e-9);
      double a[8], b[8], bound = fixed ? 1e-13 : 1e-7;
      opts.stages = s;
      opts.step = fixed ? 0.1 : 0;
      end_of(by_coordinate, &opts, a); /* x, y, x', y', lambda */
      end_of(by_state, &opts, b);      /* x, y, x', y', stretch, lambda */
      for (int i = 0; i < 4; i++)
        assert_true(fabs(a[i] - b[i]) < bound);
      assert_true(fabs(b[4] - (b[0] - 0.5)) < (fixed ? 1e-14 : 1e-7));
      assert_true(fabs(a[4] - b[5]) < 10 * bound);
    }
}

/* ---- stops ---- */

/* steps that are cut short tell little of those that follow them */
static void test_stops_close_together_do_no_harm(void **state)
{
  (void)state;
  test_problem p = test_car_axis();
  dae_spark_options opts = options(1e-11);
  dae_integrator *a, *b;
  dae_status status = DAE_OK;
  dae_error err = dae_error_none();
  double one[32], many[32];
  assert_true(p.size <= 32);
  assert_int_equal(dae_spark_gauss_create(&p.problem, &p.start, &opts, NULL, &a, NULL), DAE_OK);
  assert_int_equal(dae_spark_gauss_create(&p.problem, &p.start, &opts, NULL, &b, NULL), DAE_OK);
  for (int i = 1; i <= 20; i++) /* two stops, 1e-9 apart */
    for (int twice = 0; twice < 2; twice++) {
      do
        status = dae_integrator_step(a, 0.05 * i + 1e-9 * twice, &err);
      while (status == DAE_OK);
      if (status < 0)
        fail_msg("%s", err.text);
    }
  do
    status = dae_integrator_step(b, 1 + 1e-9, &err);
  while (status == DAE_OK);
  assert_int_equal(status, DAE_END);
  support_state(a, many, NULL);
  support_state(b, one, NULL);
  for (int i = 0; i < 8; i++) /* positions and velocities */
    assert_true(fabs(one[i] - many[i]) < 1e-10);
  assert_true(dae_integrator_stats(a).rejected_by_convergence < 5);
  dae_integrator_free(a);
  dae_integrator_free(b);
}

/* ---- sparse ---- */

static void test_a_chain_of_60_links_moves_as_with_bdf(void **state)
{
  (void)state;
  test_problem p = test_chain(60, TEST_CHAIN_MODE);
  size_t size = (size_t)p.size;
  double *a = calloc(size, sizeof *a), *b = calloc(size, sizeof *b), worst = 0;
  dae_spark_options opts = options(1e-8);
  dae_bdf_options bdf = support_options(1e-8);
  assert_true(p.memory && a && b);
  p.to = 0.5;
  assert_int_equal(support_run_with("spark-gauss", &p, &opts, 0, NULL, NULL, a, NULL), DAE_OK);
  assert_int_equal(support_run_with("bdf-cs", &p, &bdf, 0, NULL, NULL, b, NULL), DAE_OK);
  for (int i = 0; i < 4 * 60; i++)
    worst = fmax(worst, fabs(a[i] - b[i]) / (1 + fabs(b[i])));
  if (getenv("DAEDAL_VERBOSE"))
    print_message("chain: differs by %.1e\n", worst);
  assert_true(worst < 100 * opts.rtol);
  free(a), free(b);
  test_problem_free(&p);
}

/* where the curvature of the constraints is stiff the embedded estimate is looked at: without that
 * the error at 1e-8 is 300 tolerances */
static void test_a_chain_of_10_links_is_as_accurate_as_the_tolerance_says(void **state)
{
  (void)state;
  double exact[64], y[64];
  test_problem p = test_chain(10, TEST_CHAIN_MODE);
  dae_spark_options fine = options(1e-12);
  assert_true(p.memory && p.size <= 64);
  p.to = 1;
  assert_int_equal(support_run_with("spark-gauss", &p, &fine, 0, NULL, NULL, exact, NULL), DAE_OK);
  for (int digits = 4; digits <= 8; digits += 2) {
    double tol = pow(10, -digits), worst = 0;
    dae_spark_options opts = options(tol);
    assert_int_equal(support_run_with("spark-gauss", &p, &opts, 0, NULL, NULL, y, NULL), DAE_OK);
    for (int i = 0; i < 40; i++)
      worst = fmax(worst, fabs(y[i] - exact[i]) / (tol * (1 + fabs(exact[i]))));
    if (getenv("DAEDAL_VERBOSE"))
      print_message("chain of 10 links at %.0e: %.2g tolerances\n", tol, worst);
    assert_true(worst < 50);
  }
  test_problem_free(&p);
}

/* ---- tableaux of the user's ---- */

/* steps both integrators to the end and compares every state to the last bit */
static void compare_bits(dae_integrator *a, dae_integrator *b, double to, int size)
{
  dae_status status = DAE_OK;
  for (long steps = 0; status == DAE_OK; steps++) {
    double x[32], y[32];
    status = dae_integrator_step(a, to, NULL);
    assert_int_equal(dae_integrator_step(b, to, NULL), status);
    support_state(a, x, NULL);
    support_state(b, y, NULL);
    assert_memory_equal(x, y, (size_t)size * sizeof *x);
    assert_true(steps < 10000);
  }
  assert_int_equal(status, DAE_END);
}

static void test_a_tableau_filled_in_by_hand_gives_the_bits_of_the_family(void **state)
{
  (void)state;
  dae_spark_tableau *family;
  double c[2], b[2], A[4], bh[2], Ah[4], ct[3], bt[3], Ab[6], At[6];
  assert_int_equal(
      dae_spark_tableau_create(DAE_SPARK_GAUSS, DAE_SPARK_HAT_SAME, 2, NULL, &family, NULL),
      DAE_OK);
  memcpy(c, family->c, sizeof c), memcpy(b, family->b, sizeof b), memcpy(A, family->A, sizeof A);
  memcpy(bh, family->bh, sizeof bh), memcpy(Ah, family->Ah, sizeof Ah);
  memcpy(ct, family->ct, sizeof ct), memcpy(bt, family->bt, sizeof bt);
  memcpy(Ab, family->Ab, sizeof Ab), memcpy(At, family->At, sizeof At);
  dae_spark_tableau_free(family);
  const dae_spark_tableau own = {.s = 2,
                                 .nt = 3,
                                 .c = c,
                                 .b = b,
                                 .A = A,
                                 .bh = bh,
                                 .Ah = Ah,
                                 .ct = ct,
                                 .bt = bt,
                                 .Ab = Ab,
                                 .At = At};
  test_problem p = test_cylinder_skate();
  for (int fixed = 0; fixed < 2; fixed++) {
    dae_spark_options opts = options(1e-6);
    dae_integrator *x, *y;
    opts.stages = 2;
    opts.step = fixed ? 0.05 : 0;
    assert_int_equal(dae_spark_gauss_create(&p.problem, &p.start, &opts, NULL, &x, NULL), DAE_OK);
    assert_int_equal(dae_spark_create(&p.problem, &p.start, &own, &opts, NULL, &y, NULL), DAE_OK);
    compare_bits(x, y, p.to, p.size);
    dae_integrator_free(x);
    dae_integrator_free(y);
  }
}

static void test_a_tableau_that_is_no_method_is_refused(void **state)
{
  (void)state;
  static const double one[] = {1, 1}, A[] = {1}, Ab[] = {0, 1}, At[] = {0.5, 0}, bt[] = {0.5, 0.5};
  static const double ct[] = {0, 1};
  const dae_spark_tableau wrong = {.s = 1,
                                   .nt = 2,
                                   .c = one,
                                   .b = bt,
                                   .A = A,
                                   .bh = bt,
                                   .Ah = A,
                                   .ct = ct,
                                   .bt = bt,
                                   .Ab = Ab,
                                   .At = At};
  test_problem p = test_pendulum_light();
  dae_integrator *it = (dae_integrator *)&p; /* must be overwritten */
  dae_error err = dae_error_none();
  assert_true(dae_spark_create(&p.problem, &p.start, &wrong, NULL, NULL, &it, &err) < 0);
  assert_null(it);
  assert_true(err.text[0] != '\0');
}

/* ---- starts and refusals ---- */

/* (1.2, -0.5) has length 1.3; the velocity (1, 1) has the component 7/13 along the rod */
static const double off[] = {1.2, -0.5, 1, 1, 0};
static const double on[] = {12. / 13, -5. / 13, 85. / 169, 204. / 169};

static void test_a_start_off_the_circle_goes_to_the_nearest_point(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    test_problem p = test_pendulum_light();
    dae_spark_options opts = options(1e-6);
    dae_integrator *it;
    dae_summary summary;
    double y[5];
    p.start.y = off;
    assert_int_equal(
        dae_method_find(methods[i], NULL)->create(&p.problem, &p.start, &opts, NULL, &it, NULL),
        DAE_OK);
    support_state(it, y, NULL);
    for (int j = 0; j < 4; j++)
      assert_true(fabs(y[j] - on[j]) < 1e-12);
    dae_integrator_free(it);
    assert_int_equal(support_run_with(methods[i], &p, &opts, 0, NULL, NULL, NULL, &summary),
                     DAE_OK);
    assert_int_equal(summary.moved, 4);
  }
}

static void check_refused(const test_problem *p, dae_status expected, const char *equation,
                          const char *word)
{
  for (int i = 0; i < 2; i++) {
    dae_integrator *it = (dae_integrator *)&it; /* must be overwritten */
    dae_error err = dae_error_none();
    dae_status status =
        dae_method_find(methods[i], NULL)->create(&p->problem, &p->start, NULL, NULL, &it, &err);
    assert_int_equal(status, expected);
    assert_int_equal(err.status, expected);
    assert_null(it);
    if (equation)
      assert_string_equal(err.equation, equation);
    if (!strstr(err.text, word))
      fail_msg("%s: no \"%s\" in: %s", p->name, word, err.text);
  }
}

static void test_starts_that_cannot_be_met_are_refused_by_name(void **state)
{
  (void)state;
  static const bool fixed[5] = {true, true};
  test_problem held = test_pendulum_light(), contradiction = test_contradiction();
  held.start.y = off;
  held.start.fixed = fixed;
  check_refused(&held, DAE_ERROR_START, "rod", "fixed");
  check_refused(&contradiction, DAE_ERROR_START, NULL, "long rod");
}

static void test_algebraic_variables_and_other_forms_are_refused_with_the_reason(void **state)
{
  (void)state;
  test_problem motor = test_motor(), circuits = test_two_circuits();
  check_refused(&motor, DAE_ERROR_UNSUPPORTED, NULL, "algebraic");
  check_refused(&circuits, DAE_ERROR_UNSUPPORTED, NULL, "mechanical");
  for (int i = 0; i < 2; i++) {
    dae_error err = dae_error_none();
    assert_int_equal(dae_method_find(methods[i], NULL)->accepts(&motor.problem, &err),
                     DAE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "algebraic"));
  }
}

/* ---- steps ---- */

/* friction that switches with the direction: the motion comes to a stop, the steps become tiny */
static void test_a_force_that_switches_to_and_fro_ends_the_run_with_the_reason(void **state)
{
  (void)state;
  static const char text[] = "model chatter\n"
                             "coord x = 1 rate 1, y = 0\n"
                             "kinetic (x'^2 + y'^2)/2\n"
                             "force x = noevent(if(x' > 0, -1, 1)) - 0.3\n"
                             "constraint y = 0\n";
  dae_model *model;
  dae_integrator *it;
  dae_error err = dae_error_none();
  assert_int_equal(dae_model_parse("chatter", text, sizeof text - 1, NULL, NULL, &model, &err),
                   DAE_OK);
  dae_start start = dae_model_start(model);
  dae_status status =
      dae_spark_gauss_create(dae_model_problem(model), &start, NULL, NULL, &it, &err);
  while (status == DAE_OK)
    status = dae_integrator_step(it, 10, &err);
  assert_int_equal(status, DAE_ERROR_STEP);
  assert_non_null(strstr(err.text, "switch back and forth"));
  assert_string_equal(err.equation, "der(x)");
  dae_integrator_free(it);
  dae_model_free(model);
}

static void test_no_step_is_larger_than_the_largest(void **state)
{
  (void)state;
  test_problem p = test_pendulum();
  dae_spark_options opts = dae_spark_defaults();
  dae_integrator *it;
  opts.max_step = 1e-4;
  opts.first_step = 1e-2;
  assert_int_equal(dae_spark_gauss_create(&p.problem, &p.start, &opts, NULL, &it, NULL), DAE_OK);
  for (int i = 0; i < 20; i++) {
    assert_int_equal(dae_integrator_step(it, p.to, NULL), DAE_OK);
    dae_view view = dae_integrator_view(it);
    assert_true(view.t - view.t_previous <= 1e-4 * (1 + 1e-9));
  }
  dae_integrator_free(it);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_redundant_constraints_are_taken),
      cmocka_unit_test(test_events_are_hit_as_often_as_they_should),
      cmocka_unit_test(test_mechanisms_and_moving_constraints_end_where_they_should),
      cmocka_unit_test(test_a_spring_whose_length_is_a_state_is_the_same_spring),
      cmocka_unit_test(test_stops_close_together_do_no_harm),
      cmocka_unit_test(test_a_chain_of_60_links_moves_as_with_bdf),
      cmocka_unit_test(test_a_chain_of_10_links_is_as_accurate_as_the_tolerance_says),
      cmocka_unit_test(test_a_tableau_filled_in_by_hand_gives_the_bits_of_the_family),
      cmocka_unit_test(test_a_tableau_that_is_no_method_is_refused),
      cmocka_unit_test(test_a_start_off_the_circle_goes_to_the_nearest_point),
      cmocka_unit_test(test_starts_that_cannot_be_met_are_refused_by_name),
      cmocka_unit_test(test_algebraic_variables_and_other_forms_are_refused_with_the_reason),
      cmocka_unit_test(test_a_force_that_switches_to_and_fro_ends_the_run_with_the_reason),
      cmocka_unit_test(test_no_step_is_larger_than_the_largest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
