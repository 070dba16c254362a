/* z' and the multipliers of the momentum form, from the index-1 equations
 *
 *   p_t + p_y v + p_z z' = f(psi) + r(lambda)
 *   d/dt gdot = gdot_t + gdot_y v + gdot_z z' = 0
 *   d/dt k    = k_t + k_y v + k_z z' = 0
 *
 * by Newton's method on (z', lambda, psi). The rates for z' = 0 are found once, the terms of z' in
 * every iteration: by the user's derivatives where given, else by differences along the motion.
 * Where g_y or g_t is missing, gdot is not differenced again; instead
 *
 *   d/dt gdot = d2/de2 g(t + e, y + e v) + g_y v',   v' = v_t + v_y v + v_z z'. */
#include "core/error.h"
#include "core/vec.h"
#include "problem/momentum/momentum_motion.h"
#include <float.h>

/* Largest number of Newton iterations. Chosen, not measured. */
#define MAX_NEWTON_ITERATIONS 30
/* Residual, relative to its terms, at which a stagnating Newton iteration counts as converged.
 * Chosen, not measured. */
#define STAGNATION_RESIDUAL 1e-9

/* Straight line (t, y, z) + e (dt, dy, dz) along which the function q is differenced; dy and dz may
 * be NULL. */
typedef struct line {
  dae__momentum_motion *motion;
  dae__momentum_quantity q;
  dae_momentum_at at;
  double dt;
  const double *dy, *dz;
} line;

/* ---- rates along lines ---- */

static dae_status rates_value_on(void *context, double e, double *out, dae_error *err)
{
  const line *l = context;
  dae__momentum_motion *motion = l->motion;
  dae__momentum *m = motion->m;
  dae_momentum_at at = l->at;
  at.t += e * l->dt;
  if (l->dy) {
    for (int i = 0; i < m->ny; i++)
      motion->moved_y[i] = l->at.y[i] + e * l->dy[i];
    at.y = motion->moved_y;
  }
  if (l->dz) {
    for (int i = 0; i < m->nz; i++)
      motion->moved_z[i] = l->at.z[i] + e * l->dz[i];
    at.z = motion->moved_z;
  }
  return dae__momentum_eval(m, l->q, &at, NULL, out, err);
}

/* motion->size = size of the terms of each entry of a function q. */
static void rates_find_size(dae__momentum_motion *motion, dae__momentum_quantity q,
                            const dae_momentum_at *at)
{
  const dae__momentum *m = motion->m;
  if (q == DAE__V) {
    double floor = 1e-3 * dae__max_abs(m->ny, motion->v);
    for (int i = 0; i < m->ny; i++)
      motion->size[i] = fabs(motion->v[i]) + floor;
    return;
  }
  dae__momentum_part part = q == DAE__P ? DAE__P_Z : q == DAE__K ? DAE__K_Z : DAE__G_Y;
  const double *x = q == DAE__G ? at->y : q == DAE__GDOT ? motion->v : at->z;
  dae__row_scale(&m->pattern[part], motion->part[part], x, motion->size);
}

/* Time in which x changes by its size: 0.1 is added since x may cross zero, and a bound holds for x
 * nearly at rest. */
static double rates_time_scale(int n, const double *x, const double *rate)
{
  return fmin(dae__max_abs(n, x) / dae__max_abs(n, rate), 1e100) + 0.1;
}

/* out += derivative of the function l->q along the line. */
static dae_status rates_add_on(line *l, double length, double *out, dae_error *err)
{
  dae__momentum_motion *motion = l->motion;
  int n = dae__momentum_rows(motion->m, l->q);
  dae__path path = {rates_value_on, l, n, length, motion->size};
  rates_find_size(motion, l->q, &l->at);
  DAE__TRY(dae__along_rate(&motion->m->along, &path, 1, motion->sample, err));
  dae__axpy(n, 1, motion->sample, out);
  return DAE_OK;
}

/* out = q_t + q_y v, the rate of the function q for z' = 0. */
static dae_status rates_base(dae__momentum_motion *motion, dae__momentum_quantity q,
                             const dae_momentum_at *at, double *out, dae_error *err)
{
  dae__momentum *m = motion->m;
  dae__momentum_part by_y = q == DAE__V      ? DAE__V_Y
                            : q == DAE__P    ? DAE__P_Y
                            : q == DAE__GDOT ? DAE__GDOT_Y
                                             : DAE__K_Y;
  line in_time = {motion, q, *at, 1, NULL, NULL}, in_y = {motion, q, *at, 0, motion->v, NULL};
  dae__zero(dae__momentum_rows(m, q), out);
  DAE__TRY(rates_add_on(&in_time, 1, out, err));
  if (dae__max_abs(m->ny, motion->v) == 0)
    return DAE_OK;
  if (!m->given[by_y])
    return rates_add_on(&in_y, rates_time_scale(m->ny, at->y, motion->v), out, err);
  DAE__TRY(dae__momentum_jacobian(m, by_y, at, NULL, motion->part[by_y], err));
  dae__matrix_times(&m->pattern[by_y], motion->part[by_y], 1, motion->v, out);
  return DAE_OK;
}

