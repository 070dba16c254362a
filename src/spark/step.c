/* One SPARK step after the other.
 *
 *   predict -> modified Newton -> error estimate -> project -> take over, choose the step
 *
 * With variable steps the estimate compares the derivative at the start of the step with that of
 * the polynomial of degree s through the start and the stages,
 *
 *   err = gamma0 h (u'(t0) - U'(t0)),   u = (y, z),   gamma0 = |det A|^(1/s):
 *
 * O(h^(s+1)), while the step itself is in error by O(h^(2s+1)). The tolerance is therefore mapped,
 * 0.1 tol^((s+1)/(2s)), which makes the error of the step follow tol (the estimate E of
 * [spark.md B7] vanishes for problems without g, since the polynomial then is that of a
 * collocation method). The iteration goes as far as the tolerance asks, and the projection cleans
 * the constraints. A fixed step iterates to round-off; then the step itself keeps the constraints,
 * and projection finds nothing to do. */
#include "core/error.h"
#include "core/log.h"
#include "core/vec.h"
#include "problem/consistent.h"
#include "spark/spark.h"
#include "spark/stages.h"
#include "step/controller.h"
#include "step/integrator.h"
#include "step/norm.h"
#include <float.h>

#define GOAL 0.02      /* part of the tolerance that the iteration may leave */
#define MOST 30        /* iterations of a variable step, */
#define MOST_FIXED 200 /* and of a fixed one, which cannot be made smaller */

typedef struct spark_memory {
  double t, t_previous;
  double h; /* to try */
  bool started;
  double t_origin; /* fixed steps */
  long done;
  dae__controller controller;
  dae_stats stats;
} spark_memory;

typedef struct spark {
  dae_spark_options opts;
  dae__mech *m;
  dae__motion *motion, *shown;
  dae__spark_transform transform;
  dae__stages stages;
  spark_memory *memory; /* kept */
  double *state, *rate; /* kept: where the motion stands */
  double *y, *z;        /* the same as SPARK sees it */
  double *y_weight, *z_weight;
  double *y_rate, *z_rate, *shown_state;
  double *derivative; /* s + 1 weights */
  double gamma0, map; /* map: factor of the tolerances for the estimate */
  int order;
  dae_spark_tableau *owned; /* NULL: the tableau is the user's */
  const dae_env *env;
  dae__integrator_table table;
} spark;

/* ---- between the two views of a state ---- */

static void split(const spark *o, const double *state, double *y, double *z)
{
  const dae__mech *m = o->m;
  dae__copy(m->nq, state, y);
  dae__copy(m->nu, state + m->at.u, y + m->nq);
  dae__copy(m->nq, state + m->at.v, z);
}

static void join(const spark *o, const double *y, const double *z, double *state)
{
  const dae__mech *m = o->m;
  dae__copy(m->nq, y, state);
  dae__copy(m->nu, y + m->nq, state + m->at.u);
  dae__copy(m->nq, z, state + m->at.v);
}

/* |det A|^(1/s), from one eigenvalue of each pair */
static double mean_eigenvalue(const dae__spark_transform *tr)
{
  double sum = tr->blocks ? 0 : -tr->s * log(tr->s + 1.0); /* not known: about right */
  for (int i = 0; i < tr->blocks; i++)
    sum += (i < tr->reals ? 1 : 2) * log(cabs(tr->mu[i]));
  return exp(sum / tr->s);
}

/* ---- one attempt ---- */

/* weights of the iteration: the tolerance, or with a fixed step the size of the motion */
static void weigh(spark *o)
{
  const dae__face *c = &o->stages.face;
  bool fixed = o->opts.step > 0;
  double rtol = fixed ? 0 : o->opts.rtol, atol = fixed ? 1 : o->opts.atol;
  if (fixed)
    atol += dae__max_abs(c->nz, o->z);
  dae__weights(c->ny, rtol, atol, o->y, o->y_weight);
  dae__weights(c->nz, rtol, atol, o->z, o->z_weight);
}

