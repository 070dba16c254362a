/* Coloured differences: columns that share no row are moved together, so that a sparse Jacobian
 * costs as many evaluations as it has colours, not columns.
 *
 * Iteration matrices are content with (fn(x + d) - fn(x)) / d, d = sqrt(eps) |x_j|, an error of
 * about 1e-8. Derivatives that stand in a residual, such as G' lambda, bound the accuracy of the
 * solution; for them
 *   (8 (fn(x + d) - fn(x - d)) - (fn(x + 2d) - fn(x - 2d))) / 12 d,   d = eps^(1/5) |x_j|
 * leaves about 3e-13. |x_j| is replaced by the root mean square of x where it is smaller. */
#include "problem/difference.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include <float.h>

dae__difference dae__difference_create(dae__arena *arena, const dae_pattern *pattern, bool fine)
{
  int rows = pattern->rows, cols = pattern->cols;
  dae__difference d = {.pattern = pattern, .fine = fine};
  d.relative = fine ? pow(DBL_EPSILON, 0.2) : sqrt(DBL_EPSILON);
  int *colour = DAE__ALLOC(arena, int, cols);
  d.column = DAE__ALLOC(arena, int, cols);
  d.x = DAE__ALLOC(arena, double, cols);
  d.step = DAE__ALLOC(arena, double, cols);
  d.base = DAE__ALLOC(arena, double, rows);
  d.moved = DAE__ALLOC(arena, double, rows);
  if (dae__arena_failed(arena))
    return d;
  d.colours = dae__pattern_colour(arena, pattern, colour);
  d.start = DAE__ALLOC(arena, int, d.colours + 1);
  if (dae__arena_failed(arena))
    return d;
  for (int j = 0; j < cols; j++)
    d.start[colour[j] + 1]++;
  for (int c = 0; c < d.colours; c++)
    d.start[c + 1] += d.start[c];
  /* counting sort: each offset ends up at the next colour's and is moved back */
  for (int j = 0; j < cols; j++)
    d.column[d.start[colour[j]]++] = j;
  for (int c = d.colours; c > 0; c--)
    d.start[c] = d.start[c - 1];
  d.start[0] = 0;
  return d;
}

/* step_j, chosen so that x_j + step_j - x_j == step_j exactly */
static void difference_choose_steps(dae__difference *d, double relative)
{
  int n = d->pattern->cols;
  double typical = n > 0 ? sqrt(dae__dot(n, d->x, d->x) / n) : 0;
  if (typical == 0)
    typical = 1;
  for (int j = 0; j < n; j++) {
    double size = fmax(fabs(d->x[j]), typical);
    volatile double moved = d->x[j] + copysign(relative * size, d->x[j]);
    d->step[j] = moved - d->x[j];
  }
}

/* moved = fn(x + multiple * step on the columns of colour c), then x is put back */
static dae_status difference_call_moved(dae__difference *d, int c, double multiple,
                                        dae__difference_fn *fn, void *context, const double *x,
                                        dae_error *err)
{
  for (int e = d->start[c]; e < d->start[c + 1]; e++)
    d->x[d->column[e]] += multiple * d->step[d->column[e]];
  dae_status status = fn(context, d->x, d->moved, err);
  for (int e = d->start[c]; e < d->start[c + 1]; e++)
    d->x[d->column[e]] = x[d->column[e]];
  return status;
}

/* values += weight * moved / step on the columns of colour c */
static void difference_add_column(const dae__difference *d, int c, double weight, const double *out,
                                  double *values)
{
  const dae_pattern *p = d->pattern;
  for (int e = d->start[c]; e < d->start[c + 1]; e++) {
    int j = d->column[e];
    for (int i = p->start[j]; i < p->start[j + 1]; i++)
      values[i] += weight * out[p->row[i]] / d->step[j];
  }
}

static dae_status difference_difference(dae__difference *d, bool fine, dae__difference_fn *fn,
                                        void *context, const double *x, double *values,
                                        dae_error *err)
{
  static const double where[2][4] = {{1}, {1, -1, 2, -2}};
  static const double weight[2][4] = {{1}, {8. / 12, -8. / 12, -1. / 12, 1. / 12}};
  const dae_pattern *p = d->pattern;
  int points = fine ? 4 : 1;
  dae_status status = DAE_OK;
  dae__copy(p->cols, x, d->x);
  difference_choose_steps(d, fine == d->fine ? d->relative : sqrt(DBL_EPSILON));
  dae__zero(dae__pattern_count(p), values);
  if (!fine)
    status = fn(context, d->x, d->base, err);
  for (int c = 0; c < d->colours && !status; c++) {
    for (int i = 0; i < points && !status; i++) {
      status = difference_call_moved(d, c, where[fine][i], fn, context, x, err);
      if (!fine)
        dae__axpy(p->rows, -1, d->base, d->moved);
      difference_add_column(d, c, weight[fine][i], d->moved, values);
    }
  }
  return status;
}

dae_status dae__difference_jacobian(dae__difference *d, dae__difference_fn *fn, void *context,
                                    const double *x, double *values, dae_error *err)
{
  if (dae__pattern_count(d->pattern) == 0)
    return DAE_OK;
  dae_status status = difference_difference(d, d->fine, fn, context, x, values, err);
  /* the wide steps may have left the domain of fn: narrow ones, away from zero */
  if (status == DAE_ERROR_RECOVERABLE && d->fine)
    status = difference_difference(d, false, fn, context, x, values, err);
  return status;
}
