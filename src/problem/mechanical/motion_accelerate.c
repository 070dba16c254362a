/* Accelerations, and arrival at the end of a step, by the saddle system
 *
 *   [ M  A' ] [ x ]   [ a ]
 *   [ A  0  ] [ y ] = [ b ],   A = [G; K]:
 *
 *   accelerations       a = f, b = (-gamma, -kappa)     x = v', y = (lambda, psi)
 *   position            a = 0, b = (g, 0)               q -= x
 *   velocity            a = 0, b = (gdot, k)            v -= x
 *
 * Arrival solves all three with one matrix, that of the point which is still to be moved; gdot and
 * k are those where q has been moved to, constraints alone, so that v is off them to second order.
 */
#include "core/error.h"
#include "core/vec.h"
#include "problem/mechanical/motion.h"
#include "problem/problem.h"

/* Where what was solved for is not finite: names what the callbacks gave that is not, if any. */
static dae_status motion_look_again(dae__mech *m, const dae_mechanical_at *at,
                                    const dae_mechanical_wanted *want, dae_status status,
                                    dae_error *err)
{
  dae_error why;
  m->count->evaluations -= want->f != NULL; /* the same one */
  dae_status found = dae__mech_eval(m, at, want, &why);
  if (found && err)
    *err = why;
  return found ? found : status;
}

static dae_status motion_look_at_all(dae__motion *motion, const dae_mechanical_at *at,
                                     dae_status status, dae_error *err)
{
  dae_mechanical_wanted all = motion->want;
  all.M = motion->M;
  return motion_look_again(motion->m, at, &all, status, err);
}

/* what is wanted, not looked at */
static inline dae_status motion_ask(dae__mech *m, const dae_mechanical_at *at,
                                    const dae_mechanical_wanted *want, dae_error *err)
{
  if (!m->eval_all || m->input || m->count->dependent > 0)
    return dae__mech_eval_unchecked(m, at, want, err);
  int code = m->p->eval(m->p->user, at, want);
  m->count->evaluations += want->f != NULL;
  return code == 0 ? DAE_OK : dae__callback_status(m->why, code, "eval", at->t, err);
}

/* motion->want at y: f into top, gamma and kappa into bottom; not looked at */
static inline dae_status motion_evaluate(dae__motion *motion, const dae_mechanical_at *at,
                                         dae_error *err)
{
  motion->want.M = motion->mass_stays ? NULL : motion->M;
  return motion_ask(motion->m, at, &motion->want, err);
}

/* ---- accelerations ---- */

/* factors, and solves for the right side, which receives the solution */
static inline dae_status motion_solve(dae__motion *motion, double *top, double *bottom,
                                      dae_error *err)
{
  if (motion->m->count->dependent > 0) {
    dae_status status = dae__motion_factor_active(motion, err);
    if (!status)
      dae__saddle_solve(motion->saddle, top, bottom);
    return status;
  }
  dae_status status = dae__saddle_factor_solve(motion->saddle, motion->M, motion->mass_stays,
                                               motion->G, motion->K, top, bottom);
  return dae__motion_factored(motion, status, err);
}

/* v' into acceleration and the multipliers into motion->bottom, from what has been evaluated. The
 * matrix is factored. */
static dae_status motion_dynamics(dae__motion *motion, const dae_mechanical_at *at,
                                  double *acceleration, dae_error *err)
{
  const dae__mech *m = motion->m;
  double *bottom = motion->bottom;
  dae__copy(m->nq, motion->top, acceleration);
  for (int i = 0; i < m->nc; i++)
    bottom[i] = -bottom[i];
  dae_status status = motion_solve(motion, acceleration, bottom, err);
  bool good = !status && dae__all_finite(m->nq, acceleration) && dae__all_finite(m->nc, bottom) &&
              dae__all_finite(m->nu, motion->s);
  motion->mass_stays = good && m->p->constant_mass;
  return good ? DAE_OK : motion_look_at_all(motion, at, status, err);
}

/* the multipliers into y, and v and u' into dy (may be NULL) */
static inline dae_status motion_tell(dae__motion *motion, const dae_mechanical_at *at, double *y,
                                     double *dy, dae_error *err)
{
  const dae__mech *m = motion->m;
  if (dy) {
    dae__copy(m->nq, y + m->at.v, dy);
    dae__copy(m->nu, motion->s, dy + m->at.u);
  }
  dae__copy(m->nc, motion->bottom, y + m->at.lambda);
  return m->count->dependent > 0 ? dae__motion_minimum_norm(motion, at, y + m->at.lambda, err)
                                 : DAE_OK;
}

/* motion->rows, [G; K] as a dense matrix by columns */
static void motion_fill_rows(dae__motion *motion)
{
  const dae__mech *m = motion->m;
  for (int e = 0, count = dae__pattern_count(&m->G); e < count; e++)
    motion->rows[motion->place_G[e]] = motion->G[e];
  for (int e = 0, count = dae__pattern_count(&m->K); e < count; e++)
    motion->rows[motion->place_K[e]] = motion->K[e];
}

