/* When Newton's iteration inside a step ends. Changes are relative to |y| + atol/rtol, and it goes
 * on until round-off is all that is left. The matrix may be an old one: it is formed anew where
 * changes do not shrink fast. */
#ifndef DAEDAL_ONESTEP_HOST_ITERATE_H
#define DAEDAL_ONESTEP_HOST_ITERATE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#define DAE__RK_GOAL (4 * DBL_EPSILON)
#define DAE__RK_NOISE 1e-13    /* changes below this that no longer shrink are round-off */
#define DAE__RK_REFRESHED 0.05 /* as in src/lie */
#define DAE__RK_MOST 25        /* iterations */

typedef enum dae__rk_verdict {
  DAE__RK_GO_ON,
  DAE__RK_REFRESH, /* go on with a new matrix */
  DAE__RK_DONE,
  DAE__RK_FAILED
} dae__rk_verdict;

typedef struct dae__rk_iteration {
  double floor, bearable; /* atol/rtol; changes at which it may end at round-off */
  double before;          /* last change */
  int count;
  bool fresh; /* the matrix was formed in this iteration */
} dae__rk_iteration;

static inline dae__rk_iteration dae__rk_iteration_begin(double rtol, double atol, bool fresh)
{
  return (dae__rk_iteration){
      .floor = atol / rtol, .bearable = 1e-3 * rtol, .before = INFINITY, .fresh = fresh};
}

/* largest |d_i| / (|y_i| + floor), and where; NaN where an entry is */
static inline double dae__rk_change(const dae__rk_iteration *it, int n, const double *d,
                                    const double *y, int *worst)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    double change = fabs(d[i]) / (fabs(y[i]) + it->floor);
    if (!(change <= most))
      most = change, *worst = i;
    if (isnan(most))
      break;
  }
  return most;
}

static inline dae__rk_verdict dae__rk_iteration_test(dae__rk_iteration *it, double change)
{
  double rate = change / it->before;
  if (!isfinite(change))
    return DAE__RK_FAILED;
  /* what is left after this change is about rate times it */
  if (change <= DAE__RK_GOAL || (it->count > 0 && rate < 0.5 && rate * change <= DAE__RK_GOAL))
    return DAE__RK_DONE;
  if (rate > 0.5 && (change <= DAE__RK_NOISE || (it->fresh && change <= it->bearable)))
    return DAE__RK_DONE;
  if (++it->count >= DAE__RK_MOST || (it->count > 3 && rate > 2))
    return DAE__RK_FAILED;
  it->before = change;
  return rate > DAE__RK_REFRESHED ? DAE__RK_REFRESH : DAE__RK_GO_ON;
}

#endif
