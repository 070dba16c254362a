/* The stages of a step,
 *
 *   R(t0 + c_i h, Z_i, K_i) = 0,   V_i = v0 + h sum_j a_ij K_j,
 *                                  Q_i = q0 + c_i h v0 + h^2 sum_j (A A)_ij K_j,
 *
 * by a simplified Newton iteration [HW96 IV.8]: with W = T^-1 dK each block B(h mu) W = -(T^-1 R)
 * is solved separately. The predictor is the extrapolated polynomial of the last step; Jacobians
 * are evaluated at the middle of the step. */
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "onestep/host/integrator.h"
#include "onestep/host/sums.h"
#include "onestep/radau/radau.h"
#include "quadrature/nodes.h"
#include "step/newton.h"
#include "step/norm.h"
#include <math.h>

static double *radau_row(double *X, int n, int i)
{
  return X + (size_t)i * (size_t)n;
}

/* ---- predictor ---- */

/* Weights w at x of the polynomial through the last d nodes; returns the sum of their moduli. */
static double radau_predict_weights(const dae__collocation_rule *c, int d, double x, double *w)
{
  const double *node = c->c + c->s - d;
  double sum = 0;
  if (d == c->s)
    dae__nodal_values(&c->nodes, x, w);
  else
    for (int i = 0; i < d; i++)
      w[i] = dae__lagrange_weight(d, node, i, x);
  for (int i = 0; i < d; i++)
    sum += fabs(w[i]);
  return sum;
}

/* K = extrapolated polynomial of the last step, through as many of its last stages as possible with
 * amplified iteration errors below the tolerance */
static void radau_predict_extrapolated(dae__radau *o, const dae__radau_rule *rule, double h)
{
  const dae__radau_memory *m = o->memory;
  const dae__collocation_rule *last = dae__radau_rule_at(o, dae__radau_rule_of(m->s))->c;
  double w[DAE__COLLOCATION_STAGES_MAX], ratio = h / m->h, stop = rule->tolerance.stop;
  int s = rule->s, n = o->r->n, d = last->s;
  while (d > 1 && radau_predict_weights(last, d, 1 + ratio, w) * stop > DAE__RADAU_PREDICTOR_NOISE)
    d--;
  if (d == s && last == rule->c) {
    dae__radau_map map;
    for (int i = 0; i < s; i++) {
      dae__nodal_values(&rule->c->nodes, 1 + rule->c->c[i] * ratio, w);
      for (int j = 0; j < s; j++)
        map.m[i][j] = (dae__pair){w[j], w[j]};
    }
    dae__radau_map_rows(s, &map, n, o->polynomial, n, o->K, n);
    return;
  }
  for (int i = 0; i < s; i++) {
    radau_predict_weights(last, d, 1 + rule->c->c[i] * ratio, w);
    dae__sum_rows(d, w, n, n, radau_row(o->polynomial, n, last->s - d), radau_row(o->K, n, i));
  }
}

/* ---- states of the stages ---- */

void dae__radau_stage_state(const dae__radau *o, const dae__collocation_rule *c, const double *K,
                            const dae_step *step, int i, double *z)
{
  const dae__reduced *r = o->r;
  int n2 = r->n2, n = r->n, dynamic = n2 + r->n1;
  double h = step->h;
  const double *z0 = step->from.z;
  dae__add_rows(c->s, c->A2[i], h * h, n2, n, K, z0, z);
  dae__axpy(n2, c->c[i] * h, z0 + n2, z);
  dae__add_rows(c->s, c->A[i], h, dynamic, n, K, z0 + n2, z + n2);
  dae__copy(n - dynamic, K + (size_t)i * (size_t)n + dynamic, z + n2 + dynamic);
}

/* States Z of all stages for the iterate K. */
static void radau_stage_states(const dae__radau *o, const dae__radau_rule *rule,
                               const dae_step *step)
{
  const dae__reduced *r = o->r;
  int s = rule->s, n2 = r->n2, n = r->n, dynamic = n2 + r->n1, size = n2 + n;
  double h = step->h, at[DAE__RADAU_STAGES];
  for (int i = 0; i < s; i++)
    at[i] = rule->c->c[i] * h;
  dae__radau_integral q = {&rule->A2, h * h, step->from.z, step->from.z + n2, at, n2};
  dae__radau_integral v = {&rule->A, h, step->from.z + n2, NULL, NULL, dynamic};
  if (n2 > 0)
    dae__radau_integrate(s, &q, n, o->K, size, o->Z);
  dae__radau_integrate(s, &v, n, o->K, size, o->Z + n2);
  for (int i = 0; i < s; i++)
    dae__copy(n - dynamic, radau_row(o->K, n, i) + dynamic,
              radau_row(o->Z, size, i) + n2 + dynamic);
}

