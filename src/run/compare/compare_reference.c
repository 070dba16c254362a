/* The reference of a comparison.
 *
 * The exact solution is not known. Candidates for the reference are, for every method, its last
 * successful run and one at a tolerance smaller by 100; the reference is one of the two candidates
 * of different families that differ least. Their difference, the agreement, bounds the knowledge of
 * errors: methods that form and solve their steps by different code hardly make the same mistake
 * (`gauss` and `spark-gauss` have only their nodes in common). If all methods compared are of one
 * family, the second candidate is another method of that family, and for a single method a run at
 * another tolerance; the kind of the reference reports this.
 *
 * Rows of two runs at common times differ by
 *
 *   max over rows i and variables j of   |a_ij - b_ij| / (max_i |a_ij| + atol/rtol)
 *
 * which is rtol for two runs that differ by the tolerance, whatever the units. Coordinates, rates
 * and states are kept apart from algebraic variables and multipliers, which some methods have to
 * fewer digits. Variables that only events change are left out; the times at which a stop event
 * ends two runs are compared instead.
 * Runs whose numbers of events or of changes of branches differ do not agree, whatever their rows
 * (compare_events.c). */
#include "core/error.h"
#include "core/vec.h"
#include "run/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ratio of the tolerance of a method's last run to that of its further candidate, and smallest
 * tolerance of a candidate; chosen. */
#define CANDIDATE_TIGHTER 100.0
#define CANDIDATE_RTOL_MIN 1e-13
/* Agreement above which there is no reference; chosen. */
#define AGREEMENT_MAX 1e-2
/* Floor below which errors are not known, over the agreement; chosen. */
#define FLOOR_AGREEMENTS 3.0
/* Largest size in bytes of the rows of a run, of which there are dozens, and smallest number of
 * rows; chosen. */
#define TRACK_BYTES 4e6
#define TRACK_ROWS_MIN 8
/* Offset of the common times in their interval, by the golden section: models often switch at round
 * times, and a jump that comes a little early or late is no error of the state after it. */
#define TIME_OFFSET 0.3819660112501051

/* ---- rows at common times ---- */

static int compare_ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Selects the common times. */
static dae_status compare_select_times(dae__compare *c, dae_error *err)
{
  double *ends = DAE__ALLOC(c->scratch, double, c->series_count * c->width);
  size_t ended = 0;
  DAE__TRY(dae__arena_status(c->scratch, err));
  for (int i = 0; i < c->series_count; i++)
    for (int k = 0; k < c->series[i].count; k++)
      if (c->series[i].run[k].status >= 0)
        ends[ended++] = c->series[i].run[k].t_end;
  qsort(ends, ended, sizeof *ends, compare_ascending);
  /* median end time: one run that a wrong event stops does not cut the others short */
  double from = c->plan->plan->start.t, end = ended > 0 ? ends[ended / 2] : c->plan->plan->to;
  double most = fmax(TRACK_BYTES / ((double)c->n * sizeof(double)), TRACK_ROWS_MIN);
  c->time_count = (int)fmin(c->plan->times, most);
  for (int i = 0; i < c->time_count; i++)
    c->times[i] = from + (i + 1 - TIME_OFFSET) * (end - from) / c->time_count;
  return DAE_OK;
}

/* Allocates memory for rows at all common times. */
static dae_status compare_create_track(dae__compare *c, dae__track *out, dae_error *err)
{
  size_t rows = (size_t)c->time_count + 1;
  *out = (dae__track){.y = DAE__ALLOC(c->scratch, double, rows *(size_t)c->n)};
  return out->y ? DAE_OK : dae__out_of_memory(err);
}

double *dae__rows_at(const dae__compare *c, const dae__track *track, int i)
{
  return track->y + (size_t)i * (size_t)c->n;
}

/* ---- differences ---- */

/* Sets the scales of the variables from the rows of a run. */
static void compare_set_scale(dae__compare *c, const dae__track *track)
{
  dae__zero(c->n, c->scale);
  for (int i = 0; i < track->count + track->whole; i++) {
    const double *y = dae__rows_at(c, track, i < track->count ? i : c->time_count);
    for (int j = 0; j < c->n; j++)
      c->scale[j] = fmax(c->scale[j], fabs(y[j]));
  }
  for (int j = 0; j < c->n; j++)
    c->scale[j] += c->plan->atol_ratio;
}

