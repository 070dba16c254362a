/* One element of an assembly, a part or a joint of a coupled problem: its evaluations at a point of
 * its own, and where its variables and equations stand in the assembled problem.
 *
 * Locally the unknowns are z = (q, v, u, w) and the equations (f, s, c); a semi-explicit part has
 * u = x, w = y, s = f, c = F and no q and v. A joint has copies of the coordinates that it holds,
 * a constraint, and neither mass nor forces. */
#ifndef DAEDAL_PROBLEM_COUPLED_ELEMENT_H
#define DAEDAL_PROBLEM_COUPLED_ELEMENT_H

#include "core/arena.h"
#include "problem/difference.h"
#include "problem/mechanical/mech.h"
#include "problem/semi_explicit/semi.h"
#include <daedal/problem.h>

/* Offsets or sizes of the classes of variables and equations. */
typedef struct dae__sizes {
  int q, u, w, g, k;
} dae__sizes;

typedef struct dae__element {
  const char *name;
  const dae_joint *joint; /* NULL: a part */
  dae__mech *m;           /* evaluates a mechanical part or a joint */
  dae__semi *semi;        /* evaluates a semi-explicit part */
  dae__sizes n;           /* sizes */
  dae__sizes at;          /* first place of each class in the assembled problem */
  int nz, nr, nin;        /* unknowns z, equations (f, s, c), inputs */

  /* places in the assembled problem */
  int *z;      /* place of each entry of z; q and v come first */
  int *row;    /* place of each row of (f, s, c) */
  int *g, *k;  /* place of each constraint row */
  int *source; /* entry of the assembled z that each input is wired to */

  const dae_pattern *J; /* d(f,s,c)/dz */
  dae_pattern J_in;     /* d(f,s,c)/d(in) */
  dae__difference dJ_in;

  double *in;        /* inputs at the assembled point */
  const double *now; /* inputs of the evaluations: in, or a variation of it */
  double *q, *v;     /* a joint's copies */
  double *local;     /* scratch: z as one vector */
} dae__element;

/* Creates the evaluations in memory of the arena; the element must not be moved. The assembly fills
 * in the places. name must outlive the element. */
dae_status dae__element_part(dae__arena *arena, const dae_part *part, const char *name,
                             dae__element *e, dae_error *err);
dae_status dae__element_joint(dae__arena *arena, const dae_joint *joint, const char *name,
                              dae__element *e, dae_error *err);

/* The element's own point for a point of the assembled problem. */
dae_mechanical_at dae__element_at(dae__element *e, const dae_mechanical_at *at);
/* Updates e->in from the wired variables; total: sizes of the assembled problem. */
void dae__element_inputs(dae__element *e, const dae__sizes *total, const dae_mechanical_at *at);

/* J of a part, and the derivative with respect to its inputs, at the element's own point. */
dae_status dae__element_J(dae__element *e, const dae_mechanical_at *at, double *J, dae_error *err);
dae_status dae__element_J_in(dae__element *e, const dae_mechanical_at *at, double *J_in,
                             dae_error *err);

/* f and F of a semi-explicit part, unchecked; either may be NULL. */
dae_status dae__element_semi(dae__element *e, const dae_mechanical_at *at, double *f, double *F,
                             dae_error *err);

/* F_t of a semi-explicit part that gives it, unchecked. */
dae_status dae__element_F_t(dae__element *e, const dae_mechanical_at *at, double *F_t,
                            dae_error *err);

/* (u, w) = (x, y) of a semi-explicit part as one vector. */
const double *dae__element_xy(dae__element *e, const dae_mechanical_at *at);

/* x + n, and NULL for NULL */
static inline double *dae__sub(double *x, int n)
{
  return x ? x + n : NULL;
}

#endif
