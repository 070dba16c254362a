/* Unpivoted saddle systems: S = A M^-1 A' is factored by pairs of rows and columns, in tiles of 2 x
 * 2 numbers with one division each, as L D L' with tiles on the diagonal of D. A tile is stored as
 * two columns. */
#include "linalg/saddle/unpivoted.h"
#include "core/assert.h"
#include "core/vec.h"
#include "linalg/backend.h"
#include "linalg/dense.h"
#include "linalg/pair.h"
#include <math.h>

#define PAIRS_MAX (DAE__UNPIVOTED_ROWS / 2)
/* Smallest determinant of a diagonal tile, over its value before elimination, at which enough
 * digits are left. Chosen, not measured. */
#define DETERMINANT_MIN 1e-10
/* Largest asymmetry of M relative to its largest entry. Chosen, not measured. */
#define ASYMMETRY_MAX 1e-12

typedef struct tile {
  dae__pair c[2];
} tile;

typedef struct factors {
  double *B;                    /* A M^-1, by columns */
  tile L[PAIRS_MAX][PAIRS_MAX]; /* tiles of L below the diagonal */
  tile D[PAIRS_MAX];            /* inverses of the diagonal tiles of D */
} factors;

struct dae__unpivoted {
  int n, m, pairs;
  int *diagonal;   /* saved state: whether M is diagonal */
  double *inverse; /* saved state: M^-1 by columns, or its diagonal only for a diagonal M */
  double *LU;      /* LU factors of M */
  int *pivot;      /* row exchanges of the LU factors */
  factors *of;     /* factors of S for each matrix A */
  bool (*factor)(const dae__unpivoted *o, factors *f, const double *A);
  void (*solve)(const dae__unpivoted *o, const factors *f, double *x, double *y);
};

/* ---- mass ---- */

bool dae__unpivoted_mass(dae__unpivoted *o, const double *M)
{
  int n = o->n;
  double asymmetry = 0;
  *o->diagonal = true;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < j; i++) {
      double a = M[i + j * n], b = M[j + i * n], difference = fabs(a - b);
      if (a != 0 || b != 0)
        *o->diagonal = false;
      asymmetry = difference > asymmetry || isnan(difference) ? difference : asymmetry;
    }
  if (*o->diagonal) {
    for (int j = 0; j < n; j++)
      o->inverse[j] = 1 / M[j + j * n];
    return dae__all_finite(n, o->inverse);
  }
  dae__copy(n * n, M, o->LU);
  if (!(asymmetry <= ASYMMETRY_MAX * dae__max_abs(n * n, M)) || dae__lu_factor(n, o->LU, o->pivot))
    return false;
  for (int j = 0; j < n; j++) {
    double *column = o->inverse + j * n;
    dae__zero(n, column);
    column[j] = 1;
    dae__lu_solve(n, o->LU, o->pivot, column);
  }
  return dae__all_finite(n * n, o->inverse);
}

/* ---- tiles ---- */

/* product of a tile and a pair, t v */
static inline dae__pair unpivoted_tile_times(tile t, dae__pair v)
{
  return t.c[0] * v[0] + t.c[1] * v[1];
}

/* ---- factors ---- */

/* Forms B = A M^-1 and the lower half of S = A B', with a one on the diagonal for a row of
 * padding. */
static inline void unpivoted_form(const int pairs, const bool diagonal, const dae__unpivoted *o,
                                  const double *A, double *B, tile S[PAIRS_MAX][PAIRS_MAX])
{
  dae__pair a[PAIRS_MAX], b[PAIRS_MAX];
  for (int i = 0; i < pairs; i++)
    for (int c = 0; c <= i; c++)
      S[i][c] = (tile){{{0, 0}, {0, 0}}};
  for (int j = 0; j < o->n; j++) {
    for (int i = 0; i < pairs; i++)
      a[i] = dae__pair_of(A + 2 * (pairs * j + i));
    for (int i = 0; i < pairs; i++)
      b[i] = diagonal ? a[i] * o->inverse[j] : a[i] * 0;
    for (int k = 0; !diagonal && k < o->n; k++)
      for (int i = 0; i < pairs; i++)
        b[i] += dae__pair_of(A + 2 * (pairs * k + i)) * o->inverse[k + j * o->n];
    for (int i = 0; i < pairs; i++)
      *dae__pair_at(B + 2 * (pairs * j + i)) = b[i];
    for (int i = 0; i < pairs; i++)
      for (int c = 0; c <= i; c++) {
        S[i][c].c[0] += a[i] * b[c][0];
        S[i][c].c[1] += a[i] * b[c][1];
      }
  }
  if (o->m % 2)
    S[pairs - 1][pairs - 1].c[1][1] = 1;
}

