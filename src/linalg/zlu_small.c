/* Small complex systems by L and U: lu_small.h. S and P of the last matrix are used again, without
 * a search for pivots and exchanges of rows, as long as no entry of L becomes large. */
#include "linalg/pair.h"
#include <math.h>
#include <stdbool.h>

#define LU_PARTS 2
#define LU_INVERSE 0
#define LU_TINY_SCALE 0x1p1000
#define LU_DIAGONAL_THRESHOLD 1

/* Largest real or imaginary part of an entry of L with the pivots of the last matrix; beyond it new
 * pivots are searched. With pivots of largest modulus all parts are at most 1, and the error of a
 * solution grows as their product at worst; a simplified Newton iteration would converge with much
 * larger ones. Chosen, not measured. */
#define GROWTH_MAX 8

typedef struct number {
  double x, y;
} number;

/* Real and imaginary parts of two rows of a column. */
typedef struct two {
  dae__pair x, y;
} two;

static inline two small_two(const int rows, const double *column, int i)
{
  return (two){dae__pair_of(column + 2 * i), dae__pair_of(column + rows + 2 * i)};
}

static inline void small_store(const int rows, double *column, int i, two a)
{
  *dae__pair_at(column + 2 * i) = a.x;
  *dae__pair_at(column + rows + 2 * i) = a.y;
}

static inline two small_times(two a, number s)
{
  return (two){a.x * s.x - a.y * s.y, a.x * s.y + a.y * s.x};
}

static inline two small_less(two c, two a, number s)
{
  two p = small_times(a, s);
  return (two){c.x - p.x, c.y - p.y};
}

static inline dae__pair small_select_part(dae__pair_mask mask, dae__pair a, dae__pair b)
{
  return (dae__pair)((mask & (dae__pair_mask)a) | (~mask & (dae__pair_mask)b));
}

/* reciprocal 1/s; not finite on overflow */
static inline number small_reciprocal(number s)
{
  double d = s.x * s.x + s.y * s.y;
  if (d < 1e-280 || d > 1e280) { /* scaling where squares underflow or overflow */
    double size = fabs(s.x) + fabs(s.y);
    s = (number){s.x / size, s.y / size};
    d = (s.x * s.x + s.y * s.y) * size;
  }
  double r = 1 / d;
  return (number){s.x * r, -s.y * r};
}

#define small_solve_pairs zlu_small_solve_pairs
#define small_at(rows, column, k) ((number){(column)[k], (column)[(rows) + (k)]})
#define small_put(rows, column, k, s) ((column)[k] = (s).x, (column)[(rows) + (k)] = (s).y)
#define small_minus(a) ((two){-(a).x, -(a).y})
#define small_negative(s) ((number){-(s).x, -(s).y})
#define small_both(s) ((two){{(s).x, (s).x}, {(s).y, (s).y}})
#define small_select(mask, a, b)                                                                   \
  ((two){small_select_part(mask, (a).x, (b).x), small_select_part(mask, (a).y, (b).y)})
#define small_size(s) (fabs((s).x) + fabs((s).y))
#define small_nonzero(s) ((s).x != 0 || (s).y != 0)
#define small_usable(r) (isfinite((r).x) && isfinite((r).y))

#include "linalg/lu_small.h"

/* ---- refactorisation with the pivots of the last matrix ---- */

/* LU = S P A, for a full matrix with an even number of rows */
static inline void zlu_small_gather_rows(const int pairs, const small *d, const double *values)
{
  const int rows = 2 * pairs;
  for (int j = 0; j < rows; j++) {
    const double *z = values + 2 * j * rows;
    double *a = d->A + 2 * j * rows;
    for (int i = 0; i < rows; i += 2) {
      dae__pair s = dae__pair_of(d->scale + i);
      dae__pair u = dae__pair_from_anywhere(z + 2 * d->order[i]);
      dae__pair v = dae__pair_from_anywhere(z + 2 * d->order[i + 1]);
      *dae__pair_at(a + i) = (dae__pair){u[0], v[0]} * s;
      *dae__pair_at(a + rows + i) = (dae__pair){u[1], v[1]} * s;
    }
  }
}

static inline bool zlu_small_refactor_pairs(const int pairs, const small *d, const double *values)
{
  const int rows = 2 * pairs;
  two l[PAIRS_MAX];
  number r;
  dae__pair most = {0, 0};
  if (d->n == rows)
    zlu_small_gather_rows(pairs, d, values);
  else
    small_scatter(d, values);
  for (int j = 0; d->n < rows && j < LU_PARTS * rows; j++) { /* A = S P A, padded */
    double *a = d->A + j * rows, x[2 * PAIRS_MAX];
    for (int i = 0; i < rows; i++)
      x[i] = a[d->order[i]] * d->scale[i];
    memcpy(a, x, (size_t)rows * sizeof *a);
  }
  for (int j = 0; j < rows; j++) {
    if (!small_pivot(rows, d, j, j, &r))
      return false;
    small_eliminate(pairs, d, j, r, l);
    for (int i = 0; i < pairs; i++)
      most = dae__pair_larger(dae__pair_larger(dae__pair_abs(l[i].x), dae__pair_abs(l[i].y)), most);
  }
  return !dae__pair_exceeds(most, (dae__pair){GROWTH_MAX, GROWTH_MAX});
}

