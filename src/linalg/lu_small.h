/* Small systems, 1 to DAE__SMALL_N unknowns: one source for real (lu_small.c) and complex numbers
 * (zlu_small.c). S A, S the reciprocal largest parts of the rows, is eliminated in place:
 *
 *   LU_INVERSE 1   by Gauss-Jordan elimination [H02 14.4] to A^-1, and x = A^-1 b
 *   LU_INVERSE 0   to S A = P L U
 *
 * The order is rounded up to an even one by a row and a column of the identity, and every even
 * order has an instance of its own: loops over pairs of rows then have lengths that the compiler
 * knows, and a solution stays in registers. A column has `rows` real parts, then as many imaginary
 * ones where LU_PARTS is 2. Columns whose entry in the pivot's row is zero, as most are in
 * circuits, are skipped. The including file defines
 *
 *   number, two                      a number; the numbers of two rows of a column
 *   small_two, small_store           two rows i of a column, loaded and stored
 *   small_at                         entry k of a column
 *   small_times, small_less          a s, and c - a s, for two rows and a number s
 *   small_select(mask, a, b)         a where the mask holds, b elsewhere
 *   small_both(s)                    the number s in two rows
 *   small_reciprocal, small_size     1/s, and |s| for pivots
 *   small_usable                     whether a reciprocal pivot is finite and not zero
 *   LU_TINY_SCALE                    scale of rows below DBL_MIN, where reciprocals may overflow
 *   LU_DIAGONAL_THRESHOLD            smallest diagonal entry, over the largest entry of its column,
 *                                    that is taken as the pivot */
#ifndef DAEDAL_LINALG_LU_SMALL_H
#define DAEDAL_LINALG_LU_SMALL_H

#include "core/assert.h"
#include "linalg/backend.h"
#include "linalg/pattern.h"
#include <float.h>
#include <string.h>

#define PAIRS_MAX (DAE__SMALL_N / 2)

typedef struct small small;
struct small {
  int n, pairs;
  const dae_pattern *pattern;
  double *A;       /* scaled matrix, overwritten by its inverse or by L and U */
  double *r;       /* reciprocal pivots, real parts, then imaginary parts */
  double *scale;   /* row scales S, in the order of the pivots */
  int *order;      /* rows of A in the order of the pivots */
  double *inverse; /* A^-1; NULL: L and U */
  int *known; /* whether scale and order are those of the last matrix; NULL: never used again */
  /* eliminates A; 0, or 1 + the first column without a pivot */
  int (*factor)(const small *d);
  /* solution x, with imaginary parts y */
  void (*solve)(const small *d, double *x, double *y);
};

/* ---- elimination ---- */

