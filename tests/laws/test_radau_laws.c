/* What steps of radau leave behind them: constraints that hold at their ends, as many evaluations
 * as the iterations of their stages take and no others, states that satisfy the equations
 * recomputed from the callbacks, multipliers of minimum norm, and no allocation. */
#include "counting_env.h"
#include "step/integrator.h"
#include "support.h"
#include "text_problem.h"

#include <math.h>
#include <stdlib.h>

#define MOST 512 /* entries of a state vector */

static dae_integrator *create(const char *name, const test_problem *p, const dae_rk_options *opts,
                              const dae_env *env)
{
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  const dae_method *method = dae_method_find(name, &err);
  assert_non_null(method);
  if (method->create(&p->problem, &p->start, opts, env, &it, &err))
    fail_msg("%s, %s: %s", p->name, name, err.text);
  return it;
}

static dae_rk_options of(double rtol, double atol, int stages)
{
  dae_rk_options opts = dae_rk_adaptive_defaults();
  opts.rtol = rtol;
  opts.atol = atol;
  opts.stages = stages;
  return opts;
}

static dae_status step(dae_integrator *it, const test_problem *p)
{
  dae_error err = dae_error_none();
  dae_status status = dae_integrator_step(it, p->to, &err);
  if (status < 0)
    fail_msg("%s: %s", p->name, err.text);
  return status;
}

/* the next mechanical problem that gives what its equations are recomputed from */
static bool next_problem(int *i, test_problem *p)
{
  while (test_problem_at((*i)++, p)) {
    const dae_mechanical *m = p->problem.mechanical;
    if (m && m->M && (m->f || m->p_rate) && (m->ng == 0 || m->G) && (m->nk == 0 || m->K))
      return true;
    test_problem_free(p);
  }
  return false;
}

/* ---- constraints ---- */

typedef struct drift {
  double position, velocity;
} drift;

/* the largest at the ends of steps, as the next step begins there */
static drift drift_of(const test_problem *p, const dae_rk_options *opts)
{
  dae_integrator *it = create("radau", p, opts, NULL);
  drift most = {0, 0}, now;
  double y[MOST];
  dae_status status = DAE_OK;
  while (status == DAE_OK) {
    status = step(it, p);
    double t = dae_integrator_view(it).t;
    assert_int_equal(dae__integrator_interpolate_raw(it, t, y, NULL, NULL), DAE_OK);
    support_drift(p->problem.mechanical, t, y, &now.position, &now.velocity);
    most.position = fmax(most.position, now.position);
    most.velocity = fmax(most.velocity, now.velocity);
  }
  dae_integrator_free(it);
  return most;
}

/* g is met to second order in the last change of the iteration, which is largest with 7 stages at a
 * loose tolerance: pendulum, slider crank */
static void test_steps_end_on_their_constraints(void **state)
{
  (void)state;
  test_problem p;
  for (int i = 0; next_problem(&i, &p); test_problem_free(&p))
    for (int k = 0; k < 8; k++) {
      int stages = k % 4 ? 1 + 2 * (k % 4) : 0;
      dae_rk_options opts = of(1e-6, k < 4 ? 1e-6 : 1e-8, stages);
      drift d = drift_of(&p, &opts);
      if (getenv("DAEDAL_VERBOSE"))
        print_message("%-18s %d stages: g %.1e, gdot and k %.1e\n", p.name, stages, d.position,
                      d.velocity);
      if (!(d.position < (stages == 7 ? 2e-12 : 2e-13) && d.velocity < 1e-11))
        fail_msg("%s, %d stages: %g, %g", p.name, stages, d.position, d.velocity);
    }
}

/* ---- evaluations ---- */

/* all derivatives are given by these: none is taken by differences of f */
static void test_a_step_takes_as_many_evaluations_as_its_iterations_have_stages(void **state)
{
  (void)state;
  test_problem all[] = {test_pendulum(),    test_car_axis(), test_slider_crank(), test_knife_edge(),
                        test_curvilinear(), test_motor(),    test_spring()};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    long rejected = 0;
    for (int stages = 3; stages <= 7; stages += 2) {
      dae_rk_options opts = of(1e-6, 1e-6, stages);
      opts.first_step = 0.25; /* rejected, with 3 stages at least */
      dae_integrator *it = create("radau", &all[i], &opts, NULL);
      dae_stats before = dae_integrator_stats(it);
      dae_status status = DAE_OK;
      assert_int_equal(before.iterations, 0);
      while (status == DAE_OK) {
        status = step(it, &all[i]);
        dae_stats now = dae_integrator_stats(it);
        assert_int_equal(now.evaluations - before.evaluations, stages * now.iterations);
        assert_int_equal(now.projections, before.projections);
      }
      before = dae_integrator_stats(it);
      rejected += before.rejected_by_error + before.rejected_by_convergence;
      dae_integrator_free(it);
    }
    assert_true(rejected > 0);
  }
}

