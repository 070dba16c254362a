/* The summary of a damped run: what was removed, from where, and whether it would have mattered. */
#include "output/summary.h"

#include <math.h>

/* Period of an oscillation, relative to the time scale, above which passes at that scale need not
 * remove it: 11 periods in 30 time scales. */
#define SHORTEST_KEPT (30. / 11)

/* Removed at the start, its periods, and the largest displacement. */
static void damping_add_start(dae__text *t, const dae_summary *s)
{
  const dae_damping *d = &s->damping;
  dae__text_add(t, INDENT "removed at the start: ");
  if (isnan(s->energy_removed_at_start))
    dae__text_add(t, "%s tolerances", dae__number_text(d->amount, 3).text);
  else if (s->energy_removed_at_start < 0) /* as by `fixed` values, which the others follow */
    dae__text_add(t, "%s tolerances, energy added: %s", dae__number_text(d->amount, 3).text,
                  dae__number_text(-s->energy_removed_at_start, 3).text);
  else
    dae__text_add(t, "energy %s", dae__number_text(s->energy_removed_at_start, 3).text);
  if (!isnan(d->period[0]) && d->period[1] > 1.1 * d->period[0])
    dae__text_add(t, ", periods from %s to %s", dae__number_text(d->period[0], 2).text,
                  dae__number_text(d->period[1], 2).text);
  else if (!isnan(d->period[0]))
    dae__text_add(t, ", period %s", dae__number_text(d->period[0], 2).text);
  if (d->distance > 0)
    dae__text_add(t, ", most in %s (by %s)", d->name, dae__number_text(d->distance, 2).text);
  dae__text_add(t, "\n");
}

/* Removed at events and along the way. */
static void damping_add_way(dae__text *t, const dae_summary *s)
{
  const dae_damping *d = &s->damping;
  if (d->restarts > 0)
    dae__text_add(t, INDENT "removed after %ld event%s: energy %s\n", d->restarts,
                  d->restarts == 1 ? "" : "s",
                  dae__number_text(s->energy_removed_at_events, 3).text);
  if (!isnan(s->energy_balance))
    dae__text_add(t, INDENT "removed along the way: energy %s\n",
                  dae__number_text(-s->energy_balance, 3).text);
}

/* Whether the oscillation would have driven the slow motion. */
static void damping_add_effect(dae__text *t, const dae_summary *s)
{
  const dae_damping *d = &s->damping;
  bool removed = d->kind == DAE_DAMPING_REMOVED || d->restarts > 0;
  if (!removed || isnan(s->energy_start)) /* modes of mechanical problems are followed */
    return;
  if (isnan(d->frequency[0])) {
    dae__text_add(t, INDENT "its frequency could not be followed: what it does to the slow motion "
                            "is not known\n");
    return;
  }
  double change = d->frequency[1] - d->frequency[0];
  if (isnan(d->period[0]))
    dae__text_add(t, INDENT "it decays at once: ");
  else if (change < 1e-3)
    dae__text_add(t, INDENT "its frequency stays: ");
  else
    dae__text_add(t, INDENT "its frequency changes, %s to %s of that at the start: ",
                  dae__number_text(d->frequency[0], 3).text,
                  dae__number_text(d->frequency[1], 3).text);
  if (d->drift < 1) {
    dae__text_add(t, "it would not have moved the slow\n" INDENT "motion (%s tolerances)\n",
                  dae__number_text(fmax(d->drift, 1e-3), 1).text);
    return;
  }
  dae__text_add(t, "it would have moved the slow\n" INDENT "motion by about %s tolerances",
                dae__number_text(d->drift, 2).text);
  dae__text_add(t, " (%s by %s)\n", d->drift_name, dae__number_text(d->drift_size, 2).text);
}

const char *dae__damping_kept(const dae_damping *d)
{
  return d->kept < SHORTEST_KEPT * d->scale
             ? "is fast, but nothing separates it from the slow motion: kept"
             : "is neither fast nor slow: kept; --damp-time says which";
}

void dae__summary_add_damping(dae__text *t, const dae_summary *s)
{
  const dae_damping *d = &s->damping;
  bool removed = d->kind == DAE_DAMPING_REMOVED || d->kind == DAE_DAMPING_ALL || d->restarts > 0;
  if (!s->damped)
    return;
  dae__text_add(t, LABEL, "damp");
  if (d->kind == DAE_DAMPING_FIXED)
    dae__text_add(t, "nothing removed from the start: its fixed values hold the fast motion\n");
  else if (d->kind == DAE_DAMPING_KEPT)
    dae__text_add(t, "nothing removed from the start\n");
  else if (d->kind == DAE_DAMPING_NONE)
    dae__text_add(t,
                  "nothing removed%s: no motion of the start above a tolerance is\n" INDENT
                  "faster than %s\n",
                  d->restarts > 0 ? " from the start" : "", dae__number_text(d->scale, 2).text);
  else if (d->cut < 0.99 * d->scale)
    dae__text_add(t, "time scale %s, cut at a gap: %s\n", dae__number_text(d->scale, 2).text,
                  dae__number_text(d->cut, 2).text);
  else
    dae__text_add(t, "time scale %s\n", dae__number_text(d->scale, 2).text);
  if (d->kept > 0)
    dae__text_add(t, INDENT "an oscillation with a period of %s, %s in the run,\n" INDENT "%s\n",
                  dae__number_text(d->kept, 2).text,
                  dae__number_text((s->t_end - s->t_start) / d->kept, 2).text,
                  dae__damping_kept(d));
  if (d->kind == DAE_DAMPING_REMOVED || d->kind == DAE_DAMPING_ALL)
    damping_add_start(t, s);
  if (removed)
    damping_add_way(t, s);
  damping_add_effect(t, s);
}
