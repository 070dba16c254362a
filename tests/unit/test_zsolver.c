#include "linalg/zsolver.h"

#include "arena_reload.h"
#include "counting_env.h"
#include "klu_memory.h"
#include "linalg/pattern.h"
#include "linalg/solver.h"
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

/* A matrix in an arena of its own. */
typedef struct matrix {
  dae__arena *arena;
  dae_pattern pattern;
  double complex *values;
} matrix;

static double complex random_number(void)
{
  double x = uniform();
  return x + I * uniform();
}

static matrix with_pattern(dae__arena *arena, dae_pattern pattern)
{
  matrix A = {arena, pattern, NULL};
  A.values = DAE__ALLOC(arena, double complex, dae__pattern_count(&pattern));
  for (int e = 0; e < dae__pattern_count(&pattern); e++)
    A.values[e] = random_number();
  return A;
}

static matrix full(int n)
{
  dae__arena *arena = dae__arena_create(NULL);
  return with_pattern(arena, dae__pattern_dense(arena, n, n));
}

/* the diagonal and `width` entries on each side of it */
static matrix band(int n, int width)
{
  dae__arena *arena = dae__arena_create(NULL);
  int *start = DAE__ALLOC(arena, int, n + 1), *row = DAE__ALLOC(arena, int, (2 * width + 1) * n);
  for (int j = 0, count = 0; j < n; j++) {
    for (int i = j - width; i <= j + width; i++)
      if (i >= 0 && i < n)
        row[count++] = i;
    start[j + 1] = count;
  }
  matrix A = with_pattern(arena, (dae_pattern){n, n, start, row});
  for (int j = 0; j < n; j++)
    for (int e = start[j]; e < start[j + 1]; e++)
      A.values[e] += row[e] == j ? 2 + I : 0;
  return A;
}

static void free_matrix(matrix *A)
{
  dae__arena_free(A->arena);
}

static dae__zsolver *solver_for(const matrix *A)
{
  dae__zsolver *solver;
  assert_int_equal(dae__zsolver_create(A->arena, &A->pattern, &solver, NULL), DAE_OK);
  return solver;
}

static long double size_of(long double complex z)
{
  return fabsl(creall(z)) + fabsl(cimagl(z));
}

/* The largest |b - A x| of a row relative to its |A| |x| + |b|, in extended precision: how far the
 * matrix that x solves exactly is from A, row by row. */
static double backward_error(const matrix *A, const double complex *x, const double complex *b)
{
  int n = A->pattern.cols;
  long double complex *r = calloc((size_t)n, sizeof *r);
  long double *bound = calloc((size_t)n, sizeof *bound), worst = 0;
  for (int i = 0; i < n; i++) {
    r[i] = b[i];
    bound[i] = size_of(b[i]);
  }
  for (int j = 0; j < n; j++)
    for (int e = A->pattern.start[j]; e < A->pattern.start[j + 1]; e++) {
      long double complex t = (long double complex)A->values[e] * (long double complex)x[j];
      r[A->pattern.row[e]] -= t;
      bound[A->pattern.row[e]] += size_of(t);
    }
  for (int i = 0; i < n; i++)
    worst = fmaxl(worst, bound[i] > 0 ? size_of(r[i]) / bound[i] : 0);
  free(r);
  free(bound);
  return (double)worst;
}

/* x = A\x, n numbers; nothing beyond the parts' ends is written */
static void solve(dae__zsolver *solver, int n, double complex *x)
{
  double *re = calloc((size_t)n + 1, sizeof *re), *im = calloc((size_t)n + 1, sizeof *im);
  for (int i = 0; i < n; i++) {
    re[i] = creal(x[i]);
    im[i] = cimag(x[i]);
  }
  re[n] = im[n] = 77;
  dae__zsolver_solve(solver, re, im);
  assert_true(re[n] == 77 && im[n] == 77);
  for (int i = 0; i < n; i++)
    x[i] = re[i] + im[i] * I;
  free(re);
  free(im);
}

