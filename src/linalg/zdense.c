/* Dense LU of complex matrices: lu_dense.h with pairs of real and imaginary part. The diagonal of U
 * is stored as reciprocals. */
#include "linalg/pair.h"
#include <limits.h>
#include <math.h>
#include <stdbool.h>

/* Order n from which on LAPACK's zgetrf is called. Measured by bench/kernels.c, gcc 12 at -O3
 * (SSE2), against the serial OpenBLAS 0.3.21 with its SkylakeX kernel: zgetrf takes 1.0 times the
 * time of the own kernel for n = 13, 0.8 for 30 and 0.7 for 40. The own triangular solves beat
 * zgetrs at every size. */
#ifdef DAE_WITH_LAPACK
#define LU_CROSSOVER 32
#define LU_GETRF zgetrf_
void zgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
#else
#define LU_CROSSOVER INT_MAX
#endif

typedef dae__pair number;

/* A number u as (u_re, u_re) and (u_im, -u_im). */
typedef struct factor {
  dae__pair re, im;
} factor;

#define LU_TINY_SCALE 0x1p1000

static inline factor lu_factor(number u)
{
  return (factor){{u[0], u[0]}, {u[1], -u[1]}};
}

static inline number lu_times(number a, factor u)
{
  number crossed = a * u.im;
  return a * u.re + (number){crossed[1], crossed[0]};
}

/* a t + b u + c v + d w */
static inline number lu_four(number a, factor t, number b, factor u, number c, factor v, number d,
                             factor w)
{
  number crossed = (a * t.im + b * u.im) + (c * v.im + d * w.im);
  return (a * t.re + b * u.re) + (c * v.re + d * w.re) + (number){crossed[1], crossed[0]};
}

static inline double lu_size(number a)
{
  return dae__pair_sum(dae__pair_abs(a));
}

static inline double lu_largest_part(number a)
{
  double x = fabs(a[0]), y = fabs(a[1]);
  return x > y ? x : y;
}

static inline double lu_modulus(number a)
{
  return hypot(a[0], a[1]);
}

/* Reciprocal of a pivot; not finite on overflow. */
static inline number lu_stored(number a)
{
  double d = a[0] * a[0] + a[1] * a[1], s = 1;
  if (d < 1e-280 || d > 1e280) { /* scaling where squares underflow or overflow */
    s = lu_size(a);
    a /= s;
    d = a[0] * a[0] + a[1] * a[1];
  }
  return (number){a[0] / d / s, -a[1] / d / s};
}

/* Whether a is finite, and its reciprocal too: |a| is at least DBL_MIN = 2^-1022. */
static inline bool lu_usable(number a)
{
  double size = lu_size(a);
  return isfinite(size) && size >= 0x1p-1022;
}

static inline void lu_divide(int count, number *l, number stored)
{
  const factor r = lu_factor(stored);
  for (int i = 0; i < count; i++)
    l[i] = lu_times(l[i], r);
}

static inline number lu_quotient(number a, number stored)
{
  return lu_times(a, lu_factor(stored));
}

#define lu_number(x, y, i) ((number){(x)[i], (y)[i]})
#define lu_parts(b, i, x, y) ((x)[i] = (b)[0], (y)[i] = (b)[1])

#define LU_LINKAGE static
#include "linalg/lu_dense.h"

const int dae__zlu_crossover = LU_CROSSOVER;
const dae__backend dae__backend_zdense = {.kind = "dense", LU_VERBS};
const dae__backend dae__backend_zlapack = {.kind = "lapack", LU_VERBS};
