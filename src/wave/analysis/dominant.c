/* The largest |mu| of T, T x = mu x, where T is known by its products only.
 *
 *   x -> T x / |T x|    some times, from a start without symmetries
 *   T V = V H + h v e'  Arnoldi's process from there: mu is the largest eigenvalue of H, x = V s,
 * if the residual h |e's| is small
 *
 * It is not for rings, whose eigenvalues lie on a circle side by side. Then the iteration goes on.
 * Norms go up and down, for complex pairs too, but their geometric mean over a block does not;
 * blocks double until two in a row agree. */
#include "wave/analysis/dominant.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/spectrum.h"
#include <math.h>

#define DIMENSION 64 /* of V; as many iterations before */
#define RESIDUAL 1e-4
/* Modes closer than 1e-3 are told apart by 2000 iterations, if at all: no block counts before. */
#define FIRST_BLOCK 256
#define TRUSTED_BLOCK 2048
#define LAST_BLOCK 8192
#define AGREEMENT 2e-4
#define AVERAGED 512 /* iterates whose squares are averaged for |x_i| */

dae__dominant dae__dominant_create(dae__arena *arena, int n, dae__apply *apply, const void *T)
{
  int m = n < DIMENSION ? n : DIMENSION;
  return (dae__dominant){
      .n = n,
      .dimension = m,
      .apply = apply,
      .T = T,
      .V = DAE__ALLOC(arena, double, (size_t)n *(size_t)(m + 1)),
      .H = DAE__ALLOC(arena, double, m *m),
      .re = DAE__ALLOC(arena, double, m),
      .im = DAE__ALLOC(arena, double, m),
  };
}

static double dominant_norm(int n, const double *x)
{
  return sqrt(dae__dot(n, x, x));
}

/* x = T x / |T x|, by way of y; returns |T x|, 0 where that is the end */
static double dominant_iterate(const dae__dominant *d, double *x, double *y)
{
  d->apply(d->T, x, y);
  double size = dominant_norm(d->n, y);
  if (!(size > 0) || !isfinite(size))
    return 0;
  for (int i = 0; i < d->n; i++)
    x[i] = y[i] / size;
  return size;
}

/* The first column of V; false: T x = 0 sooner or later. */
static bool dominant_begin(const dae__dominant *d)
{
  double *x = d->V, *y = x + d->n;
  for (int i = 0; i < d->n; i++)
    x[i] = 1 + 0.7 * sin(2.3 * i + 0.4);
  for (int k = 0; k < d->dimension; k++)
    if (dominant_iterate(d, x, y) == 0)
      return false;
  return true;
}

/* The next column of V, orthogonal to those up to k, twice for rounding; returns its size. */
static double dominant_extend(const dae__dominant *d, int k, double *h)
{
  size_t n = (size_t)d->n;
  double *v = d->V + (size_t)(k + 1) * n;
  d->apply(d->T, v - n, v);
  double whole = dominant_norm(d->n, v);
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j <= k; j++) {
      double along = dae__dot(d->n, d->V + (size_t)j * n, v);
      h[j] += along;
      dae__axpy(d->n, -along, d->V + (size_t)j * n, v);
    }
  double size = dominant_norm(d->n, v);
  if (size <= 1e-14 * whole) /* the subspace is closed */
    return 0;
  dae__scale(d->n, 1 / size, v);
  return size;
}

/* T V = V H + h v e'; returns h, and how many columns V has. */
static double dominant_arnoldi(const dae__dominant *d, int *columns)
{
  int m = d->dimension;
  double size = 0;
  dae__zero(m * m, d->H);
  for (int k = 0; k < m; k++) {
    size = dominant_extend(d, k, d->H + k * m);
    *columns = k + 1;
    if (size == 0)
      break;
    if (k + 1 < m)
      d->H[k + 1 + k * m] = size;
  }
  for (int k = 1; k < *columns; k++) /* to columns x columns */
    for (int i = 0; i < *columns; i++)
      d->H[i + k * *columns] = d->H[i + k * m];
  return size;
}

/* The largest eigenvalue of H, its vector s in re and im, and |e's| / |s|. */
static dae_status dominant_ritz(const dae__dominant *d, const dae_env *env, int m, double *rho,
                                double *last, dae_error *err)
{
  int which = 0;
  DAE__TRY(dae__spectrum_values(env, m, d->H, d->re, d->im, err));
  for (int k = 1; k < m; k++)
    if (hypot(d->re[k], d->im[k]) > hypot(d->re[which], d->im[which]))
      which = k;
  double re = d->re[which], im = d->im[which];
  *rho = hypot(re, im);
  dae_status status = dae__spectrum_vector(env, m, d->H, re, im, d->re, d->im, err);
  *last =
      hypot(d->re[m - 1], d->im[m - 1]) / hypot(dominant_norm(m, d->re), dominant_norm(m, d->im));
  return status;
}

/* |x_i|, x = V s */
static void dominant_ritz_modulus(const dae__dominant *d, int columns, double *modulus)
{
  for (int i = 0; i < d->n; i++) {
    double re = 0, im = 0;
    for (int k = 0; k < columns; k++) {
      double v = d->V[(size_t)i + (size_t)k * (size_t)d->n];
      re += v * d->re[k];
      im += v * d->im[k];
    }
    modulus[i] = hypot(re, im);
  }
}

/* The iteration by blocks, from the last vector of the subspace. */
static double dominant_power(const dae__dominant *d)
{
  double *x = d->V + (size_t)(d->dimension - 1) * (size_t)d->n, *y = x + d->n, mean = 0;
  for (int length = FIRST_BLOCK; length <= LAST_BLOCK; length *= 2) {
    double before = mean, growth = 0;
    for (int k = 0; k < length; k++) {
      double size = dominant_iterate(d, x, y);
      if (size == 0)
        return 0;
      growth += log(size);
    }
    mean = exp(growth / length);
    if (length >= TRUSTED_BLOCK && fabs(mean - before) <= AGREEMENT * mean)
      break;
  }
  return mean;
}

/* the root of the mean square over iterates: that of a pair turns around */
static void dominant_power_modulus(const dae__dominant *d, double *modulus)
{
  double *x = d->V + (size_t)(d->dimension - 1) * (size_t)d->n;
  dae__zero(d->n, modulus);
  for (int k = 0; k < AVERAGED; k++) {
    dominant_iterate(d, x, x + d->n);
    for (int i = 0; i < d->n; i++)
      modulus[i] += x[i] * x[i];
  }
  for (int i = 0; i < d->n; i++)
    modulus[i] = sqrt(modulus[i]);
}

dae_status dae__dominant_find(dae__dominant *d, const dae_env *env, double *rho, double *modulus,
                              dae_error *err)
{
  int columns = 0;
  double last = 0;
  *rho = 0;
  if (modulus)
    dae__zero(d->n, modulus);
  if (!dominant_begin(d))
    return DAE_OK;
  double h = dominant_arnoldi(d, &columns);
  DAE__TRY(dominant_ritz(d, env, columns, rho, &last, err));
  bool found = h * last <= RESIDUAL * *rho;
  if (!found)
    *rho = dominant_power(d);
  if (modulus && *rho > 0) {
    if (found)
      dominant_ritz_modulus(d, columns, modulus);
    else
      dominant_power_modulus(d, modulus);
    dae__scale(d->n, 1 / dae__max_abs(d->n, modulus), modulus);
  }
  return DAE_OK;
}
