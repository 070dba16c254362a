/* Random expressions, and their values without a tape: all nodes of a graph in rising order, on
 * real numbers with the operators themselves, and on complex ones for derivatives by the complex
 * step, f'(x) = im f(x + i d) / d, which has no cancellation. */
#ifndef DAEDAL_TESTS_EXPRESSIONS_H
#define DAEDAL_TESTS_EXPRESSIONS_H

#include "model/graph/graph.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { LEAVES = 5 };

static inline unsigned draw(unsigned below)
{
  static uint64_t seed = 1234567891011u;
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (unsigned)(seed >> 33) % below;
}

static inline double draw_real(double low, double high)
{
  return low + (high - low) * (double)draw(1u << 30) / (double)(1u << 30);
}

/* 1 + a^2, 0.9 sin(a): into the domains of functions */
static inline dae__node positive(dae__graph *g, dae__node a)
{
  return DAE__ADD(g, dae__constant(g, 1), dae__powi(g, a, 2));
}

static inline dae__node within_one(dae__graph *g, dae__node a)
{
  return DAE__MUL(g, dae__constant(g, 0.9), dae__unary(g, DAE__OP_SIN, a));
}

/* Curves for the operators of curves: straight pieces, a bounded and a periodic spline. */
enum { CURVES = 3 };
static inline void take_curves(dae__graph *g)
{
  static const double hats[] = {-2, 1, 0.5, -1, -0.5, 2, 1.5, 0.5, -1, 3, 0.5, 0};
  static const double bounded[] = {-1.5, 0.2, 0.3,  -0.1, 0.05, 0, 0.4, 0.35, 0.15, -0.2,
                                   1,    0.7, 0.05, -0.4, 0.1,  2, 0.5, 0,    0,    0};
  static const double turning[] = {0, 1, 0, -2, 0.5, 0.8, 0, 0.3, 1, 0.2, 2, 1, 0, 0, 0};
  static const dae__curve curves[CURVES] = {{.name = "hats",
                                             .count = 4,
                                             .stride = 3,
                                             .first = -2,
                                             .span = 5,
                                             .density = 0.6,
                                             .knot = hats},
                                            {.name = "bounded",
                                             .count = 4,
                                             .stride = 5,
                                             .bounded = 1,
                                             .first = -1.5,
                                             .span = 3.5,
                                             .density = 3 / 3.5,
                                             .knot = bounded},
                                            {.name = "turning",
                                             .count = 3,
                                             .stride = 5,
                                             .periodic = 1,
                                             .span = 2,
                                             .density = 1,
                                             .knot = turning}};
  static const dae__curve *list[CURVES] = {&curves[0], &curves[1], &curves[2]};
  g->curves.item = list;
  g->curves.count = g->curves.room = CURVES;
}

/* Value of an operator of curves, by a search from the left and by powers. */
static inline long double curve_exact(const dae__curve *const *curves, dae__op op, int word,
                                      long double a, long double b)
{
  const dae__curve *c = curves[op == DAE__OP_CURVE ? word / DAE__CURVE_ORDERS : word];
  int last = c->count - 1, order = op == DAE__OP_CURVE ? word % DAE__CURVE_ORDERS : 0;
  if (op == DAE__OP_KNOT)
    return dae__curve_knot(c, (double)a);
  if (op == DAE__OP_INTERVAL && !(fabsl(a) < 1e300L))
    return 0;
  if (op == DAE__OP_INTERVAL) {
    double m = c->periodic ? floor((double)(a / c->span)) * last - 2 : -1;
    for (int n = 0; n < 2000 && a < dae__curve_knot(c, m); n++)
      m--;
    for (int n = 0; n < 2000 && a >= dae__curve_knot(c, m + 1); n++)
      m++;
    return m;
  }
  double turn = c->periodic ? floor((double)b / last) : 0;
  int i = (int)fmax(-1, fmin((double)b - turn * last, last));
  if (c->bounded)
    i = i < 0 ? 0 : i > last - 1 ? last - 1 : i;
  if (i < 0 || i >= last)
    return order > 0 ? 0 : c->knot[(i < 0 ? 0 : last) * c->stride + 1];
  const double *p = c->knot + i * c->stride;
  long double d = a - turn * c->span - p[0], sum = 0;
  for (int k = order; k <= c->stride - 2; k++) {
    long double factor = 1;
    for (int n = 0; n < order; n++)
      factor *= k - n;
    sum += factor * p[k + 1] * powl(d, k - order);
  }
  return sum;
}

