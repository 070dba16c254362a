/* SPARK integrator: steps, error estimate, dense output, creation.
 *
 *   predict -> Newton iteration -> error estimate -> project -> accept
 *
 * With variable steps the estimate compares the derivative at the start of the step with that of
 * the polynomial of degree s through the start and the stages,
 *
 *   err = gamma0 h (u'(t0) - U'(t0)),   u = (y, z),   gamma0 = |det A|^(1/s):
 *
 * O(h^(s+1)), while the step itself is in error by O(h^(2s+1)). The tolerance is therefore mapped,
 * 0.1 tol^((s+1)/(2s)), so that the error of the step is proportional to tol. (Extrapolation of the
 * polynomial to the end of the step would give no estimate without g, since it then is the
 * collocation polynomial.) The iteration ends at a fraction of the tolerance, and the projection
 * restores the constraints. A fixed step iterates to round-off; then the step itself satisfies the
 * constraints, and the projection corrects nothing. */
#include "step/integrator.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/solver.h"
#include "onestep/spark/dense.h"
#include "onestep/spark/spark.h"
#include "onestep/spark/stages.h"
#include "problem/consistent.h"
#include "step/driver.h"
#include "step/norm.h"
#include <float.h>

/* Tuning constants; chosen, not measured. Changes of the iterates are measured in tolerances for
 * variable steps, and relative to the size of the motion for fixed steps. */

/* Change of the iterates at which the iteration ends. */
#define ITERATION_TOLERANCE 0.02
#define ITERATION_TOLERANCE_FIXED (2 * DBL_EPSILON)
/* Change of the iterates at which a stagnating iteration is accepted. */
#define STAGNATION_TOLERANCE 0.3
#define STAGNATION_TOLERANCE_FIXED 1e-10
/* Largest number of iterations; more in fixed steps, which cannot be repeated with a smaller
 * size. */
#define MAX_ITERATIONS 30
#define MAX_ITERATIONS_FIXED 200
/* Factor 0.1 of the mapped tolerance, 0.1 tol^((s+1)/(2s)). */
#define TOLERANCE_MAP_FACTOR 0.1
/* Contraction above which the embedded estimate is checked by step doubling. */
#define CHECK_CONTRACTION 0.3
/* Growth of the step number from one check by step doubling to the next. */
#define CHECK_INTERVAL_GROWTH 2
/* Largest calibration factor of the embedded estimate. */
#define MAX_ESTIMATE_FACTOR 1e3
/* Size, relative to the row, of a row of [g_y v_z; k_z] after elimination, below which it is nearly
 * linearly dependent. */
#define NEARLY_DEPENDENT 1e-6
/* Number of steps during which step sizes are kept below a size at which the iteration failed. */
#define BOUNDED_STEPS 20

/* Calibration of the embedded estimate by step doubling, saved with the integrator. */
typedef struct calibration {
  double factor;  /* factor of the embedded estimate, at least 1 */
  long next_step; /* number of the first step that may be checked by step doubling next */
} calibration;

typedef struct spark {
  dae_spark_options opts;
  dae__spark_adapter adapter;
  dae__spark_transform transform;
  dae__stages stages;
  dae__spark_dense dense;
  dae__driver driver;
  calibration *calibration; /* saved with the integrator */
  /* end of the first half of the last step, or its start if the step was not halved; saved */
  double *t_middle;
  double *state, *rate;  /* state vector and its derivative at the end of the last step; saved */
  double *previous_rate; /* derivative at the start of the last step; saved */
  double *middle_rate;   /* derivative at t_middle; saved */
  double *y, *z;         /* y and z at the end of the last step */
  double *new_state, *new_rate; /* state vector and derivative at the end of the current step */
  double t_half;                /* middle of the current step */
  double *y_middle, *z_middle;  /* y and z at t_half */
  /* y and z at the end of the current step before it was halved by step doubling */
  double *y_whole, *z_whole;
  double *y_weight, *z_weight, *y_rate, *z_rate;
  int estimate_nodes;
  /* weights of the derivative at the start of the step, one for each of estimate_nodes */
  double *estimate_weights;
  double gamma0, tolerance_factor; /* factors of the embedded estimate */
  /* tableau freed with the integrator; NULL: the tableau is the user's */
  dae_spark_tableau *owned;
  dae__integrator_table table;
} spark;

