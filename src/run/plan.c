#include "run/plan.h"

#include "core/error.h"
#include "core/mutant.h"
#include "core/number.h"
#include "core/options.h"
#include "core/text.h"
#include "core/tolerances.h"

#include <math.h>
#include <stdio.h>

/* Largest change of a start value, relative to 1 + |value|, that is not reported: the tolerance of
 * the projection. */
#define MOVED DAE__ON_CONSTRAINT

/* Largest number of rows of a run: 10^9 rows of ten columns are 200 GB as CSV. */
#define ROWS_MAX 1e9

/* ---- validation ---- */

/* Refuses a grid of more rows than a file can hold. */
static dae_status plan_check_rows(const dae_run_plan *plan, dae_error *err)
{
  double span = plan->to - plan->start.t;
  double step = plan->method->options && plan->options
                    ? dae__options_number(plan->method->options, plan->options, "step")
                    : 0;
  bool grid = plan->every > 0;
  double rows = plan->times ? (double)plan->time_count
                : grid      ? span / plan->every
                : step > 0  ? span / step
                            : 0;
  if (DAE__MUTATE(plan_rows, rows <= ROWS_MAX, true))
    return DAE_OK;
  const char *name = plan->times ? "times" : grid ? "every" : "step";
  return dae__fail(err, DAE_ERROR_USAGE, name, "the run would write %.10g rows, more than %.0e; %s",
                   rows, ROWS_MAX,
                   grid          ? "take a larger interval of rows (every)"
                   : plan->times ? "take fewer output times"
                                 : "take an interval of rows (every), or a larger step");
}

dae_status dae__plan_check(const dae_run_plan *plan, dae_error *err)
{
  const dae_status usage = DAE_ERROR_USAGE;
  if (!plan->method)
    return dae__fail(err, usage, "method", "the run has no method: see dae_method_find");
  if (!plan->start.y || !isfinite(plan->start.t))
    return dae__fail(err, usage, "start", "the run has no start values");
  if (!(isfinite(plan->to) && plan->to > plan->start.t))
    return dae__fail(err, usage, "to", "the end time, %g, does not lie beyond the start time, %g",
                     plan->to, plan->start.t);
  if (!(isfinite(plan->every) && plan->every >= 0))
    return dae__fail(err, usage, "every",
                     "every = %g is not a valid interval between rows; 0 writes every step",
                     plan->every);
  if (plan->time_count < 0 || (plan->time_count > 0 && !plan->times))
    return dae__fail(err, usage, "times", "the run has no list of its output times");
  for (long i = 0; plan->times && i < plan->time_count; i++)
    if (!isfinite(plan->times[i]) || (i > 0 && plan->times[i] <= plan->times[i - 1]))
      return dae__fail(err, usage, "times", "the output times do not ascend");
  if (plan->column_count < 0 || (plan->column_count > 0 && !plan->columns))
    return dae__fail(err, usage, "columns", "the run has no list of its columns");
  if (plan->outputs < 0 || (plan->outputs > 0 && !plan->output))
    return dae__fail(err, usage, "output", "the run has outputs but no output function");
  if (plan->event_count < 0 || (plan->event_count > 0 && !plan->events))
    return dae__fail(err, usage, "events", "the run has no list of its events");
  if (plan->sink_count < 0 || (plan->sink_count > 0 && !plan->sinks))
    return dae__fail(err, usage, "sinks", "the run has no list of its sinks");
  if (plan->verify && !plan->method->iterates)
    return dae__fail(err, usage, "verify",
                     "%s integrates the problem as one system: there is nothing to verify it "
                     "against; gauss-seidel, jacobi and joint can be verified",
                     plan->method->name);
  DAE__TRY(plan_check_rows(plan, err));
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
    t = plan->start.t +
        DAE__MUTATE(plan_grid, (double)(i + 1) * plan->every, (double)(i + 2) * plan->every);
    end -= 1e-9 * plan->every; /* an output time nearer to the end coincides with the end time */
  }
  return t < end ? t : INFINITY;
}

/* ---- summary before the first step ---- */

dae_summary dae__plan_summary(const dae_run_plan *plan)
{
  const dae_problem *p = &plan->problem;
  const char *name = p->mechanical      ? p->mechanical->name
                     : p->semi_explicit ? p->semi_explicit->name
                     : p->momentum      ? p->momentum->name
                     : p->coupled       ? p->coupled->name
                                        : NULL;
  return (dae_summary){.problem = name ? name : "problem",
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
                       .energy_error = NAN,
                       .energy_tolerance = NAN,
                       .phase_error = NAN,
                       .energy_removed_at_start = NAN,
                       .native = plan->native,
                       .inputs = plan->inputs,
                       .units = plan->units,
                       .provenance = plan->provenance};
}

void dae__plan_moves(const dae_run_plan *plan, const double *to, dae_summary *s)
{
  const size_t kept_free = 40; /* bytes for the last line, "... and 3 more" */
  const double *from = plan->start.y;
  dae__text moves = dae__text_in(s->moves, sizeof s->moves);
  int listed = 0;
  s->moved = s->moved_given = 0;
  for (int i = 0; i < dae_problem_size(&plan->problem); i++) {
    char name[256], line[400];
    dae_variable_kind kind = dae_problem_variable(&plan->problem, i, name, sizeof name);
    bool guess = kind == DAE_VARIABLE_ALGEBRAIC || kind == DAE_VARIABLE_MULTIPLIER;
    if (guess || !(fabs(to[i] - from[i]) > MOVED * (1 + fabs(from[i]))))
      continue;
    double moved = fabs(to[i]) <= MOVED * fabs(from[i]) ? 0 : to[i];
    int length = snprintf(line, sizeof line, "%.250s\t%s\t%s\n", name,
                          dae__number_text(from[i], 12).text, dae__number_text(moved, 12).text);
    s->moved++;
    s->moved_given += !plan->start.given || plan->start.given[i];
    if (moves.length + (size_t)length + kept_free >= sizeof s->moves)
      continue;
    dae__text_add(&moves, "%s", line);
    listed++;
  }
  if (listed < s->moved)
    dae__text_add(&moves, "... and %d more\n", s->moved - listed);
}
