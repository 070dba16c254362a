/* What events do at their instant: actions, the consistent state after them, the branches and
 * conditions that they change in turn, the restart, and the watches from there on. */
#include "core/number.h"
#include "core/tolerances.h"
#include "problem/impact.h"
#include "step/events_private.h"

#include <math.h>
#include <stdio.h>

/* Event value after an action, over the values around the crossing, below which the action has not
 * moved the value away from zero. Chosen, not measured. */
#define STILL_ZERO 1e-6
/* Half-width of the band around zero in which an event has no side after a restart by another
 * event, if it has not left it since its last zero: number of tolerances of its value. */
#define RESTART_BAND 10
/* Number of consecutive events at the same time, up to round-off, that counts as a loop; chains of
 * collisions have a few per body. Also the largest number of rounds of events at one instant. */
#define MAX_SIMULTANEOUS 100
/* Number of times that one event happens after which its rate is judged, and number of times that
 * it may happen up to the end of the run at this rate; chosen, the second as for `every`. */
#define RATE_COUNT 10000
#define MAX_TO_COME 1e9
/* Time between two events, relative to |t|, below which an event value that rebounds at the first
 * and not at the second has come to rest: its rate is round-off. Chosen, not measured. */
#define AT_REST 1e-7
/* Distance at which a constraint is switched on that a projection closes, in absolute and in
 * relative tolerances of the coordinates. Chosen. */
#define CLOSING_ATOL 1e3
#define CLOSING_RTOL 10
/* Number of successive changes of a guard against its own rate that shows that the motion slides
 * along its border: one may be round-off at a tangential crossing. */
#define MAX_OPPOSED 2

/* ---- failures ---- */

dae_status dae__events_fail_accumulated(const dae__events *ev, int i, double t, dae_error *err)
{
  char text[32];
  const char *name = dae__event_name(ev, i, text);
  if (ev->events[i].contact)
    dae__fail(
        err, DAE_ERROR_STEP, name,
        "'%s' rebounds at ever shorter intervals that accumulate at t = %.10g, closer than the "
        "tolerance can tell: it comes to rest there, and an impact cannot hold it. Write "
        "contact %s: E >= 0, which stays closed while it presses",
        name, t, name);
  else if (ev->events[i].kind == DAE_EVENT_GUARD)
    dae__fail(
        err, DAE_ERROR_STEP, name,
        "%s changes at ever shorter intervals that accumulate at t = %.10g: both branches lead "
        "back to its border, where the motion comes to rest. Write the force smoothly across "
        "the border, or give it hysteresis",
        name, t);
  else
    dae__fail(err, DAE_ERROR_STEP, name,
              "event '%s' happens at ever shorter intervals that accumulate at t = %.10g, closer "
              "than time can be resolved. If a motion comes to rest there, let the event's action "
              "end it: stop at a small speed, or switch to a constraint that holds it.",
              name, t);
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_STEP;
}

static dae_status events_fail_in_event(const dae__events *ev, int i, const char *what,
                                       const dae_error *cause, dae_error *err)
{
  char text[32];
  const char *name = dae__event_name(ev, i, text);
  dae_status status = cause ? cause->status : DAE_ERROR_CALLBACK;
  dae__fail(err, status, name, "event '%s' at t = %.10g: %s%s", name, ev->t_found, what,
            cause ? cause->text : "");
  dae__fail_at(err, ev->t_found, NAN);
  return status;
}

/* The events that change each other without end. */
static dae_status events_fail_in_loop(const dae__events *ev, dae_error *err)
{
  char names[300] = "", own[32];
  dae__text list = dae__text_in(names, sizeof names);
  const char *first = NULL;
  for (int i = 0; i < ev->count; i++)
    if (ev->found[i]) {
      const char *name = dae__event_name(ev, i, own);
      dae__text_add(&list, "%s%.60s", first ? ", " : "", name);
      first = first ? first : ev->events[i].name;
    }
  dae__fail(err, DAE_ERROR_STEP, first,
            "the events and branches %s change each other at t = %.10g without end: no branch of "
            "each fits those of the others",
            names, ev->t_found);
  dae__fail_at(err, ev->t_found, NAN);
  return DAE_ERROR_STEP;
}

