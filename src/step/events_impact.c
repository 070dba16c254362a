/* Impacts at the instant of events: the contacts that are closed there, their gradients and laws,
 * and the velocities after them (problem/impact.h). */
#include "core/log.h"
#include "problem/impact.h"
#include "step/events_private.h"

#include <math.h>

/* Gap rate after an impact, relative to that before, below which the contact does not open by it,
 * and the change of the state, relative, over which gap rates are differenced. Chosen. */
#define CLOSED_RATE 1e-9
#define DIFFERENCE 1e-6
/* Acceleration of a gap, relative to the accelerations that it is the difference of, that is
 * round-off. Chosen. */
#define ACCELERATION_NOISE 1e-6
/* Gap rate of a closed contact, relative to its fastest closing, that is round-off. Chosen. */
#define ZERO_RATE 1e-12
/* Gap, in tolerances of the motion, that is no gap. Chosen. */
#define ERROR_NOISE 1e-3
/* Gap, in shifts, from which on a contact is open without doubt. Chosen. */
#define LEFT_SHIFTS 10
/* Gap at the start, in tolerances of its value, that counts as closed. Chosen. */
#define START_TOLERANCES 10

void dae__events_create_impacts(dae__arena *arena, dae__events *ev)
{
  bool any = false;
  for (int i = 0; i < ev->count; i++)
    any = any || ev->events[i].contact;
  if (!any)
    return;
  ev->rate_entry = DAE__ALLOC(arena, int, ev->size);
  DAE__VECTORS(arena, ev->count, &ev->gap_before, &ev->gap_after);
  ev->resting = DAE__ALLOC(arena, bool, ev->count);
  ev->released = DAE__ALLOC(arena, bool, ev->count);
  /* coordinates and rates stand in the same order */
  for (int k = 0, rate = -1; ev->rate_entry && k < ev->size; k++) {
    char name[128];
    ev->rate_entry[k] = -1;
    if (dae_problem_variable(ev->problem, k, name, sizeof name) != DAE_VARIABLE_COORDINATE)
      continue;
    do
      rate++;
    while (rate < ev->size &&
           dae_problem_variable(ev->problem, rate, name, sizeof name) != DAE_VARIABLE_RATE);
    ev->rate_entry[k] = rate < ev->size ? rate : -1;
  }
}

/* Gradient and rate of the gap of event i (slide -1) or of a sliding coordinate at (t, y). */
static dae_status impact_gradient(const dae__events *ev, int i, int slide, double t,
                                  const double *y, double *gradient, double *rate, dae_error *err)
{
  const dae_event *event = &ev->events[i];
  char text[32];
  const char *name = dae__event_name(ev, i, text);
  *rate = 0;
  dae__zero(ev->size, gradient);
  int refused = slide < 0 ? event->contact->normal(event->user, t, y, gradient, rate)
                          : event->contact->slide(event->user, slide, t, y, gradient, rate);
  if (!refused && isfinite(*rate) && dae__all_finite(ev->size, gradient))
    return DAE_OK;
  dae__fail(err, DAE_ERROR_CALLBACK, name,
            "the gradient of %s of '%s' could not be evaluated at t = %.10g",
            slide < 0 ? "the gap" : "the sliding coordinate", name, t);
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_CALLBACK;
}

/* Gap rate of event i at (t, y); gradient: workspace. */
static dae_status impact_speed(const dae__events *ev, int i, double t, const double *y,
                               double *gradient, double *speed, dae_error *err)
{
  double rate;
  DAE__TRY(impact_gradient(ev, i, -1, t, y, gradient, &rate, err));
  *speed = rate;
  for (int k = 0; k < ev->size; k++)
    if (gradient[k] != 0 && ev->rate_entry[k] >= 0)
      *speed += gradient[k] * y[ev->rate_entry[k]];
  return DAE_OK;
}

