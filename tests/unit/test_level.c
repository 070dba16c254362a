/* The constraint engine on levels made by hand: circles and lines in the plane. */
#include "problem/level.h"

#include "arena_fixture.h"
#include "linalg/pattern.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { N = 2, ROWS = 2, MOST = 100 };

/* Row i: a_i |x|^2 + b_i.x = c_i. */
typedef struct plane {
  dae__level level;
  dae_pattern M, G, K;
  double a[ROWS], b[ROWS][N], c[ROWS];
  double mass[N * N], A[ROWS * N], x[N];
  bool factored, active[ROWS];
  long factorisations;
  int residuals, jacobians;
  double size[MOST]; /* residual of the first row at each evaluation */
} plane;

static dae_status plane_residual(dae__level *l, const double *x, bool scaled, dae_error *err)
{
  plane *p = l->self;
  (void)err;
  for (int i = 0; i < l->rows; i++) {
    l->residual[i] =
        p->a[i] * (x[0] * x[0] + x[1] * x[1]) + p->b[i][0] * x[0] + p->b[i][1] * x[1] - p->c[i];
    if (scaled)
      l->scale[i] = fabs(p->c[i]);
  }
  if (p->residuals < MOST)
    p->size[p->residuals++] = fabs(l->residual[0]);
  return DAE_OK;
}

static dae_status plane_jacobian(dae__level *l, const double *x, dae_error *err)
{
  plane *p = l->self;
  (void)err;
  p->jacobians++;
  for (int i = 0; i < l->rows; i++)
    for (int j = 0; j < N; j++)
      p->A[i + l->rows * j] = 2 * p->a[i] * x[j] + p->b[i][j];
  return DAE_OK;
}

static const char *plane_name(const dae__level *l, int i, char *text, size_t size)
{
  static const char *const names[] = {"x1", "x2", "first", "second"};
  (void)l;
  snprintf(text, size, "%s", names[i]);
  return text;
}

static const dae__level_table plane_table = {plane_residual, plane_jacobian, plane_name, NULL};

/* rows as those of two joints */
static const char *plane_group(const dae__level *l, int row)
{
  (void)l;
  return row == 0 ? "J1" : "J2";
}

static const dae__level_table joint_table = {plane_residual, plane_jacobian, plane_name,
                                             plane_group};

/* A level of `rows` rows with the mass matrix diag(1, mass), at (x1, x2). */
static plane *plane_create(int rows, double mass, double x1, double x2)
{
  plane *p = DAE__ALLOC(arena, plane, 1);
  p->M = dae__pattern_dense(arena, N, N);
  p->G = dae__pattern_dense(arena, rows, N);
  p->K = dae__pattern_empty(arena, 0, N);
  p->mass[0] = 1;
  p->mass[3] = mass;
  p->x[0] = x1;
  p->x[1] = x2;
  p->level = (dae__level){.table = &plane_table,
                          .self = p,
                          .where = " at hand",
                          .n = N,
                          .rows = rows,
                          .M = &p->M,
                          .G = &p->G,
                          .K = &p->K,
                          .M_values = p->mass,
                          .G_values = p->A,
                          .factored = &p->factored,
                          .factorisations = &p->factorisations,
                          .x = p->x,
                          .t = 3};
  dae__level_alloc(arena, &p->level);
  assert_int_equal(dae__saddle_create(arena, &p->M, &p->G, &p->K, &p->level.saddle, NULL), DAE_OK);
  return p;
}

static void plane_free(plane *p)
{
  dae__saddle_free(p->level.saddle);
}

/* A level with the unit circle. */
static plane *circle_create(double mass, double x1, double x2)
{
  plane *p = plane_create(1, mass, x1, x2);
  p->a[0] = p->c[0] = 1;
  return p;
}

static void add_line(plane *p, int i, double b1, double b2, double c)
{
  p->b[i][0] = b1;
  p->b[i][1] = b2;
  p->c[i] = c;
}

/* ---- projection ---- */

static void test_a_point_on_the_constraints_does_not_move(void **state)
{
  (void)state;
  plane *p = circle_create(1, 0.6, 0.8 + 1e-14);
  bool moved = false;
  assert_int_equal(dae__level_project(&p->level, &moved, NULL), DAE_OK);
  assert_false(moved);
  assert_true(p->x[1] == 0.8 + 1e-14);
  assert_int_equal(p->jacobians, 0);
  plane_free(p);
}

