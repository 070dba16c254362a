/* Rows of a run. The first row is at the start, the last row at the end time exactly. Between them
 * are rows at from + k every (with `every`), at given times (with `times`), or, with neither, at
 * every accepted step, and before and after an event with an action. */
#include "run/simulation.h"

#include <math.h>

/* Largest number of rows between two steps for one sink: the points of a curve on a page;
 * chosen. */
#define FILL_ROWS_MAX 10000

dae_status dae__simulation_cause(const dae_simulation *r, dae_status status, dae_error *err)
{
  const dae_error *why = r->plan.problem.why;
  if (status != DAE_ERROR_CALLBACK || !why || why->status != DAE_ERROR_MEMORY)
    return status;
  return dae__out_of_memory(err);
}

dae_status dae__simulation_interrupted(double t, dae_error *err)
{
  dae__fail(err, DAE_ERROR_INTERRUPTED, NULL,
            "the run was interrupted at t = %.10g; the results up to then are kept", t);
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_INTERRUPTED;
}

/* A request to stop between rows, of which a step may have many. */
static dae_status simulation_rows_stop(const dae_simulation *r, double t, dae_error *err)
{
  return dae__env_stopped(&r->env) ? dae__simulation_interrupted(t, err) : DAE_OK;
}

dae_status dae__simulation_write_row(dae_simulation *r, double t, const double *y, dae_error *err)
{
  DAE__TRY(dae__columns_fill(&r->columns, t, y, err));
  DAE__TRY(dae__monitor_row(&r->monitor, t, y, err));
  const dae_row row = {.columns = r->columns.count,
                       .values = r->columns.values,
                       .y = y,
                       .position_drift = r->monitor.row_position,
                       .velocity_drift = r->monitor.row_velocity};
  for (int i = 0; i < r->plan.sink_count; i++) {
    const dae_sink *sink = &r->plan.sinks[i];
    dae_status status = sink->row ? sink->row(sink->self, &row, err) : DAE_OK;
    if (status < 0)
      return status;
  }
  dae__events_note_forces(r->events, y);
  r->last_row = t;
  r->summary.rows++;
  dae__trust_row(&r->trust, &r->plan.problem, y);
  return (r->plan.verify || r->plan.check_error) && !r->unverified
             ? dae__verify_keep(&r->verify, r->columns.values, err)
             : DAE_OK;
}

dae_status dae__simulation_rows_until(dae_simulation *r, double t, dae_error *err)
{
  const dae_run_plan *plan = &r->plan;
  double at, length = t - r->t;
  for (; (at = dae__plan_time(plan, r->planned)) <= t; r->planned++) {
    if (!(at > plan->start.t))
      continue;
    DAE__TRY(simulation_rows_stop(r, at, err));
    DAE__TRY(dae_integrator_interpolate(r->it, at, r->y, NULL, err));
    DAE__TRY(dae__simulation_write_row(r, at, r->y, err));
  }
  for (int i = 0; !dae__plan_has_times(plan) && i < plan->sink_count; i++) {
    const dae_sink *sink = &plan->sinks[i];
    double pieces =
        sink->row && sink->fill > 0 ? fmin(ceil(length / sink->fill), FILL_ROWS_MAX) : 0;
    for (int k = 1; k < pieces; k++) {
      dae_row row = {.columns = r->columns.count, .values = r->columns.values, .y = r->y};
      double *position = &row.position_drift, *velocity = &row.velocity_drift;
      dae_error why;
      at = r->t + k * length / pieces;
      DAE__TRY(simulation_rows_stop(r, at, err));
      if (dae_integrator_interpolate(r->it, at, r->y, NULL, &why) < 0 ||
          dae__columns_fill(&r->columns, at, r->y, &why) < 0 ||
          dae__monitor_drift(&r->monitor, at, r->y, position, velocity, &why) < 0) {
        r->trust.rows_missing++;
        continue;
      }
      dae_status status = sink->row(sink->self, &row, err);
      if (status < 0)
        return status;
    }
  }
  return DAE_OK;
}

dae_status dae__simulation_record_step(const dae_simulation *r, dae_error *err)
{
  dae_step_record step = {.t = r->t, .h = r->t - r->view.t_previous, .order = r->view.order};
  dae_contraction c;
  bool filled = false;
  for (int i = 0; i < r->plan.sink_count; i++) {
    const dae_sink *sink = &r->plan.sinks[i];
    if (!sink->step)
      continue;
    if (!filled) {
      step.stats = dae_integrator_stats(r->it);
      step.energy = r->monitor.energy;
      step.balance = r->monitor.energy - r->monitor.energy_start - r->monitor.work;
      step.observed = step.predicted = NAN;
      if (r->plan.method->iterates && dae_contraction_of(r->it, &c, NULL) >= 0) {
        step.sweeps = c.last_sweeps;
        step.observed = c.last_observed;
        step.predicted = c.last_predicted;
      }
      filled = true;
    }
    dae_status status = sink->step(sink->self, &step, err);
    if (status < 0)
      return status;
  }
  return DAE_OK;
}
