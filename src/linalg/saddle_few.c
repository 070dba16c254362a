/* Saddle systems with a diagonal M and one or two rows, as saddle_schur.c has them, two numbers at
 * a time: of one row those of two coordinates, of two rows those of a coordinate,
 *
 *   S = [ S11     ] = [ 1   ] [ P1    ] [ 1 l ]
 *       [ S21 S22 ]   [ l 1 ] [    P2 ] [   1 ]
 *
 * `n` is a constant where kernels are called for the sizes of small mechanisms, so that their loops
 * are none. Accelerations of the pendulum of bench_work, (2, 1), take 16 ns besides its callback,
 * and took 24 where what callbacks had written was read two numbers at a time. */
#include "linalg/ldl.h"
#include "linalg/saddle_schur.h"

#define KERNEL static inline __attribute__((always_inline))

/* [D A'; A E] in numbers: A by columns without gaps, r = D^-1; E = NULL: 0 */
typedef struct system {
  size_t n;
  const double *A, *r, *E;
} system;

/* right sides: f above, b below */
typedef struct sides {
  const double *f;
  dae__pair b; /* of one row: the first number */
} sides;

/* What callbacks have just written, one number after the other, has to be read so, too: a pair
 * would wait until both have reached the cache. volatile: compilers know better. */
KERNEL dae__pair given(const double *a)
{
  return (dae__pair){a[0], *(const volatile double *)(a + 1)};
}

KERNEL dae__pair load(const double *a)
{
  return dae__pair_from_anywhere(a);
}

KERNEL dae__pair both(double a)
{
  return (dae__pair){a, a};
}

KERNEL system kept_system(const dae__schur *s, size_t n)
{
  return (system){.n = n, .A = s->rows.A, .r = s->r, .E = s->rows.E};
}

KERNEL bool usable(double S11)
{
  return fabs(S11) >= DAE__SADDLE_UNDERFLOW && fabs(S11) < INFINITY;
}

/* ---- one row ---- */

/* S = A D^-1 A' - E */
KERNEL double form_one(const system *s)
{
  dae__pair sum = both(0);
  size_t j = 0;
  for (; j + 2 <= s->n; j += 2)
    sum += given(s->A + j) * (given(s->A + j) * load(s->r + j));
  double S = dae__pair_sum(sum) - (s->E ? s->E[0] : 0);
  return j < s->n ? S + s->A[j] * (s->A[j] * s->r[j]) : S;
}

/* A D^-1 f - b */
KERNEL double reduce_one(const system *s, const sides *of)
{
  dae__pair sum = both(0);
  size_t j = 0;
  for (; j + 2 <= s->n; j += 2)
    sum += given(s->A + j) * load(s->r + j) * given(of->f + j);
  double y = dae__pair_sum(sum) - of->b[0];
  return j < s->n ? y + s->A[j] * s->r[j] * of->f[j] : y;
}

/* x = D^-1 f - B'y, f may be x; nothing but y is waited for */
KERNEL void substitute_one(const system *s, const double *f, double y, double *x)
{
  size_t j = 0;
  for (; j + 2 <= s->n; j += 2)
    dae__pair_to(x + j, load(s->r + j) * given(f + j) - (given(s->A + j) * load(s->r + j)) * y);
  if (j < s->n)
    x[j] = s->r[j] * f[j] - s->A[j] * s->r[j] * y;
}

/* x -= B'y */
KERNEL void correct_one(const system *s, double y, double *x)
{
  for (size_t j = 0; j < s->n; j++)
    x[j] -= s->r[j] * (s->A[j] * y);
}

/* *rest = b - A x - E y; whether it is more than round-off of |b| + |A| |x| + |E| |y|, or not a
 * number */
KERNEL bool differs_one(const system *s, double b, const double *x, double y, double *rest)
{
  dae__pair sum = both(0), size = both(0);
  double e = s->E ? s->E[0] * y : 0, last = 0;
  size_t j = 0;
  for (; j + 2 <= s->n; j += 2) {
    dae__pair c = given(s->A + j) * load(x + j);
    sum += c;
    size += dae__pair_abs(c);
  }
  if (j < s->n)
    last = s->A[j] * x[j];
  *rest = b - e - dae__pair_sum(sum) - last;
  return !(fabs(*rest) <=
           DAE__SADDLE_ROUND_OFF * (fabs(b) + fabs(e) + dae__pair_sum(size) + fabs(last)));
}

