/* The fast engines at fixed step: their orders in positions, velocities and multipliers, largest
 * errors along the whole motion, at the ends of steps and between them. Errors are those against
 * gauss with 8 stages and many steps, whose end is checked against the references of the problems.
 */
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LOW 0.35        /* observed orders may be lower by this, */
#define LOW_BETWEEN 0.6 /* between the ends by this, */
#define HIGH 1          /* and higher: errors of large steps fall faster at first */
#define SIZES 3         /* step sizes: n, 2 n, 4 n steps */
#define CLASSES 3       /* q, v, multipliers */
#define MOST 16         /* entries of a state vector */
#define GRID 64         /* times of comparison, most */

/* a method, its order, and the steps of the coarsest run of each problem: errors of the finest are
 * above round-off. 0: it is all round-off */
typedef struct engine {
  const char *method;
  int order, stages, expected;
  int steps[4];
} engine;

static const engine engines[] = {
    {"explicit", 5, 0, 5, {40, 160, 24, 12}}, {"explicit", 8, 0, 8, {16, 100, 8, 6}},
    {"gauss", 0, 2, 4, {20, 160, 8, 10}},     {"gauss", 0, 3, 6, {16, 100, 6, 6}},
    {"gauss", 0, 4, 8, {16, 64, 4, 7}},       {"gauss", 0, 6, 12, {6, 32, 0, 0}},
};
#define ENGINES ((int)(sizeof engines / sizeof *engines))

static test_problem (*const problems[])(void) = {test_pendulum2, test_car_axis, test_knife_edge,
                                                 test_curvilinear};

/* ---- runs ---- */

/* states on a grid of n points */
typedef struct path {
  double at[GRID][MOST];
} path;

static dae_integrator *create(const engine *e, const test_problem *p, int n)
{
  dae_rk_options opts = dae_rk_adaptive_defaults();
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  opts.step = (p->to - p->start.t) / n;
  opts.order = e->order;
  opts.stages = e->stages;
  const dae_method *method = dae_method_find(e->method, &err);
  assert_non_null(method);
  if (method->create(&p->problem, &p->start, &opts, NULL, &it, &err))
    fail_msg("%s, %s: %s", p->name, e->method, err.text);
  return it;
}

static void go(dae_integrator *it, double to)
{
  dae_error err = dae_error_none();
  while (dae_integrator_view(it).t < to)
    if (dae_integrator_step(it, to, &err) < 0)
      fail_msg("%s: %s", dae_integrator_view(it).method, err.text);
}

/* steps: a multiple of the points of the grid */
static void follow(const engine *e, const test_problem *p, int grid, int steps, path *out)
{
  dae_integrator *it = create(e, p, steps);
  for (int k = 0; k < grid; k++) {
    go(it, p->start.t + (k + 1) * (p->to - p->start.t) / grid);
    support_state(it, out->at[k], NULL);
  }
  assert_int_equal(dae_integrator_stats(it).steps, steps);
  dae_integrator_free(it);
}

static double difference(int from, int to, const double *a, const double *b)
{
  double most = 0;
  for (int i = from; i < to; i++) {
    double error = fabs(a[i] - b[i]) / (1 + fabs(b[i]));
    if (!(error <= most)) /* negated: a NaN counts */
      most = error;
  }
  return most;
}

/* ---- orders ---- */

static void check(const char *what, const engine *e, const test_problem *p, double low,
                  const double *errors)
{
  double found = log2(errors[0] / errors[SIZES - 1]) / (SIZES - 1);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-12s %-8s %d: %-11s order %.2f (%.1e %.1e %.1e)\n", p->name, e->method,
                  e->expected, what, found, errors[0], errors[1], errors[2]);
  if (!(found >= e->expected - low && found <= e->expected + HIGH))
    fail_msg("%s, %s: order %.3f of %s", p->name, e->method, found, what);
}

/* the motion as good as doubles allow, on the grid of n steps */
static void reference(const test_problem *p, int n, path *out)
{
  static const engine best = {.method = "gauss", .stages = 8};
  follow(&best, p, n, 4 * n, out);
  assert_true(support_error(p, out->at[n - 1]) < 1e-12);
}

