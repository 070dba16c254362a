/* [WHM11]: two structures and a joint, by the iteration (3), (4). The paper's tables, the solution
 * that it takes to be unknown, and answers to the questions of its section 6.
 *
 * (22) and (24) have a wrong sign: C in (62) is copied from (61) without changing sides. All that
 * is computed from (19) stands beside what the printed signs give. */
#ifndef DAEDAL_REPRODUCE_WHM11_H
#define DAEDAL_REPRODUCE_WHM11_H

#include "waves.h"

/* ---- whm11_exact.c ---- */

/* x1, x2, y1, y2, lambda */
#define WHM11_VALUES 5

void whm11_exact(double t, double *values);

/* For the printed signs at t = 2, 3 or 10, by another method with 40 digits. */
void whm11_exact_printed(double t, double *values);

/* The constants of section 4: E, F, and with them beta and gamma of (49), (50) for a window;
 * series: 64 as printed in (36), 32 where its integral is right. */
typedef struct whm11_bound {
  double E, F, beta, gamma;
} whm11_bound;

whm11_bound whm11_bound_of(double window, double series);

/* ---- whm11_runs.c: one run of the scheme of the paper ---- */

typedef struct whm11_case {
  bool printed;            /* the signs of (22), (24) */
  double to, window, step; /* step: window/M */
  double tolerance;        /* of (10) */
  const char *x, *y;       /* methods, NULL: trapezoidal rule; the same */
  int sweeps;              /* exactly so many, 0: until (10) holds */
  bool whole;              /* the trapezoidal rule for (19) as one system */
  void (*look)(void *user, const dae_wave_sweep *sweep);
  void *user;
} whm11_case;

typedef struct whm11_result {
  double values[WHM11_VALUES]; /* at the end */
  double sweeps;               /* in the last window, NaN: it failed */
  double violation;            /* x2 - 2 y1 at the end */
} whm11_result;

bool whm11_iterate(rep_report *report, const whm11_case *run, whm11_result *result);

/* Unknowns of the iteration that a look sees: x2, x2', x2'', y1, y1', y1'', lambda. */
enum { WHM11_X2, WHM11_Y1 = 3, WHM11_LAMBDA = 6 };

/* Quotients of differences of three runs, each with half the step of the one before, by Euclidean
 * norms: R_x, R_y, R_lambda. */
void whm11_quotients(const whm11_result runs[3], double R[3]);

/* ---- whm11_convergence.c, whm11_accuracy.c, whm11_variants.c, whm11.c ---- */

void whm11_convergence(rep_report *report);
void whm11_accuracy(rep_report *report);
void whm11_variants(rep_report *report);

extern const char whm11_notes[];
dae_status whm11_run(rep_report *report);

#endif
