/* Functions of the public integrator handle: they check their arguments, then call the method's
 * table. */
#include "step/integrator.h"
#include "step/smooth/smooth.h"

#include "core/env.h"
#include "core/error.h"

#include <float.h>
#include <math.h>
#include <string.h>

dae_status dae__integrator_create(dae__arena *arena, const dae__integrator_table *table, void *self,
                                  dae_integrator **out)
{
  dae_integrator *it = DAE__ALLOC(arena, dae_integrator, 1);
  if (!it)
    return DAE_ERROR_MEMORY;
  *it = (dae_integrator){.table = table, .self = self, .arena = arena};
  *out = it;
  return DAE_OK;
}

void dae_integrator_free(dae_integrator *it)
{
  if (!it)
    return;
  dae__smooth_free(it->smooth);
  if (it->table->free)
    it->table->free(it->self);
  dae__arena_free(it->arena); /* frees the handle, too, which lies in the arena */
}

dae_view dae_integrator_view(const dae_integrator *it)
{
  dae_view view = it->table->view(it->self);
  view.method = it->table->method;
  return view;
}

dae_stats dae_integrator_stats(const dae_integrator *it)
{
  dae_stats stats = it->table->stats(it->self);
  if (it->smooth)
    dae__smooth_count(it->smooth, &stats);
  return stats;
}

/* ---- the smooth motion ---- */

dae_status dae__integrator_smooth(dae_integrator *it, struct dae__smooth *smooth, dae_error *err)
{
  int size = it->table->view(it->self).size;
  it->smooth = smooth;
  it->moved = DAE__ALLOC(it->arena, double, size);
  return dae__arena_status(it->arena, err);
}

/* The integrator that does the steps: this one, or the child of one that reorders its state. */
static const dae_integrator *integrator_inner(const dae_integrator *it)
{
  while (!it->smooth && it->table->child && it->table->child(it->self, 0))
    it = it->table->child(it->self, 0);
  return it;
}

bool dae__integrator_is_smooth(const dae_integrator *it)
{
  return integrator_inner(it)->smooth;
}

dae_damping dae_integrator_damping(const dae_integrator *it)
{
  const dae_integrator *inner = integrator_inner(it);
  return inner->smooth ? dae__smooth_report(inner->smooth) : (dae_damping){0};
}

dae_limits dae_integrator_limits(const dae_integrator *it, int i)
{
  bool within = it->table->limits && i >= 0 && i < it->table->view(it->self).size;
  return within ? it->table->limits(it->self, i) : (dae_limits){0};
}

/* Number of pieces of a step in which the removed oscillation is followed: its modes turn with the
 * slow motion, whose steps are large. Chosen. */
#define FOLLOWED_PIECES 4

/* Follows what was removed from the start over the last step. */
static dae_status integrator_follow(dae_integrator *it, dae_error *err)
{
  dae_view view = it->table->view(it->self);
  double h = view.t - view.t_previous;
  for (int i = 1; i <= FOLLOWED_PIECES && dae__smooth_follows(it->smooth); i++) {
    double t = i < FOLLOWED_PIECES ? view.t_previous + i * h / FOLLOWED_PIECES : view.t;
    DAE__TRY(it->table->interpolate(it->self, t, it->moved, NULL, err));
    DAE__TRY(dae__smooth_follow(it->smooth, t, it->moved, err));
  }
  return DAE_OK;
}

/* Length of time that stands for an infinite one, in next steps, and before the first step: long
 * enough to shorten no step, short enough that tests of progress and of round-off have a scale.
 * Chosen. */
#define OPEN_STEPS 1e4
#define OPEN_FIRST 1

/* End of a step that has none: no step comes as far, except a first one that is larger. */
static double integrator_open_end(const dae_integrator *it, double t)
{
  double h = it->table->view(it->self).h_next;
  return t + (h > 0 && isfinite(h) ? OPEN_STEPS * h : OPEN_FIRST * fmax(1, fabs(t)));
}

