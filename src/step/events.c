#include "problem/impact.h"
#include "step/events_private.h"

#include <math.h>
#include <stdio.h>

/* Largest relative tolerance for near misses and bands: ten times it is a tenth of the values. */
#define MAX_RTOL 1e-2

const char *dae__event_name(const dae__events *ev, int i, char text[32])
{
  if (ev->events[i].name)
    return ev->events[i].name;
  snprintf(text, 32, "event[%d]", i + 1);
  return text;
}

/* ---- creation ---- */

/* What an event lacks or contradicts; NULL: it is valid. */
static const char *events_defect(const dae__events *ev, const dae_event *event)
{
  bool guard = event->kind == DAE_EVENT_GUARD, timed = event->next != NULL;
  if (!event->value && !timed)
    return "has no value function";
  if (event->direction < -1 || event->direction > 1)
    return "has a direction that is not -1, 0 or 1";
  if (event->kind == DAE_EVENT_CONDITION && timed)
    return "is a condition and has instants of its own";
  if (guard && (event->set_count != 1 || !event->sets))
    return "is a guard and does not name the one held value that it sets";
  if (guard && timed && !event->action)
    return "is a guard with instants of its own and has no action";
  if (guard && !timed && event->action && event->direction == 0)
    return "is a guard with an action and has no direction";
  for (int k = 0; event->sets && k < event->set_count; k++)
    if (event->sets[k] < (guard ? ev->size : 0) || event->sets[k] >= ev->extended)
      return guard ? "is a guard and sets an entry that is no held value"
                   : "sets an entry outside the extended state vector";
  if (event->contact && (event->kind != DAE_EVENT_CROSSING || timed || event->direction != -1))
    return "has an impact and is not the falling crossing of a gap";
  if (event->contact && (event->contact->slides < 0 || event->contact->slides > DAE_SLIDES))
    return "has an impact with an impossible number of sliding coordinates";
  if (event->contact &&
      (!event->contact->normal || (event->contact->slides > 0 && !event->contact->slide)))
    return "has an impact without the gradients of its gap or of its sliding coordinates";
  const dae_contact *rubbed =
      event->rubs > 0 && event->rubs <= ev->count ? ev->events[event->rubs - 1].contact : NULL;
  if (event->rubs != 0 && !(rubbed && rubbed->holds && rubbed->slides == 1 &&
                            event->direction == -1 && !event->contact))
    return "watches friction, and not as a falling crossing of a contact that holds and slides";
  if (event->contact && event->contact->holds && event->contact->slides > 1)
    return "is a contact that holds and slides along more than one coordinate";
  if (event->group && event->states_only && !event->rate && !event->sample)
    return "is in a group and has no rate";
  if (event->group &&
      (!event->group->sample || event->member < 0 || event->member >= event->group->count))
    return "has a group without a function or with fewer members";
  return NULL;
}

static bool events_is_constrained(const dae_problem *p)
{
  if (p->mechanical)
    return p->mechanical->ng + p->mechanical->nk > 0;
  if (p->momentum)
    return p->momentum->ng + p->momentum->nk > 0;
  bool constrained = p->coupled && p->coupled->joints > 0;
  for (int i = 0; p->coupled && i < p->coupled->parts; i++) {
    const dae_mechanical *m = p->coupled->part[i].mechanical;
    constrained = constrained || (m && m->ng + m->nk > 0);
  }
  return constrained;
}

static bool events_has_switches(const dae_problem *p)
{
  bool switches = p->mechanical && p->mechanical->switched;
  for (int i = 0; p->coupled && i < p->coupled->parts; i++)
    switches =
        switches || (p->coupled->part[i].mechanical && p->coupled->part[i].mechanical->switched);
  return switches;
}

static void events_allocate(dae__arena *arena, dae__events *ev)
{
  int count = ev->count, n = ev->extended;
  ev->memory = DAE__STATE(arena, dae__events_memory, 1);
  ev->watches = DAE__STATE(arena, dae__watch, count);
  ev->counts = DAE__STATE(arena, dae__event_count, count);
  ev->next = DAE__STATE(arena, double, count);
  ev->truth = DAE__STATE(arena, double, count);
  ev->opposed = DAE__STATE(arena, double, count);
  ev->trial = DAE__ALLOC(arena, dae__watch, count);
  ev->crossings = DAE__ALLOC(arena, dae__crossing, count);
  ev->y = DAE__ALLOC(arena, double, n);
  ev->found = DAE__ALLOC(arena, bool, count);
  ev->after = DAE__ALLOC(arena, double, n);
  ev->unmoved = DAE__ALLOC(arena, double, n);
  ev->dy = DAE__ALLOC(arena, double, ev->size);
  ev->fixed = DAE__ALLOC(arena, bool, n);
  ev->setter = DAE__ALLOC(arena, int, n);
  ev->searched = DAE__ALLOC(arena, int, count);
  ev->timed = DAE__ALLOC(arena, int, count);
  for (int i = 0; i < count && !dae__arena_failed(arena); i++) {
    if (ev->events[i].next)
      ev->timed[ev->times++] = i;
    else if (dae__event_is_searched(&ev->events[i]))
      ev->searched[ev->searches++] = i;
  }
  dae__events_create_look(arena, ev);
  dae__events_create_impacts(arena, ev);
  for (int k = 0; k < DAE__EVENT_STATES && count > 0; k++)
    ev->states[k] = (dae__event_state){
        .t = NAN, .y = DAE__ALLOC(arena, double, n), .dy = DAE__ALLOC(arena, double, ev->size)};
}

