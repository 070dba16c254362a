/* Verbs of a SPARK integrator, and its creation. */
#include "core/error.h"
#include "core/vec.h"
#include "linalg/solver.h"
#include "onestep/spark/step.h"
#include "problem/consistent.h"

/* Steps for which sizes at which the iteration failed are not tried. Chosen, not measured. */
#define BOUNDED_STEPS 20

/* ---- dense output ---- */

/* the last step, or the half of it that contains t */
static dae__spark_dense_step spark_dense_step_at(const dae__spark *o, double t)
{
  const dae__driver_memory *m = o->driver.memory;
  double middle = *o->t_middle;
  bool halves = middle > m->t_previous, first = halves && t < middle, second = halves && !first;
  double from = second ? middle : m->t_previous, to = first ? middle : m->t;
  return (dae__spark_dense_step){.number = m->stats.steps,
                                 .first_half = first,
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
  dae__copy(o->adapter.size, o->state, y);
  if (m->t_previous == m->t || t == m->t)
    return;
  dae__spark_dense_step step = spark_dense_step_at(o, t);
  dae__spark_dense_eval(&o->dense, &step, t, o->stages.Yt, o->stages.x);
  dae__spark_adapter_join(&o->adapter, o->stages.Yt, o->stages.x, y);
}

/* the state within the last step, projected, with its multipliers */
static dae_status spark_dense_output(dae__spark *o, bool refined, double t, double *y, double *dy,
                                     dae_error *err)
{
  const dae__spark_adapter *a = &o->adapter;
  dae_error why = dae_error_none();
  dae_status status = DAE_OK;
  if (t == o->driver.memory->t) { /* projected, with its multipliers, at acceptance */
    dae__copy(a->size, o->state, y);
    if (dy)
      dae__copy(a->size, o->rate, dy);
    return DAE_OK;
  }
  dae__spark_dense_step step = spark_dense_step_at(o, t);
  if (refined && t > step.t)
    status = dae__spark_dense_refine(&o->dense, &step, &why);
  if (status && !dae__driver_can_retry(status))
    return dae__driver_dense_output_failed(&o->driver, t, status, &why, err);
  spark_interpolate_raw(o, t, y);
  if (dy)
    dae__zero(a->size, dy); /* multipliers have no derivative */
  status = o->opts.project ? a->states->project(a->self, true, t, y, &why) : DAE_OK;
  if (!status)
    status = a->states->accelerate(a->self, true, t, y, dy, &why);
  return status ? dae__driver_dense_output_failed(&o->driver, t, status, &why, err) : DAE_OK;
}

static dae_status spark_interpolate(void *self, double t, double *y, double *dy, dae_error *err)
{
  return spark_dense_output(self, true, t, y, dy, err);
}

static dae_status spark_interpolate_unprojected(void *self, double t, double *y, dae_error *err)
{
  return spark_dense_output(self, false, t, y, NULL, err);
}

/* ---- other verbs ---- */

static dae_status spark_step(void *self, double t_stop, dae_error *err)
{
  return dae__driver_step(&((dae__spark *)self)->driver, t_stop, err);
}

static dae_view spark_view(const void *self)
{
  const dae__spark *o = self;
  return dae__driver_view(&o->driver, o->adapter.size);
}

static dae_status spark_restart(void *self, double t, const double *y, dae_error *err)
{
  dae__spark *o = self;
  const dae__spark_adapter *a = &o->adapter;
  dae__copy(a->size, y, o->new_state);
  dae__copy(a->size, o->rate, o->new_rate);
  DAE__TRY(a->states->consistent(a->self, t, NULL, o->new_state, o->new_rate, err));
  dae__copy(a->size, o->new_state, o->state);
  dae__copy(a->size, o->new_rate, o->rate);
  dae__driver_reset(&o->driver, t);
  *o->t_middle = t;
  o->driver.memory->stats.restarts++;
  return DAE_OK;
}

static dae_status spark_adjust(void *self, const double *y, dae_error *err)
{
  dae__spark *o = self;
  const dae__spark_adapter *a = &o->adapter;
  double t = o->driver.memory->t;
  dae__copy(a->size, y, o->new_state);
  dae__copy(a->size, o->rate, o->new_rate);
  DAE__TRY(a->states->accelerate(a->self, false, t, o->new_state, o->new_rate, err));
  dae__copy(a->size, o->new_state, o->state);
  dae__copy(a->size, o->new_rate, o->rate);
  dae__spark_adapter_split(a, o->state, o->y, o->z);
  return DAE_OK;
}

static dae_stats spark_stats(const void *self)
{
  const dae__spark *o = self;
  const dae__stages_memory *m = o->stages.memory;
  dae_stats s = o->driver.memory->stats;
  o->adapter.states->count(o->adapter.self, &s);
  s.iterations += m->iterations;
  s.jacobians += m->jacobians;
  s.factorisations += m->factorisations;
  s.decoupled += m->steps[DAE__STAGES_DECOUPLED];
  s.full += m->steps[DAE__STAGES_FULL];
  return s;
}

static dae_status spark_reload(void *self, dae_error *err)
{
  dae__spark *o = self;
  dae__spark_adapter_split(&o->adapter, o->state, o->y, o->z);
  dae_status status = dae__stages_reload(&o->stages);
  return status ? dae__fail(err, status, NULL, "the factorisation could not be rebuilt") : DAE_OK;
}

static void spark_release(void *self)
{
  dae__spark *o = self;
  dae__stages_free(&o->stages);
  if (o->adapter.states)
    o->adapter.states->free(o->adapter.self);
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

/* adapter, stages, memory and dense output */
static dae_status spark_prepare(dae__spark *o, dae__arena *arena, const dae_problem *problem,
                                const dae__spark_descriptor *descriptor, dae_error *err)
{
  const dae_spark_tableau *tableau = descriptor->tableau;
  bool regular = tableau->nt > tableau->s; /* otherwise A is singular: no transformation exists */
  if (regular)
    dae__spark_transform_create(arena, tableau, &o->transform);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae__spark_needs needs = {.matrices = regular, .blocks = o->transform.blocks};
  DAE__TRY(problem->mechanical
               ? dae__spark_adapter_mechanical(arena, problem, &needs, &o->adapter, err)
               : dae__spark_adapter_momentum(arena, problem, &needs, &o->adapter, err));
  DAE__TRY(dae__stages_create(arena, tableau, regular ? &o->transform : NULL, &o->adapter,
                              &o->stages, err));
  const dae__spark_adapter *a = &o->adapter;
  o->driver.memory = DAE__STATE(arena, dae__driver_memory, 1);
  o->t_middle = DAE__STATE(arena, double, 1);
  o->calibration = DAE__STATE(arena, dae__spark_calibration, 1);
  o->state = DAE__STATE(arena, double, a->size);
  o->rate = DAE__STATE(arena, double, a->size);
  o->previous_rate = DAE__STATE(arena, double, a->size);
  o->middle_rate = DAE__STATE(arena, double, a->size);
  o->new_state = DAE__ALLOC(arena, double, a->size);
  o->new_rate = DAE__ALLOC(arena, double, a->size);
  double **of_y[] = {&o->y, &o->y_middle, &o->y_whole, &o->y_weight, &o->y_rate};
  double **of_z[] = {&o->z, &o->z_middle, &o->z_whole, &o->z_weight, &o->z_rate};
  for (int i = 0; i < 5; i++) {
    *of_y[i] = DAE__ALLOC(arena, double, a->ny);
    *of_z[i] = DAE__ALLOC(arena, double, a->nz);
  }
  o->estimate_weights = DAE__ALLOC(arena, double, tableau->s + 2);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae__spark_dense_options dense = {.order = descriptor->order,
                                    .halves = o->opts.step == 0,
                                    .fixed = o->opts.step > 0,
                                    .rtol = o->opts.rtol,
                                    .atol = o->opts.atol};
  return dae__spark_dense_create(arena, &dense, &o->adapter, &o->stages, &o->dense, err);
}

static void spark_prepare_driver(dae__spark *o, int order, const dae_env *env)
{
  const dae_spark_options *opts = &o->opts;
  bool doubling = opts->estimate == DAE_SPARK_ESTIMATE_DOUBLING;
  o->driver = (dae__driver){.table = &dae__spark_driver,
                            .self = o,
                            .rtol = opts->rtol,
                            .atol = opts->atol,
                            .step = opts->step,
                            .first_step = opts->first_step,
                            .max_step = opts->max_step,
                            .max_failures = opts->max_failures,
                            .bounded = BOUNDED_STEPS,
                            .order = order,
                            .env = env,
                            .memory = o->driver.memory};
  dae__spark_prepare_estimate(o);
  o->driver.control = dae__controller_defaults(doubling ? order + 1 : o->estimate_nodes);
}

/* Where A is singular, Z of coordinates without mass is not determined at all stages: p_z has to be
 * regular at the start. */
static dae_status spark_check_mass(dae__spark *o, dae__arena *arena, dae_error *err)
{
  const dae__spark_adapter *a = &o->adapter;
  const dae_pattern *pattern = &a->pattern[DAE__P_Z];
  dae_momentum_at at = {o->driver.memory->t, o->y, o->z};
  dae__spark_derivatives wanted = {0};
  char name[64] = "";
  int column;
  if (a->matrices)
    return DAE_OK;
  double *values = wanted.of[DAE__P_Z] = DAE__ALLOC(arena, double, dae__pattern_count(pattern));
  if (!values)
    return dae__out_of_memory(err);
  DAE__TRY(a->table->linearise(a->self, &at, NULL, &wanted, err));
  dae_status status = dae__solver_examine(dae__arena_env(arena), pattern, values, &column, err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  if (column >= 0)
    dae__spark_adapter_name(a, column, name, sizeof name);
  return dae__fail(err, DAE_ERROR_UNSUPPORTED, "spark-lobatto",
                   "Lobatto IIIA-x-IIIB needs a regular mass matrix; this one is singular%s%s: use "
                   "spark-gauss",
                   name[0] ? " at " : "", name);
}

static dae_status spark_start(dae__spark *o, dae__arena *arena, const dae_start *start,
                              dae_error *err)
{
  const dae__spark_adapter *a = &o->adapter;
  dae__stages_reset(&o->stages, o->state + a->lambda, o->state + a->psi);
  dae__driver_reset(&o->driver, start->t);
  *o->t_middle = start->t;
  dae__copy(a->size, start->y, o->state);
  dae_status status =
      a->states->consistent(a->self, start->t, start->fixed, o->state, o->rate, err);
  dae__spark_adapter_split(a, o->state, o->y, o->z);
  if (!status)
    status = spark_check_mass(o, arena, err);
  return dae__start_status(status, err);
}

dae_status dae__spark_integrator_create(dae__arena *arena, const dae__spark_descriptor *descriptor,
                                        const dae_problem *problem, const dae_start *start,
                                        dae_spark_tableau *owned, dae_integrator **out,
                                        dae_error *err)
{
  dae__spark *o = DAE__ALLOC(arena, dae__spark, 1);
  if (!o)
    return dae__out_of_memory(err);
  o->opts = *descriptor->opts;
  o->table = spark_verbs;
  o->table.method = descriptor->method;
  dae_status status = spark_prepare(o, arena, problem, descriptor, err);
  if (!status) {
    spark_prepare_driver(o, descriptor->order, dae__arena_env(arena));
    status = spark_start(o, arena, start, err);
  }
  if (!status && dae__integrator_create(arena, &o->table, o, out))
    status = dae__out_of_memory(err);
  if (status)
    spark_release(o);
  else
    o->owned = owned;
  return status;
}
