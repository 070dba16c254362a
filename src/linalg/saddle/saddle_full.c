/* Small saddle systems with any symmetric, definite M: elimination without pivoting of
 *
 *   K = [ M + D1  A' ]  = L P L'       D1 and E the diagonal added,
 *       [ A       E  ]
 *
 * in this order: the coordinates first, with positive pivots, then the rows, with negative ones
 * [GSS96]. Both blocks are padded to an even size by rows of the identity. As with the Schur
 * complement, the rows A x + E y = b lose digits where M is light in directions that A constrains,
 * and where A is ill-conditioned: where their residual exceeds round-off, the solution is refined
 * with the residual of the whole system [S80].
 *
 * Up to MASS_N_MAX coordinates with one or two rows also have a fused solution, without a stored
 * factorisation:
 *
 *   M = L D L',  W = L\A',  u = L\f,  S = W'D^-1 W,  y = S\(W'D^-1 u - b),
 *   x = L'\(D^-1 (u - W y))
 *
 * in single numbers: blocks of two would wait for numbers that callbacks have just stored one by
 * one. Accelerations of the four-bar linkage of bench_work, (3, 2), take 61 ns besides its
 * callback, by elimination of K 125. `two` and small n are constants where kernels are called.
 * Where A x = b does not hold to round-off, the fused solution is refused and K is eliminated. */
#include "core/assert.h"
#include "linalg/pattern.h"
#include "linalg/saddle/ldl.h"
#include "linalg/saddle/saddle_backend.h"
#include <float.h>

/* Largest asymmetry of M that counts as round-off, relative to the masses of the two coordinates:
 * some units in the last place, as the terms of an entry and of its mirror entry may be summed in
 * different order. */
#define ASYMMETRY_MAX (16 * DBL_EPSILON)
/* Range of masses whose squares and products neither underflow nor overflow. */
#define MASS_MIN 1e-140
#define MASS_MAX 1e140
#define MASS_N_MAX 8 /* largest number of coordinates of a fused solution; chosen, not measured */

#define KERNEL static inline __attribute__((always_inline))

/* Factors M = L D L' of the fused solution for n coordinates. */
typedef struct mass {
  size_t n;
  double L[MASS_N_MAX][MASS_N_MAX], r[MASS_N_MAX]; /* r = 1/D */
} mass;

/* ---- fused solution ---- */

/* Factors L and 1/D of M, which is column-major and full; false: M is not symmetric, or not
 * definite. */
KERNEL bool fused_factor_mass(size_t n, const double *M, mass *out)
{
  double u[MASS_N_MAX]; /* one row of L D */
  int good = 1;
  for (size_t i = 0; i < n; i++) {
    double m = M[i * n + i], d = m;
    for (size_t j = 0; j < i; j++) {
      double a = M[j * n + i], off = a - M[i * n + j];
      good &= off * off <= ASYMMETRY_MAX * ASYMMETRY_MAX * m * M[j * n + j];
      for (size_t k = 0; k < j; k++)
        a -= u[k] * out->L[j][k];
      u[j] = a;
      out->L[i][j] = a * out->r[j];
      d -= out->L[i][j] * a;
    }
    out->r[i] = 1 / d;
    good &= m > MASS_MIN && m < MASS_MAX && dae__ldl_usable(d, m);
  }
  return good;
}

/* Forward substitution z = L\a, the entries of a being `stride` apart. */
KERNEL void fused_forward(size_t n, const mass *m, const double *a, size_t stride, double *z)
{
  for (size_t i = 0; i < n; i++) {
    double sum = a[i * stride];
    for (size_t k = 0; k < i; k++)
      sum -= m->L[i][k] * z[k];
    z[i] = sum;
  }
}

/* inner product with D^-1: sum_i a_i b_i / d_i */
KERNEL double fused_product(size_t n, const mass *m, const double *a, const double *b)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += a[i] * m->r[i] * b[i];
  return sum;
}

/* Whether a row A x = -c holds to round-off of its terms; the entries of the row are `stride`
 * apart. */
