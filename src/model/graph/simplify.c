/* The constructors of nodes: constants are folded, then the simplification rules of the operator
 * are applied.
 *
 * A rule may change a value by a few roundings of its operands, not more. Therefore constants are
 * joined in sums only where that is exact, so that the result is rounded once instead of twice,
 *   c1 + (c2 + x) -> (c1 + c2) + x,   c1 x + c2 x -> (c1 + c2) x,
 * and in products only where the product of the constants neither overflows nor loses digits,
 *   c1 (c2 x) -> (c1 c2) x.
 * 0 x -> 0 and x - x -> 0 are applied although x may be infinite, x / x -> 1 is not: there 0/0 is a
 * singularity that must become visible as NaN.
 *
 * Signs move outwards, -a b -> -(a b), where sums absorb them, a + -b -> a - b. Every rule leaves
 * fewer operators or moves a sign or a constant outwards, so that rules that call constructors
 * end after a few steps.
 *
 * Symmetries f(-x) = -f(x) and f(-x) = f(x) hold to the last bit. A number is true unless it is 0;
 * comparisons with NaN are false: !(a < b) is not b <= a. */
#include "model/graph/graph.h"

#include <limits.h>
#include <math.h>

/* Largest whole power made from products of powers and constant exponents; chosen, not measured. */
#define LARGEST_WHOLE_POWER 1024

static inline bool simplify_is(const dae__graph *g, dae__node node, dae__op op)
{
  return g->entry[node].op == (int)op;
}

/* Node of an operator and its operands without further simplification. */
static inline dae__node simplify_make(dae__graph *g, dae__op op, dae__node a, dae__node b)
{
  return dae__intern(g, (dae__entry){(int)op, a, b, dae__is_relation((int)op) ? (int)g->mark : 0});
}

/* Sorts the operands of a commuting operator: constants first, then by index. */
static inline void simplify_sort_operands(const dae__graph *g, dae__node *a, dae__node *b)
{
  bool first = simplify_is(g, *a, DAE__OP_CONSTANT), second = simplify_is(g, *b, DAE__OP_CONSTANT);
  if (first == second ? *a <= *b : first)
    return;
  dae__node other = *a;
  *a = *b;
  *b = other;
}

/* ---- arithmetic and powers ---- */

/* A node as factor and rest: (c, x) for c x with a constant c, (1, n) for any other node n. */
typedef struct term {
  double factor;
  dae__node rest;
} term;

static term simplify_term_of(const dae__graph *g, dae__node node)
{
  dae__entry e = g->entry[node];
  double factor;
  if (e.op == DAE__OP_NEG)
    return (term){-1, e.a};
  if (e.op == DAE__OP_MUL && dae__is_constant(g, e.a, &factor))
    return (term){factor, e.b};
  return (term){1, node};
}

/* Tests that x + y has no rounding error, by the second half of the two-sum algorithm. */
static bool simplify_sum_is_exact(double x, double y)
{
  double s = x + y, z = s - x;
  return isfinite(s) && (x - (s - z)) + (y - z) == 0;
}

/* Node of a + sign b if a and b are multiples of the same node; -1: they are not. */
static dae__node simplify_like_terms(dae__graph *g, dae__node a, dae__node b, double sign)
{
  term x = simplify_term_of(g, a), y = simplify_term_of(g, b);
  y.factor *= sign;
  if (x.rest != y.rest || !simplify_sum_is_exact(x.factor, y.factor))
    return -1;
  return DAE__MUL(g, dae__constant(g, x.factor + y.factor), x.rest);
}

/* Node of c + sign b if b is a sum or difference with a constant; -1: it is not. */
static dae__node simplify_join_constants(dae__graph *g, double c, dae__node b, double sign)
{
  dae__node rest = b;
  for (;;) {
    dae__entry e = g->entry[rest];
    double inner;
    if ((e.op != DAE__OP_ADD && e.op != DAE__OP_SUB) || !dae__is_constant(g, e.a, &inner) ||
        !simplify_sum_is_exact(c, sign * inner))
      break;
    c += sign * inner;
    sign = e.op == DAE__OP_ADD ? sign : -sign;
    rest = e.b;
  }
  if (rest == b)
    return -1;
  if (c == 0)
    return sign > 0 ? rest : DAE__NEG(g, rest);
  return simplify_make(g, sign > 0 ? DAE__OP_ADD : DAE__OP_SUB, dae__constant(g, c), rest);
}

