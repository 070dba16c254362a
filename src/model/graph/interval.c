#include "model/graph/interval.h"

#include <float.h>
#include <math.h>

#define LIBRARY_ULPS 4 /* error of a function of the mathematical library; glibc: at most 2 */
#define PI 3.14159265358979323846

static const dae__interval NOWHERE = {NAN, NAN, DAE__UNDEFINED_SOMEWHERE};
static const dae__interval EVERYWHERE = {-INFINITY, INFINITY, DAE__UNDEFINED_SOMEWHERE};

/* Bounds of a result with an error of some units in the last place; one that overflowed is at least
 * the largest number. */
static inline double interval_down(double x, int ulps)
{
  return isinf(x) ? fmin(x, DBL_MAX) : x - (fabs(x) * DBL_EPSILON + DBL_TRUE_MIN) * ulps;
}

static inline double interval_up(double x, int ulps)
{
  return isinf(x) ? fmax(x, -DBL_MAX) : x + (fabs(x) * DBL_EPSILON + DBL_TRUE_MIN) * ulps;
}

/* Bounds of a rounded result x with the error = exact result - x; NaN: unknown, by overflow. */
static inline void interval_round(double x, double error, double *lo, double *hi)
{
  *lo = error >= 0 ? x : interval_down(x, 1);
  *hi = error <= 0 ? x : interval_up(x, 1);
}

static inline dae__regularity interval_least(dae__regularity a, dae__regularity b)
{
  return a < b ? a : b;
}

/* Interval of the least and the largest value of a function, widened by the error of the library;
 * exact at zero. */
static dae__interval interval_widen(double lo, double hi, dae__regularity regularity)
{
  return (dae__interval){lo == 0 ? 0 : interval_down(lo, LIBRARY_ULPS),
                         hi == 0 ? 0 : interval_up(hi, LIBRARY_ULPS), regularity};
}

static inline bool interval_is_empty(const dae__interval *a)
{
  return isnan(a->lo) || isnan(a->hi);
}

/* ---- arithmetic ---- */

/* Bounds of the sum, the product and the quotient of two ends of intervals; 0 times infinity is 0.
 */
static void interval_plus(double x, double y, double *lo, double *hi)
{
  double s = x + y, z = s - x;
  if (isinf(x) || isinf(y))
    *lo = *hi = s;
  else
    interval_round(s, (x - (s - z)) + (y - z), lo, hi); /* two-sum */
}

static void interval_times(double x, double y, double *lo, double *hi)
{
  double p = x * y;
  if (x == 0 || y == 0)
    *lo = *hi = 0;
  else if (isinf(x) || isinf(y))
    *lo = *hi = p;
  else /* the error may underflow */
    interval_round(p, fabs(p) < DBL_MIN / DBL_EPSILON || isinf(p) ? NAN : fma(x, y, -p), lo, hi);
}

static void interval_over(double x, double y, double *lo, double *hi)
{
  double q = x / y, tiny = DBL_MIN / DBL_EPSILON;
  if (x == 0 || isinf(x)) {
    *lo = *hi = q;
  } else if (isinf(y)) { /* the bound of quotients by large numbers */
    *lo = *hi = 0;
  } else {
    bool inexact = fabs(q) < tiny || fabs(x) < tiny || isinf(q);
    interval_round(q, inexact ? NAN : fma(-q, y, x) * copysign(1, y), lo, hi);
  }
}

static dae__interval interval_add(const dae__interval *a, const dae__interval *b)
{
  double unused;
  dae__interval r = {.regularity = interval_least(a->regularity, b->regularity)};
  interval_plus(a->lo, b->lo, &r.lo, &unused);
  interval_plus(a->hi, b->hi, &unused, &r.hi);
  return r;
}

/* Range of a function of two operands from its values at the corners. */
typedef void corner_fn(double x, double y, double *lo, double *hi);

static dae__interval interval_corners(corner_fn *f, const dae__interval *a, const dae__interval *b)
{
  const double x[2] = {a->lo, a->hi}, y[2] = {b->lo, b->hi};
  dae__interval r = {INFINITY, -INFINITY, interval_least(a->regularity, b->regularity)};
  for (int i = 0; i < 4; i++) {
    double lo, hi;
    f(x[i / 2], y[i % 2], &lo, &hi);
    r.lo = fmin(r.lo, lo);
    r.hi = fmax(r.hi, hi);
  }
  return r;
}

