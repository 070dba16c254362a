/* Small systems of dae__solver by the inverse: x = A^-1 b.
 *
 * A factorisation serves several right sides, one after the other, and each back substitution is a
 * chain in which every product waits for the one before: 160 cycles for 6 unknowns, where a product
 * with the inverse takes 30. So S A, S the reciprocal largest entries of the rows, is inverted in
 * place by Gauss-Jordan elimination with row pivoting [H02 14.4], in n^3 products instead of n^3/3,
 * and S and the order of rows are put into its columns. The error of x has the same bound as with
 * LU; residuals of matrices close to singular ones are larger. The inverse is state of the arena,
 * so that a load needs no factorisation.
 *
 * The order is rounded up to an even one by a row and a column of the identity, and every even
 * order has an instance of its own: loops over pairs of rows then have lengths that the compiler
 * knows, and a solution stays in registers. Columns whose entry in the pivot's row is zero, as
 * most are in circuits, are skipped. */
#include "core/assert.h"
#include "linalg/backend.h"
#include "linalg/pair.h"
#include "linalg/pattern.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define PAIRS_MAX (DAE__SMALL_N / 2)
/* Smallest diagonal entry, over the largest entry of its column, that is taken as the pivot:
 * threshold pivoting, usual for sparse matrices. Most iteration matrices then need no row
 * exchange. */
#define DIAGONAL_THRESHOLD 0.1

typedef struct lu_small lu_small;
struct lu_small {
  int n, pairs;
  const dae_pattern *pattern;
  double *inverse; /* saved state: A^-1, columns of 2 pairs rows */
  double *pivot;   /* saved state: reciprocal pivots */
  double *work;    /* scaled matrix S A, overwritten by its inverse */
  double *scale;   /* row scales S, in the order of the pivots */
  int *order;      /* rows of A in the order of the pivots */
  /* inverts the matrix; 0, or 1 + the first column without a pivot */
  int (*factor)(const lu_small *d);
  void (*solve)(const lu_small *d, double *b);
};

/* ---- inversion ---- */

