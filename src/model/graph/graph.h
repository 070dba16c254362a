/* The expression graph: all expressions of a model and their derivatives, as nodes without
 * duplicates (hash-consing), so that equal subexpressions are shared wherever they come from.
 *
 * A node is an index; operands have smaller indices than the nodes that contain them, so that
 * rising index is an order of evaluation. The constructors simplify: constants are folded, neutral
 * elements vanish, operands of commuting operators are sorted. Values are doubles; truth values are
 * 1 and 0.
 *
 * Leaves are the quantities an expression depends on: time, variables, rates, multipliers. The
 * caller numbers them 0, 1, ... and gives them their meaning.
 *
 * Relations are the operators that jump or bend where operands are equal: comparisons, abs, sign,
 * floor, and the index of an interval of a curve. Each has a mark, which says whether it is watched
 * during a run; relations with different marks are different nodes.
 *
 * Failure is sticky: after memory or the node limit was exhausted all constructors return 0, which
 * is a valid node (the constant zero), and graph->failed is true. */
#ifndef DAEDAL_MODEL_GRAPH_GRAPH_H
#define DAEDAL_MODEL_GRAPH_GRAPH_H

#include "model/graph/curve.h"
#include <daedal/env.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef int dae__node;

/* X(enumerator, number of operands) */
#define DAE__OP_LIST(X)                                                                            \
  X(CONSTANT, 0)                                                                                   \
  X(LEAF, 0)                                                                                       \
  X(ADD, 2)                                                                                        \
  X(SUB, 2)                                                                                        \
  X(MUL, 2)                                                                                        \
  X(DIV, 2)                                                                                        \
  X(NEG, 1)                                                                                        \
  X(POW, 2)                                                                                        \
  X(POWI, 1)  /* a^b with a whole number b, which is not a node */                                 \
  X(CURVE, 2) /* derivative of the polynomial of interval b at a; c: curve and order */            \
  X(KNOT, 1)  /* lower end of interval a of curve b */                                             \
  X(SIN, 1)                                                                                        \
  X(COS, 1)                                                                                        \
  X(TAN, 1)                                                                                        \
  X(ASIN, 1)                                                                                       \
  X(ACOS, 1)                                                                                       \
  X(ATAN, 1)                                                                                       \
  X(ATAN2, 2)                                                                                      \
  X(SINH, 1)                                                                                       \
  X(COSH, 1)                                                                                       \
  X(TANH, 1)                                                                                       \
  X(EXP, 1)                                                                                        \
  X(LOG, 1)                                                                                        \
  X(LOG10, 1)                                                                                      \
  X(SQRT, 1)                                                                                       \
  X(ABS, 1)                                                                                        \
  X(SIGN, 1)                                                                                       \
  X(HYPOT, 2)                                                                                      \
  X(FLOOR, 1)                                                                                      \
  X(INTERVAL, 1) /* index of the interval of curve b that contains a */                            \
  X(LESS, 2)                                                                                       \
  X(LESS_EQUAL, 2)                                                                                 \
  X(EQUAL, 2)                                                                                      \
  X(AND, 2)                                                                                        \
  X(OR, 2)                                                                                         \
  X(NOT, 1)                                                                                        \
  X(IF, 3) /* if(a, b, c): condition a, branches b and c */

typedef enum dae__op {
#define DAE__OP_ENUM(name, operands) DAE__OP_##name,
  DAE__OP_LIST(DAE__OP_ENUM)
#undef DAE__OP_ENUM
      DAE__OP_COUNT
} dae__op;

/* Functions on numbers, written once for constants, tapes and native code: X(operator, number of
 * operands, expression of the operands R(0), R(1), R(2)). Comparisons and logic give 1 or 0, a
 * number is true unless it is 0, the sign of NaN is NaN. SQRT belongs to the arithmetic of tapes
 * (tape_code.h); POWI has a whole power beside its operand. */
