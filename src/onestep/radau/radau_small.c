/* All stages in one system (radau_full.c) of few unknowns with full derivatives. What is not
 * integrated, y, the last m of the n = d + m unknowns of a stage, stands in the rows of its own
 * stage alone. m pivots Y there leave d rows without it,
 *
 *   Y y + T x = b,  Z y + U x = c   ->   (U - W T) x = c - W b,   W = Z/Y,
 *
 * x all that is integrated in all stages: a dense system with (d/n)^3 of the work for all unknowns.
 * Pivots are chosen by their size relative to the largest entries of their rows. */
#include "onestep/radau/radau_small.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/backend.h"
#include "linalg/dense.h"
#include "linalg/pair.h"
#include <math.h>

struct dae__radau_small {
  int s, d, m, rows; /* rows of W: d, and one or two that are zero */
  int *order;        /* s x n, rows of a stage: those of Y, then the others */
  double *Y;         /* s x m columns of m; Y = L U, 1/u on the diagonal */
  double *W;         /* s x m columns */
  double *T;         /* s x m rows */
  double *rest;      /* U - W T, then its factors, */
  double *scale;     /* those of its rows, */
  int *pivot;        /* their exchanges, */
  double *b;         /* and a right side */
};

/* of one stage */
typedef struct own {
  int *order;
  double *Y, *W, *T;
} own;

static own radau_small_own_of(const dae__radau_small *f, int i)
{
  int m = f->m;
  return (own){.order = f->order + i * (f->d + m),
               .Y = f->Y + i * m * m,
               .W = f->W + i * m * f->rows,
               .T = f->T + i * m * f->s * f->d};
}

/* ---- creation ---- */

dae_status dae__radau_small_create(dae__arena *arena, const dae__reduced *r, int most,
                                   dae__radau_small **out, dae_error *err)
{
  int d = r->n2 + r->n1, m = r->n - d, left = most * d, rows = d / 2 * 2 + 2;
  dae__radau_small *f = DAE__ALLOC(arena, dae__radau_small, 1);
  dae__radau_small made = {.s = most,
                           .d = d,
                           .m = m,
                           .rows = rows,
                           .order = DAE__UNINIT(arena, int, most * r->n),
                           .Y = DAE__UNINIT(arena, double, most *m *m),
                           .W = DAE__ALLOC(arena, double, most *m *rows),
                           .T = DAE__UNINIT(arena, double, most *m *left),
                           .rest = DAE__UNINIT(arena, double, left *left),
                           .scale = DAE__UNINIT(arena, double, left),
                           .pivot = DAE__UNINIT(arena, int, left),
                           .b = DAE__UNINIT(arena, double, left)};
  *out = NULL;
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *f = made;
  *out = f;
  return DAE_OK;
}

void dae__radau_small_begin(dae__radau_small *f, int s)
{
  f->s = s;
}

/* ---- the rows of a stage ---- */

static double radau_small_largest(int s, const double *a)
{
  double most = 0;
  for (int j = 0; j < s; j++)
    most = fmax(most, fabs(a[j]));
  return most;
}

/* bounds of the reciprocal largest entries of its rows, by the largest a_ij and (A A)_ij: those of
 * its own unknowns will not do, as the last stage has (A A)_ss = 0 */
static void radau_small_take_scales(const dae__reduced *r, const dae__collocation_rule *c, double h,
                                    int i, double *scale)
{
  int n = r->n, dynamic = r->n2 + r->n1;
  double a = h * radau_small_largest(c->s, c->A[i]),
         b = h * h * radau_small_largest(c->s, c->A2[i]);
  dae__zero(n, scale);
  for (int k = 0; k < n; k++)
    for (int e = 0; e < n; e++) {
      int at = k * n + e;
      double size = fabs(r->P[0][at]);
      if (k < dynamic)
        size += a * fabs(r->P[1][at]) + b * fabs(r->P[2][at]);
      scale[e] = size > scale[e] ? size : scale[e];
    }
  for (int e = 0; e < n; e++)
    scale[e] = scale[e] > 0 ? 1 / scale[e] : 1;
}

/* row of the largest |scale a|, from k on */
static int radau_small_largest_from(int n, const double *a, const double *scale, int k)
{
  int p = k;
  for (int i = k + 1; i < n; i++)
    p = fabs(a[i] * scale[i]) > fabs(a[p] * scale[p]) ? i : p;
  return p;
}

static void radau_small_exchange(double *a, int i, int j)
{
  double t = a[i];
  a[i] = a[j];
  a[j] = t;
}

/* L and U of the columns a of y in all n rows, which get an order: 0, or the first one without a
 * pivot + 1 */
static int radau_small_eliminate(int n, int m, double a[][DAE__SMALL_N], double *scale, int *order)
{
  for (int i = 0; i < n; i++)
    order[i] = i;
  for (int k = 0; k < m; k++) {
    int p = radau_small_largest_from(n, a[k], scale, k), row = order[k];
    double r = 1 / a[k][p];
    if (!isfinite(r) || r == 0)
      return k + 1;
    order[k] = order[p];
    order[p] = row;
    radau_small_exchange(scale, k, p);
    for (int c = 0; c < m; c++)
      radau_small_exchange(a[c], k, p);
    a[k][k] = r;
    for (int i = k + 1; i < n; i++)
      a[k][i] *= r;
    for (int c = k + 1; c < m; c++)
      for (int i = k + 1; i < n; i++)
        a[c][i] -= a[k][i] * a[c][k];
  }
  return 0;
}