static void assert_solves(const matrix *A, dae__zsolver *solver, double allowed)
{
  int n = A->pattern.cols;
  double complex *b = calloc((size_t)n + 1, sizeof *b), *x = calloc((size_t)n + 1, sizeof *x);
  for (int i = 0; i < n; i++)
    x[i] = b[i] = random_number();
  solve(solver, n, x);
  assert_true(backward_error(A, x, b) <= allowed);
  free(b);
  free(x);
}

static void assert_factored_and_solved(const matrix *A, double allowed)
{
  dae__zsolver *solver = solver_for(A);
  assert_int_equal(dae__zsolver_factor(solver, A->values), DAE_OK);
  assert_int_equal(dae__zsolver_column(solver), -1);
  assert_solves(A, solver, allowed);
  dae__zsolver_free(solver);
}

static void test_full_systems_of_every_size_are_solved(void **state)
{
  (void)state;
  for (int n = 0; n <= 70; n++) /* the own kernel, and LAPACK where built with it */
    for (int again = 0; again < 3; again++) {
      matrix A = full(n);
      assert_factored_and_solved(&A, 40 * DBL_EPSILON * (1 + n));
      free_matrix(&A);
    }
}

static void test_an_empty_system_is_solved(void **state)
{
  (void)state;
  matrix A = full(0);
  dae__zsolver *solver = solver_for(&A);
  assert_int_equal(dae__zsolver_factor(solver, A.values), DAE_OK);
  dae__zsolver_solve(solver, NULL, NULL);
  dae__zsolver_free(solver);
  free_matrix(&A);
}

static void test_sparse_systems_are_solved(void **state)
{
  (void)state;
  for (int n = 5; n <= 400; n *= 3) /* dense below 40, else KLU where built with it */
    for (int width = 1; width <= 3; width++) {
      matrix A = band(n, width);
      assert_factored_and_solved(&A, 1e-12);
      free_matrix(&A);
    }
}

/* one entry in each column, off the diagonal: nothing works without pivoting */
static void test_zero_diagonals_are_pivoted(void **state)
{
  (void)state;
  for (int n = 2; n <= 60; n++) {
    matrix A = full(n);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        A.values[i + j * n] *= i == (j + n / 2) % n;
    assert_factored_and_solved(&A, 4 * DBL_EPSILON);
    free_matrix(&A);
  }
}

/* the pivots of the last matrix serve for the next, unless it has others */
static void test_one_matrix_after_the_other_is_solved(void **state)
{
  (void)state;
  for (int n = 1; n <= 14; n++) {
    matrix A = full(n);
    dae__zsolver *solver = solver_for(&A);
    for (int again = 0; again < 20; again++) {
      int shift = again / 4 % n; /* where the large entries stand */
      for (int e = 0; e < n * n; e++)
        A.values[e] = random_number() * (e % n == (e / n + shift) % n ? 1e3 : 1);
      assert_int_equal(dae__zsolver_factor(solver, A.values), DAE_OK);
      assert_solves(&A, solver, 400 * DBL_EPSILON * (1 + n));
    }
    dae__zsolver_free(solver);
    free_matrix(&A);
  }
}

static void test_what_is_forgotten_has_no_part_in_the_next_solution(void **state)
{
  (void)state;
  for (int n = 1; n <= 12; n++) {
    matrix A = full(n), B = full(n);
    dae__zsolver *solver = solver_for(&A), *fresh = solver_for(&B);
    double complex x[12], y[12];
    for (int i = 0; i < n; i++)
      x[i] = y[i] = random_number();
    assert_int_equal(dae__zsolver_factor(solver, A.values), DAE_OK);
    dae__zsolver_reset(solver);
    assert_int_equal(dae__zsolver_factor(solver, B.values), DAE_OK);
    assert_int_equal(dae__zsolver_factor(fresh, B.values), DAE_OK);
    solve(solver, n, x);
    solve(fresh, n, y);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    free_matrix(&A);
    free_matrix(&B);
  }
}

