/* The event detector as its files see it: events.c creates it and evaluates event functions,
 * events_look.c passes over the watches that a step leaves far from zero, events_search.c finds the
 * next instant, events_apply.c changes the state there, events_saved.c saves it. */
#ifndef DAEDAL_STEP_EVENTS_PRIVATE_H
#define DAEDAL_STEP_EVENTS_PRIVATE_H

#include "core/error.h"
#include "core/vec.h"
#include "problem/impact.h"
#include "step/events.h"
#include "step/integrator.h"

#include <float.h>

/* Half-width of the band around zero, over the event values around a crossing, that counts as zero
 * after the event has fired; round-off of projected states is 1e-12 of their terms. */
#define DAE__ZERO_BAND 1e-12
/* Half-width of the band around zero in which an event has no side after a restart by another
 * event: least width over the largest value so far, round-off of the value. */
#define DAE__RESTART_BAND_MIN 1e-14
/* Number of states that are kept for the samples of all events: those of a look, raw at three
 * places and projected there and at two points beside each, and some of divisions. */
#define DAE__EVENT_STATES 16

typedef struct dae__events_memory {
  double t;         /* end of the part of the step searched so far */
  double t_fired;   /* time of the last event */
  int simultaneous; /* number of consecutive events at t_fired */
  long moved;       /* number of values that actions have moved */
  double lost;      /* energy that impacts have taken away */
} dae__events_memory;

/* States of a contact that holds; 0: open. */
enum { DAE__CONTACT_CLOSED = 1, DAE__CONTACT_STICKS = 2 };

/* Zero crossing of one event in the current step. */
typedef struct dae__crossing {
  bool found; /* the event happens at the instant that was found */
  dae__bracket bracket;
  double scale; /* size of the event values around the crossing */
} dae__crossing;

/* Dense output at t. */
typedef struct dae__event_state {
  double t;
  bool raw; /* not projected */
  double *y, *dy;
} dae__event_state;

/* Samples of all watches at the inner places and at the end of an interval, by group, those of
 * events without a group behind them. */
typedef struct dae__event_look {
  int groups;
  const dae_event_group **group;
  int *first;  /* by group: first of its samples */
  bool *raw;   /* by group: its events are states_only */
  int *sample; /* by event: its samples */
  double *value[DAE__SEARCH_INNER + 1], *rate[DAE__SEARCH_INNER + 1];
  double *beside; /* values beside a place */
  bool *cleared;  /* by event: nothing happens in the interval */
  double *fourth; /* by event, where it is cleared: see dae__search_clears */
} dae__event_look;

struct dae__events {
  const dae_problem *problem;
  const dae_event *events;
  const dae_env *env;
  int count;
  int *searched, searches; /* events whose zero crossings are searched for, and their number */
  int *timed, times;       /* events with instants of their own, and their number */
  int size, extended;      /* number of entries of the state vector and of the extended one */
  bool constrained;        /* the problem has multipliers */
  bool switched;           /* held values switch constraints on and off */
  double rtol, atol;       /* tolerances of the steps, for near misses */
  double end;              /* end of the run */
  dae__text *moves;        /* list of the values that actions have moved, or NULL */
  /* saved */
  dae__events_memory *memory;
  dae__watch *watches;
  dae__event_count *counts;
  double *next;    /* by event: next instant of a time event; infinity for others */
  double *truth;   /* by event: whether a condition is true, 0 or 1 */
  double *opposed; /* by event: number of successive changes of a guard against its own rate */
  /* workspace */
  dae__event_look look;
  dae__watch *trial; /* watches during the search of a step */
  dae__crossing *crossings;
  dae__event_state states[DAE__EVENT_STATES];
  int kept, next_state; /* number of states kept, and entry that is overwritten next */
  double t_found;
  double *y, *after, *dy, *unmoved;
  bool *found;     /* by event: found by the search */
  bool *fixed;     /* entries of the state vector that a restart holds */
  int *rate_entry; /* by entry of the state vector, with impacts: that of its rate; -1: none */
  double *gap_before, *gap_after; /* by event: gap rates at an impact */
  /* by event, of contacts that hold: closed and not parting; its force has fallen through zero */
  bool *resting, *released;
  double *mode; /* by event, of contacts that hold: state before the instant */
  /* by event, of contacts: friction at rest has come to its end; sliding has */
  bool *breaks, *ends;
  bool struck;        /* an impact has changed velocities at this instant */
  int *setter;        /* by entry of the extended state vector: event that set it, -1: none */
  dae_integrator *it; /* integrator whose last step is searched */
  dae_view view;      /* its last step */
  int event;          /* index of the event that is sampled or located */
  bool projected;     /* samples are taken from projected dense output */
};