/* Two events at one instant that set one coordinate or rate of a constrained mechanism to different
 * values. */
static dae_status events_fail_twice(const dae__events *ev, int first, int second, int entry,
                                    dae_error *err)
{
  char text[2][32], variable[128];
  dae_problem_variable(ev->problem, entry, variable, sizeof variable);
  const char *a = dae__event_name(ev, first, text[0]), *b = dae__event_name(ev, second, text[1]);
  dae__fail(err, DAE_ERROR_STEP, b,
            "events '%s' and '%s' both set %s at t = %.10g, to different values: in a mechanism "
            "with constraints the result depends on their order. Write one event for both",
            a, b, variable, ev->t_found);
  dae__fail_at(err, ev->t_found, NAN);
  return DAE_ERROR_STEP;
}

/* ---- actions ---- */

/* Notes that event i sets entry k from ev->y to ev->after. */
static dae_status events_note_set(dae__events *ev, int i, int k, dae_error *err)
{
  int before = ev->setter[k];
  char name[128];
  ev->setter[k] = i;
  ev->fixed[k] = true;
  if (before < 0 || before == i || !ev->constrained || ev->after[k] == ev->y[k])
    return DAE_OK;
  dae_variable_kind kind = dae_problem_variable(ev->problem, k, name, sizeof name);
  return kind == DAE_VARIABLE_COORDINATE || kind == DAE_VARIABLE_RATE
             ? events_fail_twice(ev, before, i, k, err)
             : DAE_OK;
}

/* State after the action of event i on an extended state vector. */
static dae_status events_call_action(const dae__events *ev, int i, const double *before,
                                     double *after, dae_error *err)
{
  const dae_event *event = &ev->events[i];
  dae__copy(ev->extended, before, after);
  if (event->action(event->user, ev->t_found, before, after))
    return events_fail_in_event(ev, i, "its action failed", NULL, err);
  if (!dae__all_finite(ev->extended, after))
    return events_fail_in_event(ev, i, "its action sets a value that is not a finite number", NULL,
                                err);
  return DAE_OK;
}

/* Runs the action of event i on ev->after, and marks the entries that it sets: those of
 * `sets`, or without it those that it changes; y is workspace. */
static dae_status events_run_action(dae__events *ev, int i, dae_error *err)
{
  const dae_event *event = &ev->events[i];
  if (dae__event_is_plain_guard(event)) {
    ev->after[event->sets[0]] = ev->after[event->sets[0]] > 0 ? 0 : 1;
    return DAE_OK;
  }
  dae__copy(ev->extended, ev->after, ev->y);
  DAE__TRY(events_call_action(ev, i, ev->y, ev->after, err));
  for (int k = 0; !event->sets && k < ev->extended; k++)
    if (ev->after[k] != ev->y[k])
      DAE__TRY(events_note_set(ev, i, k, err));
  for (int k = 0; event->sets && k < event->set_count; k++)
    DAE__TRY(events_note_set(ev, i, event->sets[k], err));
  return DAE_OK;
}

/* Names of the entries of the state vector that have been set at this instant. */
static const char *events_list_set(const dae__events *ev, char *text, size_t size)
{
  dae__text list = dae__text_in(text, size);
  int count = 0;
  for (int k = 0; k < ev->size; k++) {
    char name[128];
    if (!ev->fixed[k])
      continue;
    dae_problem_variable(ev->problem, k, name, sizeof name);
    dae__text_add(&list, "%s%.60s", count++ > 0 ? ", " : "", name);
  }
  return text;
}

/* Makes the state after the actions consistent, with the values that they set held; event: the
 * first one of them. */
static dae_status events_make_consistent(dae__events *ev, int event, dae_error *err)
{
  dae_error cause = dae_error_none();
  char set[300] = "", what[400];
  dae__copy(ev->extended, ev->after, ev->y);
  dae_start start = {.t = ev->t_found, .y = ev->y, .fixed = ev->fixed, .held = ev->y + ev->size};
  dae_status status =
      dae_consistent_start(ev->problem, &start, ev->env, ev->after, ev->dy, NULL, &cause);
  if (status >= 0)
    return DAE_OK;
  cause.status = status == DAE_ERROR_START ? DAE_ERROR_STEP : status;
  events_list_set(ev, set, sizeof set);
  if (set[0])
    snprintf(what, sizeof what, "with the values of %s that it sets no state is consistent: ", set);
  else
    snprintf(what, sizeof what, "no state is consistent after it: ");
  return events_fail_in_event(ev, event, what, &cause, err);
}

