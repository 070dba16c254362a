/* The rules of arithmetic, and of powers, which are repeated products.
 *
 * A rule may change a value by a few roundings of its parts, not more. Therefore constants are
 * joined in sums only where that is exact, so that the result is rounded once instead of twice,
 *   c1 + (c2 + x) -> (c1 + c2) + x,   c1 x + c2 x -> (c1 + c2) x,
 * and in products only where the joint factor neither overflows nor loses digits,
 *   c1 (c2 x) -> (c1 c2) x.
 * 0 x -> 0 and x - x -> 0 are taken although x may be infinite, x / x -> 1 is not: there 0/0 is a
 * singularity that must show.
 *
 * Signs move outwards, -a b -> -(a b), where sums absorb them, a + -b -> a - b. Every rule leaves
 * fewer operators or moves a sign or a constant outwards, so that rules that call constructors
 * come to an end after a few steps. */
#include "model/graph/simplify.h"

#include <limits.h>
#include <math.h>

#define LARGEST_POWER 1024 /* of products of powers and of constant exponents */

static dae__node arithmetic_neg(dae__graph *g, dae__node a)
{
  return dae__unary(g, DAE__OP_NEG, a);
}

/* c x with a constant c: the pair (c, x); anything else: (1, node) */
typedef struct term {
  double factor;
  dae__node rest;
} term;

static term arithmetic_term_of(const dae__graph *g, dae__node node)
{
  dae__entry e = g->entry[node];
  double factor;
  if (e.op == DAE__OP_NEG)
    return (term){-1, e.a};
  if (e.op == DAE__OP_MUL && dae__is_constant(g, e.a, &factor))
    return (term){factor, e.b};
  return (term){1, node};
}

/* x + y has no rounding error: the second half of two-sum */
static bool arithmetic_sum_is_exact(double x, double y)
{
  double s = x + y, z = s - x;
  return isfinite(s) && (x - (s - z)) + (y - z) == 0;
}

/* a + sign b where both are multiples of the same: -1 where they are not */
static dae__node arithmetic_like_terms(dae__graph *g, dae__node a, dae__node b, double sign)
{
  term x = arithmetic_term_of(g, a), y = arithmetic_term_of(g, b);
  y.factor *= sign;
  if (x.rest != y.rest || !arithmetic_sum_is_exact(x.factor, y.factor))
    return -1;
  return DAE__MUL(g, dae__constant(g, x.factor + y.factor), x.rest);
}

/* c + sign b where b is itself constant plus or minus something: -1 where it is not */
static dae__node arithmetic_join_constants(dae__graph *g, double c, dae__node b, double sign)
{
  dae__node rest = b;
  for (;;) {
    dae__entry e = g->entry[rest];
    double inner;
    if ((e.op != DAE__OP_ADD && e.op != DAE__OP_SUB) || !dae__is_constant(g, e.a, &inner) ||
        !arithmetic_sum_is_exact(c, sign * inner))
      break;
    c += sign * inner;
    sign = e.op == DAE__OP_ADD ? sign : -sign;
    rest = e.b;
  }
  if (rest == b)
    return -1;
  if (c == 0)
    return sign > 0 ? rest : arithmetic_neg(g, rest);
  return dae__make(g, sign > 0 ? DAE__OP_ADD : DAE__OP_SUB, dae__constant(g, c), rest);
}

dae__node dae__simple_sum(dae__graph *g, dae__node a, dae__node b)
{
  double c;
  dae__node simpler = -1;
  dae__put_in_order(g, &a, &b);
  if (a == DAE__ZERO)
    return b;
  if (dae__is(g, a, DAE__OP_NEG))
    return DAE__SUB(g, b, g->entry[a].a);
  if (dae__is(g, b, DAE__OP_NEG))
    return DAE__SUB(g, a, g->entry[b].a);
  if (dae__is_constant(g, a, &c))
    simpler = arithmetic_join_constants(g, c, b, 1);
  else
    simpler = arithmetic_like_terms(g, a, b, 1);
  return simpler >= 0 ? simpler : dae__make(g, DAE__OP_ADD, a, b);
}

