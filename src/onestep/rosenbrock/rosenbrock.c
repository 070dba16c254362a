/* Steps of Rosenbrock methods (rosenbrock.h): one factorisation and one back substitution for each
 * stage, no iteration. Every step evaluates the Jacobian at its start, and the time derivative
 * there by a difference, unless the problem is free of time: an accepted step takes s + 1
 * evaluations with M = 1, the one at its end included, and s + 2 with another M (one less each
 * without a difference, one more with two); a rejected attempt takes s - 1.
 *
 * The last two or three stages are iterates of a simplified Newton iteration for the end of the
 * step. The residual of F left there is the product of the last increment, which is within the
 * tolerance, and the change of the Jacobian over the step.
 *
 * The increments of the last completed step are kept for dense output; the next attempt uses
 * another buffer. */
#include "onestep/rosenbrock/rosenbrock.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/mutant.h"
#include "core/vec.h"
#include "linalg/solver.h"
#include "onestep/host/sums.h"
#include "problem/semi_explicit/semi.h"
#include <float.h>

/* Ratio of the tolerance of one step to the given one: errors accumulate, and those of dense output
 * of order 4 are larger (Akzo Nobel at 1e-5: 0.7 tolerances; 1.4 with a ratio of 1). */
#define STEP_TOLERANCE_PART 0.5
/* Weight of the variation of y within a step in the error of the step (rosenbrock_error): from 0.01
 * to 1 no pulse of a rectifier is missed, and the error of dense output is 0.5 to 0.04 tolerances
 * (tests/laws/test_circuits.c); with 0 a step may skip half a period. */
#define VARIATION_WEIGHT 0.1
/* Tolerance below which the time derivative is computed by two differences: the error of one
 * difference, about 1e-8, affects the tenth digit with steps of 0.01. */
#define TWO_DIFFERENCES_RTOL 1e-8

/* Bound of the growth of the step size by a predicted decrease of the error, relative to the growth
 * by the error alone. After transients the error decreases from step to step: Akzo Nobel and
 * Robertson take 10 % fewer evaluations for the same error with 1.5, 1.6 and 2 as well. */
#define LOOKAHEAD 1.5

/* Error of the first step relative to the tolerance, [HNW93 II.4]; largest number of its reductions
 * by the nonlinearity, and least factor of one of them, chosen. */
#define FIRST_STEP_PART 0.01
#define FIRST_STEP_REDUCTIONS 4
#define FIRST_STEP_FACTOR 1e-3

#define COMBINED_PAIRS 3 /* largest number of pairs of entries that are summed at once */

typedef struct memory {
  int last;       /* index in u of the increments of the last completed step */
  bool f0_at_end; /* f0 belongs to the end of the last completed step */
  long jacobians, factorisations;
} memory;

typedef struct rosenbrock {
  const dae_adapter *adapter;
  dae__semi *s;
  const dae__rosenbrock_table *table;
  double rtol, atol; /* tolerances of the error of one step */
  memory *memory;    /* state saved with the integrator */
  int stride;        /* distance of increments: n rounded up to an even number, with zeros behind */
  double *u[2];      /* saved: increments u_i of the last step and of the attempt */
  double *f0;        /* saved: (f, F) at the start of the step */

  bool linearised; /* f_t and J are those at (t0, z0) */
  double t0, *z0;
  double factored_h; /* step size of the factored matrix; 0: none of this linearisation */
  double *f_t, *J;
  bool driven;          /* f_t is not zero */
  bool two_differences; /* f_t is computed by two differences */
  dae__semi_mass M;
  dae__semi_matrix matrix;
  dae__solver *solver;
  double *z, *rhs, *sum; /* state, (f, F) and sum_j c_ij u_j of a stage */
} rosenbrock;

/* ---- linearisation at the start of a step ---- */

/* f_t and F_t by differences within the step: one, or (4 f(dt) - f(2 dt) - 3 f(0))/(2 dt) for tight
 * tolerances. For a solution of time scale h, dt balances the truncation error, dt/h or its square,
 * and the round-off of t, eps t/dt. */