dae_status dae_integrator_step(dae_integrator *it, double t_stop, dae_error *err)
{
  double t = it->table->view(it->self).t;
  if (t_stop == INFINITY) {
    dae_status status = dae_integrator_step(it, integrator_open_end(it, t), err);
    return status == DAE_END ? DAE_OK : status;
  }
  if (!(isfinite(t_stop) && t_stop > t)) /* rejects NaN, too */
    return dae__fail(err, DAE_ERROR_USAGE, "t_stop",
                     "step: t_stop = %.17g does not lie beyond the current time t = %.17g", t_stop,
                     t);
  DAE__TRY(dae__env_proceed(dae__arena_env(it->arena), err));
  dae_status status = it->table->step(it->self, t_stop, err);
  if (status >= 0 && it->smooth)
    DAE__TRY(integrator_follow(it, err));
  return status;
}

dae_status dae_integrator_interpolate(dae_integrator *it, double t, double *y, double *dy,
                                      dae_error *err)
{
  dae_view view = dae_integrator_view(it);
  /* tolerance for the round-off of a caller that computes t from t_previous, t and a step size */
  double slack = 16 * DBL_EPSILON * fmax(fabs(view.t), fabs(view.t_previous));
  if (!(t >= view.t_previous - slack && t <= view.t + slack))
    return dae__fail(err, DAE_ERROR_USAGE, "t",
                     "interpolate: t = %.17g lies outside the last step, [%.17g, %.17g]", t,
                     view.t_previous, view.t);
  if (!y)
    return dae__fail(err, DAE_ERROR_USAGE, "y", "interpolate: y is NULL");
  return it->table->interpolate(it->self, fmin(fmax(t, view.t_previous), view.t), y, dy, err);
}

dae_status dae__integrator_interpolate_unprojected(dae_integrator *it, double t, double *y,
                                                   dae_error *err)
{
  return it->table->interpolate_unprojected
             ? it->table->interpolate_unprojected(it->self, t, y, err)
             : dae_integrator_interpolate(it, t, y, NULL, err);
}

double dae__integrator_supplied(const dae_integrator *it)
{
  return it->table->supplied ? it->table->supplied(it->self) : 0;
}

dae_status dae__integrator_interpolate_raw(dae_integrator *it, double t, double *y, double *dy,
                                           dae_error *err)
{
  if (!it->table->interpolate_raw)
    return dae_integrator_interpolate(it, t, y, dy, err);
  it->table->interpolate_raw(it->self, t, y, dy);
  return DAE_OK;
}

dae_status dae_integrator_restart(dae_integrator *it, double t, const double *y, dae_error *err)
{
  if (!isfinite(t))
    return dae__fail(err, DAE_ERROR_USAGE, "t", "restart: t = %g is not a finite time", t);
  if (!y)
    return dae__fail(err, DAE_ERROR_USAGE, "y", "restart: y is NULL");
  int size = dae_integrator_view(it).size;
  for (int i = 0; i < size; i++)
    if (!isfinite(y[i]))
      return dae__fail(err, DAE_ERROR_USAGE, "y",
                       "restart: entry %d of the state vector is %g, not a finite number", i, y[i]);
  if (!it->smooth)
    return it->table->restart(it->self, t, y, err);
  memcpy(it->moved, y, (size_t)size * sizeof *y);
  DAE__TRY(dae__smooth_restart(it->smooth, t, it->moved, err));
  return it->table->restart(it->self, t, it->moved, err);
}

void *dae__integrator_self(const dae_integrator *it, const dae__integrator_table **table)
{
  *table = it->table;
  return it->self;
}

dae_status dae__integrator_adjust(dae_integrator *it, const double *y, dae_error *err)
{
  if (it->table->adjust)
    return it->table->adjust(it->self, y, err);
  return dae_integrator_restart(it, dae_integrator_view(it).t, y, err);
}
