/* The steps of the trapezoidal rule and of radau-iia, by the stage system of stages.h. Between
 * their ends x is Hermite's cubic; where there are no slopes at a point, x and y are the polynomial
 * through the stages. */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/classical/classical_explicit.h"
#include "onestep/classical/stages.h"

#define CUT 0.1 /* part of the step size below which slopes are evaluated at the end */

typedef struct implicit {
  const dae__rk_adapter *adapter;
  dae__rk_scheme scheme;
  double step;
  dae__rk_stages stages;
  double *inside; /* kept: the stages of the last step, where M is singular */
} implicit;

static void implicit_begin(void *self)
{
  ((implicit *)self)->stages.memory->factored = false;
}

static dae_status implicit_attempt(void *self, const dae__rk_step *step, double *error,
                                   dae_error *err)
{
  implicit *o = self;
  int last = o->scheme.stages - 1;
  *error = 0; /* fixed steps */
  dae_status status =
      dae__rk_stages_solve(&o->stages, step->t, step->h, step->from.z, step->from.dz, err);
  DAE__TRY(status);
  dae__copy(o->adapter->size, dae__rk_stage(&o->stages, last), step->to.z);
  dae__copy(o->adapter->nx, dae__rk_stage_slope(&o->stages, last), step->to.dz);
  return DAE_OK;
}

/* the stages have y and the slope at the end, but the slope only to round-off/h: not where a step
 * was cut short */
static dae_status implicit_complete_step(void *self, const dae__rk_step *step, dae_error *err)
{
  implicit *o = self;
  const dae__rk_adapter *adapter = o->adapter;
  double t = step->t + step->h;
  dae_status status = DAE_OK;
  if (step->h < CUT * o->step && !adapter->singular) {
    if (adapter->table->project)
      status = adapter->table->project(adapter->self, false, t, step->to.z, err);
    if (!status)
      status = adapter->table->slopes(adapter->self, false, t, step->to.z, step->to.dz, err);
  }
  if (!status && o->inside)
    dae__copy(o->scheme.stages * adapter->size, o->stages.Z, o->inside);
  return status;
}

/* the polynomial through the stages, or its derivative times h: by these weights */
static void implicit_through_stages(const implicit *o, const dae__rk_step *step, int n,
                                    const double *weight, double *out)
{
  dae__zero(n, out);
  dae__axpy(n, weight[0], step->from.z, out);
  for (int i = 0; i < o->scheme.stages; i++)
    dae__axpy(n, weight[i + 1], o->inside + (size_t)i * (size_t)o->adapter->size, out);
}

static void implicit_dense_output(void *self, const dae__rk_step *step, double x, double *z)
{
  implicit *o = self;
  double value[DAE__RK_STAGES + 1], slope[DAE__RK_STAGES + 1];
  if (!o->inside) {
    dae__rk_hermite(o->adapter, step, x, z);
    return;
  }
  dae__rk_collocation(&o->scheme, x, value, slope);
  implicit_through_stages(o, step, o->adapter->size, value, z);
}

static void implicit_rate(void *self, const dae__rk_step *step, double x, double *dz)
{
  implicit *o = self;
  double value[DAE__RK_STAGES + 1], slope[DAE__RK_STAGES + 1];
  dae__rk_collocation(&o->scheme, x, value, slope);
  dae__zero(o->adapter->size, dz);
  implicit_through_stages(o, step, o->adapter->nx, slope, dz);
  dae__scale(o->adapter->nx, 1 / step->h, dz);
}

static void implicit_count(const void *self, dae_stats *stats)
{
  const dae__rk_stages_memory *m = ((const implicit *)self)->stages.memory;
  stats->iterations += m->iterations;
  stats->jacobians += m->jacobians;
  stats->factorisations += m->factorisations;
}

static dae_status implicit_reload(void *self, dae_error *err)
{
  dae_status status = dae__rk_stages_reload(&((implicit *)self)->stages);
  return status ? dae__fail(err, status, NULL, "the factorisation could not be rebuilt") : DAE_OK;
}

static void implicit_release(void *self)
{
  dae__rk_stages_free(&((implicit *)self)->stages);
}

static const dae__stepper_table implicit_verbs = {.begin = implicit_begin,
                                                  .attempt = implicit_attempt,
                                                  .complete = implicit_complete_step,
                                                  .dense_output = implicit_dense_output,
                                                  .rate = implicit_rate,
                                                  .count = implicit_count,
                                                  .reload = implicit_reload,
                                                  .free = implicit_release};

dae_status dae__simple_implicit_create(dae__arena *arena, const dae__rk_adapter *adapter,
                                       const dae__rk_scheme *scheme, const dae_rk_options *opts,
                                       dae__stepper *out, dae_error *err)
{
  implicit *o = DAE__ALLOC(arena, implicit, 1);
  if (!o)
    return dae__out_of_memory(err);
  *o = (implicit){.adapter = adapter, .scheme = *scheme, .step = opts->step};
  if (adapter->singular)
    o->inside = DAE__STATE(arena, double, (size_t)(scheme->stages * adapter->size));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae_status status = dae__rk_stages_create(arena, &o->scheme, adapter->s, opts, &o->stages, err);
  *out = (dae__stepper){.table = &implicit_verbs,
                        .self = o,
                        .order = scheme->order,
                        .control = dae__controller_defaults(scheme->order + 1)};
  if (status)
    implicit_release(o);
  return status;
}
