/* A look at all watches of an interval together: their samples on raw dense output, those of a
 * group of events by one call, and a test over all of them that leaves the few watches near zero,
 * or of which the samples do not show enough, to a search of their own.
 *
 * Deviation from a search of each watch alone: none. A watch is passed over where its own search
 * would not divide a piece (dae__search_clears). */
#include "step/events_private.h"

#include <math.h>

enum { PLACES = DAE__SEARCH_INNER + 1 };

/* ---- creation ---- */

/* Index of a group, the last one first: events of a group follow each other. */
static int look_find_group(const dae__event_look *look, const dae_event_group *group)
{
  for (int k = look->groups - 1; k >= 0; k--)
    if (look->group[k] == group)
      return k;
  return -1;
}

/* Gives each group a place for its samples; returns the number of samples. */
static int look_list_groups(dae__events *ev)
{
  dae__event_look *look = &ev->look;
  int samples = 0;
  for (int n = 0; n < ev->searches; n++) {
    const dae_event *event = &ev->events[ev->searched[n]];
    if (!event->group || look_find_group(look, event->group) >= 0)
      continue;
    look->first[look->groups] = samples;
    look->raw[look->groups] = event->states_only;
    look->group[look->groups++] = event->group;
    samples += event->group->count;
  }
  return samples;
}

void dae__events_create_look(dae__arena *arena, dae__events *ev)
{
  dae__event_look *look = &ev->look;
  look->group = DAE__ALLOC(arena, const dae_event_group *, ev->searches);
  look->first = DAE__ALLOC(arena, int, ev->searches);
  look->raw = DAE__ALLOC(arena, bool, ev->searches);
  look->sample = DAE__ALLOC(arena, int, ev->count);
  look->cleared = DAE__ALLOC(arena, bool, ev->count);
  look->fourth = DAE__ALLOC(arena, double, ev->count);
  if (dae__arena_failed(arena))
    return;
  int samples = look_list_groups(ev);
  for (int n = 0; n < ev->searches; n++) {
    int i = ev->searched[n];
    const dae_event *event = &ev->events[i];
    look->sample[i] =
        event->group ? look->first[look_find_group(look, event->group)] + event->member : samples++;
  }
  for (int k = 0; k < PLACES; k++)
    DAE__VECTORS(arena, samples, &look->value[k], &look->rate[k]);
  look->beside = DAE__ALLOC(arena, double, samples);
}

/* ---- samples ---- */

static dae_status look_call(dae__events *ev, int g, double t, double *value, double *rate,
                            dae_error *err)
{
  const dae_event_group *group = ev->look.group[g];
  const dae__event_state *at;
  DAE__TRY(dae__events_state_at(ev, t, ev->look.raw[g], &at, err));
  /* a group that refuses leaves its watches to searches of their own, which name the event */
  if (group->sample(group->user, t, at->y, at->dy, value, rate) != 0)
    for (int i = 0; i < group->count; i++)
      value[i] = NAN;
  return DAE_OK;
}

/* Samples of a group at place k: of events that are not states_only with differences for rates. */
static dae_status look_sample_group(dae__events *ev, int g, int k, double t, dae_error *err)
{
  const dae__event_look *look = &ev->look;
  double *value = look->value[k] + look->first[g], *rate = look->rate[k] + look->first[g];
  if (look->raw[g])
    return look_call(ev, g, t, value, rate, err);
  double beside[2];
  dae__events_beside(ev, t, beside);
  DAE__TRY(look_call(ev, g, t, value, NULL, err));
  DAE__TRY(look_call(ev, g, beside[0], look->beside, NULL, err));
  DAE__TRY(look_call(ev, g, beside[1], rate, NULL, err));
  double over = beside[1] > beside[0] ? 1 / (beside[1] - beside[0]) : 0;
  for (int i = 0; i < look->group[g]->count; i++)
    rate[i] = (rate[i] - look->beside[i]) * over;
  return DAE_OK;
}

static dae_status look_sample(dae__events *ev, int k, double t, dae_error *err)
{
  const dae__event_look *look = &ev->look;
  for (int g = 0; g < look->groups; g++)
    DAE__TRY(look_sample_group(ev, g, k, t, err));
  for (int n = 0; n < ev->searches; n++) {
    int i = ev->searched[n];
    if (ev->events[i].group)
      continue;
    dae__sample sample = {.t = t};
    ev->event = i;
    ev->projected = !ev->events[i].states_only;
    DAE__TRY(dae__events_sample(ev, &sample, err));
    look->value[k][look->sample[i]] = sample.value;
    look->rate[k][look->sample[i]] = sample.rate;
  }
  return DAE_OK;
}

static inline dae__samples look_samples_of(const dae__event_look *look, int i)
{
  dae__samples e;
  for (int k = 0; k < PLACES; k++) {
    e.value[k] = look->value[k][look->sample[i]];
    e.rate[k] = look->rate[k][look->sample[i]];
  }
  return e;
}

/* ---- a look ---- */

dae_status dae__events_look(dae__events *ev, double from, double to, dae_error *err)
{
  dae__event_look *look = &ev->look;
  dae__places places = dae__search_places(from, to);
  dae__search s = dae__events_search(ev, 0, to);
  for (int k = 0; k < PLACES; k++)
    DAE__TRY(look_sample(ev, k, places.t[k], err));
  for (int n = 0; n < ev->searches; n++) {
    int i = ev->searched[n];
    const dae__watch *w = &ev->watches[i];
    dae__samples e = look_samples_of(look, i);
    look->cleared[i] =
        w->left.t == from && dae__search_clears(&s, &places, w, &e, &look->fourth[i]);
  }
  return DAE_OK;
}

void dae__events_pass(dae__events *ev, int i, const dae__places *places)
{
  dae__samples e = look_samples_of(&ev->look, i);
  dae__search_pass(places, &ev->watches[i], &e, ev->look.fourth[i]);
}
