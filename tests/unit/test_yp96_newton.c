/* The nonlinear system of one step of [YP96] and its iterations: solutions, rates and fixed points
 * that are known in closed form. */
#include "yp96_newton.h"

#include <daedal/problem.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- a point on a circle, on a spring of stiffness k towards (1, 0), with a mass matrix ---- */

static double stiffness, mass[2];

static int point_mass(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user, (void)at;
  out[0] = mass[0], out[1] = 0, out[2] = 0, out[3] = mass[1];
  return 0;
}

static int point_force(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = -stiffness * (at->q[0] - 1);
  out[1] = -stiffness * at->q[1] - 1;
  return 0;
}

static int point_circle(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1) / 2;
  return 0;
}

static int point_gradient(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = at->q[0], out[1] = at->q[1];
  return 0;
}

static const dae_mechanical point = {.name = "point",
                                     .nq = 2,
                                     .ng = 1,
                                     .M = point_mass,
                                     .f = point_force,
                                     .g = point_circle,
                                     .G = point_gradient};

static void set_circle(double angle, double rate, double *z)
{
  memset(z, 0, YP96_Z * sizeof *z);
  z[0] = cos(angle), z[1] = sin(angle);
  z[2] = -sin(angle) * rate, z[3] = cos(angle) * rate;
}

static yp96_step make_step(double h, double angle, double rate, int independent)
{
  yp96_step step;
  dae_error err;
  double past[YP96_Z];
  set_circle(angle, rate, past);
  assert_int_equal(yp96_step_begin(&point, 1 / h, past, past, independent, &step, &err), DAE_OK);
  return step;
}

static int set_up(void **state)
{
  (void)state;
  stiffness = 0;
  mass[0] = mass[1] = 1;
  return 0;
}

/* ---- the split and the solution ---- */

static void test_the_largest_pivot_becomes_dependent(void **state)
{
  (void)state;
  yp96_step step = make_step(0.1, 0.2, 0, -1);
  assert_int_equal(step.y[0], 0); /* x, where G = (cos, sin) */
  assert_int_equal(step.x[0], 1);
  step = make_step(0.1, 0.2, 0, 0);
  assert_int_equal(step.y[0], 1); /* x is kept independent */
}

static void test_solutions_do_not_depend_on_the_split(void **state)
{
  (void)state;
  double one[YP96_Z], other[YP96_Z], F[YP96_Z];
  stiffness = 100;
  mass[1] = 3;
  for (int independent = 0; independent < 2; independent++) {
    double *z = independent ? other : one;
    yp96_step step = make_step(0.01, -0.7, 1.5, independent);
    set_circle(-0.7, 1.5, z);
    assert_true(yp96_step_solve(&step, z, NULL));
    yp96_step_residual(&step, z, NULL, F);
    for (int i = 0; i < 4; i++)
      assert_true(fabs(F[i]) < 1e-9);
  }
  assert_true(yp96_distance(one, other, 4) < 1e-12);
}

static void test_large_problems_are_refused(void **state)
{
  (void)state;
  dae_mechanical large = point;
  yp96_step step;
  dae_error err;
  double zero[YP96_Z] = {0};
  large.nq = YP96_MOST + 1;
  assert_int_equal(yp96_step_begin(&large, 1, zero, zero, -1, &step, &err), DAE_ERROR_USAGE);
  assert_non_null(strstr(err.text, "point is too large"));
}

/* ---- rates ---- */

/* Around the rest position of a stiff spring, delta away from it: delta for CS, delta^2/2 for CM.
 */
static void test_rates_follow_the_distance_of_the_start(void **state)
{
  (void)state;
  for (int i = 0; i < 3; i++) {
    double delta = pow(10, -1 - i), solution[YP96_Z], start[YP96_Z], frozen[YP96_Z];
    stiffness = 1e6;
    yp96_step step = make_step(1e-2, -1e-6, 0, 1);
    set_circle(-1e-6, 0, solution);
    assert_true(yp96_step_solve(&step, solution, NULL));
    set_circle(atan2(solution[1], solution[0]) + delta, 0, start);
    memcpy(start + 2, solution + 2, 2 * sizeof *start);
    memcpy(frozen, solution, sizeof frozen);
    assert_true(yp96_step_solve(&step, frozen, start));
    double cs = yp96_step_rate(&step, start, NULL, solution, NULL);
    double cm = yp96_step_rate(&step, start, start, frozen, start);
    assert_true(fabs(cs / delta - 1) < 0.02);
    assert_true(fabs(cm / (delta * delta / 2) - 1) < 0.05);
  }
}

/* ---- Algorithms 2.1 and 3.1 ---- */

static double error_of(yp96_variant variant, int iterations)
{
  yp96_step step = make_step(0.01, -0.3, 1, -1);
  double z[YP96_Z], solution[YP96_Z];
  set_circle(-0.3, 1, z);
  for (int i = 0; i < 2; i++)
    z[i] += 0.01 * z[2 + i];
  memcpy(solution, z, sizeof solution);
  assert_true(yp96_step_solve(&step, solution,
                              variant == YP96_CM_EXACT || variant == YP96_CM_PRINTED ? z : NULL));
  yp96_step_iterate(&step, variant, iterations, z);
  return yp96_distance(z, solution, 2);
}

static void test_printed_algorithms_are_right_where_they_commute(void **state)
{
  (void)state;
  assert_true(error_of(YP96_EXACT, 30) < 1e-13);
  assert_true(error_of(YP96_ALGORITHM, 30) < 1e-13);
  assert_true(error_of(YP96_CM_EXACT, 30) < 1e-13);
  assert_true(error_of(YP96_CM_PRINTED, 30) < 1e-13);
}

static void test_printed_algorithms_converge_to_a_wrong_point(void **state)
{
  (void)state;
  stiffness = 1e4;
  mass[1] = 2; /* J1 no longer maps the range of G' into itself */
  assert_true(error_of(YP96_EXACT, 60) < 1e-10);
  assert_true(error_of(YP96_CM_EXACT, 60) < 1e-10);
  double once = error_of(YP96_ALGORITHM, 30), twice = error_of(YP96_ALGORITHM, 60);
  assert_true(once > 1e-4 && fabs(once - twice) < 1e-10); /* a fixed point, but another one */
  assert_true(error_of(YP96_CM_PRINTED, 60) > 1e-4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_the_largest_pivot_becomes_dependent, set_up),
      cmocka_unit_test_setup(test_solutions_do_not_depend_on_the_split, set_up),
      cmocka_unit_test_setup(test_large_problems_are_refused, set_up),
      cmocka_unit_test_setup(test_rates_follow_the_distance_of_the_start, set_up),
      cmocka_unit_test_setup(test_printed_algorithms_are_right_where_they_commute, set_up),
      cmocka_unit_test_setup(test_printed_algorithms_converge_to_a_wrong_point, set_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
