/* The worked example of docs/adding_a_method.md, tested as every method is: order, laws, the verbs
 * of its handle, agreement with another method, what it refuses, failing allocations. */
#include "counting_env.h"
#include "laws/same_bits.h"
#include "text_problem.h"

#include <daedal/stepper.h>
#include <math.h>
#include <string.h>

extern const dae_method rattle_method; /* examples/rattle.c */

#define LARGEST 16

static const char pendulum[] = "model pendulum\n"
                               "param c = 0, w = 0\n"
                               "coord x = 1, y = 0\n"
                               "kinetic (x'^2 + y'^2)/2\n"
                               "potential 9.81*y\n"
                               "force x = -c*x'\n"
                               "force y = -c*y'\n"
                               "constraint rod: x^2 + (y - 0.1*sin(w*t))^2 = 1\n";

static const char chain[] = "model chain\n"
                            "coord x[1..3] = i, y[1..3] = 0\n"
                            "for i in 1..3 {\n"
                            "  kinetic i*(x[i]'^2 + y[i]'^2)/2\n"
                            "  potential i*9.81*y[i]\n"
                            "}\n"
                            "constraint rod[1]: x[1]^2 + y[1]^2 = 1\n"
                            "for i in 2..3 {\n"
                            "  constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n"
                            "}\n"
                            "constraint again: 2*x[1]^2 + 2*y[1]^2 = 2\n";

/* ---- runs ---- */

static dae_integrator *create(const test_problem *p, double h)
{
  dae_step_options opts;
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  dae_step_defaults(&opts);
  opts.step = h;
  if (rattle_method.create(&p->problem, &p->start, &opts, NULL, &it, &err) < 0)
    fail_msg("%s", err.text);
  return it;
}

/* the state vector at the end */
static void run_with(const dae_method *method, const void *opts, const test_problem *p, double *y)
{
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  dae_status status = method->create(&p->problem, &p->start, opts, NULL, &it, &err);
  while (status == DAE_OK)
    status = dae_integrator_step(it, p->to, &err);
  if (status == DAE_END)
    status = dae_integrator_interpolate(it, p->to, y, NULL, &err);
  if (status < 0)
    fail_msg("%s: %s", method->name, err.text);
  dae_integrator_free(it);
}

static void run(const test_problem *p, double h, double *y)
{
  dae_step_options opts;
  dae_step_defaults(&opts);
  opts.step = h;
  run_with(&rattle_method, &opts, p, y);
}

static double distance(int from, int to, const double *a, const double *b)
{
  double most = 0;
  for (int i = from; i < to; i++)
    most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

/* ---- order ---- */

/* observed order of positions and velocities, and of multipliers */
static void check_order(const char *const *set, int count)
{
  test_problem p;
  dae_model *model = text_problem(pendulum, set, count, 1, &p);
  double exact[LARGEST], coarse[LARGEST], fine[LARGEST];
  dae_rk_options sharp = dae_rk_adaptive_defaults();
  sharp.rtol = sharp.atol = 1e-12;
  run_with(dae_method_find("gauss", NULL), &sharp, &p, exact);
  run(&p, 0.01, coarse);
  run(&p, 0.005, fine);
  double order = log2(distance(0, 4, coarse, exact) / distance(0, 4, fine, exact));
  double of_lambda = log2(distance(4, 5, coarse, exact) / distance(4, 5, fine, exact));
  if (!(fabs(order - 2) < 0.1 && fabs(of_lambda - 2) < 0.1))
    fail_msg("order %.3f, of lambda %.3f", order, of_lambda);
  dae_model_free(model);
}

static void test_order_is_2(void **state)
{
  (void)state;
  check_order(NULL, 0);
}

static void test_order_is_2_with_friction_and_a_moving_pivot(void **state)
{
  (void)state;
  const char *const set[] = {"c=0.7", "w=3"};
  check_order(set, 2);
}

/* ---- laws ---- */

static void test_rows_of_a_run_lie_on_both_levels_of_the_constraints(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(chain, NULL, 0, 2, &p);
  dae_step_options opts;
  dae_summary summary;
  dae_error err = dae_error_none();
  dae_step_defaults(&opts);
  opts.step = 0.01;
  dae_run_plan plan = {.every = 0.003, .method = &rattle_method, .options = &opts};
  dae_model_plan(model, &plan); /* also says that one constraint is redundant */
  plan.to = p.to, plan.every = 0.003;
  if (dae_run(&plan, NULL, &summary, &err) < 0)
    fail_msg("%s", err.text);
  assert_int_equal(summary.stats.steps, 200);
  assert_int_equal(summary.rows, 668);
  assert_true(summary.position_drift < 1e-10 && summary.velocity_drift < 1e-10);
  dae_model_free(model);
}

static double energy(const double *y)
{
  return (y[2] * y[2] + y[3] * y[3]) / 2 + 9.81 * y[1];
}

/* symplectic: it goes to and fro, as much in the last turns as in the first ones */
static void test_energy_does_not_drift(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(pendulum, NULL, 0, 400, &p);
  dae_integrator *it = create(&p, 0.02);
  dae_error err = dae_error_none();
  double y[LARGEST], early = 0, late = 0;
  for (dae_status status = DAE_OK; status == DAE_OK;) {
    status = dae_integrator_step(it, p.to, &err);
    double t = dae_integrator_view(it).t;
    assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, &err), DAE_OK);
    early = t < 20 ? fmax(early, fabs(energy(y))) : early;
    late = t > 380 ? fmax(late, fabs(energy(y))) : late;
  }
  assert_true(early > 1e-4 && late < 1.05 * early);
  dae_integrator_free(it);
  dae_model_free(model);
}

