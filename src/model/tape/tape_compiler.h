/* The stages of the compiler of tapes, and what they pass on. */
#ifndef DAEDAL_MODEL_TAPE_TAPE_COMPILER_H
#define DAEDAL_MODEL_TAPE_TAPE_COMPILER_H

#include "model/expand/nodes.h"
#include "model/tape/tape_code.h"

/* A node that is needed. Values are numbered in an order of evaluation. */
typedef struct dae__tape_value {
  dae__node node;
  int uses;      /* as an operand and as an output; later: as a register that is read */
  int in;        /* its register, -1: none */
  int output;    /* the first output that it goes to, -1: none */
  bool absorbed; /* computed by the instruction that uses it */
} dae__tape_value;

/* An instruction that has no registers yet. */
typedef struct dae__tape_step {
  int op;
  int result; /* value */
  int reads, read[DAE__TAPE_READS];
  int power; /* of POWI */
} dae__tape_step;

typedef struct dae__tape_compiler {
  dae_env env;
  const dae__tape_plan *plan;
  const dae__graph *graph;
  bool failed;
  int *place;       /* by node: value + 1; 0: not met, -1: its operands are being visited */
  int *next_output; /* by output: the next one of the same value, -1: none */
  dae__node *stack;
  int stack_capacity;
  dae__tape_value *value;
  int values, value_capacity;
  dae__tape_step *step;
  int steps, step_capacity;
} dae__tape_compiler;

/* Scratch memory: zeroed, or as it comes; or NULL and sticky failure. */
void *dae__tape_scratch(dae__tape_compiler *c, int count, size_t size);
void *dae__tape_memory(dae__tape_compiler *c, int count, size_t size);
void dae__tape_release(dae__tape_compiler *c, void *memory); /* NULL is allowed */
/* Room for `more` items after the first count, else memory as it is and sticky failure. */
void *dae__tape_grow(dae__tape_compiler *c, void *memory, int *capacity, int count, int more,
                     size_t size);
static inline void *dae__tape_reserve(dae__tape_compiler *c, void *memory, int *capacity, int count,
                                      int more, size_t size)
{
  return count <= *capacity - more ? memory
                                   : dae__tape_grow(c, memory, capacity, count, more, size);
}

void dae__tape_select(dae__tape_compiler *c);
void dae__tape_group(dae__tape_compiler *c);
void dae__tape_allocate(dae__tape_compiler *c, dae__arena *arena, dae__tape *tape);
void dae__tape_encode(dae__tape_compiler *c, dae__arena *arena, dae__tape *tape);

static inline const dae__entry *dae__tape_entry(const dae__tape_compiler *c, int v)
{
  return &c->graph->entry[c->value[v].node];
}

/* The value of a node that was met. */
static inline int dae__tape_value_of(const dae__tape_compiler *c, dae__node node)
{
  return c->place[node] - 1;
}

#endif
