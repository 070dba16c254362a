/* Saddle systems with a diagonal M and one or two rows, as saddle_schur.c has them, two numbers at
 * a time: of one row those of two coordinates, of two rows those of a coordinate, and
 *
 *   S = [ S11 S21 ],   S^-1 = 1 / det S [  S22 -S21 ]
 *       [ S21 S22 ]                     [ -S21  S11 ]
 *
 * `n` is a constant where kernels are called for the sizes of small mechanisms, so that their loops
 * are none. Accelerations of the pendulum of bench_work, (2, 1), take 10 ns besides its callback,
 * and took 24 where what callbacks had written was read two numbers at a time. */
#include "linalg/saddle/ldl.h"
#include "linalg/saddle/saddle_schur.h"

#define KERNEL static inline __attribute__((always_inline))

/* [D A'; A E] in numbers: A by columns without gaps, r = D^-1; E = NULL: 0. read: A and the forces
 * are not as callbacks have left them, see given. */
typedef struct system {
  size_t n;
  const double *A, *r, *E;
  bool read;
} system;

/* of two rows; no other division than 1 / det S is waited for */
typedef struct schur {
  dae__pair diagonal;
  double off, inverse;
} schur;

KERNEL dae__pair small_load(const double *a)
{
  return dae__pair_from_anywhere(a);
}

/* What callbacks have just written, one number after the other, has to be read so, too: a pair
 * would wait until both have reached the cache. volatile: compilers know better. Where the number
 * of coordinates is a constant, all is read once (take). */
KERNEL dae__pair small_given(const system *s, const double *a)
{
  return (dae__pair){a[0], s->read ? a[1] : *(const volatile double *)(a + 1)};
}

KERNEL void small_take(size_t n, const double *a, double *own)
{
#pragma GCC unroll 8
  for (size_t j = 0; j < n; j++)
    own[j] = *(const volatile double *)(a + j);
}

/* products have not lost digits; S is not negative but by E, where a row is 0 */
KERNEL bool small_large(const system *s, double x)
{
  return (s->E ? fabs(x) : x) >= DAE__SADDLE_UNDERFLOW;
}

/* ---- one row ---- */

/* sum_j A_j r_j x_j; x is f or A */
KERNEL double small_weigh(const system *s, const double *x)
{
  size_t n = s->n, even = n / 2 * 2;
  double last = even < n ? s->A[even] * s->r[even] * x[even] : 0;
  if (even == 0)
    return last;
  dae__pair sum = small_given(s, s->A) * small_load(s->r) * small_given(s, x);
  for (size_t j = 2; j < even; j += 2)
    sum += small_given(s, s->A + j) * small_load(s->r + j) * small_given(s, x + j);
  return even < n ? dae__pair_sum(sum) + last : dae__pair_sum(sum);
}

/* S = A D^-1 A' - E; false: digits are lost, or it is not a number */
KERNEL bool small_form_one(const system *s, double *S)
{
  *S = small_weigh(s, s->A);
  if (s->E)
    *S -= s->E[0];
  return small_large(s, *S) && fabs(*S) < INFINITY;
}

/* x = D^-1 f - B'y, f may be x; nothing but y is waited for */
KERNEL void small_substitute_one(const system *s, const double *f, double y, double *x)
{
  size_t j = 0;
  for (; j + 2 <= s->n; j += 2)
    dae__pair_to(x + j, small_load(s->r + j) * small_given(s, f + j) -
                            (small_given(s, s->A + j) * small_load(s->r + j)) * y);
  if (j < s->n)
    x[j] = s->r[j] * f[j] - s->A[j] * s->r[j] * y;
}

/* *rest = b - A x - E y; whether it is more than round-off of |b| + |A| |x| + |E| |y|, or not a
 * number */
