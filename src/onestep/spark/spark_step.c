/* SPARK stepper: steps, error estimate, dense output.
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
 * constraints, and the projection corrects nothing.
 *
 * Dense output (polynomial.h) uses the derivatives at both ends, and at the inner stages those of
 * the polynomial through the ends and the inner stages. A stage at an end of the step is not the
 * value there: Z_1 and Z_s of Lobatto's and Radau's nodes differ from z0 and z1. */
#include "onestep/spark/spark_step.h"
#include "core/error.h"
#include "core/vec.h"
#include "onestep/host/polynomial.h"
#include "onestep/host/share.h"
#include "onestep/host/smoothness.h"
#include "onestep/spark/stages.h"
#include "quadrature/nodes.h"
#include "step/norm.h"
#include <float.h>

/* Tuning constants; chosen, not measured. Changes of the iterates are measured in tolerances for
 * variable steps, and relative to the size of the motion for fixed steps. */

/* Change of the iterates at which the iteration ends; in variable steps times the share of the step
 * (share.h). Measured: with 0.02 a top of 150 rad/s is off by 170 tolerances at 3e-6. */
#define ITERATION_TOLERANCE 0.005
#define ITERATION_TOLERANCE_FIXED (2 * DBL_EPSILON)
/* Change of the iterates at which a stagnating iteration is accepted. */
#define STAGNATION_TOLERANCE 0.3
#define STAGNATION_TOLERANCE_FIXED 1e-10
/* Change of a stagnating iteration that is accepted, in round-off of Z. */
#define STAGNATION_ROUND_OFF 10
/* Largest number of iterations; more in fixed steps, which cannot be repeated with a smaller
 * size. */
#define MAX_ITERATIONS 30
#define MAX_ITERATIONS_FIXED 200
/* Factor 0.1 of the mapped tolerance, 0.1 tol^((s+1)/(2s)). */
#define TOLERANCE_MAP_FACTOR 0.1
/* Error of a step relative to the tolerance, beside TOLERANCE_MAP_FACTOR: errors of steps add up,
 * and the phase of a spinning body is their second sum. For methods of order 2s, for others, and
 * for those with singular A, whose error is some thousandth of the tolerance anyway. Measured: the
 * largest values with which tops of 5 to 150 rad/s keep 30 tolerances from 1e-4 to 1e-10. */
#define STEP_SHARE_GAUSS 0.01
#define STEP_SHARE_RADAU 0.3
#define STEP_SHARE_SINGULAR 1
/* Contraction above which the embedded estimate is checked by step doubling. */
#define CHECK_CONTRACTION 0.3
/* Growth of the step number from one check by step doubling to the next. */
#define CHECK_INTERVAL_GROWTH 2
/* Largest calibration factor of the embedded estimate. */
#define MAX_ESTIMATE_FACTOR 1e3

/* Memory of the stepper, saved with the integrator. */
typedef struct spark_memory {
  /* calibration of the embedded estimate by step doubling: its factor, at least 1, and the number
   * of the first step that may be checked next */
  double factor;
  long next_check;
  long steps; /* number of completed steps */
  /* end of the first half of the last step, or its start if the step was not halved */
  double t_middle;
} spark_memory;

/* Error estimate relative to the tolerance, less round-off and less all that a stagnating iteration
 * may leave; relative to the mapped tolerance; and the error of a step whose smoothness is not
 * known (smoothness.h) relative to the tolerance, 0: below both. */
typedef struct estimate {
  double size, certain, mapped, nonsmooth;
  int largest; /* entry of (y, z) with the largest share; -1: none */
} estimate;

