/* z' and the multipliers of the momentum form, from the index-1 equations
 *
 *   p_t + p_y v + p_z z' = f(psi) + r(lambda)
 *   d/dt gdot = gdot_t + gdot_y v + gdot_z z' = 0
 *   d/dt k    = k_t + k_y v + k_z z' = 0
 *
 * by Newton's method on (z', lambda, psi). The rates for z' = 0 are found once, what z' adds to
 * them in every iteration: by the user's derivatives where there are any, else by differences along
 * the motion (along.c). Where g_y or g_t is missing, gdot is not differenced again; instead
 *
 *   d/dt gdot = d2/de2 g(t + e, y + e v) + g_y v',   v' = v_t + v_y v + v_z z'. */
#include "core/error.h"
#include "core/vec.h"
#include "problem/mechanical/motion.h"
#include "problem/momentum/momentum_motion.h"
#include <float.h>

#define MAX_ITERATIONS 30
/* residuals that do not become smaller must have come down to this, relative to their terms */
#define SOLVED 1e-9

typedef dae_status quantity_fn(dae__momentum *m, const dae_momentum_at *at, double *out,
                               dae_error *err);

/* A function of (t, y, z) and its derivatives. */
typedef struct quantity {
  quantity_fn *fn;
  int n;
  dae__momentum_part by_y, by_z;
} quantity;

/* The straight line (t, y, z) + e (dt, dy, dz); dy and dz may be NULL. */
typedef struct line {
  dae__momentum_motion *motion;
  const quantity *q;
  dae_momentum_at at;
  double dt;
  const double *dy, *dz;
} line;

static dae_status momentum_value_on(void *context, double e, double *out, dae_error *err)
{
  const line *l = context;
  dae__momentum_motion *motion = l->motion;
  const dae__momentum *m = motion->m;
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
  return l->q->fn(motion->m, &at, out, err);
}

/* time in which x changes by its size; 0.1 since it may pass through zero, and a bound for what all
 * but rests */
static double momentum_time_of(int n, const double *x, const double *rate)
{
  return fmin(dae__max_abs(n, x) / dae__max_abs(n, rate), 1e100) + 0.1;
}

/* out += rate of the quantity along the line, whose values have terms of the given size */
static dae_status momentum_add_rate_on(line *l, double length, const double *size, double *out,
                                       dae_error *err)
{
  dae__momentum_motion *motion = l->motion;
  dae__path path = {momentum_value_on, l, l->q->n, length, size};
  dae_status status = dae__along_rate(&motion->m->along, &path, motion->sample, err);
  if (!status)
    dae__axpy(l->q->n, 1, motion->sample, out);
  return status;
}

/* out = q_t + q_y v */
static dae_status momentum_base_rate(dae__momentum_motion *motion, const quantity *q,
                                     const dae_momentum_at *at, const double *size, double *out,
                                     dae_error *err)
{
  dae__momentum *m = motion->m;
  line in_time = {motion, q, *at, 1, NULL, NULL}, moving = {motion, q, *at, 0, motion->v, NULL};
  dae__zero(q->n, out);
  dae_status status = momentum_add_rate_on(&in_time, 1, size, out, err);
  if (status || dae__max_abs(m->ny, motion->v) == 0)
    return status;
  if (!m->given[q->by_y])
    return momentum_add_rate_on(&moving, momentum_time_of(m->ny, at->y, motion->v), size, out, err);
  status = dae__momentum_jacobian(m, q->by_y, at, NULL, motion->part[q->by_y], err);
  if (!status)
    dae__matrix_times(&m->pattern[q->by_y], motion->part[q->by_y], 1, motion->v, out);
  return status;
}

/* out += q_z z', with q_z at hand where it is exact */
static dae_status momentum_add_z_rate(dae__momentum_motion *motion, const quantity *q,
                                      const dae_momentum_at *at, const double *size,
                                      const double *z_rate, double *out, dae_error *err)
{
  dae__momentum *m = motion->m;
  if (m->given[q->by_z]) {
    dae__matrix_times(&m->pattern[q->by_z], motion->part[q->by_z], 1, z_rate, out);
    return DAE_OK;
  }
  if (dae__max_abs(m->nz, z_rate) == 0)
    return DAE_OK;
  line l = {motion, q, *at, 0, NULL, z_rate};
  return momentum_add_rate_on(&l, momentum_time_of(m->nz, at->z, z_rate), size, out, err);
}

