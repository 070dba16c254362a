/* Fronts of symmetric matrices of real numbers. */
#define FRONTS_SYMMETRIC true

#include "linalg/fronts/fronts_real.h"

double dae__sfronts_factor(const dae__fronts *fronts, const double *values)
{
  return fronts_factor(fronts, values);
}

void dae__sfronts_solve(const dae__fronts *fronts, double *x)
{
  fronts_solve(fronts, x, NULL);
}
