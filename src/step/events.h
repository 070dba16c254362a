/* Event detection: the earliest zero crossing within an accepted step, and the actions of events.
 *
 * The value of an event is searched for crossings by step/search.h, on raw dense output where the
 * event depends on time, coordinates, rates and states alone, with an exact rate, else on projected
 * dense output with differences. A crossing is located on projected dense output to
 * 4 eps max(|t|, |h|), and lies behind the zero. An event that has fired, or that starts at zero,
 * has no side until its value leaves zero, so that it does not fire twice for one crossing. A value
 * that an action carries across zero does not fire the event.
 *
 * An action that makes the value rebound (a bounce) is checked: if the value then leaves zero to
 * the other side, the events accumulate (a ball that comes to rest by infinitely many bounces),
 * which is an error and not a ball below the floor.
 *
 * Applying an event with an action allocates memory: it makes the new state consistent. */
#ifndef DAEDAL_STEP_EVENTS_H
#define DAEDAL_STEP_EVENTS_H

#include "core/arena.h"
#include "step/search.h"

#include <daedal/event.h>

typedef struct dae__events dae__events;

/* Creates an event detector in the arena, with saved state. Events and problem must outlive it.
 * Refuses an event without a value function or with an unknown direction. */
dae_status dae__events_create(dae__arena *arena, const dae_problem *problem,
                              const dae_event *events, int count, dae__events **out,
                              dae_error *err);

/* Tolerances of the steps, for near misses and for the sides of events after a restart. */
void dae__events_set_tolerances(dae__events *ev, double rtol, double atol);

typedef struct dae__event_count {
  long fired;         /* number of times the event happened */
  double first, last; /* times of the first and of the last one */
  long near_misses;   /* extrema of the value within a few tolerances of zero */
} dae__event_count;

/* Counts of event i so far. */
dae__event_count dae__events_count(const dae__events *ev, int i);

/* Starts event detection at (t, y): at the start of a run, and after every restart of the
 * integrator outside dae__events_apply. */
dae_status dae__events_arm(dae__events *ev, double t, const double *y, dae_error *err);

/* Searches the last step of the integrator from the end of the last search on. DAE_OK: no event up
 * to the end of the step. DAE_EVENT: the next event is at *t; dae__events_apply must follow, and
 * then, unless it restarts the integrator, a search of the rest of the step. */
dae_status dae__events_detect(dae__events *ev, dae_integrator *it, double *t, dae_error *err);

/* Report of all events at one time. */
typedef struct dae__event_news {
  double t;
  /* extended state vectors before and after the events; valid until the next search */
  const double *before, *after;
  int fired;        /* number of events that fired together */
  const char *name; /* name of the first event */
  /* whether an event has an action: integration continues from `after` */
  bool restarted;
} dae__event_news;

/* Runs the actions of all events found by the last search in the order of their list, each on the
 * state that the one before left. The new state is made consistent, with the values that the
 * actions set held, and the integrator restarted there. Returns DAE_OK, or DAE_STOPPED after a
 * terminal event. */
dae_status dae__events_apply(dae__events *ev, dae_integrator *it, dae__event_news *news,
                             dae_error *err);

#endif