/* one operator on the given operands, which are brought into its domain */
static inline dae__node apply(dae__graph *g, dae__op op, dae__node a, dae__node b, dae__node c)
{
  dae__node interval;
  int curve;
  switch (op) {
  case DAE__OP_CONSTANT:
    return dae__constant(g, draw_real(-2, 2));
  case DAE__OP_LEAF:
    return dae__leaf(g, (int)draw(LEAVES));
  case DAE__OP_POWI:
    return dae__powi(g, a, (int)draw(7) - 2);
  case DAE__OP_INTERVAL:
  case DAE__OP_KNOT:
  case DAE__OP_CURVE:
    curve = (int)draw(CURVES);
    take_curves(g);
    interval = dae__interval_node(g, curve, a);
    return op == DAE__OP_INTERVAL ? interval
           : op == DAE__OP_KNOT   ? dae__knot_node(g, curve, interval)
                                  : dae__curve_node(g, curve, (int)draw(3), a, interval);
  case DAE__OP_IF:
    return dae__if(g, dae__binary(g, DAE__OP_LESS, a, b), b, c);
  case DAE__OP_ASIN:
  case DAE__OP_ACOS:
    return dae__unary(g, op, within_one(g, a));
  case DAE__OP_TAN:
  case DAE__OP_SINH:
  case DAE__OP_COSH:
  case DAE__OP_EXP: /* what they make large is kept small */
    return dae__unary(g, op, within_one(g, a));
  case DAE__OP_LOG:
  case DAE__OP_LOG10:
  case DAE__OP_SQRT:
    return dae__unary(g, op, positive(g, a));
  case DAE__OP_POW:
    return dae__binary(g, op, positive(g, a), within_one(g, b));
  case DAE__OP_DIV:
    return dae__binary(g, op, a, draw(2) ? b : positive(g, b));
  default:
    return dae__op_operands(op) == 1 ? dae__unary(g, op, a) : dae__binary(g, op, a, b);
  }
}

/* An expression of about `size` operators; it uses each of them in turn. */
static inline dae__node random_expression(dae__graph *g, int size)
{
  dae__node made[64];
  int count = 0;
  for (; count < LEAVES; count++)
    made[count] = dae__leaf(g, count);
  for (int i = 0; i < size; i++) {
    dae__op op = (dae__op)draw(DAE__OP_COUNT);
    dae__node operand[3];
    for (int j = 0; j < 3; j++) /* late ones preferred */
      operand[j] = made[draw(2) ? count - 1 - (int)draw(3) : (int)draw((unsigned)count)];
    dae__node node = apply(g, op, operand[0], operand[1], operand[2]);
    made[count < 64 ? count++ : (int)draw(64)] = node;
  }
  return made[count - 1];
}

static inline double complex complex_angle(double complex y, double complex x)
{
  const double pi = 3.141592653589793238462643383279503;
  if (fabs(creal(x)) > fabs(creal(y)))
    return catan(y / x) + (creal(x) > 0 ? 0 : creal(y) > 0 ? pi : -pi);
  return (creal(y) > 0 ? pi / 2 : -pi / 2) - catan(x / y);
}

