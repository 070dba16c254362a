/** @file
 * Events: zero crossings of a function of the state, located within a step. */
#ifndef DAEDAL_EVENT_H
#define DAEDAL_EVENT_H

#include <daedal/integrator.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An event: a function of time and state vector, with an action at its zeros. Callbacks return 0,
 * a positive number to refuse the point, or a negative number to end the run. */
typedef struct dae_event {
  const char *name; /**< name in messages */
  int direction;    /**< +1 rising only, -1 falling only, 0 both */
  bool stop;        /**< the run ends at the event */
  void *user;       /**< argument of every callback */
  /** function whose zeros are located */
  int (*value)(void *user, double t, const double *y, double *value);
  /** time derivative of value along the motion; dy is the time derivative of y, zero for algebraic
   * variables and multipliers. NULL: formed by differences */
  int (*rate)(void *user, double t, const double *y, const double *dy, double *rate);
  /** sets the state after the event; on entry after is a copy of before. NULL: no change. The
   * result is made consistent with the values that were set held, the others move least. */
  int (*action)(void *user, double t, const double *before, double *after);
  /** value depends on time, coordinates, rates and states alone, and rate, if given, is exact: the
   * search for crossings then needs no projection and no accelerations */
  bool states_only;
  const int *sets; /**< entries of y that the action sets; NULL: those that it changes */
  int set_count;   /**< number of them */
} dae_event;

#ifdef __cplusplus
}
#endif
#endif