/* ---- another method ---- */

/* Lobatto IIIA-IIIB with two stages is RATTLE; spark solves its equations in another way */
static void test_it_agrees_with_spark_lobatto_to_round_off(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(pendulum, NULL, 0, 2, &p);
  dae_spark_options opts = dae_spark_defaults();
  double own[LARGEST], other[LARGEST];
  opts.step = 0.01, opts.stages = 2;
  run(&p, 0.01, own);
  run_with(dae_method_find("spark-lobatto", NULL), &opts, &p, other);
  assert_true(distance(0, 4, own, other) < 1e-11);
  dae_model_free(model);
}

/* ---- the handle ---- */

static void test_between_steps_it_is_of_order_3_at_least(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(pendulum, NULL, 0, 1, &p);
  double error[2], y[LARGEST], dy[LARGEST], left[LARGEST], right[LARGEST];
  for (int k = 0; k < 2; k++) { /* against the steps of a run with half the step, from there */
    double h = k ? 0.01 : 0.02;
    dae_integrator *it = create(&p, h);
    dae_error err = dae_error_none();
    for (int i = 0; i < 20; i++)
      assert_int_equal(dae_integrator_step(it, p.to, &err), DAE_OK);
    double t = dae_integrator_view(it).t;
    assert_int_equal(dae_integrator_interpolate(it, t - h, left, NULL, &err), DAE_OK);
    assert_int_equal(dae_integrator_interpolate(it, t - h / 2, y, dy, &err), DAE_OK);
    test_problem rest = p;
    rest.start = (dae_start){.t = t - h, .y = left};
    rest.to = t - h / 2;
    run(&rest, h / 200, right);
    error[k] = distance(0, 2, y, right);
    assert_true(distance(0, 2, dy, y + 2) == 0); /* q' = v */
    dae_integrator_free(it);
  }
  assert_true(log2(error[0] / error[1]) > 2.7);
  dae_model_free(model);
}

static void test_saved_and_loaded_it_steps_on_with_the_same_bits(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    test_problem p;
    dae_model *model = text_problem(i ? chain : pendulum, NULL, 0, 1, &p);
    dae_step_options opts;
    same_set_up s = {.p = &p, .method = &rattle_method, .step = 0.01};
    dae_step_defaults(&opts);
    opts.step = s.step;
    memcpy(&s.opts, &opts, sizeof opts);
    same_check(&s, 0);
    same_check(&s, 7);
    dae_model_free(model);
  }
}

