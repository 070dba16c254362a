/* Schur complement of saddle systems, two rows at a time: see saddle_schur.h. Numbers of
 * coordinates and of rows are rounded up to even ones by rows of the identity. */
#include "linalg/saddle/saddle_schur.h"
#include "core/assert.h"
#include "core/vec.h"
#include "linalg/pair.h"
#include "linalg/pattern.h"
#include "linalg/saddle/schur_small.h"
#include <float.h>
#include <math.h>

/* Largest number of refinements. Each refinement gains as many digits as the factorisation has
 * kept, at least nine for one pivot just above DAE__LDL_TINY: more than two are rarely needed. */
#define REFINEMENTS_MAX 3

struct dae__saddle_schur {
  size_t n, m, top, size; /* numbers of coordinates and of rows, and both rounded up to even */
  const dae_pattern *M, *G, *K;
  bool dense;                /* whether the pattern of M has entries off the diagonal */
  int *of_M, *of_G, *of_K;   /* index in the mass, and in A, of each entry of M, G and K */
  int *diagonal;             /* saved state: whether M + D1 is diagonal */
  double *mass, *F, *r;      /* saved state: M + D1, its factors L and 1/D, 1/D */
  double *A, *W, *B, *E, *S; /* saved state: A, W = L\A', B = D^-1 W, E, factors of S */
  double *scale;             /* saved state: diagonals of M + D1 and of S before the elimination */
  double *u, *z, *residual;  /* workspace; solution x, y; residuals of both rows */
};

/* ---- symmetric elimination ---- */

/* Factors A = L D L' without pivoting, for definite matrices [GSS96]. n is even, A column-major
 * with leading dimension n and aligned to 16 bytes; L and 1/D overwrite its lower triangle, the
 * only one used. By panels of two columns: a panel is eliminated, then the rest of the lower
 * triangle is updated by both columns at once, in blocks of two by two. scale: reference value of
 * each pivot, with its sign. u: workspace of 2 n numbers. False: a pivot is not usable. */
static bool ldl_factor(size_t n, const double *scale, double *u, double *A)
{
  double *u0 = u, *u1 = u + n;
  DAE__ASSERT(n % 2 == 0);
  for (size_t k = 0; k < n; k += 2) {
    double *a0 = A + k * n, *a1 = a0 + n;
    double d0 = a0[k], r0 = 1 / d0, t = a0[k + 1], l = t * r0, d1 = a1[k + 1] - l * t, r1 = 1 / d1;
    if (!dae__ldl_usable(d0, scale[k]) || !dae__ldl_usable(d1, scale[k + 1]))
      return false;
    a0[k] = r0;
    a0[k + 1] = l;
    a1[k + 1] = r1;
    for (size_t i = k + 2; i < n; i += 2) { /* u = a L'^-1, l = u / d */
      dae__pair p0 = dae__pair_of(a0 + i), p1 = dae__pair_of(a1 + i) - l * p0;
      *dae__pair_at(u0 + i) = p0;
      *dae__pair_at(u1 + i) = p1;
      *dae__pair_at(a0 + i) = p0 * r0;
      *dae__pair_at(a1 + i) = p1 * r1;
    }
    for (size_t j = k + 2; j < n; j += 2) { /* lower triangle A -= a0 u0' + a1 u1' */
      double p0 = u0[j], p1 = u1[j], q0 = u0[j + 1], q1 = u1[j + 1];
      double *c0 = A + j * n, *c1 = c0 + n;
      for (size_t i = j; i < n; i += 2) {
        dae__pair a = dae__pair_of(a0 + i), b = dae__pair_of(a1 + i);
        *dae__pair_at(c0 + i) -= a * p0 + b * p1;
        *dae__pair_at(c1 + i) -= a * q0 + b * q1;
      }
    }
  }
  return true;
}

/* z = L\z, two columns at a time. Entries that the next two columns need first stay in a register:
 * loads would wait for the stores. */
