/* The plan of a run, checked, and its summary before the first step. */
#ifndef DAEDAL_RUN_PLAN_H
#define DAEDAL_RUN_PLAN_H

#include <daedal/run.h>

/* Refuses a plan that is not valid, naming the field. */
dae_status dae__plan_check(const dae_run_plan *plan, dae_error *err);

/* The summary of a run that has not begun. */
dae_summary dae__plan_summary(const dae_run_plan *plan);

/* whether rows are at output times of the plan, not at every step */
static inline bool dae__plan_has_times(const dae_run_plan *plan)
{
  return plan->times || plan->every > 0;
}

/* Time of row i of those after the start, INFINITY past the last one that lies before the end. */
double dae__plan_time(const dae_run_plan *plan, long i);

/* The table of start values that differ in y, a line each while there is room. */
void dae__plan_moves(const dae_run_plan *plan, const double *y, dae_summary *summary);

#endif
