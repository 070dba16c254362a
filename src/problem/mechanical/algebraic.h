/* Algebraic variables w of a mechanical problem: Newton's method for c(t,q,v,u,w) = 0, with the
 * Jacobian dc/dw. */
#ifndef DAEDAL_PROBLEM_MECHANICAL_ALGEBRAIC_H
#define DAEDAL_PROBLEM_MECHANICAL_ALGEBRAIC_H

#include "linalg/solver.h"
#include "problem/mechanical/mech.h"

typedef struct dae__algebraic {
  dae__mech *m;
  dae__block_solver c_w; /* dc/dw, the last block of J */
  double *J, *fsc;
} dae__algebraic;

dae_status dae__algebraic_create(dae__arena *arena, dae__mech *m, dae__algebraic **out,
                                 dae_error *err);
void dae__algebraic_free(dae__algebraic *a); /* a may be NULL */

/* Error of a factorisation of dc/dw; where it is singular, of the variable that c does not
 * determine. */
dae_status dae__algebraic_not_factored(const dae__mech *m, const dae__solver *c_w,
                                       dae_status status, dae_error *err);

/* Solves c = 0 for w, in place in the state vector y, which holds the initial guess.
 * DAE_ERROR_SINGULAR and DAE_ERROR_RECOVERABLE name a variable. */
dae_status dae__algebraic_solve(dae__algebraic *a, double t, double *y, dae_error *err);

#endif
