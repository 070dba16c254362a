/* Lie-group integrator: steps, error estimate, dense output, creation.
 *
 * A step of order 4 is composed of five steps of order 2, with the sizes g, g, 1 - 4g, g, g times
 * h, g = 1/(4 - 4^(1/3)) [Suzuki]; constraints hold at the end of each of these steps. The error of
 * a variable step is estimated by step doubling; the two steps h/2 are accepted:
 *
 *   err = (fine - coarse) / (2^p - 1),   h_next = h clip(0.9 err^(-1/(p+1)), 0.2, 4)
 *
 * Dense output of x is the Hermite polynomial of values and derivatives at both ends of a step, of
 * degree 3, or at both ends and the middle, of degree 5. */
#include "step/integrator.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "onestep/lie/lie.h"
#include "onestep/lie/step.h"
#include "problem/consistent.h"
#include "step/driver.h"
#include "step/norm.h"

/* Number of steps during which step sizes are kept below a size at which the iteration failed.
 * Chosen, not measured. */
#define BOUNDED_STEPS 20
/* Largest ratio of the step sizes of two successive steps. Chosen, not measured. */
#define MAX_STEP_FACTOR 4

/* State of the last step, saved with the integrator. */
typedef struct last_step {
  /* end of the first half of the step, or its start if the step was not halved */
  double t_middle;
  bool undetermined; /* whether y is undetermined at the end of the step */
} last_step;

/* A point of the motion: z = (x, y), its derivative dz, and the unknown y of the step that ends
 * there, which approximates y at the middle of that step. */
typedef struct point {
  double *z, *dz, *y;
} point;

typedef struct lie {
  dae_lie_options opts;
  dae__lie_adapter adapter;
  dae__lie_step step;
  dae__driver driver;
  last_step *last;             /* saved with the integrator */
  point now, previous, middle; /* end, start and middle of the last step; saved */
  /* current step: its middle, its end, and its end without step doubling */
  point half, next, coarse;
  double *weight, *x; /* vectors of length nx */
  /* middle of the current step, or its start if the step is not halved */
  double t_half;
  dae__integrator_table table;
} lie;

/* ---- steps ---- */

/* makes one step of size h from (t, from); sets z and y of the result `to` */
static dae_status lie_advance(lie *o, double t, double h, const point *from, const point *to,
                              dae_error *err)
{
  const dae__semi *s = o->adapter.s;
  const double g = 1 / (4 - cbrt(4)), sizes[5] = {g, g, 1 - 4 * g, g, g};
  int count = o->driver.order == 4 ? 5 : 1;
  double *x = o->x, *slope = to->dz;
  dae__copy(s->nx, from->z, x);
  dae__copy(s->nx, from->dz, slope);
  dae__copy(s->ny, from->y, to->y);
  for (int i = 0; i < count; i++) {
    double substep = count == 1 ? h : sizes[i] * h;
    DAE__TRY(dae__lie_step_solve(&o->step, t, substep, x, slope, to->y, err));
    /* mean slope of the substep, for the prediction of the next one */
    for (int k = 0; k < s->nx; k++) {
      slope[k] = (o->step.z1[k] - x[k]) / substep;
      x[k] = o->step.z1[k];
    }
    dae__copy(s->ny, o->step.z1 + s->nx, to->y);
    t += substep;
  }
  dae__copy(s->nx, x, to->z);
  dae__copy(s->ny, to->y, to->z + s->nx);
  return DAE_OK;
}

/* y and the derivative at the end of a step; an undetermined y keeps the value of the step */
static dae_status lie_complete_step(lie *o, double t, const point *p, bool *undetermined,
                                    dae_error *err)
{
  dae_status status = o->adapter.table->rates(o->adapter.self, false, t, p->z, p->dz, err);
  *undetermined = status == DAE_ERROR_SINGULAR;
  return status == DAE_ERROR_SINGULAR ? DAE_OK : status;
}