static dae__node simplify_sum(dae__graph *g, dae__node a, dae__node b)
{
  double c;
  dae__node simpler = -1;
  simplify_sort_operands(g, &a, &b);
  if (a == DAE__ZERO)
    return b;
  if (simplify_is(g, a, DAE__OP_NEG))
    return DAE__SUB(g, b, g->entry[a].a);
  if (simplify_is(g, b, DAE__OP_NEG))
    return DAE__SUB(g, a, g->entry[b].a);
  if (dae__is_constant(g, a, &c))
    simpler = simplify_join_constants(g, c, b, 1);
  else
    simpler = simplify_like_terms(g, a, b, 1);
  return simpler >= 0 ? simpler : simplify_make(g, DAE__OP_ADD, a, b);
}

static dae__node simplify_difference(dae__graph *g, dae__node a, dae__node b)
{
  double c;
  dae__node simpler = -1;
  if (a == b)
    return DAE__ZERO;
  if (a == DAE__ZERO)
    return DAE__NEG(g, b);
  if (dae__is_constant(g, b, &c))
    return DAE__ADD(g, dae__constant(g, -c), a);
  if (simplify_is(g, b, DAE__OP_NEG))
    return DAE__ADD(g, a, g->entry[b].a);
  if (simplify_is(g, a, DAE__OP_NEG))
    return DAE__NEG(g, DAE__ADD(g, g->entry[a].a, b));
  if (dae__is_constant(g, a, &c))
    simpler = simplify_join_constants(g, c, b, -1);
  else
    simpler = simplify_like_terms(g, a, b, -1);
  return simpler >= 0 ? simpler : simplify_make(g, DAE__OP_SUB, a, b);
}

/* Node of c b with a constant c; a: the node of c, or -1. */
static dae__node simplify_scale(dae__graph *g, double c, dae__node a, dae__node b)
{
  dae__entry e = g->entry[b];
  double inner;
  if (c == 1)
    return b;
  if (c == -1)
    return DAE__NEG(g, b);
  if (e.op == DAE__OP_NEG)
    return simplify_scale(g, -c, -1, e.a);
  if ((e.op == DAE__OP_MUL || e.op == DAE__OP_DIV) && dae__is_constant(g, e.a, &inner) &&
      isnormal(c * inner))
    return dae__binary(g, (dae__op)e.op, dae__constant(g, c * inner), e.b);
  return simplify_make(g, DAE__OP_MUL, a >= 0 ? a : dae__constant(g, c), b);
}

/* Node of (c x) (d y) or (c x) (d / y) if c d = 1 or -1; -1: the product is not of this form. */
static dae__node simplify_cancel_factors(dae__graph *g, dae__node a, dae__node b)
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
  return c * d == 1 ? product : DAE__NEG(g, product);
}

static dae__node simplify_product(dae__graph *g, dae__node a, dae__node b)
{
  double c;
  simplify_sort_operands(g, &a, &b);
  if (a == DAE__ZERO)
    return DAE__ZERO;
  if (dae__is_constant(g, a, &c))
    return simplify_scale(g, c, a, b);
  if (simplify_is(g, a, DAE__OP_NEG))
    return DAE__NEG(g, DAE__MUL(g, g->entry[a].a, b));
  if (simplify_is(g, b, DAE__OP_NEG))
    return DAE__NEG(g, DAE__MUL(g, a, g->entry[b].a));
  /* x^m x^n for a = x^m and b = x^n */
  dae__entry x = g->entry[a], y = g->entry[b];
  dae__node base_a = x.op == DAE__OP_POWI ? x.a : a, base_b = y.op == DAE__OP_POWI ? y.a : b;
  int power = (x.op == DAE__OP_POWI ? x.b : 1) + (y.op == DAE__OP_POWI ? y.b : 1);
  if (base_a == base_b && power <= LARGEST_WHOLE_POWER)
    return dae__powi(g, base_a, power);
  dae__node simpler = simplify_cancel_factors(g, a, b);
  return simpler >= 0 ? simpler : simplify_make(g, DAE__OP_MUL, a, b);
}