static dae__interval interval_divide(const dae__interval *a, const dae__interval *b)
{
  if (b->lo == 0 && b->hi == 0)
    return NOWHERE;
  if (b->lo > 0 || b->hi < 0) {
    if ((isinf(a->lo) || isinf(a->hi)) && (isinf(b->lo) || isinf(b->hi)))
      return (dae__interval){-INFINITY, INFINITY, interval_least(a->regularity, b->regularity)};
    return interval_corners(interval_over, a, b);
  }
  int sign = dae__interval_sign(a);
  double ignored;
  dae__interval r = EVERYWHERE;
  if (b->lo == 0 && sign > 0)
    interval_over(a->lo, b->hi, &r.lo, &ignored);
  else if (b->lo == 0 && sign < 0)
    interval_over(a->hi, b->hi, &ignored, &r.hi);
  else if (b->hi == 0 && sign > 0)
    interval_over(a->lo, b->lo, &ignored, &r.hi);
  else if (b->hi == 0 && sign < 0)
    interval_over(a->hi, b->lo, &r.lo, &ignored);
  return r;
}

static dae__interval interval_abs(const dae__interval *a)
{
  double x = fabs(a->lo), y = fabs(a->hi);
  return (dae__interval){a->lo <= 0 && a->hi >= 0 ? 0 : fmin(x, y), fmax(x, y), a->regularity};
}

/* Range of a^n by repeated multiplication, with fewer than 2 n roundings of half a unit. */
static dae__interval interval_power(const dae__interval *a, int n)
{
  dae__interval base = n % 2 == 0 ? interval_abs(a) : *a;
  double lo = dae__whole_power(base.lo, n), hi = dae__whole_power(base.hi, n);
  return (dae__interval){base.lo == 0 ? 0 : interval_down(lo, n),
                         base.hi == 0 ? 0 : interval_up(hi, n), a->regularity};
}

static void interval_pow(double x, double y, double *lo, double *hi)
{
  double p = pow(x, y);
  bool exact = x == 0 || x == 1 || y == 0;
  *lo = exact ? p : fmax(0, interval_down(p, LIBRARY_ULPS));
  *hi = exact ? p : interval_up(p, LIBRARY_ULPS);
}

static dae__interval interval_pow_of(const dae__interval *a, const dae__interval *b)
{
  if (b->lo == b->hi && b->lo == floor(b->lo) && fabs(b->lo) <= 1024) {
    int n = (int)fabs(b->lo);
    dae__interval power = interval_power(a, n), one = dae__interval_point(1);
    if (n == 0)
      return (dae__interval){1, 1, a->regularity};
    return b->lo > 0 ? power : interval_divide(&one, &power);
  }
  if (a->lo > 0 || (a->lo >= 0 && b->lo > 0)) /* exp(b log a): extremes at the corners */
    return interval_corners(interval_pow, a, b);
  return EVERYWHERE;
}

/* ---- functions ---- */

/* True: a whole number lies within [a, b] and a small surrounding; even, odd: of this parity. */
static bool interval_has_whole(double a, double b, bool *even, bool *odd)
{
  double margin = 4 * DBL_EPSILON * fmax(fmax(fabs(a), fabs(b)), 1);
  double first = ceil(a - margin), last = floor(b + margin);
  bool long_one = !(last - first < 1);
  *even = !(last < first) && (long_one || fmod(first, 2) == 0);
  *odd = !(last < first) && (long_one || fmod(first, 2) != 0);
  return *even || *odd;
}

/* sin and cos: between the values at the ends, -1 and 1; quarter: 1/2 for sin, whose extrema are at
 * (n + 1/2) pi, 0 for cos. */
static dae__interval interval_wave(const dae__interval *a, double quarter, double f(double))
{
  bool even, odd;
  dae__interval r = {-1, 1, a->regularity};
  if (isinf(a->lo) || isinf(a->hi))
    return r;
  double x = f(a->lo), y = f(a->hi);
  interval_has_whole(a->lo / PI - quarter, a->hi / PI - quarter, &even, &odd);
  dae__interval ends = interval_widen(fmin(x, y), fmax(x, y), a->regularity);
  if (!even)
    r.hi = fmin(1, ends.hi);
  if (!odd)
    r.lo = fmax(-1, ends.lo);
  return r;
}

static dae__interval interval_tan(const dae__interval *a)
{
  bool even, odd;
  if (isinf(a->lo) || isinf(a->hi) ||
      interval_has_whole(a->lo / PI - 0.5, a->hi / PI - 0.5, &even, &odd))
    return EVERYWHERE;
  return interval_widen(tan(a->lo), tan(a->hi), a->regularity);
}

