/* Iterations of the stage system, and the choice between them.
 *
 * Simplified Newton in Gauss-Seidel form [J09 section 2.2]: Y is refreshed before the residuals;
 * with the transformation Q the increments of Z, L and Psi take s solves with matrix (2) and one
 * with matrix (3), factored once, at the predicted midpoint. The decoupled iteration (decoupled.h)
 * replaces matrix (2) by blocks with the derivatives of the forces; full Newton is in
 * full_newton.c. If an iteration converges too slowly, the step is repeated with the next. */
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "onestep/spark/decoupled.h"
#include "onestep/spark/full_newton.h"
#include <float.h>

/* Tuning constants; chosen, not measured, unless a source is given. */

/* Number of iterations without halving the change that counts as stagnation at round-off. With a
 * smaller number, oscillations due to complex eigenvalues of A would count as stagnation. */
#define STAGNATION_ITERATIONS 3
/* Factor by which the change has to decrease within three iterations; within two iterations it must
 * not increase. */
#define SLOW_CONTRACTION 0.5
/* Extrapolated number of simplified iterations above which the next strategy is tried. */
#define MAX_EXPECTED_ITERATIONS 20
/* Growth of the change, relative to the smallest change or to 1, that counts as divergence. */
#define DIVERGENCE 1e3
/* Contraction above which the Jacobian of the full Newton iteration is evaluated again. */
#define JACOBIAN_REFRESH_CONTRACTION 0.3
/* Number of steps that begin with a strategy after a step that needed it. */
#define STRATEGY_STEPS 20
/* Ratio of the contractions of the decoupled and the simplified iteration below which the decoupled
 * one is worth its factorisations. */
#define DECOUPLED_GAIN 0.5
/* Number of steps for which an observed contraction of the decoupled iteration remains valid. */
#define CONTRACTION_STEPS 50

/* ---- simplified and decoupled iteration ---- */

/* out = sum over j of row[j] times vector j of R, vectors of length n */
static void iteration_combine(const double *row, int count, int n, const double *R, double *out)
{
  dae__zero(n, out);
  for (int j = 0; j < count; j++)
    dae__axpy(n, row[j], R + (size_t)j * (size_t)n, out);
}

/* xi = row k of Ti times s vectors of length n: transformation to eigenvector k of A */
static void iteration_to_eigenvectors(const dae__spark_transform *tr, int k, int n,
                                      const double *values, double complex *xi)
{
  for (int i = 0; i < n; i++)
    xi[i] = 0;
  for (int j = 0; j < tr->s; j++)
    for (int i = 0; i < n; i++)
      xi[i] += tr->Ti[k * tr->s + j] * values[(size_t)j * (size_t)n + (size_t)i];
}

/* values += contribution of eigenvector k of A, and of its complex conjugate, to T xi */
static void iteration_from_eigenvectors(const dae__spark_transform *tr, int k, int n,
                                        const double complex *xi, double *values)
{
  for (int i = 0; i < tr->s; i++) {
    double complex t = (k < tr->reals ? 1 : 2) * tr->T[i * tr->blocks + k];
    for (int j = 0; j < n; j++)
      values[(size_t)i * (size_t)n + (size_t)j] += creal(t * xi[j]);
  }
}

/* solves all transformed rows but the last, delta, by the blocks of A = T diag(mu) Ti, and adds the
 * increments of Y; *change: largest change relative to the weights so far */
