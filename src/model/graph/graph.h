/* The expression graph: every expression of a model and every derivative of them, as nodes that
 * exist once (hash-consed), so that equal subexpressions are shared wherever they come from.
 *
 * A node is an index; operands have smaller indices than the nodes they stand in, so that rising
 * index is an order of evaluation. The constructors simplify: constants are folded, neutral
 * elements vanish, operands of commuting operators are put in order. Values are doubles; truth
 * values are 1 and 0.
 *
 * Leaves are the quantities an expression depends on: time, variables, rates, multipliers. They are
 * numbered 0, 1, ... by the caller, who knows what they mean.
 *
 * Failure is sticky: after memory or the node limit was exhausted all constructors return 0, which
 * is a valid node (the constant zero), and dae__graph_failed says so. */
#ifndef DAEDAL_MODEL_GRAPH_GRAPH_H
#define DAEDAL_MODEL_GRAPH_GRAPH_H

#include <daedal/env.h>
#include <stdbool.h>

typedef int dae__node;

/* X(enumerator, name in the language or symbol, operands) */
#define DAE__OP_LIST(X)                                                                            \
  X(CONSTANT, "constant", 0)                                                                       \
  X(LEAF, "leaf", 0)                                                                               \
  X(ADD, "+", 2)                                                                                   \
  X(SUB, "-", 2)                                                                                   \
  X(MUL, "*", 2)                                                                                   \
  X(DIV, "/", 2)                                                                                   \
  X(NEG, "neg", 1)                                                                                 \
  X(POW, "^", 2)                                                                                   \
  X(POWI, "powi", 1) /* a to the whole power b, which is a number, not a node */                   \
  X(SIN, "sin", 1)                                                                                 \
  X(COS, "cos", 1)                                                                                 \
  X(TAN, "tan", 1)                                                                                 \
  X(ASIN, "asin", 1)                                                                               \
  X(ACOS, "acos", 1)                                                                               \
  X(ATAN, "atan", 1)                                                                               \
  X(ATAN2, "atan2", 2)                                                                             \
  X(SINH, "sinh", 1)                                                                               \
  X(COSH, "cosh", 1)                                                                               \
  X(TANH, "tanh", 1)                                                                               \
  X(EXP, "exp", 1)                                                                                 \
  X(LOG, "log", 1)                                                                                 \
  X(LOG10, "log10", 1)                                                                             \
  X(SQRT, "sqrt", 1)                                                                               \
  X(ABS, "abs", 1)                                                                                 \
  X(SIGN, "sign", 1)                                                                               \
  X(HYPOT, "hypot", 2)                                                                             \
  X(FLOOR, "floor", 1)                                                                             \
  X(LESS, "<", 2)                                                                                  \
  X(LESS_EQUAL, "<=", 2)                                                                           \
  X(EQUAL, "==", 2)                                                                                \
  X(AND, "&&", 2)                                                                                  \
  X(OR, "||", 2)                                                                                   \
  X(NOT, "!", 1)                                                                                   \
  X(IF, "if", 3) /* a: condition, b and c: its branches */

typedef enum dae__op {
#define DAE__OP_ENUM(name, text, operands) DAE__OP_##name,
  DAE__OP_LIST(DAE__OP_ENUM)
#undef DAE__OP_ENUM
      DAE__OP_COUNT
} dae__op;

typedef struct dae__graph dae__graph;

dae__graph *dae__graph_create(const dae_env *env, long max_nodes); /* NULL: out of memory */
void dae__graph_free(dae__graph *graph);
bool dae__graph_failed(const dae__graph *graph);
bool dae__graph_full(const dae__graph *graph); /* it was the node limit that was reached */
int dae__graph_count(const dae__graph *graph);

/* Constructors. min, max, mod and > are written with these: min(a,b) = if(a <= b, a, b),
 * mod(a,b) = a - b floor(a/b). */
dae__node dae__constant(dae__graph *graph, double value);
dae__node dae__leaf(dae__graph *graph, int leaf);
dae__node dae__unary(dae__graph *graph, dae__op op, dae__node a);
dae__node dae__binary(dae__graph *graph, dae__op op, dae__node a, dae__node b);
dae__node dae__if(dae__graph *graph, dae__node condition, dae__node a, dae__node b);
dae__node dae__powi(dae__graph *graph, dae__node a, int power);

#define DAE__ADD(graph, a, b) dae__binary((graph), DAE__OP_ADD, (a), (b))
#define DAE__SUB(graph, a, b) dae__binary((graph), DAE__OP_SUB, (a), (b))
#define DAE__MUL(graph, a, b) dae__binary((graph), DAE__OP_MUL, (a), (b))
#define DAE__DIV(graph, a, b) dae__binary((graph), DAE__OP_DIV, (a), (b))
#define DAE__NEG(graph, a) dae__unary((graph), DAE__OP_NEG, (a))
#define DAE__ZERO 0 /* the node of the constant zero */

/* What a node is. Operands that the operator has not are 0; b of POWI is the power. */
typedef struct dae__node_view {
  dae__op op;
  dae__node a, b, c;
  int leaf;     /* of LEAF, else -1 */
  double value; /* of CONSTANT, else NaN */
} dae__node_view;

dae__node_view dae__node_at(const dae__graph *graph, dae__node node);
static inline int dae__op_operands(dae__op op)
{
  static const signed char operands[] = {
#define DAE__OP_OPERANDS(name, text, count) count,
      DAE__OP_LIST(DAE__OP_OPERANDS)
#undef DAE__OP_OPERANDS
  };
  return operands[op];
}
const char *dae__op_name(dae__op op);
/* One operator on numbers; unused operands are ignored. b of POWI is the power. */
double dae__op_value(dae__op op, double a, double b, double c);

#endif
