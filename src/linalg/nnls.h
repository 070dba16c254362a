/* Nonnegative least squares, min |A x - b| over x >= 0, by the active-set method of Lawson and
 * Hanson [LH74 chapter 23]; the unknowns at zero enter one by one, each subproblem is solved by
 * orthogonalisation. A x is unique and depends on b without amplification, whatever the condition
 * of A; an unknown whose column depends on those of the others stays at zero. */
#ifndef DAEDAL_LINALG_NNLS_H
#define DAEDAL_LINALG_NNLS_H

#include "core/arena.h"

typedef struct dae__nnls {
  double *Q, *R;       /* orthonormal columns, m x n, and the triangle of the passive ones */
  double *rest, *s;    /* b - A x; solution of a subproblem */
  int *passive, count; /* unknowns that are not held at zero */
} dae__nnls;

void dae__nnls_create(dae__arena *arena, int m, int n, dae__nnls *out);
/* A: m x n by columns. */
void dae__nnls_solve(dae__nnls *w, int m, int n, const double *A, const double *b, double *x);

#endif
