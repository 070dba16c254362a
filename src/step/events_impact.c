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
  ev->ends = DAE__ALLOC(arena, bool, ev->count);
  ev->breaks = DAE__ALLOC(arena, bool, ev->count);
  ev->mode = DAE__ALLOC(arena, double, ev->count);
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

dae_status dae__contact_gradient(const dae__events *ev, int i, int slide, double t, const double *y,
                                 double *gradient, double *rate, dae_error *err)
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

dae_status dae__contact_speed(const dae__events *ev, int i, int slide, double t, const double *y,
                              double *gradient, double *speed, double *size, dae_error *err)
{
  double rate, sum = 0, terms = 0;
  DAE__TRY(dae__contact_gradient(ev, i, slide, t, y, gradient, &rate, err));
  for (int k = 0; k < ev->size; k++)
    if (gradient[k] != 0 && ev->rate_entry[k] >= 0) {
      sum += gradient[k] * y[ev->rate_entry[k]];
      terms += fabs(gradient[k] * y[ev->rate_entry[k]]);
    }
  *speed = sum + rate;
  if (size)
    *size = terms + fabs(rate);
  return DAE_OK;
}

dae_status dae__contact_acceleration(dae__events *ev, int i, int slide, double *acceleration,
                                     dae_error *err)
{
  /* rates of the motion, and of what else depends on time: at least that of the rest of the run */
  double left = fabs(ev->end - ev->t_found), fastest = left > 0 && left < INFINITY ? 1 / left : 1;
  double speed[2], size = 0;
  for (int k = 0; k < ev->size; k++)
    fastest = fmax(fastest, fabs(ev->dy[k]) / (1 + fabs(ev->after[k])));
  double d = DIFFERENCE / fastest;
  for (int end = 0; end < 2; end++) {
    double s = end ? d : -d;
    dae__copy(ev->extended, ev->after, ev->y);
    dae__axpy(ev->size, s, ev->dy, ev->y);
    DAE__TRY(dae__contact_speed(ev, i, slide, ev->t_found + s, ev->y, ev->unmoved, &speed[end],
                                NULL, err));
  }
  for (int k = 0; k < ev->size; k++)
    if (ev->rate_entry[k] >= 0)
      size += fabs(ev->unmoved[k] * ev->dy[ev->rate_entry[k]]) * 2 * d;
  double change = speed[1] - speed[0], noise = fmax(size, fabs(speed[0]) + fabs(speed[1]));
  *acceleration = fabs(change) > ACCELERATION_NOISE * noise ? change / (2 * d) : 0;
  return DAE_OK;
}

dae_status dae__events_check_open(dae__events *ev, int i, dae_error *err)
{
  char text[32];
  const char *name = dae__event_name(ev, i, text);
  double acceleration;
  if (dae__event_holds(&ev->events[i]) || ev->gap_after[i] > CLOSED_RATE * fabs(ev->gap_before[i]))
    return DAE_OK;
  DAE__TRY(dae__contact_acceleration(ev, i, -1, &acceleration, err));
  if (!(acceleration < 0))
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

/* Whether contact i is closed: it holds, has just closed, or its gap is round-off. */
static dae_status contact_is_closed(dae__events *ev, int i, bool *closed, dae_error *err)
{
  const dae_event *event = &ev->events[i];
  double value;
  *closed = false;
  if (!event->contact)
    return DAE_OK;
  *closed = ev->crossings[i].found || (event->contact->holds && *dae__contact_state(ev, i) > 0);
  if (*closed)
    return DAE_OK;
  DAE__TRY(dae__event_value(ev, i, ev->t_found, ev->after, &value, err));
  *closed = fabs(value - ev->counts[i].shift) <= dae__contact_noise(ev, i, value);
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
    DAE__TRY(dae__contact_gradient(ev, i, k, ev->t_found, ev->after, gradient, rate, err));
    *(k < 0 ? &out->normal : &out->slide[k]) = gradient;
  }
  if (!event->contact->law)
    return DAE_OK;
  dae_contact_law law = {0};
  int refused = event->contact->law(event->user, ev->t_found, ev->after, &law);
  out->restitution = law.restitution;
  out->friction = law.friction;
  out->rest_friction = law.rest_friction;
  if (!refused && law.restitution >= 0 && law.restitution <= 1 && law.friction >= 0 &&
      law.rest_friction >= law.friction && isfinite(law.rest_friction))
    return DAE_OK;
  dae__fail(
      err, DAE_ERROR_CALLBACK, name,
      "'%s' at t = %.10g has restitution %.6g and friction %.6g, at rest %.6g: restitution is "
      "between 0 and 1, friction not negative and not smaller at rest",
      name, ev->t_found, law.restitution, law.friction, law.rest_friction);
  dae__fail_at(err, ev->t_found, NAN);
  return DAE_ERROR_CALLBACK;
}

dae_status dae__contacts_gather(dae__events *ev, dae__arena *arena, bool resting,
                                dae__contacts *all, dae_error *err)
{
  *all = (dae__contacts){.event = DAE__ALLOC(arena, int, ev->count),
                         .contact = DAE__ALLOC(arena, dae__impact_contact, ev->count),
                         .force = DAE__ALLOC(arena, dae__press_force, ev->count)};
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
static void impact_count(dae__events *ev, const dae__contacts *all, const dae__impact_outcome *out)
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

/* Velocities after the impact of the closed contacts, and those of them that are at rest. */
static dae_status impact_solve(dae__events *ev, dae__arena *arena, dae_error *err)
{
  dae__contacts all;
  dae__impact_outcome out = {.reduced = 1};
  bool closes = false;
  DAE__TRY(dae__contacts_gather(ev, arena, false, &all, err));
  DAE__VECTORS(arena, ev->count, &out.impulse, &out.before, &out.after);
  DAE__TRY(dae__arena_status(arena, err));
  for (int k = 0; k < all.count; k++) {
    int i = all.event[k];
    if (dae__event_holds(&ev->events[i])) {
      ev->released[i] =
          ev->released[i] || (ev->crossings[i].found && *dae__contact_state(ev, i) > 0);
      dae__contact_set(ev, i, 0);
    }
    DAE__TRY(dae__contact_speed(ev, i, -1, ev->t_found, ev->after, ev->unmoved, &out.before[k],
                                NULL, err));
    out.after[k] = out.before[k];
    /* the gap rate of a contact that was closed is round-off, unless an action sets rates */
    bool held = ev->mode[i] > 0 && !ev->struck;
    closes = closes || (!held && out.before[k] < -ZERO_RATE * ev->counts[i].fastest);
  }
  if (closes) {
    DAE__TRY(dae__impact(ev->problem, ev->t_found, ev->after, all.count, all.contact, ev->env, &out,
                         err));
    impact_count(ev, &all, &out);
    ev->struck = true;
  }
  for (int k = 0; k < all.count; k++) {
    int i = all.event[k];
    ev->gap_before[i] = out.before[k];
    ev->gap_after[i] = out.after[k];
    /* found without closing: a hop below what the search resolves */
    bool hops = ev->crossings[i].found && out.before[k] >= 0;
    ev->resting[i] =
        dae__event_holds(&ev->events[i]) && (hops || out.after[k] <= dae__contact_slow(ev, i));
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
