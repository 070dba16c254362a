/* The end of a step of a mechanical problem onto its constraints, in the norm of the real block
 * B(w) of the step: with A = [G; K],
 *
 *   q -= x,  x = B(w)\(0, y),  A x = (g, 0);      v -= x,  A x = (gdot, k)
 *
 * where y is not b, as the constraint rows of B are A + w R. */
#ifndef DAEDAL_ONESTEP_RADAU_REDUCED_PROJECT_H
#define DAEDAL_ONESTEP_RADAU_REDUCED_PROJECT_H

#include "onestep/radau/reduced.h"

typedef struct dae__landing {
  dae__mech *m;
  const dae__reduced *r;
  const double *G, *K;  /* at the end of the step */
  double *gdot_q, *k_q; /* room for the derivatives of velocity constraints there */
  double *end;          /* g, gdot and k there: ng + nc */
  double *b, *x;        /* nc, 2 n */
  double *X, *AX;       /* of few unknowns: B\(0, I), nc columns of nq, and A X; else NULL */
  int *exchanged;
} dae__landing;

/* Takes what is from `end` on; out of memory shows in the arena. */
void dae__landing_take(dae__landing *o, dae__arena *arena);
/* z = (q, v, ...), which has moved by dz since `end` was evaluated. */
dae_status dae__land(dae__landing *o, double t, const double *dz, double *z, dae_error *err);

#endif
