/* Quality of a run: drift off the constraints over all rows, turning points of the variables, and
 * the energy balance
 *
 *   E(t) - E(t_0) - W,   W = integral of the power of all forces that are not part of E
 *
 * by Simpson's rule on every accepted step (on every piece of a window), or, for a method of higher
 * order, by the Gauss rule of at least that order, at points that are not the stages of a Gauss
 * method. A change of the energy by the action of an event, or by a correction of a step that keeps
 * the energy constant, counts as work, so that the balance shows the error of the integration
 * only. */
#ifndef DAEDAL_RUN_MONITOR_H
#define DAEDAL_RUN_MONITOR_H

#include "core/arena.h"
#include "problem/measure.h"
#include "quadrature/nodes.h"

#include <daedal/run.h>

/* Turning points of the variables. A reversal counts from 1 % of the range of the variable so far,
 * and from a hundred tolerances. */
typedef struct dae__turns {
  int n;
  double *low, *high; /* range */
  double *extreme;    /* last extreme value */
  long *count;        /* number of reversals */
  int *direction;     /* 1 rising, -1 falling, 0 not known yet */
} dae__turns;

typedef struct dae__monitor {
  dae__measure *measure;
  double position, velocity;                /* largest drift of all rows; NaN: none measured */
  double row_position, row_velocity;        /* drift of the last row */
  double drift_tolerances;                  /* largest drift in tolerances */
  double t;                                 /* time of the members energy and power */
  double energy_start, energy, power, work; /* energy balance; NaN: the problem has no energy */
  bool has_potential;
  double rtol, atol;
  double energy_error;     /* largest |energy balance| */
  double energy_tolerance; /* largest change of the energy by an error of one tolerance */
  double kinetic;          /* largest kinetic energy */
  double corrected;        /* energy supplied by corrections of the steps, part of the work */
  double energy_left;      /* time integral of the balance without that part: the error left */
  dae__turns turns;        /* oscillations of the variables */
  double *y;
  dae__rule rule; /* Gauss rule of the last use */
} dae__monitor;

/* Creates a monitor; problem = NULL: nothing is measured, all results are NaN. */
dae_status dae__monitor_create(dae__arena *arena, const dae_problem *problem, dae__monitor *out,
                               dae_error *err);

/* Starts the measurement at (t, y) for the tolerances of the run, NaN: none. */
dae_status dae__monitor_start(dae__monitor *m, double t, const double *y, double rtol, double atol,
                              dae_error *err);
/* Number of oscillations of the variable with the most turning points. */
double dae__monitor_oscillations(const dae__monitor *m);
/* Drift of a state off its constraints; NaN: there are none. */
dae_status dae__monitor_drift(dae__monitor *m, double t, const double *y, double *position,
                              double *velocity, dae_error *err);
/* Measures the drift of a row. */
dae_status dae__monitor_row(dae__monitor *m, double t, const double *y, dae_error *err);
/* Continues the energy balance up to (t, y), within the integrator's last step. */
dae_status dae__monitor_pass(dae__monitor *m, dae_integrator *it, double t, const double *y,
                             dae_error *err);
/* Continues the energy balance after an event has changed the state to y. */
dae_status dae__monitor_jump(dae__monitor *m, const double *y, dae_error *err);

/* Energy of a state and power of its forces; NaN: the problem has none. */
dae_status dae__monitor_energy(dae__monitor *m, double t, const double *y, double *energy,
                               double *power, dae_error *err);

#endif