static void test_a_projection_ends_on_the_constraint(void **state)
{
  (void)state;
  plane *p = circle_create(1, 0.61, 0.82);
  bool moved = false;
  double slope = p->x[1] / p->x[0];
  assert_int_equal(dae__level_project(&p->level, &moved, NULL), DAE_OK);
  assert_true(moved);
  assert_true(fabs(hypot(p->x[0], p->x[1]) - 1) < 1e-12);
  assert_true(fabs(p->x[1] / p->x[0] - slope) < 1e-12); /* least change is along the radius */
  plane_free(p);
}

static void test_a_factorisation_is_reused_while_it_reduces_the_residual(void **state)
{
  (void)state;
  plane *p = circle_create(1, 0.61, 0.82);
  bool moved = false;
  assert_int_equal(dae__level_project(&p->level, &moved, NULL), DAE_OK);
  assert_int_equal(p->jacobians, 1);
  p->x[0] += 1e-3;
  assert_int_equal(dae__level_project(&p->level, &moved, NULL), DAE_OK);
  assert_int_equal(p->jacobians, 1);
  /* a quarter of the circle away that matrix is of no use */
  p->x[0] = 0.01;
  p->x[1] = -1.02;
  assert_int_equal(dae__level_project(&p->level, &moved, NULL), DAE_OK);
  assert_true(p->jacobians > 1);
  assert_int_equal(p->factorisations, p->jacobians);
  assert_true(fabs(hypot(p->x[0], p->x[1]) - 1) < 1e-12);
  plane_free(p);
}

static void test_a_projection_that_does_not_converge_names_the_row_and_the_time(void **state)
{
  (void)state;
  plane *p = plane_create(2, 1, 0.7, 0.4);
  dae_error err = dae_error_none();
  bool moved = false;
  add_line(p, 0, 1, -1, 0);
  p->a[1] = 1;
  p->c[1] = -1; /* |x|^2 = -1 */
  assert_int_equal(dae__level_project(&p->level, &moved, &err), DAE_ERROR_RECOVERABLE);
  assert_string_equal(err.equation, "second");
  assert_non_null(strstr(err.text, "does not converge"));
  assert_true(err.t == 3);
  plane_free(p);
}

static void test_a_singular_matrix_names_the_dependent_row(void **state)
{
  (void)state;
  plane *p = plane_create(2, 1, 1, 1);
  dae_error err = dae_error_none();
  bool moved = false;
  add_line(p, 0, 1, 2, 4);
  add_line(p, 1, 2, 4, 8);
  assert_int_equal(dae__level_project(&p->level, &moved, &err), DAE_ERROR_SINGULAR);
  assert_string_equal(err.equation, "second");
  assert_false(p->factored);
  plane_free(p);
}

static void test_masked_rows_are_left_alone(void **state)
{
  (void)state;
  plane *p = plane_create(2, 1, 1, 1);
  bool moved = false;
  add_line(p, 0, 1, 2, 4);
  p->active[0] = true;
  p->level.active = p->active;
  assert_int_equal(dae__level_project(&p->level, &moved, NULL), DAE_OK);
  assert_true(fabs(p->x[0] + 2 * p->x[1] - 4) < 1e-12);
  plane_free(p);
}

/* ---- consistent start ---- */

static void test_a_start_converges_quadratically(void **state)
{
  (void)state;
  plane *p = circle_create(1, 30, 40);
  int quadratic = 0;
  assert_int_equal(dae__level_start(&p->level, NULL), DAE_OK);
  assert_true(fabs(p->x[0] - 0.6) < 1e-15 && fabs(p->x[1] - 0.8) < 1e-15);
  for (int k = 1; k < p->residuals; k++)
    if (p->size[k - 1] < 0.1 && p->size[k - 1] > 1e-7)
      quadratic += p->size[k] < 2 * p->size[k - 1] * p->size[k - 1] + 1e-15;
  assert_true(quadratic >= 2);
  assert_false(p->factored); /* the factors are those of a shifted matrix */
  plane_free(p);
}

static void test_a_start_is_the_point_of_minimum_norm(void **state)
{
  (void)state;
  plane *p = plane_create(1, 4, 1, -1);
  add_line(p, 0, 1, 2, 5);
  assert_int_equal(dae__level_start(&p->level, NULL), DAE_OK);
  /* M d = A'y, M = diag(1, 4), A = (1, 2): d = (y, y/2); A d = 5 - A x = 6: y = 3 */
  assert_true(fabs(p->x[0] - 4) < 1e-13 && fabs(p->x[1] - 0.5) < 1e-13);
  plane_free(p);
}