static void iteration_solve_decoupled(dae__stages *st, const double *weight, double *change)
{
  const dae__spark_transform *tr = st->transform;
  const dae__spark_equations *eq = st->equations;
  int s = st->s, width = eq->nz + eq->ng + eq->nk;
  const double *delta = dae__stage_vector(st->x, s, width);
  double *dY = dae__stage_vector(st->D, s, width);
  double complex *e = st->xi + width;
  dae__zero(s * width + s * eq->ny, st->D);
  for (int k = 0; k < tr->blocks; k++) {
    double complex w = 0;
    for (int j = 0; j < s; j++)
      w += tr->Ti[k * s + j] * tr->w[j];
    iteration_to_eigenvectors(tr, k, width, st->x, st->xi);
    iteration_to_eigenvectors(tr, k, eq->ny, st->refresh_change, e);
    dae__decoupled_solve(&st->decoupled, k, st->h * tr->mu[k], w, delta, e, st->xi);
    iteration_from_eigenvectors(tr, k, width, st->xi, st->D);
    iteration_from_eigenvectors(tr, k, eq->ny, e, dY);
  }
  dae__copy(s * width, st->D, st->x);
  dae__axpy(s * eq->ny, 1, dY, dae__stage_vector(st->now.Y, 1, eq->ny));
  for (int i = 0; i < s; i++) /* gamma' (dY; dy1) = 0 */
    dae__axpy(eq->ny, -tr->gamma[i], dae__stage_vector(dY, i, eq->ny),
              dae__stage_vector(st->now.Y, s + 1, eq->ny));
  for (int i = 0; i < s * eq->ny; i++)
    if (fabs(dY[i]) / weight[i % eq->ny] > *change)
      *change = fabs(dY[i]) / weight[i % eq->ny], st->worst = i % eq->ny;
}

/* adds the increments to Z, L and Psi; *change: largest change relative to the weights so far */
static void iteration_add_increments(dae__stages *st, const double *weight, double *change)
{
  const dae__spark_transform *tr = st->transform;
  const dae__spark_equations *eq = st->equations;
  int s = st->s, nz = eq->nz, ng = eq->ng, nk = eq->nk, width = nz + ng + nk;
  const double *delta = dae__stage_vector(st->x, s, width);
  for (int n = 0; n < nz; n++) {
    double last = delta[n], most = 0; /* dz1 = delta + b' A^-1 dZ = delta - gamma dZ */
    for (int i = 0; i < s; i++) {
      double dZ = st->x[i * width + n] - tr->w[i] * delta[n];
      st->now.Z[(i + 1) * nz + n] += dZ;
      last -= tr->gamma[i] * dZ;
      most = fmax(most, fabs(dZ) / weight[n]);
    }
    st->now.Z[(s + 1) * nz + n] += last;
    most = fmax(most, fabs(last) / weight[n]);
    if (most > *change)
      *change = most, st->worst = eq->ny + n;
  }
  for (int i = 0; i <= s; i++)
    for (int j = 0; j <= s; j++)
      dae__axpy(ng, tr->Qat_inv[i * (s + 1) + j] / st->h, dae__stage_vector(st->x, j, width) + nz,
                dae__stage_vector(st->now.L, i, ng));
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++)
      dae__axpy(nk, tr->Qah_inv[i * s + j] / st->h, dae__stage_vector(st->x, j, width) + nz + ng,
                dae__stage_vector(st->now.Psi, i, nk));
}

/* one simplified or decoupled iteration; *change: largest change of Y and Z relative to the
 * weights */
