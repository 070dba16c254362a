/* Few unknowns behind dae__solver, by the inverse: x = A^-1 b.
 *
 * A factorisation serves several right sides, one after the other, and each back substitution would
 * be a chain in which every product waits for the one before: with 6 unknowns 160 cycles of it, and
 * a product with the inverse takes 30. So S A, S the reciprocal largest entries of the rows, is
 * inverted in place by Gauss and Jordan's elimination with row pivoting [H02 14.4], in n^3 products
 * instead of n^3/3, and S and the order of rows are put into its columns. The error of x is bounded
 * as that of LU is; residuals of matrices close to singular ones are larger. The inverse is kept in
 * the arena, so that nothing has to be rebuilt after a load.
 *
 * The order is rounded up to an even one by a row and a column of the identity, and every even
 * order has an instance of its own: loops over pairs of rows then have lengths that the compiler
 * knows, and a solution stays in registers. Columns whose entry in the pivot's row is zero, as
 * most are in circuits, are passed over. */
#include "linalg/backend.h"
#include "linalg/pair.h"
#include "linalg/pattern.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define MOST (DAE__SMALL_N / 2) /* pairs */
/* part of the largest entry from which on that of the diagonal is the pivot, as is usual for sparse
 * matrices: most iteration matrices need no exchange then */
#define DIAGONAL 0.1

typedef struct few few;
struct few {
  int n, pairs;
  const dae_pattern *pattern;
  double *inverse;             /* of A: columns of 2 pairs rows; kept */
  double *pivot;               /* reciprocal ones; kept */
  double *work;                /* S A, then its inverse */
  double *scale;               /* S in the order of the pivots, */
  int *order;                  /* which are these rows of A */
  int (*factor)(const few *d); /* 0, or the first column without a pivot + 1 */
  void (*solve)(const few *d, double *b);
};

/* ---- the inverse ---- */

