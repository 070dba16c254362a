#include "run/trust.h"

#include "core/mutant.h"
#include "core/number.h"
#include "core/text.h"
#include "output/summary.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Limits of the verdict. Those on the energy and on the rejected steps are chosen by 11405 runs of
 * models with references that are within 30 rtol: 1.5 % of them have an energy error above 3
 * tolerances, 0.1 % above 30, 2.7 % reject more than 0.6 times as many steps as they take. Those on
 * differences are the accepted error and the error that must not pass in silence. Those on drift,
 * values and events are chosen, not measured. */
/* number of periods in the run below which an oscillation is slow */
#define DAMPING_SLOW_PERIODS 5
/* deviation by a removed oscillation, in tolerances, and its energy in tolerances of the kinetic
 * one where the deviation is not known */
#define DAMPING_DRIFT 10
#define ENERGY_AMBER 3         /* energy error in tolerances of the energy */
#define ENERGY_RED 30          /* the same */
#define ENERGY_ROUND_OFF 1e-12 /* energy error over the energy that counts as round-off */
#define REJECTED_AMBER 0.6     /* rejected steps by accepted steps */
#define REJECTED_LEAST 10      /* least number of rejected steps that counts */
#define DIFFERENCE_AMBER 30    /* difference to the second run in tolerances */
#define DIFFERENCE_RED 1000    /* the same */
#define DRIFT_AMBER 30         /* drift off the constraints in tolerances */
#define DRIFT_RED 1000         /* the same */
/* Least number of oscillations with a judged phase, and phase error of one of them in radians over
 * rtol: of 8073 runs within 30 rtol 0.4 % are above both, of 61 others 30. */
#define PHASE_LONG 10
#define PHASE_AMBER 1.5
#define PHASE_RED 1     /* phase error in radians: nothing is left of the phase */
#define VALUE_RED 1e100 /* |value| that no motion of a sensible unit has */
/* Series of events that accumulates: number of shrinking intervals, and last over first one. */
#define EVENTS_SHRINKING 8
#define EVENTS_SHRUNK 1e-2

/* ---- facts ---- */

bool dae__trust_fixed_steps(const dae_summary *s)
{
  return s->step > 0 || isnan(s->rtol);
}

double dae__trust_phase(const dae_summary *s, const dae__monitor *m)
{
  const double pi = acos(-1.0);
  if (!(s->oscillations > 0 && m->kinetic > 0))
    return NAN;
  /* A frequency goes with the root of the energy at most, d omega/omega = dE/(2 T). An error of the
   * energy that grows linearly gives half of 2 pi N d omega/omega. */
  if (m->corrected == 0)
    return pi / 2 * s->oscillations * s->energy_error / m->kinetic;
  /* corrected steps: the mean error that is left, and that of each step along the motion, which is
   * as large as that of its energy */
  double mean = fabs(m->energy_left / (s->t_end - s->t_start));
  return (pi * s->oscillations * mean + s->energy_error) / m->kinetic;
}

void dae__trust_event(dae__trust_facts *f, double t)
{
  double interval = t - f->event_t;
  if (f->shrinking > 0 && interval < f->interval) {
    f->shrinking++;
  } else {
    f->shrinking = 1;
    f->first_interval = interval;
  }
  f->interval = interval;
  f->event_t = t;
  if (DAE__MUTATE(trust_shrinking, f->shrinking >= EVENTS_SHRINKING, false) &&
      interval < EVENTS_SHRUNK * f->first_interval) {
    f->accumulates = true;
    f->accumulation_t = t;
  }
}

void dae__trust_row(dae__trust_facts *f, const dae_problem *problem, const double *y)
{
  int n = dae_problem_size(problem), worst = -1;
  for (int i = 0; i < n; i++)
    if (!(fabs(y[i]) <= f->largest)) {
      f->largest = isnan(y[i]) ? INFINITY : fabs(y[i]);
      worst = i;
    }
  if (DAE__MUTATE(trust_values, worst >= 0 && f->largest > VALUE_RED, false))
    dae_problem_variable(problem, worst, f->name, sizeof f->name);
}

/* ---- verdict ---- */

__attribute__((format(printf, 3, 4))) static void trust_add(dae_summary *s, dae_trust trust,
                                                            const char *format, ...)
{
  size_t length = strlen(s->reasons), room = sizeof s->reasons - length;
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  s->trust = trust > s->trust ? trust : s->trust;
  if (strlen(line) + 2 <= room)
    snprintf(s->reasons + length, room, "%s\n", line);
}

/* Verdict on the energy: its error along the run in tolerances. Without a degree of freedom the
 * constraints determine the motion, and the balance shows the multipliers only; a damped run loses
 * energy on purpose. */
static void trust_judge_energy(dae_summary *s)
{
  double error = s->energy_error, tolerances = error / s->energy_tolerance;
  bool free = s->diagnosis.dof != 0 && !s->damped, judged = s->energy_tolerance > 0 && free;
  bool round_off = error <= ENERGY_ROUND_OFF * (fabs(s->energy_start) + fabs(s->energy_change));
  if (judged && !round_off &&
      DAE__MUTATE(trust_energy, tolerances > ENERGY_AMBER, tolerances > 1e6 * ENERGY_AMBER))
    trust_add(s, tolerances > ENERGY_RED ? DAE_TRUST_RED : DAE_TRUST_AMBER,
              "the energy balance is off by %s, %s times the effect of the tolerance",
              dae__number_text(error, 3).text, dae__number_text(tolerances, 2).text);
  double rtol = dae__trust_fixed_steps(s) ? DAE__FIXED_STEP_RTOL : s->rtol;
  bool counted = free && s->oscillations >= PHASE_LONG;
  if (counted && s->phase_error > fmin(PHASE_AMBER * s->oscillations * rtol, PHASE_RED))
    trust_add(s, s->phase_error > PHASE_RED ? DAE_TRUST_RED : DAE_TRUST_AMBER,
              "the phase of about %s oscillations is off by about %s rad",
              dae__number_text(s->oscillations, 3).text, dae__number_text(s->phase_error, 2).text);
}

