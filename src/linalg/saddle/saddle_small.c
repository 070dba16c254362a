/* Saddle systems with a diagonal M and one or two rows by the Schur complement of saddle_schur.h,
 * two numbers at a time: two coordinates of one row, or both rows of a coordinate, and
 *
 *   S = [ S11 S21 ],   S^-1 = 1 / det S [  S22 -S21 ]
 *       [ S21 S22 ]                     [ -S21  S11 ]
 *
 * `n` is a constant where kernels are called for the sizes of small mechanisms, so that their loops
 * are unrolled. Accelerations of the pendulum of bench_work, (2, 1), take 10 ns besides its
 * callback, and took 24 where numbers stored by callbacks were loaded in pairs. */
#include "linalg/saddle/ldl.h"
#include "linalg/saddle/saddle_schur.h"

#define KERNEL static inline __attribute__((always_inline))

/* Matrix [D A'; A E]: A by columns without gaps, r = D^-1; E = NULL stands for 0. copied: whether A
 * and the forces are copies made by small_copy. */
typedef struct system {
  size_t n;
  const double *A, *r, *E;
  bool copied;
} system;

/* Schur complement S of two rows: its diagonal, S21 and 1 / det S, the only division on the
 * critical path. */
typedef struct schur {
  dae__pair diagonal;
  double off, inverse;
} schur;

/* Loads a[0] and a[1] one by one: callbacks have just stored them one by one, and the load of a
 * pair would wait until both have reached the cache. volatile keeps compilers from joining the
 * loads. For a constant number of coordinates all numbers are loaded once, by small_copy. */
KERNEL dae__pair small_given(const system *s, const double *a)
{
  return (dae__pair){a[0], s->copied ? a[1] : *(const volatile double *)(a + 1)};
}

KERNEL void small_copy(size_t n, const double *a, double *own)
{
#pragma GCC unroll 8
  for (size_t j = 0; j < n; j++)
    own[j] = *(const volatile double *)(a + j);
}

/* Whether the products in a diagonal entry x of S have not underflowed; without E, x must be
 * positive. */
KERNEL bool small_no_underflow(const system *s, double x)
{
  return (s->E ? fabs(x) : x) >= DAE__SADDLE_UNDERFLOW;
}

/* ---- one row ---- */

/* Product sum_j A_j r_j x_j of one row, x being f or A. */
KERNEL double small_product_one(const system *s, const double *x)
{
  size_t n = s->n, even = n / 2 * 2;
  double last = even < n ? s->A[even] * s->r[even] * x[even] : 0;
  if (even == 0)
    return last;
  dae__pair sum = small_given(s, s->A) * dae__pair_from_anywhere(s->r) * small_given(s, x);
  for (size_t j = 2; j < even; j += 2)
    sum += small_given(s, s->A + j) * dae__pair_from_anywhere(s->r + j) * small_given(s, x + j);
  return even < n ? dae__pair_sum(sum) + last : dae__pair_sum(sum);
}

/* Schur complement S = A D^-1 A' - E of one row; false: S has underflowed, or is not finite. */
KERNEL bool small_form_one(const system *s, double *S)
{
  *S = small_product_one(s, s->A);
  if (s->E)
    *S -= s->E[0];
  return small_no_underflow(s, *S) && fabs(*S) < INFINITY;
}

/* Residual *rest = b - A x - E y of one row; returns whether it exceeds the round-off of |b| + |A|
 * |x| + |E| |y|, or is NaN. */
