/* How good a run is: drift off the constraints over all rows, and the energy balance
 *
 *   E(t) - E(t_0) - W,   W = integral of the power of all that is not in the energy
 *
 * with the integral by Simpson's rule on every accepted step (on every piece of a window), or,
 * where the method is of higher order, by the rule of Gauss of that order: with spark-gauss its
 * points are the stages. What an event's action does to the energy is work of the event, so that
 * the balance shows the error of the integration only. */
#ifndef DAEDAL_RUN_MONITOR_H
#define DAEDAL_RUN_MONITOR_H

#include "core/arena.h"
#include "problem/measure.h"
#include "quadrature/nodes.h"

#include <daedal/run.h>

typedef struct dae__monitor {
  dae__measure *measure;
  double position, velocity;                /* largest drift; NaN: none measured */
  double row_position, row_velocity;        /* of the last row */
  double t;                                 /* energy and power are those at t */
  double energy_start, energy, power, work; /* NaN: the problem has no energy */
  bool has_potential;
  double *y;
  dae__rule rule; /* the last one of Gauss that was used */
} dae__monitor;

/* Without a problem nothing is measured: everything is NaN. */
dae_status dae__monitor_create(dae__arena *arena, const dae_problem *problem, dae__monitor *out,
                               dae_error *err);
void dae__monitor_free(dae__monitor *m);

/* The motion starts at (t, y). */
dae_status dae__monitor_start(dae__monitor *m, double t, const double *y, dae_error *err);
/* How far a state is off its constraints; NaN: there are none. */
dae_status dae__monitor_drift(dae__monitor *m, double t, const double *y, double *position,
                              double *velocity, dae_error *err);
/* A row is written. */
dae_status dae__monitor_row(dae__monitor *m, double t, const double *y, dae_error *err);
/* The motion has gone on to (t, y), within the integrator's last step. */
dae_status dae__monitor_pass(dae__monitor *m, dae_integrator *it, double t, const double *y,
                             dae_error *err);
/* An event has changed the state into y. */
dae_status dae__monitor_jump(dae__monitor *m, const double *y, dae_error *err);

/* The energy of a state, NaN: there is none. */
dae_status dae__monitor_energy(dae__monitor *m, double t, const double *y, double *energy,
                               dae_error *err);

void dae__monitor_report(const dae__monitor *m, dae_summary *summary);

#endif
