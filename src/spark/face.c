#include "spark/face.h"
#include "core/error.h"
#include "problem/mech.h"

void dae__face_split(const dae__face *face, const double *state, double *y, double *z)
{
  for (int i = 0; i < face->ny; i++)
    y[i] = state[face->y_at[i]];
  for (int i = 0; i < face->nz; i++)
    z[i] = state[face->z_at[i]];
}

void dae__face_join(const dae__face *face, const double *y, const double *z, double *state)
{
  for (int i = 0; i < face->ny; i++)
    state[face->y_at[i]] = y[i];
  for (int i = 0; i < face->nz; i++)
    state[face->z_at[i]] = z[i];
}

const char *dae__face_name(const dae__face *face, int i, char *name, size_t size)
{
  const dae_problem *p = &face->problem;
  if (i < face->nz)
    dae_problem_variable(p, face->z_at[i], name, size);
  else if (p->mechanical)
    dae__mech_constraint_name(p->mechanical, i - face->nz, name, size);
  else
    dae__momentum_constraint_name(p->momentum, i - face->nz, name, size);
  return name;
}

dae_status dae__face_singular(const dae__face *face, const char *matrix, int i, dae_error *err)
{
  char name[64] = "";
  if (i >= 0)
    dae__face_name(face, i, name, sizeof name);
  return dae__fail(err, DAE_ERROR_SINGULAR, name,
                   "%s is singular%s%s: constraints may have become dependent, or a coordinate has "
                   "neither mass nor a constraint",
                   matrix, name[0] ? " at " : "", name);
}
