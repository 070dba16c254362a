/* SPARK methods at fixed step are of the order the theory says [J09], 2s for spark-gauss, in the
 * coordinates, the rates and both kinds of multipliers; their errors are not larger than those of
 * an independent implementation; with variable steps the error follows the tolerance.
 */
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define MOST 16         /* entries of a state vector */
#define ROUND_OFF 1e-13 /* smaller errors say nothing of the order */
#define FIT 3           /* so many of the finest runs above round-off tell the order */

/* what is measured apart */
enum { COORDINATES, RATES, LAMBDA, PSI, KINDS };
static const char *const kind_names[KINDS] = {"coordinates", "rates", "lambda", "psi"};

#define NONE (-1.0)  /* there is no such variable */
#define EXACT (-2.0) /* exact to round-off: no order can be read off */

/* a row of the table: the errors after n steps */
typedef struct row {
  int n;
  double error[KINDS];
} row;

typedef struct order_case {
  test_problem (*make)(void);
  row gauss[4]; /* s = 1 ... 4 */
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
  row radau[3];
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

/* ---- measuring ---- */

/* a run to the end; y: the state there */
static void run(const char *method, const test_problem *p, const dae_spark_options *opts, double *y)
{
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  dae_status status =
      dae_method_find(method, NULL)->create(&p->problem, &p->start, opts, NULL, &it, &err);
  assert_true(p->size <= MOST);
  while (status == DAE_OK)
    status = dae_integrator_step(it, p->to, &err);
  if (status != DAE_END)
    fail_msg("%s, %s, s = %d: %s", method, p->name, opts->stages, err.text);
  support_state(it, y, NULL);
  dae_integrator_free(it);
}

/* largest error of each kind at the end after n steps */
static void errors_of(const char *method, const test_problem *p, int s, int n, double error[KINDS])
{
  dae_spark_options opts = dae_spark_defaults();
  const dae_mechanical *m = p->problem.mechanical;
  const int end[KINDS] = {m->nq, 2 * m->nq, 2 * m->nq + m->ng, 2 * m->nq + m->ng + m->nk};
  double y[MOST];
  opts.stages = s;
  opts.step = p->to / n;
  opts.project = false; /* the method's own */
  run(method, p, &opts, y);
  for (int kind = 0, i = 0; kind < KINDS; kind++) {
    error[kind] = 0;
    for (; i < end[kind]; i++)
      error[kind] = fmax(error[kind], fabs(y[i] - p->reference[i]));
  }
}

/* slope of log error over log h by least squares */
static double slope(int count, const double *h, const double *error)
{
  double x = 0, y = 0, xy = 0, xx = 0;
  for (int i = 0; i < count; i++) {
    x += log(h[i]) / count;
    y += log(error[i]) / count;
  }
  for (int i = 0; i < count; i++) {
    xy += (log(h[i]) - x) * (log(error[i]) - y);
    xx += (log(h[i]) - x) * (log(h[i]) - x);
  }
  return xy / xx;
}

/* step numbers tried, in eighths of the table's */
static const int eighths[] = {8, 7, 6, 5, 4, 3, 2};
#define SIZES ((int)(sizeof eighths / sizeof *eighths))

typedef struct measured {
  const char *method, *problem;
  int s, order;
  const row *tabulated;
  double error[SIZES][KINDS];
} measured;

static void check_order(const measured *m, int kind)
{
  double h[FIT], error[FIT], band = m->s <= 3 ? 0.15 : 0.3;
  int count = 0;
  for (int i = 0; i < SIZES && count < FIT; i++)
    if (m->error[i][kind] > ROUND_OFF) {
      h[count] = 1.0 / eighths[i];
      error[count++] = m->error[i][kind];
    }
  assert_true(count >= 2);
  double found = slope(count, h, error);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-11s %-16s s = %d %-11s order %.2f, error %.2e (%.2f of the table's)\n",
                  m->method, m->problem, m->s, kind_names[kind], found, m->error[0][kind],
                  m->error[0][kind] / m->tabulated->error[kind]);
  if (!(fabs(found - m->order) <= band))
    fail_msg("%s, %s, s = %d: order %.2f of %s", m->method, m->problem, m->s, found,
             kind_names[kind]);
}

static void check_error(const measured *m, int kind)
{
  double error = m->error[0][kind], tabulated = m->tabulated->error[kind];
  double bound = tabulated == EXACT ? 1e-13 : 1.2 * tabulated + 1e-13;
  if (!(error <= bound))
    fail_msg("%s, %s, s = %d, %d steps: error %.2e of %s", m->method, m->problem, m->s,
             m->tabulated->n, error, kind_names[kind]);
}

static void check(const char *method, const test_problem *p, int s, int order, const row *r)
{
  measured m = {.method = method, .problem = p->name, .s = s, .order = order, .tabulated = r};
  for (int i = 0; i < SIZES; i++)
    errors_of(method, p, s, r->n * eighths[i] / 8, m.error[i]);
  for (int kind = 0; kind < KINDS; kind++) {
    if (r->error[kind] != NONE)
      check_error(&m, kind);
    if (r->error[kind] > 0)
      check_order(&m, kind);
  }
}

/* ---- fixed steps ---- */

static void check_gauss(test_problem (*make)(void))
{
  for (int i = 0; i < CASES; i++) {
    if (cases[i].make != make)
      continue;
    test_problem p = make();
    for (int s = 1; s <= 4; s++)
      check("spark-gauss", &p, s, 2 * s, &cases[i].gauss[s - 1]);
  }
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
        double y[MOST];
        opts.rtol = opts.atol = pow(10, -digits);
        opts.stages = s;
        run("spark-gauss", &p, &opts, y);
        double error = support_error(&p, y);
        if (getenv("DAEDAL_VERBOSE"))
          print_message("%-16s s = %d, tolerance %.0e: error %.2e\n", p.name, s, opts.rtol, error);
        if (!(error <= 100 * opts.rtol))
          fail_msg("%s, s = %d, tolerance %.0e: error %.2e", p.name, s, opts.rtol, error);
      }
  }
}

