/* The operators on numbers. Comparisons and logic give 1 or 0; a number is true unless it is 0. */
#include "model/graph/graph.h"
#include "model/graph/power.h"

#include <math.h>

const char *dae__op_name(dae__op op)
{
  static const char *const name[] = {
#define NAME(name, text, count) text,
      DAE__OP_LIST(NAME)
#undef NAME
  };
  return name[op];
}

static double operator_function_value(dae__op op, double a)
{
  switch (op) {
  case DAE__OP_SIN:
    return sin(a);
  case DAE__OP_COS:
    return cos(a);
  case DAE__OP_TAN:
    return tan(a);
  case DAE__OP_ASIN:
    return asin(a);
  case DAE__OP_ACOS:
    return acos(a);
  case DAE__OP_ATAN:
    return atan(a);
  case DAE__OP_SINH:
    return sinh(a);
  case DAE__OP_COSH:
    return cosh(a);
  case DAE__OP_TANH:
    return tanh(a);
  case DAE__OP_EXP:
    return exp(a);
  case DAE__OP_LOG:
    return log(a);
  case DAE__OP_LOG10:
    return log10(a);
  case DAE__OP_SQRT:
    return sqrt(a);
  case DAE__OP_ABS:
    return fabs(a);
  case DAE__OP_SIGN:
    return a > 0 ? 1 : a < 0 ? -1 : a; /* NaN stays */
  case DAE__OP_FLOOR:
    return floor(a);
  default:
    return NAN;
  }
}

double dae__op_value(dae__op op, double a, double b, double c)
{
  switch (op) {
  case DAE__OP_ADD:
    return a + b;
  case DAE__OP_SUB:
    return a - b;
  case DAE__OP_MUL:
    return a * b;
  case DAE__OP_DIV:
    return a / b;
  case DAE__OP_NEG:
    return -a;
  case DAE__OP_POW:
    return pow(a, b);
  case DAE__OP_POWI:
    return dae__whole_power(a, (int)b);
  case DAE__OP_ATAN2:
    return atan2(a, b);
  case DAE__OP_HYPOT:
    return hypot(a, b);
  case DAE__OP_LESS:
    return a < b;
  case DAE__OP_LESS_EQUAL:
    return a <= b;
  case DAE__OP_EQUAL:
    return a == b;
  case DAE__OP_AND:
    return a != 0 && b != 0;
  case DAE__OP_OR:
    return a != 0 || b != 0;
  case DAE__OP_NOT:
    return a == 0;
  case DAE__OP_IF:
    return a != 0 ? b : c;
  default:
    return operator_function_value(op, a);
  }
}
