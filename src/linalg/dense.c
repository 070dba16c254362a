/* Dense LU of real matrices: lu_dense.h with numbers of type double. */
#include "linalg/dense.h"
#include <limits.h>
#include <math.h>

/* Order n from which on dae__lu_factor calls LAPACK. Measured by bench/lu.c, gcc 12 and clang 14 at
 * -O3 (SSE2), against the serial OpenBLAS 0.3.21: the own kernel is 1.4 to 2 times faster up to n =
 * 25 and 1.1 to 1.4 times up to 60. With OpenBLAS's Haswell and SkylakeX kernels dgetrf wins from n
 * = 70 to 100 on; with its generic kernel (Prescott, the fallback on processors it does not know)
 * both take the same time up to 400. The own triangular solves beat dgetrs at every size. */
#ifdef DAE_WITH_LAPACK
#define LU_CROSSOVER 80
#define LU_GETRF dgetrf_
void dgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
#else
#define LU_CROSSOVER INT_MAX
#endif
const int dae__lu_crossover = LU_CROSSOVER;

typedef double number, factor;
#define LU_TINY_SCALE 1
#define lu_factor(u) (u)
#define lu_times(a, b) ((a) * (b))
#define lu_four(a, t, b, u, c, v, d, w) (((a) * (t) + (b) * (u)) + ((c) * (v) + (d) * (w)))
#define lu_divide lu_divide_real
#define lu_size(a) fabs(a)
#define lu_largest_part(a) fabs(a)
#define lu_modulus(a) fabs(a)
#define lu_usable(a) (isfinite(a) && (a) != 0)
#define lu_stored(d) (d)
#define lu_quotient(a, d) ((a) / (d))
#define lu_number(x, y, i) ((void)(y), (x)[i])
#define lu_parts(b, i, x, y) ((void)(y), (x)[i] = (b))

/* l = l / d; 1/d may overflow for |d| < DBL_MIN = 2^-1022 */
static inline void lu_divide_real(int count, double *l, double d)
{
  double r = 1 / d;
  if (fabs(d) < 0x1p-1022)
    for (int i = 0; i < count; i++)
      l[i] /= d;
  else
    for (int i = 0; i < count; i++)
      l[i] *= r;
}

#define LU_LINKAGE
#define lu_scale_rows dae__lu_scale_rows
#define lu_factor_own dae__lu_factor_own
#define lu_factor_any dae__lu_factor
#define lu_solve dae__lu_solve
#include "linalg/lu_dense.h"

void dae__lu_solve_transposed(int n, const double *LU, const int *pivot, double *restrict b)
{
  for (int k = 0; k < n; k++) { /* b = U'\b */
    const double *restrict u = LU + (size_t)k * (size_t)n;
    double sum = b[k];
    for (int i = 0; i < k; i++)
      sum -= u[i] * b[i];
    b[k] = sum / u[k];
  }
  for (int k = n - 1; k >= 0; k--) { /* b = L'\b */
    const double *restrict l = LU + (size_t)k * (size_t)n;
    double sum = b[k];
    for (int i = k + 1; i < n; i++)
      sum -= l[i] * b[i];
    b[k] = sum;
  }
  for (int k = n - 1; k >= 0; k--) /* b = P b */
    lu_exchange(b, k, pivot[k]);
}

const dae__backend dae__backend_dense = {.kind = "dense", LU_VERBS};
const dae__backend dae__backend_lapack = {.kind = "lapack", LU_VERBS};
