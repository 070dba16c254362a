#include "linalg/spectrum.h"

#include "counting_env.h"
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

#define LARGEST 120

typedef dae_status values_of(const dae_env *env, int n, const double *A, double *re, double *im,
                             dae_error *err);
typedef dae_status smallest_of(const dae_env *env, int n, const double *A, double *sigma,
                               dae_error *err);

/* ---- LAPACK, as an independent reference ---- */

#ifdef DAE_WITH_LAPACK
void dgeev_(const char *left, const char *right, const int *n, double *A, const int *lda,
            double *re, double *im, double *VL, const int *ldvl, double *VR, const int *ldvr,
            double *work, const int *lwork, int *info, size_t left_length, size_t right_length);
void dgesvd_(const char *left, const char *right, const int *m, const int *n, double *A,
             const int *lda, double *sigma, double *U, const int *ldu, double *VT, const int *ldvt,
             double *work, const int *lwork, int *info, size_t left_length, size_t right_length);

static double copy[LARGEST * LARGEST], space[8 * LARGEST];

static dae_status lapack_values(const dae_env *env, int n, const double *M, double *re, double *im,
                                dae_error *err)
{
  (void)env, (void)err;
  int lwork = 8 * LARGEST, one = 1, info = 0;
  double none = 0;
  if (n == 0)
    return DAE_OK;
  memcpy(copy, M, (size_t)(n * n) * sizeof *M);
  dgeev_("N", "N", &n, copy, &n, re, im, &none, &one, &none, &one, space, &lwork, &info, 1, 1);
  return info ? DAE_ERROR_RECOVERABLE : DAE_OK;
}

static dae_status lapack_smallest(const dae_env *env, int n, const double *M, double *sigma,
                                  dae_error *err)
{
  (void)env, (void)err;
  int lwork = 8 * LARGEST, one = 1, info = 0;
  double none = 0, all[LARGEST];
  memcpy(copy, M, (size_t)(n * n) * sizeof *M);
  dgesvd_("N", "N", &n, &n, copy, &n, all, &none, &one, &none, &one, space, &lwork, &info, 1, 1);
  *sigma = all[n - 1];
  return info ? DAE_ERROR_RECOVERABLE : DAE_OK;
}
#else
#define lapack_values dae__spectrum_values
#define lapack_smallest dae__spectrum_smallest
#endif

static values_of *const values[] = {lapack_values, dae__spectrum_values};
static smallest_of *const smallest[] = {lapack_smallest, dae__spectrum_smallest};

static double A[LARGEST * LARGEST], re[LARGEST], im[LARGEST], sorted[2][LARGEST];

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* moduli in ascending order */
static const double *moduli(int way, int n)
{
  dae_error err = dae_error_none();
  assert_int_equal(values[way](NULL, n, A, re, im, &err), DAE_OK);
  for (int i = 0; i < n; i++)
    sorted[way][i] = hypot(re[i], im[i]);
  qsort(sorted[way], (size_t)n, sizeof(double), compare);
  return sorted[way];
}

static void fill_random(int n, double size)
{
  for (int i = 0; i < n * n; i++)
    A[i] = size * uniform();
}

/* A = product of random rotations around a matrix with blocks [a b; -b a] and, above, noise */
static void fill_with_pairs(int n)
{
  memset(A, 0, sizeof A);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < j; i++)
      A[i + j * n] = 0.1 * uniform();
  for (int k = 0; k < n; k++)
    A[k + k * n] = 0.3 + k / 2; /* k/2 + .3 +- i: in pairs */
  for (int k = 0; k + 1 < n; k += 2) {
    A[k + (k + 1) * n] = 1;
    A[k + 1 + k * n] = -1;
  }
  for (int t = 0; t < 3 * n; t++) {
    int p = t % n, q = (p + 1 + t / n) % n;
    double c = cos(t), s = sin(t);
    for (int k = 0; k < n && p != q; k++) {
      double x = A[p + k * n], y = A[q + k * n];
      A[p + k * n] = c * x + s * y;
      A[q + k * n] = c * y - s * x;
    }
    for (int k = 0; k < n && p != q; k++) {
      double x = A[k + p * n], y = A[k + q * n];
      A[k + p * n] = c * x + s * y;
      A[k + q * n] = c * y - s * x;
    }
  }
}

static void test_known_pairs_are_found(void **state)
{
  (void)state;
  for (int n = 2; n <= 20; n += 2)
    for (int way = 0; way < 2; way++) {
      fill_with_pairs(n);
      const double *found = moduli(way, n);
      for (int k = 0; k < n; k++)
        assert_true(fabs(found[k] - hypot(0.3 + k / 2, 1)) < 1e-8);
    }
}

