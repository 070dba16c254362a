#include "linalg/pattern.h"

#include "counting_env.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static unsigned draw(unsigned below)
{
  static uint64_t seed = 1234567891011u;
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (unsigned)(seed >> 33) % below;
}

/* about one entry in `sparsity` */
static dae_pattern random_pattern(dae__arena *arena, int rows, int cols, unsigned sparsity)
{
  int *start = DAE__ALLOC(arena, int, cols + 1), *row = DAE__ALLOC(arena, int, rows *cols);
  int count = 0;
  for (int j = 0; j < cols; j++) {
    for (int i = 0; i < rows; i++)
      if (draw(sparsity) == 0)
        row[count++] = i;
    start[j + 1] = count;
  }
  return (dae_pattern){rows, cols, start, row};
}

static bool has(const dae_pattern *p, int i, int j)
{
  for (int e = p->start[j]; e < p->start[j + 1]; e++)
    if (p->row[e] == i)
      return true;
  return false;
}

static void assert_valid(const dae_pattern *p, int rows, int cols)
{
  dae_error err;
  assert_int_equal(dae__pattern_validate(p, rows, cols, "p", &err), DAE_OK);
}

static void test_bad_patterns_are_refused_by_name(void **state)
{
  (void)state;
  static const int start[] = {0, 2, 3}, late[] = {1, 2, 3}, falling[] = {0, 3, 2};
  static const int row[] = {0, 1, 1}, twice[] = {1, 1, 0}, outside[] = {0, 2, 1},
                   negative[] = {-1, 1, 1};
  const struct {
    dae_pattern pattern;
    bool good;
  } cases[] = {{{2, 2, start, row}, true},      {{3, 2, start, row}, false},
               {{2, 3, start, row}, false},     {{2, 2, late, row}, false},
               {{2, 2, falling, row}, false},   {{2, 2, start, twice}, false},
               {{2, 2, start, outside}, false}, {{2, 2, start, negative}, false},
               {{2, 2, NULL, row}, false},      {{2, 2, start, NULL}, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    dae_error err = dae_error_none();
    dae_status status = dae__pattern_validate(&cases[i].pattern, 2, 2, "G_pattern", &err);
    assert_int_equal(status, cases[i].good ? DAE_OK : DAE_ERROR_PROBLEM);
    if (!cases[i].good)
      assert_string_equal(err.equation, "G_pattern");
  }
}

static void test_dense_and_diagonal_are_what_they_say(void **state)
{
  (void)state;
  dae__arena *arena = dae__arena_create(NULL);
  dae_pattern full = dae__pattern_dense(arena, 3, 5), diagonal = dae__pattern_diagonal(arena, 4);
  dae_pattern empty = dae__pattern_dense(arena, 0, 5);
  assert_valid(&full, 3, 5);
  assert_valid(&diagonal, 4, 4);
  assert_valid(&empty, 0, 5);
  assert_int_equal(dae__pattern_count(&full), 15);
  assert_int_equal(dae__pattern_count(&diagonal), 4);
  for (int i = 0; i < 4; i++)
    assert_true(has(&diagonal, i, i));
  dae__arena_free(arena);
}

static void test_patterns_too_large_to_count_fail_the_arena(void **state)
{
  (void)state;
  dae__arena *arena = dae__arena_create(NULL);
  (void)dae__pattern_dense(arena, INT_MAX / 2, 3);
  assert_true(dae__arena_failed(arena));
  dae__arena_free(arena);
}

static void test_transpose_twice_is_the_same(void **state)
{
  (void)state;
  for (int trial = 0; trial < 20; trial++) {
    dae__arena *arena = dae__arena_create(NULL);
    int rows = 1 + (int)draw(20), cols = 1 + (int)draw(20);
    dae_pattern p = random_pattern(arena, rows, cols, 3);
    int count = dae__pattern_count(&p);
    int *map = DAE__ALLOC(arena, int, count), *back = DAE__ALLOC(arena, int, count);
    dae_pattern t = dae__pattern_transpose(arena, &p, map);
    dae_pattern tt = dae__pattern_transpose(arena, &t, back);
    assert_valid(&t, cols, rows);
    assert_memory_equal(tt.start, p.start, (size_t)(cols + 1) * sizeof(int));
    for (int e = 0; e < count; e++) {
      assert_int_equal(tt.row[e], p.row[e]);
      assert_int_equal(back[map[e]], e);
    }
    dae__arena_free(arena);
  }
}

static double entry(const dae_pattern *p, const double *values, int i, int j)
{
  for (int e = p->start[j]; e < p->start[j + 1]; e++)
    if (p->row[e] == i)
      return values[e];
  return 0;
}

static void test_a_sparse_product_is_the_dense_one(void **state)
{
  (void)state;
  for (int trial = 0; trial < 20; trial++) {
    dae__arena *arena = dae__arena_create(NULL);
    int rows = (int)draw(12), inner = (int)draw(12), cols = 1 + (int)draw(15);
    dae_pattern a = random_pattern(arena, rows, inner, 4),
                b = random_pattern(arena, inner, cols, 4);
    dae_pattern c = dae__pattern_product(arena, &a, &b);
    assert_valid(&c, rows, cols);
    double *A = DAE__ALLOC(arena, double, dae__pattern_count(&a));
    double *B = DAE__ALLOC(arena, double, dae__pattern_count(&b));
    double *C = DAE__ALLOC(arena, double, dae__pattern_count(&c));
    double *work = DAE__ALLOC(arena, double, rows);
    for (int e = 0; e < dae__pattern_count(&a); e++)
      A[e] = 1 + (int)draw(9);
    for (int e = 0; e < dae__pattern_count(&b); e++)
      B[e] = 1 + (int)draw(9);
    dae__matrix_product((dae__factor){&a, A}, (dae__factor){&b, B}, &c, work, C);
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++) {
        double sum = 0;
        for (int k = 0; k < inner; k++)
          sum += entry(&a, A, i, k) * entry(&b, B, k, j);
        assert_int_equal(has(&c, i, j), sum > 0);
        assert_true(entry(&c, C, i, j) == sum);
      }
    dae__arena_free(arena);
  }
}