/* weights of u0 and the stages in the derivative at the start of the step, times h */
static void derivative_weights(const dae_spark_tableau *T, double *d)
{
  int s = T->s;
  d[0] = 0;
  for (int i = 1; i <= s; i++) {
    d[i] = 1 / T->c[i - 1]; /* l_i'(0) = 1/c_i prod c_j / (c_j - c_i) */
    for (int j = 1; j <= s; j++)
      if (j != i)
        d[i] *= T->c[j - 1] / (T->c[j - 1] - T->c[i - 1]);
    d[0] -= d[i]; /* constants have no derivative */
  }
}

/* square sum of h (u'(t0) - U'(t0)) relative to the weights */
static double missed(spark *o, int n, const double *values, const double *rate,
                     const double *weight)
{
  double sum = 0;
  for (int k = 0; k < n; k++) {
    double e = o->stages.h * rate[k];
    for (int i = 0; i <= o->stages.s; i++)
      e -= o->derivative[i] * values[i * n + k];
    sum += pow(e / weight[k], 2);
  }
  return sum;
}

static double estimate(spark *o)
{
  const dae__face *c = &o->stages.face;
  split(o, o->rate, o->y_rate, o->z_rate);
  double sum = missed(o, c->ny, o->stages.now.Y, o->y_rate, o->y_weight) +
               missed(o, c->nz, o->stages.now.Z, o->z_rate, o->z_weight);
  return o->gamma0 / o->map * sqrt(sum / (c->ny + c->nz));
}

/* changes that round-off makes, relative to the weights: Z takes part in g/h */
static double noise(const spark *o, double h)
{
  const dae__face *c = &o->stages.face;
  double least = INFINITY;
  for (int i = 0; i < c->nz; i++)
    least = fmin(least, o->z_weight[i]);
  double size = dae__max_abs(c->nz, o->z) + dae__max_abs(c->ny, o->y) / h;
  return c->nz > 0 ? 4 * DBL_EPSILON * size / least : 0;
}

static dae_status solve(spark *o, double h, dae_error *err)
{
  bool fixed = o->opts.step > 0;
  weigh(o);
  double floor = fixed ? 0 : noise(o, h);
  dae__stages_goal goal = {.y_weight = o->y_weight,
                           .z_weight = o->z_weight,
                           .goal = fixed ? DBL_EPSILON / 4 : fmax(GOAL, floor),
                           .bearable = fixed ? 1e-10 : fmax(0.3, 10 * floor),
                           .most = fixed ? MOST_FIXED : MOST};
  return dae__stages_solve(&o->stages, o->memory->t, h, o->y, o->z, &goal, err);
}

/* the state at the end of the step that was solved, projected */
static dae_status take_over(spark *o, double t, dae_error *err)
{
  dae__stages *st = &o->stages;
  int last = st->s + 1, ny = st->face.ny, nz = st->face.nz;
  double *y1 = st->now.Y + (size_t)last * (size_t)ny, *z1 = st->now.Z + (size_t)last * (size_t)nz;
  join(o, y1, z1, o->shown_state);
  if (o->opts.project) {
    dae_status status =
        dae__motion_project(o->motion, t, o->shown_state, o->shown_state + o->m->at.v, NULL, err);
    if (status)
      return status;
    split(o, o->shown_state, y1, z1);
  }
  if (!(o->opts.step > 0)) { /* the next estimate starts from the derivative */
    dae_status status = dae__motion_accelerate(o->motion, t, o->shown_state, o->rate, err);
    if (status)
      return status;
  }
  dae__stages_accept(st);
  dae__copy(o->m->at.size, o->shown_state, o->state);
  split(o, o->state, o->y, o->z);
  o->memory->t_previous = o->memory->t;
  o->memory->t = t;
  o->memory->stats.steps++;
  return DAE_OK;
}

static dae_status give_up(const spark *o, double h, const dae_error *why, const char *hint,
                          dae_error *err)
{
  bool own = why->status == DAE_ERROR_CALLBACK || why->status == DAE_ERROR_MEMORY;
  dae_status status = own ? why->status : DAE_ERROR_STEP;
  dae__fail(err, status, why->equation[0] ? why->equation : NULL,
            "the integration stops at t = %.10g with step size %.3g: %s%s", o->memory->t, h,
            why->text, hint);
  dae__fail_at(err, o->memory->t, h);
  return status;
}

