/* The verbs of a one-step integrator. */
#include "onestep/host/integrator.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/consistent.h"

/* ---- between the ends ---- */

/* differences, so that what does not move stays as it is */
void dae__rk_hermite(const dae__rk_adapter *adapter, const dae__rk_step *step, double x, double *z)
{
  const dae__rk_point *a = &step->from, *b = &step->to;
  double h = step->h, rest = 1 - x;
  for (int i = 0; i < adapter->nx; i++) {
    double d = b->z[i] - a->z[i];
    z[i] = a->z[i] + x * x * (3 - 2 * x) * d + h * x * rest * (rest * a->dz[i] - x * b->dz[i]);
  }
  for (int i = adapter->nx; i < adapter->size; i++)
    z[i] = a->z[i] + x * (b->z[i] - a->z[i]);
}

/* the point of the last step that t is at the end of; NULL: between them */
static const dae__rk_point *onestep_end_at(const dae__rk *o, double t)
{
  const dae__driver_memory *m = o->driver.memory;
  return t == m->t ? &o->now : t == m->t_previous ? &o->previous : NULL;
}

static const dae__stepper *onestep_maker(const dae__rk *o)
{
  return &o->stepper[o->memory->last];
}

static void onestep_interpolate_raw(void *self, double t, double *y)
{
  dae__rk *o = self;
  const dae__rk_point *end = onestep_end_at(o, t);
  dae__rk_step step = dae__rk_last(o);
  if (end)
    dae__copy(o->adapter.size, end->z, y);
  else
    onestep_maker(o)->table->dense_output(onestep_maker(o)->self, &step, (t - step.t) / step.h, y);
}

static dae_status onestep_refine(dae__rk *o, const dae__rk_step *step, dae_error *err)
{
  const dae__stepper_table *table = onestep_maker(o)->table;
  dae_status status = DAE_OK;
  if (table->refine && !o->memory->refined)
    status = table->refine(onestep_maker(o)->self, step, err);
  o->memory->refined = o->memory->refined || !status;
  return status;
}

static dae_status onestep_show_dense_output(dae__rk *o, bool projected, double t,
                                            const dae__rk_point *p, dae_error *err)
{
  const dae__rk_adapter *adapter = &o->adapter;
  const dae__stepper_table *table = onestep_maker(o)->table;
  dae__rk_step step = dae__rk_last(o);
  double x = (t - step.t) / step.h;
  dae_status status = onestep_refine(o, &step, err);
  DAE__TRY(status);
  table->dense_output(onestep_maker(o)->self, &step, x, p->z);
  if (adapter->singular) {
    table->rate(onestep_maker(o)->self, &step, x, p->dz);
    return DAE_OK;
  }
  if (projected && adapter->table->project)
    status = adapter->table->project(adapter->self, true, t, p->z, err);
  return status ? status : adapter->table->slopes(adapter->self, true, t, p->z, p->dz, err);
}

static dae_status onestep_show_end(dae__rk *o, double t, const dae__rk_point *end,
                                   const dae__rk_point *p, dae_error *err)
{
  const dae__rk_adapter *adapter = &o->adapter;
  dae__copy(adapter->size, end->z, p->z);
  dae__copy(adapter->size, end->dz, p->dz);
  if (!o->loose[o->memory->last] || !adapter->table->project)
    return DAE_OK;
  dae_status status = adapter->table->project(adapter->self, true, t, p->z, err);
  if (!status && adapter->m) /* q' = v */
    dae__copy(adapter->m->nq, p->z + adapter->m->at.v, p->dz);
  return status;
}

static dae_status onestep_show(dae__rk *o, bool projected, double t, double *y, double *dy,
                               dae_error *err)
{
  const dae__rk_point *end = onestep_end_at(o, t), *p = &o->shown;
  dae_error why = dae_error_none();
  dae_status status = end ? onestep_show_end(o, t, end, p, &why)
                          : onestep_show_dense_output(o, projected, t, p, &why);
  if (status)
    return dae__driver_dense_output_failed(&o->driver, t, status, &why, err);
  dae__copy(o->adapter.size, p->z, y);
  if (dy)
    dae__copy(o->adapter.size, p->dz, dy);
  return DAE_OK;
}

static dae_status onestep_interpolate(void *self, double t, double *y, double *dy, dae_error *err)
{
  return onestep_show(self, true, t, y, dy, err);
}

/* off its constraints by the error of the polynomial */
static dae_status onestep_interpolate_unprojected(void *self, double t, double *y, dae_error *err)
{
  return onestep_show(self, false, t, y, NULL, err);
}