/* ---- error estimate ---- */

/* sum of squares of h (u'(t0) - U'(t0)) relative to the weights, for one of u = y, z */
static double spark_defect(const spark *o, int n, const double *values, const double *rate,
                           const double *weight)
{
  double sum = 0;
  for (int k = 0; k < n; k++) {
    double e = o->stages.h * rate[k];
    for (int i = 0; i < o->estimate_nodes; i++)
      e -= o->estimate_weights[i] * values[o->stages.node_index[i] * n + k];
    sum += pow(e / weight[k], 2);
  }
  return sum;
}

/* round-off error of Z relative to the weights; Z depends on g/h, and therefore on the round-off
 * error of y over h */
static double spark_round_off(const spark *o, double h)
{
  const dae__spark_adapter *a = &o->adapter;
  double least = INFINITY;
  for (int i = 0; i < a->nz; i++)
    least = fmin(least, o->z_weight[i]);
  double size = dae__max_abs(a->nz, o->z) + dae__max_abs(a->ny, o->y) / h;
  return a->nz > 0 ? 4 * DBL_EPSILON * size / least : 0;
}

/* embedded error estimate without the contribution of round-off, which dominates in very short
 * steps and in directions that the projection corrects */
static double spark_estimate(spark *o)
{
  const dae__spark_adapter *a = &o->adapter;
  double sum = 0, weights = 0;
  dae__spark_adapter_split(a, o->rate, o->y_rate, o->z_rate);
  sum += spark_defect(o, a->ny, o->stages.now.Y, o->y_rate, o->y_weight);
  sum += spark_defect(o, a->nz, o->stages.now.Z, o->z_rate, o->z_weight);
  for (int i = 0; i < o->estimate_nodes; i++)
    weights += fabs(o->estimate_weights[i]);
  double error = sqrt(sum / (a->ny + a->nz)) - weights * spark_round_off(o, o->stages.h);
  return o->gamma0 / o->tolerance_factor * (error < 0 ? 0 : error); /* a NaN is passed on */
}

/* ---- one step ---- */

static dae_status spark_solve(spark *o, double t, double h, const double *y, const double *z,
                              dae_error *err)
{
  const dae__spark_adapter *a = &o->adapter;
  bool fixed = o->opts.step > 0;
  double rtol = fixed ? 0 : o->opts.rtol, atol = fixed ? 1 : o->opts.atol;
  if (fixed)
    atol += dae__max_abs(a->nz, o->z);
  dae__weights(a->ny, rtol, atol, o->y, o->y_weight);
  dae__weights(a->nz, rtol, atol, o->z, o->z_weight);
  double floor = fixed ? 0 : spark_round_off(o, h);
  dae__stages_goal goal = {.y_weight = o->y_weight,
                           .z_weight = o->z_weight,
                           .tolerance =
                               fixed ? ITERATION_TOLERANCE_FIXED : fmax(ITERATION_TOLERANCE, floor),
                           .stagnation_tolerance = fixed ? STAGNATION_TOLERANCE_FIXED
                                                         : fmax(STAGNATION_TOLERANCE, 10 * floor),
                           .max_iterations = fixed ? MAX_ITERATIONS_FIXED : MAX_ITERATIONS,
                           .allow_full = fixed};
  return dae__stages_solve(&o->stages, t, h, y, z, &goal, err);
}

/* projects the end of the solved step, into new_state, and finds its derivative new_rate */
static dae_status spark_complete_step(spark *o, double t, dae_error *err)
{
  dae__stages *st = &o->stages;
  const dae__spark_adapter *a = &o->adapter;
  double *y1 = dae__stage_vector(st->now.Y, st->s + 1, a->ny);
  double *z1 = dae__stage_vector(st->now.Z, st->s + 1, a->nz);
  dae__copy(a->size, o->state, o->new_state);
  dae__copy(a->size, o->rate, o->new_rate);
  dae__spark_adapter_join(a, y1, z1, o->new_state);
  if (o->opts.project)
    DAE__TRY(a->states->project(a->self, false, t, o->new_state, err));
  dae__spark_adapter_split(a, o->new_state, y1, z1);
  return a->states->accelerate(a->self, false, t, o->new_state, o->new_rate, err);
}

