/* The inside of a problem with earlier iterates, shared by its files.
 *
 * A semi-explicit base is seen as a mechanical one with x = u, y = w and neither q nor v. Equations
 * are (f, s, c), by momenta (F, s, c): the first `rows` of them are evaluated at iterates. */
#ifndef DAEDAL_WAVE_VARIANTS_ITERATES_PARTS_H
#define DAEDAL_WAVE_VARIANTS_ITERATES_PARTS_H

#include "problem/coupled/element.h"
#include "wave/subsystems/pass.h"
#include "wave/variants/iterates.h"

struct dae__iterates {
  dae__pass pass; /* to a mechanical base */
  dae__arena *arena;
  dae_problem base, problem;
  dae_mechanical mechanical;
  dae_semi_explicit semi_explicit;
  dae__element e;       /* evaluates the base, at inputs e.in */
  dae_wave_terms terms; /* a copy */
  int count, rows;      /* differential variables (q, v, u), equations (f, s) */
  int *entry;           /* of the differential variables in the state vector */
  const char **in_names;

  const dae_pattern *J_base; /* of the base's J, which the problem's shares */
  /* columns of in^(n-1), ..., then of x^(n-1), ...: those of the base's J_in and J, all rows for
   * in^(n-1), else the rows (f, s), which come first in every column */
  dae_pattern J_in;
  /* scratch: X_j, one term, values of J, of J_in and of d(f,s,c) where the base has momenta */
  double *x, *term, *J, *J_in_base, *J_forces;
};

/* ---- iterates_terms.c: returning as callbacks do ---- */

/* s, or f: F where the base is given by momenta */
int dae__iterates_rows(dae__iterates *it, const dae_mechanical_at *at, bool states, double *out);
int dae__iterates_J(dae__iterates *it, const dae_mechanical_at *at, double *J);
int dae__iterates_J_in(dae__iterates *it, const dae_mechanical_at *at, double *J_in);

/* ---- iterates_problem.c: the description, all memory being there ---- */

void dae__iterates_describe(dae__iterates *it);

#endif
