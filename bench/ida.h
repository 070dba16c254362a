/* SUNDIALS IDA on the problems of tests/ and on models, by the same C callbacks. */
#ifndef DAEDAL_BENCH_IDA_H
#define DAEDAL_BENCH_IDA_H

#include "problems/problems.h"

typedef struct ida_result {
  long steps, rejected, evaluations, jacobians;
  bool reached; /* the end time; false too for a problem with parts that ida.c does not write out */
} ida_result;

/* What its users turn. Multipliers and other algebraic variables have no error test, but their
 * tolerance counts in Newton's. */
typedef struct ida_settings {
  double rtol, atol, algebraic_atol;
  int order;     /* largest, 1 to 5 */
  bool analytic; /* the Jacobian is written out for small problems, too, and solved by KLU */
} ida_settings;

/* Integrates to p->to and writes the state vector there into y, which has room for p->size entries
 * and comes in, with dy, as the consistent start and its derivative. */
ida_result ida_run_with(const test_problem *p, const ida_settings *set, double *y,
                        const double *dy);

/* The same with all tolerances tol and order 5; a Jacobian by differences for small problems. */
ida_result ida_run(const test_problem *p, double tol, double *y, const double *dy);

#endif
