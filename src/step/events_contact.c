/* Contacts that hold: their state, what keeps them closed and lets them go, sliding and sticking. A
 * contact is opened for the impacts of an instant, then tried: closed, and sticking where it does
 * not slide. The forces of this trial decide by the complementarity problem of the accelerations
 * (problem/impact.h). */
#include "problem/impact.h"
#include "step/events_private.h"

#include <math.h>

/* Gap, in tolerances of the motion, that is no gap. Chosen. */
#define ERROR_NOISE 1e-3
/* Gap, in shifts, from which on a contact is open without doubt. Chosen. */
#define LEFT_SHIFTS 10
/* Gap at the start, in tolerances of its value, that counts as closed. Chosen. */
#define START_TOLERANCES 10
/* Sliding speed, relative to that by the fastest rate of the motion, that is round-off. Chosen. */
#define SLIDING_NOISE 1e-10

/* ---- states ---- */

double *dae__contact_state(const dae__events *ev, int i)
{
  return &ev->after[ev->events[i].contact->state];
}

/* Sets entry k of the held values. */
static void contact_hold(dae__events *ev, int k, double value)
{
  ev->after[k] = value;
  ev->problem->held.value[k - ev->size] = value;
}

void dae__contact_set(dae__events *ev, int i, double to)
{
  dae__event_count *n = &ev->counts[i];
  const double *state = dae__contact_state(ev, i);
  if (*state > 0 && !(to > 0))
    n->closed += ev->t_found - n->since;
  if (!(*state > 0) && to > 0)
    n->since = ev->t_found;
  contact_hold(ev, ev->events[i].contact->state, to);
}

double dae__contact_noise(dae__events *ev, int i, double value)
{
  return 4 * dae__event_change(ev, i, ev->t_found, ev->after, value, DAE__ZERO_BAND, 0, ev->y);
}

double dae__contact_slow(const dae__events *ev, int i)
{
  return fmax(ev->atol, ev->rtol * ev->counts[i].fastest);
}

/* Whether a contact rubs while it is closed. */
static bool contact_rubs(const dae_contact *contact)
{
  return contact->holds && contact->slides > 0;
}

void dae__events_begin_contacts(dae__events *ev)
{
  ev->struck = false;
  for (int i = 0; ev->resting && i < ev->count; i++) {
    const int rubs = ev->events[i].rubs - 1;
    ev->released[i] = false;
    ev->mode[i] = dae__event_holds(&ev->events[i]) ? *dae__contact_state(ev, i) : 0;
    if (rubs < 0)
      continue;
    const dae_contact *contact = ev->events[rubs].contact;
    bool sticks = ev->after[contact->state] == DAE__CONTACT_STICKS;
    ev->breaks[rubs] = ev->crossings[i].found && sticks;
    ev->ends[rubs] = ev->crossings[i].found && !sticks;
  }
}

/* ---- the trial ---- */

/* Sliding speed of contact i: 0 where it is round-off of the fastest rate, where sliding has just
 * ended, and where the contact was at rest up to this instant and nothing has struck. */
static dae_status contact_sliding(dae__events *ev, int i, double *speed, dae_error *err)
{
  double fastest = 0, size;
  DAE__TRY(dae__contact_speed(ev, i, 0, ev->t_found, ev->after, ev->unmoved, speed, &size, err));
  for (int k = 0; k < ev->size; k++)
    if (ev->rate_entry[k] >= 0)
      fastest = fmax(fastest, fabs(ev->after[ev->rate_entry[k]]));
  for (int k = 0; k < ev->size; k++)
    size += fabs(ev->unmoved[k]) * fastest;
  bool held = ev->mode[i] == DAE__CONTACT_CLOSED && ev->counts[i].held;
  bool rests = ev->mode[i] == DAE__CONTACT_STICKS || held;
  if ((rests && !ev->struck) || ev->ends[i] || fabs(*speed) <= fmax(SLIDING_NOISE * size, DBL_MIN))
    *speed = 0;
  return DAE_OK;
}