dae_status dae__events_create(dae__arena *arena, const dae_problem *problem,
                              const dae_event *events, int count, dae__events **out, dae_error *err)
{
  dae__events own = {.problem = problem,
                     .events = events,
                     .env = dae__arena_env(arena),
                     .count = count,
                     .size = dae_problem_size(problem),
                     .extended = dae_problem_extended_size(problem),
                     .end = INFINITY,
                     .constrained = events_is_constrained(problem),
                     .switched = events_has_switches(problem)};
  char text[32];
  for (int i = 0; i < count; i++) {
    const char *name = dae__event_name(&own, i, text), *defect = events_defect(&own, &events[i]);
    if (defect)
      return dae__fail(err, DAE_ERROR_PROBLEM, name, "event '%s' %s", name, defect);
  }
  events_allocate(arena, &own);
  dae__events *ev = DAE__ALLOC(arena, dae__events, 1);
  if (dae__arena_failed(arena))
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the events");
  *ev = own;
  *out = ev;
  return DAE_OK;
}

void dae__events_set_tolerances(dae__events *ev, double rtol, double atol)
{
  ev->rtol = fmin(rtol, MAX_RTOL);
  ev->atol = atol;
}

void dae__events_set_end(dae__events *ev, double end)
{
  ev->end = end;
}

void dae__events_list_moves(dae__events *ev, dae__text *moves)
{
  ev->moves = moves;
}

long dae__events_moved(const dae__events *ev)
{
  return ev->memory->moved;
}

double dae__events_energy_lost(const dae__events *ev)
{
  return ev->memory->lost;
}

dae__event_count dae__events_count(const dae__events *ev, int i)
{
  dae__event_count count = ev->counts[i];
  /* a contact is meant to come near zero */
  bool contact = dae__event_holds(&ev->events[i]) || ev->events[i].rubs > 0;
  count.near_misses = contact ? 0 : ev->watches[i].near;
  return count;
}

/* ---- event functions ---- */

dae_status dae__event_value(const dae__events *ev, int i, double t, const double *y, double *value,
                            dae_error *err)
{
  const dae_event *event = &ev->events[i];
  char text[32];
  const char *name = dae__event_name(ev, i, text);
  int refused = event->value(event->user, t, y, value);
  *value += ev->counts[i].shift;
  if (refused)
    dae__fail(err, DAE_ERROR_CALLBACK, name,
              "the value of event '%s' could not be evaluated at t = %.10g: its function returned "
              "%d. It is evaluated at accepted states only, and must be defined for all of them.",
              name, t, refused);
  else if (!isfinite(*value))
    dae__fail(err, DAE_ERROR_CALLBACK, name, "the value of event '%s' is %g at t = %.10g", name,
              *value, t);
  else
    return DAE_OK;
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_CALLBACK;
}

dae_status dae__event_rate(const dae__events *ev, int i, double t, const double *y,
                           const double *dy, double *rate, dae_error *err)
{
  const dae_event *event = &ev->events[i];
  char text[32];
  const char *name = dae__event_name(ev, i, text);
  if (!event->rate(event->user, t, y, dy, rate) && isfinite(*rate))
    return DAE_OK;
  dae__fail(err, DAE_ERROR_CALLBACK, name,
            "the rate of event '%s' could not be evaluated at t = %.10g", name, t);
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_CALLBACK;
}

/* Ways to change all variables together, so that no difference of two of them is unchanged by all:
 * with equal and with alternating signs, and by uneven shares of both signs. */
enum { CHANGE_EQUAL, CHANGE_ALTERNATING, CHANGE_UNEVEN, CHANGES };

/* changed = y with all variables changed by rtol |y| + atol, or by shares of it. */
static void events_change_state(const dae__events *ev, const double *y, double rtol, double atol,
                                int way, double *changed)
{
  const double golden = 0.6180339887498949;
  dae__copy(ev->extended, y, changed);
  for (int k = 0; k < ev->size; k++) {
    double d = rtol * fabs(y[k]) + atol, share = (k + 1) * golden;
    if (way == CHANGE_UNEVEN)
      d *= 2 * (share - floor(share)) - 1;
    changed[k] = y[k] + (way == CHANGE_ALTERNATING && k % 2 ? -d : d);
  }
}

