/* The kernels of small systems, which dae__solver_create_iteration uses, beside the others. */
#include "linalg/solver.h"

#include "linalg/pattern.h"
#include "uniform.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 14 /* beyond the largest instance */

/* A matrix of order n in an arena of its own; every band-th diagonal and those next to it are there
 * (band = 1: all). */
typedef struct matrix {
  dae__arena *arena;
  dae_pattern pattern;
  double values[MOST * MOST];
} matrix;

static bool in_pattern(int i, int j, int band)
{
  int d = abs(i - j);
  return band == 1 || d <= 1 || d % band == 0;
}

/* entries of all sizes, rows scaled from 1e-6 to 1e6 */
static matrix matrix_of(int n, int band)
{
  matrix A = {.arena = dae__arena_create(NULL)};
  int *start = DAE__ALLOC(A.arena, int, n + 1), *row = DAE__ALLOC(A.arena, int, n *n), count = 0;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++)
      if (in_pattern(i, j, band)) {
        A.values[count] = uniform() * pow(10, (i * 5) % 13 - 6);
        row[count++] = i;
      }
    start[j + 1] = count;
  }
  A.pattern = (dae_pattern){n, n, start, row};
  return A;
}

static dae__solver *solver_of(matrix *A)
{
  dae__solver *solver = NULL;
  assert_int_equal(dae__solver_create_iteration(A->arena, &A->pattern, &solver, NULL), DAE_OK);
  assert_string_equal(dae__solver_kind(solver), "dense");
  return solver;
}

/* largest of |A x - b|_i relative to the terms that it is made of */
static double residual(const matrix *A, const double *x, const double *b)
{
  double r[MOST] = {0}, size[MOST] = {0}, most = 0;
  int n = A->pattern.cols;
  for (int j = 0; j < n; j++)
    for (int e = A->pattern.start[j]; e < A->pattern.start[j + 1]; e++) {
      r[A->pattern.row[e]] += A->values[e] * x[j];
      size[A->pattern.row[e]] += fabs(A->values[e] * x[j]);
    }
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(r[i] - b[i]) / (size[i] + fabs(b[i])));
  return most;
}

static void test_solutions_solve_for_all_sizes_and_patterns(void **state)
{
  (void)state;
  for (int n = 1; n <= MOST; n++)
    for (int band = 1; band <= 4; band++) {
      matrix A = matrix_of(n, band);
      dae__solver *solver = solver_of(&A);
      double b[MOST], x[MOST];
      for (int i = 0; i < n; i++)
        x[i] = b[i] = uniform();
      assert_int_equal(dae__solver_factor(solver, A.values), DAE_OK);
      assert_int_equal(dae__solver_column(solver), -1);
      dae__solver_solve(solver, x);
      assert_true(residual(&A, x, b) < 1e3 * DBL_EPSILON);
      dae__solver_free(solver);
      dae__arena_free(A.arena);
    }
}

static void test_a_column_that_depends_on_others_is_named(void **state)
{
  (void)state;
  for (int n = 2; n <= MOST; n++)
    for (int column = 0; column < n; column++) {
      matrix A = matrix_of(n, 1);
      dae__solver *solver = solver_of(&A);
      memset(A.values + column * n, 0, (size_t)n * sizeof *A.values);
      assert_int_equal(dae__solver_factor(solver, A.values), DAE_ERROR_SINGULAR);
      assert_int_equal(dae__solver_column(solver), column);
      A.values[column * n] = NAN;
      assert_int_equal(dae__solver_factor(solver, A.values), DAE_ERROR_RECOVERABLE);
      dae__solver_free(solver);
      dae__arena_free(A.arena);
    }
}

static void test_the_condition_is_that_of_a_diagonal_matrix(void **state)
{
  (void)state;
  for (int n = 2; n <= MOST; n++) {
    matrix A = matrix_of(n, 1);
    dae__solver *solver = solver_of(&A);
    for (int j = 0; j < n; j++) /* rows of size 1, and U_jj = 1 but for the last */
      for (int i = 0; i < n; i++)
        A.values[j * n + i] = i == j ? (j == n - 1 ? 1e-3 : 1) : i == n - 1 && j == 0;
    assert_int_equal(dae__solver_factor(solver, A.values), DAE_OK);
    assert_true(fabs(dae__solver_rcond(solver) - 1e-3) < 1e-15);
    dae__solver_free(solver);
    dae__arena_free(A.arena);
  }
}

static void test_one_solver_turns_to_smaller_patterns_and_back(void **state)
{
  (void)state;
  for (int n = 2; n <= 12; n++) {
    matrix A = matrix_of(n, 1);
    dae__solver *solver = solver_of(&A);
    for (int d = 1; d <= n; d++) {
      matrix B = matrix_of(d, 1 + d % 3);
      double b[MOST], x[MOST];
      for (int i = 0; i < d; i++)
        x[i] = b[i] = uniform();
      dae__solver_set_pattern(solver, &B.pattern);
      assert_int_equal(dae__solver_factor(solver, B.values), DAE_OK);
      dae__solver_solve(solver, x);
      assert_true(residual(&B, x, b) < 1e3 * DBL_EPSILON);
      dae__arena_free(B.arena);
    }
    dae__solver_free(solver);
    dae__arena_free(A.arena);
  }
}

/* what is kept is all that solutions depend on */
static void test_loaded_factors_give_the_same_bits(void **state)
{
  (void)state;
  for (int n = 1; n <= MOST; n++) {
    matrix A = matrix_of(n, 2);
    dae__solver *solver = solver_of(&A);
    double b[MOST], x[MOST], y[MOST];
    for (int i = 0; i < n; i++)
      x[i] = y[i] = b[i] = uniform();
    assert_int_equal(dae__solver_factor(solver, A.values), DAE_OK);
    void *saved = malloc(dae__arena_state_size(A.arena));
    assert_non_null(saved);
    dae__arena_save(A.arena, saved);
    dae__solver_solve(solver, x);
    for (int e = 0; e < dae__pattern_count(&A.pattern); e++)
      A.values[e] += 0.5 * uniform();
    assert_int_equal(dae__solver_factor(solver, A.values), DAE_OK);
    assert_int_equal(dae__arena_load(A.arena, saved), DAE_OK);
    dae__solver_solve(solver, y);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    free(saved);
    dae__solver_free(solver);
    dae__arena_free(A.arena);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solutions_solve_for_all_sizes_and_patterns),
      cmocka_unit_test(test_a_column_that_depends_on_others_is_named),
      cmocka_unit_test(test_the_condition_is_that_of_a_diagonal_matrix),
      cmocka_unit_test(test_one_solver_turns_to_smaller_patterns_and_back),
      cmocka_unit_test(test_loaded_factors_give_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
