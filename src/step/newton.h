/* Convergence tests of simplified Newton iterations: to a tolerance (dae__newton) and to round-off
 * (dae__newton_exact). */
#ifndef DAEDAL_STEP_NEWTON_H
#define DAEDAL_STEP_NEWTON_H

#include "core/mutant.h"
#include <float.h>
#include <math.h>
#include <stdbool.h>

/* ---- convergence to a tolerance [DASSL] ----
 *
 * The rate of convergence is defined by |increment_m| / |increment_0| = rate^m; the error left
 * after an increment is estimated as speed |increment|, speed = rate / (1 - rate), 100 standing for
 * "not known". DASSL keeps the speed from step to step as long as the matrix stays the same, and
 * may then accept a first increment of any rate, again and again, since only a second one would
 * correct the estimate: measured, that costs steps and accuracy (pendulum, rtol 1e-7: 2112 against
 * 1357 steps), and with fixed steps the order.
 *
 * Here a rate that was measured in the last step, with the same matrix and formula, is used once:
 * if even a rate RATE_MARGIN times as large leaves far less than the goal, one increment is enough,
 * and the next step measures again. */

#define DAE__SPEED_UNKNOWN 100 /* speed before any rate is measured, as in DASSL */
#define DAE__NEWTON_MAX 4      /* largest number of iterations, as in DASSL */
/* largest number of iterations of a fixed step; chosen, not measured */
#define DAE__NEWTON_MAX_FIXED 20
/* rate above which the iteration counts as divergent, as in DASSL */
#define DAE__NEWTON_DIVERGES 0.9
/* Test of a single increment: ratio of the assumed rate to the measured one, and largest estimated
 * error over the goal. Work of bdf for 4, 6, 8 digits, over the work without this test: 0.94, 0.97,
 * 1.01 on the transistor amplifier (fits through 50 tolerances), and 2 % less on Akzo Nobel;
 * mechanisms do not gain, their matrices are too old. A part of 0.1 takes more steps: the remaining
 * iteration error enters the error estimate. */
#define DAE__NEWTON_RATE_MARGIN 3
#define DAE__NEWTON_SINGLE_PART 0.001

typedef enum dae__newton_verdict {
  DAE__NEWTON_CONTINUE,
  DAE__NEWTON_DONE,
  DAE__NEWTON_FAILED
} dae__newton_verdict;

typedef struct dae__newton {
  double speed; /* ratio of the error left to the last increment; kept between steps */
  double rate;  /* rate measured in the last step with the present matrix and formula; 0: none */
  double first; /* norm of the first increment */
  int m;        /* number of increments so far */
  int most;     /* largest number of increments */
} dae__newton;

static inline void dae__newton_begin(dae__newton *it, bool remember, int most)
{
  it->m = 0;
  it->most = most;
  if (!remember)
    it->speed = DAE__SPEED_UNKNOWN;
  if (remember || most > DAE__NEWTON_MAX)
    it->rate = 0;
}

/* Discards speed and rate after a change of the matrix or the formula. */
static inline void dae__newton_forget(dae__newton *it)
{
  it->speed = DAE__SPEED_UNKNOWN;
  it->rate = 0;
}

/* Tests an increment of the given norm: done when the estimated error is at most goal, or the
 * increment is at round-off. */
static inline dae__newton_verdict dae__newton_test(dae__newton *it, double norm, double round_off,
                                                   double goal)
{
  if (!isfinite(norm))
    return DAE__NEWTON_FAILED;
  if (norm <= round_off)
    return DAE__NEWTON_DONE;
  if (it->m == 0) {
    double rate = DAE__NEWTON_RATE_MARGIN * it->rate;
    it->first = norm;
    it->rate = 0;
    if (rate > 0 && rate < 1 && rate / (1 - rate) * norm <= DAE__NEWTON_SINGLE_PART * goal)
      return DAE__NEWTON_DONE;
  } else {
    double fall = norm / it->first;
    double rate = it->m == 1 ? fall : it->m == 2 ? sqrt(fall) : pow(fall, 1.0 / it->m);
    if (DAE__MUTATE(newton_divergence, rate > DAE__NEWTON_DIVERGES, false))
      return DAE__NEWTON_FAILED;
    it->speed = rate / (1 - rate);
    it->rate = rate;
  }
  if (DAE__MUTATE(newton_test, it->speed * norm <= goal, it->speed * norm <= 1000 * goal))
    return DAE__NEWTON_DONE;
  return ++it->m < it->most ? DAE__NEWTON_CONTINUE : DAE__NEWTON_FAILED;
}