/* Lists the values that moved from ev->y without having been set, for the first event of a name. */
static void events_list_moves(dae__events *ev, int i)
{
  char event[32], name[128];
  for (int k = 0; k < ev->size; k++) {
    dae_variable_kind kind = dae_problem_variable(ev->problem, k, name, sizeof name);
    double from = ev->y[k], to = ev->after[k];
    bool guess = kind == DAE_VARIABLE_ALGEBRAIC || kind == DAE_VARIABLE_MULTIPLIER;
    if (guess || ev->fixed[k] || !(fabs(to - from) > DAE__ON_CONSTRAINT * (1 + fabs(from))))
      continue;
    ev->memory->moved++;
    if (!ev->moves || ev->counts[i].fired != 1)
      continue;
    const dae__text before = *ev->moves;
    dae__text_add(ev->moves, "%.100s\t%s\t%s\t%s\t%s\n", dae__event_name(ev, i, event),
                  dae__number_text(ev->t_found, 12).text, name, dae__number_text(from, 12).text,
                  dae__number_text(to, 12).text);
    if (ev->moves->length < ev->moves->size)
      continue;
    *ev->moves = before; /* whole lines only */
    ev->moves->at[before.length] = '\0';
  }
}

/* ---- guards and conditions after an action ---- */

/* Finds the guards that are off their branch and the conditions that have become true; returns
 * whether there are any. */
static dae_status events_find_changed(dae__events *ev, bool *any, dae_error *err)
{
  *any = false;
  for (int i = 0; i < ev->count; i++) {
    const dae_event *event = &ev->events[i];
    bool *found = &ev->crossings[i].found, guard = event->kind == DAE_EVENT_GUARD;
    double value;
    *found = false;
    if (dae__event_is_clock_guard(event)) {
      DAE__TRY(events_call_action(ev, i, ev->after, ev->y, err));
      *found = ev->y[event->sets[0]] != ev->after[event->sets[0]];
      *any = *any || *found;
      continue;
    }
    if (!guard && event->kind != DAE_EVENT_CONDITION)
      continue;
    DAE__TRY(dae__event_value(ev, i, ev->t_found, ev->after, &value, err));
    if (guard)
      *found = dae__event_is_off(ev, i, ev->t_found, ev->after, value, ev->y);
    else
      *found = value > 0 && ev->truth[i] == 0;
    ev->truth[i] = value > 0;
    *any = *any || *found;
  }
  return DAE_OK;
}

/* Fails where both branches of a guard that has just changed drive its value back to zero. acted:
 * an action at the same instant has changed the motion, and may have turned it back. */
static dae_status events_check_sliding(dae__events *ev, int i, bool acted, dae_error *err)
{
  const dae_event *event = &ev->events[i];
  char text[32];
  double rate = 0;
  if (!dae__event_is_plain_guard(event) || event->next || !event->rate)
    return DAE_OK;
  int side = ev->after[event->sets[0]] > 0 ? 1 : -1;
  DAE__TRY(dae__event_rate(ev, i, ev->t_found, ev->after, ev->dy, &rate, err));
  ev->opposed[i] = rate * side < 0 && !acted ? ev->opposed[i] + 1 : 0;
  if (ev->opposed[i] < MAX_OPPOSED)
    return DAE_OK;
  const char *name = dae__event_name(ev, i, text);
  dae__fail(
      err, DAE_ERROR_STEP, name,
      "both branches of %s lead back to its border at t = %.10g: the motion slides there. "
      "Dry friction that sticks is written contact NAME: E >= 0 friction mu along S; or write "
      "the force smoothly across the border, or give it hysteresis",
      name, ev->t_found);
  dae__fail_at(err, ev->t_found, NAN);
  return DAE_ERROR_STEP;
}

/* ---- watches after the events ---- */

/* Sign of the rate of an event's value after the event; without a rate function by a central
 * difference, 0 if the difference cannot be formed. */