static void test_one_solver_turns_to_smaller_patterns_and_back(void **state)
{
  (void)state;
  for (int n = 2; n <= 12; n++) {
    matrix A = full(n);
    dae__zsolver *solver = solver_for(&A);
    for (int d = 1; d <= n; d++) {
      matrix B = full(d);
      dae__zsolver_set_pattern(solver, &B.pattern);
      dae__zsolver_reset(solver);
      assert_int_equal(dae__zsolver_factor(solver, B.values), DAE_OK);
      assert_solves(&B, solver, 40 * DBL_EPSILON * (1 + d));
      free_matrix(&B);
    }
    dae__zsolver_free(solver);
    free_matrix(&A);
  }
}

static void test_real_systems_have_the_real_solver_s_solution(void **state)
{
  (void)state;
  for (int n = 1; n <= 20; n++) {
    matrix A = full(n);
    double *values = DAE__ALLOC(A.arena, double, n *n), b[20];
    double complex x[20];
    for (int e = 0; e < n * n; e++)
      A.values[e] = values[e] = creal(A.values[e]) + (e % (n + 1) == 0 ? n : 0);
    for (int i = 0; i < n; i++) /* the imaginary part solves for -2 b */
      x[i] = (1 - 2 * I) * (b[i] = uniform());
    dae__solver *real;
    dae__zsolver *solver = solver_for(&A);
    assert_int_equal(dae__solver_create(A.arena, &A.pattern, &real, NULL), DAE_OK);
    assert_int_equal(dae__solver_factor(real, values), DAE_OK);
    assert_int_equal(dae__zsolver_factor(solver, A.values), DAE_OK);
    dae__solver_solve(real, b);
    solve(solver, n, x);
    for (int i = 0; i < n; i++)
      assert_true(cabs(x[i] - (1 - 2 * I) * b[i]) < 1e-14);
    dae__solver_free(real);
    dae__zsolver_free(solver);
    free_matrix(&A);
  }
}

/* from numbers with few digits left to those close to overflow */
static void test_rows_of_any_size_are_solved(void **state)
{
  (void)state;
  for (int n = 2; n <= 122; n += 30)
    for (int sparse = 0; sparse < 2; sparse++) {
      matrix A = sparse ? band(n, 1) : full(n);
      for (int e = 0; e < dae__pattern_count(&A.pattern); e++)
        A.values[e] *= ldexp(1, A.pattern.row[e] % 21 * 100 - 1000);
      assert_factored_and_solved(&A, 1e-12);
      free_matrix(&A);
    }
}

/* pivots whose squares underflow */
static void test_columns_of_any_size_are_solved(void **state)
{
  (void)state;
  for (int n = 2; n <= 122; n += 30)
    for (int sparse = 0; sparse < 2; sparse++) {
      matrix A = sparse ? band(n, 1) : full(n);
      for (int j = 0; j < n; j++)
        for (int e = A.pattern.start[j]; e < A.pattern.start[j + 1]; e++)
          A.values[e] *= ldexp(1, -(j % 4) * 200);
      assert_factored_and_solved(&A, 1e-12);
      free_matrix(&A);
    }
}

static void test_subnormal_rows_are_solved(void **state)
{
  (void)state;
  for (int n = 1; n <= 60; n += 7) {
    matrix A = full(n);
    for (int e = 0; e < n * n; e++)
      A.values[e] *= 1e-310;
    dae__zsolver *solver = solver_for(&A);
    double complex *b = calloc((size_t)n, sizeof *b), *x = calloc((size_t)n, sizeof *x);
    for (int i = 0; i < n; i++)
      x[i] = b[i] = 1e-310 * random_number();
    assert_int_equal(dae__zsolver_factor(solver, A.values), DAE_OK);
    solve(solver, n, x);
    assert_true(backward_error(&A, x, b) < 1e-10);
    free(b);
    free(x);
    dae__zsolver_free(solver);
    free_matrix(&A);
  }
}

