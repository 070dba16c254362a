/* Independent rows of a (sparse) matrix, by LU of its transpose with row pivoting. */
#ifndef DAEDAL_LINALG_RANK_H
#define DAEDAL_LINALG_RANK_H

#include <daedal/env.h>
#include <daedal/pattern.h>
#include <daedal/status.h>
#include <stdbool.h>

/* A has the given pattern and values. active[i] comes in true for the rows to consider and goes
 * out true for an independent subset of them, earlier rows preferred; a row is dependent when what
 * is left of it after elimination is at most tol times its largest entry (a zero row is
 * dependent). pivot[i] (may be NULL) is the column that row i was eliminated with, -1 for others.
 * margin (may be NULL) is the smallest ratio that was still taken as independent. Works in memory
 * of its own, proportional to the entries of the factor. */
dae_status dae__rank_rows(const dae_pattern *pattern, const double *A, double tol,
                          const dae_env *env, bool *active, int *pivot, int *rank, double *margin);

#endif
