/* Consistent start of a mechanical problem.
 *
 * Positions, then velocities, are projected onto their constraints by Levenberg-Marquardt steps in
 * the norm of the mass matrix,
 *
 *   [ M   A'     ] [ d ]   [  0 ]
 *   [ A  -delta I] [ y ] = [ -r ],
 *
 * with delta proportional to |r|^2, which converges quadratically even where constraints are
 * dependent, and ends at the least-squares point where they contradict each other. Columns of fixed
 * values are removed. Then the independent constraints are selected, c = 0 is solved for w, and
 * accelerations and multipliers follow from the saddle system. */
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "problem/consistent.h"
#include "problem/mechanical/algebraic.h"
#include <float.h>
#include <stdio.h>

typedef struct level {
  dae__motion *motion;
  double t;
  const double *q;
  double *x;         /* vector that is projected, q or v */
  const bool *fixed; /* entries of x that do not move; NULL: none */
  bool velocity;
  int rows;
} level;

/* Evaluates residual, scale and Jacobians at x; *size: the largest relative residual. The scale of
 * a row never decreases during the iteration, so that values that shrink, such as a velocity that
 * must vanish, are measured by their initial terms. */
static dae_status start_measure(const level *l, const double *x, bool first, double *size,
                                dae_error *err)
{
  dae__motion *motion = l->motion;
  dae__mech *m = motion->m;
  double *scale = motion->scale, *terms = motion->terms;
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
  dae__row_scale(&m->G, motion->G, x, scale);
  dae__row_scale(&m->K, motion->K, x, scale + m->ng);
  /* the scale includes terms that are not of the form A x, such as g_t or a length, and the error
   * of differences, which no iteration reduces */
  for (int i = 0; i < l->rows; i++)
    scale[i] += fabs(motion->residual[i]);
  double error = l->velocity ? dae__mech_gdot_error(m, &at) : 0;
  if (error > 0) {
    dae__row_scale(&m->G, motion->G, l->q, motion->bottom);
    dae__axpy(m->ng, 2 * error / DAE__START_MET, motion->bottom, scale);
  }
  *size = 0;
  for (int i = 0; i < l->rows; i++) {
    terms[i] = first ? scale[i] : fmax(scale[i], terms[i]);
    scale[i] = terms[i];
    if (scale[i] > 0)
      *size = fmax(*size, fabs(motion->residual[i]) / scale[i]);
  }
  return status;
}

/* Removes the columns of fixed values from M and A. */
static void start_hold_fixed(const level *l)
{
  dae__motion *motion = l->motion;
  dae__mech *m = motion->m;
  if (!l->fixed)
    return;
  motion->mass_known = false;
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

/* motion->top = Levenberg-Marquardt step with current Jacobians; shift relative to A M^-1 A'. */
static dae_status start_find_step(const level *l, double shift, dae_error *err)
{
  dae__motion *motion = l->motion;
  dae__mech *m = motion->m;
  double a = fmax(dae__max_abs(dae__pattern_count(&m->G), motion->G),
                  dae__max_abs(dae__pattern_count(&m->K), motion->K));
  double mass = dae__max_abs(dae__pattern_count(&m->M), motion->M);
  shift = (mass > 0 && a > 0 ? a * a / mass : 1) * shift;
  for (int i = 0; i < m->nc; i++)
    motion->diagonal[m->nq + i] = i < l->rows ? -shift : 1;
  DAE__TRY(dae__motion_factor(motion, motion->diagonal, err));
  dae__zero(m->nq, motion->top);
  for (int i = 0; i < m->nc; i++)
    motion->bottom[i] = -motion->residual[i];
  dae__saddle_solve(motion->saddle, motion->top, motion->bottom);
  return DAE_OK;
}

/* Fails with DAE_ERROR_START, naming the constraints that are not satisfied. */
static dae_status start_refuse(const level *l, double size, dae_error *err)
{
  const dae__motion *motion = l->motion;
  const dae__mech *m = motion->m;
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

/* Squared norm of the residual: short steps reduce it, but not always the largest relative
 * residual. */
static double start_residual_norm2(const level *l)
{
  return dae__dot(l->rows, l->motion->residual, l->motion->residual);
}

/* Levenberg-Marquardt iteration that projects l->x onto the constraints of its level. */
static dae_status start_project(const level *l, double *trial, dae_error *err)
{
  dae__motion *motion = l->motion;
  int nq = motion->m->nq;
  double size, next, damping = 1;
  dae_status status = start_measure(l, l->x, true, &size, err);
  double before = start_residual_norm2(l);
  for (int i = 0; i < DAE__START_ITERATIONS && !status && size > (i == 0 ? 4 * DBL_EPSILON : 0);
       i++) {
    start_hold_fixed(l);
    DAE__TRY(start_find_step(l, fmax(damping * fmin(1, size * size), DAE__START_MIN_SHIFT), err));
    for (int j = 0; j < nq; j++)
      trial[j] = l->x[j] + motion->top[j];
    bool stagnates = dae__max_abs(nq, motion->top) <= DBL_EPSILON * dae__max_abs(nq, l->x);
    status = start_measure(l, trial, false, &next, err);
    if (status == DAE_OK && (next < size || start_residual_norm2(l) < before)) {
      before = start_residual_norm2(l);
      dae__copy(nq, trial, l->x);
      damping = fmax(damping / 10, DAE__START_MIN_DAMPING);
      stagnates = stagnates || (next > 0.5 * size && size < DAE__START_MET);
      size = next;
    } else if (status == DAE_OK || status == DAE_ERROR_RECOVERABLE) {
      status = start_measure(l, l->x, false, &size, err);
      damping *= 10;
      stagnates = stagnates || size < DAE__START_MET || damping > DAE__START_MAX_DAMPING;
    }
    if (stagnates)
      break;
  }
  motion->memory->factored = false; /* the factors are those of the shifted matrix */
  return !status && size > DAE__START_MET ? start_refuse(l, size, err) : status;
}

static dae_status start_solve_algebraic(dae__motion *motion, double t, double *y, dae_error *err)
{
  dae__algebraic *a = NULL;
  dae__arena *arena = dae__arena_create(dae__arena_env(motion->arena));
  if (!arena)
    return dae__out_of_memory(err);
  dae_status status = dae__algebraic_create(arena, motion->m, &a, err);
  if (!status)
    status = dae__algebraic_solve(a, t, y, err);
  dae__algebraic_free(a);
  dae__arena_free(arena);
  return status;
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
  dae__zero(m->at.size, dy);
  if (m->ng > 0)
    DAE__TRY(start_project(&position, trial, err));
  if (m->nc > 0)
    DAE__TRY(start_project(&velocity, trial, err));
  DAE__TRY(dae__motion_select_independent(motion, t, y, dependent, sizeof dependent, err));
  if (m->nw > 0)
    DAE__TRY(start_solve_algebraic(motion, t, y, err));
  DAE__TRY(dae__motion_accelerate(motion, t, y, dy, err));
  if (!find)
    return DAE_OK;
  find->constraints = m->nc;
  find->rank = m->nc - m->count->dependent;
  find->dof = m->nq - find->rank;
  find->index = m->ng > 0 ? 3 : m->nk > 0 ? 2 : m->nw > 0 ? 1 : 0;
  snprintf(find->text, sizeof find->text, "%s", dependent);
  return DAE_OK;
}
