/* The inside of the BDF host, shared by its files:
 *   host.c                 steps made of attempts, starts, verbs of the integrator
 *   attempt.c              one attempt at a step: Newton, error estimate, projection
 *   select.c               order and step size of the next attempt, stability limit of orders 3 to
 * 5 slow_manifold_start.c  start of a damped run */
#ifndef DAEDAL_MULTISTEP_HOST_H
#define DAEDAL_MULTISTEP_HOST_H

#include "multistep/bdf.h"
#include "step/history.h"
#include "step/integrator.h"
#include "step/newton.h"
#include "step/stall.h"

/* ---- tuning constants: chosen, not measured, where no source is given ---- */

#define DAE__BDF_NEWTON_TOLERANCE 0.33 /* share that the Newton iteration may leave, DASSL */
/* Share of the tolerance that one step may use: errors add up over steps (car axis, rtol 1e-9: 5.99
 * correct digits with all of it, docs/methods/bdf.md). */
#define DAE__BDF_STEP_TOLERANCE 0.3
#define DAE__BDF_CJ_RATIO 0.6   /* change of cj beyond which a new matrix is formed, DASSL */
#define DAE__BDF_DAMPED_ORDER 2 /* of a damped run: higher ones do not damp all oscillations */
#define DAE__BDF_START_TOLERANCE                                                                   \
  1e-3                               /* of the start values of fixed steps, over that of the run   \
                                      */
#define DAE__BDF_GRID_TOLERANCE 1e-9 /* round-off of grid points of fixed steps, in steps */

/* Stability limit; all by trial on the problems of docs/methods/bdf.md. */
#define DAE__BDF_STABLE_ORDER 2        /* damps oscillations at all step sizes */
#define DAE__BDF_UNRESOLVED_THETA 0.45 /* w h of an oscillation that limits the step */
#define DAE__BDF_DECAY_GROWTH 1.1      /* growth of steps of order 2 while an oscillation decays */
#define DAE__BDF_FIRST_EVIDENCE 12     /* net steps before a trial of order 2: at first */
#define DAE__BDF_LARGEST_EVIDENCE 200  /* net steps before a trial of order 2: at most */
#define DAE__BDF_FIRST_TRIAL 60        /* steps of a trial: at first */
#define DAE__BDF_LONGEST_TRIAL 1000000 /* steps of a trial: at most */
#define DAE__BDF_LONG_TRIAL 240        /* trial from which on decay is no reason to continue */

/* Slow-manifold start. */
#define DAE__BDF_START_NEGLIGIBLE 0.1  /* correction relative to the tolerance */
#define DAE__BDF_START_ITERATIONS 10   /* corrections, at most */
#define DAE__BDF_SCALE_SEPARATION 0.02 /* depth of the minimum between two time scales */
#define DAE__BDF_SLOW_DISTANCE 10      /* covered by the slow motion, in units of an oscillation */
#define DAE__BDF_SCALE_RATIO 3.0       /* of neighbouring time scales H */
#define DAE__BDF_SCALES 30             /* number of time scales */
#define DAE__BDF_LARGEST_SCALE 10 /* in units of the time in which the state changes by itself */

/* ---- memory ---- */

/* Detection of steps that the stability of orders 3 to 5 limits, see select.c. */
typedef struct dae__bdf_stability {
  int evidence, needed; /* net steps limited by an unresolved oscillation; threshold */
  bool limited;         /* trial of order 2 */
  long since, trial;    /* first step and length of the trial */
  double h, h2;         /* step size before the trial; step size that order 2 would have allowed */
} dae__bdf_stability;

/* Everything the next step depends on, besides the history. */
typedef struct dae__bdf_memory {
  double t, t_previous; /* ends of the last step of the integrator */
  double h;             /* next step to attempt */
  int order;            /* next order to attempt */
  int order_shown;
  bool started;
  bool held; /* the step must not grow yet */
  dae__stall stall;
  dae__bdf_stability stability;
  bool growing; /* initial phase: order and step grow at every step */
  bool has_matrix;
  double cj_matrix; /* cj of the iteration matrix */
  double cj_last;
  dae__newton newton;
  /* fixed steps */
  double t_origin;
  long done;  /* steps from t_origin */
  long ahead; /* start values after t */
  dae_stats stats;
} dae__bdf_memory;

