/* What an integrator returns, y and dy at any time, satisfies the equations of motion
 *
 *   M v' + G' lambda + K' psi = f,   G v' = -gamma,   K v' = -kappa,   q' = v,   u' = s,   0 = c,
 *
 * recomputed from the problem's callbacks alone. */
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BOUND 1e-9
#define MOST 64

/* numbers between 0 and 1, the same in every run */
static double random_number(unsigned *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / 16777216.0;
}

typedef struct worst {
  double motion, algebraic;
  int points;
} worst;

static void look_at(dae_integrator *it, const dae_mechanical *p, double t, worst *w)
{
  double y[MOST], dy[MOST], motion, algebraic;
  assert_int_equal(dae_integrator_interpolate(it, t, y, dy, NULL), DAE_OK);
  support_residual(p, t, y, dy, &motion, &algebraic);
  w->points++;
  if (!(motion <= w->motion)) /* negated: a NaN counts */
    w->motion = motion;
  if (!(algebraic <= w->algebraic))
    w->algebraic = algebraic;
}

/* at the start, at random times within steps and at the ends of steps; no events */
static worst run(const test_problem *p, double tolerance)
{
  const dae_mechanical *m = p->problem.mechanical;
  dae_bdf_options opts = support_options(tolerance);
  dae_integrator *it;
  dae_status status = DAE_OK;
  worst w = {0};
  unsigned seed = 7;
  assert_int_equal(
      support_method(&p->problem)->create(&p->problem, &p->start, &opts, NULL, &it, NULL), DAE_OK);
  look_at(it, m, p->start.t, &w);
  while (status == DAE_OK) {
    status = dae_integrator_step(it, p->to, NULL);
    assert_true(status >= 0);
    dae_view view = dae_integrator_view(it);
    if (random_number(&seed) > 0.6)
      continue;
    look_at(it, m, view.t, &w);
    look_at(it, m, view.t_previous + random_number(&seed) * (view.t - view.t_previous), &w);
  }
  dae_integrator_free(it);
  assert_true(w.points > 10);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-18s %.0e: %4d points, motion %.1e, algebraic %.1e\n", p->name, tolerance,
                  w.points, w.motion, w.algebraic);
  return w;
}

/* M, f, G and K are needed to recompute the equations */
static bool gives_enough(const dae_mechanical *m)
{
  return m && m->M && (m->f || m->p_rate) && (m->ng == 0 || m->G) && (m->nk == 0 || m->K);
}

static void test_every_motion_satisfies_its_equations(void **state)
{
  (void)state;
  test_problem p;
  int checked = 0;
  for (int i = 0; test_problem_at(i, &p); i++) {
    if (gives_enough(p.problem.mechanical)) {
      assert_true(p.size <= MOST);
      worst w = run(&p, 1e-6);
      if (!(w.motion <= BOUND))
        fail_msg("%s: residual %.2e of the equations of motion", p.name, w.motion);
      checked++;
    }
    test_problem_free(&p);
  }
  assert_true(checked >= 14);
}

/* central differences of y within a step */
static void check_derivative(test_problem p)
{
  dae_bdf_options opts = support_options(1e-8);
  dae_integrator *it;
  int states = 2 * p.problem.mechanical->nq + p.problem.mechanical->nu;
  assert_int_equal(support_method(&p.problem)->create(&p.problem, &p.start, &opts, NULL, &it, NULL),
                   DAE_OK);
  while (dae_integrator_step(it, p.to, NULL) == DAE_OK) {
    dae_view view = dae_integrator_view(it);
    double h = view.t - view.t_previous, t = view.t_previous + h / 2, d = h / 4;
    double before[MOST], after[MOST], y[MOST], dy[MOST], size = 1;
    dae_integrator_interpolate(it, t - d, before, NULL, NULL);
    dae_integrator_interpolate(it, t + d, after, NULL, NULL);
    dae_integrator_interpolate(it, t, y, dy, NULL);
    for (int i = 0; i < states; i++)
      size = fmax(size, fabs(dy[i]));
    for (int i = 0; i < states && h > 1e-5; i++)
      assert_true(fabs((after[i] - before[i]) / (2 * d) - dy[i]) < 1e-3 * size);
  }
  dae_integrator_free(it);
}

static void test_dy_is_the_derivative_of_y(void **state)
{
  (void)state;
  check_derivative(test_pendulum2());
  check_derivative(test_motor());
  check_derivative(test_cylinder_skate());
  check_derivative(test_curvilinear());
}

static void test_algebraic_equations_hold_to_round_off(void **state)
{
  (void)state;
  test_problem p = test_motor();
  assert_true(run(&p, 1e-4).algebraic < BOUND);
  assert_true(run(&p, 1e-6).algebraic < BOUND);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_motion_satisfies_its_equations),
      cmocka_unit_test(test_dy_is_the_derivative_of_y),
      cmocka_unit_test(test_algebraic_equations_hold_to_round_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
