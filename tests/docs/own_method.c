/* RATTLE [HLW06 VII.1.4] for mechanics with a constant mass matrix and holonomic constraints, of
 * order 2, symmetric, and symplectic where the forces come from a potential.
 *
 *   M (v_half - v0) = h/2 (f(t0,q0,v0) - G(q0)' l),    q1 = q0 + h v_half,   0 = g(t1,q1)
 *   M (v1 - v_half) = h/2 (f(t1,q1,v1) - G(q1)' m),    0 = g_t + G v1 at (t1,q1)
 *
 * Unknowns are q1, v_half and l, then v1 and m. Accelerations that obey the constraints,
 * M a = f - G' lambda, G a = -gamma, are a good first guess of both force terms: l = lambda(t0),
 * m = lambda(t1). What is left is moved along G(q0)', with the saddle matrix [M G'; G 0] of the
 * beginning of the step, and along G(q1)'. Forces that depend on v1 are iterated. */
#include "own_method.h"

#include "core/error.h"
#include "core/vec.h"
#include "problem/consistent.h"
#include "step/assembled.h"
#include "step/driver.h"
#include "step/integrator.h"

#include <float.h>

/* ---- options ---- */

static const dae_option options[] = {
    {.name = "step",
     .type = DAE_OPTION_DOUBLE,
     .offset = offsetof(own_rattle_options, step),
     .max = INFINITY,
     .help = "fixed step size"},
    {.name = "max_iterations",
     .type = DAE_OPTION_INT,
     .offset = offsetof(own_rattle_options, max_iterations),
     .min = 1,
     .max = 1000,
     .help = "iterations of each of the two solves of a step"},
};

const dae_option_table own_rattle_option_table = {
    .owner = "rattle", .options = options, .count = sizeof options / sizeof *options};

own_rattle_options own_rattle_defaults(void)
{
  return (own_rattle_options){.max_iterations = 50};
}

/* ---- memory ---- */

/* a state vector (q, v, lambda) and its derivative (v, a, 0) */
typedef struct point {
  double *y, *dy;
} point;

typedef struct rattle {
  own_rattle_options opts;
  const dae_problem *problem;
  dae__mech *m;
  dae__motion *motion, *shown; /* of the steps; of states between their ends */
  dae__driver driver;
  point now, previous;  /* kept: the ends of the last step */
  point next;           /* the step that is attempted */
  double *v_half;       /* nq */
  double *top, *bottom; /* nq, ng: right sides of the saddle system */
  long *iterations;     /* kept */
} rattle;

/* ---- one step ---- */

/* q1 = q0 + h v_half onto g, by moving v_half along G(q0)' */
static dae_status drift(rattle *o, double t, double h, dae_error *err)
{
  const dae__mech *m = o->m;
  double *q = o->next.y, size = dae__max_abs(m->nq, o->now.y) + h * dae__max_abs(m->nq, o->v_half);
  for (int i = 0; i < o->opts.max_iterations; i++) {
    dae__copy(m->nq, o->now.y, q);
    dae__axpy(m->nq, h, o->v_half, q);
    dae_mechanical_at at = dae__mech_at(m, t, o->next.y);
    dae_status status = dae__mech_g(o->m, &at, o->bottom, err);
    if (status)
      return status;
    dae__zero(m->nq, o->top);
    dae__scale(m->ng, -1 / h, o->bottom);
    dae__saddle_solve(o->motion->saddle, o->top, o->bottom); /* M x + G'y = 0, G x = -g/h */
    dae__axpy(m->nq, 1, o->top, o->v_half);
    ++*o->iterations;
    if (h * dae__max_abs(m->nq, o->top) <= 4 * DBL_EPSILON * size)
      return DAE_OK;
  }
  return dae__fail(err, DAE_ERROR_STEP, NULL, "the positions do not come onto the constraints");
}