static dae_status iteration_simplified(dae__stages *st, const dae__stages_goal *goal,
                                       double *change, dae_error *err)
{
  const dae__spark_equations *eq = st->equations;
  const dae__spark_transform *tr = st->transform;
  int s = st->s, nz = eq->nz, ng = eq->ng, nk = eq->nk, width = nz + ng + nk;
  DAE__ASSERT(tr && st->memory->factored);
  DAE__TRY(dae__stages_refresh(st, goal->y_weight, change, err));
  DAE__TRY(dae__stages_evaluate(st, err));
  for (int i = 0; i <= s; i++)
    dae__stages_residual5(st, i, dae__stage_vector(st->R5, i, nz));
  for (int i = 0; i < s * ng; i++) /* R6: g / h at the tilde nodes, then gdot at the end */
    st->R6[i] = st->g[ng + i] / st->h;
  dae__copy(ng, st->g, dae__stage_vector(st->R6, s, ng));
  for (int i = 0; i <= s; i++) { /* right sides -(q5, q6, q7) of the transformed rows */
    double *x = dae__stage_vector(st->x, i, width);
    iteration_combine(tr->Q + i * (s + 1), s + 1, nz, st->R5, x);
    iteration_combine(tr->Qc + i * (s + 1), s + 1, ng, st->R6, x + nz);
    if (i < s)
      iteration_combine(tr->Qt + i * (s + 1), s + 1, nk, st->k, x + nz + ng);
    dae__scale(i < s ? width : nz + ng, -1, x);
  }
  eq->table->solve(eq->self, false, dae__stage_vector(st->x, s, width));
  if (st->strategy == DAE__STAGES_DECOUPLED)
    iteration_solve_decoupled(st, goal->y_weight, change);
  else
    for (int i = 0; i < s; i++)
      eq->table->solve(eq->self, true, dae__stage_vector(st->x, i, width));
  iteration_add_increments(st, goal->z_weight, change);
  return DAE_OK;
}

/* entry of (z, lambda, psi) with the largest increment: of a multiplier, or of z without
 * constraints */
static int iteration_worst(const dae__stages *st)
{
  const dae__spark_equations *eq = st->equations;
  int nc = eq->ng + eq->nk, width = eq->nz + nc, from = nc > 0 ? eq->nz : 0, worst = from;
  double largest = -1;
  for (int i = 0; i < st->s; i++)
    for (int n = from; n < width; n++)
      if (fabs(dae__stage_vector(st->x, i, width)[n]) > largest) {
        largest = fabs(dae__stage_vector(st->x, i, width)[n]);
        worst = n;
      }
  return worst;
}

/* ---- factorisation ---- */

/* factors matrices (2) and (3), and the blocks of the decoupled iteration, at the midpoint of the
 * predicted step with the means of its multipliers */
static dae_status iteration_factor_midpoint(dae__stages *st, dae_error *err)
{
  const dae__spark_equations *eq = st->equations;
  const dae__spark_transform *tr = st->transform;
  double *y = st->Yt, *z = st->x, *lambda = st->R6, *psi = st->R7;
  double complex hmu[DAE_SPARK_MAX_STAGES];
  for (int n = 0; n < eq->ny; n++)
    y[n] = (st->now.Y[n] + st->now.Y[(st->s + 1) * eq->ny + n]) / 2;
  for (int n = 0; n < eq->nz; n++)
    z[n] = (st->now.Z[n] + st->now.Z[(st->s + 1) * eq->nz + n]) / 2;
  dae__zero(eq->ng, lambda);
  for (int i = 0; i < st->nt; i++)
    dae__axpy(eq->ng, 1.0 / st->nt, dae__stage_vector(st->now.L, i, eq->ng), lambda);
  dae__zero(eq->nk, psi);
  for (int i = 0; i < st->s; i++)
    dae__axpy(eq->nk, 1.0 / st->s, dae__stage_vector(st->now.Psi, i, eq->nk), psi);
  dae_momentum_at at = {st->t + st->h / 2, y, z};
  st->memory->factored = true;
  st->memory->factorisations++;
  st->memory->jacobians++;
  DAE__TRY(eq->table->factor(eq->self, &at, lambda, psi, err));
  if (st->strategy != DAE__STAGES_DECOUPLED)
    return DAE_OK;
  st->memory->blocks = true;
  st->memory->jacobians++;
  st->memory->factorisations += tr->blocks;
  for (int k = 0; k < tr->blocks; k++)
    hmu[k] = st->h * tr->mu[k];
  return dae__decoupled_factor(&st->decoupled, &at, lambda, psi, hmu, err);
}

/* predicts the step and factors the matrices of the strategy; the full Newton iteration is created
 * on demand in its own memory, since few problems need it */
