/* Fingerprints by which a saved state recognises its problem: one of the structure (names, sizes,
 * patterns, given callbacks) and one of the values of each quantity at a point. */
#ifndef DAEDAL_PROBLEM_FINGERPRINT_H
#define DAEDAL_PROBLEM_FINGERPRINT_H

#include <daedal/problem.h>
#include <stdint.h>

/* Number of quantities with a fingerprint, the most of any form: M f p F s c g k. */
#define DAE__QUANTITIES 8

/* Names, sizes, patterns and given callbacks of a problem. */
uint64_t dae__problem_structure(const dae_problem *problem);
/* Number of doubles of the workspace of dae__problem_values. */
size_t dae__problem_values_work(const dae_problem *problem);
/* Continues the fingerprints hash[DAE__QUANTITIES] by the values of the user's functions at (t, y).
 * A refused point and NaN count as values of their own. */
void dae__problem_values(const dae_problem *problem, double t, const double *y, double *work,
                         uint64_t *hash);
/* Name of a quantity, as "M". */
const char *dae__problem_quantity(const dae_problem *problem, int i);

#endif