static dae_status rosenbrock_difference_time(rosenbrock *o, const dae_step *step, dae_error *err)
{
  const double h = step->h, *z = step->from.z, noise = DBL_EPSILON * fmax(fabs(step->t), h);
  o->driven = false;
  if (o->s->p->time_free) {
    dae__zero(o->s->n, o->f_t);
    return DAE_OK;
  }
  double t =
      step->t + (o->two_differences ? fmin(cbrt(noise * h * h), h / 2) : fmin(sqrt(noise * h), h));
  double dt = t - step->t, rate = dt > 0 ? 1 / dt : 0;
  DAE__TRY(dae__semi_rhs(o->s, t, z, o->f_t, err));
  if (o->two_differences)
    DAE__TRY(dae__semi_rhs(o->s, t + dt, z, o->rhs, err));
  for (int i = 0; i < o->s->n; i++) {
    double d = o->f_t[i] - o->f0[i];
    o->f_t[i] = rate * (o->two_differences ? 2 * d - 0.5 * (o->rhs[i] - o->f0[i]) : d);
    o->driven = o->driven || o->f_t[i] != 0;
  }
  return DAE_OK;
}

/* Evaluates f0, f_t and J at the start of the step. */
static dae_status rosenbrock_linearise(rosenbrock *o, const dae_step *step, dae_error *err)
{
  /* f0 is evaluated again if inputs have changed since the end of the last step */
  bool has_f0 =
      o->memory->f0_at_end && memcmp(o->f0, step->from.dz, (size_t)o->s->nx * sizeof *o->f0) == 0;
  dae_status status = has_f0 ? DAE_OK : dae__semi_rhs(o->s, step->t, step->from.z, o->f0, err);
  o->memory->f0_at_end = false;
  if (!status)
    status = rosenbrock_difference_time(o, step, err);
  if (!status)
    status = dae__semi_J(o->s, NULL, step->t, step->from.z, o->J, err);
  o->memory->jacobians++;
  o->linearised = !status;
  o->factored_h = 0;
  o->t0 = step->t;
  dae__copy(o->s->n, step->from.z, o->z0);
  return status;
}

/* ---- attempt ---- */

/* Factors M/(h gamma) - J. */
static dae_status rosenbrock_factor(rosenbrock *o, const dae_step *step, dae_error *err)
{
  double c = DAE__MUTATE(rosenbrock_gamma, 1 / (step->h * o->table->gamma),
                         1.1 / (step->h * o->table->gamma));
  char name[64] = "one of the variables";
  if (step->h == o->factored_h)
    return DAE_OK;
  o->factored_h = 0;
  DAE__TRY(dae__semi_mass_at(&o->M, step->t, step->from.z, err));
  dae__semi_matrix_fill(&o->matrix, c, NULL, NULL, o->J);
  dae__semi_mass_add(&o->M, c, &o->matrix.M, o->matrix.values);
  dae_status status = dae__solver_factor(o->solver, o->matrix.values);
  o->memory->factorisations++;
  if (!status) {
    o->factored_h = step->h;
    return DAE_OK;
  }
  if (status == DAE_ERROR_MEMORY)
    return dae__fail(err, status, NULL, "no memory for a factorisation with other pivots");
  if (status == DAE_ERROR_RECOVERABLE)
    return dae__fail(err, status, NULL, "the iteration matrix of a step has a non-finite entry");
  int column = dae__solver_column(o->solver);
  if (column >= 0)
    dae__semi_variable_name(o->s->p, column, name, sizeof name);
  return dae__fail(err, status, column >= 0 ? name : NULL,
                   "the equations of a step do not determine %s: F_y may be singular here", name);
}

