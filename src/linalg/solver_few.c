/* Dense LU of few unknowns behind dae__solver: S A = P L U, S the reciprocal largest entries of the
 * rows. Factors and S are kept in the arena, so that nothing has to be rebuilt after a load.
 *
 * The order is rounded up to an even one by a row and a column of the identity, and every even
 * order has an instance of its own: loops over pairs of rows then have lengths that the compiler
 * knows, and a right side stays in registers. Columns whose entry in the pivot's row is zero, as
 * most are in circuits, are passed over. */
#include "linalg/backend.h"
#include "linalg/pair.h"
#include "linalg/pattern.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define MOST (DAE__FEW / 2) /* pairs */

typedef struct few few;
struct few {
  int n, pairs;
  const dae_pattern *pattern;
  double *LU;                  /* columns of 2 pairs rows; L below the diagonal */
  double *inverse;             /* 1/U_jj */
  double *scale;               /* S in the order of the pivots, */
  int *order;                  /* which are these rows of A */
  int (*factor)(const few *d); /* 0, or the first column without a pivot + 1 */
  void (*solve)(const few *d, double *b);
};

/* ---- factors ---- */

/* LU = A and the identity, scale = 1 */
static inline void scatter(const few *d, const double *values)
{
  const dae_pattern *p = d->pattern;
  size_t rows = 2 * (size_t)d->pairs, n = (size_t)d->n;
  if (n == rows && (size_t)dae__pattern_count(p) == n * n) {
    memcpy(d->LU, values, n * n * sizeof *values);
    return;
  }
  memset(d->LU, 0, rows * rows * sizeof *values);
  for (size_t j = 0; j < n; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      d->LU[j * rows + (size_t)p->row[e]] = values[e];
  if (n < rows)
    d->LU[rows * rows - 1] = 1;
}

/* scale = S, LU = S A */
static inline void scale_rows(const int pairs, const few *d)
{
  dae__pair most[MOST];
  for (int i = 0; i < pairs; i++)
    most[i] = (dae__pair){0, 0};
  for (int j = 0; j < 2 * pairs; j++)
    for (int i = 0; i < pairs; i++)
      most[i] = dae__pair_larger(dae__pair_abs(dae__pair_of(d->LU + 2 * (j * pairs + i))), most[i]);
  for (int i = 0; i < 2 * pairs; i++) { /* below DBL_MIN the reciprocal may overflow */
    double size = most[i / 2][i % 2];
    most[i / 2][i % 2] = d->scale[i] = size < DBL_MIN ? 1 : 1 / size;
    d->order[i] = i;
  }
  for (int j = 0; j < 2 * pairs; j++)
    for (int i = 0; i < pairs; i++)
      *dae__pair_at(d->LU + 2 * (j * pairs + i)) *= most[i];
}

/* row of the largest |a_i|, i >= j; row j if that is not a number */
static inline int largest_from(int rows, const double *a, int j)
{
  int p = j;
  double most = fabs(a[j]);
  for (int i = j + 1; i < rows; i++) {
    double size = fabs(a[i]);
    p = size > most ? i : p;
    most = size > most ? size : most;
  }
  return p;
}

static inline void exchange_rows(int rows, const few *d, int j, int p)
{
  int row = d->order[j];
  double scale = d->scale[j];
  d->order[j] = d->order[p];
  d->order[p] = row;
  d->scale[j] = d->scale[p];
  d->scale[p] = scale;
  for (int c = 0; c < rows; c++) {
    double *a = d->LU + c * rows, t = a[j];
    a[j] = a[p];
    a[p] = t;
  }
}

/* a(j+1..) *= r; l = these and zeros above */
static inline void divide_below(const int pairs, double *a, int j, double r, dae__pair *l)
{
  for (int i = 0; i < pairs; i++) {
    dae__pair row = {2 * i, 2 * i + 1}, x = dae__pair_of(a + 2 * i);
    dae__pair_mask below = row > (double)j;
    l[i] = (dae__pair)(below & (dae__pair_mask)(x * r));
    *dae__pair_at(a + 2 * i) = (dae__pair)((~below & (dae__pair_mask)x) | (dae__pair_mask)l[i]);
  }
}

static inline int factor_pairs(const int pairs, const few *d)
{
  const int rows = 2 * pairs;
  dae__pair l[MOST];
  scale_rows(pairs, d);
  for (int j = 0; j < rows; j++) {
    double *a = d->LU + j * rows;
    int p = largest_from(rows, a, j);
    double r = d->inverse[j] = 1 / a[p];
    if (!isfinite(r) || r == 0)
      return j + 1;
    if (p != j)
      exchange_rows(rows, d, j, p);
    divide_below(pairs, a, j, r, l);
    for (int c = j + 1; c < rows; c++) { /* a -= l u */
      double *x = d->LU + c * rows, u = x[j];
      for (int i = 0; u != 0 && i < pairs; i++)
        *dae__pair_at(x + 2 * i) -= l[i] * u;
    }
  }
  return 0;
}

/* ---- solutions, two columns at a time ---- */

static inline dae__pair twice(double u)
{
  return (dae__pair){u, u};
}

/* x(k,k+1) = L\x, x(below) -= L x(k,k+1) */
static inline void forward(const int pairs, const int k, const double *LU, dae__pair *x)
{
  const double *l = LU + 4 * k * pairs, *m = l + 2 * pairs;
  double u = x[k][0], v = x[k][1] - l[2 * k + 1] * u;
  x[k] = (dae__pair){u, v};
  for (int i = k + 1; i < pairs; i++)
    x[i] -= dae__pair_of(l + 2 * i) * twice(u) + dae__pair_of(m + 2 * i) * twice(v);
}

/* x(k,k+1) = U\x, x(above) -= U x(k,k+1) */
static inline void backward(const int pairs, const int k, const double *LU, const double *inverse,
                            dae__pair *x)
{
  const double *l = LU + 4 * k * pairs, *m = l + 2 * pairs;
  double v = x[k][1] * inverse[2 * k + 1], u = (x[k][0] - m[2 * k] * v) * inverse[2 * k];
  x[k] = (dae__pair){u, v};
  for (int i = 0; i < k; i++)
    x[i] -= dae__pair_of(l + 2 * i) * twice(u) + dae__pair_of(m + 2 * i) * twice(v);
}

/* x = P'S b */
static inline void gather(const int pairs, const few *d, const double *b, dae__pair *x)
{
  const int *o = d->order;
  bool odd = d->n % 2;
  for (int i = 0; i < pairs; i++) {
    double second = odd && i == pairs - 1 ? 0 : b[o[2 * i + 1]];
    x[i] = (dae__pair){b[o[2 * i]], second} * dae__pair_of(d->scale + 2 * i);
  }
}

/* b = A\b; the steps are written out since a loop over them would keep x in memory */
static inline void solve_pairs(const int pairs, const few *d, double *b)
{
  dae__pair x[MOST];
  const int last = pairs - 1;
  gather(pairs, d, b, x);
#define STEP(verb, k, ...)                                                                         \
  if ((k) < pairs)                                                                                 \
  verb(pairs, k, __VA_ARGS__)
  STEP(forward, 0, d->LU, x);
  STEP(forward, 1, d->LU, x);
  STEP(forward, 2, d->LU, x);
  STEP(forward, 3, d->LU, x);
  STEP(forward, 4, d->LU, x);
  STEP(forward, 5, d->LU, x);
  STEP(backward, 5, d->LU, d->inverse, x);
  STEP(backward, 4, d->LU, d->inverse, x);
  STEP(backward, 3, d->LU, d->inverse, x);
  STEP(backward, 2, d->LU, d->inverse, x);
  STEP(backward, 1, d->LU, d->inverse, x);
  STEP(backward, 0, d->LU, d->inverse, x);
#undef STEP
  for (int i = 0; i < last; i++)
    dae__pair_to(b + 2 * i, x[i]);
  b[2 * last] = x[last][0];
  if (d->n % 2 == 0)
    b[2 * last + 1] = x[last][1];
}

/* ---- instances ---- */

#define INSTANCE(pairs)                                                                            \
  static int factor_##pairs(const few *d)                                                          \
  {                                                                                                \
    return factor_pairs(pairs, d);                                                                 \
  }                                                                                                \
  static void solve_##pairs(const few *d, double *b)                                               \
  {                                                                                                \
    solve_pairs(pairs, d, b);                                                                      \
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

static dae_status create(dae__arena *arena, const dae_pattern *pattern, void **state)
{
  int pairs = (pattern->cols + 1) / 2, rows = 2 * pairs;
  few *d = DAE__TAKE(arena, few, 1);
  double *LU = DAE__KEEP(arena, double, rows *rows), *inverse = DAE__KEEP(arena, double, rows);
  double *scale = DAE__KEEP(arena, double, rows);
  int *order = DAE__KEEP(arena, int, rows);
  if (dae__arena_failed(arena))
    return DAE_ERROR_MEMORY;
  *d = (few){pattern->cols,    pairs, pattern, LU, inverse, scale, order, factors[pairs - 1],
             solves[pairs - 1]};
  *state = d;
  return DAE_OK;
}

static dae_status factor(void *state, const double *values, int *column)
{
  const few *d = state;
  scatter(d, values);
  *column = d->factor(d) - 1;
  return *column < 0 ? DAE_OK : DAE_ERROR_SINGULAR;
}

static void solve(void *state, double *b)
{
  const few *d = state;
  d->solve(d, b);
}

/* min |U_ii| / max |U_ii| */
static double rcond(const void *state)
{
  const few *d = state;
  double min = INFINITY, max = 0;
  for (int i = 0; i < d->n; i++) {
    double r = fabs(d->inverse[i]);
    min = r < min ? r : min;
    max = r > max ? r : max;
  }
  return min / max;
}

static dae_status reload(void *state)
{
  (void)state;
  return DAE_OK;
}

static void release(void *state)
{
  (void)state;
}

const dae__backend dae__backend_few = {"dense", create, factor, solve,
                                       rcond,   reload, NULL,   release};
