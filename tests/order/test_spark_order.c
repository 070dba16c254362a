/* SPARK methods at fixed step are of the order the theory says [J09], 2s for spark-gauss, in the
 * coordinates, the rates and both kinds of multipliers; their errors are not larger than those of
 * an independent implementation; with variable steps the error follows the tolerance.
 */
#include "spark_orders.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct order_case {
  test_problem (*make)(void);
  spark_row gauss[4]; /* s = 1 ... 4 */
} order_case;

static const order_case cases[] = {
    {test_pendulum_light,
     {{160, {6.64e-05, 8.26e-05, 1.54e-04, NONE}},
      {80, {6.18e-09, 8.43e-09, 4.37e-09, NONE}},
      {40, {1.06e-11, 1.38e-11, 1.52e-11, NONE}},
      {16, {1.29e-12, 1.73e-12, 1.28e-12, NONE}}}},
    {test_track,
     {{160, {5.77e-05, 2.94e-04, 1.19e-03, NONE}},
      {80, {2.01e-08, 6.90e-08, 1.56e-07, NONE}},
      {40, {3.92e-11, 1.27e-10, 2.46e-10, NONE}},
      {16, {5.16e-12, 1.60e-11, 2.66e-11, NONE}}}},
    {test_rheonomic_length,
     {{160, {3.01e-05, 3.01e-05, EXACT, NONE}},
      {80, {7.49e-10, 7.49e-10, EXACT, NONE}},
      {40, {4.00e-13, 4.00e-13, EXACT, NONE}},
      {8, {5.55e-12, 5.55e-12, EXACT, NONE}}}},
    {test_knife_edge,
     {{160, {2.81e-05, 1.50e-05, NONE, 2.27e-05}},
      {80, {1.56e-09, 1.40e-09, NONE, 2.13e-09}},
      {40, {2.45e-11, 1.32e-12, NONE, 2.00e-12}},
      {16, {2.83e-12, 6.84e-14, NONE, 1.04e-13}}}},
    {test_sleigh,
     {{160, {1.55e-06, 3.53e-06, NONE, 1.18e-06}},
      {80, {3.05e-10, 7.13e-11, NONE, 5.44e-11}},
      {40, {5.19e-13, 1.42e-13, NONE, 3.89e-14}},
      {8, {4.68e-12, 1.48e-12, NONE, 3.50e-13}}}},
    {test_cylinder_skate,
     {{160, {2.64e-05, 1.49e-05, 3.67e-06, 2.26e-05}},
      {80, {1.38e-09, 1.57e-09, 3.87e-10, 2.38e-09}},
      {40, {2.73e-11, 5.49e-12, 5.50e-13, 3.39e-12}},
      {16, {4.90e-12, 1.09e-12, 6.10e-14, 3.76e-13}}}},
    {test_curvilinear,
     {{160, {5.82e-05, 1.15e-04, 1.54e-04, NONE}},
      {80, {4.22e-09, 6.48e-09, 5.23e-09, NONE}},
      {40, {6.76e-12, 1.04e-11, 6.21e-12, NONE}},
      {16, {3.56e-13, 8.60e-13, 3.91e-12, NONE}}}},
};

#define CASES ((int)(sizeof cases / sizeof *cases))

/* spark-radau, s = 1 ... 3: of order 2s - 1, and where f is constant and there is no k of order 2s
 * from s = 2 on */
typedef struct radau_case {
  test_problem (*make)(void);
  int order[3];
  spark_row radau[3];
} radau_case;

static const radau_case radau_cases[] = {
    {test_pendulum_light,
     {1, 4, 6},
     {{160, {8.61e-03, 1.20e-02, 1.86e-03, NONE}},
      {80, {6.18e-09, 8.43e-09, 4.37e-09, NONE}},
      {40, {1.06e-11, 1.39e-11, 1.52e-11, NONE}}}},
    {test_knife_edge,
     {1, 3, 5},
     {{160, {1.53e-02, 1.97e-02, NONE, 2.99e-02}},
      {80, {2.22e-06, 1.56e-06, NONE, 2.37e-06}},
      {40, {3.45e-09, 1.10e-09, NONE, 1.67e-09}}}},
    {test_cylinder_skate,
     {1, 3, 5},
     {{160, {1.19e-02, 1.97e-02, 4.70e-03, 2.99e-02}},
      {80, {2.33e-06, 1.90e-06, 4.67e-07, 2.88e-06}},
      {40, {4.19e-09, 2.26e-09, 5.55e-10, 3.43e-09}}}},
};

