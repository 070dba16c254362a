/* Events: instants of zero crossings within an accepted step and of time events, their actions, the
 * branches of guards, and conditions [HYBRID, docs/problem.md].
 *
 * The value of an event is searched for crossings by step/search.h, on raw dense output where the
 * event depends on time, coordinates, rates and states alone, with an exact rate, else on projected
 * dense output with differences. A crossing is located on projected dense output to
 * 4 eps max(|t|, |h|), and lies behind the zero. An event that has fired, or that starts at zero,
 * has no side until its value leaves zero, so that it does not fire twice for one crossing. A value
 * that an action carries across zero does not fire the event. A guard always has the side of the
 * branch that it selects.
 *
 * At an instant the events run in the order of their list, each on the values that the one before
 * left, with what they set held and the state consistent again. Then guards that are off their
 * branch, and conditions that have become true, happen at the same instant, round by round.
 *
 * An action that makes the value rebound (a bounce) is checked: if the value then leaves zero to
 * the other side, the events accumulate (a ball that comes to rest by infinitely many bounces),
 * which is an error and not a ball below the floor. A guard whose value both branches drive back
 * to zero is an error too: the motion slides along the border.
 *
 * Applying an event with an action allocates memory: it makes the new state consistent. */
#ifndef DAEDAL_STEP_EVENTS_H
#define DAEDAL_STEP_EVENTS_H

#include "core/arena.h"
#include "core/text.h"
#include "step/search.h"

#include <daedal/event.h>

typedef struct dae__events dae__events;

/* Creates an event detector in the arena, with saved state. Events and problem must outlive it.
 * Refuses an event without the functions of its kind or with an unknown direction. */
dae_status dae__events_create(dae__arena *arena, const dae_problem *problem,
                              const dae_event *events, int count, dae__events **out,
                              dae_error *err);

/* Tolerances of the steps, for near misses and for the sides of events after a restart. */
void dae__events_set_tolerances(dae__events *ev, double rtol, double atol);
/* End of the run, up to which the instants of time events are wanted; infinity without this call.
 */
void dae__events_set_end(dae__events *ev, double end);
/* List that receives, for the first event of each name, the values that moved without having been
 * set: event, time, variable, value before and after, separated by tabs; NULL: none. */
void dae__events_list_moves(dae__events *ev, dae__text *moves);
/* Number of those values, listed or not. */
long dae__events_moved(const dae__events *ev);

typedef struct dae__event_count {
  long fired;         /* number of times the event happened */
  double first, last; /* times of the first and of the last one */
  long near_misses;   /* extrema of the value within a few tolerances of zero */
  /* of an impact: largest normal impulse; number of times that its restitution was reduced, and
   * that restitution or friction were left out */
  double impulse;
  long reduced, left_out;
  /* of a contact: fastest closing; time closed before `since`, the start of its last time; largest
   * force; depth below zero that an open gap may reach by the error of the motion */
  double fastest, closed, since, force, shift;
  /* of a contact with friction: number of times that it broke loose; 1 while others hold it, with
   * its share of the friction, else 0 */
  long slips, held;
  double judged; /* time at which the rate of the event was last judged */
} dae__event_count;

/* Size, copy and restoration of the state: sides and samples of the watches, counts, instants of
 * clocks, conditions. With the state of the integrator and the held values, which are saved with
 * it, the steps after a restoration have the same events, to the bit. Refuses a damaged buffer. */
size_t dae__events_state_size(const dae__events *ev);
void dae__events_copy_state(const dae__events *ev, void *buffer);
dae_status dae__events_restore_state(dae__events *ev, const void *buffer, dae_error *err);

/* Notes the events that a run misses at its end by less than the tolerances. */
void dae__events_finish(dae__events *ev);

/* Whether friction jams a contact at the end of the last step, which a failed step does not tell:
 * then err names it, else err stays as it is. Returns the given status of the step. */
dae_status dae__events_explain(dae__events *ev, dae_integrator *it, dae_status status,
                               dae_error *err);
/* Counts of event i so far. */
dae__event_count dae__events_count(const dae__events *ev, int i);
/* Notes the forces of closed contacts at a row y. */
void dae__events_note_forces(dae__events *ev, const double *y);
/* Share of the time from the start at t0 to t that contact i has been closed. */
double dae__events_closed_share(const dae__events *ev, int i, double t0, double t);
/* Energy that impacts have taken away so far. */
double dae__events_energy_lost(const dae__events *ev);

/* Makes the held values of guards those of their branches at the start (t, y), an extended state
 * vector with the derivative dy; *changed: whether any of them changed, so that the start must be
 * made consistent again. A guard at zero selects the branch into which the motion leads; *rests:
 * some guard has no rate there. */
dae_status dae__events_set_guards(dae__events *ev, double t, double *y, const double *dy,
                                  bool *changed, bool *rests, dae_error *err);

/* Guards that rest at zero select the branch into which the motion leads after some short steps;
 * *changed: as above. */
dae_status dae__events_lean(dae__events *ev, double t, double *y, const double *dy, bool *changed,
                            dae_error *err);

/* Closes the contacts that touch and press at the start (t, y) of a run, an extended state vector,
 * which is made consistent with them. */
dae_status dae__events_start_contacts(dae__events *ev, double t, double *y, dae_error *err);

/* Starts event detection at the extended state vector y: at the start of a run, and after every
 * restart of the integrator outside dae__events_apply. */
dae_status dae__events_arm(dae__events *ev, double t, const double *y, dae_error *err);

/* Next instant of the time events: steps must end there. */
double dae__events_next(const dae__events *ev);

/* Searches the last step of the integrator from the end of the last search on. DAE_OK: no event up
 * to the end of the step. DAE_EVENT: the next event is at *t; dae__events_apply must follow, and
 * then, unless it restarts the integrator, a search of the rest of the step. */
dae_status dae__events_detect(dae__events *ev, dae_integrator *it, double *t, dae_error *err);

/* Whether the events found by the last search act: have an action that is not a guard's, or change
 * a branch of the motion; and whether all are time events. */
typedef struct dae__event_kinds {
  bool action, branch, timed;
} dae__event_kinds;
dae__event_kinds dae__events_found(const dae__events *ev);

/* Report of all events at one time. */
typedef struct dae__event_news {
  double t;
  const double *after;   /* extended state vector after the events; valid until the next search */
  int fired;             /* number of events that fired together, without guards */
  int switched;          /* number of guards that changed their branch */
  const char *name;      /* name of the first event that is no guard, or NULL */
  bool acted;            /* an event that is no guard has an action */
  bool contacts;         /* all events are contacts that hold, and may come to rest */
  const double *unmoved; /* `after` before the smooth motion (damp) moved it; NULL: not moved */
  bool restarted;        /* the integrator was restarted: integration continues from `after` */
} dae__event_news;

/* Runs the actions of all events found by the last search, and of those that they lead to. The new
 * state is made consistent, with the values that the actions set held, and the integrator restarted
 * there. Returns DAE_OK, or DAE_STOPPED after a terminal event. */
dae_status dae__events_apply(dae__events *ev, dae_integrator *it, dae__event_news *news,
                             dae_error *err);

#endif
