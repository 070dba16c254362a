/* The inside of the BDF host, shared by its files:
 *   attempt.c   one attempt at a step: Newton, error estimate, projection
 *   select.c    order and step size of the next attempt
 *   stability.c where orders 3 to 5 are left because they are not stable
 *   slow_manifold_start.c    the start of a damped run
 *   host.c      steps made of attempts, starts, the integrator's verbs */
#ifndef DAEDAL_MULTISTEP_HOST_H
#define DAEDAL_MULTISTEP_HOST_H

#include "multistep/bdf.h"
#include "step/history.h"
#include "step/integrator.h"
#include "step/newton.h"
#include "step/stall.h"

/* Whether the stability of orders 3 to 5 limits the step; see stability.c. */
typedef struct dae__bdf_watch {
  int suspicion, patience; /* net steps that speak for it, and how many are needed */
  bool limited;            /* order 2 is being tried */
  long since, trial;       /* from this step on, for so many */
  double h, h2;            /* step size before, and what order 2 would have allowed */
} dae__bdf_watch;

/* Everything the next step depends on, besides the history. */
typedef struct dae__bdf_memory {
  double t, t_previous; /* of the last step shown outside */
  double h;             /* step to try */
  int order;            /* order to try */
  int order_shown;
  bool started;
  bool held; /* the step must not grow yet */
  dae__stall stall;
  dae__bdf_watch watch;
  bool growing; /* initial phase: order and step grow at every step */
  bool has_matrix;
  double cj_matrix; /* cj of the iteration matrix */
  double cj_last;
  dae__newton newton;
  /* fixed steps */
  double t_origin;
  long done;  /* steps from t_origin */
  long ahead; /* start values not yet shown */
  dae_stats stats;
} dae__bdf_memory;

/* Why an attempt failed, where no callback and no matrix is to diagnose: written out only where the
 * integration ends by it. */
typedef struct dae__bdf_reason {
  const char *what, *hint; /* what NULL: see dae__bdf.last */
  int worst;               /* variable */
} dae__bdf_reason;

typedef struct dae__bdf {
  dae__corrector corrector;
  dae_bdf_options opts;
  double rtol, atol;  /* in force */
  int max_order;      /* in force */
  bool project;       /* in force */
  dae__bdf_memory *m; /* kept */
  dae__history history;
  int tested;         /* unknowns up to the last one that stands in a test */
  bool all_tested;    /* these are all in the error test, */
  double part;        /* and each is this part of them */
  const dae_env *env; /* the arena's */
  dae__integrator_table table;
  double *state, *rate; /* kept: where the motion started, and its derivative */
  double *Y, *dY, *e, *delta, *scratch, *scratch_state, *scratch_rate;
  double *inverse;      /* of the weights */
  double *through;      /* an error estimate after the filter */
  double *start_values; /* fixed steps: order + 1 vectors */
  dae_error last;       /* why the last dae__attempt failed, */
  dae__bdf_reason why;  /* or this */
} dae__bdf;

/* What became of one attempt at a step. */
typedef enum dae__attempt {
  DAE__ACCEPTED,
  DAE__ERROR_TOO_LARGE,
  DAE__NOT_CONVERGED,
  DAE__REFUSED, /* by a callback */
  DAE__FATAL
} dae__attempt;

typedef struct dae__trial {
  double t, h;
  bool test_error; /* else the step is fixed */
  bool rejected;   /* a larger one was rejected by the error test */
} dae__trial;

/* Norms of the error estimates of the current order and its neighbours. */
typedef struct dae__estimate {
  double error;              /* to be at most 1 */
  double here, lower, raise; /* local error estimates at orders k, k - 1, k + 1, */
  double lower2;             /* and k - 2, from k = 3 on */
  int order;                 /* k or k - 1, what the estimates speak for */
  double chosen;             /* estimate at that order */
} dae__estimate;

static inline bool dae__bdf_strict(const dae__bdf *s)
{
  return s->opts.rules == DAE_BDF_RULES_STRICT;
}

/* attempt.c */
void dae__bdf_weigh(dae__bdf *s, const double *Y);
/* After what may change roles: a matrix, a consistent state. */
void dae__bdf_look_at_roles(dae__bdf *s);
/* The matrix at s->Y and s->dY. */
dae_status dae__bdf_setup(dae__bdf *s, double t, double cj);
double dae__bdf_error_norm(const dae__bdf *s, const double *x);
/* The variable in the error test with the largest |x_i| / weight_i. */
int dae__bdf_worst(const dae__bdf *s, const double *x);
/* Predicts, corrects, tests, projects; on success the history has moved on and the next order and
 * step are chosen. Why it failed is in s->why or s->last. */
dae__attempt dae__bdf_try(dae__bdf *s, const dae__trial *trial, dae__estimate *est);

/* select.c */
/* Estimates at the order of the attempt and those below. */
dae__estimate dae__bdf_estimate(dae__bdf *s, dae__formula formula);
/* Norm of an error estimate, filtered where that is asked for. */
double dae__bdf_estimate_norm(dae__bdf *s, const double *x);
/* Order and step after an accepted attempt. */
void dae__bdf_choose(dae__bdf *s, dae__estimate est, int order_before, bool rejected);
/* Order and step after a failed one, the count-th in a row by the error test. */
void dae__bdf_reduce(dae__bdf *s, dae__attempt why, dae__estimate est, int count);

/* stability.c */
void dae__bdf_watch_begin(dae__bdf_watch *watch);
/* Largest order at the moment. */
int dae__bdf_max_order(const dae__bdf *s);
/* Looks at an accepted attempt. True: order 2 is to be taken from now on, with this local error
 * estimate. */
bool dae__bdf_watch_limit(dae__bdf *s, const dae__estimate *est, double *estimate);

/* slow_manifold_start.c */
/* Moves the consistent state y onto the slow motion where that can be told from fast oscillations;
 * dy is its derivative. Entries that are fixed (NULL: none) stay. */
dae_status dae__bdf_slow_manifold_start(dae__bdf *s, double t, const bool *fixed, double *y,
                                        double *dy, dae_error *err);

#endif
