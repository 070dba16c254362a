/* The classical methods at fixed step: orders 1, 2, 4, 2 and 2s - 1, observed in every class of
 * variables, at the ends of steps and between them; stages see the inputs at their own times. */
#include "problems/rk_made.h"
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BAND 0.15
#define BETWEEN 0.4 /* the cubic at coarse steps */
#define SIZES 3     /* step sizes: n, 2 n, 4 n steps */
#define CLASSES 4   /* of variables, most */
#define MOST 16     /* entries of a state vector */

/* a method and its observed order */
typedef struct sample {
  const char *method;
  int stages, order;
} sample;

static const sample all[] = {{"euler", 0, 1},     {"heun", 0, 2},      {"rk4", 0, 4},
                             {"trapezoid", 0, 2}, {"radau-iia", 1, 1}, {"radau-iia", 2, 3},
                             {"radau-iia", 3, 5}};
#define EXPLICIT 3 /* the first so many */
#define RADAU 4    /* from here on */
#define ALL ((int)(sizeof all / sizeof *all))

typedef struct errors {
  double of[CLASSES], between; /* largest at the ends of steps, or at the end of all where no more
                                  is known; largest between the ends */
} errors;

/* classes of variables: where each begins, and the end */
typedef struct classes {
  int count, from[CLASSES + 1];
} classes;

static dae_integrator *create(const sample *s, const test_problem *p, int n)
{
  dae_rk_options opts = dae_rk_defaults();
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  opts.step = (p->to - p->start.t) / n;
  opts.stages = s->stages ? s->stages : 2;
  const dae_method *method = dae_method_find(s->method, &err);
  assert_non_null(method);
  if (method->create(&p->problem, &p->start, &opts, NULL, &it, &err))
    fail_msg("%s, %s: %s", p->name, s->method, err.text);
  return it;
}

static double difference(int from, int to, const double *y, const double *exact)
{
  double most = 0;
  for (int i = from; i < to; i++) {
    double error = fabs(y[i] - exact[i]) / (1 + fabs(exact[i]));
    if (!(error <= most)) /* negated: a NaN counts */
      most = error;
  }
  return most;
}

/* x in the middle of the step and at a quarter, where the solution is known at all times */
static double error_between(dae_integrator *it, const test_problem *p)
{
  dae_view view = dae_integrator_view(it);
  double y[MOST], exact[MOST], most = 0;
  for (double part = 0.25; part < 1; part += 0.25) {
    double t = view.t_previous + part * (view.t - view.t_previous);
    assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
    rk_made_exact(p, t, exact);
    most = fmax(most, difference(0, p->size, y, exact));
  }
  return most;
}

/* the errors where it stands */
static void worsen(dae_integrator *it, const test_problem *p, const classes *c, errors *e)
{
  double y[MOST], exact[MOST];
  support_state(it, y, NULL);
  if (p->reference)
    memcpy(exact, p->reference, (size_t)p->size * sizeof *exact);
  else
    rk_made_exact(p, dae_integrator_view(it).t, exact);
  for (int k = 0; k < c->count; k++)
    e->of[k] = fmax(e->of[k], difference(c->from[k], c->from[k + 1], y, exact));
}

static errors errors_of(const sample *s, const test_problem *p, const classes *c, int n)
{
  dae_integrator *it = create(s, p, n);
  dae_error err = dae_error_none();
  dae_status status = DAE_OK;
  errors e = {{0}, 0};
  while (status == DAE_OK) {
    status = dae_integrator_step(it, p->to, &err);
    if (status >= 0 && !p->reference)
      e.between = fmax(e.between, error_between(it, p));
    if (status == DAE_END || (status == DAE_OK && !p->reference))
      worsen(it, p, c, &e);
  }
  if (status != DAE_END)
    fail_msg("%s, %s, %d steps: %s", p->name, s->method, n, err.text);
  assert_int_equal(dae_integrator_stats(it).steps, n);
  dae_integrator_free(it);
  return e;
}

