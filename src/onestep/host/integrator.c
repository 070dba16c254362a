/* Steps and table functions of a one-step integrator. The derivative at the end of a step is the
 * first slope of the next one, unless the inputs have changed meanwhile, as happens between the
 * sweeps of a dynamic iteration. */
#include "onestep/host/integrator.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/consistent.h"

/* ---- inputs ---- */

/* o->in = the inputs at t */
static dae_status onestep_store_inputs(dae__rk *o, double t, dae_error *err)
{
  const dae__rk_adapter *adapter = &o->adapter;
  const double *in = NULL;
  if (adapter->nin > 0)
    DAE__TRY(adapter->table->inputs(adapter->self, t, &in, err));
  dae__copy(adapter->nin, in, o->in);
  return DAE_OK;
}

/* copies the point `next` to `now` */
static void onestep_replace_now(dae__rk *o)
{
  dae__copy(o->adapter.size, o->next.z, o->now.z);
  dae__copy(o->adapter.size, o->next.dz, o->now.dz);
}

/* Recomputes y and slope at the start of a step if the inputs have changed since they were
 * computed. */
static dae_status onestep_follow_inputs(dae__rk *o, double t, dae_error *err)
{
  const dae__rk_adapter *adapter = &o->adapter;
  const dae__rk_point *p = &o->next;
  const double *in = NULL;
  if (adapter->nin == 0)
    return DAE_OK;
  DAE__TRY(adapter->table->inputs(adapter->self, t, &in, err));
  bool changed = memcmp(in, o->in, (size_t)adapter->nin * sizeof *in) != 0;
  if (!changed || adapter->singular)
    return DAE_OK;
  dae__copy(adapter->size, o->now.z, p->z);
  DAE__TRY(adapter->table->slopes(adapter->self, false, t, p->z, p->dz, err));
  DAE__TRY(onestep_store_inputs(o, t, err));
  onestep_replace_now(o);
  return DAE_OK;
}

/* ---- functions of the driver table ---- */

static void onestep_begin(void *self)
{
  dae__rk *o = self;
  dae__rk_switch_stepper(o, o->memory->current);
}

static dae_status onestep_attempt(void *self, double h, double *error, dae_error *err)
{
  dae__rk *o = self;
  const dae__stepper *stepper = &o->stepper[o->memory->current];
  dae__rk_step step = {.t = o->driver.memory->t, .h = h, .from = o->now, .to = o->next};
  *error = 0;
  DAE__TRY(onestep_follow_inputs(o, step.t, err));
  return stepper->table->attempt(stepper->self, &step, error, err);
}

static void onestep_swap_ends(dae__rk *o)
{
  dae__rk_point now = o->now;
  o->now = o->previous;
  o->previous = now;
  o->memory->swapped = o->swapped = !o->swapped;
}

static dae_status onestep_accept(void *self, double t, dae_error *err)
{
  dae__rk *o = self;
  const dae__stepper *stepper = &o->stepper[o->memory->current];
  double t0 = o->driver.memory->t;
  dae__rk_step step = {.t = t0, .h = t - t0, .from = o->now, .to = o->next};
  DAE__TRY(stepper->table->complete(stepper->self, &step, err));
  DAE__ASSERT(o->opts.step > 0 || dae__all_finite(o->adapter.nx, o->next.z));
  DAE__TRY(onestep_store_inputs(o, t, err));
  onestep_swap_ends(o);
  onestep_replace_now(o);
  o->memory->last = o->memory->current;
  o->memory->refined = false;
  return DAE_OK;
}

static double onestep_largest_rate(const void *self, double rtol, double atol, char *name,
                                   size_t size)
{
  const dae__rk *o = self;
  double largest = 0;
  int fastest = 0;
  for (int i = 0; i < o->adapter.nx; i++) {
    double rate = fabs(o->now.dz[i]) / (rtol * fabs(o->now.z[i]) + atol);
    if (!(rate <= largest))
      largest = rate, fastest = i;
  }
  if (name)
    (void)dae_problem_variable(o->adapter.problem, fastest, name, size);
  return largest;
}

static bool onestep_dependent(const void *self, char *name, size_t size)
{
  const dae__rk *o = self;
  const dae__rk_adapter *adapter = &o->adapter;
  return adapter->table->dependent &&
         adapter->table->dependent(adapter->self, o->driver.memory->t, o->now.z, name, size);
}

const dae__driver_table dae__rk_driver = {.begin = onestep_begin,
                                          .attempt = onestep_attempt,
                                          .accept = onestep_accept,
                                          .rate = onestep_largest_rate,
                                          .stuck = onestep_dependent};

/* ---- selection of the stepper ---- */

void dae__rk_add_stepper(dae__rk *o, const dae__stepper *stepper, bool second_order)
{
  DAE__ASSERT(o->steppers < DAE__RK_MAX_STEPPERS);
  DAE__ASSERT(stepper->table->attempt && stepper->table->complete && stepper->table->dense_output);
  o->projects_to_second_order[o->steppers] = second_order;
  o->stepper[o->steppers++] = *stepper;
}

void dae__rk_update_driver(dae__rk *o)
{
  const dae__stepper *stepper = &o->stepper[o->memory->current];
  o->driver.order = stepper->order;
  o->driver.control = stepper->control;
  o->driver.control.max_step = o->driver.max_step;
}

void dae__rk_change_variant(dae__rk *o, int stepper)
{
  o->memory->current = stepper;
  dae__rk_update_driver(o);
  dae__controller_reset(&o->driver.memory->controller, &o->driver.control);
}

