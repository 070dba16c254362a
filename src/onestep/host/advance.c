/* One step after the other. The derivative at the end of a step is the first one of the next,
 * unless the inputs have changed in between, as they do from sweep to sweep of a dynamic iteration.
 */
#include "core/error.h"
#include "core/log.h"
#include "core/vec.h"
#include "onestep/host/integrator.h"

dae_status dae__rk_take_inputs(dae__rk *o, double t, dae_error *err)
{
  const dae__rk_adapter *adapter = &o->adapter;
  const double *in = NULL;
  dae_status status =
      adapter->nin > 0 ? adapter->table->inputs(adapter->self, t, &in, err) : DAE_OK;
  if (!status)
    dae__copy(adapter->nin, in, o->in);
  return status;
}

/* ---- attempts ---- */

static dae_status onestep_inputs_changed(dae__rk *o, double t, bool *changed, dae_error *err)
{
  const dae__rk_adapter *adapter = &o->adapter;
  const double *in = NULL;
  *changed = false;
  if (adapter->nin == 0)
    return DAE_OK;
  dae_status status = adapter->table->inputs(adapter->self, t, &in, err);
  *changed = !status && memcmp(in, o->in, (size_t)adapter->nin * sizeof *in) != 0;
  return status;
}

/* y and the slope at the start, by the inputs there */
static dae_status onestep_follow_inputs(dae__rk *o, double t, dae_error *err)
{
  const dae__rk_adapter *adapter = &o->adapter;
  const dae__rk_point *p = &o->next;
  bool changed;
  dae_status status = onestep_inputs_changed(o, t, &changed, err);
  if (status || !changed || adapter->singular)
    return status;
  dae__copy(adapter->size, o->now.z, p->z);
  status = adapter->table->slopes(adapter->self, false, t, p->z, p->dz, err);
  if (!status)
    status = dae__rk_take_inputs(o, t, err);
  DAE__TRY(status);
  dae__copy(adapter->size, p->z, o->now.z);
  dae__copy(adapter->size, p->dz, o->now.dz);
  return DAE_OK;
}

static const dae__stepper *onestep_at_work(const dae__rk *o)
{
  return &o->stepper[o->memory->current];
}

static dae_status onestep_attempt(void *self, double h, double *error, dae_error *err)
{
  dae__rk *o = self;
  dae__rk_step step = {.t = o->driver.memory->t, .h = h, .from = o->now, .to = o->next};
  *error = 0;
  dae_status status = onestep_follow_inputs(o, step.t, err);
  return status ? status
                : onestep_at_work(o)->table->attempt(onestep_at_work(o)->self, &step, error, err);
}

/* ---- taking over ---- */

void dae__rk_swap_ends(dae__rk *o)
{
  dae__rk_point now = o->now;
  o->now = o->previous;
  o->previous = now;
  o->memory->swapped = o->swapped = !o->swapped;
}

/* the step that ends in `next` becomes the last one */
static dae_status onestep_accept(void *self, double t, dae_error *err)
{
  dae__rk *o = self;
  int size = o->adapter.size;
  double t0 = o->driver.memory->t;
  dae__rk_step step = {.t = t0, .h = t - t0, .from = o->now, .to = o->next};
  DAE__TRY(onestep_at_work(o)->table->complete(onestep_at_work(o)->self, &step, err));
  DAE__TRY(dae__rk_take_inputs(o, t, err));
  dae__rk_swap_ends(o);
  dae__copy(size, o->next.z, o->now.z);
  dae__copy(size, o->next.dz, o->now.dz);
  o->memory->last = o->memory->current;
  o->memory->refined = false;
  return DAE_OK;
}

/* ---- which stepper ---- */

void dae__rk_add(dae__rk *o, const dae__stepper *stepper, bool loose)
{
  o->loose[o->steppers] = loose;
  o->stepper[o->steppers++] = *stepper;
}

void dae__rk_update_driver(dae__rk *o)
{
  o->driver.order = onestep_at_work(o)->order;
  o->driver.control = onestep_at_work(o)->control;
  o->driver.control.max_step = o->driver.max_step;
}

void dae__rk_shift(dae__rk *o, int stepper)
{
  o->memory->current = stepper;
  dae__rk_update_driver(o);
  dae__controller_reset(&o->driver.memory->controller, &o->driver.control);
}

void dae__rk_use(dae__rk *o, int stepper)
{
  dae__rk_shift(o, stepper);
  if (onestep_at_work(o)->table->begin)
    onestep_at_work(o)->table->begin(onestep_at_work(o)->self);
}

dae__rk_step dae__rk_last(const dae__rk *o)
{
  const dae__driver_memory *m = o->driver.memory;
  return (dae__rk_step){
      .t = m->t_previous, .h = m->t - m->t_previous, .from = o->previous, .to = o->now};
}

/* ---- what the driver asks ---- */

static double onestep_largest_rate(const void *self, double rtol, double atol, char *name,
                                   size_t size)
{
  const dae__rk *o = self;
  double most = 0;
  int fastest = 0;
  for (int i = 0; i < o->adapter.nx; i++) {
    double rate = fabs(o->now.dz[i]) / (rtol * fabs(o->now.z[i]) + atol);
    if (!(rate <= most))
      most = rate, fastest = i;
  }
  if (name)
    (void)dae_problem_variable(o->adapter.problem, fastest, name, size);
  return most;
}

static bool onestep_stuck(const void *self, char *name, size_t size)
{
  const dae__rk *o = self;
  const dae__rk_adapter *adapter = &o->adapter;
  return adapter->table->stuck &&
         adapter->table->stuck(adapter->self, o->driver.memory->t, o->now.z, name, size);
}

static void onestep_begin(void *self)
{
  dae__rk *o = self;
  dae__rk_use(o, o->memory->current);
}

const dae__driver_table dae__rk_driver = {.begin = onestep_begin,
                                          .attempt = onestep_attempt,
                                          .accept = onestep_accept,
                                          .rate = onestep_largest_rate,
                                          .stuck = onestep_stuck};
