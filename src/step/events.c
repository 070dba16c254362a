#include "step/events.h"

#include "core/error.h"
#include "core/vec.h"
#include "step/root.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* Number of subintervals of a step that are searched one by one, so that two crossings in one step
 * are found. Chosen, not measured. */
#define SUBINTERVALS 4
/* Half-width of the band around zero, over the event values around a crossing, that a value must
 * leave before its event is active again; round-off of projected states is 1e-12 of their terms. */
#define ZERO_BAND 1e-12
/* Event value after an action, over the values around the crossing, below which the action has not
 * moved the value away from zero. Chosen, not measured. */
#define STILL_ZERO 1e-6
/* Number of consecutive events at the same time, up to round-off, that counts as a loop; chains of
 * collisions have a few per body. */
#define MAX_SIMULTANEOUS 100
/* Time between two events, relative to |t|, below which an event value that rebounds at the first
 * and not at the second has come to rest: its rate is round-off. Chosen, not measured. */
#define AT_REST 1e-7

/* State of one event that is saved with the arena, without pointers. */
typedef struct watch {
  double value;  /* value of the event at memory.t */
  int side;      /* side of zero of the value, -1 or +1; 0: not known yet */
  bool inactive; /* whether the event cannot fire until |value| > band */
  /* half-width of the band around zero; negative: to be set by the values of the next step */
  double band;
  int rebound;    /* side to which the action reflects the value; 0: none */
  double t_fired; /* time at which the event last fired */
  bool rebounded; /* whether the value rebounded at t_fired */
} watch;

typedef struct memory {
  double t;         /* end of the part of the step searched so far */
  double t_fired;   /* time of the last event */
  int simultaneous; /* number of consecutive events at t_fired */
} memory;

/* Zero crossing of one event in the current subinterval. */
typedef struct crossing {
  double value; /* value of the event at the end of the subinterval */
  bool found;
  dae__bracket bracket;
  double scale; /* size of the event values around the crossing */
} crossing;

struct dae__events {
  const dae_problem *problem;
  const dae_event *events;
  const dae_env *env;
  const bool *held;
  int count, size;
  memory *memory;
  watch *watches;
  crossing *crossings;
  double t_found;
  double *y, *before, *after, *dy;
  dae_integrator *it; /* integrator whose last step is searched */
  int event;          /* index of the event whose zero is located */
};

static int events_sign(double x)
{
  return (x > 0) - (x < 0);
}

static const char *events_name(const dae__events *ev, int i, char text[32])
{
  if (ev->events[i].name)
    return ev->events[i].name;
  snprintf(text, 32, "event[%d]", i + 1);
  return text;
}

/* Round-off of a time within a step of size h that ends near t. */
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
    const char *name = events_name(&own, i, text);
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
  own.crossings = DAE__ALLOC(arena, crossing, count);
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