static dae_status spark_accept(void *self, double t, dae_error *err)
{
  spark *o = self;
  int size = o->adapter.size;
  DAE__TRY(spark_complete_step(o, t, err));
  DAE__ASSERT(dae__all_finite(size, o->new_state));
  *o->t_middle = o->stages.second_half ? o->t_half : o->driver.memory->t;
  dae__stages_accept(&o->stages, false);
  dae__copy(size, o->rate, o->previous_rate);
  dae__copy(size, o->new_rate, o->rate);
  dae__copy(size, o->new_state, o->state);
  dae__spark_adapter_split(&o->adapter, o->state, o->y, o->z);
  return DAE_OK;
}

/* ---- step doubling ---- */

/* sum of squares of a - b relative to the weights */
static double spark_distance(int n, const double *a, const double *b, const double *weight)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += pow((a[i] - b[i]) / weight[i], 2);
  return sum;
}

/* Replaces the current step by two steps of half the size; *T: distance of the two results at the
 * end of the step, in tolerances. */
static dae_status spark_solve_halves(spark *o, double h, double *T, dae_error *err)
{
  const dae__spark_adapter *a = &o->adapter;
  dae__stages *st = &o->stages;
  double t = o->driver.memory->t;
  const double *y1 = dae__stage_vector(st->now.Y, st->s + 1, a->ny);
  const double *z1 = dae__stage_vector(st->now.Z, st->s + 1, a->nz);
  dae__copy(a->ny, y1, o->y_whole);
  dae__copy(a->nz, z1, o->z_whole);
  o->t_half = t + h / 2;
  DAE__TRY(spark_solve(o, t, h / 2, o->y, o->z, err));
  DAE__TRY(spark_complete_step(o, o->t_half, err));
  dae__copy(a->size, o->new_rate, o->middle_rate);
  dae__spark_adapter_split(a, o->new_state, o->y_middle, o->z_middle);
  dae__stages_accept(st, true);
  DAE__TRY(spark_solve(o, o->t_half, h / 2, o->y_middle, o->z_middle, err));
  double sum = spark_distance(a->ny, y1, o->y_whole, o->y_weight) +
               spark_distance(a->nz, z1, o->z_whole, o->z_weight);
  double error = sqrt(sum / (a->ny + a->nz)) - 2 * spark_round_off(o, o->t_half - t);
  *T = error < 0 ? 0 : error;
  return DAE_OK;
}

/* The embedded estimate misses the contribution of the constraints to the error where the curvature
 * of the constraints, times the multipliers, is stiff. In such steps the iteration contracts
 * slowly, and some of them are checked by step doubling. The error T of the step in tolerances then
 * calibrates the embedded estimate E, of order n: T is proportional to E^((p+1)/n), and the factor
 * of E makes the estimate 1 where T is 1. */
static dae_status spark_attempt(void *self, double h, double *error, dae_error *err)
{
  spark *o = self;
  bool fixed = o->opts.step > 0, doubling = o->opts.estimate == DAE_SPARK_ESTIMATE_DOUBLING;
  const dae__stages *st = &o->stages;
  double T = 0, contraction = 0, *factor = &o->calibration->factor;
  o->stages.second_half = false;
  DAE__TRY(spark_solve(o, o->driver.memory->t, h, o->y, o->z, err));
  if (fixed)
    return DAE_OK;
  double E = spark_estimate(o);
  if (st->strategy != DAE__STAGES_FULL)
    contraction = st->memory->contraction[st->strategy] * st->h;
  bool check = doubling || (o->driver.memory->stats.steps >= o->calibration->next_step &&
                            contraction > CHECK_CONTRACTION);
  dae_status status = check ? spark_solve_halves(o, h, &T, err) : DAE_OK;
  if (check && !status && !doubling) {
    double right = fmax(pow(T, (double)o->estimate_nodes / (o->driver.order + 1)) / E, 1);
    if (E > 0 && (T > 1 || right < *factor))
      *factor = fmin(right, MAX_ESTIMATE_FACTOR);
    o->calibration->next_step = CHECK_INTERVAL_GROWTH * (o->driver.memory->stats.steps + 1);
  }
  *error = status ? NAN : doubling ? T / (pow(2, o->driver.order) - 1) : *factor * E;
  return status;
}