dae_status dae__events_check_open(dae__events *ev, int i, dae_error *err)
{
  char text[32];
  const char *name = dae__event_name(ev, i, text);
  double fastest = 0, speed[2], size = 0;
  if (dae__event_holds(&ev->events[i]) || ev->gap_after[i] > CLOSED_RATE * fabs(ev->gap_before[i]))
    return DAE_OK;
  /* acceleration of the gap */
  for (int k = 0; k < ev->size; k++)
    fastest = fmax(fastest, fabs(ev->dy[k]) / (1 + fabs(ev->after[k])));
  double d = fastest > 0 ? DIFFERENCE / fastest : 0;
  for (int end = 0; end < 2; end++) {
    double s = end ? d : -d;
    dae__copy(ev->extended, ev->after, ev->y);
    dae__axpy(ev->size, s, ev->dy, ev->y);
    DAE__TRY(impact_speed(ev, i, ev->t_found + s, ev->y, ev->unmoved, &speed[end], err));
  }
  for (int k = 0; k < ev->size; k++)
    if (ev->rate_entry[k] >= 0)
      size += fabs(ev->unmoved[k] * ev->dy[ev->rate_entry[k]]) * 2 * d;
  if (!(speed[0] - speed[1] > ACCELERATION_NOISE * size))
    return DAE_OK;
  dae__fail(err, DAE_ERROR_STEP, name,
            "'%s' stays closed after its impact at t = %.10g, and nothing holds it: the force that "
            "presses it would drive it through. An impact changes velocities only; a contact stays "
            "closed while it presses: contact %s: E >= 0",
            name, ev->t_found, name);
  dae__fail_at(err, ev->t_found, NAN);
  return DAE_ERROR_STEP;
}

/* ---- the contacts of an instant ---- */

/* Entry of the state of a contact that holds: 0 open, 1 closed. */
static double *contact_state(const dae__events *ev, int i)
{
  return &ev->after[ev->events[i].contact->state];
}

/* Sets the state of a contact, and counts the time that it is closed. */
static void contact_set(dae__events *ev, int i, bool closed)
{
  dae__event_count *n = &ev->counts[i];
  double *state = contact_state(ev, i);
  if (*state > 0 && !closed)
    n->closed += ev->t_found - n->since;
  if (!(*state > 0) && closed)
    n->since = ev->t_found;
  *state = closed;
  ev->problem->held.value[ev->events[i].contact->state - ev->size] = closed;
}

/* Round-off of the value of event i. */
static double contact_noise(dae__events *ev, int i, double value)
{
  return 4 * dae__event_change(ev, i, ev->t_found, ev->after, value, DAE__ZERO_BAND, 0, ev->y);
}

/* Whether contact i is closed: it holds, has just closed, or its gap is round-off. */
static dae_status contact_is_closed(dae__events *ev, int i, bool *closed, dae_error *err)
{
  const dae_event *event = &ev->events[i];
  double value;
  *closed = false;
  if (!event->contact)
    return DAE_OK;
  *closed = ev->crossings[i].found || (event->contact->holds && *contact_state(ev, i) > 0);
  if (*closed)
    return DAE_OK;
  DAE__TRY(dae__event_value(ev, i, ev->t_found, ev->after, &value, err));
  *closed = fabs(value - ev->counts[i].shift) <= contact_noise(ev, i, value);
  return DAE_OK;
}

/* The contact of event i, with gradients in memory of the arena. */
static dae_status contact_describe(dae__events *ev, dae__arena *arena, int i,
                                   dae__impact_contact *out, dae_error *err)
{
  const dae_event *event = &ev->events[i];
  char text[32];
  const char *name = dae__event_name(ev, i, text);
  *out = (dae__impact_contact){.name = event->name ? event->name : "a contact without a name",
                               .slides = event->contact->slides};
  for (int k = -1; k < out->slides; k++) {
    double *gradient = DAE__ALLOC(arena, double, ev->size);
    DAE__TRY(dae__arena_status(arena, err));
    double *rate = k < 0 ? &out->normal_t : &out->slide_t[k];
    DAE__TRY(impact_gradient(ev, i, k, ev->t_found, ev->after, gradient, rate, err));
    *(k < 0 ? &out->normal : &out->slide[k]) = gradient;
  }
  if (!event->contact->law)
    return DAE_OK;
  int refused =
      event->contact->law(event->user, ev->t_found, ev->after, &out->restitution, &out->friction);
  if (!refused && out->restitution >= 0 && out->restitution <= 1 && out->friction >= 0 &&
      isfinite(out->friction))
    return DAE_OK;
  dae__fail(err, DAE_ERROR_CALLBACK, name,
            "'%s' at t = %.10g has restitution %.6g and friction %.6g: restitution is between 0 "
            "and 1, friction not negative",
            name, ev->t_found, out->restitution, out->friction);
  dae__fail_at(err, ev->t_found, NAN);
  return DAE_ERROR_CALLBACK;
}

/* Contacts of one instant, in temporary memory: the closed ones, or those of ev->resting. */
typedef struct contacts {
  int count, *event; /* by contact: its event */
  dae__impact_contact *contact;
  double *force;
} contacts;