static void test_own_values_agree_with_lapack(void **state)
{
  (void)state;
  for (int n = 0; n <= LARGEST; n += n < 12 ? 1 : 9) {
    fill_random(n, 1);
    const double *theirs = moduli(0, n), *own = moduli(1, n);
    for (int i = 0; i < n; i++)
      assert_true(fabs(theirs[i] - own[i]) < 1e-9 * n);
  }
}

/* sum of the values = trace, sum of their squares = trace of the square */
static void test_values_keep_the_traces(void **state)
{
  (void)state;
  for (int n = 1; n <= 40; n += 3)
    for (int way = 0; way < 2; way++) {
      double trace = 0, squares = 0, sum = 0, sum_squares = 0;
      fill_random(n, 2);
      assert_int_equal(values[way](NULL, n, A, re, im, NULL), DAE_OK);
      for (int i = 0; i < n; i++) {
        trace += A[i + i * n];
        sum += re[i];
        sum_squares += re[i] * re[i] - im[i] * im[i];
        for (int j = 0; j < n; j++)
          squares += A[i + j * n] * A[j + i * n];
      }
      assert_true(fabs(trace - sum) < 1e-11 * n);
      assert_true(fabs(squares - sum_squares) < 1e-10 * n * n);
    }
}

/* a ring: all values on a circle, and a plain sweep does not change the matrix */
static void test_values_of_a_ring_are_roots_of_one(void **state)
{
  (void)state;
  for (int n = 2; n <= 60; n += n < 9 ? 1 : 17)
    for (int way = 0; way < 2; way++) {
      memset(A, 0, sizeof A);
      for (int j = 0; j < n; j++)
        A[(j + 1) % n + j * n] = 1;
      const double *found = moduli(way, n);
      for (int i = 0; i < n; i++)
        assert_true(fabs(found[i] - 1) < 1e-12);
    }
}

/* triangular up to the order of the unknowns: the diagonal, without rounding */
static void test_values_of_permuted_triangles_are_exact(void **state)
{
  (void)state;
  for (int n = 1; n <= 50; n += 7)
    for (int way = 0; way < 2; way++) {
      memset(A, 0, sizeof A);
      for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++)
          A[i * 7 % n + (j * 7 % n) * n] = n % 7 ? 1e3 * uniform() : 0;
      const double *found = moduli(way, n);
      for (int i = 0; i < n; i++)
        assert_true(found[i] == 0);
    }
}

/* z' = D^-1 A D z: units of the unknowns */
static void test_values_do_not_depend_on_units(void **state)
{
  (void)state;
  for (int way = 0; way < 2; way++) {
    fill_random(12, 1);
    double before[12];
    memcpy(before, moduli(way, 12), sizeof before);
    for (int j = 0; j < 12; j++)
      for (int i = 0; i < 12; i++)
        A[i + j * 12] *= pow(10, (i * 5 % 12) - (j * 5 % 12));
    const double *after = moduli(way, 12);
    for (int i = 0; i < 12; i++)
      assert_true(fabs(before[i] - after[i]) < 1e-11);
  }
}

static void test_vectors_belong_to_their_values(void **state)
{
  (void)state;
  for (int n = 1; n <= 40; n += 3) {
    double x[LARGEST], y[LARGEST];
    fill_random(n, 1);
    assert_int_equal(dae__spectrum_values(NULL, n, A, re, im, NULL), DAE_OK);
    for (int k = 0; k < n; k++) {
      assert_int_equal(dae__spectrum_vector(NULL, n, A, re[k], im[k], x, y, NULL), DAE_OK);
      double largest = 0;
      for (int i = 0; i < n; i++) {
        double u = -re[k] * x[i] + im[k] * y[i], v = -re[k] * y[i] - im[k] * x[i];
        for (int j = 0; j < n; j++) {
          u += A[i + j * n] * x[j];
          v += A[i + j * n] * y[j];
        }
        assert_true(hypot(u, v) < 1e-8);
        largest = fmax(largest, hypot(x[i], y[i]));
      }
      assert_true(fabs(largest - 1) < 1e-14);
    }
  }
}

static void test_vectors_of_zero_and_of_double_values_exist(void **state)
{
  (void)state;
  const double zero[4] = {0}, jordan[4] = {2, 0, 1, 2};
  double x[2], y[2];
  assert_int_equal(dae__spectrum_vector(NULL, 2, zero, 0, 0, x, y, NULL), DAE_OK);
  assert_true(fmax(fabs(x[0]), fabs(x[1])) == 1);
  assert_int_equal(dae__spectrum_vector(NULL, 2, jordan, 2, 0, x, y, NULL), DAE_OK);
  assert_true(fabs(x[0]) == 1 && fabs(x[1]) < 1e-8);
}