/* the same as dynamics and tell without a factorisation, which few rows allow; false: it takes one
 */
static inline __attribute__((always_inline)) bool motion_solve_fused(dae__motion *motion, double *y,
                                                                     double *dy)
{
  const dae__mech *m = motion->m;
  int nq = m->nq;
  if (!motion->few || m->count->dependent > 0)
    return false;
  if (!motion->whole)
    motion_fill_rows(motion);
  motion->forces.x = dy + nq;
  motion->forces.y = y + m->at.lambda;
  if (!dae__saddle_solve_fused(motion->saddle, motion->M, motion->mass_stays, &motion->forces) ||
      (m->nu > 0 && !dae__all_finite(m->nu, motion->s)))
    return false;
  motion->mass_stays = m->p->constant_mass;
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
  return motion_tell(motion, &at, y, dy, err);
}

/* from what has been evaluated, by a factorisation */
static __attribute__((noinline)) dae_status motion_slopes_factored(dae__motion *motion,
                                                                   const dae_mechanical_at *at,
                                                                   double *y, double *dy,
                                                                   dae_error *err)
{
  dae_status status = motion_dynamics(motion, at, dy + motion->m->at.v, err);
  return status ? status : motion_tell(motion, at, y, dy, err);
}

static __attribute__((noinline)) dae_status
motion_slopes_by_all(dae__motion *motion, double t, double *y, double *dy, dae_error *err)
{
  dae_mechanical_at at = dae__mech_at(motion->m, t, y);
  dae_status status = motion_evaluate(motion, &at, err);
  return status || motion_solve_fused(motion, y, dy)
             ? status
             : motion_slopes_factored(motion, &at, y, dy, err);
}

/* What small mechanisms mostly are, q and v, all by one callback, does without the cases above:
 * most of their time goes here. */
static inline bool motion_has_fast_path(const dae__motion *motion)
{
  return motion->fast_path && motion->mass_stays && motion->m->count->dependent == 0;
}

static inline dae_mechanical_at motion_fast_at(const dae__mech *m, double t, const double *y)
{
  const double *v = y + m->nq, *rest = v + m->nq;
  return (dae_mechanical_at){.t = t, .q = y, .v = v, .u = rest, .w = rest, .in = m->in};
}

/* accelerations and multipliers from what has been evaluated; false: it takes a factorisation */
static inline bool motion_pass_fast(dae__motion *motion, double *y, double *dy)
{
  size_t nq = (size_t)motion->m->nq;
  motion->forces.x = dy + nq;
  motion->forces.y = y + 2 * nq;
  if (!dae__saddle_solve_fused(motion->saddle, motion->M, true, &motion->forces))
    return false;
  motion->memory->factorisations++;
  motion->memory->factored = false;
  return true;
}

dae_status dae__motion_slopes(dae__motion *motion, double t, double *y, double *dy, dae_error *err)
{
  const dae__mech *m = motion->m;
  if (!motion_has_fast_path(motion))
    return motion_slopes_by_all(motion, t, y, dy, err);
  dae_mechanical_at at = motion_fast_at(m, t, y);
  motion->want.M = NULL;
  int code = m->p->eval(m->p->user, &at, &motion->want);
  m->count->evaluations++;
  if (code != 0)
    return dae__callback_status(m->why, code, "eval", t, err);
  if (!motion_pass_fast(motion, y, dy))
    return motion_slopes_factored(motion, &at, y, dy, err);
  dae__copy(m->nq, at.v, dy);
  return DAE_OK;
}

/* ---- arrival ---- */

/* x -= correction; true where that changes x */
static bool motion_move(int n, const double *correction, double *x)
{
  bool moved = false;
  for (int i = 0; i < n; i++) {
    double before = x[i];
    x[i] -= correction[i];
    moved |= x[i] != before;
  }
  return moved;
}

/* The solution for the right side (0, b), by the way that accelerations were found: without a
 * factorisation as long as that will do (*passing). */
static dae_status motion_correct(dae__motion *motion, bool *passing, double *side, dae_error *err)
{
  const dae__mech *m = motion->m;
  double *b = side + m->nq, *c = motion->residual;
  if (*passing && dae__saddle_correct(motion->saddle, motion->forces.A, b, side))
    return DAE_OK;
  for (int i = 0; *passing && i < m->nc; i++)
    c[i] = -b[i];
  dae__saddle_forces of = {.A = motion->forces.A, .f = side, .c = c, .x = side, .y = motion->scale};
  if (*passing && dae__saddle_solve_fused(motion->saddle, motion->M, true, &of))
    return DAE_OK;
  if (*passing) {
    *passing = false;
    dae__zero(m->nq, side);
    DAE__TRY(dae__motion_factored(
        motion, dae__saddle_factor(motion->saddle, motion->M, motion->G, motion->K, NULL), err));
  }
  dae__saddle_solve(motion->saddle, side, b);
  return DAE_OK;
}

