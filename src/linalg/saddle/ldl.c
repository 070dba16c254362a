/* Factorisation A = L D L' by panels of two columns: a panel is eliminated, then the rest of the
 * lower triangle is updated by both columns at once, in blocks of two by two. */
#include "linalg/saddle/ldl.h"
#include "core/assert.h"
#include "linalg/pair.h"

bool dae__ldl_factor(size_t n, const double *scale, double *u, double *A)
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

/* Two columns at a time. Entries that the next two columns need first stay in a register: loads
 * would wait for the stores. */
void dae__ldl_forward(size_t n, const double *A, double *z)
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

/* Two columns at a time; sums begin with the entries computed first. */
void dae__ldl_backward(size_t n, const double *A, double *z)
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

double dae__ldl_rcond(size_t n, const double *A, const double *scale)
{
  double least = 1;
  for (size_t k = 0; k < n; k++)
    least = fmin(least, 1 / (A[k * n + k] * scale[k]));
  return least;
}
