/* A problem as SPARK sees it [J09 (1)]:
 *
 *   y' = v(t,y,z),   d/dt p(t,y,z) = f(t,y,z,psi) + r(t,y,lambda)
 *   0 = g(t,y),   0 = gdot = g_t + g_y v,   0 = k(t,y,z)
 *
 * behind tables, so that the stage system knows nothing of where it comes from. */
#ifndef DAEDAL_ONESTEP_SPARK_ADAPTER_H
#define DAEDAL_ONESTEP_SPARK_ADAPTER_H

#include "core/arena.h"
#include "problem/momentum/momentum.h"

#include <daedal/integrator.h>

/* A point; z is NULL for what does not depend on it. */
typedef dae_momentum_at dae__face_at;

/* Multipliers about the middle of a step. */
typedef struct dae__face_multipliers {
  const double *lambda, *psi;
} dae__face_multipliers;

/* Values of the derivatives, in the order of their patterns; NULL: not wanted. */
typedef struct dae__face_parts {
  double *of[DAE__MOMENTUM_PARTS];
} dae__face_parts;

typedef struct dae__face_table {
  dae_status (*v)(void *self, const dae__face_at *at, double *v, dae_error *err);
  dae_status (*p)(void *self, const dae__face_at *at, double *p, dae_error *err);
  dae_status (*f)(void *self, const dae__face_at *at, const double *psi, double *f, dae_error *err);
  /* r and, unless NULL, g, which are wanted at the same points */
  dae_status (*rg)(void *self, const dae__face_at *at, const double *lambda, double *r, double *g,
                   dae_error *err);
  dae_status (*gdot)(void *self, const dae__face_at *at, double *gdot, dae_error *err);
  dae_status (*k)(void *self, const dae__face_at *at, double *k, dae_error *err);
  /* derivatives, with the multipliers psi for those of f, lambda for those of r */
  dae_status (*linearise)(void *self, const dae__face_at *at, const double *multiplier,
                          const dae__face_parts *wanted, dae_error *err);
} dae__face_table;

/* The two matrices of the modified Newton iteration [J09 (2), (3)]
 *
 *   [ p_z  -r_lambda  -f_psi ]        [ p_z  -r_lambda ]
 *   [ g_y v_z   0        0   ]   and  [ g_y v_z    0   ]
 *   [ k_z       0        0   ] */
typedef struct dae__face_matrices {
  /* Evaluates and factors both. */
  dae_status (*factor)(void *self, const dae__face_at *at, const dae__face_multipliers *with,
                       dae_error *err);
  /* x = matrix (2)\x, matrix (3)\x; x = (z, lambda, psi) or (z, lambda) */
  void (*solve2)(void *self, double *x);
  void (*solve3)(void *self, double *x);
  dae_status (*reload)(void *self); /* after load */
} dae__face_matrices;

typedef struct dae__face {
  const dae__face_table *table;
  const dae__face_matrices *matrices; /* NULL: not wanted */
  struct dae__decoupled *richer;      /* blocks of the richer iteration, NULL: not wanted */
  void *self;
  int ny, nz, ng, nk;
  const dae_pattern *pattern; /* of each part */
  const bool *active;         /* ng + nk: rows that were not taken out; NULL: all */
  dae_problem problem;
  int *y_at, *z_at; /* where y and z are in its state vector */
  int lambda, psi;  /* where the multipliers begin */
} dae__face;

/* A state vector as (y, z), and back; multipliers are left alone. */
void dae__face_split(const dae__face *face, const double *state, double *y, double *z);
void dae__face_join(const dae__face *face, const double *y, const double *z, double *state);

/* The variable, or the constraint, that belongs to entry i of (z, lambda, psi). */
const char *dae__face_name(const dae__face *face, int i, char *name, size_t size);
/* Whether constraints are dependent up to tol at this point, in memory for the occasion; the name
 * of one that depends on others. */
bool dae__face_dependent(const dae__face *face, const dae_env *env, double t, const double *y,
                         const double *z, double tol, char *name, size_t size);
/* DAE_ERROR_SINGULAR: `matrix`, at entry i of (z, lambda, psi), -1: not known. */
dae_status dae__face_singular(const dae__face *face, const char *matrix, int i, dae_error *err);

#endif