/* Y, and W = Z/Y from its part of L, where W L = that part */
static void radau_small_keep_own(const dae__radau_small *f, double a[][DAE__SMALL_N], own o)
{
  int d = f->d, m = f->m;
  for (int k = m - 1; k >= 0; k--) {
    double *w = o.W + k * f->rows;
    dae__copy(d, a[k] + m, w);
    for (int l = k + 1; l < m; l++)
      dae__axpy(d, -a[k][l], o.W + l * f->rows, w);
    dae__copy(m, a[k], o.Y + k * m);
  }
}

/* the rows of x that are left: out = x(rest) - W x(Y), and top = x(Y), `stride` apart */
static inline void radau_small_reduce(int d, int m, own o, const double *x, double *restrict out,
                                      double *restrict top, int stride)
{
  const int *rest = o.order + m;
  const double *w = o.W;
  dae__pair sum[DAE__SMALL_N / 2 + 1];
  int pairs = d / 2;
  for (int i = 0; i < pairs; i++)
    sum[i] = (dae__pair){x[rest[2 * i]], x[rest[2 * i + 1]]};
  sum[pairs] = (dae__pair){d % 2 ? x[rest[d - 1]] : 0, 0};
  for (int k = 0; k < m; k++) {
    double u = top[k * stride] = x[o.order[k]];
    for (int i = 0; i <= pairs; i++, w += 2)
      sum[i] -= dae__pair_of(w) * u;
  }
  for (int i = 0; i < pairs; i++)
    dae__pair_to(out + 2 * i, sum[i]);
  if (d % 2)
    out[d - 1] = sum[pairs][0];
}

int dae__radau_small_add(dae__radau_small *f, const dae__reduced *r, const dae__collocation_rule *c,
                         double h, int i)
{
  int n = r->n, d = f->d, m = f->m, left = f->s * d;
  own o = radau_small_own_of(f, i);
  double a[DAE__SMALL_N][DAE__SMALL_N], scale[DAE__SMALL_N], x[DAE__SMALL_N];
  radau_small_take_scales(r, c, h, i, scale);
  for (int k = 0; k < m; k++)
    dae__copy(n, r->P[0] + (d + k) * n, a[k]);
  int failed = radau_small_eliminate(n, m, a, scale, o.order);
  if (failed)
    return d + failed - 1;
  radau_small_keep_own(f, a, o);
  for (int j = 0; j < f->s; j++) {
    double part[3] = {i == j, h * c->A[i][j], h * h * c->A2[i][j]};
    for (int k = 0; k < d; k++) {
      dae__reduced_combine(r, k * n, n, part, x);
      radau_small_reduce(d, m, o, x, f->rest + (j * d + k) * left + i * d,
                         f->T + i * m * left + j * d + k, left);
    }
  }
  return -1;
}

dae_status dae__radau_small_factor(dae__radau_small *f, int *column)
{
  int left = f->s * f->d;
  dae__lu_scale_rows(left, f->rest, f->scale);
  int failed = dae__lu_factor(left, f->rest, f->pivot);
  *column = failed ? (failed - 1) % f->d : -1;
  return failed ? DAE_ERROR_SINGULAR : DAE_OK;
}

/* ---- solutions ---- */

/* y = Y\(b - T x) of stage i */
static void radau_small_find_own(const dae__radau_small *f, int i, double *b)
{
  const own o = radau_small_own_of(f, i);
  int m = f->m, left = f->s * f->d;
  for (int k = 0; k < m; k++)
    b[k] -= dae__dot(left, o.T + k * left, f->b);
  for (int k = 0; k < m; k++)
    for (int l = k + 1; l < m; l++)
      b[l] -= o.Y[k * m + l] * b[k];
  for (int k = m - 1; k >= 0; k--) {
    b[k] *= o.Y[k * m + k];
    for (int l = 0; l < k; l++)
      b[l] -= o.Y[k * m + l] * b[k];
  }
}

void dae__radau_small_solve(const dae__radau_small *f, double *D)
{
  int d = f->d, m = f->m, n = d + m, left = f->s * d;
  double top[DAE__RADAU_STAGES][DAE__SMALL_N];
  for (int i = 0; i < f->s; i++)
    radau_small_reduce(d, m, radau_small_own_of(f, i), D + i * n, f->b + i * d, top[i], 1);
  for (int i = 0; i < left; i++)
    f->b[i] *= f->scale[i];
  dae__lu_solve(left, f->rest, f->pivot, f->b);
  for (int i = 0; i < f->s; i++) {
    radau_small_find_own(f, i, top[i]);
    dae__copy(d, f->b + i * d, D + i * n);
    dae__copy(m, top[i], D + i * n + d);
  }
}