/* A rising function, with the part of its operand within [from, to] where it is defined. */
static dae__interval interval_rising(const dae__interval *a, double f(double), double from,
                                     double to)
{
  if (a->hi < from || a->lo > to)
    return NOWHERE;
  dae__regularity regularity =
      a->lo < from || a->hi > to ? DAE__UNDEFINED_SOMEWHERE : a->regularity;
  return interval_widen(f(fmax(a->lo, from)), f(fmin(a->hi, to)), regularity);
}

static dae__interval interval_exp(const dae__interval *a)
{
  return (dae__interval){fmax(0, interval_down(exp(a->lo), LIBRARY_ULPS)),
                         interval_up(exp(a->hi), LIBRARY_ULPS), a->regularity};
}

static dae__interval interval_sqrt(const dae__interval *a)
{
  double x = fmax(a->lo, 0), lo = sqrt(x), hi = sqrt(a->hi), unused;
  dae__interval r = {.regularity = a->lo < 0 ? DAE__UNDEFINED_SOMEWHERE : a->regularity};
  if (a->hi < 0)
    return NOWHERE;
  interval_round(lo, x < DBL_MIN / DBL_EPSILON && x > 0 ? NAN : fma(-lo, lo, x), &r.lo, &unused);
  interval_round(hi, a->hi < DBL_MIN / DBL_EPSILON && hi > 0 ? NAN : fma(-hi, hi, a->hi), &unused,
                 &r.hi);
  return r;
}

static dae__interval interval_cosh(const dae__interval *a)
{
  dae__interval x = interval_abs(a), r = interval_widen(cosh(x.lo), cosh(x.hi), a->regularity);
  r.lo = fmax(1, r.lo);
  return r;
}

/* The angle of the points (x, y) of a rectangle, from its corners unless it meets the cut x <= 0,
 * y = 0. */
static void interval_angle(double y, double x, double *lo, double *hi)
{
  dae__interval r = interval_widen(atan2(y, x), atan2(y, x), DAE__CONTINUOUS);
  *lo = r.lo;
  *hi = r.hi;
}

static dae__interval interval_atan2(const dae__interval *y, const dae__interval *x)
{
  if (x->lo > 0 || y->lo > 0 || y->hi < 0)
    return interval_corners(interval_angle, y, x);
  return (dae__interval){
      interval_down(-PI, 1), interval_up(PI, 1),
      interval_least(DAE__DEFINED, interval_least(y->regularity, x->regularity))};
}

static dae__interval interval_hypot(const dae__interval *a, const dae__interval *b)
{
  dae__interval x = interval_abs(a), y = interval_abs(b);
  return interval_widen(hypot(x.lo, y.lo), hypot(x.hi, y.hi),
                        interval_least(a->regularity, b->regularity));
}

/* ---- comparisons, logic, branches ---- */

/* Value of a function with jumps: between lo and hi, continuous where it is one value and its
 * operands are defined. */
static dae__interval interval_jump(double lo, double hi, dae__regularity operands)
{
  dae__regularity best = lo == hi ? DAE__CONTINUOUS : DAE__DEFINED;
  return (dae__interval){lo, hi, operands == DAE__UNDEFINED_SOMEWHERE ? operands : best};
}

/* Truth value for what is certainly true and what is possible; either where an operand is not
 * defined, since comparisons with NaN are false. */
static dae__interval interval_truth(bool certain, bool possible, dae__regularity operands)
{
  bool defined = operands != DAE__UNDEFINED_SOMEWHERE;
  return interval_jump(defined && certain, !defined || possible, operands);
}

static bool interval_is_true(const dae__interval *a)
{
  return a->lo > 0 || a->hi < 0;
}

static bool interval_may_be_true(const dae__interval *a)
{
  return !(a->lo == 0 && a->hi == 0);
}

/* if(a, b, c): one branch where the condition is known, else the range of both. */
static dae__interval interval_if(const dae__interval *a, const dae__interval *b,
                                 const dae__interval *c)
{
  if (a->regularity == DAE__CONTINUOUS && interval_is_true(a))
    return *b;
  if (a->regularity == DAE__CONTINUOUS && !interval_may_be_true(a))
    return *c;
  if (interval_is_empty(a) || interval_is_empty(b) || interval_is_empty(c))
    return EVERYWHERE;
  dae__regularity branches = interval_least(b->regularity, c->regularity);
  return (dae__interval){fmin(b->lo, c->lo), fmax(b->hi, c->hi),
                         interval_least(DAE__DEFINED, interval_least(branches, a->regularity))};
}