static inline int dae__sign(double x)
{
  return (x > 0) - (x < 0);
}

/* Whether zero crossings of an event are searched for. */
static inline bool dae__event_is_searched(const dae_event *event)
{
  return !event->next && event->kind != DAE_EVENT_CONDITION;
}

/* Whether the action of a guard gives its branch at any time: that of a time event without a
 * value. */
static inline bool dae__event_is_clock_guard(const dae_event *event)
{
  return event->kind == DAE_EVENT_GUARD && event->next && !event->value;
}

/* Whether an event is a contact that stays closed while it presses. */
static inline bool dae__event_holds(const dae_event *event)
{
  return event->contact && event->contact->holds;
}

/* Whether an event that is no guard changes the state. */
static inline bool dae__event_acts(const dae_event *event)
{
  return event->kind != DAE_EVENT_GUARD && (event->action || event->contact || event->rubs > 0);
}

/* Whether a guard is 1 where its value is positive, without an action. */
static inline bool dae__event_is_plain_guard(const dae_event *event)
{
  return event->kind == DAE_EVENT_GUARD && !event->action;
}

/* Round-off of a time within a step of size h that ends near t. */
static inline double dae__event_resolution(double t, double h)
{
  return 4 * DBL_EPSILON * fmax(fabs(t), fabs(h));
}

/* Search of event i up to the time `end` in the last step of ev->it. */
dae__search dae__events_search(dae__events *ev, int i, double end);
/* Value and rate of event ev->event at out->t: on raw dense output where the event depends on
 * states alone, else on projected dense output; without a rate function by differences. */
dae_status dae__events_sample(void *user, dae__sample *out, dae_error *err);
/* Dense output at t, from the states kept for other events or computed now. */
dae_status dae__events_state_at(dae__events *ev, double t, bool raw, const dae__event_state **out,
                                dae_error *err);
/* Points beside t within the last step for the difference of a value. */
void dae__events_beside(const dae__events *ev, double t, double beside[2]);
/* Creates the memory of looks at all watches. */
void dae__events_create_look(dae__arena *arena, dae__events *ev);
/* Samples all watches of the interval from `from` to `to` in the last step, and finds those in
 * which nothing happens: ev->look.cleared. */
dae_status dae__events_look(dae__events *ev, double from, double to, dae_error *err);
/* Advances the watch of event i, which is cleared, over the interval of the last look. */
void dae__events_pass(dae__events *ev, int i, const dae__places *places);

/* Contacts of one instant, in temporary memory: the closed ones, or those of ev->resting. */
typedef struct dae__contacts {
  int count, *event; /* by contact: its event */
  dae__impact_contact *contact;
  dae__press_force *force;
} dae__contacts;

dae_status dae__contacts_gather(dae__events *ev, dae__arena *arena, bool resting,
                                dae__contacts *all, dae_error *err);
/* Gradient and rate of the gap of event i (slide -1) or of a sliding coordinate at (t, y). */
dae_status dae__contact_gradient(const dae__events *ev, int i, int slide, double t, const double *y,
                                 double *gradient, double *rate, dae_error *err);
/* Rate of the gap or of a sliding coordinate, and the sum of the sizes of its terms (size may be
 * NULL); gradient: workspace. */