/* work = A, padded by the identity */
static inline void lu_small_scatter(const lu_small *d, const double *values)
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
static inline void lu_small_scale_rows(const int pairs, const lu_small *d)
{
  dae__pair most[PAIRS_MAX];
  for (int i = 0; i < pairs; i++)
    most[i] = (dae__pair){0, 0};
  for (int j = 0; j < 2 * pairs; j++)
    for (int i = 0; i < pairs; i++)
      most[i] =
          dae__pair_larger(dae__pair_abs(dae__pair_of(d->work + 2 * (j * pairs + i))), most[i]);
  for (int i = 0; i < pairs; i++) { /* scale 1 below DBL_MIN, where reciprocals may overflow */
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

static inline void lu_small_exchange_rows(int rows, const lu_small *d, int j, int p)
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

/* Gauss-Jordan elimination of column j with the pivot 1/r in row j. l is the pivot column times r,
 * with -r in row j; the pivot column becomes -l, and every other column x, with entry u in row j,
 * becomes x (0 in row j) - l u. Masks single out row j: loading a pair would wait for the store of
 * one of its numbers. */
static inline void lu_small_pivot_column(const int pairs, double *a, int j, double r, dae__pair *l,
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

static inline int lu_small_invert_pairs(const int pairs, const lu_small *d)
{
  const int rows = 2 * pairs;
  dae__pair l[PAIRS_MAX];
  dae__pair_mask others[PAIRS_MAX];
  lu_small_scale_rows(pairs, d);
  for (int j = 0; j < rows; j++) {
    double *a = d->work + j * rows;
    int p = j; /* row i >= j of the largest |a_i| */
    double most = fabs(a[j]);
    for (int i = j + 1; i < rows; i++) {
      double size = fabs(a[i]);
      p = size > most ? i : p;
      most = size > most ? size : most;
    }
    if (fabs(a[j]) < DIAGONAL_THRESHOLD * most)
      lu_small_exchange_rows(rows, d, j, p);
    double r = d->pivot[j] = 1 / a[j];
    if (!isfinite(r) || r == 0)
      return j + 1;
    lu_small_pivot_column(pairs, a, j, r, l, others);
    for (int c = 0; c < j; c++)
      lu_small_eliminate(pairs, j, l, others, d->work + c * rows);
    for (int c = j + 1; c < rows; c++)
      lu_small_eliminate(pairs, j, l, others, d->work + c * rows);
  }
  /* inverse of A: columns of the inverse of S A in the order of the rows of A, times S */
  for (int j = 0; j < rows; j++) {
    const double *from = d->work + j * rows, scale = d->scale[j];
    double *to = d->inverse + d->order[j] * rows;
    for (int i = 0; i < pairs; i++)
      *dae__pair_at(to + 2 * i) = dae__pair_of(from + 2 * i) * scale;
  }
  return 0;
}

/* ---- solutions ---- */

/* b = A^-1 b, in two independent sums that run in parallel */
static inline void lu_small_multiply_pairs(const int pairs, const lu_small *d, double *b)
{
  dae__pair even[PAIRS_MAX], odd[PAIRS_MAX];
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

/* ---- instances for each number of pairs ---- */

#define INSTANCE(pairs)                                                                            \
  static int lu_small_factor_##pairs(const lu_small *d)                                            \
  {                                                                                                \
    return lu_small_invert_pairs(pairs, d);                                                        \
  }                                                                                                \
  static void lu_small_solve_##pairs(const lu_small *d, double *b)                                 \
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

static int (*const factors[PAIRS_MAX])(const lu_small *) = {lu_small_factor_1, lu_small_factor_2,
                                                            lu_small_factor_3, lu_small_factor_4,
                                                            lu_small_factor_5, lu_small_factor_6};
static void (*const solves[PAIRS_MAX])(const lu_small *, double *) = {
    lu_small_solve_1, lu_small_solve_2, lu_small_solve_3,
    lu_small_solve_4, lu_small_solve_5, lu_small_solve_6};

/* ---- backend ---- */

void dae__lu_small_set_pattern(void *state, const dae_pattern *pattern)
{
  lu_small *d = state;
  DAE__ASSERT(pattern->cols > 0 && pattern->cols <= DAE__SMALL_N);
  d->n = pattern->cols;
  d->pairs = (d->n + 1) / 2;
  d->pattern = pattern;
  d->factor = factors[d->pairs - 1];
  d->solve = solves[d->pairs - 1];
}

static dae_status lu_small_create(dae__arena *arena, const dae_pattern *pattern, void **state)
{
  int rows = (pattern->cols + 1) / 2 * 2;
  lu_small *d = DAE__ALLOC(arena, lu_small, 1);
  double *inverse = DAE__STATE(arena, double, rows *rows), *pivot = DAE__STATE(arena, double, rows);
  double *work = DAE__ALLOC(arena, double, rows *rows), *scale = DAE__ALLOC(arena, double, rows);
  int *order = DAE__ALLOC(arena, int, rows);
  if (dae__arena_failed(arena))
    return DAE_ERROR_MEMORY;
  *d = (lu_small){.inverse = inverse, .pivot = pivot, .work = work, .scale = scale, .order = order};
  dae__lu_small_set_pattern(d, pattern);
  *state = d;
  return DAE_OK;
}

static dae_status lu_small_factor(void *state, const double *values, int *column)
{
  const lu_small *d = state;
  lu_small_scatter(d, values);
  *column = d->factor(d) - 1;
  return *column < 0 ? DAE_OK : DAE_ERROR_SINGULAR;
}

static void lu_small_solve(void *state, double *b)
{
  const lu_small *d = state;
  d->solve(d, b);
}

/* smallest over largest pivot, an estimate of the reciprocal condition number */
static double lu_small_rcond(const void *state)
{
  const lu_small *d = state;
  double min = INFINITY, max = 0;
  for (int i = 0; i < d->n; i++) {
    double r = fabs(d->pivot[i]);
    min = r < min ? r : min;
    max = r > max ? r : max;
  }
  return min / max;
}

const dae__backend dae__backend_lu_small = {.kind = "dense",
                                            .create = lu_small_create,
                                            .factor = lu_small_factor,
                                            .solve = lu_small_solve,
                                            .rcond = lu_small_rcond};
