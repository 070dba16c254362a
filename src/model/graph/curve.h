/* Curves: piecewise polynomials, the functions behind tables and inputs.
 *
 * A curve has knots x_0 < ... < x_n and on interval m, from x_m to x_m+1, the polynomial sum c_k (x
 * - x_m)^k. Outside of the knots it is constant, there the intervals -1, -2, ... and n, n + 1, ...
 * double in width; or it is periodic, and the intervals are counted over all periods. So every
 * number lies in exactly one interval, whose index is found by a search (dae__curve_interval) that
 * begins with the interval found before: the result does not depend on it.
 *
 * A bounded curve has no constant parts: its first and last polynomials go on. A function of the
 * caller in place of polynomials has the knots at which it jumps or bends, or none; in an interval
 * it is asked for times before its end, so that its value there is that from the left.
 *
 * The functions are macros so that native code holds the same text (native_emit.c). */
#ifndef DAEDAL_MODEL_GRAPH_CURVE_H
#define DAEDAL_MODEL_GRAPH_CURVE_H

#include "model/pool.h"

/* clang-format off */
/* density: count - 1 over span. knot: by knot its x and the degree + 1 coefficients of the interval behind it, stride numbers;
 * those of the last knot are its value and zeros. call: function of the caller, else NULL. */
#define DAE__CURVE_TYPE \
  typedef struct dae__curve { \
    const char *name; \
    int count, stride; \
    int periodic, bounded; \
    double first, span, density; \
    const double *knot; \
    double (*call)(void *user, double x, int order); \
    void *user; \
  } dae__curve;

/* Lower end of interval m; k-th derivative of the polynomial of interval m at x, also outside of the
 * interval. */
#define DAE__CURVE_VALUE \
  static inline double dae__curve_knot(const dae__curve *c, double m) \
  { \
    int last = c->count - 1; \
    double edge = 0, width = c->span, turn; \
    if (m >= 0 && m <= last) \
      return c->knot[(int)m * c->stride]; \
    if (!(m - m == 0)) \
      return m; \
    if (c->periodic) { \
      turn = floor(m / last); \
      double i = m - turn * last; \
      return c->knot[(i > 0 && i < last ? (int)i : 0) * c->stride] + turn * c->span; \
    } \
    for (double k = m < 0 ? -m : m - last; k >= 1 && edge < 1e300; k--) { \
      edge += width; \
      width *= 2; \
    } \
    return m < 0 ? c->first - edge : c->knot[last * c->stride] + edge; \
  } \
  static inline double dae__curve_value(const dae__curve *c, double x, double m, int order) \
  { \
    int last = c->count - 1, degree = c->stride - 2; \
    double i = m, turn = 0, sum = 0; \
    if (c->call && c->count == 0) \
      return c->call(c->user, x, order); \
    if (c->call) { \
      double end = nextafter(dae__curve_knot(c, m + 1), -1e308); \
      return c->call(c->user, x > end ? end : x, order); \
    } \
    if (c->periodic && !(m >= 0 && m < last)) { \
      turn = floor(m / last); \
      i = m - turn * last; \
    } \
    if (c->bounded) \
      i = i < 0 ? 0 : i > last - 1 ? last - 1 : i; \
    int inside = i >= 0 && i < last; \
    const double *p = c->knot + (inside ? (int)i : i >= last ? last : 0) * c->stride; \
    double d = inside ? x - turn * c->span - p[0] : 0; \
    if (order == 0) { \
      sum = p[degree + 1]; \
      for (int k = degree; k > 0; k--) \
        sum = sum * d + p[k]; \
      return sum; \
    } \
    for (int k = degree; k >= order && inside; k--) { \
      double factor = k; \
      for (int n = 1; n < order; n++) \
        factor *= k - n; \
      sum = sum * d + factor * p[k + 1]; \
    } \
    return sum; \
  }

/* Index of the interval that contains x; before: any interval, that of the last call is fastest. */
#define DAE__CURVE_INTERVAL \
  static inline double dae__curve_interval(const dae__curve *c, double x, double before) \
  { \
    int last = c->count - 1, low = 0, high = last; \
    double m = before, turn = 0, y = x; \
    if (c->count == 0 || !(fabs(x) < 1e300)) \
      return 0; \
    if (m >= 0 && m < last) { \
      const double *p = c->knot + (int)m * c->stride; \
      if (p[0] <= x && x < p[c->stride]) \
        return m; \
      if (m + 2 <= last && p[c->stride] <= x && x < p[2 * c->stride]) \
        return m + 1; \
    } \
    else if (dae__curve_knot(c, m) <= x && x < dae__curve_knot(c, m + 1)) { \
      return m; \
    } \
    if (c->periodic) { \
      turn = floor((x - c->first) / c->span); \
      y = x - turn * c->span; \
    } \
    /* the interval of equal knots, else doubled distances from the last one, then bisection */ \
    int guess = y > c->first && y - c->first < c->span ? (int)((y - c->first) * c->density) : 0; \
    guess = guess < last ? guess : last - 1; \
    if (!(c->knot[guess * c->stride] <= y && y < c->knot[(guess + 1) * c->stride])) { \
      int width = 1; \
      guess = before - turn * last >= 0 && before - turn * last < last ? (int)(before - turn * last) : guess; \
      int above = c->knot[guess * c->stride] <= y; \
      low = above ? guess : 0; \
      high = above ? last : guess; \
      for (; above && low + width < last && c->knot[(low + width) * c->stride] <= y; width *= 2) \
        low += width; \
      for (; !above && high - width > 0 && c->knot[(high - width) * c->stride] > y; width *= 2) \
        high -= width; \
      if (above && low + width < last) \
        high = low + width; \
      if (!above && high - width > 0) \
        low = high - width; \
    } else { \
      low = guess; \
      high = guess + 1; \
    } \
    while (high - low > 1) { \
      int middle = low + (high - low) / 2; \
      if (c->knot[middle * c->stride] <= y) \
        low = middle; \
      else \
        high = middle; \
    } \
    m = turn * last + low; \
    int most = c->periodic ? 2 : 2000; /* round-off; doubled widths up to 1e300 */ \
    for (int n = 0; n < most && x < dae__curve_knot(c, m); n++) \
      m--; \
    for (int n = 0; n < most && x >= dae__curve_knot(c, m + 1); n++) \
      m++; \
    return m; \
  }
/* clang-format on */

#include <math.h>
DAE__CURVE_TYPE
DAE__CURVE_VALUE
DAE__CURVE_INTERVAL

/* Interpolation between samples: constant from each one on, straight lines, cubic spline. */
typedef enum dae__interpolation {
  DAE__INTERPOLATE_HOLD,
  DAE__INTERPOLATE_LINEAR,
  DAE__INTERPOLATE_CUBIC
} dae__interpolation;

/* Makes the curve through `count` samples, of which sample i is x[i * stride], y[i * stride], with
 * x rising strictly; a periodic one has equal first and last values. A cubic curve is the natural
 * spline, bounded, or the periodic spline. False: out of memory. */
typedef struct dae__samples {
  const double *x, *y;
  int stride;
} dae__samples;
bool dae__curve_create(dae__pool *pool, dae__interpolation how, bool periodic, int count,
                       dae__samples samples, dae__curve *out);

/* Degree of the polynomials; of a function of the caller the highest order of derivatives. */
static inline int dae__curve_degree(const dae__curve *c)
{
  return c->stride - 2;
}

/* Tests for a curve without bends between its ends. */
static inline bool dae__curve_is_smooth(const dae__curve *c)
{
  return c->count == 0 || (c->stride == 5 && !c->call);
}

#endif
