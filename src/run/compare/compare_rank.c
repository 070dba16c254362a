/* Recommendation of a comparison: cost at a given error, ranking of the methods, the recommended
 * method and its reasons, in sentences of measured figures only. */
#include "core/mutant.h"
#include "output/text.h"
#include "run/compare/compare.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest ratio of two times that count as equal, so that evaluations decide: the scatter of
 * repeated measurements. */
#define SAME_TIME_RATIO 1.1
/* Smallest ratio of times with rows at which a method faster with rows is mentioned; chosen. */
#define ROWS_TIME_RATIO 1.5
/* Conditions for mentioning a method that preserves the energy better: largest ratio of its time to
 * that of the recommended method, and largest ratio of the energy balances; chosen. */
#define ENERGY_TIME_RATIO 10.0
#define ENERGY_BALANCE_RATIO 0.1
/* Energy balance, over the largest one of all runs, that counts as round-off; chosen. */
#define ENERGY_ROUND_OFF 1e-8
/* Errors and tolerances below it are shown as powers of ten. */
#define ERROR_POWER 0.1
/* Number of methods mentioned beside the recommended one. */
#define NAMED_METHODS 2

/* ---- cost at a given error ---- */

/* Error of a run, or the floor below which errors are not known. */
static double compare_known_error(const dae_comparison *c, const dae_compare_run *run)
{
  return fmax(run->error, c->reference.floor);
}

#define COST_ENERGY (DAE_COST_EVALUATIONS + 1) /* energy balance, beside the public costs */

/* Figure of a run that is interpolated over its error; cost: one of dae_compare_cost, or
 * COST_ENERGY. */
static double compare_figure(const dae_compare_run *run, int cost)
{
  return cost == DAE_COST_SECONDS        ? run->seconds
         : cost == DAE_COST_SECONDS_ROWS ? run->seconds_rows
         : cost == DAE_COST_EVALUATIONS  ? (double)run->stats.evaluations
                                         : fabs(run->energy_balance);
}

/* Whether a run has an error, INFINITY if its events are others than those of the reference. */
static bool compare_is_valid(const dae_comparison *c, int i, const dae_method *method)
{
  return i < c->runs && c->run[i].method == method && c->run[i].status >= 0 &&
         !isnan(c->run[i].error);
}

/* Figure at a given error, by linear interpolation between two runs in logarithms. */
static double compare_interpolate(const dae_comparison *c, const dae_compare_run *a,
                                  const dae_compare_run *b, double error, int cost)
{
  double from = log(compare_known_error(c, a)), to = log(compare_known_error(c, b));
  double x = log(fmax(compare_figure(a, cost), DBL_MIN));
  double y = log(fmax(compare_figure(b, cost), DBL_MIN));
  return exp(x + (log(error) - from) / (to - from) * (y - x));
}

double dae_comparison_cost(const dae_comparison *c, const dae_method *method, double error,
                           dae_compare_cost cost)
{
  double least = NAN;
  if (c->reference.kind == DAE_REFERENCE_NONE || !(error >= c->reference.floor))
    return NAN;
  for (int i = 0; i < c->runs; i++) {
    if (!compare_is_valid(c, i, method) || !(compare_known_error(c, &c->run[i]) <= error))
      continue;
    /* minimum over the runs; fmin ignores NaN */
    least = fmin(least, compare_figure(&c->run[i], (int)cost));
    if (i > 0 && compare_is_valid(c, i - 1, method) && isfinite(c->run[i - 1].error) &&
        compare_known_error(c, &c->run[i - 1]) > error)
      least = fmin(least, compare_interpolate(c, &c->run[i - 1], &c->run[i], error, (int)cost));
  }
  return least;
}

int dae_comparison_rank(const dae_comparison *c, double error, dae_compare_cost cost,
                        const dae_method **order)
{
  int count = 0;
  for (int i = 0; i < c->method_count; i++) {
    double own = dae_comparison_cost(c, c->methods[i], error, cost);
    int at = count;
    if (isnan(own))
      continue;
    for (; at > 0 && dae_comparison_cost(c, order[at - 1], error, cost) > own; at--)
      order[at] = order[at - 1];
    order[at] = c->methods[i];
    count++;
  }
  return count;
}

/* ---- sentences of the recommendation ---- */

static dae__number compare_seconds(double value)
{
  dae__number s = dae__number_text(value < 1 ? 1e3 * value : value, 3);
  snprintf(s.text + strlen(s.text), 4, " %s", value < 1 ? "ms" : "s");
  return s;
}

/* Text with two significant digits, values below the limit as powers of ten: 1e-4, 2.5e-4. */
static dae__number compare_power(double value, double limit)
{
  dae__number s;
  if (!(value > 0 && value < limit))
    return dae__number_text(value, 2);
  snprintf(s.text, sizeof s.text, "%.1e", value); /* rounded first, since 9.96e-5 is 1e-4 */
  int exponent = atoi(strchr(s.text, 'e') + 1);
  snprintf(s.text, sizeof s.text, "%.20se%d", dae__number_text(value / pow(10, exponent), 2).text,
           exponent);
  return s;
}