/* ---- iteration matrices ---- */

/* Evaluates the Jacobians at the predicted middle of the step or (start) at its start, if the
 * prediction is not reliable. Far from the solution, Jacobians may be so large that every increment
 * is small: with a diode in a circuit the iteration then ends without solving the equations. */
static dae_status radau_linearise(dae__radau *o, const dae__radau_rule *rule, const dae_step *step,
                                  bool start, dae_error *err)
{
  int middle = rule->s / 2, n2 = o->r->n2, n = o->r->n, dynamic = n2 + o->r->n1;
  dae__reduced_at at = {.t = step->t, .z = step->from.z, .k = o->rhs};
  dae__copy(dynamic, step->from.dz + n2, o->rhs);
  dae__copy(n - dynamic, step->from.z + n2 + dynamic, o->rhs + dynamic);
  if (!start) {
    double *z = radau_row(o->Z, n2 + n, middle);
    dae__radau_stage_state(o, rule->c, o->K, step, middle, z);
    at = (dae__reduced_at){
        .t = step->t + rule->c->c[middle] * step->h, .z = z, .k = radau_row(o->K, n, middle)};
  }
  dae_status status = o->r->table->linearise(o->r->self, &at, err);
  /* no preconditioner for fixed steps: with it the iteration does not reach round-off */
  if (!status)
    dae__reduced_precondition(o->r,
                              !o->fixed && o->memory->failed < DAE__RADAU_PRECONDITIONED_FAILURES);
  o->memory->linearised = !status;
  o->memory->matrix_h = 0;
  o->r->memory->jacobians++;
  o->memory->work += DAE__RADAU_JACOBIAN_WORK;
  return status;
}

/* Whether the factored matrix, of all stages or of the blocks, is that of this step size. */
static bool radau_factored(const dae__radau *o, const dae__radau_rule *rule, bool full, double h)
{
  const dae__radau_memory *m = o->memory;
  return m->linearised && m->matrix_full == full && m->matrix_s == rule->s &&
         fabs(h - m->matrix_h) <= DAE__RADAU_SAME_STEP * h;
}

static dae_status radau_factor_blocks(dae__radau *o, const dae__radau_rule *rule, double h,
                                      dae_error *err)
{
  dae__radau_memory *m = o->memory;
  double complex w[DAE__REDUCED_PAIRS];
  if (radau_factored(o, rule, false, h))
    return DAE_OK;
  for (int p = 0; p < rule->pairs; p++)
    w[p] = h * rule->zmu[p];
  m->matrix_h = 0;
  DAE__TRY(dae__reduced_factor(o->r, h * rule->mu, rule->pairs, w, err));
  m->matrix_h = h;
  m->matrix_s = rule->s;
  m->matrix_full = false;
  m->work +=
      o->block_work * (DAE__RADAU_REAL_BLOCK_WORK + DAE__RADAU_COMPLEX_BLOCK_WORK * rule->pairs);
  return DAE_OK;
}

/* Factors the matrix of all stages at the iterate, and the real block of the middle stage for error
 * estimate and projection. */
static dae_status radau_factor_full(dae__radau *o, const dae__radau_rule *rule,
                                    dae__radau_full *full, const dae_step *step, dae_error *err)
{
  dae__radau_memory *m = o->memory;
  m->matrix_h = 0;
  dae_status status = dae__radau_full_factor(o, full, rule, step, err);
  if (!status && !o->smooth) /* which has matrices of both ends for the error */
    status = dae__reduced_factor(o->r, step->h * rule->mu, 0, NULL, err);
  m->linearised = !status;
  DAE__TRY(status);
  m->matrix_h = step->h;
  m->matrix_s = rule->s;
  m->matrix_full = true;
  return DAE_OK;
}

/* ---- iteration ---- */

/* The preconditioner is factored at the first iterate only: new factors at later ones save no
 * iterations. */
dae_status dae__radau_residuals(dae__radau *o, const dae__radau_rule *rule, const dae_step *step,
                                bool first, dae_error *err)
{
  int n = o->r->n, size = o->r->n2 + n;
  radau_stage_states(o, rule, step);
  for (int i = 0; i < rule->s; i++) {
    dae__reduced_at at = {.t = step->t + rule->c->c[i] * step->h,
                          .z = radau_row(o->Z, size, i),
                          .k = radau_row(o->K, n, i),
                          .stage = i,
                          .refactor = first,
                          .end = i == rule->s - 1};
    DAE__TRY(o->r->table->residual(o->r->self, &at, radau_row(o->R, n, i), err));
  }
  return DAE_OK;
}

