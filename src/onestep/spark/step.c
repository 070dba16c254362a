/* One SPARK step.
 *
 *   predict -> Newton iteration -> error estimate -> project -> accept
 *
 * With variable steps the estimate compares the derivative at the start of the step with that of
 * the polynomial of degree s through the start and the stages,
 *
 *   err = gamma0 h (u'(t0) - U'(t0)),   u = (y, z),   gamma0 = |det A|^(1/s):
 *
 * O(h^(s+1)), while the step itself is in error by O(h^(2s+1)). The tolerance is therefore mapped,
 * 0.1 tol^((s+1)/(2s)), which makes the error of the step follow tol. (Extrapolating the polynomial
 * to the end of the step instead would estimate nothing without g: it then is that of a collocation
 * method.) The iteration ends at a fraction of the tolerance, and the projection restores the
 * constraints. A fixed step iterates to round-off; then the step itself keeps the constraints, and
 * the projection has nothing to correct. */
#include "onestep/spark/step.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "step/norm.h"
#include <float.h>

/* Tuning constants; chosen, not measured. Changes of the iteration are in tolerances for variable
 * steps, relative to the size of the motion for fixed ones. */

/* Change at which the iteration ends. */
#define ITERATION_TOLERANCE 0.02
#define ITERATION_TOLERANCE_FIXED (2 * DBL_EPSILON)
/* Change at which a stagnating iteration is accepted. */
#define STAGNATION_TOLERANCE 0.3
#define STAGNATION_TOLERANCE_FIXED 1e-10
/* Iterations at most; a fixed step cannot be repeated with a smaller size. */
#define MAX_ITERATIONS 30
#define MAX_ITERATIONS_FIXED 200
/* Factor of the mapped tolerance. */
#define TOLERANCE_MAP_FACTOR 0.1
/* Contraction above which the embedded estimate is checked by step doubling. */
#define CHECK_CONTRACTION 0.3
/* Growth of the number of steps from one check to the next. */
#define CHECK_INTERVAL_GROWTH 2
/* Largest factor of the embedded estimate. */
#define MAX_ESTIMATE_FACTOR 1e3
/* Part of a row of [g_y v_z; k_z] left after elimination, below which it is nearly dependent. */
#define NEARLY_DEPENDENT 1e-6

/* ---- error estimate ---- */

void dae__spark_prepare_estimate(dae__spark *o)
{
  const dae__stages *st = &o->stages;
  const dae__spark_transform *tr = &o->transform;
  int s = st->s, nodes = st->nodes == s + 2 ? s + 1 : st->nodes;
  o->estimate_nodes = nodes;
  *o->calibration = (dae__spark_calibration){.factor = 1};
  o->tolerance_factor =
      TOLERANCE_MAP_FACTOR * pow(o->opts.rtol, fmin((double)nodes / o->driver.order, 1) - 1);
  /* |det A|^(1/s), from one eigenvalue of each pair; without eigenvalues, its typical size */
  double sum = tr->blocks ? 0 : -s * log(s + 1.0);
  for (int i = 0; i < tr->blocks; i++)
    sum += (i < tr->reals ? 1 : 2) * log(cabs(tr->mu[i]));
  o->gamma0 = exp(sum / s);
  for (int i = 0; i < nodes; i++)
    o->estimate_weights[i] = dae__derivative_weight(nodes, st->node, i, 0);
}

