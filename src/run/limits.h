/* Variables that limited steps and iterations of a run, by the counts of its integrator. */
#ifndef DAEDAL_RUN_LIMITS_H
#define DAEDAL_RUN_LIMITS_H

#include <daedal/run.h>

/* Lists the variables with the largest shares in s->limits and s->iteration_limits; it NULL: no
 * integrator was created. */
void dae__list_limits(const dae_integrator *it, const dae_problem *problem, dae_summary *s);

#endif
