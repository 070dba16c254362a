/* The instructions of tapes, and the stages of their compiler.
 *
 * Code is a sequence of words. An instruction is its operator, the register it writes to, and the
 * registers it reads. Operators come from the graph under their own names (DAE__OP_SIN), except
 * arithmetic, which has more forms (DAE__TAPE_ADD):
 *   - combined operators, such as a b + c, rounded like the separate operators;
 *   - with the result of the previous instruction as an operand, which need not go through memory:
 *     ..._L where it is the first operand (or a factor of the first product), ..._R where it is the
 *     other one;
 *   - with an output instead of a register as the target, ..._OUT: group and index stand in the
 *     place of the register.
 * These forms were selected by measurements (bench/tape.c): they save the dispatch of an
 * instruction, about 1.5 ns, and a store and load, about 2 ns. */
#ifndef DAEDAL_MODEL_TAPE_TAPE_CODE_H
#define DAEDAL_MODEL_TAPE_TAPE_CODE_H

#include "model/tape/tape.h"

/* X(enumerator, number of registers read, expression): R(i) is the i-th register read, `last` the
 * result of the previous instruction. */
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
  DAE__TAPE_STORE_L,   /* out[group][index] = result of the previous instruction */
  DAE__TAPE_END
};

/* Native code of a tape (native.c), which works on the registers r. Whole code also loads the
 * inputs and sets the zeros, and reads only constants and intervals found before from r. */
typedef void dae__tape_native(const double *const *in, double *const *out, double *r,
                              const dae__curve *const *curves);

/* A group of outputs whose first `count` entries are set to zero. */
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
  const dae__tape_zeros *zeros;    /* groups with zeroed entries that no output writes */
  int loads, zeroed, groups;       /* numbers of loads, of groups with zeros, of output groups */
  int length, registers;           /* numbers of instructions and registers; 0: not compiled */
  const dae__curve *const *curves; /* curves of the graph */
  const dae__tape_plan *plan; /* plan of a lazy tape, whose code is NULL before its first run */
  dae__arena *arena;          /* memory for the compilation of a lazy tape */
  dae__tape_native *native;   /* native code; NULL: the tape is interpreted */
  bool whole;                 /* the native code also loads inputs and sets zeros */
};

/* dae__tape_run, inlined for whole native code: for callbacks of every stage. */
static inline bool dae__tape_run_frequent(dae__tape *tape, const double *const *in,
                                          double *const *out)
{
  if (!tape->whole)
    return dae__tape_run(tape, in, out);
  tape->native(in, out, tape->r, tape->curves);
  return true;
}

/* ---- tape compiler ---- */

/* Value of a node below the outputs; values are numbered in an order of evaluation. */
typedef struct dae__tape_value {
  dae__node node;
  /* number of uses as operand and as output; after grouping, number of reads of the register */
  int uses;
  int in;        /* register of the value; -1: none */
  int output;    /* first output with this value; -1: none */
  bool absorbed; /* the instruction that uses the value also computes it */
} dae__tape_value;

/* An instruction before register allocation, with values as operands. */
typedef struct dae__tape_step {
  int op;
  int result;
  int reads, read[DAE__TAPE_READS];
  int word; /* power, curve, or curve and order, of operators that have one */
} dae__tape_step;

typedef struct dae__tape_compiler {
  dae_env env;
  const dae__tape_plan *plan;
  const dae__graph *graph;
  bool failed;
  int *place;       /* by node: value + 1; 0: not visited, -1: operands are being visited */
  int *next_output; /* by output: next output with the same value; -1: none */
  dae__node *stack;
  int stack_capacity;
  dae__tape_value *value;
  int values, value_capacity;
  dae__tape_step *step;
  int steps, step_capacity;
} dae__tape_compiler;

/* Scratch memory; NULL, with sticky failure: out of memory. */
void *dae__tape_memory(dae__tape_compiler *c, int count, size_t size, bool zeroed);
void dae__tape_release(dae__tape_compiler *c, void *memory); /* memory may be NULL */
/* Array with capacity for `more` items after the first `count`; unchanged after sticky failure. */
void *dae__tape_grow(dae__tape_compiler *c, void *memory, int *capacity, int count, int more,
                     size_t size);
static inline void *dae__tape_reserve(dae__tape_compiler *c, void *memory, int *capacity, int count,
                                      int more, size_t size)
{
  return count <= *capacity - more ? memory
                                   : dae__tape_grow(c, memory, capacity, count, more, size);
}

/* Stages of the tape compiler, in this order (tape_select.c, tape_group.c, tape_registers.c). */
void dae__tape_select(dae__tape_compiler *c);
void dae__tape_group(dae__tape_compiler *c);
void dae__tape_allocate(dae__tape_compiler *c, dae__arena *arena, dae__tape *tape);
void dae__tape_encode(dae__tape_compiler *c, dae__arena *arena, dae__tape *tape);

static inline const dae__entry *dae__tape_entry(const dae__tape_compiler *c, int v)
{
  return &c->graph->entry[c->value[v].node];
}

/* Number of the value of a visited node. */
static inline int dae__tape_value_of(const dae__tape_compiler *c, dae__node node)
{
  return c->place[node] - 1;
}

#endif