static dae_status events_rate_sign(dae__events *ev, int i, int *sign, dae_error *err)
{
  double rate = 0, fastest = 0, value[2];
  *sign = 0;
  if (ev->events[i].rate) {
    DAE__TRY(dae__event_rate(ev, i, ev->t_found, ev->after, ev->dy, &rate, err));
    *sign = dae__sign(rate);
    return DAE_OK;
  }
  for (int k = 0; k < ev->size; k++)
    fastest = fmax(fastest, fabs(ev->dy[k]) / (1 + fabs(ev->after[k])));
  double d = fastest > 0 ? 1e-6 / fastest : 0;
  for (int end = 0; end < 2; end++) {
    double s = end ? d : -d;
    dae__copy(ev->extended, ev->after, ev->y);
    dae__axpy(ev->size, s, ev->dy, ev->y);
    if (dae__event_value(ev, i, ev->t_found + s, ev->y, &value[end], NULL))
      return DAE_OK;
  }
  *sign = dae__sign(value[1] - value[0]);
  return DAE_OK;
}

static double events_change(dae__events *ev, int i, double value, double rtol, double atol)
{
  return dae__event_change(ev, i, ev->t_found, ev->after, value, rtol, atol, ev->y);
}

/* Starts the watch of event i after it has fired: without a side, unless its action has moved the
 * value away from zero, to `value`; a restart of the smooth motion may have moved it on. */
static dae_status events_start_fired(dae__events *ev, int i, dae__sample at, double value,
                                     bool restarted, dae_error *err)
{
  dae__watch *w = &ev->watches[i];
  const dae__crossing *c = &ev->crossings[i];
  int from_side = dae__sign(c->bracket.fa), sign = 0;
  double noise = 4 * events_change(ev, i, at.value, DAE__ZERO_BAND, 0), width = w->width;
  double band = fmax(fmax(DAE__ZERO_BAND * c->scale, noise),
                     16 * fmin(fabs(c->bracket.fb), STILL_ZERO * c->scale));
  bool zero = fabs(value) <= fmax(band, STILL_ZERO * c->scale);
  bool again = w->rebounded && ev->t_found - w->t_fired <= AT_REST * fabs(ev->t_found);
  dae__events_start_watch(ev, i, at, zero ? fmax(band, 4 * fabs(at.value)) : 0);
  w->width = restarted ? 0 : width;
  w->t_fired = ev->t_found;
  if (!zero || !restarted || !dae__event_acts(&ev->events[i]))
    return DAE_OK;
  DAE__TRY(events_rate_sign(ev, i, &sign, err));
  w->rebounded = sign == from_side;
  w->rebound = w->rebounded ? from_side : 0;
  w->lost = w->rebounded ? RESTART_BAND * events_change(ev, i, at.value, ev->rtol, ev->atol) : 0;
  return again && !w->rebounded ? dae__events_fail_accumulated(ev, i, ev->t_found, err) : DAE_OK;
}

/* Starts the watch of event i, which has not fired, after a change of the state or of held values:
 * an event with a side, which the actions do not change, keeps it, and one that has not yet left
 * its last zero goes on leaving it. */
static void events_start_other(dae__events *ev, int i, dae__sample at)
{
  dae__watch *w = &ev->watches[i], before = *w;
  bool noise = fabs(at.value) <= DAE__RESTART_BAND_MIN * w->scale;
  bool same = fabs(at.value - w->left.value) <= fabs(at.value) / 2;
  bool keeps = same && !noise && dae__sign(at.value) == w->side;
  bool leaves = w->side == 0 && fmax(fabs(at.value), fabs(w->left.value)) <= w->band;
  double band = keeps    ? 0
                : leaves ? w->band
                         : RESTART_BAND * events_change(ev, i, at.value, ev->rtol, ev->atol);
  dae__events_start_watch(ev, i, at, fmax(band, DAE__RESTART_BAND_MIN * w->scale));
  w->armed = before.armed && keeps;
  w->rebounded = before.rebounded;
  w->rebound = leaves ? before.rebound : 0;
  w->lost = leaves ? before.lost : 0;
}

/* Starts all watches after some events have fired, and sets the start of the next search. changed:
 * the state or held values are others than before. */
