/* One step of order 2: the unknowns are x1 and y, one value for the whole step,
 *
 *   M(xb) (x1 - x0) = h sigma f(xb, y, tb)     xb = (1 - theta) x0 + theta x1
 *   0 = F_i(xb, y, tb)                         rows that contain y: index 1
 *   0 = F_i(x1, y, t1)                         rows without y, "hidden": index 2
 *
 * y is an approximation at tb, not at t1. */
#ifndef DAEDAL_ONESTEP_LIE_STEP_H
#define DAEDAL_ONESTEP_LIE_STEP_H

#include "linalg/solver.h"
#include "onestep/host/integrator.h"
#include <daedal/lie.h>

/* Relative change of the iterates at which iterations end: about two units of round-off. */
#define DAE__LIE_CONVERGED 4e-16
/* Relative change of the iterates at which an iteration is accepted although its changes are no
 * longer halved. Chosen, not measured. */
#define DAE__LIE_STAGNATION_TOLERANCE 1e-10

/* State of the iterations, saved with the integrator. */
typedef struct dae__lie_memory {
  bool factored;
  long iterations, sweeps, jacobians, factorisations, lagged;
} dae__lie_memory;

typedef struct dae__lie_step {
  dae__semi *s;
  const bool *active; /* independent rows of F; NULL: all rows */
  double theta, kappa;
  dae_lie_iteration iteration;
  double inner_tol, outer_tol; /* relative changes at which the inner and outer iterations end */
  dae__lie_memory *memory;     /* saved with the integrator */

  int worst;        /* entry of z with the largest change above round-off in the last iteration */
  double t, h;      /* start time and size of the current step */
  const double *x0; /* x at the start of the current step */
  double *z1, *zb;  /* z1 = (x1, y) at the end, zb = (xb, y) at tb */
  /* Matrices at the iterate; J: Jacobian terms subtracted from the mass matrix. */
  double *M, *Ms, *J_mid, *J_end, *J;
  double *f, *F_end; /* functions (f, F) at xb, and F at x1 */
  double *delta, *R; /* delta = x1 - x0; residual, then increment of z1 */
  /* solution for the rank-one direction h sigma' f, and the row ds/dx1 */
  double *p, *row;
  double sigma, sigma_s; /* sigma and its derivative with respect to s */
  dae_pattern pattern, unit;
  dae__block block[4]; /* blocks M, Ms, J, unit diagonal */
  double *matrix;
  /* solver with the matrix of the step; of the nested iteration, with M, NULL for M = 1 */
  dae__solver *solver;

  /* Data of the nested iteration. */
  double *columns, *B; /* dx1/dy, nx x ny; matrix B, ny x ny */
  int *pivot;
} dae__lie_step;

/* Creates a step for the semi-explicit form of a problem. After a failure the caller has to free
 * o->solver as well. */
dae_status dae__lie_step_create(dae__arena *arena, const dae__forms *forms,
                                const dae_lie_options *opts, dae__lie_step *out, dae_error *err);

/* Makes one step from (t, x0), with the derivative dx of x there and an initial guess of y. The
 * result (x1, y) is in o->z1. DAE_ERROR_STEP, DAE_ERROR_SINGULAR and DAE_ERROR_RECOVERABLE: a
 * smaller step may succeed. */
dae_status dae__lie_step_solve(dae__lie_step *o, double t, double h, const double *x0,
                               const double *dx, const double *y, dae_error *err);

/* Replaces d, of the size of x, by P^-1 M d with the matrix P of the last step of order 2, for the
 * nested iteration by d itself. */
void dae__lie_filter(dae__lie_step *o, double *d);

/* Creates the stepper, with the dae_lie_options of the host's descriptor. */
dae_status dae__lie_create_stepper(dae__onestep *host, dae__arena *arena, dae_error *err);

/* ---- shared by step.c and nested.c ---- */

/* Evaluates (f, F) at zb, F at x1, and M at zb. */
dae_status dae__lie_evaluate(dae__lie_step *o, dae_error *err);
/* Computes zb, delta = x1 - x0 and ds/dx1 from z1; returns s. */
double dae__lie_middle(dae__lie_step *o);
/* Returns the changes dx of x1 and h dy of y in R = (dx, dy) relative to their sizes, and sets
 * o->worst unless they are round-off. */
double dae__lie_change(dae__lie_step *o);
/* Evaluates the derivatives J_mid at xb and, for hidden rows, J_end at x1. */
dae_status dae__lie_linearise(dae__lie_step *o, dae_error *err);
/* Factors a matrix by o->solver; the message of a singular one begins with its name. */
dae_status dae__lie_factor(dae__lie_step *o, const char *name, const double *values,
                           dae_error *err);
/* Failure of an iteration: the message names the equation of the variable o->worst, and ends with
 * the advice. */
dae_status dae__lie_failed(const dae__lie_step *o, const char *failure, const char *advice,
                           dae_error *err);
/* Solves the step by the nested iteration, from the iterate z1. */
dae_status dae__lie_nested(dae__lie_step *o, dae_error *err);

#endif
