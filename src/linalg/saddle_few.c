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
  double *S = s->S, *scale = s->scale, l = S21 / S11, P2 = S22 - l * S21;
  S[0] = 1 / S11;
  scale[0] = S11;
  bool good = fabs(S11) >= DAE__SADDLE_UNDERFLOW && dae__ldl_usable(S11, S11);
  if (two) {
    S[1] = l;
    S[3] = 1 / P2;
    scale[1] = S22;
    good = good && fabs(S22) >= DAE__SADDLE_UNDERFLOW && dae__ldl_usable(P2, S22);
  }
  return good;
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

/* S\y */
KERNEL both divide(const dae__schur *s, bool two, both y)
{
  const double *S = s->S;
  if (!two)
    return (both){y.first * S[0], 0};
  double second = (y.second - S[1] * y.first) * S[3];
  return (both){y.first * S[0] - S[1] * second, second};
}

/* b - A x - E y */
KERNEL both residual(const dae__schur *s, bool two, both b, const double *x, both y)
{
  const double *A = s->rows.A, *E = s->rows.E;
  both r = {b.first - E[0] * y.first, two ? b.second - E[1] * y.second : 0};
  for (size_t j = 0; j < s->rows.n; j++) {
    r.first -= A[2 * j] * x[j];
    if (two)
      r.second -= A[2 * j + 1] * x[j];
  }
  return r;
}

/* |b| + |A| |x| + |E| |y| */
KERNEL both sizes(const dae__schur *s, bool two, both b, const double *x, both y)
{
  const double *A = s->rows.A, *E = s->rows.E;
  both size = {fabs(b.first) + fabs(E[0] * y.first), fabs(b.second) + fabs(E[1] * y.second)};
  for (size_t j = 0; j < s->rows.n; j++) {
    size.first += fabs(A[2 * j] * x[j]);
    if (two)
      size.second += fabs(A[2 * j + 1] * x[j]);
  }
  return size;
}

KERNEL bool within(bool two, both r, both size)
{
  return fabs(r.first) <= DAE__SADDLE_ROUND_OFF * fabs(size.first) &&
         (!two || fabs(r.second) <= DAE__SADDLE_ROUND_OFF * fabs(size.second));
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

KERNEL void substitute(const dae__schur *s, bool two, double *x, double *bottom)
{
  both b = {bottom[0], two ? bottom[1] : 0}, y = {-b.first, -b.second};
  for (size_t j = 0; j < s->rows.n; j++) { /* y = S\(B a - b) */
    y.first += s->B[2 * j] * x[j];
    if (two)
      y.second += s->B[2 * j + 1] * x[j];
  }
  y = divide(s, two, y);
  subtract(s, two, s->r, y, x); /* x = D^-1 a - B'y */
  for (int k = 0; k < DAE__SADDLE_REFINEMENTS; k++) {
    both r = residual(s, two, b, x, y);
    if (within(two, r, b) || within(two, r, sizes(s, two, b, x, y)))
      break;
    both dy = divide(s, two, (both){-r.first, -r.second}); /* y += dy, x -= B'dy */
    y = (both){y.first + dy.first, y.second + dy.second};
    subtract(s, two, NULL, dy, x);
  }
  bottom[0] = y.first;
  if (two)
    bottom[1] = y.second;
}

static void solve(void *state, double *x, double *b)
{
  const dae__schur *s = state;
  if (s->rows.m == 1)
    substitute(s, false, x, b);
  else
    substitute(s, true, x, b);
}

const dae__saddle_way dae__saddle_few = {"few", dae__schur_create, factor, solve, dae__schur_rcond};