/* ---- solutions, two columns at a time ---- */

static inline number zlu_small_product(number a, number b)
{
  return (number){a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

/* complex difference c - (entry k of a column) b */
static inline number zlu_small_difference(const int pairs, number c, const double *column, int k,
                                          number b)
{
  number p = zlu_small_product((number){column[k], column[2 * pairs + k]}, b);
  return (number){c.x - p.x, c.y - p.y};
}

static inline two zlu_small_join(number u, number v)
{
  return (two){(dae__pair){u.x, v.x}, (dae__pair){u.y, v.y}};
}

/* forward substitution of two columns: b(k,k+1) = L\b, b(below) -= L b(k,k+1) */
static inline void zlu_small_forward(const int pairs, const int k, const small *d, two *b)
{
  const double *l = d->A + 8 * k * pairs, *m = l + 4 * pairs;
  number u = {b[k].x[0], b[k].y[0]};
  number v = zlu_small_difference(pairs, (number){b[k].x[1], b[k].y[1]}, l, 2 * k + 1, u);
  b[k] = zlu_small_join(u, v);
  for (int i = k + 1; i < pairs; i++)
    b[i] =
        small_less(small_less(b[i], small_two(2 * pairs, l, i), u), small_two(2 * pairs, m, i), v);
}

/* backward substitution of two columns: b(k,k+1) = U\b, b(above) -= U b(k,k+1) */
static inline void zlu_small_backward(const int pairs, const int k, const small *d, two *b)
{
  const double *l = d->A + 8 * k * pairs, *m = l + 4 * pairs, *r = d->r + 2 * k;
  number r0 = {r[0], r[2 * pairs]}, r1 = {r[1], r[2 * pairs + 1]};
  number v = zlu_small_product((number){b[k].x[1], b[k].y[1]}, r1);
  number u = zlu_small_product(
      zlu_small_difference(pairs, (number){b[k].x[0], b[k].y[0]}, m, 2 * k, v), r0);
  b[k] = zlu_small_join(u, v);
  for (int i = 0; i < k; i++)
    b[i] =
        small_less(small_less(b[i], small_two(2 * pairs, l, i), u), small_two(2 * pairs, m, i), v);
}

/* scaled right side in the order of the pivots, P'S b */
static inline dae__pair zlu_small_gather(const int pairs, const small *d, const double *b, int i)
{
  const int *o = d->order + 2 * i;
  double second = d->n % 2 && i == pairs - 1 ? 0 : b[o[1]];
  return (dae__pair){b[o[0]], second} * dae__pair_of(d->scale + 2 * i);
}

/* Solution x + i y, with the loop over pairs of columns written out: a loop would keep b in
 * memory. */
static inline void zlu_small_solve_pairs(const int pairs, const small *d, double *x, double *y)
{
  two b[PAIRS_MAX];
  for (int i = 0; i < pairs; i++)
    b[i] = (two){zlu_small_gather(pairs, d, x, i), zlu_small_gather(pairs, d, y, i)};
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

#define REFACTOR(pairs)                                                                            \
  static bool zlu_small_refactor_##pairs(const small *d, const double *values)                     \
  {                                                                                                \
    return zlu_small_refactor_pairs(pairs, d, values);                                             \
  }
REFACTOR(1)
REFACTOR(2)
REFACTOR(3)
REFACTOR(4)
REFACTOR(5)
REFACTOR(6)
#undef REFACTOR
static bool (*const refactors[PAIRS_MAX])(const small *, const double *) = {
    zlu_small_refactor_1, zlu_small_refactor_2, zlu_small_refactor_3,
    zlu_small_refactor_4, zlu_small_refactor_5, zlu_small_refactor_6};

static dae_status zlu_small_factor(void *state, const double *values, int *column)
{
  const small *d = state;
  bool all = dae__pattern_count(d->pattern) == d->n * d->n;
  if (all && *d->known && refactors[d->pairs - 1](d, values))
    return DAE_OK;
  small_scatter(d, values);
  *column = d->factor(d) - 1;
  *d->known = *column < 0;
  return *d->known ? DAE_OK : DAE_ERROR_SINGULAR;
}

static void zlu_small_reset(void *state)
{
  *((const small *)state)->known = 0;
}

const dae__backend dae__backend_zlu_small = {.kind = "dense",
                                             .create = small_create,
                                             .factor = zlu_small_factor,
                                             .solve = small_solve,
                                             .rcond = small_rcond,
                                             .reset = zlu_small_reset,
                                             .set_pattern = small_set_pattern};