/* ---- equations ---- */

/* What is shown at the end of a step comes from the last iterate of the stages, at most some
 * multiples of the tolerance off; multipliers are not among what the iteration is tested by. */
static void test_the_ends_of_steps_satisfy_the_equations_to_the_tolerance(void **state)
{
  (void)state;
  test_problem p;
  for (int i = 0; next_problem(&i, &p); test_problem_free(&p))
    for (double tolerance = 1e-5; tolerance > 1e-10; tolerance /= 100) {
      dae_rk_options opts = of(tolerance, tolerance, 0);
      dae_integrator *it = create("radau", &p, &opts, NULL);
      double y[MOST], dy[MOST], motion, algebraic, worst = 0, most = 0;
      dae_status status = DAE_OK;
      while (status == DAE_OK) {
        status = step(it, &p);
        support_state(it, y, dy);
        support_residual(p.problem.mechanical, dae_integrator_view(it).t, y, dy, &motion,
                         &algebraic);
        worst = fmax(worst, motion / tolerance);
        most = fmax(most, algebraic / tolerance);
      }
      if (getenv("DAEDAL_VERBOSE"))
        print_message("%-18s %.0e: residuals %.2g, %.2g tolerances\n", p.name, tolerance, worst,
                      most);
      if (!(worst < 60 && most < 10))
        fail_msg("%s, %.0e: residuals of %g and %g tolerances", p.name, tolerance, worst, most);
      dae_integrator_free(it);
    }
}

/* ---- redundant constraints ---- */

/* three parallel bars share the load, and no combination that exerts no force is left in them */
static void test_redundant_constraints_get_multipliers_of_minimum_norm(void **state)
{
  (void)state;
  test_problem p = test_parallel_bars();
  for (int stages = 3; stages <= 7; stages += 2) {
    dae_rk_options opts = of(1e-6, 1e-6, stages);
    dae_integrator *it = create("radau", &p, &opts, NULL);
    dae_status status = DAE_OK;
    double y[9];
    while (status == DAE_OK) {
      status = step(it, &p);
      dae_view view = dae_integrator_view(it);
      for (int k = 0; k < 3; k++) {
        double t = view.t_previous + (k + 1) * (view.t - view.t_previous) / 3;
        assert_int_equal(dae_integrator_interpolate(it, fmin(t, view.t), y, NULL, NULL), DAE_OK);
        double load = 2 * (y[3] * y[3] + y[4] * y[4] - 9.81 * y[1]);
        for (int j = 0; j < 3; j++)
          assert_true(fabs(y[6 + j] - load / 3) < 1e-9);
      }
    }
    support_state(it, y, NULL);
    assert_true(support_error(&p, y) < 3e-5);
    dae_integrator_free(it);
  }
}

/* ---- masses ---- */

/* a spring on a point without mass that is tied to the pendulum, or on the pendulum itself */
static const char massless[] = "model massless\n"
                               "coord x = 0.6 rate 0.8, y = -0.8 rate 0.6, z = -0.48 rate -0.28\n"
                               "kinetic (x'^2 + y'^2)/2\n"
                               "potential 9.81*y + 20*z^2\n"
                               "constraint rod: x^2 + y^2 = 1\n"
                               "constraint tie: z = x*y\n";
static const char direct[] = "model direct\n"
                             "coord x = 0.6 rate 0.8, y = -0.8 rate 0.6\n"
                             "kinetic (x'^2 + y'^2)/2\n"
                             "potential 9.81*y + 20*(x*y)^2\n"
                             "constraint rod: x^2 + y^2 = 1\n";

static void run(const char *method, const test_problem *p, double tolerance, double *y)
{
  dae_rk_options opts = of(tolerance, tolerance, 0);
  dae_integrator *it = create(method, p, &opts, NULL);
  while (step(it, p) == DAE_OK)
    ;
  support_state(it, y, NULL);
  dae_integrator_free(it);
}

