/* Walks over the part of an expression graph that lies below given nodes, without recursion:
 * which leaves stand in an expression, its derivatives, what it becomes with leaves replaced. One
 * walker serves any number of walks; it owns scratch memory that grows with the graph. A walk costs
 * what it visits, whatever the size of the graph. Failure is sticky in the graph
 * (dae__graph_failed) and in the walker: results are then empty, or the node 0. */
#ifndef DAEDAL_MODEL_GRAPH_WALK_H
#define DAEDAL_MODEL_GRAPH_WALK_H

#include "model/graph/graph.h"

typedef struct dae__walker dae__walker;

dae__walker *dae__walker_create(dae__graph *graph, const dae_env *env); /* NULL: out of memory */
void dae__walker_free(dae__walker *walker);
bool dae__walker_failed(const dae__walker *walker); /* out of memory */
long dae__walker_visits(const dae__walker *walker); /* nodes visited by all walks so far */

/* Leaves below a node, each once, in rising order; valid until the next walk. */
typedef struct dae__leaves {
  int count;
  const int *leaf;
} dae__leaves;

dae__leaves dae__leaves_below(dae__walker *walker, dae__node node);
dae__leaves dae__leaves_below_all(dae__walker *walker, int count, const dae__node *nodes);

/* Leaves are chosen by their kind: leaf i is meant if kind[i] & mask. */
typedef struct dae__kinds {
  const unsigned char *kind;
  unsigned mask;
} dae__kinds;

/* Partial derivatives of one node with respect to the leaves that are meant: those that are not
 * the constant zero, in rising order of the leaves; valid until the next walk. By one reverse
 * sweep; the derivatives of `if` are taken branch by branch, so that the branch not taken never
 * enters, even where it is not defined. */
typedef struct dae__gradient {
  int count;
  const int *leaf;
  const dae__node *value;
} dae__gradient;

dae__gradient dae__gradient_of(dae__walker *walker, dae__node node, dae__kinds kinds);

/* sum over the leaves that are meant of d(node)/d(leaf) * rate[leaf]; rate has a node per leaf. */
dae__node dae__derivative_along(dae__walker *walker, dae__node node, dae__kinds kinds,
                                const dae__node *rate);

/* Whether the leaves that are meant stand linearly in a node: in sums, in one factor of a product,
 * above a division line, in the branches of an `if`. */
bool dae__is_linear(dae__walker *walker, dae__node node, dae__kinds kinds);

/* The node with leaves replaced: by[leaf], or -1 for those that stay. */
dae__node dae__replace_leaves(dae__walker *walker, dae__node node, const dae__node *by);

#endif