static void test_a_zero_column_is_reported(void **state)
{
  (void)state;
  matrix cases[] = {full(1), full(7), full(8), full(90), band(30, 1), band(200, 1)};
  for (int i = 0; i < 6; i++) {
    matrix A = cases[i];
    int j = A.pattern.cols / 3, first = A.pattern.start[j], n = A.pattern.start[j + 1] - first;
    double complex column[90];
    dae__zsolver *solver = solver_for(&A);
    memcpy(column, A.values + first, (size_t)n * sizeof *column);
    for (int again = 0; again < 2; again++) { /* the second time with old pivots at hand */
      for (int e = 0; e < n; e++)
        A.values[first + e] = 0;
      assert_int_equal(dae__zsolver_factor(solver, A.values), DAE_ERROR_SINGULAR);
      assert_int_equal(dae__zsolver_column(solver), j);
      memcpy(A.values + first, column, (size_t)n * sizeof *column);
      assert_int_equal(dae__zsolver_factor(solver, A.values), DAE_OK);
      assert_int_equal(dae__zsolver_column(solver), -1);
      assert_solves(&A, solver, 1e-11);
    }
    dae__zsolver_free(solver);
    free_matrix(&A);
  }
}

static void test_values_that_are_not_finite_are_recoverable(void **state)
{
  (void)state;
  matrix cases[] = {full(7), full(90), band(200, 1)};
  for (int i = 0; i < 3; i++) {
    matrix A = cases[i];
    int count = dae__pattern_count(&A.pattern);
    dae__zsolver *solver = solver_for(&A);
    for (int e = 0; e < count; e += 1 + count / 5)
      for (int part = 0; part < 2; part++) {
        double complex good = A.values[e];
        ((double *)&A.values[e])[part] = e % 2 ? NAN : -INFINITY;
        assert_int_equal(dae__zsolver_factor(solver, A.values), DAE_ERROR_RECOVERABLE);
        A.values[e] = good;
      }
    assert_int_equal(dae__zsolver_factor(solver, A.values), DAE_OK);
    assert_solves(&A, solver, 1e-11);
    dae__zsolver_free(solver);
    free_matrix(&A);
  }
}

/* pairs of unknowns whose diagonal shrinks: old pivots would lose all digits */
static void set_pairs(matrix *A, double diagonal, double complex side)
{
  for (int j = 0; j < A->pattern.cols; j++)
    for (int e = A->pattern.start[j]; e < A->pattern.start[j + 1]; e++) {
      int i = A->pattern.row[e];
      A->values[e] = i == j ? I * diagonal * (1 + 0.01 * (j % 7)) : i / 2 == j / 2 ? side : 0.01;
    }
}

static void test_solutions_stay_good_when_old_pivots_go_bad(void **state)
{
  (void)state;
  matrix A = band(300, 1);
  dae__zsolver *solver = solver_for(&A);
  for (double small = 1; small > 1e-17; small /= 10) {
    set_pairs(&A, small, 1 - 0.9 * small);
    assert_int_equal(dae__zsolver_factor(solver, A.values), DAE_OK);
    assert_solves(&A, solver, 1e-11);
  }
  set_pairs(&A, 0, I);
  assert_int_equal(dae__zsolver_factor(solver, A.values), DAE_OK);
  assert_solves(&A, solver, 1e-11);
  dae__zsolver_free(solver);
  free_matrix(&A);
}

static double complex *solution(dae__zsolver *solver, int n)
{
  double complex *x = calloc((size_t)n, sizeof *x);
  for (int i = 0; i < n; i++)
    x[i] = 1 + I * (double)i;
  solve(solver, n, x);
  return x;
}

/* The solver is brought into a state, saved, sent elsewhere and brought back by load and reload:
 * it then solves, and goes on factoring, with the same bits. */
