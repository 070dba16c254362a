/* The instructions of tapes, and the stages of their compiler.
 *
 * Code is a sequence of words. An instruction is its operator, the register it writes to, and the
 * registers it reads. Operators come from the graph under their own names (DAE__OP_SIN), except
 * arithmetic, which has more forms (DAE__TAPE_ADD):
 *   - combined, such as a b + c, rounded like the separate operators;
 *   - with the result of the previous instruction as an operand, which need not go through memory:
 *     ..._L where it is the first operand (or a factor of the first product), ..._R where it is the
 *     other one;
 *   - with an output instead of a register as the target, ..._OUT: group and index stand in the
 *     place of the register.
 * bench/tape.c chose them: they save the dispatch of an instruction, about 1.5 ns, and a store and
 * load, about 2 ns. */
#ifndef DAEDAL_MODEL_TAPE_TAPE_CODE_H
#define DAEDAL_MODEL_TAPE_TAPE_CODE_H

#include "model/tape/tape.h"

/* X(enumerator, registers read, expression): R(i) is the i-th register, `last` the last result */
#define DAE__TAPE_ARITHMETIC(X)                                                                    \
  X(ADD, 2, R(0) + R(1))                                                                           \
  X(ADD_L, 1, last + R(0))                                                                         \
  X(SUB, 2, R(0) - R(1))                                                                           \
  X(SUB_L, 1, last - R(0))                                                                         \
  X(SUB_R, 1, R(0) - last)                                                                         \
  X(MUL, 2, R(0) * R(1))                                                                           \
  X(MUL_L, 1, last *R(0))                                                                          \
  X(DIV, 2, R(0) / R(1))                                                                           \
  X(DIV_L, 1, last / R(0))                                                                         \
  X(DIV_R, 1, R(0) / last)                                                                         \
  X(NEG, 1, -R(0))                                                                                 \
  X(NEG_L, 0, -last)                                                                               \
  X(SQUARE, 1, R(0) * R(0))                                                                        \
  X(SQUARE_L, 0, last *last)                                                                       \
  X(SQRT, 1, sqrt(R(0)))                                                                           \
  X(SQRT_L, 0, sqrt(last))                                                                         \
  X(MUL_ADD, 3, R(0) * R(1) + R(2))                                                                \
  X(MUL_ADD_L, 2, last *R(0) + R(1))                                                               \
  X(MUL_ADD_R, 2, R(0) * R(1) + last)                                                              \
  X(MUL_SUB, 3, R(0) * R(1) - R(2))                                                                \
  X(MUL_SUB_L, 2, last *R(0) - R(1))                                                               \
  X(MUL_SUB_R, 2, R(0) * R(1) - last)                                                              \
  X(SUB_MUL, 3, R(2) - R(0) * R(1))                                                                \
  X(SUB_MUL_L, 2, R(1) - last * R(0))                                                              \
  X(SUB_MUL_R, 2, last - R(0) * R(1))                                                              \
  X(MUL_MUL, 3, R(0) * R(1) * R(2))                                                                \
  X(MUL_MUL_L, 2, last *R(0) * R(1))                                                               \
  X(MUL_MUL_R, 2, R(0) * R(1) * last)                                                              \
  X(MUL_DIV, 3, R(0) * R(1) / R(2))                                                                \
  X(MUL_DIV_L, 2, last *R(0) / R(1))                                                               \
  X(MUL_DIV_R, 2, R(0) * R(1) / last)                                                              \
  X(NEG_MUL, 2, -(R(0) * R(1)))                                                                    \
  X(NEG_MUL_L, 1, -(last * R(0)))                                                                  \
  X(MUL_ADD_MUL, 4, R(0) * R(1) + R(2) * R(3))                                                     \
  X(MUL_ADD_MUL_L, 3, last *R(0) + R(1) * R(2))                                                    \
  X(MUL_SUB_MUL, 4, R(0) * R(1) - R(2) * R(3))                                                     \
  X(MUL_SUB_MUL_L, 3, last *R(0) - R(1) * R(2))                                                    \
  X(MUL_SUB_MUL_R, 3, R(0) * R(1) - last * R(2))                                                   \
  X(LENGTH, 4, sqrt(R(0) * R(1) + R(2) * R(3)))                                                    \
  X(LENGTH_L, 3, sqrt(last *R(0) + R(1) * R(2)))

