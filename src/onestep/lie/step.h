/* One step of order 2: the unknowns are x1 and y, the value of the step,
 *
 *   M(xb) (x1 - x0) = h sigma f(xb, y, tb)     xb = (1 - theta) x0 + theta x1
 *   0 = F_i(xb, y, tb)                         rows that contain y: index 1
 *   0 = F_i(x1, y, t1)                         the others: index 2
 *
 * y is of the size it has at tb, not at t1. */
#ifndef DAEDAL_ONESTEP_LIE_STEP_H
#define DAEDAL_ONESTEP_LIE_STEP_H

#include "linalg/solver.h"
#include "onestep/lie/adapter.h"

typedef struct dae__lie_memory {
  bool factored, mass_factored;
  long iterations, sweeps, jacobians, factorisations, lagged;
} dae__lie_memory;

typedef struct dae__lie_step {
  const dae__lie_adapter *adapter;
  dae__semi *s;
  double theta, kappa;
  dae_lie_iteration iteration;
  double inner, outer;     /* changes at which the nested one ends */
  dae__lie_memory *memory; /* kept */

  double t, h;                             /* the step at hand */
  const double *x0;                        /* where it begins */
  double *z1, *zb;                         /* (x1, y), (xb, y) */
  double *M, *Ms, *J_mid, *J_end, *J;      /* at the iterate; J: what the matrix is made of */
  double *f, *F_end, *delta, *R, *p, *row; /* (f, F) at xb; F at x1; x1 - x0; residual; direction of
                                              sigma; its derivative */
  double sigma, sigma_s;                   /* and its derivative with respect to s */
  dae_pattern pattern, unit;
  dae__block block[4]; /* M, Ms, J, unit */
  double *matrix;
  dae__solver *solver;

  /* nested iteration */
  dae__solver *mass;        /* NULL: M = 1 */
  double *columns, *B, *dy; /* dx1/dy, n x m; m x m; m */
  int *pivot;
} dae__lie_step;

dae_status dae__lie_step_create(dae__arena *arena, const dae__lie_adapter *adapter,
                                const dae_lie_options *opts, dae__lie_step *out, dae_error *err);
void dae__lie_step_free(dae__lie_step *o);
dae_status dae__lie_step_reload(dae__lie_step *o);

/* A step from (t, x0) with the slope dx there; y comes in as a guess. Out: (x1, y) in o->z1.
 * DAE_ERROR_STEP, DAE_ERROR_SINGULAR and DAE_ERROR_RECOVERABLE: a smaller step may do. */
dae_status dae__lie_step_solve(dae__lie_step *o, double t, double h, const double *x0,
                               const double *dx, const double *y, dae_error *err);

/* ---- between step.c and nested.c ---- */

/* zb, x1 - x0, s, sigma and (f, F), F at x1, M from z1 */
dae_status dae__lie_evaluate(dae__lie_step *o, dae_error *err);
/* xb from x1, and s of both */
double dae__lie_middle(dae__lie_step *o);
/* how far the iteration is: the change of x1 and y relative to their size */
double dae__lie_change(const dae__lie_step *o, const double *dx, const double *dy);
/* from z1 */
dae_status dae__lie_nested(dae__lie_step *o, dae_error *err);

/* where iterations end: below this, or where the change no longer halves and is below the other */
#define DAE__LIE_GOAL 4e-16
#define DAE__LIE_BEARABLE 1e-10

#endif