/* Sums of rosenbrock_combine for 2 `pairs` entries, which stay in registers. */
static inline void rosenbrock_combine_pairs(const int pairs, int count, const double *a,
                                            const double *c, int stride, const double *u,
                                            const double *restrict z0, double *restrict z,
                                            double *restrict sum)
{
  dae__pair by_a[COMBINED_PAIRS], by_c[COMBINED_PAIRS];
  for (int i = 0; i < pairs; i++) {
    by_a[i] = dae__pair_of(z0 + 2 * i);
    by_c[i] = (dae__pair){0, 0};
  }
  for (int j = 0; j < count; j++, u += stride)
    for (int i = 0; i < pairs; i++) {
      by_a[i] += a[j] * dae__pair_of(u + 2 * i);
      by_c[i] += c[j] * dae__pair_of(u + 2 * i);
    }
  for (int i = 0; i < pairs; i++) {
    *dae__pair_at(z + 2 * i) = by_a[i];
    *dae__pair_at(sum + 2 * i) = by_c[i];
  }
}

/* z = z0 + sum_j a_j u_j, sum = sum_j c_j u_j, over `count` increments of `stride` entries */
static void rosenbrock_combine(int count, const double *a, const double *c, int stride,
                               const double *u, const double *restrict z0, double *restrict z,
                               double *restrict sum)
{
  int i = 0;
  for (; i + 6 <= stride; i += 6)
    rosenbrock_combine_pairs(3, count, a, c, stride, u + i, z0 + i, z + i, sum + i);
  if (i + 4 == stride)
    rosenbrock_combine_pairs(2, count, a, c, stride, u + i, z0 + i, z + i, sum + i);
  else if (i < stride)
    rosenbrock_combine_pairs(1, count, a, c, stride, u + i, z0 + i, z + i, sum + i);
}

/* u = (M/(h gamma) - J) \ (rhs + M sum/h + g h f_t) */
static void rosenbrock_solve_stage(rosenbrock *o, double h, int i, const double *restrict rhs,
                                   double *restrict u)
{
  const double *restrict sum = o->sum;
  int n = o->s->n, identity = o->s->p->M ? 0 : o->s->nx; /* number of rows with M = 1 */
  double g = o->table->g[i] * h, r = 1 / h;
  /* loads of single entries, as callbacks have stored them: a load of a pair would wait for both
   * stores */
  for (int k = 0; k < identity; k++)
    u[k] = rhs[k] + r * sum[k];
  for (int k = identity; k < n; k++)
    u[k] = rhs[k];
  if (identity == 0)
    dae__semi_mass_times(&o->M, r, sum, u);
  if (o->driven && g != 0)
    dae__axpy(n, g, o->f_t, u);
  dae__solver_solve(o->solver, u);
}

/* y += x, two entries at a time */
static void rosenbrock_add(int stride, const double *restrict x, double *restrict y)
{
  for (int i = 0; i < stride; i += 2)
    *dae__pair_at(y + i) += dae__pair_of(x + i);
}

/* Computes the increments u_i of all stages; o->z receives the state of the last stage. */
static dae_status rosenbrock_stages(rosenbrock *o, const dae_step *step, double *u, dae_error *err)
{
  const dae__rosenbrock_table *table = o->table;
  int stride = o->stride;
  dae__zero(o->s->nx, o->sum);
  rosenbrock_solve_stage(o, step->h, 0, o->f0, u);
  for (int i = 1; i < table->stages; i++) {
    double *u_i = u + (size_t)i * (size_t)stride;
    if (i < table->chained) {
      rosenbrock_combine(i, table->a[i], table->c[i], stride, u, o->z0, o->z, o->sum);
    } else {
      rosenbrock_add(stride, u_i - stride, o->z);
      dae__sum_rows(i, table->c[i], stride, stride, u, o->sum);
    }
    DAE__TRY(dae__semi_rhs(o->s, step->t + table->alpha[i] * step->h, o->z, o->rhs, err));
    rosenbrock_solve_stage(o, step->h, i, o->rhs, u_i);
  }
  return DAE_OK;
}

/* Root mean square of the last increment e, relative to atol_i + rtol max(|z0|, |z1|). For y, e
 * measures the residual at the end of the step, not a variation of y within it that is driven by
 * time, as at a diode that starts to block. This variation is measured by the last term d = O(h^k)
 * of dense output. It is added as (c d)^(p/k) relative to the size of y, which is O(h^p) like the
 * error of the step; p/k = 4/3 or 5/4. */
