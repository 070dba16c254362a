/* A problem with right sides at earlier iterates [E07 Lemma 2.1], made from an augmented system:
 * with x its differential variables (q, v, u of a mechanical system, x of a semi-explicit one), n
 * the sweep,
 *
 *   x' = sum_j b_j f(t, X_j, y, In_j),   X_j  = own_0j x + sum_i own_ij x^(n-i),
 *                                        In_j = sum_i others_ij in^(n-i),   i = 1 ... ages,
 *
 * where sum_j b_j = 1, sum_i own_ij = 1 and sum_i others_ij = 1. One term with own_01 = 1 is the
 * base itself, own_11 = 1 is Picard's iteration. To a single term at x^(n-1), a multiple `linear`
 * of its linearisation may be added [WHM11 section 6: the adjustable linear part],
 *
 *   f(t, x^(n-1), y, in) + linear df/dx (x - x^(n-1)).
 *
 * Mass matrices, constraints and algebraic equations are those of the base at the present x; only
 * the right side of M x' = f, and the rows f and s of mechanical systems, are replaced; all other
 * equations are evaluated with the inputs in^(n-1).
 *
 * The inputs of the problem are in^(n-1), ..., in^(n-ages), then x^(n-1), ..., x^(n-ages). */
#ifndef DAEDAL_WAVE_VARIANTS_ITERATES_H
#define DAEDAL_WAVE_VARIANTS_ITERATES_H

#include "problem/coupled/element.h"
#include "wave/subsystems/forward.h"
#include <daedal/wave.h>

/* A problem with right sides at earlier iterates. A semi-explicit base is treated as a mechanical
 * one with x = u, y = w and neither q nor v. Equations are (f, s, c), with momenta (F, s, c): the
 * first `rows` of them are evaluated at iterates. */
typedef struct dae__iterates {
  dae__forward forward; /* callbacks of the base */
  dae__arena *arena;
  dae_problem base, problem;
  dae_mechanical mechanical;
  dae_semi_explicit semi_explicit;
  dae__element e;       /* evaluation of the base, at inputs e.in */
  dae_wave_terms terms; /* weights of the terms, a copy */
  int count, rows;      /* numbers of differential variables (q, v, u) and of equations (f, s) */
  const char **in_names;

  const dae_pattern *J_base; /* pattern of J of the base, and of the problem */
  /* Pattern of J_in: columns of in^(n-1), ..., in^(n-ages) as in the base's J_in, then of x^(n-1),
   * ..., x^(n-ages) as in the base's J. All rows for in^(n-1), else only the rows (f, s), which
   * come first in every column. */
  dae_pattern J_in;
  double *x, *term;      /* scratch: X_j, and the right side of one term */
  double *J, *J_in_base; /* scratch: values of J and J_in of the base */
  double *J_forces;      /* scratch: d(f,s,c) of a base with momenta */
} dae__iterates;

/* Creates the problem, with all memory from the arena. base, which must outlive it, is a problem
 * without `input`, such as that of an augmented system; the result has no `input` either, and
 * belongs to one thread. Derivatives are exact where those of base are, except that second
 * derivatives are omitted for linear > 0. */
dae_status dae__iterates_create(dae__arena *arena, const dae_problem *base,
                                const dae_wave_terms *terms, dae__iterates **out, dae_error *err);

/* Refuses weights that do not sum to 1; the message names them. */
dae_status dae__iterates_validate(const dae_wave_terms *terms, dae_error *err);

#endif
