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

/* one operator on the given operands, which are brought into its domain */
static inline dae__node apply(dae__graph *g, dae__op op, dae__node a, dae__node b, dae__node c)
{
  switch (op) {
  case DAE__OP_CONSTANT:
    return dae__constant(g, draw_real(-2, 2));
  case DAE__OP_LEAF:
    return dae__leaf(g, (int)draw(LEAVES));
  case DAE__OP_POWI:
    return dae__powi(g, a, (int)draw(7) - 2);
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
      value[i] =
          dae__op_value(n.op, value[n.a], n.op == DAE__OP_POWI ? n.b : value[n.b], value[n.c]);
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
