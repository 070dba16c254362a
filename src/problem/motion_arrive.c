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
#include "core/vec.h"
#include "problem/motion.h"

/* M, G, K, the right side of the accelerations in the first of motion->sides, s, and what else is
 * wanted at y; the matrix factored */
static dae_status prepare(dae__motion *motion, const dae_mechanical_at *at,
                          dae_mechanical_wanted *want, dae_error *err)
{
  dae__mech *m = motion->m;
  want->M = motion->M;
  want->f = motion->top;
  want->s = motion->s;
  want->G = motion->G;
  want->gamma = motion->bottom;
  want->K = motion->K;
  want->kappa = motion->bottom + m->ng;
  dae_status status = dae__mech_eval(m, at, want, err);
  if (!status)
    status = dae__motion_factor_active(motion, err);
  for (int i = 0; i < m->nc; i++)
    motion->bottom[i] = -motion->bottom[i];
  return status;
}

/* what was solved for: multipliers into y, and v, v', u' into dy (may be NULL) */
static dae_status tell(dae__motion *motion, const dae_mechanical_at *at, double *y, double *dy,
                       dae_error *err)
{
  const dae__mech *m = motion->m;
  if (dy) {
    dae__copy(m->nq, y + m->at.v, dy);
    dae__copy(m->nq, motion->top, dy + m->at.v);
    dae__copy(m->nu, motion->s, dy + m->at.u);
  }
  dae__copy(m->nc, motion->bottom, y + m->at.lambda);
  return m->count->dependent > 0 ? dae__motion_minimum_norm(motion, at, y + m->at.lambda, err)
                                 : DAE_OK;
}

dae_status dae__motion_accelerate(dae__motion *motion, double t, double *y, double *dy,
                                  dae_error *err)
{
  dae_mechanical_at at = dae__mech_at(motion->m, t, y);
  dae_mechanical_wanted want = {0};
  dae_status status = prepare(motion, &at, &want, err);
  if (status)
    return status;
  dae__saddle_solve_many(motion->saddle, 1, motion->sides);
  return tell(motion, &at, y, dy, err);
}

/* x -= correction; true where that changes x */
static bool move(int n, const double *correction, double *x)
{
  bool moved = false;
  for (int i = 0; i < n; i++) {
    double before = x[i];
    x[i] -= correction[i];
    moved |= x[i] != before;
  }
  return moved;
}

/* gdot and k at the q that has been moved, into the right side of the velocity */
static dae_status velocity_level(dae__motion *motion, const dae_mechanical_at *at, double *gdot,
                                 double *k, dae_error *err)
{
  dae_mechanical_wanted want = {.G = motion->moved_G, .gdot = gdot, .k = k};
  return dae__mech_eval(motion->m, at, &want, err);
}

dae_status dae__motion_arrive(dae__motion *motion, double t, double *y, double *dy, dae_error *err)
{
  dae__mech *m = motion->m;
  int nq = m->nq, size = nq + m->nc;
  double *position = motion->sides + size, *velocity = position + size;
  dae_mechanical_at at = dae__mech_at(m, t, y);
  dae_mechanical_wanted want = {.g = position + nq};
  dae__zero(2 * size, position);
  dae_status status = prepare(motion, &at, &want, err);
  if (status)
    return status;
  dae__saddle_solve_many(motion->saddle, 2, motion->sides);
  status = tell(motion, &at, y, dy, err); /* dependent rows: at the point that is not moved */
  bool moved = !status && move(nq, position, y);
  if (!status && m->nc > 0)
    status = velocity_level(motion, &at, velocity + nq, velocity + nq + m->ng, err);
  if (status)
    return status;
  dae__saddle_solve_many(motion->saddle, 1, velocity);
  moved |= move(nq, velocity, y + m->at.v);
  motion->memory->projections += moved;
  dae__copy(nq, y + m->at.v, dy);
  return DAE_OK;
}
