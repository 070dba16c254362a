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

void dae__events_create_impacts(dae__arena *arena, dae__events *ev)
{
  bool any = false;
  for (int i = 0; i < ev->count; i++)
    any = any || ev->events[i].impact;
  if (!any)
    return;
  ev->rate_entry = DAE__ALLOC(arena, int, ev->size);
  DAE__VECTORS(arena, ev->count, &ev->gap_before, &ev->gap_after);
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
  int refused = slide < 0 ? event->impact->normal(event->user, t, y, gradient, rate)
                          : event->impact->slide(event->user, slide, t, y, gradient, rate);
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
  double fastest = 0, speed[2];
  if (ev->gap_after[i] > CLOSED_RATE * fabs(ev->gap_before[i]))
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
  if (!(speed[1] < speed[0]))
    return DAE_OK;
  dae__fail(err, DAE_ERROR_STEP, name,
            "the contact '%s' stays closed after its impact at t = %.10g, and nothing holds it: "
            "the force that presses it would drive it through. An impact changes velocities "
            "only: give it a restitution, or end the run there (event %s: ... stop)",
            name, ev->t_found, name);
  dae__fail_at(err, ev->t_found, NAN);
  return DAE_ERROR_STEP;
}

/* ---- the impacts of an instant ---- */

/* Whether the gap of event i is closed: found, or zero up to the round-off of its value. */
static dae_status impact_is_closed(dae__events *ev, int i, bool *closed, dae_error *err)
{
  double value;
  *closed = false;
  if (!ev->events[i].impact)
    return DAE_OK;
  *closed = ev->crossings[i].found;
  if (*closed)
    return DAE_OK;
  DAE__TRY(dae__event_value(ev, i, ev->t_found, ev->after, &value, err));
  double noise = dae__event_change(ev, i, ev->t_found, ev->after, value, DAE__ZERO_BAND, 0, ev->y);
  *closed = fabs(value) <= 4 * noise;
  return DAE_OK;
}

/* Contact of event i, with gradients in memory of the arena. */
static dae_status impact_contact(dae__events *ev, dae__arena *arena, int i,
                                 dae__impact_contact *out, dae_error *err)
{
  const dae_event *event = &ev->events[i];
  char text[32];
  const char *name = dae__event_name(ev, i, text);
  *out = (dae__impact_contact){.name = event->name ? event->name : "an impact without a name",
                               .slides = event->impact->slides};
  for (int k = -1; k < out->slides; k++) {
    double *gradient = DAE__ALLOC(arena, double, ev->size);
    DAE__TRY(dae__arena_status(arena, err));
    double *rate = k < 0 ? &out->normal_t : &out->slide_t[k];
    DAE__TRY(impact_gradient(ev, i, k, ev->t_found, ev->after, gradient, rate, err));
    *(k < 0 ? &out->normal : &out->slide[k]) = gradient;
  }
  if (!event->impact->law)
    return DAE_OK;
  int refused =
      event->impact->law(event->user, ev->t_found, ev->after, &out->restitution, &out->friction);
  if (!refused && out->restitution >= 0 && out->restitution <= 1 && out->friction >= 0 &&
      isfinite(out->friction))
    return DAE_OK;
  dae__fail(err, DAE_ERROR_CALLBACK, name,
            "the impact '%s' at t = %.10g has restitution %.6g and friction %.6g: restitution is "
            "between 0 and 1, friction not negative",
            name, ev->t_found, out->restitution, out->friction);
  dae__fail_at(err, ev->t_found, NAN);
  return DAE_ERROR_CALLBACK;
}

/* Counts the outcome for the contacts of an instant, and logs a law that was not the one given. */
static void impact_count(dae__events *ev, int count, const int *event,
                         const dae__impact_outcome *out)
{
  static const char *const laws[] = {"", "without restitution", "without friction",
                                     "without restitution and friction"};
  ev->memory->lost += out->lost;
  for (int k = 0; k < count; k++) {
    dae__event_count *n = &ev->counts[event[k]];
    n->impulse = fmax(n->impulse, out->impulse[k]);
    n->reduced += out->reduced < 1 && out->impulse[k] > 0;
    n->left_out += out->law != DAE__IMPACT_AS_GIVEN && out->impulse[k] > 0;
    ev->gap_before[event[k]] = out->before[k];
    ev->gap_after[event[k]] = out->after[k];
  }
  if (out->law != DAE__IMPACT_AS_GIVEN)
    dae__log(ev->env, DAE_LOG_WARNING,
             "impacts at t = %.10g: no velocities after them obey "
             "restitution and friction; taken %s",
             ev->t_found, laws[out->law]);
}

static dae_status impact_solve(dae__events *ev, dae__arena *arena, dae_error *err)
{
  int count = 0, *event = DAE__ALLOC(arena, int, ev->count);
  dae__impact_contact *contact = DAE__ALLOC(arena, dae__impact_contact, ev->count);
  dae__impact_outcome out;
  DAE__VECTORS(arena, ev->count, &out.impulse, &out.before, &out.after);
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < ev->count; i++) {
    bool closed;
    DAE__TRY(impact_is_closed(ev, i, &closed, err));
    if (!closed)
      continue;
    DAE__TRY(impact_contact(ev, arena, i, &contact[count], err));
    event[count++] = i;
  }
  DAE__TRY(dae__impact(ev->problem, ev->t_found, ev->after, count, contact, ev->env, &out, err));
  impact_count(ev, count, event, &out);
  return DAE_OK;
}

dae_status dae__events_impact(dae__events *ev, bool *any, dae_error *err)
{
  bool found = false;
  for (int i = 0; i < ev->count; i++)
    found = found || (ev->crossings[i].found && ev->events[i].impact);
  if (!found)
    return DAE_OK;
  *any = true;
  dae__arena *arena = dae__arena_create(ev->env);
  if (!arena)
    return dae__out_of_memory(err);
  dae_status status = impact_solve(ev, arena, err);
  dae__arena_free(arena);
  return status;
}