/* v1, with the acceleration and the multipliers that belong to it */
static dae_status kick(rattle *o, double t, double h, dae_error *err)
{
  const dae__mech *m = o->m;
  double *q = o->next.y, *v = q + m->at.v, *a = o->next.dy + m->at.v, *v_new = o->top;
  for (int i = 0; i < o->opts.max_iterations; i++) {
    dae_status status = dae__motion_accelerate(o->motion, t, o->next.y, o->next.dy, err);
    if (status)
      return status;
    dae__copy(m->nq, o->v_half, v_new);
    dae__axpy(m->nq, h / 2, a, v_new);
    status = dae__motion_project_velocity(o->motion, t, q, v_new, err);
    if (status)
      return status;
    double change = 0;
    for (int j = 0; j < m->nq; j++)
      change = fmax(change, fabs(v_new[j] - v[j]));
    dae__copy(m->nq, v_new, v);
    ++*o->iterations;
    if (change <= 1e-14 * (dae__max_abs(m->nq, v) + h * dae__max_abs(m->nq, a)))
      return DAE_OK;
  }
  return dae__fail(err, DAE_ERROR_STEP, NULL,
                   "the velocities do not converge: forces that depend on them are too stiff");
}

static dae_status attempt(void *self, double h, double *error, dae_error *err)
{
  rattle *o = self;
  const dae__mech *m = o->m;
  double t = o->driver.memory->t + h, *v = o->next.y + m->at.v;
  const double *a = o->now.dy + m->at.v;
  *error = 0; /* of variable steps, which this method has not */
  dae__copy(m->at.size, o->now.y, o->next.y);
  dae__copy(m->nq, o->now.y + m->at.v, o->v_half);
  dae__axpy(m->nq, h / 2, a, o->v_half);
  dae_status status = drift(o, t, h, err);
  if (status)
    return status;
  dae__copy(m->nq, o->v_half, v);
  dae__axpy(m->nq, h / 2, a, v);
  status = kick(o, t, h, err);
  if (!status)
    status = dae__motion_check_dependent(o->motion, t, o->next.y, v, err);
  if (status) /* the factors are those of the beginning again */
    (void)dae__motion_accelerate(o->motion, o->driver.memory->t, o->now.y, o->now.dy, NULL);
  return status;
}

static dae_status accept(void *self, double t, dae_error *err)
{
  rattle *o = self;
  const dae__mech *m = o->m;
  const double *y = o->next.y;
  (void)t, (void)err;
  dae__copy(m->nq, y + m->at.v, o->next.dy);
  dae__copy(m->at.size, o->now.y, o->previous.y);
  dae__copy(m->at.size, o->now.dy, o->previous.dy);
  dae__copy(m->at.size, y, o->now.y);
  dae__copy(m->at.size, o->next.dy, o->now.dy);
  return DAE_OK;
}

static void begin(void *self)
{
  (void)self; /* there is no history to forget */
}

static double rate(const void *self, double rtol, double atol, char *name, size_t size)
{
  const rattle *o = self;
  double most = 0;
  int fastest = 0;
  for (int i = 0; i < o->m->at.lambda; i++) {
    double r = fabs(o->now.dy[i]) / (rtol * fabs(o->now.y[i]) + atol);
    if (r > most)
      most = r, fastest = i;
  }
  if (name)
    (void)dae_problem_variable(o->problem, fastest, name, size);
  return most;
}

static const dae__driver_table rattle_driver = {
    .begin = begin, .attempt = attempt, .accept = accept, .rate = rate};

/* ---- the verbs ---- */

static dae_status step(void *self, double t_stop, dae_error *err)
{
  return dae__driver_step(&((rattle *)self)->driver, t_stop, err);
}

static dae_view view(const void *self)
{
  const rattle *o = self;
  return dae__driver_view(&o->driver, o->m->at.size);
}

/* the cubic through positions and velocities at both ends, and its derivative as velocity */
static void between(const rattle *o, double t, double *y)
{
  const dae__driver_memory *k = o->driver.memory;
  int nq = o->m->nq, size = o->m->at.size;
  double h = k->t - k->t_previous, x = (t - k->t_previous) / h;
  const double *a = o->previous.y, *b = o->now.y, *v = a + nq, *w = b + nq;
  for (int i = 0; i < nq; i++) {
    double d = b[i] - a[i];
    y[i] = a[i] + x * x * (3 - 2 * x) * d + h * x * (1 - x) * ((1 - x) * v[i] - x * w[i]);
    y[nq + i] = 6 * x * (1 - x) * d / h + (1 - x) * (1 - 3 * x) * v[i] + x * (3 * x - 2) * w[i];
  }
  for (int i = 2 * nq; i < size; i++)
    y[i] = a[i] + x * (b[i] - a[i]);
}

