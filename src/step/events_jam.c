/* Contacts that friction jams while they slide: their force grows without bound, and a step ends
 * there by its error, or steps over the pole of the force. */
#include "problem/impact.h"
#include "step/events_private.h"

/* Share of the acceleration of a gap by its force that friction leaves, below which a contact jams.
 * Chosen: where steps end for this reason 1e-5 and less is left, where contacts part 1e-2 and more.
 */
#define JAMMED 1e-4

/* Marks the contacts that slide; returns whether there are any. */
static bool jam_find_sliding(dae__events *ev)
{
  bool any = false;
  for (int i = 0; ev->resting && i < ev->count; i++) {
    const dae_contact *contact = ev->events[i].contact;
    ev->resting[i] = contact && contact->holds && contact->slides == 1 &&
                     *dae__contact_state(ev, i) == DAE__CONTACT_CLOSED;
    any = any || ev->resting[i];
  }
  return any;
}

/* The contact that is nearest to jamming, at ev->after, with all contacts open for the question. */
static dae_status jam_ask(dae__events *ev, dae__arena *arena, dae__contacts *all, dae__jam *jam,
                          dae_error *err)
{
  double *held = ev->problem->held.value, *before = DAE__ALLOC(arena, double, ev->extended);
  DAE__TRY(dae__contacts_gather(ev, arena, true, all, err));
  dae__copy(ev->extended - ev->size, held, before);
  for (int k = 0; k < all->count; k++)
    all->contact[k].slip = (int)ev->after[ev->events[all->event[k]].contact->slip];
  for (int i = 0; i < ev->count; i++)
    if (dae__event_holds(&ev->events[i]))
      held[ev->events[i].contact->state - ev->size] = 0;
  dae_status status =
      dae__jammed(ev->problem, ev->t_found, ev->after, all->count, all->contact, ev->env, jam, err);
  dae__copy(ev->extended - ev->size, before, held);
  return status;
}

dae_status dae__events_check_jam(dae__events *ev, dae_integrator *it, double t, dae_error *err)
{
  dae__contacts all;
  dae__jam jam;
  if (dae_integrator_interpolate(it, t, ev->after, NULL, NULL) < 0)
    return DAE_OK;
  dae__events_extend(ev, ev->after);
  ev->t_found = t;
  if (!jam_find_sliding(ev))
    return DAE_OK;
  dae__arena *arena = dae__arena_create(ev->env);
  if (!arena)
    return dae__out_of_memory(err);
  dae_status status = jam_ask(ev, arena, &all, &jam, NULL);
  if (!status && jam.contact >= 0 && jam.share < JAMMED) {
    const char *name = all.contact[jam.contact].name;
    (void)dae__fail(err, DAE_ERROR_STEP, name,
                    "'%s' jams at t = %.10g: sliding with friction %.6g its pressing force grows "
                    "without bound, since friction presses it as much as its force opens it. "
                    "Friction below %.6g is safe there; or give its bodies compliance",
                    name, t, all.contact[jam.contact].friction, jam.safe);
    dae__fail_at(err, t, NAN);
    status = DAE_ERROR_STEP;
  } else {
    status = DAE_OK; /* what else ends the run is told already */
  }
  dae__arena_free(arena);
  return status;
}

dae_status dae__events_explain(dae__events *ev, dae_integrator *it, dae_status status,
                               dae_error *err)
{
  dae_error jammed = dae_error_none();
  if (status != DAE_ERROR_STEP || !ev->resting)
    return status;
  if (dae__events_check_jam(ev, it, dae_integrator_view(it).t, &jammed) == DAE_ERROR_STEP && err)
    *err = jammed;
  return status;
}
