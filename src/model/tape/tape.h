/* Tapes: expressions compiled into a flat list of instructions, evaluated without allocation.
 *
 * A tape computes outputs from inputs. Inputs have classes (t, q, v, ...), outputs have groups (f,
 * g, G, ...); each class and each group is an array of the caller. All outputs of a tape share
 * common subexpressions. Registers are reused after the last read of a value, so that large models
 * stay in the cache. */
#ifndef DAEDAL_MODEL_TAPE_TAPE_H
#define DAEDAL_MODEL_TAPE_TAPE_H

#include "core/arena.h"
#include "model/graph/graph.h"
#include <daedal/status.h>

/* Source of the value of a leaf: in[class][index]; class -1: not available, its value is NaN.
 * Leaves with consecutive numbers should have consecutive indices in a class: they are loaded
 * together. */
typedef struct dae__tape_input {
  int class, index;
} dae__tape_input;

/* Output of a tape: out[group][index] = value of node. */
typedef struct dae__tape_output {
  int group, index;
  dae__node node;
} dae__tape_output;

/* Workspace of the tape compiler, part of which grows with the graph, for a caller that compiles
 * many tapes of one graph. Start with {0}; free at the end, and after a failure. */
typedef struct dae__tape_workspace {
  int *place; /* by node: mark of the compiler, 0 between compilations */
  int capacity;
  struct dae__tape_buffer *buffer; /* memory for the compilation of small tapes */
} dae__tape_workspace;

void dae__tape_workspace_free(dae__tape_workspace *workspace, const dae_env *env);

typedef struct dae__tape_plan {
  const dae__graph *graph;
  const dae__tape_input *input; /* by leaf: source of its value */
  const dae__tape_output *output;
  int outputs;
  int classes, groups;
  /* by group, may be NULL: number of leading entries that are set to 0 before the outputs are
   * written; each of them is written by at most one output, and constant zeros among these outputs
   * are left out */
  const int *zeroed;
  dae__tape_workspace *workspace; /* workspace; NULL: allocated for this tape alone */
  /* lazy tape, compiled at its first run, since most tapes of a model never run: the arena, and the
   * plan with all its arrays, must live until then */
  bool lazy;
  dae_error *why; /* record of a lack of memory for a lazy tape; NULL: none */
} dae__tape_plan;

typedef struct dae__tape dae__tape;

/* Tape of a plan, compiled unless it is lazy; NULL: out of memory. */
dae__tape *dae__tape_create(dae__arena *arena, const dae__tape_plan *plan);
/* Compiles a lazy tape, unless it is compiled already. False: out of memory. */
bool dae__tape_compile(dae__tape *tape);

/* Evaluates the outputs of a tape. in: an array per class, NULL for a class that the tape does not
 * read; out: an array per group. Registers belong to the tape: one thread at a time. False, with
 * nothing written: out of memory at the first run of a lazy tape. */
bool dae__tape_run(dae__tape *tape, const double *const *in, double *const *out);

#endif