static dae_status interpolate(void *self, double t, double *y, double *dy, dae_error *err)
{
  rattle *o = self;
  const dae__driver_memory *k = o->driver.memory;
  const point *end = t == k->t ? &o->now : t == k->t_previous ? &o->previous : NULL;
  int size = o->m->at.size;
  dae_error why = dae_error_none();
  if (end) {
    dae__copy(size, end->y, y);
    if (dy)
      dae__copy(size, end->dy, dy);
    return DAE_OK;
  }
  between(o, t, y);
  if (dy)
    dae__zero(size, dy);
  o->shown->memory->factored = false; /* no row depends on those before it */
  dae_status status = dae__motion_project(o->shown, t, y, y + o->m->at.v, NULL, &why);
  if (!status)
    status = dae__motion_accelerate(o->shown, t, y, dy, &why);
  return status ? dae__driver_dense_output_failed(&o->driver, t, status, &why, err) : DAE_OK;
}

/* makes `next` consistent and stands there */
static dae_status stand_at(rattle *o, double t, const bool *fixed, dae_error *err)
{
  int size = o->m->at.size;
  dae__zero(size, o->next.dy);
  dae_status status = dae__mech_consistent(o->motion, t, fixed, o->next.y, o->next.dy, NULL, err);
  if (!status)
    status = dae__motion_reserve_dependent(o->shown, err);
  if (!status) /* once more, for the factors that the first step begins with */
    status = dae__motion_accelerate(o->motion, t, o->next.y, o->next.dy, err);
  if (status)
    return status;
  dae__copy(size, o->next.y, o->now.y);
  dae__copy(size, o->next.dy, o->now.dy);
  dae__driver_reset(&o->driver, t);
  return DAE_OK;
}

static dae_status restart(void *self, double t, const double *y, dae_error *err)
{
  rattle *o = self;
  dae__copy(o->m->at.size, y, o->next.y);
  dae_status status = stand_at(o, t, NULL, err);
  o->driver.memory->stats.restarts += !status;
  return status;
}

static dae_stats stats(const void *self)
{
  const rattle *o = self;
  dae_stats s = o->driver.memory->stats;
  s.evaluations = o->m->count->evaluations;
  s.iterations = *o->iterations;
  s.projections = o->motion->memory->projections;
  s.factorisations = o->motion->memory->factorisations + o->shown->memory->factorisations;
  return s;
}

/* kept memory was loaded: the factors are formed anew from it */
static dae_status reload(void *self, dae_error *err)
{
  rattle *o = self;
  dae_status status = dae__motion_reload(o->motion);
  if (!status)
    status = dae__motion_reload(o->shown);
  return status ? dae__fail(err, status, NULL, "the factorisation could not be rebuilt") : DAE_OK;
}

static void release(void *self)
{
  rattle *o = self;
  dae__motion_free(o->motion);
  dae__motion_free(o->shown);
}

static const dae__integrator_table verbs = {.method = "rattle",
                                            .step = step,
                                            .view = view,
                                            .interpolate = interpolate,
                                            .restart = restart,
                                            .stats = stats,
                                            .reload = reload,
                                            .free = release};

/* ---- creation ---- */

static point keep_point(dae__arena *arena, int size)
{
  return (point){DAE__STATE(arena, double, size), DAE__STATE(arena, double, size)};
}

