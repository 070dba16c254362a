/* SUNDIALS IDA on mechanical problems of tests/ and on models, by the same C callbacks. */
#ifndef DAEDAL_BENCH_IDA_H
#define DAEDAL_BENCH_IDA_H

#include "problems/problems.h"
#include "work/form.h"

/* What its users turn. Multipliers have no error test, but their tolerance counts in Newton's. */
typedef struct ida_settings {
  double rtol, atol, algebraic_atol;
  int order; /* largest, 1 to 5 */
} ida_settings;

/* Integrates the stabilised index-2 form to p->to and writes the state vector there into y, which
 * has room for p->size entries and comes in, with dy, as the consistent start and its derivative. A
 * problem with parts that ida_ggl.c does not write out is not run. */
peer_counts ida_run(const test_problem *p, const ida_settings *set, double *y, const double *dy);

#endif
