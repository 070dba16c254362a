/* The reference of a comparison.
 *
 * Nobody knows the motion. Candidates are, of every method, its last run that went well and one at
 * a tolerance smaller by 100; the reference is one of the two that differ least among those of
 * different families. What they differ by, their agreement, is as far as anything is known: methods
 * that form and solve their steps by other code hardly make the same mistake (`gauss` and
 * `spark-gauss` share their nodes, not more). Where the methods compared are
 * all of one family, others of that family, and where there is one method only, another tolerance
 * takes the witness's place, and the reference says so. */
#include "core/error.h"
#include "run/compare/compare.h"

#include <math.h>
#include <string.h>

#define TIGHTER 100.0     /* further candidates */
#define TIGHTEST 1e-13    /* that methods can be asked for */
#define DISAGREEMENT 1e-2 /* that leaves no reference */
#define FLOOR 3.0         /* errors below so many agreements are not known */

/* ---- candidates ---- */

/* A run of the series with its rows; one that fails this time is none. */
static dae_status compare_add_candidate(dae__compare *c, int series, const dae_compare_run *run,
                                        double limit, dae_error *err)
{
  dae__candidate *to = &c->candidate[c->candidates];
  *to = (dae__candidate){.series = series, .run = *run};
  dae_status status = dae__rows_track(c, &to->track, err);
  if (status >= 0)
    status = dae__trial_rows(c, limit, &to->run, &to->track, err);
  c->candidates += status >= 0 && dae__run_ok(&to->run);
  return status;
}

/* The same method at a smaller tolerance, unless it is among the slowest, or would be. */
static dae_status compare_add_tighter(dae__compare *c, int series, dae_error *err)
{
  const dae__series *s = &c->series[series];
  dae_compare_run run = *dae__series_best(s);
  double limit = c->plan->seconds;
  if (run.step > 0 || !(run.rtol > TIGHTEST) || run.seconds > c->usual ||
      (limit > 0 && dae__series_expect(s, TIGHTER) > limit))
    return DAE_OK;
  run.rtol = fmax(run.rtol / TIGHTER, TIGHTEST);
  return compare_add_candidate(c, series, &run, limit, err);
}

static dae_status compare_find_candidates(dae__compare *c, dae_error *err)
{
  dae_status status = DAE_OK;
  c->candidate = DAE__ALLOC(c->scratch, dae__candidate, 2 * c->series_count);
  if (!c->candidate)
    return dae__out_of_memory(err);
  for (int i = 0; i < c->series_count && status >= 0; i++) {
    const dae_compare_run *best = dae__series_best(&c->series[i]);
    if (!best)
      continue;
    status = compare_add_candidate(c, i, best, 0, err);
    if (status >= 0)
      status = compare_add_tighter(c, i, err);
  }
  return status;
}

/* ---- the pair ---- */

/* What the agreement of two candidates rests on. */
static dae_reference_kind compare_relation(const dae__candidate *a, const dae__candidate *b)
{
  const dae_method *x = a->run.method, *y = b->run.method;
  const char *f = x->family ? x->family : x->name, *g = y->family ? y->family : y->name;
  if (x == y)
    return DAE_REFERENCE_TOLERANCES;
  if (!f[0] || !g[0]) /* the one may be made of the other */
    return DAE_REFERENCE_NONE;
  return strcmp(f, g) == 0 ? DAE_REFERENCE_METHODS : DAE_REFERENCE_FAMILIES;
}

typedef struct pair {
  const dae__candidate *a, *b;
  double agreement, algebraic;
} pair;

static pair compare_closest(dae__compare *c, dae_reference_kind kind)
{
  pair best = {.agreement = INFINITY};
  for (int i = 0; i < c->candidates; i++) {
    const dae__candidate *a = &c->candidate[i];
    dae__rows_scale(c, &a->track);
    for (int j = 0; j < i; j++) {
      const dae__candidate *b = &c->candidate[j];
      if (compare_relation(a, b) != kind)
        continue;
      dae__gap d = dae__rows_differ(c, &a->track, &b->track);
      if (d.motion < best.agreement)
        best = (pair){a, b, d.motion, d.algebraic};
    }
  }
  return best;
}

