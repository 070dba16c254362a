/* Steps and table functions of a one-step integrator. The derivative at the end of a step is the
 * first slope of the next one, unless the inputs have changed meanwhile, as happens between the
 * sweeps of a dynamic iteration. */
#include "onestep/host/integrator.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/log.h"
#include "core/vec.h"
#include "step/search.h"
#include "step/smooth/smooth.h"
#include <math.h>

/* ---- inputs ---- */

/* o->next_in = the inputs at t */
static dae_status onestep_store_inputs(dae__onestep *o, double t, dae_error *err)
{
  const dae_adapter *adapter = &o->adapter;
  const double *in = NULL;
  if (adapter->inputs > 0)
    DAE__TRY(adapter->table->inputs(adapter->self, t, &in, err));
  dae__copy(adapter->inputs, in, o->next_in);
  return DAE_OK;
}

/* copies the point `next` and its inputs to `now` */
static void onestep_replace_now(dae__onestep *o)
{
  dae__copy(o->adapter.size, o->next.z, o->now.z);
  dae__copy(o->adapter.size, o->next.dz, o->now.dz);
  dae__copy(o->adapter.inputs, o->next_in, o->in);
}

/* Recomputes y and slope at the start of a step if the inputs have changed since they were
 * computed. */
static dae_status onestep_follow_inputs(dae__onestep *o, double t, dae_error *err)
{
  const dae_adapter *adapter = &o->adapter;
  const double *in = NULL;
  DAE__TRY(adapter->table->inputs(adapter->self, t, &in, err));
  bool changed = memcmp(in, o->in, (size_t)adapter->inputs * sizeof *in) != 0;
  if (!changed || adapter->singular)
    return DAE_OK;
  dae__copy(adapter->size, o->now.z, o->next.z);
  dae__copy(adapter->size, o->now.dz, o->next.dz);
  DAE__TRY(adapter->table->slopes(adapter->self, false, t, o->next.z, o->next.dz, err));
  DAE__TRY(onestep_store_inputs(o, t, err));
  onestep_replace_now(o);
  return DAE_OK;
}

/* ---- steps ---- */

dae_status dae__onestep_attempt(dae__onestep *o, double h, double *error, dae_error *err)
{
  const dae__stepper *stepper = &o->stepper[o->memory->current];
  dae_step step = {.t = o->driver->t, .h = h, .from = o->now, .to = o->next};
  *error = 0;
  dae__limits_begin(&o->limits);
  if (o->adapter.inputs > 0)
    DAE__TRY(onestep_follow_inputs(o, step.t, err));
  return stepper->table->attempt(stepper->self, &step, error, err);
}

static void onestep_swap_ends(dae__onestep *o)
{
  dae_point now = o->now;
  o->now = o->previous;
  o->previous = now;
  o->memory->swapped = o->swapped = !o->swapped;
}

/* Margin of the constraints and independent rows at the end of an accepted step; matrices of
 * another subset of the rows, and with them the extrapolation, are renewed. */
static void onestep_update_constraints(dae__onestep *o)
{
  const dae__stepper *stepper = &o->stepper[o->memory->current];
  dae__motion *motion = o->adapter.forms->motion;
  dae__motion_accept_margin(motion);
  if (!o->adapter.forms->s && /* a semi-explicit form has rows of its own */
      dae__motion_exchange_dependent(motion, o->driver->t, o->now.z) && stepper->table->begin)
    stepper->table->begin(stepper->self, o->driver->t, &o->now);
}

dae_status dae__onestep_complete(dae__onestep *o, double t, dae_error *err)
{
  const dae__stepper *stepper = &o->stepper[o->memory->current];
  double t0 = o->driver->t;
  dae_step step = {.t = t0, .h = t - t0, .from = o->now, .to = o->next};
  DAE__TRY(onestep_store_inputs(o, t, err));
  double supplied;
  DAE__TRY(dae__conserve_step(&o->conserve, &step, stepper->conserves, &supplied, err));
  DAE__TRY(stepper->table->complete(stepper->self, &step, err)); /* accepted from here on */
  if (o->conserve.m)
    o->conserve.memory->sum += supplied;
  DAE__ASSERT(o->control.step > 0 || dae__all_finite(o->adapter.nx, o->next.z));
  onestep_swap_ends(o);
  onestep_replace_now(o);
  o->memory->last = o->memory->current;
  o->memory->crossed = false;
  o->driver->t_previous = t0;
  o->driver->t = t;
  o->driver->stats.steps++;
  if (o->adapter.forms->motion)
    onestep_update_constraints(o);
  return DAE_OK;
}