static void check_ends(const engine *e, const test_problem *p, int n)
{
  static const char *const names[] = {"positions", "velocities", "multipliers"};
  static path exact, found;
  int nq = p->problem.mechanical->nq, from[] = {0, nq, 2 * nq, p->size};
  double errors[CLASSES][SIZES] = {{0}};
  int grid = n > GRID ? n / 4 : n;
  reference(p, grid, &exact);
  for (int i = 0; i < SIZES; i++) {
    follow(e, p, grid, n << i, &found);
    for (int c = 0; c < CLASSES; c++)
      for (int k = 0; k < grid; k++)
        errors[c][i] =
            fmax(errors[c][i], difference(from[c], from[c + 1], found.at[k], exact.at[k]));
  }
  for (int c = 0; c < CLASSES; c++)
    check(names[c], e, p, LOW, errors[c]);
}

static void test_ends_have_the_order_of_the_method(void **state)
{
  (void)state;
  for (int i = 0; i < ENGINES; i++)
    for (int k = 0; k < 4; k++) {
      test_problem p = problems[k]();
      if (engines[i].steps[k] > 0)
        check_ends(&engines[i], &p, engines[i].steps[k]);
    }
}

/* ---- between the ends ---- */

/* free motion on a growing circle, known at all times: x = (1 - t^2)/r, y = 2t/r, r^2 = 1 + t^2 */
static void growing(double t, double *y)
{
  double r = sqrt(1 + t * t);
  y[0] = (1 - t * t) / r;
  y[1] = 2 * t / r;
  y[2] = -t * (3 + t * t) / (r * r * r);
  y[3] = 2 / (r * r * r);
  y[4] = 3 / (r * r * r * r);
}

/* largest errors: at the ends of steps, between them */
typedef struct errors {
  double ends, between;
} errors;

static double error_at(dae_integrator *it, double t)
{
  double y[MOST], exact[MOST];
  assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
  growing(t, exact);
  return difference(0, 5, y, exact);
}

static errors errors_of(dae_integrator *it, double to)
{
  errors e = {0, 0};
  dae_status status = DAE_OK;
  while (status == DAE_OK) {
    status = dae_integrator_step(it, to, NULL);
    dae_view view = dae_integrator_view(it);
    e.ends = fmax(e.ends, error_at(it, view.t));
    for (double x = 0.125; x < 1; x += 0.125)
      e.between = fmax(e.between, error_at(it, view.t_previous + x * (view.t - view.t_previous)));
  }
  assert_int_equal(status, DAE_END);
  dae_integrator_free(it);
  return e;
}

static void test_rows_between_the_ends_have_the_order_of_the_ends(void **state)
{
  (void)state;
  static const int steps[] = {64, 16, 16, 16, 12, 5};
  for (int i = 0; i < ENGINES; i++) {
    test_problem p = test_rheonomic_length();
    double between[SIZES];
    p.to = 4;
    for (int k = 0; k < SIZES; k++)
      between[k] = errors_of(create(&engines[i], &p, steps[i] << k), p.to).between;
    check("rows", &engines[i], &p, LOW_BETWEEN, between);
  }
}

static void test_rows_of_variable_steps_are_as_good_as_the_ends(void **state)
{
  (void)state;
  for (int i = 0; i < ENGINES; i++)
    for (double rtol = 1e-4; rtol > 1e-11; rtol /= 100) {
      const engine *e = &engines[i];
      test_problem p = test_rheonomic_length();
      dae_rk_options opts = dae_rk_adaptive_defaults();
      dae_integrator *it = NULL;
      opts.rtol = opts.atol = rtol;
      opts.order = e->order;
      opts.stages = e->stages;
      const dae_method *method = dae_method_find(e->method, NULL);
      assert_int_equal(method->create(&p.problem, &p.start, &opts, NULL, &it, NULL), DAE_OK);
      errors found = errors_of(it, 4);
      if (getenv("DAEDAL_VERBOSE"))
        print_message("%-8s %d, %.0e: ends %.1e, rows %.1e\n", e->method, e->expected, rtol,
                      found.ends, found.between);
      assert_true(found.between <= 2 * rtol);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ends_have_the_order_of_the_method),
      cmocka_unit_test(test_rows_between_the_ends_have_the_order_of_the_ends),
      cmocka_unit_test(test_rows_of_variable_steps_are_as_good_as_the_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
