/** @file
 * Events: instants at which held values and the state may change.
 *
 * An event is a zero crossing of a function of the state, located within a step; a guard, which
 * selects the branch of a force, an equation or a constraint; a condition, which happens when it
 * becomes true; or a time event, whose instants are known in advance. */
#ifndef DAEDAL_EVENT_H
#define DAEDAL_EVENT_H

#include <daedal/integrator.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kind of an event.
 *
 * A guard selects a branch by the held value sets[0]. Without an action it is 1 where value > 0,
 * else 0, from the start on, and changes where value crosses zero; the problem's callbacks branch
 * on the held value, never on the state, and each branch is defined a little beyond its border.
 * With an action, for more than two branches, the action sets the held value where value crosses
 * zero in the given direction, and wherever it already lies beyond zero in that direction. A guard
 * with next and without value sets it by its action at the instants of next; the action then gives
 * the branch just after any time.
 *
 * A condition is not searched for, and depends on held values alone. */
typedef enum dae_event_kind {
  DAE_EVENT_CROSSING, /**< happens where value crosses zero, or at the instants of next */
  DAE_EVENT_GUARD,    /**< selects a branch of the problem */
  DAE_EVENT_CONDITION /**< happens when value becomes positive by a change of held values */
} dae_event_kind;

/** Values and rates of several events in one call, for problems with many of them: the search for
 * crossings asks for them at three places in a step, and calls the functions of single events only
 * where it has to look closer. The events have value; all of them are states_only and have rate or
 * sample, or none of them is states_only. */
typedef struct dae_event_group {
  int count;  /**< number of events */
  void *user; /**< argument of sample */
  /** values of all events, and their rates unless rates is NULL, as it is where the events are not
   * states_only; y and dy as for the functions of an event */
  int (*sample)(void *user, double t, const double *y, const double *dy, double *values,
                double *rates);
} dae_event_group;

enum { DAE_SLIDES = 2 }; /**< largest number of sliding coordinates of a contact */

/** Coefficients of a contact. */
typedef struct dae_contact_law {
  double restitution;   /**< 0 to 1: speed after over speed before */
  double friction;      /**< largest friction over the force that presses, in impacts and sliding */
  double rest_friction; /**< the same at rest; at least friction */
} dae_contact_law;

/** Contact of an event: the velocities jump where its gap E(t, q) falls through zero. All contacts
 * that are closed at an instant are solved together, with the constraints of the mechanism:
 * c+ + e c- >= 0 of the gap rates c, normal impulses p >= 0, impulses of friction in the cone mu p
 * against the sliding, and energy that does not grow (docs/problem.md).
 *
 * A contact that holds stays closed while it presses: by a held value, 0 open and 1 closed, that
 * switches a row of g on, -E = 0, whose multiplier is the pressing force. The value of its event is
 * E while it is open and the multiplier while it is closed.
 *
 * A contact that holds may rub along one sliding coordinate. Closed it then either slides, at 1, in
 * the direction of a second held value, +1 or -1, with the force along the directions B of the
 * problem: the row of B is that of G plus friction times this direction times dS/dq. Or it sticks,
 * at 2, by a row of k that is on then, S' = 0, whose multiplier is the friction. A second event,
 * which names the contact by `rubs`, watches it: S' times the direction while it slides, friction
 * at rest times force less the size of the friction while it sticks, and 1 while it is open.
 *
 * Gradients have a number for each entry of the state vector, all zero on entry, to be set for
 * coordinates; rate is the partial derivative in time. Callbacks return as those of events. */
typedef struct dae_contact {
  int slides; /**< number of sliding coordinates S(t, q): 0 without friction, 1, or 2 in space */
  /** gradient and rate of the gap */
  int (*normal)(void *user, double t, const double *y, double *gradient, double *rate);
  /** gradient and rate of sliding coordinate k, from 0; NULL without slides */
  int (*slide)(void *user, int k, double t, const double *y, double *gradient, double *rate);
  /** coefficients by the state before, all zero on entry; NULL: zero */
  int (*law)(void *user, double t, const double *y, dae_contact_law *law);
  bool holds; /**< the contact stays closed while it presses */
  int state;  /**< then entry of the extended state vector with its held value */
  int force;  /**< and entry of the state vector with its multiplier */
  int slip; /**< with friction: entry of the extended state vector with the direction of sliding */
  int grip; /**< and entry of the state vector with the multiplier of the row that sticks */
} dae_contact;

/** An event: a function of time and state vector, with an action at its zeros. Callbacks return 0,
 * a positive number to refuse the point, or a negative number to end the run. Vectors y, before and
 * after are extended state vectors: held values follow the state vector (problem.h). */
typedef struct dae_event {
  const char *name; /**< name in messages */
  int direction;    /**< +1 rising only, -1 falling only, 0 both */
  bool stop;        /**< the run ends at the event */
  void *user;       /**< argument of every callback */
  /** function whose zeros are located; NULL with next */
  int (*value)(void *user, double t, const double *y, double *value);
  /** time derivative of value along the motion; dy is the time derivative of the state vector, zero
   * for algebraic variables and multipliers. NULL: formed by differences */
  int (*rate)(void *user, double t, const double *y, const double *dy, double *rate);
  /** value and rate in one call; NULL: by value and rate */
  int (*sample)(void *user, double t, const double *y, const double *dy, double *value,
                double *rate);
  /** sets the state after the event; on entry after is a copy of before. NULL: no change. The
   * result is made consistent with the values that were set held, the others move least. */
  int (*action)(void *user, double t, const double *before, double *after);
  /** value depends on time, coordinates, rates, states and held values alone, and rate, if given,
   * is exact: the search for crossings then needs no projection and no accelerations */
  bool states_only;
  const int *sets; /**< entries of the extended state vector that the action sets; NULL: those that
                      it changes */
  int set_count;   /**< number of them */
  dae_event_kind kind; /**< kind of the event */
  /** first instant of a time event after t and not after end, the end of the run; infinity if there
   * is none; with held values as in y. Steps end at the instants exactly. Returns 2 where they are
   * too many up to the end. NULL: no time event */
  int (*next)(void *user, double t, double end, const double *y, double *next);
  /** the action changes only held values that the motion does not depend on: the integrator goes
   * on without a restart */
  bool passive;
  /** both branches of a guard agree where value is zero: the motion bends there and does not jump,
   * so that the branch may change a round-off later */
  bool bends;
  /** jump of the velocities where value falls through zero, before the action, which may then set
   * states and held values only; direction is -1. NULL: none */
  const dae_contact *contact;
  int rubs; /**< 1 + index of the contact among the events whose friction it watches; 0: none */
  const dae_event_group *group; /**< group that gives its value and rate, too; NULL: none */
  int member;                   /**< index of the event in its group */
} dae_event;

#ifdef __cplusplus
}
#endif
#endif
