/* Consistent start of a problem in the momentum form.
 *
 * y is moved onto g, and then z onto gdot and k, by Levenberg-Marquardt steps of least change,
 *
 *   [ 1   A'     ] [ d ]   [  0 ]
 *   [ A  -delta I] [ . ] = [ -r ],   A = g_y, or A = [g_y v_z; k_z],
 *
 * with delta proportional to |r|^2, which end at the least-squares point where constraints
 * contradict each other. Fixed values are held by taking their columns out. Where nothing of z is
 * fixed it is moved along the constraint forces instead, by damped Newton steps with the matrix of
 * momentum_motion.h, as long as these converge. Then the rows of A must be independent, and z' and
 * the multipliers follow from the index-1 equations. */
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "problem/consistent.h"
#include "problem/momentum/momentum_motion.h"
#include <float.h>
#include <stdio.h>

#define MAX_ITERATIONS 60

/* One of the two levels: y and g, or z and (gdot, k). */
typedef struct level {
  dae__momentum_motion *motion;
  double t;
  double *y, *z;
  bool velocity;
  const bool *fixed; /* of the entries that are moved; may be NULL */
  int n, rows;
  double *trial;
  dae__saddle *saddle;
  const dae_pattern *G, *K; /* K NULL: only G */
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

static double *momentum_start_moved_by(const level *l)
{
  return l->velocity ? l->z : l->y;
}

/* ---- how far off ---- */

/* residual and Jacobians at x in place of y or z */
static dae_status momentum_start_evaluate(const level *l, const double *x, dae_error *err)
{
  dae__momentum_motion *motion = l->motion;
  dae__momentum *m = motion->m;
  dae_momentum_at at = {.t = l->t, .y = l->velocity ? l->y : x, .z = l->velocity ? x : l->z};
  double *const *part = motion->part;
  dae_status status = dae__momentum_jacobian(m, DAE__G_Y, &at, NULL, part[DAE__G_Y], err);
  if (!l->velocity)
    return status ? status : dae__momentum_g(m, &at, motion->residual, err);
  if (!status)
    status = dae__momentum_v(m, &at, motion->v, err);
  if (!status)
    status = dae__momentum_gdot(m, &at, motion->residual, err);
  if (!status)
    status = dae__momentum_k(m, &at, motion->residual + m->ng, err);
  if (!status)
    status = dae__momentum_jacobian(m, DAE__GDOT_Z, &at, NULL, part[DAE__GDOT_Z], err);
  return status ? status : dae__momentum_jacobian(m, DAE__K_Z, &at, NULL, part[DAE__K_Z], err);
}

/* sizes of the terms of each row: what is not of the form A x, as g_t or a length, counts too, and
 * so does the error of differences, which cannot be brought down */
static void momentum_start_scale_of(const level *l, const double *x)
{
  dae__momentum_motion *motion = l->motion;
  const dae__momentum *m = motion->m;
  const dae_pattern *G = &m->pattern[DAE__G_Y];
  dae__row_scale(G, motion->part[DAE__G_Y], l->velocity ? motion->v : x, motion->scale);
  if (l->velocity) {
    dae__row_scale(l->K, l->K_values, x, motion->scale + m->ng);
    dae__row_scale(G, motion->part[DAE__G_Y], l->y, motion->size);
    dae__axpy(m->ng, 2 * dae__momentum_gdot_error(m, l->y, motion->v) / DAE__START_MET,
              motion->size, motion->scale);
  }
  for (int i = 0; i < l->rows; i++)
    motion->scale[i] += fabs(motion->residual[i]);
}

/* *size: the largest residual at x, relative to its terms. Where values shrink while they are
 * moved, as a velocity that must vanish does, the terms they had before still set the scale. */
static dae_status momentum_start_measure(const level *l, const double *x, bool first, double *size,
                                         dae_error *err)
{
  dae__momentum_motion *motion = l->motion;
  dae_status status = momentum_start_evaluate(l, x, err);
  *size = INFINITY;
  DAE__TRY(status);
  momentum_start_scale_of(l, x);
  *size = 0;
  for (int i = 0; i < l->rows; i++) {
    motion->terms[i] = first ? motion->scale[i] : fmax(motion->scale[i], motion->terms[i]);
    motion->scale[i] = motion->terms[i];
    if (motion->scale[i] > 0)
      *size = fmax(*size, fabs(motion->residual[i]) / motion->scale[i]);
  }
  return DAE_OK;
}

/* ---- least change ---- */

static void momentum_start_take_out(const dae_pattern *p, const bool *fixed, double *values)
{
  for (int j = 0; p && j < p->cols; j++)
    for (int e = p->start[j]; fixed[j] && e < p->start[j + 1]; e++)
      values[e] = 0;
}

/* size of A A', for the shift */
static double momentum_start_natural_shift(const level *l)
{
  double a = dae__max_abs(dae__pattern_count(l->G), l->G_values);
  if (l->K)
    a = fmax(a, dae__max_abs(dae__pattern_count(l->K), l->K_values));
  return a > 0 ? a * a : 1;
}

static dae_status momentum_start_factor(const level *l, dae_error *err)
{
  dae__momentum_motion *motion = l->motion;
  dae_status status =
      dae__saddle_factor(l->saddle, motion->ones, l->G_values, l->K_values, motion->diagonal);
  motion->memory->factorisations++;
  if (!l->velocity)
    motion->memory->placed = false; /* what is factored is shifted */
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  return status ? dae__fail(err, status, NULL, "the constraints cannot be solved for: %s",
                            dae_status_text(status))
                : DAE_OK;
}

/* trial = x + the step from the Jacobians at hand; *still where that is x */
static dae_status momentum_start_try_step(const level *l, double shift, bool *still, dae_error *err)
{
  dae__momentum_motion *motion = l->motion;
  const double *x = momentum_start_moved_by(l);
  dae__zero(l->n, motion->diagonal);
  for (int i = 0; i < l->rows; i++)
    motion->diagonal[l->n + i] = -shift;
  DAE__TRY(momentum_start_factor(l, err));
  dae__zero(l->n, l->trial);
  for (int i = 0; i < l->rows; i++)
    motion->x[i] = -motion->residual[i];
  dae__saddle_solve(l->saddle, l->trial, motion->x);
  *still = dae__max_abs(l->n, l->trial) <= DBL_EPSILON * dae__max_abs(l->n, x);
  dae__axpy(l->n, 1, x, l->trial);
  return DAE_OK;
}

/* names the constraints that are not met */
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

/* y or z onto the constraints of its level */
static dae_status momentum_start_move_onto(const level *l, dae_error *err)
{
  double size, next, damping = 1, *x = momentum_start_moved_by(l);
  dae_status status = momentum_start_measure(l, x, true, &size, err);
  for (int i = 0; i < MAX_ITERATIONS && !status && size > (i == 0 ? 4 * DBL_EPSILON : 0); i++) {
    bool still = false;
    if (l->fixed) {
      momentum_start_take_out(l->G, l->fixed, l->G_values);
      momentum_start_take_out(l->K, l->fixed, l->K_values);
    }
    double shift = momentum_start_natural_shift(l) * fmax(damping * fmin(1, size * size), 1e-15);
    status = momentum_start_try_step(l, shift, &still, err);
    if (!status)
      status = momentum_start_measure(l, l->trial, false, &next, err);
    if (!status && next < size) {
      dae__copy(l->n, l->trial, x);
      damping = fmax(damping / 10, 1e-3);
      still = still || (next > 0.5 * size && size < DAE__START_MET);
      size = next;
    } else if (!status || status == DAE_ERROR_RECOVERABLE) {
      status = momentum_start_measure(l, x, false, &size, err);
      damping *= 10;
      still = still || size < DAE__START_MET || damping > 1e12;
    }
    if (still)
      break;
  }
  return !status && size > DAE__START_MET ? momentum_start_refuse(l, size, err) : status;
}

/* ---- along the constraint forces ---- */

/* trial = z + share of the step in motion->x */
static void momentum_start_step_along(const level *l, double share)
{
  for (int i = 0; i < l->n; i++)
    l->trial[i] = l->z[i] + share * l->motion->x[i];
}

/* motion->x = (dz, ., .) at z */
static dae_status momentum_start_solve_along(const level *l, dae_error *err)
{
  dae__momentum_motion *motion = l->motion;
  dae_momentum_at at = {.t = l->t, .y = l->y, .z = l->z};
  DAE__TRY(dae__momentum_factor(motion, &at, err));
  dae__zero(l->n, motion->x);
  for (int i = 0; i < l->rows; i++)
    motion->x[l->n + i] = -motion->residual[i];
  dae__solver_solve(motion->solver, motion->x);
  return DAE_OK;
}

/* z onto gdot and k by damped Newton steps; *met says whether it got there */
static dae_status momentum_start_move_along_forces(const level *l, bool *met, dae_error *err)
{
  double size, next = INFINITY;
  dae_status status = momentum_start_measure(l, l->z, true, &size, err);
  *met = !status && size <= 4 * DBL_EPSILON;
  for (int i = 0; i < MAX_ITERATIONS && !status && !*met; i++) {
    status = momentum_start_solve_along(l, err);
    for (double share = 1; !status && share > 1e-3; share /= 2) {
      momentum_start_step_along(l, share);
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

/* z onto its constraints, along the forces where that leads there */
static dae_status momentum_start_move_z(const level *l, dae_error *err)
{
  dae__momentum_motion *motion = l->motion;
  bool free = true, met = false;
  dae_status status = DAE_OK;
  for (int j = 0; l->fixed && j < l->n; j++)
    free = free && !l->fixed[j];
  dae__copy(l->n, l->z, motion->unknown);
  if (free)
    status = momentum_start_move_along_forces(l, &met, err);
  if (status || met)
    return status;
  dae__copy(l->n, motion->unknown, l->z);
  return momentum_start_move_onto(l, err);
}

/* ---- the whole ---- */

static void momentum_start_diagnose(const dae__momentum *m, dae_diagnosis *find)
{
  *find = (dae_diagnosis){.index = m->ng > 0   ? 3
                                   : m->nk > 0 ? 2
                                               : 0,
                          .dof = m->nz - m->nc,
                          .constraints = m->nc,
                          .rank = m->nc};
}

dae_status dae__momentum_consistent(dae__momentum_motion *motion, double t, const bool *fixed,
                                    double *state, double *dy, dae_diagnosis *find, dae_error *err)
{
  dae__momentum *m = motion->m;
  level position = momentum_start_level_of(motion, t, state, fixed, false);
  level velocity = momentum_start_level_of(motion, t, state, fixed, true);
  dae_status status = DAE_OK;
  dae__copy(m->nc, state + m->at.lambda, motion->multiplier);
  if (m->ng > 0)
    status = momentum_start_move_onto(&position, err);
  if (!status && m->nc > 0)
    status = momentum_start_move_z(&velocity, err);
  if (!status && m->nc > 0)
    status = dae__momentum_independent(motion, t, state, err);
  dae__zero(m->at.size, dy);
  if (!status)
    status = dae__momentum_accelerate(motion, t, state, dy, err);
  if (!status && find)
    momentum_start_diagnose(m, find);
  return status;
}