/* square sum of h (u'(t0) - U'(t0)) relative to the weights */
static double spark_defect(const dae__spark *o, int n, const double *values, const double *rate,
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

/* changes of Z by round-off relative to the weights: Z depends on g/h */
static double spark_round_off(const dae__spark *o, double h)
{
  const dae__spark_adapter *a = &o->adapter;
  double least = INFINITY;
  for (int i = 0; i < a->nz; i++)
    least = fmin(least, o->z_weight[i]);
  double size = dae__max_abs(a->nz, o->z) + dae__max_abs(a->ny, o->y) / h;
  return a->nz > 0 ? 4 * DBL_EPSILON * size / least : 0;
}

/* embedded estimate, less the contribution of round-off, which is all of it in very short steps,
 * and in directions that the projection corrects */
static double spark_estimate(dae__spark *o)
{
  const dae__spark_adapter *a = &o->adapter;
  double sum = 0, weights = 0;
  dae__spark_adapter_split(a, o->rate, o->y_rate, o->z_rate);
  sum += spark_defect(o, a->ny, o->stages.now.Y, o->y_rate, o->y_weight);
  sum += spark_defect(o, a->nz, o->stages.now.Z, o->z_rate, o->z_weight);
  for (int i = 0; i < o->estimate_nodes; i++)
    weights += fabs(o->estimate_weights[i]);
  double error = sqrt(sum / (a->ny + a->nz)) - weights * spark_round_off(o, o->stages.h);
  return o->gamma0 / o->tolerance_factor * (error < 0 ? 0 : error); /* NaN remains NaN */
}

/* ---- one step ---- */

static dae_status spark_solve(dae__spark *o, double t, double h, const double *y, const double *z,
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

/* projects the end of the solved step into new_state, and finds its derivative new_rate */
static dae_status spark_complete_step(dae__spark *o, double t, dae_error *err)
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
  dae__spark *o = self;
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

/* square sum of the differences relative to the weights */
static double spark_distance(int n, const double *a, const double *b, const double *weight)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += pow((a[i] - b[i]) / weight[i], 2);
  return sum;
}

/* Repeats the current step by two of half the size, which replace it; *T: the distance of the two
 * results in tolerances. */
static dae_status spark_solve_halves(dae__spark *o, double h, double *T, dae_error *err)
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

/* Calibrates the embedded estimate E, of order n, by the error T of the step in tolerances: its
 * factor makes it 1 where T is 1, since T is proportional to E^((p+1)/n). */
static void spark_calibrate(dae__spark *o, double E, double T)
{
  double *factor = &o->calibration->factor;
  double right = fmax(pow(T, (double)o->estimate_nodes / (o->driver.order + 1)) / E, 1);
  if (E > 0 && (T > 1 || right < *factor))
    *factor = fmin(right, MAX_ESTIMATE_FACTOR);
  o->calibration->next_step = CHECK_INTERVAL_GROWTH * (o->driver.memory->stats.steps + 1);
}

/* The embedded estimate misses the contribution of the constraints to the error where their
 * curvature, times the multipliers, is stiff. There the iteration contracts slowly, and some of
 * these steps are checked by step doubling. */
static dae_status spark_attempt(void *self, double h, double *error, dae_error *err)
{
  dae__spark *o = self;
  bool fixed = o->opts.step > 0, doubling = o->opts.estimate == DAE_SPARK_ESTIMATE_DOUBLING;
  const dae__stages *st = &o->stages;
  double T = 0, contraction = 0;
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
  if (check && !status && !doubling)
    spark_calibrate(o, E, T);
  *error = status ? NAN : doubling ? T / (pow(2, o->driver.order) - 1) : o->calibration->factor * E;
  return status;
}

/* ---- other verbs of the driver ---- */

static double spark_largest_rate(const void *self, double rtol, double atol, char *name,
                                 size_t size)
{
  const dae__spark *o = self;
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
  const dae__spark *o = self;
  return dae__spark_adapter_dependent(&o->adapter, o->driver.env, o->driver.memory->t, o->y, o->z,
                                      NEARLY_DEPENDENT, name, size);
}

static void spark_begin(void *self)
{
  dae__spark *o = self;
  const dae__spark_adapter *a = &o->adapter;
  dae__spark_adapter_split(a, o->state, o->y, o->z);
  dae__stages_reset(&o->stages, o->state + a->lambda, o->state + a->psi);
}

const dae__driver_table dae__spark_driver = {.begin = spark_begin,
                                             .attempt = spark_attempt,
                                             .accept = spark_accept,
                                             .rate = spark_largest_rate,
                                             .stuck = spark_dependent_constraints};
