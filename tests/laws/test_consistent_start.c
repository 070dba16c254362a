/* A start that misses its constraints is repaired by the smallest move in the norm of the mass
 * matrix, and the account says what moved, from which value to which; what is fixed is not moved;
 * what cannot be met is refused by name. */
#include "support.h"
#include "text_problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define EXACT 1e-12

static void assert_near(double a, double b)
{
  if (!(fabs(a - b) <= EXACT * (1 + fabs(b))))
    fail_msg("%.17g is not %.17g", a, b);
}

static dae_status consistent(const test_problem *p, const bool *fixed, double *y, dae_error *err)
{
  dae_start start = {.t = p->start.t, .y = p->start.y, .fixed = fixed};
  return dae_consistent_start(&p->problem, &start, NULL, y, NULL, NULL, err);
}

/* a line "name\tfrom\tto" of the table */
static void assert_moved(const char *moves, const char *name, double from, double to)
{
  char key[32];
  double a, b;
  snprintf(key, sizeof key, "%s\t", name);
  const char *line = moves;
  while (line && strncmp(line, key, strlen(key)) != 0) {
    line = strchr(line, '\n');
    line = line ? line + 1 : NULL;
  }
  if (!line)
    fail_msg("%s is not in the table:\n%s", name, moves);
  assert_int_equal(sscanf(line + strlen(key), "%lf\t%lf", &a, &b), 2);
  assert_true(fabs(a - from) < 1e-11 && fabs(b - to) < 1e-11);
}

/* (1.2, -0.5) has length 1.3; the velocity (1, 1) has the component 7/13 along the rod */
static const double off[] = {1.2, -0.5, 1, 1, 0};
static const double on[] = {12. / 13, -5. / 13, 85. / 169, 204. / 169};

static void test_a_start_off_the_circle_goes_to_the_nearest_point(void **state)
{
  (void)state;
  test_problem variants[] = {test_pendulum(), test_pendulum_bare(), test_pendulum2()};
  for (int i = 0; i < 3; i++) {
    double y[5];
    variants[i].start.y = off;
    assert_int_equal(consistent(&variants[i], NULL, y, NULL), DAE_OK);
    for (int j = 0; j < 4; j++)
      if (i != 1)
        assert_near(y[j], on[j]);
      else /* differenced velocity constraint */
        assert_true(fabs(y[j] - on[j]) < 1e-9);
  }
}

static void first_row(void *user, double t, const double *y)
{
  double *first = user;
  if (t == 0)
    memcpy(first, y, 4 * sizeof *first);
}

static void test_the_account_says_what_moved_from_where_to_where(void **state)
{
  (void)state;
  test_problem p = test_pendulum();
  dae_bdf_options opts = support_options(1e-6);
  dae_summary summary;
  char text[8192];
  double first[4];
  p.start.y = off;
  p.to = 0.5;
  assert_int_equal(support_run(&p, &opts, 0, first_row, first, NULL, &summary), DAE_OK);
  assert_int_equal(summary.moved, 4);
  static const char *const names[] = {"x", "y", "der(x)", "der(y)"};
  for (int i = 0; i < 4; i++) {
    assert_moved(summary.moves, names[i], off[i], on[i]);
    assert_near(first[i], on[i]); /* and the rows begin there */
  }
  dae_summary_text(&summary, text, sizeof text);
  assert_non_null(strstr(text, "der(x)"));
  assert_non_null(strstr(text, "0.923076923"));
}

static void test_a_consistent_start_is_not_touched(void **state)
{
  (void)state;
  test_problem p;
  for (int i = 0; test_problem_at(i, &p); i++) {
    dae_bdf_options opts = support_options(1e-4);
    dae_summary summary;
    if (p.consistent) {
      p.to = p.start.t + 1e-3 * (p.to - p.start.t);
      assert_int_equal(support_run(&p, &opts, 0, NULL, NULL, NULL, &summary), DAE_OK);
      if (summary.moved != 0)
        fail_msg("%s: %s", p.name, summary.moves);
      assert_string_equal(summary.moves, "");
    }
    test_problem_free(&p);
  }
}

