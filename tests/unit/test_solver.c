#include "linalg/solver.h"

#include "arena_reload.h"
#include "counting_env.h"
#include "klu_memory.h"
#include "linalg/dense.h"
#include "linalg/pattern.h"
#include "uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef DAE_WITH_KLU
#define SPARSE "klu"
#else
#define SPARSE "lapack"
#endif

/* A matrix in an arena of its own. */
typedef struct matrix {
  dae__arena *arena;
  dae_pattern pattern;
  double *values;
} matrix;

/* the saddle matrix of a chain of n masses in the plane: mass, links, and their transpose */
static matrix chain(int n)
{
  matrix A = {.arena = dae__arena_create(NULL)};
  dae_pattern M = dae__pattern_diagonal(A.arena, 2 * n);
  int *start = DAE__ALLOC(A.arena, int, 2 * n + 1), *row = DAE__ALLOC(A.arena, int, 4 * n);
  for (int j = 0, count = 0; j < 2 * n; j++) {
    for (int i = j / 2; i <= j / 2 + 1 && i < n; i++)
      row[count++] = i;
    start[j + 1] = count;
  }
  dae_pattern G = {n, 2 * n, start, row};
  dae__block block[] = {
      {0, 0, &M, false, NULL}, {2 * n, 0, &G, false, NULL}, {0, 2 * n, &G, true, NULL}};
  A.pattern = dae__blocks_merge(A.arena, 3 * n, 3 * n, block, 3);
  A.values = DAE__ALLOC(A.arena, double, dae__pattern_count(&A.pattern));
  double *m = DAE__ALLOC(A.arena, double, 2 * n), *g = DAE__ALLOC(A.arena, double, 4 * n);
  for (int j = 0; j < 2 * n; j++) {
    m[j] = 1 + 0.1 * uniform();
    for (int e = start[j]; e < start[j + 1]; e++) {
      double angle = 2 * sin(3.1 * row[e]);
      g[e] = (j % 2 ? sin(angle) : cos(angle)) * (row[e] == j / 2 ? 1 : -1);
    }
  }
  dae__block_add(&block[0], 1, m, A.values);
  dae__block_add(&block[1], 1, g, A.values);
  dae__block_add(&block[2], 1, g, A.values);
  return A;
}

static matrix full(int n)
{
  matrix A = {.arena = dae__arena_create(NULL)};
  A.pattern = dae__pattern_dense(A.arena, n, n);
  A.values = DAE__ALLOC(A.arena, double, n *n);
  for (int i = 0; i < n * n; i++)
    A.values[i] = uniform();
  return A;
}

/* diagonal 1 and, below and above it, `side` */
static matrix tridiagonal(int n, double side)
{
  matrix A = {.arena = dae__arena_create(NULL)};
  int *start = DAE__ALLOC(A.arena, int, n + 1), *row = DAE__ALLOC(A.arena, int, 3 * n);
  A.values = DAE__ALLOC(A.arena, double, 3 * n);
  int count = 0;
  for (int j = 0; j < n; j++) {
    for (int i = j - 1; i <= j + 1; i++)
      if (i >= 0 && i < n) {
        row[count] = i;
        A.values[count++] = i == j ? 1 : side;
      }
    start[j + 1] = count;
  }
  A.pattern = (dae_pattern){n, n, start, row};
  return A;
}

static void free_matrix(matrix *A)
{
  dae__arena_free(A->arena);
}

static dae__solver *solver_for(matrix *A)
{
  dae__solver *solver;
  assert_int_equal(dae__solver_create(A->arena, &A->pattern, &solver, NULL), DAE_OK);
  return solver;
}

/* x = A\b for a random b; checks the residual and returns x in the arena */
static double *solve(const matrix *A, dae__solver *solver, double allowed)
{
  int n = A->pattern.cols;
  double *b = DAE__ALLOC(A->arena, double, n), *x = DAE__ALLOC(A->arena, double, n);
  double bound = 0, worst = 0;
  for (int i = 0; i < n; i++)
    x[i] = b[i] = uniform();
  dae__solver_solve(solver, x);
  dae__matrix_times(&A->pattern, A->values, -1, x, b); /* b -= A x */
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, fabs(b[i]));
    bound = fmax(bound, fabs(x[i]));
  }
  assert_true(worst <= allowed * fmax(1, bound));
  return x;
}

