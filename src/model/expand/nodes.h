/* The storage of the expression graph, for the files that build, walk and compile it. */
#ifndef DAEDAL_MODEL_EXPAND_NODES_H
#define DAEDAL_MODEL_EXPAND_NODES_H

#include "model/graph/graph.h"

#include <stddef.h>
#include <string.h>

/* Operands that are not there are 0. LEAF: a is the leaf; POWI: b is the power, at least 2;
 * CONSTANT: a and b are the bits of the value. */
typedef struct dae__entry {
  int op, a, b, c;
} dae__entry;

struct dae__graph {
  dae_env env;
  dae__entry *entry;
  int count, capacity, limit;
  int *place; /* the hash table: nodes, 0 where it is empty */
  size_t places;
  bool failed, full;
};

/* The node of an entry as it stands: the one there is, or a new one. */
dae__node dae__intern(dae__graph *graph, dae__entry entry);

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

/* Operands that are nodes. */
static inline int dae__entry_operands(const dae__entry *entry, dae__node operand[3])
{
  operand[0] = entry->a;
  operand[1] = entry->b;
  operand[2] = entry->c;
  return dae__op_operands((dae__op)entry->op);
}

#endif
