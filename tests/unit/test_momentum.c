/* The momentum form: names and sizes, derivatives that are differenced against those that are
 * given. */
#include "core/vec.h"
#include "linalg/pattern.h"

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

/* ---- names and sizes ---- */

static void test_the_state_vector_is_y_z_lambda_psi(void **state)
{
  (void)state;
  static const char *const names[] = {
      "x", "Y", "w", "phi", "vx", "vY", "vw", "omega", "lambda(cylinder)", "psi(blade)"};
  test_problem p = test_mixed(true);
  char name[64];
  assert_int_equal(dae_problem_size(&p.problem), 10);
  for (int i = 0; i < 10; i++) {
    dae_variable_kind kind = dae_problem_variable(&p.problem, i, name, sizeof name);
    assert_string_equal(name, names[i]);
    assert_int_equal(kind, i < 4   ? DAE_VARIABLE_COORDINATE
                           : i < 8 ? DAE_VARIABLE_STATE
                                   : DAE_VARIABLE_MULTIPLIER);
  }
}

static void test_variables_without_names_are_numbered(void **state)
{
  (void)state;
  static const char *const names[] = {"y[1]", "y[2]", "z[1]", "z[2]", "lambda[1]"};
  dae_momentum bare = *test_curv_ham(false).problem.momentum;
  char name[64];
  bare.g_names = NULL;
  dae_problem problem = dae_problem_momentum(&bare);
  for (int i = 0; i < 5; i++) {
    dae_problem_variable(&problem, i, name, sizeof name);
    assert_string_equal(name, names[i]);
  }
}

/* ---- derivatives ---- */

/* a point off the constraints, where nothing vanishes */
static const double at_y[] = {0.7, -0.4, 0.5, 0.9}, at_z[] = {-0.3, 0.8, 0.6, 1.3};
static const double multiplier[] = {0.37};

static void test_differenced_derivatives_are_the_given_ones(void **state)
{
  (void)state;
  dae_momentum_at at = {.t = 0.3, .y = at_y, .z = at_z};
  double given[64], differenced[64];
  for (size_t i = 0; i < MAKERS; i++) {
    dae__momentum *full = create(makers[i](true).problem.momentum);
    dae__momentum *bare = create(makers[i](false).problem.momentum);
    for (int part = 0; part < DAE__MOMENTUM_PARTS; part++) {
      int count = dae__pattern_count(&full->pattern[part]);
      assert_int_equal(count, dae__pattern_count(&bare->pattern[part]));
      assert_int_equal(
          dae__momentum_jacobian(full, (dae__momentum_part)part, &at, multiplier, given, NULL),
          DAE_OK);
      assert_int_equal(dae__momentum_jacobian(bare, (dae__momentum_part)part, &at, multiplier,
                                              differenced, NULL),
                       DAE_OK);
      double tolerance = part == DAE__G_Y ? 1e-11 : 1e-6;
      for (int e = 0; e < count; e++)
        if (!(fabs(given[e] - differenced[e]) <= tolerance))
          fail_msg("%s, %s, entry %d: %.15g instead of %.15g", full->p->name,
                   dae__momentum_given_of(full->p, (dae__momentum_part)part).name, e,
                   differenced[e], given[e]);
    }
  }
}

static void test_without_p_the_momentum_is_z(void **state)
{
  (void)state;
  dae__momentum *m = create(test_mixed(false).problem.momentum);
  dae_momentum_at at = {.y = at_y, .z = at_z};
  double p[4], p_z[4] = {0};
  assert_int_equal(dae__momentum_eval(m, DAE__P, &at, NULL, p, NULL), DAE_OK);
  assert_memory_equal(p, at_z, sizeof p);
  assert_int_equal(dae__pattern_count(&m->pattern[DAE__P_Y]), 0);
  assert_int_equal(dae__pattern_count(&m->pattern[DAE__P_Z]), 4);
  assert_int_equal(dae__momentum_jacobian(m, DAE__P_Z, &at, NULL, p_z, NULL), DAE_OK);
  for (int i = 0; i < 4; i++)
    assert_true(p_z[i] == 1);
}

/* gdot_z is the derivative of gdot by z */
static void test_the_product_g_y_v_z_is_the_derivative_of_gdot(void **state)
{
  (void)state;
  for (size_t i = 0; i < MAKERS; i++) {
    dae__momentum *m = create(makers[i](true).problem.momentum);
    double gdot_z[4], z[4], ahead, behind;
    dae_momentum_at at = {.t = 0.3, .y = at_y, .z = at_z}, moved = {.t = 0.3, .y = at_y, .z = z};
    assert_int_equal(dae__momentum_jacobian(m, DAE__GDOT_Z, &at, NULL, gdot_z, NULL), DAE_OK);
    for (int j = 0; j < m->nz; j++) {
      dae__copy(m->nz, at_z, z);
      z[j] += 0.5; /* gdot is linear in z */
      assert_int_equal(dae__momentum_eval(m, DAE__GDOT, &moved, NULL, &ahead, NULL), DAE_OK);
      z[j] -= 1;
      assert_int_equal(dae__momentum_eval(m, DAE__GDOT, &moved, NULL, &behind, NULL), DAE_OK);
      assert_true(fabs(ahead - behind - gdot_z[j]) < 1e-14);
    }
  }
}