static dae_status events_rearm(dae__events *ev, const dae__event_news *news, bool changed,
                               dae_error *err)
{
  for (int i = 0; i < ev->count; i++) {
    dae__sample at = {.t = ev->t_found, .rate = NAN};
    if (!dae__event_is_searched(&ev->events[i]))
      continue;
    DAE__TRY(dae__event_value(ev, i, ev->t_found, ev->after, &at.value, err));
    bool started = false;
    if (ev->events[i].contact && ev->crossings[i].found && news->restarted)
      DAE__TRY(dae__events_check_open(ev, i, err));
    if ((ev->events[i].contact || ev->events[i].rubs > 0) && (changed || ev->crossings[i].found))
      DAE__TRY(dae__events_start_contact(ev, i, at, &started, err));
    if (started)
      continue;
    DAE__TRY(dae__event_value(ev, i, ev->t_found, ev->after, &at.value, err));
    double value = at.value; /* that the action left */
    if (ev->crossings[i].found && news->unmoved)
      DAE__TRY(dae__event_value(ev, i, ev->t_found, news->unmoved, &value, err));
    if (ev->crossings[i].found)
      DAE__TRY(events_start_fired(ev, i, at, value, news->restarted, err));
    else if (changed)
      events_start_other(ev, i, at);
  }
  ev->memory->t = ev->t_found;
  double from = ev->t_found;
  for (int i = 0; i < ev->count; i++)
    from = ev->events[i].next && ev->crossings[i].found ? fmax(from, ev->next[i]) : from;
  return dae__events_schedule(ev, from, ev->after, err);
}

/* ---- an instant ---- */

dae__event_kinds dae__events_found(const dae__events *ev)
{
  dae__event_kinds kinds = {false, false, true};
  for (int i = 0; i < ev->count; i++) {
    const dae_event *event = &ev->events[i];
    bool guard = event->kind == DAE_EVENT_GUARD;
    kinds.action |= ev->crossings[i].found && dae__event_acts(event);
    kinds.branch |= ev->crossings[i].found && guard && !event->passive;
    kinds.timed &= !ev->crossings[i].found || event->next;
  }
  return kinds;
}

/* Counts event i, which happens now, and notes it in the news; returns whether it changes values.
 */
static bool events_count(dae__events *ev, int i, dae__event_news *news)
{
  const dae_event *event = &ev->events[i];
  dae__event_count *count = &ev->counts[i];
  bool guard = event->kind == DAE_EVENT_GUARD;
  count->first = count->fired == 0 ? ev->t_found : count->first;
  count->last = ev->t_found;
  count->fired++;
  news->fired += !guard;
  news->switched += guard;
  news->acted |= dae__event_acts(event);
  news->contacts &= guard || dae__event_holds(event) || event->rubs > 0;
  if (!guard && !news->name)
    news->name = event->name;
  return guard || dae__event_acts(event);
}

/* Whether an event that was found changes the motion. */
static bool events_any_moves(const dae__events *ev)
{
  bool moves = false;
  for (int i = 0; i < ev->count; i++) {
    const dae_event *event = &ev->events[i];
    bool acts = event->kind == DAE_EVENT_GUARD || dae__event_acts(event);
    moves = moves || (ev->crossings[i].found && acts && !event->passive);
  }
  return moves;
}

/* Whether actions have set entries of the state vector at this instant. */
static bool events_any_set(const dae__events *ev)
{
  bool any = false;
  for (int k = 0; k < ev->size; k++)
    any = any || ev->fixed[k];
  return any;
}

/* Refuses a constraint that is switched on at a distance, unless an action has set coordinates. */
static dae_status events_check_closing(dae__events *ev, int event, dae_error *err)
{
  char name[128], text[32];
  double distance, size = 0;
  for (int k = 0; k < ev->size; k++) {
    bool coordinate =
        dae_problem_variable(ev->problem, k, name, sizeof name) == DAE_VARIABLE_COORDINATE;
    size = coordinate ? fmax(size, fabs(ev->after[k])) : size;
    if (coordinate && ev->fixed[k])
      return DAE_OK;
  }
  DAE__TRY(dae__switched_distance(ev->problem, ev->t_found, ev->after, ev->env, &distance, name,
                                  sizeof name, err));
  if (distance <= CLOSING_RTOL * ev->rtol * size + CLOSING_ATOL * ev->atol)
    return DAE_OK;
  const char *cause = dae__event_name(ev, event, text);
  dae__fail(err, DAE_ERROR_STEP, name,
            "%s closes at a distance of %.4g at t = %.10g, where event '%s' switches it on: bodies "
            "would jump. Switch it on where it is met, or let the event set the coordinates",
            name, distance, ev->t_found, cause);
  dae__fail_at(err, ev->t_found, NAN);
  return DAE_ERROR_STEP;
}

