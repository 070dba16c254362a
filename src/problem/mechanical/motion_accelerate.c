/* Accelerations, and the projection fused with them at the end of a step, by the saddle system
 *
 *   [ M  A' ] [ x ]   [ a ]
 *   [ A  0  ] [ y ] = [ b ],   A = [G; K]:
 *
 *   accelerations       a = f, b = (-gamma, -kappa)     x = v', y = (lambda, psi)
 *   position            a = 0, b = (g, 0)               q -= x
 *   velocity            a = 0, b = (gdot, k)            v -= x
 *
 * The fused projection solves all three with one matrix, that of the point before the projection;
 * gdot and k are evaluated at the projected q, so that the error of v on them is of second order.
 *
 * Evaluations are unchecked: a value that is not finite shows in the solution, and only then the
 * evaluation is repeated with checks, which name the value. */
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/mechanical/motion.h"
#include "problem/problem.h"
#include <math.h>

/* Least margin of the constraints at the end of a step, and least ratio of the margins of two
 * recent ends, both relative to the margin of recent ends; margins are squares of distances. */
#define MARGIN_LOSS_MAX 1e-2
#define MARGIN_DECAY 0.25

/* Repeats an evaluation with checks: error of the first value that is not finite, or `status` where
 * all are finite. */
static dae_status motion_diagnose_nonfinite(dae__mech *m, const dae_mechanical_at *at,
                                            const dae_mechanical_wanted *want, dae_status status,
                                            dae_error *err)
{
  dae_error why;
  m->count->evaluations -= want->f != NULL; /* evaluations of f are not counted twice */
  dae_status found = dae__mech_eval(m, at, want, &why);
  if (found && err)
    *err = why;
  return found ? found : status;
}

static dae_status motion_diagnose_dynamics(dae__motion *motion, const dae_mechanical_at *at,
                                           dae_status status, dae_error *err)
{
  dae_mechanical_wanted all = motion->want;
  all.M = motion->M;
  return motion_diagnose_nonfinite(motion->m, at, &all, status, err);
}

static inline dae_status motion_eval_unchecked(dae__mech *m, const dae_mechanical_at *at,
                                               const dae_mechanical_wanted *want, dae_error *err)
{
  if (!m->eval_all || m->input || m->count->dependent > 0)
    return dae__mech_eval_unchecked(m, at, want, err);
  int code = m->p->eval(m->p->user, at, want);
  m->count->evaluations += want->f != NULL;
  return code == 0 ? DAE_OK : dae__callback_status(m->why, code, "eval", at->t, err);
}

/* Evaluates motion->want, unchecked: f into motion->top, gamma and kappa into motion->bottom. */
static inline dae_status motion_evaluate(dae__motion *motion, const dae_mechanical_at *at,
                                         dae_error *err)
{
  motion->want.M = motion->mass_known ? NULL : motion->M;
  return motion_eval_unchecked(motion->m, at, &motion->want, err);
}

/* ---- accelerations ---- */

/* Solves for v', into acceleration, and the multipliers, into motion->bottom, from evaluated
 * quantities; leaves the saddle matrix factored, but with directions of the forces. */
static dae_status motion_dynamics(dae__motion *motion, const dae_mechanical_at *at,
                                  double *acceleration, dae_error *err)
{
  const dae__mech *m = motion->m;
  double *bottom = motion->bottom;
  dae_status status;
  dae__copy(m->nq, motion->top, acceleration);
  for (int i = 0; i < m->nc; i++)
    bottom[i] = -bottom[i];
  if (motion->directed) {
    status = dae__motion_solve_directed(motion, acceleration, err);
  } else if (m->count->dependent > 0) {
    status = dae__level_factor(&motion->velocity, 0, err);
    if (!status)
      dae__saddle_solve(motion->saddle, acceleration, bottom);
  } else {
    status = dae__saddle_factor_solve(motion->saddle, motion->M, motion->mass_known, motion->G,
                                      motion->K, acceleration, bottom);
    status = dae__level_factored(&motion->velocity, status, err);
  }
  bool good = !status && dae__all_finite(m->nq, acceleration) && dae__all_finite(m->nc, bottom) &&
              dae__all_finite(m->nu, motion->s);
  motion->mass_known = good && m->p->constant_mass;
  return good ? DAE_OK : motion_diagnose_dynamics(motion, at, status, err);
}

/* Copies the multipliers into y, of minimum norm where rows are dependent, and v and u' into dy
 * (may be NULL). */