/* out += q_z z', with the user's q_z in motion->part, else by differences. */
static dae_status rates_add_z(dae__momentum_motion *motion, dae__momentum_quantity q,
                              const dae_momentum_at *at, const double *z_rate, double *out,
                              dae_error *err)
{
  dae__momentum *m = motion->m;
  dae__momentum_part by_z = q == DAE__V      ? DAE__V_Z
                            : q == DAE__P    ? DAE__P_Z
                            : q == DAE__GDOT ? DAE__GDOT_Z
                                             : DAE__K_Z;
  if (m->given[by_z]) {
    dae__matrix_times(&m->pattern[by_z], motion->part[by_z], 1, z_rate, out);
    return DAE_OK;
  }
  if (dae__max_abs(m->nz, z_rate) == 0)
    return DAE_OK;
  line l = {motion, q, *at, 0, NULL, z_rate};
  return rates_add_on(&l, rates_time_scale(m->nz, at->z, z_rate), out, err);
}

/* out = d2/de2 g(t + e, y + e v) at e = 0, and motion->v_base = v_t + v_y v. */
static dae_status rates_second_g(dae__momentum_motion *motion, const dae_momentum_at *at,
                                 double *out, dae_error *err)
{
  dae__momentum *m = motion->m;
  bool at_rest = dae__max_abs(m->ny, motion->v) == 0, timed = !m->p->time_free_g;
  dae__zero(m->ng, out);
  DAE__TRY(rates_base(motion, DAE__V, at, motion->v_base, err));
  if (at_rest && !timed)
    return DAE_OK;
  double length = at_rest ? 1 : rates_time_scale(m->ny, at->y, motion->v);
  line l = {motion, DAE__G, *at, timed, motion->v, NULL};
  dae__path path = {rates_value_on, &l, m->ng, timed ? fmin(length, 1) : length, motion->size};
  rates_find_size(motion, DAE__G, at);
  return dae__along_rate(&m->along, &path, 2, out, err);
}

/* out += g_y v' with v' = v_base + v_z z'. */
static dae_status rates_add_g_of_v_rate(dae__momentum_motion *motion, const dae_momentum_at *at,
                                        const double *z_rate, double *out, dae_error *err)
{
  dae__momentum *m = motion->m;
  dae__copy(m->ny, motion->v_base, motion->v_rate);
  DAE__TRY(rates_add_z(motion, DAE__V, at, z_rate, motion->v_rate, err));
  double rate = dae__max_abs(m->ny, motion->v_rate), y = dae__max_abs(m->ny, at->y);
  if (rate == 0)
    return DAE_OK;
  if (m->given[DAE__G_Y]) {
    dae__matrix_times(&m->pattern[DAE__G_Y], motion->part[DAE__G_Y], 1, motion->v_rate, out);
    return DAE_OK;
  }
  line l = {motion, DAE__G, *at, 0, motion->v_rate, NULL};
  return rates_add_on(&l, (y > 0 ? y : 1) / rate, out, err);
}

/* ---- Newton's method ---- */

/* terms += |A| |x| for a derivative A = motion->part[part]. */
static void rates_add_terms(const dae__momentum_motion *motion, dae__momentum_part part,
                            const double *x, double *terms)
{
  const dae_pattern *p = &motion->m->pattern[part];
  dae__row_scale(p, motion->part[part], x, motion->size);
  dae__axpy(p->rows, 1, motion->size, terms);
}

/* motion->residual = (d/dt p - f - r, d/dt gdot, d/dt k) at motion->unknown; *size: the largest
 * residual relative to its terms. */