KERNEL bool small_differs_one(const system *s, double b, const double *x, double y, double *rest)
{
  double sum = b, size = fabs(b);
  size_t j = 0;
  for (; j + 2 <= s->n; j += 2) {
    dae__pair c = small_given(s, s->A + j) * dae__pair_from_anywhere(x + j);
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

/* Iterative refinement for one row, rarely called and never inlined, so that the kernels keep A in
 * registers. */
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

/* Solution y and x = D^-1 f - B'y for one row, the right sides f, which may be x, and b; A is
 * also stored at `at`. False: A x + E y = b does not hold to round-off even after refinement, or
 * is NaN. */
KERNEL bool small_solve_one(const system *s, const double *at, double S, const double *f, double b,
                            double *x, double *out)
{
  double y = *out = (small_product_one(s, f) - b) / S, rest;
  size_t j = 0;
  for (; j + 2 <= s->n; j += 2)
    dae__pair_to(x + j, dae__pair_from_anywhere(s->r + j) * small_given(s, f + j) -
                            (small_given(s, s->A + j) * dae__pair_from_anywhere(s->r + j)) * y);
  if (j < s->n)
    x[j] = s->r[j] * f[j] - s->A[j] * s->r[j] * y;
  if (!small_differs_one(s, b, x, y, &rest))
    return true;
  return small_refine_one(&(system){.n = s->n, .A = at, .r = s->r, .E = s->E}, S, b, x, out);
}

/* ---- two rows ---- */

/* Schur complement S = A D^-1 A' - E of two rows, whose second pivot is det S / S11; false: S is
 * nearly singular, has underflowed or is not finite. */
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
    S -= dae__pair_from_anywhere(s->E);
  double product = S[0] * S[1], det = product - off * off;
  *out = (schur){S, off, 1 / det};
  bool definite = s->E ? dae__ldl_usable(det, product) : det >= DAE__LDL_TINY * product;
  return small_no_underflow(s, S[0]) && small_no_underflow(s, S[1]) && small_no_underflow(s, det) &&
         definite && fabs(det) < INFINITY;
}

/* Solution S\y of the system of two rows. */
KERNEL dae__pair small_divide(const schur *S, dae__pair y)
{
  dae__pair other = {S->diagonal[1], S->diagonal[0]}, crossed = {y[1], y[0]};
  return (other * y - S->off * crossed) * S->inverse;
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
    dae__pair e = dae__pair_from_anywhere(s->E) * y;
    sum -= e;
    size += dae__pair_abs(e);
  }
  *rest = sum;
  return dae__pair_exceeds(dae__pair_abs(sum), DAE__SADDLE_ROUND_OFF * size);
}

static __attribute__((noinline)) bool small_refine_two(const system *s, const schur *S, dae__pair b,
                                                       double *x, double *out)
{
  dae__pair y = dae__pair_from_anywhere(out), rest;
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
  dae__pair y = -b, rest;
#pragma GCC unroll 4
  for (size_t j = 0; j < s->n; j++) /* y = S\(A D^-1 f - b) */
    y += small_given(s, s->A + 2 * j) * (s->r[j] * f[j]);
  y = small_divide(S, y);
  size_t j = 0;
#pragma GCC unroll 2
  for (; j + 2 <= s->n; j += 2) { /* x = D^-1 (f - A'y) */
    dae__pair c = small_given(s, s->A + 2 * j) * y, d = small_given(s, s->A + 2 * j + 2) * y;
    dae__pair pull = (dae__pair){c[0], d[0]} + (dae__pair){c[1], d[1]};
    dae__pair_to(x + j, dae__pair_from_anywhere(s->r + j) * (small_given(s, f + j) - pull));
  }
  if (j < s->n)
    x[j] = s->r[j] * (f[j] - dae__pair_sum(small_given(s, s->A + 2 * j) * y));
  dae__pair_to(out, y);
  if (!small_differs_two(s, b, x, y, &rest))
    return true;
  const schur copy = *S;
  return small_refine_two(&(system){.n = s->n, .A = at, .r = s->r, .E = s->E}, &copy, b, x, out);
}

/* ---- stored factorisation ---- */

KERNEL void small_store_schur(const dae__schur *s, const schur *S)
{
  s->S[0] = S->diagonal[0], s->S[1] = S->off, s->S[2] = S->inverse, s->S[3] = S->diagonal[1];
}

