/* The interpreter of tapes. Every operator rounds as dae__op_value does: products and sums are
 * rounded separately (the layer is compiled without contraction), so that a tape gives the bits of
 * the expressions it was made of.
 *
 * An instruction that is repeated is repeated on the spot, which is cheaper than a way through the
 * switch. */
#include "core/vec.h"
#include "model/power.h"
#include "model/tape_code.h"

/* p: the instruction; q: the words behind its result; then p moves on */
#define REPEAT(op, result, before, words, expression)                                              \
  case (op):                                                                                       \
    do {                                                                                           \
      const int *q = p + (before);                                                                 \
      (result) = last = (expression);                                                              \
      p = q + (words);                                                                             \
    } while (*p == (op));                                                                          \
    break;
#define R(i) r[q[i]]
#define FUNCTION(name, words, expression) REPEAT(DAE__OP_##name, r[p[1]], 2, (words), (expression))
#define ARITHMETIC(name, reads, expression)                                                        \
  REPEAT(DAE__TAPE_##name, r[p[1]], 2, (reads), (expression))                                      \
  REPEAT(DAE__TAPE_##name##_OUT, out[p[1]][p[2]], 3, (reads), (expression))

static void run(const int *p, double *restrict r, double *const *out)
{
  double last = 0;
  for (;;) {
    switch (*p) {
      DAE__TAPE_ARITHMETIC(ARITHMETIC)
      REPEAT(DAE__TAPE_STORE, out[p[1]][p[2]], 3, 1, R(0))
      REPEAT(DAE__TAPE_STORE_L, out[p[1]][p[2]], 3, 0, last)
      FUNCTION(POW, 2, pow(R(0), R(1)))
      FUNCTION(POWI, 2, dae__whole_power(R(0), q[1]))
      FUNCTION(SIN, 1, sin(R(0)))
      FUNCTION(COS, 1, cos(R(0)))
      FUNCTION(TAN, 1, tan(R(0)))
      FUNCTION(ASIN, 1, asin(R(0)))
      FUNCTION(ACOS, 1, acos(R(0)))
      FUNCTION(ATAN, 1, atan(R(0)))
      FUNCTION(ATAN2, 2, atan2(R(0), R(1)))
      FUNCTION(SINH, 1, sinh(R(0)))
      FUNCTION(COSH, 1, cosh(R(0)))
      FUNCTION(TANH, 1, tanh(R(0)))
      FUNCTION(EXP, 1, exp(R(0)))
      FUNCTION(LOG, 1, log(R(0)))
      FUNCTION(LOG10, 1, log10(R(0)))
      FUNCTION(ABS, 1, fabs(R(0)))
      FUNCTION(SIGN, 1, R(0) > 0 ? 1 : R(0) < 0 ? -1 : R(0))
      FUNCTION(HYPOT, 2, hypot(R(0), R(1)))
      FUNCTION(FLOOR, 1, floor(R(0)))
      FUNCTION(LESS, 2, R(0) < R(1))
      FUNCTION(LESS_EQUAL, 2, R(0) <= R(1))
      FUNCTION(EQUAL, 2, R(0) == R(1))
      FUNCTION(AND, 2, R(0) != 0 && R(1) != 0)
      FUNCTION(OR, 2, R(0) != 0 || R(1) != 0)
      FUNCTION(NOT, 1, R(0) == 0)
      FUNCTION(IF, 3, R(0) != 0 ? R(1) : R(2))
    default: /* END */
      return;
    }
  }
}

void dae__tape_run(const dae__tape *tape, const double *const *in, double *const *out)
{
  double *r = tape->r;
  for (int i = 0; i < tape->loads; i++) {
    dae__tape_load load = tape->load[i];
    const double *from = in[load.class] + load.first;
    for (int j = 0; j < load.count; j++) /* mostly few: no memcpy */
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
