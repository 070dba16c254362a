#include "run/monitor.h"

#include "core/error.h"
#include "core/mutant.h"
#include "core/vec.h"
#include "step/integrator.h"

#include <math.h>

/* ---- oscillations ---- */

/* Least reversal that counts: share of the range so far, and number of tolerances. Round-off and
 * errors of steps must not count; chosen, not measured. */
#define REVERSAL_RANGE 0.01
#define REVERSAL_TOLERANCES 100

double dae__monitor_oscillations(const dae__monitor *m)
{
  long most = 0;
  for (int i = 0; i < m->turns.n; i++)
    most = m->turns.count[i] > most ? m->turns.count[i] : most;
  return (double)most / 2;
}

/* ---- energy and drift ---- */

dae_status dae__monitor_create(dae__arena *arena, const dae_problem *problem, dae__monitor *out,
                               dae_error *err)
{
  *out = (dae__monitor){.position = NAN,
                        .velocity = NAN,
                        .energy_start = NAN,
                        .energy = NAN,
                        .energy_error = NAN,
                        .energy_tolerance = NAN,
                        .kinetic = NAN};
  if (!problem)
    return DAE_OK;
  int n = dae_problem_size(problem);
  out->y = DAE__ALLOC(arena, double, n);
  out->turns = (dae__turns){.n = n,
                            .low = DAE__ALLOC(arena, double, n),
                            .high = DAE__ALLOC(arena, double, n),
                            .extreme = DAE__ALLOC(arena, double, n),
                            .count = DAE__ALLOC(arena, long, n),
                            .direction = DAE__ALLOC(arena, int, n)};
  if (dae__arena_failed(arena))
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the energy balance");
  return dae__measure_create(arena, problem, &out->measure, err);
}

/* Outcome of a measurement: a callback that refuses the point ends the energy balance, not the
 * run. */
static dae_status monitor_outcome(dae_status status, double *value, const dae_error *why,
                                  dae_error *err)
{
  if (status == DAE_ERROR_RECOVERABLE) {
    *value = NAN;
    return DAE_OK;
  }
  if (status < 0 && err)
    *err = *why;
  return status;
}

dae_status dae__monitor_energy(dae__monitor *m, double t, const double *y, double *energy,
                               double *power, dae_error *err)
{
  dae_error why;
  *energy = *power = NAN;
  if (!m->measure)
    return DAE_OK;
  dae_status status = dae__measure_energy(m->measure, t, y, energy, power, &m->has_potential, &why);
  if (status == DAE_ERROR_RECOVERABLE)
    *energy = NAN;
  return monitor_outcome(status, power, &why, err);
}

/* Updates the largest error, tolerance and kinetic energy after a measurement of the energy; fmax
 * ignores NaN. */
static void monitor_update_energy_error(dae__monitor *m)
{
  if (isnan(m->energy))
    return;
  double tolerance = dae__measure_energy_tolerance(m->measure, m->rtol, m->atol);
  m->energy_error = fmax(m->energy_error, fabs(m->energy - m->energy_start - m->work));
  m->energy_tolerance = fmax(m->energy_tolerance, tolerance);
  m->kinetic = fmax(m->kinetic, dae__measure_kinetic(m->measure));
}

dae_status dae__monitor_start(dae__monitor *m, double t, const double *y, double rtol, double atol,
                              dae_error *err)
{
  m->t = t;
  m->rtol = rtol;
  m->atol = atol;
  m->work = 0;
  dae__copy(m->turns.n, y, m->turns.low);
  dae__copy(m->turns.n, y, m->turns.high);
  dae__copy(m->turns.n, y, m->turns.extreme);
  dae_status status = dae__monitor_energy(m, t, y, &m->energy, &m->power, err);
  m->energy_start = m->energy;
  monitor_update_energy_error(m);
  return status;
}

dae_status dae__monitor_drift(dae__monitor *m, double t, const double *y, double *position,
                              double *velocity, dae_error *err)
{
  *position = *velocity = NAN;
  return m->measure ? dae__measure_drift(m->measure, t, y, position, velocity, err) : DAE_OK;
}

dae_status dae__monitor_row(dae__monitor *m, double t, const double *y, dae_error *err)
{
  DAE__TRY(dae__monitor_drift(m, t, y, &m->row_position, &m->row_velocity, err));
  if (m->measure)
    m->drift_tolerances =
        fmax(m->drift_tolerances, dae__measure_drift_tolerances(m->measure, y, m->rtol, m->atol));
  /* largest drift; fmax ignores NaN, which stands for "not measured" */
  m->position = DAE__MUTATE(monitor_position, fmax(m->position, m->row_position), m->row_position);
  m->velocity = fmax(m->velocity, m->row_velocity);
  return DAE_OK;
}

