#include "onestep/spark/adapter.h"
#include "core/error.h"
#include "linalg/rank.h"
#include "problem/mechanical/mech.h"

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

/* the first constraint that depends on those before it, -1: there is none, or it is not known */
static int spark_adapter_dependent_row(const dae__face *face, dae__arena *arena,
                                       const dae__face_at *at, double tol)
{
  const dae_pattern *G = &face->pattern[DAE__GDOT_Z], *K = &face->pattern[DAE__K_Z];
  int nc = face->ng + face->nk, rank;
  dae__block blocks[2] = {{.pattern = G}, {.row = face->ng, .pattern = K}};
  dae_pattern A = dae__blocks_merge(arena, nc, face->nz, blocks, 2);
  dae__face_parts wanted = {0};
  bool *independent = DAE__ALLOC(arena, bool, nc);
  wanted.of[DAE__GDOT_Z] = DAE__ALLOC(arena, double, dae__pattern_count(G));
  wanted.of[DAE__K_Z] = DAE__ALLOC(arena, double, dae__pattern_count(K));
  if (dae__arena_failed(arena))
    return -1;
  double *values = DAE__ALLOC(arena, double, dae__pattern_count(&A));
  if (!values || face->table->linearise(face->self, at, NULL, &wanted, NULL))
    return -1;
  dae__block_add(&blocks[0], 1, wanted.of[DAE__GDOT_Z], values);
  dae__block_add(&blocks[1], 1, wanted.of[DAE__K_Z], values);
  for (int i = 0; i < nc; i++)
    independent[i] = !face->active || face->active[i];
  if (dae__rank_rows(&A, values, tol, dae__arena_env(arena), independent, NULL, &rank, NULL))
    return -1;
  for (int i = 0; i < nc; i++)
    if (!independent[i] && (!face->active || face->active[i]))
      return i;
  return -1;
}

bool dae__face_dependent(const dae__face *face, const dae_env *env, double t, const double *y,
                         const double *z, double tol, char *name, size_t size)
{
  dae__arena *arena = dae__arena_create(env);
  dae__face_at at = {t, y, z};
  int row = arena ? spark_adapter_dependent_row(face, arena, &at, tol) : -1;
  dae__arena_free(arena);
  if (row >= 0)
    dae__face_name(face, face->nz + row, name, size);
  return row >= 0;
}
