/* [L13]: the four examples of the implicit GL(n,R) method. Its figures show errors over time, with
 * mostly unreadable exponents; the references are those of a prototype with the corrected
 * equations. The multiplier of a step belongs to its midpoint; it is not part of the public
 * interface, and is computed from start and end of the step. */
#ifndef DAEDAL_REPRODUCE_L13_H
#define DAEDAL_REPRODUCE_L13_H

#include "reproduce.h"

#include <daedal/integrator.h>
#include <daedal/lie.h>

/* ---- l13_runs.c: one run ---- */

typedef enum l13_problem {
  L13_PLASTIC,    /* example 1 */
  L13_HESSENBERG, /* example 2 */
  L13_TRACK,      /* example 3 */
  L13_PENDULUM,   /* example 4 */
  L13_ODE,        /* example 3 as the differential equation (45) */
  L13_STRAIGHT,   /* straight line past the origin */
  L13_STIFF,
  L13_PROBLEMS
} l13_problem;

#define L13_X 4 /* largest dimension of x */
#define L13_Y 2

typedef struct l13_case {
  l13_problem problem;
  const char *set; /* value of a param, NULL: none */
  double to;
  dae_lie_options options;
} l13_case;

/* State after a step. */
typedef struct l13_point {
  double t, h;
  int nx, ny;
  const double *x, *y;       /* x, and the consistent y */
  const double *y_step;      /* y of the step; only for steps of order 2 with theta = 1/2 */
  long inner, outer, passes; /* sweeps, corrections of y, passes over x in the step */
} l13_point;

typedef void l13_look(void *user, const l13_point *at);

/* Runs a case; false after a failure of the report. trouble: reason of a failed run. */
bool l13_case_run(rep_report *report, const l13_case *run, l13_look *look, void *user,
                  dae_stats *stats, char trouble[256]);

/* Nested iteration with the bounds of the paper: eps1 on the change of x, eps2 on that of y; size:
 * size of x. */
dae_lie_options l13_nested(double h, double size, double eps1, double eps2);
/* Newton iteration with a fixed step. */
dae_lie_options l13_newton(double h, int order);

/* ---- l13_exact.c ---- */

/* Exact solutions at ascending times. That of the pendulum, without an elementary closed form, is
 * integrated numerically. */
typedef struct l13_solution {
  l13_problem problem;
  double t, angle, rate;
} l13_solution;

l13_solution l13_begin(l13_problem problem);
void l13_solution_at(l13_solution *s, double t, double *x, double *y);

/* One step of another scheme for example 1. */
typedef void l13_scheme(double t, double h, double *Q);
/* Exponential of the Lorentz group, for (Q X/Q0, X) and a constant strain rate over the step: that
 * of the increment, at the midpoint, at the start. */
l13_scheme l13_exponential_increment, l13_exponential_middle, l13_exponential_start;
/* Midpoint rule for (26), followed by a radial return to the yield surface. */
l13_scheme l13_return;

/* ---- l13_figures.c, l13_tables.c, l13.c ---- */

void l13_figures(rep_report *report);
void l13_tables(rep_report *report);

extern const char l13_notes[];
dae_status l13_run(rep_report *report);

#endif
