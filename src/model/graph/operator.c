
/* The operators of the expression graph: their values, and their derivatives times an adjoint w.
 *
 * The derivative of n = op(a, b) is written with n itself where possible, (exp a)' = n,
 * sqrt(a)' = 1/(2 n), so that no value is computed twice; common factors of the derivatives by both
 * operands are one node, such as w/b for n = a/b. */
#include "core/mutant.h"
#include "model/graph/graph.h"

#include <math.h>

double dae__op_value(dae__op op, double a, double b, double c)
{
  const double operand[] = {a, b, c};
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
  case DAE__OP_POWI:
    return dae__whole_power(a, (int)b);
  case DAE__OP_SQRT:
    return sqrt(a);
#define R(i) operand[i]
#define FUNCTION(name, operands, expression)                                                       \
  case DAE__OP_##name:                                                                             \
    return (expression);
    DAE__FUNCTION_LIST(FUNCTION)
#undef FUNCTION
#undef R
  default:
    return NAN;
  }
}

double dae__op_value_with(const dae__curve *const *curves, dae__op op, int word,
                          const double operand[3])
{
  switch (op) {
  case DAE__OP_POWI:
    return dae__whole_power(operand[0], word);
  case DAE__OP_INTERVAL:
    return dae__curve_interval(curves[word], operand[0], 0);
  case DAE__OP_KNOT:
    return dae__curve_knot(curves[word], operand[0]);
  case DAE__OP_CURVE:
    return dae__curve_value(curves[word / DAE__CURVE_ORDERS], operand[0], operand[1],
                            word % DAE__CURVE_ORDERS);
  default:
    return dae__op_value(op, operand[0], operand[1], operand[2]);
  }
}

/* Adjoint w times the derivative of a function of one operand. */
static dae__node operator_partial_of_function(dae__graph *g, dae__node n, dae__entry e, dae__node w)
{
  dae__node a = e.a;
  switch (e.op) {
  case DAE__OP_SIN:
    return DAE__MUL(g, w, dae__unary(g, DAE__OP_COS, a));
  case DAE__OP_COS:
    return DAE__MUTATE(derivative_cos, DAE__NEG(g, DAE__MUL(g, w, dae__unary(g, DAE__OP_SIN, a))),
                       DAE__MUL(g, w, dae__unary(g, DAE__OP_SIN, a)));
  case DAE__OP_TAN:
    return DAE__MUL(g, w, DAE__ADD(g, dae__constant(g, 1), dae__powi(g, n, 2)));
  case DAE__OP_ASIN:
    return DAE__DIV(
        g, w, dae__unary(g, DAE__OP_SQRT, DAE__SUB(g, dae__constant(g, 1), dae__powi(g, a, 2))));
  case DAE__OP_ACOS:
    return DAE__NEG(g, DAE__DIV(g, w,
                                dae__unary(g, DAE__OP_SQRT,
                                           DAE__SUB(g, dae__constant(g, 1), dae__powi(g, a, 2)))));
  case DAE__OP_ATAN:
    return DAE__DIV(g, w, DAE__ADD(g, dae__constant(g, 1), dae__powi(g, a, 2)));
  case DAE__OP_SINH:
    return DAE__MUL(g, w,
                    dae__unary(g, DAE__MUTATE(derivative_sinh, DAE__OP_COSH, DAE__OP_SINH), a));
  case DAE__OP_COSH:
    return DAE__MUL(g, w, dae__unary(g, DAE__OP_SINH, a));
  case DAE__OP_TANH:
    return DAE__MUL(g, w, DAE__SUB(g, dae__constant(g, 1), dae__powi(g, n, 2)));
  case DAE__OP_EXP:
    return DAE__MUL(g, w, n);
  case DAE__OP_LOG:
    return DAE__DIV(g, w, a);
  case DAE__OP_LOG10:
    return DAE__MUL(g, dae__constant(g, 1 / log(10)), DAE__DIV(g, w, a));
  case DAE__OP_SQRT:
    return DAE__MUL(g, dae__constant(g, 0.5), DAE__DIV(g, w, n));
  default: /* derivative of ABS */
    e.op = DAE__OP_SIGN;
    return DAE__MUL(g, w, dae__with_operands(g, e, (dae__node[3]){a}));
  }
}

dae__node dae__partial(dae__graph *graph, dae__node node, int i, dae__node w)
{
  dae__graph *g = graph;
  dae__entry e = g->entry[node];
  dae__node over;
  switch (e.op) {
  case DAE__OP_ADD:
    return w;
  case DAE__OP_SUB:
    return i == 0 ? w : DAE__NEG(g, w);
  case DAE__OP_MUL:
    return DAE__MUL(g, w, i == 0 ? e.b : e.a);
  case DAE__OP_DIV: /* w n_a = w/b and w n_b = -(w/b) n for n = a/b */
    over = DAE__DIV(g, w, e.b);
    return i == 0 ? over : DAE__NEG(g, DAE__MUL(g, over, node));
  case DAE__OP_NEG:
    return DAE__NEG(g, w);
  case DAE__OP_POW: /* w n_a = w b a^(b-1) and w n_b = w n log a for n = a^b */
    if (i == 1)
      return DAE__MUL(g, w, DAE__MUL(g, dae__unary(g, DAE__OP_LOG, e.a), node));
    over = dae__binary(g, DAE__OP_POW, e.a, DAE__SUB(g, e.b, dae__constant(g, 1)));
    return DAE__MUL(g, w, DAE__MUL(g, e.b, over));
  case DAE__OP_POWI:
    return DAE__MUL(g, w, DAE__MUL(g, dae__constant(g, e.b), dae__powi(g, e.a, e.b - 1)));
  /* w n_a = w b / (a^2 + b^2) and w n_b = -w a / (a^2 + b^2) for n = atan2(a, b) */
  case DAE__OP_ATAN2:
    over = DAE__DIV(g, w, DAE__ADD(g, dae__powi(g, e.a, 2), dae__powi(g, e.b, 2)));
    return i == 0 ? DAE__MUL(g, over, e.b) : DAE__NEG(g, DAE__MUL(g, over, e.a));
  case DAE__OP_HYPOT:
    return DAE__MUL(g, DAE__DIV(g, w, node), i == 0 ? e.a : e.b);
  case DAE__OP_CURVE:
    return DAE__MUL(
        g, w, dae__curve_node(g, e.c / DAE__CURVE_ORDERS, e.c % DAE__CURVE_ORDERS + 1, e.a, e.b));
  default:
    return operator_partial_of_function(g, node, e, w);
  }
}