/* Distance of the value of event i at a changed state from `value`; 0 where it is not defined. */
static double events_change_value(const dae__events *ev, int i, double t, const double *changed,
                                  double value)
{
  double other;
  return dae__event_value(ev, i, t, changed, &other, NULL) ? 0 : fabs(other - value);
}

/* Changes y by its round-off, in two ways, for events_round_off. */
static void events_round_state(dae__events *ev, const double *y)
{
  events_change_state(ev, y, DAE__ZERO_BAND, 0, CHANGE_EQUAL, ev->y);
  events_change_state(ev, y, DAE__ZERO_BAND, 0, CHANGE_ALTERNATING, ev->after);
}

/* Round-off of the value of event i at the state of events_round_state. */
static double events_round_off(const dae__events *ev, int i, double t, double value)
{
  return 4 * fmax(events_change_value(ev, i, t, ev->y, value),
                  events_change_value(ev, i, t, ev->after, value));
}

double dae__event_change(const dae__events *ev, int i, double t, const double *y, double value,
                         double rtol, double atol, double *work)
{
  double most = 0;
  for (int way = 0; way < CHANGES; way++) {
    events_change_state(ev, y, rtol, atol, way, work);
    most = fmax(most, events_change_value(ev, i, t, work, value));
  }
  return most;
}

void dae__events_extend(const dae__events *ev, double *y)
{
  dae__copy(ev->extended - ev->size, ev->problem->held.value, y + ev->size);
}

/* ---- guards ---- */

/* Side of zero on which the value of a guard lies while it selects its present branch. */
static int events_guard_side(const dae__events *ev, int i)
{
  const dae_event *event = &ev->events[i];
  if (event->action)
    return -event->direction;
  return ev->problem->held.value[event->sets[0] - ev->size] > 0 ? 1 : -1;
}

bool dae__event_is_off(const dae__events *ev, int i, double t, const double *y, double value,
                       double *work)
{
  double later, noise;
  if (!(value * events_guard_side(ev, i) < 0))
    return false;
  noise = dae__event_change(ev, i, t, y, value, DAE__ZERO_BAND, 0, work);
  /* that of a function of time alone, at its own instant: the round-off of the time */
  if (ev->events[i].next &&
      !dae__event_value(ev, i, t + dae__event_resolution(t, 0), y, &later, NULL))
    noise = fmax(noise, fabs(later - value));
  return fabs(value) > 4 * noise;
}

/* Value of a plain guard at the start; *noise: its round-off. Needs events_round_state. */
static dae_status events_guard_value(const dae__events *ev, int i, double t, const double *y,
                                     double *value, double *noise, dae_error *err)
{
  DAE__TRY(dae__event_value(ev, i, t, y, value, err));
  *noise = events_round_off(ev, i, t, *value);
  return DAE_OK;
}

dae_status dae__events_set_guards(dae__events *ev, double t, double *y, const double *dy,
                                  bool *changed, bool *rests, dae_error *err)
{
  *changed = *rests = false;
  events_round_state(ev, y);
  for (int i = 0; i < ev->count; i++) {
    const dae_event *event = &ev->events[i];
    double value, noise, rate = 0;
    if (!dae__event_is_plain_guard(event))
      continue;
    DAE__TRY(events_guard_value(ev, i, t, y, &value, &noise, err));
    bool border = fabs(value) <= noise && event->rate;
    if (border)
      DAE__TRY(dae__event_rate(ev, i, t, y, dy, &rate, err));
    *rests = *rests || (border && rate == 0 && !event->bends);
    double *held = &y[event->sets[0]], branch = fabs(value) > noise ? value > 0
                                                : rate != 0         ? rate > 0
                                                                    : *held;
    *changed = *changed || branch != *held;
    *held = branch;
  }
  return DAE_OK;
}

/* Steps of Euler's method, consistent after each, that show where a motion from rest leads, and
 * their length over that of the run. */
#define LEAN_STEPS 4
#define LEAN_LENGTH 1e-6
/* Way of a value over the whole run, in its round-off, below which the rate after them is noise. */
#define LEAN_LEAST 1e3

/* Steps from y to ev->unmoved, with its derivative ev->dy; false: not possible. */
static bool events_step_on(dae__events *ev, double t, double h, const double *y, const double *dy)
{
  double *z = ev->unmoved;
  dae__copy(ev->extended, y, z);
  dae__copy(ev->size, dy, ev->dy);
  for (int k = 1; k <= LEAN_STEPS; k++) {
    dae__axpy(ev->size, h, ev->dy, z);
    dae_start start = {.t = t + k * h, .y = z, .held = z + ev->size};
    if (dae_consistent_start(ev->problem, &start, ev->env, z, ev->dy, NULL, NULL) < 0)
      return false;
  }
  return true;
}

