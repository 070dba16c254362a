/* Derivatives by finite differences.
 *
 * Jacobians: columns that share no row are moved together, so that a sparse Jacobian costs as many
 * evaluations as it has colours, not columns. For iteration matrices (fn(x + d) - fn(x)) / d,
 * d = sqrt(eps) |x_j|, has an error of about 1e-8. Derivatives in a residual, such as G' lambda,
 * bound the accuracy of the solution; for them
 *
 *   (8 (fn(x + d) - fn(x - d)) - (fn(x + 2d) - fn(x - 2d))) / 12 d,   d = eps^(1/5) |x_j|
 *
 * leaves about 3e-13. |x_j| is replaced by the root mean square of x where it is smaller.
 *
 * Paths: seven points at a distance e give a formula of sixth order and one of fourth order,
 *
 *   D6 = f' + O(e^6 f^(7)) / 140,   D4 = f' + O(e^4 f^(5)) / 30,
 *
 * whose difference estimates the error of D4. D6 is accepted where this estimate is below 1e-9 of
 * f', so that the error of D6 is below 1e-13, or no more than round-off; otherwise e is divided
 * by 4. */
#include "problem/difference.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include <float.h>

/* ---- Jacobians ---- */

dae__difference dae__difference_create(dae__arena *arena, const dae_pattern *pattern, bool fine)
{
  int rows = pattern->rows, cols = pattern->cols;
  dae__difference d = {.pattern = pattern, .fine = fine};
  d.relative = fine ? pow(DBL_EPSILON, 0.2) : sqrt(DBL_EPSILON);
  int *colour = DAE__ALLOC(arena, int, cols);
  d.column = DAE__ALLOC(arena, int, cols);
  DAE__VECTORS(arena, cols, &d.x, &d.step);
  DAE__VECTORS(arena, rows, &d.base, &d.moved);
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
  /* counting sort: it advances each offset to that of the next colour, and the offsets are moved
   * back */
  for (int j = 0; j < cols; j++)
    d.column[d.start[colour[j]]++] = j;
  for (int c = d.colours; c > 0; c--)
    d.start[c] = d.start[c - 1];
  d.start[0] = 0;
  return d;
}

/* values += weight (fn(x + multiple step) - base) / step on the columns of colour c; base is
 * subtracted by the formula of first order only */
static dae_status difference_add_colour(dae__difference *d, int c, double multiple, double weight,
                                        bool subtract_base, dae__difference_fn *fn, void *context,
                                        const double *x, double *values, dae_error *err)
{
  const dae_pattern *p = d->pattern;
  for (int e = d->start[c]; e < d->start[c + 1]; e++)
    d->x[d->column[e]] += multiple * d->step[d->column[e]];
  dae_status status = fn(context, d->x, d->moved, err);
  if (subtract_base)
    dae__axpy(p->rows, -1, d->base, d->moved);
  for (int e = d->start[c]; e < d->start[c + 1]; e++) {
    int j = d->column[e];
    d->x[j] = x[j];
    for (int i = p->start[j]; i < p->start[j + 1]; i++)
      values[i] += weight * d->moved[p->row[i]] / d->step[j];
  }
  return status;
}

static dae_status difference_by_order(dae__difference *d, bool fine, dae__difference_fn *fn,
                                      void *context, const double *x, double *values,
                                      dae_error *err)
{
  static const double where[2][4] = {{1}, {1, -1, 2, -2}};
  static const double weight[2][4] = {{1}, {8. / 12, -8. / 12, -1. / 12, 1. / 12}};
  const dae_pattern *p = d->pattern;
  int points = fine ? 4 : 1;
  dae_status status = DAE_OK;
  dae__copy(p->cols, x, d->x);
  /* increments step_j for which x_j + step_j - x_j == step_j in floating point */
  double relative = fine == d->fine ? d->relative : sqrt(DBL_EPSILON);
  double typical = p->cols > 0 ? sqrt(dae__dot(p->cols, x, x) / p->cols) : 0;
  for (int j = 0; j < p->cols; j++) {
    double size = fmax(fabs(x[j]), typical == 0 ? 1 : typical);
    volatile double moved = x[j] + copysign(relative * size, x[j]);
    d->step[j] = moved - x[j];
  }
  dae__zero(dae__pattern_count(p), values);
  if (!fine)
    status = fn(context, d->x, d->base, err);
  for (int c = 0; c < d->colours && !status; c++)
    for (int i = 0; i < points && !status; i++)
      status = difference_add_colour(d, c, where[fine][i], weight[fine][i], !fine, fn, context, x,
                                     values, err);
  return status;
}

dae_status dae__difference_jacobian(dae__difference *d, dae__difference_fn *fn, void *context,
                                    const double *x, double *values, dae_error *err)
{
  DAE__ASSERT(d->pattern && (d->column || d->pattern->cols == 0)); /* initialised */
  if (dae__pattern_count(d->pattern) == 0)
    return DAE_OK;
  dae_status status = difference_by_order(d, d->fine, fn, context, x, values, err);
  /* the wide increments of the fourth-order formula can leave the domain of fn: retry by the
   * first-order formula, whose narrow ones move x away from zero */
  if (status == DAE_ERROR_RECOVERABLE && d->fine)
    status = difference_by_order(d, false, fn, context, x, values, err);
  return status;
}

