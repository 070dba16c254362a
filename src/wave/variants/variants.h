/* Variants of the iteration that only options ask for; update auto takes none of them:
 *
 *   slack      update slack: systems with algebraic equations of others [E07 Remarks 3.2, 3.6]
 *   iterates   terms, picard, lagged: right sides at earlier iterates [E07 Lemma 2.1, WHM11]
 *   xi         update xi: regularised updates of two systems [E07 Theorems 3.1, 3.4]
 *   weighted   splitting weighted: multipliers of joints with the weight theta
 *
 * All other files of the iteration reach them through this header alone. */
#ifndef DAEDAL_WAVE_VARIANTS_VARIANTS_H
#define DAEDAL_WAVE_VARIANTS_VARIANTS_H

#include "core/arena.h"
#include <daedal/status.h>
#include <stdbool.h>

struct dae__coupling;
struct dae__coupling_setup;
struct dae__wave;

/* Effect of the variants on the sweeps of an iteration; all zero: no variant. */
typedef struct dae__variant {
  bool newton;     /* sweeps need the Newton correction of the direct unknowns, as in schur */
  bool plain;      /* the z of the next sweep is zhat */
  bool pairs;      /* two sweeps are one step of the iteration [E07 (28)] */
  bool one_thread; /* systems call callbacks of each other */
  /* direct unknowns of the next sweep; NULL: by the update rule */
  dae_status (*update)(struct dae__wave *w, dae_error *err);
  /* corrections d of the direct unknowns at a node, for joints; NULL: with the optimal weight */
  dae_status (*multipliers)(struct dae__wave *w, int node, double *d, dae_error *err);
} dae__variant;

/* Variant that the options of an iteration ask for; refuses those that do not apply to its
 * subsystems. */
dae_status dae__variant_select(const struct dae__wave *w, dae__variant *out, dae_error *err);

/* Extends the problem of a system, c->child_problem[system], by slack variables or earlier iterates
 * where the options ask for them. */
dae_status dae__variant_extend(dae__arena *arena, const struct dae__coupling_setup *setup,
                               struct dae__coupling *c, int system, dae_error *err);

#endif
