/* The next instant of an accepted step: zero crossings of event functions along the dense output,
 * and the instants of time events, at which steps end. */
#include "core/mutant.h"
#include "step/events_private.h"

#include <math.h>

/* Largest number of samples of one event in one step. */
#define MAX_SAMPLES 20000
/* Distance of the points of a difference of the event value, over the step size. */
#define DIFFERENCE 1e-5
/* Time within which a value crosses its round-off, over the larger of the time and the step size,
 * at which it is no longer told from one that stays at zero. Chosen, not measured. */
#define TRANSVERSAL 1e-7

/* ---- samples ---- */

/* Value of event ev->event on the dense output at t within the last step. */
static dae_status events_value_at(void *user, double t, double *value, dae_error *err)
{
  dae__events *ev = user;
  dae_status status = dae_integrator_interpolate(ev->it, t, ev->y, NULL, err);
  return status < 0 ? status : dae__event_value(ev, ev->event, t, ev->y, value, err);
}

dae_status dae__events_state_at(dae__events *ev, double t, bool raw, const dae__event_state **out,
                                dae_error *err)
{
  for (int k = 0; k < ev->kept; k++)
    if (ev->states[k].t == t && ev->states[k].raw == raw) {
      *out = &ev->states[k];
      return DAE_OK;
    }
  dae__event_state *s = &ev->states[ev->next_state];
  ev->next_state = (ev->next_state + 1) % DAE__EVENT_STATES;
  ev->kept = ev->kept < DAE__EVENT_STATES ? ev->kept + 1 : DAE__EVENT_STATES;
  s->t = NAN;
  dae_status status = raw ? dae__integrator_interpolate_raw(ev->it, t, s->y, s->dy, err)
                          : dae_integrator_interpolate(ev->it, t, s->y, s->dy, err);
  if (status < 0)
    return status;
  dae__events_extend(ev, s->y);
  s->t = t;
  s->raw = raw;
  *out = s;
  return DAE_OK;
}

void dae__events_beside(const dae__events *ev, double t, double beside[2])
{
  double from = ev->view.t_previous, to = ev->view.t, d = DIFFERENCE * (to - from);
  beside[0] = fmax(t - d, from);
  beside[1] = fmin(t + d, to);
}

dae_status dae__events_sample(void *user, dae__sample *out, dae_error *err)
{
  dae__events *ev = user;
  const dae_event *event = &ev->events[ev->event];
  bool raw = event->states_only && !ev->projected;
  const dae__event_state *at;
  DAE__TRY(dae__events_state_at(ev, out->t, raw, &at, err));
  if (event->states_only && event->sample &&
      event->sample(event->user, out->t, at->y, at->dy, &out->value, &out->rate) == 0 &&
      isfinite(out->value) && isfinite(out->rate)) {
    out->value += ev->counts[ev->event].shift;
    return DAE_OK;
  }
  DAE__TRY(dae__event_value(ev, ev->event, out->t, at->y, &out->value, err));
  if (event->states_only && event->rate)
    return dae__event_rate(ev, ev->event, out->t, at->y, at->dy, &out->rate, err);
  double t[2], value[2];
  dae__events_beside(ev, out->t, t);
  for (int end = 0; end < 2; end++) {
    DAE__TRY(dae__events_state_at(ev, t[end], raw, &at, err));
    DAE__TRY(dae__event_value(ev, ev->event, t[end], at->y, &value[end], err));
  }
  out->rate = t[1] > t[0] ? (value[1] - value[0]) / (t[1] - t[0]) : 0;
  return DAE_OK;
}

/* ---- search for crossings ---- */

static dae_status events_fail_too_many(const dae__events *ev, int i, dae_error *err)
{
  char text[32];
  const char *name = dae__event_name(ev, i, text);
  dae__fail(err, DAE_ERROR_STEP, name,
            "event '%s' changes sign too often to be followed between t = %.10g and %.10g: let its "
            "function change more slowly, or use `every` for events at regular times",
            name, ev->view.t_previous, ev->view.t);
  dae__fail_at(err, ev->view.t_previous, NAN);
  return DAE_ERROR_STEP;
}