#define DAE__TAPE_READS 4 /* largest number of registers read by one instruction */

enum {
  DAE__TAPE_NONE = DAE__OP_COUNT - 1,
#define DAE__TAPE_ENUM(name, reads, expression) DAE__TAPE_##name, DAE__TAPE_##name##_OUT,
  DAE__TAPE_ARITHMETIC(DAE__TAPE_ENUM)
#undef DAE__TAPE_ENUM
      DAE__TAPE_STORE, /* out[group][index] = register */
  DAE__TAPE_STORE_L,   /* out[group][index] = last */
  DAE__TAPE_END
};

/* Native code of a tape (native.c): the instructions on the registers r. Code that is whole also
 * loads the inputs and sets zeros, and reads only constants in r. */
typedef void dae__tape_native(const double *const *in, double *const *out, double *r);

/* A group whose first `count` entries are set to zero. */
typedef struct dae__tape_zeros {
  int group, count;
} dae__tape_zeros;

/* Inputs in[class][first + i], i < count, loaded into consecutive registers. */
typedef struct dae__tape_load {
  int class, first, count;
} dae__tape_load;

struct dae__tape {
  const int *code;
  double *r; /* registers: inputs, constants, temporaries */
  const dae__tape_load *load;
  const dae__tape_zeros *zeros; /* groups with entries that no output writes */
  int loads, zeroed, groups;    /* numbers of loads, of zeros, of output groups */
  int length, registers;        /* numbers of instructions and registers */
  const dae__tape_plan *plan;   /* of a tape to be compiled at its first run: code is NULL */
  dae__arena *arena;            /* memory for that */
  dae__tape_native *native;     /* NULL: interpreted */
  bool whole;                   /* native also loads inputs and sets zeros */
};

/* ---- the compiler ---- */

/* The value of a node below the outputs. Values are numbered in an order of evaluation. */
typedef struct dae__tape_value {
  dae__node node;
  int uses;      /* as an operand and as an output; after grouping: reads of its register */
  int in;        /* register, -1: none */
  int output;    /* first output with this value, -1: none */
  bool absorbed; /* computed by the instruction that uses it */
} dae__tape_value;

/* An instruction before the allocation of registers: operands are values. */
typedef struct dae__tape_step {
  int op;
  int result;
  int reads, read[DAE__TAPE_READS];
  int power; /* of POWI */
} dae__tape_step;

typedef struct dae__tape_compiler {
  dae_env env;
  const dae__tape_plan *plan;
  const dae__graph *graph;
  bool failed;
  int *place;       /* by node: value + 1; 0: not visited, -1: its operands are being visited */
  int *next_output; /* by output: the next output with the same value, -1: none */
  dae__node *stack;
  int stack_capacity;
  dae__tape_value *value;
  int values, value_capacity;
  dae__tape_step *step;
  int steps, step_capacity;
} dae__tape_compiler;

/* Scratch memory, zeroed or uninitialised; NULL and sticky failure: out of memory. */
void *dae__tape_scratch(dae__tape_compiler *c, int count, size_t size);
void *dae__tape_memory(dae__tape_compiler *c, int count, size_t size);
void dae__tape_release(dae__tape_compiler *c, void *memory); /* NULL is allowed */
/* An array with room for `more` items after the first count; unchanged after sticky failure. */
void *dae__tape_grow(dae__tape_compiler *c, void *memory, int *capacity, int count, int more,
                     size_t size);
static inline void *dae__tape_reserve(dae__tape_compiler *c, void *memory, int *capacity, int count,
                                      int more, size_t size)
{
  return count <= *capacity - more ? memory
                                   : dae__tape_grow(c, memory, capacity, count, more, size);
}

/* The stages, in this order (tape_select.c, tape_group.c, tape_registers.c). */
void dae__tape_select(dae__tape_compiler *c);
void dae__tape_group(dae__tape_compiler *c);
void dae__tape_allocate(dae__tape_compiler *c, dae__arena *arena, dae__tape *tape);
void dae__tape_encode(dae__tape_compiler *c, dae__arena *arena, dae__tape *tape);

static inline const dae__entry *dae__tape_entry(const dae__tape_compiler *c, int v)
{
  return &c->graph->entry[c->value[v].node];
}

/* The value of a visited node. */
static inline int dae__tape_value_of(const dae__tape_compiler *c, dae__node node)
{
  return c->place[node] - 1;
}

#endif