static inline dae_status motion_store(dae__motion *motion, const dae_mechanical_at *at, double *y,
                                      double *dy, dae_error *err)
{
  const dae__mech *m = motion->m;
  if (dy) {
    dae__copy(m->nq, y + m->at.v, dy);
    dae__copy(m->nu, motion->s, dy + m->at.u);
  }
  dae__copy(m->nc, motion->bottom, y + m->at.lambda);
  /* forces of dependent rows along directions of their own are not those of other rows */
  return m->count->dependent > 0 && !motion->directed
             ? dae__motion_minimum_norm(motion, at, y + m->at.lambda, err)
             : DAE_OK;
}

/* Accelerations and multipliers from evaluated quantities by the fused factor and solve, for few
 * rows of [G; K]; checked: the constraints are checked whatever the pivots. False: a factorisation
 * is needed. */
static inline __attribute__((always_inline)) bool
motion_solve_fused(dae__motion *motion, bool checked, double *y, double *dy)
{
  const dae__mech *m = motion->m;
  int nq = m->nq;
  if (!motion->small || m->count->dependent > 0)
    return false;
  for (int e = 0; !motion->contiguous && e < dae__pattern_count(&m->G); e++)
    motion->dense_A[motion->G_in_dense[e]] = motion->G[e];
  for (int e = 0; !motion->contiguous && e < dae__pattern_count(&m->K); e++)
    motion->dense_A[motion->K_in_dense[e]] = motion->K[e];
  motion->forces.x = dy + nq;
  motion->forces.y = y + m->at.lambda;
  motion->forces.unchecked = !checked;
  if (!dae__saddle_solve_fused(motion->saddle, motion->M, motion->mass_known, &motion->forces) ||
      (m->nu > 0 && !dae__all_finite(m->nu, motion->s)))
    return false;
  motion->mass_known = m->p->constant_mass;
  motion->memory->factored = false;
  motion->memory->factorisations++;
  dae__copy(nq, y + nq, dy);
  if (m->nu > 0)
    dae__copy(m->nu, motion->s, dy + m->at.u);
  return true;
}

dae_status dae__motion_accelerate(dae__motion *motion, double t, double *y, double *dy,
                                  dae_error *err)
{
  dae_mechanical_at at = dae__mech_at(motion->m, t, y);
  DAE__TRY(motion_evaluate(motion, &at, err));
  DAE__TRY(motion_dynamics(motion, &at, dy ? dy + motion->m->at.v : motion->top, err));
  return motion_store(motion, &at, y, dy, err);
}

/* Accelerations and multipliers from evaluated quantities, by a factorisation. */
static __attribute__((noinline)) dae_status motion_slopes_factored(dae__motion *motion,
                                                                   const dae_mechanical_at *at,
                                                                   double *y, double *dy,
                                                                   dae_error *err)
{
  dae_status status = motion_dynamics(motion, at, dy + motion->m->at.v, err);
  return status ? status : motion_store(motion, at, y, dy, err);
}

static __attribute__((noinline)) dae_status
motion_slopes_general(dae__motion *motion, double t, double *y, double *dy, dae_error *err)
{
  dae_mechanical_at at = dae__mech_at(motion->m, t, y);
  dae_status status = motion_evaluate(motion, &at, err);
  return status || motion_solve_fused(motion, !motion->memory->unchecked, y, dy)
             ? status
             : motion_slopes_factored(motion, &at, y, dy, err);
}

/* ---- closed form ---- */

/* Whether the problem has accelerations in closed form that hold for the rows in use. */
static inline bool motion_is_closed(const dae__motion *motion)
{
  const dae__mech *m = motion->m;
  return m->p->accelerate && m->count->dependent == 0;
}

/* Error of a callback that failed; DAE_OK: it asks for the general solution. */
static __attribute__((noinline)) dae_status motion_close_failed(const dae__motion *motion, int code,
                                                                double t, dae_error *err)
{
  return code >= 0 ? DAE_OK : dae__callback_status(motion->m->why, code, "accelerate", t, err);
}

/* Rates and multipliers in closed form at `at` into out. *accurate = false: the general solution is
 * needed. */
static inline dae_status motion_close(dae__motion *motion, const dae_mechanical_at *at,
                                      const dae_mechanical_motion *out, bool *accurate,
                                      dae_error *err)
{
  dae__mech *m = motion->m;
  dae__motion_memory *memory = motion->memory;
  *accurate = false;
  if (m->input)
    DAE__TRY(dae__mech_inputs(m, at->t, err));
  int code = m->p->accelerate(m->p->user, at, out);
  memory->factored = false; /* the last factorisation is of another point */
  if (code != 0)
    return motion_close_failed(motion, code, at->t, err);
  *accurate = true;
  m->count->evaluations++;
  memory->factorisations++;
  return DAE_OK;
}

/* By one fused callback and the fused factor and solve, of small mechanisms in q and v alone with a
 * constant M, without the case distinctions of the general path. */
