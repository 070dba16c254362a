/* Eigenvalues of a real matrix A without LAPACK:
 *
 *   P'A P         isolation: rows and columns without entries off the diagonal are moved to the
 *                 ends; their diagonal entries are eigenvalues, exactly
 *   D^-1 A D      balancing of the rest, D powers of two that make rows and columns of similar size
 *   H = Q'A Q     Hessenberg form, by reflections
 *   H -> R Q + s  with H - s = Q R, by rotations, until H is triangular; s is the Wilkinson shift,
 *                 the eigenvalue of the last two rows next to the last entry
 *
 * The QR iteration is complex: fast enough for the sizes in question, and simpler than double
 * shifts. */
#include "core/arena.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/spectrum.h"
#include <complex.h>
#include <float.h>
#include <math.h>

#define SWEEPS_MAX 90 /* largest number of QR sweeps for one eigenvalue; most take at most 5 */
#define EXCEPTIONAL_SHIFT_INTERVAL 10 /* sweeps between two exceptional shifts, as in EISPACK */
/* ratio of the sums of a row and its column, scaled over unscaled, below which they are scaled, as
 * in EISPACK */
#define BALANCE_GAIN 0.95

typedef double complex number;

typedef struct work {
  int n, lo, hi; /* lo, hi: first and last row and column that are not isolated */
  double *A;
  number *H, *sine;
  double *cosine, *v, *sum;
} work;

static double *eigenvalues_at(const work *w, int i, int j)
{
  return &w->A[(size_t)i + (size_t)j * (size_t)w->n];
}

/* Whether row k (row = true) or column k has no entry off the diagonal within lo ... hi. */
static bool eigenvalues_isolated(const work *w, int k, bool row)
{
  for (int i = w->lo; i <= w->hi; i++)
    if (i != k && *(row ? eigenvalues_at(w, k, i) : eigenvalues_at(w, i, k)) != 0)
      return false;
  return true;
}

/* Permutes isolated rows to the end and isolated columns to the beginning. */
static void eigenvalues_isolate(work *w)
{
  int k = w->hi;
  while (k >= w->lo) {
    bool row = eigenvalues_isolated(w, k, true), col = !row && eigenvalues_isolated(w, k, false);
    if (!row && !col) {
      k--;
      continue;
    }
    int to = row ? w->hi-- : w->lo++;
    for (int i = 0; i < w->n; i++) {
      double *a = eigenvalues_at(w, i, k), *b = eigenvalues_at(w, i, to), keep = *a;
      *a = *b;
      *b = keep;
    }
    for (int i = 0; i < w->n; i++) {
      double *a = eigenvalues_at(w, k, i), *b = eigenvalues_at(w, to, i), keep = *a;
      *a = *b;
      *b = keep;
    }
    k = w->hi;
  }
}

/* Balancing A = D^-1 A D, repeated as long as it reduces the sum of a row and its column by the
 * factor BALANCE_GAIN. */
static void eigenvalues_balance(work *w)
{
  for (bool again = true; again;) {
    again = false;
    for (int k = w->lo; k <= w->hi; k++) {
      double row = 0, col = 0; /* sums of the absolute entries off the diagonal */
      for (int i = w->lo; i <= w->hi; i++) {
        row += i == k ? 0 : fabs(*eigenvalues_at(w, k, i));
        col += i == k ? 0 : fabs(*eigenvalues_at(w, i, k));
      }
      int e = (int)lround((log2(row) - log2(col)) / 2);
      if (row / ldexp(1, e) + col * ldexp(1, e) >= BALANCE_GAIN * (row + col))
        continue;
      again = true;
      for (int i = w->lo; i <= w->hi; i++) {
        *eigenvalues_at(w, k, i) = ldexp(*eigenvalues_at(w, k, i), -e);
        *eigenvalues_at(w, i, k) = ldexp(*eigenvalues_at(w, i, k), e);
      }
    }
  }
}

/* Reduction of A(lo..hi,lo..hi) to Hessenberg form, by reflections 1 - v v' that map A(k+1..hi,k)
 * to a multiple of the first unit vector. */
static void eigenvalues_reduce(work *w)
{
  for (int k = w->lo; k <= w->hi - 2; k++) {
    double square = 0, head = *eigenvalues_at(w, k + 1, k);
    for (int i = k + 2; i <= w->hi; i++)
      square += *eigenvalues_at(w, i, k) * *eigenvalues_at(w, i, k);
    if (square == 0)
      continue;
    double first = head + copysign(sqrt(square + head * head), head);
    double scale = sqrt(2 / (square + first * first)), *v = w->v + k + 1;
    int count = w->hi - k;
    v[0] = first * scale;
    for (int i = k + 2; i <= w->hi; i++)
      w->v[i] = *eigenvalues_at(w, i, k) * scale;
    for (int j = k; j <= w->hi; j++) /* A -= v (v'A) */
      dae__axpy(count, -dae__dot(count, v, eigenvalues_at(w, k + 1, j)), v,
                eigenvalues_at(w, k + 1, j));
    dae__zero(w->n, w->sum);
    for (int j = k + 1; j <= w->hi; j++) /* A -= (A v) v' */
      dae__axpy(w->n, w->v[j], eigenvalues_at(w, 0, j), w->sum);
    for (int j = k + 1; j <= w->hi; j++)
      dae__axpy(w->n, -w->v[j], w->sum, eigenvalues_at(w, 0, j));
  }
}