dae_status dae__events_close(dae__events *ev, bool sticking, bool *sticks, dae_error *err)
{
  *sticks = false;
  for (int i = 0; ev->resting && i < ev->count; i++) {
    const dae_contact *contact = ev->events[i].contact;
    double speed = 0;
    if (!ev->resting[i])
      continue;
    if (contact_rubs(contact))
      DAE__TRY(contact_sliding(ev, i, &speed, err));
    double slip = dae__sign(speed);
    bool held = contact_rubs(contact) && slip == 0 && sticking;
    *sticks = *sticks || held;
    dae__contact_set(ev, i, held ? DAE__CONTACT_STICKS : DAE__CONTACT_CLOSED);
    if (contact_rubs(contact) && !held)
      contact_hold(ev, contact->slip, slip);
  }
  return DAE_OK;
}

/* Forces and accelerations of the trial, and the direction in which contact i slides. Accelerations
 * are zero, but for rows that others contradict. */
static dae_status contact_try(dae__events *ev, int i, dae__impact_contact *c, dae__press_force *of,
                              dae_error *err)
{
  const dae_contact *contact = ev->events[i].contact;
  *of = (dae__press_force){.normal = ev->after[contact->force]};
  DAE__TRY(dae__contact_acceleration(ev, i, -1, &of->gap, err));
  if (ev->released[i]) /* what is left of it is the error of the motion */
    of->normal = fmin(of->normal, 0);
  if (!contact_rubs(contact)) {
    c->slides = 0;
    return DAE_OK;
  }
  bool held = *dae__contact_state(ev, i) == DAE__CONTACT_STICKS;
  of->slip = held ? 0 : ev->after[contact->slip];
  of->sticks = of->slip == 0;
  of->friction = held ? -ev->after[contact->grip] : 0;
  of->breaks = ev->breaks[i];
  return of->sticks ? dae__contact_acceleration(ev, i, 0, &of->slide, err) : DAE_OK;
}

static dae_status contacts_release(dae__events *ev, dae__arena *arena, bool *changed,
                                   dae_error *err)
{
  dae__contacts all;
  DAE__TRY(dae__contacts_gather(ev, arena, true, &all, err));
  for (int k = 0; k < all.count; k++)
    DAE__TRY(contact_try(ev, all.event[k], &all.contact[k], &all.force[k], err));
  for (int k = 0; k < all.count; k++)
    dae__contact_set(ev, all.event[k], 0);
  DAE__TRY(dae__press(ev->problem, ev->t_found, ev->after, all.count, all.contact, ev->env,
                      all.force, err));
  for (int k = 0; k < all.count; k++) {
    int i = all.event[k];
    const dae_contact *contact = ev->events[i].contact;
    const dae__press_force *of = &all.force[k];
    int closed = of->sticks ? DAE__CONTACT_STICKS : DAE__CONTACT_CLOSED;
    dae__contact_set(ev, i, of->normal > 0 ? closed : 0);
    ev->counts[i].held = of->shares;
    if (contact_rubs(contact))
      contact_hold(ev, contact->slip, of->slip);
    ev->counts[i].slips += ev->mode[i] == DAE__CONTACT_STICKS && !of->sticks && !of->shares;
    *changed = *changed || of->changed;
  }
  return DAE_OK;
}

dae_status dae__events_release(dae__events *ev, bool *changed, dae_error *err)
{
  bool any = false;
  *changed = false;
  for (int i = 0; ev->resting && i < ev->count; i++)
    any = any || ev->resting[i];
  if (!any)
    return DAE_OK;
  dae__arena *arena = dae__arena_create(ev->env);
  if (!arena)
    return dae__out_of_memory(err);
  dae_status status = contacts_release(ev, arena, changed, err);
  dae__arena_free(arena);
  return status;
}

/* ---- watches ---- */

/* Starts the watch of the friction of a contact, which acts where its value falls through zero; one
 * that starts at zero may fall below it by the error of the motion before it acts. Of several
 * contacts that one sliding coordinate moves some may have a share of their friction while another
 * one sticks: their sliding speed is such an error. */
static void contact_start_friction(dae__events *ev, int i, dae__sample at)
{
  double *shift = &ev->counts[i].shift;
  double error = dae__event_change(ev, i, at.t, ev->after, at.value, ev->rtol, ev->atol, ev->y);
  at.value -= *shift;
  *shift = fabs(at.value) <= error ? error - fmin(at.value, 0) : 0;
  at.value += *shift;
  dae__events_start_watch(ev, i, at, 0);
  ev->watches[i].side = 1;
}

