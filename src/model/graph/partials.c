/* Derivatives of the operators, n = op(a, b), times an adjoint w. Where the derivative can be
 * written with n itself it is, (exp a)' = n, sqrt(a)' = 1/(2 n), so that nothing is computed
 * twice; and factors that both operands share stand together, w/b for a/b. */
#include "model/graph/partials.h"

#include "model/expand/nodes.h"

#include <math.h>

static dae__node partials_one(dae__graph *g)
{
  return dae__constant(g, 1);
}

static dae__node partials_square(dae__graph *g, dae__node a)
{
  return dae__powi(g, a, 2);
}

/* n = a / b: w/b and -(w/b) n */
static dae__node partials_of_quotient(dae__graph *g, dae__node n, dae__entry e, int i, dae__node w)
{
  dae__node over = DAE__DIV(g, w, e.b);
  return i == 0 ? over : DAE__NEG(g, DAE__MUL(g, over, n));
}

/* n = a^b: w b a^(b-1) and w n log a */
static dae__node partials_of_power(dae__graph *g, dae__node n, dae__entry e, int i, dae__node w)
{
  if (i == 1)
    return DAE__MUL(g, w, DAE__MUL(g, dae__unary(g, DAE__OP_LOG, e.a), n));
  dae__node lower = dae__binary(g, DAE__OP_POW, e.a, DAE__SUB(g, e.b, partials_one(g)));
  return DAE__MUL(g, w, DAE__MUL(g, e.b, lower));
}

/* n = atan2(a, b): w b / (a^2 + b^2) and -w a / (a^2 + b^2) */
static dae__node partials_of_angle(dae__graph *g, dae__entry e, int i, dae__node w)
{
  dae__node over = DAE__DIV(g, w, DAE__ADD(g, partials_square(g, e.a), partials_square(g, e.b)));
  return i == 0 ? DAE__MUL(g, over, e.b) : DAE__NEG(g, DAE__MUL(g, over, e.a));
}

static dae__node partials_of_circular(dae__graph *g, dae__node n, dae__entry e, dae__node w)
{
  dae__node a = e.a;
  switch (e.op) {
  case DAE__OP_SIN:
    return DAE__MUL(g, w, dae__unary(g, DAE__OP_COS, a));
  case DAE__OP_COS:
    return DAE__NEG(g, DAE__MUL(g, w, dae__unary(g, DAE__OP_SIN, a)));
  case DAE__OP_TAN:
    return DAE__MUL(g, w, DAE__ADD(g, partials_one(g), partials_square(g, n)));
  case DAE__OP_ASIN:
    return DAE__DIV(
        g, w, dae__unary(g, DAE__OP_SQRT, DAE__SUB(g, partials_one(g), partials_square(g, a))));
  case DAE__OP_ACOS:
    return DAE__NEG(g, DAE__DIV(g, w,
                                dae__unary(g, DAE__OP_SQRT,
                                           DAE__SUB(g, partials_one(g), partials_square(g, a)))));
  default: /* ATAN */
    return DAE__DIV(g, w, DAE__ADD(g, partials_one(g), partials_square(g, a)));
  }
}

static dae__node partials_of_function(dae__graph *g, dae__node n, dae__entry e, dae__node w)
{
  dae__node a = e.a;
  switch (e.op) {
  case DAE__OP_SINH:
    return DAE__MUL(g, w, dae__unary(g, DAE__OP_COSH, a));
  case DAE__OP_COSH:
    return DAE__MUL(g, w, dae__unary(g, DAE__OP_SINH, a));
  case DAE__OP_TANH:
    return DAE__MUL(g, w, DAE__SUB(g, partials_one(g), partials_square(g, n)));
  case DAE__OP_EXP:
    return DAE__MUL(g, w, n);
  case DAE__OP_LOG:
    return DAE__DIV(g, w, a);
  case DAE__OP_LOG10:
    return DAE__MUL(g, dae__constant(g, 1 / log(10)), DAE__DIV(g, w, a));
  case DAE__OP_SQRT:
    return DAE__MUL(g, dae__constant(g, 0.5), DAE__DIV(g, w, n));
  case DAE__OP_ABS:
    return DAE__MUL(g, w, dae__unary(g, DAE__OP_SIGN, a));
  default:
    return partials_of_circular(g, n, e, w);
  }
}

dae__node dae__partial(dae__graph *graph, dae__node node, int i, dae__node w)
{
  dae__entry e = graph->entry[node];
  switch (e.op) {
  case DAE__OP_ADD:
    return w;
  case DAE__OP_SUB:
    return i == 0 ? w : DAE__NEG(graph, w);
  case DAE__OP_MUL:
    return DAE__MUL(graph, w, i == 0 ? e.b : e.a);
  case DAE__OP_DIV:
    return partials_of_quotient(graph, node, e, i, w);
  case DAE__OP_NEG:
    return DAE__NEG(graph, w);
  case DAE__OP_POW:
    return partials_of_power(graph, node, e, i, w);
  case DAE__OP_POWI:
    return DAE__MUL(graph, w,
                    DAE__MUL(graph, dae__constant(graph, e.b), dae__powi(graph, e.a, e.b - 1)));
  case DAE__OP_ATAN2:
    return partials_of_angle(graph, e, i, w);
  case DAE__OP_HYPOT:
    return DAE__MUL(graph, DAE__DIV(graph, w, node), i == 0 ? e.a : e.b);
  default:
    return partials_of_function(graph, node, e, w);
  }
}