/* how near the nearest of the other methods comes */
static double compare_support(dae__compare *c, const dae__candidate *of, const pair *p)
{
  double nearest = INFINITY;
  dae__rows_scale(c, &of->track);
  for (int i = 0; i < c->candidates; i++) {
    const dae__candidate *other = &c->candidate[i];
    if (other->run.method != p->a->run.method && other->run.method != p->b->run.method)
      nearest = fmin(nearest, dae__rows_differ(c, &of->track, &other->track).motion);
  }
  return nearest;
}

/* Of the two the one that others come nearer to is the reference, else that of the smaller
 * tolerance. */
static pair compare_in_order(dae__compare *c, pair p)
{
  double a = compare_support(c, p.a, &p), b = compare_support(c, p.b, &p);
  if (b < a || (a == b && p.b->run.rtol < p.a->run.rtol))
    return (pair){p.b, p.a, p.agreement, p.algebraic};
  return p;
}

static void compare_describe(const pair *p, dae_reference *r)
{
  r->run = p->a->run;
  r->witness = p->b->run;
  r->floor = FLOOR * p->agreement;
  r->algebraic_floor = FLOOR * p->algebraic;
  r->rows = p->a->track.count + p->a->track.whole;
}

static void compare_reference_choose(dae__compare *c)
{
  dae_reference *r = &c->out->reference;
  pair p = {.agreement = INFINITY};
  for (int kind = DAE_REFERENCE_FAMILIES; kind <= DAE_REFERENCE_TOLERANCES && !p.a; kind++) {
    p = compare_closest(c, (dae_reference_kind)kind);
    r->kind = (dae_reference_kind)kind;
  }
  r->agreement = p.agreement;
  if (p.a) {
    p = compare_in_order(c, p);
    compare_describe(&p, r);
  }
  if (p.agreement <= DISAGREEMENT)
    c->reference = p.a;
  else
    r->kind = DAE_REFERENCE_NONE;
}

dae_status dae__compare_reference(dae__compare *c, dae_error *err)
{
  dae_status status = dae__rows_choose(c, err);
  if (status >= 0)
    status = compare_find_candidates(c, err);
  if (status >= 0)
    compare_reference_choose(c);
  return status;
}

/* ---- errors ---- */

static const dae__candidate *compare_candidate_of(const dae__compare *c, int series,
                                                  const dae_compare_run *run)
{
  for (int i = 0; i < c->candidates; i++) {
    const dae__candidate *k = &c->candidate[i];
    if (k->series == series && k->run.rtol == run->rtol && k->run.step == run->step)
      return k;
  }
  return NULL;
}

/* The run once more with rows, unless it was a candidate. */
static dae_status compare_find_error(dae__compare *c, int series, dae_compare_run *run,
                                     dae_error *err)
{
  const dae__candidate *known = compare_candidate_of(c, series, run);
  const dae__track *rows = known ? &known->track : &c->spare;
  dae_status status = known ? DAE_OK : dae__trial_rows(c, 0, run, &c->spare, err);
  if (known)
    *run = known->run;
  if (status < 0 || !dae__run_ok(run) || !c->reference)
    return status;
  dae__gap d = dae__rows_differ(c, &c->reference->track, rows);
  memcpy(run->kind, d.kind, sizeof run->kind);
  run->error = d.motion;
  run->algebraic = d.algebraic;
  return DAE_OK;
}

dae_status dae__compare_errors(dae__compare *c, dae_error *err)
{
  dae_status status = dae__rows_track(c, &c->spare, err);
  if (status < 0)
    return status;
  if (c->reference)
    dae__rows_scale(c, &c->reference->track);
  for (int i = 0; i < c->series_count; i++)
    for (int k = 0; k < c->series[i].count && status >= 0; k++)
      if (dae__run_ok(&c->series[i].run[k]))
        status = compare_find_error(c, i, &c->series[i].run[k], err);
  return status;
}
