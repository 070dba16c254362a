/* Complex LU of small systems: see zlu_small.h. */
#include "linalg/zlu_small.h"
#include "core/assert.h"
#include "linalg/backend.h"
#include "linalg/pair.h"
#include "linalg/pattern.h"
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define PAIRS_MAX (DAE__SMALL_N / 2)
/* Largest real or imaginary part of an entry of L with the pivots of the last matrix; beyond it new
 * pivots are searched. With pivots of largest modulus all parts are at most 1, and the error of a
 * solution grows as their product at worst; a simplified Newton iteration would converge with much
 * larger ones. Chosen, not measured. */
#define GROWTH_MAX 8

struct dae__zlu_small {
  int n, pairs;
  const dae_pattern *pattern;
  /* columns of 2 pairs real parts and as many imaginary parts; L below the diagonal */
  double *LU;
  double *inverse; /* 1/U_jj, real parts, then imaginary parts */
  double *scale;   /* row scales S, in the order of the pivots */
  int *order;      /* rows of A in the order of the pivots */
  int *known;      /* whether scale and order are those of the last matrix */
  int (*factor)(const dae__zlu_small *d);
  /* factors with scale and order of the last matrix; false: an entry of L exceeds GROWTH_MAX */
  bool (*refactor)(const dae__zlu_small *d, const double *values);
  void (*solve)(const dae__zlu_small *d, double *x, double *y);
};

/* ---- complex numbers ---- */

/* Real and imaginary parts of two rows of a column, which has 2 pairs real parts, then as many
 * imaginary parts. */
typedef struct zpair {
  dae__pair x, y;
} zpair;

typedef struct number {
  double x, y;
} number;

static inline zpair zpair_of(const int pairs, const double *column, int i)
{
  return (zpair){dae__pair_of(column + 2 * i), dae__pair_of(column + 2 * (pairs + i))};
}

static inline void zpair_store(const int pairs, double *column, int i, zpair a)
{
  *dae__pair_at(column + 2 * i) = a.x;
  *dae__pair_at(column + 2 * (pairs + i)) = a.y;
}

