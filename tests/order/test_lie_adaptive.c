/* Variable steps on the examples of [L13]: how many are taken, and the errors that come of them,
 * compared with tabulated ones; errors in proportion to the tolerance; constraints at round-off
 * whatever the tolerance. */
#include "lie_fixture.h"
#include "support.h"

#include <stdlib.h>

typedef struct table_row {
  l13_example which;
  double to, scale;
  long steps[3]; /* of order 2, at local tolerances 1e-4, 1e-6, 1e-8 */
  double error[3];
} table_row;

static const table_row table[] = {
    {L13_PLASTIC, 10, 200, {47, 222, 1038}, {6.9e-4, 3.2e-5, 1.5e-6}},
    {L13_HESSENBERG, 1, 1, {7, 22, 93}, {1.9e-4, 1.1e-5, 5.5e-7}},
    {L13_TRACK, 3, 1, {60, 275, 1284}, {3.9e-2, 1.7e-3, 7.5e-5}},
    {L13_TRACK_GGL, 3, 1, {60, 267, 1241}, {3.2e-2, 1.6e-3, 7.2e-5}},
    {L13_PENDULUM, 10, 1, {62, 265, 1218}, {5.8e-3, 1.9e-4, 6.4e-6}},
};

typedef struct account {
  dae_stats stats;
  double error, F; /* largest ones at the ends of steps, in units of the scale */
} account;

static account run(const table_row *r, const dae_lie_options *opts)
{
  test_problem p = l13_problem(r->which, true);
  int nx = p.problem.semi_explicit->nx;
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  lie_truth truth = {.which = r->which};
  account a = {.error = 0};
  dae_status status = dae_lie_create(&p.problem, &p.start, opts, NULL, &it, &err);
  while (status == DAE_OK) {
    double z[LIE_MOST], exact[LIE_MOST];
    status = dae_integrator_step(it, r->to, &err);
    if (status < 0)
      break;
    double t = dae_integrator_view(it).t;
    support_state(it, z, NULL);
    lie_truth_at(&truth, t, exact);
    for (int i = 0; i < nx; i++)
      a.error = fmax(a.error, fabs(z[i] - exact[i]) / r->scale);
    a.F = fmax(a.F, lie_F(&p, t, z) / (r->scale * r->scale));
  }
  if (status != DAE_END)
    fail_msg("%s: %s", p.name, err.text);
  a.stats = dae_integrator_stats(it);
  dae_integrator_free(it);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-10s order %d, rtol %.0e: %ld steps (%ld rejected), error %.2e, |F| %.1e\n",
                  p.name, opts->order, opts->rtol, a.stats.steps,
                  a.stats.rejected_by_error + a.stats.rejected_by_convergence, a.error, a.F);
  return a;
}

static dae_lie_options at_tolerance(int order, double tolerance, double scale)
{
  dae_lie_options opts = dae_lie_defaults();
  opts.order = order;
  opts.rtol = tolerance;
  opts.atol = tolerance * scale;
  return opts;
}

/* order 2 with the local tolerance 0.1 rtol^(3/2) */
static dae_lie_options at_local_tolerance(double tolerance, double scale)
{
  return at_tolerance(2, pow(10 * tolerance, 2.0 / 3), scale);
}

static void test_steps_and_errors_are_those_of_the_table(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    for (int k = 0; k < 3; k++) {
      const table_row *r = &table[i];
      dae_lie_options opts = at_local_tolerance(pow(100, -2 - k), r->scale);
      account a = run(r, &opts);
      assert_true((double)a.stats.steps <= 1.2 * (double)r->steps[k]);
      assert_true(a.error <= 1.3 * r->error[k]);
      assert_true(a.F < 2e-15);
    }
}

/* the number of steps grows as tolerance^(-1/p) */
static void test_errors_follow_the_tolerance(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    for (int order = 2; order <= 4; order += 2) {
      const table_row *r = &table[i];
      double from = order == 2 ? 1e-4 : 1e-5, to = order == 2 ? 1e-6 : 1e-10;
      account a[2];
      for (int k = 0; k < 2; k++) {
        dae_lie_options opts = at_tolerance(order, k ? to : from, r->scale);
        a[k] = run(r, &opts);
        assert_true(a[k].error <= 10 * opts.rtol);
        assert_true(a[k].F < 2e-15);
      }
      double growth = pow(from / to, 1.0 / order);
      assert_true((double)a[1].stats.steps < 1.4 * growth * (double)a[0].stats.steps);
    }
}