/* ---- sizes of terms ---- */

static void momentum_v_size(dae__momentum_motion *motion)
{
  int ny = motion->m->ny;
  double floor = 1e-3 * dae__max_abs(ny, motion->v);
  for (int i = 0; i < ny; i++)
    motion->size[i] = fabs(motion->v[i]) + floor;
}

static void momentum_gdot_size(dae__momentum_motion *motion)
{
  dae__row_scale(&motion->m->pattern[DAE__G_Y], motion->part[DAE__G_Y], motion->v, motion->size);
}

static void momentum_g_size(dae__momentum_motion *motion, const dae_momentum_at *at)
{
  dae__row_scale(&motion->m->pattern[DAE__G_Y], motion->part[DAE__G_Y], at->y, motion->size);
}

static void momentum_k_size(dae__momentum_motion *motion, const dae_momentum_at *at)
{
  dae__row_scale(&motion->m->pattern[DAE__K_Z], motion->part[DAE__K_Z], at->z, motion->size);
}

static void momentum_p_size(dae__momentum_motion *motion, const dae_momentum_at *at)
{
  dae__row_scale(&motion->m->pattern[DAE__P_Z], motion->part[DAE__P_Z], at->z, motion->size);
}

/* ---- the quantities ---- */

static quantity momentum_v_of(const dae__momentum *m)
{
  return (quantity){dae__momentum_v, m->ny, DAE__V_Y, DAE__V_Z};
}

static quantity momentum_p_of(const dae__momentum *m)
{
  return (quantity){dae__momentum_p, m->nz, DAE__P_Y, DAE__P_Z};
}

static quantity momentum_gdot_of(const dae__momentum *m)
{
  return (quantity){dae__momentum_gdot, m->ng, DAE__GDOT_Y, DAE__GDOT_Z};
}

static quantity momentum_g_of(const dae__momentum *m)
{
  return (quantity){dae__momentum_g, m->ng, DAE__G_Y, DAE__MOMENTUM_PARTS};
}

static quantity momentum_k_of(const dae__momentum *m)
{
  return (quantity){dae__momentum_k, m->nk, DAE__K_Y, DAE__K_Z};
}

/* d2/de2 g(t + e, y + e v), and v_base = v_t + v_y v */
static dae_status momentum_second_rate(dae__momentum_motion *motion, const dae_momentum_at *at,
                                       double *out, dae_error *err)
{
  dae__momentum *m = motion->m;
  quantity v = momentum_v_of(m), g = momentum_g_of(m);
  bool still = dae__max_abs(m->ny, motion->v) == 0, timed = !m->p->time_free_g;
  momentum_v_size(motion);
  dae_status status = momentum_base_rate(motion, &v, at, motion->size, motion->v_base, err);
  dae__zero(m->ng, out);
  if (status || (still && !timed))
    return status;
  double length = still ? 1 : momentum_time_of(m->ny, at->y, motion->v);
  line l = {motion, &g, *at, timed, motion->v, NULL};
  momentum_g_size(motion, at);
  dae__path path = {momentum_value_on, &l, m->ng, timed ? fmin(length, 1) : length, motion->size};
  return dae__along_second_rate(&m->along, &path, out, err);
}

/* out += g_y v' */
static dae_status momentum_add_bent(dae__momentum_motion *motion, const dae_momentum_at *at,
                                    const double *z_rate, double *out, dae_error *err)
{
  dae__momentum *m = motion->m;
  quantity v = momentum_v_of(m), g = momentum_g_of(m);
  dae__copy(m->ny, motion->v_base, motion->v_rate);
  momentum_v_size(motion);
  dae_status status =
      momentum_add_z_rate(motion, &v, at, motion->size, z_rate, motion->v_rate, err);
  double rate = dae__max_abs(m->ny, motion->v_rate), y = dae__max_abs(m->ny, at->y);
  if (status || rate == 0)
    return status;
  if (m->given[DAE__G_Y]) {
    dae__matrix_times(&m->pattern[DAE__G_Y], motion->part[DAE__G_Y], 1, motion->v_rate, out);
    return DAE_OK;
  }
  line l = {motion, &g, *at, 0, motion->v_rate, NULL};
  momentum_g_size(motion, at);
  return momentum_add_rate_on(&l, (y > 0 ? y : 1) / rate, motion->size, out, err);
}

