/* The Lie-group method at fixed step on the examples of [L13]: errors of x, of y at the ends of
 * steps and of the step's own y, constraints, all against tabulated ones; and orders: 2 in x and y,
 * 4 by composition, 1 where theta is not 1/2, for every kappa alike. */
#include "lie_fixture.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define BAND 0.1
#define ROUND_OFF 1e-13 /* smaller errors say nothing */
#define SIZES 3         /* step sizes: n, 2 n, 4 n steps */

static bool verbose(void)
{
  return getenv("DAEDAL_VERBOSE") != NULL;
}

static dae_lie_options fixed_step(double h)
{
  dae_lie_options opts = dae_lie_defaults();
  opts.order = 2;
  opts.step = h;
  return opts;
}

/* ---- errors of the table ---- */

#define MOST_X 4

/* largest errors over all steps. y at grid points: not tabulated, of the second order */
typedef struct errors {
  double x[MOST_X], y_late, y_middle, y, F;
} errors;

typedef struct table_row {
  l13_example which;
  double h, kappa;
  errors tabulated; /* y_late: the step's y against y at its end */
} table_row;

static const table_row table[] = {
    {L13_PLASTIC, 1e-3, 0, {{3.90e-5, 2.18e-5}, 1.0e-6, 5.5e-10, 0, 2e-10}},
    {L13_HESSENBERG, 1e-3, 1, {{1.83e-8, 2.52e-8}, 4.8e-4, 1.7e-4, 0, 2e-13}},
    {L13_HESSENBERG, 1e-4, 1, {{1.83e-10, 2.52e-10}, 4.9e-5, 1.7e-5, 0, 2e-14}},
    {L13_TRACK, 1e-3, 0, {{4.84e-7, 1.41e-7, 2.15e-7, 5.07e-7}, 4.0e-3, 2.2e-6, 0, 1e-12}},
    {L13_TRACK, 1e-4, 0, {{4.84e-9, 1.41e-9, 2.15e-9, 5.07e-9}, 4.0e-4, 2.2e-8, 0, 1e-14}},
    {L13_PENDULUM, 1e-3, 0, {{8.7e-7, 6.1e-7, 1.1e-6, 1.2e-6}, 1.3e-3, 2.0e-6, 0, 2e-15}},
};

static void worse(double value, double truth, double *most)
{
  double error = fabs(value - truth);
  if (!(error <= *most)) /* negated: a NaN counts */
    *most = error;
}

static errors errors_by_steps(l13_example which, double h, double kappa)
{
  test_problem p = l13_problem(which, true);
  dae_lie_options opts = fixed_step(h);
  opts.kappa = kappa;
  lie_fixture o;
  lie_truth truth = {.which = which};
  errors e = {0};
  dae_error err = dae_error_none();
  lie_set_up(&p, &opts, &o);
  int n = (int)lround(p.to / h);
  for (int i = 1; i <= n; i++) {
    double middle[6], end[6];
    if (lie_step_to(&o, i * h, &err))
      fail_msg("%s: %s", p.name, err.text);
    lie_truth_at(&truth, (i - 0.5) * h, middle);
    lie_truth_at(&truth, i * h, end);
    for (int k = 0; k < o.nx; k++)
      worse(o.z[k], end[k], &e.x[k]);
    worse(o.y[0], end[o.nx], &e.y_late);
    worse(o.y[0], middle[o.nx], &e.y_middle);
    worse(o.z[o.nx], end[o.nx], &e.y);
    e.F = fmax(e.F, lie_F(&p, o.t, o.z));
  }
  lie_tear_down(&o);
  return e;
}

static void assert_tabulated(const char *name, const char *what, double found, double tabulated)
{
  if (!(fabs(found - tabulated) <= 0.2 * tabulated))
    fail_msg("%s: error %.3e of %s, tabulated %.3e", name, found, what, tabulated);
}

static void test_errors_are_those_of_the_table(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const table_row *r = &table[i];
    const errors *t = &r->tabulated;
    errors e = errors_by_steps(r->which, r->h, r->kappa);
    const char *name = l13_problem(r->which, true).name;
    if (verbose())
      print_message("%-10s h = %g: x %.2e %.2e %.2e %.2e, y late %.2e, middle %.2e, grid %.2e, "
                    "F %.1e\n",
                    name, r->h, e.x[0], e.x[1], e.x[2], e.x[3], e.y_late, e.y_middle, e.y, e.F);
    for (int k = 0; k < MOST_X; k++)
      assert_tabulated(name, "x", e.x[k], t->x[k]);
    assert_tabulated(name, "the step's y at its end", e.y_late, t->y_late);
    assert_tabulated(name, "the step's y in its middle", e.y_middle, t->y_middle);
    assert_true(e.F <= t->F);
    assert_true(e.y < e.y_late); /* what is shown is better than the step's own */
  }
}

