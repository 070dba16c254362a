/* Check of the plan of a run, and its summary before the first step. */
#ifndef DAEDAL_RUN_PLAN_H
#define DAEDAL_RUN_PLAN_H

#include <daedal/run.h>

/* Refuses a plan that is not valid, naming the field. */
dae_status dae__plan_check(const dae_run_plan *plan, dae_error *err);

/* Summary of a run before its first step. */
dae_summary dae__plan_summary(const dae_run_plan *plan);

/* Whether rows are at output times of the plan, not at every step. */
static inline bool dae__plan_has_times(const dae_run_plan *plan)
{
  return plan->times || plan->every > 0;
}

/* Output time number i after the start; INFINITY past the last one before the end time. */
double dae__plan_time(const dae_run_plan *plan, long i);

/* Lists the start values of the plan that differ in y in a table of the summary, a line each while
 * there is room. */
void dae__plan_moves(const dae_run_plan *plan, const double *y, dae_summary *summary);

#endif
