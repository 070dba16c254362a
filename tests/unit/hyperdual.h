/* Derivatives of expressions up to third order without a tape, a symbolic derivative or a step: the
 * operators of the expression graph on numbers
 *
 *   x = sum over S of x[S] e^S,   S a set of {1, 2, 3},   e^S the product of its e_i,   e_i^2 = 0,
 *
 * in long double. With x = value + sum of e_i * (direction i) in the leaves, the coefficient of
 * e^{12} of f(x) is the second derivative of f in the directions 1 and 2, and so on. Sets are bits:
 * x[1] belongs to e_1, x[2] to e_2, x[4] to e_3. */
#ifndef DAEDAL_TESTS_HYPERDUAL_H
#define DAEDAL_TESTS_HYPERDUAL_H

#include "model/graph/graph.h"

#include <math.h>

enum { HYPER_SETS = 8 };

typedef struct hyper {
  long double c[HYPER_SETS];
} hyper;

static inline hyper hyper_number(long double value)
{
  return (hyper){{value}};
}

static inline hyper hyper_add(hyper a, hyper b, long double times)
{
  for (int s = 0; s < HYPER_SETS; s++)
    a.c[s] += times * b.c[s];
  return a;
}

static inline hyper hyper_mul(hyper a, hyper b)
{
  hyper out = {{0}};
  for (int s = 0; s < HYPER_SETS; s++)
    for (int part = s;; part = (part - 1) & s) { /* the subsets of s */
      out.c[s] += a.c[part] * b.c[s ^ part];
      if (part == 0)
        break;
    }
  return out;
}

/* f(x) out of f and its derivatives at x[{}]: d[0] + d[1] n + d[2] n^2/2 + d[3] n^3/6 */
static inline hyper hyper_apply(hyper x, const long double d[4])
{
  hyper n = x, square, out = hyper_number(d[0]);
  n.c[0] = 0;
  square = hyper_mul(n, n);
  out = hyper_add(out, n, d[1]);
  out = hyper_add(out, square, d[2] / 2);
  return hyper_add(out, hyper_mul(square, n), d[3] / 6);
}

/* x^p for a number p */
static inline hyper hyper_power(hyper x, long double p)
{
  long double v = x.c[0];
  return hyper_apply(x,
                     (long double[]){powl(v, p), p * powl(v, p - 1), p * (p - 1) * powl(v, p - 2),
                                     p * (p - 1) * (p - 2) * powl(v, p - 3)});
}

static inline hyper hyper_div(hyper a, hyper b)
{
  long double r = 1 / b.c[0];
  return hyper_mul(a,
                   hyper_apply(b, (long double[]){r, -r * r, 2 * r * r * r, -6 * r * r * r * r}));
}

static inline hyper hyper_whole_power(hyper x, int power)
{
  hyper out = hyper_number(1);
  for (int i = 0; i < power; i++)
    out = hyper_mul(out, x);
  return out;
}

static inline hyper hyper_atan(hyper x)
{
  long double v = x.c[0], w = 1 / (1 + v * v);
  return hyper_apply(x, (long double[]){atanl(v), w, -2 * v * w * w, (6 * v * v - 2) * w * w * w});
}

static inline hyper hyper_exp(hyper x)
{
  long double e = expl(x.c[0]);
  return hyper_apply(x, (long double[]){e, e, e, e});
}

static inline hyper hyper_log(hyper x)
{
  long double r = 1 / x.c[0];
  return hyper_apply(x, (long double[]){logl(x.c[0]), r, -r * r, 2 * r * r * r});
}

static inline hyper hyper_sqrt(hyper x)
{
  long double r = sqrtl(x.c[0]);
  return hyper_apply(
      x, (long double[]){r, 1 / (2 * r), -1 / (4 * r * r * r), 3 / (8 * r * r * r * r * r)});
}

static inline hyper hyper_asin(hyper x)
{
  long double v = x.c[0], w = 1 / sqrtl(1 - v * v);
  return hyper_apply(
      x, (long double[]){asinl(v), w, v * w * w * w, (1 + 2 * v * v) * w * w * w * w * w});
}