/* ---- fixed steps ---- */

static void check(const char *method, const test_problem *p, int s, int order, const spark_row *r)
{
  dae_spark_options opts = dae_spark_defaults();
  opts.stages = s;
  spark_check(method, p, &opts, order, r);
}

/* rows of the table for s = 1 ... 4 */
static const spark_row *gauss_row(test_problem (*make)(void))
{
  int i = 0;
  while (i < CASES - 1 && cases[i].make != make)
    i++;
  assert_true(cases[i].make == make);
  return cases[i].gauss;
}

static void check_gauss(test_problem (*make)(void))
{
  test_problem p = make();
  for (int s = 1; s <= 4; s++)
    check("spark-gauss", &p, s, 2 * s, &gauss_row(make)[s - 1]);
}

static void test_gauss_order_is_2s_on_a_pendulum(void **state)
{
  (void)state;
  check_gauss(test_pendulum_light);
}

static void test_gauss_order_is_2s_under_a_force_that_does_work(void **state)
{
  (void)state;
  check_gauss(test_track);
}

static void test_gauss_order_is_2s_on_a_rheonomic_constraint(void **state)
{
  (void)state;
  check_gauss(test_rheonomic_length);
}

static void test_gauss_order_is_2s_on_nonholonomic_constraints(void **state)
{
  (void)state;
  check_gauss(test_knife_edge);
  check_gauss(test_sleigh);
}

static void test_gauss_order_is_2s_on_both_kinds_of_constraints(void **state)
{
  (void)state;
  check_gauss(test_cylinder_skate);
}

static void test_gauss_order_is_2s_in_curvilinear_momenta(void **state)
{
  (void)state;
  check_gauss(test_curvilinear);
}

/* the same pendulum in the momentum form, by its Lagrangian and by its Hamiltonian */
static void test_gauss_order_is_2s_in_the_momentum_form(void **state)
{
  (void)state;
  static const spark_row hamiltonian[] = {{160, {5.82e-05, 6.83e-05, 1.54e-04, NONE}},
                                          {80, {4.22e-09, 3.91e-09, 5.23e-09, NONE}},
                                          {40, {6.76e-12, 6.86e-12, 6.21e-12, NONE}},
                                          {16, {3.56e-13, 1.54e-12, 3.91e-12, NONE}}};
  test_problem ham = test_curv_ham(true), lag = test_curv_lag(true), mixed = test_mixed(true);
  for (int s = 1; s <= 4; s++) {
    check("spark-gauss", &ham, s, 2 * s, &hamiltonian[s - 1]);
    check("spark-gauss", &lag, s, 2 * s, &gauss_row(test_curvilinear)[s - 1]);
    check("spark-gauss", &mixed, s, 2 * s, &gauss_row(test_cylinder_skate)[s - 1]);
  }
}

static void test_radau_order_is_2s_less_1_or_2s_where_forces_are_constant(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof radau_cases / sizeof *radau_cases; i++) {
    const radau_case *c = &radau_cases[i];
    test_problem p = c->make();
    for (int s = 1; s <= 3; s++)
      check("spark-radau", &p, s, c->order[s - 1], &c->radau[s - 1]);
  }
}

/* ---- variable steps ---- */

static void test_errors_of_variable_steps_are_within_100_tolerances(void **state)
{
  (void)state;
  for (int i = 0; i < CASES; i++) {
    test_problem p = cases[i].make();
    for (int s = 2; s <= 6; s++)
      for (int digits = 4; digits <= 10; digits += 2) {
        dae_spark_options opts = dae_spark_defaults();
        double y[SPARK_MOST];
        opts.rtol = opts.atol = pow(10, -digits);
        opts.stages = s;
        spark_run("spark-gauss", &p, &opts, y);
        double error = support_error(&p, y);
        if (getenv("DAEDAL_VERBOSE"))
          print_message("%-16s s = %d, tolerance %.0e: error %.2e\n", p.name, s, opts.rtol, error);
        if (!(error <= 100 * opts.rtol))
          fail_msg("%s, s = %d, tolerance %.0e: error %.2e", p.name, s, opts.rtol, error);
      }
  }
}