/* Makes the state after actions and impacts consistent, with the contacts that press closed. */
static dae_status events_move(dae__events *ev, int first, dae_error *err)
{
  bool changed = false, sticks;
  DAE__TRY(dae__events_close(ev, true, &sticks, err));
  if (ev->switched)
    DAE__TRY(events_check_closing(ev, first, err));
  dae_status status = events_make_consistent(ev, first, err);
  if (status == DAE_ERROR_STEP && sticks) { /* they contradict each other */
    dae__copy(ev->size, ev->y, ev->after);
    DAE__TRY(dae__events_close(ev, false, &sticks, err));
    status = events_make_consistent(ev, first, err);
  }
  DAE__TRY(status);
  DAE__TRY(dae__events_release(ev, &changed, err));
  return changed ? events_make_consistent(ev, first, err) : DAE_OK;
}

/* Runs all events that were found, makes the state consistent where they act on the motion, and
 * finds the events that they lead to. */
static dae_status events_run_round(dae__events *ev, dae__event_news *news, bool *stop, bool *again,
                                   dae_error *err)
{
  bool changed = false, moves = events_any_moves(ev);
  int first = -1;
  if (moves)
    DAE__TRY(dae__events_impact(ev, err));
  for (int i = 0; i < ev->count; i++) {
    const dae_event *event = &ev->events[i];
    if (!ev->crossings[i].found)
      continue;
    *stop = *stop || event->stop;
    if (!events_count(ev, i, news))
      continue;
    first = first < 0 ? i : first;
    changed = true;
    if (event->kind == DAE_EVENT_GUARD || event->action)
      DAE__TRY(events_run_action(ev, i, err));
  }
  *again = false;
  if (!changed)
    return DAE_OK;
  dae__copy(ev->extended - ev->size, ev->after + ev->size, ev->problem->held.value);
  if (moves && events_any_set(ev)) { /* contacts that actions have set in motion */
    ev->struck = true;
    DAE__TRY(dae__events_impact(ev, err));
  }
  if (moves) {
    DAE__TRY(events_move(ev, first, err));
    events_list_moves(ev, first);
    news->restarted = true;
  }
  return events_find_changed(ev, again, err);
}

/* Fails where event i happens so often that the run would not end. */
static dae_status events_check_rate(dae__events *ev, int i, dae_error *err)
{
  dae__event_count *n = &ev->counts[i];
  char text[32];
  const char *name = dae__event_name(ev, i, text);
  if (ev->events[i].next || n->fired % RATE_COUNT != 0)
    return DAE_OK;
  double before = n->fired > RATE_COUNT ? n->judged : n->first, since = ev->t_found - before;
  double to_come = RATE_COUNT * (ev->end - ev->t_found) / since;
  n->judged = ev->t_found;
  if (!isfinite(ev->end) || !(to_come > MAX_TO_COME))
    return DAE_OK;
  dae__fail(err, DAE_ERROR_STEP, name,
            "'%s' has happened %d times since t = %.10g, at t = %.10g for the %ldth time: at this "
            "rate %.1g times more up to the end. %s, or let the event stop the run",
            name, RATE_COUNT, before, ev->t_found, n->fired, to_come,
            ev->events[i].contact
                ? "Where bodies close in on each other give it less restitution, or a contact that "
                  "holds them"
                : "Give its switching a width or a least time");
  dae__fail_at(err, ev->t_found, NAN);
  return DAE_ERROR_STEP;
}