static void test_masses_may_be_singular_where_constraints_make_up_for_them(void **state)
{
  (void)state;
  test_problem whole, reduced;
  dae_model *a = text_problem(massless, NULL, 0, 3, &whole);
  dae_model *b = text_problem(direct, NULL, 0, 3, &reduced);
  double found[8], exact[5];
  run("explicit", &reduced, 1e-12, exact);
  for (double tolerance = 1e-4; tolerance > 1e-11; tolerance /= 100) {
    run("radau", &whole, tolerance, found);
    for (int i = 0; i < 2; i++) {
      assert_true(fabs(found[i] - exact[i]) < 100 * tolerance);
      assert_true(fabs(found[3 + i] - exact[2 + i]) < 1000 * tolerance);
    }
    assert_true(fabs(found[2] - found[0] * found[1]) < 1e-12);
    assert_true(fabs(found[7] + 40 * found[2]) < 1000 * tolerance); /* the tie bears the spring */
  }
  dae_model_free(a);
  dae_model_free(b);
}

/* ---- step sizes ---- */

/* whatever stages and iterations they are made by, and after load */
static void test_no_step_is_larger_than_allowed(void **state)
{
  (void)state;
  static const char *const methods[] = {"radau", "switching"};
  static test_problem (*const makers[])(void) = {test_pendulum, test_parallel_bars, test_car_axis};
  for (int m = 0; m < 2; m++)
    for (int i = 0; i < 3; i++) {
      test_problem p = makers[i]();
      dae_rk_options opts = of(1e-3, 1e-3, 0);
      opts.max_step = 1e-3;
      dae_integrator *it = create(methods[m], &p, &opts, NULL);
      size_t size = dae_integrator_save_size(it);
      void *saved = malloc(size);
      for (int k = 1; k <= 200; k++) {
        (void)step(it, &p);
        dae_view view = dae_integrator_view(it);
        if (!(view.t - view.t_previous <= opts.max_step * (1 + 1e-9)))
          fail_msg("%s, %s: step %d of size %g", p.name, methods[m], k, view.t - view.t_previous);
        if (k % 50 == 0) {
          assert_int_equal(dae_integrator_save(it, saved, size, NULL), DAE_OK);
          assert_int_equal(dae_integrator_load(it, saved, size, NULL), DAE_OK);
        }
      }
      free(saved);
      dae_integrator_free(it);
    }
}

/* ---- memory ---- */

static test_problem chain(void)
{
  return test_chain(60, TEST_CHAIN_MODE);
}

/* rejected steps, rows and the change of stages among them */
static void test_nothing_is_allocated_between_constructor_and_free(void **state)
{
  (void)state;
  static test_problem (*const makers[])(void) = {test_pendulum,      test_motor,
                                                 test_parallel_bars, test_transistor_amplifier,
                                                 test_hessenberg2,   chain};
  for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
    for (double tolerance = 1e-3; tolerance > 1e-10; tolerance /= 1000) {
      test_problem p = makers[i]();
      counting_env count = {0};
      dae_env env = counting_env_of(&count);
      dae_rk_options opts = of(tolerance, tolerance, 0);
      dae_integrator *it = create("radau", &p, &opts, &env);
      double y[MOST];
      dae_status status = DAE_OK;
      long calls = count.calls;
      assert_true(p.size <= MOST);
      while (status == DAE_OK) {
        status = step(it, &p);
        dae_view view = dae_integrator_view(it);
        double t = (view.t_previous + view.t) / 2;
        assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
      }
      if (count.calls != calls)
        fail_msg("%s: %ld allocations in the step loop", p.name, count.calls - calls);
      dae_integrator_free(it);
      assert_int_equal(count.live, 0);
      test_problem_free(&p);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_steps_end_on_their_constraints),
      cmocka_unit_test(test_a_step_takes_as_many_evaluations_as_its_iterations_have_stages),
      cmocka_unit_test(test_the_ends_of_steps_satisfy_the_equations_to_the_tolerance),
      cmocka_unit_test(test_redundant_constraints_get_multipliers_of_minimum_norm),
      cmocka_unit_test(test_masses_may_be_singular_where_constraints_make_up_for_them),
      cmocka_unit_test(test_no_step_is_larger_than_allowed),
      cmocka_unit_test(test_nothing_is_allocated_between_constructor_and_free),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