/* motion->rate: d/dt (p, gdot, k) for z' = 0 */
static dae_status momentum_rates_without_z(dae__momentum_motion *motion, const dae_momentum_at *at,
                                           dae_error *err)
{
  dae__momentum *m = motion->m;
  quantity p = momentum_p_of(m), gdot = momentum_gdot_of(m), k = momentum_k_of(m);
  dae_status status = DAE_OK;
  dae__zero(m->nz + m->nc, motion->rate);
  if (m->p->p) {
    momentum_p_size(motion, at);
    status = momentum_base_rate(motion, &p, at, motion->size, motion->rate, err);
  }
  if (!status && m->ng > 0 && m->exact_gdot) {
    momentum_gdot_size(motion);
    status = momentum_base_rate(motion, &gdot, at, motion->size, motion->rate + m->nz, err);
  } else if (!status && m->ng > 0) {
    status = momentum_second_rate(motion, at, motion->rate + m->nz, err);
  }
  if (!status && m->nk > 0) {
    momentum_k_size(motion, at);
    status = momentum_base_rate(motion, &k, at, motion->size, motion->rate + m->nz + m->ng, err);
  }
  return status;
}

/* out += d/dz (p, gdot, k) z' */
static dae_status momentum_add_z_rates(dae__momentum_motion *motion, const dae_momentum_at *at,
                                       const double *z_rate, double *out, dae_error *err)
{
  dae__momentum *m = motion->m;
  quantity p = momentum_p_of(m), gdot = momentum_gdot_of(m), k = momentum_k_of(m);
  momentum_p_size(motion, at);
  dae_status status = momentum_add_z_rate(motion, &p, at, motion->size, z_rate, out, err);
  if (!status && m->ng > 0 && m->exact_gdot) {
    momentum_gdot_size(motion);
    status = momentum_add_z_rate(motion, &gdot, at, motion->size, z_rate, out + m->nz, err);
  } else if (!status && m->ng > 0) {
    status = momentum_add_bent(motion, at, z_rate, out + m->nz, err);
  }
  if (!status && m->nk > 0) {
    momentum_k_size(motion, at);
    status = momentum_add_z_rate(motion, &k, at, motion->size, z_rate, out + m->nz + m->ng, err);
  }
  return status;
}

/* ---- Newton's method ---- */

/* terms += |rows of a derivative| |x| */
static void momentum_add_terms(const dae__momentum_motion *motion, dae__momentum_part part,
                               const double *x, double *terms)
{
  const dae_pattern *p = &motion->m->pattern[part];
  dae__row_scale(p, motion->part[part], x, motion->size);
  dae__axpy(p->rows, 1, motion->size, terms);
}

/* residual = (d/dt p - f - r, d/dt gdot, d/dt k) at motion->unknown; the largest one relative to
 * its terms in *size */