static void test_smallest_singular_values_agree(void **state)
{
  (void)state;
  for (int n = 1; n <= LARGEST; n += n < 12 ? 1 : 9) {
    double theirs, own;
    fill_random(n, 3);
    assert_int_equal(smallest[0](NULL, n, A, &theirs, NULL), DAE_OK);
    assert_int_equal(smallest[1](NULL, n, A, &own, NULL), DAE_OK);
    assert_true(fabs(theirs - own) < 1e-7 * theirs);
  }
}

/* rotations times diag(1 ... n) / n */
static void test_a_known_smallest_singular_value_is_found(void **state)
{
  (void)state;
  int n = 15;
  for (int way = 0; way < 2; way++) {
    double sigma;
    memset(A, 0, sizeof A);
    for (int k = 0; k < n; k++)
      A[k + k * n] = (k + 1.0) / n;
    for (int t = 0; t < 4 * n; t++)
      for (int k = 0, p = t % n, q = (t + 1) % n; k < n; k++) {
        double x = A[p + k * n], y = A[q + k * n];
        A[p + k * n] = cos(t) * x + sin(t) * y;
        A[q + k * n] = cos(t) * y - sin(t) * x;
      }
    assert_int_equal(smallest[way](NULL, n, A, &sigma, NULL), DAE_OK);
    assert_true(fabs(sigma - 1.0 / n) < 1e-10);
  }
}

static void test_singular_matrices_have_smallest_zero(void **state)
{
  (void)state;
  for (int way = 0; way < 2; way++)
    for (int n = 1; n <= 20; n++) {
      double sigma;
      fill_random(n, 1);
      for (int j = 0; j < n; j++) { /* the first row is the sum of the others */
        A[j * n] = 0;
        for (int i = 1; i < n; i++)
          A[j * n] += A[i + j * n];
      }
      assert_int_equal(smallest[way](NULL, n, A, &sigma, NULL), DAE_OK);
      assert_true(sigma < 1e-13);
    }
}

static void test_numbers_that_are_not_finite_are_refused(void **state)
{
  (void)state;
  const double bad[] = {1, NAN, 2, INFINITY};
  double x[2], y[2];
  assert_int_equal(dae__spectrum_values(NULL, 2, bad, x, y, NULL), DAE_ERROR_RECOVERABLE);
  assert_int_equal(dae__spectrum_smallest(NULL, 2, bad, x, NULL), DAE_ERROR_RECOVERABLE);
  assert_int_equal(dae__spectrum_vector(NULL, 2, bad, 1, 0, x, y, NULL), DAE_ERROR_RECOVERABLE);
}

static int verb_built;

static bool build(const dae_env *env)
{
  double x[30], y[30];
  dae_error err = dae_error_none();
  dae_status status = verb_built == 0   ? dae__spectrum_values(env, 30, A, x, y, &err)
                      : verb_built == 1 ? dae__spectrum_smallest(env, 30, A, x, &err)
                                        : dae__spectrum_vector(env, 30, A, 0.3, 1, x, y, &err);
  assert_true(status == DAE_OK || status == DAE_ERROR_MEMORY);
  assert_int_equal(err.status, status);
  return status == DAE_OK;
}

static void test_memory_that_runs_out_is_noticed(void **state)
{
  (void)state;
  fill_random(30, 1);
  for (verb_built = 0; verb_built < 3; verb_built++)
    assert_int_equal(counting_env_fault(build), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_pairs_are_found),
      cmocka_unit_test(test_own_values_agree_with_lapack),
      cmocka_unit_test(test_values_keep_the_traces),
      cmocka_unit_test(test_values_of_a_ring_are_roots_of_one),
      cmocka_unit_test(test_values_of_permuted_triangles_are_exact),
      cmocka_unit_test(test_values_do_not_depend_on_units),
      cmocka_unit_test(test_vectors_belong_to_their_values),
      cmocka_unit_test(test_vectors_of_zero_and_of_double_values_exist),
      cmocka_unit_test(test_smallest_singular_values_agree),
      cmocka_unit_test(test_a_known_smallest_singular_value_is_found),
      cmocka_unit_test(test_singular_matrices_have_smallest_zero),
      cmocka_unit_test(test_numbers_that_are_not_finite_are_refused),
      cmocka_unit_test(test_memory_that_runs_out_is_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