/* D = J\R, decoupled by the eigenvectors of A */
static void radau_solve_blocks(dae__radau *o, const dae__radau_rule *rule)
{
  int n = o->r->n, s = rule->s, rows = dae__reduced_rows(o->r);
  DAE__ASSERT(o->memory->matrix_h > 0 && o->memory->matrix_s == s && !o->memory->matrix_full);
  dae__radau_map_rows(s, &rule->to_eigen, rows, o->R, n, o->W, rows);
  if (rule->reals > 0)
    dae__solver_solve(o->r->real, o->W);
  for (int p = 0; p < rule->pairs; p++) {
    double *W = radau_row(o->W, rows, rule->reals + 2 * p);
    dae__zsolver_solve(o->r->pair[p], W, W + rows);
  }
  dae__radau_map_rows(s, &rule->from_eigen, rows, o->W, rows, o->D, n);
  /* algebraic part of D: that of the preconditioned residual */
  for (int i = 0; rows < n && i < s; i++)
    dae__copy(n - rows, radau_row(o->R, n, i) + rows, radau_row(o->D, n, i) + rows);
}

/* K -= D; returns the norm of D */
static double radau_correct(dae__radau *o, const dae__radau_rule *rule)
{
  int n = o->r->n, tested = o->r->tested_count;
  dae__pair sum = {0, 0};
  for (int i = 0; i < rule->s; i++) {
    double *K = radau_row(o->K, n, i), *D = radau_row(o->D, n, i);
    int j = 0;
    for (; j + 2 <= n; j += 2) {
      dae__pair d = dae__pair_from_anywhere(D + j), e = d * dae__pair_of(o->scale + j);
      dae__pair_to(K + j, dae__pair_from_anywhere(K + j) - d);
      sum += e * e;
    }
    if (j < n) {
      double e = D[j] * o->scale[j];
      K[j] -= D[j];
      sum[0] += e * e;
    }
  }
  return sqrt(dae__pair_sum(sum) / (rule->s * (tested > 0 ? tested : 1)));
}

typedef enum convergence { CONTINUE, CONVERGED, DIVERGED } convergence;

typedef struct iteration {
  double first, norm; /* norms of the first and of the last increment */
  double noise;       /* norm of increments that are round-off of coordinates */
  double theta;       /* mean contraction, weighted toward the last increments */
  double rate;        /* ratio of the last increment to the one before */
  int count;
} iteration;

/* Convergence test with the norm of the newest increment. */
static convergence radau_test(iteration *it, const dae__radau_tolerance *tolerance, double norm)
{
  double before = it->norm, round_off = DAE__RADAU_ROUND_OFF / tolerance->rtol;
  int most = tolerance->fixed ? DAE__RADAU_MAX_ITERATIONS_FIXED : DAE__RADAU_MAX_ITERATIONS;
  int left = most - 1 - it->count;
  if (!isfinite(norm))
    return DIVERGED;
  it->norm = norm;
  if (it->count++ == 0) {
    double enough = DAE__RADAU_ONE_ITERATION_INCREMENT * tolerance->stop;
    it->first = norm;
    return norm <= (tolerance->fixed ? round_off : enough) ? CONVERGED : CONTINUE;
  }
  double now = it->rate = norm / before;
  it->theta = it->count == 2 ? now : sqrt(it->theta * now);
  if (norm <= round_off)
    return CONVERGED;
  if (now > 0.3 && norm <= fmax(tolerance->stagnation, it->noise)) /* stagnation at round-off */
    return CONVERGED;
  /* fixed steps: round-off is larger relative to the weight of a component near zero */
  if (tolerance->fixed && now > 0.9 && norm <= 0.01 * tolerance->stop)
    return CONVERGED;
  if (left <= 0)
    return DIVERGED;
  /* new matrices: no rate tells the error but that of increments that are small already */
  if (tolerance->damp && norm > tolerance->stop && now < DAE__RADAU_DIVERGENT_CONTRACTION)
    return CONTINUE;
  if (tolerance->damp && norm > tolerance->stop)
    return it->count < DAE__RADAU_DAMPED_GROWING_ITERATIONS ? CONTINUE : DIVERGED;
  if (it->theta >= DAE__RADAU_DIVERGENT_CONTRACTION)
    return tolerance->fixed && it->count < DAE__RADAU_GROWING_ITERATIONS ? CONTINUE : DIVERGED;
  double error = it->theta / (1 - it->theta) * norm;
  double stop = tolerance->fixed ? DAE__NEWTON_EXACT_GOAL / tolerance->rtol : tolerance->stop;
  if (error <= stop)
    return CONVERGED;
  if (!tolerance->fixed && error * pow(it->theta, left) > stop)
    return DIVERGED;
  return CONTINUE;
}