static dae_status prepare(rattle *o, dae__arena *arena, dae_error *err)
{
  dae_status status = dae__mech_create(arena, o->problem, &o->m, err);
  if (!status)
    status = dae__motion_create(arena, o->m, &o->motion, err);
  if (!status)
    status = dae__motion_create_second(arena, o->motion, &o->shown, err);
  if (status)
    return status;
  const dae__mech *m = o->m;
  o->now = keep_point(arena, m->at.size);
  o->previous = keep_point(arena, m->at.size);
  o->iterations = DAE__STATE(arena, long, 1);
  o->next = (point){DAE__ALLOC(arena, double, m->at.size), DAE__ALLOC(arena, double, m->at.size)};
  o->v_half = DAE__ALLOC(arena, double, m->nq);
  o->top = DAE__ALLOC(arena, double, m->nq);
  o->bottom = DAE__ALLOC(arena, double, m->ng);
  o->driver = (dae__driver){.table = &rattle_driver,
                            .self = o,
                            .rtol = 1e-6,
                            .atol = 1e-8,
                            .step = o->opts.step,
                            .order = 2,
                            .control = dae__controller_defaults(3),
                            .env = dae__arena_env(arena),
                            .memory = DAE__STATE(arena, dae__driver_memory, 1)};
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

static dae_status create_in(dae__arena *arena, const dae_problem *problem, const dae_start *start,
                            const own_rattle_options *opts, dae_integrator **out, dae_error *err)
{
  rattle *o = DAE__ALLOC(arena, rattle, 1);
  if (!o)
    return dae__out_of_memory(err);
  o->opts = *opts;
  o->problem = problem;
  dae_status status = prepare(o, arena, err);
  if (!status) {
    dae__copy(o->m->at.size, start->y, o->next.y);
    status = dae__start_status(stand_at(o, start->t, start->fixed, err), err);
  }
  if (!status && dae__integrator_create(arena, &verbs, o, out))
    status = dae__out_of_memory(err);
  if (status)
    release(o);
  return status;
}

/* ---- what it takes ---- */

static dae_status check_problem(const dae_problem *problem, dae_error *err)
{
  const dae_mechanical *p = problem->mechanical;
  if (!p || p->nk + p->nu + p->nw > 0 || !p->constant_mass || problem->input)
    return dae__fail(
        err, DAE_ERROR_UNSUPPORTED, "rattle",
        "rattle takes mechanics with a constant mass matrix and holonomic constraints, "
        "without extra states, algebraic variables and inputs: use spark-lobatto");
  return DAE_OK;
}

static dae_status accepts(const dae_problem *problem, dae_error *err)
{
  return dae__assembled_check_problem(problem, check_problem, err);
}

static dae_status create_single(const void *request, const dae_problem *problem,
                                const dae_start *start, const dae_env *env, dae_integrator **out,
                                dae_error *err)
{
  dae_status status = check_problem(problem, err);
  if (status)
    return status;
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return dae__out_of_memory(err);
  status = create_in(arena, problem, start, request, out, err);
  if (status)
    dae__arena_free(arena);
  return status;
}

dae_status own_rattle_create(const dae_problem *problem, const dae_start *start,
                             const own_rattle_options *opts, const dae_env *env,
                             dae_integrator **out, dae_error *err)
{
  own_rattle_options defaults = own_rattle_defaults();
  opts = opts ? opts : &defaults;
  *out = NULL;
  dae_status status = dae_options_validate(&own_rattle_option_table, opts, err);
  if (status)
    return status;
  if (!(opts->step > 0))
    return dae__fail(err, DAE_ERROR_OPTION, "step",
                     "rattle goes on in steps of a fixed size: give it by step");
  return dae__assembled_create(problem, start, create_single, opts, env, out, err);
}

/* ---- the row of the registry ---- */

static void defaults_of(void *opts)
{
  *(own_rattle_options *)opts = own_rattle_defaults();
}

static dae_status create_of(const dae_problem *problem, const dae_start *start, const void *opts,
                            const dae_env *env, dae_integrator **out, dae_error *err)
{
  return own_rattle_create(problem, start, opts, env, out, err);
}

const dae_method own_rattle = {
    .name = "rattle",
    .summary = "constrained mechanics with a constant mass matrix: order 2, symplectic",
    .reference = "HLW06",
    .options = &own_rattle_option_table,
    .options_size = sizeof(own_rattle_options),
    .defaults = defaults_of,
    .fixed_step = true,
    .accepts = accepts,
    .create = create_of,
};
