/* Event detection: the earliest zero crossing within an accepted step, and what happens there.
 *
 * An event is watched by the side of zero its value is on. It fires when the value reaches zero or
 * the other side in its direction; the time is found on the interpolant, to 4 eps max(|t|, |h|),
 * and lies on the far side of the crossing. An event that fired is quiet until its value has left
 * a band around zero, so that it does not fire twice for one crossing. A value that is zero at the
 * start is quiet in the same way, and a value that an action carries across zero does not fire.
 *
 * An action that throws the value back (a bounce) is checked: if the motion is then found beyond
 * zero without having been seen on the side it was thrown to, the excursion is searched for down
 * to the resolution of time. If there is none to be found, the events accumulate (a ball that
 * comes to rest by infinitely many bounces), which is an error and not a ball below the floor.
 *
 * Applying an event with an action allocates: it makes the new state consistent. */
#ifndef DAEDAL_STEP_EVENTS_H
#define DAEDAL_STEP_EVENTS_H

#include "core/arena.h"

#include <daedal/event.h>

typedef struct dae__events dae__events;

/* A detector in the memory of the arena; what it remembers is kept there. Events and problem must
 * outlive it. held (may be NULL) are the entries of the state vector that do not move where a new
 * state is made consistent. Refuses an event without a value function or with an unknown direction.
 */
dae_status dae__events_create(dae__arena *arena, const dae_problem *problem,
                              const dae_event *events, int count, const bool *held,
                              dae__events **out, dae_error *err);

/* Watches from (t, y) on; at the start, and whenever the integrator was restarted by others. */
dae_status dae__events_arm(dae__events *ev, double t, const double *y, dae_error *err);

/* Looks through the last step of the integrator, from where it looked last. DAE_OK: nothing
 * happened up to the end of the step. DAE_EVENT: the next thing to happen is at *t; it must be
 * applied, and where the integrator was not restarted by that, the rest looked through. */
dae_status dae__events_look(dae__events *ev, dae_integrator *it, double *t, dae_error *err);

/* What happened at an event time. */
typedef struct dae__event_news {
  double t;
  const double *before, *after; /* state vectors; valid until the next look */
  int fired;                    /* events that fired together */
  const char *name;             /* of the first of them */
  bool restarted;               /* one of them has an action: after is where it goes on */
} dae__event_news;

/* Runs the actions of all events found by the last look, each from the values before; of two that
 * set the same variable the one listed last wins. The new state is made consistent and the
 * integrator restarted there. Returns DAE_OK, or DAE_STOPPED after a terminal event. */
dae_status dae__events_apply(dae__events *ev, dae_integrator *it, dae__event_news *news,
                             dae_error *err);

#endif
