/* Eigenvalues and singular values by LAPACK, and inverse iterations on dense LU factors,
 *
 *   (A - mu) z_new = z              for the eigenvector of mu; a complex one is the real system
 *                                   [A - re, im; -im, A - re] (x; y)
 *   A'A x_new = x                   for the smallest singular value, |x_new| / |x| -> sigma^-2 */
#include "linalg/spectrum.h"
#include "core/arena.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/dense.h"
#include <math.h>

#ifdef DAE_WITH_LAPACK
/* last arguments: lengths of the texts, as Fortran compilers pass them */
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

/* Copy of A for a factorisation in place; NULL: *status is the reason. */
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
/* workspace of LAPACK in doubles per n: dgeev needs 3 n, dgesvd 5 n, larger blocks use more */
#define WORK_PER_N 8

#endif

dae_status dae__spectrum_values(const dae_env *env, int n, const double *A, double *re, double *im,
                                dae_error *err)
{
#ifdef DAE_WITH_LAPACK
  if (n == 0)
    return DAE_OK;
  dae__arena *arena = dae__arena_create(env);
  dae_status status;
  int lwork = WORK_PER_N * n, one = 1, info = 0;
  double none = 0, *B = spectrum_copy(arena, n, A, &status, err);
  double *space = B ? DAE__ALLOC(arena, double, lwork) : NULL;
  if (space)
    dgeev_("N", "N", &n, B, &n, re, im, &none, &one, &none, &one, space, &lwork, &info, 1, 1);
  else if (B)
    status = dae__out_of_memory(err);
  if (info)
    status = dae__fail(err, DAE_ERROR_RECOVERABLE, NULL,
                       "the QR iteration for the eigenvalues of a matrix does not converge");
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

dae_status dae__spectrum_smallest_own(const dae_env *env, int n, const double *A, double *sigma,
                                      dae_error *err)
{
  dae__arena *arena = dae__arena_create(env);
  dae_status status;
  double *LU = spectrum_copy(arena, n, A, &status, err);
  if (LU) {
    double *x = DAE__ALLOC(arena, double, n);
    int *pivot = DAE__ALLOC(arena, int, n);
    bool failed = dae__arena_failed(arena), regular = !failed && !dae__lu_factor(n, LU, pivot);
    double inverse = regular ? 0 : INFINITY; /* estimate of sigma^-2 */
    if (failed)
      status = dae__out_of_memory(err);
    else
      spectrum_start(n, x);
    for (int k = 0; regular && k < SIGMA_ITERATIONS_MAX && isfinite(inverse); k++) {
      double before = inverse;
      dae__scale(n, 1 / spectrum_norm(n, x), x);
      dae__lu_solve_transposed(n, LU, pivot, x);
      dae__lu_solve(n, LU, pivot, x);
      inverse = spectrum_norm(n, x);
      if (fabs(inverse - before) <= SIGMA_TOLERANCE * inverse)
        break;
    }
    *sigma = isfinite(inverse) ? 1 / sqrt(inverse) : 0;
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
  int lwork = WORK_PER_N * n, one = 1, info = 0;
  double none = 0, *B = spectrum_copy(arena, n, A, &status, err);
  double *space = B ? DAE__ALLOC(arena, double, lwork) : NULL;
  double *all = B ? DAE__ALLOC(arena, double, n) : NULL;
  if (space && all) {
    dgesvd_("N", "N", &n, &n, B, &n, all, &none, &one, &none, &one, space, &lwork, &info, 1, 1);
    *sigma = all[n - 1];
  } else if (B) {
    status = dae__out_of_memory(err);
  }
  if (info)
    status = dae__fail(err, DAE_ERROR_RECOVERABLE, NULL,
                       "the iteration for the singular values of a matrix does not converge");
  dae__arena_free(arena);
  return status;
#else
  return dae__spectrum_smallest_own(env, n, A, sigma, err);
#endif
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
    status = dae__fail(
        err, DAE_ERROR_RECOVERABLE, NULL,
        "every shift of the inverse iteration for an eigenvector gives a singular matrix");
  else {
    spectrum_start(size, z);
    for (int k = 0; k < VECTOR_ITERATIONS; k++) {
      dae__lu_solve(size, s.B, s.pivot, z);
      dae__scale(size, 1 / spectrum_norm(size, z), z);
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
