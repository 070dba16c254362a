/* The verbs of a Lie-group integrator, and its creation. Between the ends of a step x is the
 * polynomial with the values and slopes there, of degree 3, or with those in its middle too, of
 * degree 5. */
#include "onestep/lie/integrator.h"
#include "core/error.h"
#include "core/vec.h"
#include "onestep/lie/lie.h"
#include "problem/consistent.h"

/* ---- between the ends ---- */

/* Hermite's polynomials of up to three points at 0, 1/2, 1: weight of the value and of h times the
 * slope at point k */
static void lie_hermite(int count, const double *at, double x, int k, double *value, double *slope)
{
  double l = 1, rate = 0; /* Lagrange's polynomial and its derivative at its own point */
  for (int j = 0; j < count; j++)
    if (j != k) {
      l *= (x - at[j]) / (at[k] - at[j]);
      rate += 1 / (at[k] - at[j]);
    }
  *value = (1 - 2 * rate * (x - at[k])) * l * l;
  *slope = (x - at[k]) * l * l;
}

static void lie_interpolate_raw(void *self, double t, double *y)
{
  dae__lie *o = self;
  const dae__driver_memory *m = o->driver.memory;
  double middle = o->stand->t_middle;
  int nx = o->adapter.s->nx;
  dae__copy(o->adapter.size, o->now.z, y);
  if (t == m->t || m->t == m->t_previous)
    return;
  bool halves = middle > m->t_previous;
  double h = m->t - m->t_previous, x = (t - m->t_previous) / h;
  const dae__lie_point *points[3] = {&o->previous, halves ? &o->middle : &o->now, &o->now};
  const double at[3] = {0, halves ? (middle - m->t_previous) / h : 1, 1};
  int count = halves ? 3 : 2;
  for (int k = 0; k < count; k++) {
    double value, slope;
    lie_hermite(count, at, x, k, &value, &slope);
    for (int i = 0; i < nx; i++) /* differences, so that what does not move stays as it is */
      y[i] += value * (points[k]->z[i] - o->now.z[i]) + h * slope * points[k]->dz[i];
  }
}

static dae_status lie_interpolate(void *self, double t, double *y, double *dy, dae_error *err)
{
  dae__lie *o = self;
  const dae__lie_adapter *adapter = &o->adapter;
  dae_error why = dae_error_none();
  if (t == o->driver.memory->t) {
    dae__copy(adapter->size, o->now.z, y);
    if (dy)
      dae__copy(adapter->size, o->now.dz, dy);
    return DAE_OK;
  }
  const dae__lie_point *p = &o->coarse; /* has no other use between steps */
  dae__copy(adapter->s->n, o->now.z, p->z);
  dae__zero(adapter->s->n, p->dz);
  lie_interpolate_raw(self, t, p->z);
  dae_status status = adapter->table->project(adapter->self, t, p->z, &why);
  if (!status)
    status = adapter->table->slopes(adapter->self, true, t, p->z, p->dz, &why);
  dae__copy(adapter->size, p->z, y);
  if (dy)
    dae__copy(adapter->size, p->dz, dy);
  if (!status || (status == DAE_ERROR_SINGULAR && !why.text[0])) /* y of the step will do */
    return DAE_OK;
  return dae__driver_dense_output_failed(&o->driver, t, status, &why, err);
}

/* ---- the other verbs ---- */

static dae_status lie_step(void *self, double t_stop, dae_error *err)
{
  return dae__driver_step(&((dae__lie *)self)->driver, t_stop, err);
}

static dae_view lie_view(const void *self)
{
  const dae__lie *o = self;
  return dae__driver_view(&o->driver, o->adapter.size);
}

/* makes `next` consistent and stands there */
static dae_status lie_reset_at(dae__lie *o, double t, const bool *fixed, dae_error *err)
{
  const dae__semi *s = o->adapter.s;
  const dae__lie_point *p = &o->next;
  dae__zero(s->n, p->dz);
  DAE__TRY(o->adapter.table->consistent(o->adapter.self, t, fixed, p->z, p->dz, err));
  dae__copy(s->n, p->z, o->now.z);
  dae__copy(s->n, p->dz, o->now.dz);
  dae__copy(s->ny, p->z + s->nx, o->now.y);
  dae__driver_reset(&o->driver, t);
  o->stand->t_middle = t;
  o->stand->undetermined =
      o->adapter.table->slopes(o->adapter.self, false, t, p->z, p->dz, NULL) == DAE_ERROR_SINGULAR;
  return DAE_OK;
}

static dae_status lie_restart(void *self, double t, const double *y, dae_error *err)
{
  dae__lie *o = self;
  dae__zero(o->adapter.s->n, o->next.z);
  dae__copy(o->adapter.size, y, o->next.z);
  dae_status status = lie_reset_at(o, t, NULL, err);
  o->driver.memory->stats.restarts += !status;
  return status;
}

static dae_stats lie_stats(const void *self)
{
  const dae__lie *o = self;
  const dae__lie_memory *m = o->step.memory;
  dae_stats s = o->driver.memory->stats;
  o->adapter.table->count(o->adapter.self, &s);
  s.iterations += m->iterations;
  s.sweeps += m->sweeps;
  s.jacobians += m->jacobians;
  s.factorisations += m->factorisations;
  return s;
}

