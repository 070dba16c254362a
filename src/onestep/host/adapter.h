/* What moves: a problem as the steps see it. Its state vector is z = (x, y), where x has slopes and
 * y belongs to x: algebraic variables and multipliers. */
#ifndef DAEDAL_ONESTEP_HOST_ADAPTER_H
#define DAEDAL_ONESTEP_HOST_ADAPTER_H

#include "problem/mechanical/mech.h"
#include "problem/semi_explicit/semi.h"
#include <daedal/rk.h>

/* What a method asks of a problem. */
typedef struct dae__rk_needs {
  const char *method;
  bool semi;     /* sees mechanical problems as semi-explicit ones */
  bool singular; /* does without regular M */
  int index;     /* of semi-explicit problems, at most */
} dae__rk_needs;

/* What is shown has factorisations of its own, so that showing it does not change the motion. */
typedef struct dae__rk_adapter_table {
  /* Makes z consistent in place and finds its derivative dz; fixed may be NULL. */
  dae_status (*consistent)(void *self, double t, const bool *fixed, double *z, double *dz,
                           dae_error *err);
  /* y, from the guess in z, and the derivative dz that belong to x; entries of dz for y are left
   * alone. */
  dae_status (*slopes)(void *self, bool shown, double t, double *z, double *dz, dae_error *err);
  /* x onto its constraints, from near them; NULL: there are none. */
  dae_status (*project)(void *self, bool shown, double t, double *z, dae_error *err);
  /* Both for a state that a step has led to, by one evaluation and one factorisation: derivative
   * and y as they are at z, then z onto its constraints to second order of its distance; NULL:
   * there are none, slopes will do. */
  dae_status (*project_and_accelerate)(void *self, double t, double *z, double *dz, dae_error *err);
  /* The inputs at t. */
  dae_status (*inputs)(void *self, double t, const double **in, dae_error *err);
  /* Whether constraints become dependent at z, and which; NULL: there are none. */
  bool (*stuck)(void *self, double t, const double *z, char *name, size_t size);
  void (*count)(const void *self, dae_stats *stats);
  dae_status (*reload)(void *self, dae_error *err); /* after load */
  void (*free)(void *self);
} dae__rk_adapter_table;

typedef struct dae__rk_adapter {
  const dae__rk_adapter_table *table;
  void *self;
  const dae_problem *problem;
  int nx, size, nin;
  dae__semi *s;  /* as a semi-explicit problem; NULL: mechanical */
  dae__mech *m;  /* NULL: semi-explicit */
  bool singular; /* there are no slopes of x at a point: M is singular, or the index 2 */
} dae__rk_adapter;

dae_status dae__rk_adapter_semi(dae__arena *arena, const dae_problem *problem,
                                const dae__rk_needs *needs, const dae_rk_options *opts,
                                dae__rk_adapter *out, dae_error *err);
dae_status dae__rk_adapter_mechanical(dae__arena *arena, const dae_problem *problem,
                                      const dae__rk_needs *needs, const dae_rk_options *opts,
                                      dae__rk_adapter *out, dae_error *err);

#endif
