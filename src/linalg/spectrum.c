/* Eigenvalues and singular values by LAPACK; inverse iterations on dense LU factors,
 *
 *   (A - mu) z_new = z              for the vector to an eigenvalue mu; a complex one is written as
 *                                   [A - re, im; -im, A - re] (x; y)
 *   A'A x_new = x                   for the smallest singular value, |x_new| / |x| -> sigma^-2 */
#include "linalg/spectrum.h"
#include "core/arena.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/dense.h"
#include <math.h>

#ifdef DAE_WITH_LAPACK
/* the lengths of texts come last, as Fortran compilers pass them */
void dgeev_(const char *left, const char *right, const int *n, double *A, const int *lda,
            double *re, double *im, double *VL, const int *ldvl, double *VR, const int *ldvr,
            double *work, const int *lwork, int *info, size_t left_length, size_t right_length);
void dgesvd_(const char *left, const char *right, const int *m, const int *n, double *A,
             const int *lda, double *sigma, double *U, const int *ldu, double *VT, const int *ldvt,
             double *work, const int *lwork, int *info, size_t left_length, size_t right_length);
#endif

static dae_status spectrum_not_finite(dae_error *err)
{
  return dae__fail(err, DAE_ERROR_RECOVERABLE, NULL, "a matrix has entries that are not finite");
}

/* A copy of A, which factorisations work on; or NULL and why. */
static double *spectrum_copy(dae__arena *arena, int n, const double *A, dae_status *status,
                             dae_error *err)
{
  size_t size = (size_t)n * (size_t)n;
  double *B = arena ? DAE__ALLOC(arena, double, size) : NULL;
  *status = DAE_OK;
  if (!B) {
    *status = dae__out_of_memory(err);
    return NULL;
  }
  for (size_t i = 0; i < size; i++) {
    B[i] = A[i];
    if (!isfinite(A[i])) {
      *status = spectrum_not_finite(err);
      return NULL;
    }
  }
  return B;
}

#ifdef DAE_WITH_LAPACK
#define WORK 8 /* times n: dgeev needs 3 n, dgesvd 5 n; more serves larger blocks */

static dae_status spectrum_values_lapack(dae__arena *arena, int n, double *A, double *re,
                                         double *im, dae_error *err)
{
  int lwork = WORK * n, one = 1, info = 0;
  double none = 0, *work = DAE__ALLOC(arena, double, lwork);
  if (!work)
    return dae__out_of_memory(err);
  dgeev_("N", "N", &n, A, &n, re, im, &none, &one, &none, &one, work, &lwork, &info, 1, 1);
  if (info)
    return dae__fail(err, DAE_ERROR_RECOVERABLE, NULL, "eigenvalues of a matrix were not found");
  return DAE_OK;
}

static dae_status spectrum_smallest_lapack(dae__arena *arena, int n, double *A, double *sigma,
                                           dae_error *err)
{
  int lwork = WORK * n, one = 1, info = 0;
  double none = 0, *work = DAE__ALLOC(arena, double, lwork), *all = DAE__ALLOC(arena, double, n);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dgesvd_("N", "N", &n, &n, A, &n, all, &none, &one, &none, &one, work, &lwork, &info, 1, 1);
  *sigma = all[n - 1];
  if (info)
    return dae__fail(err, DAE_ERROR_RECOVERABLE, NULL,
                     "singular values of a matrix were not found");
  return DAE_OK;
}
#endif

dae_status dae__spectrum_values(const dae_env *env, int n, const double *A, double *re, double *im,
                                dae_error *err)
{
#ifdef DAE_WITH_LAPACK
  if (n == 0)
    return DAE_OK;
  dae__arena *arena = dae__arena_create(env);
  dae_status status;
  double *B = spectrum_copy(arena, n, A, &status, err);
  if (B)
    status = spectrum_values_lapack(arena, n, B, re, im, err);
  dae__arena_free(arena);
  return status;
#else
  return dae__spectrum_values_own(env, n, A, re, im, err);
#endif
}

static double spectrum_norm(int n, const double *x)
{
  return sqrt(dae__dot(n, x, x));
}

/* A start without symmetries, the same in every run. */
static void spectrum_generic(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] = 1 + 0.5 * sin(1.7 * i + 0.3);
}

#define MOST_ITERATIONS 1000
#define SETTLED 1e-12 /* relative change of sigma^-2 */

/* sigma from the factors of A */
static double spectrum_inverse_iteration(int n, const double *LU, const int *pivot, double *x)
{
  double inverse = 0; /* sigma^-2 */
  spectrum_generic(n, x);
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    double before = inverse;
    dae__scale(n, 1 / spectrum_norm(n, x), x);
    dae__lu_solve_transposed(n, LU, pivot, x);
    dae__lu_solve(n, LU, pivot, x);
    inverse = spectrum_norm(n, x);
    if (!isfinite(inverse))
      return 0;
    if (fabs(inverse - before) <= SETTLED * inverse)
      break;
  }
  return 1 / sqrt(inverse);
}