dae_status dae__onestep_cross(dae__onestep *o, double h, bool *made, dae_error *err)
{
  const dae_point *from = &o->now;
  double t = o->driver->t, leaving = o->driver->leaving, size = 0;
  *made = false;
  if (o->adapter.singular)
    return DAE_OK;
  dae_status status = (leaving > 0 ? dae__crossing_leave : dae__crossing_locate)(
      &o->crossing, t, h, from->z, from->dz, &size, o->next.z, err);
  if (!status && size > 0) {
    onestep_swap_ends(o);
    status = dae__onestep_reset_at(o, t + size, NULL, err);
    if (status)
      onestep_swap_ends(o);
  }
  o->driver->leaving = 0;
  if (status || size == 0)
    return dae__can_retry(status) || status == DAE_ERROR_START ? DAE_OK : status;
  dae__log(o->env, DAE_LOG_DEBUG, "t = %.10g, h = %.3g: step %s a discontinuity", t + size, size,
           leaving > 0 ? "away from" : "across");
  o->driver->leaving = leaving > 0 ? 0 : h;
  o->driver->t_previous = t;
  o->driver->stats.steps++;
  o->memory->crossed = *made = true;
  return DAE_OK;
}

static dae_status onestep_step(void *self, double t_stop, dae_error *err)
{
  dae__onestep *o = self;
  bool variable = o->control.step == 0;
  if (o->descriptor.start && !o->driver->started && variable)
    DAE__TRY(o->descriptor.start(o, t_stop, err));
  dae_status status = dae__onestep_advance(o, t_stop, err);
  if (status >= 0 && o->descriptor.select_stepper && variable)
    DAE__TRY(o->descriptor.select_stepper(o, err));
  return status;
}

/* ---- selection of the stepper ---- */

void dae__onestep_add_stepper(dae__onestep *o, const dae__stepper *stepper)
{
  DAE__ASSERT(o->steppers < DAE__MAX_STEPPERS);
  DAE__ASSERT(stepper->table->attempt && stepper->table->complete && stepper->table->dense_output);
  o->stepper[o->steppers++] = *stepper;
}

void dae__onestep_change_variant(dae__onestep *o, int stepper)
{
  dae__controller_options control = o->stepper[stepper].control;
  control.max_step = o->control.max_step;
  o->memory->current = stepper;
  dae__controller_reset(&o->driver->controller, &control);
}

void dae__onestep_switch_stepper(dae__onestep *o, int stepper)
{
  const dae__stepper *s = &o->stepper[stepper];
  dae__onestep_change_variant(o, stepper);
  if (s->table->begin)
    s->table->begin(s->self, o->driver->t, &o->now);
}

/* ---- dense output ---- */

/* Distance of the points of a difference of dense output, over the step size: error about 1e-10 of
 * the change within the step, by truncation and round-off alike. */
#define RAW_DIFFERENCE 1e-5

dae_status dae_adapter_complete(const dae_adapter *adapter, double t, const dae_point *to,
                                dae_error *err)
{
  return dae__adapter_complete(adapter, t, to->z, to->dz, err);
}

/* Hermite's cubic by differences of the end values, so that constant variables keep their value
 * exactly */
void dae_hermite(const dae_adapter *adapter, const dae_step *step, double x, double *z)
{
  const dae_point *a = &step->from, *b = &step->to;
  double h = step->h, rest = 1 - x;
  for (int i = 0; i < adapter->nx; i++) {
    double d = b->z[i] - a->z[i];
    z[i] = a->z[i] + x * x * (3 - 2 * x) * d + h * x * rest * (rest * a->dz[i] - x * b->dz[i]);
  }
  for (int i = adapter->nx; i < adapter->size; i++)
    z[i] = a->z[i] + x * (b->z[i] - a->z[i]);
}

void dae_hermite_rate(const dae_adapter *adapter, const dae_step *step, double x, double *dz)
{
  const dae_point *a = &step->from, *b = &step->to;
  double rest = 1 - x, d = 6 * x * rest / step->h;
  for (int i = 0; i < adapter->nx; i++)
    dz[i] = d * (b->z[i] - a->z[i]) + rest * (1 - 3 * x) * a->dz[i] - x * (2 - 3 * x) * b->dz[i];
}

/* Dense output of a stepper at t, an end of the last step or a time inside it. */
static dae_status onestep_evaluate(dae__onestep *o, double t, dae_dense accuracy,
                                   const dae_point *out, bool *inside, dae_error *err)
{
  const dae__driver_memory *k = o->driver;
  const dae__stepper *stepper = &o->stepper[o->memory->last];
  const dae_point *end = t == k->t ? &o->now : t == k->t_previous ? &o->previous : NULL;
  *inside = !end;
  if (end) {
    dae__copy(o->adapter.size, end->z, out->z);
    if (out->dz)
      dae__copy(o->adapter.size, end->dz, out->dz);
    return DAE_OK;
  }
  dae_step step = {
      .t = k->t_previous, .h = k->t - k->t_previous, .from = o->previous, .to = o->now};
  dae_point p = {out->z, o->adapter.singular || accuracy == DAE_DENSE_RAW ? out->dz : NULL};
  double x = dae__search_place(t, step.t, step.h);
  if (o->memory->crossed) {
    dae__crossing_interpolate(&o->crossing, &step, x, p.z, p.dz);
    return DAE_OK;
  }
  return stepper->table->dense_output(stepper->self, &step, x, accuracy, &p, err);
}

