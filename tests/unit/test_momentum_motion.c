/* The momentum form in motion: z' and multipliers against closed forms, projections, measures. */
#include "core/vec.h"
#include "problem/measure.h"
#include "problem/momentum/momentum_motion.h"

#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "momentum_fixture.h"

/* ---- z' and multipliers ---- */

/* the pendulum at angle th with rate om: Y = sin th, lambda = om^2 - Y (unit gravity) */
static void curved(bool hamiltonian, double th, double om, double *state, double *lambda)
{
  double X = cos(th), Y = sin(th), a = -om * sin(th), b = om * cos(th);
  state[0] = X - 0.3 * Y * Y;
  state[1] = Y;
  state[2] = hamiltonian ? a : a - 0.6 * Y * b;
  state[3] = hamiltonian ? 0.6 * Y * a + b : b;
  *lambda = om * om - Y;
}

/* the skate at time t */
static void skating(double t, double *state, double *multipliers)
{
  double w = 1.3, th = (w * t - sin(2 * w * t) / 2) / (2 * w * w);
  double th_rate = sin(w * t) * sin(w * t) / w;
  double exact[] = {cos(th),
                    sin(w * t) * sin(w * t) / (2 * w * w),
                    sin(th),
                    w * t,
                    -sin(th) * th_rate,
                    sin(2 * w * t) / (2 * w),
                    cos(th) * th_rate,
                    w};
  memcpy(state, exact, sizeof exact);
  multipliers[0] = th_rate * th_rate;
  multipliers[1] = 2 * sin(w * t);
}

/* what is given of the derivatives, and how good the multipliers must be */
typedef enum given { NOTHING, ONLY_G_Y, EVERYTHING } given;
static const double good[] = {[NOTHING] = 1e-10, [ONLY_G_Y] = 2e-13, [EVERYTHING] = 1e-14};

static dae_momentum variant(maker *make, given what)
{
  dae_momentum p = *make(what == EVERYTHING).problem.momentum;
  if (what == ONLY_G_Y) {
    p.g_y = make(true).problem.momentum->g_y;
    p.time_free_g = true;
  }
  return p;
}

static double multiplier_error(dae__momentum_motion *motion, double t, double *state, int n,
                               const double *exact)
{
  double error = 0;
  dae_error err = dae_error_none();
  const dae__momentum *m = motion->m;
  dae__zero(n, state + m->at.lambda);
  if (dae__momentum_accelerate(motion, t, state, NULL, &err))
    fail_msg("%s", err.text);
  for (int i = 0; i < n; i++)
    error = fmax(error, fabs(state[m->at.lambda + i] - exact[i]) / (1 + fabs(exact[i])));
  return error;
}

static void test_multipliers_of_the_curved_pendulums_are_exact(void **state)
{
  (void)state;
  double y[5], lambda;
  for (int make = 0; make < 2; make++)
    for (given what = NOTHING; what <= EVERYTHING; what++) {
      dae_momentum p = variant(makers[make], what);
      dae__momentum_motion *motion = create_motion(&p);
      double error = 0;
      for (int i = 0; i < 60; i++) {
        curved(make == 0, 0.1 * i, 0.07 * i - 2, y, &lambda);
        error = fmax(error, multiplier_error(motion, 0.5 * i, y, 1, &lambda));
      }
      if (!(error <= good[what]))
        fail_msg("%s, derivatives %d: error %.2e", p.name, what, error);
      dae__momentum_motion_free(motion);
    }
}

static void test_multipliers_of_the_skate_are_exact(void **state)
{
  (void)state;
  double y[10], exact[2];
  for (given what = NOTHING; what <= EVERYTHING; what++) {
    dae_momentum p = variant(test_mixed, what);
    dae__momentum_motion *motion = create_motion(&p);
    double error = 0;
    for (int i = 0; i < 60; i++) {
      skating(0.1 * i, y, exact);
      error = fmax(error, multiplier_error(motion, 0.1 * i, y, 2, exact));
    }
    if (!(error <= good[what]))
      fail_msg("derivatives %d: error %.2e", what, error);
    dae__momentum_motion_free(motion);
  }
}