/* the step size has shrunk, or the error test fails: names the variable that changes fastest */
static void name_fastest(const spark *o, dae_error *why)
{
  const dae__mech *m = o->m;
  char name[64];
  int fastest = 0;
  double most = -1;
  for (int i = 0; i < m->at.w; i++) {
    double rate = fabs(o->rate[i]) / (o->opts.rtol * fabs(o->state[i]) + o->opts.atol);
    if (!(rate <= most))
      most = rate, fastest = i;
  }
  dae_problem_variable(&(dae_problem){.mechanical = m->p}, fastest, name, sizeof name);
  dae__fail(why, DAE_ERROR_STEP, name,
            "the step size has shrunk to round-off, or the error test fails at every one: the "
            "motion may have a singularity here or be discontinuous, fastest in %s",
            name);
}

static bool can_retry(dae_status status)
{
  return status == DAE_ERROR_RECOVERABLE || status == DAE_ERROR_SINGULAR ||
         status == DAE_ERROR_STEP;
}

/* ---- steps ---- */

static dae_status fixed_step(spark *o, double t_stop, dae_error *err)
{
  spark_memory *m = o->memory;
  dae_error why = dae_error_none();
  double t = m->t_origin + (double)(m->done + 1) * o->opts.step;
  bool whole = t_stop - t > -1e-9 * o->opts.step;
  t = fabs(t_stop - t) <= 1e-9 * o->opts.step || !whole ? t_stop : t;
  dae_status status = solve(o, t - m->t, &why);
  if (!status)
    status = take_over(o, t, &why);
  if (status)
    return give_up(o, o->opts.step, &why, "; the step is fixed, try a smaller one", err);
  m->done += whole;
  return DAE_OK;
}

/* one attempt at a step that ends at t; the size to try next is chosen. DAE_ERROR_STEP: its error
 * is too large, or it does not converge */
static dae_status attempt(spark *o, double h, double t, dae_error *why)
{
  spark_memory *m = o->memory;
  double next = h;
  dae_status status = solve(o, h, why);
  double error = status ? NAN : estimate(o);
  bool good = !status && dae__controller_judge(&m->controller, h, error, &next);
  if (good)
    status = take_over(o, t, why);
  else if (!status)
    name_fastest(o, why);
  dae__log(o->env, DAE_LOG_DEBUG, "t = %.10g, h = %.3g: %s, error %.3g", t, h,
           status ? why->text
           : good ? "accepted"
                  : "error too large",
           error);
  if (status) {
    m->stats.rejected_by_convergence += status != DAE_ERROR_RECOVERABLE;
    m->stats.rejected_by_callback += status == DAE_ERROR_RECOVERABLE;
    m->h = dae__controller_failed(&m->controller, h, 0.4);
    return status;
  }
  m->stats.rejected_by_error += !good;
  m->h = next;
  return good ? DAE_OK : DAE_ERROR_STEP;
}

static dae_status variable_step(spark *o, double t_stop, dae_error *err)
{
  spark_memory *m = o->memory;
  dae_error why = dae_error_none();
  for (int failures = 0; failures < o->opts.max_failures; failures++) {
    double planned = m->h;
    bool last = m->t + planned * (1 + 1e-10) >= t_stop;
    double h = last ? t_stop - m->t : planned;
    if (h < 4 * DBL_EPSILON * fmax(fabs(m->t), fabs(t_stop)) && !last) {
      name_fastest(o, &why);
      break;
    }
    dae_status status = attempt(o, h, last ? t_stop : m->t + h, &why);
    if (!status && last) /* it was cut short */
      m->h = fmax(m->h, planned);
    if (!status)
      return DAE_OK;
    if (!can_retry(status))
      return give_up(o, h, &why, "", err);
  }
  return give_up(o, m->h, &why, "", err);
}

/* ---- starting ---- */

