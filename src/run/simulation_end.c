/* End of a run: second runs, summary, sinks. */
#include "run/simulation.h"

#include "core/options.h"
#include "run/limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Number of steps of the assembled systems after an iteration that does not converge; chosen. */
#define OFFER_STEPS 1000
/* Largest energy that an oscillation removed by `damp` may exchange with the slow motion, relative
 * to the kinetic energy; chosen. */
#define DAMPED_EXCHANGE 1
/* Least deviation of the slow motion by it, in tolerances: nonholonomic constraints may change the
 * frequency without a force on the slow motion. */
#define DAMPED_DRIFT 10

/* Lists the events that happened or nearly did, and after them the guards. */
static void end_list_events(const dae_simulation *r, dae_summary *s)
{
  const size_t kept_free = 64; /* for the line that counts those left out */
  dae__text lines = dae__text_in(s->event_list, sizeof s->event_list);
  int left_out = 0;
  s->unwatched = r->plan.unwatched;
  s->action_moved = r->events ? dae__events_moved(r->events) : 0;
  for (int k = 0; r->events && k < 2 * r->plan.event_count; k++) {
    int i = k % r->plan.event_count;
    const dae__event_count n = dae__events_count(r->events, i);
    const char *name = r->plan.events[i].name;
    bool guard = r->plan.events[i].kind == DAE_EVENT_GUARD;
    char line[400];
    if (r->plan.events[i].rubs > 0 || guard != (k >= r->plan.event_count) ||
        (n.fired == 0 && n.near_misses == 0))
      continue;
    s->near_misses += n.near_misses;
    int length = snprintf(line, sizeof line, "%s\t%.250s\t%ld\t%.17g\t%.17g\t%ld\n",
                          guard                       ? "branch"
                          : r->plan.events[i].contact ? "impact"
                                                      : "event",
                          name ? name : "without a name", n.fired, n.first, n.last, n.near_misses);
    if (left_out > 0 || lines.length + (size_t)length + kept_free >= sizeof s->event_list)
      left_out++;
    else
      dae__text_add(&lines, "%s", line);
  }
  if (left_out > 0)
    dae__text_add(&lines, "... and %d more\n", left_out);
}

/* Lists impacts and contacts: impulses, laws that were not obeyed, times closed and forces. */
static void end_list_impacts(const dae_simulation *r, dae_summary *s)
{
  dae__text lines = dae__text_in(s->impact_list, sizeof s->impact_list);
  s->energy_lost = r->events ? dae__events_energy_lost(r->events) : 0;
  for (int i = 0; r->events && i < r->plan.event_count; i++) {
    const dae_event *event = &r->plan.events[i];
    const dae__event_count n = dae__events_count(r->events, i);
    bool holds = event->contact && event->contact->holds;
    if (!event->contact || !(n.fired > 0 || holds) || lines.length + 400 > sizeof s->impact_list)
      continue;
    dae__text_add(&lines, "%.250s\t%.17g\t%ld\t%ld", event->name ? event->name : "without a name",
                  n.impulse, (long)n.reduced, (long)n.left_out);
    if (holds)
      dae__text_add(&lines, "\t%.17g\t%.17g",
                    dae__events_closed_share(r->events, i, r->plan.start.t, r->t), n.force);
    if (holds && event->contact->slides > 0)
      dae__text_add(&lines, "\t%ld", n.slips);
    dae__text_add(&lines, "\n");
  }
}

/* After a dynamic iteration that does not converge: tries the method of `auto`, for the systems
 * assembled into one, over the next window from the last state, and names it in the message if it
 * goes on. */
static void end_offer_assembled(dae_simulation *r, dae_error *err)
{
  const dae_wave_options defaults = dae_wave_defaults();
  const dae_wave_options *wave = r->plan.options ? r->plan.options : &defaults;
  const dae_method *method = dae_method_choose(&r->plan.problem, NULL, 0, NULL);
  dae_view view = dae_integrator_view(r->it);
  dae_integrator *it = NULL;
  char tolerance[2][40];
  void *options = method ? DAE__ALLOC(r->arena, char, method->options_size) : NULL;
  if (!options || dae_integrator_interpolate(r->it, view.t, r->y, NULL, NULL) < 0)
    return;
  method->defaults(options);
  snprintf(tolerance[0], sizeof tolerance[0], "%.17g", wave->rtol);
  snprintf(tolerance[1], sizeof tolerance[1], "%.17g", wave->atol);
  (void)dae_options_set(method->options, options, "rtol", tolerance[0], NULL);
  (void)dae_options_set(method->options, options, "atol", tolerance[1], NULL);
  dae_start start = {.t = view.t, .y = r->y};
  double to = view.h_next > 0 ? fmin(view.t + view.h_next, r->plan.to) : r->plan.to, t = view.t;
  dae_status status = method->create(&r->plan.problem, &start, options, &r->env, &it, NULL);
  for (int i = 0; i < OFFER_STEPS && status >= 0 && t < to; i++) {
    status = dae_integrator_step(it, to, NULL);
    t = dae_integrator_view(it).t;
  }
  size_t used = strlen(err->text);
  if (it && status >= 0 && t > view.t)
    snprintf(err->text + used, sizeof err->text - used,
             ". Assembled into one the systems go on from t = %.10g, by %s: --method auto", view.t,
             method->name);
  dae_integrator_free(it);
}

