/* dgetrf and zgetrf of src/linalg/lapack_lazy.c, with LAPACK and with the plain algorithm that
 * takes its place where there is none: P A = L U, and the first zero pivot is reported. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef void getrf(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
extern getrf dgetrf_, zgetrf_;

enum { N = 90 };

static double pseudo_random(void)
{
  static uint64_t state = 12345;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 33) / 2147483648.0 - 1;
}

/* largest entry of P A - L U */
static double residual(int n, const double complex *A, const double complex *LU, const int *pivot)
{
  static double complex PA[N * N];
  double worst = 0;
  memcpy(PA, A, (size_t)(n * n) * sizeof *PA);
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++) {
      double complex kept = PA[k + j * n];
      PA[k + j * n] = PA[pivot[k] - 1 + j * n];
      PA[pivot[k] - 1 + j * n] = kept;
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double complex sum = i <= j ? LU[i + j * n] : 0;
      for (int k = 0; k < i && k <= j; k++)
        sum += LU[i + k * n] * LU[k + j * n];
      worst = fmax(worst, cabs(sum - PA[i + j * n]));
    }
  return worst;
}

static void test_real_matrices_are_factored(void **state)
{
  static const int sizes[] = {1, 2, 7, N};
  static double A[N * N];
  static double complex before[N * N], after[N * N];
  (void)state;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    int n = sizes[s], pivot[N], info = -1;
    for (int i = 0; i < n * n; i++)
      before[i] = A[i] = pseudo_random();
    dgetrf_(&n, &n, A, &n, pivot, &info);
    assert_int_equal(info, 0);
    for (int i = 0; i < n * n; i++)
      after[i] = A[i];
    assert_true(residual(n, before, after, pivot) < 1e-12);
  }
}

static void test_complex_matrices_are_factored(void **state)
{
  static const int sizes[] = {1, 2, 7, N};
  static double complex before[N * N], A[N * N];
  (void)state;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    int n = sizes[s], pivot[N], info = -1;
    for (int i = 0; i < n * n; i++)
      before[i] = A[i] = pseudo_random() + I * pseudo_random();
    zgetrf_(&n, &n, (double *)A, &n, pivot, &info);
    assert_int_equal(info, 0);
    assert_true(residual(n, before, A, pivot) < 1e-12);
  }
}

static void test_a_zero_pivot_is_reported(void **state)
{
  double A[9] = {1, 2, 3, 0, 0, 0, 1, 0, 1};
  int n = 3, pivot[3], info = 0;
  (void)state;
  dgetrf_(&n, &n, A, &n, pivot, &info);
  assert_int_equal(info, 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_real_matrices_are_factored),
      cmocka_unit_test(test_complex_matrices_are_factored),
      cmocka_unit_test(test_a_zero_pivot_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
