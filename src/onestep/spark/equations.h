/* The equations that SPARK integrates [J09 (1)],
 *
 *   y' = v(t,y,z),   d/dt p(t,y,z) = f(t,y,z,psi) + r(t,y,lambda)
 *   0 = g(t,y),   0 = gdot = g_t + g_y v,   0 = k(t,y,z)
 *
 * their derivatives, and the linear systems of the simplified Newton iteration [J09 (2), (3)]
 *
 *   [ p_z  -r_lambda  -f_psi ]        [ p_z  -r_lambda ]
 *   [ g_y v_z   0        0   ]   and  [ g_y v_z    0   ]
 *   [ k_z       0        0   ]
 *
 * behind one table for the mechanical and the momentum form. */
#ifndef DAEDAL_ONESTEP_SPARK_EQUATIONS_H
#define DAEDAL_ONESTEP_SPARK_EQUATIONS_H

#include "onestep/host/adapter.h"
#include "onestep/spark/terms.h"

/* Matrices that the stage system is assembled from: the derivatives (dae__momentum_part), and
 * diagonal matrices of ones, and of ones in the redundant rows of g and of k. */
enum {
  DAE__SPARK_ONE = DAE__MOMENTUM_PARTS,
  DAE__SPARK_REDUNDANT_G,
  DAE__SPARK_REDUNDANT_K,
  DAE__SPARK_MATRICES
};

/* Set of derivatives as a bit mask. */
#define DAE__SPARK_SET(part) (1U << (part))

/* Arrays for the values of the functions at one point; NULL: function not requested. */
typedef struct dae__spark_wanted {
  /* g is evaluated only in a call that also requests r */
  double *v, *p, *f, *r, *g, *gdot, *k;
} dae__spark_wanted;

/* Functions at a point (t, y, z), z being NULL for r and g. */
typedef struct dae__spark_equations_table {
  /* Evaluates the requested functions; multiplier: psi in a call for f, lambda in a call for r. */
  dae_status (*eval)(void *self, const dae_momentum_at *at, const double *multiplier,
                     const dae__spark_wanted *wanted, dae_error *err);
  /* Evaluates the derivatives of a set into `values`; multiplier: psi for derivatives of f, lambda
   * for derivatives of r. */
  dae_status (*linearise)(void *self, const dae_momentum_at *at, const double *multiplier,
                          unsigned parts, dae_error *err);
  /* Evaluates and factors matrices (2) and (3) of the simplified Newton iteration. */
  dae_status (*factor)(void *self, const dae_momentum_at *at, const double *lambda,
                       const double *psi, dae_error *err);
  /* Solves in place: x = matrix (2)\x with x = (z, lambda, psi), or matrix (3)\x with x = (z,
   * lambda). */
  void (*solve)(void *self, bool with_psi, double *x);
  void (*free)(void *self);
} dae__spark_equations_table;

typedef struct dae__spark_equations {
  const dae__spark_equations_table *table;
  void *self;
  const dae_problem *problem;
  int ny, nz, ng, nk;
  int coordinates; /* number of entries at the start of y with y' = z */
  /* position in the state vector: y begins at 0, but from entry `split` on at `rest` */
  int split, rest, z, lambda, psi;
  const bool *active; /* independent rows among the ng + nk constraints; NULL: all rows */
  dae_pattern pattern[DAE__SPARK_MATRICES];
  double *values[DAE__SPARK_MATRICES]; /* values at the point of the last evaluation */
  double *diagonal; /* ones of redundant rows, for the unknowns (z, lambda, psi) */
  /* set before creation: start of a mechanical problem with singular M whose p_z has to be regular;
   * NULL: M as it is */
  const double *massless_start;
  double t_start;
} dae__spark_equations;

/* Equations of a mechanical problem: y = (q, u), z = v, momenta p = dT/dv, r = -G' lambda, f = F -
 * K' psi. matrices: whether matrices (2) and (3) are needed. After a failure the caller frees the
 * equations, where `table` is not NULL. `out` must not be moved. */
dae_status dae__spark_mechanical_create(dae__arena *arena, const dae_adapter *adapter,
                                        bool matrices, dae__spark_equations *out, dae_error *err);
/* Equations of a problem in the momentum form, like dae__spark_mechanical_create. */
dae_status dae__spark_momentum_create(dae__arena *arena, const dae_adapter *adapter, bool matrices,
                                      dae__spark_equations *out, dae_error *err);
/* Allocates the values of all matrices that have none; the patterns of the derivatives have to be
 * set before. */
dae_status dae__spark_equations_create_values(dae__arena *arena, dae__spark_equations *eq,
                                              dae_error *err);

/* Copy y and z out of a state vector, and back into it; the multipliers in the state vector do not
 * change. */
void dae__spark_split(const dae__spark_equations *eq, const double *state, double *y, double *z);
void dae__spark_join(const dae__spark_equations *eq, const double *y, const double *z,
                     double *state);

/* Name of the variable, or of the constraint, at entry i of (z, lambda, psi). */
const char *dae__spark_name(const dae__spark_equations *eq, int i, char *name, size_t size);
/* Status of a factorisation of the matrix named `matrix`, with a message where it failed, for
 * DAE_ERROR_SINGULAR at entry i of (z, lambda, psi); i = -1: entry unknown. */
dae_status dae__spark_factored(const dae__spark_equations *eq, dae_status status,
                               const char *matrix, int i, dae_error *err);

#endif