static double rosenbrock_error(const rosenbrock *o, const dae_step *step, const double *u,
                               const double *e)
{
  const dae__rosenbrock_table *table = o->table;
  const double *z0 = step->from.z, *z1 = step->to.z, *dense = table->dense[table->terms - 1];
  const double *scale = o->adapter->atol_scale;
  int n = o->s->n, nx = o->s->nx;
  double sum = 0, most = 0;
  for (int i = 0; i < n; i++) {
    double a = fabs(z0[i]), b = fabs(z1[i]),
           weight = o->atol * scale[i] + o->rtol * (a > b ? a : b);
    double x = fabs(e[i]) / weight;
    if (i >= nx) {
      double d = fabs(dae__sum_one(table->stages, dense, o->stride, u + i)),
             v = VARIATION_WEIGHT * d * o->rtol / weight;
      x += v * (table->estimate_order == 4 ? cbrt(v) : sqrt(sqrt(v))) / o->rtol;
    }
    sum += x * x;
    o->sum[i] = x;
  }
  double error = sqrt(sum / n);
  for (int i = 0; i < n && (o->adapter->limiting->wanted || !(error <= 1)); i++)
    if (o->sum[i] > most)
      most = o->sum[i], o->adapter->limiting->error = i;
  return error;
}

/* The start of the step is linearised already if a larger step was rejected there or the first step
 * size was computed there. */
static dae_status rosenbrock_attempt(void *self, const dae_step *step, double *error,
                                     dae_error *err)
{
  rosenbrock *o = self;
  int n = o->s->n;
  double *u = o->u[!o->memory->last];
  const double *e = u + (size_t)(o->table->stages - 1) * (size_t)o->stride;
  bool linearised = o->linearised && o->t0 == step->t &&
                    memcmp(o->z0, step->from.z, (size_t)n * sizeof *o->z0) == 0;
  if (!linearised)
    DAE__TRY(rosenbrock_linearise(o, step, err));
  DAE__TRY(rosenbrock_factor(o, step, err));
  DAE__TRY(rosenbrock_stages(o, step, u, err));
  for (int i = 0; i < n; i++)
    step->to.z[i] = o->z[i] + e[i];
  *error = rosenbrock_error(o, step, u, e);
  return DAE_OK;
}

/* Computes x' at the end; with M = 1 it is f, which becomes f0 of the next step. */
static dae_status rosenbrock_complete_step(void *self, const dae_step *step, dae_error *err)
{
  rosenbrock *o = self;
  const dae_adapter *adapter = o->adapter;
  bool has_M = o->s->p->M;
  double t = step->t + step->h;
  if (has_M) {
    DAE__TRY(adapter->table->slopes(adapter->self, false, t, step->to.z, step->to.dz, err));
  } else {
    DAE__TRY(dae__semi_rhs(o->s, t, step->to.z, o->rhs, err));
    dae__copy(o->s->n, o->rhs, o->f0);
    dae__copy(o->s->nx, o->rhs, step->to.dz);
  }
  o->memory->f0_at_end = !has_M;
  o->memory->last = !o->memory->last;
  o->linearised = false;
  return DAE_OK;
}