static void ldl_forward(size_t n, const double *A, double *z)
{
  dae__pair next = n > 0 ? dae__pair_of(z) : (dae__pair){0, 0};
  for (size_t k = 0; k < n; k += 2) {
    const double *a0 = A + k * n, *a1 = a0 + n;
    double y0 = next[0], y1 = next[1] - a0[k + 1] * y0;
    *dae__pair_at(z + k) = (dae__pair){y0, y1};
    if (k + 2 < n)
      next =
          dae__pair_of(z + k + 2) - dae__pair_of(a0 + k + 2) * y0 - dae__pair_of(a1 + k + 2) * y1;
    for (size_t i = k + 4; i < n; i += 2)
      *dae__pair_at(z + i) -= dae__pair_of(a0 + i) * y0 + dae__pair_of(a1 + i) * y1;
  }
}

/* z = L'\(D\z), two columns at a time; sums begin with the entries computed first. */
static void ldl_backward(size_t n, const double *A, double *z)
{
  dae__pair last = {0, 0};
  for (size_t k = n; k > 0;) {
    k -= 2;
    const double *a0 = A + k * n, *a1 = a0 + n;
    dae__pair s0 = {z[k] * a0[k], 0}, s1 = {z[k + 1] * a1[k + 1], 0};
    for (size_t i = n - 2; i > k + 2; i -= 2) {
      dae__pair t = dae__pair_of(z + i);
      s0 -= dae__pair_of(a0 + i) * t;
      s1 -= dae__pair_of(a1 + i) * t;
    }
    if (k + 2 < n) {
      s0 -= dae__pair_of(a0 + k + 2) * last;
      s1 -= dae__pair_of(a1 + k + 2) * last;
    }
    double y1 = dae__pair_sum(s1);
    last = (dae__pair){dae__pair_sum(s0) - a0[k + 1] * y1, y1};
    *dae__pair_at(z + k) = last;
  }
}

/* smallest ratio of a pivot to its reference value */
static double ldl_rcond(size_t n, const double *A, const double *scale)
{
  double least = 1;
  for (size_t k = 0; k < n; k++)
    least = fmin(least, 1 / (A[k * n + k] * scale[k]));
  return least;
}

/* ---- creation ---- */

/* Index of each entry of a pattern in a matrix by columns, whose row `first` is the pattern's row
 * 0. */