/* ---- orders ---- */

typedef struct pair {
  double x, y;
} pair;

/* the largest errors at the ends of n steps */
static pair errors_of(l13_example which, const dae_lie_options *given, int n)
{
  test_problem p = l13_problem(which, true);
  int nx = p.problem.semi_explicit->nx;
  dae_lie_options opts = *given;
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  lie_truth truth = {.which = which};
  pair worst = {0, 0};
  opts.step = p.to / n;
  dae_status status = dae_lie_create(&p.problem, &p.start, &opts, NULL, &it, &err);
  while (status == DAE_OK) {
    double z[LIE_MOST], exact[LIE_MOST];
    status = dae_integrator_step(it, p.to, &err);
    if (status < 0)
      break;
    support_state(it, z, NULL);
    lie_truth_at(&truth, dae_integrator_view(it).t, exact);
    for (int i = 0; i < p.size; i++)
      worse(z[i], exact[i], i < nx ? &worst.x : &worst.y);
  }
  if (status != DAE_END)
    fail_msg("%s, %d steps: %s", p.name, n, err.text);
  assert_int_equal(dae_integrator_stats(it).steps, n);
  dae_integrator_free(it);
  return worst;
}

/* slope of log error over log h, fitted over h, h/2, h/4 */
static double slope(const double error[SIZES])
{
  return log2(error[0] / error[SIZES - 1]) / (SIZES - 1);
}

typedef struct found {
  pair order, finest;
} found;

static found orders_of(l13_example which, const dae_lie_options *opts, int n)
{
  double x[SIZES], y[SIZES];
  for (int i = 0; i < SIZES; i++) {
    pair e = errors_of(which, opts, n << i);
    x[i] = e.x;
    y[i] = e.y;
  }
  found f = {{slope(x), slope(y)}, {x[SIZES - 1], y[SIZES - 1]}};
  if (verbose())
    print_message("%-10s order %d, theta %.2f, kappa %g, n = %d ...: order %.3f of x (%.1e), "
                  "%.3f of y (%.1e)\n",
                  l13_problem(which, true).name, opts->order, opts->theta, opts->kappa, n,
                  f.order.x, f.finest.x, f.order.y, f.finest.y);
  return f;
}

static void check_order(l13_example which, const dae_lie_options *opts, int n, double expected,
                        bool y_too)
{
  found f = orders_of(which, opts, n);
  const char *name = l13_problem(which, true).name;
  if (!(fabs(f.order.x - expected) <= BAND))
    fail_msg("%s: order %.3f of x", name, f.order.x);
  if (y_too && f.finest.y > ROUND_OFF && !(fabs(f.order.y - expected) <= BAND))
    fail_msg("%s: order %.3f of y", name, f.order.y);
}

/* steps of the coarsest run, for the orders 2 and 4 */
static const int steps_of[L13_EXAMPLES][2] = {
    [L13_PLASTIC] = {200, 100}, [L13_HESSENBERG] = {40, 20}, [L13_TRACK] = {40, 20},
    [L13_TRACK_GGL] = {40, 20}, [L13_PENDULUM] = {400, 200}, [L13_ODE] = {40, 20}};

static bool has_y(l13_example which)
{
  return which != L13_ODE && which != L13_HESSENBERG; /* whose y is not determined at t = 0 */
}

static void test_order_is_2_and_by_composition_4(void **state)
{
  (void)state;
  for (l13_example which = 0; which < L13_EXAMPLES; which++) {
    dae_lie_options opts = dae_lie_defaults();
    opts.order = 2;
    check_order(which, &opts, steps_of[which][0], 2, has_y(which));
    opts.order = 4;
    check_order(which, &opts, steps_of[which][1], 4, has_y(which));
  }
}

/* close to the singular start y is worse, and the order tends to 2 from below */
static void test_order_of_y_tends_to_2_where_y_is_not_determined_at_the_start(void **state)
{
  (void)state;
  dae_lie_options opts = dae_lie_defaults();
  opts.order = 2;
  found f = orders_of(L13_HESSENBERG, &opts, 2000);
  assert_true(f.order.y > 1.9 && f.order.y < 2.1);
}