#define DAE__FUNCTION_LIST(X)                                                                      \
  X(POW, 2, pow(R(0), R(1)))                                                                       \
  X(SIN, 1, sin(R(0)))                                                                             \
  X(COS, 1, cos(R(0)))                                                                             \
  X(TAN, 1, tan(R(0)))                                                                             \
  X(ASIN, 1, asin(R(0)))                                                                           \
  X(ACOS, 1, acos(R(0)))                                                                           \
  X(ATAN, 1, atan(R(0)))                                                                           \
  X(ATAN2, 2, atan2(R(0), R(1)))                                                                   \
  X(SINH, 1, sinh(R(0)))                                                                           \
  X(COSH, 1, cosh(R(0)))                                                                           \
  X(TANH, 1, tanh(R(0)))                                                                           \
  X(EXP, 1, exp(R(0)))                                                                             \
  X(LOG, 1, log(R(0)))                                                                             \
  X(LOG10, 1, log10(R(0)))                                                                         \
  X(ABS, 1, fabs(R(0)))                                                                            \
  X(SIGN, 1, R(0) > 0 ? 1 : R(0) < 0 ? -1 : R(0))                                                  \
  X(HYPOT, 2, hypot(R(0), R(1)))                                                                   \
  X(FLOOR, 1, floor(R(0)))                                                                         \
  X(LESS, 2, R(0) < R(1))                                                                          \
  X(LESS_EQUAL, 2, R(0) <= R(1))                                                                   \
  X(EQUAL, 2, R(0) == R(1))                                                                        \
  X(AND, 2, R(0) != 0 && R(1) != 0)                                                                \
  X(OR, 2, R(0) != 0 || R(1) != 0)                                                                 \
  X(NOT, 1, R(0) == 0)                                                                             \
  X(IF, 3, R(0) != 0 ? R(1) : R(2))

/* Marks of relations. */
typedef enum dae__mark {
  DAE__MARK_WATCHED,
  DAE__MARK_BENDS,  /* watched; both branches agree where the relation changes */
  DAE__MARK_SMOOTH, /* not watched: the expression is smooth across the relation */
  DAE__MARK_NOEVENT /* not watched */
} dae__mark;

static inline bool dae__is_relation(int op)
{
  return op >= DAE__OP_ABS && op <= DAE__OP_EQUAL && op != DAE__OP_HYPOT;
}

/* A stored node. Unused operands are 0. LEAF: a is the number of the leaf; POWI: b is the power, at
 * least 2, or -1 in the elimination of a saddle system; INTERVAL, KNOT: b is the curve; CURVE: c is
 * DAE__CURVE_ORDERS times the curve plus the order of the derivative; CONSTANT: a and b are the
 * bits of the value; relations: c is the mark.
 */
typedef struct dae__entry {
  int op, a, b, c;
} dae__entry;

typedef struct dae__graph {
  dae_env env;
  dae__entry *entry;
  int count, capacity, limit;
  int *place; /* hash table of node indices; 0: an empty slot */
  size_t places;
  dae__mark mark;                       /* mark of the relations made by constructors */
  DAE__LIST(const dae__curve *) curves; /* in memory of the caller */
  /* function of the caller whose derivative of this order is needed and not known, or NULL */
  const dae__curve *missing;
  int missing_order;
  bool failed; /* out of memory, or node limit reached */
  bool full;   /* node limit reached */
} dae__graph;

dae__graph *dae__graph_create(const dae_env *env, long max_nodes); /* NULL: out of memory */
void dae__graph_free(dae__graph *graph);

/* Constructors of nodes. min, max, mod and > are written with these: min(a,b) = if(a <= b, a, b),
 * mod(a,b) = a - b floor(a/b). */
dae__node dae__constant(dae__graph *graph, double value);
dae__node dae__leaf(dae__graph *graph, int leaf);
dae__node dae__unary(dae__graph *graph, dae__op op, dae__node a);
dae__node dae__binary(dae__graph *graph, dae__op op, dae__node a, dae__node b);
dae__node dae__if(dae__graph *graph, dae__node condition, dae__node a, dae__node b);
dae__node dae__powi(dae__graph *graph, dae__node a, int power);
/* Index of the interval of a curve that contains a; derivative of the polynomial of interval m at
 * a; lower end of interval m. */