static dae_status iteration_start(dae__stages *st, double t, double h, const double *y0,
                                  const double *z0, dae_error *err)
{
  const dae__spark_equations *eq = st->equations;
  bool full = st->strategy == DAE__STAGES_FULL;
  if (full && !st->full) {
    dae__arena_free(st->full_arena);
    st->full_arena = dae__arena_create(st->env);
    if (!st->full_arena)
      return dae__out_of_memory(err);
    DAE__TRY(dae__full_newton_create(st->full_arena, st->tableau, eq, &st->full, err));
  }
  /* pivots are not saved, and a loaded run has to find the same ones */
  if (full && st->full_arena)
    dae__solver_reset(st->full->solver);
  for (int i = 0; i < eq->ng + eq->nk; i++)
    eq->diagonal[eq->nz + i] = eq->active && !eq->active[i] ? 1 : 0;
  st->t = t;
  st->h = h;
  dae__copy(eq->ny, y0, st->now.Y);
  dae__copy(eq->nz, z0, st->now.Z);
  dae__stages_predict(st);
  for (int i = 1; i <= st->s + 1; i++)
    dae__copy(eq->ny, y0, dae__stage_vector(st->now.Y, i, eq->ny));
  dae_momentum_at at = {t, y0, z0};
  DAE__TRY(eq->table->eval(eq->self, &at, NULL, &(dae__spark_wanted){.p = st->p0}, err));
  /* two evaluations of v for the predicted Y; one where v may be stiff */
  int sweeps = st->strategy == DAE__STAGES_SIMPLIFIED || !st->transform ? 2 : 1;
  for (int sweep = 0; sweep < sweeps; sweep++)
    DAE__TRY(dae__stages_refresh(st, NULL, NULL, err));
  return full ? dae__full_newton_factor(st->full, st, err) : iteration_factor_midpoint(st, err);
}

/* ---- choice of the strategy ---- */

/* whether the decoupled iteration, by its last observed contraction, is worth its factorisations */
static bool iteration_decoupled_pays(const dae__stages_memory *m)
{
  const double *c = m->contraction;
  return m->contraction_steps > 0 &&
         c[DAE__STAGES_DECOUPLED] < DECOUPLED_GAIN * c[DAE__STAGES_SIMPLIFIED];
}

static bool iteration_available(const dae__stages *st, const dae__stages_goal *goal,
                                dae__stages_strategy strategy)
{
  const dae__stages_memory *m = st->memory;
  if (strategy == DAE__STAGES_FULL)
    return goal->allow_full || !st->transform;
  if (strategy == DAE__STAGES_DECOUPLED)
    return st->decoupled.count > 0 &&
           (goal->allow_full || m->contraction_steps == 0 || iteration_decoupled_pays(m));
  return st->transform;
}

/* next available strategy after the current one; false: no further strategy */
static bool iteration_next_strategy(const dae__stages *st, const dae__stages_goal *goal,
                                    dae__stages_strategy *strategy)
{
  for (dae__stages_strategy next = *strategy; next < DAE__STAGES_FULL;)
    if (iteration_available(st, goal, ++next)) {
      *strategy = next;
      return true;
    }
  return false;
}

/* records the mean contraction of the iteration, from its first and last change */
static void iteration_observe(dae__stages *st, double first, double last, int iterations)
{
  if (st->strategy == DAE__STAGES_FULL || iterations < 2 || !isfinite(last) || !(first > 0))
    return;
  double rate = pow(fmax(last / first, DBL_MIN), 1.0 / (iterations - 1));
  st->memory->contraction[st->strategy] = rate / st->h;
  if (st->strategy == DAE__STAGES_DECOUPLED)
    st->memory->contraction_steps = CONTRACTION_STEPS;
}

/* ---- convergence ---- */

/* iterates until the stopping criterion is met; DAE_ERROR_STEP: convergence too slow, or
 * divergence */
