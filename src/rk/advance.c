/* One step of a classical method after the other. The slope at the end of a step is the first one
 * of the next, unless the inputs have changed in between, as they do from sweep to sweep of a
 * dynamic iteration. */
#include "core/error.h"
#include "core/vec.h"
#include "rk/integrator.h"

#define CUT 0.1 /* part of the step size below which slopes are evaluated at the end */

dae_status dae__rk_take_inputs(dae__rk *o, double t, dae_error *err)
{
  const dae__rk_body *body = &o->body;
  const double *in = NULL;
  dae_status status = body->nin > 0 ? body->table->inputs(body->self, t, &in, err) : DAE_OK;
  if (!status)
    dae__copy(body->nin, in, o->in);
  return status;
}

/* ---- attempts ---- */

static dae_status inputs_changed(dae__rk *o, double t, bool *changed, dae_error *err)
{
  const dae__rk_body *body = &o->body;
  const double *in = NULL;
  *changed = false;
  if (body->nin == 0)
    return DAE_OK;
  dae_status status = body->table->inputs(body->self, t, &in, err);
  *changed = !status && memcmp(in, o->in, (size_t)body->nin * sizeof *in) != 0;
  return status;
}

/* y and the slope at the start, by the inputs there */
static dae_status follow_inputs(dae__rk *o, double t, dae_error *err)
{
  const dae__rk_body *body = &o->body;
  const dae__rk_point *p = &o->next;
  bool changed;
  dae_status status = inputs_changed(o, t, &changed, err);
  if (status || !changed || body->singular)
    return status;
  dae__copy(body->size, o->now.z, p->z);
  status = body->table->slopes(body->self, false, t, p->z, p->dz, err);
  if (!status)
    status = dae__rk_take_inputs(o, t, err);
  if (status)
    return status;
  dae__copy(body->size, p->z, o->now.z);
  dae__copy(body->size, p->dz, o->now.dz);
  return DAE_OK;
}

/* x1 = x0 + h sum b_i k_i, k_i at x0 + h sum a_ij k_j */
static dae_status explicit_step(dae__rk *o, double t, double h, dae_error *err)
{
  const dae__rk_body *body = &o->body;
  const dae__rk_scheme *scheme = &o->scheme;
  size_t size = (size_t)body->size;
  double *z = o->next.z, *K = o->K;
  dae__copy(body->size, o->now.dz, K);
  dae__copy(body->size, o->now.z, z);
  for (int i = 1; i < scheme->stages; i++) {
    dae__copy(body->nx, o->now.z, z); /* y stays: a guess */
    for (int j = 0; j < i; j++)
      dae__axpy(body->nx, h * scheme->a[i][j], K + (size_t)j * size, z);
    dae_status status =
        body->table->slopes(body->self, false, t + scheme->c[i] * h, z, K + (size_t)i * size, err);
    if (status)
      return status;
  }
  dae__copy(body->nx, o->now.z, z);
  for (int i = 0; i < scheme->stages; i++)
    dae__axpy(body->nx, h * scheme->b[i], K + (size_t)i * size, z);
  return DAE_OK;
}

static dae_status implicit_step(dae__rk *o, double t, double h, dae_error *err)
{
  const dae__rk_body *body = &o->body;
  int last = o->scheme.stages - 1;
  dae_status status = dae__rk_stages_solve(&o->stages, t, h, o->now.z, o->now.dz, err);
  if (status)
    return status;
  dae__copy(body->size, dae__rk_stage(&o->stages, last), o->next.z);
  dae__copy(body->nx, dae__rk_stage_slope(&o->stages, last), o->next.dz);
  return DAE_OK;
}

static dae_status attempt(void *self, double h, double *error, dae_error *err)
{
  dae__rk *o = self;
  double t = o->march.memory->t;
  *error = 0; /* fixed steps */
  dae_status status = follow_inputs(o, t, err);
  if (status)
    return status;
  return o->scheme.implicit ? implicit_step(o, t, h, err) : explicit_step(o, t, h, err);
}

/* ---- taking over ---- */

/* x on its constraints, y and the slope there. Implicit steps have them, but the slope only to
 * round-off/h: not where a step was cut short */
static dae_status settle(dae__rk *o, double t, dae_error *err)
{
  const dae__rk_body *body = &o->body;
  const dae__rk_point *p = &o->next;
  bool cut = t - o->march.memory->t < CUT * o->opts.step;
  if (o->scheme.implicit && (!cut || body->singular))
    return DAE_OK;
  dae_status status =
      body->table->project ? body->table->project(body->self, false, t, p->z, err) : DAE_OK;
  return status ? status : body->table->slopes(body->self, false, t, p->z, p->dz, err);
}

/* the step that ends in `next` becomes the last one */
static dae_status accept(void *self, double t, dae_error *err)
{
  dae__rk *o = self;
  int size = o->body.size;
  dae_status status = settle(o, t, err);
  if (!status)
    status = dae__rk_take_inputs(o, t, err);
  if (status)
    return status;
  dae__copy(size, o->now.z, o->previous.z);
  dae__copy(size, o->now.dz, o->previous.dz);
  dae__copy(size, o->next.z, o->now.z);
  dae__copy(size, o->next.dz, o->now.dz);
  if (o->inside)
    dae__copy(o->scheme.stages * size, o->stages.Z, o->inside);
  return DAE_OK;
}

/* ---- what the march asks ---- */

static double largest_rate(const void *self, double rtol, double atol, char *name, size_t size)
{
  const dae__rk *o = self;
  double most = 0;
  int fastest = 0;
  for (int i = 0; i < o->body.nx; i++) {
    double rate = fabs(o->now.dz[i]) / (rtol * fabs(o->now.z[i]) + atol);
    if (!(rate <= most))
      most = rate, fastest = i;
  }
  if (name)
    (void)dae_problem_variable(o->body.problem, fastest, name, size);
  return most;
}

static void begin(void *self)
{
  (void)self; /* it stands where it is */
}

const dae__march_table dae__rk_march = {
    .begin = begin, .attempt = attempt, .accept = accept, .rate = largest_rate};
