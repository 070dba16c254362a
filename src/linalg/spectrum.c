/* Eigenvalues, eigenvectors and the smallest singular value of a dense real matrix A.
 *
 *   P'A P         isolation: rows and columns without entries off the diagonal are moved to the
 *                 ends; their diagonal entries are eigenvalues, exactly
 *   D^-1 A D      balancing of the rest, D powers of two that make rows and columns of similar size
 *   H = Q'A Q     Hessenberg form, by reflections
 *   H -> R Q + s  with H - s = Q R, by rotations, until H is triangular; s is the Wilkinson shift,
 *                 the eigenvalue of the last two rows next to the last entry
 *
 * The QR iteration is complex: fast enough for the sizes in question, and simpler than double
 * shifts. Inverse iterations on dense LU factors:
 *
 *   (A - mu) z_new = z              for the eigenvector of mu; a complex one is the real system
 *                                   [A - re, im; -im, A - re] (x; y)
 *   A'A x_new = x                   for the smallest singular value, |x_new| / |x| -> sigma^-2 */
#include "linalg/spectrum.h"
#include "core/arena.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/dense.h"
#include <complex.h>
#include <float.h>
#include <math.h>

static dae_status spectrum_check_finite(int n, const double *A, dae_error *err)
{
  for (int j = 0; j < n; j++)
    if (!dae__all_finite(n, A + (size_t)j * (size_t)n))
      return dae__fail(err, DAE_ERROR_RECOVERABLE, NULL,
                       "a matrix has entries that are not finite");
  return DAE_OK;
}

/* ---- eigenvalues ---- */

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

dae_status dae__spectrum_values(const dae_env *env, int n, const double *A, double *re, double *im,
                                dae_error *err)
{
  size_t size = (size_t)n;
  DAE__TRY(spectrum_check_finite(n, A, err));
  dae__arena *arena = dae__arena_create(env);
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

/* ---- inverse iterations ---- */

/* Start vector of inverse iterations, without symmetries and the same in every run. */
static void spectrum_start(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] = 1 + 0.5 * sin(1.7 * i + 0.3);
}

/* Inverse iteration for the smallest singular value sigma: largest number of iterations, and
 * relative change of sigma^-2 at convergence. Chosen, not measured. */
#define SIGMA_ITERATIONS_MAX 1000
#define SIGMA_TOLERANCE 1e-12

dae_status dae__spectrum_smallest(const dae_env *env, int n, const double *A, double *sigma,
                                  dae_error *err)
{
  DAE__TRY(spectrum_check_finite(n, A, err));
  dae__arena *arena = dae__arena_create(env);
  size_t size = (size_t)n * (size_t)n;
  double *LU = DAE__ALLOC(arena, double, size), *x = DAE__ALLOC(arena, double, n);
  int *pivot = DAE__ALLOC(arena, int, n);
  if (dae__arena_failed(arena)) {
    dae__arena_free(arena);
    return dae__out_of_memory(err);
  }
  for (size_t i = 0; i < size; i++)
    LU[i] = A[i];
  bool regular = !dae__lu_factor(n, LU, pivot);
  double inverse = regular ? 0 : INFINITY; /* estimate of sigma^-2 */
  spectrum_start(n, x);
  for (int k = 0; regular && k < SIGMA_ITERATIONS_MAX && isfinite(inverse); k++) {
    double before = inverse;
    dae__scale(n, 1 / sqrt(dae__dot(n, x, x)), x);
    dae__lu_solve_transposed(n, LU, pivot, x);
    dae__lu_solve(n, LU, pivot, x);
    inverse = sqrt(dae__dot(n, x, x));
    if (fabs(inverse - before) <= SIGMA_TOLERANCE * inverse)
      break;
  }
  *sigma = isfinite(inverse) ? 1 / sqrt(inverse) : 0;
  dae__arena_free(arena);
  return DAE_OK;
}

/* Distance of the shift from the eigenvalue relative to the size of the matrix, ten times as much
 * where the shifted matrix is singular: eigenvectors of eigenvalues further apart are separated,
 * eigenvectors of closer ones mixed. Chosen, not measured. */
#define SHIFT_OFFSET 1e-10
/* number of inverse iterations for an eigenvector; chosen, not measured */
#define VECTOR_ITERATIONS 5

typedef struct shifted {
  int n, size; /* n: order of A; size: n, or 2 n for a complex eigenvalue */
  double *B;
  int *pivot;
} shifted;

/* LU factors of the shifted matrix A - re - off or, for a complex eigenvalue, of [A - re - off, im;
 * -im, A - re - off]. */
static bool spectrum_factor(const shifted *s, const double *A, double re, double im)
{
  size_t n = (size_t)s->n, size = (size_t)s->size;
  double scale = fmax(hypot(re, im), dae__max_abs(s->n * s->n, A));
  for (double off = SHIFT_OFFSET; off < 1; off *= 10) {
    double shift = re + off * (scale > 0 ? scale : 1);
    for (size_t i = 0; i < size * size; i++)
      s->B[i] = 0;
    for (size_t k = 0; k < size; k += n)
      for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++)
          s->B[k + i + (k + j) * size] = A[i + j * n];
        s->B[k + j + (k + j) * size] -= shift;
        if (size > n)
          s->B[k + j + (n - k + j) * size] = k == 0 ? im : -im;
      }
    if (dae__lu_factor(s->size, s->B, s->pivot) == 0)
      return true;
  }
  return false;
}

dae_status dae__spectrum_vector(const dae_env *env, int n, const double *A, double re, double im,
                                double *x, double *y, dae_error *err)
{
  DAE__TRY(spectrum_check_finite(n, A, err));
  dae__arena *arena = dae__arena_create(env);
  int size = im == 0 ? n : 2 * n;
  shifted s = {n, size, DAE__ALLOC(arena, double, (size_t)size *(size_t)size),
               DAE__ALLOC(arena, int, size)};
  double *z = DAE__ALLOC(arena, double, size);
  dae_status status = DAE_OK;
  if (dae__arena_failed(arena))
    status = dae__out_of_memory(err);
  else if (!spectrum_factor(&s, A, re, im))
    status = dae__fail(
        err, DAE_ERROR_RECOVERABLE, NULL,
        "every shift of the inverse iteration for an eigenvector gives a singular matrix");
  else {
    spectrum_start(size, z);
    for (int k = 0; k < VECTOR_ITERATIONS; k++) {
      dae__lu_solve(size, s.B, s.pivot, z);
      dae__scale(size, 1 / sqrt(dae__dot(size, z, z)), z);
    }
    double largest = 0;
    for (int i = 0; i < n; i++) {
      x[i] = z[i];
      y[i] = size > n ? z[n + i] : 0;
      largest = fmax(largest, hypot(x[i], y[i]));
    }
    dae__scale(n, 1 / largest, x);
    dae__scale(n, 1 / largest, y);
  }
  dae__arena_free(arena);
  return status;
}