static void test_the_pattern_decides_what_factors(void **state)
{
  (void)state;
  const struct {
    matrix A;
    const char *kind;
  } cases[] = {
      {full(10), "dense"}, {full(200), "lapack"}, {chain(5), "dense"}, {chain(100), SPARSE}};
  for (int i = 0; i < 4; i++) {
    matrix A = cases[i].A;
    dae__solver *solver = solver_for(&A);
    const char *kind = dae__solver_kind(solver);
    if (strcmp(cases[i].kind, "lapack") == 0) /* built without it, all dense matrices are ours */
      assert_true(strcmp(kind, "lapack") == 0 || strcmp(kind, "dense") == 0);
    else
      assert_string_equal(kind, cases[i].kind);
    assert_int_equal(dae__solver_factor(solver, A.values), DAE_OK);
    assert_int_equal(dae__solver_column(solver), -1);
    assert_true(dae__solver_rcond(solver) > 0 && dae__solver_rcond(solver) <= 1);
    solve(&A, solver, 1e-11);
    dae__solver_free(solver);
    free_matrix(&A);
  }
}

static void test_an_empty_system_is_solved(void **state)
{
  (void)state;
  matrix A = full(0);
  dae__solver *solver = solver_for(&A);
  assert_int_equal(dae__solver_factor(solver, A.values), DAE_OK);
  dae__solver_solve(solver, NULL);
  dae__solver_free(solver);
  free_matrix(&A);
}

static void test_rows_of_any_size_are_solved(void **state)
{
  (void)state;
  for (int n = 3; n <= 100; n += 97) {
    matrix A = chain(n);
    for (int j = 0; j < 3 * n; j++)
      for (int e = A.pattern.start[j]; e < A.pattern.start[j + 1]; e++)
        A.values[e] *= pow(10, A.pattern.row[e] % 21 * 10 - 100);
    dae__solver *solver = solver_for(&A);
    assert_int_equal(dae__solver_factor(solver, A.values), DAE_OK);
    assert_true(dae__solver_rcond(solver) > 1e-6);
    dae__solver_free(solver);
    free_matrix(&A);
  }
}

static void test_sparse_and_dense_agree(void **state)
{
  (void)state;
  enum { N = 60, SIZE = 3 * N };
  matrix A = chain(N);
  dae__solver *solver = solver_for(&A);
  assert_int_equal(dae__solver_factor(solver, A.values), DAE_OK);
  static double LU[SIZE * SIZE];
  double x[SIZE], y[SIZE];
  int pivot[SIZE];
  for (int j = 0; j < SIZE; j++) {
    x[j] = y[j] = uniform();
    for (int e = A.pattern.start[j]; e < A.pattern.start[j + 1]; e++)
      LU[A.pattern.row[e] + j * SIZE] = A.values[e];
  }
  assert_int_equal(dae__lu_factor(SIZE, LU, pivot), 0);
  dae__lu_solve(SIZE, LU, pivot, y);
  dae__solver_solve(solver, x);
  for (int i = 0; i < SIZE; i++)
    assert_true(fabs(x[i] - y[i]) < 1e-10);
  dae__solver_free(solver);
  free_matrix(&A);
}

static void test_a_zero_column_is_reported(void **state)
{
  (void)state;
  matrix cases[] = {full(7), full(90), tridiagonal(30, 0.3), tridiagonal(200, 0.3)};
  for (int i = 0; i < 4; i++) {
    matrix A = cases[i];
    int j = A.pattern.cols / 3, first = A.pattern.start[j], n = A.pattern.start[j + 1] - first;
    double column[200];
    dae__solver *solver = solver_for(&A);
    memcpy(column, A.values + first, (size_t)n * sizeof *column);
    for (int again = 0; again < 2; again++) { /* the second time with old pivots at hand */
      memset(A.values + first, 0, (size_t)n * sizeof *column);
      assert_int_equal(dae__solver_factor(solver, A.values), DAE_ERROR_SINGULAR);
      assert_int_equal(dae__solver_column(solver), j);
      memcpy(A.values + first, column, (size_t)n * sizeof *column);
      assert_int_equal(dae__solver_factor(solver, A.values), DAE_OK);
      assert_int_equal(dae__solver_column(solver), -1);
      solve(&A, solver, 1e-11);
    }
    dae__solver_free(solver);
    free_matrix(&A);
  }
}