static dae_status lie_attempt(void *self, double h, double *error, dae_error *err)
{
  lie *o = self;
  int nx = o->adapter.s->nx;
  double t = o->driver.memory->t;
  bool undetermined;
  if (o->opts.step > 0) {
    o->t_half = t;
    return lie_advance(o, t, h, &o->now, &o->next, err);
  }
  o->t_half = t + h / 2;
  DAE__TRY(lie_advance(o, t, h, &o->now, &o->coarse, err));
  DAE__TRY(lie_advance(o, t, h / 2, &o->now, &o->half, err));
  DAE__TRY(lie_complete_step(o, t + h / 2, &o->half, &undetermined, err));
  DAE__TRY(lie_advance(o, t + h / 2, h / 2, &o->half, &o->next, err));
  dae__weights(nx, o->opts.rtol, o->opts.atol, o->now.z, o->weight);
  for (int i = 0; i < nx; i++)
    o->x[i] = o->next.z[i] - o->coarse.z[i];
  *error = dae__norm(nx, o->x, o->weight) / (pow(2, o->driver.order) - 1);
  return DAE_OK;
}

static void lie_copy_point(const dae__semi *s, const point *from, const point *to)
{
  dae__copy(s->n, from->z, to->z);
  dae__copy(s->n, from->dz, to->dz);
  dae__copy(s->ny, from->y, to->y);
}

/* accepts a step; y may be undetermined at a single point, as at the start, but not at two in
 * a row */
static dae_status lie_accept(void *self, double t, dae_error *err)
{
  lie *o = self;
  const dae__semi *s = o->adapter.s;
  bool undetermined;
  DAE__TRY(lie_complete_step(o, t, &o->next, &undetermined, err));
  if (undetermined && o->last->undetermined) {
    char name[64] = "y";
    int row = 0;
    while (row < s->ny - 1 && !s->hidden[row])
      row++;
    if (s->ny > 0)
      dae__semi_equation_name(s->p, s->nx + row, name, sizeof name);
    return dae__fail(err, DAE_ERROR_SINGULAR, name,
                     "F_x f_y is singular, so that the algebraic variables are not determined, as "
                     "in the equation of %s: the index is higher than 2",
                     name);
  }
  DAE__ASSERT(dae__all_finite(s->n, o->next.z));
  lie_copy_point(s, &o->now, &o->previous);
  lie_copy_point(s, &o->half, &o->middle);
  lie_copy_point(s, &o->next, &o->now);
  *o->last = (last_step){.t_middle = o->t_half, .undetermined = undetermined};
  return DAE_OK;
}

static double lie_largest_rate(const void *self, double rtol, double atol, char *name, size_t size)
{
  const lie *o = self;
  double largest = 0;
  int fastest = 0;
  for (int i = 0; i < o->adapter.s->nx; i++) {
    double rate = fabs(o->now.dz[i]) / (rtol * fabs(o->now.z[i]) + atol);
    if (!(rate <= largest))
      largest = rate, fastest = i;
  }
  if (name)
    dae__semi_variable_name(o->adapter.s->p, fastest, name, size);
  return largest;
}

static void lie_begin(void *self)
{
  (void)self; /* a step depends on no history other than the point `now` */
}

static const dae__driver_table lie_driver = {
    .begin = lie_begin, .attempt = lie_attempt, .accept = lie_accept, .rate = lie_largest_rate};

/* ---- dense output ---- */

static void lie_interpolate_raw(void *self, double t, double *y)
{
  lie *o = self;
  const dae__driver_memory *m = o->driver.memory;
  double middle = o->last->t_middle;
  int nx = o->adapter.s->nx;
  dae__copy(o->adapter.size, o->now.z, y);
  if (t == m->t || m->t == m->t_previous)
    return;
  bool halves = middle > m->t_previous;
  double h = m->t - m->t_previous, x = (t - m->t_previous) / h;
  const point *points[3] = {&o->previous, halves ? &o->middle : &o->now, &o->now};
  const double at[3] = {0, halves ? (middle - m->t_previous) / h : 1, 1};
  int count = halves ? 3 : 2;
  for (int k = 0; k < count; k++) {
    double l = 1, rate = 0; /* Lagrange polynomial k at x, and its derivative at its own node */
    for (int j = 0; j < count; j++)
      if (j != k) {
        l *= (x - at[j]) / (at[k] - at[j]);
        rate += 1 / (at[k] - at[j]);
      }
    double value = (1 - 2 * rate * (x - at[k])) * l * l, slope = (x - at[k]) * l * l;
    /* sum of differences to the end of the step, so that a constant x keeps its value exactly */
    for (int i = 0; i < nx; i++)
      y[i] += value * (points[k]->z[i] - o->now.z[i]) + h * slope * points[k]->dz[i];
  }
}

