/* The matrix of all stages of radau for few unknowns: its solutions put into the matrix as it is
 * defined, row by row. */
#include "linalg/pattern.h"
#include "onestep/radau/radau.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define N 12
#define S 7
#define H 0.1

/* derivatives of one stage after the other, d of n unknowns integrated */
typedef struct stages {
  dae__arena *arena;
  dae__reduced r;
  dae__radau_rule rule;
  int n, d;
  double P[S][3][N * N];
} stages;

static double draw(void)
{
  return (double)rand() / RAND_MAX - 0.5;
}

static stages *make(int s, int d, int m)
{
  stages *o = test_calloc(1, sizeof *o);
  o->n = d + m;
  o->d = d;
  o->arena = dae__arena_create(NULL);
  o->rule = dae__radau_rule_create(s);
  o->r = (dae__reduced){
      .n2 = d / 2, .n1 = d - d / 2, .n = o->n, .pattern = dae__pattern_dense(o->arena, o->n, o->n)};
  for (int i = 0; i < s; i++)
    for (int p = 0; p < 3; p++)
      for (int e = 0; e < o->n * o->n; e++) /* what is not integrated stands in P0 alone */
        o->P[i][p][e] = p == 0 || e / o->n < d ? draw() : 0;
  return o;
}

static void discard(stages *o)
{
  dae__arena_free(o->arena);
  test_free(o);
}

/* entry (row of stage i, unknown of stage j) */
static double entry(const stages *o, int i, int row, int j, int col)
{
  int e = col * o->n + row;
  return (i == j) * o->P[i][0][e] + H * o->rule.c->A[i][j] * o->P[i][1][e] +
         H * H * o->rule.c->A2[i][j] * o->P[i][2][e];
}

/* the rows of all stages; the first unknown at which one is singular, or -1 */
static int add_all(stages *o, dae__radau_small *f)
{
  for (int i = 0; i < o->rule.s; i++) {
    for (int p = 0; p < 3; p++)
      o->r.P[p] = o->P[i][p];
    int failed = dae__radau_small_add(f, &o->r, o->rule.c, H, i);
    if (failed >= 0)
      return failed;
  }
  return -1;
}

/* the largest |J D - R| of a row relative to its terms */
static double solve(stages *o)
{
  int s = o->rule.s, n = o->n, column;
  double D[S * N], R[S * N], worst = 0;
  dae__radau_small *f;
  assert_int_equal(dae__radau_small_create(o->arena, &o->r, s, &f, NULL), DAE_OK);
  assert_int_equal(add_all(o, f), -1);
  assert_int_equal(dae__radau_small_factor(f, &column), DAE_OK);
  assert_int_equal(column, -1);
  for (int e = 0; e < s * n; e++)
    D[e] = R[e] = draw();
  dae__radau_small_solve(f, D);
  for (int i = 0; i < s * n; i++) {
    double sum = -R[i], size = fabs(R[i]);
    for (int j = 0; j < s * n; j++) {
      double term = entry(o, i / n, i % n, j / n, j % n) * D[j];
      sum += term;
      size += fabs(term);
    }
    worst = fmax(worst, fabs(sum) / size);
  }
  return worst;
}

static void test_solutions_satisfy_the_rows_of_all_stages(void **state)
{
  (void)state;
  for (int s = 3; s <= S; s += 2)
    for (int d = 1; d <= N; d++)
      for (int m = 0; m <= N - d && m <= d; m++) {
        stages *o = make(s, d, m);
        assert_true(solve(o) < 1e-11);
        discard(o);
      }
}

/* a stiff spring in one equation, rows of constraints, which have no multipliers */
static void test_rows_of_other_size_do_no_harm(void **state)
{
  (void)state;
  stages *o = make(5, 6, 4);
  for (int i = 0; i < 5; i++)
    for (int col = 0; col < 10; col++) {
      for (int p = 0; p < 3; p++)
        o->P[i][p][col * 10 + 2] *= p == 2 ? 1e12 : 1;
      for (int row = 6; col >= 6 && row < 10; row++)
        o->P[i][0][col * 10 + row] = 0;
    }
  assert_true(solve(o) < 1e-11);
  discard(o);
}

/* a constraint that depends on others has the row "multiplier = 0" */
static void test_a_pivot_may_stand_in_any_row(void **state)
{
  (void)state;
  stages *o = make(3, 5, 3);
  for (int i = 0; i < 3; i++)
    for (int e = 0; e < 8; e++) {
      o->P[i][0][5 * 8 + e] = e == 5;
      o->P[i][0][e * 8 + 5] = e == 5;
      o->P[i][1][e * 8 + 5] = o->P[i][2][e * 8 + 5] = 0;
    }
  assert_true(solve(o) < 1e-11);
  discard(o);
}

static void test_a_singular_matrix_names_its_unknown(void **state)
{
  (void)state;
  int column;
  dae__radau_small *f;
  stages *o = make(3, 5, 3);
  for (int e = 0; e < 8; e++)
    o->P[1][0][6 * 8 + e] = 0; /* in no row of the second stage */
  assert_int_equal(dae__radau_small_create(o->arena, &o->r, 3, &f, NULL), DAE_OK);
  assert_int_equal(add_all(o, f), 6);
  discard(o);
  o = make(3, 5, 3);
  for (int i = 0; i < 3; i++)
    for (int p = 0; p < 3; p++)
      for (int e = 0; e < 8; e++)
        o->P[i][p][2 * 8 + e] = 0;
  assert_int_equal(dae__radau_small_create(o->arena, &o->r, 3, &f, NULL), DAE_OK);
  assert_int_equal(add_all(o, f), -1);
  assert_int_equal(dae__radau_small_factor(f, &column), DAE_ERROR_SINGULAR);
  assert_int_equal(column, 2);
  discard(o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solutions_satisfy_the_rows_of_all_stages),
      cmocka_unit_test(test_rows_of_other_size_do_no_harm),
      cmocka_unit_test(test_a_pivot_may_stand_in_any_row),
      cmocka_unit_test(test_a_singular_matrix_names_its_unknown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