static dae_status momentum_rates_residual_of(dae__momentum_motion *motion,
                                             const dae_momentum_at *at, double *size,
                                             dae_error *err)
{
  dae__momentum *m = motion->m;
  const double *x = motion->unknown, *lambda = x + m->nz, *psi = lambda + m->ng;
  double *R = motion->residual, *terms = motion->terms;
  int n = m->nz + m->nc;
  dae__copy(n, motion->rate, R);
  for (int i = 0; i < n; i++)
    terms[i] = fabs(R[i]);
  dae_status status = momentum_add_z_rates(motion, at, x, R, err);
  if (!status)
    status = dae__momentum_f(m, at, psi, motion->sample, err);
  for (int i = 0; i < m->nz && !status; i++)
    R[i] -= motion->sample[i], terms[i] += fabs(motion->sample[i]);
  if (!status)
    status = dae__momentum_r(m, at, lambda, motion->sample, err);
  for (int i = 0; i < m->nz && !status; i++)
    R[i] -= motion->sample[i], terms[i] += fabs(motion->sample[i]);
  DAE__TRY(status);
  momentum_add_terms(motion, DAE__P_Z, x, terms);
  momentum_add_terms(motion, DAE__R_LAMBDA, lambda, terms);
  momentum_add_terms(motion, DAE__F_PSI, psi, terms);
  momentum_add_terms(motion, DAE__GDOT_Z, x, terms + m->nz);
  momentum_add_terms(motion, DAE__K_Z, x, terms + m->nz + m->ng);
  *size = 0;
  for (int i = 0; i < n; i++)
    if (R[i] != 0)
      *size = fmax(*size, fabs(R[i]) / terms[i]);
  return DAE_OK;
}

static dae_status momentum_not_solved(const dae__momentum *m, double t, double size, dae_error *err)
{
  dae__fail(err, DAE_ERROR_RECOVERABLE, NULL,
            "the rates of z and the multipliers could not be found: Newton's method left a "
            "relative residual of %.2g. Check the derivatives that are given%s",
            size, m->nc > 0 ? ", or give better guesses of the multipliers" : "");
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_RECOVERABLE;
}

/* motion->unknown, whose multipliers come in as a guess */
static dae_status momentum_solve(dae__momentum_motion *motion, const dae_momentum_at *at,
                                 dae_error *err)
{
  dae__momentum *m = motion->m;
  int n = m->nz + m->nc;
  double size, before = INFINITY;
  for (int i = 0; i < MAX_ITERATIONS; i++) {
    dae_status status = momentum_rates_residual_of(motion, at, &size, err);
    DAE__TRY(status);
    if (size <= DBL_EPSILON || (size <= SOLVED && size > 0.1 * before))
      return DAE_OK;
    /* a new matrix where forces are not linear in their multipliers */
    if (i > 0 && size > 0.01 * before) {
      dae__copy(m->nc, motion->unknown + m->nz, motion->multiplier);
      status = dae__momentum_factor(motion, at, err);
    }
    DAE__TRY(status);
    dae__copy(n, motion->residual, motion->x);
    dae__solver_solve(motion->solver, motion->x);
    dae__axpy(n, -1, motion->x, motion->unknown);
    if (i > 0 && size * (size / before) <= DBL_EPSILON)
      return DAE_OK; /* what is left by now is round-off */
    before = size;
  }
  return momentum_not_solved(m, at->t, size, err);
}

dae_status dae__momentum_accelerate(dae__momentum_motion *motion, double t, double *state,
                                    double *dy, dae_error *err)
{
  dae__momentum *m = motion->m;
  dae_momentum_at at = {.t = t, .y = state, .z = state + m->at.z};
  double *const *part = motion->part;
  dae__copy(m->nc, state + m->at.lambda, motion->multiplier);
  dae_status status = dae__momentum_v(m, &at, motion->v, err);
  if (!status)
    status = dae__momentum_jacobian(m, DAE__G_Y, &at, NULL, part[DAE__G_Y], err);
  if (!status && m->given[DAE__V_Z])
    status = dae__momentum_jacobian(m, DAE__V_Z, &at, NULL, part[DAE__V_Z], err);
  if (!status)
    status = dae__momentum_factor(motion, &at, err);
  if (!status)
    status = momentum_rates_without_z(motion, &at, err);
  dae__zero(m->nz, motion->unknown);
  dae__copy(m->nc, motion->multiplier, motion->unknown + m->nz);
  if (!status)
    status = momentum_solve(motion, &at, err);
  DAE__TRY(status);
  dae__copy(m->nc, motion->unknown + m->nz, motion->multiplier);
  dae__copy(m->nc, motion->multiplier, state + m->at.lambda);
  if (dy) {
    dae__copy(m->ny, motion->v, dy);
    dae__copy(m->nz, motion->unknown, dy + m->at.z);
  }
  return DAE_OK;
}