/* x + y = 1 with masses 1 and 4: the heavy coordinate moves a quarter as far */
static int light_and_heavy_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = 1;
  M[1] = M[2] = 0;
  M[3] = 4;
  return 0;
}

static int no_force(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user, (void)at;
  f[0] = f[1] = 0;
  return 0;
}

static int line_g(void *user, const dae_mechanical_at *at, double *g)
{
  (void)user;
  g[0] = at->q[0] + at->q[1] - 1;
  return 0;
}

static int line_G(void *user, const dae_mechanical_at *at, double *G)
{
  (void)user, (void)at;
  G[0] = G[1] = 1;
  return 0;
}

static void test_the_move_is_least_in_the_mass_norm(void **state)
{
  (void)state;
  static const dae_mechanical line = {.name = "line",
                                      .nq = 2,
                                      .ng = 1,
                                      .M = light_and_heavy_M,
                                      .f = no_force,
                                      .g = line_g,
                                      .G = line_G,
                                      .constant_mass = true,
                                      .time_free_g = true};
  static const double start[] = {2, 1.5, 3, 2, 0};
  test_problem p = {.problem = {.mechanical = &line}, .start = {.y = start}};
  double y[5];
  assert_int_equal(consistent(&p, NULL, y, NULL), DAE_OK);
  assert_near(y[0], 2 - 2);
  assert_near(y[1], 1.5 - 0.5);
  assert_near(y[2], 3 - 4);
  assert_near(y[3], 2 - 1);
}

static void test_fixed_values_are_held(void **state)
{
  (void)state;
  static const double start[] = {0.6, -0.9, 1, 2, 0};
  static const bool x_fixed[5] = {true}, rates_fixed[5] = {true, false, false, true};
  test_problem p = test_pendulum();
  double y[5];
  p.start.y = start;
  assert_int_equal(consistent(&p, x_fixed, y, NULL), DAE_OK);
  assert_true(y[0] == 0.6);
  assert_near(y[1], -0.8);
  assert_near(0.6 * y[2] - 0.8 * y[3], 0);
  assert_int_equal(consistent(&p, rates_fixed, y, NULL), DAE_OK);
  assert_true(y[0] == 0.6 && y[3] == 2);
  assert_near(y[1], -0.8);
  assert_near(y[2], 0.8 * 2 / 0.6);
  /* the constructor does the same by itself */
  dae_integrator *it;
  p.start.fixed = x_fixed;
  assert_int_equal(dae_bdf_ggl_create(&p.problem, &p.start, NULL, NULL, &it, NULL), DAE_OK);
  support_state(it, y, NULL);
  assert_true(y[0] == 0.6);
  assert_near(y[1], -0.8);
  dae_integrator_free(it);
}

static void test_too_much_fixed_is_refused_naming_the_constraint(void **state)
{
  (void)state;
  static const bool fixed[5] = {true, true};
  test_problem p = test_pendulum();
  dae_error err;
  double y[5];
  dae_integrator *it = NULL;
  p.start.y = off;
  p.start.fixed = fixed;
  assert_int_equal(consistent(&p, fixed, y, &err), DAE_ERROR_START);
  assert_string_equal(err.equation, "rod");
  assert_non_null(strstr(err.text, "rod"));
  assert_non_null(strstr(err.text, "fixed"));
  assert_int_equal(dae_bdf_ggl_create(&p.problem, &p.start, NULL, NULL, &it, &err),
                   DAE_ERROR_START);
  assert_null(it);
  /* on the circle there is nothing to hold against */
  static const double good[] = {0.6, -0.8, 0.8, 0.6, 0};
  p.start.y = good;
  assert_int_equal(consistent(&p, fixed, y, &err), DAE_OK);
  assert_true(y[0] == 0.6 && y[1] == -0.8);
}

static void test_contradictory_constraints_are_refused_by_their_names(void **state)
{
  (void)state;
  test_problem p = test_contradiction();
  dae_error err;
  double y[6];
  assert_int_equal(consistent(&p, NULL, y, &err), DAE_ERROR_START);
  assert_non_null(strstr(err.text, "short rod"));
  assert_non_null(strstr(err.text, "long rod"));
  assert_non_null(strstr(err.text, "contradict"));
  dae_bdf_options opts = dae_bdf_defaults();
  dae_summary summary;
  assert_int_equal(support_run(&p, &opts, 0, NULL, NULL, NULL, &summary), DAE_ERROR_START);
  assert_non_null(strstr(summary.message, "long rod"));
  assert_int_equal(summary.rows, 0);
}

