#include "step/events.h"

#include "core/error.h"
#include "core/vec.h"
#include "step/integrator.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* Half-width of the band around zero, over the event values around a crossing, that counts as zero
 * after the event has fired; round-off of projected states is 1e-12 of their terms. */
#define ZERO_BAND 1e-12
/* Event value after an action, over the values around the crossing, below which the action has not
 * moved the value away from zero. Chosen, not measured. */
#define STILL_ZERO 1e-6
/* Half-width of the band around zero in which an event has no side after a restart by another
 * event, if it has not left it since its last zero: number of tolerances of its value, and least
 * width over the largest value so far. */
#define RESTART_BAND 10
#define RESTART_BAND_MIN 1e-14
/* Largest relative tolerance for near misses and bands: ten times it is a tenth of the values. */
#define MAX_RTOL 1e-2
/* Number of consecutive events at the same time, up to round-off, that counts as a loop; chains of
 * collisions have a few per body. */
#define MAX_SIMULTANEOUS 100
/* Time between two events, relative to |t|, below which an event value that rebounds at the first
 * and not at the second has come to rest: its rate is round-off. Chosen, not measured. */
#define AT_REST 1e-7
/* Largest number of samples of one event in one step. */
#define MAX_SAMPLES 20000
/* Distance of the points of a difference of the event value, over the step size. */
#define DIFFERENCE 1e-5
/* Number of states that are kept for the samples of all events; the first four serve all. */
#define STATES 16

typedef struct memory {
  double t;         /* end of the part of the step searched so far */
  double t_fired;   /* time of the last event */
  int simultaneous; /* number of consecutive events at t_fired */
} memory;

/* Zero crossing of one event in the current step. */
typedef struct crossing {
  bool found;
  dae__bracket bracket;
  double scale; /* size of the event values around the crossing */
} crossing;

/* Raw dense output at t. */
typedef struct state {
  double t;
  double *y, *dy;
} state;

