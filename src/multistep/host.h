/* Internals of the BDF host, shared by its files:
 *   host.c     steps made of attempts, starts, functions of the integrator's table
 *   attempt.c  one attempt at a step: Newton, error estimate, projection
 *   select.c   order and size of the next attempt, stability limit of orders 3 to 5 */
#ifndef DAEDAL_MULTISTEP_HOST_H
#define DAEDAL_MULTISTEP_HOST_H

#include "multistep/bdf.h"
#include "step/crossing.h"
#include "step/history.h"
#include "step/integrator.h"
#include "step/limits.h"
#include "step/newton.h"
#include "step/stall.h"

/* ---- tuning constants: chosen, not measured, where no source is given ---- */

/* Newton tolerance relative to the tolerance of the error test, as in DASSL */
#define DAE__BDF_NEWTON_TOLERANCE 0.33
/* Share of the tolerance for the error of one step, after n steps: a r / (1 + n r / b), with
 * r = rtol^(1/5). Errors of steps add up. At order 5 a run takes N = c / r steps, where c depends
 * on the motion alone, so that the sum of all shares, a b log(1 + c / b), is the same for every
 * tolerance and grows with the length of a run by a logarithm only. Error estimates are a tenth of
 * their limit in the mean: errors that only add up stay below 10 tolerances up to c = 2500
 * (measured in docs/methods/bdf.md). In mechanical problems the formulas damp velocities in every
 * step, and the error of the phase is the second sum: at c = 2 for a radian it is
 * a b^2 ((1 + c / b) log(1 + c / b) - c / b) / 20, 30 tolerances at c = 190. */
#define DAE__BDF_SHARE 0.2
#define DAE__BDF_SHARE_STEPS 200
#define DAE__BDF_MECHANICAL_SHARE 0.05
#define DAE__BDF_MECHANICAL_SHARE_STEPS 100
#define DAE__BDF_LARGEST_SHARE 0.3
/* Recovery from a share below the round-off of the equations. There the Newton iteration does not
 * converge with a new matrix, although its first increment is of the size of the tolerance; each
 * such failure multiplies the share, each step lets it return. Chosen on the transistor amplifier
 * at 1e-9 and 1e-10. */
#define DAE__BDF_NOISE_INCREMENT 10
#define DAE__BDF_NOISE_GROWTH 2.0
#define DAE__BDF_NOISE_DECAY 0.998
/* round-off of the states that constraints couple, in smallest tolerances of the corrector */
#define DAE__BDF_ROUND_OFF 0.1
/* last increment of the multipliers, relative to them, above which a new matrix is formed; chosen
 */
#define DAE__BDF_MULTIPLIER_CHANGE 0.1
/* ratio of cj to the cj of the iteration matrix beyond which a new matrix is formed, as in DASSL */
#define DAE__BDF_CJ_RATIO 0.6
/* tolerance of the start values of fixed steps, relative to the tolerance of the run */
#define DAE__BDF_START_TOLERANCE 1e-3
/* tolerance of the times of grid points, relative to the step */
#define DAE__BDF_GRID_TOLERANCE 1e-9

/* Constants of the stability limit, found by trial on the problems of docs/methods/bdf.md. */
#define DAE__BDF_STABLE_ORDER 2 /* order that damps oscillations at all step sizes */
/* w h of an unresolved oscillation of frequency w that limits the step size */
#define DAE__BDF_UNRESOLVED_THETA 0.45
#define DAE__BDF_DECAY_GROWTH 1.1 /* growth of the steps of order 2 while an oscillation decays */
/* initial net count of limited steps before a trial of order 2 */
#define DAE__BDF_FIRST_EVIDENCE 12
/* largest net count of limited steps before a trial of order 2 */
#define DAE__BDF_LARGEST_EVIDENCE 200
#define DAE__BDF_FIRST_TRIAL 60        /* initial number of steps of a trial of order 2 */
#define DAE__BDF_LONGEST_TRIAL 1000000 /* largest number of steps of a trial of order 2 */
/* length of a trial of order 2 from which on a decaying oscillation is no reason to continue it */
#define DAE__BDF_LONG_TRIAL 240

/* ---- memory ---- */

/* Detection of steps limited by the stability of orders 3 to 5, see select.c. */
typedef struct dae__bdf_stability {
  /* net count of steps limited by an unresolved oscillation, and its threshold */
  int evidence, needed;
  bool limited;      /* whether a trial of order 2 is under way */
  long since, trial; /* first step of the trial, and its number of steps */
  /* step size before the trial, and step size allowed by order 2 at its start */
  double h, h2;
} dae__bdf_stability;

/* State of the host that the next step depends on, apart from the history; saved with the
 * integrator. */
