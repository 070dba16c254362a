/* [L13]: the four examples of the implicit GL(n,R) method. Its figures show errors over time, with
 * most of the exponents unreadable; the references are those of a prototype with the corrected
 * equations. The multiplier of a step belongs to its middle; it is no part of the public
 * interface, and found here from where the step begins and ends. */
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
  L13_STRAIGHT,   /* past the origin */
  L13_STIFF,
  L13_PROBLEMS
} l13_problem;

#define L13_X 4 /* at most */
#define L13_Y 2

typedef struct l13_case {
  l13_problem problem;
  const char *set; /* a param with another value, NULL: none */
  double to;
  dae_lie_options options;
} l13_case;

/* After a step. */
typedef struct l13_point {
  double t, h;
  int nx, ny;
  const double *x, *y;       /* y: that belongs to x */
  const double *y_step;      /* that of the step; of steps of order 2, theta = 1/2 only */
  long inner, outer, passes; /* of the step: sweeps, corrections of y, and how often x was swept */
} l13_point;

typedef void l13_look(void *user, const l13_point *at);

/* False if the report is at its end. A run that gives up says why in trouble. */
bool l13_case_run(rep_report *report, const l13_case *run, l13_look *look, void *user,
                  dae_stats *stats, char trouble[256]);

/* The nested iteration with the paper's bounds: eps1 on the change of x, eps2 on that of y; size:
 * of x. */
dae_lie_options l13_nested(double h, double size, double eps1, double eps2);
/* Newton's iteration with a fixed step. */
dae_lie_options l13_newton(double h, int order);

/* ---- l13_exact.c ---- */

/* Solutions are asked for at times that rise. That of the pendulum, which has no closed form of
 * simple functions, is followed. */
typedef struct l13_solution {
  l13_problem problem;
  double t, angle, rate;
} l13_solution;

l13_solution l13_begin(l13_problem problem);
void l13_solution_at(l13_solution *s, double t, double *x, double *y);

/* A step by another scheme for example 1. */
typedef void l13_scheme(double t, double h, double *Q);
/* The Lorentz group's, (Q X/Q0, X) by the exponential for a strain of constant rate over the step:
 * that of the increment, that in the middle, that at the beginning. */
l13_scheme l13_exponential_increment, l13_exponential_middle, l13_exponential_start;
/* The midpoint rule for (26), then back to the yield surface along Q. */
l13_scheme l13_return;

/* ---- l13_figures.c, l13_tables.c, l13.c ---- */

void l13_figures(rep_report *report);
void l13_tables(rep_report *report);

extern const char l13_notes[];
dae_status l13_run(rep_report *report);

#endif