size_t dae_compare_asked(const dae_compare_run *run, char *text, size_t size)
{
  bool fixed = run->step > 0;
  dae__text t = dae__text_in(text, size);
  dae__text_add(&t, "%s%s", fixed ? "h " : "",
                compare_power(fixed ? run->step : run->rtol, fixed ? 0.01 : ERROR_POWER).text);
  return t.length;
}

/* Tolerance or step size of a run as text: "rtol 1e-4", "h 0.01". */
static dae__number compare_asked(const dae_compare_run *run)
{
  dae__number s;
  bool fixed = run->step > 0;
  dae_compare_asked(run, s.text + (fixed ? 0 : 5), sizeof s.text - 5);
  if (!fixed)
    memcpy(s.text, "rtol ", 5);
  return s;
}

size_t dae_reference_text(const dae_comparison *c, char *text, size_t size)
{
  const dae_reference *r = &c->reference;
  dae__text t = dae__text_in(text, size);
  if (!r->run.method) {
    dae__text_add(&t,
                  r->other_events[0]
                      ? "no two runs have the same number of events (%s), there is no reference"
                      : "no two runs came to their end, there is no reference",
                  r->other_events);
    return t.length;
  }
  dae__text_add(&t, "%s at %s and %s at %s ", r->run.method->name, compare_asked(&r->run).text,
                r->witness.method->name, compare_asked(&r->witness).text);
  if (r->kind == DAE_REFERENCE_NONE)
    dae__text_add(&t, "agree best, but differ by %s: there is no reference",
                  compare_power(r->agreement, ERROR_POWER).text);
  else
    dae__text_add(&t, "agree to %s in %d rows%s", compare_power(r->agreement, ERROR_POWER).text,
                  r->rows,
                  r->kind == DAE_REFERENCE_FAMILIES ? "; they are of different families"
                  : r->kind == DAE_REFERENCE_METHODS
                      ? "; but they are of one family, and a mistake may be in both"
                      : "; but it is the same method, whose mistakes are in both");
  if (r->other_events[0])
    dae__text_add(&t, "; others differ in the number of an event (%s)", r->other_events);
  return t.length;
}

static const dae_compare_run *compare_cheapest(const dae_comparison *c, const dae_method *method)
{
  const dae_compare_run *best = NULL;
  for (int i = 0; i < c->runs; i++)
    if (compare_is_valid(c, i, method) && compare_known_error(c, &c->run[i]) <= c->wanted &&
        (!best || DAE__MUTATE(compare_fastest,
                              c->run[i].seconds<best->seconds, c->run[i].seconds> best->seconds)))
      best = &c->run[i];
  return best;
}

/* Adds the figures of the recommended method and of the next ones, and a method that is faster with
 * rows: dense output costs some methods more than their steps. order: the methods by time,
 * overwritten. */
static void compare_say_figures(const dae_comparison *c, const dae_method **order, int count,
                                dae__text *t)
{
  const dae_method *m = c->recommended;
  double time = dae_comparison_cost(c, m, c->wanted, DAE_COST_SECONDS);
  double work = dae_comparison_cost(c, m, c->wanted, DAE_COST_EVALUATIONS);
  int named = 0;
  dae__text_add(t, "%s reaches an error of %s in %s with %.0f evaluations, at %s", m->name,
                compare_power(c->wanted, ERROR_POWER).text, compare_seconds(time).text, work,
                compare_asked(c->best).text);
  for (int i = 0; i < count && named < NAMED_METHODS; i++) {
    if (order[i] == m)
      continue;
    time = dae_comparison_cost(c, order[i], c->wanted, DAE_COST_SECONDS);
    work = dae_comparison_cost(c, order[i], c->wanted, DAE_COST_EVALUATIONS);
    dae__text_add(t, "%s %s in %s with %.0f", named++ ? "," : ";", order[i]->name,
                  compare_seconds(time).text, work);
  }
  dae__text_add(t, m == order[0] ? "." : ". Where times are within 10 %%, evaluations decide.");
  const dae_compare_cost rows = DAE_COST_SECONDS_ROWS;
  if (dae_comparison_rank(c, c->wanted, rows, order) == 0 || order[0] == m)
    return;
  double own = dae_comparison_cost(c, m, c->wanted, rows);
  double least = dae_comparison_cost(c, order[0], c->wanted, rows);
  if (own > ROWS_TIME_RATIO * least)
    dae__text_add(t, " With %d rows%s %s is faster: %s, %s %s.", c->reference.rows,
                  isnan(c->best->energy_balance) ? "" : " and an energy balance", order[0]->name,
                  compare_seconds(least).text, m->name, compare_seconds(own).text);
}

/* Energy balance of a method at the wanted error; if its first run is already more accurate, the
 * balance of that run. */