static void test_gram_joins_columns_that_share_a_row(void **state)
{
  (void)state;
  for (int trial = 0; trial < 20; trial++) {
    dae__arena *arena = dae__arena_create(NULL);
    int rows = (int)draw(12), cols = 1 + (int)draw(15);
    dae_pattern p = random_pattern(arena, rows, cols, 1 + draw(5)); /* 1: full */
    dae_pattern g = dae__pattern_gram(arena, &p);
    assert_valid(&g, cols, cols);
    for (int j = 0; j < cols; j++)
      for (int k = 0; k < cols; k++) {
        bool shared = false;
        for (int i = 0; i < rows; i++)
          shared |= has(&p, i, j) && has(&p, i, k);
        assert_int_equal(has(&g, k, j), shared);
      }
    dae__arena_free(arena);
  }
}

/* the merged matrix times x is the sum of the blocks times their parts of x */
static void test_tiles_are_the_blocks_side_by_side(void **state)
{
  (void)state;
  for (int n = 0; n <= 7; n++)
    for (int s = 1; s <= 4; s++) {
      dae__arena *arena = dae__arena_create(NULL);
      dae_pattern p = random_pattern(arena, n, n, 2), tiles = dae__pattern_tiles(arena, &p, s);
      dae__block block[16];
      for (int b = 0; b < s * s; b++)
        block[b] = (dae__block){.row = b / s * n, .col = b % s * n, .pattern = &p};
      dae_pattern merged = dae__blocks_merge(arena, s * n, s * n, block, s * s);
      int count = dae__pattern_count(&merged);
      assert_valid(&tiles, s * n, s * n);
      assert_memory_equal(tiles.start, merged.start, (size_t)(s * n + 1) * sizeof(int));
      assert_memory_equal(tiles.row, merged.row, (size_t)count * sizeof(int));
      for (int b = 0; b < s * s; b++)
        for (int j = 0; j < n; j++)
          for (int e = p.start[j]; e < p.start[j + 1]; e++)
            assert_int_equal(block[b].map[e], tiles.start[b % s * n + j] +
                                                  b / s * (p.start[j + 1] - p.start[j]) + e -
                                                  p.start[j]);
      dae__arena_free(arena);
    }
}

