/* R_k of a mechanical problem of few unknowns without w,
 *
 *   [ M   A' ]
 *   [  1     ]   of (v', u', lambda and psi),   A = [G; K],
 *   [ A      ]
 *
 * for R_k\R inside the iteration of stages (reduced.h): roughly, and by one M for all stages. */
#ifndef DAEDAL_ONESTEP_RADAU_REDUCED_PRECONDITION_H
#define DAEDAL_ONESTEP_RADAU_REDUCED_PRECONDITION_H

#include "linalg/saddle/unpivoted.h"
#include "problem/mechanical/mech.h"

typedef struct dae__divisor {
  const dae__mech *m;
  dae__unpivoted *rough; /* NULL: it is not for this problem */
  int which, stages;     /* a stage, or, after all of them, where the matrices are */
  double *A;             /* A by columns of an even number of rows */
  double *M;             /* M with all entries */
} dae__divisor;

/* For n unknowns of so many stages; out of memory shows in the arena. */
void dae__divisor_take(dae__divisor *o, dae__arena *arena, const dae__mech *m, int n, int stages);
/* Where the matrices are; false: constraints depend on each other, M is singular or not symmetric.
 */
bool dae__divisor_prepare(dae__divisor *o, const double *M, const double *G, const double *K);
/* At a stage, with that M; false: constraints depend on each other there. */
bool dae__divisor_set(dae__divisor *o, int stage, const double *G, const double *K);
/* The one of this stage as it was set last. */
void dae__divisor_take_up(dae__divisor *o, int stage);
/* b = R_k\b, by the one set, prepared or taken up last. */
void dae__divisor_divide(const dae__divisor *o, double *b);

#endif