/* ---- the other verbs ---- */

static dae_status onestep_step(void *self, double t_stop, dae_error *err)
{
  dae__rk *o = self;
  if (o->descriptor.start && !o->driver.memory->started && o->driver.step == 0)
    o->descriptor.start(o, t_stop);
  dae_status status = dae__driver_step(&o->driver, t_stop, err);
  if (status >= 0 && o->descriptor.select_stepper && o->driver.step == 0)
    o->descriptor.select_stepper(o);
  return status;
}

static dae_view onestep_view(const void *self)
{
  const dae__rk *o = self;
  dae_view v = dae__driver_view(&o->driver, o->adapter.size);
  v.order = v.order ? onestep_maker(o)->order : 0;
  return v;
}

dae_status dae__rk_reset_at(dae__rk *o, double t, const bool *fixed, dae_error *err)
{
  const dae__rk_adapter *adapter = &o->adapter;
  const dae__rk_point *p = &o->next;
  dae__zero(adapter->size, p->dz);
  DAE__TRY(adapter->table->consistent(adapter->self, t, fixed, p->z, p->dz, err));
  DAE__TRY(dae__rk_take_inputs(o, t, err));
  dae__zero(adapter->size - adapter->nx, p->dz + adapter->nx);
  dae__copy(adapter->size, p->z, o->now.z);
  dae__copy(adapter->size, p->dz, o->now.dz);
  dae__driver_reset(&o->driver, t);
  return DAE_OK;
}

static dae_status onestep_restart(void *self, double t, const double *y, dae_error *err)
{
  dae__rk *o = self;
  dae__copy(o->adapter.size, y, o->next.z);
  dae_status status = dae__rk_reset_at(o, t, NULL, err);
  o->driver.memory->stats.restarts += !status;
  return status;
}

/* the grid of its steps stays as it is */
static dae_status onestep_adjust(void *self, const double *y, dae_error *err)
{
  dae__rk *o = self;
  const dae__rk_adapter *adapter = &o->adapter;
  const dae__rk_point *p = &o->next;
  double t = o->driver.memory->t;
  dae_status status = DAE_OK;
  dae__copy(adapter->size, y, p->z);
  dae__copy(adapter->size, o->now.dz, p->dz);
  if (adapter->table->project)
    status = adapter->table->project(adapter->self, false, t, p->z, err);
  if (!status && !adapter->singular)
    status = adapter->table->slopes(adapter->self, false, t, p->z, p->dz, err);
  if (!status)
    status = dae__rk_take_inputs(o, t, err);
  DAE__TRY(status);
  dae__copy(adapter->size, p->z, o->now.z);
  dae__copy(adapter->size, p->dz, o->now.dz);
  return DAE_OK;
}

static dae_stats onestep_stats(const void *self)
{
  const dae__rk *o = self;
  dae_stats s = o->driver.memory->stats;
  o->adapter.table->count(o->adapter.self, &s);
  for (int i = 0; i < o->steppers; i++)
    if (o->stepper[i].table->count)
      o->stepper[i].table->count(o->stepper[i].self, &s);
  s.switches = o->memory->switches;
  return s;
}

static dae_status onestep_reload(void *self, dae_error *err)
{
  dae__rk *o = self;
  if (o->memory->swapped != o->swapped)
    dae__rk_swap_ends(o);
  dae_status status = o->adapter.table->reload(o->adapter.self, err);
  for (int i = 0; i < o->steppers && !status; i++)
    if (o->stepper[i].table->reload)
      status = o->stepper[i].table->reload(o->stepper[i].self, err);
  dae__rk_update_driver(o);
  return status;
}

static void onestep_release(void *self)
{
  dae__rk *o = self;
  for (int i = 0; i < o->steppers; i++)
    if (o->stepper[i].table->free)
      o->stepper[i].table->free(o->stepper[i].self);
  if (o->adapter.table)
    o->adapter.table->free(o->adapter.self);
}

const dae__integrator_table dae__rk_verbs = {.step = onestep_step,
                                             .view = onestep_view,
                                             .interpolate = onestep_interpolate,
                                             .interpolate_unprojected =
                                                 onestep_interpolate_unprojected,
                                             .interpolate_raw = onestep_interpolate_raw,
                                             .restart = onestep_restart,
                                             .adjust = onestep_adjust,
                                             .stats = onestep_stats,
                                             .reload = onestep_reload,
                                             .free = onestep_release};