static int *saddle_schur_places(dae__arena *arena, const dae_pattern *p, size_t stride, int first)
{
  int *place = DAE__ALLOC(arena, int, dae__pattern_count(p));
  for (int j = 0; place && j < p->cols; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      place[e] = j * (int)stride + first + p->row[e];
  return place;
}

dae__saddle_schur *dae__saddle_schur_create(dae__arena *arena, const dae_pattern *M,
                                            const dae_pattern *G, const dae_pattern *K)
{
  size_t n = (size_t)M->cols, m = (size_t)(G->rows + K->rows);
  size_t top = dae__pair_rows(M->cols), size = dae__pair_rows(G->rows + K->rows);
  dae__saddle_schur *s = DAE__ALLOC(arena, dae__saddle_schur, 1);
  dae__saddle_schur made = {.n = n, .m = m, .top = top, .size = size, .M = M, .G = G, .K = K};
  for (int j = 0; j < M->cols; j++)
    for (int e = M->start[j]; e < M->start[j + 1]; e++)
      made.dense |= M->row[e] != j;
  made.of_M = saddle_schur_places(arena, M, made.dense ? top : 0, 0);
  made.of_G = saddle_schur_places(arena, G, size, 0);
  made.of_K = saddle_schur_places(arena, K, size, G->rows);
  made.diagonal = DAE__STATE(arena, int, 1);
  DAE__LIMIT_TRUTH(arena, made.diagonal, 1);
  made.mass = DAE__STATE(arena, double, made.dense ? top *top : n);
  made.F = made.dense ? DAE__STATE(arena, double, top *top) : NULL;
  made.r = DAE__STATE(arena, double, n);
  made.A = DAE__STATE(arena, double, size *top);
  made.W = made.dense ? DAE__STATE(arena, double, size *top) : NULL;
  made.B = DAE__STATE(arena, double, size *n);
  made.E = DAE__STATE(arena, double, size);
  made.S = DAE__STATE(arena, double, size *size);
  made.scale = DAE__STATE(arena, double, top + size);
  made.u = DAE__ALLOC(arena, double, 2 * (top > size ? top : size));
  DAE__VECTORS(arena, top + size, &made.z, &made.residual);
  if (dae__arena_failed(arena))
    return NULL;
  if (top > n) /* pivots 1 for the padding */
    made.scale[top - 1] = 1;
  if (size > m)
    made.scale[top + size - 1] = 1;
  *s = made;
  return s;
}

/* ---- factorisation ---- */

/* Copies the lower triangle of M + D1 into F by blocks of two rows and columns; returns whether M
 * is symmetric. */
static bool saddle_schur_copy_mass(const dae__saddle_schur *s)
{
  size_t top = s->top;
  const double *K = s->mass, bound = DAE__SCHUR_ASYMMETRY * DAE__SCHUR_ASYMMETRY;
  dae__pair_mask good = {-1, -1};
  for (size_t j = 0; j < top; j += 2) {
    double bound0 = bound * s->scale[j], bound1 = bound * s->scale[j + 1];
    for (size_t i = j; i < top; i += 2) {
      dae__pair a0 = dae__pair_of(K + j * top + i), a1 = dae__pair_of(K + (j + 1) * top + i);
      dae__pair b0 = dae__pair_of(K + i * top + j), b1 = dae__pair_of(K + (i + 1) * top + j);
      dae__pair d0 = a0 - (dae__pair){b0[0], b1[0]}, d1 = a1 - (dae__pair){b0[1], b1[1]};
      dae__pair m = dae__pair_of(s->scale + i);
      good &= (d0 * d0 <= bound0 * m) & (d1 * d1 <= bound1 * m);
      *dae__pair_at(s->F + j * top + i) = a0;
      *dae__pair_at(s->F + (j + 1) * top + i) = a1;
    }
  }
  if (top > s->n)
    s->F[top * top - 1] = 1;
  return good[0] & good[1];
}

/* Factors M + D1; false: it is not symmetric, or not definite. A dense pattern may hold a diagonal
 * matrix, as users give M dense. */
static bool saddle_schur_set_mass(const dae__saddle_schur *s, const dae__saddle_values *values)
{
  size_t n = s->n, step = s->dense ? s->top + 1 : 1;
  double *K = s->mass, *scale = s->scale;
  int good = 1, diagonal = 1, within = 1;
  for (size_t j = 0; j < n; j++)
    K[j * step] = 0;
  for (int j = 0; j < s->M->cols; j++)
    for (int e = s->M->start[j]; e < s->M->start[j + 1]; e++) {
      K[s->of_M[e]] = values->M[e];
      diagonal &= values->M[e] == 0 || s->M->row[e] == j;
    }
  for (size_t j = 0; j < n; j++) {
    double m = scale[j] = K[j * step] += values->diagonal ? values->diagonal[j] : 0;
    double r = s->r[j] = 1 / m;
    good &= r > 0 && r <= DBL_MAX;
    within &= m > DAE__SCHUR_MASS_MIN && m < DAE__SCHUR_MASS_MAX;
  }
  *s->diagonal = diagonal;
  if (diagonal || !good)
    return good;
  if (!within || !saddle_schur_copy_mass(s) || !ldl_factor(s->top, scale, s->u, s->F))
    return false;
  for (size_t j = 0; j < n; j++)
    s->r[j] = s->F[j * step];
  return true;
}

/* Copies the rows into A and E; false: E is positive in a row of A that is not zero. */
static bool saddle_schur_set_rows(const dae__saddle_schur *s, const dae__saddle_values *values)
{
  double *A = s->A;
  for (int e = 0, count = dae__pattern_count(s->G); e < count; e++)
    A[s->of_G[e]] = values->G[e];
  for (int e = 0, count = dae__pattern_count(s->K); e < count; e++)
    A[s->of_K[e]] = values->K[e];
  for (size_t i = 0; i < s->m; i++) {
    double shift = s->E[i] = values->diagonal ? values->diagonal[s->n + i] : 0;
    for (size_t j = 0; shift > 0 && j < s->n; j++)
      if (A[j * s->size + i] != 0)
        return false;
  }
  return true;
}

/* Forms W = L\A', for two coordinates and two rows at a time, and B = D^-1 W. */
static void saddle_schur_form_W(const dae__saddle_schur *s)
{
  size_t size = s->size, top = s->top;
  const double *W = *s->diagonal ? s->A : s->W;
  for (size_t j = 0; !*s->diagonal && j < top; j += 2)
    for (size_t i = 0; i < size; i += 2) {
      dae__pair w0 = dae__pair_of(s->A + j * size + i),
                w1 = dae__pair_of(s->A + (j + 1) * size + i);
      for (size_t k = 0; k < j; k++) {
        dae__pair w = dae__pair_of(s->W + k * size + i), l = dae__pair_of(s->F + k * top + j);
        w0 -= l[0] * w;
        w1 -= l[1] * w;
      }
      *dae__pair_at(s->W + j * size + i) = w0;
      *dae__pair_at(s->W + (j + 1) * size + i) = w1 - s->F[j * top + j + 1] * w0;
    }
  for (size_t j = 0; j < s->n; j++)
    for (size_t i = 0; i < size; i += 2)
      *dae__pair_at(s->B + j * size + i) = dae__pair_of(W + j * size + i) * s->r[j];
}

bool dae__saddle_schur_factor(const dae__saddle_schur *s, const dae__saddle_values *values)
{
  size_t size = s->size, n = s->n;
  double *S = s->S, *scale = s->scale + s->top;
  int good = 1; /* whether no diagonal entry of S has underflowed */
  if (!saddle_schur_set_rows(s, values) || !(values->same_mass || saddle_schur_set_mass(s, values)))
    return false;
  saddle_schur_form_W(s);
  const double *W = *s->diagonal ? s->A : s->W, *B = s->B;
  for (size_t c = 0; c < size; c += 2) /* S = W'B - E, two columns at a time */
    for (size_t i = c; i < size; i += 2) {
      dae__pair s0 = {0, 0}, s1 = {0, 0};
      for (size_t j = 0; j < n; j++) {
        dae__pair w = dae__pair_of(W + j * size + i);
        s0 += w * B[j * size + c];
        s1 += w * B[j * size + c + 1];
      }
      *dae__pair_at(S + c * size + i) = s0;
      *dae__pair_at(S + (c + 1) * size + i) = s1;
    }
  for (size_t i = 0; i < s->m; i++) {
    double d = scale[i] = S[i * size + i] -= s->E[i];
    good &= fabs(d) >= DAE__SCHUR_UNDERFLOW;
  }
  if (s->m < size)
    S[size * size - 1] = 1;
  return good && ldl_factor(size, scale, s->u, S);
}

double dae__saddle_schur_rcond(const dae__saddle_schur *s)
{
  double rows = ldl_rcond(s->size, s->S, s->scale + s->top);
  return *s->diagonal ? rows : fmin(rows, ldl_rcond(s->top, s->F, s->scale));
}

/* ---- solution ---- */

/* entry j of A'y, for A or W */
static inline double saddle_schur_along(const dae__saddle_schur *s, const double *A, size_t j,
                                        const double *y)
{
  dae__pair sum = {0, 0};
  for (size_t i = 0; i < s->size; i += 2)
    sum += dae__pair_of(A + j * s->size + i) * dae__pair_of(y + i);
  return dae__pair_sum(sum);
}

/* Solution x, y for the right sides a in x and b in y, both padded; not refined. */
static void saddle_schur_divide(const dae__saddle_schur *s, double *x, double *y)
{
  const double *W = *s->diagonal ? s->A : s->W;
  bool diagonal = *s->diagonal;
  if (!diagonal)
    ldl_forward(s->top, s->F, x); /* u = L\a */
  for (size_t i = 0; i < s->size; i += 2) {
    dae__pair sum = -dae__pair_of(y + i);
    for (size_t j = 0; j < s->n; j++)
      sum += dae__pair_of(s->B + j * s->size + i) * x[j];
    *dae__pair_at(y + i) = sum;
  }
  ldl_forward(s->size, s->S, y);
  ldl_backward(s->size, s->S, y);
  for (size_t j = 0; j < s->n; j++) {
    x[j] -= saddle_schur_along(s, W, j, y);
    x[j] *= diagonal ? s->r[j] : 1;
  }
  if (!diagonal)
    ldl_backward(s->top, s->F, x);
}

/* Residual r = b - A x - E y, y and r padded to even length; returns whether r exceeds the
 * round-off of |b| + |A| |x| + |E| |y|. */
static bool saddle_schur_rows_differ(const dae__saddle_schur *s, const double *b, const double *x,
                                     const double *y, double *r)
{
  int differ = 0;
  for (size_t i = 0; i < s->m; i += 2) {
    dae__pair given = dae__pair_from(s->m, b, i), size = dae__pair_abs(given);
    dae__pair term = dae__pair_of(s->E + i) * dae__pair_of(y + i), sum = given - term;
    size += dae__pair_abs(term);
    for (size_t j = 0; j < s->n; j++) {
      term = dae__pair_of(s->A + j * s->size + i) * x[j];
      sum -= term;
      size += dae__pair_abs(term);
    }
    *dae__pair_at(r + i) = sum;
    differ |= dae__pair_exceeds(dae__pair_abs(sum), DAE__SCHUR_ROUND_OFF * size);
  }
  return differ;
}

/* Residual r = a - (M + D1) x - A'y; zero for a diagonal M. */
static void saddle_schur_top_residual(const dae__saddle_schur *s, const double *a, const double *x,
                                      const double *y, double *r)
{
  size_t n = s->n, top = s->top;
  for (size_t i = 0; i < top; i += 2)
    *dae__pair_at(r + i) = (dae__pair){0, 0};
  for (size_t i = 0; !*s->diagonal && i < n; i += 2) {
    dae__pair sum = dae__pair_from(n, a, i);
    for (size_t j = 0; j < n; j++)
      sum -= dae__pair_of(s->mass + j * top + i) * x[j];
    *dae__pair_at(r + i) = sum;
  }
  for (size_t j = 0; !*s->diagonal && j < n; j++)
    r[j] -= saddle_schur_along(s, s->A, j, y);
}

void dae__saddle_schur_solve(const dae__saddle_schur *s, double *a, double *b)
{
  size_t n = s->n, m = s->m;
  double *x = s->z, *y = x + s->top, *r = s->residual, *rest = r + s->top;
  for (size_t i = 0; i < n; i += 2)
    *dae__pair_at(x + i) = dae__pair_from(n, a, i);
  for (size_t i = 0; i < m; i += 2)
    *dae__pair_at(y + i) = dae__pair_from(m, b, i);
  saddle_schur_divide(s, x, y);
  for (int k = 0; k < REFINEMENTS_MAX; k++) {
    if (!saddle_schur_rows_differ(s, b, x, y, rest))
      break;
    saddle_schur_top_residual(s, a, x, y, r);
    saddle_schur_divide(s, r, rest);
    for (size_t i = 0; i < s->top + s->size; i += 2)
      *dae__pair_at(x + i) += dae__pair_of(r + i);
  }
  dae__copy((int)n, x, a);
  dae__copy((int)m, y, b);
}
