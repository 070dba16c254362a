/* What a run is asked for, and the account it starts with. */
#ifndef DAEDAL_RUN_PLAN_H
#define DAEDAL_RUN_PLAN_H

#include <daedal/run.h>

/* Refuses what does not make sense, naming the field. */
dae_status dae__plan_check(const dae_run_plan *plan, dae_error *err);

/* An account in which nothing has happened yet. */
dae_summary dae__plan_summary(const dae_run_plan *plan);

/* Rows are at times that the plan says, not at every step. */
static inline bool dae__plan_has_times(const dae_run_plan *plan)
{
  return plan->times || plan->every > 0;
}

/* Time of row i of those after the start, INFINITY past the last one that lies before the end. */
double dae__plan_time(const dae_run_plan *plan, long i);

/* The table of start values that are others in y: a line for each, while there is room. */
void dae__plan_moves(const dae_run_plan *plan, const double *y, dae_summary *summary);

#endif