/* in a matrix that they fill well, and in a larger one */
static void test_overlapping_blocks_add_up(void **state)
{
  (void)state;
  enum { ROWS = 40, COLS = 50, BLOCKS = 5 };
  for (int trial = 0; trial < 60; trial++) {
    int all_rows = trial % 2 ? ROWS : 8, all_cols = trial % 2 ? COLS : 7;
    dae__arena *arena = dae__arena_create(NULL);
    dae__block block[BLOCKS];
    dae_pattern p[BLOCKS];
    double *values[BLOCKS], sum[ROWS][COLS] = {{0}};
    for (int b = 0; b < BLOCKS; b++) {
      bool t = draw(2), all = b == 2 && trial % 3 == 0; /* one that has all entries */
      int rows = all ? t ? all_cols : all_rows : (int)draw(7);
      int cols = all ? t ? all_rows : all_cols : (int)draw(7);
      p[b] = all ? dae__pattern_dense(arena, rows, cols) : random_pattern(arena, rows, cols, 2);
      int high = t ? cols : rows, wide = t ? rows : cols;
      block[b] = (dae__block){(int)draw((unsigned)(all_rows - high + 1)),
                              (int)draw((unsigned)(all_cols - wide + 1)), &p[b], t, NULL};
      values[b] = DAE__ALLOC(arena, double, dae__pattern_count(&p[b]));
      for (int j = 0; j < cols; j++)
        for (int e = p[b].start[j]; e < p[b].start[j + 1]; e++) {
          values[b][e] = draw(100);
          int i = p[b].row[e];
          sum[block[b].row + (t ? j : i)][block[b].col + (t ? i : j)] += (b + 1) * values[b][e];
        }
    }
    dae_pattern m = dae__blocks_merge(arena, all_rows, all_cols, block, BLOCKS);
    assert_valid(&m, all_rows, all_cols);
    double *A = DAE__ALLOC(arena, double, dae__pattern_count(&m));
    for (int b = 0; b < BLOCKS; b++)
      dae__block_add(&block[b], b + 1, values[b], A);
    for (int j = 0; j < all_cols; j++) {
      double x[COLS] = {0}, y[ROWS] = {0};
      x[j] = 2;
      dae__matrix_times(&m, A, 0.5, x, y);
      for (int i = 0; i < all_rows; i++)
        assert_true(y[i] == sum[i][j]); /* integers: exact */
    }
    dae__arena_free(arena);
  }
}

static void test_products_with_the_transpose_are_adjoint(void **state)
{
  (void)state;
  dae__arena *arena = dae__arena_create(NULL);
  dae_pattern p = random_pattern(arena, 13, 8, 3);
  double A[13 * 8], x[8], y[13], Ax[13] = {0}, Aty[8] = {0};
  for (int e = 0; e < dae__pattern_count(&p); e++)
    A[e] = draw(9);
  for (int j = 0; j < 8; j++)
    x[j] = draw(9);
  for (int i = 0; i < 13; i++)
    y[i] = draw(9);
  dae__matrix_times(&p, A, 3, x, Ax);
  dae__matrix_transposed_times(&p, A, 3, y, Aty);
  double left = 0, right = 0;
  for (int i = 0; i < 13; i++)
    left += y[i] * Ax[i];
  for (int j = 0; j < 8; j++)
    right += Aty[j] * x[j];
  assert_true(left == right);
  dae__arena_free(arena);
}

/* offsets of `diagonals` entries per column around the diagonal */
static dae_pattern banded(dae__arena *arena, int n, int half)
{
  int *start = DAE__ALLOC(arena, int, n + 1), *row = DAE__ALLOC(arena, int, n *(2 * half + 1));
  int count = 0;
  for (int j = 0; j < n; j++) {
    for (int i = j - half; i <= j + half; i++)
      if (i >= 0 && i < n)
        row[count++] = i;
    start[j + 1] = count;
  }
  return (dae_pattern){n, n, start, row};
}