KERNEL bool fused_holds(size_t n, const double *a, size_t stride, double c, const double *x)
{
  double sum = c, size = fabs(c);
  for (size_t j = 0; j < n; j++) {
    double term = a[j * stride] * x[j];
    sum += term;
    size += fabs(term);
  }
  return fabs(sum) <= DAE__SADDLE_ROUND_OFF * size;
}

KERNEL bool fused_solve(size_t n, bool two, const mass *m, const dae__saddle_forces *of)
{
  size_t stride = two ? 2 : 1;
  double W1[MASS_N_MAX], W2[MASS_N_MAX], u[MASS_N_MAX], y[2], *x = of->x;
  fused_forward(n, m, of->A, stride, W1);
  if (two)
    fused_forward(n, m, of->A + 1, stride, W2);
  fused_forward(n, m, of->f, 1, u);
  double S11 = fused_product(n, m, W1, W1), b1 = fused_product(n, m, W1, u) + of->c[0];
  y[0] = b1 / S11; /* y = S\(W'D^-1 u - b), b = -c */
  y[1] = 0;
  if (two) {
    double S21 = fused_product(n, m, W2, W1), S22 = fused_product(n, m, W2, W2);
    double b2 = fused_product(n, m, W2, u) + of->c[1], l = S21 / S11, P2 = S22 - l * S21;
    y[1] = (b2 - l * b1) / P2;
    y[0] -= l * y[1];
    if (!(fabs(S11) >= DAE__SADDLE_UNDERFLOW && fabs(S22) >= DAE__SADDLE_UNDERFLOW &&
          dae__ldl_usable(S11, S11) && dae__ldl_usable(P2, S22)))
      return false;
  } else if (!(fabs(S11) >= DAE__SADDLE_UNDERFLOW && fabs(S11) < INFINITY)) {
    return false;
  }
  for (size_t i = 0; i < n; i++)
    u[i] -= W1[i] * y[0] + (two ? W2[i] * y[1] : 0);
  for (size_t i = n; i-- > 0;) { /* x = L'\(D\u) */
    double sum = u[i] * m->r[i];
    for (size_t k = i + 1; k < n; k++)
      sum -= m->L[k][i] * x[k];
    x[i] = sum;
  }
  of->y[0] = y[0];
  if (two)
    of->y[1] = y[1];
  return fused_holds(n, of->A, stride, of->c[0], x) &&
         (!two || fused_holds(n, of->A + 1, stride, of->c[1], x));
}

/* Defines the kernels for one row and for two rows of A; n: number of coordinates, m->n for any
 * number. */
#define FOR_ONE_AND_TWO(one, two, n)                                                               \
  static bool one(const void *state, const dae__saddle_forces *of)                                 \
  {                                                                                                \
    const mass *m = state;                                                                         \
    return fused_solve(n, false, m, of);                                                           \
  }                                                                                                \
  static bool two(const void *state, const dae__saddle_forces *of)                                 \
  {                                                                                                \
    const mass *m = state;                                                                         \
    return fused_solve(n, true, m, of);                                                            \
  }
FOR_ONE_AND_TWO(fused_one_by_2, fused_two_by_2, 2)
FOR_ONE_AND_TWO(fused_one_by_3, fused_two_by_3, 3)
FOR_ONE_AND_TWO(fused_one_by_4, fused_two_by_4, 4)
FOR_ONE_AND_TWO(fused_one_by_any, fused_two_by_any, m->n)

/* ---- factorisation ---- */

typedef struct full {
  dae__saddle_rows rows; /* rows A within K */
  /* number of coordinates, and of all unknowns, each block rounded up to even */
  size_t top, size;
  const dae_pattern *M;
  int *of_M; /* index in K of each entry of M */
  /* saved state. K: M + D1 and A; F: factors L and 1/P; scale: reference values of the
   * pivots */
  double *K, *F, *scale;
  double *u, *z, *residual;
  /* factors of M of the last fused solution; NULL: the patterns have no fused solution */
  mass *mass;
} full;

