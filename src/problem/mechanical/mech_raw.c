/* The quantities of a mechanical problem one by one, unchecked and unmasked: the user's callback
 * where there is one, else formed from the others.
 *
 *   f     = F - p_rate                          where momenta were given
 *   M     = dp/dv
 *   gdot  = g_t + G v, or d/dt g(t, q + t v)     where G was not given
 *   gamma = d2/dt2 g(t, q + t v),  kappa = d/dt k(t, q + t v, v),  p_rate = d/dt p(t, q + t v, v)
 *
 * The derivatives along the motion are central differences of fourth order. */
#include "problem/mechanical/mech_raw.h"
#include "core/error.h"
#include "core/vec.h"
#include <float.h>

/* ---- derivatives along the motion (t + d, q + d v), v held ---- */

/* differences of fourth order with this step leave about 1e-12 */
#define RATE_STEP 1e-3

/* d such that q moves by `relative` of its size, but at most `relative` in time where time itself
 * enters: the time scale of a given function of time is not known */
static double mech_along_step(const dae__mech *m, const dae_mechanical_at *at, double relative,
                              bool time_enters)
{
  double q = dae__max_abs(m->nq, at->q), v = dae__max_abs(m->nq, at->v);
  double d = relative * (v > 0 ? q / v + 0.1 : 1); /* 0.1: q may pass through zero */
  return time_enters ? fmin(d, 0.1 * relative) : d;
}

/* out = sum_i weight_i fn(t + (first + i) d, q + (first + i) d v, v) */
static dae_status mech_along(dae__mech *m, const dae_mechanical_at *at, dae__raw_fn *fn, int n,
                             double d, int first, const double *weight, double *out, dae_error *err)
{
  dae_status status = DAE_OK;
  dae__zero(n, out);
  for (int i = 0; i < 5 && !status; i++) {
    dae_mechanical_at moved = *at;
    if (weight[i] == 0)
      continue;
    for (int j = 0; j < m->nq; j++)
      m->shifted[j] = at->q[j] + (first + i) * d * at->v[j];
    moved.q = m->shifted;
    moved.t = at->t + (first + i) * d;
    status = fn(m, &moved, m->sample, err);
    dae__axpy(n, weight[i], m->sample, out);
  }
  return status;
}

/* central differences, or backward ones where fn is not defined ahead */
static dae_status mech_differences_along(dae__mech *m, const dae_mechanical_at *at, dae__raw_fn *fn,
                                         int n, double d, const double (*weight)[5], double *out,
                                         dae_error *err)
{
  dae_status status = mech_along(m, at, fn, n, d, -2, weight[0], out, err);
  if (status == DAE_ERROR_RECOVERABLE || (!status && !dae__all_finite(n, out)))
    status = mech_along(m, at, fn, n, d, -4, weight[1], out, err);
  return status;
}

static dae_status mech_rate_along(dae__mech *m, const dae_mechanical_at *at, dae__raw_fn *fn, int n,
                                  bool time_enters, double *out, dae_error *err)
{
  static const double weight[2][5] = {{1. / 12, -8. / 12, 0, 8. / 12, -1. / 12},
                                      {3. / 12, -16. / 12, 36. / 12, -48. / 12, 25. / 12}};
  double d = mech_along_step(m, at, RATE_STEP, time_enters);
  dae_status status = mech_differences_along(m, at, fn, n, d, weight, out, err);
  dae__scale(n, 1 / d, out);
  return status;
}

double dae__mech_gdot_error(const dae__mech *m, const dae_mechanical_at *at)
{
  bool exact = m->p->G && (m->p->g_t || m->p->time_free_g);
  return exact ? 0 : 6 * DBL_EPSILON / mech_along_step(m, at, RATE_STEP, !m->p->time_free_g);
}

static dae_status mech_second_rate_along(dae__mech *m, const dae_mechanical_at *at, dae__raw_fn *fn,
                                         int n, bool time_enters, double *out, dae_error *err)
{
  static const double weight[2][5] = {{-1. / 12, 16. / 12, -30. / 12, 16. / 12, -1. / 12},
                                      {11. / 12, -56. / 12, 114. / 12, -104. / 12, 35. / 12}};
  double d = mech_along_step(m, at, 5e-3, time_enters);
  dae_status status = mech_differences_along(m, at, fn, n, d, weight, out, err);
  dae__scale(n, 1 / (d * d), out);
  return status;
}

/* ---- the user's functions as along_fn ---- */

dae_status dae__raw_g(dae__mech *m, const dae_mechanical_at *at, double *out, dae_error *err)
{
  return dae__callback_status(m->why, m->p->g(m->p->user, at, out), "g", at->t, err);
}

dae_status dae__raw_k(dae__mech *m, const dae_mechanical_at *at, double *out, dae_error *err)
{
  return dae__callback_status(m->why, m->p->k(m->p->user, at, out), "k", at->t, err);
}

static dae_status mech_user_p(dae__mech *m, const dae_mechanical_at *at, double *out,
                              dae_error *err)
{
  return dae__callback_status(m->why, m->p->p(m->p->user, at, out), "p", at->t, err);
}

/* g_t + G v from the user's derivatives */
static dae_status mech_user_gdot(dae__mech *m, const dae_mechanical_at *at, double *out,
                                 dae_error *err)
{
  const dae_mechanical *p = m->p;
  dae_status status = dae__callback_status(m->why, p->G(p->user, at, m->G_values), "G", at->t, err);
  dae__zero(m->ng, out);
  if (!status && p->g_t)
    status = dae__callback_status(m->why, p->g_t(p->user, at, out), "g_t", at->t, err);
  if (!status)
    dae__matrix_times(&m->G, m->G_values, 1, at->v, out);
  return status;
}

