/* Elimination of the saddle system of a mechanical system as expressions, without pivoting:
 *
 *   [ M  A' ] [ x ]   [ a ]
 *   [ A  0  ] [ y ] = [ b ],   A = [G; K]. */
#ifndef DAEDAL_MODEL_BIND_ELIMINATE_H
#define DAEDAL_MODEL_BIND_ELIMINATE_H

#include "model/bind/bind.h"

typedef struct dae__elimination {
  dae__binder *b;
  int n, m, size;      /* numbers of coordinates and of rows; n + m */
  int *order;          /* unknowns in the order of their pivots */
  int *count, **below; /* by unknown: number and list of the unknowns below its pivot */
  dae__node *K;        /* matrix by rows, lower triangle; after the elimination D L' */
  dae__node *L;        /* factors below the diagonal, in the place of their entry of K */
  dae__node *r;        /* by unknown: 1/D */
  /* by row: c of the term c A_i'A_i added to M, 0: none */
  double *added;
  dae__node growth; /* sum of (reference / pivot)^2 over all pivots that are not entries of M */
} dae__elimination;

/* Eliminates the matrix of sorted M, G and K; false: not available, since a pivot is zero or more
 * than `products` products are needed. */
bool dae__eliminate(dae__binder *b, const dae__triplets *M, const dae__triplets *G,
                    const dae__triplets *K, long products, dae__elimination *out);
/* 1 / a as an operator without the constant 1, which values of params could equal. */
dae__node dae__reciprocal(dae__graph *graph, dae__node a);
/* Solution x, y of right sides a, b in z, n + m nodes. */
void dae__elimination_solve(const dae__elimination *e, dae__node *z);

#endif
