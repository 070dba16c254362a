#include "linalg/rank.h"

#include "core/arena.h"
#include "counting_env.h"
#include "linalg/dense.h"
#include "linalg/pattern.h"
#include "uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define TOL 1e-10

typedef struct found {
  dae_status status;
  bool active[64];
  int pivot[64];
  int rank;
  double margin;
} found;

/* A is m x n, given by rows as one reads it */
static found rank_of(int m, int n, const double *A)
{
  dae__arena *arena = dae__arena_create(NULL);
  dae_pattern p = dae__pattern_dense(arena, m, n);
  double *values = DAE__ALLOC(arena, double, m *n);
  found f;
  for (int i = 0; i < m; i++) {
    f.active[i] = true;
    for (int j = 0; j < n; j++)
      values[i + j * m] = A[i * n + j];
  }
  f.status = dae__rank_rows(&p, values, TOL, NULL, f.active, f.pivot, &f.rank, &f.margin);
  dae__arena_free(arena);
  return f;
}

/* the independent rows on their pivot columns form a regular matrix */
static void assert_pivots_regular(int m, int n, const double *A, const found *f)
{
  double B[64 * 64];
  int pivot[64], row[64], r = 0;
  for (int i = 0; i < m; i++) {
    if (f->active[i])
      row[r++] = i;
    else
      assert_int_equal(f->pivot[i], -1);
  }
  assert_int_equal(r, f->rank);
  for (int i = 0; i < r; i++)
    for (int j = 0; j < r; j++)
      B[i + j * r] = A[row[i] * n + f->pivot[row[j]]];
  assert_int_equal(dae__lu_factor(r, B, pivot), 0);
  for (int i = 0; i < r; i++)
    assert_true(fabs(B[i + i * r]) > 1e-8);
}

static void test_random_rows_are_independent(void **state)
{
  (void)state;
  double A[30 * 40];
  for (int m = 1; m <= 30; m++) {
    for (int i = 0; i < m * 40; i++)
      A[i] = uniform();
    found f = rank_of(m, 40, A);
    assert_int_equal(f.status, DAE_OK);
    assert_int_equal(f.rank, m);
    assert_true(f.margin > 1e-3);
    assert_pivots_regular(m, 40, A, &f);
  }
}

static void test_no_more_rows_than_columns_are_independent(void **state)
{
  (void)state;
  double A[30 * 7];
  for (int i = 0; i < 30 * 7; i++)
    A[i] = uniform();
  found f = rank_of(30, 7, A);
  assert_int_equal(f.rank, 7);
  for (int i = 0; i < 30; i++)
    assert_int_equal(f.active[i], i < 7);
}

static void test_later_duplicates_and_zero_rows_are_dependent(void **state)
{
  (void)state;
  const double A[] = {1, 2, 0,      0, /**/ 0, 0, 0,      0, /**/ -3, -6,
                      0, 0, /**/ 0, 1, 0,      1, /**/ 1, 2, 0,       0};
  const bool independent[] = {true, false, false, true, false};
  found f = rank_of(5, 4, A);
  assert_int_equal(f.rank, 2);
  assert_memory_equal(f.active, independent, sizeof independent);
  assert_pivots_regular(5, 4, A, &f);
}

static void test_combinations_of_earlier_rows_are_dependent(void **state)
{
  (void)state;
  enum { M = 24, N = 30 };
  for (int trial = 0; trial < 50; trial++) {
    double A[M * N];
    bool independent[M];
    for (int i = 0; i < M; i++) {
      independent[i] = i < 2 || uniform() < 0.3;
      double size = pow(10, 6 * uniform()); /* rows of any size */
      for (int j = 0; j < N; j++)
        A[i * N + j] = size * (uniform() < 0 ? 0 : uniform());
      if (independent[i])
        A[i * N + i] = size;
      for (int j = 0; j < N && !independent[i]; j++)
        A[i * N + j] = size * (A[(i - 1) * N + j] / 3 - 2 * A[(i / 2) * N + j]);
    }
    found f = rank_of(M, N, A);
    for (int i = 0; i < M; i++)
      assert_int_equal(f.active[i], independent[i]);
    assert_pivots_regular(M, N, A, &f);
  }
}

static void test_only_active_rows_are_considered(void **state)
{
  (void)state;
  const double A[] = {1, 1, 2, 0, 0, 1}; /* by columns: rows (1,2,0), (1,0,1) */
  dae__arena *arena = dae__arena_create(NULL);
  dae_pattern p = dae__pattern_dense(arena, 2, 3);
  bool active[] = {false, true};
  int pivot[2], rank;
  assert_int_equal(dae__rank_rows(&p, A, TOL, NULL, active, pivot, &rank, NULL), DAE_OK);
  assert_int_equal(rank, 1);
  assert_false(active[0]);
  assert_int_equal(pivot[0], -1);
  dae__arena_free(arena);
}

/* a platform on three parallel bars of equal length: g_k = |p_k - a_k|^2 - l^2 with
 * p_k = (x + c_k cos(phi), y + c_k sin(phi)), at phi = 0 */
static void test_third_parallel_bar_is_dependent(void **state)
{
  (void)state;
  const double s = 0.6, c = 0.8, at[] = {0, 1, 2.5};
  double A[9];
  for (int k = 0; k < 3; k++) {
    A[3 * k] = 2 * s;
    A[3 * k + 1] = 2 * c;
    A[3 * k + 2] = 2 * c * at[k];
  }
  found f = rank_of(3, 3, A);
  assert_int_equal(f.rank, 2);
  assert_true(f.active[0] && f.active[1] && !f.active[2]);
}

