/* Fronts of symmetric matrices of real numbers. */
#define FRONTS_NAME(function) sfronts_##function
#define FRONTS_SYMMETRIC true

#include "linalg/fronts/fronts_real.h"

double dae__sfronts_factor(const dae__fronts *fronts, const double *values)
{
  return sfronts_factor(fronts, values);
}

void dae__sfronts_solve(const dae__fronts *fronts, double *x)
{
  sfronts_solve(fronts, x, NULL);
}
