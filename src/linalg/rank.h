/* Independent rows of a (sparse) matrix, by LU of its transpose with row pivoting. */
#ifndef DAEDAL_LINALG_RANK_H
#define DAEDAL_LINALG_RANK_H

#include <daedal/env.h>
#include <daedal/pattern.h>
#include <daedal/status.h>
#include <stdbool.h>

/* Finds independent rows of the matrix A with the given pattern and values. active[i] is true for
 * the rows to consider on entry, and for an independent subset of them on return, earlier rows
 * preferred. A row is dependent if its remainder after elimination is at most tol times its largest
 * entry; so is a zero row. pivot[i] (may be NULL) is the pivot column of row i, -1 for dependent
 * rows. margin (may be NULL) is the smallest ratio of remainder to largest entry over the
 * independent rows. The work space is temporary, proportional to the entries of the factor. */
dae_status dae__rank_rows(const dae_pattern *pattern, const double *A, double tol,
                          const dae_env *env, bool *active, int *pivot, int *rank, double *margin);

#endif
