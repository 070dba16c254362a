/* Rows of runs at common times, and how they differ:
 *
 *   max over rows i and variables j of   |a_ij - b_ij| / (max_i |a_ij| + atol/rtol)
 *
 * which is rtol where two runs differ by what the tolerance asks for, whatever the units are. What
 * moves (coordinates, rates, states) is told apart from what follows from it (algebraic variables
 * and multipliers), which some methods have to fewer digits. Variables that only events change are
 * left out; the times at which a stop event ends two runs are compared instead. */
#include "core/error.h"
#include "core/vec.h"
#include "run/compare/compare.h"

#include <stdlib.h>

#define TRACK_BYTES 4e6 /* of the rows of a run, at most: there are dozens of them */
#define FEWEST_ROWS 8
/* rows keep off the round times that models like to switch at: a jump that comes a little early or
 * late is no error in the state after it */
#define OFF_ROUND 0.3819660112501051

dae_status dae__rows_prepare(dae__compare *c, dae_error *err)
{
  const dae_run_plan *plan = c->plan->plan;
  char name[8];
  c->n = dae_problem_size(&plan->problem);
  c->kind = DAE__ALLOC(c->scratch, dae_variable_kind, c->n);
  c->scale = DAE__ALLOC(c->scratch, double, c->n);
  c->times = DAE__ALLOC(c->scratch, double, c->plan->times);
  if (dae__arena_failed(c->scratch))
    return dae__out_of_memory(err);
  for (int j = 0; j < c->n; j++)
    c->kind[j] = dae_problem_variable(&plan->problem, j, name, sizeof name);
  return DAE_OK;
}

/* ---- times ---- */

static int compare_ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The end of half of the runs: one that a wrong event stops does not cut the others short. */
static double compare_median_end(const dae__compare *c, double *ends)
{
  size_t count = 0;
  for (int i = 0; i < c->series_count; i++)
    for (int k = 0; k < c->series[i].count; k++)
      if (dae__run_ok(&c->series[i].run[k]))
        ends[count++] = c->series[i].run[k].t_end;
  qsort(ends, count, sizeof *ends, compare_ascending);
  return count > 0 ? ends[count / 2] : c->plan->plan->to;
}

dae_status dae__rows_choose(dae__compare *c, dae_error *err)
{
  double *ends = DAE__ALLOC(c->scratch, double, c->series_count * c->width);
  if (!ends)
    return dae__out_of_memory(err);
  double from = c->plan->plan->start.t, length = compare_median_end(c, ends) - from;
  double most = fmax(TRACK_BYTES / ((double)c->n * sizeof(double)), FEWEST_ROWS);
  int count = (int)fmin(c->plan->times, most);
  for (int i = 0; i < count; i++)
    c->times[i] = from + (i + 1 - OFF_ROUND) * length / count;
  c->time_count = count;
  return DAE_OK;
}

dae_status dae__rows_track(dae__compare *c, dae__track *out, dae_error *err)
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

static void compare_extend_scale(dae__compare *c, const double *y)
{
  for (int j = 0; j < c->n; j++)
    c->scale[j] = fmax(c->scale[j], fabs(y[j]));
}

void dae__rows_scale(dae__compare *c, const dae__track *track)
{
  dae__zero(c->n, c->scale);
  for (int i = 0; i < track->count; i++)
    compare_extend_scale(c, dae__rows_at(c, track, i));
  if (track->whole)
    compare_extend_scale(c, dae__rows_at(c, track, c->time_count));
  for (int j = 0; j < c->n; j++)
    c->scale[j] += c->plan->atol_ratio;
}

static void compare_row(const dae__compare *c, const dae__track *a, const dae__track *b, int row,
                        double kind[DAE_VARIABLE_KINDS])
{
  const double *x = dae__rows_at(c, a, row), *y = dae__rows_at(c, b, row);
  const bool *held = c->plan->plan->held;
  for (int j = 0; j < c->n; j++) {
    double difference = fabs(x[j] - y[j]) / c->scale[j], *most = &kind[c->kind[j]];
    if (!(held && held[j]))
      *most = isnan(difference) ? INFINITY : fmax(*most, difference); /* fmax ignores NaN */
  }
}

dae__gap dae__rows_differ(const dae__compare *c, const dae__track *a, const dae__track *b)
{
  double *kind, from = c->plan->plan->start.t;
  dae__gap d;
  int rows = a->count < b->count ? a->count : b->count;
  kind = d.kind;
  for (int i = 0; i < DAE_VARIABLE_KINDS; i++)
    kind[i] = NAN;
  for (int i = 0; i < rows; i++)
    compare_row(c, a, b, i, kind);
  if (a->whole && b->whole)
    compare_row(c, a, b, c->time_count, kind);
  d.algebraic = fmax(kind[DAE_VARIABLE_ALGEBRAIC], kind[DAE_VARIABLE_MULTIPLIER]);
  d.motion =
      fmax(fmax(kind[DAE_VARIABLE_COORDINATE], kind[DAE_VARIABLE_RATE]), kind[DAE_VARIABLE_STATE]);
  if (isnan(d.motion)) /* nothing moves but what is algebraic */
    d.motion = d.algebraic;
  d.motion = fmax(d.motion, fabs(a->t_end - b->t_end) / (a->t_end - from));
  return d;
}
