/* The verbs of a SPARK integrator, and its creation. */
#include "core/error.h"
#include "core/vec.h"
#include "linalg/solver.h"
#include "onestep/spark/step.h"
#include "problem/consistent.h"

/* ---- the verbs ---- */

static dae_status spark_step(void *self, double t_stop, dae_error *err)
{
  return dae__driver_step(&((dae__spark *)self)->driver, t_stop, err);
}

static dae_view spark_view(const void *self)
{
  const dae__spark *o = self;
  return dae__driver_view(&o->driver, o->body.size);
}

/* the last step, or the half of it that t is in */
static dae__dense_piece spark_piece_at(const dae__spark *o, double t)
{
  const dae__driver_memory *m = o->driver.memory;
  double middle = *o->t_middle;
  bool halves = middle > m->t_previous, first = halves && t < middle, second = halves && !first;
  double from = second ? middle : m->t_previous, to = first ? middle : m->t;
  return (dae__dense_piece){.step = m->stats.steps,
                            .first = first,
                            .t = from,
                            .h = to - from,
                            .stages = first ? &o->stages.half : &o->stages.last,
                            .start_rate = second ? o->middle_rate : o->previous_rate,
                            .end_rate = first ? o->middle_rate : o->rate};
}

static void spark_interpolate_raw(void *self, double t, double *y)
{
  dae__spark *o = self;
  const dae__driver_memory *m = o->driver.memory;
  dae__copy(o->body.size, o->state, y);
  if (m->t_previous == m->t || t == m->t)
    return;
  dae__dense_piece piece = spark_piece_at(o, t);
  dae__dense_eval(&o->dense, &piece, t, o->stages.Yt, o->stages.x);
  dae__face_join(&o->body.face, o->stages.Yt, o->stages.x, y);
}

/* the state at a time before the last one, projected, with its multipliers */
static dae_status spark_look(dae__spark *o, bool refined, double t, double *y, double *dy,
                             dae_error *err)
{
  const dae__body *body = &o->body;
  dae__dense_piece piece = spark_piece_at(o, t);
  dae_status status = DAE_OK;
  if (refined && t > piece.t)
    status = dae__dense_refine(&o->dense, &piece, err);
  if (status && !dae__driver_can_retry(status))
    return status;
  spark_interpolate_raw(o, t, y);
  status = o->opts.project ? body->table->project(body->self, true, t, y, err) : DAE_OK;
  if (dy)
    dae__zero(body->size, dy); /* multipliers have none */
  return status ? status : body->table->accelerate(body->self, true, t, y, dy, err);
}

static dae_status spark_show(dae__spark *o, bool refined, double t, double *y, double *dy,
                             dae_error *err)
{
  dae_error why = dae_error_none();
  if (t == o->driver.memory->t) { /* projected, with its multipliers, when it was accepted */
    dae__copy(o->body.size, o->state, y);
    if (dy)
      dae__copy(o->body.size, o->rate, dy);
    return DAE_OK;
  }
  dae_status status = spark_look(o, refined, t, y, dy, &why);
  return status ? dae__driver_dense_output_failed(&o->driver, t, status, &why, err) : DAE_OK;
}

static dae_status spark_interpolate(void *self, double t, double *y, double *dy, dae_error *err)
{
  return spark_show(self, true, t, y, dy, err);
}

static dae_status spark_interpolate_unprojected(void *self, double t, double *y, dae_error *err)
{
  return spark_show(self, false, t, y, NULL, err);
}

static dae_status spark_restart(void *self, double t, const double *y, dae_error *err)
{
  dae__spark *o = self;
  dae__copy(o->body.size, y, o->shown_state);
  dae__copy(o->body.size, o->rate, o->shown_rate);
  dae_status status =
      o->body.table->consistent(o->body.self, t, NULL, o->shown_state, o->shown_rate, err);
  DAE__TRY(status);
  dae__copy(o->body.size, o->shown_state, o->state);
  dae__copy(o->body.size, o->shown_rate, o->rate);
  dae__driver_reset(&o->driver, t);
  *o->t_middle = t;
  o->driver.memory->stats.restarts++;
  return DAE_OK;
}