static dae_status contacts_gather(dae__events *ev, dae__arena *arena, bool resting, contacts *all,
                                  dae_error *err)
{
  *all = (contacts){.event = DAE__ALLOC(arena, int, ev->count),
                    .contact = DAE__ALLOC(arena, dae__impact_contact, ev->count),
                    .force = DAE__ALLOC(arena, double, ev->count)};
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < ev->count; i++) {
    bool taken = ev->resting && ev->resting[i];
    if (!resting)
      DAE__TRY(contact_is_closed(ev, i, &taken, err));
    if (!taken)
      continue;
    DAE__TRY(contact_describe(ev, arena, i, &all->contact[all->count], err));
    all->event[all->count++] = i;
  }
  return DAE_OK;
}

/* Counts the outcome of an impact, and logs a law that was not the one given. */
static void impact_count(dae__events *ev, const contacts *all, const dae__impact_outcome *out)
{
  static const char *const laws[] = {"", "without restitution", "without friction",
                                     "without restitution and friction"};
  ev->memory->lost += out->lost;
  for (int k = 0; k < all->count; k++) {
    dae__event_count *n = &ev->counts[all->event[k]];
    n->impulse = fmax(n->impulse, out->impulse[k]);
    n->fastest = fmax(n->fastest, -out->before[k]);
    n->reduced += out->reduced < 1 && out->impulse[k] > 0;
    n->left_out += out->law != DAE__IMPACT_AS_GIVEN && out->impulse[k] > 0;
  }
  if (out->law != DAE__IMPACT_AS_GIVEN)
    dae__log(ev->env, DAE_LOG_WARNING,
             "impact at t = %.10g: no velocities after it obey restitution and friction; taken %s",
             ev->t_found, laws[out->law]);
}

/* Gap rate above which a contact parts: slower ones come to rest by ever smaller jumps. */
static double contact_slow(const dae__events *ev, int i)
{
  return fmax(ev->atol, ev->rtol * ev->counts[i].fastest);
}

/* Velocities after the impact of the closed contacts, and those of them that are at rest. */
static dae_status impact_solve(dae__events *ev, dae__arena *arena, dae_error *err)
{
  contacts all;
  dae__impact_outcome out = {.reduced = 1};
  bool closes = false;
  DAE__TRY(contacts_gather(ev, arena, false, &all, err));
  DAE__VECTORS(arena, ev->count, &out.impulse, &out.before, &out.after);
  DAE__TRY(dae__arena_status(arena, err));
  for (int k = 0; k < all.count; k++) {
    int i = all.event[k];
    if (dae__event_holds(&ev->events[i])) {
      ev->released[i] = ev->released[i] || (ev->crossings[i].found && *contact_state(ev, i) > 0);
      contact_set(ev, i, false);
    }
    DAE__TRY(impact_speed(ev, i, ev->t_found, ev->after, ev->unmoved, &out.before[k], err));
    out.after[k] = out.before[k];
    closes = closes || out.before[k] < -ZERO_RATE * ev->counts[i].fastest;
  }
  if (closes) {
    DAE__TRY(dae__impact(ev->problem, ev->t_found, ev->after, all.count, all.contact, ev->env, &out,
                         err));
    impact_count(ev, &all, &out);
  }
  for (int k = 0; k < all.count; k++) {
    int i = all.event[k];
    ev->gap_before[i] = out.before[k];
    ev->gap_after[i] = out.after[k];
    /* found without closing: a hop below what the search resolves */
    bool hops = ev->crossings[i].found && out.before[k] >= 0;
    ev->resting[i] =
        dae__event_holds(&ev->events[i]) && (hops || out.after[k] <= contact_slow(ev, i));
  }
  return DAE_OK;
}

dae_status dae__events_impact(dae__events *ev, dae_error *err)
{
  bool found = false;
  for (int i = 0; ev->resting && i < ev->count; i++) {
    const dae_event *event = &ev->events[i];
    found = found || (event->contact && (ev->crossings[i].found || event->contact->holds));
    ev->resting[i] = false;
  }
  if (!found)
    return DAE_OK;
  dae__arena *arena = dae__arena_create(ev->env);
  if (!arena)
    return dae__out_of_memory(err);
  dae_status status = impact_solve(ev, arena, err);
  dae__arena_free(arena);
  return status;
}

void dae__events_close(dae__events *ev)
{
  for (int i = 0; ev->resting && i < ev->count; i++)
    if (ev->resting[i])
      contact_set(ev, i, true);
}

