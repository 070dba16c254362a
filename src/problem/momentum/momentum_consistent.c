/* Consistent start of a problem in the momentum form.
 *
 * y is projected onto g, and then z onto gdot and k, by Levenberg-Marquardt steps of least change,
 *
 *   [ 1   A'     ] [ d ]   [  0 ]
 *   [ A  -delta I] [ . ] = [ -r ],   A = g_y, or A = [g_y v_z; k_z],
 *
 * with delta proportional to |r|^2, which end at the least-squares point where constraints
 * contradict each other. Columns of fixed values are removed. A z without fixed values is projected
 * along the constraint forces instead, by damped Newton steps with the matrix of momentum_motion.h,
 * as long as these converge. Then the rows of A = [g_y v_z; k_z] must be independent, and z' and
 * the multipliers follow from the index-1 equations. A dependent row a of A is a combination a =
 * sum_j c_j A_j of the others, where c solves [1 A'; A 0] (x, c) = (a', 0) with x = 0. */
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "linalg/rank.h"
#include "problem/consistent.h"
#include "problem/momentum/momentum_motion.h"
#include <float.h>
#include <stdio.h>

/* Smallest damping factor of a Newton step. Chosen, not measured. */
#define MIN_SHARE 1e-3
/* Tolerance of the rank, in place of DAE__RANK_TOLERANCE, for derivatives by first-order
 * differences, which are accurate to about 1e-8. */
#define RANK_TOLERANCE_COARSE 1e-6

/* One of the two levels of a projection: y onto g, or z onto (gdot, k). */
typedef struct level {
  dae__momentum_motion *motion;
  double t;
  double *y, *z;
  bool velocity;
  const bool *fixed; /* entries of y or z that do not move; NULL: none */
  int n, rows;
  double *trial;
  dae__saddle *saddle;
  const dae_pattern *G, *K; /* patterns of the rows of A; K may be NULL */
  double *G_values, *K_values;
} level;

static level momentum_start_level_of(dae__momentum_motion *motion, double t, double *state,
                                     const bool *fixed, bool velocity)
{
  const dae__momentum *m = motion->m;
  level l = {.motion = motion, .t = t, .y = state, .z = state + m->at.z, .velocity = velocity};
  dae__momentum_part part = velocity ? DAE__GDOT_Z : DAE__G_Y;
  l.fixed = fixed && velocity ? fixed + m->at.z : fixed;
  l.n = velocity ? m->nz : m->ny;
  l.rows = velocity ? m->nc : m->ng;
  l.trial = velocity ? motion->moved_z : motion->moved_y;
  l.saddle = velocity ? motion->least : motion->place;
  l.G = &m->pattern[part];
  l.G_values = motion->part[part];
  l.K = velocity ? &m->pattern[DAE__K_Z] : NULL;
  l.K_values = velocity ? motion->part[DAE__K_Z] : NULL;
  return l;
}

/* ---- residuals ---- */

/* Evaluates residual and Jacobians at x, which takes the place of y or z. */
static dae_status momentum_start_evaluate(const level *l, const double *x, dae_error *err)
{
  dae__momentum_motion *motion = l->motion;
  dae__momentum *m = motion->m;
  dae_momentum_at at = {.t = l->t, .y = l->velocity ? l->y : x, .z = l->velocity ? x : l->z};
  double *const *part = motion->part;
  DAE__TRY(dae__momentum_jacobian(m, DAE__G_Y, &at, NULL, part[DAE__G_Y], err));
  if (!l->velocity)
    return dae__momentum_g(m, &at, motion->residual, err);
  DAE__TRY(dae__momentum_v(m, &at, motion->v, err));
  DAE__TRY(dae__momentum_gdot(m, &at, motion->residual, err));
  DAE__TRY(dae__momentum_k(m, &at, motion->residual + m->ng, err));
  DAE__TRY(dae__momentum_jacobian(m, DAE__GDOT_Z, &at, NULL, part[DAE__GDOT_Z], err));
  return dae__momentum_jacobian(m, DAE__K_Z, &at, NULL, part[DAE__K_Z], err);
}