static dae_status lie_interpolate(void *self, double t, double *y, double *dy, dae_error *err)
{
  lie *o = self;
  const dae__lie_adapter *a = &o->adapter;
  dae_error why = dae_error_none();
  bool at_end = t == o->driver.memory->t;
  /* the point `coarse` is unused between steps, and serves as scratch memory */
  const point *p = at_end ? &o->now : &o->coarse;
  dae_status status = DAE_OK;
  if (!at_end) {
    dae__copy(a->s->n, o->now.z, p->z);
    dae__zero(a->s->n, p->dz);
    lie_interpolate_raw(self, t, p->z);
    status = a->table->project(a->self, t, p->z, &why);
    if (!status)
      status = a->table->rates(a->self, true, t, p->z, p->dz, &why);
  }
  dae__copy(a->size, p->z, y);
  if (dy)
    dae__copy(a->size, p->dz, dy);
  /* an undetermined y keeps the value of the step */
  if (!status || (status == DAE_ERROR_SINGULAR && !why.text[0]))
    return DAE_OK;
  return dae__driver_dense_output_failed(&o->driver, t, status, &why, err);
}

/* ---- functions of the integrator's table ---- */

static dae_status lie_step(void *self, double t_stop, dae_error *err)
{
  return dae__driver_step(&((lie *)self)->driver, t_stop, err);
}

static dae_view lie_view(const void *self)
{
  const lie *o = self;
  return dae__driver_view(&o->driver, o->adapter.size);
}

/* makes the point `next` consistent and starts the motion there */
static dae_status lie_reset(lie *o, double t, const bool *fixed, dae_error *err)
{
  const dae__lie_adapter *a = &o->adapter;
  const dae__semi *s = a->s;
  const point *p = &o->next;
  dae__zero(s->n, p->dz);
  DAE__TRY(a->table->consistent(a->self, t, fixed, p->z, p->dz, err));
  dae__copy(s->n, p->z, o->now.z);
  dae__copy(s->n, p->dz, o->now.dz);
  dae__copy(s->ny, p->z + s->nx, o->now.y);
  dae__driver_reset(&o->driver, t);
  dae_status status = a->table->rates(a->self, false, t, p->z, p->dz, NULL);
  *o->last = (last_step){.t_middle = t, .undetermined = status == DAE_ERROR_SINGULAR};
  return DAE_OK;
}

static dae_status lie_restart(void *self, double t, const double *y, dae_error *err)
{
  lie *o = self;
  dae__zero(o->adapter.s->n, o->next.z);
  dae__copy(o->adapter.size, y, o->next.z);
  DAE__TRY(lie_reset(o, t, NULL, err));
  o->driver.memory->stats.restarts++;
  return DAE_OK;
}

static dae_stats lie_stats(const void *self)
{
  const lie *o = self;
  const dae__lie_memory *m = o->step.memory;
  dae_stats s = o->driver.memory->stats;
  o->adapter.table->count(o->adapter.self, &s);
  s.iterations += m->iterations;
  s.sweeps += m->sweeps;
  s.jacobians += m->jacobians;
  s.factorisations += m->factorisations;
  return s;
}

static dae_status lie_reload(void *self, dae_error *err)
{
  lie *o = self;
  DAE__TRY(o->adapter.table->reload(o->adapter.self, err));
  dae_status status = dae__lie_step_reload(&o->step);
  return status ? dae__fail(err, status, NULL, "the factorisation could not be rebuilt") : DAE_OK;
}

static void lie_release(void *self)
{
  lie *o = self;
  dae__lie_step_free(&o->step);
  if (o->adapter.table)
    o->adapter.table->free(o->adapter.self);
}