static void test_order_does_not_depend_on_kappa(void **state)
{
  (void)state;
  static const double kappas[] = {0, 1, (double)INFINITY};
  for (l13_example which = 0; which < L13_EXAMPLES; which++)
    for (int i = which == L13_HESSENBERG; i < 3; i++)
      for (int order = 2; order <= 4; order += 2) {
        dae_lie_options opts = dae_lie_defaults();
        opts.kappa = kappas[i];
        opts.order = order;
        check_order(which, &opts, steps_of[which][order == 4], order, has_y(which));
      }
}

/* x = 0 stays where it is: x is augmented for that reason */
static void test_without_kappa_x_cannot_start_from_0(void **state)
{
  (void)state;
  test_problem p = l13_problem(L13_HESSENBERG, true);
  dae_lie_options opts = fixed_step(1e-3);
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  opts.kappa = 0;
  dae_status status = dae_lie_create(&p.problem, &p.start, &opts, NULL, &it, &err);
  if (!status)
    status = dae_integrator_step(it, 1, &err);
  if (verbose())
    print_message("%s\n", err.text);
  assert_true(status < 0 && err.text[0] && err.equation[0]);
  dae_integrator_free(it);
}

/* ---- theta ---- */

static void test_order_is_1_where_theta_is_not_one_half(void **state)
{
  (void)state;
  static const double thetas[] = {0, 0.25, 0.75, 1};
  static const l13_example all[] = {L13_PLASTIC, L13_TRACK, L13_TRACK_GGL, L13_ODE};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    for (int k = 0; k < 4; k++) {
      dae_lie_options opts = dae_lie_defaults();
      opts.order = 2;
      opts.theta = thetas[k];
      check_order(all[i], &opts, 8 * steps_of[all[i]][0], 1, false);
    }
}

/* ---- the integrator ---- */

/* its fixed steps are the steps above */
static void test_fixed_steps_are_single_steps_one_after_the_other(void **state)
{
  (void)state;
  for (l13_example which = 0; which < L13_EXAMPLES; which++) {
    test_problem p = l13_problem(which, true);
    dae_lie_options opts = fixed_step(p.to / 100);
    dae_integrator *it = NULL;
    lie_fixture o;
    double z[LIE_MOST];
    lie_set_up(&p, &opts, &o);
    assert_int_equal(dae_lie_create(&p.problem, &p.start, &opts, NULL, &it, NULL), DAE_OK);
    for (int i = 1; i <= 100; i++) {
      assert_true(dae_integrator_step(it, p.to, NULL) >= 0);
      assert_int_equal(lie_step_to(&o, dae_integrator_view(it).t, NULL), DAE_OK);
      support_state(it, z, NULL);
      for (int k = 0; k < p.size; k++)
        assert_true(fabs(z[k] - o.z[k]) <= 1e-10 * (1 + fabs(z[k])));
    }
    dae_integrator_free(it);
    lie_tear_down(&o);
  }
}

static void run(const test_problem *p, const dae_lie_options *opts, double *z)
{
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  dae_status status = dae_lie_create(&p->problem, &p->start, opts, NULL, &it, &err);
  while (status == DAE_OK)
    status = dae_integrator_step(it, p->to, &err);
  if (status != DAE_END)
    fail_msg("%s: %s", p->name, err.text);
  support_state(it, z, NULL);
  dae_integrator_free(it);
}

/* differenced derivatives change nothing but round-off */
static void test_differenced_derivatives_give_the_same_motion(void **state)
{
  (void)state;
  for (l13_example which = 0; which < L13_EXAMPLES; which++) {
    double z[2][LIE_MOST];
    test_problem p;
    for (int given = 0; given < 2; given++) {
      p = l13_problem(which, given);
      dae_lie_options opts = fixed_step(p.to / 200);
      run(&p, &opts, z[given]);
    }
    for (int i = 0; i < p.size; i++)
      assert_true(fabs(z[0][i] - z[1][i]) <= 1e-8 * (1 + fabs(z[0][i])));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_errors_are_those_of_the_table),
      cmocka_unit_test(test_order_is_2_and_by_composition_4),
      cmocka_unit_test(test_order_of_y_tends_to_2_where_y_is_not_determined_at_the_start),
      cmocka_unit_test(test_order_does_not_depend_on_kappa),
      cmocka_unit_test(test_without_kappa_x_cannot_start_from_0),
      cmocka_unit_test(test_order_is_1_where_theta_is_not_one_half),
      cmocka_unit_test(test_fixed_steps_are_single_steps_one_after_the_other),
      cmocka_unit_test(test_differenced_derivatives_give_the_same_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