static inline double complex complex_function(dae__op op, double complex a)
{
  switch (op) {
  case DAE__OP_SIN:
    return csin(a);
  case DAE__OP_COS:
    return ccos(a);
  case DAE__OP_TAN:
    return ctan(a);
  case DAE__OP_ASIN:
    return casin(a);
  case DAE__OP_ACOS:
    return cacos(a);
  case DAE__OP_ATAN:
    return catan(a);
  case DAE__OP_SINH:
    return csinh(a);
  case DAE__OP_COSH:
    return ccosh(a);
  case DAE__OP_TANH:
    return ctanh(a);
  case DAE__OP_EXP:
    return cexp(a);
  case DAE__OP_LOG:
    return clog(a);
  case DAE__OP_LOG10:
    return clog(a) / log(10);
  case DAE__OP_SQRT:
    return csqrt(a);
  case DAE__OP_ABS:
    return creal(a) < 0 ? -a : a;
  default: /* piecewise constant */
    return dae__op_value(op, creal(a), 0, 0);
  }
}

static inline double complex complex_value(dae__op op, double complex a, double complex b,
                                           double complex c)
{
  double complex product = 1;
  switch (op) {
  case DAE__OP_ADD:
    return a + b;
  case DAE__OP_SUB:
    return a - b;
  case DAE__OP_MUL:
    return a * b;
  case DAE__OP_DIV:
    return a / b;
  case DAE__OP_NEG:
    return -a;
  case DAE__OP_POW:
    return cexp(b * clog(a));
  case DAE__OP_POWI:
    for (int i = 0; i < (int)creal(b); i++)
      product *= a;
    return product;
  case DAE__OP_ATAN2:
    return complex_angle(a, b);
  case DAE__OP_HYPOT:
    return csqrt(a * a + b * b);
  case DAE__OP_IF:
    return creal(a) != 0 ? b : c;
  default:
    if (dae__op_operands(op) == 2)
      return dae__op_value(op, creal(a), creal(b), 0);
    return complex_function(op, a);
  }
}

/* values of nodes 0 .. node at x: to be freed */
static inline double *values_at(const dae__graph *g, dae__node node, const double *x)
{
  double *value = calloc((size_t)node + 1, sizeof *value);
  for (int i = 0; i <= node; i++) {
    dae__node_view n = dae__node_at(g, i);
    if (n.op == DAE__OP_CONSTANT)
      value[i] = n.value;
    else if (n.op == DAE__OP_LEAF)
      value[i] = x[n.leaf];
    else
      value[i] = dae__op_value_with(
          g->curves.item, n.op, n.word,
          (double[]){value[n.a], n.op == DAE__OP_POWI ? n.b : value[n.b], value[n.c]});
  }
  return value;
}

static inline double complex *complex_values_at(const dae__graph *g, dae__node node,
                                                const double complex *x)
{
  double complex *value = calloc((size_t)node + 1, sizeof *value);
  for (int i = 0; i <= node; i++) {
    dae__node_view n = dae__node_at(g, i);
    if (n.op == DAE__OP_CONSTANT)
      value[i] = n.value;
    else if (n.op == DAE__OP_LEAF)
      value[i] = x[n.leaf];
    else if (n.op == DAE__OP_CURVE) /* the imaginary part is small */
      value[i] = dae__op_value_with(g->curves.item, n.op, n.word,
                                    (double[]){creal(value[n.a]), creal(value[n.b]), 0}) +
                 I * cimag(value[n.a]) *
                     dae__op_value_with(g->curves.item, n.op, n.word + 1,
                                        (double[]){creal(value[n.a]), creal(value[n.b]), 0});
    else if (n.op == DAE__OP_INTERVAL || n.op == DAE__OP_KNOT)
      value[i] =
          dae__op_value_with(g->curves.item, n.op, n.word, (double[]){creal(value[n.a]), 0, 0});
    else
      value[i] =
          complex_value(n.op, value[n.a], n.op == DAE__OP_POWI ? n.b : value[n.b], value[n.c]);
  }
  return value;
}

static inline double value_at(const dae__graph *g, dae__node node, const double *x)
{
  double *value = values_at(g, node, x), result = value[node];
  free(value);
  return result;
}

#endif
