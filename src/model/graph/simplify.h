/* The rules of arithmetic, and what all rules share. */
#ifndef DAEDAL_MODEL_GRAPH_SIMPLIFY_H
#define DAEDAL_MODEL_GRAPH_SIMPLIFY_H

#include "model/expand/nodes.h"

/* The operands are not all constant. */
dae__node dae__simple_sum(dae__graph *g, dae__node a, dae__node b);
dae__node dae__simple_difference(dae__graph *g, dae__node a, dae__node b);
dae__node dae__simple_product(dae__graph *g, dae__node a, dae__node b);
dae__node dae__simple_quotient(dae__graph *g, dae__node a, dae__node b);
dae__node dae__simple_power(dae__graph *g, dae__node a, dae__node b);
dae__node dae__simple_negative(dae__graph *g, dae__node a);

static inline bool dae__is(const dae__graph *g, dae__node node, dae__op op)
{
  return g->entry[node].op == (int)op;
}

/* The node as it stands. */
static inline dae__node dae__make(dae__graph *g, dae__op op, dae__node a, dae__node b)
{
  return dae__intern(g, (dae__entry){(int)op, a, b, 0});
}

/* Operands of commuting operators: constants first, then by index. */
static inline void dae__put_in_order(const dae__graph *g, dae__node *a, dae__node *b)
{
  bool first = dae__is(g, *a, DAE__OP_CONSTANT), second = dae__is(g, *b, DAE__OP_CONSTANT);
  if (first == second ? *a <= *b : first)
    return;
  dae__node other = *a;
  *a = *b;
  *b = other;
}

#endif
