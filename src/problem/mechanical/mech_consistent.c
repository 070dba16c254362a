/* Consistent start of a mechanical problem.
 *
 * Positions, then velocities, are moved onto their constraints by Levenberg-Marquardt steps in the
 * norm of the mass matrix,
 *
 *   [ M   A'     ] [ d ]   [  0 ]
 *   [ A  -delta I] [ y ] = [ -r ],
 *
 * with delta proportional to |r|^2, which converges quadratically even where constraints are
 * dependent, and ends at the least-squares point where they contradict each other. Fixed values
 * are held by taking their columns out. Then the independent constraints are chosen, c = 0 is
 * solved for w, and accelerations and multipliers follow from the saddle system. */
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "problem/consistent.h"
#include "problem/mechanical/algebraic.h"
#include <float.h>
#include <stdio.h>

#define MAX_ITERATIONS 60

typedef struct level {
  dae__motion *motion;
  double t;
  const double *q;
  double *x;         /* q or v, what is moved */
  const bool *fixed; /* of the entries of x; may be NULL */
  bool velocity;
  int rows;
} level;

/* where values shrink while they are moved, as a velocity that must vanish does, the terms they had
 * before still set the scale */
static void start_not_below(int n, bool first, double *scale, double *before)
{
  for (int i = 0; i < n; i++) {
    before[i] = first ? scale[i] : fmax(scale[i], before[i]);
    scale[i] = before[i];
  }
}

/* residual, scale and Jacobians at trial x; returns the largest relative residual in *size */
static dae_status start_measure(const level *l, const double *x, bool first, double *size,
                                dae_error *err)
{
  dae__motion *motion = l->motion;
  dae__mech *m = motion->m;
  dae_mechanical_at at = {.t = l->t, .q = l->velocity ? l->q : x, .v = l->velocity ? x : m->z};
  dae_mechanical_wanted want = {.M = motion->M, .g = motion->residual, .G = motion->G};
  if (l->velocity)
    want = (dae_mechanical_wanted){.M = motion->M,
                                   .gdot = motion->residual,
                                   .G = motion->G,
                                   .k = motion->residual + m->ng,
                                   .K = motion->K};
  dae__zero(m->nc, motion->residual);
  dae__zero(dae__pattern_count(&m->K), motion->K);
  dae_status status = dae__mech_eval(m, &at, &want, err);
  dae__row_scale(&m->G, motion->G, x, motion->scale);
  dae__row_scale(&m->K, motion->K, x, motion->scale + m->ng);
  /* what is not of the form A x, as g_t or a length, counts too, and so does the error of
   * differences, which cannot be brought down */
  for (int i = 0; i < l->rows; i++)
    motion->scale[i] += fabs(motion->residual[i]);
  double error = l->velocity ? dae__mech_gdot_error(m, &at) : 0;
  if (error > 0) {
    dae__row_scale(&m->G, motion->G, l->q, motion->bottom);
    dae__axpy(m->ng, 2 * error / DAE__START_MET, motion->bottom, motion->scale);
  }
  *size = 0;
  start_not_below(l->rows, first, motion->scale, motion->terms);
  for (int i = 0; i < l->rows; i++)
    if (motion->scale[i] > 0)
      *size = fmax(*size, fabs(motion->residual[i]) / motion->scale[i]);
  return status;
}

/* takes the columns of fixed values out of M and A */
static void start_hold_fixed(const level *l)
{
  dae__motion *motion = l->motion;
  dae__mech *m = motion->m;
  if (!l->fixed)
    return;
  motion->mass_stays = false;
  for (int j = 0; j < m->nq; j++) {
    motion->diagonal[j] = l->fixed[j] ? 1 : 0;
    for (int e = m->M.start[j]; e < m->M.start[j + 1]; e++)
      if (l->fixed[j] || l->fixed[m->M.row[e]])
        motion->M[e] = 0;
    for (int e = m->G.start[j]; l->fixed[j] && e < m->G.start[j + 1]; e++)
      motion->G[e] = 0;
    for (int e = m->K.start[j]; l->fixed[j] && e < m->K.start[j + 1]; e++)
      motion->K[e] = 0;
  }
}

/* size of A M^-1 A', for the shift */
static double start_natural_shift(const dae__motion *motion)
{
  const dae__mech *m = motion->m;
  double a = fmax(dae__max_abs(dae__pattern_count(&m->G), motion->G),
                  dae__max_abs(dae__pattern_count(&m->K), motion->K));
  double mass = dae__max_abs(dae__pattern_count(&m->M), motion->M);
  return mass > 0 && a > 0 ? a * a / mass : 1;
}

/* top = the step from the Jacobians at hand */
static dae_status start_find_step(const level *l, double shift, dae_error *err)
{
  dae__motion *motion = l->motion;
  dae__mech *m = motion->m;
  for (int i = 0; i < m->nc; i++)
    motion->diagonal[m->nq + i] = i < l->rows ? -shift : 1;
  dae_status status = dae__motion_factor(motion, err);
  dae__zero(m->nq, motion->top);
  for (int i = 0; i < m->nc; i++)
    motion->bottom[i] = -motion->residual[i];
  if (!status)
    dae__saddle_solve(motion->saddle, motion->top, motion->bottom);
  return status;
}

