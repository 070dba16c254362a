/* Factors of a sparse matrix by its fronts (plan.h): real, symmetric (sfronts), complex (zfronts).
 */
#ifndef DAEDAL_LINALG_FRONTS_FRONTS_H
#define DAEDAL_LINALG_FRONTS_FRONTS_H

#include "linalg/fronts/plan.h"

/* Smallest pivot, relative to the moduli of its terms, that is accepted. A solution loses as many
 * digits as the smallest pivot, and gains the others by every refinement. Bodies in space lose
 * seven: the mass of a quaternion is small along it, where it is constrained. */
#define DAE__FRONTS_TINY 1e-10

typedef struct dae__fronts {
  const dae__fronts_plan *plan;
  /* factors of each front, one after the other: w x w pivots by columns, L below their reciprocals;
   * then r rows of L and r columns of U, of w numbers each */
  double *factor;
  double *stack, *work; /* matrices that wait for their parents; matrix of one front */
  int *waiting;         /* fronts of these matrices */
  double *terms;        /* sum of the moduli of the terms of each pivot */
  double *diagonal;     /* workspace of a factorisation: the same in a front */
  double *pivots;       /* workspace of solutions: pivots of a front */
} dae__fronts;

/* Allocates factors whose entries are `width` doubles, 1 real or 2 complex, as workspace; the
 * caller checks the arena. */
void dae__fronts_create(dae__arena *arena, const dae__fronts_plan *plan, int width,
                        dae__fronts *out);
/* Factors the matrix with these values: smallest ratio of a pivot to the terms that it is the sum
 * of; 0: a pivot is not usable. */
double dae__fronts_factor(const dae__fronts *fronts, const double *values);
double dae__sfronts_factor(const dae__fronts *fronts, const double *values);
double dae__zfronts_factor(const dae__fronts *fronts, const double *values);
/* Solution x = A\x, or x + i y = A\(x + i y). */
void dae__fronts_solve(const dae__fronts *fronts, double *x);
void dae__sfronts_solve(const dae__fronts *fronts, double *x);
void dae__zfronts_solve(const dae__fronts *fronts, double *x, double *y);

#endif
