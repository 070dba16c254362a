/* Adapter: a problem in the form that SPARK integrates [J09 (1)],
 *
 *   y' = v(t,y,z),   d/dt p(t,y,z) = f(t,y,z,psi) + r(t,y,lambda)
 *   0 = g(t,y),   0 = gdot = g_t + g_y v,   0 = k(t,y,z)
 *
 * behind two tables: evaluations, and the state vector of the problem. Two sets of factorisations
 * exist, one for the steps and one for dense output, so that output does not change the steps. */
#ifndef DAEDAL_ONESTEP_SPARK_ADAPTER_H
#define DAEDAL_ONESTEP_SPARK_ADAPTER_H

#include "core/arena.h"
#include "problem/momentum/momentum.h"

#include <daedal/integrator.h>

/* Values of the derivatives in the order of their patterns; NULL: not requested. */
typedef struct dae__spark_derivatives {
  double *of[DAE__MOMENTUM_PARTS];
} dae__spark_derivatives;

/* Functions to evaluate at one point; NULL: not requested. */
typedef struct dae__spark_wanted {
  double *v, *p, *f, *r, *g, *gdot, *k; /* g together with r only */
} dae__spark_wanted;

/* Evaluations at a point (t, y, z), z being NULL for r and g, and the linear systems of the
 * simplified Newton iteration [J09 (2), (3)]
 *
 *   [ p_z  -r_lambda  -f_psi ]        [ p_z  -r_lambda ]
 *   [ g_y v_z   0        0   ]   and  [ g_y v_z    0   ]
 *   [ k_z       0        0   ] */
typedef struct dae__spark_evaluations {
  /* multiplier: psi for f, lambda for r */
  dae_status (*eval)(void *self, const dae_momentum_at *at, const double *multiplier,
                     const dae__spark_wanted *wanted, dae_error *err);
  /* derivatives; multiplier: psi for those of f, lambda for those of r */
  dae_status (*linearise)(void *self, const dae_momentum_at *at, const double *multiplier,
                          const dae__spark_derivatives *wanted, dae_error *err);
  /* evaluates and factors matrices (2) and (3) */
  dae_status (*factor)(void *self, const dae_momentum_at *at, const double *lambda,
                       const double *psi, dae_error *err);
  /* x = matrix (2)\x with x = (z, lambda, psi), or matrix (3)\x with x = (z, lambda) */
  void (*solve)(void *self, bool with_psi, double *x);
} dae__spark_evaluations;

/* The state vector of the problem; for_output selects the factorisations of dense output. */
typedef struct dae__spark_states {
  /* Makes the state consistent in place and finds its derivative; fixed may be NULL. */
  dae_status (*consistent)(void *self, double t, const bool *fixed, double *state, double *rate,
                           dae_error *err);
  /* Projects the state onto its constraints. */
  dae_status (*project)(void *self, bool for_output, double t, double *state, dae_error *err);
  /* Multipliers into the state, and its derivative (may be NULL). */
  dae_status (*accelerate)(void *self, bool for_output, double t, double *state, double *rate,
                           dae_error *err);
  void (*count)(const void *self, dae_stats *stats); /* adds the adapter's own counts */
  /* After load; matrices: factors of (2) and (3) exist. */
  dae_status (*reload)(void *self, bool matrices);
  void (*free)(void *self);
} dae__spark_states;

typedef struct dae__spark_adapter {
  const dae__spark_evaluations *table;
  const dae__spark_states *states;
  bool matrices;                    /* (2) and (3) can be factored */
  struct dae__decoupled *decoupled; /* blocks of the decoupled iteration, NULL: not requested */
  void *self;
  int ny, nz, ng, nk;
  int size;                   /* entries of the state vector */
  const dae_pattern *pattern; /* of each derivative, DAE__MOMENTUM_PARTS */
  const bool *active;         /* ng + nk: independent constraint rows; NULL: all */
  dae_problem problem;
  int *y_at, *z_at; /* indices of y and z in the state vector */
  int lambda, psi;  /* first index of the multipliers in the state vector */
} dae__spark_adapter;

/* A mechanical problem: y = (q, u), z = v, momenta p = dT/dv, r = -G' lambda, f = F - K' psi.
 * matrices: (2) and (3) are needed; blocks: of the decoupled iteration, 0: none. */
dae_status dae__spark_adapter_mechanical(dae__arena *arena, const dae_problem *problem,
                                         bool matrices, int blocks, dae__spark_adapter *out,
                                         dae_error *err);
/* A problem in the momentum form; arguments of dae__spark_adapter_mechanical. */
dae_status dae__spark_adapter_momentum(dae__arena *arena, const dae_problem *problem, bool matrices,
                                       int blocks, dae__spark_adapter *out, dae_error *err);

/* A state vector split into (y, z), and joined from them; multipliers are left alone. */
void dae__spark_adapter_split(const dae__spark_adapter *a, const double *state, double *y,
                              double *z);
void dae__spark_adapter_join(const dae__spark_adapter *a, const double *y, const double *z,
                             double *state);

/* Name of the variable, or of the constraint, at entry i of (z, lambda, psi). */
const char *dae__spark_adapter_name(const dae__spark_adapter *a, int i, char *name, size_t size);
/* Whether rows of [g_y v_z; k_z] are linearly dependent up to tol at this point, and the name of
 * the first such constraint; allocates its own memory. */
bool dae__spark_adapter_dependent(const dae__spark_adapter *a, const dae_env *env, double t,
                                  const double *y, const double *z, double tol, char *name,
                                  size_t size);
/* DAE_ERROR_SINGULAR for `matrix`, at entry i of (z, lambda, psi), -1: unknown. */
dae_status dae__spark_adapter_singular(const dae__spark_adapter *a, const char *matrix, int i,
                                       dae_error *err);

/* ---- submatrices ---- */

typedef struct dae__submatrix {
  dae_pattern pattern;
  int *entry; /* index of each value in the whole matrix */
  double *values;
} dae__submatrix;

/* Rows range[0] <= i < range[1] and columns range[2] <= j < range[3] of a matrix; sticky failure in
 * the arena. */
dae__submatrix dae__submatrix_create(dae__arena *arena, const dae_pattern *whole,
                                     const int range[4]);
/* Gathers the values from those of the whole matrix. */
void dae__submatrix_gather(const dae__submatrix *sub, const double *whole);

#endif