/* Whether time has not advanced since the last event, which is an error after a hundred events. */
static dae_status events_check_progress(dae__events *ev, int first, dae_error *err)
{
  dae__events_memory *m = ev->memory;
  /* t_fired is NaN before the first event */
  bool same_time = ev->t_found - m->t_fired <= 4 * dae__event_resolution(ev->t_found, 0);
  m->simultaneous = same_time ? m->simultaneous + 1 : 0;
  m->t_fired = ev->t_found;
  for (int i = 0; i < ev->count; i++)
    if (ev->found[i])
      DAE__TRY(events_check_rate(ev, i, err));
  return m->simultaneous >= MAX_SIMULTANEOUS
             ? dae__events_fail_accumulated(ev, first, ev->t_found, err)
             : DAE_OK;
}

/* State after a restart that has moved it onto the slow motion. */
static dae_status events_follow_restart(dae__events *ev, dae_integrator *it, dae__event_news *news,
                                        dae_error *err)
{
  if (!dae__integrator_is_smooth(it))
    return DAE_OK;
  dae__copy(ev->extended, ev->after, ev->unmoved);
  news->unmoved = ev->unmoved;
  dae_status status = dae_integrator_interpolate(it, ev->t_found, ev->after, ev->dy, err);
  return status < 0 ? status : DAE_OK;
}

dae_status dae__events_start_contacts(dae__events *ev, double t, double *y, dae_error *err)
{
  int first = -1;
  ev->t_found = t;
  dae__copy(ev->extended, y, ev->after);
  dae__events_begin_contacts(ev);
  for (int i = 0; ev->released && i < ev->count; i++) {
    DAE__TRY(dae__events_find_closed(ev, i, err));
    first = first < 0 && ev->crossings[i].found ? i : first;
  }
  if (first < 0)
    return DAE_OK;
  for (int k = 0; k < ev->extended; k++)
    ev->fixed[k] = false;
  DAE__TRY(dae__events_impact(ev, err));
  DAE__TRY(events_move(ev, first, err));
  for (int i = 0; i < ev->count; i++)
    ev->crossings[i].found = false;
  dae__copy(ev->extended, ev->after, y);
  return DAE_OK;
}

dae_status dae__events_apply(dae__events *ev, dae_integrator *it, dae__event_news *news,
                             dae_error *err)
{
  *news = (dae__event_news){.t = ev->t_found, .after = ev->after, .contacts = true};
  bool stop = false, again = true, changed;
  int first = 0;
  dae_error cause = dae_error_none();
  dae_status status = dae_integrator_interpolate(it, ev->t_found, ev->after, NULL, err);
  if (status < 0)
    return status;
  dae__events_extend(ev, ev->after);
  for (int k = 0; k < ev->extended; k++) {
    ev->fixed[k] = false;
    ev->setter[k] = -1;
  }
  while (first < ev->count - 1 && !ev->crossings[first].found)
    first++;
  for (int i = 0; i < ev->count; i++)
    ev->found[i] = ev->crossings[i].found;
  dae__events_begin_contacts(ev);
  int round = 0;
  for (; again && round < 2 * MAX_SIMULTANEOUS; round++) {
    /* too many rounds: those that follow name the events of the loop */
    for (int i = 0; round >= MAX_SIMULTANEOUS && i < ev->count; i++)
      ev->found[i] = ev->crossings[i].found || (ev->found[i] && round > MAX_SIMULTANEOUS);
    DAE__TRY(events_run_round(ev, news, &stop, &again, err));
  }
  if (round > MAX_SIMULTANEOUS)
    return events_fail_in_loop(ev, err);
  DAE__TRY(events_check_progress(ev, first, err));
  if (news->restarted) {
    status = dae_integrator_restart(it, ev->t_found, ev->after, &cause);
    cause.status = status;
    if (status < 0)
      return events_fail_in_event(
          ev, first, "the state after its action cannot be integrated on: ", &cause, err);
    DAE__TRY(events_follow_restart(ev, it, news, err));
  }
  changed = news->acted || news->switched > 0;
  for (int i = 0; i < ev->count; i++) {
    ev->crossings[i].found = ev->found[i];
    if (ev->found[i] && news->restarted)
      DAE__TRY(events_check_sliding(ev, i, news->acted, err));
  }
  DAE__TRY(events_rearm(ev, news, changed, err));
  return stop ? DAE_STOPPED : DAE_OK;
}