typedef struct spark {
  dae_spark_options opts;
  const dae_adapter *adapter;
  int order;
  dae__spark_equations equations;
  dae__spark_transform transform;
  dae__stages stages;
  /* dense output: of whole steps and second halves, and (not with fixed steps) of first halves */
  dae__polynomial dense[2];
  double *K;            /* slopes at the nodes of dense output */
  spark_memory *memory; /* saved with the integrator */
  dae_point at_middle;  /* state and derivative at t_middle; saved with the integrator */
  double t_half;        /* middle of the current step */
  /* vectors (y, z): at the start of the current step, at t_half, at the end of the current step
   * before it was halved by step doubling; weights of the error norm, error */
  double *start, *middle, *whole, *weight, *error;
  double *atol_scale; /* adapter->atol_scale in the order of (y, z) */
  int estimate_nodes;
  /* weights of the derivatives at the start and at the end of the step of the polynomials through
   * estimate_nodes nodes from there on, and through one to three nodes fewer */
  double estimate_weights[2][4][DAE_SPARK_MAX_STAGES + 1];
  double gamma0, tolerance_factor; /* factors of the embedded estimate */
  /* tableau freed with the stepper; NULL: the tableau is the user's */
  dae_spark_tableau *owned;
} spark;

/* ---- error estimate ---- */

/* splits a state vector, or a derivative of it, into u = (y, z) */
static void spark_split(const spark *o, const double *state, double *u)
{
  dae__spark_split(&o->equations, state, u, u + o->equations.ny);
}

/* round-off error of Z relative to the weights; with constraints on positions Z depends on g/h, and
 * therefore on the round-off error of y over h */
static double spark_round_off(const spark *o, double h)
{
  int ny = o->equations.ny, nz = o->equations.nz;
  double least = INFINITY, size = dae__max_abs(nz, o->start + ny);
  if (o->equations.ng > 0 || o->adapter->singular)
    size += dae__max_abs(ny, o->start) / h;
  for (int i = 0; i < nz; i++)
    least = fmin(least, o->weight[ny + i]);
  return nz > 0 ? 4 * DBL_EPSILON * size / least : 0;
}

/* *limiting = index in the state vector of an entry of (y, z); -1: none */
static void spark_limit(const spark *o, int entry, int *limiting)
{
  const dae__spark_equations *eq = &o->equations;
  *limiting = entry < eq->split ? entry
              : entry < eq->ny  ? eq->rest + entry - eq->split
                                : eq->z + entry - eq->ny;
}

/* larger of two errors; NaN if one is */
static double spark_larger(double a, double b)
{
  return isnan(a) || a > b ? a : b;
}

/* Defect h (u' - U') at the start or at the end of the step, U the polynomial through `count` nodes
 * from there on, in o->error; rate: derivative there. Returns the root of the sum of squares of
 * its weights. */
static double spark_defect(spark *o, bool end, int count, const double *rate)
{
  const dae__stages *st = &o->stages;
  int ny = o->equations.ny, nz = o->equations.nz, first = end ? st->nodes - count : 0;
  const double *w = o->estimate_weights[end][o->estimate_nodes - count];
  double sum = 0;
  spark_split(o, rate, o->error);
  dae__scale(ny + nz, st->h, o->error);
  for (int i = 0; i < count; i++) {
    int node = st->node_index[first + i];
    dae__axpy(ny, -w[i], dae__stage_vector(st->now.Y, node, ny), o->error);
    dae__axpy(nz, -w[i], dae__stage_vector(st->now.Z, node, nz), o->error + ny);
    sum += w[i] * w[i];
  }
  return sqrt(sum);
}

/* Norm of o->error without the coordinates: of rates, which show a jump of a force. */
static double spark_norm_of_rates(const spark *o)
{
  int from = o->equations.coordinates, n = o->equations.ny + o->equations.nz - from;
  return dae__norm(n, o->error + from, o->weight + from);
}

/* Embedded error estimate at the start or at the end of the step without the contribution of
 * round-off, which dominates in very short steps and in directions that the projection corrects;
 * rate: derivative there, least: lower bounds of the estimate. A jump at an unfortunate place of
 * the step makes one of the defects small by chance, hence the larger of two ratios rho. */