/* names the constraints that are not met */
static dae_status start_refuse(const level *l, const dae__mech *m, double size, dae_error *err)
{
  const dae__motion *motion = l->motion;
  char names[256] = "", name[64], first[64] = "";
  int count = 0;
  for (int i = 0; i < l->rows; i++)
    if (fabs(motion->residual[i]) > DAE__START_MET * motion->scale[i]) {
      dae__mech_constraint_name(m->p, i, name, sizeof name);
      dae__append(names, sizeof names, "%s%s", count ? ", " : "", name);
      if (count++ == 0)
        memcpy(first, name, sizeof first);
    }
  const char *held = "";
  for (int j = 0; l->fixed && j < m->nq; j++)
    if (l->fixed[j])
      held = " with the values that are fixed";
  dae__fail(err, DAE_ERROR_START, first,
            "the start cannot be made consistent: %s %s cannot be met%s at %s level (relative "
            "residual %.2g). %s",
            count > 1 ? "the constraints" : "constraint", names, held,
            l->velocity ? "velocity" : "position", size,
            count > 1 ? "They contradict each other, or the start is too far away: check them, or "
                        "give better start values."
                      : "Check it, release fixed values, or give better start values.");
  dae__fail_at(err, l->t, NAN);
  return DAE_ERROR_START;
}

/* what the steps make smaller, if they are short enough: the largest relative residual need not be
 */
static double start_length(const level *l)
{
  return dae__dot(l->rows, l->motion->residual, l->motion->residual);
}

/* x onto the constraints of its level */
static dae_status start_move_onto(const level *l, double *trial, dae_error *err)
{
  dae__motion *motion = l->motion;
  dae__mech *m = motion->m;
  double size, next, damping = 1;
  dae_status status = start_measure(l, l->x, true, &size, err);
  double before = start_length(l);
  for (int i = 0; i < MAX_ITERATIONS && !status && size > (i == 0 ? 4 * DBL_EPSILON : 0); i++) {
    start_hold_fixed(l);
    double shift = start_natural_shift(motion) * fmax(damping * fmin(1, size * size), 1e-15);
    DAE__TRY(start_find_step(l, shift, err));
    for (int j = 0; j < m->nq; j++)
      trial[j] = l->x[j] + motion->top[j];
    bool still = dae__max_abs(m->nq, motion->top) <= DBL_EPSILON * dae__max_abs(m->nq, l->x);
    status = start_measure(l, trial, false, &next, err);
    if (status == DAE_OK && (next < size || start_length(l) < before)) {
      before = start_length(l);
      dae__copy(m->nq, trial, l->x);
      damping = fmax(damping / 10, 1e-3);
      still = still || (next > 0.5 * size && size < DAE__START_MET);
      size = next;
    } else if (status == DAE_OK || status == DAE_ERROR_RECOVERABLE) {
      status = start_measure(l, l->x, false, &size, err);
      damping *= 10;
      still = still || size < DAE__START_MET || damping > 1e12;
    }
    if (still)
      break;
  }
  motion->memory->factored = false; /* what is factored is shifted */
  if (!status && size > DAE__START_MET)
    status = start_refuse(l, m, size, err);
  return status;
}

static dae_status start_solve_algebraic(dae__motion *motion, double t, double *y, dae_error *err)
{
  dae__mech *m = motion->m;
  dae__algebraic *a = NULL;
  if (m->nw == 0)
    return DAE_OK;
  dae__arena *arena = dae__arena_create(dae__arena_env(motion->arena));
  if (!arena)
    return dae__out_of_memory(err);
  dae_status status = dae__algebraic_create(arena, m, &a, err);
  if (!status)
    status = dae__algebraic_solve(a, t, y, err);
  dae__algebraic_free(a);
  dae__arena_free(arena);
  return status;
}

/* ---- the whole ---- */

static void start_diagnose(const dae__motion *motion, const char *dependent, dae_diagnosis *find)
{
  const dae__mech *m = motion->m;
  find->constraints = m->nc;
  find->rank = m->nc - motion->m->count->dependent;
  find->dof = m->nq - find->rank;
  find->index = m->ng > 0 ? 3 : m->nk > 0 ? 2 : m->nw > 0 ? 1 : 0;
  snprintf(find->text, sizeof find->text, "%s", dependent);
}

dae_status dae__mech_consistent(dae__motion *motion, double t, const bool *fixed, double *y,
                                double *dy, dae_diagnosis *find, dae_error *err)
{
  dae__mech *m = motion->m;
  char dependent[sizeof find->text] = "";
  double *v = y + m->at.v, *trial = motion->column;
  level position = {motion, t, NULL, y, fixed, false, m->ng};
  level velocity = {motion, t, y, v, fixed ? fixed + m->at.v : NULL, true, m->nc};
  for (int i = 0; i < m->nc; i++)
    m->active[i] = true;
  dae__zero(m->nq, m->z);
  dae_status status = m->ng > 0 ? start_move_onto(&position, trial, err) : DAE_OK;
  if (!status && m->nc > 0)
    status = start_move_onto(&velocity, trial, err);
  if (!status)
    status = dae__motion_pick(motion, t, y, dependent, sizeof dependent, err);
  if (!status)
    status = start_solve_algebraic(motion, t, y, err);
  dae__zero(m->at.size, dy);
  if (!status)
    status = dae__motion_accelerate(motion, t, y, dy, err);
  if (!status && find)
    start_diagnose(motion, dependent, find);
  return status;
}