dae__node dae__simple_difference(dae__graph *g, dae__node a, dae__node b)
{
  double c;
  dae__node simpler = -1;
  if (a == b)
    return DAE__ZERO;
  if (a == DAE__ZERO)
    return arithmetic_neg(g, b);
  if (dae__is_constant(g, b, &c))
    return DAE__ADD(g, dae__constant(g, -c), a);
  if (dae__is(g, b, DAE__OP_NEG))
    return DAE__ADD(g, a, g->entry[b].a);
  if (dae__is(g, a, DAE__OP_NEG))
    return arithmetic_neg(g, DAE__ADD(g, g->entry[a].a, b));
  if (dae__is_constant(g, a, &c))
    simpler = arithmetic_join_constants(g, c, b, -1);
  else
    simpler = arithmetic_like_terms(g, a, b, -1);
  return simpler >= 0 ? simpler : dae__make(g, DAE__OP_SUB, a, b);
}

/* c b; a is the node of c, or -1 */
static dae__node arithmetic_scale(dae__graph *g, double c, dae__node a, dae__node b)
{
  dae__entry e = g->entry[b];
  double inner;
  if (c == 1)
    return b;
  if (c == -1)
    return arithmetic_neg(g, b);
  if (e.op == DAE__OP_NEG)
    return arithmetic_scale(g, -c, -1, e.a);
  if ((e.op == DAE__OP_MUL || e.op == DAE__OP_DIV) && dae__is_constant(g, e.a, &inner) &&
      isnormal(c * inner))
    return dae__binary(g, (dae__op)e.op, dae__constant(g, c * inner), e.b);
  return dae__make(g, DAE__OP_MUL, a >= 0 ? a : dae__constant(g, c), b);
}

/* x^m x^n: -1 where a and b are not powers of the same */
static dae__node arithmetic_join_powers(dae__graph *g, dae__node a, dae__node b)
{
  dae__entry x = g->entry[a], y = g->entry[b];
  dae__node base_a = x.op == DAE__OP_POWI ? x.a : a, base_b = y.op == DAE__OP_POWI ? y.a : b;
  int power = (x.op == DAE__OP_POWI ? x.b : 1) + (y.op == DAE__OP_POWI ? y.b : 1);
  return base_a == base_b && power <= LARGEST_POWER ? dae__powi(g, base_a, power) : -1;
}

/* (c x) (d y), (c x) (d / y) and the like where c d = 1 or -1: -1 where not */
static dae__node arithmetic_cancel_factors(dae__graph *g, dae__node a, dae__node b)
{
  dae__entry x = g->entry[a], y = g->entry[b];
  double c, d;
  if ((x.op != DAE__OP_MUL && x.op != DAE__OP_DIV) || !dae__is_constant(g, x.a, &c) ||
      (y.op != DAE__OP_MUL && y.op != DAE__OP_DIV) || !dae__is_constant(g, y.a, &d) ||
      fabs(c * d) != 1 || (x.op == DAE__OP_DIV && y.op == DAE__OP_DIV))
    return -1;
  dae__node product = x.op == DAE__OP_DIV   ? DAE__DIV(g, y.b, x.b)
                      : y.op == DAE__OP_DIV ? DAE__DIV(g, x.b, y.b)
                                            : DAE__MUL(g, x.b, y.b);
  return c * d == 1 ? product : arithmetic_neg(g, product);
}

dae__node dae__simple_product(dae__graph *g, dae__node a, dae__node b)
{
  double c;
  dae__put_in_order(g, &a, &b);
  if (a == DAE__ZERO)
    return DAE__ZERO;
  if (dae__is_constant(g, a, &c))
    return arithmetic_scale(g, c, a, b);
  if (dae__is(g, a, DAE__OP_NEG))
    return arithmetic_neg(g, DAE__MUL(g, g->entry[a].a, b));
  if (dae__is(g, b, DAE__OP_NEG))
    return arithmetic_neg(g, DAE__MUL(g, a, g->entry[b].a));
  dae__node simpler = arithmetic_join_powers(g, a, b);
  if (simpler < 0)
    simpler = arithmetic_cancel_factors(g, a, b);
  return simpler >= 0 ? simpler : dae__make(g, DAE__OP_MUL, a, b);
}

