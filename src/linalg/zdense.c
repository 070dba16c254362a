/* Dense complex LU with partial pivoting, A = P L U, right-looking by single columns.
 *
 * A column is its real parts, then its imaginary ones, each of an even number of rows. The pair of
 * rows around the diagonal is stored twice: in the column with the entries of U above the diagonal,
 * and apart with the entries of L below it, zeros elsewhere. Updates then run over whole pairs. The
 * diagonal of U is stored apart, too, as reciprocals. pivot[j] = q: rows j and q were exchanged at
 * step j, counted from 0. */
#include "linalg/zdense.h"
#include <limits.h>
#include <math.h>
#include <stdbool.h>

/* Order n from which on LAPACK's zgetrf is called. Measured by bench/kernels.c, gcc 12 at -O2
 * (SSE2), against the serial OpenBLAS 0.3.21: the own kernel is 1.4 to 2 times faster up to n = 25.
 * With OpenBLAS's Haswell and SkylakeX kernels zgetrf wins from n = 40 to 50 on, with its generic
 * kernel (Prescott) from 80 to 100. */
#ifdef DAE_WITH_LAPACK
#define CROSSOVER 50
#else
#define CROSSOVER INT_MAX
#endif
const int dae__zlu_crossover = CROSSOVER;

/* Storage of a factored matrix. */
typedef struct parts {
  size_t n, stride;
  double *A; /* columns, 2 stride doubles apart */
  /* two rows of L around the diagonal of each column: two real, then two imaginary parts */
  double *near;
  double *inverse; /* 1/U_jj, real and imaginary part */
} parts;

typedef struct number {
  double x, y;
} number;

static inline parts zdense_parts_of(int order, double *A)
{
  size_t n = (size_t)order, stride = dae__zlu_stride(order);
  return (parts){n, stride, A, A + 2 * stride * n, A + (2 * stride + 4) * n};
}

/* Update a -= l u of two rows; the imaginary parts of l are l_step doubles after the real ones. */
static inline void zdense_subtract_pair(const double *l, size_t l_step, number u, double *x,
                                        double *y)
{
  dae__pair lx = dae__pair_of(l), ly = dae__pair_of(l + l_step);
  *dae__pair_at(x) -= lx * u.x - ly * u.y;
  *dae__pair_at(y) -= lx * u.y + ly * u.x;
}

/* product l = a r for two rows */
static inline void zdense_times_pair(const double *x, const double *y, number r, double *lx,
                                     double *ly)
{
  dae__pair ax = dae__pair_of(x), ay = dae__pair_of(y);
  *dae__pair_at(lx) = ax * r.x - ay * r.y;
  *dae__pair_at(ly) = ax * r.y + ay * r.x;
}

/* Row i >= k of the largest |x_i| + |y_i|: two searches side by side, over alternate rows. */
static inline size_t zdense_largest_from(size_t n, const double *x, const double *y, size_t k)
{
  size_t p = k, q = k, i = k + 1;
  double max_p = fabs(x[k]) + fabs(y[k]), max_q = max_p;
  for (; i + 2 <= n; i += 2) {
    double s = fabs(x[i]) + fabs(y[i]), t = fabs(x[i + 1]) + fabs(y[i + 1]);
    p = s > max_p ? i : p;
    max_p = s > max_p ? s : max_p;
    q = t > max_q ? i + 1 : q;
    max_q = t > max_q ? t : max_q;
  }
  if (i < n && fabs(x[i]) + fabs(y[i]) > max_p) {
    max_p = fabs(x[i]) + fabs(y[i]);
    p = i;
  }
  return max_q > max_p ? q : p;
}

/* Reciprocal 1/(x + i y); not finite on overflow. */
static inline number zdense_reciprocal(double x, double y)
{
  double d = x * x + y * y, s = 1;
  if (d < 1e-280 || d > 1e280) { /* scaling where squares underflow or overflow */
    s = fabs(x) + fabs(y);
    x /= s;
    y /= s;
    d = x * x + y * y;
  }
  return (number){x / d / s, -y / d / s};
}

/* Finds the pivot row q of the updated column k and forms L = a / U_kk before the exchange of rows
 * k and q. Row q of L is not zeroed: the entries it is subtracted from are overwritten. */
static inline bool zdense_prepare(const parts *p, size_t k, int *pivot)
{
  double *x = p->A + 2 * p->stride * k, *y = x + p->stride, *near = p->near + 4 * k;
  size_t q = zdense_largest_from(p->n, x, y, k), i = k / 2 * 2;
  pivot[k] = (int)q;
  number r = zdense_reciprocal(x[q], y[q]);
  if (!isfinite(r.x) || !isfinite(r.y))
    return false;
  p->inverse[2 * k] = r.x;
  p->inverse[2 * k + 1] = r.y;
  zdense_times_pair(x + i, y + i, r, near, near + 2);
  if (i < k)
    near[0] = near[2] = 0;
  for (i += 2; i < p->stride; i += 2)
    zdense_times_pair(x + i, y + i, r, x + i, y + i);
  return true;
}

/* Update a -= L(:,k) u of column j > k, followed by the exchange of rows k and q; an exchange
 * before the update would make it wait for the stores. */
static inline void zdense_update(const parts *p, size_t k, size_t q, size_t j)
{
  double *x = p->A + 2 * p->stride * j, *y = x + p->stride;
  const double *l = p->A + 2 * p->stride * k;
  number u = {x[q], y[q]};
  size_t i = k / 2 * 2;
  zdense_subtract_pair(p->near + 4 * k, 2, u, x + i, y + i);
  for (i += 2; i < p->stride; i += 2)
    zdense_subtract_pair(l + i, p->stride, u, x + i, y + i);
  x[q] = x[k];
  y[q] = y[k];
  x[k] = u.x;
  y[k] = u.y;
}