/* Everything moves by itself: z = s(t) y', p = v = z / s(t), s = 1 + sin(wt)/2; two coordinates on
 * a circle of radius sqrt(1 + t^2) with r = -y (lambda + lambda^3), the third with v = cos(wt). */
typedef struct moving {
  double w;
} moving;

static double s_of(const moving *p, double t)
{
  return 1 + sin(p->w * t) / 2;
}

static int moving_v(void *user, const dae_momentum_at *at, double *v)
{
  for (int i = 0; i < 3; i++)
    v[i] = at->z[i] / s_of(user, at->t);
  return 0;
}

static int moving_f(void *user, const dae_momentum_at *at, const double *psi, double *f)
{
  (void)user, (void)at;
  f[0] = f[1] = 0;
  f[2] = -psi[0];
  return 0;
}

static int moving_r(void *user, const dae_momentum_at *at, const double *lambda, double *r)
{
  double force = lambda[0] + lambda[0] * lambda[0] * lambda[0];
  (void)user;
  r[0] = -force * at->y[0];
  r[1] = -force * at->y[1];
  r[2] = 0;
  return 0;
}

static int moving_g(void *user, const dae_momentum_at *at, double *g)
{
  const double *y = at->y;
  (void)user;
  assert_null(at->z);
  g[0] = (y[0] * y[0] + y[1] * y[1] - 1 - at->t * at->t) / 2;
  return 0;
}

static int moving_g_y(void *user, const dae_momentum_at *at, double *g_y)
{
  (void)user;
  g_y[0] = at->y[0];
  g_y[1] = at->y[1];
  g_y[2] = 0;
  return 0;
}

static int moving_g_t(void *user, const dae_momentum_at *at, double *g_t)
{
  (void)user;
  g_t[0] = -at->t;
  return 0;
}

static int moving_k(void *user, const dae_momentum_at *at, double *k)
{
  const moving *p = user;
  k[0] = at->z[2] / s_of(p, at->t) - cos(p->w * at->t);
  return 0;
}

static const dae_momentum moving_form = {.name = "moving",
                                         .ny = 3,
                                         .nz = 3,
                                         .ng = 1,
                                         .nk = 1,
                                         .v = moving_v,
                                         .p = moving_v,
                                         .f = moving_f,
                                         .r = moving_r,
                                         .g = moving_g,
                                         .k = moving_k};

/* state, and multipliers: lambda + lambda^3 = 3 / (1 + t^2)^2, psi = w sin(wt) */
static void moving_exact(const moving *p, double t, double *state, double *multipliers)
{
  double R = sqrt(1 + t * t), s = s_of(p, t), force = 3 / (R * R * R * R);
  double lambda = force / (1 + force);
  for (int i = 0; i < 60; i++)
    lambda -= (lambda + lambda * lambda * lambda - force) / (1 + 3 * lambda * lambda);
  state[0] = (1 - t * t) / R;
  state[1] = 2 * t / R;
  state[2] = sin(p->w * t) / p->w;
  state[3] = s * (-2 * t * R - (1 - t * t) * t / R) / (R * R);
  state[4] = s * (2 * R - 2 * t * t / R) / (R * R);
  state[5] = s * cos(p->w * t);
  multipliers[0] = lambda;
  multipliers[1] = p->w * sin(p->w * t);
}

static double moving_error(const dae_momentum *form, double step)
{
  dae__momentum_motion *motion = create_motion(form);
  double error = 0, y[8], exact[2];
  for (int i = 0; i < 40; i++) {
    moving_exact(form->user, step * i, y, exact);
    error = fmax(error, multiplier_error(motion, step * i, y, 2, exact));
  }
  dae__momentum_motion_free(motion);
  return error;
}