static dae__node simplify_quotient(dae__graph *g, dae__node a, dae__node b)
{
  double c;
  term x = simplify_term_of(g, a), y = simplify_term_of(g, b);
  if (dae__is_constant(g, b, &c)) {
    int exponent;
    if (fabs(frexp(c, &exponent)) == 0.5 && isnormal(1 / c))
      return DAE__MUL(g, dae__constant(g, 1 / c), a);
    if (x.rest != a && isnormal(x.factor / c))
      return DAE__MUL(g, dae__constant(g, x.factor / c), x.rest);
    return simplify_make(g, DAE__OP_DIV, a, b);
  }
  if (a == DAE__ZERO)
    return DAE__ZERO;
  if (simplify_is(g, a, DAE__OP_NEG))
    return DAE__NEG(g, DAE__DIV(g, g->entry[a].a, b));
  if (simplify_is(g, b, DAE__OP_NEG))
    return DAE__NEG(g, DAE__DIV(g, a, g->entry[b].a));
  if (dae__is_constant(g, a, &c) && y.rest != b && isnormal(c / y.factor))
    return DAE__DIV(g, dae__constant(g, c / y.factor), y.rest);
  return simplify_make(g, DAE__OP_DIV, a, b);
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
    return even ? dae__powi(graph, e.a, power) : DAE__NEG(graph, dae__powi(graph, e.a, power));
  if (e.op == DAE__OP_ABS && even)
    return dae__powi(graph, e.a, power);
  if (e.op == DAE__OP_POWI && power <= LARGEST_WHOLE_POWER / e.b)
    return dae__powi(graph, e.a, e.b * power);
  return simplify_make(graph, DAE__OP_POWI, a, power);
}

static dae__node simplify_power(dae__graph *g, dae__node a, dae__node b)
{
  double base, exponent;
  if (dae__is_constant(g, b, &exponent)) {
    if (exponent == floor(exponent) && fabs(exponent) <= LARGEST_WHOLE_POWER)
      return dae__powi(g, a, (int)exponent);
    if (exponent == 0.5)
      return dae__unary(g, DAE__OP_SQRT, a);
    if (exponent == -0.5)
      return DAE__DIV(g, dae__constant(g, 1), dae__unary(g, DAE__OP_SQRT, a));
  }
  if (dae__is_constant(g, a, &base) && base == 1)
    return a;
  return simplify_make(g, DAE__OP_POW, a, b);
}

/* ---- constructors ---- */

static bool simplify_is_truth_value(const dae__graph *g, dae__node node)
{
  int op = g->entry[node].op;
  return op >= DAE__OP_LESS && op <= DAE__OP_NOT;
}

/* Node of a && b or a || b. decides: the truth value of one operand that determines the result,
 * false for &&, true for ||. */
static dae__node simplify_logic(dae__graph *g, dae__op op, bool decides, dae__node a, dae__node b)
{
  double c;
  simplify_sort_operands(g, &a, &b);
  if (dae__is_constant(g, a, &c)) {
    if ((c != 0) == decides)
      return dae__constant(g, decides);
    if (simplify_is_truth_value(g, b))
      return b;
  }
  if (a == b && simplify_is_truth_value(g, a))
    return a;
  return simplify_make(g, op, a, b);
}

dae__node dae__binary(dae__graph *graph, dae__op op, dae__node a, dae__node b)
{
  double x, y;
  if (dae__is_constant(graph, a, &x) && dae__is_constant(graph, b, &y))
    return dae__constant(graph, dae__op_value(op, x, y, 0));
  switch (op) {
  case DAE__OP_ADD:
    return simplify_sum(graph, a, b);
  case DAE__OP_SUB:
    return simplify_difference(graph, a, b);
  case DAE__OP_MUL:
    return simplify_product(graph, a, b);
  case DAE__OP_DIV:
    return simplify_quotient(graph, a, b);
  case DAE__OP_POW:
    return simplify_power(graph, a, b);
  case DAE__OP_HYPOT:
    if (simplify_is(graph, a, DAE__OP_NEG))
      a = graph->entry[a].a;
    if (simplify_is(graph, b, DAE__OP_NEG))
      b = graph->entry[b].a;
    simplify_sort_operands(graph, &a, &b);
    return simplify_make(graph, op, a, b);
  case DAE__OP_AND:
    return simplify_logic(graph, op, false, a, b);
  case DAE__OP_OR:
    return simplify_logic(graph, op, true, a, b);
  case DAE__OP_LESS:
    return a == b ? DAE__ZERO : simplify_make(graph, op, a, b);
  case DAE__OP_EQUAL:
    simplify_sort_operands(graph, &a, &b);
    return simplify_make(graph, op, a, b);
  default:
    return simplify_make(graph, op, a, b);
  }
}