/* Unknown of the largest increment, a NaN before all others. */
static int radau_largest_increment(const dae__radau *o, const dae__radau_rule *rule)
{
  int n = o->r->n, worst = 0;
  double most = -1;
  for (int j = 0; j < rule->s; j++)
    for (int i = 0; i < n; i++) {
      double d = fabs(o->D[(size_t)j * (size_t)n + (size_t)i] * o->scale[i]);
      if (!(d <= most))
        most = d, worst = i;
    }
  return worst;
}

/* Reports an iteration without convergence, with the name of the unknown of the largest
 * increment. */
static dae_status radau_not_converged(const dae__radau *o, int worst, dae_error *err)
{
  char name[64] = "";
  o->r->table->name(o->r->self, worst, name, sizeof name);
  return dae__fail(err, DAE_ERROR_STEP, name,
                   "the Newton iteration of the stages does not converge, worst in %s", name);
}

/* Newton iteration by blocks or (full) by the matrix of all stages, which is factored again if its
 * contraction is slow. */
static dae_status radau_iterate(dae__radau *o, const dae__radau_rule *rule, dae__radau_full *full,
                                const dae_step *step, dae_error *err)
{
  dae__radau_memory *m = o->memory;
  iteration it = {.noise = o->noise};
  convergence state = CONTINUE;
  int largest = 0;
  while (state == CONTINUE) {
    bool slow = it.rate > DAE__RADAU_FULL_UPDATE_CONTRACTION || (o->smooth && it.count < 2);
    if (full && o->smooth && slow)
      DAE__TRY(dae__radau_relax(o, rule, step, err));
    DAE__TRY(dae__radau_residuals(o, rule, step, it.count == 0, err));
    m->iterations++;
    m->work += rule->s;
    if (!full) {
      radau_solve_blocks(o, rule);
    } else {
      if (!radau_factored(o, rule, true, step->h) || slow)
        DAE__TRY(radau_factor_full(o, rule, full, step, err));
      dae__radau_full_solve(o, full);
    }
    state = radau_test(&it, &rule->tolerance, radau_correct(o, rule));
    /* fixed steps: the last increment is round-off */
    if (state == DIVERGED || (o->adapter->limiting->wanted && (state == CONVERGED) != o->fixed)) {
      largest = radau_largest_increment(o, rule);
      o->adapter->limiting->change = o->r->n2 + largest;
    }
  }
  m->theta = it.theta;
  if (state == CONVERGED)
    return DAE_OK;
  if (o->r->memory->preconditioned && it.rate > DAE__RADAU_NOISE_CONTRACTION &&
      it.norm <= DAE__RADAU_NOISE_DECREASE * it.first)
    m->failed = DAE__RADAU_PRECONDITIONED_FAILURES;
  return radau_not_converged(o, largest, err);
}

/* ---- steps ---- */

/* Predictor of the stages: the polynomial of the last step extrapolated, the slopes at the start,
 * or the state at the start. */
typedef enum predictor { EXTRAPOLATED, SLOPE, STATE } predictor;

/* One solution of the stages: predictor, matrices and iteration. */
static dae_status radau_solve_once(dae__radau *o, const dae__radau_stepper *stepper,
                                   const dae_step *step, predictor from, dae_error *err)
{
  bool constant = from != EXTRAPOLATED;
  const dae__radau_rule *rule = dae__radau_rule_at(o, stepper->rule);
  int n = o->r->n, n2 = o->r->n2, dynamic = n2 + o->r->n1;
  for (int i = 0; constant && i < rule->s; i++) {
    dae__copy(dynamic, step->from.dz + n2, radau_row(o->K, n, i));
    dae__scale(dynamic, from == SLOPE ? 1 : 0, radau_row(o->K, n, i));
    dae__copy(n - dynamic, step->from.z + n2 + dynamic, radau_row(o->K, n, i) + dynamic);
  }
  if (!constant)
    radau_predict_extrapolated(o, rule, step->h);
  o->memory->fresh = !o->memory->linearised;
  if (stepper->full) {
    dae__reduced_precondition(o->r, false);
    return radau_iterate(o, rule, o->full[stepper->rule], step, err);
  }
  if (!o->memory->linearised)
    DAE__TRY(radau_linearise(o, rule, step, constant || o->r->algebraic, err));
  DAE__TRY(radau_factor_blocks(o, rule, step->h, err));
  return radau_iterate(o, rule, NULL, step, err);
}

