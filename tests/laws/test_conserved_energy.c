/* Problems that conserve their energy: which models do, how errors of long runs grow, and that the
 * corrections of steps are seen in the energy balance. */
#include "text_problem.h"

#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- which models conserve ---- */

#define PENDULUM "model m\ncoord x = 0.6 rate 0.8, y = -0.8 rate 0.6\nkinetic (x'^2 + y'^2)/2\n"

static bool conserves(const char *text)
{
  test_problem p;
  dae_model *model = text_problem(text, NULL, 0, 1, &p);
  bool result = p.problem.mechanical && p.problem.mechanical->conservative;
  dae_model_free(model);
  return result;
}

static void test_models_are_recognised(void **state)
{
  (void)state;
  static const char *const constant[] = {
      PENDULUM "potential 9.81*y\nconstraint x^2 + y^2 = 1\n",
      PENDULUM "potential hypot(x, 2) + y^4\n",
      /* a frame that turns: v.p - T + V is constant */
      "model m\ncoord r = 1\nkinetic (r'^2 + 4*r^2)/2\npotential 9*r^2\n",
      /* a skate */
      ("model m\ncoord x = 0, y = 0, a = 0 rate 1\nkinetic (x'^2 + y'^2 + a'^2)/2\n"
       "potential y\nconstraint x'*sin(a) - y'*cos(a) = 0\n")};
  static const char *const others[] = {
      PENDULUM "potential 9.81*y\nforce x = -0.1*x'\n",
      PENDULUM "potential 9.81*y*(1 + 0.1*sin(t))\n",
      PENDULUM "potential 9.81*y\nconstraint x^2 + y^2 = 1 + 0.1*sin(t)^2\n",
      PENDULUM "potential if(x > 0, 1, 2)*y\n", PENDULUM "potential noevent(sign(x))\n",
      /* not quadratic in the velocity */
      "model m\ncoord x = 0 rate 0.5\nkinetic -sqrt(1 - x'^2)\npotential x^2\n",
      /* a belt that moves */
      ("model m\ncoord x = 0, y = 0, a = 0 rate 1\nkinetic (x'^2 + y'^2 + a'^2)/2\n"
       "constraint x'*sin(a) - y'*cos(a) = sin(a)\n")};
  for (size_t i = 0; i < sizeof constant / sizeof *constant; i++)
    if (!conserves(constant[i]))
      fail_msg("%s", constant[i]);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_false(conserves(others[i]));
}

/* ---- long runs ---- */

/* Largest error of the state at the time `to` in rtol; expected = NULL: the motion has returned to
 * its start. */
static double largest_error(const char *text, const char *method, double rtol, double to,
                            const double *expected, dae_summary *summary)
{
  dae_model *model;
  dae_error err = dae_error_none();
  assert_int_equal(dae_model_parse("m.dae", text, strlen(text), NULL, NULL, &model, &err), DAE_OK);
  double row[8], error = 0;
  dae_run_plan plan = {.method = dae_method_find(method, &err)};
  dae_model_plan(model, &plan);
  void *options = malloc(plan.method->options_size);
  plan.method->defaults(options);
  char value[32];
  snprintf(value, sizeof value, "%g", rtol);
  assert_int_equal(dae_options_set(plan.method->options, options, "rtol", value, &err), DAE_OK);
  plan.options = options;
  plan.to = to;
  dae_integrator *it;
  assert_int_equal(plan.method->create(&plan.problem, &plan.start, options, NULL, &it, &err),
                   DAE_OK);
  for (dae_status status = DAE_OK; status != DAE_END;) {
    status = dae_integrator_step(it, to, &err);
    assert_true(status >= 0);
  }
  assert_int_equal(dae_integrator_interpolate(it, to, row, NULL, &err), DAE_OK);
  expected = expected ? expected : plan.start.y;
  for (int i = 0; i < 4; i++)
    error = fmax(error, fabs(row[i] - expected[i]) / (1 + fabs(expected[i])));
  dae_integrator_free(it);
  if (summary)
    assert_true(dae_run(&plan, NULL, summary, &err) >= 0);
  free(options);
  dae_model_free(model);
  return error / rtol;
}

/* Period of theta'' = -k sin(theta) by the arithmetic-geometric mean. */
static double pendulum_period(double amplitude, double k)
{
  double a = 1, b = cos(amplitude / 2);
  while (fabs(a - b) > 1e-15) {
    double mean = (a + b) / 2;
    b = sqrt(a * b), a = mean;
  }
  return 2 * acos(-1.0) / sqrt(k) / a;
}