static dae__interval interval_relation(dae__op op, const dae__interval *a, const dae__interval *b)
{
  dae__regularity regularity = interval_least(a->regularity, b->regularity);
  bool points = a->lo == a->hi && b->lo == b->hi, apart = a->hi < b->lo || b->hi < a->lo;
  switch (op) {
  case DAE__OP_LESS:
    return interval_truth(a->hi < b->lo, a->lo < b->hi, regularity);
  case DAE__OP_LESS_EQUAL:
    return interval_truth(a->hi <= b->lo, a->lo <= b->hi, regularity);
  default:
    return interval_truth(points && a->lo == b->lo, !apart, regularity);
  }
}

static dae__interval interval_logic(dae__op op, const dae__interval *a, const dae__interval *b)
{
  bool x = interval_is_true(a), y = interval_is_true(b);
  bool u = interval_may_be_true(a), v = interval_may_be_true(b);
  dae__regularity regularity = interval_least(a->regularity, b->regularity);
  return op == DAE__OP_AND ? interval_truth(x && y, u && v, regularity)
                           : interval_truth(x || y, u || v, regularity);
}

/* ---- all operators ---- */

static dae__interval interval_unary(dae__op op, const dae__interval *a, int power)
{
  switch (op) {
  case DAE__OP_NEG:
    return (dae__interval){-a->hi, -a->lo, a->regularity};
  case DAE__OP_POWI:
    return interval_power(a, power);
  case DAE__OP_SIN:
    return interval_wave(a, 0.5, sin);
  case DAE__OP_COS:
    return interval_wave(a, 0, cos);
  case DAE__OP_TAN:
    return interval_tan(a);
  case DAE__OP_ASIN:
    return interval_rising(a, asin, -1, 1);
  case DAE__OP_ACOS: {
    dae__interval r = interval_rising(&(dae__interval){-a->hi, -a->lo, a->regularity}, asin, -1, 1);
    if (interval_is_empty(&r))
      return r;
    double lo = acos(fmin(a->hi, 1)), hi = acos(fmax(a->lo, -1));
    return interval_widen(lo, hi, r.regularity);
  }
  case DAE__OP_ATAN:
    return interval_rising(a, atan, -INFINITY, INFINITY);
  case DAE__OP_SINH:
    return interval_rising(a, sinh, -INFINITY, INFINITY);
  case DAE__OP_COSH:
    return interval_cosh(a);
  case DAE__OP_TANH:
    return interval_rising(a, tanh, -INFINITY, INFINITY);
  case DAE__OP_EXP:
    return interval_exp(a);
  case DAE__OP_LOG:
    return interval_rising(a, log, 0, INFINITY);
  case DAE__OP_LOG10:
    return interval_rising(a, log10, 0, INFINITY);
  case DAE__OP_SQRT:
    return interval_sqrt(a);
  case DAE__OP_ABS:
    return interval_abs(a);
  case DAE__OP_SIGN:
    return interval_jump((a->lo > 0) - (a->lo < 0), (a->hi > 0) - (a->hi < 0), a->regularity);
  case DAE__OP_FLOOR:
    return interval_jump(floor(a->lo), floor(a->hi), a->regularity);
  default: /* NOT */
    return interval_truth(!interval_may_be_true(a), !interval_is_true(a), a->regularity);
  }
}

dae__interval dae__interval_of(dae__op op, const dae__interval *a, const dae__interval *b,
                               const dae__interval *c, int power)
{
  int operands = dae__op_operands(op);
  if (op == DAE__OP_IF)
    return interval_if(a, b, c);
  if (interval_is_empty(a) || (operands > 1 && interval_is_empty(b)))
    return op >= DAE__OP_LESS ? interval_truth(false, true, DAE__UNDEFINED_SOMEWHERE) : NOWHERE;
  if (operands == 1)
    return interval_unary(op, a, power);
  switch (op) {
  case DAE__OP_ADD:
    return interval_add(a, b);
  case DAE__OP_SUB:
    return interval_add(a, &(dae__interval){-b->hi, -b->lo, b->regularity});
  case DAE__OP_MUL:
    return interval_corners(interval_times, a, b);
  case DAE__OP_DIV:
    return interval_divide(a, b);
  case DAE__OP_POW:
    return interval_pow_of(a, b);
  case DAE__OP_ATAN2:
    return interval_atan2(a, b);
  case DAE__OP_HYPOT:
    return interval_hypot(a, b);
  case DAE__OP_AND:
  case DAE__OP_OR:
    return interval_logic(op, a, b);
  default:
    return interval_relation(op, a, b);
  }
}