static dae_status spark_adjust(void *self, const double *y, dae_error *err)
{
  dae__spark *o = self;
  dae__copy(o->body.size, y, o->shown_state);
  dae__copy(o->body.size, o->rate, o->shown_rate);
  DAE__TRY(o->body.table->accelerate(o->body.self, false, o->driver.memory->t, o->shown_state,
                                     o->shown_rate, err));
  dae__copy(o->body.size, o->shown_state, o->state);
  dae__copy(o->body.size, o->shown_rate, o->rate);
  dae__face_split(&o->body.face, o->state, o->y, o->z);
  return DAE_OK;
}

static dae_stats spark_stats(const void *self)
{
  const dae__spark *o = self;
  dae_stats s = o->driver.memory->stats;
  o->body.table->count(o->body.self, &s);
  s.iterations += o->stages.memory->iterations;
  s.jacobians += o->stages.memory->jacobians;
  s.factorisations += o->stages.memory->factorisations;
  s.decoupled += o->stages.memory->steps[DAE__STAGES_DECOUPLED];
  s.full += o->stages.memory->steps[DAE__STAGES_FULL];
  return s;
}

static dae_status spark_reload(void *self, dae_error *err)
{
  dae__spark *o = self;
  dae__face_split(&o->body.face, o->state, o->y, o->z);
  dae_status status = o->body.table->reload(o->body.self);
  if (!status)
    status = dae__stages_reload(&o->stages);
  return status ? dae__fail(err, status, NULL, "the factorisation could not be rebuilt") : DAE_OK;
}

static void spark_release(void *self)
{
  dae__spark *o = self;
  dae__stages_free(&o->stages);
  if (o->body.table)
    o->body.table->free(o->body.self);
  dae_spark_tableau_free(o->owned);
}

static const dae__integrator_table spark_verbs = {.step = spark_step,
                                                  .view = spark_view,
                                                  .interpolate = spark_interpolate,
                                                  .interpolate_unprojected =
                                                      spark_interpolate_unprojected,
                                                  .interpolate_raw = spark_interpolate_raw,
                                                  .restart = spark_restart,
                                                  .adjust = spark_adjust,
                                                  .stats = spark_stats,
                                                  .reload = spark_reload,
                                                  .free = spark_release};

/* ---- creation ---- */

