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

typedef struct both {
  double first, second;
} both;

/* [D A'; A E] in numbers: A by columns that are `stride` apart, r = D^-1; E = NULL: 0 */
typedef struct system {
  size_t n, stride;
  const double *A, *r, *E;
} system;

KERNEL system kept_system(const dae__schur *s)
{
  return (system){.n = s->rows.n, .stride = 2, .A = s->rows.A, .r = s->r, .E = s->rows.E};
}

/* ---- kernels ---- */

/* L and P of S; false: a pivot is not usable */
KERNEL bool find_pivots(bool two, double S11, double S21, double S22, pivots *out)
{
  double first = 1 / S11, l = S21 * first, P2 = S22 - l * S21;
  *out = (pivots){first, l, two ? 1 / P2 : 0};
  return fabs(S11) >= DAE__SADDLE_UNDERFLOW && fabs(S11) < INFINITY &&
         (!two || (fabs(S22) >= DAE__SADDLE_UNDERFLOW && dae__ldl_usable(P2, S22)));
}

/* S\y */
KERNEL both divide(const pivots *p, bool two, both y)
{
  if (!two)
    return (both){y.first * p->first, 0};
  double second = (y.second - p->l * y.first) * p->second;
  return (both){y.first * p->first - p->l * second, second};
}

/* *r = b - A x - E y; whether it is more than round-off of |b| + |A| |x| + |E| |y|, or not a number
 */
KERNEL bool differs(const system *s, bool two, both b, const double *x, both y, both *r)
{
  const double *A = s->A;
  double e = s->E ? s->E[0] * y.first : 0, f = two && s->E ? s->E[1] * y.second : 0;
  both rest = {b.first - e, b.second - f};
  both size = {fabs(b.first) + fabs(e), fabs(b.second) + fabs(f)};
  for (size_t j = 0; j < s->n; j++, A += s->stride) {
    double c = A[0] * x[j];
    rest.first -= c;
    size.first += fabs(c);
    if (two) {
      double d = A[1] * x[j];
      rest.second -= d;
      size.second += fabs(d);
    }
  }
  *r = rest;
  return !(fabs(rest.first) <= DAE__SADDLE_ROUND_OFF * size.first) ||
         (two && !(fabs(rest.second) <= DAE__SADDLE_ROUND_OFF * size.second));
}

/* entry j of x = D^-1 a - B'y, B = A D^-1; a = NULL: of x - B'y */
KERNEL double subtracted(const system *s, bool two, const double *a, both y, const double *x,
                         size_t j)
{
  const double *A = s->A + j * s->stride, *r = s->r;
  double t = (a ? r[j] * a[j] : x[j]) - A[0] * r[j] * y.first;
  return two ? t - A[1] * r[j] * y.second : t;
}

/* all of it; what is stored two by two is at hand for those who read it so */
KERNEL void subtract(const system *s, bool two, const double *a, both y, double *x)
{
  size_t j = 0;
  for (; j + 2 <= s->n; j += 2)
    dae__pair_to(x + j,
                 (dae__pair){subtracted(s, two, a, y, x, j), subtracted(s, two, a, y, x, j + 1)});
  if (j < s->n)
    x[j] = subtracted(s, two, a, y, x, j);
}

/* x from y = S\(B a - b), both refined where that is called for; false: A x + E y = b does not hold
 * to round-off even so, or they are not numbers */
KERNEL bool settle(const system *s, bool two, const pivots *p, const double *a, both b, both *y,
                   double *x)
{
  subtract(s, two, a, *y, x);
  for (int k = 0; k < DAE__SADDLE_REFINEMENTS; k++) {
    both r;
    if (!differs(s, two, b, x, *y, &r))
      return true;
    both dy = divide(p, two, (both){-r.first, -r.second}); /* y += dy, x -= B'dy */
    *y = (both){y->first + dy.first, y->second + dy.second};
    subtract(s, two, NULL, dy, x);
  }
  return false;
}

/* S = A B' - E, and y = B a - b from y = -b; a may be NULL */
KERNEL bool eliminate(const system *s, bool two, const double *a, both *y, pivots *p, double *scale)
{
  const double *A = s->A, *r = s->r;
  double S11 = s->E ? -s->E[0] : 0, S21 = 0, S22 = s->E ? -s->E[1] : 0;
  for (size_t j = 0; j < s->n; j++, A += s->stride) {
    double b = A[0] * r[j];
    S11 += A[0] * b;
    if (a)
      y->first += b * a[j];
    if (two) {
      double d = A[1] * r[j];
      S21 += A[1] * b;
      S22 += A[1] * d;
      if (a)
        y->second += d * a[j];
    }
  }
  scale[0] = S11;
  scale[1] = S22;
  return find_pivots(two, S11, S21, S22, p);
}

/* ---- a factorisation that is kept ---- */

KERNEL void keep(const dae__schur *s, bool two, const pivots *p, const double *scale)
{
  s->S[0] = p->first;
  s->scale[0] = scale[0];
  if (two) {
    s->S[1] = p->l;
    s->S[3] = p->second;
    s->scale[1] = scale[1];
  }
}

KERNEL pivots kept_pivots(const dae__schur *s, bool two)
{
  return (pivots){s->S[0], two ? s->S[1] : 0, two ? s->S[3] : 0};
}

KERNEL bool factor_rows(const dae__schur *s, bool two)
{
  system kept = kept_system(s);
  pivots p;
  double scale[2];
  bool good = eliminate(&kept, two, NULL, NULL, &p, scale);
  keep(s, two, &p, scale);
  return good;
}

static bool factor(void *state, const dae__saddle_values *values)
{
  const dae__schur *s = state;
  if (!dae__schur_set(s, values))
    return false;
  return s->rows.m == 1 ? factor_rows(s, false) : factor_rows(s, true);
}

KERNEL void substitute(const dae__schur *s, bool two, double *x, double *bottom)
{
  system kept = kept_system(s);
  const double *A = kept.A;
  both b = {bottom[0], two ? bottom[1] : 0}, y = {-b.first, -b.second};
  for (size_t j = 0; j < kept.n; j++, A += kept.stride) {
    y.first += A[0] * kept.r[j] * x[j];
    if (two)
      y.second += A[1] * kept.r[j] * x[j];
  }
  pivots p = kept_pivots(s, two);
  y = divide(&p, two, y);
  settle(&kept, two, &p, x, b, &y, x);
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

/* ---- none that is kept ---- */

KERNEL bool pass_rows(const dae__schur *s, bool two, const dae__saddle_forces *of)
{
  system here = {.n = s->rows.n, .stride = two ? 2 : 1, .A = of->A, .r = s->r};
  both b = {-of->c[0], two ? -of->c[1] : 0}, y = {-b.first, -b.second};
  pivots p;
  double scale[2];
  if (!eliminate(&here, two, of->f, &y, &p, scale))
    return false;
  y = divide(&p, two, y);
  if (!settle(&here, two, &p, of->f, b, &y, of->x))
    return false;
  of->y[0] = y.first;
  if (two)
    of->y[1] = y.second;
  return true;
}

static bool pass(void *state, const double *M, const dae__saddle_forces *of)
{
  const dae__schur *s = state;
  if (M && !dae__schur_set_masses(s, M, NULL))
    return false;
  if (s->rows.m == 1)
    return pass_rows(s, false, of);
  return pass_rows(s, true, of);
}

const dae__saddle_way dae__saddle_few = {.kind = "few",
                                         .create = dae__schur_create,
                                         .factor = factor,
                                         .solve = solve,
                                         .pass = pass,
                                         .rcond = dae__schur_rcond};