static void test_margin_says_how_near_a_row_is_to_dependent(void **state)
{
  (void)state;
  const double A[] = {1, 1, 0, /**/ 1, 1 + 1e-6, 0, /**/ 0, 0, 1e9};
  found f = rank_of(3, 3, A);
  assert_int_equal(f.rank, 3);
  assert_true(f.margin > 0.9e-6 && f.margin < 1.1e-6);
}

static void test_rows_that_are_not_finite_are_recoverable(void **state)
{
  (void)state;
  const double A[] = {1, 0, NAN, 1};
  assert_int_equal(rank_of(2, 2, A).status, DAE_ERROR_RECOVERABLE);
}

/* Links of a chain in the plane: row i holds the direction of link i at masses i - 1 and i. One
 * end hangs free if there are as many masses as links, both are fixed if there is one less. */
static dae_pattern chain(dae__arena *arena, int links, int masses, double (*angle)(int i, int n),
                         double **values)
{
  int n = links;
  int *start = DAE__ALLOC(arena, int, 2 * masses + 1), *row = DAE__ALLOC(arena, int, 4 * masses);
  double *A = DAE__ALLOC(arena, double, 4 * masses);
  int count = 0;
  for (int j = 0; j < 2 * masses; j++) {
    for (int i = j / 2; i <= j / 2 + 1 && i < links; i++) {
      double direction = j % 2 ? sin(angle(i, n)) : cos(angle(i, n));
      row[count] = i;
      A[count++] = i == j / 2 ? direction : -direction;
    }
    start[j + 1] = count;
  }
  *values = A;
  return (dae_pattern){links, 2 * masses, start, row};
}

static double level(int i, int n)
{
  (void)i, (void)n;
  return 0;
}
static double slanted(int i, int n)
{
  (void)i, (void)n;
  return 0.7;
}
static double sagging(int i, int n)
{
  return 1.4 * (2.0 * i / n - 1);
}
static double crumpled(int i, int n)
{
  (void)n;
  return 3 * sin(17.3 * i);
}

/* rank of a chain with 100,000 links, in a time that quadratic work would exceed by far */
static int chain_rank(int ends, double (*angle)(int i, int n))
{
  int n = 100000, rank;
  dae__arena *arena = dae__arena_create(NULL);
  double *A, margin;
  dae_pattern p = chain(arena, n, n + 1 - ends, angle, &A);
  bool *active = DAE__ALLOC(arena, bool, n);
  int *pivot = DAE__ALLOC(arena, int, n), *owner = DAE__ALLOC(arena, int, 2 * n);
  for (int i = 0; i < n; i++)
    active[i] = true;
  clock_t begin = clock();
  assert_int_equal(dae__rank_rows(&p, A, TOL, NULL, active, pivot, &rank, &margin), DAE_OK);
  assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 2);
  for (int i = 0; i < n; i++) {
    assert_int_equal(pivot[i] >= 0, active[i]);
    if (pivot[i] >= 0)
      assert_int_equal(owner[pivot[i]]++, 0); /* no coordinate serves two rows */
  }
  dae__arena_free(arena);
  return rank;
}

static void test_long_hanging_chains_have_full_rank_in_linear_time(void **state)
{
  (void)state;
  assert_int_equal(chain_rank(1, level), 100000);
  assert_int_equal(chain_rank(1, slanted), 100000);
  assert_int_equal(chain_rank(1, sagging), 100000);
  assert_int_equal(chain_rank(1, crumpled), 100000);
}

/* a straight one cannot be shortened: its links are dependent */
static void test_long_chains_between_walls_take_linear_time(void **state)
{
  (void)state;
  assert_int_equal(chain_rank(2, level), 99999);
  assert_int_equal(chain_rank(2, slanted), 99999);
  assert_int_equal(chain_rank(2, sagging), 100000);
  assert_int_equal(chain_rank(2, crumpled), 100000);
}

static void test_every_failing_allocation_is_reported(void **state)
{
  (void)state;
  int n = 3000;
  dae__arena *arena = dae__arena_create(NULL);
  double *A;
  dae_pattern p = chain(arena, n, n - 1, crumpled, &A);
  bool *active = DAE__ALLOC(arena, bool, n);
  dae_status status = DAE_ERROR_MEMORY;
  for (long fail_at = 1; status != DAE_OK; fail_at++) {
    counting_env count = {.fail_at = fail_at};
    dae_env env = counting_env_of(&count);
    int rank;
    for (int i = 0; i < n; i++)
      active[i] = true;
    status = dae__rank_rows(&p, A, TOL, &env, active, NULL, &rank, NULL);
    assert_int_equal(count.live, 0);
    assert_int_equal(status, count.calls < fail_at ? DAE_OK : DAE_ERROR_MEMORY);
  }
  dae__arena_free(arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_rows_are_independent),
      cmocka_unit_test(test_no_more_rows_than_columns_are_independent),
      cmocka_unit_test(test_later_duplicates_and_zero_rows_are_dependent),
      cmocka_unit_test(test_combinations_of_earlier_rows_are_dependent),
      cmocka_unit_test(test_only_active_rows_are_considered),
      cmocka_unit_test(test_third_parallel_bar_is_dependent),
      cmocka_unit_test(test_margin_says_how_near_a_row_is_to_dependent),
      cmocka_unit_test(test_rows_that_are_not_finite_are_recoverable),
      cmocka_unit_test(test_long_hanging_chains_have_full_rank_in_linear_time),
      cmocka_unit_test(test_long_chains_between_walls_take_linear_time),
      cmocka_unit_test(test_every_failing_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