static estimate spark_estimate(spark *o, bool end, const double *rate, const estimate *least)
{
  int count = o->estimate_nodes, n = o->equations.ny + o->equations.nz;
  double noise = spark_defect(o, end, count, rate) * spark_round_off(o, o->stages.h);
  double e[4] = {spark_norm_of_rates(o)}, size = dae__norm(n, o->error, o->weight);
  /* a stagnating iteration leaves more than round-off */
  double certain = o->gamma0 * (size - STAGNATION_ROUND_OFF * noise);
  size = spark_larger(end ? certain : o->gamma0 * (size - noise), least->size);
  certain = spark_larger(certain, least->certain);
  estimate out = {.size = size, .certain = certain, .mapped = size / o->tolerance_factor};
  out.largest = dae__largest(n, o->error, o->weight);
  if (count < 4 || DAE__NONSMOOTH_FACTOR * certain <= fmax(out.mapped, 1))
    return out;
  for (int fewer = 1; fewer < 4; fewer++) {
    spark_defect(o, end, count - fewer, rate);
    e[fewer] = spark_norm_of_rates(o);
  }
  for (int i = 0; i < 2; i++)
    out.nonsmooth = spark_larger(
        out.nonsmooth, dae__nonsmooth_factor(o->order - count + 1, e[i], fmax(e[i + 1], e[i + 2])));
  out.nonsmooth *= certain;
  return out;
}

/* ---- one step ---- */

/* solves the stage system of a step from (t, u), u = (y, z); its end replaces x in the state vector
 * to->z */
static dae_status spark_solve(spark *o, double t, double h, const double *u, const dae_point *to,
                              dae_error *err)
{
  const dae__spark_equations *eq = &o->equations;
  const dae__stages *st = &o->stages;
  int ny = eq->ny, nz = eq->nz;
  bool fixed = o->opts.step > 0;
  double rtol = fixed ? 0 : o->opts.rtol;
  double atol = fixed ? 1 + dae__max_abs(nz, o->start + ny) : o->opts.atol;
  dae__weights(ny + nz, rtol, atol, fixed ? NULL : o->atol_scale, o->start, o->weight);
  double floor = fixed ? 0 : spark_round_off(o, h),
         stop = ITERATION_TOLERANCE * dae__step_share(o->memory->steps);
  dae__stages_goal goal = {.y_weight = o->weight,
                           .z_weight = o->weight + ny,
                           .tolerance = fixed ? ITERATION_TOLERANCE_FIXED : fmax(stop, floor),
                           .stagnation_tolerance =
                               fixed ? STAGNATION_TOLERANCE_FIXED
                                     : fmax(STAGNATION_TOLERANCE, STAGNATION_ROUND_OFF * floor),
                           .max_iterations = fixed ? MAX_ITERATIONS_FIXED : MAX_ITERATIONS,
                           .allow_full = fixed};
  dae_status status = dae__stages_solve(&o->stages, t, h, u, u + ny, &goal, err);
  spark_limit(o, st->limiting, &o->adapter->limiting->change);
  DAE__TRY(status);
  dae__spark_join(eq, dae__stage_vector(st->now.Y, st->s + 1, ny),
                  dae__stage_vector(st->now.Z, st->s + 1, nz), to->z);
  return DAE_OK;
}

/* projects the end of the solved step, and finds its derivative */
static dae_status spark_project_end(spark *o, double t, const dae_point *to, dae_error *err)
{
  const dae__stages *st = &o->stages;
  const dae__spark_equations *eq = &o->equations;
  DAE__TRY(dae__adapter_complete(o->adapter, t, to->z, to->dz, err));
  dae__spark_split(eq, to->z, dae__stage_vector(st->now.Y, st->s + 1, eq->ny),
                   dae__stage_vector(st->now.Z, st->s + 1, eq->nz));
  return DAE_OK;
}

