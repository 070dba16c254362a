/* Saddle systems with a diagonal M and one or two rows, as saddle_schur.c has them, in plain
 * numbers:
 *
 *   S = [ S11     ] = [ 1   ] [ P1    ] [ 1 l ]
 *       [ S21 S22 ]   [ l 1 ] [    P2 ] [   1 ]
 *
 * `two` is a constant where the kernels are called, so that one row costs half of two
 * (bench/kernels.c: half the time of the general kernel at (2, 1) and (4, 2)). */
#include "linalg/ldl.h"
#include "linalg/saddle_schur.h"

#define KERNEL static inline __attribute__((always_inline))

/* 1/P1, l and 1/P2 */
typedef struct pivots {
  double first, l, second;
} pivots;

/* L and P of S, which are kept; false: a pivot is not usable */
KERNEL bool find_pivots(const dae__schur *s, bool two, double S11, double S21, double S22,
                        pivots *out)
{
  double first = 1 / S11, l = S21 * first, P2 = S22 - l * S21;
  bool good = fabs(S11) >= DAE__SADDLE_UNDERFLOW && dae__ldl_usable(S11, S11);
  *out = (pivots){first, l, two ? 1 / P2 : 0};
  s->S[0] = first;
  s->scale[0] = S11;
  if (two) {
    s->S[1] = l;
    s->S[3] = out->second;
    s->scale[1] = S22;
    good = good && fabs(S22) >= DAE__SADDLE_UNDERFLOW && dae__ldl_usable(P2, S22);
  }
  return good;
}

KERNEL bool eliminate(const dae__schur *s, bool two)
{
  const double *A = s->rows.A, *E = s->rows.E, *r = s->r;
  double *B = s->B, S11 = -E[0], S21 = 0, S22 = -E[1];
  for (size_t j = 0; j < s->rows.n; j++) { /* B = A D^-1, S = A B' - E */
    double a = A[2 * j], b = B[2 * j] = a * r[j];
    S11 += a * b;
    if (two) {
      double c = A[2 * j + 1], d = B[2 * j + 1] = c * r[j];
      S21 += c * b;
      S22 += c * d;
    }
  }
  pivots kept;
  return find_pivots(s, two, S11, S21, S22, &kept);
}
static bool factor(void *state, const dae__saddle_values *values)
{
  const dae__schur *s = state;
  if (!dae__schur_set(s, values))
    return false;
  return s->rows.m == 1 ? eliminate(s, false) : eliminate(s, true);
}

typedef struct both {
  double first, second;
} both;

KERNEL pivots kept_pivots(const dae__schur *s, bool two)
{
  return (pivots){s->S[0], two ? s->S[1] : 0, two ? s->S[3] : 0};
}

/* S\y */
KERNEL both divide(const pivots *p, bool two, both y)
{
  if (!two)
    return (both){y.first * p->first, 0};
  double second = (y.second - p->l * y.first) * p->second;
  return (both){y.first * p->first - p->l * second, second};
}

/* *r = b - A x - E y; whether it is more than round-off of |b| + |A| |x| + |E| |y| */
KERNEL bool differs(const dae__schur *s, bool two, both b, const double *x, both y, both *r)
{
  const double *A = s->rows.A, *E = s->rows.E;
  double e = E[0] * y.first, f = two ? E[1] * y.second : 0;
  both rest = {b.first - e, b.second - f};
  both size = {fabs(b.first) + fabs(e), fabs(b.second) + fabs(f)};
  for (size_t j = 0; j < s->rows.n; j++) {
    double c = A[2 * j] * x[j];
    rest.first -= c;
    size.first += fabs(c);
    if (two) {
      double d = A[2 * j + 1] * x[j];
      rest.second -= d;
      size.second += fabs(d);
    }
  }
  *r = rest;
  return !(fabs(rest.first) <= DAE__SADDLE_ROUND_OFF * size.first) ||
         (two && !(fabs(rest.second) <= DAE__SADDLE_ROUND_OFF * size.second));
}