KERNEL bool small_differs_one(const system *s, double b, const double *x, double y, double *rest)
{
  double sum = b, size = fabs(b);
  size_t j = 0;
  for (; j + 2 <= s->n; j += 2) {
    dae__pair c = small_given(s, s->A + j) * small_load(x + j);
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

/* Rarely called, and by itself: so kernels have A in registers, and no copy for this. */
static __attribute__((noinline)) bool small_refine_one(const system *s, double S, double b,
                                                       double *x, double *y)
{
  double rest;
  bool differs = small_differs_one(s, b, x, *y, &rest);
  for (int k = 1; differs && k < DAE__SADDLE_REFINEMENTS; k++) {
    double dy = -rest / S;
    *y += dy;
    for (size_t j = 0; j < s->n; j++)
      x[j] -= s->r[j] * (s->A[j] * dy);
    differs = small_differs_one(s, b, x, *y, &rest);
  }
  return !differs;
}

/* x and y for the right sides f and b, A being also `at`; false: A x + E y = b does not hold to
 * round-off even where they are refined, or they are not numbers */
KERNEL bool small_solve_one(const system *s, const double *at, double S, const double *f, double b,
                            double *x, double *out)
{
  double y = *out = (small_weigh(s, f) - b) / S, rest;
  small_substitute_one(s, f, y, x);
  if (!small_differs_one(s, b, x, y, &rest))
    return true;
  return small_refine_one(&(system){.n = s->n, .A = at, .r = s->r, .E = s->E}, S, b, x, out);
}

/* ---- two rows ---- */

/* false: S is too nearly singular, or digits are lost, or it is not a number; det S / S11 is its
 * second pivot */
KERNEL bool small_form_two(const system *s, schur *out)
{
  dae__pair a0 = small_given(s, s->A), S = a0 * (a0 * s->r[0]);
  double off = a0[1] * (a0[0] * s->r[0]);
#pragma GCC unroll 4
  for (size_t j = 1; j < s->n; j++) {
    dae__pair a = small_given(s, s->A + 2 * j), b = a * s->r[j];
    S += a * b;
    off += a[1] * b[0];
  }
  if (s->E)
    S -= small_load(s->E);
  double product = S[0] * S[1], det = product - off * off;
  *out = (schur){S, off, 1 / det};
  bool definite = s->E ? dae__ldl_usable(det, product) : det >= DAE__LDL_TINY * product;
  return small_large(s, S[0]) && small_large(s, S[1]) && small_large(s, det) && definite &&
         fabs(det) < INFINITY;
}

/* S\y */
KERNEL dae__pair small_divide(const schur *S, dae__pair y)
{
  dae__pair other = {S->diagonal[1], S->diagonal[0]}, crossed = {y[1], y[0]};
  return (other * y - S->off * crossed) * S->inverse;
}

/* A D^-1 f - b */
KERNEL dae__pair small_reduce_two(const system *s, const double *f, dae__pair b)
{
  dae__pair y = -b;
#pragma GCC unroll 4
  for (size_t j = 0; j < s->n; j++)
    y += small_given(s, s->A + 2 * j) * (s->r[j] * f[j]);
  return y;
}

/* as of one row */
KERNEL void small_substitute_two(const system *s, const double *f, dae__pair y, double *x)
{
  size_t j = 0;
#pragma GCC unroll 2
  for (; j + 2 <= s->n; j += 2) {
    dae__pair c = small_given(s, s->A + 2 * j) * y, d = small_given(s, s->A + 2 * j + 2) * y;
    dae__pair pull = (dae__pair){c[0], d[0]} + (dae__pair){c[1], d[1]};
    dae__pair_to(x + j, small_load(s->r + j) * (small_given(s, f + j) - pull));
  }
  if (j < s->n)
    x[j] = s->r[j] * (f[j] - dae__pair_sum(small_given(s, s->A + 2 * j) * y));
}

KERNEL bool small_differs_two(const system *s, dae__pair b, const double *x, dae__pair y,
                              dae__pair *rest)
{
  dae__pair sum = b, size = dae__pair_abs(b);
#pragma GCC unroll 4
  for (size_t j = 0; j < s->n; j++) {
    dae__pair c = small_given(s, s->A + 2 * j) * x[j];
    sum -= c;
    size += dae__pair_abs(c);
  }
  if (s->E) {
    dae__pair e = small_load(s->E) * y;
    sum -= e;
    size += dae__pair_abs(e);
  }
  *rest = sum;
  return dae__pair_exceeds(dae__pair_abs(sum), DAE__SADDLE_ROUND_OFF * size);
}

static __attribute__((noinline)) bool small_refine_two(const system *s, const schur *S, dae__pair b,
                                                       double *x, double *out)
{
  dae__pair y = small_load(out), rest;
  bool differs = small_differs_two(s, b, x, y, &rest);
  for (int k = 1; differs && k < DAE__SADDLE_REFINEMENTS; k++) {
    dae__pair dy = small_divide(S, -rest);
    y += dy;
    for (size_t j = 0; j < s->n; j++)
      x[j] -= s->r[j] * dae__pair_sum(small_given(s, s->A + 2 * j) * dy);
    differs = small_differs_two(s, b, x, y, &rest);
  }
  dae__pair_to(out, y);
  return !differs;
}

KERNEL bool small_solve_two(const system *s, const double *at, const schur *S, const double *f,
                            dae__pair b, double *x, double *out)
{
  dae__pair y = small_divide(S, small_reduce_two(s, f, b)), rest;
  small_substitute_two(s, f, y, x);
  dae__pair_to(out, y);
  if (!small_differs_two(s, b, x, y, &rest))
    return true;
  const schur copy = *S;
  return small_refine_two(&(system){.n = s->n, .A = at, .r = s->r, .E = s->E}, &copy, b, x, out);
}

/* ---- a factorisation that is kept ---- */

KERNEL void small_keep(const dae__schur *s, const schur *S)
{
  s->S[0] = S->diagonal[0], s->S[1] = S->off, s->S[2] = S->inverse, s->S[3] = S->diagonal[1];
}

KERNEL schur small_kept(const dae__schur *s)
{
  return (schur){{s->S[0], s->S[3]}, s->S[1], s->S[2]};
}

KERNEL system small_kept_system(const dae__schur *s, size_t n)
{
  return (system){.n = n, .A = s->rows.A, .r = s->r, .E = s->rows.E};
}

static dae_status small_create(dae__arena *arena, const dae__saddle_patterns *patterns,
                               void **state)
{
  return dae__schur_create(arena, patterns, (size_t)(patterns->G->rows + patterns->K->rows), state);
}

static bool small_factor(void *state, const dae__saddle_values *values)
{
  const dae__schur *s = state;
  system here = small_kept_system(s, s->rows.n);
  schur S;
  if (!dae__schur_set(s, values))
    return false;
  if (s->rows.m == 1)
    return small_form_one(&here, s->S);
  bool good = small_form_two(&here, &S);
  small_keep(s, &S);
  return good;
}

KERNEL void small_solve_kept_one(const dae__schur *s, size_t n, double *x, double *b)
{
  system here = small_kept_system(s, n);
  (void)small_solve_one(&here, here.A, s->S[0], x, b[0], x, b);
}

KERNEL void small_solve_kept_two(const dae__schur *s, size_t n, double *x, double *b)
{
  system here = small_kept_system(s, n);
  schur S = small_kept(s);
  (void)small_solve_two(&here, here.A, &S, x, small_load(b), x, b);
}

static void small_solve(void *state, double *x, double *b)
{
  const dae__schur *s = state;
  size_t n = s->rows.n;
  if (s->rows.m == 1 && n == 2)
    small_solve_kept_one(s, 2, x, b);
  else if (s->rows.m == 1)
    small_solve_kept_one(s, n, x, b);
  else if (n == 4)
    small_solve_kept_two(s, 4, x, b);
  else
    small_solve_kept_two(s, n, x, b);
}

/* the second pivot over S22; the first is S11 itself */
static double small_rcond(const void *state)
{
  const dae__schur *s = state;
  return s->rows.m == 1 ? 1 : 1 / (s->S[0] * s->S[3] * s->S[2]);
}

/* ---- none that is kept ---- */

KERNEL bool small_solve_fused_one(const dae__schur *s, const system *here, const double *f,
                                  const dae__saddle_forces *of)
{
  double S;
  bool good = small_form_one(here, &S);
  s->S[0] = S;
  return good && small_solve_one(here, of->A, S, f, -of->c[0], of->x, of->y);
}

KERNEL bool small_solve_fused_two(const dae__schur *s, const system *here, const double *f,
                                  const dae__saddle_forces *of)
{
  dae__pair c = {of->c[0], *(const volatile double *)(of->c + 1)};
  schur S;
  bool good = small_form_two(here, &S);
  small_keep(s, &S);
  return good && small_solve_two(here, of->A, &S, f, -c, of->x, of->y);
}

KERNEL void small_correct_one(const dae__schur *s, size_t n, const double *A, const double *b,
                              double *x)
{
  double y = b[0] / s->S[0];
  for (size_t j = 0; j < n; j++)
    x[j] = s->r[j] * A[j] * y;
}

KERNEL void small_correct_two(const dae__schur *s, size_t n, const double *A, const double *b,
                              double *x)
{
  schur S = small_kept(s);
  dae__pair y = small_divide(&S, (dae__pair){b[0], b[1]});
  for (size_t j = 0; j < n; j++)
    x[j] = s->r[j] * (A[2 * j] * y[0] + A[2 * j + 1] * y[1]);
}

/* with so many coordinates, and with any number of them */
#define PASS(name, kernel, coordinates, rows_)                                                     \
  static bool small_solve_fused_##name(const void *state, const dae__saddle_forces *of)            \
  {                                                                                                \
    double A[(coordinates) * (rows_)], f[coordinates];                                             \
    const dae__schur *s = state;                                                                   \
    const system here = {.n = (coordinates), .A = A, .r = s->r, .read = true};                     \
    small_take((coordinates) * (rows_), of->A, A);                                                 \
    small_take(coordinates, of->f, f);                                                             \
    return small_solve_fused_##kernel(s, &here, f, of);                                            \
  }                                                                                                \
  static void small_correct_##name(const void *state, const double *A, const double *b, double *x) \
  {                                                                                                \
    small_correct_##kernel(state, coordinates, A, b, x);                                           \
  }
#define PASS_ANY(name, kernel)                                                                     \
  static bool small_solve_fused_##name(const void *state, const dae__saddle_forces *of)            \
  {                                                                                                \
    const dae__schur *s = state;                                                                   \
    return small_solve_fused_##kernel(s, &(system){.n = s->rows.n, .A = of->A, .r = s->r}, of->f,  \
                                      of);                                                         \
  }                                                                                                \
  static void small_correct_##name(const void *state, const double *A, const double *b, double *x) \
  {                                                                                                \
    small_correct_##kernel(state, ((const dae__schur *)state)->rows.n, A, b, x);                   \
  }
PASS(one_by_2, one, 2, 1)
PASS(two_by_4, two, 4, 2)
PASS_ANY(one_by_any, one)
PASS_ANY(two_by_any, two)

static bool small_take_masses(void *state, const double *M)
{
  return dae__schur_set_masses(state, M, NULL);
}

static dae__saddle_fused small_fused(const void *state)
{
  const dae__schur *s = state;
  size_t n = s->rows.n;
  if (s->rows.m == 1)
    return n == 2 ? (dae__saddle_fused){small_solve_fused_one_by_2, small_correct_one_by_2, s}
                  : (dae__saddle_fused){small_solve_fused_one_by_any, small_correct_one_by_any, s};
  return n == 4 ? (dae__saddle_fused){small_solve_fused_two_by_4, small_correct_two_by_4, s}
                : (dae__saddle_fused){small_solve_fused_two_by_any, small_correct_two_by_any, s};
}

const dae__saddle_backend dae__saddle_small = {.kind = "few",
                                               .create = small_create,
                                               .factor = small_factor,
                                               .solve = small_solve,
                                               .take_masses = small_take_masses,
                                               .quick = small_fused,
                                               .rcond = small_rcond};