/* Replaces the current step by two steps of half the size; *T: distance of the two results at the
 * end of the step, in tolerances. */
static dae_status spark_solve_halves(spark *o, const dae_step *step, double *T, dae_error *err)
{
  int n = o->equations.ny + o->equations.nz;
  const dae_point *to = &step->to;
  double t = step->t, h = step->h / 2;
  spark_split(o, to->z, o->whole);
  o->t_half = t + h;
  DAE__TRY(spark_solve(o, t, h, o->start, to, err));
  DAE__TRY(spark_project_end(o, o->t_half, to, err));
  dae__copy(o->adapter->size, to->z, o->at_middle.z);
  dae__copy(o->adapter->size, to->dz, o->at_middle.dz);
  spark_split(o, to->z, o->middle);
  dae__stages_accept(&o->stages, true);
  DAE__TRY(spark_solve(o, o->t_half, h, o->middle, to, err));
  spark_split(o, to->z, o->error);
  dae__axpy(n, -1, o->whole, o->error);
  double error = dae__norm(n, o->error, o->weight) - 2 * spark_round_off(o, o->t_half - t);
  *T = error < 0 ? 0 : error;
  return DAE_OK;
}

/* ---- functions of the stepper's table ---- */

static void spark_begin(void *self, double t, const dae_point *start)
{
  (void)t, (void)start;
  ((spark *)self)->stages.memory->h = 0;
}

/* The embedded estimate misses the contribution of the constraints to the error where the curvature
 * of the constraints, times the multipliers, is stiff. In such steps the iteration contracts
 * slowly, and some of them are checked by step doubling. The error T of the step in tolerances then
 * calibrates the embedded estimate E, of order n: T is proportional to E^((p+1)/n), and the factor
 * of E makes the estimate 1 where T is 1. */
static dae_status spark_attempt(void *self, const dae_step *step, double *error, dae_error *err)
{
  spark *o = self;
  const dae__spark_equations *eq = &o->equations;
  dae__stages *st = &o->stages;
  spark_memory *m = o->memory;
  bool doubling = o->opts.estimate == DAE_SPARK_ESTIMATE_DOUBLING;
  double T = 0, contraction = 0;
  spark_split(o, step->from.z, o->start);
  dae__copy(o->adapter->size, step->from.z, step->to.z);
  dae__copy(o->adapter->size, step->from.dz, step->to.dz);
  st->lambda = step->from.z + eq->lambda;
  st->psi = step->from.z + eq->psi;
  st->second_half = false;
  DAE__TRY(spark_solve(o, step->t, step->h, o->start, &step->to, err));
  if (o->opts.step > 0)
    return spark_project_end(o, step->t + step->h, &step->to, err);
  estimate start = spark_estimate(o, false, step->from.dz, &(estimate){0});
  double E = start.mapped;
  int largest = start.largest;
  if (st->strategy != DAE__STAGES_FULL)
    contraction = st->memory->contraction[st->strategy] * st->h;
  bool check = doubling || (m->steps >= m->next_check && contraction > CHECK_CONTRACTION);
  if (check)
    DAE__TRY(spark_solve_halves(o, step, &T, err));
  if (check && !doubling) {
    double right = fmax(pow(T, (double)o->estimate_nodes / (o->order + 1)) / E, 1);
    if (E > 0 && (T > 1 || right < m->factor))
      m->factor = fmin(right, MAX_ESTIMATE_FACTOR);
    m->next_check = CHECK_INTERVAL_GROWTH * (m->steps + 1);
  }
  E = doubling ? T / (pow(2, o->order) - 1) : m->factor * E;
  /* size control is for errors of order n; those of jumps and bends have order 1 and 2 */
  double power = fmax(o->estimate_nodes / 4.0, 1);
  if (doubling)
    largest = dae__largest(eq->ny + eq->nz, o->error, o->weight);
  spark_limit(o, largest, &o->adapter->limiting->error);
  *error = doubling ? E : spark_larger(E, pow(start.nonsmooth, power));
  if (!(*error <= 1))
    return DAE_OK;
  DAE__TRY(spark_project_end(o, step->t + step->h, &step->to, err));
  if (doubling) /* compares two solutions, and needs no guard */
    return DAE_OK;
  estimate end = spark_estimate(o, true, step->to.dz, &start);
  double before = *error;
  *error = spark_larger(*error, end.mapped / DAE__MAX_END_ERROR);
  *error = spark_larger(*error, pow(end.nonsmooth / DAE__MAX_END_ERROR_NONSMOOTH, power));
  if (*error > before)
    spark_limit(o, end.largest, &o->adapter->limiting->error);
  return DAE_OK;
}