static void assert_reload_is_exact(matrix A, int refactorisations, bool other_solver)
{
  int n = A.pattern.cols, count = dae__pattern_count(&A.pattern);
  size_t bytes = (size_t)n * sizeof *A.values;
  dae__arena *arena[2] = {dae__arena_create(NULL), dae__arena_create(NULL)};
  dae__zsolver *solver[2];
  double complex *next = calloc((size_t)count, sizeof *next), *x[4];
  for (int s = 0; s < 2; s++)
    assert_int_equal(dae__zsolver_create(arena[s], &A.pattern, &solver[s], NULL), DAE_OK);
  for (int k = 0; k <= refactorisations; k++) {
    assert_int_equal(dae__zsolver_factor(solver[0], A.values), DAE_OK);
    for (int e = 0; e < count; e++)
      A.values[e] *= 1 + 0.3 * random_number();
  }
  memcpy(next, A.values, (size_t)count * sizeof *next);
  void *buffer = malloc(dae__arena_state_size(arena[0]));
  dae__arena_save(arena[0], buffer);
  x[0] = solution(solver[0], n);
  assert_int_equal(dae__zsolver_factor(solver[0], next), DAE_OK);
  x[1] = solution(solver[0], n);

  for (int e = 0; e < count; e++) /* something else in between */
    A.values[e] *= 1 + 0.1 * random_number();
  assert_int_equal(dae__zsolver_factor(solver[other_solver], A.values), DAE_OK);
  assert_int_equal(dae__arena_load(arena[other_solver], buffer), DAE_OK);
  x[2] = solution(solver[other_solver], n);
  assert_int_equal(dae__zsolver_factor(solver[other_solver], next), DAE_OK);
  x[3] = solution(solver[other_solver], n);
  assert_memory_equal(x[0], x[2], bytes);
  assert_memory_equal(x[1], x[3], bytes);
  assert_memory_not_equal(x[0], x[1], bytes);

  for (int i = 0; i < 4; i++)
    free(x[i]);
  free(next);
  free(buffer);
  for (int s = 0; s < 2; s++) {
    dae__zsolver_free(solver[s]);
    dae__arena_free(arena[s]);
  }
  free_matrix(&A);
}

static void test_reload_gives_the_same_bits(void **state)
{
  (void)state;
  for (int other = 0; other < 2; other++)
    for (int k = 0; k < 3; k++) {
      assert_reload_is_exact(full(12), k, other);
      assert_reload_is_exact(full(13), k, other);
      assert_reload_is_exact(full(90), k, other);
      assert_reload_is_exact(band(100, 2), k, other);
    }
}

static void test_reload_of_a_solver_without_factors_is_harmless(void **state)
{
  (void)state;
  matrix A = band(100, 1);
  dae__zsolver *solver = solver_for(&A);
  void *buffer = malloc(dae__arena_state_size(A.arena));
  dae__arena_save(A.arena, buffer);
  assert_int_equal(dae__zsolver_factor(solver, A.values), DAE_OK);
  assert_int_equal(dae__arena_load(A.arena, buffer), DAE_OK);
  assert_int_equal(dae__zsolver_factor(solver, A.values), DAE_OK);
  assert_solves(&A, solver, 1e-11);
  dae__zsolver_free(solver);
  dae__zsolver_free(NULL);
  free(buffer);
  free_matrix(&A);
}

static void test_a_solver_that_forgot_factors_like_a_new_one(void **state)
{
  (void)state;
  matrix cases[] = {full(9), full(60), band(150, 2)};
  for (int i = 0; i < 3; i++) {
    matrix A = cases[i];
    int n = A.pattern.cols;
    dae__zsolver *old = solver_for(&A), *new = solver_for(&A);
    assert_int_equal(dae__zsolver_factor(old, A.values), DAE_OK);
    for (int e = 0; e < dae__pattern_count(&A.pattern); e++)
      A.values[e] = random_number();
    dae__zsolver_reset(old);
    assert_int_equal(dae__zsolver_factor(old, A.values), DAE_OK);
    assert_int_equal(dae__zsolver_factor(new, A.values), DAE_OK);
    double complex *x = solution(old, n), *y = solution(new, n);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    free(x);
    free(y);
    dae__zsolver_free(old);
    dae__zsolver_free(new);
    free_matrix(&A);
  }
}