dae_status dae__events_start_contact(dae__events *ev, int i, dae__sample at, bool *started,
                                     dae_error *err)
{
  dae__event_count *n = &ev->counts[i];
  *started = ev->events[i].rubs > 0;
  if (*started)
    return contact_start_friction(ev, i, at), DAE_OK;
  bool holds = dae__event_holds(&ev->events[i]), closed = holds && *dae__contact_state(ev, i) > 0;
  double error = dae__event_change(ev, i, at.t, ev->after, at.value, ev->rtol, ev->atol, ev->y);
  double noise = fmax(dae__contact_noise(ev, i, at.value), ERROR_NOISE * error), speed = 0;
  at.value -= n->shift;
  n->shift = 0;
  bool touches = !closed && fabs(at.value) <= 2 * error;
  if (touches)
    DAE__TRY(dae__contact_speed(ev, i, -1, at.t, ev->after, ev->y, &speed, NULL, err));
  touches = touches && (at.value < -noise || speed <= dae__contact_slow(ev, i));
  *started = holds || touches;
  if (!*started && ev->crossings[i].found && at.value < -2 * error) /* it does not open any more */
    return dae__events_fail_accumulated(ev, i, at.t, err);
  if (!*started)
    return DAE_OK;
  n->shift = touches ? fmax(error, -2 * at.value) : 0;
  at.value += n->shift;
  dae__events_start_watch(ev, i, at, fabs(at.value) <= noise ? noise : 0);
  ev->watches[i].side = 1; /* it acts where the gap or the force falls through zero */
  ev->watches[i].leaves = fabs(at.value) <= noise;
  return DAE_OK;
}

/* Value of a contact at the start, and whether it counts as closed there. */
static dae_status contact_touches(dae__events *ev, int i, double *value, bool *touches,
                                  dae_error *err)
{
  DAE__TRY(dae__event_value(ev, i, ev->t_found, ev->after, value, err));
  double change =
      dae__event_change(ev, i, ev->t_found, ev->after, *value, ev->rtol, ev->atol, ev->y);
  *touches = fabs(*value) <= START_TOLERANCES * change;
  return DAE_OK;
}

/* Names contact i and those behind it that start with negative gaps. */
static dae_status contact_fail_start(dae__events *ev, int i, dae_error *err)
{
  char names[300] = "", own[32];
  dae__text list = dae__text_in(names, sizeof names);
  int count = 0;
  for (int k = i; k < ev->count; k++) {
    double value = 0;
    bool touches = true;
    if (!dae__event_holds(&ev->events[k]) || contact_touches(ev, k, &value, &touches, NULL) ||
        touches || value >= 0)
      continue;
    dae__text_add(&list, "%s'%.40s' with a gap of %.6g", count++ > 0 ? ", " : "",
                  dae__event_name(ev, k, own), value);
  }
  dae__fail(err, DAE_ERROR_START, dae__event_name(ev, i, own),
            "contacts start with bodies inside of each other: %s. Give start values at which %s",
            names,
            count > 1 ? "all gaps are 0 or positive; where there are none, these contacts "
                        "contradict each other"
                      : "the gap is 0 or positive");
  dae__fail_at(err, ev->t_found, NAN);
  return DAE_ERROR_START;
}

dae_status dae__events_find_closed(dae__events *ev, int i, dae_error *err)
{
  double value, speed;
  bool *found = &ev->crossings[i].found;
  *found = false;
  if (!dae__event_holds(&ev->events[i]))
    return DAE_OK;
  DAE__TRY(contact_touches(ev, i, &value, found, err));
  if (!*found)
    return value >= 0 ? DAE_OK : contact_fail_start(ev, i, err);
  /* what touches and leaves is open */
  DAE__TRY(dae__contact_speed(ev, i, -1, ev->t_found, ev->after, ev->unmoved, &speed, NULL, err));
  *found = speed <= dae__contact_slow(ev, i);
  return DAE_OK;
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