void dae__rk_switch_stepper(dae__rk *o, int stepper)
{
  dae__rk_change_variant(o, stepper);
  if (o->stepper[stepper].table->begin)
    o->stepper[stepper].table->begin(o->stepper[stepper].self);
}

/* ---- dense output ---- */

/* Hermite's cubic by differences of the end values, so that constant variables keep their value
 * exactly */
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

static dae__rk_step onestep_last_step(const dae__rk *o)
{
  const dae__driver_memory *m = o->driver.memory;
  return (dae__rk_step){
      .t = m->t_previous, .h = m->t - m->t_previous, .from = o->previous, .to = o->now};
}

/* end point of the last step at time t; NULL: t lies inside the step */
static const dae__rk_point *onestep_end_at(const dae__rk *o, double t)
{
  const dae__driver_memory *m = o->driver.memory;
  return t == m->t ? &o->now : t == m->t_previous ? &o->previous : NULL;
}

static void onestep_interpolate_raw(void *self, double t, double *y)
{
  dae__rk *o = self;
  const dae__stepper *stepper = &o->stepper[o->memory->last];
  const dae__rk_point *end = onestep_end_at(o, t);
  dae__rk_step step = onestep_last_step(o);
  if (end)
    dae__copy(o->adapter.size, end->z, y);
  else
    stepper->table->dense_output(stepper->self, &step, (t - step.t) / step.h, y);
}

/* p = dense output at a time t inside the last step */
static dae_status onestep_output_inside(dae__rk *o, bool projected, double t,
                                        const dae__rk_point *p, dae_error *err)
{
  const dae__rk_adapter *adapter = &o->adapter;
  const dae__stepper *stepper = &o->stepper[o->memory->last];
  dae__rk_step step = onestep_last_step(o);
  double x = (t - step.t) / step.h;
  if (stepper->table->refine && !o->memory->refined)
    DAE__TRY(stepper->table->refine(stepper->self, &step, err));
  o->memory->refined = true;
  stepper->table->dense_output(stepper->self, &step, x, p->z);
  if (adapter->singular) {
    stepper->table->rate(stepper->self, &step, x, p->dz);
    return DAE_OK;
  }
  if (projected && adapter->table->project)
    DAE__TRY(adapter->table->project(adapter->self, true, t, p->z, err));
  return adapter->table->slopes(adapter->self, true, t, p->z, p->dz, err);
}

static dae_status onestep_output(dae__rk *o, bool projected, double t, double *y, double *dy,
                                 dae_error *err)
{
  const dae__rk_adapter *adapter = &o->adapter;
  const dae__rk_point *end = onestep_end_at(o, t), *p = &o->output;
  dae_error why = dae_error_none();
  dae_status status = DAE_OK;
  if (!end) {
    status = onestep_output_inside(o, projected, t, p, &why);
  } else {
    dae__copy(adapter->size, end->z, p->z);
    dae__copy(adapter->size, end->dz, p->dz);
    if (o->projects_to_second_order[o->memory->last] && adapter->table->project) {
      status = adapter->table->project(adapter->self, true, t, p->z, &why);
      if (!status && adapter->m) /* q' is the projected v */
        dae__copy(adapter->m->nq, p->z + adapter->m->at.v, p->dz);
    }
  }
  if (status)
    return dae__driver_dense_output_failed(&o->driver, t, status, &why, err);
  dae__copy(adapter->size, p->z, y);
  if (dy)
    dae__copy(adapter->size, p->dz, dy);
  return DAE_OK;
}

static dae_status onestep_interpolate(void *self, double t, double *y, double *dy, dae_error *err)
{
  return onestep_output(self, true, t, y, dy, err);
}

static dae_status onestep_interpolate_unprojected(void *self, double t, double *y, dae_error *err)
{
  return onestep_output(self, false, t, y, NULL, err);
}

/* ---- other table functions ---- */

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
  v.order = v.order ? o->stepper[o->memory->last].order : 0;
  return v;
}

dae_status dae__rk_reset_at(dae__rk *o, double t, const bool *fixed, dae_error *err)
{
  const dae__rk_adapter *adapter = &o->adapter;
  const dae__rk_point *p = &o->next;
  dae__zero(adapter->size, p->dz);
  DAE__TRY(adapter->table->consistent(adapter->self, t, fixed, p->z, p->dz, err));
  DAE__TRY(onestep_store_inputs(o, t, err));
  dae__zero(adapter->size - adapter->nx, p->dz + adapter->nx);
  onestep_replace_now(o);
  dae__driver_reset(&o->driver, t);
  return DAE_OK;
}

static dae_status onestep_restart(void *self, double t, const double *y, dae_error *err)
{
  dae__rk *o = self;
  dae__copy(o->adapter.size, y, o->next.z);
  DAE__TRY(dae__rk_reset_at(o, t, NULL, err));
  o->driver.memory->stats.restarts++;
  return DAE_OK;
}

/* Continues from the state y without a restart, so that the grid of fixed steps stays. */
static dae_status onestep_adjust(void *self, const double *y, dae_error *err)
{
  dae__rk *o = self;
  const dae__rk_adapter *adapter = &o->adapter;
  const dae__rk_point *p = &o->next;
  double t = o->driver.memory->t;
  dae__copy(adapter->size, y, p->z);
  dae__copy(adapter->size, o->now.dz, p->dz);
  if (adapter->table->project)
    DAE__TRY(adapter->table->project(adapter->self, false, t, p->z, err));
  if (!adapter->singular)
    DAE__TRY(adapter->table->slopes(adapter->self, false, t, p->z, p->dz, err));
  DAE__TRY(onestep_store_inputs(o, t, err));
  onestep_replace_now(o);
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
    onestep_swap_ends(o);
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
