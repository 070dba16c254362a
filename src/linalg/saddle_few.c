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

/* [D A'; A E] in numbers: A by columns without gaps, r = D^-1; E = NULL: 0. read: A and the forces
 * are not as callbacks have left them, see given. */
typedef struct system {
  size_t n;
  const double *A, *r, *E;
  bool read;
} system;

/* right sides: f above, b below */
typedef struct sides {
  const double *f;
  dae__pair b; /* of one row: the first number */
} sides;

KERNEL dae__pair load(const double *a)
{
  return dae__pair_from_anywhere(a);
}

/* What callbacks have just written, one number after the other, has to be read so, too: a pair
 * would wait until both have reached the cache. volatile: compilers know better. Where the number
 * of coordinates is a constant, all is read once (take). */
KERNEL dae__pair given(const system *s, const double *a)
{
  return s->read ? (dae__pair){a[0], a[1]} : (dae__pair){a[0], *(const volatile double *)(a + 1)};
}

KERNEL void take(size_t n, const double *a, double *own)
{
#pragma GCC unroll 8
  for (size_t j = 0; j < n; j++)
    own[j] = *(const volatile double *)(a + j);
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

/* sum_j A_j r_j x_j; x may be A */
KERNEL double weigh_one(const system *s, const double *x)
{
  size_t n = s->n, even = n / 2 * 2;
  double odd = even < n ? s->A[even] * s->r[even] * x[even] : 0;
  if (even == 0)
    return odd;
  dae__pair sum = given(s, s->A) * load(s->r) * given(s, x);
  for (size_t j = 2; j < even; j += 2)
    sum += given(s, s->A + j) * load(s->r + j) * given(s, x + j);
  return even < n ? dae__pair_sum(sum) + odd : dae__pair_sum(sum);
}

/* S = A D^-1 A' - E */
KERNEL double form_one(const system *s)
{
  double S = weigh_one(s, s->A);
  return s->E ? S - s->E[0] : S;
}

/* x = D^-1 f - B'y, f may be x; nothing but y is waited for */
KERNEL void substitute_one(const system *s, const double *f, double y, double *x)
{
  size_t j = 0;
  for (; j + 2 <= s->n; j += 2)
    dae__pair_to(x + j,
                 load(s->r + j) * given(s, f + j) - (given(s, s->A + j) * load(s->r + j)) * y);
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
  double sum = b, size = fabs(b);
  size_t j = 0;
  for (; j + 2 <= s->n; j += 2) {
    dae__pair c = given(s, s->A + j) * load(x + j);
    sum -= dae__pair_sum(c);
    size += dae__pair_sum(dae__pair_abs(c));
  }
  if (j < s->n) {
    double c = s->A[j] * x[j];
    sum -= c;
    size += fabs(c);
  }
  if (s->E) {
    double e = s->E[0] * y;
    sum -= e;
    size += fabs(e);
  }
  *rest = sum;
  return !(fabs(sum) <= DAE__SADDLE_ROUND_OFF * size);
}

/* x and y; false: A x + E y = b does not hold to round-off even where they are refined, or they are
 * not numbers */
KERNEL bool solve_one(const system *s, double S, const sides *of, double *x, double *out)
{
  double y = (weigh_one(s, of->f) - of->b[0]) / S, rest;
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
  dae__pair a0 = given(s, s->A), S = a0 * (a0 * s->r[0]);
  double S21 = a0[1] * (a0[0] * s->r[0]);
  if (s->E)
    S -= load(s->E);
#pragma GCC unroll 4
  for (size_t j = 1; j < s->n; j++) {
    dae__pair a = given(s, s->A + 2 * j), b = a * s->r[j];
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
    y += given(s, s->A + 2 * j) * (s->r[j] * of->f[j]);
  return y;
}

/* as of one row */
KERNEL void substitute_two(const system *s, const double *f, dae__pair y, double *x)
{
  size_t j = 0;
#pragma GCC unroll 2
  for (; j + 2 <= s->n; j += 2) {
    dae__pair c = given(s, s->A + 2 * j) * y, d = given(s, s->A + 2 * j + 2) * y;
    dae__pair pull = (dae__pair){c[0], d[0]} + (dae__pair){c[1], d[1]};
    dae__pair_to(x + j, load(s->r + j) * (given(s, f + j) - pull));
  }
  if (j < s->n)
    x[j] = s->r[j] * (f[j] - dae__pair_sum(given(s, s->A + 2 * j) * y));
}

KERNEL void correct_two(const system *s, dae__pair y, double *x)
{
  for (size_t j = 0; j < s->n; j++)
    x[j] -= s->r[j] * dae__pair_sum(given(s, s->A + 2 * j) * y);
}

KERNEL bool differs_two(const system *s, dae__pair b, const double *x, dae__pair y, dae__pair *rest)
{
  dae__pair sum = b, size = dae__pair_abs(b);
  if (s->E) {
    dae__pair e = load(s->E) * y;
    sum -= e;
    size += dae__pair_abs(e);
  }
#pragma GCC unroll 4
  for (size_t j = 0; j < s->n; j++) {
    dae__pair c = given(s, s->A + 2 * j) * x[j];
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

KERNEL void keep_pivots(const dae__schur *s, const pivots *p)
{
  s->S[0] = p->first, s->S[1] = p->l, s->S[3] = p->second;
}

KERNEL pivots kept_pivots(const dae__schur *s)
{
  return (pivots){.first = s->S[0], .l = s->S[1], .second = s->S[3]};
}

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
  keep_pivots(s, &p);
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
  pivots p = kept_pivots(s);
  (void)solve_two(&kept, &p, &(sides){.f = x, .b = load(b)}, x, b);
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

KERNEL bool pass_one(const dae__schur *s, const system *here, const dae__saddle_forces *of,
                     const double *f)
{
  double S = form_one(here);
  s->scale[0] = S;
  return usable(S) && solve_one(here, S, &(sides){.f = f, .b = both(-of->c[0])}, of->x, of->y);
}

KERNEL bool pass_two(const dae__schur *s, const system *here, const dae__saddle_forces *of,
                     const double *f)
{
  dae__pair c = {of->c[0], *(const volatile double *)(of->c + 1)};
  pivots p;
  bool good = form_two(here, &p);
  keep_pivots(s, &p);
  return good && solve_two(here, &p, &(sides){.f = f, .b = -c}, of->x, of->y);
}

KERNEL void lead_one(const dae__schur *s, size_t n, const double *A, const double *b, double *x)
{
  double y = b[0] / s->scale[0];
  for (size_t j = 0; j < n; j++)
    x[j] = s->r[j] * A[j] * y;
}

KERNEL void lead_two(const dae__schur *s, size_t n, const double *A, const double *b, double *x)
{
  pivots p = kept_pivots(s);
  dae__pair y = divide(&p, (dae__pair){b[0], b[1]});
  for (size_t j = 0; j < n; j++)
    x[j] = s->r[j] * (A[2 * j] * y[0] + A[2 * j + 1] * y[1]);
}

/* with so many coordinates, and with any number of them */
#define PASS(name, kernel, coordinates, rows_)                                                     \
  static bool pass_##name(const void *state, const dae__saddle_forces *of)                         \
  {                                                                                                \
    double A[(coordinates) * (rows_)], f[coordinates];                                             \
    const dae__schur *s = state;                                                                   \
    const system here = {.n = (coordinates), .A = A, .r = s->r, .read = true};                     \
    take((coordinates) * (rows_), of->A, A);                                                       \
    take(coordinates, of->f, f);                                                                   \
    return pass_##kernel(s, &here, of, f);                                                         \
  }                                                                                                \
  static void lead_##name(const void *state, const double *A, const double *b, double *x)          \
  {                                                                                                \
    lead_##kernel(state, coordinates, A, b, x);                                                    \
  }
#define PASS_ANY(name, kernel)                                                                     \
  static bool pass_##name(const void *state, const dae__saddle_forces *of)                         \
  {                                                                                                \
    const dae__schur *s = state;                                                                   \
    return pass_##kernel(s, &(system){.n = s->rows.n, .A = of->A, .r = s->r}, of, of->f);          \
  }                                                                                                \
  static void lead_##name(const void *state, const double *A, const double *b, double *x)          \
  {                                                                                                \
    lead_##kernel(state, ((const dae__schur *)state)->rows.n, A, b, x);                            \
  }
PASS(one_by_2, one, 2, 1)
PASS(two_by_4, two, 4, 2)
PASS_ANY(one_by_any, one)
PASS_ANY(two_by_any, two)

static bool take_masses(void *state, const double *M)
{
  return dae__schur_set_masses(state, M, NULL);
}

static dae__saddle_quick quick(const void *state)
{
  const dae__schur *s = state;
  size_t n = s->rows.n;
  if (s->rows.m == 1)
    return n == 2 ? (dae__saddle_quick){pass_one_by_2, lead_one_by_2, s}
                  : (dae__saddle_quick){pass_one_by_any, lead_one_by_any, s};
  return n == 4 ? (dae__saddle_quick){pass_two_by_4, lead_two_by_4, s}
                : (dae__saddle_quick){pass_two_by_any, lead_two_by_any, s};
}

const dae__saddle_way dae__saddle_few = {.kind = "few",
                                         .create = create,
                                         .factor = factor,
                                         .solve = solve,
                                         .take_masses = take_masses,
                                         .quick = quick,
                                         .rcond = dae__schur_rcond};