/* x = c x - B'y, c = D^-1 or 1 */
KERNEL void subtract(const dae__schur *s, bool two, const double *c, both y, double *x)
{
  const double *B = s->B;
  for (size_t j = 0; j < s->rows.n; j++) {
    double t = (c ? c[j] * x[j] : x[j]) - B[2 * j] * y.first;
    x[j] = two ? t - B[2 * j + 1] * y.second : t;
  }
}

/* y to the rows, after refinement where that is called for */
KERNEL void settle(const dae__schur *s, bool two, const pivots *p, both b, both y, double *x,
                   double *bottom)
{
  for (int k = 0; k < DAE__SADDLE_REFINEMENTS; k++) {
    both r;
    if (!differs(s, two, b, x, y, &r))
      break;
    both dy = divide(p, two, (both){-r.first, -r.second}); /* y += dy, x -= B'dy */
    y = (both){y.first + dy.first, y.second + dy.second};
    subtract(s, two, NULL, dy, x);
  }
  bottom[0] = y.first;
  if (two)
    bottom[1] = y.second;
}

KERNEL void substitute(const dae__schur *s, bool two, double *x, double *bottom)
{
  both b = {bottom[0], two ? bottom[1] : 0}, y = {-b.first, -b.second};
  for (size_t j = 0; j < s->rows.n; j++) { /* y = S\(B a - b) */
    y.first += s->B[2 * j] * x[j];
    if (two)
      y.second += s->B[2 * j + 1] * x[j];
  }
  pivots p = kept_pivots(s, two);
  y = divide(&p, two, y);
  subtract(s, two, s->r, y, x); /* x = D^-1 a - B'y */
  settle(s, two, &p, b, y, x, bottom);
}

static void solve(void *state, double *x, double *b)
{
  const dae__schur *s = state;
  if (s->rows.m == 1)
    substitute(s, false, x, b);
  else
    substitute(s, true, x, b);
}

/* eliminate and substitute with A = G, E = 0 and the right side (x, b) at the same time */
KERNEL bool solve_rows(const dae__schur *s, bool two, const double *G, double *x, double *bottom)
{
  double *A = s->rows.A, *E = s->rows.E, *B = s->B, *r = s->r;
  double S11 = 0, S21 = 0, S22 = 0;
  both b = {bottom[0], two ? bottom[1] : 0}, y = {-b.first, -b.second};
  for (size_t j = 0; j < s->rows.n; j++) {
    double a = A[2 * j] = two ? G[2 * j] : G[j], d = B[2 * j] = a * r[j];
    S11 += a * d;
    y.first += d * x[j];
    if (two) {
      double c = A[2 * j + 1] = G[2 * j + 1], e = B[2 * j + 1] = c * r[j];
      S21 += c * d;
      S22 += c * e;
      y.second += e * x[j];
    }
  }
  pivots p;
  E[0] = E[1] = 0;
  if (!find_pivots(s, two, S11, S21, S22, &p))
    return false;
  y = divide(&p, two, y);
  subtract(s, two, r, y, x);
  settle(s, two, &p, b, y, x, bottom);
  return true;
}

static bool once(void *state, const dae__saddle_values *values, double *x, double *b)
{
  const dae__schur *s = state;
  if (values->same_mass && !values->diagonal && s->rows.all_of_G)
    return s->rows.m == 1 ? solve_rows(s, false, values->G, x, b)
                          : solve_rows(s, true, values->G, x, b);
  bool good = factor(state, values);
  if (good)
    solve(state, x, b);
  return good;
}

const dae__saddle_way dae__saddle_few = {.kind = "few",
                                         .create = dae__schur_create,
                                         .factor = factor,
                                         .solve = solve,
                                         .once = once,
                                         .rcond = dae__schur_rcond};