/* Evaluates residual, scale and Jacobians at x; *size: the largest relative residual. The scale of
 * a row never decreases during the iteration, so that values that shrink, such as a velocity that
 * must vanish, are measured by their initial terms. */
static dae_status momentum_start_measure(const level *l, const double *x, bool first, double *size,
                                         dae_error *err)
{
  dae__momentum_motion *motion = l->motion;
  const dae__momentum *m = motion->m;
  const dae_pattern *G = &m->pattern[DAE__G_Y];
  double *scale = motion->scale, *terms = motion->terms;
  *size = INFINITY;
  DAE__TRY(momentum_start_evaluate(l, x, err));
  /* the scale includes terms that are not of the form A x, such as g_t or a length, and the error
   * of differences, which no iteration reduces */
  dae__row_scale(G, motion->part[DAE__G_Y], l->velocity ? motion->v : x, scale);
  if (l->velocity) {
    dae__row_scale(l->K, l->K_values, x, scale + m->ng);
    dae__row_scale(G, motion->part[DAE__G_Y], l->y, motion->size);
    dae__axpy(m->ng, 2 * dae__momentum_gdot_error(m, l->y, motion->v) / DAE__START_MET,
              motion->size, scale);
  }
  *size = 0;
  for (int i = 0; i < l->rows; i++) {
    scale[i] += fabs(motion->residual[i]);
    terms[i] = first ? scale[i] : fmax(scale[i], terms[i]);
    scale[i] = terms[i];
    if (scale[i] > 0)
      *size = fmax(*size, fabs(motion->residual[i]) / scale[i]);
  }
  return DAE_OK;
}

/* ---- projection by the least change ---- */

static void momentum_start_zero_columns(const dae_pattern *p, const bool *fixed, double *values)
{
  for (int j = 0; p && j < p->cols; j++)
    for (int e = p->start[j]; fixed[j] && e < p->start[j + 1]; e++)
      values[e] = 0;
}

/* l->trial = x + Levenberg-Marquardt step with the current Jacobians, shift relative to A A';
 * *stagnates: the step is at round-off. */
static dae_status momentum_start_try_step(const level *l, double shift, bool *stagnates,
                                          dae_error *err)
{
  dae__momentum_motion *motion = l->motion;
  const double *x = l->velocity ? l->z : l->y;
  double a = dae__max_abs(dae__pattern_count(l->G), l->G_values);
  if (l->K)
    a = fmax(a, dae__max_abs(dae__pattern_count(l->K), l->K_values));
  shift = (a > 0 ? a * a : 1) * shift;
  dae__zero(l->n, motion->diagonal);
  for (int i = 0; i < l->rows; i++)
    motion->diagonal[l->n + i] = -shift;
  dae_status status =
      dae__saddle_factor(l->saddle, motion->ones, l->G_values, l->K_values, motion->diagonal);
  motion->memory->factorisations++;
  if (!l->velocity)
    motion->memory->placed = false; /* the factors are those of the shifted matrix */
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  if (status)
    return dae__fail(err, status, NULL, "the constraints cannot be solved for: %s",
                     dae_status_text(status));
  dae__zero(l->n, l->trial);
  for (int i = 0; i < l->rows; i++)
    motion->x[i] = -motion->residual[i];
  dae__saddle_solve(l->saddle, l->trial, motion->x);
  *stagnates = dae__max_abs(l->n, l->trial) <= DBL_EPSILON * dae__max_abs(l->n, x);
  dae__axpy(l->n, 1, x, l->trial);
  return DAE_OK;
}