static dae_status saddle_full_create(dae__arena *arena, const dae__saddle_patterns *patterns,
                                     void **state)
{
  const dae_pattern *M = patterns->M;
  full *s = DAE__ALLOC(arena, full, 1);
  int n = M->cols, m = patterns->G->rows + patterns->K->rows;
  bool small = n <= MASS_N_MAX && (m == 1 || m == 2) && dae__pattern_count(M) == n * n;
  size_t top = dae__pair_rows(n), size = top + dae__pair_rows(m);
  full made = {.top = top, .size = size, .M = M};
  made.K = DAE__STATE(arena, double, size *top);
  made.F = DAE__STATE(arena, double, size *size);
  made.scale = DAE__STATE(arena, double, size);
  made.of_M = DAE__ALLOC(arena, int, dae__pattern_count(M));
  made.u = DAE__ALLOC(arena, double, 2 * size);
  made.z = DAE__ALLOC(arena, double, size);
  made.residual = DAE__ALLOC(arena, double, size);
  dae__saddle_rows_create(arena, patterns, size, made.K ? made.K + top : NULL, &made.rows);
  made.mass = small ? DAE__UNINIT(arena, mass, 1) : NULL;
  if (dae__arena_failed(arena))
    return DAE_ERROR_MEMORY;
  if (made.mass)
    made.mass->n = (size_t)n;
  for (int j = 0; j < n; j++)
    for (int e = M->start[j]; e < M->start[j + 1]; e++)
      made.of_M[e] = j * (int)size + M->row[e];
  if (top > (size_t)n) /* pivot 1 for the padding of the coordinates */
    made.K[(top - 1) * (size + 1)] = made.scale[top - 1] = 1;
  *s = made;
  *state = s;
  return DAE_OK;
}

/* Copies M + D1 into F by blocks of two rows and columns; returns whether it is symmetric. */
static bool saddle_full_copy_mass(const full *s)
{
  size_t top = s->top, size = s->size;
  const double *K = s->K;
  dae__pair_mask good = {-1, -1};
  for (size_t j = 0; j < top; j += 2) {
    double bound0 = ASYMMETRY_MAX * ASYMMETRY_MAX * K[j * size + j];
    double bound1 = ASYMMETRY_MAX * ASYMMETRY_MAX * K[(j + 1) * size + j + 1];
    for (size_t i = j; i < top; i += 2) {
      dae__pair a0 = dae__pair_of(K + j * size + i), a1 = dae__pair_of(K + (j + 1) * size + i);
      dae__pair b0 = dae__pair_of(K + i * size + j), b1 = dae__pair_of(K + (i + 1) * size + j);
      dae__pair d0 = a0 - (dae__pair){b0[0], b1[0]}, d1 = a1 - (dae__pair){b0[1], b1[1]};
      dae__pair m = {K[i * size + i], K[(i + 1) * size + i + 1]};
      good &= (d0 * d0 <= bound0 * m) & (d1 * d1 <= bound1 * m);
      *dae__pair_at(s->F + j * size + i) = a0;
      *dae__pair_at(s->F + (j + 1) * size + i) = a1;
    }
  }
  return good[0] & good[1];
}

static bool saddle_full_factor(void *state, const dae__saddle_values *values)
{
  const full *s = state;
  size_t top = s->top, size = s->size;
  double *K = s->K, *F = s->F, *scale = s->scale;
  if (!values->same_mass) { /* K = M + D1 */
    int good = 1;
    for (size_t j = 0; j < s->rows.n; j++)
      K[j * (size + 1)] = 0;
    for (int e = 0, count = dae__pattern_count(s->M); e < count; e++)
      K[s->of_M[e]] = values->M[e];
    for (size_t j = 0; j < s->rows.n; j++) {
      double m = K[j * (size + 1)] += values->diagonal ? values->diagonal[j] : 0;
      scale[j] = m;
      good &= m > MASS_MIN && m < MASS_MAX;
    }
    if (!good)
      return false;
  }
  if (!dae__saddle_rows_set(&s->rows, values) || !saddle_full_copy_mass(s))
    return false;
  for (size_t j = 0; j < top; j++) /* rows A of F, and E with 1 in the padding */
    for (size_t i = top; i < size; i += 2)
      *dae__pair_at(F + j * size + i) = dae__pair_of(K + j * size + i);
  for (size_t j = top; j < size; j++) {
    for (size_t i = top; i < size; i += 2)
      *dae__pair_at(F + j * size + i) = (dae__pair){0, 0};
    F[j * size + j] = j - top < s->rows.m ? s->rows.E[j - top] : 1;
  }
  if (!dae__ldl_factor(size, 0, top, scale, s->u, F))
    return false;
  /* diagonal of E - A M^-1 A', reference values of the pivots of the rows */
  for (size_t i = top; i < size; i++) {
    scale[i] = F[i * size + i];
    if (fabs(scale[i]) < DAE__SADDLE_UNDERFLOW)
      return false;
  }
  return dae__ldl_factor(size, top, size, scale, s->u, F);
}

