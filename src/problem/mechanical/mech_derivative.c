/* Derivatives of a mechanical problem: the user's, or coloured differences of the evaluations. */
#include "core/error.h"
#include "core/vec.h"
#include "problem/mechanical/mech_raw.h"

/* A point in which one or two parts are varied, and the vector of a contraction. */
typedef struct vary {
  dae__mech *m;
  dae_mechanical_at at;
  const double *s;
} vary;

static dae_status mech_finite(const dae_pattern *p, const double *values, const char *what,
                              dae_error *err)
{
  if (dae__all_finite(dae__pattern_count(p), values))
    return DAE_OK;
  return dae__fail(err, DAE_ERROR_RECOVERABLE, what,
                   "the derivative %s has an entry that is not "
                   "a finite number",
                   what);
}

/* ---- d(f,s,c)/d(q,v,u,w) ---- */

static void mech_set_point(vary *c, const double *z)
{
  const dae__mech *m = c->m;
  c->at.q = z;
  c->at.v = z + m->nq;
  c->at.u = z + 2 * m->nq;
  c->at.w = z + 2 * m->nq + m->nu;
}

static dae_status mech_rhs_of_z(void *context, const double *z, double *out, dae_error *err)
{
  vary *c = context;
  const dae_mechanical *p = c->m->p;
  mech_set_point(c, z);
  if (p->f)
    return dae__mech_rhs(c->m, &c->at, out, err);
  dae_status status = dae__mech_F(c->m, &c->at, out, err);
  if (!status && p->s)
    status =
        dae__callback_status(c->m->why, p->s(p->user, &c->at, out + c->m->nq), "s", c->at.t, err);
  if (!status && p->c)
    status = dae__callback_status(c->m->why, p->c(p->user, &c->at, out + c->m->nq + c->m->nu), "c",
                                  c->at.t, err);
  return status;
}

static dae_status mech_p_rate_of_qv(void *context, const double *z, double *out, dae_error *err)
{
  vary *c = context;
  c->at.q = z;
  c->at.v = z + c->m->nq;
  return dae__mech_p_rate(c->m, &c->at, out, err);
}

/* (q, v, u, w) in one piece: parts of a state vector already are */
static const double *mech_gather(dae__mech *m, const dae_mechanical_at *at)
{
  dae__copy(m->nq, at->q, m->z);
  dae__copy(m->nq, at->v, m->z + m->nq);
  dae__copy(m->nu, at->u, m->z + 2 * m->nq);
  dae__copy(m->nw, at->w, m->z + 2 * m->nq + m->nu);
  return m->z;
}

dae_status dae__mech_J(dae__mech *m, const dae_mechanical_at *at, double *J, dae_error *err)
{
  const dae_mechanical *p = m->p;
  vary c = {.m = m, .at = *at};
  bool momenta = p->f == NULL;
  double *user = momenta ? m->J_values : J;
  dae_status status = dae__mech_inputs(m, at->t, err);
  c.at.in = m->in;
  DAE__TRY(status);
  if (p->J)
    status = dae__callback_status(m->why, p->J(p->user, &c.at, user), "J", at->t, err);
  else
    status = dae__difference_jacobian(&m->dJ, mech_rhs_of_z, &c, mech_gather(m, at), user, err);
  if (!status && momenta) {
    c.at = *at;
    status = dae__difference_jacobian(&m->dprate, mech_p_rate_of_qv, &c, mech_gather(m, at),
                                      m->prate_values, err);
    if (!status)
      status = mech_finite(&m->dprate_pattern, m->prate_values, "p_rate", err);
    dae__zero(dae__pattern_count(&m->J), J);
    dae__block_add(&m->J_in_J, 1, m->J_values, J);
    dae__block_add(&m->prate_in_J, -1, m->prate_values, J);
  }
  return status ? status : mech_finite(&m->J, J, "J", err);
}

/* ---- contracted quantities ---- */

static dae_status mech_Ms_of_qv(void *context, const double *z, double *out, dae_error *err)
{
  vary *c = context;
  dae__mech *m = c->m;
  c->at.q = z;
  c->at.v = z + m->nq;
  dae_status status = dae__mech_M(m, &c->at, m->M_values, err);
  dae__zero(m->nq, out);
  dae__matrix_times(&m->M, m->M_values, 1, c->s, out);
  return status;
}