/* Without corrections the errors after 1000 periods of the pendulum are 22 and 38 rtol. Orbit: r =
 * 0.5 to 1.5 about a centre of force, with the period 2 pi. */
static void test_errors_grow_as_the_time(void **state)
{
  (void)state;
  static const char pendulum[] = "model m\ncoord x = sin(1.5), y = -cos(1.5)\n"
                                 "kinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                                 "constraint x^2 + y^2 = 1\n";
  static const char orbit[] = "model m\ncoord x = 0.5 rate 0, y = 0 rate sqrt(3)\n"
                              "kinetic (x'^2 + y'^2)/2\npotential -1/sqrt(x^2 + y^2)\n";
  const struct {
    const char *text, *method;
    double period, most;
  } run[] = {{pendulum, "switching", pendulum_period(1.5, 9.81), 1},
             {pendulum, "gauss", pendulum_period(1.5, 9.81), 1},
             {orbit, "switching", 2 * acos(-1.0), 60}};
  for (size_t i = 0; i < sizeof run / sizeof *run; i++)
    for (int digits = 5; digits <= 7; digits += 2) {
      dae_summary s;
      double rtol = pow(10, -digits), error[2];
      for (int k = 0; k < 2; k++)
        error[k] = largest_error(run[i].text, run[i].method, rtol, (k ? 1000 : 100) * run[i].period,
                                 NULL, k ? &s : NULL);
      assert_true(error[1] <= 15 * fmax(error[0], run[i].most / 15));
      assert_true(error[1] <= run[i].most);
      /* the corrections are counted as errors of the energy */
      assert_true(s.energy_error > 10 * fabs(s.energy_change));
      assert_int_equal(s.trust, DAE_TRUST_GREEN);
    }
}

/* ---- what does not conserve ---- */

static int unit_mass(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  *M = 1;
  return 0;
}

/* an oscillator that swings up at the rate *user/2 */
static int driven_force(void *user, const dae_mechanical_at *at, double *f)
{
  const double *rate = user;
  *f = -at->q[0] + *rate * (1 - at->q[0] * at->q[0]) * at->v[0];
  return 0;
}

static int spring_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  (void)user;
  *T = at->v[0] * at->v[0] / 2;
  *V = at->q[0] * at->q[0] / 2;
  return 0;
}

static double driven_end(double rate, bool declared, dae_trust *trust)
{
  dae_mechanical m = {.name = "driven",
                      .nq = 1,
                      .user = &rate,
                      .M = unit_mass,
                      .f = driven_force,
                      .energy = spring_energy,
                      .constant_mass = true,
                      .conservative = declared};
  dae_problem problem = {.mechanical = &m};
  double y[2] = {0.1, 0}, end[2];
  dae_error err = dae_error_none();
  dae_summary s;
  dae_run_plan plan = {
      .problem = problem, .start = {.y = y}, .to = 1000, .method = dae_method_find("gauss", &err)};
  dae_integrator *it;
  assert_int_equal(plan.method->create(&problem, &plan.start, NULL, NULL, &it, &err), DAE_OK);
  for (dae_status status = DAE_OK; status != DAE_END;) {
    status = dae_integrator_step(it, plan.to, &err);
    assert_true(status >= 0);
  }
  assert_int_equal(dae_integrator_interpolate(it, plan.to, end, NULL, &err), DAE_OK);
  dae_integrator_free(it);
  assert_true(dae_run(&plan, NULL, &s, &err) >= 0);
  *trust = s.trust;
  return end[0];
}

/* A declaration that is wrong by much ends the corrections: the motion is that without it. One that
 * is wrong by less than a tolerance in each step is not hidden: corrections are part of the energy
 * error. */
static void test_wrong_declarations_are_seen(void **state)
{
  (void)state;
  dae_trust trust;
  assert_true(fabs(driven_end(0.1, true, &trust) - driven_end(0.1, false, &trust)) < 1e-12);
  driven_end(5e-7, true, &trust);
  assert_int_not_equal(trust, DAE_TRUST_GREEN);
}

/* A torque as the potential of an angle, whose value jumps where the angle leaves its branch: the
 * motion goes on, and steps do not slow it down to the energy before. With corrections of a
 * tolerance in every step from there on the error is 1200 to 6000 rtol. */