static const dae__integrator_table lie_verbs = {.method = "lie",
                                                .step = lie_step,
                                                .view = lie_view,
                                                .interpolate = lie_interpolate,
                                                .interpolate_raw = lie_interpolate_raw,
                                                .restart = lie_restart,
                                                .stats = lie_stats,
                                                .reload = lie_reload,
                                                .free = lie_release};

/* ---- creation ---- */

static dae_status lie_prepare(lie *o, dae__arena *arena, const dae_problem *problem, dae_error *err)
{
  DAE__TRY(problem->mechanical
               ? dae__lie_adapter_mechanical(arena, problem, o->opts.form, &o->adapter, err)
               : dae__lie_adapter_semi(arena, problem, &o->adapter, err));
  const dae__semi *s = o->adapter.s;
  const dae_lie_options *opts = &o->opts;
  int order = opts->theta == 0.5 ? opts->order : 1;
  point *saved[] = {&o->now, &o->previous, &o->middle},
        *current[] = {&o->half, &o->next, &o->coarse};
  o->driver.memory = DAE__STATE(arena, dae__driver_memory, 1);
  o->last = DAE__STATE(arena, last_step, 1);
  for (int i = 0; i < 3; i++) {
    saved[i]->z = DAE__STATE(arena, double, s->n);
    saved[i]->dz = DAE__STATE(arena, double, s->n);
    saved[i]->y = DAE__STATE(arena, double, s->ny);
    current[i]->z = DAE__ALLOC(arena, double, s->n);
    current[i]->dz = DAE__ALLOC(arena, double, s->n);
    current[i]->y = DAE__ALLOC(arena, double, s->ny);
  }
  o->weight = DAE__ALLOC(arena, double, s->nx);
  o->x = DAE__ALLOC(arena, double, s->nx);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  o->driver = (dae__driver){.table = &lie_driver,
                            .self = o,
                            .rtol = opts->rtol,
                            .atol = opts->atol,
                            .step = opts->step,
                            .first_step = opts->first_step,
                            .max_step = opts->max_step,
                            .max_failures = opts->max_failures,
                            .bounded = BOUNDED_STEPS,
                            .order = order,
                            .control = dae__controller_defaults(order + 1),
                            .env = dae__arena_env(arena),
                            .memory = o->driver.memory};
  o->driver.control.beta = 0;
  o->driver.control.max_factor = MAX_STEP_FACTOR;
  return dae__lie_step_create(arena, &o->adapter, opts, &o->step, err);
}

/* checks that M is regular at the start */
static dae_status lie_check_mass(lie *o, const dae_env *env, dae_error *err)
{
  dae__semi *s = o->adapter.s;
  char name[64] = "";
  int column;
  if (!s->p->M)
    return DAE_OK;
  DAE__TRY(dae__semi_M(s, o->driver.memory->t, o->now.z, o->step.M, err));
  dae_status status = dae__solver_check_regular(env, &s->M, o->step.M, &column, err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  if (column >= 0)
    dae__semi_variable_name(s->p, column, name, sizeof name);
  return dae__fail(err, DAE_ERROR_UNSUPPORTED, "lie",
                   "lie needs a regular mass matrix; this one is singular%s%s: use bdf-ggl or bdf",
                   name[0] ? " at " : "", name);
}

dae_status dae__lie_integrator_create(dae__arena *arena, const dae_problem *problem,
                                      const dae_start *start, const dae_lie_options *opts,
                                      dae_integrator **out, dae_error *err)
{
  const dae_env *env = dae__arena_env(arena);
  lie *o = DAE__ALLOC(arena, lie, 1);
  if (!o)
    return dae__out_of_memory(err);
  o->opts = *opts;
  o->table = lie_verbs;
  dae_status status = lie_prepare(o, arena, problem, err);
  if (!status) {
    dae__copy(o->adapter.size, start->y, o->next.z);
    status = lie_reset(o, start->t, start->fixed, err);
    if (!status)
      status = lie_check_mass(o, env, err);
    status = dae__start_status(status, err);
  }
  if (!status && dae__integrator_create(arena, &o->table, o, out))
    status = dae__out_of_memory(err);
  if (status)
    lie_release(o);
  return status;
}