static __attribute__((noinline)) dae_status
motion_slopes_fast(dae__motion *motion, double t, double *y, double *dy, dae_error *err)
{
  const dae__mech *m = motion->m;
  double *v = y + m->nq, *rest = v + m->nq;
  dae_mechanical_at at = {.t = t, .q = y, .v = v, .u = rest, .w = rest, .in = m->in};
  motion->want.M = NULL;
  int code = m->p->eval(m->p->user, &at, &motion->want);
  m->count->evaluations++;
  if (code != 0)
    return dae__callback_status(m->why, code, "eval", t, err);
  motion->forces.x = dy + m->nq;
  motion->forces.y = rest;
  motion->forces.unchecked = motion->memory->unchecked;
  if (!dae__saddle_solve_fused(motion->saddle, motion->M, true, &motion->forces))
    return motion_slopes_factored(motion, &at, y, dy, err);
  motion->memory->factorisations++;
  motion->memory->factored = false;
  dae__copy(m->nq, v, dy);
  return DAE_OK;
}

/* The hottest code of the library: the closed form here, other paths in functions of their own. */
dae_status dae__motion_slopes(dae__motion *motion, double t, double *y, double *dy, dae_error *err)
{
  bool accurate;
  if (!motion_is_closed(motion) || motion->memory->general)
    return motion->fast_path && motion->mass_known && motion->m->count->dependent == 0
               ? motion_slopes_fast(motion, t, y, dy, err)
               : motion_slopes_general(motion, t, y, dy, err);
  dae_mechanical_at at = dae__mech_at(motion->m, t, y);
  dae_mechanical_motion out = {.rates = dy, .multipliers = y + motion->m->at.lambda};
  dae_status status = motion_close(motion, &at, &out, &accurate, err);
  return status || accurate ? status : motion_slopes_general(motion, t, y, dy, err);
}

/* ---- projection ---- */

/* x -= correction; returns whether x changes. */
static bool motion_subtract(int n, const double *correction, double *x)
{
  bool moved = false;
  for (int i = 0; i < n; i++) {
    double before = x[i];
    x[i] -= correction[i];
    moved |= x[i] != before;
  }
  return moved;
}

/* Minimum-norm correction: replaces the right side (0, b) of the saddle system in `side` by the
 * solution, with the factors of the fused solve or of the last factorisation. */
static void motion_correct(dae__motion *motion, bool fused, double *side)
{
  double *b = side + motion->m->nq;
  if (fused && dae__saddle_correct(motion->saddle, motion->forces.A, b, side))
    return;
  DAE__ASSERT(motion->memory->factored);
  dae__saddle_solve(motion->saddle, side, b);
}

/* Accelerations and multipliers at y, then projection of q onto g; *fused: no factorisation was
 * needed, *moved: q changed. */
static dae_status motion_project_position(dae__motion *motion, const dae_mechanical_at *at,
                                          double *side, bool *fused, double *y, double *dy,
                                          bool *moved, dae_error *err)
{
  dae__mech *m = motion->m;
  motion->want.g = m->ng > 0 ? side + m->nq : NULL;
  DAE__TRY(motion_evaluate(motion, at, err));
  *fused = motion_solve_fused(motion, true, y, dy);
  motion->memory->unchecked = *fused && !dae__saddle_refined(motion->saddle);
  if (!*fused) { /* minimum-norm multipliers are those of the unprojected q */
    DAE__TRY(motion_dynamics(motion, at, dy + m->nq, err));
    DAE__TRY(motion_store(motion, at, y, dy, err));
  }
  if (motion->directed) /* projections move along the gradients */
    DAE__TRY(dae__level_factor(&motion->velocity, 0, err));
  motion_correct(motion, *fused, side);
  if (!dae__all_finite(m->nq, side))
    DAE__TRY(motion_diagnose_dynamics(motion, at, DAE_OK, err));
  *moved = motion_subtract(m->nq, side, y);
  return DAE_OK;
}

/* Projection of v onto gdot and k at the projected q. */
static dae_status motion_project_velocity(dae__motion *motion, const dae_mechanical_at *at,
                                          double *side, bool fused, double *v, bool *moved,
                                          dae_error *err)
{
  dae__mech *m = motion->m;
  int nq = m->nq;
  dae_mechanical_wanted want = {.k = m->nk > 0 ? side + nq + m->ng : NULL};
  if (m->ng > 0)
    want.G = motion->projected_G, want.gdot = side + nq;
  DAE__TRY(motion_eval_unchecked(m, at, &want, err));
  motion_correct(motion, fused, side);
  if (!dae__all_finite(nq, side))
    DAE__TRY(motion_diagnose_nonfinite(m, at, &want, DAE_OK, err));
  *moved |= motion_subtract(nq, side, v);
  return DAE_OK;
}

