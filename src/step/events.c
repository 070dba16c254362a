#include "step/events.h"

#include "core/error.h"
#include "core/vec.h"
#include "step/root.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* parts of a step that are scanned one by one, so that two crossings in one step are not lost */
#define PARTS 4
/* a value has left zero when it exceeds this share of what it was around the crossing; round-off
 * of projected states is 1e-12 of their terms */
#define BAND 1e-12
/* an action that leaves the value below this share has not moved it away from zero */
#define STILL_ZERO 1e-6
/* events in a row at the same time, up to round-off, before they are taken for a loop; chains of
 * collisions have a few per body */
#define MOST_AT_ONCE 100

/* time between two events, over the time since 0, at which a value that was thrown back by the
 * first and is not by the second has come to rest: its rate is round-off */
#define AT_REST 1e-7

/* What is remembered of one event, without pointers. */
typedef struct watch {
  double value; /* at the time looked up to */
  int side;     /* of zero, -1 or +1; 0: not known yet */
  bool quiet;   /* does not fire until |value| > band */
  double band;  /* negative: not known yet, from the values of the next step */
  int recoil;   /* side to which its action threw it back, 0: no such thing */
  double t_fired;
  bool thrown; /* back then */
} watch;

typedef struct memory {
  double t;       /* looked up to */
  double t_fired; /* the last time anything fired */
  int at_once;    /* events in a row at that time */
} memory;

/* What the last look found out about one event. */
typedef struct find {
  double value; /* at the end of the part */
  bool crosses;
  dae__bracket crossing;
  double scale; /* of the values around the crossing */
} find;

struct dae__events {
  const dae_problem *problem;
  const dae_event *events;
  const dae_env *env;
  const bool *held;
  int count, size;
  memory *memory;
  watch *watches;
  find *finds;
  double t_found;
  double *y, *before, *after, *dy;
  dae_integrator *it; /* during a look */
  int event;          /* the one whose zero is being located */
};

static int events_side_of(double x)
{
  return (x > 0) - (x < 0);
}

static const char *events_name_of(const dae__events *ev, int i, char text[32])
{
  if (ev->events[i].name)
    return ev->events[i].name;
  snprintf(text, 32, "event[%d]", i + 1);
  return text;
}

/* round-off of a time within a step of size h */
static double events_resolution(double t, double h)
{
  return 4 * DBL_EPSILON * fmax(fabs(t), fabs(h));
}

dae_status dae__events_create(dae__arena *arena, const dae_problem *problem,
                              const dae_event *events, int count, const bool *held,
                              dae__events **out, dae_error *err)
{
  int n = dae_problem_size(problem);
  dae__events own = {.problem = problem, .events = events, .count = count, .held = held, .size = n};
  char text[32];
  for (int i = 0; i < count; i++) {
    const char *name = events_name_of(&own, i, text);
    if (!events[i].value)
      return dae__fail(err, DAE_ERROR_PROBLEM, name, "event '%s' has no value function", name);
    if (events[i].direction < -1 || events[i].direction > 1)
      return dae__fail(err, DAE_ERROR_PROBLEM, name,
                       "event '%s': direction = %d is not valid, it must be -1, 0 or 1", name,
                       events[i].direction);
  }
  own.env = dae__arena_env(arena);
  own.memory = DAE__STATE(arena, memory, 1);
  own.watches = DAE__STATE(arena, watch, count);
  own.finds = DAE__ALLOC(arena, find, count);
  own.y = DAE__ALLOC(arena, double, n);
  own.before = DAE__ALLOC(arena, double, n);
  own.after = DAE__ALLOC(arena, double, n);
  own.dy = DAE__ALLOC(arena, double, n);
  dae__events *ev = DAE__ALLOC(arena, dae__events, 1);
  if (dae__arena_failed(arena))
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the events");
  *ev = own;
  *out = ev;
  return DAE_OK;
}

