/* Splines. With h_i = x_i+1 - x_i, s_i = (y_i+1 - y_i) / h_i and the second derivatives M_i at the
 * knots,
 *
 *   h_i-1 M_i-1 + 2 (h_i-1 + h_i) M_i + h_i M_i+1 = 6 (s_i - s_i-1),
 *
 * natural with M_0 = M_n = 0, or periodic with indices modulo n. The tridiagonal matrix is
 * diagonally dominant, so that elimination needs no pivots. The periodic matrix is that of a
 * tridiagonal T with a rank-one change, A = T + u v', and A^-1 b = z - w v'z / (1 + v'w) with z =
 * T^-1 b and w = T^-1 u (Sherman and Morrison). */
#include "model/graph/curve.h"

/* A spline while it is computed, in the memory of the curve: by knot x, y, and three numbers. */
typedef struct spline {
  double *p;
  int n; /* number of intervals */
} spline;

enum { X, Y, M, W, PIVOT, SPLINE };

static double *spline_at(const spline *s, int i)
{
  return s->p + (size_t)i * SPLINE;
}

static double spline_h(const spline *s, int i)
{
  return spline_at(s, i + 1)[X] - spline_at(s, i)[X];
}

static double spline_slope(const spline *s, int i)
{
  return (spline_at(s, i + 1)[Y] - spline_at(s, i)[Y]) / spline_h(s, i);
}

/* Solves for M and W of the knots [from, to], whose right sides they hold on entry, with the
 * diagonal in PIVOT. */
static void spline_solve(const spline *s, int from, int to)
{
  for (int i = from + 1; i <= to; i++) {
    double *a = spline_at(s, i - 1), *b = spline_at(s, i), h = spline_h(s, i - 1);
    double factor = h / a[PIVOT];
    b[PIVOT] -= factor * h;
    b[M] -= factor * a[M];
    b[W] -= factor * a[W];
  }
  for (int i = to; i >= from; i--) {
    double *a = spline_at(s, i), *b = spline_at(s, i + 1), h = i < to ? spline_h(s, i) : 0;
    a[M] = (a[M] - (i < to ? h * b[M] : 0)) / a[PIVOT];
    a[W] = (a[W] - (i < to ? h * b[W] : 0)) / a[PIVOT];
  }
}

static void spline_set_row(const spline *s, int i, int before)
{
  double *a = spline_at(s, i);
  a[PIVOT] = 2 * (spline_h(s, before) + spline_h(s, i));
  a[M] = 6 * (spline_slope(s, i) - spline_slope(s, before));
  a[W] = 0;
}

static void spline_natural(const spline *s)
{
  for (int i = 1; i < s->n; i++)
    spline_set_row(s, i, i - 1);
  spline_at(s, 0)[M] = spline_at(s, s->n)[M] = 0;
  spline_solve(s, 1, s->n - 1);
}

static void spline_periodic(const spline *s)
{
  double *first = spline_at(s, 0), *last = spline_at(s, s->n - 1), *end = spline_at(s, s->n);
  double h = spline_h(s, s->n - 1); /* couples the first and the last unknown */
  for (int i = 0; i < s->n; i++)
    spline_set_row(s, i, i > 0 ? i - 1 : s->n - 1);
  if (s->n == 1) {
    first[M] = end[M] = 0; /* equal values at both ends */
    return;
  }
  if (s->n == 2) { /* both unknowns have the weight h_0 + h_1 in the row of the other one */
    double a = first[PIVOT], b = a / 2, u = first[M], v = last[M];
    first[M] = (a * u - b * v) / (a * a - b * b);
    last[M] = (a * v - b * u) / (a * a - b * b);
    end[M] = first[M];
    return;
  }
  double gamma = -first[PIVOT]; /* u = (gamma, 0, .., h), v = (1, 0, .., h / gamma) */
  first[W] = gamma;
  last[W] = h;
  first[PIVOT] -= gamma;
  last[PIVOT] -= h * h / gamma;
  spline_solve(s, 0, s->n - 1);
  double factor = (first[M] + last[M] * h / gamma) / (1 + first[W] + last[W] * h / gamma);
  for (int i = 0; i < s->n; i++)
    spline_at(s, i)[M] -= factor * spline_at(s, i)[W];
  end[M] = first[M];
}

/* Coefficients of the intervals from the second derivatives. */
static void spline_finish(const spline *s)
{
  for (int i = 0; i < s->n; i++) {
    double *p = spline_at(s, i), h = spline_h(s, i), left = p[M], right = spline_at(s, i + 1)[M];
    p[2] = spline_slope(s, i) - h * (2 * left + right) / 6;
    p[3] = left / 2;
    p[4] = (right - left) / (6 * h);
  }
  for (int k = 2; k < SPLINE; k++)
    spline_at(s, s->n)[k] = 0;
}

bool dae__curve_create(dae__pool *pool, dae__interpolation how, bool periodic, int count,
                       dae__samples samples, dae__curve *out)
{
  static const int strides[] = {2, 3, SPLINE};
  int stride = strides[how];
  double *p = dae__pool_alloc(pool, (size_t)count * (size_t)stride, sizeof *p);
  if (!p)
    return false;
  for (int i = 0; i < count; i++) {
    size_t from = (size_t)i * (size_t)samples.stride, to = (size_t)i * (size_t)stride;
    p[to] = samples.x[from];
    p[to + 1] = samples.y[from];
    if (how == DAE__INTERPOLATE_LINEAR && i > 0)
      p[to - 1] = (p[to + 1] - p[to - 2]) / (p[to] - p[to - 3]);
  }
  out->count = count;
  out->stride = stride;
  out->periodic = periodic;
  out->bounded = how == DAE__INTERPOLATE_CUBIC && !periodic;
  out->first = p[0];
  out->span = p[(size_t)(count - 1) * (size_t)stride] - p[0];
  out->density = (count - 1) / out->span;
  out->knot = p;
  if (how == DAE__INTERPOLATE_CUBIC) {
    spline s = {p, count - 1};
    if (periodic)
      spline_periodic(&s);
    else
      spline_natural(&s);
    spline_finish(&s);
  }
  return true;
}
