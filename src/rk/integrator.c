/* The verbs of a classical one-step integrator, and its creation. Between the ends of a step x is
 * the cubic with the values and slopes there; where M is singular and slopes are not what they are
 * elsewhere, x and y are the polynomial through the stages. */
#include "rk/integrator.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/consistent.h"
#include "rk/rk.h"

/* ---- between the ends ---- */

/* Hermite's cubic for x, a line for y; differences, so that what does not move stays as it is */
static void between(const dae__rk *o, double t, double *z)
{
  const dae__march_memory *m = o->march.memory;
  const dae__rk_point *a = &o->previous, *b = &o->now;
  double h = m->t - m->t_previous, x = (t - m->t_previous) / h, rest = 1 - x;
  for (int i = 0; i < o->body.nx; i++) {
    double d = b->z[i] - a->z[i];
    z[i] = a->z[i] + x * x * (3 - 2 * x) * d + h * x * rest * (rest * a->dz[i] - x * b->dz[i]);
  }
  for (int i = o->body.nx; i < o->body.size; i++)
    z[i] = a->z[i] + x * (b->z[i] - a->z[i]);
}

/* the polynomial through the stages; dz (may be NULL): slopes of x */
static void through_stages(const dae__rk *o, double t, double *z, double *dz)
{
  const dae__march_memory *m = o->march.memory;
  int size = o->body.size;
  double h = m->t - m->t_previous, value[DAE__RK_STAGES + 1], slope[DAE__RK_STAGES + 1];
  dae__rk_collocation(&o->scheme, (t - m->t_previous) / h, value, slope);
  dae__zero(size, z);
  dae__axpy(size, value[0], o->previous.z, z);
  if (dz) {
    dae__zero(size, dz);
    dae__axpy(o->body.nx, slope[0] / h, o->previous.z, dz);
  }
  for (int i = 0; i < o->scheme.stages; i++) {
    const double *Z = o->inside + (size_t)i * (size_t)size;
    dae__axpy(size, value[i + 1], Z, z);
    if (dz)
      dae__axpy(o->body.nx, slope[i + 1] / h, Z, dz);
  }
}

/* the point of the last step that t is at the end of; NULL: between them */
static const dae__rk_point *end_at(const dae__rk *o, double t)
{
  const dae__march_memory *m = o->march.memory;
  return t == m->t ? &o->now : t == m->t_previous ? &o->previous : NULL;
}

static void glance(void *self, double t, double *y)
{
  dae__rk *o = self;
  const dae__rk_point *end = end_at(o, t);
  if (end)
    dae__copy(o->body.size, end->z, y);
  else if (o->body.singular)
    through_stages(o, t, y, NULL);
  else
    between(o, t, y);
}

static dae_status interpolate(void *self, double t, double *y, double *dy, dae_error *err)
{
  dae__rk *o = self;
  const dae__rk_body *body = &o->body;
  const dae__rk_point *end = end_at(o, t), *p = end ? end : &o->shown;
  dae_error why = dae_error_none();
  dae_status status = DAE_OK;
  if (!end && body->singular) {
    through_stages(o, t, p->z, p->dz);
  } else if (!end) {
    between(o, t, p->z);
    if (body->table->project)
      status = body->table->project(body->self, true, t, p->z, &why);
    if (!status)
      status = body->table->slopes(body->self, true, t, p->z, p->dz, &why);
  }
  if (status)
    return dae__march_not_shown(&o->march, t, status, &why, err);
  dae__copy(body->size, p->z, y);
  if (dy)
    dae__copy(body->size, p->dz, dy);
  return DAE_OK;
}

/* ---- the other verbs ---- */

static dae_status step(void *self, double t_stop, dae_error *err)
{
  return dae__march_step(&((dae__rk *)self)->march, t_stop, err);
}

static dae_view view(const void *self)
{
  const dae__rk *o = self;
  return dae__march_view(&o->march, o->body.size);
}

/* makes `next` consistent and stands there */
static dae_status stand_at(dae__rk *o, double t, const bool *fixed, dae_error *err)
{
  const dae__rk_body *body = &o->body;
  const dae__rk_point *p = &o->next;
  dae__zero(body->size, p->dz);
  dae_status status = body->table->consistent(body->self, t, fixed, p->z, p->dz, err);
  if (!status)
    status = dae__rk_take_inputs(o, t, err);
  if (status)
    return status;
  dae__zero(body->size - body->nx, p->dz + body->nx);
  dae__copy(body->size, p->z, o->now.z);
  dae__copy(body->size, p->dz, o->now.dz);
  o->stages.memory->factored = false;
  dae__march_stand(&o->march, t);
  return DAE_OK;
}

static dae_status restart(void *self, double t, const double *y, dae_error *err)
{
  dae__rk *o = self;
  dae__copy(o->body.size, y, o->next.z);
  dae_status status = stand_at(o, t, NULL, err);
  o->march.memory->stats.restarts += !status;
  return status;
}

/* the grid of its steps stays as it is */
static dae_status adjust(void *self, const double *y, dae_error *err)
{
  dae__rk *o = self;
  const dae__rk_body *body = &o->body;
  const dae__rk_point *p = &o->next;
  double t = o->march.memory->t;
  dae_status status = DAE_OK;
  dae__copy(body->size, y, p->z);
  dae__copy(body->size, o->now.dz, p->dz);
  if (body->table->project)
    status = body->table->project(body->self, false, t, p->z, err);
  if (!status && !body->singular)
    status = body->table->slopes(body->self, false, t, p->z, p->dz, err);
  if (!status)
    status = dae__rk_take_inputs(o, t, err);
  if (status)
    return status;
  dae__copy(body->size, p->z, o->now.z);
  dae__copy(body->size, p->dz, o->now.dz);
  return DAE_OK;
}

