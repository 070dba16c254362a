/* One step of order 2: the unknowns are x1 and y, the value of the step,
 *
 *   M(xb) (x1 - x0) = h sigma f(xb, y, tb)     xb = (1 - theta) x0 + theta x1
 *   0 = F_i(xb, y, tb)                         rows that contain y: index 1
 *   0 = F_i(x1, y, t1)                         the others, "hidden": index 2
 *
 * y is an approximation at tb, not at t1. */
#ifndef DAEDAL_ONESTEP_LIE_STEP_H
#define DAEDAL_ONESTEP_LIE_STEP_H

#include "linalg/solver.h"
#include "onestep/lie/adapter.h"

/* Relative change at which iterations end: about two units of round-off. */
#define DAE__LIE_CONVERGED 4e-16
/* Relative change at which an iteration that no longer halves it is accepted. Chosen, not measured.
 */
#define DAE__LIE_STAGNATION_TOLERANCE 1e-10

/* Saved state. */
typedef struct dae__lie_memory {
  bool factored, mass_factored;
  long iterations, sweeps, jacobians, factorisations, lagged;
} dae__lie_memory;

typedef struct dae__lie_step {
  const dae__lie_adapter *adapter;
  dae__semi *s;
  double theta, kappa;
  dae_lie_iteration iteration;
  double inner_tol, outer_tol; /* relative changes at which the nested iterations end */
  dae__lie_memory *memory;     /* saved */

  double t, h;                        /* current step */
  const double *x0;                   /* its start */
  double *z1, *zb;                    /* (x1, y), (xb, y) */
  double *M, *Ms, *J_mid, *J_end, *J; /* at the iterate; J: terms subtracted from the mass matrix */
  double *f, *F_end;                  /* (f, F) at xb; F at x1 */
  double *delta, *R;                  /* x1 - x0; residual */
  double *p, *row;                    /* direction of sigma; ds/dx1 */
  double sigma, sigma_s;              /* sigma, and its derivative with respect to s */
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

/* One step from (t, x0) with the slope dx there and an initial guess of y. Result: (x1, y) in
 * o->z1. DAE_ERROR_STEP, DAE_ERROR_SINGULAR and DAE_ERROR_RECOVERABLE: a smaller step may succeed.
 */
dae_status dae__lie_step_solve(dae__lie_step *o, double t, double h, const double *x0,
                               const double *dx, const double *y, dae_error *err);

/* ---- shared by step.c and nested.c ---- */

/* (f, F) at zb, F at x1, and M at zb */
dae_status dae__lie_evaluate(dae__lie_step *o, dae_error *err);
/* zb, x1 - x0 and ds/dx1 from z1; returns s */
double dae__lie_middle(dae__lie_step *o);
/* change of x1 and y relative to their size */
double dae__lie_change(const dae__lie_step *o, const double *dx, const double *dy);
/* derivatives J_mid at xb and, for hidden rows, J_end at x1 */
dae_status dae__lie_linearise(dae__lie_step *o, dae_error *err);
/* nested iteration from z1 */
dae_status dae__lie_nested(dae__lie_step *o, dae_error *err);

#endif
