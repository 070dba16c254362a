/* The interpreter of tapes. Every operator rounds as dae__op_value does: products and sums are
 * rounded separately (the layer is compiled without contraction), so that a tape gives the bits of
 * the expressions it was made of. */
#include "core/vec.h"
#include "model/power.h"
#include "model/tape_code.h"

#define R(i) r[q[i]]
#define BINARY(name, expression)                                                                   \
  case DAE__OP_##name: {                                                                           \
    const int *q = p + 2;                                                                          \
    r[p[1]] = last = (expression);                                                                 \
    p += 4;                                                                                        \
    break;                                                                                         \
  }
#define UNARY(name, expression)                                                                    \
  case DAE__OP_##name: {                                                                           \
    const int *q = p + 2;                                                                          \
    r[p[1]] = last = (expression);                                                                 \
    p += 3;                                                                                        \
    break;                                                                                         \
  }
#define ARITHMETIC(name, words, expression)                                                        \
  case DAE__TAPE_##name: {                                                                         \
    do {const int *q = p + 2;                                                                          \
    (void)q;                                                                                       \
    r[p[1]] = last = (expression);                                                                 \
    p += 2 + words; } while (*p == DAE__TAPE_##name);                                               \
    break;                                                                                         \
  }                                                                                                \
  case DAE__TAPE_##name##_OUT: {                                                                   \
    do {const int *q = p + 3;                                                                          \
    (void)q;                                                                                       \
    out[p[1]][p[2]] = last = (expression);                                                         \
    p += 3 + words;  } while (*p == DAE__TAPE_##name##_OUT);                                          \
    break;                                                                                         \
  }

static void run(const int *p, double *restrict r, double *const *out)
{
  double last = 0;
  for (;;) {
    switch (*p) {
      DAE__TAPE_ARITHMETIC(ARITHMETIC)
      BINARY(POW, pow(R(0), R(1)))
      BINARY(POWI, dae__whole_power(R(0), p[3]))
      UNARY(SIN, sin(R(0)))
      UNARY(COS, cos(R(0)))
      UNARY(TAN, tan(R(0)))
      UNARY(ASIN, asin(R(0)))
      UNARY(ACOS, acos(R(0)))
      UNARY(ATAN, atan(R(0)))
      BINARY(ATAN2, atan2(R(0), R(1)))
      UNARY(SINH, sinh(R(0)))
      UNARY(COSH, cosh(R(0)))
      UNARY(TANH, tanh(R(0)))
      UNARY(EXP, exp(R(0)))
      UNARY(LOG, log(R(0)))
      UNARY(LOG10, log10(R(0)))
      UNARY(ABS, fabs(R(0)))
      UNARY(SIGN, R(0) > 0 ? 1 : R(0) < 0 ? -1 : R(0))
      BINARY(HYPOT, hypot(R(0), R(1)))
      UNARY(FLOOR, floor(R(0)))
      BINARY(LESS, R(0) < R(1))
      BINARY(LESS_EQUAL, R(0) <= R(1))
      BINARY(EQUAL, R(0) == R(1))
      BINARY(AND, R(0) != 0 && R(1) != 0)
      BINARY(OR, R(0) != 0 || R(1) != 0)
      UNARY(NOT, R(0) == 0)
    case DAE__OP_IF:
      r[p[1]] = last = r[p[2]] != 0 ? r[p[3]] : r[p[4]];
      p += 5;
      break;
    case DAE__TAPE_STORE:
      do { out[p[1]][p[2]] = r[p[3]];
      p += 4; } while (*p == DAE__TAPE_STORE);
      break;
    case DAE__TAPE_STORE_L:
      do { out[p[1]][p[2]] = last;
      p += 3; } while (*p == DAE__TAPE_STORE_L);
      break;
    case DAE__TAPE_END:
      return;
    default: __builtin_unreachable();
    }
  }
}

void dae__tape_run(const dae__tape *tape, const double *const *in, double *const *out)
{
  double *r = tape->r;
  for (int i = 0; i < tape->loads; i++) {
    dae__tape_load load = tape->load[i];
    const double *from = in[load.class] + load.first;
    for (int j = 0; j < load.count; j++)
      r[j] = from[j];
    r += load.count;
  }
  for (int group = 0; tape->zeroed && group < tape->groups; group++)
    dae__zero(tape->zeroed[group], out[group]);
  run(tape->code, tape->r, out);
}

int dae__tape_length(const dae__tape *tape)
{
  return tape->length;
}

int dae__tape_registers(const dae__tape *tape)
{
  return tape->registers;
}

