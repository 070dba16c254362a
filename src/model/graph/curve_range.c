/* Ranges of curves over intervals of their arguments. */
#include "model/graph/interval.h"

#include <float.h>

/* Largest number of polynomials whose ranges are joined; an argument over more of them is divided
 * further by the caller. */
#define MOST_PIECES 256

static double curve_round(double x, int direction)
{
  return x + direction * (fabs(x) * 4 * DBL_EPSILON + DBL_TRUE_MIN);
}

/* Range of the derivative of one polynomial at x, by the Taylor form around the middle. */
static dae__interval curve_piece(const dae__curve *c, const dae__interval *x, double m, int order)
{
  double middle = x->lo + (x->hi - x->lo) / 2, factor = 1;
  double d = fmax(x->hi - middle, middle - x->lo), size = 0;
  double lo = dae__curve_value(c, middle, m, order), hi = lo;
  for (int k = order; k <= dae__curve_degree(c); k++) { /* terms of degree k - order in d */
    double term = dae__curve_value(c, middle, m, k) / factor;
    double edge = fabs(term) * pow(d, k - order);
    if (k > order) {
      lo -= edge;
      hi += edge;
    }
    size += edge + fabs(term) * pow(fabs(middle), k - order) * DBL_EPSILON;
    factor *= k - order + 1;
  }
  double rounding = d == 0 ? 8 * DBL_EPSILON * fabs(lo) : 16 * DBL_EPSILON * size;
  return (dae__interval){curve_round(lo - rounding, -1), curve_round(hi + rounding, 1),
                         DAE__CONTINUOUS};
}

dae__interval dae__interval_of_curve(const dae__curve *c, int order, const dae__interval *x,
                                     const dae__interval *m)
{
  dae__interval all = {-INFINITY, INFINITY, DAE__CONTINUOUS};
  bool smooth = dae__curve_is_smooth(c) && order < 3;
  dae__regularity pieces = smooth ? DAE__CONTINUOUS : DAE__DEFINED;
  if (isnan(x->lo) || isnan(m->lo))
    return (dae__interval){NAN, NAN, DAE__UNDEFINED_SOMEWHERE};
  all.regularity = m->lo == m->hi ? x->regularity : x->regularity < pieces ? x->regularity : pieces;
  if (c->call || !isfinite(x->hi - x->lo) || m->hi - m->lo > MOST_PIECES)
    return all;
  dae__interval range = {INFINITY, -INFINITY, all.regularity};
  for (double k = m->lo; k <= m->hi; k++) {
    dae__interval part = *x;
    if (m->lo < m->hi) { /* the part of x in interval k */
      part.lo = k > m->lo ? fmax(x->lo, dae__curve_knot(c, k)) : x->lo;
      part.hi = k < m->hi ? fmin(x->hi, dae__curve_knot(c, k + 1)) : x->hi;
    }
    part = curve_piece(c, &part, k, order);
    range.lo = fmin(range.lo, part.lo);
    range.hi = fmax(range.hi, part.hi);
  }
  return range;
}

dae__interval dae__interval_of_index(const dae__curve *c, bool knot, const dae__interval *x)
{
  if (isnan(x->lo))
    return *x;
  if (!(x->lo > -1e300 && x->hi < 1e300)) /* beyond the intervals that are told apart */
    return (dae__interval){-INFINITY, INFINITY, DAE__UNDEFINED_SOMEWHERE};
  double lo = knot ? dae__curve_knot(c, x->lo) : dae__curve_interval(c, x->lo, 0);
  double hi = knot ? dae__curve_knot(c, x->hi) : dae__curve_interval(c, x->hi, lo);
  dae__regularity best = lo == hi ? DAE__CONTINUOUS : DAE__DEFINED;
  return (dae__interval){lo, hi, x->regularity < best ? x->regularity : best};
}