typedef struct dae__bdf_memory {
  double t, t_previous; /* times of the end and the start of the last step */
  double h;             /* size of the next attempt */
  int order;            /* order of the next attempt */
  int order_shown;
  bool started;
  double leaving; /* size of a step away from a discontinuity at t; 0: none */
  bool held;      /* whether the step size must not grow yet */
  dae__stall stall;
  dae__bdf_stability stability;
  long first_step; /* number of steps before the start of the motion */
  double noise;    /* factor of the share by the round-off of the equations, at least 1 */
  bool growing;    /* initial phase, in which order and step size grow at every step */
  bool has_matrix;
  double cj_matrix; /* cj of the iteration matrix */
  double cj_last;
  dae__newton newton;
  /* Data of fixed steps. */
  double t_origin;
  long done;  /* number of steps since t_origin */
  long ahead; /* number of computed start values after t */
  dae_stats stats;
} dae__bdf_memory;

/* Reason for a failed attempt other than an error of a callback or a matrix; the message is
 * composed only if the integration ends. */
typedef struct dae__bdf_reason {
  const char *what, *hint; /* what = NULL: the message is in dae__bdf.last */
  /* index of the variable with the largest error or, if fastest, the largest derivative */
  int worst;
  bool fastest;
} dae__bdf_reason;

typedef struct dae__bdf {
  dae__corrector corrector;
  dae_bdf_options opts;
  bool strict; /* whether the option `rules` is accurate, not dassl */
  /* Options in force, which differ from opts during the start of fixed steps. */
  double rtol, atol;
  int max_order;
  bool project;
  dae__bdf_memory *m; /* saved with the integrator */
  dae__limits limits;
  dae__history history;
  int tested; /* number of unknowns up to the last one in a test */
  /* whether all of the first `tested` unknowns have the role DAE__TEST_FULL */
  bool all_tested;
  double tested_share; /* reciprocal of the number of tested unknowns */
  double share;        /* share of the tolerance for the error of the next step */
  const dae_env *env;  /* environment of the arena */
  dae__integrator_table table;
  double *state, *rate; /* state vector at the start of the motion, and its derivative; saved */
  /* the same before a step to that start across a discontinuity; saved */
  double *before, *before_rate;
  dae__crossing crossing; /* nx = 0: none */
  double *Y, *dY, *e, *delta, *scratch, *scratch_state, *scratch_rate;
  double *inverse_weight;
  double *atol_scale;   /* absolute tolerance of each unknown relative to atol */
  double *filtered;     /* error estimate after the filter */
  double *start_values; /* start values of fixed steps, order + 1 vectors */
  /* message of the last failed attempt, unless `why` contains the reason */
  dae_error last;
  dae__bdf_reason why;
} dae__bdf;

typedef enum dae__bdf_outcome {
  DAE__BDF_ACCEPTED,
  DAE__BDF_ERROR_TOO_LARGE,
  DAE__BDF_NOT_CONVERGED,
  DAE__BDF_REFUSED, /* attempt refused by a callback */
  DAE__BDF_FATAL
} dae__bdf_outcome;

typedef struct dae__bdf_attempt {
  double t, h;
  bool test_error; /* whether the error test is made; false: fixed step */
  /* whether the attempt before it was rejected by the error test */
  bool rejected;
} dae__bdf_attempt;

/* Norms of the error estimates of the current order k and its neighbours. */
typedef struct dae__bdf_estimate {
  double error;       /* error estimate of the error test; at most 1 if accepted */
  double here, lower; /* local errors at orders k and k - 1 */
  double higher;      /* local error at order k + 1 */
  double lower2;      /* local error at order k - 2, for k > 2 */
  int order;          /* selected order */
  double selected;    /* local error at the selected order */
} dae__bdf_estimate;

/* Functions of attempt.c. */
/* Sets Y, Y', roles and weights from a consistent state y with derivative dy. */
void dae__bdf_set_state(dae__bdf *s, const double *y, const double *dy);
/* Updates the data that depend on the roles of the unknowns, which a new matrix, a consistent state
 * or a load may change. */
void dae__bdf_update_roles(dae__bdf *s);
/* Evaluates and factors the iteration matrix at s->Y and s->dY. */
dae_status dae__bdf_setup(dae__bdf *s, double t, double cj);
double dae__bdf_error_norm(const dae__bdf *s, const double *x);
/* Returns the variable with the largest |x_i| / weight_i among those with roles up to `last`;
 * -1: all are 0. multiplier: factor of unknowns with the role DAE__TEST_MULTIPLIER. */
int dae__bdf_worst(const dae__bdf *s, const double *x, dae__test_role last, double multiplier);
/* Makes one attempt: prediction, correction, error test, projection. After success the history
 * contains the step, and order and size of the next step are selected. The reason for a failure is
 * in s->why or s->last. */
dae__bdf_outcome dae__bdf_attempt_step(dae__bdf *s, const dae__bdf_attempt *attempt,
                                       dae__bdf_estimate *est);

/* Functions of select.c. */
/* Estimates the local errors at the order of the attempt and at lower orders. */
dae__bdf_estimate dae__bdf_estimate_errors(dae__bdf *s, dae__formula formula);
/* Selects order and step size after an accepted attempt. */
void dae__bdf_select_next(dae__bdf *s, dae__bdf_estimate est, int order_before, bool rejected);
/* Selects order and step size after a failed attempt; count: number of successive rejections by the
 * error test. */
void dae__bdf_select_smaller(dae__bdf *s, dae__bdf_outcome outcome, dae__bdf_estimate est,
                             int count);

#endif
