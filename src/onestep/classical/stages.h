/* The stages of an implicit step: all X_i and Y_i at once from
 *
 *   M(X_i) k_i - f(X_i, Y_i) = 0,   -F(X_i, Y_i) = 0   at t0 + c_i h,
 *
 * with the k_i of the scheme. M may be singular where the scheme does not use k_0. */
#ifndef DAEDAL_ONESTEP_CLASSICAL_STAGES_H
#define DAEDAL_ONESTEP_CLASSICAL_STAGES_H

#include "linalg/solver.h"
#include "onestep/classical/scheme.h"
#include "problem/semi_explicit/semi.h"
#include <daedal/rk.h>

typedef struct dae__rk_stages_memory {
  bool factored;
  double h; /* the matrix is for this size */
  long iterations, jacobians, factorisations;
} dae__rk_stages_memory;

typedef struct dae__rk_stages {
  const dae__rk_scheme *scheme;
  dae__semi *s;
  double rtol, atol;
  dae__rk_stages_memory *memory; /* kept */

  double t, h; /* the step at hand */
  const double *z0, *k0;
  double *Z, *K, *R; /* stage by stage: (X_i, Y_i), k_i, residual */
  double *M, *Ms, *J;
  dae_pattern pattern;
  dae__block M_at[DAE__RK_STAGES][DAE__RK_STAGES], Ms_at[DAE__RK_STAGES], J_at[DAE__RK_STAGES];
  double *matrix;
  dae__solver *solver;
} dae__rk_stages;

dae_status dae__rk_stages_create(dae__arena *arena, const dae__rk_scheme *scheme, dae__semi *s,
                                 const dae_rk_options *opts, dae__rk_stages *out, dae_error *err);
void dae__rk_stages_free(dae__rk_stages *o);
dae_status dae__rk_stages_reload(dae__rk_stages *o);

/* A step from (t, z0) with the slope k0 of x there. Out: stages in Z, their slopes in K; the last
 * of them are those at the end. Failures name an equation or a variable. */
dae_status dae__rk_stages_solve(dae__rk_stages *o, double t, double h, const double *z0,
                                const double *k0, dae_error *err);

/* (X_i, Y_i), k_i */
static inline double *dae__rk_stage(const dae__rk_stages *o, int i)
{
  return o->Z + (size_t)i * (size_t)o->s->n;
}
static inline double *dae__rk_stage_slope(const dae__rk_stages *o, int i)
{
  return o->K + (size_t)i * (size_t)o->s->nx;
}

#endif
