/* Between the compiler of tapes and their interpreter: the instructions.
 *
 * Code is a sequence of words. An instruction is its operator, the register it writes to, and the
 * registers it reads. Operators come from the graph under their own names (DAE__OP_SIN), except
 * arithmetic, which comes in more forms (DAE__TAPE_ADD):
 *   - combined, such as a b + c, rounded as the separate operators are;
 *   - with an operand that is the result of the instruction before, which need not go through
 *     memory: ..._L where it is the first operand (or a factor of the first product), ..._R where
 *     it is the other one;
 *   - each with the result going to an output instead of a register, ..._OUT: group and index stand
 *     in the place of the register.
 * bench/tape.c chose them: what they save is the switch from one instruction to the next, about
 * 1.5 ns, and the way through memory, about 2 ns. */
#ifndef DAEDAL_MODEL_TAPE_TAPE_CODE_H
#define DAEDAL_MODEL_TAPE_TAPE_CODE_H

#include "model/tape/tape.h"

/* X(enumerator, registers read, expression): R(i) is the i-th register, `last` the result before */
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

#define DAE__TAPE_READS 4 /* registers read, at most */

/* X(operator of the graph, registers read, expression); POWI, whose power is one word more, is not
 * among them */
#define DAE__TAPE_FUNCTIONS(X)                                                                     \
  X(POW, 2, pow(R(0), R(1)))                                                                       \
  X(SIN, 1, sin(R(0)))                                                                             \
  X(COS, 1, cos(R(0)))                                                                             \
  X(TAN, 1, tan(R(0)))                                                                             \
  X(ASIN, 1, asin(R(0)))                                                                           \
  X(ACOS, 1, acos(R(0)))                                                                           \
  X(ATAN, 1, atan(R(0)))                                                                           \
  X(ATAN2, 2, atan2(R(0), R(1)))                                                                   \
  X(SINH, 1, sinh(R(0)))                                                                           \
  X(COSH, 1, cosh(R(0)))                                                                           \
  X(TANH, 1, tanh(R(0)))                                                                           \
  X(EXP, 1, exp(R(0)))                                                                             \
  X(LOG, 1, log(R(0)))                                                                             \
  X(LOG10, 1, log10(R(0)))                                                                         \
  X(ABS, 1, fabs(R(0)))                                                                            \
  X(SIGN, 1, R(0) > 0 ? 1 : R(0) < 0 ? -1 : R(0))                                                  \
  X(HYPOT, 2, hypot(R(0), R(1)))                                                                   \
  X(FLOOR, 1, floor(R(0)))                                                                         \
  X(LESS, 2, R(0) < R(1))                                                                          \
  X(LESS_EQUAL, 2, R(0) <= R(1))                                                                   \
  X(EQUAL, 2, R(0) == R(1))                                                                        \
  X(AND, 2, R(0) != 0 && R(1) != 0)                                                                \
  X(OR, 2, R(0) != 0 || R(1) != 0)                                                                 \
  X(NOT, 1, R(0) == 0)                                                                             \
  X(IF, 3, R(0) != 0 ? R(1) : R(2))

enum {
  DAE__TAPE_NONE = DAE__OP_COUNT - 1,
#define DAE__TAPE_ENUM(name, reads, expression) DAE__TAPE_##name, DAE__TAPE_##name##_OUT,
  DAE__TAPE_ARITHMETIC(DAE__TAPE_ENUM)
#undef DAE__TAPE_ENUM
      DAE__TAPE_STORE, /* out[group][index] = register */
  DAE__TAPE_STORE_L,   /* out[group][index] = last */
  DAE__TAPE_END
};

/* Native code of a tape (native.c). It does what the interpreter does on the registers r; one that
 * is whole also takes the inputs and sets zeros, and reads nothing but constants in r. */
typedef void dae__tape_native(const double *const *in, double *const *out, double *r);

/* The first entries of a group that are set to zero. */
typedef struct dae__tape_zeros {
  int group, count;
} dae__tape_zeros;

/* Inputs in[class][first], ... that go to consecutive registers. */
typedef struct dae__tape_load {
  int class, first, count;
} dae__tape_load;

struct dae__tape {
  const int *code;
  double *r; /* inputs, constants, temporaries */
  const dae__tape_load *load;
  const dae__tape_zeros *zeros; /* of groups that outputs do not fill */
  int loads, zeroed, groups;    /* how many */
  int length, registers;
  const dae__tape_plan *plan; /* of a tape that is not made yet: code is NULL */
  dae__arena *arena;          /* for it */
  dae__tape_native *native;   /* NULL: interpreted */
  bool whole;                 /* of native */
};

#endif