/* 40 masses in a row, distances kept: v_z and g_y with patterns, g_y v_z without a dense matrix */
enum { ROW = 40 };

static int row_v(void *user, const dae_momentum_at *at, double *v)
{
  (void)user;
  for (int i = 0; i < ROW; i++)
    v[i] = (1 + i) * at->z[i];
  return 0;
}

static int row_f(void *user, const dae_momentum_at *at, const double *psi, double *f)
{
  (void)user, (void)at, (void)psi;
  for (int i = 0; i < ROW; i++)
    f[i] = i;
  return 0;
}

static int row_g(void *user, const dae_momentum_at *at, double *g)
{
  (void)user;
  for (int i = 0; i + 1 < ROW; i++)
    g[i] = at->y[i + 1] - at->y[i] - 1;
  return 0;
}

static int row_r(void *user, const dae_momentum_at *at, const double *lambda, double *r)
{
  (void)user, (void)at;
  for (int i = 0; i < ROW; i++)
    r[i] = (i + 1 < ROW ? lambda[i] : 0) - (i > 0 ? lambda[i - 1] : 0);
  return 0;
}

static void test_sparse_patterns_stay_sparse(void **state)
{
  (void)state;
  dae_pattern one = dae__pattern_diagonal(arena, ROW);
  dae_pattern none = {ROW, ROW, DAE__ALLOC(arena, int, ROW + 1), DAE__ALLOC(arena, int, 0)};
  int *start = DAE__ALLOC(arena, int, ROW + 1), *row = DAE__ALLOC(arena, int, 2 * ROW);
  int count = 0;
  for (int j = 0; j < ROW; j++) { /* column j has rows j - 1 and j */
    start[j] = count;
    if (j > 0)
      row[count++] = j - 1;
    if (j + 1 < ROW)
      row[count++] = j;
  }
  start[ROW] = count;
  dae_pattern G = {ROW - 1, ROW, start, row}, R = dae__pattern_transpose(arena, &G, NULL);
  dae_momentum chain = {.name = "row",
                        .ny = ROW,
                        .nz = ROW,
                        .ng = ROW - 1,
                        .v = row_v,
                        .f = row_f,
                        .r = row_r,
                        .g = row_g,
                        .v_y_pattern = &none,
                        .v_z_pattern = &one,
                        .f_y_pattern = &none,
                        .f_z_pattern = &none,
                        .r_y_pattern = &none,
                        .r_lambda_pattern = &R,
                        .g_y_pattern = &G,
                        .time_free_g = true};
  dae__momentum *m = create(&chain);
  assert_int_equal(dae__pattern_count(&m->pattern[DAE__GDOT_Z]), count);
  assert_int_equal(dae__pattern_count(&m->pattern[DAE__GDOT_Y]), count);
  double y[ROW], z[ROW] = {0}, gdot_z[2 * ROW];
  for (int i = 0; i < ROW; i++)
    y[i] = i;
  dae_momentum_at at = {.y = y, .z = z};
  assert_int_equal(dae__momentum_jacobian(m, DAE__GDOT_Z, &at, NULL, gdot_z, NULL), DAE_OK);
  for (int j = 0; j < ROW; j++)
    for (int e = start[j]; e < start[j + 1]; e++)
      assert_true(fabs(gdot_z[e] - (row[e] == j ? -1 : 1) * (j + 1)) < 1e-5);
  /* all move together: sum_i y_i' / (i + 1) = sum_i i */
  double full[3 * ROW - 1] = {0}, dy[3 * ROW - 1], sum = 0;
  dae__copy(ROW, y, full);
  dae__momentum_motion *motion = create_motion(&chain);
  assert_int_equal(dae__momentum_accelerate(motion, 0, full, dy, NULL), DAE_OK);
  for (int i = 0; i < ROW; i++)
    sum += 1.0 / (i + 1);
  for (int i = 0; i < ROW; i++)
    assert_true(fabs(dy[ROW + i] * (i + 1) - ROW * (ROW - 1) / 2 / sum) < 1e-9);
  dae__momentum_motion_free(motion);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(test_the_state_vector_is_y_z_lambda_psi),
      TEST(test_variables_without_names_are_numbered),
      TEST(test_differenced_derivatives_are_the_given_ones),
      TEST(test_without_p_the_momentum_is_z),
      TEST(test_the_product_g_y_v_z_is_the_derivative_of_gdot),
      TEST(test_sparse_patterns_stay_sparse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