static void test_what_changes_with_time_and_is_nonlinear_is_differenced_well(void **state)
{
  (void)state;
  for (double w = 1; w < 1e3; w *= 7) { /* from slow to much faster than a unit of time */
    moving user = {w};
    dae_momentum form = moving_form;
    form.user = &user;
    double nothing = moving_error(&form, 0.1);
    form.g_y = moving_g_y;
    double without_g_t = moving_error(&form, 0.1);
    form.g_t = moving_g_t;
    double with_g_t = moving_error(&form, 0.1);
    if (!(fmax(nothing, without_g_t) < 1e-12 * w * w && with_g_t < 2e-13 * w * w))
      fail_msg("w = %g: %.2e %.2e %.2e", w, nothing, without_g_t, with_g_t);
  }
}

/* before t = 0 nothing is defined */
static int late_k(void *user, const dae_momentum_at *at, double *k)
{
  return at->t < 0 ? 1 : moving_k(user, at, k);
}

static int late_g(void *user, const dae_momentum_at *at, double *g)
{
  return at->t < 0 ? 1 : moving_g(user, at, g);
}

static void test_a_start_at_the_end_of_a_domain_is_differenced_on_one_side(void **state)
{
  (void)state;
  moving user = {1.5};
  dae_momentum form = moving_form;
  form.user = &user;
  form.g = late_g;
  form.k = late_k;
  double error = moving_error(&form, 0);
  assert_true(error < 1e-8);
}

/* a point on the unit circle and its angular velocity: two y, one z, and k: the velocity is given
 */
static int turn_v(void *user, const dae_momentum_at *at, double *v)
{
  (void)user;
  v[0] = -at->y[1] * at->z[0];
  v[1] = at->y[0] * at->z[0];
  return 0;
}

static int turn_f(void *user, const dae_momentum_at *at, const double *psi, double *f)
{
  (void)user;
  f[0] = -at->y[0] - (psi ? psi[0] : 0);
  return 0;
}

static int turn_k(void *user, const dae_momentum_at *at, double *k)
{
  (void)user;
  k[0] = at->z[0] - 1 - sin(at->t) * at->y[1];
  return 0;
}

/* two z that drive one y, which is given */
static int driven_v(void *user, const dae_momentum_at *at, double *v)
{
  (void)user;
  v[0] = at->z[0] + at->z[1];
  return 0;
}

static int driven_f(void *user, const dae_momentum_at *at, const double *psi, double *f)
{
  (void)user, (void)at;
  assert_null(psi);
  f[0] = 5;
  f[1] = 1;
  return 0;
}

static int driven_r(void *user, const dae_momentum_at *at, const double *lambda, double *r)
{
  (void)user, (void)at;
  r[0] = r[1] = -lambda[0];
  return 0;
}

static int driven_g(void *user, const dae_momentum_at *at, double *g)
{
  (void)user;
  g[0] = at->y[0] - at->t * at->t;
  return 0;
}

static void test_y_and_z_may_differ_in_number(void **state)
{
  (void)state;
  dae_momentum turning = {.ny = 2, .nz = 1, .v = turn_v, .f = turn_f};
  dae__momentum_motion *motion = create_motion(&turning);
  double th = 0.6, t = 0.7, z = 1 + sin(t) * sin(th), dy[4];
  double y[4] = {cos(th), sin(th), z, 0};
  assert_int_equal(dae__momentum_accelerate(motion, t, y, dy, NULL), DAE_OK);
  assert_true(dy[0] == -y[1] * z && dy[1] == y[0] * z && dy[2] == -y[0]);
  dae__momentum_motion_free(motion);
  turning.nk = 1;
  turning.k = turn_k;
  motion = create_motion(&turning);
  double z_rate = cos(t) * y[1] + sin(t) * dy[1], psi = -y[0] - z_rate;
  assert_true(multiplier_error(motion, t, y, 1, &psi) < 1e-13);
  dae__momentum_motion_free(motion);

  dae_momentum driven = {
      .ny = 1, .nz = 2, .ng = 1, .v = driven_v, .f = driven_f, .r = driven_r, .g = driven_g};
  motion = create_motion(&driven);
  double pushed[4] = {t * t, t, t}, lambda = 2;
  assert_true(multiplier_error(motion, t, pushed, 1, &lambda) < 1e-11);
  dae__momentum_motion_free(motion);
}