static void test_values_that_are_not_finite_are_recoverable(void **state)
{
  (void)state;
  matrix cases[] = {full(7), full(90), tridiagonal(200, 0.3)};
  for (int i = 0; i < 3; i++) {
    matrix A = cases[i];
    int count = dae__pattern_count(&A.pattern);
    dae__solver *solver = solver_for(&A);
    for (int e = 0; e < count; e += 1 + count / 5) {
      double good = A.values[e];
      A.values[e] = e % 2 ? NAN : -INFINITY;
      assert_int_equal(dae__solver_factor(solver, A.values), DAE_ERROR_RECOVERABLE);
      A.values[e] = good;
    }
    assert_int_equal(dae__solver_factor(solver, A.values), DAE_OK);
    solve(&A, solver, 1e-11);
    dae__solver_free(solver);
    free_matrix(&A);
  }
}

/* pairs of unknowns whose diagonal shrinks while the side grows: old pivots would lose all digits
 */
static void set_pairs(matrix *A, double diagonal, double side)
{
  for (int j = 0; j < A->pattern.cols; j++)
    for (int e = A->pattern.start[j]; e < A->pattern.start[j + 1]; e++) {
      int i = A->pattern.row[e];
      A->values[e] = i == j ? diagonal * (1 + 0.01 * (j % 7)) : i / 2 == j / 2 ? side : 0.01;
    }
}

static void test_solutions_stay_good_when_old_pivots_go_bad(void **state)
{
  (void)state;
  matrix A = tridiagonal(300, 0);
  dae__solver *solver = solver_for(&A);
  for (double small = 1; small > 1e-17; small /= 10) {
    set_pairs(&A, small, 1 - 0.9 * small);
    assert_int_equal(dae__solver_factor(solver, A.values), DAE_OK);
    solve(&A, solver, 1e-11);
  }
  set_pairs(&A, 0, 1);
  assert_int_equal(dae__solver_factor(solver, A.values), DAE_OK);
  solve(&A, solver, 1e-11);
  dae__solver_free(solver);
  free_matrix(&A);
}

#ifdef DAE_WITH_KLU
static void test_pivots_are_kept_without_allocating_while_they_are_good(void **state)
{
  (void)state;
  matrix A = tridiagonal(300, 0);
  dae__solver *solver = solver_for(&A);
  set_pairs(&A, 1, 0.1);
  assert_int_equal(dae__solver_factor(solver, A.values), DAE_OK);
  long before = klu_calls;
  set_pairs(&A, 0.9, 0.5);
  assert_int_equal(dae__solver_factor(solver, A.values), DAE_OK);
  solve(&A, solver, 1e-11);
  assert_int_equal(klu_calls, before);
  set_pairs(&A, 1e-9, 1); /* new pivots */
  assert_int_equal(dae__solver_factor(solver, A.values), DAE_OK);
  assert_true(klu_calls > before);
  solve(&A, solver, 1e-11);
  dae__solver_free(solver);
  assert_int_equal(klu_live, 0);
  free_matrix(&A);
}

/* create and two full factorisations, each allocation refused in turn */
static dae_status use(const matrix *A, const dae_env *env)
{
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return DAE_ERROR_MEMORY;
  dae__solver *solver;
  dae_error err;
  dae_status status = dae__solver_create(arena, &A->pattern, &solver, &err);
  assert_int_equal(solver == NULL, status < 0);
  if (status == DAE_OK)
    status = dae__solver_factor(solver, A->values);
  if (status == DAE_OK)
    status = arena_reload(arena);
  if (status == DAE_OK)
    solve(A, solver, 1e-11);
  dae__solver_free(solver);
  dae__arena_free(arena);
  return status;
}

static void test_every_failing_allocation_of_klu_is_reported(void **state)
{
  (void)state;
  matrix A = chain(100);
  int reported = 0;
  bool refused = true;
  for (klu_fail_at = 1; refused; klu_fail_at++) {
    klu_calls = 0;
    dae_status status = use(&A, NULL);
    refused = klu_calls >= klu_fail_at;
    assert_int_equal(klu_live, 0);
    /* KLU does without where it only wanted to shrink its memory */
    assert_true(status == DAE_OK || (refused && status == DAE_ERROR_MEMORY));
    reported += status != DAE_OK;
  }
  assert_true(reported > 20);
  free_matrix(&A);
}

static void test_every_failing_allocation_is_reported(void **state)
{
  (void)state;
  matrix cases[] = {full(60), chain(100)};
  for (int i = 0; i < 2; i++) {
    dae_status status = DAE_ERROR_MEMORY;
    for (long fail_at = 1; status != DAE_OK; fail_at++) {
      counting_env count = {.fail_at = fail_at};
      dae_env env = counting_env_of(&count);
      status = use(&cases[i], &env);
      assert_int_equal(klu_live, 0);
      assert_int_equal(count.live, 0);
      assert_int_equal(status, count.calls < fail_at ? DAE_OK : DAE_ERROR_MEMORY);
    }
    free_matrix(&cases[i]);
  }
}
#endif