/* work = A and the identity */
static inline void lu_small_scatter(const few *d, const double *values)
{
  const dae_pattern *p = d->pattern;
  size_t rows = 2 * (size_t)d->pairs, n = (size_t)d->n;
  if (n == rows && (size_t)dae__pattern_count(p) == n * n) {
    memcpy(d->work, values, n * n * sizeof *values);
    return;
  }
  memset(d->work, 0, rows * rows * sizeof *values);
  for (size_t j = 0; j < n; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      d->work[j * rows + (size_t)p->row[e]] = values[e];
  if (n < rows)
    d->work[rows * rows - 1] = 1;
}

/* scale = S, work = S A */
static inline void lu_small_scale_rows(const int pairs, const few *d)
{
  dae__pair most[MOST];
  for (int i = 0; i < pairs; i++)
    most[i] = (dae__pair){0, 0};
  for (int j = 0; j < 2 * pairs; j++)
    for (int i = 0; i < pairs; i++)
      most[i] =
          dae__pair_larger(dae__pair_abs(dae__pair_of(d->work + 2 * (j * pairs + i))), most[i]);
  for (int i = 0; i < pairs; i++) { /* below DBL_MIN the reciprocal may overflow */
    const dae__pair one = {1, 1}, least = {DBL_MIN, DBL_MIN};
    dae__pair_mask tiny = most[i] < least;
    dae__pair size = (dae__pair)((tiny & (dae__pair_mask)one) | (~tiny & (dae__pair_mask)most[i]));
    most[i] = *dae__pair_at(d->scale + 2 * i) = one / size;
    d->order[2 * i] = 2 * i;
    d->order[2 * i + 1] = 2 * i + 1;
  }
  for (int j = 0; j < 2 * pairs; j++)
    for (int i = 0; i < pairs; i++)
      *dae__pair_at(d->work + 2 * (j * pairs + i)) *= most[i];
}

/* row of the largest |a_i|, i >= j; row j if it is not much smaller, or not a number */
static inline int lu_small_pivot_from(int rows, const double *a, int j)
{
  int p = j;
  double most = fabs(a[j]);
  for (int i = j + 1; i < rows; i++) {
    double size = fabs(a[i]);
    p = size > most ? i : p;
    most = size > most ? size : most;
  }
  return fabs(a[j]) < DIAGONAL * most ? p : j;
}

static inline void lu_small_exchange_rows(int rows, const few *d, int j, int p)
{
  int row = d->order[j];
  double scale = d->scale[j];
  d->order[j] = d->order[p];
  d->order[p] = row;
  d->scale[j] = d->scale[p];
  d->scale[p] = scale;
  for (int c = 0; c < rows; c++) {
    double *a = d->work + c * rows, t = a[j];
    a[j] = a[p];
    a[p] = t;
  }
}

/* The step of pivot 1/r in row j: l = its column times r, and -r in row j, so that what is left of
 * it is -l, and of another column x, with u in row j, x (0 in row j) - l u. Rows are
 * singled out by masks: a number that is stored alone would be waited for where a pair is read. */
static inline void lu_small_turn_column(const int pairs, double *a, int j, double r, dae__pair *l,
                                        dae__pair_mask *others)
{
  for (int i = 0; i < pairs; i++) {
    const dae__pair row = {2 * i, 2 * i + 1};
    others[i] = row != (double)j;
    dae__pair_mask lost = others[i] & (dae__pair_mask)(dae__pair_of(a + 2 * i) * r);
    l[i] = (dae__pair)(lost | (~others[i] & (dae__pair_mask)(dae__pair){-r, -r}));
    *dae__pair_at(a + 2 * i) = -l[i];
  }
}

static inline void lu_small_eliminate(const int pairs, int j, const dae__pair *l,
                                      const dae__pair_mask *others, double *x)
{
  double u = x[j];
  for (int i = 0; u != 0 && i < pairs; i++) {
    dae__pair rest = (dae__pair)(others[i] & (dae__pair_mask)dae__pair_of(x + 2 * i));
    *dae__pair_at(x + 2 * i) = rest - l[i] * u;
  }
}

/* inverse = work with its columns in the order of the rows of A, times S */
static inline void lu_small_put_in_order(const int pairs, const few *d)
{
  const int rows = 2 * pairs;
  for (int j = 0; j < rows; j++) {
    const double *from = d->work + j * rows, scale = d->scale[j];
    double *to = d->inverse + d->order[j] * rows;
    for (int i = 0; i < pairs; i++)
      *dae__pair_at(to + 2 * i) = dae__pair_of(from + 2 * i) * scale;
  }
}

static inline int lu_small_invert_pairs(const int pairs, const few *d)
{
  const int rows = 2 * pairs;
  dae__pair l[MOST];
  dae__pair_mask others[MOST];
  lu_small_scale_rows(pairs, d);
  for (int j = 0; j < rows; j++) {
    double *a = d->work + j * rows;
    int p = lu_small_pivot_from(rows, a, j);
    if (p != j) /* what comes next waits for a[j], and not for p */
      lu_small_exchange_rows(rows, d, j, p);
    double r = d->pivot[j] = 1 / a[j];
    if (!isfinite(r) || r == 0)
      return j + 1;
    lu_small_turn_column(pairs, a, j, r, l, others);
    for (int c = 0; c < j; c++)
      lu_small_eliminate(pairs, j, l, others, d->work + c * rows);
    for (int c = j + 1; c < rows; c++)
      lu_small_eliminate(pairs, j, l, others, d->work + c * rows);
  }
  lu_small_put_in_order(pairs, d);
  return 0;
}

/* ---- solutions ---- */

/* b = A^-1 b, in two sums, as each waits for itself */
static inline void lu_small_multiply_pairs(const int pairs, const few *d, double *b)
{
  dae__pair even[MOST], odd[MOST];
  const double *a = d->inverse;
  const int last = pairs - 1, n = d->n;
  for (int i = 0; i < pairs; i++)
    even[i] = odd[i] = (dae__pair){0, 0};
  for (int k = 0; k < last; k++, a += 4 * pairs)
    for (int i = 0; i < pairs; i++) {
      even[i] += dae__pair_of(a + 2 * i) * b[2 * k];
      odd[i] += dae__pair_of(a + 2 * (pairs + i)) * b[2 * k + 1];
    }
  double u = b[2 * last], v = n % 2 ? 0 : b[2 * last + 1];
  for (int i = 0; i < pairs; i++)
    even[i] += dae__pair_of(a + 2 * i) * u + (odd[i] + dae__pair_of(a + 2 * (pairs + i)) * v);
  for (int i = 0; i < last; i++)
    dae__pair_to(b + 2 * i, even[i]);
  b[2 * last] = even[last][0];
  if (n % 2 == 0)
    b[2 * last + 1] = even[last][1];
}

/* ---- instances ---- */

#define INSTANCE(pairs)                                                                            \
  static int factor_##pairs(const few *d)                                                          \
  {                                                                                                \
    return lu_small_invert_pairs(pairs, d);                                                        \
  }                                                                                                \
  static void solve_##pairs(const few *d, double *b)                                               \
  {                                                                                                \
    lu_small_multiply_pairs(pairs, d, b);                                                          \
  }
INSTANCE(1)
INSTANCE(2)
INSTANCE(3)
INSTANCE(4)
INSTANCE(5)
INSTANCE(6)
#undef INSTANCE

static int (*const factors[MOST])(const few *) = {factor_1, factor_2, factor_3,
                                                  factor_4, factor_5, factor_6};
static void (*const solves[MOST])(const few *, double *) = {solve_1, solve_2, solve_3,
                                                            solve_4, solve_5, solve_6};

/* ---- the verbs ---- */

void dae__lu_small_turn_to(void *state, const dae_pattern *pattern)
{
  few *d = state;
  d->n = pattern->cols;
  d->pairs = (d->n + 1) / 2;
  d->pattern = pattern;
  d->factor = factors[d->pairs - 1];
  d->solve = solves[d->pairs - 1];
}

static dae_status lu_small_create(dae__arena *arena, const dae_pattern *pattern, void **state)
{
  int rows = (pattern->cols + 1) / 2 * 2;
  few *d = DAE__ALLOC(arena, few, 1);
  double *inverse = DAE__STATE(arena, double, rows *rows), *pivot = DAE__STATE(arena, double, rows);
  double *work = DAE__ALLOC(arena, double, rows *rows), *scale = DAE__ALLOC(arena, double, rows);
  int *order = DAE__ALLOC(arena, int, rows);
  if (dae__arena_failed(arena))
    return DAE_ERROR_MEMORY;
  *d = (few){.inverse = inverse, .pivot = pivot, .work = work, .scale = scale, .order = order};
  dae__lu_small_turn_to(d, pattern);
  *state = d;
  return DAE_OK;
}

static dae_status lu_small_factor(void *state, const double *values, int *column)
{
  const few *d = state;
  lu_small_scatter(d, values);
  *column = d->factor(d) - 1;
  return *column < 0 ? DAE_OK : DAE_ERROR_SINGULAR;
}

static void lu_small_solve(void *state, double *b)
{
  const few *d = state;
  d->solve(d, b);
}

/* least / largest pivot */
static double lu_small_rcond(const void *state)
{
  const few *d = state;
  double min = INFINITY, max = 0;
  for (int i = 0; i < d->n; i++) {
    double r = fabs(d->pivot[i]);
    min = r < min ? r : min;
    max = r > max ? r : max;
  }
  return min / max;
}

static dae_status lu_small_reload(void *state)
{
  (void)state;
  return DAE_OK;
}

static void lu_small_release(void *state)
{
  (void)state;
}

const dae__backend dae__backend_lu_small = {"dense",        lu_small_create, lu_small_factor,
                                            lu_small_solve, lu_small_rcond,  lu_small_reload,
                                            NULL,           lu_small_release};
