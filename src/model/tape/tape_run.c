/* The interpreter of tapes. Every operator rounds like dae__op_value: products and sums are rounded
 * separately (the layer is compiled without contraction), so that the results of a tape are
 * bitwise those of the expressions it was compiled from.
 *
 * Successive instructions of the same kind are run in a loop of their own, which is cheaper than
 * the switch. */
#include "core/vec.h"
#include "model/tape/tape_code.h"

/* Runs successive instructions of one operator. p: instruction; q: its words after the target. */
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

static void tape_run(const int *p, double *restrict r, double *const *out,
                     const dae__curve *const *curves)
{
  double last = 0;
  for (;;) {
    switch (*p) {
      DAE__TAPE_ARITHMETIC(ARITHMETIC)
      REPEAT(DAE__TAPE_STORE, out[p[1]][p[2]], 3, 1, R(0))
      REPEAT(DAE__TAPE_STORE_L, out[p[1]][p[2]], 3, 0, last)
      DAE__FUNCTION_LIST(FUNCTION)
      FUNCTION(POWI, 2, dae__whole_power(R(0), q[1]))
      FUNCTION(INTERVAL, 2, dae__curve_interval(curves[q[1]], R(0), r[p[1]]))
      FUNCTION(KNOT, 2, dae__curve_knot(curves[q[1]], R(0)))
      FUNCTION(
          CURVE, 3,
          dae__curve_value(curves[q[2] / DAE__CURVE_ORDERS], R(0), R(1), q[2] % DAE__CURVE_ORDERS))
    default: /* end of the code */
      return;
    }
  }
}

/* Loads the inputs, sets the zeros and runs the instructions. Not inlined, so that whole native
 * code is called by one jump; always returns true, so that the call of this function is a tail
 * call. */
__attribute__((noinline)) static bool
tape_run_on_registers(const dae__tape *tape, const double *const *in, double *const *out)
{
  double *r = tape->r;
  for (int i = 0; i < tape->loads; i++) {
    dae__tape_load load = tape->load[i];
    const double *from = in[load.class] + load.first;
    for (int j = 0; j < load.count; j++) /* short loops, faster here than memcpy */
      r[j] = from[j];
    r += load.count;
  }
  for (int i = 0; i < tape->zeroed; i++)
    dae__zero(tape->zeros[i].count, out[tape->zeros[i].group]);
  if (tape->native)
    tape->native(in, out, tape->r, tape->curves);
  else
    tape_run(tape->code, tape->r, out, tape->curves);
  return true;
}

/* Compiles a lazy tape at its first run, and runs it; not inlined, since it is called once per
 * tape. */
__attribute__((noinline)) static bool tape_compile_and_run(dae__tape *tape, const double *const *in,
                                                           double *const *out)
{
  return dae__tape_compile(tape) && tape_run_on_registers(tape, in, out);
}

bool dae__tape_run(dae__tape *tape, const double *const *in, double *const *out)
{
  if (!tape->whole)
    return tape->code ? tape_run_on_registers(tape, in, out) : tape_compile_and_run(tape, in, out);
  tape->native(in, out, tape->r, tape->curves);
  return true;
}