dae__search dae__events_search(dae__events *ev, int i, double end)
{
  return (dae__search){.sample = dae__events_sample,
                       .user = ev,
                       .direction = ev->events[i].direction,
                       .end = end,
                       .step = ev->view.t - ev->view.t_previous,
                       .near_tol = ev->rtol,
                       .near_abs = ev->atol,
                       .limit = MAX_SAMPLES};
}

void dae__events_finish(dae__events *ev)
{
  ev->kept = ev->next_state = 0;
  for (int n = 0; n < ev->searches && ev->it; n++) {
    dae__watch *w = &ev->watches[ev->searched[n]];
    dae__search s = dae__events_search(ev, ev->searched[n], ev->memory->t);
    ev->event = ev->searched[n];
    ev->projected = !ev->events[ev->event].states_only;
    bool known = !isnan(w->left.rate) || /* after an event at the end: asked for now */
                 dae__events_sample(ev, &w->left, NULL) == DAE_OK;
    if (known)
      dae__search_end(&s, w);
  }
}

/* Searches for the first crossing of event i up to `end`, from its watch at the end of the last
 * search. A crossing or a close extremum on raw dense output is confirmed on projected dense
 * output. */
static dae_status events_search_one(dae__events *ev, int i, double end, double tolerance,
                                    dae_error *err)
{
  dae__crossing *c = &ev->crossings[i];
  dae__search s = dae__events_search(ev, i, end);
  dae__watch *w = &ev->trial[i];
  ev->event = i;
  c->found = false;
  for (ev->projected = !ev->events[i].states_only;; ev->projected = true) {
    dae__found found;
    *w = ev->watches[i];
    if (isnan(w->left.rate))
      DAE__TRY(dae__events_sample(ev, &w->left, err));
    if (w->sided.t == w->left.t)
      w->sided = w->left;
    DAE__TRY(dae__search_interval(&s, w, &found, err));
    if (found.too_many)
      return events_fail_too_many(ev, i, err);
    if (found.lost)
      return dae__events_fail_accumulated(ev, i, w->t_fired, err);
    if (!ev->projected && found.close)
      continue;
    if (!found.crossing)
      return DAE_OK;
    c->bracket = found.bracket;
    /* at zero since the start of the step, or since the last search on the wrong side of it */
    bool at_once = c->bracket.a < ev->view.t_previous ||
                   (c->bracket.a == ev->memory->t && c->bracket.fa * w->side <= 0);
    if (at_once) {
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
  for (int n = 0; n < ev->searches; n++) {
    int i = ev->searched[n];
    bool found = ev->crossings[i].found, behind = ev->t_found > ev->watches[i].left.t;
    if (!found && behind) {
      DAE__TRY(events_search_one(ev, i, ev->t_found, tolerance, err));
      ev->crossings[i].found = false;
    }
    if (found || behind)
      ev->watches[i] = ev->trial[i];
  }
  return DAE_OK;
}

/* Whether event i, which has not been found up to its last sample, is at its zero there but for
 * round-off and crosses it: after a restart the watch would have no side. */
static bool events_is_at_zero(const dae__events *ev, int i, double tolerance)
{
  const dae__watch *w = &ev->watches[i];
  double e = w->left.value, rate = w->left.rate, noise = DAE__RESTART_BAND_MIN * w->scale;
  bool wanted = ev->events[i].direction == 0 || ev->events[i].direction == -w->side;
  bool crosses =
      w->side != 0 && wanted && e * w->side >= 0 && rate * w->side < 0; /* false for NaN */
  bool transversal = noise <= TRANSVERSAL * fabs(rate) * tolerance / DBL_EPSILON;
  return DAE__MUTATE(event_at_zero, crosses && transversal, false) &&
         fabs(e) <= fmax(4 * tolerance * fabs(rate), noise);
}

/* Adds the events that are at their zero at the instant that was found. */
static void events_add_at_zero(dae__events *ev, double tolerance)
{
  for (int n = 0; n < ev->searches; n++) {
    int i = ev->searched[n];
    dae__crossing *c = &ev->crossings[i];
    const dae__watch *w = &ev->watches[i];
    if (c->found || ev->events[i].kind == DAE_EVENT_GUARD)
      continue;
    c->found = events_is_at_zero(ev, i, tolerance);
    c->bracket = (dae__bracket){
        .a = ev->t_found, .b = ev->t_found, .fa = w->sided.value, .fb = w->left.value};
    c->scale = w->scale;
  }
}

/* Searches for crossings up to the time `to` in the step; *earliest: end of the bracket of the
 * first one, infinity: there is none. */
static dae_status events_search_all(dae__events *ev, double to, double tolerance, double *earliest,
                                    dae_error *err)
{
  double from = ev->memory->t;
  /* pieces of the interpolant in turn: their ends may be kinks */
  int parts = ev->view.pieces > 1 ? ev->view.pieces : 1;
  *earliest = INFINITY;
  for (int part = 1; part <= parts; part++) {
    double end = part == parts ? to : from + (to - from) * part / parts;
    dae__places places = dae__search_places(ev->memory->t, end);
    DAE__TRY(dae__events_look(ev, ev->memory->t, end, err));
    for (int n = 0; n < ev->searches; n++) {
      int i = ev->searched[n];
      if (ev->look.cleared[i])
        continue;
      DAE__TRY(events_search_one(ev, i, fmin(end, *earliest + 4 * tolerance), tolerance, err));
      if (DAE__MUTATE(event_two_in_part, ev->crossings[i].found,
                      ev->crossings[i].found && *earliest == INFINITY))
        *earliest = fmin(*earliest, ev->crossings[i].bracket.b);
    }
    if (*earliest < INFINITY)
      return DAE_OK;
    for (int n = 0; n < ev->searches; n++) {
      int i = ev->searched[n];
      if (ev->look.cleared[i])
        dae__events_pass(ev, i, &places);
      else
        ev->watches[i] = ev->trial[i];
    }
    ev->memory->t = end;
  }
  return DAE_OK;
}

dae_status dae__events_detect(dae__events *ev, dae_integrator *it, double *t, dae_error *err)
{
  ev->it = it;
  ev->view = dae_integrator_view(it);
  double to = ev->view.t, earliest = INFINITY, next = dae__events_next(ev);
  double tolerance = dae__event_resolution(to, to - ev->view.t_previous);
  double just_behind = to + 4 * tolerance;
  if (ev->count == 0 || !(to > ev->memory->t || next <= just_behind))
    return DAE_OK;
  ev->kept = ev->next_state = 0;
  dae__events_extend(ev, ev->y);
  dae__events_leave_contacts(ev);
  for (int i = 0; i < ev->count; i++)
    ev->crossings[i].found = false;
  if (fmin(to, next) > ev->memory->t)
    DAE__TRY(events_search_all(ev, fmin(to, next), tolerance, &earliest, err));
  /* an instant wins over a crossing within the resolution of time before it: both happen there */
  bool due = next <= just_behind && next <= earliest + 4 * tolerance;
  if (!due && earliest == INFINITY)
    return DAE_OK;
  /* events that cross at the same time fire together, at the last of their brackets */
  ev->t_found = due ? fmin(next, to) : earliest;
  double limit = ev->t_found + 4 * tolerance;
  for (int i = 0; i < ev->count; i++) {
    dae__crossing *c = &ev->crossings[i];
    if (ev->events[i].next) {
      c->found = due && ev->next[i] <= next + 4 * DBL_EPSILON * fabs(next);
      continue;
    }
    c->found = c->found && DAE__MUTATE(event_earliest, c->bracket.b <= limit, true);
    if (c->found && !due)
      ev->t_found = fmax(ev->t_found, c->bracket.b);
  }
  DAE__TRY(events_advance(ev, tolerance, err));
  events_add_at_zero(ev, tolerance);
  *t = ev->t_found;
  return DAE_EVENT;
}