static dae_status contacts_release(dae__events *ev, dae__arena *arena, bool *opened, dae_error *err)
{
  contacts all;
  DAE__TRY(contacts_gather(ev, arena, true, &all, err));
  for (int k = 0; k < all.count; k++) {
    int i = all.event[k];
    all.force[k] = ev->after[ev->events[i].contact->force];
    if (ev->released[i]) /* what is left of it is the error of the motion */
      all.force[k] = fmin(all.force[k], 0);
    contact_set(ev, i, false);
  }
  DAE__TRY(dae__press(ev->problem, ev->t_found, ev->after, all.count, all.contact, ev->env,
                      all.force, err));
  for (int k = 0; k < all.count; k++)
    *opened = *opened || !(all.force[k] > 0);
  for (int k = 0; k < all.count; k++)
    contact_set(ev, all.event[k], all.force[k] > 0);
  return DAE_OK;
}

dae_status dae__events_release(dae__events *ev, bool *opened, dae_error *err)
{
  bool any = false;
  *opened = false;
  for (int i = 0; ev->resting && i < ev->count; i++)
    any = any || ev->resting[i];
  if (!any)
    return DAE_OK;
  dae__arena *arena = dae__arena_create(ev->env);
  if (!arena)
    return dae__out_of_memory(err);
  dae_status status = contacts_release(ev, arena, opened, err);
  dae__arena_free(arena);
  return status;
}

dae_status dae__events_start_contact(dae__events *ev, int i, dae__sample at, bool *started,
                                     dae_error *err)
{
  dae__event_count *n = &ev->counts[i];
  bool holds = dae__event_holds(&ev->events[i]), closed = holds && *contact_state(ev, i) > 0;
  double error = dae__event_change(ev, i, at.t, ev->after, at.value, ev->rtol, ev->atol, ev->y);
  double noise = fmax(contact_noise(ev, i, at.value), ERROR_NOISE * error), speed = 0;
  at.value -= n->shift;
  n->shift = 0;
  bool touches = !closed && fabs(at.value) <= 2 * error;
  if (touches)
    DAE__TRY(impact_speed(ev, i, at.t, ev->after, ev->y, &speed, err));
  touches = touches && (at.value < -noise || speed <= contact_slow(ev, i));
  *started = holds || touches;
  if (!*started)
    return DAE_OK;
  n->shift = touches ? fmax(error, -2 * at.value) : 0;
  at.value += n->shift;
  dae__events_start_watch(ev, i, at, fabs(at.value) <= noise ? noise : 0);
  ev->watches[i].side = 1; /* it acts where the gap or the force falls through zero */
  ev->watches[i].leaves = fabs(at.value) <= noise;
  return DAE_OK;
}

dae_status dae__events_find_closed(dae__events *ev, int i, dae_error *err)
{
  char text[32];
  const char *name = dae__event_name(ev, i, text);
  double value;
  ev->crossings[i].found = false;
  if (!dae__event_holds(&ev->events[i]))
    return DAE_OK;
  DAE__TRY(dae__event_value(ev, i, ev->t_found, ev->after, &value, err));
  double change =
      dae__event_change(ev, i, ev->t_found, ev->after, value, ev->rtol, ev->atol, ev->y);
  ev->crossings[i].found = fabs(value) <= START_TOLERANCES * change;
  if (value >= 0 || ev->crossings[i].found)
    return DAE_OK;
  dae__fail(err, DAE_ERROR_START, name,
            "the contact '%s' starts with a gap of %.6g: its bodies are inside of each other. Give "
            "start values at which the gap is 0 or positive",
            name, value);
  dae__fail_at(err, ev->t_found, NAN);
  return DAE_ERROR_START;
}

void dae__events_leave_contacts(dae__events *ev)
{
  for (int i = 0; ev->resting && i < ev->count; i++) {
    dae__watch *w = &ev->watches[i];
    double *shift = &ev->counts[i].shift;
    if (!(*shift > 0 && w->left.value > LEFT_SHIFTS * *shift))
      continue;
    w->left.value -= *shift;
    w->before.value -= *shift;
    w->sided.value -= *shift;
    *shift = 0;
  }
}

void dae__events_note_forces(dae__events *ev, const double *y)
{
  for (int i = 0; ev->resting && i < ev->count; i++) {
    const dae_contact *contact = ev->events[i].contact;
    if (dae__event_holds(&ev->events[i]) && y[contact->state] > 0)
      ev->counts[i].force = fmax(ev->counts[i].force, y[contact->force]);
  }
}

double dae__events_closed_share(const dae__events *ev, int i, double t0, double t)
{
  const dae__event_count *n = &ev->counts[i];
  bool closed = ev->problem->held.value[ev->events[i].contact->state - ev->size] > 0;
  return t > t0 ? (n->closed + (closed ? t - n->since : 0)) / (t - t0) : 0;
}