static void test_restarted_at_the_start_it_does_the_same(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(pendulum, NULL, 0, 0.5, &p);
  double once[LARGEST], again[LARGEST];
  dae_integrator *it = create(&p, 0.01);
  dae_error err = dae_error_none();
  run(&p, 0.01, once);
  for (int i = 0; i < 5; i++)
    assert_int_equal(dae_integrator_step(it, p.to, &err), DAE_OK);
  assert_int_equal(dae_integrator_restart(it, p.start.t, p.start.y, &err), DAE_OK);
  while (dae_integrator_step(it, p.to, &err) == DAE_OK)
    ;
  assert_int_equal(dae_integrator_interpolate(it, p.to, again, NULL, &err), DAE_OK);
  assert_memory_equal(once, again, (size_t)p.size * sizeof *once);
  assert_int_equal(dae_integrator_stats(it).restarts, 1);
  dae_integrator_free(it);
  dae_model_free(model);
}

/* ---- failures ---- */

static void check_refused(const char *text)
{
  test_problem p;
  dae_model *model = text_problem(text, NULL, 0, 1, &p);
  dae_error err = dae_error_none();
  dae_integrator *it = NULL;
  dae_step_options opts;
  dae_step_defaults(&opts);
  opts.step = 0.01;
  assert_int_equal(rattle_method.accepts(&p.problem, &err), DAE_ERROR_UNSUPPORTED);
  assert_non_null(strstr(err.text, "constant mass"));
  assert_int_equal(rattle_method.create(&p.problem, &p.start, &opts, NULL, &it, &err),
                   DAE_ERROR_UNSUPPORTED);
  assert_null(it);
  dae_model_free(model);
}

static void test_other_problems_are_refused(void **state)
{
  (void)state;
  check_refused("model a\ncoord x = 1\nkinetic (1 + x^2)*x'^2/2\n");
  check_refused("model b\ncoord x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\nconstraint x' = y\n");
  check_refused("model c\nstate u = 1\nu' = -u\n");
}

static void test_a_step_has_to_be_given(void **state)
{
  (void)state;
  test_problem p = test_pendulum();
  dae_error err = dae_error_none();
  dae_integrator *it = NULL;
  assert_int_equal(rattle_method.create(&p.problem, &p.start, NULL, NULL, &it, &err),
                   DAE_ERROR_OPTION);
  assert_string_equal(err.equation, "step");
}

/* a step so long that the rod cannot reach: the state before it stays */
static void test_a_step_that_fails_leaves_the_last_state(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(pendulum, NULL, 0, 100, &p);
  dae_integrator *it = create(&p, 50);
  dae_error err = dae_error_none();
  double y[LARGEST];
  assert_int_equal(dae_integrator_step(it, 100, &err), DAE_ERROR_STEP);
  assert_non_null(strstr(err.text, "try a smaller one"));
  assert_true(dae_integrator_view(it).t == 0);
  assert_int_equal(dae_integrator_interpolate(it, 0, y, NULL, &err), DAE_OK);
  assert_true(y[0] == 1 && y[1] == 0);
  dae_integrator_free(it);
  dae_model_free(model);
}

static bool build(const dae_env *env)
{
  test_problem p = test_pendulum();
  dae_step_options opts;
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  dae_step_defaults(&opts);
  opts.step = 0.01;
  dae_status status = rattle_method.create(&p.problem, &p.start, &opts, env, &it, &err);
  assert_true(status == DAE_OK || status == DAE_ERROR_MEMORY);
  dae_integrator_free(it);
  return status == DAE_OK;
}

static void test_an_allocation_that_fails_is_told_and_leaks_nothing(void **state)
{
  (void)state;
  assert_int_equal(counting_env_fault(build), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_is_2),
      cmocka_unit_test(test_order_is_2_with_friction_and_a_moving_pivot),
      cmocka_unit_test(test_rows_of_a_run_lie_on_both_levels_of_the_constraints),
      cmocka_unit_test(test_energy_does_not_drift),
      cmocka_unit_test(test_it_agrees_with_spark_lobatto_to_round_off),
      cmocka_unit_test(test_between_steps_it_is_of_order_3_at_least),
      cmocka_unit_test(test_saved_and_loaded_it_steps_on_with_the_same_bits),
      cmocka_unit_test(test_restarted_at_the_start_it_does_the_same),
      cmocka_unit_test(test_other_problems_are_refused),
      cmocka_unit_test(test_a_step_has_to_be_given),
      cmocka_unit_test(test_a_step_that_fails_leaves_the_last_state),
      cmocka_unit_test(test_an_allocation_that_fails_is_told_and_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