/* Power at time t within the integrator's last step. */
static dae_status monitor_power_at(dae__monitor *m, dae_integrator *it, double t, double *power,
                                   dae_error *err)
{
  dae_error why;
  dae_status status = dae__measure_workless(m->measure)
                          ? dae__integrator_interpolate_raw(it, t, m->y, NULL, err)
                          : dae__integrator_interpolate_unprojected(it, t, m->y, err);
  if (status < 0)
    return status;
  return monitor_outcome(dae__measure_power(m->measure, t, m->y, power, &why), power, &why, err);
}

/* Largest order of a method for which the power is integrated by Simpson's rule: exact for the work
 * of order 4, good for 5. */
#define SIMPSON_ORDER_MAX 5

/* Mean power from m->t to t by Simpson's rule or the Gauss rule, over intervals as long as the
 * pieces of the last step; `end` is the power at t. A step to a discontinuity, of order 0, has the
 * power behind it at its end. */
static dae_status monitor_mean_power(dae__monitor *m, dae_integrator *it, double t, double end,
                                     double *mean, dae_error *err)
{
  dae_view view = dae_integrator_view(it);
  double share = (t - m->t) / (view.t - view.t_previous);
  /* number of intervals; 1e-6 of a piece counts as round-off */
  int pieces = view.pieces > 1 ? (int)fmax(ceil(share * view.pieces - 1e-6), 1) : 1;
  /* a point more than a Gauss method has stages: at its stages the work is consistent with the
   * energy whatever the force does beside them */
  int n = view.order / 2 + 1;
  bool simpson = (view.order > 0 && view.order <= SIMPSON_ORDER_MAX) || n > DAE__SMALL_SIZE;
  double h = (t - m->t) / pieces, left = m->power, sum = 0;
  dae_status status = DAE_OK;
  if (!simpson && m->rule.n != n)
    m->rule = dae__rule_gauss(n);
  for (int i = 0; i < pieces && status >= 0; i++) {
    double from = m->t + i * h, power = 0, right = end, part = 0;
    for (int k = 0; !simpson && k < n && status >= 0; k++) {
      status = monitor_power_at(m, it, from + (double)m->rule.c[k] * h, &power, err);
      part += (double)m->rule.b[k] * power;
    }
    if (simpson) {
      status = monitor_power_at(m, it, from + h / 2, &power, err);
      if (status >= 0 && i + 1 < pieces)
        status = monitor_power_at(m, it, m->t + (i + 1) * h, &right, err);
      part = (left + 4 * power + right) / 6;
    }
    left = right;
    sum += part;
  }
  *mean = sum / pieces;
  return status;
}

dae_status dae__monitor_pass(dae__monitor *m, dae_integrator *it, double t, const double *y,
                             dae_error *err)
{
  double mean = NAN, end;
  /* Counts the turning points up to the state y at the end of a step */
  dae__turns *turns = &m->turns;
  for (int i = 0; i < turns->n; i++) {
    double tolerance = isnan(m->rtol) ? 0 : m->rtol * fabs(y[i]) + m->atol;
    turns->low[i] = fmin(turns->low[i], y[i]);
    turns->high[i] = fmax(turns->high[i], y[i]);
    double least =
        fmax(REVERSAL_RANGE * (turns->high[i] - turns->low[i]), REVERSAL_TOLERANCES * tolerance);
    double change = y[i] - turns->extreme[i];
    int direction = turns->direction[i];
    if (change * direction >= 0 && direction != 0) {
      turns->extreme[i] = y[i];
    } else if (fabs(change) > least) {
      turns->count[i] += direction != 0;
      turns->direction[i] = change > 0 ? 1 : -1;
      turns->extreme[i] = y[i];
    }
  }
  if (isnan(m->energy) || !(t > m->t))
    return DAE_OK;
  dae_status status = dae__monitor_energy(m, t, y, &m->energy, &end, err);
  /* mean power since m->t; without a measured power there is no balance */
  if (status >= 0 && !isnan(m->work + m->power + end))
    status = monitor_mean_power(m, it, t, end, &mean, err);
  if (status < 0)
    return status;
  double supplied = dae__integrator_supplied(it) - m->corrected;
  m->corrected += supplied;
  m->work += (t - m->t) * DAE__MUTATE(monitor_work, mean, -mean) + supplied;
  m->energy_left += (t - m->t) * (m->energy - m->energy_start - m->work + m->corrected);
  m->power = end;
  m->t = t;
  monitor_update_energy_error(m);
  return DAE_OK;
}

dae_status dae__monitor_jump(dae__monitor *m, const double *y, dae_error *err)
{
  if (isnan(m->energy))
    return DAE_OK;
  double before = m->energy;
  dae_status status = dae__monitor_energy(m, m->t, y, &m->energy, &m->power, err);
  m->work += DAE__MUTATE(monitor_jump, m->energy - before, before - m->energy);
  return status;
}