static number *eigenvalues_H(const work *w, int i, int j)
{
  return &w->H[(size_t)i + (size_t)j * (size_t)w->n];
}

static double eigenvalues_size_of(number z)
{
  return fabs(creal(z)) + fabs(cimag(z));
}

/* plane rotation (x, y) = (c x + s y, -s* x + c y) */
static void eigenvalues_rotate(double c, number s, number *x, number *y)
{
  number keep = *x;
  *x = c * keep + s * *y;
  *y = c * *y - conj(s) * keep;
}

/* QR sweep on rows and columns lo ... hi: H = Q R, then H = R Q */
static void eigenvalues_sweep(work *w, int lo, int hi)
{
  for (int i = lo; i < hi; i++) {
    number a = *eigenvalues_H(w, i, i), b = *eigenvalues_H(w, i + 1, i);
    double size = hypot(cabs(a), cabs(b));
    number phase = a == 0 ? 1 : a / cabs(a);
    double c = w->cosine[i] = size > 0 ? cabs(a) / size : 1;
    number s = w->sine[i] = size > 0 ? phase * conj(b) / size : 0;
    for (int j = i; j <= hi; j++)
      eigenvalues_rotate(c, s, eigenvalues_H(w, i, j), eigenvalues_H(w, i + 1, j));
  }
  for (int j = lo; j < hi; j++)
    for (int i = lo; i <= j + 1; i++)
      eigenvalues_rotate(w->cosine[j], conj(w->sine[j]), eigenvalues_H(w, i, j),
                         eigenvalues_H(w, i, j + 1));
}

/* QR iteration for all eigenvalues; false: no convergence. */
static bool eigenvalues_iterate(work *w)
{
  for (int hi = w->hi, sweeps = 0; hi > w->lo;) {
    int lo = hi; /* first row of the last unreduced block, found by deflation */
    for (; lo > w->lo; lo--) {
      double around = eigenvalues_size_of(*eigenvalues_H(w, lo, lo)) +
                      eigenvalues_size_of(*eigenvalues_H(w, lo - 1, lo - 1));
      if (eigenvalues_size_of(*eigenvalues_H(w, lo, lo - 1)) <= DBL_EPSILON * around)
        break;
    }
    if (lo == hi) {
      hi--;
      sweeps = 0;
      continue;
    }
    if (++sweeps > SWEEPS_MAX)
      return false;
    number a = *eigenvalues_H(w, hi - 1, hi - 1), b = *eigenvalues_H(w, hi - 1, hi);
    number c = *eigenvalues_H(w, hi, hi - 1), d = *eigenvalues_H(w, hi, hi), half = (a - d) / 2;
    /* sign of the root for which |half + root| is the smaller of the two values */
    number root = csqrt(half * half + b * c);
    if (creal(half) * creal(root) + cimag(half) * cimag(root) > 0)
      root = -root;
    bool exceptional = sweeps % EXCEPTIONAL_SHIFT_INTERVAL == 0;
    number s = exceptional ? d + 0.75 * cabs(c) + 0.4375 * cabs(c) * I : d + half + root;
    for (int i = lo; i <= hi; i++)
      *eigenvalues_H(w, i, i) -= s;
    eigenvalues_sweep(w, lo, hi);
    for (int i = lo; i <= hi; i++)
      *eigenvalues_H(w, i, i) += s;
  }
  return true;
}

dae_status dae__spectrum_values_own(const dae_env *env, int n, const double *A, double *re,
                                    double *im, dae_error *err)
{
  size_t size = (size_t)n;
  for (size_t j = 0; j < size; j++)
    if (!dae__all_finite(n, A + j * size))
      return dae__fail(err, DAE_ERROR_RECOVERABLE, NULL,
                       "a matrix has entries that are not finite");
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return dae__out_of_memory(err);
  work w = {
      .n = n,
      .hi = n - 1,
      .A = DAE__ALLOC(arena, double, size *size),
      .H = DAE__ALLOC(arena, number, size * size),
      .sine = DAE__ALLOC(arena, number, size),
      .cosine = DAE__ALLOC(arena, double, size),
      .v = DAE__ALLOC(arena, double, size),
      .sum = DAE__ALLOC(arena, double, size),
  };
  if (dae__arena_failed(arena)) {
    dae__arena_free(arena);
    return dae__out_of_memory(err);
  }
  for (size_t i = 0; i < size * size; i++)
    w.A[i] = A[i];
  eigenvalues_isolate(&w);
  eigenvalues_balance(&w);
  eigenvalues_reduce(&w);
  for (int j = w.lo; j <= w.hi; j++)
    for (int i = w.lo; i <= w.hi; i++)
      *eigenvalues_H(&w, i, j) = i > j + 1 ? 0 : *eigenvalues_at(&w, i, j);
  bool converged = eigenvalues_iterate(&w);
  for (int k = 0; k < n; k++) {
    bool iterated = k >= w.lo && k <= w.hi;
    re[k] = iterated ? creal(*eigenvalues_H(&w, k, k)) : *eigenvalues_at(&w, k, k);
    im[k] = iterated ? cimag(*eigenvalues_H(&w, k, k)) : 0;
  }
  dae__arena_free(arena);
  return converged
             ? DAE_OK
             : dae__fail(err, DAE_ERROR_RECOVERABLE, NULL,
                         "the QR iteration for the eigenvalues of a matrix does not converge");
}
