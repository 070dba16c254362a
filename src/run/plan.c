#include "run/plan.h"

#include "core/error.h"
#include "core/tolerances.h"
#include "output/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Largest change of a start value, relative to 1 + |value|, that is not reported: the tolerance of
 * the projection. */
#define MOVED DAE__ON_CONSTRAINT

/* ---- validation ---- */

static dae_status plan_check_times(const dae_run_plan *plan, dae_error *err)
{
  if (!(isfinite(plan->to) && plan->to > plan->start.t))
    return dae__fail(err, DAE_ERROR_USAGE, "to",
                     "the end time, %g, does not lie beyond the start time, %g", plan->to,
                     plan->start.t);
  if (!(isfinite(plan->every) && plan->every >= 0))
    return dae__fail(err, DAE_ERROR_USAGE, "every",
                     "every = %g is not a valid interval between rows; 0 writes every step",
                     plan->every);
  if (plan->time_count < 0 || (plan->time_count > 0 && !plan->times))
    return dae__fail(err, DAE_ERROR_USAGE, "times", "the run has no list of its output times");
  for (long i = 0; plan->times && i < plan->time_count; i++)
    if (!isfinite(plan->times[i]) || (i > 0 && plan->times[i] <= plan->times[i - 1]))
      return dae__fail(err, DAE_ERROR_USAGE, "times", "the output times do not ascend");
  return DAE_OK;
}

static dae_status plan_check_lists(const dae_run_plan *plan, dae_error *err)
{
  if (plan->column_count < 0 || (plan->column_count > 0 && !plan->columns))
    return dae__fail(err, DAE_ERROR_USAGE, "columns", "the run has no list of its columns");
  if (plan->outputs < 0 || (plan->outputs > 0 && !plan->output))
    return dae__fail(err, DAE_ERROR_USAGE, "output", "the run has outputs but no output function");
  if (plan->event_count < 0 || (plan->event_count > 0 && !plan->events))
    return dae__fail(err, DAE_ERROR_USAGE, "events", "the run has no list of its events");
  if (plan->sink_count < 0 || (plan->sink_count > 0 && !plan->sinks))
    return dae__fail(err, DAE_ERROR_USAGE, "sinks", "the run has no list of its sinks");
  return DAE_OK;
}

dae_status dae__plan_check(const dae_run_plan *plan, dae_error *err)
{
  if (!plan->method)
    return dae__fail(err, DAE_ERROR_USAGE, "method", "the run has no method: see dae_method_find");
  if (!plan->start.y || !isfinite(plan->start.t))
    return dae__fail(err, DAE_ERROR_USAGE, "start", "the run has no start values");
  DAE__TRY(plan_check_times(plan, err));
  DAE__TRY(plan_check_lists(plan, err));
  if (plan->verify && !plan->method->iterates)
    return dae__fail(err, DAE_ERROR_USAGE, "verify",
                     "%s integrates the problem as one system: there is nothing to verify it "
                     "against; gauss-seidel, jacobi and joint can be verified",
                     plan->method->name);
  DAE__TRY(dae_problem_validate(&plan->problem, err));
  return plan->method->accepts ? plan->method->accepts(&plan->problem, err) : DAE_OK;
}

/* ---- output times ---- */

double dae__plan_time(const dae_run_plan *plan, long i)
{
  double t = INFINITY, end = plan->to;
  if (plan->times) {
    t = i < plan->time_count ? plan->times[i] : INFINITY;
  } else if (plan->every > 0) {
    t = plan->start.t + (double)(i + 1) * plan->every;
    end -= 1e-9 * plan->every; /* an output time nearer to the end coincides with the end time */
  }
  return t < end ? t : INFINITY;
}

/* ---- summary before the first step ---- */

static const char *plan_problem_name(const dae_problem *p)
{
  const char *name = p->mechanical      ? p->mechanical->name
                     : p->semi_explicit ? p->semi_explicit->name
                     : p->momentum      ? p->momentum->name
                     : p->coupled       ? p->coupled->name
                                        : NULL;
  return name ? name : "problem";
}

dae_summary dae__plan_summary(const dae_run_plan *plan)
{
  return (dae_summary){.problem = plan_problem_name(&plan->problem),
                       .method = plan->method ? plan->method->name : NULL,
                       .rtol = NAN,
                       .atol = NAN,
                       .t_start = plan->start.t,
                       .t_end = plan->start.t,
                       .position_drift = NAN,
                       .velocity_drift = NAN,
                       .energy_start = NAN,
                       .energy_change = NAN,
                       .energy_balance = NAN,
                       .energy_removed_at_start = NAN,
                       .native = plan->native};
}

/* Adds a line to the table of moved start values while there is room. */
static void plan_add_move(dae_summary *s, const char *name, double from, double to)
{
  char a[40], b[40], line[400];
  dae__number_text(from, 12, a);
  dae__number_text(fabs(to) <= MOVED * fabs(from) ? 0 : to, 12, b);
  int length = snprintf(line, sizeof line, "%.250s\t%s\t%s\n", name, a, b);
  size_t used = strlen(s->moves), kept_free = 40;
  s->moved++;
  if (used + (size_t)length + kept_free < sizeof s->moves)
    memcpy(s->moves + used, line, (size_t)length + 1);
}

void dae__plan_moves(const dae_run_plan *plan, const double *to, dae_summary *s)
{
  const dae_problem *problem = &plan->problem;
  const double *from = plan->start.y;
  s->moved = 0;
  s->moves[0] = '\0';
  for (int i = 0; i < dae_problem_size(problem); i++) {
    char name[256];
    dae_variable_kind kind = dae_problem_variable(problem, i, name, sizeof name);
    /* whether the start value is prescribed; those of algebraic variables and multipliers are
     * guesses */
    bool given =
        kind == DAE_VARIABLE_COORDINATE || kind == DAE_VARIABLE_RATE || kind == DAE_VARIABLE_STATE;
    if (given && fabs(to[i] - from[i]) > MOVED * (1 + fabs(from[i])))
      plan_add_move(s, name, from[i], to[i]);
  }
  int listed = 0;
  for (const char *c = s->moves; *c; c++)
    listed += *c == '\n';
  size_t used = strlen(s->moves);
  if (listed < s->moved)
    snprintf(s->moves + used, sizeof s->moves - used, "... and %d more\n", s->moved - listed);
}