/* ---- between the steps ---- */

static dae_integrator *create(const char *name, const test_problem *p,
                              const dae_spark_options *opts)
{
  const dae_method *method = dae_method_find(name, NULL);
  dae_integrator *it = NULL;
  assert_non_null(method);
  assert_int_equal(method->create(&p->problem, &p->start, opts, NULL, &it, NULL), DAE_OK);
  return it;
}

static void run_to(dae_integrator *it, double t)
{
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, t, NULL);
  assert_int_equal(status, DAE_END);
}

/* error of coordinates and rates within the last of n steps */
static double error_between(const char *method, const test_problem *p, int s, int n)
{
  static const double within[] = {0.12, 0.4, 0.77};
  double y[32], exact[32], h = (p->to - p->start.t) / n, worst = 0;
  dae_spark_options opts = dae_spark_defaults(), tight = opts;
  opts.stages = s;
  opts.step = h;
  tight.stages = 6;
  tight.rtol = tight.atol = 1e-13;
  dae_integrator *it = create(method, p, &opts), *reference = create("spark-gauss", p, &tight);
  assert_true(p->size <= 32);
  run_to(it, p->to);
  for (size_t k = 0; k < sizeof within / sizeof *within; k++) {
    double t = p->to - (1 - within[k]) * h;
    assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
    run_to(reference, t);
    support_state(reference, exact, NULL);
    for (int i = 0; i < 2 * p->problem.mechanical->nq; i++)
      worst = fmax(worst, fabs(y[i] - exact[i]));
  }
  dae_integrator_free(it);
  dae_integrator_free(reference);
  return worst;
}

static void check_between(const char *method, const test_problem *p, int s, int n, int order)
{
  double coarse = error_between(method, p, s, n), fine = error_between(method, p, s, 2 * n);
  double seen = log2(coarse / fine);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-16s %s, s = %d: between steps %.1e, order %.2f\n", p->name, method, s, fine,
                  seen);
  if (!(seen > order - 0.6 || fine < 1e-13))
    fail_msg("%s, %s, s = %d: between steps %.1e, order %.2f", p->name, method, s, fine, seen);
}

static void test_dense_output_is_of_the_order_of_the_steps(void **state)
{
  (void)state;
  static test_problem (*const problems[])(void) = {test_pendulum_light, test_knife_edge,
                                                   test_sleigh, test_cylinder_skate};
  static const int steps[] = {80, 80, 20, 8, 4};
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
    test_problem p = problems[i]();
    for (int s = 1; s <= 5; s++) {
      check_between("spark-gauss", &p, s, steps[s - 1], 2 * s);
      if (s > 1)
        check_between("spark-radau", &p, s, steps[s - 1], 2 * s - 1);
      if (s > 2)
        check_between("spark-lobatto", &p, s, steps[s - 1], 2 * s - 2);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gauss_order_is_2s_on_a_pendulum),
      cmocka_unit_test(test_gauss_order_is_2s_under_a_force_that_does_work),
      cmocka_unit_test(test_gauss_order_is_2s_on_a_rheonomic_constraint),
      cmocka_unit_test(test_gauss_order_is_2s_on_nonholonomic_constraints),
      cmocka_unit_test(test_gauss_order_is_2s_on_both_kinds_of_constraints),
      cmocka_unit_test(test_gauss_order_is_2s_in_curvilinear_momenta),
      cmocka_unit_test(test_gauss_order_is_2s_in_the_momentum_form),
      cmocka_unit_test(test_radau_order_is_2s_less_1_or_2s_where_forces_are_constant),
      cmocka_unit_test(test_errors_of_variable_steps_are_within_100_tolerances),
      cmocka_unit_test(test_dense_output_is_of_the_order_of_the_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