struct dae__events {
  const dae_problem *problem;
  const dae_event *events;
  const dae_env *env;
  const bool *held;
  int count, size;
  double rtol, atol; /* tolerances of the steps, for near misses */
  memory *memory;
  dae__watch *watches;      /* saved */
  dae__event_count *counts; /* saved */
  dae__watch *trial;        /* watches during the search of a step */
  crossing *crossings;
  state states[STATES];
  int kept, next_state; /* number of states kept, and entry that is overwritten next */
  double t_found;
  double *y, *before, *after, *dy;
  bool *fixed;        /* entries of the state vector that a restart holds */
  dae_integrator *it; /* integrator whose last step is searched */
  dae_view view;      /* its last step */
  int event;          /* index of the event that is sampled or located */
  bool projected;     /* samples are taken from projected dense output */
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
  own.watches = DAE__STATE(arena, dae__watch, count);
  own.counts = DAE__STATE(arena, dae__event_count, count);
  own.trial = DAE__ALLOC(arena, dae__watch, count);
  own.crossings = DAE__ALLOC(arena, crossing, count);
  own.y = DAE__ALLOC(arena, double, n);
  own.before = DAE__ALLOC(arena, double, n);
  own.after = DAE__ALLOC(arena, double, n);
  own.dy = DAE__ALLOC(arena, double, n);
  own.fixed = DAE__ALLOC(arena, bool, n);
  for (int k = 0; k < STATES && count > 0; k++)
    own.states[k] =
        (state){.t = NAN, .y = DAE__ALLOC(arena, double, n), .dy = DAE__ALLOC(arena, double, n)};
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

void dae__events_set_tolerances(dae__events *ev, double rtol, double atol)
{
  ev->rtol = fmin(rtol, MAX_RTOL);
  ev->atol = atol;
}

dae__event_count dae__events_count(const dae__events *ev, int i)
{
  dae__event_count count = ev->counts[i];
  count.near_misses = ev->watches[i].near;
  return count;
}

dae_status dae__events_arm(dae__events *ev, double t, const double *y, dae_error *err)
{
  for (int i = 0; i < ev->count; i++) {
    dae__sample at = {.t = t, .rate = NAN};
    DAE__TRY(events_evaluate(ev, i, t, y, &at.value, err));
    ev->watches[i].t_fired = NAN;
    dae__watch_start(&ev->watches[i], at, 0);
  }
  *ev->memory = (memory){.t = t, .t_fired = NAN};
  return DAE_OK;
}

/* ---- samples ---- */

/* Value of event ev->event on the dense output at t within the last step. */
static dae_status events_value_at(void *user, double t, double *value, dae_error *err)
{
  dae__events *ev = user;
  dae_status status = dae_integrator_interpolate(ev->it, t, ev->y, NULL, err);
  return status < 0 ? status : events_evaluate(ev, ev->event, t, ev->y, value, err);
}

/* Raw dense output at t, from the states kept for other events or computed now. */
static dae_status events_state_at(dae__events *ev, double t, const state **out, dae_error *err)
{
  for (int k = 0; k < ev->kept; k++)
    if (ev->states[k].t == t) {
      *out = &ev->states[k];
      return DAE_OK;
    }
  state *s = &ev->states[ev->next_state];
  ev->next_state = (ev->next_state + 1) % STATES;
  ev->kept = ev->kept < STATES ? ev->kept + 1 : STATES;
  s->t = NAN;
  DAE__TRY(dae__integrator_interpolate_raw(ev->it, t, s->y, s->dy, err));
  s->t = t;
  *out = s;
  return DAE_OK;
}

static dae_status events_rate(const dae__events *ev, int i, double t, const double *y,
                              const double *dy, double *rate, dae_error *err)
{
  const dae_event *event = &ev->events[i];
  char text[32];
  const char *name = events_name(ev, i, text);
  if (!event->rate(event->user, t, y, dy, rate) && isfinite(*rate))
    return DAE_OK;
  dae__fail(err, DAE_ERROR_CALLBACK, name,
            "the rate of event '%s' could not be evaluated at t = %.10g", name, t);
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_CALLBACK;
}

/* Value and rate of event ev->event at out->t: on raw dense output where the event depends on
 * states alone, else on projected dense output; without a rate function by differences. */
static dae_status events_sample(void *user, dae__sample *out, dae_error *err)
{
  dae__events *ev = user;
  const dae_event *event = &ev->events[ev->event];
  bool raw = event->states_only && !ev->projected;
  const double *y = ev->y, *dy = ev->dy;
  const state *at;
  if (raw) {
    DAE__TRY(events_state_at(ev, out->t, &at, err));
    y = at->y;
    dy = at->dy;
  } else {
    dae_status status = dae_integrator_interpolate(ev->it, out->t, ev->y, ev->dy, err);
    if (status < 0)
      return status;
  }
  DAE__TRY(events_evaluate(ev, ev->event, out->t, y, &out->value, err));
  if (event->states_only && event->rate)
    return events_rate(ev, ev->event, out->t, y, dy, &out->rate, err);
  double from = ev->view.t_previous, to = ev->view.t, d = DIFFERENCE * (to - from);
  double left = fmax(out->t - d, from), right = fmin(out->t + d, to), before, after;
  for (int end = 0; end < 2; end++) {
    double t = end ? right : left, *value = end ? &after : &before;
    dae_status status = raw ? dae__integrator_interpolate_raw(ev->it, t, ev->y, NULL, err)
                            : dae_integrator_interpolate(ev->it, t, ev->y, NULL, err);
    if (status < 0)
      return status;
    DAE__TRY(events_evaluate(ev, ev->event, t, ev->y, value, err));
  }
  out->rate = right > left ? (after - before) / (right - left) : 0;
  return DAE_OK;
}

/* ---- search ---- */

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

static dae_status events_fail_too_many(const dae__events *ev, int i, dae_error *err)
{
  char text[32];
  const char *name = events_name(ev, i, text);
  dae__fail(err, DAE_ERROR_STEP, name,
            "event '%s' changes sign too often to be followed between t = %.10g and %.10g: let its "
            "function change more slowly, or use `every` for events at regular times",
            name, ev->view.t_previous, ev->view.t);
  dae__fail_at(err, ev->view.t_previous, NAN);
  return DAE_ERROR_STEP;
}

/* Searches for the first crossing of event i up to `end`, from its watch at the end of the last
 * search. A crossing or a close extremum on raw dense output is confirmed on projected dense
 * output. */
static dae_status events_search_one(dae__events *ev, int i, double end, double tolerance,
                                    dae_error *err)
{
  crossing *c = &ev->crossings[i];
  dae__search s = {.sample = events_sample,
                   .user = ev,
                   .direction = ev->events[i].direction,
                   .order = ev->view.order,
                   .end = end,
                   .step = ev->view.t - ev->view.t_previous,
                   .near_tol = ev->rtol,
                   .near_abs = ev->atol,
                   .limit = MAX_SAMPLES};
  dae__watch *w = &ev->trial[i];
  ev->event = i;
  c->found = false;
  for (ev->projected = !ev->events[i].states_only;; ev->projected = true) {
    dae__found found;
    *w = ev->watches[i];
    if (isnan(w->left.rate))
      DAE__TRY(events_sample(ev, &w->left, err));
    if (w->sided.t == w->left.t)
      w->sided = w->left;
    DAE__TRY(dae__search_interval(&s, w, &found, err));
    if (found.too_many)
      return events_fail_too_many(ev, i, err);
    if (found.lost)
      return events_fail_accumulated(ev, i, w->t_fired, err);
    if (!ev->projected && found.close)
      continue;
    if (!found.crossing)
      return DAE_OK;
    c->bracket = found.bracket;
    if (c->bracket.a < ev->view.t_previous) { /* at zero since the start of the step */
      c->bracket.b = ev->memory->t;
      c->found = true;
      return DAE_OK;
    }
    if (!ev->projected) {
      DAE__TRY(events_value_at(ev, c->bracket.a, &c->bracket.fa, err));
      DAE__TRY(events_value_at(ev, c->bracket.b, &c->bracket.fb, err));
      if (!(c->bracket.fa * w->side > 0 && c->bracket.fb * w->side <= 0))
        continue;
    }
    c->found = true;
    c->scale = fmax(fabs(c->bracket.fa), fabs(c->bracket.fb));
    return dae__root_narrow(&c->bracket, tolerance, events_value_at, ev, err);
  }
}

/* Advances the watches of all events that have not fired to the time of those that have. */
static dae_status events_advance(dae__events *ev, double tolerance, dae_error *err)
{
  for (int i = 0; i < ev->count; i++) {
    crossing c = ev->crossings[i];
    if (!c.found && ev->t_found > ev->watches[i].left.t) {
      DAE__TRY(events_search_one(ev, i, ev->t_found, tolerance, err));
      ev->crossings[i].found = false;
    }
    ev->watches[i] = ev->trial[i];
  }
  return DAE_OK;
}

dae_status dae__events_detect(dae__events *ev, dae_integrator *it, double *t, dae_error *err)
{
  ev->it = it;
  ev->view = dae_integrator_view(it);
  double from = ev->memory->t, to = ev->view.t, earliest = INFINITY;
  double tolerance = events_resolution(to, to - ev->view.t_previous);
  if (ev->count == 0 || !(to > from))
    return DAE_OK;
  ev->kept = ev->next_state = 0;
  /* pieces of the interpolant in turn: their ends may be kinks */
  int parts = ev->view.pieces > 1 ? ev->view.pieces : 1;
  for (int part = 1; part <= parts; part++) {
    double end = part == parts ? to : from + (to - from) * part / parts;
    for (int i = 0; i < ev->count; i++) {
      DAE__TRY(events_search_one(ev, i, fmin(end, earliest + 4 * tolerance), tolerance, err));
      if (ev->crossings[i].found)
        earliest = fmin(earliest, ev->crossings[i].bracket.b);
    }
    if (earliest < INFINITY)
      break;
    for (int i = 0; i < ev->count; i++)
      ev->watches[i] = ev->trial[i];
    ev->memory->t = end;
  }
  if (earliest == INFINITY)
    return DAE_OK;
  /* events that cross at the same time fire together, at the last of their brackets */
  ev->t_found = earliest;
  for (int i = 0; i < ev->count; i++) {
    crossing *c = &ev->crossings[i];
    c->found = c->found && c->bracket.b <= earliest + 4 * tolerance;
    if (c->found)
      ev->t_found = fmax(ev->t_found, c->bracket.b);
  }
  DAE__TRY(events_advance(ev, tolerance, err));
  *t = ev->t_found;
  return DAE_EVENT;
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

/* Runs the action of event i on ev->after, and marks the entries that it sets: those of
 * `sets`, or without it those that it changes; y is workspace. */
static dae_status events_run_action(dae__events *ev, int i, dae_error *err)
{
  const dae_event *event = &ev->events[i];
  dae__copy(ev->size, ev->after, ev->y);
  if (event->action(event->user, ev->t_found, ev->y, ev->after))
    return events_fail_in_event(ev, i, "its action failed", NULL, err);
  if (!dae__all_finite(ev->size, ev->after))
    return events_fail_in_event(ev, i, "its action sets a value that is not a finite number", NULL,
                                err);
  for (int k = 0; !event->sets && k < ev->size; k++)
    ev->fixed[k] = ev->fixed[k] || ev->after[k] != ev->y[k];
  for (int k = 0; event->sets && k < event->set_count; k++)
    ev->fixed[event->sets[k]] = true;
  return DAE_OK;
}

/* Makes the state after the actions consistent, with the values that they set held, and restarts
 * the integrator there. */
static dae_status events_restart(dae__events *ev, dae_integrator *it, int first, dae_error *err)
{
  dae_error cause = dae_error_none();
  dae__copy(ev->size, ev->after, ev->y);
  dae_start start = {.t = ev->t_found, .y = ev->y, .fixed = ev->fixed};
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
  double rate = 0, fastest = 0, value[2];
  *sign = 0;
  if (ev->events[i].rate) {
    DAE__TRY(events_rate(ev, i, ev->t_found, ev->after, ev->dy, &rate, err));
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

/* Change of the value of event i at ev->after by changes of all variables that are not held, by
 * rtol |y| + atol with equal and with alternating signs; y is workspace. */
static double events_change(dae__events *ev, int i, double value, double rtol, double atol)
{
  double changed, most = 0;
  for (int alternating = 0; alternating < 2; alternating++) {
    for (int k = 0; k < ev->size; k++) {
      double d = ev->held && ev->held[k] ? 0 : rtol * fabs(ev->after[k]) + atol;
      ev->y[k] = ev->after[k] + (alternating && k % 2 ? -d : d);
    }
    if (!events_evaluate(ev, i, ev->t_found, ev->y, &changed, NULL))
      most = fmax(most, fabs(changed - value));
  }
  return most;
}

/* Starts the watch of event i after it has fired: without a side, unless its action has moved the
 * value away from zero. */
static dae_status events_start_fired(dae__events *ev, int i, dae__sample at, bool restarted,
                                     dae_error *err)
{
  dae__watch *w = &ev->watches[i];
  const crossing *c = &ev->crossings[i];
  dae__event_count *count = &ev->counts[i];
  int from_side = events_sign(c->bracket.fa), sign = 0;
  double noise = 4 * events_change(ev, i, at.value, ZERO_BAND, 0), width = w->width;
  double band = fmax(fmax(ZERO_BAND * c->scale, noise),
                     16 * fmin(fabs(c->bracket.fb), STILL_ZERO * c->scale));
  bool zero = fabs(at.value) <= fmax(band, STILL_ZERO * c->scale);
  bool again = w->rebounded && ev->t_found - w->t_fired <= AT_REST * fabs(ev->t_found);
  count->first = count->fired == 0 ? ev->t_found : count->first;
  count->last = ev->t_found;
  count->fired++;
  dae__watch_start(w, at, zero ? fmax(band, 4 * fabs(at.value)) : 0);
  w->width = restarted ? 0 : width;
  w->t_fired = ev->t_found;
  if (!zero || !restarted || !ev->events[i].action)
    return DAE_OK;
  DAE__TRY(events_rate_sign(ev, i, &sign, err));
  w->rebounded = sign == from_side;
  w->rebound = w->rebounded ? from_side : 0;
  w->lost = w->rebounded ? RESTART_BAND * events_change(ev, i, at.value, ev->rtol, ev->atol) : 0;
  return again && !w->rebounded ? events_fail_accumulated(ev, i, ev->t_found, err) : DAE_OK;
}

/* Starts all watches after some events have fired, and sets the start of the next search. */
static dae_status events_rearm(dae__events *ev, bool restarted, dae_error *err)
{
  for (int i = 0; i < ev->count; i++) {
    dae__sample at = {.t = ev->t_found, .rate = NAN};
    dae__watch *w = &ev->watches[i];
    DAE__TRY(events_evaluate(ev, i, ev->t_found, ev->after, &at.value, err));
    if (ev->crossings[i].found) {
      DAE__TRY(events_start_fired(ev, i, at, restarted, err));
    } else if (restarted) {
      /* an event that was on its way to zero, and that the actions do not change, keeps its side */
      bool rebounded = w->rebounded, noise = fabs(at.value) <= RESTART_BAND_MIN * w->scale;
      bool same = fabs(at.value - w->left.value) <= fabs(at.value) / 2;
      bool keeps = w->armed && same && !noise && events_sign(at.value) == w->side;
      double band = keeps ? 0 : RESTART_BAND * events_change(ev, i, at.value, ev->rtol, ev->atol);
      dae__watch_start(w, at, fmax(band, RESTART_BAND_MIN * w->scale));
      w->armed = keeps;
      w->rebounded = rebounded;
    }
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
  for (int k = 0; k < ev->size; k++)
    ev->fixed[k] = ev->held && ev->held[k];
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