static void test_jumps_are_not_corrected(void **state)
{
  (void)state;
  static const char text[] = "model m\ncoord x = 1, y = 0 rate 1\nkinetic (x'^2 + y'^2)/2\n"
                             "potential -0.01*atan2(y, x)\nconstraint x^2 + y^2 = 1\n";
  static const char *const method[] = {"gauss", "explicit", "switching"};
  const double to = 60, angle = to + 0.005 * to * to, w = 1 + 0.01 * to;
  const double end[] = {cos(angle), sin(angle), -w * sin(angle), w * cos(angle)};
  for (size_t i = 0; i < sizeof method / sizeof *method; i++)
    for (int digits = 4; digits <= 8; digits += 4) {
      dae_summary s;
      assert_true(largest_error(text, method[i], pow(10, -digits), to, end, &s) < 5);
      assert_int_equal(s.trust, DAE_TRUST_RED); /* the balance of this energy is off */
    }
}

/* A potential whose changes are lost beside a constant part: its rounding is no error of the steps.
 * With corrections by it the errors are 10^3 rtol for 1e9, 10^4 rtol for 1e12, without any at most
 * 57 (explicit). */
static void test_rounding_is_not_corrected(void **state)
{
  (void)state;
  static const char *const method[] = {"gauss", "explicit", "switching"};
  static const char *const constant[] = {"1e9", "1e12"};
  double period = pendulum_period(1.5, 9.81);
  for (size_t i = 0; i < sizeof method / sizeof *method; i++)
    for (int k = 0; k < 2; k++) {
      char text[256];
      snprintf(text, sizeof text,
               "model m\ncoord x = sin(1.5), y = -cos(1.5)\nkinetic (x'^2 + y'^2)/2\n"
               "potential 9.81*y + %s\nconstraint x^2 + y^2 = 1\n",
               constant[k]);
      for (int digits = 6; digits <= 10; digits += 2)
        assert_true(largest_error(text, method[i], pow(10, -digits), 100 * period, NULL, NULL) <
                    100);
    }
}

/* Motions without or with little velocity have nothing to correct. */
static void test_rest_is_kept(void **state)
{
  (void)state;
  static const char rest[] = "model m\ncoord x = 0, y = -1\nkinetic (x'^2 + y'^2)/2\n"
                             "potential 9.81*y\nconstraint x^2 + y^2 = 1\n";
  static const char balanced[] = "model m\ncoord x = 0, y = 1\nkinetic (x'^2 + y'^2)/2\n"
                                 "potential 9.81*y\nconstraint x^2 + y^2 = 1\n";
  assert_true(largest_error(rest, "gauss", 1e-6, 50, NULL, NULL) < 1e-6);
  assert_true(largest_error(balanced, "gauss", 1e-6, 2, NULL, NULL) < 1e-3);
}

/* A saved state continues with equal bits. */
static void test_saved_state_has_the_level(void **state)
{
  (void)state;
  static const char text[] = "model m\ncoord x = sin(1.5), y = -cos(1.5)\n"
                             "kinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                             "constraint x^2 + y^2 = 1\n";
  test_problem p;
  dae_model *model = text_problem(text, NULL, 0, 20, &p);
  dae_error err = dae_error_none();
  const dae_method *method = dae_method_find("gauss", &err);
  void *options = malloc(method->options_size), *saved;
  dae_integrator *it[2];
  double y[2][8] = {{0}};
  method->defaults(options);
  for (int i = 0; i < 2; i++)
    assert_int_equal(method->create(&p.problem, &p.start, options, NULL, &it[i], &err), DAE_OK);
  for (int i = 0; i < 20; i++)
    assert_true(dae_integrator_step(it[0], 20, &err) >= 0);
  size_t size = dae_integrator_save_size(it[0]);
  saved = malloc(size);
  assert_int_equal(dae_integrator_save(it[0], saved, size, &err), DAE_OK);
  assert_int_equal(dae_integrator_load(it[1], saved, size, &err), DAE_OK);
  for (int i = 0; i < 2; i++) {
    dae_status status = DAE_OK;
    while (status == DAE_OK)
      status = dae_integrator_step(it[i], 20, &err);
    assert_int_equal(status, DAE_END);
    assert_int_equal(dae_integrator_interpolate(it[i], 20, y[i], NULL, &err), DAE_OK);
    dae_integrator_free(it[i]);
  }
  assert_memory_equal(y[0], y[1], sizeof y[0]);
  free(saved);
  free(options);
  dae_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_models_are_recognised),
      cmocka_unit_test(test_errors_grow_as_the_time),
      cmocka_unit_test(test_wrong_declarations_are_seen),
      cmocka_unit_test(test_jumps_are_not_corrected),
      cmocka_unit_test(test_rounding_is_not_corrected),
      cmocka_unit_test(test_rest_is_kept),
      cmocka_unit_test(test_saved_state_has_the_level),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