/* ---- convergence to round-off ----
 *
 * Changes are relative to |y| + scale atol/rtol, and only round-off is left at the end. The matrix
 * may be old; a new one is formed when changes do not shrink fast. */

/* Largest estimated error at convergence, and largest change at which stagnation counts as
 * round-off. Chosen. */
#define DAE__NEWTON_EXACT_GOAL (4 * DBL_EPSILON)
#define DAE__NEWTON_EXACT_NOISE 1e-13
/* Rate above which a new matrix is formed: the value of the Lie group methods. */
#define DAE__NEWTON_EXACT_REFRESH_RATE 0.05
#define DAE__NEWTON_EXACT_MAX 25 /* largest number of iterations; chosen, not measured */

typedef enum dae__newton_exact_outcome {
  DAE__NEWTON_EXACT_CONTINUE,
  DAE__NEWTON_EXACT_REFRESH, /* the next iteration needs a new matrix */
  DAE__NEWTON_EXACT_DONE,
  DAE__NEWTON_EXACT_FAILED
} dae__newton_exact_outcome;

typedef struct dae__newton_exact {
  double floor;    /* absolute term of the relative changes, atol/rtol */
  double bearable; /* change up to which stagnation with a fresh matrix counts as round-off */
  double previous; /* change of the last iteration */
  int count;
  bool fresh; /* whether the matrix was formed in this iteration */
} dae__newton_exact;

static inline dae__newton_exact dae__newton_exact_begin(double rtol, double atol, bool fresh)
{
  return (dae__newton_exact){
      .floor = atol / rtol, .bearable = 1e-3 * rtol, .previous = INFINITY, .fresh = fresh};
}

/* Largest relative change |d_i| / (|y_i| + floor scale_i), and its index; NaN if a change is NaN.
 */
static inline double dae__newton_exact_change(const dae__newton_exact *it, int n,
                                              const double *scale, const double *d, const double *y,
                                              int *worst)
{
  double largest = 0;
  for (int i = 0; i < n; i++) {
    double change = fabs(d[i]) / (fabs(y[i]) + it->floor * scale[i]);
    if (!(change <= largest))
      largest = change, *worst = i;
    if (isnan(largest))
      break;
  }
  return largest;
}

static inline dae__newton_exact_outcome dae__newton_exact_test(dae__newton_exact *it, double change)
{
  double rate = change / it->previous;
  if (!isfinite(change))
    return DAE__NEWTON_EXACT_FAILED;
  /* convergence: the error left after this change is about rate * change */
  if (change <= DAE__NEWTON_EXACT_GOAL ||
      (it->count > 0 && rate < 0.5 && rate * change <= DAE__NEWTON_EXACT_GOAL))
    return DAE__NEWTON_EXACT_DONE;
  if (rate > 0.5 && (change <= DAE__NEWTON_EXACT_NOISE || (it->fresh && change <= it->bearable)))
    return DAE__NEWTON_EXACT_DONE;
  if (++it->count >= DAE__NEWTON_EXACT_MAX || (it->count > 3 && rate > 2))
    return DAE__NEWTON_EXACT_FAILED;
  it->previous = change;
  return rate > DAE__NEWTON_EXACT_REFRESH_RATE ? DAE__NEWTON_EXACT_REFRESH
                                               : DAE__NEWTON_EXACT_CONTINUE;
}

#endif