dae_status dae__mech_Ms(dae__mech *m, const dae_mechanical_at *at, const double *s, double *Ms,
                        dae_error *err)
{
  dae_status status;
  if (m->p->constant_mass)
    return DAE_OK;
  if (m->p->Ms_qv)
    status = dae__callback_status(m->why, m->p->Ms_qv(m->p->user, at, s, Ms), "Ms_qv", at->t, err);
  else
    status = dae__difference_jacobian(&m->dMs, mech_Ms_of_qv, &(vary){m, *at, s},
                                      mech_gather(m, at), Ms, err);
  return status ? status : mech_finite(&m->Ms, Ms, "Ms_qv", err);
}

static dae_status mech_Gts_of_q(void *context, const double *q, double *out, dae_error *err)
{
  vary *c = context;
  dae__mech *m = c->m;
  c->at.q = q;
  dae_status status = dae__mech_G(m, &c->at, m->G_values, err);
  dae__zero(m->nq, out);
  dae__matrix_transposed_times(&m->G, m->G_values, 1, c->s, out);
  return status;
}

dae_status dae__mech_Gts(dae__mech *m, const dae_mechanical_at *at, const double *s, double *Gts,
                         dae_error *err)
{
  dae_status status;
  if (m->ng == 0)
    return DAE_OK;
  if (m->p->Gts_q)
    status = dae__callback_status(m->why, m->p->Gts_q(m->p->user, at, s, Gts), "Gts_q", at->t, err);
  else
    status = dae__difference_jacobian(&m->dGts, mech_Gts_of_q, &(vary){m, *at, s}, at->q, Gts, err);
  return status ? status : mech_finite(&m->Gts, Gts, "Gts_q", err);
}

static dae_status mech_gdot_of_q(void *context, const double *q, double *out, dae_error *err)
{
  vary *c = context;
  dae__mech *m = c->m;
  c->at.q = q;
  dae_status status = m->p->G ? dae__mech_G(m, &c->at, m->G_values, err) : DAE_OK;
  return status ? status : dae__mech_gdot(m, &c->at, m->G_values, out, err);
}

dae_status dae__mech_gdot_q(dae__mech *m, const dae_mechanical_at *at, double *gdot_q,
                            dae_error *err)
{
  dae_status status;
  if (m->ng == 0)
    return DAE_OK;
  if (m->p->gdot_q)
    status =
        dae__callback_status(m->why, m->p->gdot_q(m->p->user, at, gdot_q), "gdot_q", at->t, err);
  else
    status = dae__difference_jacobian(&m->dgdot, mech_gdot_of_q, &(vary){m, *at, NULL}, at->q,
                                      gdot_q, err);
  dae__mask_rows(m, m->active, &m->G, gdot_q);
  return status ? status : mech_finite(&m->G, gdot_q, "gdot_q", err);
}

static dae_status mech_k_of_q(void *context, const double *q, double *out, dae_error *err)
{
  vary *c = context;
  c->at.q = q;
  return dae__mech_k(c->m, &c->at, out, err);
}

dae_status dae__mech_k_q(dae__mech *m, const dae_mechanical_at *at, double *k_q, dae_error *err)
{
  dae_status status;
  if (m->nk == 0)
    return DAE_OK;
  if (m->p->k_q)
    status = dae__callback_status(m->why, m->p->k_q(m->p->user, at, k_q), "k_q", at->t, err);
  else
    status = dae__difference_jacobian(&m->dkq, mech_k_of_q, &(vary){m, *at, NULL}, at->q, k_q, err);
  dae__mask_rows(m, m->active + m->ng, &m->kq, k_q);
  return status ? status : mech_finite(&m->kq, k_q, "k_q", err);
}

static dae_status mech_Kts_of_qv(void *context, const double *z, double *out, dae_error *err)
{
  vary *c = context;
  dae__mech *m = c->m;
  c->at.q = z;
  c->at.v = z + m->nq;
  dae_status status = dae__mech_K(m, &c->at, m->K_values, err);
  dae__zero(m->nq, out);
  dae__matrix_transposed_times(&m->K, m->K_values, 1, c->s, out);
  return status;
}

dae_status dae__mech_Kts(dae__mech *m, const dae_mechanical_at *at, const double *s, double *Kts,
                         dae_error *err)
{
  dae_status status;
  if (m->nk == 0)
    return DAE_OK;
  if (m->p->Kts_qv)
    status =
        dae__callback_status(m->why, m->p->Kts_qv(m->p->user, at, s, Kts), "Kts_qv", at->t, err);
  else
    status = dae__difference_jacobian(&m->dKts, mech_Kts_of_qv, &(vary){m, *at, s},
                                      mech_gather(m, at), Kts, err);
  return status ? status : mech_finite(&m->Kts, Kts, "Kts_qv", err);
}