static inline bool unpivoted_factor_pairs(const int pairs, const dae__unpivoted *o, factors *f,
                                          const double *A)
{
  tile S[PAIRS_MAX][PAIRS_MAX];
  double size[PAIRS_MAX];
  bool good = true;
  if (*o->diagonal)
    unpivoted_form(pairs, true, o, A, f->B, S);
  else
    unpivoted_form(pairs, false, o, A, f->B, S);
  for (int k = 0; k < pairs; k++)
    size[k] = S[k][k].c[0][0] * S[k][k].c[1][1];
  for (int k = 0; k < pairs; k++) {
    double a = S[k][k].c[0][0], b = S[k][k].c[0][1], c = S[k][k].c[1][1];
    double det = a * c - b * b, r = 1 / det;
    f->D[k] = (tile){{{c * r, -b * r}, {-b * r, a * r}}};
    good &= det > DETERMINANT_MIN * size[k] && a > 0 && r > 0;
    for (int i = k + 1; i < pairs; i++) {
      tile t = f->L[i][k] = (tile){{unpivoted_tile_times(S[i][k], f->D[k].c[0]),
                                    unpivoted_tile_times(S[i][k], f->D[k].c[1])}};
      for (int l = k + 1; l <= i; l++) { /* S_il -= L_ik S_lk' */
        tile u = S[l][k];
        S[i][l].c[0] -= t.c[0] * u.c[0][0] + t.c[1] * u.c[1][0];
        S[i][l].c[1] -= t.c[0] * u.c[0][1] + t.c[1] * u.c[1][1];
      }
    }
  }
  return good;
}

/* ---- solutions ---- */

static inline void unpivoted_solve_pairs(const int pairs, const dae__unpivoted *o, const factors *f,
                                         double *x, double *b)
{
  int n = o->n;
  double a[DAE__SMALL_N];
  dae__pair y[PAIRS_MAX];
  dae__copy(n, x, a);
  for (int i = 0; i < pairs; i++)
    y[i] = -dae__pair_from((size_t)o->m, b, 2 * (size_t)i);
  for (int j = 0; j < n; j++) /* y = B a - b */
    for (int i = 0; i < pairs; i++)
      y[i] += dae__pair_of(f->B + 2 * (pairs * j + i)) * a[j];
  for (int k = 0; k < pairs; k++) /* y = S\y */
    for (int i = k + 1; i < pairs; i++)
      y[i] -= unpivoted_tile_times(f->L[i][k], y[k]);
  for (int k = pairs - 1; k >= 0; k--) {
    y[k] = unpivoted_tile_times(f->D[k], y[k]);
    for (int i = k + 1; i < pairs; i++) {
      tile L = f->L[i][k];
      y[k] -= (dae__pair){dae__pair_sum(L.c[0] * y[i]), dae__pair_sum(L.c[1] * y[i])};
    }
  }
  for (int j = 0; j < n; j++) { /* x = M^-1 a - B'y */
    dae__pair sum = dae__pair_of(f->B + 2 * pairs * j) * y[0];
    for (int i = 1; i < pairs; i++)
      sum += dae__pair_of(f->B + 2 * (pairs * j + i)) * y[i];
    double Ma = *o->diagonal ? a[j] * o->inverse[j] : dae__dot(n, a, o->inverse + j * n);
    x[j] = Ma - dae__pair_sum(sum);
  }
  for (int i = 0; i < pairs; i++)
    if (2 * i + 1 < o->m)
      dae__pair_to(b + 2 * i, y[i]);
    else
      b[2 * i] = y[i][0];
}

/* ---- instances for each number of pairs ---- */

#define INSTANCE(pairs)                                                                            \
  static bool unpivoted_factor_##pairs(const dae__unpivoted *o, factors *f, const double *A)       \
  {                                                                                                \
    return unpivoted_factor_pairs(pairs, o, f, A);                                                 \
  }                                                                                                \
  static void unpivoted_solve_##pairs(const dae__unpivoted *o, const factors *f, double *x,        \
                                      double *y)                                                   \
  {                                                                                                \
    unpivoted_solve_pairs(pairs, o, f, x, y);                                                      \
  }
INSTANCE(1)
INSTANCE(2)
INSTANCE(3)
#undef INSTANCE

static bool (*const factor_by[PAIRS_MAX])(const dae__unpivoted *, factors *, const double *) = {
    unpivoted_factor_1, unpivoted_factor_2, unpivoted_factor_3};
static void (*const solve_by[PAIRS_MAX])(const dae__unpivoted *, const factors *, double *,
                                         double *) = {unpivoted_solve_1, unpivoted_solve_2,
                                                      unpivoted_solve_3};

dae__unpivoted *dae__unpivoted_create(dae__arena *arena, int n, int m, int count)
{
  int pairs = (m + 1) / 2;
  DAE__ASSERT(n <= DAE__SMALL_N && m > 0 && m <= DAE__UNPIVOTED_ROWS);
  dae__unpivoted *o = DAE__ALLOC(arena, dae__unpivoted, 1);
  dae__unpivoted made = {.n = n,
                         .m = m,
                         .pairs = pairs,
                         .diagonal = DAE__STATE(arena, int, 1),
                         .inverse = DAE__STATE(arena, double, n *n),
                         .LU = DAE__UNINIT(arena, double, n *n),
                         .pivot = DAE__UNINIT(arena, int, n),
                         .of = DAE__UNINIT(arena, factors, count),
                         .factor = factor_by[pairs - 1],
                         .solve = solve_by[pairs - 1]};
  double *B = DAE__UNINIT(arena, double, count * 2 * pairs * n);
  if (dae__arena_failed(arena))
    return NULL;
  DAE__LIMIT(arena, made.diagonal, 1, 0, 1);
  for (int i = 0; i < count; i++)
    made.of[i].B = B + i * 2 * pairs * n;
  *o = made;
  return o;
}

int dae__unpivoted_stride(const dae__unpivoted *o)
{
  return 2 * o->pairs;
}

bool dae__unpivoted_factor(const dae__unpivoted *o, int which, const double *A)
{
  return o->factor(o, &o->of[which], A);
}

void dae__unpivoted_solve(const dae__unpivoted *o, int which, double *x, double *y)
{
  o->solve(o, &o->of[which], x, y);
}
