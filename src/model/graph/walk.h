/* Walks over the part of an expression graph below given nodes, without recursion: the leaves of an
 * expression, its derivatives, the substitution of leaves. One walker serves any number of walks;
 * it owns scratch memory that grows with the graph. Per node of the graph it keeps only a mark,
 * valid in the walk that made it; all else is kept per visited node, so that the cost of a walk
 * does not depend on the size of the graph. Failure is sticky in the graph and in the walker:
 * results are then empty, or the node 0. */
#ifndef DAEDAL_MODEL_GRAPH_WALK_H
#define DAEDAL_MODEL_GRAPH_WALK_H

#include "model/graph/graph.h"

typedef struct dae__walk_mark {
  int walk; /* number of the last walk that visited the node */
  int slot; /* position in the order of evaluation; -1 while the operands are being visited */
} dae__walk_mark;

typedef struct dae__walk_visit {
  dae__node node;
  dae__node value; /* node substituted for the visited one, or its adjoint */
  int sweep;       /* number of the sweep that computed the adjoint */
  /* section of walker.partial with the gradient of an `if`; count: also the degree of a node */
  int first, count;
  bool depends; /* the node depends on selected leaves */
  bool plain;   /* the node is linear with constant coefficients in each branch of an `if` */
} dae__walk_visit;

typedef struct dae__walk_pair {
  int key;
  dae__node node;
} dae__walk_pair;

#define DAE__ARRAY(type)                                                                           \
  struct {                                                                                         \
    type *item;                                                                                    \
    int count, capacity;                                                                           \
  }

typedef struct dae__walker {
  dae_env env;
  dae__graph *graph;
  bool failed;                     /* out of memory */
  int walk, sweep;                 /* numbers of the current walk and sweep */
  bool partly;                     /* the current sweep covers a branch of an `if`, by the heap */
  long visits;                     /* number of nodes visited by all walks */
  DAE__ARRAY(dae__walk_mark) mark; /* by node: mark of its last visit */
  DAE__ARRAY(dae__node) stack;
  /* by slot: visited nodes, operands before the nodes that contain them */
  DAE__ARRAY(dae__walk_visit) visit;
  DAE__ARRAY(dae__walk_pair) heap;    /* pending slots, the keys, in the sweep over a branch */
  DAE__ARRAY(dae__walk_pair) reached; /* leaves reached by the sweep, with their adjoints */
  /* gradients of `if` nodes: pairs of the slot of a leaf and the derivative by it */
  DAE__ARRAY(dae__walk_pair) partial;
  DAE__ARRAY(int) leaf; /* results of a walk: leaves, and the derivatives by them */
  DAE__ARRAY(dae__node) value;
} dae__walker;

dae__walker *dae__walker_create(dae__graph *graph, const dae_env *env); /* NULL: out of memory */
void dae__walker_free(dae__walker *walker);

/* Leaves below nodes, each once, in rising order; valid until the next walk. */
typedef struct dae__leaves {
  int count;
  const int *leaf;
} dae__leaves;

dae__leaves dae__leaves_below(dae__walker *walker, int count, const dae__node *nodes);

/* Selection of leaves by kind: leaf i is selected if kind[i] & mask is not 0. */
typedef struct dae__kinds {
  const unsigned char *kind;
  unsigned mask;
} dae__kinds;

/* Partial derivatives of one node with respect to the selected leaves in rising order, without
 * those that are the constant zero; valid until the next walk. They are computed by one reverse
 * sweep, and branch by branch for `if`, so that derivatives of the branch not taken never enter,
 * even where they are not defined. */
typedef struct dae__gradient {
  int count;
  const int *leaf;
  const dae__node *value;
} dae__gradient;

dae__gradient dae__gradient_of(dae__walker *walker, dae__node node, dae__kinds kinds);

/* Directional derivative: sum over the selected leaves of d(node)/d(leaf) * rate[leaf], with a node
 * rate[l] for each leaf l. */
dae__node dae__derivative_along(dae__walker *walker, dae__node node, dae__kinds kinds,
                                const dae__node *rate);

/* Tests that a node is linear in the selected leaves, which may stand in sums, in one factor of a
 * product, in the numerator of a quotient, in the branches of an `if`. */
bool dae__is_linear(dae__walker *walker, dae__node node, dae__kinds kinds);

/* Node with each leaf l replaced by the node by[l]; by[l] = -1: l is not replaced. */
dae__node dae__replace_leaves(dae__walker *walker, dae__node node, const dae__node *by);
/* Node with the mark of all relations that are watched changed. */
dae__node dae__mark_relations(dae__walker *walker, dae__node node, dae__mark mark);

/* ---- shared by walk.c and gradient.c ---- */

/* Grows an array of a walker by capacity for `more` items; false, with sticky failure of the
 * walker: out of memory. */
#define DAE__RESERVE(walker, array, more)                                                          \
  ((array)->count <= (array)->capacity - (more) ||                                                 \
   dae__walker_reserve((walker), (void *)&(array)->item, &(array)->capacity, (array)->count,       \
                       (more), sizeof *(array)->item))
bool dae__walker_reserve(dae__walker *walker, void *item, int *capacity, int count, int more,
                         size_t size);

/* Operands that a walk follows. dae__walk_below visits the nodes below roots, each once, operands
 * first; false: failure. */
typedef enum dae__walk_kind {
  DAE__WALK_ALL,
  /* only operands with a derivative: not conditions, nor operands of sign and floor */
  DAE__WALK_SMOOTH
} dae__walk_kind;
bool dae__walk_below(dae__walker *walker, int count, const dae__node *roots, dae__walk_kind kind);

/* Operands with a derivative that is not identically zero; returns their number. */
static inline int dae__smooth_operands(const dae__entry *entry, dae__node operand[3])
{
  int op = entry->op;
  bool choice = op == DAE__OP_IF;
  operand[0] = choice ? entry->b : entry->a;
  operand[1] = choice ? entry->c : entry->b;
  if (op == DAE__OP_SIGN || op == DAE__OP_FLOOR || op == DAE__OP_KNOT ||
      (op >= DAE__OP_INTERVAL && op <= DAE__OP_NOT))
    return 0;
  if (op == DAE__OP_CURVE)
    return 1;
  return choice ? 2 : dae__op_operands((dae__op)op);
}

/* Restores the heap order of the first `count` pairs, with the largest key on top, after the pair
 * at i was replaced. */
void dae__walk_sift_down(int count, dae__walk_pair *pair, int i);
void dae__walk_pairs_sort(int count, dae__walk_pair *pair); /* sorts pairs by rising key */

static inline int dae__slot_of(const dae__walker *walker, dae__node node)
{
  return walker->mark.item[node].slot;
}

/* Nodes substituted for the operands of a visited node; true if one of them differs. */
static inline bool dae__walk_operand_values(const dae__walker *walker, const dae__entry *entry,
                                            dae__node value[3])
{
  dae__node operand[3];
  bool changed = false;
  int count = dae__entry_operands(entry, operand);
  for (int i = 0; i < count; i++) {
    value[i] = walker->visit.item[dae__slot_of(walker, operand[i])].value;
    changed |= value[i] != operand[i];
  }
  return changed;
}

#endif