/* the angle of (b, a) in the plane, from the quotient that is smaller than 1 */
static inline hyper hyper_atan2(hyper a, hyper b)
{
  bool flat = fabsl(b.c[0]) > fabsl(a.c[0]);
  hyper angle = hyper_atan(flat ? hyper_div(a, b) : hyper_div(b, a));
  angle = flat ? angle : hyper_add(hyper_number(0), angle, -1);
  angle.c[0] = atan2l(a.c[0], b.c[0]);
  return angle;
}

static inline hyper hyper_pow(hyper a, hyper b)
{
  bool number = true;
  for (int s = 1; s < HYPER_SETS; s++)
    number = number && b.c[s] == 0;
  return number ? hyper_power(a, b.c[0]) : hyper_exp(hyper_mul(b, hyper_log(a)));
}

/* functions of one argument; those that are left out are constant piece by piece */
static inline hyper hyper_function(dae__op op, hyper a)
{
  long double v = a.c[0], s = sinl(v), c = cosl(v), sh = sinhl(v), ch = coshl(v), w;
  switch (op) {
  case DAE__OP_NEG:
    return hyper_add(hyper_number(0), a, -1);
  case DAE__OP_SIN:
    return hyper_apply(a, (long double[]){s, c, -s, -c});
  case DAE__OP_COS:
    return hyper_apply(a, (long double[]){c, -s, -c, s});
  case DAE__OP_TAN:
    v = tanl(v), w = 1 + v * v;
    return hyper_apply(a, (long double[]){v, w, 2 * v * w, 2 * w * (1 + 3 * v * v)});
  case DAE__OP_ASIN:
    return hyper_asin(a);
  case DAE__OP_ACOS:
    return hyper_add(hyper_number(acosl(v) + asinl(v)), hyper_asin(a), -1);
  case DAE__OP_ATAN:
    return hyper_atan(a);
  case DAE__OP_SINH:
    return hyper_apply(a, (long double[]){sh, ch, sh, ch});
  case DAE__OP_COSH:
    return hyper_apply(a, (long double[]){ch, sh, ch, sh});
  case DAE__OP_TANH:
    v = tanhl(v), w = 1 - v * v;
    return hyper_apply(a, (long double[]){v, w, -2 * v * w, w * (6 * v * v - 2)});
  case DAE__OP_EXP:
    return hyper_exp(a);
  case DAE__OP_LOG:
    return hyper_log(a);
  case DAE__OP_LOG10:
    return hyper_mul(hyper_log(a), hyper_number(1 / logl(10)));
  case DAE__OP_SQRT:
    return hyper_sqrt(a);
  case DAE__OP_ABS:
    return v < 0 ? hyper_add(hyper_number(0), a, -1) : a;
  case DAE__OP_SIGN:
    return hyper_number((v > 0) - (v < 0));
  case DAE__OP_FLOOR:
    return hyper_number(floorl(v));
  case DAE__OP_NOT:
    return hyper_number(v == 0);
  default:
    return hyper_number(NAN);
  }
}

static inline hyper hyper_op(dae__op op, hyper a, hyper b, hyper c, int power)
{
  long double v = a.c[0], w = b.c[0];
  switch (op) {
  case DAE__OP_ADD:
    return hyper_add(a, b, 1);
  case DAE__OP_SUB:
    return hyper_add(a, b, -1);
  case DAE__OP_MUL:
    return hyper_mul(a, b);
  case DAE__OP_DIV:
    return hyper_div(a, b);
  case DAE__OP_POW:
    return hyper_pow(a, b);
  case DAE__OP_POWI:
    return hyper_whole_power(a, power);
  case DAE__OP_ATAN2:
    return hyper_atan2(a, b);
  case DAE__OP_HYPOT:
    return hyper_sqrt(hyper_add(hyper_mul(a, a), hyper_mul(b, b), 1));
  case DAE__OP_LESS:
    return hyper_number(v < w);
  case DAE__OP_LESS_EQUAL:
    return hyper_number(v <= w);
  case DAE__OP_EQUAL:
    return hyper_number(v == w);
  case DAE__OP_AND:
    return hyper_number(v != 0 && w != 0);
  case DAE__OP_OR:
    return hyper_number(v != 0 || w != 0);
  case DAE__OP_IF:
    return v != 0 ? b : c;
  default:
    return hyper_function(op, a);
  }
}

#endif
