/* A matrix of expressions, entry by entry, and its way into a tape. */
#ifndef DAEDAL_MODEL_BIND_TRIPLETS_H
#define DAEDAL_MODEL_BIND_TRIPLETS_H

#include "core/arena.h"
#include "model/graph/walk.h"
#include "model/pool.h"
#include "model/tape/tape.h"
#include <daedal/pattern.h>

typedef struct dae__triplet {
  int row, col;
  dae__node node;
} dae__triplet;

typedef struct dae__triplets {
  int rows, cols;
  DAE__LIST(dae__triplet) entries; /* by rising row */
} dae__triplets;

typedef DAE__LIST(dae__tape_output) dae__outputs;

/* Sorts the entries by columns. */
void dae__triplets_sort(dae__pool *pool, dae__triplets *m);
/* The pattern of sorted entries, in the arena's memory. */
const dae_pattern *dae__triplets_pattern(dae__arena *arena, const dae__triplets *m);
/* Sorted entries as outputs of a group: in the order of the pattern, or column-major (dense). */
void dae__triplets_outputs(dae__pool *pool, const dae__triplets *m, bool sparse, int group,
                           dae__outputs *out);
bool dae__triplets_constant(const dae__graph *graph, const dae__triplets *m);

#endif
