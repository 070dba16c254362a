/* The impact as its files see it: impact.c forms the compliance, selects the law and keeps the
 * energy, impact_press.c finds the forces of contacts that stay closed, impact_laws.c solves the
 * complementarity problem, impact_rest.c the projection that is the law without restitution and
 * friction. */
#ifndef DAEDAL_PROBLEM_MECHANICAL_IMPACT_PRIVATE_H
#define DAEDAL_PROBLEM_MECHANICAL_IMPACT_PRIVATE_H

#include "linalg/lcp.h"
#include "linalg/nnls.h"
#include "problem/mechanical/impact.h"

enum { DAE__FACETS = 8 }; /* facets of the cone of friction of two sliding coordinates */

/* Unknown of the complementarity problem. */
typedef struct dae__impact_unknown {
  int contact, kind; /* -1: normal impulse; 0, 1, ..: direction; -2: speed of sliding */
} dae__impact_unknown;

/* Rows of the velocities D v at the contacts: for each contact its normal, then its slides. */
typedef struct dae__impact_system {
  int contacts, rows, nq;
  const dae__impact_contact *contact;
  int *first;                 /* by contact: row of its normal */
  double *X, *H;              /* compliance: nq x rows; D X, rows x rows */
  const double *acceleration; /* v' without the contacts */
  double *before;             /* D v- + D_t */
  double *scale;   /* by row: 1 / sqrt(H_ii), equal for both slides of a contact; 0: determined */
  bool *sliding;   /* by contact: the solution lets it slide, against the whole of its friction */
  double *impulse; /* by row, of the solution; with room for a second one */
  double *plastic;
  dae__impact_unknown *unknown; /* complementarity problem */
  double *M, *q, *z;
  dae__lcp lcp;
  /* projection: orthonormal velocities and their gradients, nq x contacts each, coordinates of the
   * normals and of the velocity in them */
  double *basis, *dual, *E, *beta, *p;
  dae__nnls nnls;
} dae__impact_system;

/* Gradient and rate of row r of a contact. */
static inline const double *dae__impact_row(const dae__impact_system *s, int contact, int r,
                                            double *rate)
{
  const dae__impact_contact *c = &s->contact[contact];
  *rate = r == 0 ? c->normal_t : c->slide_t[r - 1];
  return r == 0 ? c->normal : c->slide[r - 1];
}

/* The compliance of the contacts at the state y, and their speeds at velocities v. */
dae_status dae__impact_begin(dae__motion *motion, dae__arena *arena, double t, const double *y,
                             int count, const dae__impact_contact *contact, const double *v,
                             dae__impact_system *s, dae_error *err);
/* before + H impulse for a row. */
double dae__impact_after(const dae__impact_system *s, const double *impulse, int r);

/* Acceleration of the gap of contact i by its own force while it slides, over that without
 * friction: where it is not positive, friction presses the contact more than its force opens it. */
double dae__impact_own_share(const dae__impact_system *s, int i);

/* Number of unknowns of the complementarity problem for one contact. */
int dae__impact_unknowns(const dae__impact_contact *c);

/* Solves the problem with or without restitution and friction; impulse: by row. False: there is no
 * answer within the tolerance. */
bool dae__impact_solve(dae__impact_system *s, bool restitution, bool friction, double *impulse);

/* Impulses without restitution and friction: v+ is the point next to v-, in the norm of M, at which
 * no contact closes. */
void dae__impact_rest(dae__impact_system *s, const double *v, double *impulse);

#endif