/* Norm of the increments that stiff forces make of the round-off of coordinates, over (h mu)^2. */
static double radau_noise(const dae__radau *o, const dae__radau_rule *rule, const dae_step *step)
{
  int n2 = o->r->n2, tested = o->r->tested_count;
  double w = step->h * rule->mu, sum = 0;
  double size = DAE__RADAU_ROUND_OFF * dae__max_abs(n2, step->from.z) / (w * w);
  for (int i = 0; i < n2; i++)
    sum += size * o->scale[i] * (size * o->scale[i]);
  return sqrt(sum / (tested > 0 ? tested : 1));
}

/* Sets scale_i, which converts an increment of K_i to the increment of its integral relative to the
 * tolerance. */
static void radau_scale_increments(dae__radau *o, const dae__radau_rule *rule, const dae_step *step)
{
  const dae__radau_tolerance *tolerance = &rule->tolerance;
  const dae__reduced *r = o->r;
  int n2 = r->n2, dynamic = n2 + r->n1;
  double h = step->h, *w = o->weight;
  bool solved =
      !(r->index_2 && (o->fixed || o->adapter->singular)); /* y is solved for at the end */
  dae__weights(n2 + r->n, tolerance->rtol, tolerance->atol, o->adapter->atol_scale, step->from.z,
               w);
  for (int i = 0; i < r->n; i++) {
    double factor = i < dynamic || !solved ? h : 1;
    o->scale[i] = r->tested[i] ? factor / w[n2 + i] : 0;
    if (i < n2)
      o->scale[i] = fmax(o->scale[i], h * h / (2 * w[i]));
  }
  o->noise = o->smooth ? radau_noise(o, rule, step) : 0;
}

/* Failure by lack of convergence or a singular matrix, as opposed to a failed evaluation. */
static bool radau_solve_failed(dae_status status)
{
  return status == DAE_ERROR_STEP || status == DAE_ERROR_SINGULAR;
}

dae_status dae__radau_solve(dae__radau *o, const dae__radau_stepper *stepper, const dae_step *step,
                            dae_error *err)
{
  const dae__radau_rule *rule = dae__radau_rule_at(o, stepper->rule);
  dae__radau_memory *m = o->memory;
  bool constant = m->s == 0;
  o->diverged = false;
  radau_scale_increments(o, rule, step);
  dae_status status = radau_solve_once(o, stepper, step, constant ? SLOPE : EXTRAPOLATED, err);
  bool noisy = m->failed >= DAE__RADAU_PRECONDITIONED_FAILURES && o->r->memory->preconditioned;
  if (radau_solve_failed(status) && (noisy || !(m->fresh && constant))) {
    /* second attempt with Jacobians of this step and a constant predictor */
    m->linearised = m->linearised && m->fresh && !stepper->full && !noisy;
    status = radau_solve_once(o, stepper, step, SLOPE, err);
  }
  if (o->fixed && dae__can_retry(status)) { /* a fixed step cannot be reduced */
    m->linearised = false;
    status = radau_solve_once(o, stepper, step, STATE, err);
  }
  if (o->r->memory->preconditioned)
    m->failed = radau_solve_failed(status) ? m->failed + 1 : 0;
  if (status) {
    m->linearised = false;
    o->diverged = status == DAE_ERROR_STEP;
    return status;
  }
  /* end_increment: change of the end of the step by the last increment D of K */
  const dae__reduced *r = o->r;
  int n2 = r->n2, last = rule->s - 1;
  double h = step->h, *dz = o->end_increment;
  dae__sum_rows(rule->s, rule->c->A2[last], n2, r->n, o->D, dz);
  dae__scale(n2, -h * h, dz);
  dae__sum_rows(rule->s, rule->c->A[last], n2 + r->n1, r->n, o->D, dz + n2);
  dae__scale(n2 + r->n1, -h, dz + n2);
  dae__zero(r->n - n2 - r->n1, dz + 2 * n2 + r->n1);
  if (r->memory->preconditioned)
    dae__reduced_update_algebraic(r, dz, radau_row(o->K, r->n, last) + r->differential.cols);
  radau_stage_states(o, rule, step);
  return DAE_OK;
}

dae_status dae__radau_solve_piece(dae__radau *o, const dae__radau_rule *rule, const dae_step *piece,
                                  dae_error *err)
{
  radau_scale_increments(o, rule, piece);
  DAE__TRY(radau_factor_blocks(o, rule, piece->h, err));
  DAE__TRY(radau_iterate(o, rule, NULL, piece, err));
  radau_stage_states(o, rule, piece);
  return DAE_OK;
}
