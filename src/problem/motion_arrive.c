/* Accelerations, and arrival at the end of a step, by the saddle system
 *
 *   [ M  A' ] [ x ]   [ a ]
 *   [ A  0  ] [ y ] = [ b ],   A = [G; K]:
 *
 *   accelerations       a = f, b = (-gamma, -kappa)     x = v', y = (lambda, psi)
 *   position            a = 0, b = (g, 0)               q -= x
 *   velocity            a = 0, b = (gdot, k)            v -= x
 *
 * Arrival solves all three with one matrix, at the point that is still to be moved. What moves q
 * moves gdot and k by gdot_q x and k_q x: where the user gives these derivatives, b of the velocity
 * is that much less, and v is off its constraints to second order only. */
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

/* gdot and k as they are after q -= x, as far as derivatives are given */
static dae_status foresee(dae__motion *motion, const dae_mechanical_at *at, const double *x,
                          double *gdot, double *k, dae_error *err)
{
  dae__mech *m = motion->m;
  dae_status status = DAE_OK;
  if (m->ng > 0 && m->p->gdot_q) {
    status = dae__mech_gdot_q(m, at, motion->gdot_q, err);
    if (!status)
      dae__matrix_times(&m->G, motion->gdot_q, -1, x, gdot);
  }
  if (!status && m->nk > 0 && m->p->k_q) {
    status = dae__mech_k_q(m, at, motion->k_q, err);
    if (!status)
      dae__matrix_times(&m->kq, motion->k_q, -1, x, k);
  }
  return status;
}

dae_status dae__motion_arrive(dae__motion *motion, double t, double *y, double *dy, dae_error *err)
{
  dae__mech *m = motion->m;
  int nq = m->nq, size = nq + m->nc;
  double *position = motion->sides + size, *velocity = position + size;
  dae_mechanical_at at = dae__mech_at(m, t, y);
  dae_mechanical_wanted want = {
      .g = position + nq, .gdot = velocity + nq, .k = velocity + nq + m->ng};
  dae__zero(2 * size, position);
  dae_status status = prepare(motion, &at, &want, err);
  if (status)
    return status;
  dae__saddle_solve_many(motion->saddle, 2, motion->sides);
  status = foresee(motion, &at, position, want.gdot, want.k, err);
  if (status)
    return status;
  dae__saddle_solve_many(motion->saddle, 1, velocity);
  status = tell(motion, &at, y, dy, err); /* dependent rows: at the point that is not moved */
  if (status)
    return status;
  bool moved = move(nq, position, y);
  moved |= move(nq, velocity, y + m->at.v);
  motion->memory->projections += moved;
  dae__copy(nq, y + m->at.v, dy);
  return DAE_OK;
}
