/* Dense LU: nanoseconds for one factorisation and one solution, own kernel against LAPACK. The
 * crossover in src/linalg/dense.c is chosen from this table: the n from which on dgetrf wins. It
 * depends on the kernels that OpenBLAS picks: set OPENBLAS_VERBOSE=2 to see which, and
 * OPENBLAS_CORETYPE=Haswell or SkylakeX where it does not know the processor. */
#include "linalg/backend.h"
#include "linalg/dense.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void dgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *A, const int *lda,
             const int *pivot, double *B, const int *ldb, int *info, size_t trans_length);

#define LARGEST 500

typedef struct times {
  double factor, solve;
} times;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void own_factor(int n, double *A, int *pivot)
{
  dae__lu_factor_own(n, A, pivot);
}

static void own_solve(int n, const double *A, const int *pivot, double *b)
{
  dae__lu_solve(n, A, pivot, b);
}

static void lapack_factor(int n, double *A, int *pivot)
{
  int info;
  dgetrf_(&n, &n, A, &n, pivot, &info);
}

static void lapack_solve(int n, const double *A, const int *pivot, double *b)
{
  int info, one = 1;
  dgetrs_("N", &n, &one, A, &n, pivot, b, &n, &info, 1);
}

typedef void factor_fn(int n, double *A, int *pivot);
typedef void solve_fn(int n, const double *A, const int *pivot, double *b);

/* the best of several rounds, each long enough for the clock; copying A is measured and taken off
 */
static times measure(int n, factor_fn *factor, solve_fn *solve, const double *A)
{
  static double LU[LARGEST * LARGEST], b[LARGEST];
  static int pivot[LARGEST];
  size_t bytes = (size_t)n * (size_t)n * sizeof *A;
  int repeat = 1 + 2000000 / (n * n * n + 100 * n);
  times best = {1e99, 1e99};
  for (int round = 0; round < 15; round++) {
    double t0 = now();
    for (int i = 0; i < repeat; i++) {
      memcpy(LU, A, bytes);
      __asm__ volatile("" ::"r"(LU) : "memory");
    }
    double t1 = now();
    for (int i = 0; i < repeat; i++) {
      memcpy(LU, A, bytes);
      factor(n, LU, pivot);
    }
    double t2 = now();
    for (int i = 0; i < repeat; i++) {
      memcpy(b, A, (size_t)n * sizeof *A);
      solve(n, LU, pivot, b);
    }
    double t3 = now();
    double f = (t2 - t1 - (t1 - t0)) / repeat, s = (t3 - t2) / repeat;
    best.factor = f < best.factor ? f : best.factor;
    best.solve = s < best.solve ? s : best.solve;
  }
  return best;
}

int main(void)
{
  static const int sizes[] = {2,  3,  4,  6,  8,  10,  13,  16,  20,  25,  30,  40,
                              50, 60, 70, 80, 90, 100, 120, 150, 200, 300, 400, 500};
  static double A[LARGEST * LARGEST];
  int count = (int)(sizeof sizes / sizeof sizes[0]), crossover = 0;
  for (int i = 0; i < LARGEST * LARGEST; i++)
    A[i] = rand() / (double)RAND_MAX - 0.5;
  printf("%5s %12s %12s %12s %12s %8s\n", "n", "own factor", "dgetrf", "own solve", "dgetrs",
         "ratio");
  for (int k = 0; k < count; k++) {
    int n = sizes[k];
    times own = measure(n, own_factor, own_solve, A);
    times lapack = measure(n, lapack_factor, lapack_solve, A);
    double ratio = (lapack.factor + lapack.solve) / (own.factor + own.solve);
    printf("%5d %9.0f ns %9.0f ns %9.0f ns %9.0f ns %8.2f\n", n, own.factor, lapack.factor,
           own.solve, lapack.solve, ratio);
    if (lapack.factor >= own.factor)
      crossover = 0;
    else if (!crossover)
      crossover = n;
  }
  if (crossover)
    printf("dgetrf wins from n = %d on; the library changes over at n = %d\n", crossover,
           dae__lu_crossover);
  return 0;
}