static dae_status spark_prepare(dae__spark *o, dae__arena *arena, const dae_problem *problem,
                                const dae_spark_tableau *tableau, dae_error *err)
{
  bool regular = tableau->nt > tableau->s; /* else A is singular, and there is no transformation */
  if (regular)
    dae__spark_transform_create(arena, tableau, &o->transform);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae__body_needs needs = {.matrices = regular, .blocks = o->transform.blocks};
  dae_status status = problem->mechanical
                          ? dae__body_mechanical(arena, problem, &needs, &o->body, err)
                          : dae__body_momentum(arena, problem, &needs, &o->body, err);
  DAE__TRY(status);
  const dae__face *face = &o->body.face;
  status =
      dae__stages_create(arena, tableau, regular ? &o->transform : NULL, face, &o->stages, err);
  o->driver.memory = DAE__STATE(arena, dae__driver_memory, 1);
  o->t_middle = DAE__STATE(arena, double, 1);
  o->scale = DAE__STATE(arena, dae__spark_scale, 1);
  o->state = DAE__STATE(arena, double, o->body.size);
  o->rate = DAE__STATE(arena, double, o->body.size);
  o->previous_rate = DAE__STATE(arena, double, o->body.size);
  o->middle_rate = DAE__STATE(arena, double, o->body.size);
  o->shown_state = DAE__ALLOC(arena, double, o->body.size);
  o->shown_rate = DAE__ALLOC(arena, double, o->body.size);
  o->y = DAE__ALLOC(arena, double, face->ny);
  o->z = DAE__ALLOC(arena, double, face->nz);
  o->y_middle = DAE__ALLOC(arena, double, face->ny);
  o->z_middle = DAE__ALLOC(arena, double, face->nz);
  o->y_other = DAE__ALLOC(arena, double, face->ny);
  o->z_other = DAE__ALLOC(arena, double, face->nz);
  o->y_weight = DAE__ALLOC(arena, double, face->ny);
  o->z_weight = DAE__ALLOC(arena, double, face->nz);
  o->y_rate = DAE__ALLOC(arena, double, face->ny);
  o->z_rate = DAE__ALLOC(arena, double, face->nz);
  o->derivative = DAE__ALLOC(arena, double, tableau->s + 2);
  return status ? status : dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

static dae_status spark_prepare_dense(dae__spark *o, dae__arena *arena, dae_error *err)
{
  dae__dense_options opts = {.order = o->driver.order,
                             .halves = o->opts.step == 0,
                             .fixed = o->opts.step > 0,
                             .rtol = o->opts.rtol,
                             .atol = o->opts.atol};
  return dae__dense_create(arena, &opts, &o->body, &o->stages, &o->dense, err);
}

static void spark_prepare_driver(dae__spark *o, const dae_env *env)
{
  const dae_spark_options *opts = &o->opts;
  bool doubling = opts->estimate == DAE_SPARK_ESTIMATE_DOUBLING;
  int order = o->driver.order;
  o->driver = (dae__driver){.table = &dae__spark_driver,
                            .self = o,
                            .rtol = opts->rtol,
                            .atol = opts->atol,
                            .step = opts->step,
                            .first_step = opts->first_step,
                            .max_step = opts->max_step,
                            .max_failures = opts->max_failures,
                            .bounded = 20,
                            .order = order,
                            .control = dae__controller_defaults(doubling ? order + 1 : o->compared),
                            .env = env,
                            .memory = o->driver.memory};
}

/* Where A is singular, Z of coordinates without mass is not determined at all stages: p_z has to be
 * regular at the start. */
static dae_status spark_check_mass(dae__spark *o, dae__arena *arena, dae_error *err)
{
  const dae__face *face = &o->body.face;
  const dae_pattern *pattern = &face->pattern[DAE__P_Z];
  dae__face_at at = {o->driver.memory->t, o->y, o->z};
  dae__face_parts wanted = {0};
  char name[64] = "";
  int column;
  if (face->matrices)
    return DAE_OK;
  double *values = wanted.of[DAE__P_Z] = DAE__ALLOC(arena, double, dae__pattern_count(pattern));
  if (!values)
    return dae__out_of_memory(err);
  dae_status status = face->table->linearise(face->self, &at, NULL, &wanted, err);
  if (!status)
    status = dae__solver_examine(dae__arena_env(arena), pattern, values, &column, err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  if (column >= 0)
    dae__face_name(face, column, name, sizeof name);
  return dae__fail(err, DAE_ERROR_UNSUPPORTED, "spark-lobatto",
                   "Lobatto IIIA-x-IIIB needs a regular mass matrix; this one is singular%s%s: use "
                   "spark-gauss",
                   name[0] ? " at " : "", name);
}

static dae_status spark_create(dae__spark *o, dae__arena *arena, const dae__spark_recipe *recipe,
                               const dae_problem *problem, const dae_start *start, dae_error *err)
{
  DAE__TRY(spark_prepare(o, arena, problem, recipe->tableau, err));
  o->driver.order = recipe->order;
  DAE__TRY(spark_prepare_dense(o, arena, err));
  dae__spark_prepare_estimate(o);
  spark_prepare_driver(o, dae__arena_env(arena));
  dae__stages_begin(&o->stages, o->state + o->body.face.lambda, o->state + o->body.face.psi);
  dae__driver_reset(&o->driver, start->t);
  *o->t_middle = start->t;
  dae__copy(o->body.size, start->y, o->state);
  dae_status status =
      o->body.table->consistent(o->body.self, start->t, start->fixed, o->state, o->rate, err);
  dae__face_split(&o->body.face, o->state, o->y, o->z);
  if (!status)
    status = spark_check_mass(o, arena, err);
  return dae__start_status(status, err);
}

dae_status dae__spark_step_create(dae__arena *arena, const dae__spark_recipe *recipe,
                                  const dae_problem *problem, const dae_start *start,
                                  dae_spark_tableau *owned, dae_integrator **out, dae_error *err)
{
  dae__spark *o = DAE__ALLOC(arena, dae__spark, 1);
  if (!o)
    return dae__out_of_memory(err);
  o->opts = *recipe->opts;
  dae_status status = spark_create(o, arena, recipe, problem, start, err);
  o->table = spark_verbs;
  o->table.method = recipe->method;
  if (!status && dae__integrator_create(arena, &o->table, o, out))
    status = dae__out_of_memory(err);
  if (status)
    spark_release(o);
  else
    o->owned = owned;
  return status;
}