static double compare_energy_at(const dae_comparison *c, const dae_method *method)
{
  for (int i = 0; i < c->runs; i++) {
    if (!compare_is_valid(c, i, method) || compare_known_error(c, &c->run[i]) > c->wanted)
      continue;
    bool first = i == 0 || !compare_is_valid(c, i - 1, method) || isinf(c->run[i - 1].error);
    return first ? compare_figure(&c->run[i], COST_ENERGY)
                 : compare_interpolate(c, &c->run[i - 1], &c->run[i], c->wanted, COST_ENERGY);
  }
  return NAN;
}

static void compare_say_energy(const dae_comparison *c, dae__text *t)
{
  double own = compare_energy_at(c, c->recommended), least = own, most = 0;
  double time = dae_comparison_cost(c, c->recommended, c->wanted, DAE_COST_SECONDS);
  const dae_method *best = c->recommended;
  for (int i = 0; i < c->runs; i++)
    most = fmax(most, fabs(c->run[i].energy_balance));
  for (int i = 0; i < c->method_count && own > ENERGY_ROUND_OFF * most; i++)
    if (compare_energy_at(c, c->methods[i]) < least &&
        dae_comparison_cost(c, c->methods[i], c->wanted, DAE_COST_SECONDS) <=
            ENERGY_TIME_RATIO * time) {
      best = c->methods[i];
      least = compare_energy_at(c, best);
    }
  if (least < ENERGY_BALANCE_RATIO * own)
    dae__text_add(t, " With the same error %s keeps the energy better: off by %s, %s by %s.",
                  best->name, compare_power(least, ERROR_POWER).text, c->recommended->name,
                  compare_power(own, ERROR_POWER).text);
}

/* ---- reasons for no recommendation ---- */

static void compare_say_none(const dae_comparison *c, bool interrupted, dae__text *t)
{
  const dae_reference *r = &c->reference;
  const dae_compare_run *nearest = NULL;
  for (int i = 0; i < c->runs; i++)
    if (compare_is_valid(c, i, c->run[i].method) && isfinite(c->run[i].error) &&
        (!nearest || c->run[i].error < nearest->error))
      nearest = &c->run[i];
  if (interrupted && !nearest)
    dae__text_add(t, "The comparison was interrupted before errors were known.");
  else if (!r->run.method && r->other_events[0])
    dae__text_add(t,
                  "There is no reference: no two runs have the same number of events, which then "
                  "depends on the tolerance or the method: %s.",
                  r->other_events);
  else if (!r->run.method)
    dae__text_add(t, "There is no reference: no two runs came to their end.");
  else if (r->kind == DAE_REFERENCE_NONE)
    dae__text_add(t,
                  "There is no reference: even the two runs that agree best differ by %s. The "
                  "motion may be chaotic, or depend on the times of events; compare over a shorter "
                  "time.",
                  compare_power(r->agreement, ERROR_POWER).text);
  else if (c->wanted < r->floor)
    dae__text_add(t,
                  "Errors of %s cannot be told apart: the reference itself is known to %s only. "
                  "Compare at smaller tolerances, or for a larger error.",
                  compare_power(c->wanted, ERROR_POWER).text,
                  compare_power(r->floor, ERROR_POWER).text);
  else if (nearest)
    dae__text_add(t,
                  "No method reached an error of %s: %s comes nearest, with %s at %s. Compare at "
                  "smaller tolerances.",
                  compare_power(c->wanted, ERROR_POWER).text, nearest->method->name,
                  compare_power(nearest->error, ERROR_POWER).text, compare_asked(nearest).text);
}

/* ---- the recommendation ---- */

void dae__compare_recommend(dae_comparison *c, bool interrupted, const dae_method **order)
{
  dae__text t = dae__text_in(c->why, sizeof c->why);
  int count = dae_comparison_rank(c, c->wanted, DAE_COST_SECONDS, order);
  if (count == 0) {
    compare_say_none(c, interrupted, &t);
    return;
  }
  /* fastest method; among equal times the method with the fewest evaluations */
  const dae_method *best = order[0];
  double least = dae_comparison_cost(c, best, c->wanted, DAE_COST_SECONDS);
  for (int i = 1; i < count; i++) {
    if (dae_comparison_cost(c, order[i], c->wanted, DAE_COST_SECONDS) > SAME_TIME_RATIO * least)
      break;
    if (dae_comparison_cost(c, order[i], c->wanted, DAE_COST_EVALUATIONS) <
        dae_comparison_cost(c, best, c->wanted, DAE_COST_EVALUATIONS))
      best = order[i];
  }
  c->recommended = best;
  c->best = compare_cheapest(c, c->recommended);
  compare_say_figures(c, order, count, &t);
  compare_say_energy(c, &t);
  /* methods with errors, all of them too large */
  int failed = 0;
  for (int i = 0; i < c->method_count; i++) {
    bool ran = false;
    for (int k = 0; k < c->runs && !ran; k++)
      ran = compare_is_valid(c, k, c->methods[i]);
    if (ran && !compare_cheapest(c, c->methods[i]))
      dae__text_add(&t, "%s%s", failed++ ? ", " : " Not reached by ", c->methods[i]->name);
  }
  dae__text_add(&t, failed > 0 ? "." : "");
}
