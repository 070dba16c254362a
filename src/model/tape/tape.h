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

/* The source of the value of a leaf: in[class][index]; class -1: not available, its value is NaN.
 * Neighbours in a class should be leaves with neighbouring numbers: they are loaded together. */
typedef struct dae__tape_input {
  int class, index;
} dae__tape_input;

/* out[group][index] = node */
typedef struct dae__tape_output {
  int group, index;
  dae__node node;
} dae__tape_output;

/* Workspace of the compiler, some of which grows with the graph, for a caller that compiles many
 * tapes of one graph: start with {0}, free at the end, and after a failure. */
typedef struct dae__tape_workspace {
  int *place; /* all 0 between tapes */
  int capacity;
  struct dae__tape_buffer *buffer; /* memory of small tapes */
} dae__tape_workspace;

void dae__tape_workspace_free(dae__tape_workspace *workspace, const dae_env *env);

typedef struct dae__tape_plan {
  const dae__graph *graph;
  const dae__tape_input *input; /* by leaf */
  const dae__tape_output *output;
  int outputs;
  int classes, groups;
  const int *zeroed; /* groups entries, or NULL: the first zeroed[i] entries of group i are set to 0
                        before the outputs are written, each at most once there; outputs that are
                        constant 0 there are left out */
  dae__tape_workspace *workspace; /* NULL: a workspace for this tape alone */
} dae__tape_plan;

typedef struct dae__tape dae__tape;

/* A compiled tape; NULL: out of memory. */
dae__tape *dae__tape_create(dae__arena *arena, const dae__tape_plan *plan);

/* A tape that is compiled at its first run: most tapes of a model never run. The plan, with all it
 * points to, has to live until then, as does the arena. */
dae__tape *dae__tape_create_lazy(dae__arena *arena, const dae__tape_plan *plan);
/* Compiles a tape that is not compiled yet. False: out of memory. */
bool dae__tape_compile(dae__tape *tape);

/* Evaluates. in has a pointer per class (NULL where the tape reads none of it), out one per group.
 * Registers belong to the tape: one thread at a time. False, with nothing written: out of memory at
 * the first run of a lazy tape. */
bool dae__tape_run(dae__tape *tape, const double *const *in, double *const *out);

int dae__tape_length(const dae__tape *tape); /* instructions; 0: not compiled */
int dae__tape_registers(const dae__tape *tape);

#endif
