#include "linalg/dense.h"
#include "uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LARGEST 120 /* well above the crossover to LAPACK */

typedef void filler(int n, double *A);

static void fill_random(int n, double *A)
{
  for (int i = 0; i < n * n; i++)
    A[i] = uniform();
}

/* regular, with a zero diagonal: nothing works without pivoting */
static void fill_cyclic(int n, double *A)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      A[i + j * n] = i == (j + 1) % n ? 1 + 1.0 / (i + 1) : 0;
}

static void fill_saddle(int n, double *A)
{
  int m = n / 3;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      A[i + j * n] = i >= n - m && j >= n - m ? 0 : i == j ? 2 : 0;
  for (int k = 0; k < m; k++)
    for (int i = 2 * k; i < 2 * k + 2; i++)
      A[n - m + k + i * n] = A[i + (n - m + k) * n] = 1 + uniform() / 2;
}

static void fill_tiny(int n, double *A)
{
  fill_random(n, A);
  for (int i = 0; i < n * n; i++)
    A[i] *= 1e-310;
}

/* |b - op(A) x| relative to |A| |x| */
static double residual(int n, const double *A, const double *x, const double *b, int transposed)
{
  double worst = 0, scale = 0;
  for (int i = 0; i < n; i++) {
    double r = b[i], s = 0;
    for (int j = 0; j < n; j++) {
      double a = transposed ? A[j + i * n] : A[i + j * n];
      r -= a * x[j];
      s += fabs(a * x[j]);
    }
    worst = fmax(worst, fabs(r));
    scale = fmax(scale, s);
  }
  return worst / scale;
}

static void check(int n, filler *fill, double size, double allowed)
{
  static double A[LARGEST * LARGEST], LU[LARGEST * LARGEST], b[LARGEST], x[LARGEST];
  int pivot[LARGEST];
  fill(n, A);
  memcpy(LU, A, sizeof A);
  assert_int_equal(dae__lu_factor(n, LU, pivot), 0);
  for (int j = 0; j < n; j++)
    assert_in_range(pivot[j], j, n - 1);
  for (int transposed = 0; transposed < 2; transposed++) {
    for (int i = 0; i < n; i++)
      x[i] = b[i] = size * uniform();
    if (transposed)
      dae__lu_solve_transposed(n, LU, pivot, x);
    else
      dae__lu_solve(n, LU, pivot, x);
    assert_true(residual(n, A, x, b, transposed) < allowed);
  }
}

static void test_random_systems_are_solved(void **state)
{
  (void)state;
  for (int n = 1; n <= LARGEST; n++)
    check(n, fill_random, 1, 1e-12);
}

static void test_zero_diagonals_are_pivoted(void **state)
{
  (void)state;
  for (int n = 2; n <= LARGEST; n++) {
    check(n, fill_cyclic, 1, 1e-14);
    check(n, fill_saddle, 1, 1e-13);
  }
}

/* subnormal numbers have few digits, but their reciprocals must not overflow */
static void test_subnormal_matrices_are_solved(void **state)
{
  (void)state;
  for (int n = 1; n <= 20; n++)
    check(n, fill_tiny, 1e-310, 1e-8);
}

static void test_multipliers_are_at_most_one(void **state)
{
  (void)state;
  static double A[LARGEST * LARGEST];
  int pivot[LARGEST];
  for (int n = 1; n <= LARGEST; n += 7) {
    fill_random(n, A);
    assert_int_equal(dae__lu_factor(n, A, pivot), 0);
    for (int j = 0; j < n; j++)
      for (int i = j + 1; i < n; i++)
        assert_true(fabs(A[i + j * n]) <= 1 + 1e-15);
  }
}

static void test_first_singular_column_is_reported(void **state)
{
  (void)state;
  static double A[LARGEST * LARGEST];
  int pivot[LARGEST];
  for (int n = 1; n <= LARGEST; n += n < 10 ? 1 : 11)
    for (int j = 0; j < n; j += 1 + n / 6) {
      fill_random(n, A);
      for (int i = 0; i < n; i++)
        A[i + j * n] = 0;
      assert_int_equal(dae__lu_factor(n, A, pivot), j + 1);
    }
}

static void test_numbers_that_are_not_finite_are_reported(void **state)
{
  (void)state;
  static double A[LARGEST * LARGEST];
  int pivot[LARGEST];
  for (int n = 1; n <= LARGEST; n += n < 10 ? 1 : 11)
    for (int k = 0; k < n; k += 1 + n / 6) {
      fill_random(n, A);
      A[k + k * n] = k % 2 ? NAN : INFINITY;
      assert_true(dae__lu_factor(n, A, pivot) > 0);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_systems_are_solved),
      cmocka_unit_test(test_zero_diagonals_are_pivoted),
      cmocka_unit_test(test_subnormal_matrices_are_solved),
      cmocka_unit_test(test_multipliers_are_at_most_one),
      cmocka_unit_test(test_first_singular_column_is_reported),
      cmocka_unit_test(test_numbers_that_are_not_finite_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