dae__node dae__unary(dae__graph *graph, dae__op op, dae__node a)
{
  double x;
  dae__entry e = graph->entry[a];
  bool odd = op == DAE__OP_SIN || op == DAE__OP_TAN || op == DAE__OP_ASIN || op == DAE__OP_ATAN ||
             op == DAE__OP_SINH || op == DAE__OP_TANH || op == DAE__OP_SIGN;
  bool even = op == DAE__OP_COS || op == DAE__OP_COSH || op == DAE__OP_ABS;
  if (dae__is_constant(graph, a, &x))
    return dae__constant(graph, dae__op_value(op, x, 0, 0));
  if (op == DAE__OP_NEG && (e.op == DAE__OP_NEG || e.op == DAE__OP_SUB))
    return e.op == DAE__OP_NEG ? e.a : DAE__SUB(graph, e.b, e.a);
  if (op == DAE__OP_NEG && (e.op == DAE__OP_MUL || e.op == DAE__OP_DIV || e.op == DAE__OP_ADD) &&
      dae__is_constant(graph, e.a, &x)) { /* -(c b), -(c / b) and -(c + b) with a constant c */
    dae__node c = dae__constant(graph, -x);
    return dae__binary(graph, e.op == DAE__OP_ADD ? DAE__OP_SUB : (dae__op)e.op, c, e.b);
  }
  if (e.op == DAE__OP_NEG && odd)
    return DAE__NEG(graph, dae__unary(graph, op, e.a));
  if (e.op == DAE__OP_NEG && even)
    return dae__unary(graph, op, e.a);
  if (e.op == (int)op && (op == DAE__OP_ABS || op == DAE__OP_FLOOR || op == DAE__OP_SIGN))
    return a;
  if (op == DAE__OP_NOT && e.op == DAE__OP_NOT && simplify_is_truth_value(graph, e.a))
    return e.a;
  return simplify_make(graph, op, a, 0);
}

dae__node dae__if(dae__graph *graph, dae__node condition, dae__node a, dae__node b)
{
  double truth;
  dae__entry e = graph->entry[condition];
  if (dae__is_constant(graph, condition, &truth))
    return truth != 0 ? a : b;
  if (e.op == DAE__OP_NOT)
    return dae__if(graph, e.a, b, a);
  /* a branch that is an `if` with the same condition: its condition is known */
  if (simplify_is(graph, a, DAE__OP_IF) && graph->entry[a].a == condition)
    a = graph->entry[a].b;
  if (simplify_is(graph, b, DAE__OP_IF) && graph->entry[b].a == condition)
    b = graph->entry[b].c;
  return a == b ? a : dae__intern(graph, (dae__entry){DAE__OP_IF, condition, a, b});
}

/* ---- curves ---- */

dae__node dae__interval_node(dae__graph *graph, int curve, dae__node a)
{
  double x;
  return dae__is_constant(graph, a, &x)
             ? dae__constant(graph, dae__curve_interval(graph->curves.item[curve], x, 0))
             : simplify_make(graph, DAE__OP_INTERVAL, a, curve);
}

dae__node dae__knot_node(dae__graph *graph, int curve, dae__node m)
{
  double x;
  return dae__is_constant(graph, m, &x)
             ? dae__constant(graph, dae__curve_knot(graph->curves.item[curve], x))
             : simplify_make(graph, DAE__OP_KNOT, m, curve);
}

dae__node dae__curve_node(dae__graph *graph, int curve, int order, dae__node a, dae__node m)
{
  const dae__curve *c = graph->curves.item[curve];
  double x, interval;
  if (order > dae__curve_degree(c)) {
    if (c->call && !graph->missing) {
      graph->missing = c;
      graph->missing_order = order;
    }
    return DAE__ZERO;
  }
  if (dae__is_constant(graph, a, &x) && dae__is_constant(graph, m, &interval))
    return dae__constant(graph, dae__curve_value(c, x, interval, order));
  return dae__intern(graph, (dae__entry){DAE__OP_CURVE, a, m, DAE__CURVE_ORDERS * curve + order});
}

dae__node dae__with_operands(dae__graph *graph, dae__entry entry, const dae__node operand[3])
{
  dae__op op = (dae__op)entry.op;
  dae__node node;
  graph->mark = dae__is_relation(entry.op) ? (dae__mark)entry.c : DAE__MARK_WATCHED;
  if (op == DAE__OP_POWI)
    node = dae__powi(graph, operand[0], entry.b);
  else if (op == DAE__OP_INTERVAL)
    node = dae__interval_node(graph, entry.b, operand[0]);
  else if (op == DAE__OP_KNOT)
    node = dae__knot_node(graph, entry.b, operand[0]);
  else if (op == DAE__OP_CURVE)
    node = dae__curve_node(graph, entry.c / DAE__CURVE_ORDERS, entry.c % DAE__CURVE_ORDERS,
                           operand[0], operand[1]);
  else if (dae__op_operands(op) == 1)
    node = dae__unary(graph, op, operand[0]);
  else if (dae__op_operands(op) == 2)
    node = dae__binary(graph, op, operand[0], operand[1]);
  else
    node = dae__if(graph, operand[0], operand[1], operand[2]);
  graph->mark = DAE__MARK_WATCHED;
  return node;
}
