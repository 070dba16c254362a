/* [WHM11]: two structures and a joint, by the iteration (3), (4). The tables of the paper, the
 * exact solution, and answers to the questions of its section 6. (22) and (24) have a wrong sign:
 * C in (62) is copied from (61) without a change of sign. Results of (19) are shown beside those
 * of the printed signs. */
#ifndef DAEDAL_REPRODUCE_WHM11_H
#define DAEDAL_REPRODUCE_WHM11_H

#include "waves.h"

/* ---- whm11_exact.c ---- */

/* x1, x2, y1, y2, lambda */
#define WHM11_VALUES 5

void whm11_exact(double t, double *values);

/* Exact values for the printed signs at t = 2, 3 or 10, by another method with 40 digits. */
void whm11_exact_printed(double t, double *values);

/* The constants of section 4: E, F, and beta and gamma of (49), (50) for a window; series: 64 as
 * printed in (36), 32 with the correct integral. */
typedef struct whm11_bound {
  double E, F, beta, gamma;
} whm11_bound;

whm11_bound whm11_bound_of(double window, double series);

/* ---- whm11_runs.c: one run of the scheme of the paper ---- */

typedef struct whm11_case {
  bool printed;            /* signs of (22), (24) as printed */
  double to, window, step; /* end time, window, step = window/M */
  double tolerance;        /* tolerance of (10) */
  const char *x, *y;       /* methods of x and y, NULL: trapezoidal rule */
  int sweeps;              /* fixed number of sweeps, 0: until (10) holds */
  bool whole;              /* trapezoidal rule for (19) as one system */
  void (*look)(void *user, const dae_wave_sweep *sweep);
  void *user;
} whm11_case;

typedef struct whm11_result {
  double values[WHM11_VALUES]; /* values at the end */
  double sweeps;               /* number of sweeps in the last window, NaN: failed */
  double violation;            /* residual x2 - 2 y1 at the end */
} whm11_result;

bool whm11_iterate(rep_report *report, const whm11_case *run, whm11_result *result);

/* Indices of the observed unknowns of the iteration: x2, x2', x2'', y1, y1', y1'', lambda. */
enum { WHM11_X2, WHM11_Y1 = 3, WHM11_LAMBDA = 6 };

/* Quotients of differences of three runs with successively halved steps, by Euclidean norms: R_x,
 * R_y, R_lambda. */
void whm11_quotients(const whm11_result runs[3], double R[3]);

/* ---- whm11_convergence.c, whm11_accuracy.c, whm11_variants.c, whm11.c ---- */

void whm11_convergence(rep_report *report);
void whm11_accuracy(rep_report *report);
void whm11_variants(rep_report *report);

extern const char whm11_notes[];
dae_status whm11_run(rep_report *report);

#endif