static dae_status rosenbrock_dense_output(void *self, const dae_step *step, double x,
                                          dae_dense accuracy, const dae_point *out, dae_error *err)
{
  const rosenbrock *o = self;
  const dae__rosenbrock_table *table = o->table;
  const double *a = step->from.z, *b = step->to.z;
  double weight[DAE__ROSENBROCK_MAX_STAGES] = {0};
  double basis = x * (1 - x);
  int n = o->s->n;
  for (int k = 0; k < table->terms; k++, basis *= x)
    for (int j = 0; j < table->stages; j++)
      weight[j] += basis * table->dense[k][j];
  (void)err;
  dae__add_rows(table->stages, weight, 1, n, o->stride, o->u[o->memory->last], a, out->z);
  for (int i = 0; i < n; i++)
    out->z[i] += x * (b[i] - a[i]);
  if (!out->dz || accuracy != DAE_DENSE_RAW)
    return DAE_OK;
  double rate[DAE__ROSENBROCK_MAX_STAGES] = {0}, power = 1; /* (x^(k+1) (1 - x))' */
  for (int k = 0; k < table->terms; k++, power *= x)
    for (int j = 0; j < table->stages; j++)
      rate[j] += power * ((k + 1) * (1 - x) - x) / step->h * table->dense[k][j];
  for (int i = 0; i < n; i++)
    out->dz[i] = (b[i] - a[i]) / step->h;
  for (int j = 0; j < table->stages; j++)
    dae__axpy(n, rate[j], o->u[o->memory->last] + (size_t)j * (size_t)o->stride, out->dz);
  return DAE_OK;
}

/* ---- first step size ---- */

/* weighted root mean square of the first `count` entries of v */
static double rosenbrock_norm(const rosenbrock *o, int count, const double *z, const double *v)
{
  double sum = 0;
  for (int i = 0; i < count; i++) {
    double x = v[i] / (o->atol * o->adapter->atol_scale[i] + o->rtol * fabs(z[i]));
    sum += x * x;
  }
  return sqrt(sum / (count > 0 ? count : 1));
}

/* First Newton correction of the first stage, an implicit Euler step of size gamma h,
 *
 *   e = (M/(h gamma) - J) \ (f(t + gamma h, z + u_1) - M u_1/(h gamma)),
 *
 * relative to the tolerance: a measure of what J at the start does not show, O(h^3). Infinity where
 * the equations refuse the point; negative: no matrix. */
static double rosenbrock_nonlinearity(rosenbrock *o, const dae_step *step)
{
  double *u = o->u[!o->memory->last], *e = u + o->stride, dt = o->table->gamma * step->h;
  int n = o->s->n;
  if (rosenbrock_factor(o, step, NULL))
    return -1;
  dae__zero(o->s->nx, o->sum);
  rosenbrock_solve_stage(o, step->h, 0, o->f0, u);
  dae__copy(o->stride, o->z0, o->z);
  rosenbrock_add(o->stride, u, o->z);
  if (dae__semi_rhs(o->s, step->t + dt, o->z, e, NULL))
    return INFINITY;
  dae__semi_mass_times(&o->M, -1 / dt, u, e);
  dae__solver_solve(o->solver, e);
  return rosenbrock_norm(o, n, step->from.z, e);
}

/* Reduces the first step size until its nonlinearity is as small, relative to the size of z, as the
 * third power of a step with FIRST_STEP_PART: an error of order 5 or 6 of this part of the
 * tolerance. At a start without stiffness that becomes stiff, J does not show it. Less than one
 * reduction by a rejected attempt is left to the error test. */
static double rosenbrock_reduce_first(rosenbrock *o, const dae_step *start)
{
  dae_step step = *start;
  double gamma = o->table->gamma, power = 3.0 / (o->table->order + 1);
  double most = FIRST_STEP_PART * pow(o->rtol, power) / o->rtol;
  for (int i = 0; i < FIRST_STEP_REDUCTIONS; i++) {
    double e = rosenbrock_nonlinearity(o, &step), factor = gamma * cbrt(most / e);
    if (factor >= DAE__CONTROLLER_MIN_FACTOR || e < 0)
      break;
    step.h *= fmax(factor, FIRST_STEP_FACTOR);
  }
  return step.h;
}

/* Method of [HNW93 II.4], with x'' = f_t + f_x x' at constant y; then smaller where the equations
 * are not linear within this step. */