static double slope(double coarse, double fine)
{
  return log2(coarse / fine) / (SIZES - 1);
}

/* every class of variables is of the order of the method; between the ends at most of order 4 */
static void check_order(const sample *s, const test_problem *p, const classes *c, int n)
{
  errors first = errors_of(s, p, c, n), last = errors_of(s, p, c, n << (SIZES - 1));
  for (int k = 0; k < c->count; k++) {
    double found = slope(first.of[k], last.of[k]);
    if (getenv("DAEDAL_VERBOSE"))
      print_message("%-18s %-10s %d: class %d order %.3f (%.1e)\n", p->name, s->method, s->stages,
                    k, found, last.of[k]);
    if (!(fabs(found - s->order) <= BAND))
      fail_msg("%s, %s: order %.3f of class %d", p->name, s->method, found, k);
  }
  if (p->reference)
    return;
  double found = slope(first.between, last.between);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-18s %-10s %d: between %.3f (%.1e)\n", p->name, s->method, s->stages, found,
                  last.between);
  if (!(found >= fmin(s->order, 4) - BETWEEN))
    fail_msg("%s, %s: order %.3f between the ends of steps", p->name, s->method, found);
}

/* ---- the problems ---- */

/* of the coarsest run: errors of the finest are well above round-off */
static int steps_for(const sample *s)
{
  static const int steps[] = {[1] = 640, [2] = 80, [3] = 40, [4] = 100, [5] = 14};
  return steps[s->order];
}

static void test_index_1_with_inputs_has_the_order_of_the_method_in_x_and_y(void **state)
{
  (void)state;
  test_problem p = rk_made_index1();
  for (int i = 0; i < ALL; i++)
    check_order(&all[i], &p, &(classes){2, {0, 1, 2}}, steps_for(&all[i]));
}

static void test_quasilinear_with_inputs_has_the_order_of_the_method_in_x_and_y(void **state)
{
  (void)state;
  test_problem p = rk_made_quasilinear();
  for (int i = 0; i < ALL; i++)
    check_order(&all[i], &p, &(classes){2, {0, 2, 3}}, steps_for(&all[i]));
}

static void test_radau_iia_has_its_order_where_the_mass_is_singular(void **state)
{
  (void)state;
  test_problem p = rk_made_singular();
  for (int i = RADAU; i < ALL; i++)
    check_order(&all[i], &p, &(classes){3, {0, 2, 3, 4}}, steps_for(&all[i]));
}

static void test_unconstrained_mechanics_with_inputs_has_the_order_of_the_method(void **state)
{
  (void)state;
  test_problem p = rk_made_mechanical();
  for (int i = 0; i < ALL; i++)
    check_order(&all[i], &p, &(classes){4, {0, 2, 4, 5, 6}}, steps_for(&all[i]));
}

static void test_constrained_mechanics_has_the_order_of_explicit_methods(void **state)
{
  (void)state;
  test_problem pendulum = test_pendulum2(), skate = test_cylinder_skate();
  const dae_mechanical *m = skate.problem.mechanical;
  int v = m->nq, l = 2 * v;
  for (int i = 0; i < EXPLICIT; i++) {
    check_order(&all[i], &pendulum, &(classes){3, {0, 2, 4, 5}}, 4 * steps_for(&all[i]));
    check_order(&all[i], &skate, &(classes){3, {0, v, l, skate.size}}, steps_for(&all[i]));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_index_1_with_inputs_has_the_order_of_the_method_in_x_and_y),
      cmocka_unit_test(test_quasilinear_with_inputs_has_the_order_of_the_method_in_x_and_y),
      cmocka_unit_test(test_radau_iia_has_its_order_where_the_mass_is_singular),
      cmocka_unit_test(test_unconstrained_mechanics_with_inputs_has_the_order_of_the_method),
      cmocka_unit_test(test_constrained_mechanics_has_the_order_of_explicit_methods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