/* Refuses a damped run whose oscillation determines the slow motion, unless the user has said by
 * damp_time what is fast. */
static dae_status end_check_damping(const dae_simulation *r, dae_status status, dae_error *err)
{
  const dae_summary *s = &r->summary;
  const dae_option_table *table = r->plan.method->options;
  const dae_damping d = dae_integrator_damping(r->it);
  double energy = fabs(d.exchange * s->energy_removed_at_start);
  if (!s->damped || !(d.drift > DAMPED_DRIFT) || !(energy > DAMPED_EXCHANGE * r->monitor.kinetic) ||
      dae__options_number(table, r->plan.options, "damp_time") > 0)
    return status;
  return dae__fail(err, DAE_ERROR_STEP, "damp",
                   "the oscillation that damp removes drives the slow motion: it exchanges an "
                   "energy of about %.2g with it, whose kinetic energy is at most %.2g. The true "
                   "motion is another one: follow it without damp; damp_time says what is fast "
                   "and takes the smooth one nevertheless",
                   energy, r->monitor.kinetic);
}

/* Fills in the summary. */
static void end_summary(dae_simulation *r, dae_status status, const dae_error *err)
{
  dae_summary *s = &r->summary;
  const dae_coupled *coupled = r->plan.problem.coupled;
  s->status = status == DAE_END ? DAE_OK : status;
  if (status < 0)
    snprintf(s->message, sizeof s->message, "%s", err->text);
  if (r->it)
    s->stats = dae_integrator_stats(r->it);
  if (r->it && s->damped)
    s->damping = dae_integrator_damping(r->it);
  if (r->it && r->plan.method->iterates) {
    s->systems = coupled->parts;
    dae_contraction_of(r->it, &s->contraction, NULL);
    /* no contraction: with joints alone there is no plain sweep */
    if (!s->contraction.loop[0] && coupled->joints > 0)
      s->contraction.gauss_seidel = NAN;
  }
  if (r->monitor.measure) {
    s->position_drift = r->monitor.position;
    s->velocity_drift = r->monitor.velocity;
    r->trust.drift = r->monitor.drift_tolerances;
    s->energy_start = r->monitor.energy_start;
    s->energy_change = r->monitor.energy - r->monitor.energy_start;
    s->energy_balance = s->energy_change - r->monitor.work;
    s->energy_has_potential = r->monitor.has_potential;
    s->energy_error = isnan(s->energy_balance) ? NAN : r->monitor.energy_error;
    s->energy_tolerance = r->monitor.energy_tolerance;
    s->energy_supplied = r->monitor.corrected;
    s->oscillations = dae__monitor_oscillations(&r->monitor);
    r->trust.kinetic = r->monitor.kinetic;
    s->phase_error = dae__trust_phase(s, &r->monitor);
  }
  dae__list_limits(r->it, &r->plan.problem, s);
  dae__trust_judge(s, &r->trust);
}

/* Closes all sinks. */
static void end_close_sinks(dae_simulation *r, dae_error *err)
{
  dae_summary *s = &r->summary;
  for (int i = 0; r->plan.sinks && i < r->plan.sink_count; i++) {
    const dae_sink *sink = &r->plan.sinks[i];
    /* error of this sink; only the first failure of all sinks is reported */
    dae_error ours = dae_error_none();
    dae_status closed = sink->close ? sink->close(sink->self, s, &ours) : DAE_OK;
    if (closed >= 0 || s->status < 0)
      continue;
    s->status = closed;
    snprintf(s->message, sizeof s->message, "%s", ours.text);
    *err = ours;
  }
}

dae_status dae_simulation_finish(dae_simulation *r, dae_summary *summary, dae_error *err)
{
  dae_error own = r->error;
  dae_status status = r->status;
  err = err ? err : &own;
  *err = own;
  if (status >= 0)
    status = end_check_damping(r, status, err);
  if (status == DAE_ERROR_COUPLING && r->plan.method->iterates && r->it)
    end_offer_assembled(r, err);
  if (status == DAE_END)
    dae__events_finish(r->events);
  end_list_events(r, &r->summary);
  end_list_impacts(r, &r->summary);
  if (status >= 0 && r->plan.verify) {
    dae_status verified = dae__verify_run(&r->verify, &r->columns, &r->summary, err);
    status = verified < 0 ? verified : status;
  }
  if (status >= 0 && r->plan.check_error) {
    dae_status checked = dae__check_error_run(&r->verify, &r->columns, &r->summary, err);
    status = checked < 0 ? checked : status;
  }
  status = dae__env_status(&r->env, status, err);
  end_summary(r, status, err);
  end_close_sinks(r, err);
  r->broken = true; /* it cannot be advanced any more */
  if (summary)
    *summary = r->summary;
  return r->summary.status;
}

void dae_simulation_free(dae_simulation *r)
{
  if (!r)
    return;
  dae_integrator_free(r->it);
  dae__verify_free(&r->verify);
  dae__arena_free(r->arena);
}
