/* dgetrf and zgetrf of LAPACK, loaded at the first call. The command and the shared library are
 * linked with these functions instead of LAPACK: the relocations of OpenBLAS and of the run time of
 * Fortran take 1.2 to 1.9 of the 2.1 to 2.8 ms of a short command, and most runs have no dense
 * matrix of an order that LAPACK factors faster. The static library is linked with LAPACK.
 *
 * The address is the only datum that is written after the start of a program: every thread finds
 * the same one. Without LAPACK on the machine the plain algorithm below takes its place. */
#include <dlfcn.h>
#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#define HIDDEN __attribute__((visibility("hidden")))

typedef void getrf(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
getrf dgetrf_ HIDDEN, zgetrf_ HIDDEN;

/* ---- plain LU with partial pivoting, numbers of `parts` doubles ---- */

static double lapack_modulus(int parts, const double *a)
{
  return parts == 1 ? fabs(*a) : hypot(a[0], a[1]);
}

static void lapack_divide(int parts, double *a, const double *b)
{
  if (parts == 1) {
    *a /= *b;
    return;
  }
  double scale = 1 / (b[0] * b[0] + b[1] * b[1]), re = a[0];
  a[0] = (re * b[0] + a[1] * b[1]) * scale;
  a[1] = (a[1] * b[0] - re * b[1]) * scale;
}

/* c -= a b */
static void lapack_subtract(int parts, double *c, const double *a, const double *b)
{
  c[0] -= a[0] * b[0] - (parts == 2 ? a[1] * b[1] : 0);
  if (parts == 2)
    c[1] -= a[0] * b[1] + a[1] * b[0];
}

/* Exchanges rows i and j. */
static void lapack_exchange(int parts, int n, double *A, int i, int j)
{
  size_t p = (size_t)parts, bytes = p * sizeof *A;
  for (int k = 0; k < n && i != j; k++) {
    double kept[2], *column = A + (size_t)k * (size_t)n * p;
    memcpy(kept, column + (size_t)i * p, bytes);
    memcpy(column + (size_t)i * p, column + (size_t)j * p, bytes);
    memcpy(column + (size_t)j * p, kept, bytes);
  }
}

static void lapack_plain(int parts, int n, double *A, int *pivot, int *info)
{
  size_t p = (size_t)parts, ld = (size_t)n * p;
  *info = 0;
  for (int k = 0; k < n; k++) {
    double *column = A + (size_t)k * ld, *diagonal = column + (size_t)k * p;
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (lapack_modulus(parts, column + (size_t)i * p) >
          lapack_modulus(parts, column + (size_t)best * p))
        best = i;
    pivot[k] = best + 1;
    lapack_exchange(parts, n, A, k, best);
    if (lapack_modulus(parts, diagonal) == 0) {
      *info = *info ? *info : k + 1;
      continue;
    }
    for (int i = k + 1; i < n; i++)
      lapack_divide(parts, column + (size_t)i * p, diagonal);
    for (int j = k + 1; j < n; j++)
      for (int i = k + 1; i < n; i++)
        lapack_subtract(parts, A + (size_t)j * ld + (size_t)i * p, column + (size_t)i * p,
                        A + (size_t)j * ld + (size_t)k * p);
  }
}

static void lapack_plain_real(const int *m, const int *n, double *A, const int *lda, int *pivot,
                              int *info)
{
  (void)m, (void)lda;
  lapack_plain(1, *n, A, pivot, info);
}

static void lapack_plain_complex(const int *m, const int *n, double *A, const int *lda, int *pivot,
                                 int *info)
{
  (void)m, (void)lda;
  lapack_plain(2, *n, A, pivot, info);
}

/* ---- LAPACK ---- */

static getrf *lapack_find(const char *name)
{
  static const char *const places[] = {DAE_LAPACK_PLACES};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    void *library = dlopen(places[i], RTLD_LAZY | RTLD_LOCAL);
    getrf *found = NULL;
    if (library)
      *(void **)&found = dlsym(library, name);
    if (found)
      return found;
  }
  return NULL;
}

void dgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info)
{
  static _Atomic(getrf *) known;
  getrf *f = atomic_load_explicit(&known, memory_order_acquire);
  if (!f) {
    f = lapack_find("dgetrf_");
    f = f ? f : lapack_plain_real;
    atomic_store_explicit(&known, f, memory_order_release);
  }
  f(m, n, A, lda, pivot, info);
}

void zgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info)
{
  static _Atomic(getrf *) known;
  getrf *f = atomic_load_explicit(&known, memory_order_acquire);
  if (!f) {
    f = lapack_find("zgetrf_");
    f = f ? f : lapack_plain_complex;
    atomic_store_explicit(&known, f, memory_order_release);
  }
  f(m, n, A, lda, pivot, info);
}