/* x and y; false: A x + E y = b does not hold to round-off even where they are refined, or they are
 * not numbers */
KERNEL bool solve_one(const system *s, double S, const sides *of, double *x, double *out)
{
  double y = reduce_one(s, of) / S, rest;
  substitute_one(s, of->f, y, x);
  bool differs = differs_one(s, of->b[0], x, y, &rest);
  for (int k = 1; differs && k < DAE__SADDLE_REFINEMENTS; k++) {
    double dy = -rest / S;
    y += dy;
    correct_one(s, dy, x);
    differs = differs_one(s, of->b[0], x, y, &rest);
  }
  *out = y;
  return !differs;
}

/* ---- two rows ---- */

/* 1/P1, l, 1/P2; and the diagonal of S */
typedef struct pivots {
  double first, l, second;
  dae__pair scale;
} pivots;

/* S, and its pivots; false: one is not usable */
KERNEL bool form_two(const system *s, pivots *p)
{
  dae__pair S = both(0);
  if (s->E)
    S -= load(s->E);
  double S21 = 0;
#pragma GCC unroll 4
  for (size_t j = 0; j < s->n; j++) {
    dae__pair a = given(s->A + 2 * j), b = a * s->r[j];
    S += a * b;
    S21 += a[1] * b[0];
  }
  double first = 1 / S[0], l = S21 * first, P2 = S[1] - l * S21;
  *p = (pivots){first, l, 1 / P2, S};
  return usable(S[0]) && fabs(S[1]) >= DAE__SADDLE_UNDERFLOW && dae__ldl_usable(P2, S[1]);
}

/* S\y */
KERNEL dae__pair divide(const pivots *p, dae__pair y)
{
  double second = (y[1] - p->l * y[0]) * p->second;
  return (dae__pair){y[0] * p->first - p->l * second, second};
}

KERNEL dae__pair reduce_two(const system *s, const sides *of)
{
  dae__pair y = -of->b;
#pragma GCC unroll 4
  for (size_t j = 0; j < s->n; j++)
    y += given(s->A + 2 * j) * (s->r[j] * of->f[j]);
  return y;
}

/* as of one row */
KERNEL void substitute_two(const system *s, const double *f, dae__pair y, double *x)
{
  size_t j = 0;
#pragma GCC unroll 2
  for (; j + 2 <= s->n; j += 2) {
    dae__pair c = given(s->A + 2 * j) * y, d = given(s->A + 2 * j + 2) * y;
    dae__pair pull = (dae__pair){c[0], d[0]} + (dae__pair){c[1], d[1]};
    dae__pair_to(x + j, load(s->r + j) * (given(f + j) - pull));
  }
  if (j < s->n)
    x[j] = s->r[j] * (f[j] - dae__pair_sum(given(s->A + 2 * j) * y));
}

KERNEL void correct_two(const system *s, dae__pair y, double *x)
{
  for (size_t j = 0; j < s->n; j++)
    x[j] -= s->r[j] * dae__pair_sum(given(s->A + 2 * j) * y);
}

KERNEL bool differs_two(const system *s, dae__pair b, const double *x, dae__pair y, dae__pair *rest)
{
  dae__pair e = both(0);
  if (s->E)
    e = load(s->E) * y;
  dae__pair sum = b - e;
  dae__pair size = dae__pair_abs(b) + dae__pair_abs(e);
#pragma GCC unroll 4
  for (size_t j = 0; j < s->n; j++) {
    dae__pair c = given(s->A + 2 * j) * x[j];
    sum -= c;
    size += dae__pair_abs(c);
  }
  *rest = sum;
  return dae__pair_exceeds(dae__pair_abs(sum), DAE__SADDLE_ROUND_OFF * size);
}