/* Differences between the rows of b and a. */
static dae__gap compare_gap(const dae__compare *c, const dae__track *a, const dae__track *b)
{
  double *kind, from = c->plan->plan->start.t;
  dae__gap d;
  int rows = a->count < b->count ? a->count : b->count;
  kind = d.kind;
  for (int i = 0; i < DAE_VARIABLE_KINDS; i++)
    kind[i] = NAN;
  for (int i = 0; i < rows + (a->whole && b->whole); i++) {
    int row = i < rows ? i : c->time_count;
    const double *x = dae__rows_at(c, a, row), *y = dae__rows_at(c, b, row);
    for (int j = 0; j < c->n; j++) {
      double difference = fabs(x[j] - y[j]) / c->scale[j], *most = &kind[c->kind[j]];
      /* NaN counts as infinite; fmax ignores it */
      *most = isnan(difference) ? INFINITY : fmax(*most, difference);
    }
  }
  d.algebraic = fmax(kind[DAE_VARIABLE_ALGEBRAIC], kind[DAE_VARIABLE_MULTIPLIER]);
  d.motion =
      fmax(fmax(kind[DAE_VARIABLE_COORDINATE], kind[DAE_VARIABLE_RATE]), kind[DAE_VARIABLE_STATE]);
  if (isnan(d.motion)) /* difference of a problem without differential variables */
    d.motion = d.algebraic;
  d.motion = fmax(d.motion, fabs(a->t_end - b->t_end) / (a->t_end - from));
  return d;
}

/* ---- candidates ---- */

/* Repeats a run of a series with rows and adds it to the candidates, unless it fails this time. */
static dae_status compare_add_candidate(dae__compare *c, int series, const dae_compare_run *run,
                                        double limit, dae_error *err)
{
  dae__candidate *to = &c->candidate[c->candidates];
  *to = (dae__candidate){.series = series, .run = *run};
  DAE__TRY(compare_create_track(c, &to->track, err));
  DAE__TRY(dae__trial(c, limit, &to->run, &to->track, err));
  c->candidates += to->run.status >= 0;
  return DAE_OK;
}

/* Finds the candidates: the last successful run of every series, and a run of the same method at a
 * smaller tolerance, unless that is expected to exceed the time limit or the last run is already
 * among the slowest. */
static dae_status compare_find_candidates(dae__compare *c, dae_error *err)
{
  double limit = c->plan->seconds;
  c->candidate = DAE__ALLOC(c->scratch, dae__candidate, 2 * c->series_count);
  DAE__TRY(dae__arena_status(c->scratch, err));
  for (int i = 0; i < c->series_count; i++) {
    const dae__series *s = &c->series[i];
    const dae_compare_run *best = dae__series_best(s);
    if (!best)
      continue;
    DAE__TRY(compare_add_candidate(c, i, best, 0, err));
    dae_compare_run run = *best;
    if (run.step > 0 || !(run.rtol > CANDIDATE_RTOL_MIN) || run.seconds > c->usual ||
        (limit > 0 && dae__series_expect(s, CANDIDATE_TIGHTER) > limit))
      continue;
    run.rtol = fmax(run.rtol / CANDIDATE_TIGHTER, CANDIDATE_RTOL_MIN);
    DAE__TRY(compare_add_candidate(c, i, &run, limit, err));
  }
  return DAE_OK;
}

/* ---- selection of the reference ---- */

/* Kind of independence of two candidates. */
static dae_reference_kind compare_relation(const dae__candidate *a, const dae__candidate *b)
{
  const dae_method *x = a->run.method, *y = b->run.method;
  const char *f = x->family ? x->family : x->name, *g = y->family ? y->family : y->name;
  if (x == y)
    return DAE_REFERENCE_TOLERANCES;
  if (!f[0] || !g[0]) /* method without a family of its own: it may use the steps of the other */
    return DAE_REFERENCE_NONE;
  return strcmp(f, g) == 0 ? DAE_REFERENCE_METHODS : DAE_REFERENCE_FAMILIES;
}

typedef struct pair {
  const dae__candidate *a, *b;
  double agreement, algebraic;
} pair;

/* Closest pair of candidates with the same events. If there is none, but pairs with different
 * events, the closest of these is described in the reference. */