static dae_status rates_residual(dae__momentum_motion *motion, const dae_momentum_at *at,
                                 double *size, dae_error *err)
{
  dae__momentum *m = motion->m;
  const double *x = motion->unknown, *lambda = x + m->nz, *psi = lambda + m->ng;
  double *R = motion->residual, *terms = motion->terms, *gdot = R + m->nz, *force = motion->sample;
  int n = m->nz + m->nc;
  dae__copy(n, motion->rate, R);
  for (int i = 0; i < n; i++)
    terms[i] = fabs(R[i]);
  DAE__TRY(rates_add_z(motion, DAE__P, at, x, R, err));
  if (m->ng > 0)
    DAE__TRY(m->exact_gdot ? rates_add_z(motion, DAE__GDOT, at, x, gdot, err)
                           : rates_add_g_of_v_rate(motion, at, x, gdot, err));
  if (m->nk > 0)
    DAE__TRY(rates_add_z(motion, DAE__K, at, x, gdot + m->ng, err));
  DAE__TRY(dae__momentum_eval(m, DAE__F, at, psi, force, err));
  for (int i = 0; i < m->nz; i++)
    R[i] -= force[i], terms[i] += fabs(force[i]);
  DAE__TRY(dae__momentum_eval(m, DAE__R, at, lambda, force, err));
  for (int i = 0; i < m->nz; i++)
    R[i] -= force[i], terms[i] += fabs(force[i]);
  rates_add_terms(motion, DAE__P_Z, x, terms);
  rates_add_terms(motion, DAE__R_LAMBDA, lambda, terms);
  rates_add_terms(motion, DAE__F_PSI, psi, terms);
  rates_add_terms(motion, DAE__GDOT_Z, x, terms + m->nz);
  rates_add_terms(motion, DAE__K_Z, x, terms + m->nz + m->ng);
  *size = 0;
  for (int i = 0; i < n; i++)
    if (R[i] != 0)
      *size = fmax(*size, fabs(R[i]) / terms[i]);
  return DAE_OK;
}

/* Newton's method for motion->unknown = (z', lambda, psi), which holds the initial guess. */
static dae_status rates_solve(dae__momentum_motion *motion, const dae_momentum_at *at,
                              dae_error *err)
{
  dae__momentum *m = motion->m;
  int n = m->nz + m->nc;
  double size, before = INFINITY;
  for (int i = 0; i < MAX_NEWTON_ITERATIONS; i++) {
    DAE__TRY(rates_residual(motion, at, &size, err));
    if (size <= DBL_EPSILON || (size <= STAGNATION_RESIDUAL && size > 0.1 * before))
      return DAE_OK;
    /* a new matrix where convergence is slow: forces are not linear in the multipliers */
    if (i > 0 && size > 0.01 * before) {
      dae__copy(m->nc, motion->unknown + m->nz, motion->multiplier);
      DAE__TRY(dae__momentum_factor(motion, at, err));
    }
    dae__copy(n, motion->residual, motion->x);
    dae__solver_solve(motion->solver, motion->x);
    dae__axpy(n, -1, motion->x, motion->unknown);
    if (i > 0 && size * (size / before) <= DBL_EPSILON)
      return DAE_OK; /* the next residual would be at round-off */
    before = size;
  }
  dae__fail(err, DAE_ERROR_RECOVERABLE, NULL,
            "Newton's method for the rates of z and the multipliers does not converge: relative "
            "residual %.2g. Check the derivatives that are given%s",
            size, m->nc > 0 ? ", or give better guesses of the multipliers" : "");
  dae__fail_at(err, at->t, NAN);
  return DAE_ERROR_RECOVERABLE;
}

dae_status dae__momentum_accelerate(dae__momentum_motion *motion, double t, double *state,
                                    double *dy, dae_error *err)
{
  dae__momentum *m = motion->m;
  dae_momentum_at at = {.t = t, .y = state, .z = state + m->at.z};
  double *const *part = motion->part;
  dae__copy(m->nc, state + m->at.lambda, motion->multiplier);
  DAE__TRY(dae__momentum_eval(m, DAE__V, &at, NULL, motion->v, err));
  DAE__TRY(dae__momentum_jacobian(m, DAE__G_Y, &at, NULL, part[DAE__G_Y], err));
  if (m->given[DAE__V_Z])
    DAE__TRY(dae__momentum_jacobian(m, DAE__V_Z, &at, NULL, part[DAE__V_Z], err));
  DAE__TRY(dae__momentum_factor(motion, &at, err));
  /* motion->rate = d/dt (p, gdot, k) for z' = 0 */
  double *gdot = motion->rate + m->nz, *k = gdot + m->ng;
  dae__zero(m->nz + m->nc, motion->rate);
  if (m->p->p)
    DAE__TRY(rates_base(motion, DAE__P, &at, motion->rate, err));
  if (m->ng > 0)
    DAE__TRY(m->exact_gdot ? rates_base(motion, DAE__GDOT, &at, gdot, err)
                           : rates_second_g(motion, &at, gdot, err));
  if (m->nk > 0)
    DAE__TRY(rates_base(motion, DAE__K, &at, k, err));
  dae__zero(m->nz, motion->unknown);
  dae__copy(m->nc, motion->multiplier, motion->unknown + m->nz);
  DAE__TRY(rates_solve(motion, &at, err));
  dae__copy(m->nc, motion->unknown + m->nz, motion->multiplier);
  dae__copy(m->nc, motion->multiplier, state + m->at.lambda);
  if (dy) {
    dae__copy(m->ny, motion->v, dy);
    dae__copy(m->nz, motion->unknown, dy + m->at.z);
  }
  return DAE_OK;
}