/* create, factor and reload, each allocation refused in turn */
static dae_status use(const matrix *A, const dae_env *env)
{
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return DAE_ERROR_MEMORY;
  dae__zsolver *solver;
  dae_error err;
  dae_status status = dae__zsolver_create(arena, &A->pattern, &solver, &err);
  assert_int_equal(solver == NULL, status < 0);
  if (status == DAE_OK)
    status = dae__zsolver_factor(solver, A->values);
  if (status == DAE_OK)
    status = arena_reload(arena);
  if (status == DAE_OK)
    assert_solves(A, solver, 1e-11);
  dae__zsolver_free(solver);
  dae__arena_free(arena);
  return status;
}

static void test_every_failing_allocation_is_reported(void **state)
{
  (void)state;
  matrix cases[] = {full(30), full(70), band(200, 1)};
  for (int i = 0; i < 3; i++) {
    dae_status status = DAE_ERROR_MEMORY;
    for (long fail_at = 1; status != DAE_OK; fail_at++) {
      counting_env count = {.fail_at = fail_at};
      dae_env env = counting_env_of(&count);
      status = use(&cases[i], &env);
      assert_int_equal(count.live, 0);
      assert_int_equal(status, count.calls < fail_at ? DAE_OK : DAE_ERROR_MEMORY);
    }
    free_matrix(&cases[i]);
  }
}

#ifdef DAE_WITH_KLU
static void test_every_failing_allocation_of_klu_is_reported(void **state)
{
  (void)state;
  matrix A = band(100, 1);
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

static void test_pivots_are_kept_without_allocating_while_they_are_good(void **state)
{
  (void)state;
  matrix A = band(300, 1);
  dae__zsolver *solver = solver_for(&A);
  set_pairs(&A, 1, 0.1);
  assert_int_equal(dae__zsolver_factor(solver, A.values), DAE_OK);
  long before = klu_calls;
  set_pairs(&A, 0.9, 0.5 * I);
  assert_int_equal(dae__zsolver_factor(solver, A.values), DAE_OK);
  assert_solves(&A, solver, 1e-11);
  assert_int_equal(klu_calls, before);
  set_pairs(&A, 1e-9, 1); /* new pivots */
  assert_int_equal(dae__zsolver_factor(solver, A.values), DAE_OK);
  assert_true(klu_calls > before);
  dae__zsolver_free(solver);
  assert_int_equal(klu_live, 0);
  free_matrix(&A);
}
#endif

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_full_systems_of_every_size_are_solved),
      cmocka_unit_test(test_an_empty_system_is_solved),
      cmocka_unit_test(test_sparse_systems_are_solved),
      cmocka_unit_test(test_zero_diagonals_are_pivoted),
      cmocka_unit_test(test_one_matrix_after_the_other_is_solved),
      cmocka_unit_test(test_one_solver_turns_to_smaller_patterns_and_back),
      cmocka_unit_test(test_what_is_forgotten_has_no_part_in_the_next_solution),
      cmocka_unit_test(test_real_systems_have_the_real_solver_s_solution),
      cmocka_unit_test(test_rows_of_any_size_are_solved),
      cmocka_unit_test(test_columns_of_any_size_are_solved),
      cmocka_unit_test(test_subnormal_rows_are_solved),
      cmocka_unit_test(test_a_zero_column_is_reported),
      cmocka_unit_test(test_values_that_are_not_finite_are_recoverable),
      cmocka_unit_test(test_solutions_stay_good_when_old_pivots_go_bad),
      cmocka_unit_test(test_reload_gives_the_same_bits),
      cmocka_unit_test(test_reload_of_a_solver_without_factors_is_harmless),
      cmocka_unit_test(test_a_solver_that_forgot_factors_like_a_new_one),
      cmocka_unit_test(test_every_failing_allocation_is_reported),
#ifdef DAE_WITH_KLU
      cmocka_unit_test_setup_teardown(test_every_failing_allocation_of_klu_is_reported,
                                      count_klu_memory, restore_klu_memory),
      cmocka_unit_test_setup_teardown(test_pivots_are_kept_without_allocating_while_they_are_good,
                                      count_klu_memory, restore_klu_memory),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