/* ---- between the steps ---- */

static dae_integrator *create(const test_problem *p, int s, double step, double tolerance)
{
  dae_spark_options opts = dae_spark_defaults();
  dae_integrator *it = NULL;
  opts.stages = s;
  opts.step = step;
  opts.rtol = opts.atol = tolerance;
  assert_int_equal(dae_spark_gauss_create(&p->problem, &p->start, &opts, NULL, &it, NULL), DAE_OK);
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
static double error_between(const test_problem *p, int s, int n)
{
  double y[32], exact[32], h = (p->to - p->start.t) / n, t = p->to - 0.6 * h, worst = 0;
  dae_integrator *it = create(p, s, h, 1e-6), *reference = create(p, 6, 0, 1e-13);
  assert_true(p->size <= 32);
  run_to(it, p->to);
  assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
  run_to(reference, t);
  support_state(reference, exact, NULL);
  for (int i = 0; i < 2 * p->problem.mechanical->nq; i++)
    worst = fmax(worst, fabs(y[i] - exact[i]));
  dae_integrator_free(it);
  dae_integrator_free(reference);
  return worst;
}

static void test_dense_output_is_of_order_s_plus_2(void **state)
{
  (void)state;
  static test_problem (*const problems[])(void) = {test_pendulum_light, test_knife_edge,
                                                   test_sleigh, test_cylinder_skate};
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
    for (int s = 1; s <= 4; s++) {
      test_problem p = problems[i]();
      int n = s < 3 ? 80 : 20;
      double coarse = error_between(&p, s, n), fine = error_between(&p, s, 2 * n);
      double order = log2(coarse / fine);
      if (getenv("DAEDAL_VERBOSE"))
        print_message("%-16s s = %d: between steps %.1e, order %.2f\n", p.name, s, fine, order);
      assert_true(order > fmin(2 * s, s + 2) - 0.4 || fine < 1e-12);
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
      cmocka_unit_test(test_radau_order_is_2s_less_1_or_2s_where_forces_are_constant),
      cmocka_unit_test(test_errors_of_variable_steps_are_within_100_tolerances),
      cmocka_unit_test(test_dense_output_is_of_order_s_plus_2),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
