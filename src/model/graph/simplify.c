/* The constructors of nodes: constants are folded, then each operator has rules by which it becomes
 * something simpler; those of arithmetic are in arithmetic.c. Symmetries f(-x) = -f(x) and
 * f(-x) = f(x) hold to the last bit. Logic knows that a number is true unless it is 0, and that
 * comparisons with NaN are false: !(a < b) is not b <= a. */
#include "model/graph/simplify.h"

static bool simplify_is_truth_value(const dae__graph *g, dae__node node)
{
  int op = g->entry[node].op;
  return op >= DAE__OP_LESS && op <= DAE__OP_NOT;
}

/* && and ||: `decides` is the operand that makes the other one irrelevant */
static dae__node simplify_logic(dae__graph *g, dae__op op, bool decides, dae__node a, dae__node b)
{
  double c;
  dae__put_in_order(g, &a, &b);
  if (dae__is_constant(g, a, &c)) {
    if ((c != 0) == decides)
      return dae__constant(g, decides);
    if (simplify_is_truth_value(g, b))
      return b;
  }
  if (a == b && simplify_is_truth_value(g, a))
    return a;
  return dae__make(g, op, a, b);
}

static dae__node simplify_compare(dae__graph *g, dae__op op, dae__node a, dae__node b)
{
  if (op == DAE__OP_LESS && a == b)
    return DAE__ZERO;
  if (op == DAE__OP_EQUAL)
    dae__put_in_order(g, &a, &b);
  return dae__make(g, op, a, b);
}

static dae__node simplify_hypotenuse(dae__graph *g, dae__node a, dae__node b)
{
  if (dae__is(g, a, DAE__OP_NEG))
    a = g->entry[a].a;
  if (dae__is(g, b, DAE__OP_NEG))
    b = g->entry[b].a;
  dae__put_in_order(g, &a, &b);
  return dae__make(g, DAE__OP_HYPOT, a, b);
}

dae__node dae__binary(dae__graph *graph, dae__op op, dae__node a, dae__node b)
{
  double x, y;
  if (dae__is_constant(graph, a, &x) && dae__is_constant(graph, b, &y))
    return dae__constant(graph, dae__op_value(op, x, y, 0));
  switch (op) {
  case DAE__OP_ADD:
    return dae__simple_sum(graph, a, b);
  case DAE__OP_SUB:
    return dae__simple_difference(graph, a, b);
  case DAE__OP_MUL:
    return dae__simple_product(graph, a, b);
  case DAE__OP_DIV:
    return dae__simple_quotient(graph, a, b);
  case DAE__OP_POW:
    return dae__simple_power(graph, a, b);
  case DAE__OP_HYPOT:
    return simplify_hypotenuse(graph, a, b);
  case DAE__OP_AND:
    return simplify_logic(graph, op, false, a, b);
  case DAE__OP_OR:
    return simplify_logic(graph, op, true, a, b);
  case DAE__OP_LESS:
  case DAE__OP_LESS_EQUAL:
  case DAE__OP_EQUAL:
    return simplify_compare(graph, op, a, b);
  default:
    return dae__make(graph, op, a, b);
  }
}

/* f(-x) = -f(x) */
static bool simplify_is_odd(dae__op op)
{
  return op == DAE__OP_SIN || op == DAE__OP_TAN || op == DAE__OP_ASIN || op == DAE__OP_ATAN ||
         op == DAE__OP_SINH || op == DAE__OP_TANH || op == DAE__OP_SIGN;
}

/* f(-x) = f(x) */
static bool simplify_is_even(dae__op op)
{
  return op == DAE__OP_COS || op == DAE__OP_COSH || op == DAE__OP_ABS;
}

dae__node dae__unary(dae__graph *graph, dae__op op, dae__node a)
{
  double x;
  dae__entry e = graph->entry[a];
  if (dae__is_constant(graph, a, &x))
    return dae__constant(graph, dae__op_value(op, x, 0, 0));
  if (op == DAE__OP_NEG)
    return dae__simple_negative(graph, a);
  if (e.op == DAE__OP_NEG && simplify_is_odd(op))
    return DAE__NEG(graph, dae__unary(graph, op, e.a));
  if (e.op == DAE__OP_NEG && simplify_is_even(op))
    return dae__unary(graph, op, e.a);
  if (e.op == (int)op && (op == DAE__OP_ABS || op == DAE__OP_FLOOR || op == DAE__OP_SIGN))
    return a;
  if (op == DAE__OP_NOT && e.op == DAE__OP_NOT && simplify_is_truth_value(graph, e.a))
    return e.a;
  return dae__make(graph, op, a, 0);
}

dae__node dae__if(dae__graph *graph, dae__node condition, dae__node a, dae__node b)
{
  double truth;
  dae__entry e = graph->entry[condition];
  if (dae__is_constant(graph, condition, &truth))
    return truth != 0 ? a : b;
  if (e.op == DAE__OP_NOT)
    return dae__if(graph, e.a, b, a);
  /* a branch that asks the same question knows the answer */
  if (dae__is(graph, a, DAE__OP_IF) && graph->entry[a].a == condition)
    a = graph->entry[a].b;
  if (dae__is(graph, b, DAE__OP_IF) && graph->entry[b].a == condition)
    b = graph->entry[b].c;
  return a == b ? a : dae__intern(graph, (dae__entry){DAE__OP_IF, condition, a, b});
}