KERNEL bool solve_two(const system *s, const pivots *p, const sides *of, double *x, double *out)
{
  dae__pair y = divide(p, reduce_two(s, of)), rest;
  substitute_two(s, of->f, y, x);
  bool differs = differs_two(s, of->b, x, y, &rest);
  for (int k = 1; differs && k < DAE__SADDLE_REFINEMENTS; k++) {
    dae__pair dy = divide(p, -rest);
    y += dy;
    correct_two(s, dy, x);
    differs = differs_two(s, of->b, x, y, &rest);
  }
  dae__pair_to(out, y);
  return !differs;
}

/* ---- a factorisation that is kept ---- */

static dae_status create(dae__arena *arena, const dae__saddle_patterns *patterns, void **state)
{
  return dae__schur_create(arena, patterns, (size_t)(patterns->G->rows + patterns->K->rows), state);
}

static bool factor(void *state, const dae__saddle_values *values)
{
  const dae__schur *s = state;
  system kept = kept_system(s, s->rows.n);
  pivots p;
  if (!dae__schur_set(s, values))
    return false;
  if (s->rows.m == 1) {
    s->scale[0] = form_one(&kept);
    s->S[0] = 1 / s->scale[0];
    return usable(s->scale[0]);
  }
  bool good = form_two(&kept, &p);
  s->S[0] = p.first, s->S[1] = p.l, s->S[3] = p.second;
  dae__pair_to(s->scale, p.scale);
  return good;
}

KERNEL void solve_kept_one(const dae__schur *s, size_t n, double *x, double *b)
{
  system kept = kept_system(s, n);
  (void)solve_one(&kept, s->scale[0], &(sides){.f = x, .b = both(b[0])}, x, b);
}

KERNEL void solve_kept_two(const dae__schur *s, size_t n, double *x, double *b)
{
  system kept = kept_system(s, n);
  pivots p = {.first = s->S[0], .l = s->S[1], .second = s->S[3]};
  (void)solve_two(&kept, &p, &(sides){.f = x, .b = given(b)}, x, b);
}

static void solve(void *state, double *x, double *b)
{
  const dae__schur *s = state;
  size_t n = s->rows.n;
  if (s->rows.m == 1 && n == 2)
    solve_kept_one(s, 2, x, b);
  else if (s->rows.m == 1)
    solve_kept_one(s, n, x, b);
  else if (n == 4)
    solve_kept_two(s, 4, x, b);
  else
    solve_kept_two(s, n, x, b);
}

/* ---- none that is kept ---- */

KERNEL bool pass_one(const dae__schur *s, size_t n, const dae__saddle_forces *of)
{
  const system here = {.n = n, .A = of->A, .r = s->r};
  double S = form_one(&here);
  return usable(S) && solve_one(&here, S, &(sides){.f = of->f, .b = both(-of->c[0])}, of->x, of->y);
}

KERNEL bool pass_two(const dae__schur *s, size_t n, const dae__saddle_forces *of)
{
  const system here = {.n = n, .A = of->A, .r = s->r};
  pivots p;
  return form_two(&here, &p) &&
         solve_two(&here, &p, &(sides){.f = of->f, .b = -given(of->c)}, of->x, of->y);
}

/* each by itself: none saves the registers of the others */
#define PASS(name, kernel, n)                                                                      \
  static __attribute__((noinline)) bool name(const dae__schur *s, const dae__saddle_forces *of)    \
  {                                                                                                \
    return kernel(s, n, of);                                                                       \
  }
PASS(pass_2_one, pass_one, 2)
PASS(pass_any_one, pass_one, s->rows.n)
PASS(pass_4_two, pass_two, 4)
PASS(pass_any_two, pass_two, s->rows.n)

static bool pass(void *state, const double *M, const dae__saddle_forces *of)
{
  const dae__schur *s = state;
  size_t n = s->rows.n;
  if (M && !dae__schur_set_masses(s, M, NULL))
    return false;
  if (s->rows.m == 1)
    return n == 2 ? pass_2_one(s, of) : pass_any_one(s, of);
  return n == 4 ? pass_4_two(s, of) : pass_any_two(s, of);
}

const dae__saddle_way dae__saddle_few = {.kind = "few",
                                         .create = create,
                                         .factor = factor,
                                         .solve = solve,
                                         .pass = pass,
                                         .rcond = dae__schur_rcond};
