/* An IDA solver with its vectors and its matrix, as a user sets it up: algebraic variables out of
 * the error test, which index 2 needs, the limit on steps raised, messages left alone. */
#ifndef DAEDAL_BENCH_IDA_SESSION_H
#define DAEDAL_BENCH_IDA_SESSION_H

#include "work/form.h"
#include <ida/ida.h>
#include <nvector/nvector_serial.h>

typedef struct ida_session {
  int n, differential; /* unknowns, and the first of them, which have derivatives */
  SUNContext context;
  N_Vector y, dy, id; /* y and dy are the caller's numbers */
  SUNMatrix A;        /* made by the caller, of the context, with */
  SUNLinearSolver solver;
  void *ida;
} ida_session;

/* Context and vectors. */
void ida_session_open(ida_session *s, int n, int differential, double *y, double *dy);
/* The solver, with the A and the linear solver that are there by now; jacobian may be NULL.
 * Tolerances are for the caller to set. */
void ida_session_start(ida_session *s, IDAResFn residual, IDALsJacFn jacobian, void *user, double t,
                       double to);
/* Goes to the end. */
peer_counts ida_session_solve(ida_session *s, double t, double to);
void ida_session_close(ida_session *s);

#endif
