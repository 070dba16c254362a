/* Step size control of one-step methods: the PI controller of Gustafsson [HW96 IV.2].
 *
 *   h_next = h (e_n/s)^-alpha (e_(n-1)/s)^b,   alpha = (1 - 0.75 beta)/k,   b = beta/k
 *
 * with e the error norm (1: just within tolerance), k the power of h in it, and the set point
 * s = safety^k, so that with a constant error law the step size converges to `safety` times
 * the largest possible one for every beta. After a rejection the previous error is not used (a
 * plain 1/k controller) and the next step does not grow. */
#ifndef DAEDAL_STEP_CONTROLLER_H
#define DAEDAL_STEP_CONTROLLER_H

#include <stdbool.h>

#define DAE__CONTROLLER_MIN_FACTOR 0.2 /* smallest ratio h_next/h, DOPRI5 [HNW93 II.4] */

typedef struct dae__controller_options {
  /* k: err = O(h^k), one more than the order of the method that gives the estimate */
  int order;
  double safety;     /* safety factor of the step size */
  double beta;       /* weight of the previous error, in units of 1/k; 0: not used */
  double min_factor; /* smallest ratio h_next/h */
  double max_factor; /* largest ratio h_next/h */
  double max_step;   /* largest step size; 0: no limit */
  bool predictive;   /* whether Gustafsson's predictive controller is used [HW96 IV.8 (8.26)] */
  double lookahead;  /* bound of growth by a predicted decrease of the error; below 1: none */
  /* growth factor below which the step size is not changed, so that matrices stay valid; 0: none */
  double kept_up_to;
} dae__controller_options;

/* Memory of a controller, without pointers: part of a method's saved state. */
typedef struct dae__controller {
  dae__controller_options opts;
  double pull;         /* factor of the set point, s^(alpha - b) */
  double previous;     /* error of the last accepted step; 0: none yet */
  double log_previous; /* logarithm of the error of the last accepted step */
  double h;            /* size of the last accepted step */
  bool rejected;       /* whether the last attempt was rejected */
} dae__controller;

dae__controller_options dae__controller_defaults(int order);
void dae__controller_reset(dae__controller *c, const dae__controller_options *opts);

/* Whether a step of size h with this error is accepted; *h_next is the next step size. A NaN is
 * rejected like an infinite error. */
bool dae__controller_propose(dae__controller *c, double h, double err, double *h_next);

/* Step size after an attempt that failed without an error estimate. */
double dae__controller_failed(dae__controller *c, double h, double factor);

#endif