static dae_status lie_reload(void *self, dae_error *err)
{
  dae__lie *o = self;
  DAE__TRY(o->adapter.table->reload(o->adapter.self, err));
  dae_status status = dae__lie_step_reload(&o->step);
  return status ? dae__fail(err, status, NULL, "the factorisation could not be rebuilt") : DAE_OK;
}

static void lie_release(void *self)
{
  dae__lie *o = self;
  dae__lie_step_free(&o->step);
  if (o->adapter.table)
    o->adapter.table->free(o->adapter.self);
}

static const dae__integrator_table lie_verbs = {.method = "lie",
                                                .step = lie_step,
                                                .view = lie_view,
                                                .interpolate = lie_interpolate,
                                                .interpolate_raw = lie_interpolate_raw,
                                                .restart = lie_restart,
                                                .stats = lie_stats,
                                                .reload = lie_reload,
                                                .free = lie_release};

/* ---- creation ---- */

static dae__lie_point lie_keep_point(dae__arena *arena, const dae__semi *s)
{
  return (dae__lie_point){DAE__STATE(arena, double, s->n), DAE__STATE(arena, double, s->n),
                          DAE__STATE(arena, double, s->ny)};
}

static dae__lie_point lie_take_point(dae__arena *arena, const dae__semi *s)
{
  return (dae__lie_point){DAE__ALLOC(arena, double, s->n), DAE__ALLOC(arena, double, s->n),
                          DAE__ALLOC(arena, double, s->ny)};
}

/* M has to be regular at the start */
static dae_status lie_check_mass(dae__lie *o, const dae_env *env, dae_error *err)
{
  dae__semi *s = o->adapter.s;
  char name[64] = "";
  int column;
  if (!s->p->M)
    return DAE_OK;
  dae_status status = dae__semi_M(s, o->driver.memory->t, o->now.z, o->step.M, err);
  if (!status)
    status = dae__solver_examine(env, &s->M, o->step.M, &column, err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  if (column >= 0)
    dae__semi_variable_name(s->p, column, name, sizeof name);
  return dae__fail(err, DAE_ERROR_UNSUPPORTED, "lie",
                   "lie needs a regular mass matrix; this one is singular%s%s: use bdf-ggl or bdf",
                   name[0] ? " at " : "", name);
}

static dae_status lie_prepare(dae__lie *o, dae__arena *arena, const dae_problem *problem,
                              dae_error *err)
{
  DAE__TRY(problem->mechanical
               ? dae__lie_adapter_mechanical(arena, problem, o->opts.form, &o->adapter, err)
               : dae__lie_adapter_semi(arena, problem, &o->adapter, err));
  const dae__semi *s = o->adapter.s;
  o->driver.memory = DAE__STATE(arena, dae__driver_memory, 1);
  o->stand = DAE__STATE(arena, dae__lie_reset, 1);
  o->now = lie_keep_point(arena, s);
  o->previous = lie_keep_point(arena, s);
  o->middle = lie_keep_point(arena, s);
  o->half = lie_take_point(arena, s);
  o->next = lie_take_point(arena, s);
  o->coarse = lie_take_point(arena, s);
  o->weight = DAE__ALLOC(arena, double, s->nx);
  o->x = DAE__ALLOC(arena, double, s->nx);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  return dae__lie_step_create(arena, &o->adapter, &o->opts, &o->step, err);
}

static void lie_prepare_driver(dae__lie *o, const dae_env *env)
{
  const dae_lie_options *opts = &o->opts;
  int order = opts->theta == 0.5 ? opts->order : 1;
  o->driver = (dae__driver){.table = &dae__lie_driver,
                            .self = o,
                            .rtol = opts->rtol,
                            .atol = opts->atol,
                            .step = opts->step,
                            .first_step = opts->first_step,
                            .max_step = opts->max_step,
                            .max_failures = opts->max_failures,
                            .bounded = 20,
                            .order = order,
                            .control = dae__controller_defaults(order + 1),
                            .env = env,
                            .memory = o->driver.memory};
  o->driver.control.beta = 0;
  o->driver.control.max_factor = 4;
}

static dae_status integrator_create(dae__lie *o, dae__arena *arena, const dae_problem *problem,
                                    const dae_start *start, dae_error *err)
{
  DAE__TRY(lie_prepare(o, arena, problem, err));
  lie_prepare_driver(o, dae__arena_env(arena));
  dae__copy(o->adapter.size, start->y, o->next.z);
  dae_status status = lie_reset_at(o, start->t, start->fixed, err);
  if (!status)
    status = lie_check_mass(o, dae__arena_env(arena), err);
  return dae__start_status(status, err);
}

dae_status dae__lie_integrator_create(dae__arena *arena, const dae_problem *problem,
                                      const dae_start *start, const dae_lie_options *opts,
                                      dae_integrator **out, dae_error *err)
{
  dae__lie *o = DAE__ALLOC(arena, dae__lie, 1);
  if (!o)
    return dae__out_of_memory(err);
  o->opts = *opts;
  dae_status status = integrator_create(o, arena, problem, start, err);
  o->table = lie_verbs;
  if (!status && dae__integrator_create(arena, &o->table, o, out))
    status = dae__out_of_memory(err);
  if (status)
    lie_release(o);
  return status;
}