/* Fails with DAE_ERROR_START, naming the constraints that are not satisfied. */
static dae_status momentum_start_refuse(const level *l, double size, dae_error *err)
{
  const dae__momentum_motion *motion = l->motion;
  char names[256] = "", name[64], first[64] = "";
  int count = 0;
  for (int i = 0; i < l->rows; i++)
    if (fabs(motion->residual[i]) > DAE__START_MET * motion->scale[i]) {
      dae__momentum_constraint_name(motion->m->p, i, name, sizeof name);
      dae__append(names, sizeof names, "%s%s", count ? ", " : "", name);
      if (count++ == 0)
        memcpy(first, name, sizeof first);
    }
  const char *held = "";
  for (int j = 0; l->fixed && j < l->n; j++)
    if (l->fixed[j])
      held = " with the values that are fixed";
  dae__fail(err, DAE_ERROR_START, first,
            "the start cannot be made consistent: %s %s cannot be met%s at the level of %s "
            "(relative residual %.2g). %s",
            count > 1 ? "the constraints" : "constraint", names, held, l->velocity ? "z" : "y",
            size,
            count > 1 ? "They contradict each other, or the start is too far away: check them, or "
                        "give better start values."
                      : "Check it, release fixed values, or give better start values.");
  dae__fail_at(err, l->t, NAN);
  return DAE_ERROR_START;
}

/* Levenberg-Marquardt iteration that projects y or z onto the constraints of its level. */
static dae_status momentum_start_project(const level *l, dae_error *err)
{
  double size, next, damping = 1, *x = l->velocity ? l->z : l->y;
  dae_status status = momentum_start_measure(l, x, true, &size, err);
  for (int i = 0; i < DAE__START_ITERATIONS && !status && size > (i == 0 ? 4 * DBL_EPSILON : 0);
       i++) {
    bool stagnates = false;
    if (l->fixed) {
      momentum_start_zero_columns(l->G, l->fixed, l->G_values);
      momentum_start_zero_columns(l->K, l->fixed, l->K_values);
    }
    double shift = fmax(damping * fmin(1, size * size), DAE__START_MIN_SHIFT);
    status = momentum_start_try_step(l, shift, &stagnates, err);
    if (!status)
      status = momentum_start_measure(l, l->trial, false, &next, err);
    if (!status && next < size) {
      dae__copy(l->n, l->trial, x);
      damping = fmax(damping / 10, DAE__START_MIN_DAMPING);
      stagnates = stagnates || (next > 0.5 * size && size < DAE__START_MET);
      size = next;
    } else if (!status || status == DAE_ERROR_RECOVERABLE) {
      status = momentum_start_measure(l, x, false, &size, err);
      damping *= 10;
      stagnates = stagnates || size < DAE__START_MET || damping > DAE__START_MAX_DAMPING;
    }
    if (stagnates)
      break;
  }
  return !status && size > DAE__START_MET ? momentum_start_refuse(l, size, err) : status;
}

/* ---- projection along the constraint forces ---- */

/* Projection of z onto gdot and k by damped Newton steps along the constraint forces; *met:
 * converged. */
static dae_status momentum_start_project_along_forces(const level *l, bool *met, dae_error *err)
{
  dae__momentum_motion *motion = l->motion;
  dae_momentum_at at = {.t = l->t, .y = l->y, .z = l->z};
  double size, next = INFINITY;
  dae_status status = momentum_start_measure(l, l->z, true, &size, err);
  *met = !status && size <= 4 * DBL_EPSILON;
  for (int i = 0; i < DAE__START_ITERATIONS && !status && !*met; i++) {
    status = dae__momentum_factor(motion, &at, err);
    dae__zero(l->n, motion->x);
    for (int k = 0; k < l->rows; k++)
      motion->x[l->n + k] = -motion->residual[k];
    if (!status)
      dae__solver_solve(motion->solver, motion->x);
    for (double share = 1; !status && share > MIN_SHARE; share /= 2) {
      for (int k = 0; k < l->n; k++)
        l->trial[k] = l->z[k] + share * motion->x[k];
      status = momentum_start_measure(l, l->trial, false, &next, err);
      if (!status && next < size)
        break;
      status = status == DAE_ERROR_RECOVERABLE ? DAE_OK : status;
    }
    if (status || !(next < size)) {
      *met = !status && size <= DAE__START_MET;
      break;
    }
    dae__copy(l->n, l->trial, l->z);
    *met = next <= DAE__START_MET && (next > 0.5 * size || next == 0);
    size = next;
  }
  return status == DAE_ERROR_SINGULAR || status == DAE_ERROR_RECOVERABLE ? DAE_OK : status;
}