/* complex product a b for two rows */
static inline zpair zpair_times(zpair a, number b)
{
  return (zpair){a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

static inline number znumber_times(number a, number b)
{
  return (number){a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

/* complex difference c - a b for two rows */
static inline zpair zpair_less(zpair c, zpair a, number b)
{
  zpair p = zpair_times(a, b);
  return (zpair){c.x - p.x, c.y - p.y};
}

/* reciprocal 1/(x + i y); not finite on overflow */
static inline number znumber_reciprocal(double x, double y)
{
  double d = x * x + y * y;
  if (d < 1e-280 || d > 1e280) { /* scaling where squares underflow or overflow */
    double s = fabs(x) + fabs(y);
    x /= s;
    y /= s;
    d = (x * x + y * y) * s;
  }
  double s = 1 / d;
  return (number){x * s, -y * s};
}

/* ---- factorisation ---- */

/* LU = A, padded by the identity */
static void zlu_small_scatter(const dae__zlu_small *d, const double *values)
{
  const dae_pattern *p = d->pattern;
  int rows = 2 * d->pairs;
  if (d->n == rows && dae__pattern_count(p) == rows * rows) {
    double *a = d->LU;
    for (int j = 0; j < rows; j++, a += 2 * rows, values += 2 * rows)
      for (int i = 0; i < rows; i += 2) {
        dae__pair u = dae__pair_from_anywhere(values + 2 * i);
        dae__pair v = dae__pair_from_anywhere(values + 2 * i + 2);
        *dae__pair_at(a + i) = (dae__pair){u[0], v[0]};
        *dae__pair_at(a + rows + i) = (dae__pair){u[1], v[1]};
      }
    return;
  }
  memset(d->LU, 0, (size_t)(2 * rows * rows) * sizeof *values);
  for (int j = 0; j < d->n; j++) {
    double *a = d->LU + 2 * rows * j;
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      a[p->row[e]] = values[2 * e];
      a[rows + p->row[e]] = values[2 * e + 1];
    }
  }
  if (d->n < rows)
    d->LU[2 * rows * d->n + d->n] = 1;
}

static inline void zlu_small_exchange_rows(int rows, const dae__zlu_small *d, int j, int p)
{
  int row = d->order[j];
  double scale = d->scale[j];
  d->order[j] = d->order[p];
  d->order[p] = row;
  d->scale[j] = d->scale[p];
  d->scale[p] = scale;
  for (int c = 0; c < 2 * rows; c++) {
    double *a = d->LU + c * rows, t = a[j];
    a[j] = a[p];
    a[p] = t;
  }
}

/* Column of L: a(j+1..) *= r; l is a copy of these entries, with zeros above. */
static inline void zlu_small_divide_below(const int pairs, double *a, int j, number r, zpair *l)
{
  for (int i = 0; i < pairs; i++) {
    dae__pair row = {2 * i, 2 * i + 1};
    dae__pair_mask below = row > (double)j;
    zpair z = zpair_of(pairs, a, i), q = zpair_times(z, r);
    dae__pair_mask x = below & (dae__pair_mask)q.x, y = below & (dae__pair_mask)q.y;
    l[i] = (zpair){(dae__pair)x, (dae__pair)y};
    zpair_store(pairs, a, i,
                (zpair){(dae__pair)((~below & (dae__pair_mask)z.x) | x),
                        (dae__pair)((~below & (dae__pair_mask)z.y) | y)});
  }
}

/* Update of the columns after j: subtracts l times their entry in row j. */
static inline void zlu_small_subtract_products(const int pairs, const dae__zlu_small *d, int j,
                                               const zpair *l)
{
  const int rows = 2 * pairs;
  for (int c = j + 1; c < rows; c++) {
    double *z = d->LU + 2 * c * rows;
    number u = {z[j], z[rows + j]};
    for (int i = 0; (u.x != 0 || u.y != 0) && i < pairs; i++)
      zpair_store(pairs, z, i, zpair_less(zpair_of(pairs, z, i), l[i], u));
  }
}

static inline int zlu_small_factor_pairs(const int pairs, const dae__zlu_small *d)
{
  const int rows = 2 * pairs;
  zpair l[PAIRS_MAX];
  dae__pair largest[PAIRS_MAX];
  for (int i = 0; i < pairs; i++)
    largest[i] = (dae__pair){0, 0};
  for (int j = 0; j < 2 * rows; j++) /* largest real or imaginary part of each row */
    for (int i = 0; i < pairs; i++)
      largest[i] =
          dae__pair_larger(dae__pair_abs(dae__pair_of(d->LU + 2 * (j * pairs + i))), largest[i]);
  /* row scales S; 2^1000 below DBL_MIN, where reciprocals may overflow */
  for (int i = 0; i < rows; i++) {
    double size = largest[i / 2][i % 2];
    largest[i / 2][i % 2] = d->scale[i] = size < DBL_MIN ? 0x1p1000 : 1 / size;
    d->order[i] = i;
  }
  for (int j = 0; j < 2 * rows; j++) /* LU = S A */
    for (int i = 0; i < pairs; i++)
      *dae__pair_at(d->LU + 2 * (j * pairs + i)) *= largest[i];
  for (int j = 0; j < rows; j++) {
    double *a = d->LU + 2 * j * rows;
    int p = j; /* row i >= j of the largest |x_i| + |y_i| */
    double most = fabs(a[j]) + fabs(a[rows + j]);
    for (int i = j + 1; i < rows; i++) {
      double size = fabs(a[i]) + fabs(a[rows + i]);
      p = size > most ? i : p;
      most = size > most ? size : most;
    }
    number r = znumber_reciprocal(a[p], a[rows + p]);
    if (!isfinite(r.x) || !isfinite(r.y))
      return j + 1;
    d->inverse[j] = r.x;
    d->inverse[rows + j] = r.y;
    if (p != j)
      zlu_small_exchange_rows(rows, d, j, p);
    zlu_small_divide_below(pairs, a, j, r, l);
    zlu_small_subtract_products(pairs, d, j, l);
  }
  return 0;
}

/* ---- refactorisation with the pivots of the last matrix ---- */

/* LU = S P A, for a full matrix with an even number of rows */
static inline void zlu_small_gather_rows(const int pairs, const dae__zlu_small *d,
                                         const double *values)
{
  const int rows = 2 * pairs;
  for (int j = 0; j < rows; j++) {
    const double *z = values + 2 * j * rows;
    double *a = d->LU + 2 * j * rows;
    for (int i = 0; i < rows; i += 2) {
      dae__pair s = dae__pair_of(d->scale + i);
      dae__pair u = dae__pair_from_anywhere(z + 2 * d->order[i]);
      dae__pair v = dae__pair_from_anywhere(z + 2 * d->order[i + 1]);
      *dae__pair_at(a + i) = (dae__pair){u[0], v[0]} * s;
      *dae__pair_at(a + rows + i) = (dae__pair){u[1], v[1]} * s;
    }
  }
}

static inline bool zlu_small_refactor_pairs(const int pairs, const dae__zlu_small *d,
                                            const double *values)
{
  const int rows = 2 * pairs;
  zpair l[PAIRS_MAX];
  dae__pair most = {0, 0};
  if (d->n == rows)
    zlu_small_gather_rows(pairs, d, values);
  else
    zlu_small_scatter(d, values);
  for (int j = 0; d->n < rows && j < rows; j++) { /* LU = S P A, padded by the identity */
    double *a = d->LU + 2 * j * rows, x[2 * PAIRS_MAX], y[2 * PAIRS_MAX];
    for (int i = 0; i < rows; i++) {
      x[i] = a[d->order[i]] * d->scale[i];
      y[i] = a[rows + d->order[i]] * d->scale[i];
    }
    memcpy(a, x, (size_t)rows * sizeof *a);
    memcpy(a + rows, y, (size_t)rows * sizeof *a);
  }
  for (int j = 0; j < rows; j++) {
    double *a = d->LU + 2 * j * rows;
    number r = znumber_reciprocal(a[j], a[rows + j]);
    if (!isfinite(r.x) || !isfinite(r.y))
      return false;
    d->inverse[j] = r.x;
    d->inverse[rows + j] = r.y;
    zlu_small_divide_below(pairs, a, j, r, l);
    for (int i = 0; i < pairs; i++)
      most = dae__pair_larger(dae__pair_larger(dae__pair_abs(l[i].x), dae__pair_abs(l[i].y)), most);
    zlu_small_subtract_products(pairs, d, j, l);
  }
  return !dae__pair_exceeds(most, (dae__pair){GROWTH_MAX, GROWTH_MAX});
}

/* ---- solutions, two columns at a time ---- */

/* complex difference c - (entry k of a column) b */
static inline number znumber_less(const int pairs, number c, const double *column, int k, number b)
{
  number p = znumber_times((number){column[k], column[2 * pairs + k]}, b);
  return (number){c.x - p.x, c.y - p.y};
}

static inline zpair zpair_join(number u, number v)
{
  return (zpair){(dae__pair){u.x, v.x}, (dae__pair){u.y, v.y}};
}

/* forward substitution of two columns: b(k,k+1) = L\b, b(below) -= L b(k,k+1) */
static inline void zlu_small_forward(const int pairs, const int k, const dae__zlu_small *d,
                                     zpair *b)
{
  const double *l = d->LU + 8 * k * pairs, *m = l + 4 * pairs;
  number u = {b[k].x[0], b[k].y[0]};
  number v = znumber_less(pairs, (number){b[k].x[1], b[k].y[1]}, l, 2 * k + 1, u);
  b[k] = zpair_join(u, v);
  for (int i = k + 1; i < pairs; i++)
    b[i] = zpair_less(zpair_less(b[i], zpair_of(pairs, l, i), u), zpair_of(pairs, m, i), v);
}

/* backward substitution of two columns: b(k,k+1) = U\b, b(above) -= U b(k,k+1) */
static inline void zlu_small_backward(const int pairs, const int k, const dae__zlu_small *d,
                                      zpair *b)
{
  const double *l = d->LU + 8 * k * pairs, *m = l + 4 * pairs, *r = d->inverse + 2 * k;
  number r0 = {r[0], r[2 * pairs]}, r1 = {r[1], r[2 * pairs + 1]};
  number v = znumber_times((number){b[k].x[1], b[k].y[1]}, r1);
  number u = znumber_times(znumber_less(pairs, (number){b[k].x[0], b[k].y[0]}, m, 2 * k, v), r0);
  b[k] = zpair_join(u, v);
  for (int i = 0; i < k; i++)
    b[i] = zpair_less(zpair_less(b[i], zpair_of(pairs, l, i), u), zpair_of(pairs, m, i), v);
}

/* scaled right side in the order of the pivots, P'S b */
static inline dae__pair zlu_small_gather(const int pairs, const dae__zlu_small *d, const double *b,
                                         int i)
{
  const int *o = d->order + 2 * i;
  double second = d->n % 2 && i == pairs - 1 ? 0 : b[o[1]];
  return (dae__pair){b[o[0]], second} * dae__pair_of(d->scale + 2 * i);
}

/* Solution x + i y, with the loop over pairs of columns written out: a loop would keep b in
 * memory. */
static inline void zlu_small_solve_pairs(const int pairs, const dae__zlu_small *d, double *x,
                                         double *y)
{
  zpair b[PAIRS_MAX];
  for (int i = 0; i < pairs; i++)
    b[i] = (zpair){zlu_small_gather(pairs, d, x, i), zlu_small_gather(pairs, d, y, i)};
#define STEP(verb, k)                                                                              \
  if ((k) < pairs)                                                                                 \
  verb(pairs, k, d, b)
  STEP(zlu_small_forward, 0);
  STEP(zlu_small_forward, 1);
  STEP(zlu_small_forward, 2);
  STEP(zlu_small_forward, 3);
  STEP(zlu_small_forward, 4);
  STEP(zlu_small_forward, 5);
  STEP(zlu_small_backward, 5);
  STEP(zlu_small_backward, 4);
  STEP(zlu_small_backward, 3);
  STEP(zlu_small_backward, 2);
  STEP(zlu_small_backward, 1);
  STEP(zlu_small_backward, 0);
#undef STEP
  for (int i = 0; i < pairs; i++)
    if (i < pairs - 1 || d->n % 2 == 0) {
      dae__pair_to(x + 2 * i, b[i].x);
      dae__pair_to(y + 2 * i, b[i].y);
    } else {
      x[2 * i] = b[i].x[0];
      y[2 * i] = b[i].y[0];
    }
}

/* ---- instances for each number of pairs ---- */

#define INSTANCE(pairs)                                                                            \
  static int zlu_small_factor_##pairs(const dae__zlu_small *d)                                     \
  {                                                                                                \
    return zlu_small_factor_pairs(pairs, d);                                                       \
  }                                                                                                \
  static bool zlu_small_refactor_##pairs(const dae__zlu_small *d, const double *values)            \
  {                                                                                                \
    return zlu_small_refactor_pairs(pairs, d, values);                                             \
  }                                                                                                \
  static void zlu_small_solve_##pairs(const dae__zlu_small *d, double *x, double *y)               \
  {                                                                                                \
    zlu_small_solve_pairs(pairs, d, x, y);                                                         \
  }
INSTANCE(1)
INSTANCE(2)
INSTANCE(3)
INSTANCE(4)
INSTANCE(5)
INSTANCE(6)
#undef INSTANCE

static int (*const factors[PAIRS_MAX])(const dae__zlu_small *) = {
    zlu_small_factor_1, zlu_small_factor_2, zlu_small_factor_3,
    zlu_small_factor_4, zlu_small_factor_5, zlu_small_factor_6};
static bool (*const refactors[PAIRS_MAX])(const dae__zlu_small *, const double *) = {
    zlu_small_refactor_1, zlu_small_refactor_2, zlu_small_refactor_3,
    zlu_small_refactor_4, zlu_small_refactor_5, zlu_small_refactor_6};
static void (*const solves[PAIRS_MAX])(const dae__zlu_small *, double *, double *) = {
    zlu_small_solve_1, zlu_small_solve_2, zlu_small_solve_3,
    zlu_small_solve_4, zlu_small_solve_5, zlu_small_solve_6};

void dae__zlu_small_set_pattern(dae__zlu_small *d, const dae_pattern *pattern)
{
  DAE__ASSERT(pattern->cols > 0 && pattern->cols <= DAE__SMALL_N);
  d->n = pattern->cols;
  d->pairs = (d->n + 1) / 2;
  d->pattern = pattern;
  d->factor = factors[d->pairs - 1];
  d->refactor = refactors[d->pairs - 1];
  d->solve = solves[d->pairs - 1];
}

dae__zlu_small *dae__zlu_small_create(dae__arena *arena, const dae_pattern *pattern)
{
  int rows = (pattern->cols + 1) / 2 * 2;
  dae__zlu_small *d = DAE__ALLOC(arena, dae__zlu_small, 1);
  double *LU = DAE__STATE(arena, double, 2 * rows * rows);
  double *inverse = DAE__STATE(arena, double, 2 * rows), *scale = DAE__STATE(arena, double, rows);
  int *order = DAE__STATE(arena, int, rows), *known = DAE__STATE(arena, int, 1);
  if (dae__arena_failed(arena))
    return NULL;
  DAE__LIMIT(arena, order, rows, 0, rows - 1);
  DAE__LIMIT(arena, known, 1, 0, 1);
  *d = (dae__zlu_small){
      .LU = LU, .inverse = inverse, .scale = scale, .order = order, .known = known};
  dae__zlu_small_set_pattern(d, pattern);
  return d;
}

int dae__zlu_small_factor(const dae__zlu_small *d, const double *values)
{
  bool all = dae__pattern_count(d->pattern) == d->n * d->n;
  if (all && *d->known && d->refactor(d, values))
    return 0;
  zlu_small_scatter(d, values);
  int failed = d->factor(d);
  *d->known = failed == 0;
  return failed;
}

void dae__zlu_small_reset(const dae__zlu_small *d)
{
  *d->known = 0;
}

void dae__zlu_small_solve(const dae__zlu_small *d, double *x, double *y)
{
  d->solve(d, x, y);
}
