/* Fronts of real numbers. */
#define FRONTS_SYMMETRIC false

#include "linalg/fronts/fronts_real.h"

void dae__fronts_create(dae__arena *arena, const dae__fronts_plan *plan, int width,
                        dae__fronts *out)
{
  size_t parts = (size_t)width, largest = (size_t)plan->largest;
  *out = (dae__fronts){.plan = plan,
                       .factor = DAE__UNINIT(arena, double, parts * plan->factors),
                       .stack = DAE__UNINIT(arena, double, parts * plan->stack),
                       .work = DAE__UNINIT(arena, double, parts *largest *largest),
                       .pivots = DAE__UNINIT(arena, double, parts *largest),
                       .diagonal = DAE__UNINIT(arena, double, largest),
                       .terms = DAE__UNINIT(arena, double, plan->n),
                       .waiting = DAE__UNINIT(arena, int, plan->count)};
}

double dae__fronts_factor(const dae__fronts *fronts, const double *values)
{
  return fronts_factor(fronts, values);
}

void dae__fronts_solve(const dae__fronts *fronts, double *x)
{
  fronts_solve(fronts, x, NULL);
}