/* Projection of z onto gdot and k: along the constraint forces where this converges and no value is
 * fixed, else by the least change. */
static dae_status momentum_start_project_z(const level *l, dae_error *err)
{
  dae__momentum_motion *motion = l->motion;
  bool free = true, met = false;
  for (int j = 0; l->fixed && j < l->n; j++)
    free = free && !l->fixed[j];
  dae__copy(l->n, l->z, motion->unknown);
  if (free)
    DAE__TRY(momentum_start_project_along_forces(l, &met, err));
  if (met)
    return DAE_OK;
  dae__copy(l->n, motion->unknown, l->z);
  return momentum_start_project(l, err);
}

/* ---- independence of the constraints ---- */

/* Removes the dependent rows from A; motion->x = coefficients c of the first one, *dependent, in
 * terms of the active rows. */
static dae_status momentum_start_combination(dae__momentum_motion *motion, const bool *active,
                                             int *dependent)
{
  const dae__momentum *m = motion->m;
  double *column = motion->moved_z, *c = motion->x;
  dae__zero(m->nz, motion->diagonal);
  for (int i = m->nc - 1; i >= 0; i--) {
    motion->diagonal[m->nz + i] = active[i] ? 0 : 1;
    if (active[i])
      continue;
    dae__momentum_part part = i < m->ng ? DAE__GDOT_Z : DAE__K_Z;
    const dae_pattern *p = &m->pattern[part];
    int row = i < m->ng ? i : i - m->ng;
    *dependent = i;
    dae__zero(m->nz, column);
    for (int j = 0; j < p->cols; j++)
      for (int e = p->start[j]; e < p->start[j + 1]; e++)
        if (p->row[e] == row) {
          column[j] = motion->part[part][e];
          motion->part[part][e] = 0;
        }
  }
  dae__zero(m->nc, c);
  dae_status status = dae__saddle_factor(motion->least, motion->ones, motion->part[DAE__GDOT_Z],
                                         motion->part[DAE__K_Z], motion->diagonal);
  motion->memory->factorisations++;
  if (!status)
    dae__saddle_solve(motion->least, column, c);
  return status;
}