dae_status dae__spectrum_smallest_own(const dae_env *env, int n, const double *A, double *sigma,
                                      dae_error *err)
{
  dae__arena *arena = dae__arena_create(env);
  dae_status status;
  double *LU = spectrum_copy(arena, n, A, &status, err);
  if (LU) {
    double *x = DAE__ALLOC(arena, double, n);
    int *pivot = DAE__ALLOC(arena, int, n);
    if (dae__arena_failed(arena))
      status = dae__out_of_memory(err);
    else
      *sigma = dae__lu_factor(n, LU, pivot) ? 0 : spectrum_inverse_iteration(n, LU, pivot, x);
  }
  dae__arena_free(arena);
  return status;
}

dae_status dae__spectrum_smallest(const dae_env *env, int n, const double *A, double *sigma,
                                  dae_error *err)
{
#ifdef DAE_WITH_LAPACK
  dae__arena *arena = dae__arena_create(env);
  dae_status status;
  double *B = spectrum_copy(arena, n, A, &status, err);
  if (B)
    status = spectrum_smallest_lapack(arena, n, B, sigma, err);
  dae__arena_free(arena);
  return status;
#else
  return dae__spectrum_smallest_own(env, n, A, sigma, err);
#endif
}

/* The shift is kept off the eigenvalue by this part of the matrix's size, and by ten times as much
 * where that does not give factors: vectors to eigenvalues that are further apart than that come
 * out clean, those closer as mixtures. */
#define OFF 1e-10
#define ITERATIONS 5

typedef struct shifted {
  int n, size; /* size = 2 n where the eigenvalue is complex */
  double *B;
  int *pivot;
} shifted;

/* B = A - re - off, or [A - re - off, im; -im, A - re - off] */
static void spectrum_shift(const shifted *s, const double *A, double re, double im)
{
  size_t n = (size_t)s->n, size = (size_t)s->size;
  for (size_t i = 0; i < size * size; i++)
    s->B[i] = 0;
  for (size_t k = 0; k < size; k += n)
    for (size_t j = 0; j < n; j++) {
      for (size_t i = 0; i < n; i++)
        s->B[k + i + (k + j) * size] = A[i + j * n];
      s->B[k + j + (k + j) * size] -= re;
      if (size > n)
        s->B[k + j + (n - k + j) * size] = k == 0 ? im : -im;
    }
}

static bool spectrum_factor(const shifted *s, const double *A, double re, double im)
{
  double scale = fmax(hypot(re, im), dae__max_abs(s->n * s->n, A));
  for (double off = OFF; off < 1; off *= 10) {
    spectrum_shift(s, A, re + off * (scale > 0 ? scale : 1), im);
    if (dae__lu_factor(s->size, s->B, s->pivot) == 0)
      return true;
  }
  return false;
}

/* z = (x, y) to largest modulus 1 */
static void spectrum_normalise(int n, const double *z, double *x, double *y, bool is_complex)
{
  double largest = 0;
  for (int i = 0; i < n; i++) {
    x[i] = z[i];
    y[i] = is_complex ? z[n + i] : 0;
    largest = fmax(largest, hypot(x[i], y[i]));
  }
  dae__scale(n, 1 / largest, x);
  dae__scale(n, 1 / largest, y);
}

dae_status dae__spectrum_vector(const dae_env *env, int n, const double *A, double re, double im,
                                double *x, double *y, dae_error *err)
{
  for (int j = 0; j < n; j++)
    if (!dae__all_finite(n, A + (size_t)j * (size_t)n))
      return spectrum_not_finite(err);
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return dae__out_of_memory(err);
  int size = im == 0 ? n : 2 * n;
  shifted s = {n, size, DAE__ALLOC(arena, double, (size_t)size *(size_t)size),
               DAE__ALLOC(arena, int, size)};
  double *z = DAE__ALLOC(arena, double, size);
  dae_status status = DAE_OK;
  if (dae__arena_failed(arena))
    status = dae__out_of_memory(err);
  else if (!spectrum_factor(&s, A, re, im))
    status = dae__fail(err, DAE_ERROR_RECOVERABLE, NULL, "an eigenvector was not found");
  else {
    spectrum_generic(size, z);
    for (int k = 0; k < ITERATIONS; k++) {
      dae__lu_solve(size, s.B, s.pivot, z);
      dae__scale(size, 1 / spectrum_norm(size, z), z);
    }
    spectrum_normalise(n, z, x, y, size > n);
  }
  dae__arena_free(arena);
  return status;
}