/* ---- paths ---- */

#define POINTS 7
/* First increment as a fraction of path->length, for the first and the second derivative: near the
 * point of equal truncation and round-off error, which for a sine is at 0.009 and 0.026. */
static const double first_increment[2] = {1. / 128, 1. / 40};
/* Largest accepted |D6 - D4| / |D6|, for the first and the second derivative: D6 is then accurate
 * to about 4e-14 and 1e-12. */
static const double accepted_difference[2] = {1e-9, 1e-8};
/* Largest number of increments tried for a derivative, each a quarter of the one before: down to
 * 1e-7 of path->length. Chosen, not measured. */
#define MAX_INCREMENTS 9

/* Weights of the difference formulas, [derivative][central, forward][D6, D4], at the points -3 ...
 * 3 (central) or 0 ... 6 (forward) in units of e. */
static const double weights[2][2][2][POINTS] = {
    {{{-1. / 60, 3. / 20, -3. / 4, 0, 3. / 4, -3. / 20, 1. / 60},
      {0, 1. / 12, -2. / 3, 0, 2. / 3, -1. / 12, 0}},
     {{-49. / 20, 6, -15. / 2, 20. / 3, -15. / 4, 6. / 5, -1. / 6},
      {-25. / 12, 4, -3, 4. / 3, -1. / 4, 0, 0}}},
    {{{1. / 90, -3. / 20, 3. / 2, -49. / 18, 3. / 2, -3. / 20, 1. / 90},
      {0, -1. / 12, 4. / 3, -5. / 2, 4. / 3, -1. / 12, 0}},
     {{203. / 45, -87. / 5, 117. / 4, -254. / 9, 33. / 2, -27. / 5, 137. / 180},
      {15. / 4, -77. / 6, 107. / 6, -13, 61. / 12, -5. / 6, 0}}}};

dae__along dae__along_create(dae__arena *arena, int n)
{
  return (dae__along){.sample = DAE__ALLOC(arena, double, POINTS *(size_t)n),
                      .trial = DAE__ALLOC(arena, double, n)};
}

typedef struct formula {
  int derivative; /* order of the derivative - 1 */
  bool forward;
  double e;
} formula;

/* a->trial = D6 of the samples; returns the largest |D6 - D4| over the entries, relative to its
 * accepted size. */
static double along_combine(dae__along *a, const dae__path *path, const formula *f)
{
  const double *D6 = weights[f->derivative][f->forward][0];
  const double *D4 = weights[f->derivative][f->forward][1];
  size_t n = (size_t)path->n;
  double per = f->derivative ? f->e * f->e : f->e, tol = accepted_difference[f->derivative];
  double natural = f->derivative ? path->length * path->length : path->length, worst = 0;
  for (size_t i = 0; i < n; i++) {
    double high = 0, low = 0, base = a->sample[i], size = 0;
    for (size_t k = 0; k < POINTS; k++) {
      double x = D6[k] != 0 ? a->sample[k * n + i] : base;
      high += D6[k] * (x - base); /* base cancels: the weights add up to 0 */
      low += D4[k] * (x - base);
      size = fmax(size, fabs(x));
    }
    double terms = path->scale ? fmax(path->scale[i], size) : size;
    double allowed =
        tol * fabs(high / per) + 8 * DBL_EPSILON * terms / fabs(per) + 0.1 * tol * terms / natural;
    a->trial[i] = high / per;
    if (high != low)
      worst = fmax(worst, fmin(fabs((high - low) / per) / allowed, DBL_MAX));
  }
  return dae__all_finite(path->n, a->trial) ? worst : INFINITY;
}

/* Evaluates one difference formula; where its error estimate is below *best, out = its result. */
static dae_status along_attempt(dae__along *a, const dae__path *path, const formula *f,
                                double *best, double *out, dae_error *err)
{
  const double *D6 = weights[f->derivative][f->forward][0];
  for (int i = 0; i < POINTS; i++)
    if (D6[i] != 0)
      DAE__TRY(path->fn(path->context, (i - (f->forward ? 0 : 3)) * f->e,
                        a->sample + (size_t)i * (size_t)path->n, err));
  double now = along_combine(a, path, f);
  if (now < *best) {
    *best = now;
    dae__copy(path->n, a->trial, out);
  }
  return DAE_OK;
}

dae_status dae__along_rate(dae__along *a, const dae__path *path, int order, double *out,
                           dae_error *err)
{
  int derivative = order - 1;
  double best = INFINITY, e = path->length * first_increment[derivative];
  dae_status status = DAE_OK;
  for (int i = 0; i < MAX_INCREMENTS && !(best <= 1); i++, e /= 4) {
    status = along_attempt(a, path, &(formula){derivative, false, e}, &best, out, err);
    if (status == DAE_ERROR_RECOVERABLE)
      status = along_attempt(a, path, &(formula){derivative, true, e / 2}, &best, out, err);
    if (status == DAE_ERROR_RECOVERABLE)
      status = along_attempt(a, path, &(formula){derivative, true, -e / 2}, &best, out, err);
    if (status && status != DAE_ERROR_RECOVERABLE)
      return status;
  }
  if (best < INFINITY)
    return DAE_OK;
  return status ? status
                : dae__fail(err, DAE_ERROR_RECOVERABLE, NULL,
                            "a directional derivative along the motion is not a finite number");
}
