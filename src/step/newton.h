/* Convergence test of a simplified Newton iteration, with an estimate of its rate [DASSL].
 *
 * |increment_m| / |increment_0| = rate^m; the error left after an increment is estimated as
 * speed |increment|, speed = rate / (1 - rate), 100 standing for "not known". DASSL remembers the
 * speed from step to step as long as the matrix stays the same, and may then accept a first
 * increment of any rate, again and again, since only a second one would correct the estimate:
 * measured, that costs steps and accuracy (pendulum, rtol 1e-7: 2112 against 1357 steps), and with
 * fixed steps the order.
 *
 * A rate that the step before has measured, with this matrix and this formula, serves once: where
 * three times as large a one would leave far less than has to be, one increment will do, and the
 * next step measures anew. */
#ifndef DAEDAL_STEP_NEWTON_H
#define DAEDAL_STEP_NEWTON_H

#include <math.h>
#include <stdbool.h>

#define DAE__SPEED_UNKNOWN 100
#define DAE__NEWTON_MAX 4        /* iterations, as in DASSL */
#define DAE__NEWTON_MAX_FIXED 20 /* where a smaller step is no way out */
#define DAE__NEWTON_DIVERGES 0.9 /* rate beyond which it is given up, as in DASSL */
/* how much worse than measured a rate may be, and the part of the goal that may then be left. Work
 * of bdf for 4, 6, 8 digits over that without: 0.94, 0.97, 1.01 on the transistor amplifier (fits
 * through 50 tolerances), and less by 2 % on Akzo Nobel; mechanisms do not gain, as their matrices
 * age. With a part of 0.1 steps are more, since what is left of an iteration looks like an error.
 */
#define DAE__NEWTON_WORSE 3
#define DAE__NEWTON_PART 0.001

typedef enum dae__newton_verdict {
  DAE__NEWTON_GO_ON,
  DAE__NEWTON_DONE,
  DAE__NEWTON_FAILED
} dae__newton_verdict;

typedef struct dae__newton {
  double speed; /* remembered between steps */
  double rate;  /* measured in the last step, with matrix and formula at hand; 0: it was not */
  double first; /* norm of the first increment */
  int m;        /* increments so far */
  int most;     /* increments allowed */
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

/* Another matrix, or another formula. */
static inline void dae__newton_forget(dae__newton *it)
{
  it->speed = DAE__SPEED_UNKNOWN;
  it->rate = 0;
}

/* Judges an increment of the given norm: done when the error left is at most goal, or when the
 * increment is at round-off. */
static inline dae__newton_verdict dae__newton_test(dae__newton *it, double norm, double round_off,
                                                   double goal)
{
  if (!isfinite(norm))
    return DAE__NEWTON_FAILED;
  if (norm <= round_off)
    return DAE__NEWTON_DONE;
  if (it->m == 0) {
    double rate = DAE__NEWTON_WORSE * it->rate;
    it->first = norm;
    it->rate = 0;
    if (rate > 0 && rate < 1 && rate / (1 - rate) * norm <= DAE__NEWTON_PART * goal)
      return DAE__NEWTON_DONE;
  } else {
    double fall = norm / it->first;
    double rate = it->m == 1 ? fall : it->m == 2 ? sqrt(fall) : pow(fall, 1.0 / it->m);
    if (rate > DAE__NEWTON_DIVERGES)
      return DAE__NEWTON_FAILED;
    it->speed = rate / (1 - rate);
    it->rate = rate;
  }
  if (it->speed * norm <= goal)
    return DAE__NEWTON_DONE;
  return ++it->m < it->most ? DAE__NEWTON_GO_ON : DAE__NEWTON_FAILED;
}

#endif