/* h |y'| is to be a small part of the size of the motion; the estimate corrects it */
static double first_step(const spark *o, double t_stop)
{
  const dae__mech *m = o->m;
  double rate = DBL_MIN;
  if (o->opts.first_step > 0)
    return fmin(o->opts.first_step, t_stop - o->memory->t);
  for (int i = 0; i < m->at.w; i++) {
    double scale = fabs(o->state[i]) + o->opts.atol / o->opts.rtol;
    rate = fmax(rate, fabs(o->rate[i]) / scale);
  }
  return fmin(pow(o->opts.rtol, 1.0 / (o->order + 1)) / rate, 0.1 * (t_stop - o->memory->t));
}

static void begin(spark *o, double t_stop)
{
  const dae__mech *m = o->m;
  dae__controller_options control = dae__controller_defaults(o->stages.s + 1);
  control.max_step = o->opts.max_step;
  split(o, o->state, o->y, o->z);
  dae__stages_begin(&o->stages, o->state + m->at.lambda, o->state + m->at.psi);
  dae__controller_reset(&o->memory->controller, &control);
  o->memory->h = first_step(o, t_stop);
  o->memory->t_origin = o->memory->t;
  o->memory->done = 0;
  o->memory->started = true;
}

/* ---- the verbs ---- */

static dae_status step(void *self, double t_stop, dae_error *err)
{
  spark *o = self;
  if (!o->memory->started)
    begin(o, t_stop);
  dae_status status = o->opts.step > 0 ? fixed_step(o, t_stop, err) : variable_step(o, t_stop, err);
  return status ? status : o->memory->t >= t_stop ? DAE_END : DAE_OK;
}

static dae_view view(const void *self)
{
  const spark *o = self;
  return (dae_view){.t = o->memory->t,
                    .t_previous = o->memory->t_previous,
                    .h_next = o->opts.step > 0 ? o->opts.step : o->memory->h,
                    .order = o->memory->started ? o->order : 0,
                    .size = o->m->at.size};
}

static void glance(void *self, double t, double *y)
{
  spark *o = self;
  const spark_memory *m = o->memory;
  dae__copy(o->m->at.size, o->state, y);
  if (m->t_previous == m->t || t == m->t)
    return;
  dae__stages_interpolate(&o->stages, (t - m->t_previous) / (m->t - m->t_previous), o->stages.Yt,
                          o->stages.x);
  join(o, o->stages.Yt, o->stages.x, y);
}

static dae_status interpolate(void *self, double t, double *y, double *dy, dae_error *err)
{
  spark *o = self;
  dae_status status = DAE_OK;
  dae_error why = dae_error_none();
  glance(self, t, y);
  if (o->opts.project)
    status = dae__motion_project(o->shown, t, y, y + o->m->at.v, NULL, &why);
  if (!status)
    status = dae__motion_accelerate(o->shown, t, y, dy, &why);
  if (!status)
    return DAE_OK;
  status = can_retry(status) ? DAE_ERROR_STEP : status;
  dae__fail(err, status, why.equation[0] ? why.equation : NULL,
            "the state at t = %.10g cannot be shown: %s", t, why.text);
  dae__fail_at(err, t, o->memory->h);
  return status;
}

static dae_status restart(void *self, double t, const double *y, dae_error *err)
{
  spark *o = self;
  dae__copy(o->m->at.size, y, o->shown_state);
  dae_status status = dae__mech_consistent(o->motion, t, NULL, o->shown_state, o->rate, NULL, err);
  if (!status)
    status = dae__motion_follow(o->shown, err);
  if (status)
    return status;
  dae__copy(o->m->at.size, o->shown_state, o->state);
  o->memory->t = o->memory->t_previous = t;
  o->memory->started = false;
  o->memory->stats.restarts++;
  return DAE_OK;
}

static dae_stats stats(const void *self)
{
  const spark *o = self;
  dae_stats s = o->memory->stats;
  s.evaluations += o->m->count->evaluations;
  s.iterations += o->stages.memory->iterations;
  s.jacobians += o->stages.memory->jacobians;
  s.factorisations += o->stages.memory->factorisations + o->motion->memory->factorisations +
                      o->shown->memory->factorisations;
  s.projections += o->motion->memory->projections;
  s.richer += o->stages.memory->rich_steps;
  return s;
}

