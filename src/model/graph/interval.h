/* Interval arithmetic with outward rounding: enclosures of the values that the operators of the
 * expression graph take for all operands within given intervals. Sums, products, quotients and
 * square roots are rounded by their exact error, other functions widened by the error that a
 * mathematical library may have.
 *
 * An interval without points, lo and hi NaN, is that of an operator that is not defined anywhere on
 * its operands. */
#ifndef DAEDAL_MODEL_GRAPH_INTERVAL_H
#define DAEDAL_MODEL_GRAPH_INTERVAL_H

#include "model/graph/graph.h"

/* What holds on the whole of the operands, in rising order; the least of an expression counts. */
typedef enum dae__regularity {
  DAE__UNDEFINED_SOMEWHERE,
  DAE__DEFINED,
  DAE__CONTINUOUS
} dae__regularity;

typedef struct dae__interval {
  double lo, hi;
  dae__regularity regularity;
} dae__interval;

static inline dae__interval dae__interval_point(double x)
{
  return (dae__interval){x, x, DAE__CONTINUOUS};
}

/* Range of an operator; unused operands are ignored, power: that of POWI. */
dae__interval dae__interval_of(dae__op op, const dae__interval *a, const dae__interval *b,
                               const dae__interval *c, int power);

/* Range of a derivative of a curve over arguments x in the intervals m, and of the index of the
 * interval of x or, knot, the lower end of interval x (curve_range.c). */
dae__interval dae__interval_of_curve(const dae__curve *c, int order, const dae__interval *x,
                                     const dae__interval *m);
dae__interval dae__interval_of_index(const dae__curve *c, bool knot, const dae__interval *x);

/* Sign of all points of an interval; 0: it has points on both sides, zero, or none. */
static inline int dae__interval_sign(const dae__interval *x)
{
  return (x->lo > 0) - (x->hi < 0);
}

#endif
