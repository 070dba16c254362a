/* Complex numbers, one or two at a time, real and imaginary parts apart: columns have 2 pairs real
 * parts, then as many imaginary ones. */
#ifndef DAEDAL_LINALG_ZPAIR_H
#define DAEDAL_LINALG_ZPAIR_H

#include "linalg/pair.h"
#include <math.h>

/* two rows, or a number and a copy of it */
typedef struct zpair {
  dae__pair x, y;
} zpair;

typedef struct number {
  double x, y;
} number;

static inline zpair zpair_of(const int pairs, const double *column, int i)
{
  return (zpair){dae__pair_of(column + 2 * i), dae__pair_of(column + 2 * (pairs + i))};
}

static inline void store(const int pairs, double *column, int i, zpair a)
{
  *dae__pair_at(column + 2 * i) = a.x;
  *dae__pair_at(column + 2 * (pairs + i)) = a.y;
}

/* a b */
static inline zpair times(zpair a, number b)
{
  return (zpair){a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

static inline number number_times(number a, number b)
{
  return (number){a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

/* c - a b */
static inline zpair less(zpair c, zpair a, number b)
{
  zpair p = times(a, b);
  return (zpair){c.x - p.x, c.y - p.y};
}

/* 1/(x + i y); not finite where it overflows */
static inline number reciprocal(double x, double y)
{
  double d = x * x + y * y;
  if (d < 1e-280 || d > 1e280) { /* the squares may have no digits left */
    double s = fabs(x) + fabs(y);
    x /= s;
    y /= s;
    d = (x * x + y * y) * s;
  }
  double s = 1 / d;
  return (number){x * s, -y * s};
}

#endif