/* accelerations and multipliers at y, and the right side (0, g) */
static dae_status motion_evaluate_with_g(dae__motion *motion, const dae_mechanical_at *at,
                                         double *y, double *dy, double *side, bool *passing,
                                         dae_error *err)
{
  dae__mech *m = motion->m;
  motion->want.g = m->ng > 0 ? side + m->nq : NULL;
  dae_status status = motion_evaluate(motion, at, err);
  *passing = !status && motion_solve_fused(motion, y, dy);
  if (!status && !*passing)
    status = motion_dynamics(motion, at, dy + m->nq, err);
  if (!status && !*passing) /* dependent rows: at the point that is not moved */
    status = motion_tell(motion, at, y, dy, err);
  return status;
}

/* q onto g, by the right side (0, g) */
static dae_status motion_move_position(dae__motion *motion, const dae_mechanical_at *at,
                                       double *side, bool *passing, double *q, bool *moved,
                                       dae_error *err)
{
  dae_status status = motion_correct(motion, passing, side, err);
  if (!status && !dae__all_finite(motion->m->nq, side))
    status = motion_look_at_all(motion, at, DAE_OK, err);
  if (!status)
    *moved = motion_move(motion->m->nq, side, q);
  return status;
}

/* v onto gdot and k at the q that has been moved */
static dae_status motion_move_velocity(dae__motion *motion, const dae_mechanical_at *at,
                                       double *side, bool *passing, double *v, bool *moved,
                                       dae_error *err)
{
  dae__mech *m = motion->m;
  int nq = m->nq;
  dae_mechanical_wanted want = {.k = m->nk > 0 ? side + nq + m->ng : NULL};
  if (m->ng > 0)
    want.G = motion->moved_G, want.gdot = side + nq;
  dae_status status = motion_ask(m, at, &want, err);
  if (!status)
    status = motion_correct(motion, passing, side, err);
  if (!status && !dae__all_finite(nq, side))
    status = motion_look_again(m, at, &want, DAE_OK, err);
  if (!status)
    *moved |= motion_move(nq, side, v);
  return status;
}

static dae_status motion_project_general(dae__motion *motion, double t, double *y, double *dy,
                                         dae_error *err)
{
  dae__mech *m = motion->m;
  int nq = m->nq, size = nq + m->nc;
  double *position = motion->sides + size, *velocity = position + size;
  dae_mechanical_at at = dae__mech_at(m, t, y);
  bool passing = false, moved = false;
  dae__zero(2 * size, position);
  dae_status status = motion_evaluate_with_g(motion, &at, y, dy, position, &passing, err);
  if (!status)
    status = motion_move_position(motion, &at, position, &passing, y, &moved, err);
  motion->want.g = NULL;
  if (!status && m->nc > 0)
    status = motion_move_velocity(motion, &at, velocity, &passing, y + nq, &moved, err);
  DAE__TRY(status);
  motion->memory->projections += moved;
  dae__copy(nq, y + nq, dy);
  return DAE_OK;
}

/* x by the least force that takes b away; false: that is not finite, or it takes a factorisation */
static inline bool motion_lead_fast(dae__motion *motion, const double *b, double *x, bool *moved)
{
  int nq = motion->m->nq;
  double *correction = motion->top, bad = 0;
  if (!dae__saddle_correct(motion->saddle, motion->forces.A, b, correction))
    return false;
  for (int i = 0; i < nq; i++)
    bad += 0 * correction[i];
  if (bad != 0)
    return false;
  *moved |= motion_move(nq, correction, x);
  return true;
}

/* the same for what is_swift; all of A is of G, or all of K */
static dae_status motion_project_fast(dae__motion *motion, double t, double *y, double *dy,
                                      dae_error *err)
{
  const dae__mech *m = motion->m;
  double *b = motion->residual;
  dae_mechanical_at at = motion_fast_at(m, t, y);
  dae_mechanical_wanted here = motion->want, moved_to = {0};
  bool moved = false;
  here.M = NULL;
  if (m->ng > 0)
    here.g = b, moved_to.G = motion->moved_G, moved_to.gdot = b;
  else
    moved_to.k = b;
  int code = m->p->eval(m->p->user, &at, &here);
  m->count->evaluations++;
  bool good = code == 0 && motion_pass_fast(motion, y, dy);
  if (good && m->ng > 0)
    good = motion_lead_fast(motion, b, y, &moved);
  if (good)
    code = m->p->eval(m->p->user, &at, &moved_to);
  if (code != 0)
    return dae__callback_status(m->why, code, "eval", t, err);
  if (!good || !motion_lead_fast(motion, b, y + m->nq, &moved))
    return motion_project_general(motion, t, y, dy, err);
  motion->memory->projections += moved;
  dae__copy(m->nq, at.v, dy);
  return DAE_OK;
}

dae_status dae__motion_project_and_accelerate(dae__motion *motion, double t, double *y, double *dy,
                                              dae_error *err)
{
  return motion_has_fast_path(motion) ? motion_project_fast(motion, t, y, dy, err)
                                      : motion_project_general(motion, t, y, dy, err);
}