static dae_status iteration_converge(dae__stages *st, const dae__stages_goal *goal, dae_error *err)
{
  double best = INFINITY, before[3] = {INFINITY, INFINITY, INFINITY}, first = 0, change = 0;
  dae__stages_strategy next = st->strategy;
  bool full = st->strategy == DAE__STAGES_FULL, last = !iteration_next_strategy(st, goal, &next);
  bool simplified = st->strategy == DAE__STAGES_SIMPLIFIED;
  int since_halved = 0, i;
  for (i = 0; i < goal->max_iterations; i++) {
    change = 0;
    st->worst = -1;
    DAE__TRY(full ? dae__full_newton_iterate(st->full, st, goal, &change, err)
                  : iteration_simplified(st, goal, &change, err));
    st->memory->iterations++;
    first = i == 0 ? change : first;
    since_halved = change <= best / 2 ? 0 : since_halved + 1;
    best = fmin(best, change);
    bool stagnates = since_halved >= STAGNATION_ITERATIONS && best <= goal->stagnation_tolerance;
    bool converged = change <= goal->tolerance || stagnates;
    /* Y for the last Z: an increment h dZ of Y may be large although dZ is small, with slow rates
     * in a large unit of time; decoupled and full Newton iterations update Y together with Z */
    if (converged && simplified) {
      DAE__TRY(dae__stages_refresh(st, goal->y_weight, &change, err));
      converged = change <= goal->tolerance || stagnates;
    }
    if (!converged || !goal->allow_full)
      st->limiting = st->worst;
    if (converged) {
      if (!stagnates)
        iteration_observe(st, first, change, i + 1);
      return DAE_OK;
    }
    double rate = i > 3 && simplified && goal->allow_full ? pow(change / first, 1.0 / i) : 0;
    bool slow = change > SLOW_CONTRACTION * before[0] || change > before[1] ||
                i + log(goal->tolerance / change) / log(rate) > MAX_EXPECTED_ITERATIONS;
    slow = slow && change > goal->stagnation_tolerance;
    if ((slow && !last) || !isfinite(change) || change > DIVERGENCE * fmax(best, 1))
      break;
    if (full && change > JACOBIAN_REFRESH_CONTRACTION * before[2] &&
        change > goal->stagnation_tolerance)
      DAE__TRY(dae__full_newton_factor(st->full, st, err));
    before[0] = before[1];
    before[1] = before[2];
    before[2] = change;
  }
  iteration_observe(st, first, change, i < goal->max_iterations ? i + 1 : i);
  char name[64];
  int worst = full ? dae__full_newton_worst(st->full) : iteration_worst(st);
  dae__spark_name(st->equations, worst, name, sizeof name);
  return dae__fail(err, DAE_ERROR_STEP, name,
                   "the iteration of the stages does not converge with step size %.3g, worst at %s",
                   st->h, name);
}

dae_status dae__stages_solve(dae__stages *st, double t, double h, const double *y0,
                             const double *z0, const dae__stages_goal *goal, dae_error *err)
{
  dae__stages_memory *m = st->memory;
  dae_status status;
  bool again, changed = m->first_strategy_steps == 1;
  st->limiting = -1;
  st->strategy = m->first_strategy_steps > 0 ? m->first_strategy : DAE__STAGES_SIMPLIFIED;
  if (!iteration_available(st, goal, st->strategy))
    iteration_next_strategy(st, goal, &st->strategy);
  do {
    status = iteration_start(st, t, h, y0, z0, err);
    if (!status)
      status = iteration_converge(st, goal, err);
    again = (status == DAE_ERROR_STEP || status == DAE_ERROR_RECOVERABLE) &&
            iteration_next_strategy(st, goal, &st->strategy);
    changed = changed || again;
  } while (again);
  m->first_strategy_steps -= m->first_strategy_steps > 0;
  if (changed) {
    bool idle =
        st->strategy == DAE__STAGES_DECOUPLED && !goal->allow_full && !iteration_decoupled_pays(m);
    m->first_strategy = st->strategy;
    m->first_strategy_steps = idle ? 0 : STRATEGY_STEPS;
  }
  return status;
}
