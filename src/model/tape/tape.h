/* Tapes: expressions compiled into a flat list of instructions, evaluated without allocation.
 *
 * A tape computes outputs out of inputs. Inputs come in classes (t, q, v, ...), each an array the
 * caller points to; outputs go to groups (f, g, G, ...), each an array too. All outputs of a tape
 * share common subexpressions. Values that are needed no more give their register to later ones,
 * so that large models stay in the cache. */
#ifndef DAEDAL_MODEL_TAPE_TAPE_H
#define DAEDAL_MODEL_TAPE_TAPE_H

#include "core/arena.h"
#include "model/graph/graph.h"

/* Where the value of a leaf comes from: in[class][index]; class -1: not available, its value is
 * NaN. Leaves that are neighbours in a class should have neighbouring numbers: they are then loaded
 * together. */
typedef struct dae__tape_input {
  int class, index;
} dae__tape_input;

/* out[group][index] = node */
typedef struct dae__tape_output {
  int group, index;
  dae__node node;
} dae__tape_output;

/* Scratch memory, some of which grows with the graph, for a caller that makes many tapes of one
 * graph: start with {0}, free at the end. After a tape could not be made it is of no further use.
 */
typedef struct dae__tape_marks {
  int *place; /* all 0 between tapes */
  int capacity;
  struct dae__tape_buffer *buffer; /* what small tapes need is cut from it */
} dae__tape_marks;

void dae__tape_marks_free(dae__tape_marks *marks, const dae_env *env);

typedef struct dae__tape_plan {
  const dae__graph *graph;
  const dae__tape_input *input; /* by leaf */
  const dae__tape_output *output;
  int outputs;
  int classes, groups;
  const int *zeroed; /* groups entries, or NULL: the first zeroed[i] entries of group i are set to 0
                        before the outputs are written, each at most once there; outputs that are
                        constant 0 there are left out */
  dae__tape_marks *marks; /* NULL: made for this tape alone */
} dae__tape_plan;

typedef struct dae__tape dae__tape;

/* Out of memory shows as NULL. Scratch of the compiler is released. */
dae__tape *dae__tape_create(dae__arena *arena, const dae__tape_plan *plan);

/* A tape that is made when it is run for the first time: most tapes of a model never are. The plan,
 * with all it points to, has to live until then, and the arena is taken from. */
dae__tape *dae__tape_postpone(dae__arena *arena, const dae__tape_plan *plan);
/* Makes one that was postponed now; nothing to do for others. False: out of memory. */
bool dae__tape_make(dae__tape *tape);

/* Evaluates. in has a pointer per class (may be NULL where the tape uses none of it), out one per
 * group. Registers are the tape's: one thread at a time. False, with nothing written: it was
 * postponed, and memory ran out. */
bool dae__tape_run(dae__tape *tape, const double *const *in, double *const *out);

int dae__tape_length(const dae__tape *tape); /* instructions; 0 of one that is not made */
int dae__tape_registers(const dae__tape *tape);

#endif