static void test_fixed_values_do_not_move(void **state)
{
  (void)state;
  static const bool fixed[N] = {false, true};
  plane *p = circle_create(2, 0.9, 0.8);
  p->mass[1] = p->mass[2] = 0.5; /* coupling of both coordinates in M */
  p->level.fixed = fixed;
  assert_int_equal(dae__level_start(&p->level, NULL), DAE_OK);
  assert_true(p->x[1] == 0.8);
  assert_true(fabs(p->x[0] - 0.6) < 1e-15);
  plane_free(p);
}

static void test_a_start_that_fixed_values_exclude_is_refused(void **state)
{
  (void)state;
  static const bool fixed[N] = {false, true};
  plane *p = circle_create(1, 0.3, 1.5);
  dae_error err = dae_error_none();
  p->level.fixed = fixed;
  assert_int_equal(dae__level_start(&p->level, &err), DAE_ERROR_START);
  assert_string_equal(err.equation, "first");
  assert_non_null(strstr(err.text, "cannot be met with the values that are fixed at hand"));
  assert_true(err.t == 3);
  plane_free(p);
}

static void test_a_start_with_dependent_rows_converges(void **state)
{
  (void)state;
  plane *p = plane_create(2, 1, 3, 5);
  add_line(p, 0, 1, 2, 4);
  add_line(p, 1, 2, 4, 8);
  assert_int_equal(dae__level_start(&p->level, NULL), DAE_OK);
  assert_true(fabs(p->x[0] + 2 * p->x[1] - 4) < 1e-9);
  assert_true(fabs(2 * (p->x[0] - 3) - (p->x[1] - 5)) < 1e-9); /* along (1, 2) */
  plane_free(p);
}

static void test_rows_that_contradict_each_other_are_named(void **state)
{
  (void)state;
  plane *p = plane_create(2, 1, 3, 5);
  dae_error err = dae_error_none();
  add_line(p, 0, 1, 2, 4);
  add_line(p, 1, 1, 2, 6);
  assert_int_equal(dae__level_start(&p->level, &err), DAE_ERROR_START);
  assert_non_null(strstr(err.text, "the constraints first, second cannot be met at hand"));
  plane_free(p);
}

/* ---- independent rows ---- */

static void test_dependent_rows_are_found_and_described(void **state)
{
  (void)state;
  plane *p = plane_create(2, 3, 1, 1);
  bool rows[ROWS] = {true, true};
  char text[100] = "";
  double c[ROWS];
  int rank;
  add_line(p, 0, 1, 2, 4);
  add_line(p, 1, 2, 4, 8);
  assert_int_equal(plane_jacobian(&p->level, p->x, NULL), DAE_OK);
  assert_int_equal(dae__level_independent(&p->level, 1e-9, NULL, rows, &rank, NULL), DAE_OK);
  assert_int_equal(rank, 1);
  assert_true(rows[0] && !rows[1]);
  p->level.active = rows;
  assert_int_equal(dae__level_factor(&p->level, 0, NULL), DAE_OK);
  dae__level_combination(&p->level, 1, c);
  assert_true(fabs(c[0] - 2) < 1e-13 && fabs(c[1]) < 1e-13);
  assert_int_equal(dae__level_describe(&p->level, 1, rows, text, sizeof text), 1);
  assert_string_equal(text, "constraint second depends on first");
  text[0] = 0;
  p->level.table = &joint_table;
  assert_int_equal(dae__level_describe(&p->level, 1, rows, text, sizeof text), 1);
  assert_string_equal(text, "J2 repeats 1 of 1 condition that J1 already set; its force and torque "
                            "are those of least size");
  plane_free(p);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_a_point_on_the_constraints_does_not_move),
      TEST(test_a_projection_ends_on_the_constraint),
      TEST(test_a_factorisation_is_reused_while_it_reduces_the_residual),
      TEST(test_a_projection_that_does_not_converge_names_the_row_and_the_time),
      TEST(test_a_singular_matrix_names_the_dependent_row),
      TEST(test_masked_rows_are_left_alone),
      TEST(test_a_start_converges_quadratically),
      TEST(test_a_start_is_the_point_of_minimum_norm),
      TEST(test_fixed_values_do_not_move),
      TEST(test_a_start_that_fixed_values_exclude_is_refused),
      TEST(test_a_start_with_dependent_rows_converges),
      TEST(test_rows_that_contradict_each_other_are_named),
      TEST(test_dependent_rows_are_found_and_described),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