static dae_status reload(void *self, dae_error *err)
{
  spark *o = self;
  split(o, o->state, o->y, o->z);
  dae_status status = dae__motion_reload(o->motion);
  if (!status)
    status = dae__motion_reload(o->shown);
  if (!status && o->stages.memory->factorisations > 0)
    status = o->stages.face.table->reload(o->stages.face.self, o->stages.memory->enriched);
  return status ? dae__fail(err, status, NULL, "the factorisation could not be rebuilt") : DAE_OK;
}

static void release(void *self)
{
  spark *o = self;
  dae__motion_free(o->motion);
  dae__motion_free(o->shown);
  if (o->stages.face.table)
    o->stages.face.table->free(o->stages.face.self);
  dae_spark_tableau_free(o->owned);
}

static const dae__integrator_table verbs = {.step = step,
                                            .view = view,
                                            .interpolate = interpolate,
                                            .glance = glance,
                                            .restart = restart,
                                            .stats = stats,
                                            .reload = reload,
                                            .free = release};

/* ---- creation ---- */

static dae_status prepare(spark *o, dae__arena *arena, const dae_problem *problem,
                          const dae_spark_tableau *tableau, dae_error *err)
{
  dae__face face = {0};
  dae_status status = dae__mech_create(arena, problem, &o->m, err);
  if (!status)
    status = dae__motion_create(arena, o->m, &o->motion, err);
  if (!status)
    status = dae__motion_create(arena, o->m, &o->shown, err);
  if (status)
    return status;
  dae__spark_transform_create(arena, tableau, &o->transform);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  status = dae__face_mechanical(arena, o->m, o->transform.blocks, &face, err);
  if (status)
    return status;
  status = dae__stages_create(arena, tableau, &o->transform, &face, &o->stages, err);
  o->stages.face = face; /* to be freed */
  o->memory = DAE__KEEP(arena, spark_memory, 1);
  o->state = DAE__KEEP(arena, double, o->m->at.size);
  o->rate = DAE__KEEP(arena, double, o->m->at.size);
  o->shown_state = DAE__TAKE(arena, double, o->m->at.size);
  o->y = DAE__TAKE(arena, double, face.ny);
  o->z = DAE__TAKE(arena, double, face.nz);
  o->y_weight = DAE__TAKE(arena, double, face.ny);
  o->z_weight = DAE__TAKE(arena, double, face.nz);
  o->y_rate = DAE__TAKE(arena, double, face.ny);
  o->z_rate = DAE__TAKE(arena, double, face.nz);
  o->derivative = DAE__TAKE(arena, double, tableau->s + 1);
  return status ? status : dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

static dae_status create(spark *o, dae__arena *arena, const dae__spark_recipe *recipe,
                         const dae_problem *problem, const dae_start *start, dae_error *err)
{
  dae_status status = prepare(o, arena, problem, recipe->tableau, err);
  if (status)
    return status;
  int s = recipe->tableau->s;
  o->env = dae__arena_env(arena);
  o->order = recipe->order;
  o->map = 0.1 * pow(o->opts.rtol, (s + 1.0) / (2 * s) - 1);
  o->gamma0 = mean_eigenvalue(&o->transform);
  derivative_weights(recipe->tableau, o->derivative);
  o->memory->t = o->memory->t_previous = start->t;
  dae__copy(o->m->at.size, start->y, o->state);
  status = dae__mech_consistent(o->motion, start->t, start->fixed, o->state, o->rate, NULL, err);
  if (!status)
    status = dae__motion_follow(o->shown, err);
  split(o, o->state, o->y, o->z);
  return dae__start_status(status, err);
}

dae_status dae__spark_step_create(dae__arena *arena, const dae__spark_recipe *recipe,
                                  const dae_problem *problem, const dae_start *start,
                                  dae_spark_tableau *owned, dae_integrator **out, dae_error *err)
{
  spark *o = DAE__TAKE(arena, spark, 1);
  if (!o)
    return dae__out_of_memory(err);
  o->opts = *recipe->opts;
  dae_status status = create(o, arena, recipe, problem, start, err);
  o->table = verbs;
  o->table.method = recipe->method;
  if (!status && dae__integrator_create(arena, &o->table, o, out))
    status = dae__out_of_memory(err);
  if (status)
    release(o);
  else
    o->owned = owned;
  return status;
}
