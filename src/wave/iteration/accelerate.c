/* Acceleration of the fixed-point iteration z -> zhat(z) without derivatives. With f = zhat - z, dz
 * and df the differences of z and f between sweeps, and norms over x_i / w_i:
 *
 *   Aitken     z + omega f,               omega = -(dz, df) / (df, df)
 *   Anderson   z + f - (dZ + dF) gamma,   gamma = argmin |f - dF gamma|, columns of the last sweeps
 *
 * For a linear map zhat = T z + c, Aitken is exact for a single mode, omega = 1/(1 - T), and
 * Anderson for as many modes as there are columns; neither requires T to contract. */
#include "wave/iteration/accelerate.h"
#include "core/vec.h"
#include <math.h>

/* Bounds of Aitken's factor, 1/(1 - T) for a single mode. Above 100, T is 1 to two digits and the
 * factor is noise of other modes; a factor of zero would stop the iteration. */
#define MAX_OMEGA 100
#define MIN_OMEGA 1e-6
/* Share of a column orthogonal to the newer columns below which the column counts as dependent.
 * Measured on loops of three subsystems (50 nodes, noise of a tenth of the tolerance or none): the
 * number of sweeps is the same from 1e-12 to 1e-5; exactness for linear maps requires a small
 * value; orthogonalising twice is accurate for 1e-8 and less. */
#define DEPENDENT_SHARE 1e-8

dae__accelerate dae__accelerate_create(dae__arena *arena, int capacity, int depth)
{
  size_t n = (size_t)capacity, m = (size_t)depth;
  return (dae__accelerate){
      .capacity = capacity,
      .depth = depth,
      .omega = 1,
      .last_z = DAE__ALLOC(arena, double, n),
      .last_change = DAE__ALLOC(arena, double, n),
      .dz = DAE__ALLOC(arena, double, n *m),
      .df = DAE__ALLOC(arena, double, n *m),
      .Q = DAE__ALLOC(arena, double, n *(m + 1)), /* last column: f */
      .R = DAE__ALLOC(arena, double, m *m),
      .rhs = DAE__ALLOC(arena, double, m),
  };
}

void dae__accelerate_begin(dae__accelerate *a, int n)
{
  a->n = n;
  a->kept = a->next = a->sweeps = 0;
  a->omega = 1;
}

/* Stores last_z = z and last_change = zhat - z. */
static void accelerate_remember(dae__accelerate *a, const double *zhat, const double *z)
{
  for (int i = 0; i < a->n; i++) {
    a->last_z[i] = z[i];
    a->last_change[i] = zhat[i] - z[i];
  }
  a->sweeps++;
}

/* Relaxation by Aitken's omega within its bounds; omega of the sweep before where f has not
 * changed. */
void dae__accelerate_aitken(dae__accelerate *a, const double *zhat, const double *w, double *z)
{
  double across = 0, square = 0;
  for (int i = 0; i < a->n && a->sweeps > 0; i++) {
    double dz = (z[i] - a->last_z[i]) / w[i];
    double df = (zhat[i] - z[i] - a->last_change[i]) / w[i];
    across += dz * df;
    square += df * df;
  }
  double omega = -across / square;
  if (a->sweeps > 0 && isfinite(omega))
    a->omega = copysign(fmin(fmax(fabs(omega), MIN_OMEGA), MAX_OMEGA), omega);
  accelerate_remember(a, zhat, z);
  dae__axpy(a->n, a->omega, a->last_change, z);
}

/* Offset of the k-th newest column in dz, df and Q. */
static size_t accelerate_column(const dae__accelerate *a, int k)
{
  return (size_t)((a->next - 1 - k + a->depth) % a->depth) * (size_t)a->capacity;
}

/* Gram-Schmidt step r += Q'q, q -= Q r over the independent columns before k */
static void accelerate_orthogonalise(const dae__accelerate *a, int k, double *q, double *r)
{
  for (int j = 0; j < k; j++) {
    const double *Qj = a->Q + (size_t)j * (size_t)a->capacity;
    if (a->R[j + j * a->depth] == 0)
      continue;
    double along = dae__dot(a->n, Qj, q);
    r[j] += along;
    dae__axpy(a->n, -along, Qj, q);
  }
}

/* Factorisation Q R = dF / w, newest column first; R_kk = 0 for dependent columns. Orthogonalising
 * twice keeps Q orthogonal down to the smallest independent column. */
static void accelerate_factor(dae__accelerate *a, const double *w)
{
  for (int k = 0; k < a->kept; k++) {
    const double *df = a->df + accelerate_column(a, k);
    double *q = a->Q + (size_t)k * (size_t)a->capacity, *r = a->R + k * a->depth;
    for (int i = 0; i < a->n; i++)
      q[i] = df[i] / w[i];
    double whole = sqrt(dae__dot(a->n, q, q));
    dae__zero(a->depth, r);
    accelerate_orthogonalise(a, k, q, r);
    accelerate_orthogonalise(a, k, q, r);
    double left = sqrt(dae__dot(a->n, q, q));
    if (isfinite(left) && left > DEPENDENT_SHARE * whole) {
      r[k] = left;
      dae__scale(a->n, 1 / left, q);
    }
  }
}

void dae__accelerate_anderson(dae__accelerate *a, const double *zhat, const double *w, double *z)
{
  if (a->sweeps > 0 && a->depth > 0) {
    /* the oldest column is overwritten */
    double *dz = a->dz + (size_t)a->next * (size_t)a->capacity;
    double *df = a->df + (size_t)a->next * (size_t)a->capacity;
    for (int i = 0; i < a->n; i++) {
      dz[i] = z[i] - a->last_z[i];
      df[i] = zhat[i] - z[i] - a->last_change[i];
    }
    a->next = (a->next + 1) % a->depth;
    a->kept += a->kept < a->depth;
    accelerate_factor(a, w);
    /* least-squares solution gamma = R \ Q'(f / w) */
    double *f = a->Q + (size_t)a->depth * (size_t)a->capacity, *gamma = a->rhs;
    for (int i = 0; i < a->n; i++)
      f[i] = (zhat[i] - z[i]) / w[i];
    dae__zero(a->kept, gamma);
    accelerate_orthogonalise(a, a->kept, f, gamma);
    for (int k = a->kept - 1; k >= 0; k--) {
      const double *r = a->R + k * a->depth;
      gamma[k] = r[k] == 0 ? 0 : gamma[k] / r[k];
      dae__axpy(k, -gamma[k], r, gamma);
    }
  }
  accelerate_remember(a, zhat, z);
  dae__axpy(a->n, 1, a->last_change, z);
  for (int k = 0; k < a->kept; k++) { /* z += f - (dZ + dF) gamma */
    dae__axpy(a->n, -a->rhs[k], a->dz + accelerate_column(a, k), z);
    dae__axpy(a->n, -a->rhs[k], a->df + accelerate_column(a, k), z);
  }
}