enum { DAE__CURVE_ORDERS = 8 }; /* orders of derivatives that a node can tell */
dae__node dae__interval_node(dae__graph *graph, int curve, dae__node a);
dae__node dae__curve_node(dae__graph *graph, int curve, int order, dae__node a, dae__node m);
dae__node dae__knot_node(dae__graph *graph, int curve, dae__node m);
/* Node of the operator of an entry with other operands; a relation keeps its mark. */
dae__node dae__with_operands(dae__graph *graph, dae__entry entry, const dae__node operand[3]);
/* Node of an entry without simplification: the equal node if there is one, else a new node. */
dae__node dae__intern(dae__graph *graph, dae__entry entry);
/* Adjoint w times the derivative of a node by its i-th smooth operand; not for `if`. */
dae__node dae__partial(dae__graph *graph, dae__node node, int i, dae__node w);

#define DAE__ADD(graph, a, b) dae__binary((graph), DAE__OP_ADD, (a), (b))
#define DAE__SUB(graph, a, b) dae__binary((graph), DAE__OP_SUB, (a), (b))
#define DAE__MUL(graph, a, b) dae__binary((graph), DAE__OP_MUL, (a), (b))
#define DAE__DIV(graph, a, b) dae__binary((graph), DAE__OP_DIV, (a), (b))
#define DAE__NEG(graph, a) dae__unary((graph), DAE__OP_NEG, (a))
#define DAE__ZERO 0 /* the node of the constant zero */

/* A decoded node. Unused operands are 0; b of POWI is the whole power. */
typedef struct dae__node_view {
  dae__op op;
  dae__node a, b, c;
  int word;     /* dae__entry_word of an operator that has one */
  int leaf;     /* number of the leaf for LEAF, else -1 */
  double value; /* value for CONSTANT, else NaN */
} dae__node_view;

dae__node_view dae__node_at(const dae__graph *graph, dae__node node);
static inline int dae__op_operands(dae__op op)
{
  static const signed char operands[] = {
#define DAE__OP_OPERANDS(name, count) count,
      DAE__OP_LIST(DAE__OP_OPERANDS)
#undef DAE__OP_OPERANDS
  };
  return operands[op];
}
/* Value of one operator, other than those of curves, for given operands; unused operands are
 * ignored, b of POWI is the whole power. */
double dae__op_value(dae__op op, double a, double b, double c);
/* Whole number that an operator has beside its operands: power, curve, curve and order. */
static inline bool dae__op_has_word(int op)
{
  return (op >= DAE__OP_POWI && op <= DAE__OP_KNOT) || op == DAE__OP_INTERVAL;
}
static inline int dae__entry_word(const dae__entry *entry)
{
  return entry->op == DAE__OP_CURVE ? entry->c : entry->b;
}
/* Value of any operator with its word. */
double dae__op_value_with(const dae__curve *const *curves, dae__op op, int word,
                          const double operand[3]);

static inline double dae__entry_value(const dae__entry *entry)
{
  double value;
  _Static_assert(offsetof(dae__entry, b) == offsetof(dae__entry, a) + sizeof(int) &&
                     sizeof(double) == 2 * sizeof(int),
                 "a and b hold a double");
  memcpy(&value, (const char *)entry + offsetof(dae__entry, a), sizeof value);
  return value;
}

static inline bool dae__is_constant(const dae__graph *graph, dae__node node, double *value)
{
  if (graph->entry[node].op != DAE__OP_CONSTANT)
    return false;
  *value = dae__entry_value(&graph->entry[node]);
  return true;
}

/* Operands of an entry that are nodes; returns their number. */
static inline int dae__entry_operands(const dae__entry *entry, dae__node operand[3])
{
  operand[0] = entry->a;
  operand[1] = entry->b;
  operand[2] = entry->c;
  return dae__op_operands((dae__op)entry->op);
}

/* Whole power a^power by repeated squaring, with the same rounding in constants and in tapes. */
static inline double dae__whole_power(double a, int power)
{
  unsigned n = power < 0 ? 0u - (unsigned)power : (unsigned)power;
  double product = 1;
  for (double square = a; n > 0; n >>= 1) {
    if (n & 1)
      product *= square;
    if (n > 1)
      square *= square;
  }
  return power < 0 ? 1 / product : product;
}

#endif