/* A = matrix, padded by the identity */
static inline void small_scatter(const small *d, const double *values)
{
  const dae_pattern *p = d->pattern;
  int rows = 2 * d->pairs, n = d->n;
  if (LU_PARTS == 1 && n == rows && dae__pattern_count(p) == n * n) {
    memcpy(d->A, values, (size_t)(n * n) * sizeof *values);
    return;
  }
  memset(d->A, 0, (size_t)(LU_PARTS * rows * rows) * sizeof *values);
  for (int j = 0; j < n; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      for (int part = 0; part < LU_PARTS; part++)
        d->A[(LU_PARTS * j + part) * rows + p->row[e]] = values[LU_PARTS * e + part];
  if (n < rows)
    d->A[LU_PARTS * rows * n + n] = 1;
}

/* scale = S, A = S A */
static inline void small_scale_rows(const int pairs, const small *d)
{
  dae__pair most[PAIRS_MAX];
  for (int i = 0; i < pairs; i++)
    most[i] = (dae__pair){0, 0};
  for (int j = 0; j < LU_PARTS * 2 * pairs; j++)
    for (int i = 0; i < pairs; i++)
      most[i] = dae__pair_larger(dae__pair_abs(dae__pair_of(d->A + 2 * (j * pairs + i))), most[i]);
  for (int i = 0; i < pairs; i++) {
    const dae__pair one = {1, 1}, least = {DBL_MIN, DBL_MIN};
    const dae__pair instead = {1 / LU_TINY_SCALE, 1 / LU_TINY_SCALE};
    dae__pair_mask tiny = most[i] < least;
    dae__pair size =
        (dae__pair)((tiny & (dae__pair_mask)instead) | (~tiny & (dae__pair_mask)most[i]));
    most[i] = *dae__pair_at(d->scale + 2 * i) = one / size;
    d->order[2 * i] = 2 * i;
    d->order[2 * i + 1] = 2 * i + 1;
  }
  for (int j = 0; j < LU_PARTS * 2 * pairs; j++)
    for (int i = 0; i < pairs; i++)
      *dae__pair_at(d->A + 2 * (j * pairs + i)) *= most[i];
}

static inline void small_exchange_rows(int rows, const small *d, int j, int p)
{
  int row = d->order[j];
  double scale = d->scale[j];
  d->order[j] = d->order[p];
  d->order[p] = row;
  d->scale[j] = d->scale[p];
  d->scale[p] = scale;
  for (int c = 0; c < LU_PARTS * rows; c++) {
    double *a = d->A + c * rows, t = a[j];
    a[j] = a[p];
    a[p] = t;
  }
}

/* Elimination of column j with the pivot 1/r in row j; l receives the multipliers. Masks single out
 * rows: loading a pair would wait for the store of one of its numbers.
 *   inverse   l is the pivot column times r, with -r in row j; the pivot column becomes -l, and
 *             every other column x, with entry u in row j, becomes x (0 in row j) - l u
 *   L and U   l is the column of L, the pivot column times r below row j; every later column x
 *             becomes x - l u */
static inline void small_eliminate(const int pairs, const small *d, int j, number r, two *l)
{
  const int rows = 2 * pairs;
  double *a = d->A + LU_PARTS * j * rows;
  dae__pair_mask others[PAIRS_MAX];
  const number zero = {0};
  for (int i = 0; i < pairs; i++) {
    const dae__pair row = {2 * i, 2 * i + 1};
    two z = small_two(rows, a, i), q = small_times(z, r);
    others[i] = LU_INVERSE ? row != (double)j : row > (double)j;
    l[i] =
        small_select(others[i], q, LU_INVERSE ? small_both(small_negative(r)) : small_both(zero));
    small_store(rows, a, i, LU_INVERSE ? small_minus(l[i]) : small_select(others[i], q, z));
  }
  for (int c = LU_INVERSE ? 0 : j + 1; c < rows; c++) {
    double *x = d->A + LU_PARTS * c * rows;
    const number u = small_at(rows, x, j);
    for (int i = 0; c != j && small_nonzero(u) && i < pairs; i++) {
      two z = small_two(rows, x, i);
      if (LU_INVERSE)
        z = small_select(others[i], z, small_both(zero));
      small_store(rows, x, i, small_less(z, l[i], u));
    }
  }
}

/* Reciprocal of the pivot in row p of column j, stored for row j; false: not usable. */
static inline bool small_pivot(int rows, const small *d, int j, int p, number *r)
{
  *r = small_reciprocal(small_at(rows, d->A + LU_PARTS * j * rows, p));
  small_put(rows, d->r, j, *r);
  return small_usable(*r);
}

static inline int small_factor_pairs(const int pairs, const small *d)
{
  const int rows = 2 * pairs;
  two l[PAIRS_MAX];
  number r;
  small_scale_rows(pairs, d);
  for (int j = 0; j < rows; j++) {
    const double *a = d->A + LU_PARTS * j * rows;
    int p = j; /* row i >= j of the largest |a_i| */
    double first = small_size(small_at(rows, a, j)), most = first;
    for (int i = j + 1; i < rows; i++) {
      double size = small_size(small_at(rows, a, i));
      p = size > most ? i : p;
      most = size > most ? size : most;
    }
    if (first < LU_DIAGONAL_THRESHOLD * most)
      small_exchange_rows(rows, d, j, p);
    if (!small_pivot(rows, d, j, j, &r))
      return j + 1;
    small_eliminate(pairs, d, j, r, l);
  }
  /* inverse of A: columns of the inverse of S A in the order of the rows of A, times S */
  for (int j = 0; d->inverse && j < rows; j++)
    for (int i = 0; i < pairs; i++)
      *dae__pair_at(d->inverse + d->order[j] * rows + 2 * i) =
          dae__pair_of(d->A + j * rows + 2 * i) * d->scale[j];
  return 0;
}

/* ---- backend ---- */

/* Functions for each number of pairs. */
static inline void small_solve_pairs(int pairs, const small *d, double *x, double *y);

#define INSTANCE(pairs)                                                                            \
  static int small_factor_##pairs(const small *d)                                                  \
  {                                                                                                \
    return small_factor_pairs(pairs, d);                                                           \
  }                                                                                                \
  static void small_solve_##pairs(const small *d, double *x, double *y)                            \
  {                                                                                                \
    small_solve_pairs(pairs, d, x, y);                                                             \
  }
INSTANCE(1)
INSTANCE(2)
INSTANCE(3)
INSTANCE(4)
INSTANCE(5)
INSTANCE(6)
#undef INSTANCE

static void small_set_pattern(void *state, const dae_pattern *pattern)
{
  static int (*const factors[PAIRS_MAX])(const small *) = {small_factor_1, small_factor_2,
                                                           small_factor_3, small_factor_4,
                                                           small_factor_5, small_factor_6};
  static void (*const solves[PAIRS_MAX])(const small *, double *, double *) = {
      small_solve_1, small_solve_2, small_solve_3, small_solve_4, small_solve_5, small_solve_6};
  small *d = state;
  DAE__ASSERT(pattern->cols > 0 && pattern->cols <= DAE__SMALL_N);
  d->n = pattern->cols;
  d->pairs = (d->n + 1) / 2;
  d->pattern = pattern;
  d->factor = factors[d->pairs - 1];
  d->solve = solves[d->pairs - 1];
}

static dae_status small_create(dae__arena *arena, const dae_pattern *pattern, void **state)
{
  int rows = (pattern->cols + 1) / 2 * 2;
  small *d = DAE__ALLOC(arena, small, 1);
  small made = {.A = DAE__STATE(arena, double, LU_PARTS *rows *rows),
                .r = DAE__STATE(arena, double, LU_PARTS *rows),
                .scale = DAE__STATE(arena, double, rows),
                .order = DAE__STATE(arena, int, rows),
                .inverse = LU_INVERSE ? DAE__STATE(arena, double, rows *rows) : NULL,
                .known = DAE__STATE(arena, int, 1)};
  if (dae__arena_failed(arena))
    return DAE_ERROR_MEMORY;
  DAE__LIMIT(arena, made.order, rows, 0, rows - 1);
  DAE__LIMIT_TRUTH(arena, made.known, 1);
  *d = made;
  small_set_pattern(d, pattern);
  *state = d;
  return DAE_OK;
}

/* smallest over largest pivot, an estimate of the reciprocal condition number */
static double small_rcond(const void *state)
{
  const small *d = state;
  double min = INFINITY, max = 0;
  for (int i = 0; i < d->n; i++) {
    double r = small_size(small_at(2 * d->pairs, d->r, i));
    min = r < min ? r : min;
    max = r > max ? r : max;
  }
  return min / max;
}

static void small_solve(void *state, double *x, double *y)
{
  const small *d = state;
  d->solve(d, x, y);
}

#endif