/* a / c */
static dae__node arithmetic_divide_by(dae__graph *g, dae__node a, double c)
{
  int exponent;
  term x = arithmetic_term_of(g, a);
  if (fabs(frexp(c, &exponent)) == 0.5 && isnormal(1 / c))
    return DAE__MUL(g, dae__constant(g, 1 / c), a);
  if (x.rest != a && isnormal(x.factor / c))
    return DAE__MUL(g, dae__constant(g, x.factor / c), x.rest);
  return dae__make(g, DAE__OP_DIV, a, dae__constant(g, c));
}

dae__node dae__simple_quotient(dae__graph *g, dae__node a, dae__node b)
{
  double c;
  if (dae__is_constant(g, b, &c))
    return arithmetic_divide_by(g, a, c);
  if (a == DAE__ZERO)
    return DAE__ZERO;
  if (dae__is(g, a, DAE__OP_NEG))
    return arithmetic_neg(g, DAE__DIV(g, g->entry[a].a, b));
  if (dae__is(g, b, DAE__OP_NEG))
    return arithmetic_neg(g, DAE__DIV(g, a, g->entry[b].a));
  term y = arithmetic_term_of(g, b);
  if (dae__is_constant(g, a, &c) && y.rest != b && isnormal(c / y.factor))
    return DAE__DIV(g, dae__constant(g, c / y.factor), y.rest);
  return dae__make(g, DAE__OP_DIV, a, b);
}

dae__node dae__simple_negative(dae__graph *g, dae__node a)
{
  dae__entry e = g->entry[a];
  double c;
  if (e.op == DAE__OP_NEG)
    return e.a;
  if (e.op == DAE__OP_SUB)
    return DAE__SUB(g, e.b, e.a);
  if (dae__op_operands((dae__op)e.op) == 2 && dae__is_constant(g, e.a, &c)) {
    if (e.op == DAE__OP_MUL || e.op == DAE__OP_DIV)
      return dae__binary(g, (dae__op)e.op, dae__constant(g, -c), e.b);
    if (e.op == DAE__OP_ADD)
      return DAE__SUB(g, dae__constant(g, -c), e.b);
  }
  return dae__make(g, DAE__OP_NEG, a, 0);
}

dae__node dae__powi(dae__graph *graph, dae__node a, int power)
{
  dae__entry e = graph->entry[a];
  bool even = power % 2 == 0;
  double c;
  if (power == 0)
    return dae__constant(graph, 1);
  if (power == 1)
    return a;
  if (dae__is_constant(graph, a, &c))
    return dae__constant(graph, dae__op_value(DAE__OP_POWI, c, power, 0));
  if (power < 0)
    return DAE__DIV(graph, dae__constant(graph, 1),
                    dae__powi(graph, a, power < -INT_MAX ? INT_MAX : -power));
  if (e.op == DAE__OP_NEG)
    return even ? dae__powi(graph, e.a, power)
                : arithmetic_neg(graph, dae__powi(graph, e.a, power));
  if (e.op == DAE__OP_ABS && even)
    return dae__powi(graph, e.a, power);
  if (e.op == DAE__OP_POWI && power <= LARGEST_POWER / e.b)
    return dae__powi(graph, e.a, e.b * power);
  return dae__make(graph, DAE__OP_POWI, a, power);
}

dae__node dae__simple_power(dae__graph *g, dae__node a, dae__node b)
{
  double base, exponent;
  if (dae__is_constant(g, b, &exponent)) {
    if (exponent == floor(exponent) && fabs(exponent) <= LARGEST_POWER)
      return dae__powi(g, a, (int)exponent);
    if (exponent == 0.5)
      return dae__unary(g, DAE__OP_SQRT, a);
    if (exponent == -0.5)
      return DAE__DIV(g, dae__constant(g, 1), dae__unary(g, DAE__OP_SQRT, a));
  }
  if (dae__is_constant(g, a, &base) && base == 1)
    return a;
  return dae__make(g, DAE__OP_POW, a, b);
}
