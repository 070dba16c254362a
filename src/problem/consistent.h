/* Consistent starts, one function for each problem form; see dae_consistent_start. */
#ifndef DAEDAL_PROBLEM_CONSISTENT_H
#define DAEDAL_PROBLEM_CONSISTENT_H

#include "problem/mechanical/motion.h"

/* Consistent start of a mechanical problem: makes the state vector y consistent in place, selects
 * the independent constraints of motion->m, and computes the derivative dy. fixed (values that do
 * not move) and find may be NULL. */
dae_status dae__mech_consistent(dae__motion *motion, double t, const bool *fixed, double *y,
                                double *dy, dae_diagnosis *find, dae_error *err);

/* Refuses a start without a state vector, or with values that are not finite; makes its held values
 * the current ones. */
dae_status dae__start_begin(const dae_problem *problem, const dae_start *start, dae_error *err);
/* Whether a start meets the constraints at both levels up to round-off, so that it is a consistent
 * one whatever is given or fixed; false also where that is not known. Mechanical problems only. */
bool dae__start_is_met(const dae_problem *problem, const dae_start *start, const dae_env *env);
/* Turns DAE_ERROR_RECOVERABLE and DAE_ERROR_SINGULAR into DAE_ERROR_START, since a start cannot be
 * retried at another point. */
dae_status dae__start_status(dae_status status, dae_error *err);

#endif
