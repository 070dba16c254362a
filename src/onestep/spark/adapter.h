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

/* Arrays for the values of the derivatives, each in the order of its sparsity pattern; NULL:
 * derivative not requested. */
typedef struct dae__spark_derivatives {
  double *of[DAE__MOMENTUM_PARTS];
} dae__spark_derivatives;

/* Arrays for the values of the functions at one point; NULL: function not requested. */
typedef struct dae__spark_wanted {
  /* g is evaluated only in a call that also requests r */
  double *v, *p, *f, *r, *g, *gdot, *k;
} dae__spark_wanted;

/* Evaluations at a point (t, y, z), z being NULL for r and g, and the linear systems of the
 * simplified Newton iteration [J09 (2), (3)]
 *
 *   [ p_z  -r_lambda  -f_psi ]        [ p_z  -r_lambda ]
 *   [ g_y v_z   0        0   ]   and  [ g_y v_z    0   ]
 *   [ k_z       0        0   ] */
typedef struct dae__spark_evaluations {
  /* Evaluates the requested functions; multiplier: psi in a call for f, lambda in a call for r. */
  dae_status (*eval)(void *self, const dae_momentum_at *at, const double *multiplier,
                     const dae__spark_wanted *wanted, dae_error *err);
  /* Evaluates the requested derivatives; multiplier: psi for derivatives of f, lambda for
   * derivatives of r. */
  dae_status (*linearise)(void *self, const dae_momentum_at *at, const double *multiplier,
                          const dae__spark_derivatives *wanted, dae_error *err);
  /* Evaluates and factors matrices (2) and (3) of the simplified Newton iteration. */
  dae_status (*factor)(void *self, const dae_momentum_at *at, const double *lambda,
                       const double *psi, dae_error *err);
  /* Solves in place: x = matrix (2)\x with x = (z, lambda, psi), or matrix (3)\x with x = (z,
   * lambda). */
  void (*solve)(void *self, bool with_psi, double *x);
} dae__spark_evaluations;

/* Operations on the state vector of the problem; for_output selects the factorisations of dense
 * output. */
typedef struct dae__spark_states {
  /* Makes the state consistent in place and finds its derivative `rate`; fixed: entries that keep
   * their value, NULL: none. */
  dae_status (*consistent)(void *self, double t, const bool *fixed, double *state, double *rate,
                           dae_error *err);
  /* Projects the state onto its constraints. */
  dae_status (*project)(void *self, bool for_output, double t, double *state, dae_error *err);
  /* Computes the multipliers, stored in the state, and the derivative `rate` of the state; rate may
   * be NULL. */
  dae_status (*accelerate)(void *self, bool for_output, double t, double *state, double *rate,
                           dae_error *err);
  /* Adds the adapter's counts of evaluations and factorisations to the statistics. */
  void (*count)(const void *self, dae_stats *stats);
  /* Restores the factorisations after the integrator was loaded; matrices: factors of matrices (2)
   * and (3) existed. */
  dae_status (*reload)(void *self, bool matrices);
  void (*free)(void *self);
} dae__spark_states;

typedef struct dae__spark_adapter {
  const dae__spark_evaluations *table;
  const dae__spark_states *states;
  bool matrices;                    /* whether matrices (2) and (3) can be factored */
  struct dae__decoupled *decoupled; /* blocks of the decoupled iteration; NULL: not requested */
  void *self;
  int ny, nz, ng, nk;
  int size; /* number of entries of the state vector */
  /* sparsity pattern of each derivative, DAE__MOMENTUM_PARTS of them */
  const dae_pattern *pattern;
  const bool *active; /* independent rows among the ng + nk constraints; NULL: all rows */
  dae_problem problem;
  int *y_at, *z_at; /* indices of y and z in the state vector */
  int lambda, psi;  /* first index of lambda and of psi in the state vector */
} dae__spark_adapter;

/* Creates the adapter of a mechanical problem: y = (q, u), z = v, momenta p = dT/dv, r = -G'
 * lambda, f = F - K' psi. matrices: whether matrices (2) and (3) are needed; blocks: number of
 * blocks of the decoupled iteration, 0: none. */
dae_status dae__spark_adapter_mechanical(dae__arena *arena, const dae_problem *problem,
                                         bool matrices, int blocks, dae__spark_adapter *out,
                                         dae_error *err);
/* Creates the adapter of a problem in the momentum form, with the arguments of
 * dae__spark_adapter_mechanical. */
dae_status dae__spark_adapter_momentum(dae__arena *arena, const dae_problem *problem, bool matrices,
                                       int blocks, dae__spark_adapter *out, dae_error *err);

/* Copy y and z out of a state vector, and back into it; the multipliers in the state vector do not
 * change. */
void dae__spark_adapter_split(const dae__spark_adapter *a, const double *state, double *y,
                              double *z);
void dae__spark_adapter_join(const dae__spark_adapter *a, const double *y, const double *z,
                             double *state);

/* Name of the variable, or of the constraint, at entry i of (z, lambda, psi). */
const char *dae__spark_adapter_name(const dae__spark_adapter *a, int i, char *name, size_t size);
/* Returns whether rows of [g_y v_z; k_z] are linearly dependent up to tol at the point (t, y, z),
 * and the name of the first dependent constraint; allocates its own memory. */
bool dae__spark_adapter_dependent(const dae__spark_adapter *a, const dae_env *env, double t,
                                  const double *y, const double *z, double tol, char *name,
                                  size_t size);
/* Fails with DAE_ERROR_SINGULAR for the matrix named `matrix`, singular at entry i of (z, lambda,
 * psi); i = -1: entry unknown. */
dae_status dae__spark_adapter_singular(const dae__spark_adapter *a, const char *matrix, int i,
                                       dae_error *err);

/* ---- submatrices ---- */

typedef struct dae__submatrix {
  dae_pattern pattern;
  int *entry; /* index of each value of the submatrix in the values of the whole matrix */
  double *values;
} dae__submatrix;

/* Submatrix of the rows range[0] <= i < range[1] and the columns range[2] <= j < range[3]; memory
 * failures are kept by the arena. */
dae__submatrix dae__submatrix_create(dae__arena *arena, const dae_pattern *whole,
                                     const int range[4]);
/* Gathers the values of the submatrix from the values of the whole matrix. */
void dae__submatrix_gather(const dae__submatrix *sub, const double *whole);

#endif
