/* What the walks share: the part of the graph below a node, in an order of evaluation, and scratch
 * memory. Per node of the graph a walker keeps a mark only, valid in the walk that made it; all
 * else is kept per visit, so that a walk costs what it visits, whatever the size of the graph. */
#ifndef DAEDAL_MODEL_GRAPH_WALKER_H
#define DAEDAL_MODEL_GRAPH_WALKER_H

#include "model/expand/nodes.h"
#include "model/graph/walk.h"

typedef struct dae__mark {
  int walk; /* the walk that met the node */
  int slot; /* its place in the order; -1 while its operands are being visited */
} dae__mark;

typedef struct dae__visit {
  dae__node node;
  dae__node value;  /* its replacement, or its adjoint */
  int sweep;        /* the sweep the adjoint belongs to */
  int first, count; /* gradient of an `if`: its part of walker.partial */
  bool depends;     /* on leaves that are meant */
  bool plain;       /* linear with constant coefficients, apart from the choices it makes */
} dae__visit;

typedef struct dae__pair {
  int key;
  dae__node node;
} dae__pair;

/* An array and its length. */
#define DAE__ARRAY(type)                                                                           \
  struct {                                                                                         \
    type *item;                                                                                    \
    int count, capacity;                                                                           \
  }

struct dae__walker {
  dae_env env;
  dae__graph *graph;
  bool failed;
  int walk, sweep;            /* running numbers */
  bool partly;                /* the sweep is that of a branch, which goes by the heap */
  long visits;                /* of all walks */
  DAE__ARRAY(dae__mark) mark; /* by node */
  DAE__ARRAY(dae__node) stack;
  DAE__ARRAY(dae__visit) visit;  /* by slot: operands before the nodes they stand in */
  DAE__ARRAY(int) heap;          /* slots the sweep of a branch has still to treat */
  DAE__ARRAY(dae__pair) reached; /* leaves the sweep has met */
  DAE__ARRAY(dae__pair) partial; /* gradients of `if` nodes: slots of leaves and derivatives */
  DAE__ARRAY(int) leaf;          /* results */
  DAE__ARRAY(dae__node) value;
};

/* Makes room for `more` further items; false, and sticky failure of the walker: out of memory. */
#define DAE__RESERVE(walker, array, more)                                                          \
  ((array)->count <= (array)->capacity - (more) ||                                                 \
   dae__walker_reserve((walker), (void *)&(array)->item, &(array)->capacity, (array)->count,       \
                       (more), sizeof *(array)->item))
bool dae__walker_reserve(dae__walker *walker, void *item, int *capacity, int count, int more,
                         size_t size);

/* Visits the nodes below root, each once, operands first; false: failure. */
typedef enum dae__walk_kind {
  DAE__WALK_ALL,
  DAE__WALK_SMOOTH /* only operands that have an influence on derivatives */
} dae__walk_kind;
bool dae__walk_below(dae__walker *walker, dae__node root, dae__walk_kind kind);

/* Operands that have an influence on derivatives. */
static inline int dae__smooth_operands(const dae__entry *entry, dae__node operand[3])
{
  int op = entry->op;
  bool choice = op == DAE__OP_IF;
  operand[0] = choice ? entry->b : entry->a;
  operand[1] = choice ? entry->c : entry->b;
  if (op == DAE__OP_SIGN || op == DAE__OP_FLOOR || (op >= DAE__OP_LESS && op <= DAE__OP_NOT))
    return 0;
  return choice ? 2 : dae__op_operands((dae__op)op);
}

void dae__pairs_sort(int count, dae__pair *pair); /* by key, rising */

static inline int dae__slot_of(const dae__walker *walker, dae__node node)
{
  return walker->mark.item[node].slot;
}

#endif
