#ifndef DAEDAL_WAVE_VARIANTS_ITERATES_H
#define DAEDAL_WAVE_VARIANTS_ITERATES_H

/* A member whose right sides are evaluated at earlier iterates as well [E07 Lemma 2.1]: with x its
 * differential variables (q, v, u of a mechanical part, x of a semi-explicit one), n the sweep,
 *
 *   x' = sum_j b_j f(t, X_j, y, In_j),   X_j  = own_0j x + sum_i own_ij x^(n-i),
 *                                        In_j = sum_i others_ij in^(n-i),   i = 1 ... ages,
 *
 * where sum_j b_j = 1, sum_i own_ij = 1 and sum_i others_ij = 1. One term with own_01 = 1 is the
 * member itself, own_11 = 1 is Picard's iteration. To one term that takes x from the last sweep, a
 * part of its linearisation may be added [WHM11 section 6: the adjustable linear part],
 *
 *   f(t, x^(n-1), y, in) + linear df/dx (x - x^(n-1)).
 *
 * Mass matrices, constraints and algebraic equations are those of the member at the present x; M
 * x' = f, and for mechanical parts the rows f and s, are what is replaced; all others see in^(n-1).
 *
 * The inputs of the problem are in^(n-1), ..., in^(n-ages), then x^(n-1), ..., x^(n-ages). */

#include "core/arena.h"
#include <daedal/problem.h>
#include <daedal/wave.h>

typedef struct dae__iterates dae__iterates;

/* All memory is the arena's; base must outlive it. base is a problem without `input`, such as a
 * member's; the result likewise, and it belongs to one thread. Derivatives are exact where those of
 * base are, except that second derivatives are left out where linear > 0. */
dae_status dae__iterates_create(dae__arena *arena, const dae_problem *base,
                                const dae_wave_terms *terms, dae__iterates **out, dae_error *err);
const dae_problem *dae__iterates_problem(const dae__iterates *it);

/* Differential variables: how many, and where each stands in the state vector. */
int dae__iterates_count(const dae__iterates *it);
const int *dae__iterates_entries(const dae__iterates *it);

/* Refuses weights that do not sum up to 1, naming them. */
dae_status dae__iterates_validate(const dae_wave_terms *terms, dae_error *err);

/* The inside of a problem with earlier iterates, shared by its files.
 *
 * A semi-explicit base is seen as a mechanical one with x = u, y = w and neither q nor v. Equations
 * are (f, s, c), by momenta (F, s, c): the first `rows` of them are evaluated at iterates. */

#include "problem/coupled/element.h"
#include "wave/subsystems/forward.h"
#include "wave/variants/iterates.h"

struct dae__iterates {
  dae__forward forward; /* to a mechanical base */
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
