/** @file
 * Events: zero crossings of a function of the state, located within a step. */
#ifndef DAEDAL_EVENT_H
#define DAEDAL_EVENT_H

#include <daedal/integrator.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A function of time and state vector, and what happens where it passes zero. Callbacks return 0,
 * a positive number to refuse the point, or a negative one to end the run. */
typedef struct dae_event {
  const char *name; /**< in messages */
  int direction;    /**< +1 rising only, -1 falling only, 0 both */
  bool stop;        /**< the run ends at the event */
  void *user;       /**< handed to every callback */
  /** the function whose zeros are looked for */
  int (*value)(void *user, double t, const double *y, double *value);
  /** the rate at which value changes along the motion, asked for after an action; dy is the
   * derivative of y, zero for algebraic variables and multipliers. NULL: differenced */
  int (*rate)(void *user, double t, const double *y, const double *dy, double *rate);
  /** changes the state; after comes in as a copy of before. NULL: nothing changes. The result is
   * made consistent before the integration goes on. */
  int (*action)(void *user, double t, const double *before, double *after);
} dae_event;

#ifdef __cplusplus
}
#endif
#endif
