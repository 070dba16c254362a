/* Partial derivatives of single operators. */
#ifndef DAEDAL_MODEL_GRAPH_PARTIALS_H
#define DAEDAL_MODEL_GRAPH_PARTIALS_H

#include "model/graph/graph.h"

/* w times the derivative of the node with respect to its i-th smooth operand; not for `if`. */
dae__node dae__partial(dae__graph *graph, dae__node node, int i, dae__node w);

#endif