/* ---- other functions of the driver's table ---- */

static double spark_largest_rate(const void *self, double rtol, double atol, char *name,
                                 size_t size)
{
  const spark *o = self;
  const dae__spark_adapter *a = &o->adapter;
  double largest = 0;
  int fastest = 0;
  for (int i = 0; i < a->ny + a->nz; i++) {
    int at = i < a->ny ? a->y_at[i] : a->z_at[i - a->ny];
    double rate = fabs(o->rate[at]) / (rtol * fabs(o->state[at]) + atol);
    if (!(rate <= largest))
      largest = rate, fastest = at;
  }
  if (name)
    dae_problem_variable(&a->problem, fastest, name, size);
  return largest;
}

static bool spark_dependent_constraints(const void *self, char *name, size_t size)
{
  const spark *o = self;
  return dae__spark_adapter_dependent(&o->adapter, o->driver.env, o->driver.memory->t, o->y, o->z,
                                      NEARLY_DEPENDENT, name, size);
}

static void spark_begin(void *self)
{
  spark *o = self;
  const dae__spark_adapter *a = &o->adapter;
  dae__spark_adapter_split(a, o->state, o->y, o->z);
  dae__stages_reset(&o->stages, o->state + a->lambda, o->state + a->psi);
}

static const dae__driver_table spark_driver = {.begin = spark_begin,
                                               .attempt = spark_attempt,
                                               .accept = spark_accept,
                                               .rate = spark_largest_rate,
                                               .stuck = spark_dependent_constraints};

/* ---- dense output ---- */

/* interval of dense output: the last step, or the half of it that contains t */
static dae__spark_dense_step spark_dense_step_at(const spark *o, double t)
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
  spark *o = self;
  const dae__driver_memory *m = o->driver.memory;
  dae__copy(o->adapter.size, o->state, y);
  if (m->t_previous == m->t || t == m->t)
    return;
  dae__spark_dense_step step = spark_dense_step_at(o, t);
  dae__spark_dense_eval(&o->dense, &step, t, o->stages.Yt, o->stages.x);
  dae__spark_adapter_join(&o->adapter, o->stages.Yt, o->stages.x, y);
}

/* state vector at a time t within the last step, projected onto the constraints, with its
 * multipliers */