dae_status dae__contact_speed(const dae__events *ev, int i, int slide, double t, const double *y,
                              double *gradient, double *speed, double *size, dae_error *err);
/* Acceleration of the gap or of a sliding coordinate at ev->after with its derivative ev->dy, by a
 * difference; 0 where it is round-off. */
dae_status dae__contact_acceleration(dae__events *ev, int i, int slide, double *acceleration,
                                     dae_error *err);
/* Entry of ev->after with the state of a contact that holds, and its change: the time that it is
 * closed is counted. */
double *dae__contact_state(const dae__events *ev, int i);
void dae__contact_set(dae__events *ev, int i, double to);
/* Round-off of the value of event i. */
double dae__contact_noise(dae__events *ev, int i, double value);
/* Gap rate above which a contact parts: slower ones come to rest by ever smaller jumps. */
double dae__contact_slow(const dae__events *ev, int i);

/* Creates the memory of impacts, where an event has one. */
void dae__events_create_impacts(dae__arena *arena, dae__events *ev);
/* Solves the impacts of this round with all contacts that are closed, on ev->after, and opens those
 * contacts; the ones that are at rest are noted in ev->resting. */
dae_status dae__events_impact(dae__events *ev, dae_error *err);
/* Marks a contact that holds as found where its gap is zero at the start ev->after; fails where
 * the gap is negative. */
dae_status dae__events_find_closed(dae__events *ev, int i, dae_error *err);
/* Notes the states of contacts at the beginning of an instant, and those whose friction acts. */
void dae__events_begin_contacts(dae__events *ev);
/* Closes the contacts at rest, ev->resting, for the consistent state that follows; those with
 * friction that do not slide stick, or without `sticking` are without friction. *sticks: some do.
 */
dae_status dae__events_close(dae__events *ev, bool sticking, bool *sticks, dae_error *err);
/* Opens those that this state pulls at, and others that then no longer press, and lets those slide
 * that friction does not hold. *changed: there are some, and the state must be made consistent
 * again. */
dae_status dae__events_release(dae__events *ev, bool *changed, dae_error *err);
/* Takes the shift off contacts that have opened beyond it. */
void dae__events_leave_contacts(dae__events *ev);
/* Starts the watch of a contact that holds, or that touches at rest, at a sample. An open gap at
 * rest may fall below zero by the error of the motion before it acts. *started: it is one of these.
 */
dae_status dae__events_start_contact(dae__events *ev, int i, dae__sample at, bool *started,
                                     dae_error *err);
/* Fails where a contact stays closed after its impact, and nothing holds it. */
dae_status dae__events_check_open(dae__events *ev, int i, dae_error *err);

const char *dae__event_name(const dae__events *ev, int i, char text[32]);
/* Value and rate of event i. */
dae_status dae__event_value(const dae__events *ev, int i, double t, const double *y, double *value,
                            dae_error *err);
dae_status dae__event_rate(const dae__events *ev, int i, double t, const double *y,
                           const double *dy, double *rate, dae_error *err);
/* Change of the value of event i at (t, y) by changes of all variables by rtol |y| + atol, with
 * equal and with alternating signs, and by uneven shares of both; work: an extended state vector.
 */
double dae__event_change(const dae__events *ev, int i, double t, const double *y, double value,
                         double rtol, double atol, double *work);
/* Whether a guard has left the branch that it selects, beyond round-off, at a value of its
 * function.
 */
bool dae__event_is_off(const dae__events *ev, int i, double t, const double *y, double value,
                       double *work);
/* Writes the held values behind a state vector. */
void dae__events_extend(const dae__events *ev, double *y);
/* Next instants of all time events after t. */
dae_status dae__events_schedule(dae__events *ev, double t, const double *y, dae_error *err);
/* Starts the watch of event i at a sample: a guard on the side of its branch. */
void dae__events_start_watch(dae__events *ev, int i, dae__sample at, double band);
/* Failure of events that accumulate at t. */
dae_status dae__events_fail_accumulated(const dae__events *ev, int i, double t, dae_error *err);

#endif