static dae_status spark_complete(void *self, const dae_step *step, dae_error *err)
{
  spark *o = self;
  (void)err;
  o->memory->t_middle = o->stages.second_half ? o->t_half : step->t;
  o->memory->steps++;
  for (int i = 0; i < 2 && o->dense[i].memory; i++)
    *o->dense[i].memory = (dae__polynomial_memory){0};
  dae__stages_accept(&o->stages, false);
  return DAE_OK;
}

/* Slopes K of a step, or of a half of it, with these stages. */
static void spark_slopes(spark *o, const dae_step *step, const dae__stage_values *stages)
{
  const dae__spark_equations *eq = &o->equations;
  const dae__stages *st = &o->stages;
  const double *inverse = o->dense->nodes.wide.inverse, *x = st->node;
  int nodes = st->nodes, last = nodes - 1, nx = o->adapter->nx;
  double *y = o->error, *z = o->error + eq->ny, *start = o->K, *end = o->K + last * nx;
  for (int i = 0; i < nodes; i++) { /* derivatives of the polynomial through the values */
    dae__zero(nx, o->error);
    for (int j = 0; j < nodes; j++) {
      double w = dae__lagrange_derivative_weight(nodes, x, j, i) / step->h;
      dae__axpy(eq->ny, w, dae__stage_vector(stages->Y, st->node_index[j], eq->ny), y);
      dae__axpy(eq->nz, w, dae__stage_vector(stages->Z, st->node_index[j], eq->nz), z);
    }
    dae__spark_join(eq, y, z, dae__stage_vector(o->K, i, nx));
  }
  for (int i = 0; i < nx; i++) {
    double a = step->from.dz[i] - start[i], b = step->to.dz[i] - end[i];
    start[i] += a;
    end[i] += b;
    for (int j = 1; j < last && nodes < st->s + 2; j++)
      o->K[j * nx + i] += ((1 - x[j]) * inverse[0] * a + x[j] * inverse[last] * b) / inverse[j];
  }
}

static dae_status spark_dense_output(void *self, const dae_step *step, double x, dae_dense accuracy,
                                     const dae_point *out, dae_error *err)
{
  spark *o = self;
  double t = step->t + x * step->h, middle = o->memory->t_middle;
  /* interval of dense output: the last step, or the half of it that contains t */
  bool halves = middle > step->t, first = halves && t < middle, second = halves && !first;
  dae_step part = *step;
  if (first)
    part.to = o->at_middle;
  if (second)
    part.from = o->at_middle, part.t = middle;
  part.h = (first ? middle : step->t + step->h) - part.t;
  dae__polynomial *dense = &o->dense[first];
  if (!dense->memory->refined)
    spark_slopes(o, &part, first ? &o->stages.half : &o->stages.last);
  if (accuracy == DAE_DENSE_OUTPUT)
    DAE__TRY(dae__polynomial_refine(dense, &part, o->K, err));
  dae__polynomial_output(dense, &part, o->K, (t - part.t) / part.h, out->z, out->dz);
  return DAE_OK;
}