/* Address of L_ic, i >= c; the imaginary part is *step doubles after it. */
static inline double *zdense_left(const parts *p, size_t i, size_t c, size_t *step)
{
  bool near = i / 2 == c / 2;
  *step = near ? 2 : p->stride;
  return near ? p->near + 4 * c + i % 2 : p->A + 2 * p->stride * c + i;
}

/* Exchanges rows k and q of L in the columns up to k, and sets the zeros of column k, which no
 * later update uses. */
static inline void zdense_finish(const parts *p, size_t k, size_t q)
{
  size_t k_step, q_step;
  for (size_t c = 0; q != k && c < k; c++) {
    double *a = zdense_left(p, k, c, &k_step), *b = zdense_left(p, q, c, &q_step);
    double x = a[0], y = a[k_step];
    a[0] = b[0];
    a[k_step] = b[q_step];
    b[0] = x;
    b[q_step] = y;
  }
  double *x = p->A + 2 * p->stride * k, *y = x + p->stride, *near = p->near + 4 * k;
  double *to = zdense_left(p, q, k, &q_step);
  to[0] = near[k % 2];
  to[q_step] = near[2 + k % 2];
  near[k % 2] = near[2 + k % 2] = 0;
  for (size_t i = k; i < k / 2 * 2 + 2; i++)
    x[i] = y[i] = 0;
}

int dae__zlu_factor(int n, double *A, int *pivot)
{
  parts p = zdense_parts_of(n, A);
  if (!zdense_prepare(&p, 0, pivot))
    return 1;
  for (size_t k = 0; k < p.n; k++) {
    size_t q = (size_t)pivot[k];
    /* next column first: its pivot is searched while the other columns are updated */
    if (k + 1 < p.n) {
      zdense_update(&p, k, q, k + 1);
      if (!zdense_prepare(&p, k + 1, pivot))
        return (int)k + 2;
    }
    for (size_t j = k + 2; j < p.n; j++)
      zdense_update(&p, k, q, j);
    zdense_finish(&p, k, q);
  }
  return 0;
}

/* complex product a b */
static inline number zdense_times(number a, const double *b)
{
  return (number){a.x * b[0] - a.y * b[1], a.x * b[1] + a.y * b[0]};
}

/* complex difference b - (x + i y) u */
static inline number zdense_less(number b, double x, double y, number u)
{
  return (number){b.x - (x * u.x - y * u.y), b.y - (x * u.y + y * u.x)};
}

/* update b -= l u + m v of two rows; l and m are in neighbouring columns */
static inline void zdense_subtract_two(const double *l, size_t stride, number u, number v,
                                       double *x, double *y)
{
  dae__pair lx = dae__pair_of(l), ly = dae__pair_of(l + stride), mx = dae__pair_of(l + 2 * stride),
            my = dae__pair_of(l + 3 * stride);
  *dae__pair_at(x) -= (lx * u.x - ly * u.y) + (mx * v.x - my * v.y);
  *dae__pair_at(y) -= (lx * u.y + ly * u.x) + (mx * v.y + my * v.x);
}

/* Substitution by two columns at a time, the last column of an odd n alone. */
void dae__zlu_solve(int order, const double *LU, const int *pivot, double *x, double *y)
{
  const parts p = zdense_parts_of(order, (double *)LU);
  size_t n = p.n, stride = p.stride, k = 0;
  for (size_t i = 0; i < n; i++) { /* b = P'b */
    size_t q = (size_t)pivot[i];
    number t = {x[i], y[i]};
    x[i] = x[q];
    y[i] = y[q];
    x[q] = t.x;
    y[q] = t.y;
  }
  for (; k + 1 < n; k += 2) { /* b = L\b */
    const double *l = p.A + 2 * stride * k, *near = p.near + 4 * k;
    number u = {x[k], y[k]}, v = zdense_less((number){x[k + 1], y[k + 1]}, near[1], near[3], u);
    x[k + 1] = v.x;
    y[k + 1] = v.y;
    for (size_t i = k + 2; i < stride; i += 2)
      zdense_subtract_two(l + i, stride, u, v, x + i, y + i);
  }
  k = n; /* b = U\b */
  if (k % 2) {
    const double *l = p.A + 2 * stride * --k;
    number u = zdense_times((number){x[k], y[k]}, p.inverse + 2 * k);
    x[k] = u.x;
    y[k] = u.y;
    for (size_t i = 0; i < k; i += 2)
      zdense_subtract_pair(l + i, stride, u, x + i, y + i);
  }
  while (k > 0) {
    k -= 2;
    const double *l = p.A + 2 * stride * k, *m = l + 2 * stride, *r = p.inverse + 2 * k;
    number v = zdense_times((number){x[k + 1], y[k + 1]}, r + 2);
    number u = zdense_times(zdense_less((number){x[k], y[k]}, m[k], m[stride + k], v), r);
    x[k] = u.x;
    y[k] = u.y;
    x[k + 1] = v.x;
    y[k + 1] = v.y;
    for (size_t i = 0; i < k; i += 2)
      zdense_subtract_two(l + i, stride, u, v, x + i, y + i);
  }
}

double dae__zlu_rcond(int n, const double *LU)
{
  const double *r = zdense_parts_of(n, (double *)LU).inverse;
  double min = INFINITY, max = 0;
  for (int k = 0; k < n; k++) {
    double t = hypot(r[2 * k], r[2 * k + 1]);
    min = t < min ? t : min;
    max = t > max ? t : max;
  }
  return n > 0 ? min / max : 1;
}
