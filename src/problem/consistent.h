/* Consistent starts, one function for each problem form; see dae_consistent_start. */
#ifndef DAEDAL_PROBLEM_CONSISTENT_H
#define DAEDAL_PROBLEM_CONSISTENT_H

#include "problem/mechanical/motion.h"

/* Levenberg-Marquardt iteration of consistent starts: largest number of iterations; smallest shift,
 * relative to A M^-1 A'; bounds of the damping factor. Chosen, not measured. */
#define DAE__START_ITERATIONS 60
#define DAE__START_MIN_SHIFT 1e-15
#define DAE__START_MIN_DAMPING 1e-3
#define DAE__START_MAX_DAMPING 1e12
/* Coefficient of a row in the linear combination that equals a dependent row, relative to the
 * largest coefficient, above which a message names the row. */
#define DAE__NAMED_COEFFICIENT 1e-6

/* Consistent start of a mechanical problem: makes the state vector y consistent in place, selects
 * the independent constraints of motion->m, and computes the derivative dy. fixed (values that do
 * not move) and find may be NULL. */
dae_status dae__mech_consistent(dae__motion *motion, double t, const bool *fixed, double *y,
                                double *dy, dae_diagnosis *find, dae_error *err);

/* Refuses a start without a state vector, or with values that are not finite. */
dae_status dae__start_check(const dae_problem *problem, const dae_start *start, dae_error *err);
/* Turns DAE_ERROR_RECOVERABLE and DAE_ERROR_SINGULAR into DAE_ERROR_START, since a start cannot be
 * retried at another point. */
dae_status dae__start_status(dae_status status, dae_error *err);

/* Appends formatted text to the string `text`, a buffer of the given size. */
__attribute__((format(printf, 3, 4))) void dae__append(char *text, size_t size, const char *format,
                                                       ...);

#endif
