/* Rows between the steps of SPARK are as good as the steps themselves, do not change them, and
 * survive save and load. */
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 32  /* entries of a state vector */
#define ROWS 100 /* of a run */

typedef struct way {
  const char *method;
  dae_spark_estimate estimate;
} way;

static const way ways[] = {{"spark-gauss", DAE_SPARK_ESTIMATE_EMBEDDED},
                           {"spark-radau", DAE_SPARK_ESTIMATE_EMBEDDED},
                           {"spark-lobatto", DAE_SPARK_ESTIMATE_EMBEDDED},
                           {"spark-gauss", DAE_SPARK_ESTIMATE_DOUBLING}};

#define WAYS ((int)(sizeof ways / sizeof *ways))

static test_problem mixed(void)
{
  return test_mixed(true);
}

static test_problem (*const problems[])(void) = {test_pendulum, test_car_axis, test_knife_edge,
                                                 test_cylinder_skate, mixed};

#define PROBLEMS ((int)(sizeof problems / sizeof *problems))

static dae_integrator *create(const test_problem *p, const way *w, double tolerance, int stages)
{
  const dae_method *method = dae_method_find(w->method, NULL);
  dae_spark_options opts = dae_spark_defaults();
  dae_integrator *it = NULL;
  opts.rtol = opts.atol = tolerance;
  opts.estimate = w->estimate;
  opts.stages = stages;
  assert_non_null(method);
  assert_true(p->size <= MOST);
  assert_int_equal(method->create(&p->problem, &p->start, &opts, NULL, &it, NULL), DAE_OK);
  return it;
}

/* ---- errors ---- */

/* the motion at times that do not become smaller */
typedef struct truth {
  dae_integrator *it;
  int entries; /* coordinates and rates */
} truth;

static truth truth_of(const test_problem *p)
{
  const dae_mechanical *m = p->problem.mechanical;
  int multipliers = m ? m->ng + m->nk : p->problem.momentum->ng + p->problem.momentum->nk;
  return (truth){create(p, &ways[0], 1e-12, 6), p->size - multipliers};
}

/* largest error relative to 1 + |value| */
static double error_at(truth *of, double t, const double *y)
{
  double exact[MOST], worst = 0;
  dae_status status = dae_integrator_view(of->it).t < t ? DAE_OK : DAE_END;
  while (status == DAE_OK)
    status = dae_integrator_step(of->it, t, NULL);
  assert_int_equal(status, DAE_END);
  support_state(of->it, exact, NULL);
  for (int i = 0; i < of->entries; i++)
    worst = fmax(worst, fabs(y[i] - exact[i]) / (1 + fabs(exact[i])));
  return worst;
}

typedef struct errors {
  double ends, rows;
} errors;

static errors run(const test_problem *p, const way *w, double tolerance, double to)
{
  dae_integrator *it = create(p, w, tolerance, 0);
  truth at_ends = truth_of(p), at_rows = truth_of(p);
  double y[MOST], from = p->start.t;
  errors e = {0, 0};
  dae_status status = DAE_OK;
  for (int k = 1; status == DAE_OK;) {
    status = dae_integrator_step(it, to, NULL);
    assert_true(status >= 0);
    double t = dae_integrator_view(it).t, row;
    for (; (row = from + (to - from) * k / ROWS) < t; k++) {
      assert_int_equal(dae_integrator_interpolate(it, row, y, NULL, NULL), DAE_OK);
      e.rows = fmax(e.rows, error_at(&at_rows, row, y));
    }
    support_state(it, y, NULL);
    e.ends = fmax(e.ends, error_at(&at_ends, t, y));
  }
  dae_integrator_free(it);
  dae_integrator_free(at_ends.it);
  dae_integrator_free(at_rows.it);
  return e;
}

/* within 5 tolerances, and twice the error at the ends of the steps and half a tolerance */
static void check_errors(const test_problem *p, const way *w, double tolerance)
{
  bool doubling = w->estimate == DAE_SPARK_ESTIMATE_DOUBLING;
  double to = fmin(p->to, p->start.t + 3);
  errors e = run(p, w, tolerance, to);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-14s %s%s, %.0e: ends %.3f, rows %.3f tolerances\n", p->name, w->method,
                  doubling ? " by halves" : "", tolerance, e.ends / tolerance, e.rows / tolerance);
  if (!(e.rows <= 2 * e.ends + 0.5 * tolerance) || (!doubling && e.rows > 5 * tolerance))
    fail_msg("%s, %s, %.0e: ends %.3f, rows %.3f tolerances", p->name, w->method, tolerance,
             e.ends / tolerance, e.rows / tolerance);
}

static void test_rows_are_as_good_as_the_steps(void **state)
{
  (void)state;
  for (int i = 0; i < PROBLEMS; i++)
    for (int k = 0; k < WAYS; k++)
      for (int digits = 4; digits <= 8; digits += 2) {
        test_problem p = problems[i]();
        check_errors(&p, &ways[k], pow(10, -digits));
      }
}

/* ---- what they must not change ---- */

static void test_rows_do_not_change_the_steps(void **state)
{
  (void)state;
  for (int i = 0; i < PROBLEMS; i++)
    for (int k = 0; k < WAYS; k++) {
      test_problem p = problems[i]();
      dae_integrator *seen = create(&p, &ways[k], 1e-6, 0), *unseen = create(&p, &ways[k], 1e-6, 0);
      double a[MOST], b[MOST];
      for (int j = 0; j < 30 && dae_integrator_view(seen).t < p.to; j++) {
        assert_true(dae_integrator_step(seen, p.to, NULL) >= 0);
        assert_true(dae_integrator_step(unseen, p.to, NULL) >= 0);
        dae_view view = dae_integrator_view(seen);
        for (int x = 1; x < 4; x++)
          dae_integrator_interpolate(seen, view.t_previous + x * (view.t - view.t_previous) / 4, a,
                                     NULL, NULL);
        support_state(seen, a, NULL);
        support_state(unseen, b, NULL);
        assert_memory_equal(a, b, (size_t)p.size * sizeof *a);
      }
      dae_integrator_free(seen);
      dae_integrator_free(unseen);
    }
}