/* Reason of a failed attempt other than a callback or a matrix; formatted only where the
 * integration ends. */
typedef struct dae__bdf_reason {
  const char *what, *hint; /* what NULL: see dae__bdf.last */
  int worst;               /* variable */
} dae__bdf_reason;

typedef struct dae__bdf {
  dae__corrector corrector;
  dae_bdf_options opts;
  /* values in force */
  double rtol, atol;
  int max_order;
  bool project;
  dae__bdf_memory *m; /* saved */
  dae__history history;
  int tested;          /* unknowns up to the last one with a role in a test */
  bool all_tested;     /* all of these have the role DAE__TEST_FULL */
  double tested_share; /* 1 / tested */
  const dae_env *env;  /* of the arena */
  dae__integrator_table table;
  double *state, *rate; /* saved: start of the motion, and its derivative */
  double *Y, *dY, *e, *delta, *scratch, *scratch_state, *scratch_rate;
  double *inverse_weight;
  double *filtered;     /* error estimate after the filter */
  double *start_values; /* fixed steps: order + 1 vectors */
  dae_error last;       /* message of the last failed attempt, unless `why` has the reason */
  dae__bdf_reason why;
} dae__bdf;

typedef enum dae__bdf_outcome {
  DAE__BDF_ACCEPTED,
  DAE__BDF_ERROR_TOO_LARGE,
  DAE__BDF_NOT_CONVERGED,
  DAE__BDF_REFUSED, /* by a callback */
  DAE__BDF_FATAL
} dae__bdf_outcome;

typedef struct dae__bdf_attempt {
  double t, h;
  bool test_error; /* false: fixed step */
  bool rejected;   /* after a rejection by the error test */
} dae__bdf_attempt;

/* Norms of the error estimates of the current order k and its neighbours. */
typedef struct dae__bdf_estimate {
  double error;       /* of the error test: at most 1 */
  double here, lower; /* local error at orders k, k - 1 */
  double higher;      /* local error at order k + 1 */
  double lower2;      /* local error at order k - 2, k > 2 */
  int order;          /* selected order */
  double selected;    /* local error at the selected order */
} dae__bdf_estimate;

static inline bool dae__bdf_strict(const dae__bdf *s)
{
  return s->opts.rules == DAE_BDF_RULES_STRICT;
}

/* attempt.c */
/* Y, Y', roles and weights at a consistent state y with derivative dy. */
void dae__bdf_set_state(dae__bdf *s, const double *y, const double *dy);
/* The matrix at s->Y and s->dY. */
dae_status dae__bdf_setup(dae__bdf *s, double t, double cj);
double dae__bdf_error_norm(const dae__bdf *s, const double *x);
/* The variable in the error test with the largest |x_i| / weight_i. */
int dae__bdf_worst(const dae__bdf *s, const double *x);
/* Predicts, corrects, tests, projects; after success the history contains the step, and order and
 * size of the next one are selected. The reason of a failure is in s->why or s->last. */
dae__bdf_outcome dae__bdf_attempt_step(dae__bdf *s, const dae__bdf_attempt *attempt,
                                       dae__bdf_estimate *est);

/* select.c */
/* Estimates at the order of the attempt and below. */
dae__bdf_estimate dae__bdf_estimate_errors(dae__bdf *s, dae__formula formula);
/* Order and step after an accepted attempt. */
void dae__bdf_select_next(dae__bdf *s, dae__bdf_estimate est, int order_before, bool rejected);
/* Order and step after a failed attempt, the count-th in a row by the error test. */
void dae__bdf_select_smaller(dae__bdf *s, dae__bdf_outcome outcome, dae__bdf_estimate est,
                             int count);

/* slow_manifold_start.c */
/* Moves the consistent state y with derivative dy onto the slow manifold, where time scales are
 * separated. Fixed entries (NULL: none) do not move. */
dae_status dae__bdf_slow_manifold_start(dae__bdf *s, double t, const bool *fixed, double *y,
                                        double *dy, dae_error *err);

#endif