/* Verdict on the steps: rejections, and steps without error control. */
static void trust_judge_steps(dae_summary *s)
{
  const dae_stats *n = &s->stats;
  double steps = (double)(s->systems > 0 ? n->inner_steps : n->steps);
  double rejected = (double)(n->rejected_by_error + n->rejected_by_convergence);
  bool checked = s->check.method && !s->check.message[0];
  if (dae__trust_fixed_steps(s) && !checked)
    trust_add(s, DAE_TRUST_AMBER,
              "fixed steps have no error control; --check-error compares with finer ones");
  else if (rejected >= REJECTED_LEAST && rejected > REJECTED_AMBER * steps && !checked)
    trust_add(s, DAE_TRUST_AMBER,
              "%s steps were rejected for %s taken: forces may jump; --check-error tells",
              dae__number_text(rejected, 6).text, dae__number_text(steps, 6).text);
  if (s->caution)
    trust_add(s, DAE_TRUST_AMBER, "%s", s->caution);
}

/* Verdict on what the option `damp` removed or kept. */
static void trust_judge_damping(dae_summary *s, double kinetic)
{
  const dae_damping *d = &s->damping;
  if (!s->damped)
    return;
  if (d->kind == DAE_DAMPING_ALL)
    trust_add(s, DAE_TRUST_AMBER, "all motion of the start was fast: what is left is rest");
  if (d->kind == DAE_DAMPING_FIXED)
    trust_add(s, DAE_TRUST_AMBER,
              "the fast motion is in `fixed` values of the start: it is not removed");
  if (d->drift > DAMPING_DRIFT)
    trust_add(s, DAE_TRUST_AMBER,
              "the oscillation that was removed drives the slow motion: the true one differs by "
              "about %s tolerances, %s by %s",
              dae__number_text(d->drift, 2).text, d->drift_name,
              dae__number_text(d->drift_size, 2).text);
  double removed = fmax(s->energy_removed_at_start, s->energy_removed_at_events);
  if ((d->kind == DAE_DAMPING_REMOVED || d->restarts > 0) && isnan(d->drift) &&
      removed > DAMPING_DRIFT * s->rtol * kinetic)
    trust_add(s, DAE_TRUST_AMBER,
              "the oscillation that was removed could not be followed: it may drive the slow "
              "motion");
  if (d->kept > 0 && s->t_end - s->t_start > DAMPING_SLOW_PERIODS * d->kept)
    trust_add(s, DAE_TRUST_AMBER, "an oscillation with a period of %s, %s in the run, %s",
              dae__number_text(d->kept, 2).text,
              dae__number_text((s->t_end - s->t_start) / d->kept, 2).text, dae__damping_kept(d));
}

static void trust_judge_difference(dae_summary *s)
{
  const dae_error_check *c = &s->check;
  if (!c->method)
    return;
  if (c->message[0])
    trust_add(s, DAE_TRUST_AMBER, "the second run, by %s, failed: %.150s", c->method, c->message);
  else if (!(c->most.tolerances <= DIFFERENCE_AMBER))
    trust_add(s, c->most.tolerances > DIFFERENCE_RED ? DAE_TRUST_RED : DAE_TRUST_AMBER,
              "%s differs from the second run by %s tolerances", c->most.name,
              dae__number_text(c->most.tolerances, 3).text);
  if (c->other_events[0]) /* near misses say that the number is not certain */
    trust_add(s, s->near_misses > 0 ? DAE_TRUST_AMBER : DAE_TRUST_RED,
              "another number of events: %s", c->other_events);
}

void dae__trust_judge(dae_summary *s, const dae__trust_facts *f)
{
  s->trust = DAE_TRUST_GREEN;
  s->reasons[0] = '\0';
  if (s->status < 0)
    trust_add(s, DAE_TRUST_RED, "the run ended early, at t = %s",
              dae__number_text(s->t_end, 6).text);
  if (s->rows == 0)
    return;
  if (f->largest > VALUE_RED)
    trust_add(s, DAE_TRUST_RED, "%s grows beyond all bounds: %s", f->name,
              dae__number_text(f->largest, 3).text);
  trust_judge_energy(s);
  if (f->drift > DRIFT_AMBER)
    trust_add(s, f->drift > DRIFT_RED ? DAE_TRUST_RED : DAE_TRUST_AMBER,
              "rows are off the constraints by %s tolerances", dae__number_text(f->drift, 3).text);
  trust_judge_difference(s);
  trust_judge_steps(s);
  trust_judge_damping(s, f->kinetic);
  if (f->accumulates)
    trust_add(s, DAE_TRUST_AMBER, "events accumulate near t = %s",
              dae__number_text(f->accumulation_t, 6).text);
  if (s->near_misses > 0)
    trust_add(s, DAE_TRUST_AMBER,
              "%ld near miss%s of events: their number depends on the tolerance", s->near_misses,
              s->near_misses == 1 ? "" : "es");
  if (f->rows_missing > 0)
    trust_add(s, DAE_TRUST_AMBER, "dense output failed for %ld row%s of the report",
              f->rows_missing, f->rows_missing == 1 ? "" : "s");
}