static pair compare_closest(dae__compare *c, dae_reference_kind kind)
{
  pair best = {.agreement = INFINITY}, other = best;
  char text[DAE__DIFFERENCE_SIZE], *said = c->out->reference.other_events;
  for (int i = 0; i < c->candidates; i++) {
    const dae__candidate *a = &c->candidate[i];
    compare_set_scale(c, &a->track);
    for (int j = 0; j < i; j++) {
      const dae__candidate *b = &c->candidate[j];
      if (compare_relation(a, b) != kind)
        continue;
      dae__gap d = compare_gap(c, &a->track, &b->track);
      bool differ = dae__compare_events_differ(&a->run, &a->track, &b->run, &b->track, text);
      pair *least = differ ? &other : &best;
      if (d.motion < least->agreement)
        *least = (pair){a, b, d.motion, d.algebraic};
    }
  }
  if (!best.a && other.a && !said[0])
    dae__compare_events_differ(&other.a->run, &other.a->track, &other.b->run, &other.b->track,
                               said);
  return best;
}

/* Smallest difference of a candidate from the candidates of methods outside the pair. */
static double compare_support(dae__compare *c, const dae__candidate *of, const pair *p)
{
  double nearest = INFINITY;
  char text[DAE__DIFFERENCE_SIZE];
  compare_set_scale(c, &of->track);
  for (int i = 0; i < c->candidates; i++) {
    const dae__candidate *other = &c->candidate[i];
    if (other->run.method != p->a->run.method && other->run.method != p->b->run.method &&
        !dae__compare_events_differ(&of->run, &of->track, &other->run, &other->track, text))
      nearest = fmin(nearest, compare_gap(c, &of->track, &other->track).motion);
  }
  return nearest;
}

dae_status dae__compare_reference(dae__compare *c, dae_error *err)
{
  dae_reference *r = &c->out->reference;
  pair p = {.agreement = INFINITY};
  DAE__TRY(compare_select_times(c, err));
  DAE__TRY(compare_find_candidates(c, err));
  for (int kind = DAE_REFERENCE_FAMILIES; kind <= DAE_REFERENCE_TOLERANCES && !p.a; kind++) {
    p = compare_closest(c, (dae_reference_kind)kind);
    r->kind = (dae_reference_kind)kind;
  }
  r->agreement = p.agreement;
  if (p.a) {
    /* reference: the candidate of the pair closer to other methods, otherwise the one at the
     * smaller tolerance */
    double a = compare_support(c, p.a, &p), b = compare_support(c, p.b, &p);
    if (b < a || (a == b && p.b->run.rtol < p.a->run.rtol))
      p = (pair){p.b, p.a, p.agreement, p.algebraic};
    r->run = p.a->run;
    r->witness = p.b->run;
    r->floor = FLOOR_AGREEMENTS * p.agreement;
    r->algebraic_floor = FLOOR_AGREEMENTS * p.algebraic;
    r->rows = p.a->track.count + p.a->track.whole;
  }
  if (p.agreement <= AGREEMENT_MAX)
    c->reference = p.a;
  else
    r->kind = DAE_REFERENCE_NONE;
  return DAE_OK;
}

/* ---- errors of all runs ---- */

/* Error of a run, which is repeated with rows unless it was a candidate. */
static dae_status compare_find_error(dae__compare *c, int series, dae_compare_run *run,
                                     dae_error *err)
{
  const dae__candidate *known = NULL;
  for (int i = 0; i < c->candidates && !known; i++) {
    const dae__candidate *k = &c->candidate[i];
    if (k->series == series && k->run.rtol == run->rtol && k->run.step == run->step)
      known = k;
  }
  if (known)
    *run = known->run;
  else
    DAE__TRY(dae__trial(c, 0, run, &c->spare, err));
  if (run->status < 0 || !c->reference)
    return DAE_OK;
  const dae__track *track = known ? &known->track : &c->spare, *reference = &c->reference->track;
  dae__gap d = compare_gap(c, reference, track);
  bool differ =
      dae__compare_events_differ(run, track, &c->reference->run, reference, run->other_events);
  memcpy(run->kind, d.kind, sizeof run->kind);
  run->error = differ ? INFINITY : d.motion;
  run->algebraic = differ && !isnan(d.algebraic) ? INFINITY : d.algebraic;
  return DAE_OK;
}

dae_status dae__compare_errors(dae__compare *c, dae_error *err)
{
  dae_status status = compare_create_track(c, &c->spare, err);
  if (status < 0)
    return status;
  if (c->reference)
    compare_set_scale(c, &c->reference->track);
  for (int i = 0; i < c->series_count; i++)
    for (int k = 0; k < c->series[i].count && status >= 0; k++)
      if (c->series[i].run[k].status >= 0)
        status = compare_find_error(c, i, &c->series[i].run[k], err);
  return status;
}