double dae__rosenbrock_first_step(void *self, double t, const dae_point *from, double t_stop)
{
  rosenbrock *o = self;
  const dae_pattern *J = &o->s->J;
  dae_step step = {.t = t, .h = t_stop - t, .from = *from};
  int nx = o->s->nx;
  double d0 = rosenbrock_norm(o, nx, from->z, from->z);
  double d1 = rosenbrock_norm(o, nx, from->z, from->dz);
  o->memory->f0_at_end = false;
  if (rosenbrock_linearise(o, &step, NULL))
    return 0;
  dae__copy(o->s->n, o->f_t, o->rhs);
  for (int j = 0; j < nx; j++)
    for (int e = J->start[j]; e < J->start[j + 1]; e++)
      o->rhs[J->row[e]] += o->J[e] * from->dz[j];
  double d2 = rosenbrock_norm(o, nx, from->z, o->rhs),
         h_min = 0.01 * (d0 + 1 / o->rtol) / fmax(d1, DBL_MIN);
  double h = pow(FIRST_STEP_PART / fmax(fmax(d1, d2), DBL_MIN), 1.0 / (o->table->order + 1));
  step.h = fmin(fmin(100 * h_min, h), 0.1 * (t_stop - t));
  return step.h > 0 ? rosenbrock_reduce_first(o, &step) : step.h;
}

/* ---- other table functions ---- */

static void rosenbrock_count(const void *self, dae_stats *stats)
{
  const rosenbrock *o = self;
  stats->jacobians += o->memory->jacobians;
  stats->factorisations += o->memory->factorisations;
}

/* The factors are those of the saved state. */
static dae_status rosenbrock_reload(void *self, dae_error *err)
{
  (void)err;
  ((rosenbrock *)self)->factored_h = 0;
  return DAE_OK;
}

static void rosenbrock_release(void *self)
{
  dae__solver_free(((rosenbrock *)self)->solver);
}

static const dae_stepper_table rosenbrock_verbs = {.reload = rosenbrock_reload,
                                                   .attempt = rosenbrock_attempt,
                                                   .complete = rosenbrock_complete_step,
                                                   .dense_output = rosenbrock_dense_output,
                                                   .count = rosenbrock_count,
                                                   .free = rosenbrock_release};

/* ---- creation ---- */

dae_status dae__rosenbrock_create(dae__arena *arena, const dae_adapter *adapter,
                                  const dae_step_options *opts, int order, dae__stepper *out,
                                  dae_error *err)
{
  DAE__ASSERT(order == 4 || order == 5);
  rosenbrock *o = DAE__ALLOC(arena, rosenbrock, 1);
  DAE__TRY(dae__arena_status(arena, err));
  *o = (rosenbrock){.adapter = adapter,
                    .s = adapter->forms->s,
                    .table = order == 4 ? &dae__rodas4 : &dae__rodas5,
                    .rtol = STEP_TOLERANCE_PART * opts->rtol,
                    .atol = STEP_TOLERANCE_PART * opts->atol,
                    .two_differences = opts->rtol < TWO_DIFFERENCES_RTOL};
  int n = o->s->n, stride = o->stride = (int)dae__pair_rows(n);
  o->memory = DAE__STATE(arena, memory, 1);
  for (int k = 0; k < 2; k++)
    o->u[k] = DAE__STATE(arena, double, o->table->stages *stride);
  o->f0 = DAE__STATE(arena, double, n);
  DAE__VECTORS(arena, stride, &o->f_t, &o->z0, &o->z, &o->rhs, &o->sum);
  o->J = DAE__ALLOC(arena, double, dae__pattern_count(&o->s->J));
  o->M = dae__semi_mass_create(arena, o->s);
  o->matrix = dae__semi_matrix_create(arena, o->s);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__LIMIT(arena, &o->memory->last, 1, 0, 1);
  DAE__LIMIT_TRUTH(arena, &o->memory->f0_at_end, 1);
  DAE__LIMIT_COUNTER(arena, &o->memory->jacobians, 2);
  DAE__TRY(dae__solver_create_iteration(arena, &o->matrix.pattern, &o->solver, err));
  *out = (dae__stepper){.table = &rosenbrock_verbs,
                        .self = o,
                        .order = o->table->order,
                        .second_order = true,
                        .control = dae__controller_defaults(o->table->estimate_order)};
  out->control.predictive = true;
  out->control.lookahead = LOOKAHEAD;
  return DAE_OK;
}
