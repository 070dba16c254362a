/* Accelerations, multipliers and projection of a mechanical system as tapes. */
#ifndef DAEDAL_MODEL_BIND_ACCELERATIONS_H
#define DAEDAL_MODEL_BIND_ACCELERATIONS_H

#include "model/bind/bind.h"
#include "model/bind/mechanics.h"

/* Expressions of a mechanical system; matrices are sorted. */
typedef struct dae__mechanical_nodes {
  const dae__nodes *f, *s, *g, *gdot, *gamma, *k, *kappa;
  const dae__triplets *M, *G, *K;
} dae__mechanical_nodes;

/* Builds the tapes `accelerate` and `project` of m, which stay NULL where elimination in a fixed
 * order is not available. */
void dae__bind_accelerations(dae__binder *b, const dae__system *u, const dae__mechanical_nodes *of,
                             dae__mechanical_tapes *m);

#endif