/* a row within the last step, which has been looked at before the save, or has not */
static void check_saved(const test_problem *p, const way *w, bool looked)
{
  dae_integrator *it = create(p, w, 1e-6, 0), *fresh = create(p, w, 1e-6, 0);
  double a[MOST], b[MOST];
  for (int j = 0; j < 4; j++)
    assert_true(dae_integrator_step(it, p->to, NULL) >= 0);
  dae_view view = dae_integrator_view(it);
  double h = view.t - view.t_previous;
  for (int k = 1; k < 4 && looked; k++)
    dae_integrator_interpolate(it, view.t_previous + k * h / 4, a, NULL, NULL);
  size_t size = dae_integrator_save_size(it);
  void *saved = malloc(size);
  assert_non_null(saved);
  assert_int_equal(dae_integrator_save(it, saved, size, NULL), DAE_OK);
  assert_int_equal(dae_integrator_load(fresh, saved, size, NULL), DAE_OK);
  free(saved);
  for (int k = 1; k < 10; k++) {
    double t = view.t_previous + k * h / 10;
    assert_int_equal(dae_integrator_interpolate(it, t, a, NULL, NULL), DAE_OK);
    assert_int_equal(dae_integrator_interpolate(fresh, t, b, NULL, NULL), DAE_OK);
    assert_memory_equal(a, b, (size_t)p->size * sizeof *a);
  }
  dae_integrator_free(it);
  dae_integrator_free(fresh);
}

static void test_rows_survive_save_and_load(void **state)
{
  (void)state;
  for (int i = 0; i < PROBLEMS; i++)
    for (int k = 0; k < WAYS; k++) {
      test_problem p = problems[i]();
      check_saved(&p, &ways[k], false);
      check_saved(&p, &ways[k], true);
    }
}

/* after a restart at the same time from another state a step may have the same ends in time */
static void test_rows_forget_what_was_before_a_restart(void **state)
{
  (void)state;
  test_problem p = test_pendulum();
  dae_spark_options opts = dae_spark_defaults();
  dae_integrator *it = NULL, *other = NULL;
  double a[MOST], b[MOST], turned[MOST];
  opts.step = 0.1;
  assert_int_equal(dae_spark_gauss_create(&p.problem, &p.start, &opts, NULL, &it, NULL), DAE_OK);
  assert_int_equal(dae_integrator_step(it, p.to, NULL), DAE_OK);
  assert_int_equal(dae_integrator_interpolate(it, 0.04, a, NULL, NULL), DAE_OK);
  memcpy(turned, p.start.y, (size_t)p.size * sizeof *turned);
  for (int i = 0; i < 2; i++)
    turned[i] = -turned[i];
  dae_start start = {.t = p.start.t, .y = turned};
  assert_int_equal(dae_spark_gauss_create(&p.problem, &start, &opts, NULL, &other, NULL), DAE_OK);
  assert_int_equal(dae_integrator_restart(it, start.t, turned, NULL), DAE_OK);
  assert_int_equal(dae_integrator_step(it, p.to, NULL), DAE_OK);
  assert_int_equal(dae_integrator_step(other, p.to, NULL), DAE_OK);
  assert_int_equal(dae_integrator_interpolate(it, 0.04, a, NULL, NULL), DAE_OK);
  assert_int_equal(dae_integrator_interpolate(other, 0.04, b, NULL, NULL), DAE_OK);
  for (int i = 0; i < p.size; i++)
    assert_true(fabs(a[i] - b[i]) <= 1e-12 * (1 + fabs(b[i])));
  dae_integrator_free(it);
  dae_integrator_free(other);
}

/* where sweeps over the step would diverge: rows stay between the states at its ends */
static void test_rows_of_stiff_steps_do_not_run_away(void **state)
{
  (void)state;
  test_problem p = test_spring();
  dae_spark_options opts = dae_spark_defaults();
  dae_integrator *it = NULL;
  double y[MOST], before[MOST], after[MOST];
  opts.step = 0.1; /* h sqrt(k/m) = 10 */
  opts.stages = 3;
  assert_int_equal(dae_spark_radau_create(&p.problem, &p.start, &opts, NULL, &it, NULL), DAE_OK);
  support_state(it, before, NULL);
  for (int j = 0; j < 10; j++) {
    assert_true(dae_integrator_step(it, p.start.t + 10, NULL) >= 0);
    support_state(it, after, NULL);
    dae_view view = dae_integrator_view(it);
    assert_int_equal(dae_integrator_interpolate(it, (view.t_previous + view.t) / 2, y, NULL, NULL),
                     DAE_OK);
    for (int i = 0; i < p.problem.mechanical->nq; i++)
      assert_true(fabs(y[i]) <= 1 + 2 * fmax(fabs(before[i]), fabs(after[i])));
    memcpy(before, after, sizeof before);
  }
  dae_integrator_free(it);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_are_as_good_as_the_steps),
      cmocka_unit_test(test_rows_do_not_change_the_steps),
      cmocka_unit_test(test_rows_survive_save_and_load),
      cmocka_unit_test(test_rows_forget_what_was_before_a_restart),
      cmocka_unit_test(test_rows_of_stiff_steps_do_not_run_away),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