static void test_the_nested_iteration_takes_the_same_steps(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const table_row *r = &table[i];
    dae_lie_options opts = at_local_tolerance(1e-6, r->scale);
    account newton = run(r, &opts);
    opts.lie_iteration = DAE_LIE_NESTED;
    account nested = run(r, &opts);
    assert_true(labs(newton.stats.steps - nested.stats.steps) <= 2);
    assert_true(fabs(newton.error - nested.error) <= 0.02 * newton.error);
    assert_true(nested.stats.sweeps > nested.stats.steps && newton.stats.sweeps == 0);
  }
}

/* looser ends of the nested iteration show as drift, of their own size */
static void test_tolerances_of_the_nested_iteration_bound_what_is_left_of_F(void **state)
{
  (void)state;
  const table_row *r = &table[4];
  double before = 0;
  for (int k = 0; k < 3; k++) {
    dae_lie_options opts = at_local_tolerance(1e-6, r->scale);
    opts.lie_iteration = DAE_LIE_NESTED;
    opts.inner_tol = opts.outer_tol = pow(10, -7 - 2 * k);
    account a = run(r, &opts);
    assert_true(a.F <= opts.outer_tol);
    assert_true(k == 0 || (double)a.stats.sweeps > before);
    assert_true(a.error <= 3 * r->error[1]);
    before = (double)a.stats.sweeps;
  }
}

static void test_steps_are_not_longer_than_asked_for(void **state)
{
  (void)state;
  test_problem p = l13_problem(L13_ODE, true);
  dae_lie_options opts = at_tolerance(4, 1e-2, 1);
  dae_integrator *it = NULL;
  opts.first_step = 1e-3;
  opts.max_step = 0.02;
  assert_int_equal(dae_lie_create(&p.problem, &p.start, &opts, NULL, &it, NULL), DAE_OK);
  assert_int_equal(dae_integrator_step(it, 1, NULL), DAE_OK);
  assert_true(fabs(dae_integrator_view(it).t - 1e-3) < 1e-15);
  dae_status status = DAE_OK;
  while (status == DAE_OK) {
    status = dae_integrator_step(it, 1, NULL);
    dae_view view = dae_integrator_view(it);
    assert_true(view.t - view.t_previous <= 0.02 * (1 + 1e-9));
  }
  assert_int_equal(status, DAE_END);
  dae_integrator_free(it);
}

/* x' = f(t) with a jump of f at *user */
static int jump_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *jump = user;
  f[0] = at->t < *jump ? 1 : -2;
  return 0;
}

static void test_a_jump_at_any_place_of_a_step_is_seen(void **state)
{
  (void)state;
  for (int order = 2; order <= 4; order += 2)
    for (int i = 1; i < 100; i++) {
      double jump = 0.5 + 0.005 * i, z[1], start[] = {0};
      dae_semi_explicit jumping = {.name = "jump", .user = &jump, .nx = 1, .f = jump_f};
      dae_problem problem = {.semi_explicit = &jumping};
      dae_start from = {.y = start};
      dae_lie_options opts = at_tolerance(order, 1e-6, 1);
      dae_integrator *it = NULL;
      dae_status status = DAE_OK;
      opts.first_step = opts.max_step = 0.5;
      assert_int_equal(dae_lie_create(&problem, &from, &opts, NULL, &it, NULL), DAE_OK);
      while (status == DAE_OK)
        status = dae_integrator_step(it, 2, NULL);
      assert_int_equal(status, DAE_END);
      support_state(it, z, NULL);
      assert_true(fabs(z[0] - (jump - 2 * (2 - jump))) <= 3e-6);
      dae_integrator_free(it);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_steps_and_errors_are_those_of_the_table),
      cmocka_unit_test(test_errors_follow_the_tolerance),
      cmocka_unit_test(test_a_jump_at_any_place_of_a_step_is_seen),
      cmocka_unit_test(test_the_nested_iteration_takes_the_same_steps),
      cmocka_unit_test(test_tolerances_of_the_nested_iteration_bound_what_is_left_of_F),
      cmocka_unit_test(test_steps_are_not_longer_than_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
