/* Operations of a SPARK adapter that are the same for every form of the problem, and submatrices of
 * sparse matrices. */
#include "onestep/spark/adapter.h"
#include "core/error.h"
#include "linalg/rank.h"
#include "problem/mechanical/mech.h"

void dae__spark_adapter_split(const dae__spark_adapter *a, const double *state, double *y,
                              double *z)
{
  for (int i = 0; i < a->ny; i++)
    y[i] = state[a->y_at[i]];
  for (int i = 0; i < a->nz; i++)
    z[i] = state[a->z_at[i]];
}

void dae__spark_adapter_join(const dae__spark_adapter *a, const double *y, const double *z,
                             double *state)
{
  for (int i = 0; i < a->ny; i++)
    state[a->y_at[i]] = y[i];
  for (int i = 0; i < a->nz; i++)
    state[a->z_at[i]] = z[i];
}

const char *dae__spark_adapter_name(const dae__spark_adapter *a, int i, char *name, size_t size)
{
  const dae_problem *p = &a->problem;
  if (i < a->nz)
    dae_problem_variable(p, a->z_at[i], name, size);
  else if (p->mechanical)
    dae__mech_constraint_name(p->mechanical, i - a->nz, name, size);
  else
    dae__momentum_constraint_name(p->momentum, i - a->nz, name, size);
  return name;
}

dae_status dae__spark_adapter_singular(const dae__spark_adapter *a, const char *matrix, int i,
                                       dae_error *err)
{
  char name[64] = "";
  if (i >= 0)
    dae__spark_adapter_name(a, i, name, sizeof name);
  return dae__fail(err, DAE_ERROR_SINGULAR, name,
                   "%s is singular%s%s: constraints may have become dependent, or a coordinate has "
                   "neither mass nor a constraint",
                   matrix, name[0] ? " at " : "", name);
}

/* index of the first constraint whose row of [g_y v_z; k_z] depends linearly on the rows before it;
 * -1: no such row, or the test failed */
static int spark_adapter_dependent_row(const dae__spark_adapter *a, dae__arena *arena,
                                       const dae_momentum_at *at, double tol)
{
  const dae_pattern *G = &a->pattern[DAE__GDOT_Z], *K = &a->pattern[DAE__K_Z];
  int nc = a->ng + a->nk, rank;
  dae__block blocks[2] = {{.pattern = G}, {.row = a->ng, .pattern = K}};
  dae_pattern A = dae__blocks_merge(arena, nc, a->nz, blocks, 2);
  dae__spark_derivatives wanted = {0};
  bool *independent = DAE__ALLOC(arena, bool, nc);
  wanted.of[DAE__GDOT_Z] = DAE__ALLOC(arena, double, dae__pattern_count(G));
  wanted.of[DAE__K_Z] = DAE__ALLOC(arena, double, dae__pattern_count(K));
  if (dae__arena_failed(arena))
    return -1;
  double *values = DAE__ALLOC(arena, double, dae__pattern_count(&A));
  if (!values || a->table->linearise(a->self, at, NULL, &wanted, NULL))
    return -1;
  dae__block_add(&blocks[0], 1, wanted.of[DAE__GDOT_Z], values);
  dae__block_add(&blocks[1], 1, wanted.of[DAE__K_Z], values);
  for (int i = 0; i < nc; i++)
    independent[i] = !a->active || a->active[i];
  if (dae__rank_rows(&A, values, tol, dae__arena_env(arena), independent, NULL, &rank, NULL))
    return -1;
  for (int i = 0; i < nc; i++)
    if (!independent[i] && (!a->active || a->active[i]))
      return i;
  return -1;
}

bool dae__spark_adapter_dependent(const dae__spark_adapter *a, const dae_env *env, double t,
                                  const double *y, const double *z, double tol, char *name,
                                  size_t size)
{
  dae__arena *arena = dae__arena_create(env);
  dae_momentum_at at = {t, y, z};
  int row = arena ? spark_adapter_dependent_row(a, arena, &at, tol) : -1;
  dae__arena_free(arena);
  if (row >= 0)
    dae__spark_adapter_name(a, a->nz + row, name, size);
  return row >= 0;
}

/* ---- submatrices ---- */

dae__submatrix dae__submatrix_create(dae__arena *arena, const dae_pattern *p, const int range[4])
{
  int row0 = range[0], row1 = range[1], col0 = range[2], col1 = range[3];
  int count = 0, bound = p->start[col1] - p->start[col0];
  int *start = DAE__ALLOC(arena, int, col1 - col0 + 1);
  int *row = DAE__ALLOC(arena, int, bound), *entry = DAE__ALLOC(arena, int, bound);
  if (dae__arena_failed(arena))
    return (dae__submatrix){0};
  for (int j = col0; j < col1; j++) {
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      if (p->row[e] >= row0 && p->row[e] < row1)
        row[count] = p->row[e] - row0, entry[count++] = e;
    start[j - col0 + 1] = count;
  }
  return (dae__submatrix){.pattern = {row1 - row0, col1 - col0, start, row},
                          .entry = entry,
                          .values = DAE__ALLOC(arena, double, count)};
}

void dae__submatrix_gather(const dae__submatrix *sub, const double *whole)
{
  for (int e = 0; e < dae__pattern_count(&sub->pattern); e++)
    sub->values[e] = whole[sub->entry[e]];
}