static dae_stats stats(const void *self)
{
  const dae__rk *o = self;
  const dae__rk_stages_memory *m = o->stages.memory;
  dae_stats s = o->march.memory->stats;
  o->body.table->count(o->body.self, &s);
  s.iterations += m->iterations;
  s.jacobians += m->jacobians;
  s.factorisations += m->factorisations;
  return s;
}

static dae_status reload(void *self, dae_error *err)
{
  dae__rk *o = self;
  dae_status status = o->body.table->reload(o->body.self, err);
  if (status)
    return status;
  status = dae__rk_stages_reload(&o->stages);
  return status ? dae__fail(err, status, NULL, "the factorisation could not be rebuilt") : DAE_OK;
}

static void release(void *self)
{
  dae__rk *o = self;
  dae__rk_stages_free(&o->stages);
  if (o->body.table)
    o->body.table->free(o->body.self);
}

static const dae__integrator_table verbs = {.step = step,
                                            .view = view,
                                            .interpolate = interpolate,
                                            .glance = glance,
                                            .restart = restart,
                                            .adjust = adjust,
                                            .stats = stats,
                                            .reload = reload,
                                            .free = release};

/* ---- creation ---- */

/* whether M is regular at the start; only radau-iia can do without */
static dae_status check_mass(dae__rk *o, dae__arena *arena, dae_error *err)
{
  dae__semi *s = o->body.s;
  char name[64] = "";
  int column;
  if (!o->body.problem->semi_explicit || !s->p->M)
    return DAE_OK;
  double *M = DAE__TAKE(arena, double, dae__pattern_count(&s->M));
  if (!M)
    return dae__out_of_memory(err);
  dae_status status = dae__semi_M(s, o->march.memory->t, o->now.z, M, err);
  if (!status)
    status = dae__solver_examine(dae__arena_env(arena), &s->M, M, &column, err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  if (column >= 0)
    dae__semi_variable_name(s->p, column, name, sizeof name);
  if (!o->scheme.implicit || o->scheme.e != 0)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, o->scheme.name,
                     "%s needs a regular mass matrix; this one is singular%s%s: use radau-iia or "
                     "bdf",
                     o->scheme.name, name[0] ? " at " : "", name);
  o->body.singular = true;
  o->inside = DAE__KEEP(arena, double, (size_t)(o->scheme.stages * o->body.size));
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

static dae__rk_point take_point(dae__arena *arena, int size)
{
  return (dae__rk_point){DAE__TAKE(arena, double, size), DAE__TAKE(arena, double, size)};
}

static dae__rk_point keep_point(dae__arena *arena, int size)
{
  return (dae__rk_point){DAE__KEEP(arena, double, size), DAE__KEEP(arena, double, size)};
}

static dae_status prepare(dae__rk *o, dae__arena *arena, const dae_problem *problem, dae_error *err)
{
  dae_status status =
      problem->mechanical
          ? dae__rk_body_mechanical(arena, problem, &o->scheme, &o->opts, &o->body, err)
          : dae__rk_body_semi(arena, problem, &o->scheme, &o->opts, &o->body, err);
  if (status)
    return status;
  int size = o->body.size;
  o->march.memory = DAE__KEEP(arena, dae__march_memory, 1);
  o->now = keep_point(arena, size);
  o->previous = keep_point(arena, size);
  o->in = DAE__KEEP(arena, double, o->body.nin);
  o->next = take_point(arena, size);
  o->shown = take_point(arena, size);
  if (!o->scheme.implicit) {
    o->K = DAE__TAKE(arena, double, (size_t)(o->scheme.stages * size));
    o->stages.memory = DAE__TAKE(arena, dae__rk_stages_memory, 1); /* counts nothing */
  }
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  return o->scheme.implicit
             ? dae__rk_stages_create(arena, &o->scheme, o->body.s, &o->opts, &o->stages, err)
             : DAE_OK;
}

static dae_status create(dae__rk *o, dae__arena *arena, const dae_problem *problem,
                         const dae_start *start, dae_error *err)
{
  dae_status status = prepare(o, arena, problem, err);
  if (status)
    return status;
  o->march = (dae__march){.table = &dae__rk_march,
                          .self = o,
                          .rtol = o->opts.rtol,
                          .atol = o->opts.atol,
                          .step = o->opts.step,
                          .max_failures = 1,
                          .order = o->scheme.order,
                          .control = dae__controller_defaults(o->scheme.order + 1),
                          .env = dae__arena_env(arena),
                          .memory = o->march.memory};
  dae__copy(o->body.size, start->y, o->next.z);
  status = stand_at(o, start->t, start->fixed, err);
  if (!status)
    status = check_mass(o, arena, err);
  return dae__start_status(status, err);
}

dae_status dae__rk_integrator_create(dae__arena *arena, const dae_problem *problem,
                                     const dae_start *start, const dae__rk_scheme *scheme,
                                     const dae_rk_options *opts, dae_integrator **out,
                                     dae_error *err)
{
  dae__rk *o = DAE__TAKE(arena, dae__rk, 1);
  if (!o)
    return dae__out_of_memory(err);
  o->opts = *opts;
  o->scheme = *scheme;
  dae_status status = create(o, arena, problem, start, err);
  o->table = verbs;
  o->table.method = scheme->name;
  if (!status && dae__integrator_create(arena, &o->table, o, out))
    status = dae__out_of_memory(err);
  if (status)
    release(o);
  return status;
}