static void test_a_million_entries_merge_and_colour_quickly(void **state)
{
  (void)state;
  int n = 200000;
  dae__arena *arena = dae__arena_create(NULL);
  dae_pattern p = banded(arena, n, 2), diagonal = dae__pattern_diagonal(arena, 2 * n);
  dae__block block[] = {{0, 0, &p, false, NULL},
                        {n, 0, &p, false, NULL},
                        {0, n, &p, true, NULL},
                        {0, 0, &diagonal, false, NULL}};
  dae_pattern m = dae__blocks_merge(arena, 2 * n, 2 * n, block, 4);
  assert_valid(&m, 2 * n, 2 * n);
  assert_int_equal(dae__pattern_count(&m), 3 * dae__pattern_count(&p) + n);
  int *colour = DAE__ALLOC(arena, int, 2 * n);
  assert_in_range(dae__pattern_colour(arena, &m, colour), 10, 20);
  dae__arena_free(arena);
}

static void test_columns_of_a_colour_share_no_row(void **state)
{
  (void)state;
  for (int trial = 0; trial < 20; trial++) {
    dae__arena *arena = dae__arena_create(NULL);
    int rows = 1 + (int)draw(40), cols = 1 + (int)draw(40), colour[40];
    dae_pattern p = random_pattern(arena, rows, cols, 8);
    int colours = dae__pattern_colour(arena, &p, colour);
    for (int j = 0; j < cols; j++) {
      assert_in_range(colour[j], 0, colours - 1);
      for (int k = 0; k < j; k++)
        for (int i = 0; i < rows && colour[j] == colour[k]; i++)
          assert_false(has(&p, i, j) && has(&p, i, k));
    }
    dae__arena_free(arena);
  }
}

static void test_banded_matrices_need_as_many_colours_as_the_band_is_wide(void **state)
{
  (void)state;
  dae__arena *arena = dae__arena_create(NULL);
  int colour[100];
  for (int half = 0; half < 4; half++) {
    dae_pattern p = banded(arena, 100, half);
    assert_int_equal(dae__pattern_colour(arena, &p, colour), 2 * half + 1);
  }
  dae_pattern full = dae__pattern_dense(arena, 3, 10), empty = dae__pattern_dense(arena, 0, 10);
  assert_int_equal(dae__pattern_colour(arena, &full, colour), 10);
  assert_int_equal(dae__pattern_colour(arena, &empty, colour), 1);
  dae__arena_free(arena);
}

static bool build_all(const dae_env *env)
{
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return false;
  int n = 2000;
  dae_pattern full = dae__pattern_dense(arena, 30, 40), diagonal = dae__pattern_diagonal(arena, n);
  dae_pattern gram = dae__pattern_gram(arena, &diagonal);
  dae_pattern product = dae__pattern_product(arena, &gram, &diagonal);
  dae_pattern t = dae__pattern_transpose(arena, &product, NULL);
  dae__block block[] = {{0, 0, &full, false, NULL}, {5, 7, &t, true, NULL}};
  (void)dae__blocks_merge(arena, n + 100, n + 100, block, 2);
  int *colour = DAE__ALLOC(arena, int, n);
  int colours = dae__pattern_colour(arena, &t, colour);
  bool built = !dae__arena_failed(arena);
  assert_int_equal(colours, built ? 1 : 0);
  dae__arena_free(arena);
  return built;
}

static void test_every_failing_allocation_shows_in_the_arena(void **state)
{
  (void)state;
  assert_int_equal(counting_env_fault(build_all), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bad_patterns_are_refused_by_name),
      cmocka_unit_test(test_dense_and_diagonal_are_what_they_say),
      cmocka_unit_test(test_patterns_too_large_to_count_fail_the_arena),
      cmocka_unit_test(test_transpose_twice_is_the_same),
      cmocka_unit_test(test_a_sparse_product_is_the_dense_one),
      cmocka_unit_test(test_gram_joins_columns_that_share_a_row),
      cmocka_unit_test(test_tiles_are_the_blocks_side_by_side),
      cmocka_unit_test(test_overlapping_blocks_add_up),
      cmocka_unit_test(test_products_with_the_transpose_are_adjoint),
      cmocka_unit_test(test_a_million_entries_merge_and_colour_quickly),
      cmocka_unit_test(test_columns_of_a_colour_share_no_row),
      cmocka_unit_test(test_banded_matrices_need_as_many_colours_as_the_band_is_wide),
      cmocka_unit_test(test_every_failing_allocation_shows_in_the_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