/* Refuses the first dependent row, naming the rows of its linear combination. */
static dae_status momentum_start_refuse_dependent(dae__momentum_motion *motion, double t,
                                                  const bool *active, dae_error *err)
{
  const dae__momentum *m = motion->m;
  const double *c = motion->x;
  char names[200] = "", name[64];
  int dependent = 0, count = 0;
  if (momentum_start_combination(motion, active, &dependent) == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  double largest = dae__max_abs(m->nc, c);
  for (int j = 0; j < m->nc; j++)
    if (j != dependent && fabs(c[j]) > DAE__NAMED_COEFFICIENT * largest) {
      dae__momentum_constraint_name(m->p, j, name, sizeof name);
      dae__append(names, sizeof names, "%s%s `%s`", count++ ? ", " : "", j < m->ng ? "g" : "k",
                  name);
    }
  const char *kind = dependent < m->ng ? "g" : "k";
  dae__momentum_constraint_name(m->p, dependent, name, sizeof name);
  if (count == 0)
    dae__fail(err, DAE_ERROR_START, name,
              "constraint %s `%s` does not restrict the motion here: its derivative by z is zero",
              kind, name);
  else
    dae__fail(err, DAE_ERROR_START, name,
              "constraint %s `%s` is not independent of %s: remove it, the momentum form takes no "
              "redundant constraints",
              kind, name, names);
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_START;
}

/* active = an independent subset of the rows of [g_y v_z; k_z]; *rank: their number. */
static dae_status momentum_start_find_rank(dae__momentum_motion *motion, dae__arena *arena,
                                           bool *active, int *rank, dae_error *err)
{
  const dae__momentum *m = motion->m;
  dae__block blocks[2] = {{.pattern = &m->pattern[DAE__GDOT_Z]},
                          {.row = m->ng, .pattern = &m->pattern[DAE__K_Z]}};
  dae_pattern A = dae__blocks_merge(arena, m->nc, m->nz, blocks, 2);
  double *values =
      dae__arena_failed(arena) ? NULL : DAE__ALLOC(arena, double, dae__pattern_count(&A));
  if (!values)
    return dae__out_of_memory(err);
  dae__block_add(&blocks[0], 1, motion->part[DAE__GDOT_Z], values);
  dae__block_add(&blocks[1], 1, motion->part[DAE__K_Z], values);
  for (int i = 0; i < m->nc; i++)
    active[i] = true;
  bool exact = (m->ng == 0 || m->given[DAE__V_Z]) && (m->nk == 0 || m->given[DAE__K_Z]);
  dae_status status =
      dae__rank_rows(&A, values, exact ? DAE__RANK_TOLERANCE : RANK_TOLERANCE_COARSE,
                     dae__arena_env(arena), active, NULL, rank, NULL);
  return status
             ? dae__fail(err, status, NULL, "the rank of the constraints cannot be determined: %s",
                         dae_status_text(status))
             : DAE_OK;
}

/* Refuses constraints that are dependent at the state. */
static dae_status momentum_start_check_independent(dae__momentum_motion *motion, double t,
                                                   const double *state, dae_error *err)
{
  dae__momentum *m = motion->m;
  dae_momentum_at at = {.t = t, .y = state, .z = state + m->at.z};
  int rank = 0;
  DAE__TRY(dae__momentum_jacobian(m, DAE__GDOT_Z, &at, NULL, motion->part[DAE__GDOT_Z], err));
  DAE__TRY(dae__momentum_jacobian(m, DAE__K_Z, &at, NULL, motion->part[DAE__K_Z], err));
  dae__arena *arena = dae__arena_create(dae__arena_env(motion->arena));
  bool *active = arena ? DAE__ALLOC(arena, bool, m->nc) : NULL;
  dae_status status = active ? momentum_start_find_rank(motion, arena, active, &rank, err)
                             : dae__out_of_memory(err);
  if (!status && rank < m->nc)
    status = momentum_start_refuse_dependent(motion, t, active, err);
  dae__arena_free(arena);
  return status;
}

/* ---- consistent start ---- */

dae_status dae__momentum_consistent(dae__momentum_motion *motion, double t, const bool *fixed,
                                    double *state, double *dy, dae_diagnosis *find, dae_error *err)
{
  dae__momentum *m = motion->m;
  level position = momentum_start_level_of(motion, t, state, fixed, false);
  level velocity = momentum_start_level_of(motion, t, state, fixed, true);
  dae__copy(m->nc, state + m->at.lambda, motion->multiplier);
  dae__zero(m->at.size, dy);
  if (m->ng > 0)
    DAE__TRY(momentum_start_project(&position, err));
  if (m->nc > 0) {
    DAE__TRY(momentum_start_project_z(&velocity, err));
    DAE__TRY(momentum_start_check_independent(motion, t, state, err));
  }
  DAE__TRY(dae__momentum_accelerate(motion, t, state, dy, err));
  if (find)
    *find = (dae_diagnosis){.index = m->ng > 0   ? 3
                                     : m->nk > 0 ? 2
                                                 : 0,
                            .dof = m->nz - m->nc,
                            .constraints = m->nc,
                            .rank = m->nc};
  return DAE_OK;
}