static dae_status spark_dense_output(spark *o, bool refined, double t, double *y, double *dy,
                                     dae_error *err)
{
  const dae__spark_adapter *a = &o->adapter;
  dae_error why = dae_error_none();
  dae_status status = DAE_OK;
  /* the end of a step was projected, and its multipliers computed, at acceptance */
  if (t == o->driver.memory->t) {
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
    dae__zero(a->size, dy); /* derivatives of the multipliers are set to zero */
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

/* ---- functions of the integrator's table ---- */

static dae_status spark_step(void *self, double t_stop, dae_error *err)
{
  return dae__driver_step(&((spark *)self)->driver, t_stop, err);
}

static dae_view spark_view(const void *self)
{
  const spark *o = self;
  return dae__driver_view(&o->driver, o->adapter.size);
}

static dae_status spark_restart(void *self, double t, const double *y, dae_error *err)
{
  spark *o = self;
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
  spark *o = self;
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
  const spark *o = self;
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
  spark *o = self;
  dae__spark_adapter_split(&o->adapter, o->state, o->y, o->z);
  dae_status status = dae__stages_reload(&o->stages);
  return status ? dae__fail(err, status, NULL, "the factorisation could not be rebuilt") : DAE_OK;
}

static void spark_release(void *self)
{
  spark *o = self;
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

/* creates adapter, stages, saved memory and dense output */
static dae_status spark_prepare(spark *o, dae__arena *arena, const dae_problem *problem,
                                const dae__spark_descriptor *descriptor, dae_error *err)
{
  const dae_spark_tableau *tableau = descriptor->tableau;
  /* with nt = s the matrix A is singular, and no transformation exists */
  bool regular = tableau->nt > tableau->s;
  if (regular)
    DAE__TRY(dae__spark_transform_create(arena, tableau, &o->transform, err));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  DAE__TRY((problem->mechanical ? dae__spark_adapter_mechanical : dae__spark_adapter_momentum)(
      arena, problem, regular, o->transform.blocks, &o->adapter, err));
  DAE__TRY(dae__stages_create(arena, tableau, regular ? &o->transform : NULL, &o->adapter,
                              &o->stages, err));
  const dae__spark_adapter *a = &o->adapter;
  o->driver.memory = DAE__STATE(arena, dae__driver_memory, 1);
  o->t_middle = DAE__STATE(arena, double, 1);
  o->calibration = DAE__STATE(arena, calibration, 1);
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
  return dae__spark_dense_create(arena, &o->opts, descriptor->order, &o->stages, &o->dense, err);
}

/* creates the driver, and computes the constants of the error estimate */
static void spark_prepare_driver(spark *o, int order, const dae_env *env)
{
  const dae_spark_options *opts = &o->opts;
  const dae__stages *st = &o->stages;
  const dae__spark_transform *tr = &o->transform;
  int s = st->s, nodes = st->nodes == s + 2 ? s + 1 : st->nodes;
  bool doubling = opts->estimate == DAE_SPARK_ESTIMATE_DOUBLING;
  o->driver = (dae__driver){.table = &spark_driver,
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
  o->driver.control = dae__controller_defaults(doubling ? order + 1 : nodes);
  o->estimate_nodes = nodes;
  *o->calibration = (calibration){.factor = 1};
  o->tolerance_factor = TOLERANCE_MAP_FACTOR * pow(opts->rtol, fmin((double)nodes / order, 1) - 1);
  /* gamma0 = |det A|^(1/s), from one eigenvalue of each complex pair; without eigenvalues, the
   * typical size 1/(s+1) */
  double sum = tr->blocks ? 0 : -s * log(s + 1.0);
  for (int i = 0; i < tr->blocks; i++)
    sum += (i < tr->reals ? 1 : 2) * log(cabs(tr->mu[i]));
  o->gamma0 = exp(sum / s);
  for (int i = 0; i < nodes; i++)
    o->estimate_weights[i] = dae__lagrange_derivative_weight(nodes, st->node, i, 0);
}

/* Checks that p_z is regular at the start, for a tableau with singular A: Z of coordinates without
 * mass would not be determined at all stages. */
static dae_status spark_check_mass(spark *o, dae__arena *arena, dae_error *err)
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
  dae_status status =
      dae__solver_check_regular(dae__arena_env(arena), pattern, values, &column, err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  if (column >= 0)
    dae__spark_adapter_name(a, column, name, sizeof name);
  return dae__fail(err, DAE_ERROR_UNSUPPORTED, "spark-lobatto",
                   "Lobatto IIIA-x-IIIB needs a regular mass matrix; this one is singular%s%s: use "
                   "spark-gauss",
                   name[0] ? " at " : "", name);
}

dae_status dae__spark_integrator_create(dae__arena *arena, const dae__spark_descriptor *descriptor,
                                        const dae_problem *problem, const dae_start *start,
                                        dae_spark_tableau *owned, dae_integrator **out,
                                        dae_error *err)
{
  spark *o = DAE__ALLOC(arena, spark, 1);
  if (!o)
    return dae__out_of_memory(err);
  o->opts = *descriptor->opts;
  o->table = spark_verbs;
  o->table.method = descriptor->method;
  dae_status status = spark_prepare(o, arena, problem, descriptor, err);
  if (!status) {
    const dae__spark_adapter *a = &o->adapter;
    spark_prepare_driver(o, descriptor->order, dae__arena_env(arena));
    dae__stages_reset(&o->stages, o->state + a->lambda, o->state + a->psi);
    dae__driver_reset(&o->driver, start->t);
    *o->t_middle = start->t;
    dae__copy(a->size, start->y, o->state);
    status = a->states->consistent(a->self, start->t, start->fixed, o->state, o->rate, err);
    dae__spark_adapter_split(a, o->state, o->y, o->z);
    if (!status)
      status = spark_check_mass(o, arena, err);
    status = dae__start_status(status, err);
  }
  if (!status && dae__integrator_create(arena, &o->table, o, out))
    status = dae__out_of_memory(err);
  if (status)
    spark_release(o);
  else
    o->owned = owned;
  return status;
}
