/* SUNDIALS IDA on the problems of tests/, by the same C callbacks. */
#ifndef DAEDAL_BENCH_IDA_H
#define DAEDAL_BENCH_IDA_H

#include "problems/problems.h"

typedef struct ida_result {
  long steps, rejected, evaluations, jacobians;
  bool reached; /* the end time */
} ida_result;

/* Integrates to p->to with rtol = atol = tol and writes the state vector there into y, which has
 * room for p->size entries and comes in, with dy, as the consistent start and its derivative. */
ida_result ida_run(const test_problem *p, double tol, double *y, const double *dy);

#endif
