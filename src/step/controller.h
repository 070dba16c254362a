/* Step size control of one-step methods: the PI controller of Gustafsson [HW96 IV.2].
 *
 *   h_next = h (e_n/s)^-alpha (e_(n-1)/s)^b,   alpha = (1 - 0.75 beta)/k,   b = beta/k
 *
 * with e the error norm (1: just within tolerance), k the power of h in it, and the set point
 * s = safety^k, so that a steady error law settles at `safety` times the largest possible step
 * for every beta. After a rejection the memory is left out (a plain 1/k controller) and the next
 * step does not grow. */
#ifndef DAEDAL_STEP_CONTROLLER_H
#define DAEDAL_STEP_CONTROLLER_H

#include <stdbool.h>

typedef struct dae__controller_options {
  int order;         /* k: err = O(h^k), one more than the order of the estimate's method */
  double safety;     /* aims below the tolerance */
  double beta;       /* weight of the previous error, in units of 1/k; 0: no memory */
  double min_factor; /* h_next/h never below */
  double max_factor; /* nor above */
  double max_step;   /* 0: no limit */
  /* beta and what came before play no part: the next error is expected to change as the last one
   * did [HW96 IV.8 (8.26)] */
  bool predictive;
  double kept_up_to; /* growth by less than this is left alone: the matrices serve once more; 0 */
} dae__controller_options;

/* Without pointers: a method keeps it with the rest of its memory. */
typedef struct dae__controller {
  dae__controller_options opts;
  double pull;     /* s^(alpha - b) */
  double previous; /* error of the last accepted step; 0: none yet */
  double log_previous;
  double h;      /* its size */
  bool rejected; /* the last attempt was refused */
} dae__controller;

dae__controller_options dae__controller_defaults(int order);
void dae__controller_reset(dae__controller *c, const dae__controller_options *opts);

/* Whether a step of size h with this error is accepted, and the size to try next. An error that
 * is not a number is refused like an infinite one. */
bool dae__controller_propose(dae__controller *c, double h, double err, double *h_next);

/* The size to try after an attempt that failed without an error estimate. */
double dae__controller_failed(dae__controller *c, double h, double factor);

#endif
