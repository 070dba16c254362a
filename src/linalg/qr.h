/* Least squares min |A' s - b| with a (sparse) matrix A of rows x cols by A' = Q R.
 *
 * Q is not kept: R' R s = A b, and once more for the residual b - A' s, which makes s as accurate
 * as by Q (corrected seminormal equations). R is formed by Givens rotations, row by row of A', in
 * its static pattern, that of the Cholesky factor of A A'. Columns of R keep the order of the rows
 * of A, so that the leading block of R belongs to the leading rows of A. A chain costs O(cols). */
#ifndef DAEDAL_LINALG_QR_H
#define DAEDAL_LINALG_QR_H

#include "core/arena.h"
#include <daedal/pattern.h>
#include <stdbool.h>

typedef struct dae__qr {
  dae_pattern A;
  int *start, *column; /* pattern of R by rows, the diagonal first, columns ascending */
  double *R;           /* values of R */
  int *parent;         /* first column beside the diagonal in each row of R, -1: none */
  int *order;          /* columns of A in the order of their last row */
  bool *filled;        /* whether a row of R has values */
  double *work;        /* row under elimination, length rows */
  double *residual;    /* b - A' s, length cols */
  double *right;       /* right side and correction, length rows */
} dae__qr;

/* Pattern of R for the pattern A, whose arrays the caller keeps. */
void dae__qr_create(dae__arena *arena, const dae_pattern *A, dae__qr *qr);

/* Forms R of the rows of A that are active. */
void dae__qr_factor(dae__qr *qr, const double *A, const bool *active);

/* Solution s of the least-squares problem with the first `count` rows of A, 0 for rows that are not
 * active; s has count entries, b one for each column of A. */
void dae__qr_solve(dae__qr *qr, const double *A, const bool *active, int count, const double *b,
                   double *s);

#endif