static dae_status events_value_of(const dae__events *ev, int i, double t, const double *y,
                                  double *value, dae_error *err)
{
  const dae_event *event = &ev->events[i];
  char text[32];
  const char *name = events_name_of(ev, i, text);
  int refused = event->value(event->user, t, y, value);
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

/* A watched event has a new value and does not fire. */
static void events_watch_on(watch *w, double value)
{
  w->value = value;
  if (w->quiet && fabs(value) <= w->band)
    return;
  if (value != 0)
    w->side = events_side_of(value);
  w->quiet = false;
  w->recoil = 0;
}

static watch events_watch_from(double value)
{
  return (watch){.value = value,
                 .side = events_side_of(value),
                 .quiet = value == 0,
                 .band = -1,
                 .t_fired = NAN};
}

dae_status dae__events_arm(dae__events *ev, double t, const double *y, dae_error *err)
{
  for (int i = 0; i < ev->count; i++) {
    double value;
    dae_status status = events_value_of(ev, i, t, y, &value, err);
    if (status < 0)
      return status;
    ev->watches[i] = events_watch_from(value);
  }
  *ev->memory = (memory){.t = t, .t_fired = NAN};
  return DAE_OK;
}

/* ---- looking ---- */

/* value of the event being located at time t of the last step */
static dae_status events_value_at(void *user, double t, double *value, dae_error *err)
{
  dae__events *ev = user;
  dae_status status = dae_integrator_interpolate(ev->it, t, ev->y, NULL, err);
  return status < 0 ? status : events_value_of(ev, ev->event, t, ev->y, value, err);
}

/* values of all events at the end of a part */
static dae_status events_sample(dae__events *ev, double t, dae_error *err)
{
  dae_status status = dae_integrator_interpolate(ev->it, t, ev->y, NULL, err);
  for (int i = 0; i < ev->count && status >= 0; i++) {
    status = events_value_of(ev, i, t, ev->y, &ev->finds[i].value, err);
    watch *w = &ev->watches[i];
    if (status >= 0 && w->quiet && w->band < 0)
      w->band = BAND * fabs(ev->finds[i].value);
  }
  return status;
}

static dae_status events_fail_accumulated(const dae__events *ev, int i, double t, dae_error *err)
{
  char text[32];
  const char *name = events_name_of(ev, i, text);
  dae__fail(err, DAE_ERROR_STEP, name,
            "event '%s' happens at ever shorter intervals that accumulate at t = %.10g, closer "
            "than time can be resolved. If a motion comes to rest there, let the event's action "
            "end it: stop at a small speed, or switch to a constraint that holds it.",
            name, t);
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_STEP;
}

/* Event i was thrown back by its action at t_fired and is beyond zero at t: finds the latest of
 * the times t_fired + (t - t_fired)/4^k at which it is seen on the side it was thrown to. */
static dae_status events_find_excursion(dae__events *ev, int i, double t, find *f, dae_error *err)
{
  const watch *w = &ev->watches[i];
  ev->event = i;
  double least = events_resolution(t, t - w->t_fired);
  for (double d = (t - w->t_fired) / 4; d > least; d /= 4) {
    double value, x = w->t_fired + d;
    dae_status status = events_value_at(ev, x, &value, err);
    if (status < 0)
      return status;
    if (w->recoil * value > w->band) {
      f->crossing = (dae__bracket){.a = x, .b = t, .fa = value, .fb = f->value};
      return DAE_OK;
    }
  }
  return events_fail_accumulated(ev, i, w->t_fired, err);
}

/* whether event i fires when its value goes from this side to the other */
static bool events_takes(const dae__events *ev, int i, int from_side)
{
  int direction = ev->events[i].direction;
  return from_side != 0 && (direction == 0 || direction == -from_side);
}

/* Whether event i crosses zero in the part up to t, and a bracket of it. */
static dae_status events_find_crossing(dae__events *ev, int i, double t, dae_error *err)
{
  const watch *w = &ev->watches[i];
  find *f = &ev->finds[i];
  f->crossing = (dae__bracket){.a = ev->memory->t, .b = t, .fa = w->value, .fb = f->value};
  f->crosses = false;
  if (w->quiet) {
    bool beyond = fabs(f->value) > w->band && events_side_of(f->value) == -w->recoil;
    f->crosses = beyond && events_takes(ev, i, w->recoil);
    return f->crosses ? events_find_excursion(ev, i, t, f, err) : DAE_OK;
  }
  f->crosses = w->side * f->value <= 0 && events_takes(ev, i, w->side);
  return DAE_OK;
}

/* The earliest crossing in the part up to t. Those at the same time fire together. */
static dae_status events_find_earliest(dae__events *ev, double t, double tolerance, dae_error *err)
{
  double earliest = INFINITY;
  for (int i = 0; i < ev->count; i++) {
    find *f = &ev->finds[i];
    dae_status status = events_find_crossing(ev, i, t, err);
    if (status >= 0 && f->crosses) {
      ev->event = i;
      f->scale = fmax(fabs(f->crossing.fa), fabs(f->crossing.fb));
      status = dae__root_narrow(&f->crossing, tolerance, events_value_at, ev, err);
      earliest = fmin(earliest, f->crossing.b);
    }
    if (status < 0)
      return status;
  }
  if (earliest == INFINITY)
    return DAE_OK;
  ev->t_found = earliest;
  for (int i = 0; i < ev->count; i++) {
    find *f = &ev->finds[i];
    f->crosses = f->crosses && f->crossing.b <= earliest + 4 * tolerance;
    if (f->crosses)
      ev->t_found = fmax(ev->t_found, f->crossing.b);
  }
  return DAE_EVENT;
}

dae_status dae__events_look(dae__events *ev, dae_integrator *it, double *t, dae_error *err)
{
  dae_view view = dae_integrator_view(it);
  double from = ev->memory->t, to = view.t;
  double tolerance = events_resolution(to, to - view.t_previous);
  int parts = view.pieces > PARTS ? view.pieces : PARTS;
  ev->it = it;
  for (int part = 1; part <= parts && ev->count > 0 && to > from; part++) {
    double end = part == parts ? to : from + (to - from) * part / parts;
    dae_status status = events_sample(ev, end, err);
    if (status >= 0)
      status = events_find_earliest(ev, end, tolerance, err);
    if (status == DAE_EVENT)
      *t = ev->t_found;
    if (status != DAE_OK)
      return status;
    for (int i = 0; i < ev->count; i++)
      events_watch_on(&ev->watches[i], ev->finds[i].value);
    ev->memory->t = end;
  }
  return DAE_OK;
}

/* ---- applying ---- */

static dae_status events_fail_in_event(const dae__events *ev, int i, const char *what,
                                       const dae_error *cause, dae_error *err)
{
  char text[32];
  const char *name = events_name_of(ev, i, text);
  dae_status status = cause ? cause->status : DAE_ERROR_CALLBACK;
  dae__fail(err, status, name, "event '%s' at t = %.10g: %s%s", name, ev->t_found, what,
            cause ? cause->text : "");
  dae__fail_at(err, ev->t_found, NAN);
  return status;
}

/* after = before, with what the action of event i changes; dy serves as scratch */
static dae_status events_run_action(dae__events *ev, int i, dae_error *err)
{
  const dae_event *event = &ev->events[i];
  double *mine = ev->dy;
  dae__copy(ev->size, ev->before, mine);
  if (event->action(event->user, ev->t_found, ev->before, mine))
    return events_fail_in_event(ev, i, "its action failed", NULL, err);
  if (!dae__all_finite(ev->size, mine))
    return events_fail_in_event(ev, i, "its action sets a value that is not a finite number", NULL,
                                err);
  for (int k = 0; k < ev->size; k++)
    if (mine[k] != ev->before[k])
      ev->after[k] = mine[k];
  return DAE_OK;
}

/* Makes the changed state consistent, and restarts there. */
static dae_status events_restart(dae__events *ev, dae_integrator *it, int first, dae_error *err)
{
  dae_error cause = dae_error_none();
  dae__copy(ev->size, ev->after, ev->y);
  dae_start start = {.t = ev->t_found, .y = ev->y, .fixed = ev->held};
  dae_status status =
      dae_consistent_start(ev->problem, &start, ev->env, ev->after, ev->dy, NULL, &cause);
  if (status >= 0)
    status = dae_integrator_restart(it, ev->t_found, ev->after, &cause);
  if (status >= 0)
    return DAE_OK;
  cause.status = status;
  return events_fail_in_event(ev, first,
                              "the state after its action cannot be integrated on: ", &cause, err);
}

/* The value's rate of change along the motion after the event, by a central difference: its sign
 * alone, 0 where it is not known. */
static double events_differenced_rate(dae__events *ev, int i)
{
  double fastest = 0;
  for (int k = 0; k < ev->size; k++)
    fastest = fmax(fastest, fabs(ev->dy[k]) / (1 + fabs(ev->after[k])));
  double value[2], d = fastest > 0 ? 1e-6 / fastest : 0;
  for (int end = 0; end < 2; end++) {
    double s = end ? d : -d;
    dae__copy(ev->size, ev->after, ev->y);
    dae__axpy(ev->size, s, ev->dy, ev->y);
    if (events_value_of(ev, i, ev->t_found + s, ev->y, &value[end], NULL) < 0)
      return 0;
  }
  return value[1] - value[0];
}

static dae_status events_rate_sign(dae__events *ev, int i, int *sign, dae_error *err)
{
  const dae_event *event = &ev->events[i];
  double rate = 0;
  if (!event->rate)
    rate = events_differenced_rate(ev, i);
  else if (event->rate(event->user, ev->t_found, ev->after, ev->dy, &rate))
    return events_fail_in_event(ev, i, "its rate could not be evaluated", NULL, err);
  else if (!isfinite(rate))
    return events_fail_in_event(ev, i, "its rate is not a finite number", NULL, err);
  *sign = events_side_of(rate);
  return DAE_OK;
}

/* Event i has fired: it is quiet, unless its action has moved the value away. */
static dae_status events_hush(dae__events *ev, int i, double value, bool restarted, dae_error *err)
{
  watch *w = &ev->watches[i];
  const find *f = &ev->finds[i];
  int from_side = events_side_of(f->crossing.fa);
  double noise = fmax(fabs(f->crossing.fa), fabs(f->crossing.fb));
  double band = fmax(BAND * f->scale, 16 * fmin(noise, STILL_ZERO * f->scale));
  bool again = w->thrown && ev->t_found - w->t_fired <= AT_REST * fabs(ev->t_found);
  w->value = value;
  w->t_fired = ev->t_found;
  w->quiet = fabs(value) <= fmax(band, STILL_ZERO * f->scale);
  w->band = fmax(band, 4 * fabs(value));
  w->side = w->quiet ? -from_side : events_side_of(value);
  w->recoil = 0;
  w->thrown = false;
  if (!w->quiet || !restarted || !ev->events[i].action)
    return DAE_OK;
  int sign = 0;
  dae_status status = events_rate_sign(ev, i, &sign, err);
  if (status < 0)
    return status;
  w->thrown = sign == from_side;
  w->recoil = w->thrown ? from_side : 0;
  return again && !w->thrown ? events_fail_accumulated(ev, i, ev->t_found, err) : DAE_OK;
}

/* Goes on watching from the state after the events. */
static dae_status events_rearm(dae__events *ev, bool restarted, dae_error *err)
{
  for (int i = 0; i < ev->count; i++) {
    double value;
    dae_status status = events_value_of(ev, i, ev->t_found, ev->after, &value, err);
    if (status < 0)
      return status;
    if (ev->finds[i].crosses)
      status = events_hush(ev, i, value, restarted, err);
    else if (ev->watches[i].quiet)
      events_watch_on(&ev->watches[i], value);
    else
      ev->watches[i] = events_watch_from(value);
    if (status < 0)
      return status;
  }
  ev->memory->t = ev->t_found;
  return DAE_OK;
}

/* Counts the events that come without time passing. */
static dae_status events_check_progress(dae__events *ev, int first, dae_error *err)
{
  memory *m = ev->memory;
  bool same_time = ev->t_found - m->t_fired <= 4 * events_resolution(ev->t_found, 0);
  m->at_once = same_time ? m->at_once + 1 : 0; /* false for the first, where t_fired is NaN */
  m->t_fired = ev->t_found;
  return m->at_once < MOST_AT_ONCE ? DAE_OK : events_fail_accumulated(ev, first, ev->t_found, err);
}

/* Runs the actions of all events that were found; first is one of them, for messages. */
static dae_status events_run_actions(dae__events *ev, dae__event_news *news, int *first, bool *stop,
                                     dae_error *err)
{
  for (int i = ev->count - 1; i >= 0; i--)
    if (ev->finds[i].crosses)
      *first = i;
  news->name = ev->events[*first].name;
  for (int i = *first; i < ev->count; i++) {
    const dae_event *event = &ev->events[i];
    if (!ev->finds[i].crosses)
      continue;
    news->fired++;
    *stop = *stop || event->stop;
    news->restarted = news->restarted || event->action;
    dae_status status = event->action ? events_run_action(ev, i, err) : DAE_OK;
    if (status < 0)
      return status;
  }
  return DAE_OK;
}

dae_status dae__events_apply(dae__events *ev, dae_integrator *it, dae__event_news *news,
                             dae_error *err)
{
  *news = (dae__event_news){.t = ev->t_found, .before = ev->before, .after = ev->after};
  bool stop = false;
  int first = 0;
  dae_status status = dae_integrator_interpolate(it, ev->t_found, ev->before, NULL, err);
  dae__copy(ev->size, ev->before, ev->after);
  if (status >= 0)
    status = events_run_actions(ev, news, &first, &stop, err);
  if (status >= 0)
    status = events_check_progress(ev, first, err);
  if (status >= 0 && news->restarted)
    status = events_restart(ev, it, first, err);
  if (status >= 0)
    status = events_rearm(ev, news->restarted, err);
  return status < 0 ? status : stop ? DAE_STOPPED : DAE_OK;
}