static void onestep_interpolate_raw(void *self, double t, double *y, double *dy)
{
  dae__onestep *o = self;
  bool inside;
  int nx = o->adapter.nx;
  if (!dy) {
    (void)onestep_evaluate(o, t, DAE_DENSE_RAW, &(dae_point){.z = y}, &inside, NULL);
    return;
  }
  dae__zero(o->adapter.size, dy);
  if (nx > 0)
    dy[0] = NAN;
  (void)onestep_evaluate(o, t, DAE_DENSE_RAW, &(dae_point){y, dy}, &inside, NULL);
  if (nx == 0 || !isnan(dy[0]))
    return;
  /* a stepper without derivative: central difference */
  double t0 = o->driver->t_previous, t1 = o->driver->t, d = RAW_DIFFERENCE * (t1 - t0);
  double left = fmax(t - d, t0), right = fmin(t + d, t1);
  (void)onestep_evaluate(o, left, DAE_DENSE_RAW, &(dae_point){.z = dy}, &inside, NULL);
  (void)onestep_evaluate(o, right, DAE_DENSE_RAW, &(dae_point){.z = o->output.z}, &inside, NULL);
  for (int i = 0; i < nx; i++)
    dy[i] = (o->output.z[i] - dy[i]) / (right - left);
  dae__zero(o->adapter.size - nx, dy + nx);
}

/* Dense output and its derivative in o->output. Inside a step it is projected, or for integrals not
 * projected, and y and the derivative follow from x; ends that were projected up to second order
 * are projected again. */
static dae_status onestep_output(dae__onestep *o, dae_dense accuracy, double t, dae_error *err)
{
  const dae_adapter *a = &o->adapter;
  const dae_point *p = &o->output;
  bool inside, again = o->stepper[o->memory->last].second_order;
  if (a->forms->undetermined) /* an undetermined derivative is 0, not that of the output before */
    dae__zero(a->size, p->dz);
  DAE__TRY(onestep_evaluate(o, t, accuracy, p, &inside, err));
  if (a->singular && (inside || a->forms->s)) /* no projection of x with singular M */
    return DAE_OK;
  if (o->smooth && inside) { /* dense output leaves stiff forces off their slow values */
    bool moved;
    DAE__TRY(dae__smooth_correct(o->smooth, t, p->z, &moved, err));
  }
  if (a->table->project && (inside ? accuracy == DAE_DENSE_OUTPUT : again)) {
    DAE__TRY(a->table->project(a->self, true, t, p->z, err));
    if (!inside && a->forms->m) /* q' is the projected v */
      dae__copy(a->forms->m->nq, p->z + a->forms->m->at.v, p->dz);
  }
  return inside ? a->table->slopes(a->self, true, t, p->z, p->dz, err) : DAE_OK;
}

static dae_status onestep_interpolate_to(dae__onestep *o, dae_dense accuracy, double t, double *y,
                                         double *dy, dae_error *err)
{
  dae_error why = dae_error_none();
  dae_status status = onestep_output(o, accuracy, t, &why);
  if (status) {
    status = dae__can_retry(status) ? DAE_ERROR_STEP : status;
    dae__fail(err, status, why.equation[0] ? why.equation : NULL,
              "dense output at t = %.10g failed: %s", t, why.text);
    dae__fail_at(err, t, o->driver->h);
    return status;
  }
  dae__copy(o->adapter.size, o->output.z, y);
  if (dy)
    dae__copy(o->adapter.size, o->output.dz, dy);
  return DAE_OK;
}

static dae_status onestep_interpolate(void *self, double t, double *y, double *dy, dae_error *err)
{
  return onestep_interpolate_to(self, DAE_DENSE_OUTPUT, t, y, dy, err);
}

static dae_status onestep_interpolate_unprojected(void *self, double t, double *y, dae_error *err)
{
  return onestep_interpolate_to(self, DAE_DENSE_MEASURE, t, y, NULL, err);
}

/* ---- other table functions ---- */

static dae_view onestep_view(const void *self)
{
  const dae__onestep *o = self;
  const dae__driver_memory *k = o->driver;
  return (dae_view){.t = k->t,
                    .t_previous = k->t_previous,
                    .h_next = o->control.step > 0 ? o->control.step : k->h,
                    .order =
                        k->started && !o->memory->crossed ? o->stepper[o->memory->last].order : 0,
                    .size = o->adapter.size};
}

