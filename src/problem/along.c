/* Differences along a path. With seven points at a distance e there is a formula of sixth order and
 * one of fourth order,
 *
 *   D6 = f' + O(e^6 f^(7)) / 140,   D4 = f' + O(e^4 f^(5)) / 30,
 *
 * whose difference tells the error of D4. Where that is 1e-9 of f', and so that of D6 below 1e-13,
 * or no more than round-off, D6 is taken; otherwise e is divided by 4. */
#include "problem/along.h"
#include "core/error.h"
#include "core/vec.h"
#include <float.h>

#define POINTS 7
/* e starts at this share of the length: near where truncation and round-off are equal, which for a
 * sine is at 0.009 (first derivative) and 0.026 (second) */
static const double first_step[2] = {1. / 128, 1. / 40};
/* what D6 and D4 may differ by: D6 is then good to about 4e-14 and 1e-12 */
static const double agree[2] = {1e-9, 1e-8};
/* e goes down to 1e-7 of the length */
#define STEPS 9

/* [derivative][central, forward][D6, D4]: weights of the points -3 ... 3, or 0 ... 6 */
static const double weight[2][2][2][POINTS] = {
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

/* a formula at a step */
typedef struct formula {
  int derivative; /* 0: first, 1: second */
  bool forward;
  double e;
} formula;

static dae_status along_take_samples(dae__along *a, const dae__path *path, const formula *f,
                                     dae_error *err)
{
  const double(*w)[POINTS] = weight[f->derivative][f->forward];
  dae_status status = DAE_OK;
  for (int i = 0; i < POINTS && !status; i++)
    if (w[0][i] != 0)
      status = path->fn(path->context, (i - (f->forward ? 0 : 3)) * f->e,
                        a->sample + (size_t)i * (size_t)path->n, err);
  return status;
}

/* trial = D6; returns |D6 - D4| relative to what it may be, the largest over the entries */
static double along_combine(dae__along *a, const dae__path *path, const formula *f)
{
  const double *D6 = weight[f->derivative][f->forward][0];
  const double *D4 = weight[f->derivative][f->forward][1];
  size_t n = (size_t)path->n;
  double per = f->derivative ? f->e * f->e : f->e, tol = agree[f->derivative], worst = 0;
  double natural = f->derivative ? path->length * path->length : path->length;
  for (size_t i = 0; i < n; i++) {
    double high = 0, low = 0, base = a->sample[i], size = 0;
    for (size_t k = 0; k < POINTS; k++) {
      double x = D6[k] != 0 ? a->sample[k * n + i] : base;
      high += D6[k] * (x - base); /* the weights add up to 0 */
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

/* out = the formula's result where it is better than the best so far */
static dae_status along_attempt(dae__along *a, const dae__path *path, const formula *f,
                                double *best, double *out, dae_error *err)
{
  DAE__TRY(along_take_samples(a, path, f, err));
  double now = along_combine(a, path, f);
  if (now < *best) {
    *best = now;
    dae__copy(path->n, a->trial, out);
  }
  return DAE_OK;
}

static dae_status along_differentiate(dae__along *a, const dae__path *path, int derivative,
                                      double *out, dae_error *err)
{
  double best = INFINITY, e = path->length * first_step[derivative];
  dae_status status = DAE_OK;
  for (int i = 0; i < STEPS && !(best <= 1); i++, e /= 4) {
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
                            "a derivative along the motion is not a finite number");
}

dae_status dae__along_rate(dae__along *a, const dae__path *path, double *out, dae_error *err)
{
  return along_differentiate(a, path, 0, out, err);
}

dae_status dae__along_second_rate(dae__along *a, const dae__path *path, double *out, dae_error *err)
{
  return along_differentiate(a, path, 1, out, err);
}