/* Margins by the pivots of the closed form and by other measures are not compared. */
static dae_status motion_check_margin(dae__motion *motion, double margin, bool closed,
                                      dae_error *err)
{
  motion->end_margin = margin;
  motion->end_closed = closed;
  return closed == motion->memory->closed_margin &&
                 margin < MARGIN_LOSS_MAX * motion->memory->margin
             ? dae__fail(err, DAE_ERROR_SINGULAR, NULL,
                         "step rejected: the constraints are nearly dependent at its end")
             : DAE_OK;
}

dae_status dae__motion_check_end(dae__motion *motion, double t, const double *y, dae_error *err)
{
  const dae__mech *m = motion->m;
  return motion->refuse_ends && m->nc > 0
             ? motion_check_margin(motion, dae__motion_margin(motion, t, y, y + m->at.v), false,
                                   err)
             : DAE_OK;
}

void dae__motion_accept_margin(dae__motion *motion)
{
  double *recent = &motion->memory->margin, end = motion->end_margin;
  for (int i = 0; i < motion->m->nc && end > 0; i++)
    motion->row_size[i] =
        dae__larger(sqrt(MARGIN_DECAY) * motion->row_size[i], motion->end_size[i]);
  if (motion->end_closed != motion->memory->closed_margin)
    *recent = 0;
  motion->memory->closed_margin = motion->end_closed;
  *recent = end > 0 ? dae__larger(MARGIN_DECAY * *recent, end) : 0;
  motion->end_margin = 0;
}

/* Margin of the constraints by their pivots and the squares of their sizes. */
static double motion_closed_margin(dae__motion *motion, const double *pivots, const double *sizes)
{
  double margin = INFINITY;
  for (int i = 0; i < motion->m->nc; i++) {
    motion->end_size[i] = sqrt(sizes[i]);
    double size = dae__larger(motion->end_size[i], motion->row_size[i]);
    double ratio = pivots[i] / (size * size);
    margin = ratio < margin ? ratio : margin;
  }
  return margin;
}

/* x = projected; returns whether x changes. */
static bool motion_replace(int n, const double *projected, double *x)
{
  bool moved = false;
  for (int i = 0; i < n; i++) {
    moved |= x[i] != projected[i];
    x[i] = projected[i];
  }
  return moved;
}

/* dae__motion_project_and_accelerate in closed form; *accurate = false: it is not accurate here. */
static dae_status motion_project_closed(dae__motion *motion, double t, double *y, double *dy,
                                        bool *accurate, dae_error *err)
{
  const dae__mech *m = motion->m;
  int rows = m->nc;
  double *projected = motion->sides, *pivots = projected + m->at.u;
  dae_mechanical_at at = dae__mech_at(m, t, y);
  dae_mechanical_motion out = {.rates = dy, .multipliers = y + m->at.lambda};
  if (rows > 0) {
    out.q = projected;
    out.v = projected + m->nq;
    out.pivots = pivots;
    out.sizes = pivots + rows;
  }
  DAE__TRY(motion_close(motion, &at, &out, accurate, err));
  motion->memory->general = !*accurate;
  if (!*accurate)
    return DAE_OK;
  if (rows > 0 && motion->refuse_ends)
    DAE__TRY(motion_check_margin(motion, motion_closed_margin(motion, pivots, pivots + rows), true,
                                 err));
  if (rows > 0)
    motion->memory->projections += motion_replace(m->at.u, projected, y);
  return DAE_OK;
}

dae_status dae__motion_project_and_accelerate(dae__motion *motion, double t, double *y, double *dy,
                                              dae_error *err)
{
  dae__mech *m = motion->m;
  int nq = m->nq, size = nq + m->nc;
  double *position = motion->sides + size, *velocity = position + size;
  bool accurate = false;
  if (motion_is_closed(motion))
    DAE__TRY(motion_project_closed(motion, t, y, dy, &accurate, err));
  if (accurate)
    return DAE_OK;
  dae_mechanical_at at = dae__mech_at(m, t, y);
  bool fused = false, moved = false;
  dae__zero(2 * size, position);
  dae_status status = motion_project_position(motion, &at, position, &fused, y, dy, &moved, err);
  motion->want.g = NULL;
  if (!status && motion->refuse_ends && m->nc > 0)
    status = motion_check_margin(motion, dae__motion_factored_margin(motion, fused), false, err);
  if (!status && m->nc > 0)
    status = motion_project_velocity(motion, &at, velocity, fused, y + nq, &moved, err);
  DAE__TRY(status);
  motion->memory->projections += moved;
  dae__copy(nq, y + nq, dy);
  return DAE_OK;
}