void dae__onestep_update_singular(dae__onestep *o)
{
  const dae__semi *s = o->adapter.problem->semi_explicit ? o->adapter.forms->s : NULL;
  bool index_2 = s && s->hidden_count > 0 && !o->descriptor.needs.index_2_slopes;
  o->adapter.singular = o->singular_mass || index_2;
}

dae_status dae__onestep_reset_at(dae__onestep *o, double t, const bool *fixed, dae_error *err)
{
  const dae_adapter *adapter = &o->adapter;
  const dae_point *p = &o->next;
  dae__zero(adapter->size, p->dz);
  DAE__TRY(adapter->table->consistent(adapter->self, t, fixed, p->z, p->dz, err));
  dae__onestep_update_singular(o);
  DAE__TRY(onestep_store_inputs(o, t, err));
  dae__zero(adapter->size - adapter->nx, p->dz + adapter->nx);
  onestep_replace_now(o);
  o->driver->t = o->driver->t_previous = t;
  o->driver->leaving = 0;
  o->memory->crossed = false;
  o->driver->started = false;
  dae__conserve_restart(&o->conserve);
  return DAE_OK;
}

static dae_status onestep_restart(void *self, double t, const double *y, dae_error *err)
{
  dae__onestep *o = self;
  dae__copy(o->adapter.size, y, o->next.z);
  DAE__TRY(dae__onestep_reset_at(o, t, NULL, err));
  o->driver->stats.restarts++;
  return DAE_OK;
}

/* Continues from the state y without a restart, so that the grid of fixed steps stays. */
static dae_status onestep_adjust(void *self, const double *y, dae_error *err)
{
  dae__onestep *o = self;
  const dae_adapter *adapter = &o->adapter;
  const dae_point *p = &o->next;
  double t = o->driver->t;
  dae__copy(adapter->size, y, p->z);
  dae__copy(adapter->size, o->now.dz, p->dz);
  if (adapter->table->project && !(adapter->singular && adapter->forms->s))
    DAE__TRY(adapter->table->project(adapter->self, false, t, p->z, err));
  if (!adapter->singular)
    DAE__TRY(adapter->table->slopes(adapter->self, false, t, p->z, p->dz, err));
  DAE__TRY(onestep_store_inputs(o, t, err));
  onestep_replace_now(o);
  dae__conserve_restart(&o->conserve);
  return DAE_OK;
}

static dae_stats onestep_stats(const void *self)
{
  const dae__onestep *o = self;
  dae_stats s = o->driver->stats;
  o->adapter.table->count(o->adapter.self, &s);
  for (int i = 0; i < o->steppers; i++)
    if (o->stepper[i].table->count)
      o->stepper[i].table->count(o->stepper[i].self, &s);
  s.switches = o->memory->switches;
  return s;
}

static double onestep_supplied(const void *self)
{
  const dae__onestep *o = self;
  return o->conserve.m ? o->conserve.memory->sum : 0;
}

static dae_limits onestep_limits(const void *self, int i)
{
  const dae__onestep *o = self;
  return i < o->limits.n ? o->limits.m->count[i] : (dae_limits){0};
}

static dae_status onestep_complete_state(void *self, dae_error *err)
{
  dae__onestep *o = self;
  return o->descriptor.create_rest ? o->descriptor.create_rest(o, err) : DAE_OK;
}

static dae_status onestep_reload(void *self, dae_error *err)
{
  dae__onestep *o = self;
  if (o->memory->swapped != o->swapped)
    onestep_swap_ends(o);
  if (o->adapter.table->reload)
    DAE__TRY(o->adapter.table->reload(o->adapter.self, err));
  dae__onestep_update_singular(o);
  for (int i = 0; i < o->steppers; i++)
    if (o->stepper[i].table->reload)
      DAE__TRY(o->stepper[i].table->reload(o->stepper[i].self, err));
  return DAE_OK;
}

static void onestep_release(void *self)
{
  dae__onestep *o = self;
  for (int i = 0; i < o->steppers; i++)
    if (o->stepper[i].table->free)
      o->stepper[i].table->free(o->stepper[i].self);
  if (o->adapter.table)
    o->adapter.table->free(o->adapter.self);
}

const dae__integrator_table dae__onestep_verbs = {.step = onestep_step,
                                                  .view = onestep_view,
                                                  .interpolate = onestep_interpolate,
                                                  .interpolate_unprojected =
                                                      onestep_interpolate_unprojected,
                                                  .interpolate_raw = onestep_interpolate_raw,
                                                  .restart = onestep_restart,
                                                  .adjust = onestep_adjust,
                                                  .stats = onestep_stats,
                                                  .supplied = onestep_supplied,
                                                  .limits = onestep_limits,
                                                  .complete_state = onestep_complete_state,
                                                  .reload = onestep_reload,
                                                  .free = onestep_release};
