/* One element of an assembly, a part or a joint of a coupled problem: its evaluations at a point of
 * its own, and the indices of its variables and equations in the assembled problem.
 *
 * Locally the unknowns are z = (q, v, u, w) and the equations (f, s, c); a semi-explicit part has
 * u = x, w = y, s = f, c = F and no q and v. A joint has copies of the coordinates that it
 * connects, constraints, and neither mass nor forces. */
#ifndef DAEDAL_PROBLEM_COUPLED_ELEMENT_H
#define DAEDAL_PROBLEM_COUPLED_ELEMENT_H

#include "core/arena.h"
#include "problem/difference.h"
#include "problem/mechanical/mech.h"
#include "problem/semi_explicit/semi.h"
#include <daedal/problem.h>

/* Offsets or sizes of the classes of variables (q, u, w) and constraints (g, k). */
typedef struct dae__sizes {
  int q, u, w, g, k;
} dae__sizes;

typedef struct dae__element {
  const char *name;
  const dae_joint *joint; /* joint of the coupled problem; NULL: a part */
  dae__mech *m;           /* evaluates a mechanical part or a joint */
  dae__semi *semi;        /* evaluates a semi-explicit part */
  dae__sizes n;           /* size of each class */
  dae__sizes at;          /* first index of each class in the assembled problem */
  int nz, nr, nin;        /* numbers of unknowns z, of equations (f, s, c) and of inputs */

  /* indices in the assembled problem */
  int *z;      /* index of each entry of z = (q, v, u, w) */
  int *row;    /* index of each row of (f, s, c) */
  int *g, *k;  /* index of each constraint row */
  int *source; /* index in the assembled z of the variable that each input is wired to */

  const dae_pattern *J; /* pattern of d(f,s,c)/dz */
  dae_pattern J_in;     /* pattern of d(f,s,c)/d(in) */
  dae__difference dJ_in;

  double *in;        /* inputs of the element at the assembled point */
  const double *now; /* inputs used by evaluations: in, or a perturbed copy */
  double *q, *v;     /* a joint's copies of its coordinates and velocities */
  double *local;     /* scratch: z as one vector */
} dae__element;

/* Creates an element in memory of the arena; *e must not be moved afterwards. The assembly sets its
 * indices. name must outlive the element. */
dae_status dae__element_part(dae__arena *arena, const dae_part *part, const char *name,
                             dae__element *e, dae_error *err);
dae_status dae__element_joint(dae__arena *arena, const dae_joint *joint, const char *name,
                              dae__element *e, dae_error *err);

/* Point of an element, from a point of the assembled problem. */
dae_mechanical_at dae__element_at(dae__element *e, const dae_mechanical_at *at);
/* Updates the inputs e->in from the variables they are wired to; total: sizes of the assembled
 * problem. */
void dae__element_inputs(dae__element *e, const dae__sizes *total, const dae_mechanical_at *at);

/* J = d(f,s,c)/dz and J_in = d(f,s,c)/d(in) of a part, at the element's own point. */
dae_status dae__element_J(dae__element *e, const dae_mechanical_at *at, double *J, dae_error *err);
dae_status dae__element_J_in(dae__element *e, const dae_mechanical_at *at, double *J_in,
                             dae_error *err);

/* f, F and F_t of a semi-explicit part, unchecked; each may be NULL. F_t is by the user's callback,
 * which must be given. */
dae_status dae__element_semi(dae__element *e, const dae_mechanical_at *at, double *f, double *F,
                             double *F_t, dae_error *err);

/* (u, w) = (x, y) of a semi-explicit part as one vector. */
const double *dae__element_xy(dae__element *e, const dae_mechanical_at *at);

/* x + n; NULL where x is NULL. */
static inline double *dae__sub(double *x, int n)
{
  return x ? x + n : NULL;
}

#endif