static void saddle_full_solve(void *state, double *a, double *b)
{
  const full *s = state;
  size_t n = s->rows.n, top = s->top, size = s->size;
  double *z = s->z, *rest = z + top, *r = s->residual;
  for (size_t i = 0; i < s->rows.n; i += 2) /* padded right side z = [a; b] */
    *dae__pair_at(z + i) = dae__pair_from(s->rows.n, a, i);
  for (size_t i = 0; i < s->rows.m; i += 2)
    *dae__pair_at(rest + i) = dae__pair_from(s->rows.m, b, i);
  dae__ldl_solve(s->size, s->F, z); /* z = K\[a; b] */
  for (int k = 0; k < DAE__SADDLE_REFINEMENTS; k++) {
    if (!dae__saddle_rows_differ(&s->rows, b, z, rest, s->residual + s->top))
      break;
    for (size_t i = 0; i < top; i += 2) { /* z += K\[a - (M + D1) x - A'y; r] */
      dae__pair sum = dae__pair_from(n, a, i);
      for (size_t j = 0; j < n; j++)
        sum -= dae__pair_of(s->K + j * size + i) * z[j];
      *dae__pair_at(r + i) = sum;
    }
    for (size_t j = 0; j < n; j++) {
      dae__pair sum = {0, 0};
      for (size_t i = top; i < size; i += 2)
        sum += dae__pair_of(s->K + j * size + i) * dae__pair_of(z + i);
      r[j] -= dae__pair_sum(sum);
    }
    dae__ldl_solve(size, s->F, r);
    for (size_t i = 0; i < size; i += 2)
      *dae__pair_at(z + i) += dae__pair_of(r + i);
  }
  for (size_t i = 0; i < s->rows.n; i++)
    a[i] = z[i];
  for (size_t i = 0; i < s->rows.m; i++)
    b[i] = rest[i];
}

static bool saddle_full_set_fused_mass(void *state, const double *M)
{
  mass *m = ((const full *)state)->mass;
  switch (m ? m->n : 0) {
  case 0:
    return false;
  case 2:
    return fused_factor_mass(2, M, m);
  case 3:
    return fused_factor_mass(3, M, m);
  case 4:
    return fused_factor_mass(4, M, m);
  default:
    return fused_factor_mass(m->n, M, m);
  }
}

static dae__saddle_fused saddle_full_fused(const void *state)
{
  const full *s = state;
  bool two = s->rows.m == 2;
  DAE__ASSERT(s->mass);
  switch (s->mass->n) {
  case 2:
    return (dae__saddle_fused){.solve = two ? fused_two_by_2 : fused_one_by_2, .state = s->mass};
  case 3:
    return (dae__saddle_fused){.solve = two ? fused_two_by_3 : fused_one_by_3, .state = s->mass};
  case 4:
    return (dae__saddle_fused){.solve = two ? fused_two_by_4 : fused_one_by_4, .state = s->mass};
  default:
    return (dae__saddle_fused){.solve = two ? fused_two_by_any : fused_one_by_any,
                               .state = s->mass};
  }
}

static double saddle_full_rcond(const void *state)
{
  const full *s = state;
  return dae__ldl_rcond(s->size, s->F, s->scale);
}

const dae__saddle_backend dae__saddle_full = {.kind = "full",
                                              .create = saddle_full_create,
                                              .factor = saddle_full_factor,
                                              .solve = saddle_full_solve,
                                              .set_mass = saddle_full_set_fused_mass,
                                              .fused = saddle_full_fused,
                                              .rcond = saddle_full_rcond};
