/* What the tests of methods share: whole runs of the test problems, errors against their
 * references, variants of a problem, and its equations recomputed from its own callbacks. */
#ifndef DAEDAL_TEST_SUPPORT_H
#define DAEDAL_TEST_SUPPORT_H

#include "problems/problems.h"

#include <daedal/daedal.h>
#include <stdbool.h>

/* rtol = atol = tolerance, the rest as by default. */
dae_bdf_options support_options(double tolerance);

/* bdf where it takes the problem, else bdf-ggl. */
const dae_method *support_method(const dae_problem *problem);

/* Every row of a run: the state vector y at t. */
typedef void support_row(void *user, double t, const double *y);

/* Runs the problem to its end with its events; rows at every accepted step, or on a grid. each, end
 * (the last state vector) and summary may be NULL. */
dae_status support_run(const test_problem *p, const dae_bdf_options *opts, double every,
                       support_row *each, void *user, double *end, dae_summary *summary);
/* The same with another method and its options. */
dae_status support_run_with(const char *method, const test_problem *p, const void *opts,
                            double every, support_row *each, void *user, double *end,
                            dae_summary *summary);

/* max_i |y_i - ref_i| / (1 + |ref_i|) over the entries from ... to - 1 that are known, and over all
 * of them. */
double support_error_of(const test_problem *p, const double *y, int from, int to);
double support_error(const test_problem *p, const double *y);

/* The state where an integrator stands; dy may be NULL. */
void support_state(dae_integrator *it, double *y, double *dy);

/* The same problem with the required callbacks, sizes and patterns only: everything else has to be
 * differenced. False for a coupled problem. */
typedef struct support_variant {
  dae_mechanical mechanical;
  dae_semi_explicit semi_explicit;
} support_variant;
bool support_bare(const test_problem *p, support_variant *memory, test_problem *out);

/* The largest |g|, and the largest |g_t + G v| and |k|, over all constraints of a mechanical
 * problem that gives G. */
void support_drift(const dae_mechanical *p, double t, const double *y, double *position,
                   double *velocity);

/* The largest residual of M v' + G' lambda + K' psi - f, q' - v, u' - s, relative to 1 + the
 * largest term of the row, and that of c. The problem gives M, G and K. */
void support_residual(const dae_mechanical *p, double t, const double *y, const double *dy,
                      double *motion, double *algebraic);

#endif
