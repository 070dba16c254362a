/* Between the compiler of tapes and their interpreter: the instructions.
 *
 * Code is a sequence of words. An instruction is its operator, the register it writes to (none for
 * STORE), the registers it reads, and further numbers. The first operators are those of the graph,
 * under the same names; the others are combinations that occur often. */
#ifndef DAEDAL_MODEL_TAPE_CODE_H
#define DAEDAL_MODEL_TAPE_CODE_H

#include "model/tape.h"

/* Arithmetic in the forms it comes in: X(enumerator, words of operands, expression), with R(i) for
 * the i-th operand and `last` for the result of the instruction before. */
#define DAE__TAPE_ARITHMETIC(X)                                                                    \
  X(ADD, 2, R(0) + R(1))                                                                           \
  X(ADD_L, 1, last + R(0))                                                                         \
  X(SUB, 2, R(0) - R(1))                                                                           \
  X(SUB_L, 1, last - R(0))                                                                         \
  X(SUB_R, 1, R(0) - last)                                                                         \
  X(MUL, 2, R(0) * R(1))                                                                           \
  X(MUL_L, 1, last * R(0))                                                                         \
  X(DIV, 2, R(0) / R(1))                                                                           \
  X(DIV_L, 1, last / R(0))                                                                         \
  X(DIV_R, 1, R(0) / last)                                                                         \
  X(NEG, 1, -R(0))                                                                                 \
  X(NEG_L, 0, -last)                                                                               \
  X(SQUARE, 1, R(0) * R(0))                                                                        \
  X(SQUARE_L, 0, last * last)                                                                      \
  X(SQRT, 1, sqrt(R(0)))                                                                           \
  X(SQRT_L, 0, sqrt(last))                                                                         \
  X(MUL_ADD, 3, R(0) * R(1) + R(2))                                                                \
  X(MUL_ADD_L, 2, last * R(0) + R(1))                                                              \
  X(MUL_ADD_R, 2, R(0) * R(1) + last)                                                              \
  X(MUL_SUB, 3, R(0) * R(1) - R(2))                                                                \
  X(MUL_SUB_L, 2, last * R(0) - R(1))                                                              \
  X(MUL_SUB_R, 2, R(0) * R(1) - last)                                                              \
  X(SUB_MUL, 3, R(2) - R(0) * R(1))                                                                \
  X(SUB_MUL_L, 2, R(1) - last * R(0))                                                              \
  X(SUB_MUL_R, 2, last - R(0) * R(1))                                                              \
  X(MUL_ADD_MUL, 4, R(0) * R(1) + R(2) * R(3))                                                     \
  X(MUL_ADD_MUL_L, 3, last * R(0) + R(1) * R(2))                                                   \
  X(MUL_SUB_MUL, 4, R(0) * R(1) - R(2) * R(3))                                                     \
  X(MUL_SUB_MUL_L, 3, last * R(0) - R(1) * R(2))                                                   \
  X(MUL_SUB_MUL_R, 3, R(0) * R(1) - last * R(2))
#define DAE__TAPE_READS 4
enum {
  DAE__TAPE_FIRST = DAE__OP_COUNT - 1,
#define E(name, words, expression) DAE__TAPE_##name, DAE__TAPE_##name##_OUT,
  DAE__TAPE_ARITHMETIC(E)
#undef E
  DAE__TAPE_STORE,
  DAE__TAPE_STORE_L,
  DAE__TAPE_END
};

/* Inputs in[class][first], ... that go to consecutive registers. */
typedef struct dae__tape_load {
  int class, first, count;
} dae__tape_load;

struct dae__tape {
  const int *code;
  double *r; /* inputs, constants, temporaries */
  const dae__tape_load *load;
  const int *zeroed; /* by group */
  int loads, groups;
  int length, registers;
};

#endif
