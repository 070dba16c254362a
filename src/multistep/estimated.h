/* What the correctors that estimate multipliers share: the bordered system, the estimates, and the
 * verbs of both. A corrector's own struct begins with a dae__estimated. */
#ifndef DAEDAL_MULTISTEP_ESTIMATED_H
#define DAEDAL_MULTISTEP_ESTIMATED_H

#include "multistep/bordered.h"
#include "multistep/multipliers.h"

typedef struct dae__estimated {
  dae__bordered b;
  dae__multipliers e;
  double *Y; /* n: a point with the multipliers that belong to it */
} dae__estimated;

/* Prepares s, whose members are zero, and the corrector around it; makes the start consistent. What
 * fails is freed. */
dae_status dae__estimated_create(dae__arena *arena, const dae_problem *problem,
                                 const dae_start *start, const dae_bdf_options *opts,
                                 const dae__corrector_table *table, double *y, double *dy,
                                 dae__estimated *s, dae__corrector *out, dae_error *err);

/* Chooses the split, if there is one, and the roles that depend on it; prepares estimates. G and K
 * of the bordered system are those of the point. */
dae_status dae__estimated_renew(dae__estimated *s, dae_error *err);

/* delta = -B^-1 R for a residual R in delta whose multipliers are s->Y's; these replace those in Y.
 */
void dae__estimated_solve(dae__estimated *s, const double *Y, const double *dY, double factor,
                          double *delta);

/* Verbs for the table of a corrector. */
dae_status dae__estimated_reload(void *self);
void dae__estimated_stats(const void *self, dae_stats *stats);
void dae__estimated_free(void *self);

#endif