static void spark_count(const void *self, dae_stats *stats)
{
  const dae__stages_memory *m = ((const spark *)self)->stages.memory;
  stats->iterations += m->iterations;
  stats->jacobians += m->jacobians;
  stats->factorisations += m->factorisations;
  stats->decoupled += m->steps[DAE__STAGES_DECOUPLED];
  stats->full += m->steps[DAE__STAGES_FULL];
}

static void spark_release(void *self)
{
  spark *o = self;
  dae__stages_free(&o->stages);
  if (o->equations.table)
    o->equations.table->free(o->equations.self);
  dae_spark_tableau_free(o->owned);
}

static const dae_stepper_table spark_table = {.begin = spark_begin,
                                              .attempt = spark_attempt,
                                              .complete = spark_complete,
                                              .dense_output = spark_dense_output,
                                              .count = spark_count,
                                              .free = spark_release};

/* ---- creation ---- */

/* Sets the start of the equations where M is singular. */
static dae_status spark_find_massless(spark *o, dae__arena *arena, const dae__onestep *host,
                                      dae_error *err)
{
  dae__mech *m = host->adapter.forms->m;
  double t = host->driver->t, *M = DAE__ALLOC(arena, double, dae__pattern_count(&m->M));
  int column;
  DAE__TRY(dae__arena_status(arena, err));
  dae_mechanical_at at = dae__mech_at(m, t, host->now.z);
  DAE__TRY(dae__mech_M(m, &at, M, err));
  dae_status status = dae__solver_check_regular(host->env, &m->M, M, &column, err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  o->equations.massless_start = host->now.z;
  o->equations.t_start = t;
  return DAE_OK;
}

/* creates equations, stages, memory and dense output, and computes the constants of the error
 * estimate */
static dae_status spark_create(spark *o, dae__arena *arena, const dae_spark_tableau *tableau,
                               const dae__onestep *host, dae_error *err)
{
  const dae_adapter *adapter = o->adapter;
  const dae_step_options *control = &host->control;
  /* with nt = s the matrix A is singular, and no transformation exists */
  bool regular = tableau->nt > tableau->s;
  if (regular)
    DAE__TRY(dae__spark_transform_create(arena, tableau, &o->transform, err));
  o->memory = DAE__STATE(arena, spark_memory, 1);
  o->at_middle.z = DAE__STATE(arena, double, adapter->size);
  o->at_middle.dz = DAE__STATE(arena, double, adapter->size);
  double **u[] = {&o->start, &o->middle, &o->whole, &o->weight, &o->error, &o->atol_scale};
  for (int i = 0; i < 6; i++)
    *u[i] = DAE__ALLOC(arena, double, adapter->nx);
  DAE__TRY(dae__arena_status(arena, err));
  o->memory->factor = 1;
  DAE__LIMIT_COUNTER(arena, &o->memory->next_check, 2);
  if (adapter->forms->m && (!regular || adapter->forms->m->nk > 0))
    DAE__TRY(spark_find_massless(o, arena, host, err));
  DAE__TRY((adapter->forms->m ? dae__spark_mechanical_create : dae__spark_momentum_create)(
      arena, adapter, regular, &o->equations, err));
  spark_split(o, adapter->atol_scale, o->atol_scale);
  DAE__TRY(dae__stages_create(arena, tableau, regular ? &o->transform : NULL, &o->equations,
                              &o->stages, err));
  const dae__stages *st = &o->stages;
  const dae__spark_transform *tr = &o->transform;
  int s = st->s, nodes = o->estimate_nodes = st->nodes == s + 2 ? s + 1 : st->nodes;
  double part = fmin((double)nodes / o->order, 1), /* powers of h in estimate and error */
      share = !regular            ? STEP_SHARE_SINGULAR
              : o->order == 2 * s ? STEP_SHARE_GAUSS
                                  : STEP_SHARE_RADAU;
  o->tolerance_factor = TOLERANCE_MAP_FACTOR * pow(share * o->opts.rtol, part) / o->opts.rtol;
  /* gamma0 = |det A|^(1/s), from one eigenvalue of each complex pair; without eigenvalues, the
   * typical size 1/(s+1) */
  double sum = tr->blocks ? 0 : -s * log(s + 1.0);
  for (int i = 0; i < tr->blocks; i++)
    sum += (i < tr->reals ? 1 : 2) * log(cabs(tr->mu[i]));
  o->gamma0 = exp(sum / s);
  for (int fewer = 0; fewer < 4 && fewer < nodes; fewer++)
    for (int i = 0, n = nodes - fewer; i < n; i++) {
      const double *last = st->node + st->nodes - n;
      o->estimate_weights[0][fewer][i] = dae__lagrange_derivative_weight(n, st->node, i, 0);
      o->estimate_weights[1][fewer][i] = dae__lagrange_derivative_weight(n, last, i, n - 1);
    }
  long double x[DAE_SPARK_MAX_STAGES + 2];
  for (int i = 0; i < st->nodes; i++)
    x[i] = st->node[i];
  /* integrals over an odd number of Chebyshev nodes are one order more accurate */
  const dae__dense_nodes dense = dae__dense_nodes_create(st->nodes, x, (o->order - 1) | 1);
  o->K = DAE__ALLOC(arena, double, st->nodes * adapter->nx);
  for (int i = 0; i < (control->step > 0 ? 1 : 2); i++)
    dae__polynomial_create(arena, adapter, control, o->order, &dense, adapter->nx, &o->dense[i]);
  return dae__arena_status(arena, err);
}

/* Checks that p_z is regular at the start, for a tableau with singular A: Z of coordinates without
 * mass would not be determined at all stages. */
static dae_status spark_check_mass(spark *o, const dae__onestep *host, dae_error *err)
{
  const dae__spark_equations *eq = &o->equations;
  char name[64] = "";
  int column;
  if (o->stages.transform)
    return DAE_OK;
  spark_split(o, host->now.z, o->start);
  dae_momentum_at at = {host->driver->t, o->start, o->start + eq->ny};
  DAE__TRY(eq->table->linearise(eq->self, &at, NULL, DAE__SPARK_SET(DAE__P_Z), err));
  dae_status status = dae__solver_check_regular(host->env, &eq->pattern[DAE__P_Z],
                                                eq->values[DAE__P_Z], &column, err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  if (column >= 0)
    dae__spark_name(eq, column, name, sizeof name);
  return dae__fail(
      err, DAE_ERROR_UNSUPPORTED, "spark-lobatto",
      "Lobatto IIIA-x-IIIB needs inertia in every direction: with the first stage at the start of "
      "the "
      "step the constraints do not determine a rate without inertia%s%s: use spark-gauss or "
      "spark-radau, whose stages do",
      name[0] ? ", here that of " : "", name);
}

dae_status dae__spark_create_stepper(dae__onestep *host, dae__arena *arena,
                                     const dae__spark_method *method, dae_error *err)
{
  spark *o = DAE__ALLOC(arena, spark, 1);
  if (!o) {
    dae_spark_tableau_free(method->owned);
    return dae__out_of_memory(err);
  }
  *o = (spark){.opts = *method->opts,
               .adapter = &host->adapter,
               .order = method->order,
               .owned = method->owned};
  dae_status status = spark_create(o, arena, method->tableau, host, err);
  if (!status)
    status = spark_check_mass(o, host, err);
  if (status) {
    spark_release(o);
    return status;
  }
  bool doubling = o->opts.estimate == DAE_SPARK_ESTIMATE_DOUBLING;
  dae__stepper stepper = {.table = &spark_table,
                          .self = o,
                          .order = o->order,
                          .control =
                              dae__controller_defaults(doubling ? o->order + 1 : o->estimate_nodes),
                          .second_order = host->adapter.table->project_and_accelerate};
  dae__onestep_add_stepper(host, &stepper);
  return DAE_OK;
}
