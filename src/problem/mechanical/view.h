/* View of a mechanical problem as a semi-explicit one, for verification by methods that know
 * nothing of mechanics. The state vector keeps its order: x = (q, v, u), y = (w, lambda, psi), and
 * for the stabilised form one more multiplier mu for each holonomic constraint at the end.
 *
 *   q'   = v                                [- G' mu]
 *   M v' = f - G' lambda - K' psi
 *   u'   = s
 *   0    = c,   0 = g or g_t + G v,   0 = k [,  0 = g] */
#ifndef DAEDAL_PROBLEM_MECHANICAL_VIEW_H
#define DAEDAL_PROBLEM_MECHANICAL_VIEW_H

#include "core/arena.h"
#include "problem/mechanical/mech.h"
#include <daedal/problem.h>

typedef enum dae__view_kind {
  DAE__VIEW_POSITION, /* constraint 0 = g: index 3 */
  DAE__VIEW_VELOCITY, /* constraint 0 = g_t + G v: index 2 */
  DAE__VIEW_GGL       /* constraints 0 = g and 0 = g_t + G v, with mu: stabilised index 2 [GGL85] */
} dae__view_kind;

/* Creates the semi-explicit problem *out, whose description and memory are the arena's. Like an
 * assembly it gives every derivative and belongs to one thread. Its inputs are those of the
 * mechanical problem. */
dae_status dae__view_semi(dae__arena *arena, const dae_problem *mechanical, dae__view_kind kind,
                          dae_problem *out, dae_error *err);

/* The mechanical problem behind a semi-explicit view; rows masked in the former are masked in the
 * latter. */
dae__mech *dae__view_mech(const dae_problem *view);

#endif