static dae_status mech_momenta_Mv(dae__mech *m, const dae_mechanical_at *at, double *out,
                                  dae_error *err)
{
  dae_status status =
      dae__callback_status(m->why, m->p->M(m->p->user, at, m->M_values), "M", at->t, err);
  dae__zero(m->nq, out);
  if (!status)
    dae__matrix_times(&m->M, m->M_values, 1, at->v, out);
  return status;
}

/* ---- one quantity each, unchecked and unmasked ---- */

dae_status dae__raw_p_rate(dae__mech *m, const dae_mechanical_at *at, double *out, dae_error *err)
{
  if (m->p->p_rate)
    return dae__callback_status(m->why, m->p->p_rate(m->p->user, at, out), "p_rate", at->t, err);
  dae__zero(m->nq, out);
  if (m->p->constant_mass && !m->p->p)
    return DAE_OK;
  return mech_rate_along(m, at, m->p->p ? mech_user_p : mech_momenta_Mv, m->nq, true, out, err);
}

dae_status dae__raw_f(dae__mech *m, const dae_mechanical_at *at, double *f, dae_error *err)
{
  const dae_mechanical *p = m->p;
  if (p->f)
    return dae__callback_status(m->why, p->f(p->user, at, f), "f", at->t, err);
  dae_status status = dae__raw_p_rate(m, at, m->product, err);
  if (!status)
    status = dae__callback_status(m->why, p->F(p->user, at, f), "F", at->t, err);
  dae__axpy(m->nq, -1, m->product, f);
  return status;
}

typedef struct vary {
  dae__mech *m;
  dae_mechanical_at at;
} vary;

static dae_status mech_p_of_v(void *context, const double *v, double *out, dae_error *err)
{
  vary *c = context;
  c->at.v = v;
  return mech_user_p(c->m, &c->at, out, err);
}

static dae_status mech_g_of_q(void *context, const double *q, double *out, dae_error *err)
{
  vary *c = context;
  c->at.q = q;
  return dae__raw_g(c->m, &c->at, out, err);
}

static dae_status mech_k_of_v(void *context, const double *v, double *out, dae_error *err)
{
  vary *c = context;
  c->at.v = v;
  return dae__raw_k(c->m, &c->at, out, err);
}

dae_status dae__raw_M(dae__mech *m, const dae_mechanical_at *at, double *M, dae_error *err)
{
  if (m->p->M)
    return dae__callback_status(m->why, m->p->M(m->p->user, at, M), "M", at->t, err);
  return dae__difference_jacobian(&m->dM, mech_p_of_v, &(vary){m, *at}, at->v, M, err);
}

dae_status dae__raw_G(dae__mech *m, const dae_mechanical_at *at, double *G, dae_error *err)
{
  if (m->p->G)
    return dae__callback_status(m->why, m->p->G(m->p->user, at, G), "G", at->t, err);
  return dae__difference_jacobian(&m->dG, mech_g_of_q, &(vary){m, *at}, at->q, G, err);
}

dae_status dae__raw_K(dae__mech *m, const dae_mechanical_at *at, double *K, dae_error *err)
{
  if (m->p->K)
    return dae__callback_status(m->why, m->p->K(m->p->user, at, K), "K", at->t, err);
  return dae__difference_jacobian(&m->dK, mech_k_of_v, &(vary){m, *at}, at->v, K, err);
}

/* g_t by central differences in time */
static dae_status mech_time_rate_g(dae__mech *m, const dae_mechanical_at *at, double *out,
                                   dae_error *err)
{
  dae_mechanical_at still = *at;
  dae__zero(m->nq, m->product);
  still.v = m->product;
  return mech_rate_along(m, &still, dae__raw_g, m->ng, true, out, err);
}

dae_status dae__raw_gdot(dae__mech *m, const dae_mechanical_at *at, const double *G, double *gdot,
                         dae_error *err)
{
  const dae_mechanical *p = m->p;
  dae_status status = DAE_OK;
  if (!p->G)
    return mech_rate_along(m, at, dae__raw_g, m->ng, !p->time_free_g, gdot, err);
  dae__zero(m->ng, gdot);
  if (p->g_t)
    status = dae__callback_status(m->why, p->g_t(p->user, at, gdot), "g_t", at->t, err);
  else if (!p->time_free_g)
    status = mech_time_rate_g(m, at, gdot, err);
  if (!status)
    dae__matrix_times(&m->G, G, 1, at->v, gdot);
  return status;
}

dae_status dae__raw_gamma(dae__mech *m, const dae_mechanical_at *at, double *gamma, dae_error *err)
{
  const dae_mechanical *p = m->p;
  if (p->gamma)
    return dae__callback_status(m->why, p->gamma(p->user, at, gamma), "gamma", at->t, err);
  if (p->G && (p->g_t || p->time_free_g))
    return mech_rate_along(m, at, mech_user_gdot, m->ng, !p->time_free_g, gamma, err);
  return mech_second_rate_along(m, at, dae__raw_g, m->ng, !p->time_free_g, gamma, err);
}

dae_status dae__raw_kappa(dae__mech *m, const dae_mechanical_at *at, double *kappa, dae_error *err)
{
  if (m->p->kappa)
    return dae__callback_status(m->why, m->p->kappa(m->p->user, at, kappa), "kappa", at->t, err);
  return mech_rate_along(m, at, dae__raw_k, m->nk, true, kappa, err);
}

dae_status dae__raw_p(dae__mech *m, const dae_mechanical_at *at, double *p, dae_error *err)
{
  return m->p->p ? mech_user_p(m, at, p, err) : mech_momenta_Mv(m, at, p, err);
}
