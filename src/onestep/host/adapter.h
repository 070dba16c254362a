/* A problem as one-step methods see it. Its state vector is z = (x, y): x are the variables with
 * derivatives (slopes), y the algebraic variables and multipliers, which are functions of x. */
#ifndef DAEDAL_ONESTEP_HOST_ADAPTER_H
#define DAEDAL_ONESTEP_HOST_ADAPTER_H

#include "problem/mechanical/mech.h"
#include "problem/semi_explicit/semi.h"
#include <daedal/rk.h>

/* Requirements of a method on its problem. */
typedef struct dae__rk_needs {
  const char *method;
  bool semi;     /* method solves mechanical problems in semi-explicit form */
  bool singular; /* method admits a singular M */
  int index;     /* largest index of the semi-explicit problems that the method admits */
} dae__rk_needs;

/* Functions of an adapter. The argument `dense` selects the factorisations of dense output, which
 * are separate from those of the steps: asking for output does not change the integration. */
typedef struct dae__rk_adapter_table {
  /* Makes z consistent in place and computes its derivative dz; fixed may be NULL. */
  dae_status (*consistent)(void *self, double t, const bool *fixed, double *z, double *dz,
                           dae_error *err);
  /* Solves for y, from the guess in z, and computes the derivative dz of x; entries of dz for y are
   * not written. */
  dae_status (*slopes)(void *self, bool dense, double t, double *z, double *dz, dae_error *err);
  /* Projects x, which is near its constraints, onto them; NULL: problem without constraints. */
  dae_status (*project)(void *self, bool dense, double t, double *z, dae_error *err);
  /* Derivative and y at the end z of a step, then projection of z up to second order of its
   * distance from the constraints, by one evaluation and one factorisation; NULL: problem without
   * constraints, slopes serves instead. */
  dae_status (*project_and_accelerate)(void *self, double t, double *z, double *dz, dae_error *err);
  dae_status (*inputs)(void *self, double t, const double **in, dae_error *err);
  /* Test for constraints that become dependent at z, with the name of one of them; NULL: problem
   * without constraints. */
  bool (*dependent)(void *self, double t, const double *z, char *name, size_t size);
  void (*count)(const void *self, dae_stats *stats);
  /* restores data derived from the saved state, after load */
  dae_status (*reload)(void *self, dae_error *err);
  void (*free)(void *self);
} dae__rk_adapter_table;

typedef struct dae__rk_adapter {
  const dae__rk_adapter_table *table;
  void *self;
  const dae_problem *problem;
  int nx, size, nin;
  dae__semi *s;  /* semi-explicit form; NULL: mechanical problem without that form */
  dae__mech *m;  /* mechanical problem; NULL: semi-explicit problem */
  bool singular; /* x has no slopes at a given state: M is singular, or the index is 2 */
} dae__rk_adapter;

/* Completes the end z of a step: solves for y, computes the derivative dz, projects z. */
static inline dae_status dae__rk_project_and_accelerate(const dae__rk_adapter *a, double t,
                                                        double *z, double *dz, dae_error *err)
{
  return a->table->project_and_accelerate ? a->table->project_and_accelerate(a->self, t, z, dz, err)
                                          : a->table->slopes(a->self, false, t, z, dz, err);
}

dae_status dae__rk_adapter_semi(dae__arena *arena, const dae_problem *problem,
                                const dae__rk_needs *needs, const dae_rk_options *opts,
                                dae__rk_adapter *out, dae_error *err);
dae_status dae__rk_adapter_mechanical(dae__arena *arena, const dae_problem *problem,
                                      const dae__rk_needs *needs, const dae_rk_options *opts,
                                      dae__rk_adapter *out, dae_error *err);

#endif
