/* Sums over all stages, with their number known to the compiler: X_1 ... X_s to sum_j m_ij X_j,
 * i = 1 ... s. Coefficients stand twice, as the two lanes of a vector take them. */
#ifndef DAEDAL_ONESTEP_RADAU_RADAU_MAPS_H
#define DAEDAL_ONESTEP_RADAU_RADAU_MAPS_H

#include "linalg/pair.h"

#define DAE__RADAU_STAGES 7

typedef struct dae__radau_map {
  dae__pair m[DAE__RADAU_STAGES][DAE__RADAU_STAGES];
} dae__radau_map;

/* s = 3, 5 or 7 rows of X that are n apart, count entries of each, to rows of `to` that are
 * `stride` apart. */
void dae__radau_map_rows(int s, const dae__radau_map *map, int count, const double *X, int n,
                         double *to, int stride);

/* What stages are integrated to: s rows of `to`, `stride` apart,
 *
 *   to_i = base + at_i slope + factor sum_j m_ij X_j,   i = 1 ... s,
 *
 * count entries of rows of X that are n apart; slope may be NULL, and at with it. */
typedef struct dae__radau_integral {
  const dae__radau_map *map;
  double factor;
  const double *base, *slope, *at;
  int count;
} dae__radau_integral;
void dae__radau_integrate(int s, const dae__radau_integral *what, int n, const double *X,
                          int stride, double *to);

#endif