static dae_status events_evaluate(const dae__events *ev, int i, double t, const double *y,
                                  double *value, dae_error *err)
{
  const dae_event *event = &ev->events[i];
  char text[32];
  const char *name = events_name(ev, i, text);
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

/* Updates the state of an event that has not fired. */
static void events_update_watch(watch *w, double value)
{
  w->value = value;
  if (w->inactive && fabs(value) <= w->band)
    return;
  if (value != 0)
    w->side = events_sign(value);
  w->inactive = false;
  w->rebound = 0;
}

static watch events_new_watch(double value)
{
  return (watch){.value = value,
                 .side = events_sign(value),
                 .inactive = value == 0,
                 .band = -1,
                 .t_fired = NAN};
}

dae_status dae__events_arm(dae__events *ev, double t, const double *y, dae_error *err)
{
  for (int i = 0; i < ev->count; i++) {
    double value;
    DAE__TRY(events_evaluate(ev, i, t, y, &value, err));
    ev->watches[i] = events_new_watch(value);
  }
  *ev->memory = (memory){.t = t, .t_fired = NAN};
  return DAE_OK;
}

/* ---- search ---- */

/* Value of event ev->event on the dense output at t within the last step. */
static dae_status events_value_at(void *user, double t, double *value, dae_error *err)
{
  dae__events *ev = user;
  dae_status status = dae_integrator_interpolate(ev->it, t, ev->y, NULL, err);
  return status < 0 ? status : events_evaluate(ev, ev->event, t, ev->y, value, err);
}

static dae_status events_fail_accumulated(const dae__events *ev, int i, double t, dae_error *err)
{
  char text[32];
  const char *name = events_name(ev, i, text);
  dae__fail(err, DAE_ERROR_STEP, name,
            "event '%s' happens at ever shorter intervals that accumulate at t = %.10g, closer "
            "than time can be resolved. If a motion comes to rest there, let the event's action "
            "end it: stop at a small speed, or switch to a constraint that holds it.",
            name, t);
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_STEP;
}

/* Finds the excursion of event i, which rebounds at t_fired and has a value beyond zero at t:
 * the latest of the times t_fired + (t - t_fired)/4^k at which the value is on the side of the
 * rebound. */
static dae_status events_find_excursion(dae__events *ev, int i, double t, crossing *c,
                                        dae_error *err)
{
  const watch *w = &ev->watches[i];
  ev->event = i;
  double least = events_resolution(t, t - w->t_fired);
  for (double d = (t - w->t_fired) / 4; d > least; d /= 4) {
    double value, x = w->t_fired + d;
    DAE__TRY(events_value_at(ev, x, &value, err));
    if (w->rebound * value > w->band) {
      c->bracket = (dae__bracket){.a = x, .b = t, .fa = value, .fb = c->value};
      return DAE_OK;
    }
  }
  return events_fail_accumulated(ev, i, w->t_fired, err);
}

/* Finds the earliest crossing in the subinterval up to t; events that cross at the same time fire
 * together. */
static dae_status events_find_earliest(dae__events *ev, double t, double tolerance, dae_error *err)
{
  double earliest = INFINITY;
  for (int i = 0; i < ev->count; i++) {
    const watch *w = &ev->watches[i];
    crossing *c = &ev->crossings[i];
    int from_side = w->inactive ? w->rebound : w->side, direction = ev->events[i].direction;
    bool fires = from_side != 0 && (direction == 0 || direction == -from_side);
    c->bracket = (dae__bracket){.a = ev->memory->t, .b = t, .fa = w->value, .fb = c->value};
    c->found =
        fires && (w->inactive ? fabs(c->value) > w->band && events_sign(c->value) == -w->rebound
                              : w->side * c->value <= 0);
    if (!c->found)
      continue;
    if (w->inactive)
      DAE__TRY(events_find_excursion(ev, i, t, c, err));
    ev->event = i;
    c->scale = fmax(fabs(c->bracket.fa), fabs(c->bracket.fb));
    DAE__TRY(dae__root_narrow(&c->bracket, tolerance, events_value_at, ev, err));
    earliest = fmin(earliest, c->bracket.b);
  }
  if (earliest == INFINITY)
    return DAE_OK;
  ev->t_found = earliest;
  for (int i = 0; i < ev->count; i++) {
    crossing *c = &ev->crossings[i];
    c->found = c->found && c->bracket.b <= earliest + 4 * tolerance;
    if (c->found)
      ev->t_found = fmax(ev->t_found, c->bracket.b);
  }
  return DAE_EVENT;
}

/* Evaluates all events at the end t of a subinterval. */
static dae_status events_sample(dae__events *ev, double t, dae_error *err)
{
  dae_status status = dae_integrator_interpolate(ev->it, t, ev->y, NULL, err);
  if (status < 0)
    return status;
  for (int i = 0; i < ev->count; i++) {
    watch *w = &ev->watches[i];
    DAE__TRY(events_evaluate(ev, i, t, ev->y, &ev->crossings[i].value, err));
    if (w->inactive && w->band < 0)
      w->band = ZERO_BAND * fabs(ev->crossings[i].value);
  }
  return DAE_OK;
}

dae_status dae__events_detect(dae__events *ev, dae_integrator *it, double *t, dae_error *err)
{
  dae_view view = dae_integrator_view(it);
  double from = ev->memory->t, to = view.t;
  double tolerance = events_resolution(to, to - view.t_previous);
  int parts = view.pieces > SUBINTERVALS ? view.pieces : SUBINTERVALS;
  ev->it = it;
  for (int part = 1; part <= parts && ev->count > 0 && to > from; part++) {
    double end = part == parts ? to : from + (to - from) * part / parts;
    DAE__TRY(events_sample(ev, end, err));
    dae_status status = events_find_earliest(ev, end, tolerance, err);
    if (status == DAE_EVENT)
      *t = ev->t_found;
    DAE__TRY(status);
    for (int i = 0; i < ev->count; i++)
      events_update_watch(&ev->watches[i], ev->crossings[i].value);
    ev->memory->t = end;
  }
  return DAE_OK;
}

/* ---- actions ---- */

static dae_status events_fail_in_event(const dae__events *ev, int i, const char *what,
                                       const dae_error *cause, dae_error *err)
{
  char text[32];
  const char *name = events_name(ev, i, text);
  dae_status status = cause ? cause->status : DAE_ERROR_CALLBACK;
  dae__fail(err, status, name, "event '%s' at t = %.10g: %s%s", name, ev->t_found, what,
            cause ? cause->text : "");
  dae__fail_at(err, ev->t_found, NAN);
  return status;
}

/* Runs the action of event i: ev->after = ev->before with the changes by the action; dy is
 * workspace. */
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

/* Makes the state after the actions consistent, and restarts the integrator there. */
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

/* Sign of the rate of an event's value after the event; without a rate function by a central
 * difference, 0 if the difference cannot be formed. */
static dae_status events_rate_sign(dae__events *ev, int i, int *sign, dae_error *err)
{
  const dae_event *event = &ev->events[i];
  double rate = 0, fastest = 0, value[2];
  *sign = 0;
  if (event->rate) {
    if (event->rate(event->user, ev->t_found, ev->after, ev->dy, &rate))
      return events_fail_in_event(ev, i, "its rate could not be evaluated", NULL, err);
    if (!isfinite(rate))
      return events_fail_in_event(ev, i, "its rate is not a finite number", NULL, err);
    *sign = events_sign(rate);
    return DAE_OK;
  }
  for (int k = 0; k < ev->size; k++)
    fastest = fmax(fastest, fabs(ev->dy[k]) / (1 + fabs(ev->after[k])));
  double d = fastest > 0 ? 1e-6 / fastest : 0;
  for (int end = 0; end < 2; end++) {
    double s = end ? d : -d;
    dae__copy(ev->size, ev->after, ev->y);
    dae__axpy(ev->size, s, ev->dy, ev->y);
    if (events_evaluate(ev, i, ev->t_found + s, ev->y, &value[end], NULL))
      return DAE_OK;
  }
  *sign = events_sign(value[1] - value[0]);
  return DAE_OK;
}

/* Deactivates event i after it has fired, unless its action has moved the value away from zero. */
static dae_status events_deactivate(dae__events *ev, int i, double value, bool restarted,
                                    dae_error *err)
{
  watch *w = &ev->watches[i];
  const crossing *c = &ev->crossings[i];
  int from_side = events_sign(c->bracket.fa), sign = 0;
  double noise = fmax(fabs(c->bracket.fa), fabs(c->bracket.fb));
  double band = fmax(ZERO_BAND * c->scale, 16 * fmin(noise, STILL_ZERO * c->scale));
  bool again = w->rebounded && ev->t_found - w->t_fired <= AT_REST * fabs(ev->t_found);
  w->value = value;
  w->t_fired = ev->t_found;
  w->inactive = fabs(value) <= fmax(band, STILL_ZERO * c->scale);
  w->band = fmax(band, 4 * fabs(value));
  w->side = w->inactive ? -from_side : events_sign(value);
  w->rebound = 0;
  w->rebounded = false;
  if (!w->inactive || !restarted || !ev->events[i].action)
    return DAE_OK;
  DAE__TRY(events_rate_sign(ev, i, &sign, err));
  w->rebounded = sign == from_side;
  w->rebound = w->rebounded ? from_side : 0;
  return again && !w->rebounded ? events_fail_accumulated(ev, i, ev->t_found, err) : DAE_OK;
}

/* Sets the states of all events after some have fired, and the start of the next search. */
static dae_status events_rearm(dae__events *ev, bool restarted, dae_error *err)
{
  for (int i = 0; i < ev->count; i++) {
    double value;
    DAE__TRY(events_evaluate(ev, i, ev->t_found, ev->after, &value, err));
    if (ev->crossings[i].found)
      DAE__TRY(events_deactivate(ev, i, value, restarted, err));
    else if (ev->watches[i].inactive)
      events_update_watch(&ev->watches[i], value);
    else
      ev->watches[i] = events_new_watch(value);
  }
  ev->memory->t = ev->t_found;
  return DAE_OK;
}

dae_status dae__events_apply(dae__events *ev, dae_integrator *it, dae__event_news *news,
                             dae_error *err)
{
  *news = (dae__event_news){.t = ev->t_found, .before = ev->before, .after = ev->after};
  memory *m = ev->memory;
  bool stop = false;
  int first = 0;
  dae_status status = dae_integrator_interpolate(it, ev->t_found, ev->before, NULL, err);
  dae__copy(ev->size, ev->before, ev->after);
  if (status < 0)
    return status;
  while (first < ev->count - 1 && !ev->crossings[first].found)
    first++;
  news->name = ev->events[first].name;
  for (int i = first; i < ev->count; i++) {
    const dae_event *event = &ev->events[i];
    if (!ev->crossings[i].found)
      continue;
    news->fired++;
    stop = stop || event->stop;
    news->restarted = news->restarted || event->action;
    if (event->action)
      DAE__TRY(events_run_action(ev, i, err));
  }
  /* whether time has not advanced since the last event; t_fired is NaN before the first */
  bool same_time = ev->t_found - m->t_fired <= 4 * events_resolution(ev->t_found, 0);
  m->simultaneous = same_time ? m->simultaneous + 1 : 0;
  m->t_fired = ev->t_found;
  if (m->simultaneous >= MAX_SIMULTANEOUS)
    return events_fail_accumulated(ev, first, ev->t_found, err);
  if (news->restarted)
    DAE__TRY(events_restart(ev, it, first, err));
  DAE__TRY(events_rearm(ev, news->restarted, err));
  return stop ? DAE_STOPPED : DAE_OK;
}