static void test_dependent_constraints_are_met_from_a_rough_start(void **state)
{
  (void)state;
  test_problem p = test_parallel_bars();
  double start[9], y[9], position, velocity;
  dae_bdf_options opts = support_options(1e-6);
  dae_summary summary;
  for (int sign = -1; sign <= 1; sign += 2) {
    memcpy(start, p.start.y, sizeof start);
    for (int i = 0; i < 6; i++)
      start[i] += 1e-3 * sign * (1 + i % 3);
    p.start.y = start;
    assert_int_equal(consistent(&p, NULL, y, NULL), DAE_OK);
    support_drift(p.problem.mechanical, 0, y, &position, &velocity);
    assert_true(position < EXACT && velocity < EXACT);
    for (int i = 0; i < 6; i++)
      assert_true(fabs(y[i] - start[i]) < 1e-2);
    assert_true(fabs(y[2]) < 1e-6); /* parallel again */
    assert_int_equal(support_run(&p, &opts, 0, NULL, NULL, NULL, &summary), DAE_OK);
    assert_true(summary.moved >= 4);
    p = test_parallel_bars();
  }
}

/* on the way there the largest of the residuals does not always become smaller */
static void test_fixed_values_and_dependent_constraints_are_met_together(void **state)
{
  (void)state;
  static const char linkage[] = "model linkage\n"
                                "coord x = 0.4 fixed, y = 0 fixed rate 4 fixed, u = 1, w = 1\n"
                                "kinetic (x'^2 + y'^2 + u'^2 + w'^2)/2\n"
                                "constraint crank:   x^2 + y^2 = 0.16\n"
                                "constraint coupler: (u - x)^2 + (w - y)^2 = 1.44\n"
                                "constraint rocker:  (u - 1.3)^2 + w^2 = 1\n"
                                "constraint again:   ((u - x)^2 + (w - y)^2)/1.2 = 1.2\n";
  test_problem p;
  dae_model *model = text_problem(linkage, NULL, 0, 1, &p);
  double y[12];
  dae_error err = dae_error_none();
  if (consistent(&p, p.start.fixed, y, &err))
    fail_msg("%s", err.text);
  double u = y[2], w = y[3], ud = y[6], wd = y[7];
  assert_true(y[0] == 0.4 && y[1] == 0 && y[5] == 4);
  assert_near((u - 0.4) * (u - 0.4) + w * w, 1.44);
  assert_near((u - 1.3) * (u - 1.3) + w * w, 1);
  assert_near((u - 0.4) * ud + w * (wd - 4), 0);
  assert_near((u - 1.3) * ud + w * wd, 0);
  dae_model_free(model);
}

static void test_algebraic_variables_are_solved_for(void **state)
{
  (void)state;
  test_problem p = test_motor();
  double start[7], y[7];
  memcpy(start, p.start.y, sizeof start);
  start[5] = 0;
  p.start.y = start;
  assert_int_equal(consistent(&p, NULL, y, NULL), DAE_OK);
  assert_near(y[5], 2.577053202120514036);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_start_off_the_circle_goes_to_the_nearest_point),
      cmocka_unit_test(test_the_account_says_what_moved_from_where_to_where),
      cmocka_unit_test(test_a_consistent_start_is_not_touched),
      cmocka_unit_test(test_the_move_is_least_in_the_mass_norm),
      cmocka_unit_test(test_fixed_values_are_held),
      cmocka_unit_test(test_too_much_fixed_is_refused_naming_the_constraint),
      cmocka_unit_test(test_contradictory_constraints_are_refused_by_their_names),
      cmocka_unit_test(test_dependent_constraints_are_met_from_a_rough_start),
      cmocka_unit_test(test_fixed_values_and_dependent_constraints_are_met_together),
      cmocka_unit_test(test_algebraic_variables_are_solved_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