/* The solver is brought into a state, saved, sent elsewhere and brought back by load and reload:
 * it then solves, and goes on factoring, with the same bits. */
static void assert_reload_is_exact(matrix A, int refactorisations, bool other_solver)
{
  int n = A.pattern.cols, count = dae__pattern_count(&A.pattern);
  double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
  matrix B = {.arena = dae__arena_create(NULL), .pattern = A.pattern, .values = A.values};
  dae__arena *mine = dae__arena_create(NULL);
  dae__solver *first, *second;
  assert_int_equal(dae__solver_create(mine, &A.pattern, &first, NULL), DAE_OK);
  assert_int_equal(dae__solver_create(B.arena, &A.pattern, &second, NULL), DAE_OK);
  for (int k = 0; k <= refactorisations; k++) {
    assert_int_equal(dae__solver_factor(first, A.values), DAE_OK);
    for (int e = 0; e < count; e++)
      A.values[e] *= 1 + 0.3 * uniform();
  }
  void *buffer = malloc(dae__arena_state_size(mine));
  dae__arena_save(mine, buffer);
  double rcond = dae__solver_rcond(first);
  dae__solver_solve(first, memset(x, 0, (size_t)n * sizeof *x));
  for (int i = 0; i < n; i++)
    x[i] = y[i] = uniform();
  dae__solver_solve(first, x);

  dae__solver *loaded = other_solver ? second : first;
  dae__arena *arena = other_solver ? B.arena : mine;
  for (int e = 0; e < count; e++) /* something else in between */
    A.values[e] *= 1 + 0.1 * uniform();
  assert_int_equal(dae__solver_factor(loaded, A.values), DAE_OK);
  assert_int_equal(dae__arena_load(arena, buffer), DAE_OK);
  dae__solver_solve(loaded, y);
  assert_memory_equal(x, y, (size_t)n * sizeof *x);
  assert_true(rcond == dae__solver_rcond(loaded));

  free(buffer);
  free(x);
  free(y);
  dae__solver_free(first);
  dae__solver_free(second);
  dae__arena_free(mine);
  free_matrix(&B);
  free_matrix(&A);
}

static void test_reload_gives_the_same_bits(void **state)
{
  (void)state;
  for (int other = 0; other < 2; other++)
    for (int k = 0; k < 3; k++) {
      assert_reload_is_exact(full(12), k, other);
      assert_reload_is_exact(full(90), k, other);
      assert_reload_is_exact(chain(100), k, other);
    }
}

static void test_reload_of_a_solver_without_factors_is_harmless(void **state)
{
  (void)state;
  matrix A = chain(100);
  dae__solver *solver = solver_for(&A);
  void *buffer = malloc(dae__arena_state_size(A.arena));
  dae__arena_save(A.arena, buffer);
  assert_int_equal(dae__solver_factor(solver, A.values), DAE_OK);
  assert_int_equal(dae__arena_load(A.arena, buffer), DAE_OK);
  assert_int_equal(dae__solver_factor(solver, A.values), DAE_OK);
  solve(&A, solver, 1e-11);
  dae__solver_free(solver);
  dae__solver_free(NULL);
  free(buffer);
  free_matrix(&A);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_pattern_decides_what_factors),
      cmocka_unit_test(test_an_empty_system_is_solved),
      cmocka_unit_test(test_rows_of_any_size_are_solved),
      cmocka_unit_test(test_sparse_and_dense_agree),
      cmocka_unit_test(test_a_zero_column_is_reported),
      cmocka_unit_test(test_values_that_are_not_finite_are_recoverable),
      cmocka_unit_test(test_solutions_stay_good_when_old_pivots_go_bad),
#ifdef DAE_WITH_KLU
      cmocka_unit_test_setup_teardown(test_pivots_are_kept_without_allocating_while_they_are_good,
                                      count_klu_memory, restore_klu_memory),
      cmocka_unit_test_setup_teardown(test_every_failing_allocation_of_klu_is_reported,
                                      count_klu_memory, restore_klu_memory),
      cmocka_unit_test_setup_teardown(test_every_failing_allocation_is_reported, count_klu_memory,
                                      restore_klu_memory),
#endif
      cmocka_unit_test(test_reload_gives_the_same_bits),
      cmocka_unit_test(test_reload_of_a_solver_without_factors_is_harmless),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
