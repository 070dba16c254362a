/* Fronts of complex numbers. */
#include "linalg/fronts/fronts.h"
#include "linalg/pair.h"
#include "linalg/saddle/schur_small.h"

#define FRONTS_SYMMETRIC false

typedef dae__pair number; /* real and imaginary part */

static inline number zfront_times(number a, number b)
{
  dae__pair turned = {-b[1], b[0]};
  return a[0] * b + a[1] * turned;
}

static inline number zfront_reciprocal(number a)
{
  /* scaled by the larger part [S62] */
  double re = a[0], im = a[1];
  if (fabs(re) >= fabs(im)) {
    double q = im / re, r = 1 / (re + im * q);
    return (number){r, -q * r};
  }
  double q = re / im, r = 1 / (re * q + im);
  return (number){q * r, -r};
}

#define front_times zfront_times
#define front_reciprocal zfront_reciprocal
#define front_update zfront_update
#define front_minus(a, l, u) ((a)-front_times(l, u))
#define front_plus(a, b) ((a) + (b))
#define front_size(a) (fabs((a)[0]) + fabs((a)[1]))
#define front_zero(a) ((a)[0] == 0 && (a)[1] == 0)
#define front_load(x, y, i) ((number){(x)[i], (y)[i]})
#define front_store(a, x, y, i) ((x)[i] = (a)[0], (y)[i] = (a)[1])

static inline void zfront_update(int s, int from, const number *l, number u, number *restrict a)
{
  const dae__pair turned = {-u[1], u[0]};
  for (int i = from; i < s; i++)
    a[i] -= l[i][0] * u + l[i][1] * turned;
}

#include "linalg/fronts/fronts_kernel.h"

double dae__zfronts_factor(const dae__fronts *fronts, const double *values)
{
  return fronts_factor(fronts, values);
}

void dae__zfronts_solve(const dae__fronts *fronts, double *x, double *y)
{
  fronts_solve(fronts, x, y);
}
