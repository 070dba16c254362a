/* Joints between systems that are iterated: every row lies on them, at the level of positions and
 * of velocities; and how they drift where nothing is projected. Residuals are recomputed from the
 * rows by the joints' own callbacks. */
#include "wave_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ON_JOINT 1.1e-12 /* relative to the terms; what projections aim at is 1e-12 */

/* ---- residuals ---- */

typedef struct point {
  double z[8], rate[8]; /* coordinates of a joint and their rates */
} point;

static point point_of(const dae_coupled *p, const dae_joint *joint, const double *y)
{
  point at;
  assert_true(joint->nz <= 8 && joint->ng == 1);
  for (int i = 0; i < joint->nz; i++) {
    dae_port z = joint->z[i];
    int first = 0;
    for (int q = 0; q < z.part; q++)
      first += dae_problem_size(&(dae_problem){.mechanical = p->part[q].mechanical});
    at.z[i] = y[first + z.variable];
    at.rate[i] = y[first + z.variable + p->part[z.part].mechanical->nq];
  }
  return at;
}

/* The largest |g|, and |g| and |g_t + G z'| relative to the size of their terms. */
typedef struct drift {
  double g, relative;
} drift;

static void take_drift(const wave_case *c, double t, const double *y, drift *worst)
{
  const dae_coupled *p = c->problem->coupled;
  for (int j = 0; j < p->joints; j++) {
    const dae_joint *joint = &p->joint[j];
    point at = point_of(p, joint, y);
    double g, gdot = 0, G[8], size = 0, speed;
    assert_int_equal(joint->g(joint->user, t, at.z, &g), 0);
    assert_int_equal(joint->G(joint->user, t, at.z, G), 0);
    if (joint->g_t)
      assert_int_equal(joint->g_t(joint->user, t, at.z, &gdot), 0);
    speed = fabs(gdot);
    for (int i = 0; i < joint->nz; i++) {
      gdot += G[i] * at.rate[i];
      size += fabs(G[i] * at.z[i]);
      speed += fabs(G[i] * at.rate[i]);
    }
    worst->g = fmax(worst->g, fabs(g));
    worst->relative = fmax(worst->relative, fabs(g) / fmax(size, 1e-3));
    worst->relative = fmax(worst->relative, fabs(gdot) / fmax(speed, 1e-3));
  }
}

/* over the ends of windows and places between them */
static drift drift_of(const wave_case *c, double to)
{
  dae_integrator *it = wave_create(c);
  dae_error err = dae_error_none();
  double y[WAVE_SIZE];
  drift worst = {0, 0};
  while (dae_integrator_view(it).t < to) {
    if (dae_integrator_step(it, to, &err) < 0)
      fail_msg("%s: %s", dae_model_name(c->model), err.text);
    dae_view view = dae_integrator_view(it);
    for (int k = 1; k <= 5; k++) {
      double t = view.t_previous + k * (view.t - view.t_previous) / 5;
      assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
      take_drift(c, t, y, &worst);
    }
  }
  dae_integrator_free(it);
  return worst;
}

/* ---- tests ---- */

static void check_rows(const coupled_model *known, bool fixed)
{
  wave_case c;
  wave_open(&c, known->path, NULL);
  c.opts.rtol = 1e-5;
  c.opts.window = fixed ? 0.1 : 0;
  if (fixed)
    wave_children(&c, "trapezoid", 0.02);
  drift worst = drift_of(&c, known->to);
  print_message("%s, %s children: %.2e\n", known->name, fixed ? "trapezoidal" : "default",
                worst.relative);
  assert_true(worst.relative < ON_JOINT);
  wave_close(&c);
}

static void test_joints_hold_in_every_row(void **state)
{
  (void)state;
  const coupled_model *known;
  for (int i = 0; (known = coupled_model_at(i)); i++)
    if (!isnan(known->on_first)) {
      check_rows(known, false);
      check_rows(known, true);
    }
}

/* without projection a joint that is not linear drifts off by the order of its children */
static void test_a_curved_joint_drifts_off_where_nothing_is_projected(void **state)
{
  (void)state;
  double last = NAN;
  for (int M = 10; M <= 40; M *= 2) {
    wave_case c;
    wave_open(&c, coupled_model_find("nonlinear_joint")->path, NULL);
    c.opts.window = 0.4;
    c.opts.project = false;
    wave_children(&c, "trapezoid", c.opts.window / M);
    drift worst = drift_of(&c, 6);
    print_message("%d steps in a window: %.2e\n", M, worst.g);
    assert_true(M == 10 || fabs(last / worst.g - 4) < 0.2);
    last = worst.g;
    wave_close(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joints_hold_in_every_row),
      cmocka_unit_test(test_a_curved_joint_drifts_off_where_nothing_is_projected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