KERNEL schur small_stored_schur(const dae__schur *s)
{
  return (schur){{s->S[0], s->S[3]}, s->S[1], s->S[2]};
}

static dae_status small_create(dae__arena *arena, const dae__saddle_patterns *patterns,
                               void **state)
{
  return dae__schur_create(arena, patterns, (size_t)patterns->G->rows + (size_t)patterns->K->rows,
                           state);
}

static bool small_factor(void *state, const dae__saddle_values *values)
{
  const dae__schur *s = state;
  system here = {.n = s->rows.n, .A = s->rows.A, .r = s->r, .E = s->rows.E};
  schur S;
  if (!dae__schur_set(s, values))
    return false;
  if (s->rows.m == 1)
    return small_form_one(&here, s->S);
  bool good = small_form_two(&here, &S);
  small_store_schur(s, &S);
  return good;
}

static void small_solve(void *state, double *x, double *b)
{
  const dae__schur *s = state;
  system here = {.n = s->rows.n, .A = s->rows.A, .r = s->r, .E = s->rows.E}, two = here,
         four = here;
  two.n = 2;
  four.n = 4;
  if (s->rows.m == 1) {
    if (here.n == 2)
      (void)small_solve_one(&two, two.A, s->S[0], x, b[0], x, b);
    else
      (void)small_solve_one(&here, here.A, s->S[0], x, b[0], x, b);
    return;
  }
  schur S = small_stored_schur(s);
  if (here.n == 4)
    (void)small_solve_two(&four, four.A, &S, x, dae__pair_from_anywhere(b), x, b);
  else
    (void)small_solve_two(&here, here.A, &S, x, dae__pair_from_anywhere(b), x, b);
}

/* Ratio of the second pivot to S22; the first pivot is S11 itself. */
static double small_rcond(const void *state)
{
  const dae__schur *s = state;
  return s->rows.m == 1 ? 1 : 1 / (s->S[0] * s->S[3] * s->S[2]);
}

/* ---- fused solution ---- */

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
  small_store_schur(s, &S);
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
  schur S = small_stored_schur(s);
  dae__pair y = small_divide(&S, (dae__pair){b[0], b[1]});
  for (size_t j = 0; j < n; j++)
    x[j] = s->r[j] * (A[2 * j] * y[0] + A[2 * j + 1] * y[1]);
}

/* Defines a fused kernel for a constant number of coordinates, or for any number. */
#define FUSED(name, kernel, coordinates, rows_)                                                    \
  static bool small_solve_fused_##name(const void *state, const dae__saddle_forces *of)            \
  {                                                                                                \
    double A[(coordinates) * (rows_)], f[coordinates];                                             \
    const dae__schur *s = state;                                                                   \
    const system here = {.n = (coordinates), .A = A, .r = s->r, .copied = true};                   \
    small_copy((coordinates) * (rows_), of->A, A);                                                 \
    small_copy(coordinates, of->f, f);                                                             \
    return small_solve_fused_##kernel(s, &here, f, of);                                            \
  }                                                                                                \
  static void small_correct_##name(const void *state, const double *A, const double *b, double *x) \
  {                                                                                                \
    small_correct_##kernel(state, coordinates, A, b, x);                                           \
  }
#define FUSED_ANY(name, kernel)                                                                    \
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
FUSED(one_by_2, one, 2, 1)
FUSED(two_by_4, two, 4, 2)
FUSED_ANY(one_by_any, one)
FUSED_ANY(two_by_any, two)

static bool small_set_mass(void *state, const double *M)
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

const dae__saddle_backend dae__saddle_small = {.kind = "small",
                                               .create = small_create,
                                               .factor = small_factor,
                                               .solve = small_solve,
                                               .set_mass = small_set_mass,
                                               .fused = small_fused,
                                               .rcond = small_rcond};
