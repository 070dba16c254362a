/* Operations on the equations of SPARK that are the same for both forms of the problem. */
#include "onestep/spark/equations.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/mechanical/mech.h"

dae_status dae__spark_equations_create_values(dae__arena *arena, dae__spark_equations *eq,
                                              dae_error *err)
{
  eq->pattern[DAE__SPARK_ONE] = dae__pattern_diagonal(arena, eq->ny);
  eq->pattern[DAE__SPARK_REDUNDANT_G] = dae__pattern_diagonal(arena, eq->ng);
  eq->pattern[DAE__SPARK_REDUNDANT_K] = dae__pattern_diagonal(arena, eq->nk);
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i <= DAE__SPARK_ONE; i++)
    if (!eq->values[i])
      eq->values[i] = DAE__ALLOC(arena, double, dae__pattern_count(&eq->pattern[i]));
  eq->diagonal = DAE__ALLOC(arena, double, eq->nz + eq->ng + eq->nk);
  DAE__TRY(dae__arena_status(arena, err));
  eq->values[DAE__SPARK_REDUNDANT_G] = eq->diagonal + eq->nz;
  eq->values[DAE__SPARK_REDUNDANT_K] = eq->diagonal + eq->nz + eq->ng;
  for (int i = 0; i < eq->ny; i++)
    eq->values[DAE__SPARK_ONE][i] = 1;
  return DAE_OK;
}

void dae__spark_split(const dae__spark_equations *eq, const double *state, double *y, double *z)
{
  dae__copy(eq->split, state, y);
  dae__copy(eq->ny - eq->split, state + eq->rest, y + eq->split);
  dae__copy(eq->nz, state + eq->z, z);
}

void dae__spark_join(const dae__spark_equations *eq, const double *y, const double *z,
                     double *state)
{
  dae__copy(eq->split, y, state);
  dae__copy(eq->ny - eq->split, y + eq->split, state + eq->rest);
  dae__copy(eq->nz, z, state + eq->z);
}

const char *dae__spark_name(const dae__spark_equations *eq, int i, char *name, size_t size)
{
  const dae_problem *p = eq->problem;
  if (i < eq->nz)
    dae_problem_variable(p, eq->z + i, name, size);
  else if (p->mechanical)
    dae__mech_constraint_name(p->mechanical, i - eq->nz, name, size);
  else
    dae__momentum_constraint_name(p->momentum, i - eq->nz, name, size);
  return name;
}

dae_status dae__spark_factored(const dae__spark_equations *eq, dae_status status,
                               const char *matrix, int i, dae_error *err)
{
  char name[64] = "";
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  if (i >= 0)
    dae__spark_name(eq, i, name, sizeof name);
  return dae__fail(err, DAE_ERROR_SINGULAR, name,
                   "%s is singular%s%s: constraints may have become dependent, or a coordinate has "
                   "neither mass nor a constraint",
                   matrix, name[0] ? " at " : "", name);
}