static int no_force(void *user, const dae_momentum_at *at, const double *lambda, double *r)
{
  (void)user, (void)at, (void)lambda;
  return dae__zero(4, r), 0;
}

static void test_a_force_that_does_not_act_makes_the_matrix_singular(void **state)
{
  (void)state;
  dae_momentum p = *test_mixed(false).problem.momentum;
  dae_error err = dae_error_none();
  double y[10], exact[2];
  p.r = no_force;
  dae__momentum_motion *motion = create_motion(&p);
  skating(0.4, y, exact);
  assert_int_equal(dae__momentum_accelerate(motion, 0.4, y, NULL, &err), DAE_ERROR_SINGULAR);
  assert_string_equal(err.equation, "cylinder");
  y[4] += 1e-3;
  assert_int_equal(dae__momentum_project(motion, 0.4, y, y + 4, NULL, &err), DAE_ERROR_SINGULAR);
  assert_string_equal(err.equation, "cylinder");
  dae__momentum_motion_free(motion);
}

/* ---- projection ---- */

static void assert_on_constraints(dae__momentum_motion *motion, double t, const double *y)
{
  dae__momentum *m = motion->m;
  dae_momentum_at at = {.t = t, .y = y, .z = y + m->at.z};
  double g = 0, gdot = 0, k = 0;
  assert_int_equal(dae__momentum_eval(m, DAE__G, &at, NULL, &g, NULL), DAE_OK);
  assert_int_equal(dae__momentum_eval(m, DAE__GDOT, &at, NULL, &gdot, NULL), DAE_OK);
  assert_int_equal(dae__momentum_eval(m, DAE__K, &at, NULL, &k, NULL), DAE_OK);
  if (!(fabs(g) < 3e-12 && fabs(gdot) < 1e-11 && fabs(k) < 3e-12))
    fail_msg("g = %.2e, gdot = %.2e, k = %.2e", g, gdot, k);
}

static void test_projection_moves_onto_the_constraints_and_then_no_further(void **state)
{
  (void)state;
  double y[10], before[10], exact[2];
  for (given what = NOTHING; what <= EVERYTHING; what++) {
    dae_momentum p = variant(test_mixed, what);
    dae__momentum_motion *motion = create_motion(&p);
    for (int i = 0; i < 20; i++) {
      bool moved = false;
      skating(0.3 * i, y, exact);
      for (int j = 0; j < 8; j++)
        y[j] += 1e-3 * sin(7 * i + 3 * j);
      assert_int_equal(dae__momentum_project(motion, 0, y, y + 4, &moved, NULL), DAE_OK);
      assert_true(moved);
      assert_on_constraints(motion, 0, y);
      dae__copy(8, y, before);
      assert_int_equal(dae__momentum_project(motion, 0, y, y + 4, NULL, NULL), DAE_OK);
      for (int j = 0; j < 8; j++)
        assert_true(fabs(y[j] - before[j]) < 3e-12);
    }
    assert_true(motion->memory->projections >= 20);
    dae__momentum_motion_free(motion);
  }
}

/* y moves along g_y', z along p_z^-1 of the constraint forces */
static void test_projection_moves_y_by_the_least_change_and_z_along_the_forces(void **state)
{
  (void)state;
  dae_momentum p = *test_curv_lag(true).problem.momentum;
  dae__momentum_motion *motion = create_motion(&p);
  double y[5], before[5], lambda, g_y[2], p_z[4];
  curved(false, 0.7, 1.1, y, &lambda);
  y[0] += 1e-6;
  y[2] += 1e-6;
  dae__copy(4, y, before);
  assert_int_equal(dae__momentum_project(motion, 0, y, y + 2, NULL, NULL), DAE_OK);
  dae_momentum_at at = {.y = y, .z = y + 2};
  p.g_y(NULL, &at, g_y);
  p.p_z(NULL, &at, p_z);
  double dy[] = {y[0] - before[0], y[1] - before[1]}, dz[] = {y[2] - before[2], y[3] - before[3]};
  double dp[] = {p_z[0] * dz[0] + p_z[2] * dz[1], p_z[1] * dz[0] + p_z[3] * dz[1]};
  assert_true(fabs(dy[0]) > 1e-8 && fabs(dp[0]) > 1e-8);
  assert_true(fabs(dy[0] * g_y[1] - dy[1] * g_y[0]) < 1e-11);
  assert_true(fabs(dp[0] * g_y[1] - dp[1] * g_y[0]) < 1e-11);
  dae__momentum_motion_free(motion);
}