dae_status dae__events_lean(dae__events *ev, double t, double *y, const double *dy, bool *changed,
                            dae_error *err)
{
  double run = ev->end - t, h = LEAN_LENGTH * run;
  *changed = false;
  if (!(run > 0) || !isfinite(run) || !events_step_on(ev, t, h, y, dy))
    return DAE_OK;
  events_round_state(ev, y);
  for (int i = 0; i < ev->count; i++) {
    const dae_event *event = &ev->events[i];
    double value, noise, rate = 0, later = 0;
    if (!dae__event_is_plain_guard(event) || event->bends || !event->rate)
      continue;
    DAE__TRY(events_guard_value(ev, i, t, y, &value, &noise, err));
    if (fabs(value) > noise)
      continue;
    DAE__TRY(dae__event_rate(ev, i, t, y, dy, &rate, err));
    DAE__TRY(dae__event_rate(ev, i, t + LEAN_STEPS * h, ev->unmoved, ev->dy, &later, err));
    double way = fabs(later) * run / (LEAN_STEPS * LEAN_LENGTH);
    if (rate != 0 || !(way > LEAN_LEAST * noise))
      continue;
    *changed = *changed || (later > 0) != y[event->sets[0]];
    y[event->sets[0]] = later > 0;
  }
  return DAE_OK;
}

/* ---- start of the detection ---- */

void dae__events_start_watch(dae__events *ev, int i, dae__sample at, double band)
{
  dae__watch *w = &ev->watches[i];
  bool leaves = w->leaves || ev->events[i].bends;
  dae__watch_start(w, at, band);
  if (ev->events[i].kind != DAE_EVENT_GUARD)
    return;
  w->side = events_guard_side(ev, i);
  w->leaves = leaves && fabs(at.value) <= band;
}

dae_status dae__events_schedule(dae__events *ev, double t, const double *y, dae_error *err)
{
  char text[32];
  for (int i = 0; i < ev->count; i++) {
    const dae_event *event = &ev->events[i];
    ev->next[i] = INFINITY;
    if (!event->next)
      continue;
    int refused = event->next(event->user, t, ev->end, y, &ev->next[i]);
    if (refused == 0 && ev->next[i] > t)
      continue;
    const char *name = dae__event_name(ev, i, text);
    if (refused == 2)
      dae__fail(err, DAE_ERROR_CALLBACK, name,
                "event '%s' has too many instants up to t = %.10g: use a longer period", name,
                ev->end);
    else if (refused > 0)
      dae__fail(err, DAE_ERROR_CALLBACK, name,
                "the instants of event '%s' after t = %.10g cannot be told apart: its function of "
                "time changes sign too often, or stays so near to zero that rounding decides",
                name, t);
    else
      dae__fail(err, DAE_ERROR_CALLBACK, name, "event '%s' has no next instant after t = %.17g",
                name, t);
    dae__fail_at(err, t, NAN);
    return DAE_ERROR_CALLBACK;
  }
  return DAE_OK;
}

double dae__events_next(const dae__events *ev)
{
  double next = INFINITY;
  for (int k = 0; k < ev->times; k++)
    next = fmin(next, ev->next[ev->timed[k]]);
  return next;
}

dae_status dae__events_arm(dae__events *ev, double t, const double *y, dae_error *err)
{
  bool started;
  ev->t_found = t;
  for (int i = 0; i < ev->count; i++) { /* contacts use the memory of round-off below */
    dae__sample at = {.t = t, .rate = NAN};
    dae__copy(ev->extended, y, ev->after);
    if (!ev->events[i].contact && ev->events[i].rubs == 0)
      continue;
    DAE__TRY(dae__event_value(ev, i, t, y, &at.value, err));
    DAE__TRY(dae__events_start_contact(ev, i, at, &started, err));
    ev->opposed[i] = started;
  }
  events_round_state(ev, y);
  for (int i = 0; i < ev->count; i++) {
    dae__sample at = {.t = t, .rate = NAN};
    started = (ev->events[i].contact || ev->events[i].rubs > 0) && ev->opposed[i] > 0;
    ev->opposed[i] = 0;
    if (ev->events[i].next)
      continue;
    DAE__TRY(dae__event_value(ev, i, t, y, &at.value, err));
    ev->truth[i] = at.value > 0;
    ev->watches[i].t_fired = NAN;
    if (started)
      continue;
    ev->watches[i].leaves = true; /* it may start at its zero, at rest */
    dae__events_start_watch(ev, i, at, events_round_off(ev, i, t, at.value));
  }
  *ev->memory = (dae__events_memory){.t = t, .t_fired = NAN};
  return dae__events_schedule(ev, nextafter(t, -INFINITY), y, err);
}