static void test_what_is_kept_gives_the_same_bits_after_load(void **state)
{
  (void)state;
  dae_momentum p = *test_mixed(true).problem.momentum;
  dae__momentum_motion *motion = create_motion(&p);
  double y[10], first[10], second[10], exact[2];
  skating(0.4, y, exact);
  y[0] += 1e-3;
  y[5] += 1e-3;
  assert_int_equal(dae__momentum_project(motion, 0.4, y, y + 4, NULL, NULL), DAE_OK);
  assert_int_equal(dae__momentum_accelerate(motion, 0.4, y, NULL, NULL), DAE_OK);
  void *saved = malloc(dae__arena_state_size(arena));
  assert_non_null(saved);
  dae__arena_save(arena, saved);
  for (double *out = first; out; out = out == first ? second : NULL) {
    assert_int_equal(dae__arena_load(arena, saved), DAE_OK);
    skating(0.6, out, exact);
    out[2] += 1e-4;
    out[6] += 1e-4;
    out[8] = out[9] = 0;
    assert_int_equal(dae__momentum_project(motion, 0.6, out, out + 4, NULL, NULL), DAE_OK);
    assert_int_equal(dae__momentum_accelerate(motion, 0.6, out, NULL, NULL), DAE_OK);
  }
  assert_memory_equal(first, second, sizeof first);
  free(saved);
  dae__momentum_motion_free(motion);
}

/* ---- measures ---- */

static void test_drift_and_energy_are_measured_without_a_power(void **state)
{
  (void)state;
  test_problem p = test_mixed(true);
  dae__measure *measure;
  double y[10], exact[2], position, velocity, energy, power;
  bool has;
  assert_int_equal(dae__measure_create(arena, &p.problem, &measure, NULL), DAE_OK);
  skating(0.8, y, exact);
  assert_int_equal(dae__measure_drift(measure, 0.8, y, &position, &velocity, NULL), DAE_OK);
  assert_true(position < 1e-15 && velocity < 1e-15);
  assert_int_equal(dae__measure_energy(measure, 0.8, y, &energy, &power, &has, NULL), DAE_OK);
  assert_true(fabs(energy - 1.3 * 1.3 / 2) < 1e-15 && isnan(power) && has);
  dae_momentum without = *p.problem.momentum;
  without.energy = NULL;
  dae_problem problem = dae_problem_momentum(&without);
  assert_int_equal(dae__measure_create(arena, &problem, &measure, NULL), DAE_OK);
  assert_int_equal(dae__measure_energy(measure, 0.8, y, &energy, &power, &has, NULL), DAE_OK);
  assert_true(isnan(energy) && isnan(power) && !has);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(test_multipliers_of_the_curved_pendulums_are_exact),
      TEST(test_multipliers_of_the_skate_are_exact),
      TEST(test_what_changes_with_time_and_is_nonlinear_is_differenced_well),
      TEST(test_a_start_at_the_end_of_a_domain_is_differenced_on_one_side),
      TEST(test_y_and_z_may_differ_in_number),
      TEST(test_a_force_that_does_not_act_makes_the_matrix_singular),
      TEST(test_projection_moves_onto_the_constraints_and_then_no_further),
      TEST(test_projection_moves_y_by_the_least_change_and_z_along_the_forces),
      TEST(test_what_is_kept_gives_the_same_bits_after_load),
      TEST(test_drift_and_energy_are_measured_without_a_power),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
