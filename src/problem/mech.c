/* Evaluations of a mechanical problem: what the user gave is called and checked, what is missing is
 * formed from the rest.
 *
 *   f     = F - p_rate                          where momenta were given
 *   M     = dp/dv
 *   gdot  = g_t + G v, or d/dt g(t, q + t v)     where G was not given
 *   gamma = d2/dt2 g(t, q + t v),  kappa = d/dt k(t, q + t v, v),  p_rate = d/dt p(t, q + t v, v)
 *
 * The derivatives along the motion are central differences of fourth order. */
#include "problem/mech.h"
#include "core/error.h"
#include "core/vec.h"
#include <float.h>
#include <stdio.h>

dae_mechanical_at dae__mech_at(const dae__mech *m, double t, const double *y)
{
  return (dae_mechanical_at){.t = t,
                             .q = y,
                             .v = y + m->at.v,
                             .u = y + m->at.u,
                             .w = y + m->at.w,
                             .in = m->in};
}

const char *dae__mech_constraint_name(const dae_mechanical *p, int row, char *text, size_t size)
{
  bool holonomic = row < p->ng;
  const char *const *names = holonomic ? p->g_names : p->k_names;
  int i = holonomic ? row : row - p->ng;
  if (names && names[i])
    snprintf(text, size, "%s", names[i]);
  else
    snprintf(text, size, "%s[%d]", holonomic ? "g" : "k", i + 1);
  return text;
}

/* name of row i of (f, s, c) */
static void rhs_name(const dae_mechanical *p, int i, char *text, size_t size)
{
  const char *const *names = p->q_names;
  const char *letter = "q";
  if (i >= p->nq + p->nu) {
    names = p->w_names, letter = "w", i -= p->nq + p->nu;
  } else if (i >= p->nq) {
    names = p->u_names, letter = "u", i -= p->nq;
  }
  if (names && names[i])
    snprintf(text, size, "equation of %s", names[i]);
  else
    snprintf(text, size, "equation of %s[%d]", letter, i + 1);
}

/* ---- calling the user ---- */

static dae_status outcome(int code, const char *callback, double t, dae_error *err)
{
  if (code == 0)
    return DAE_OK;
  dae_status status = code > 0 ? DAE_ERROR_RECOVERABLE : DAE_ERROR_CALLBACK;
  dae__fail(err, status, callback, "the callback %s %s", callback,
            code > 0 ? "refused the point" : "failed");
  dae__fail_at(err, t, NAN);
  return status;
}

static dae_status not_finite(dae_error *err, const char *name, const char *what, double t)
{
  dae__fail(err, DAE_ERROR_RECOVERABLE, name, "%s of %s is not a finite number", what, name);
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_RECOVERABLE;
}

static dae_status check_rows(const dae__mech *m, const double *x, int n, int first, double t,
                             const char *what, dae_error *err)
{
  char name[64];
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) {
      if (first < 0)
        rhs_name(m->p, i - first - 1, name, sizeof name);
      else
        dae__mech_constraint_name(m->p, first + i, name, sizeof name);
      return not_finite(err, name, what, t);
    }
  return DAE_OK;
}

dae_status dae__mech_inputs(dae__mech *m, double t, dae_error *err)
{
  return m->input ? outcome(m->input(m->input_user, t, m->in), "input", t, err) : DAE_OK;
}

/* the point with its inputs */
static dae_status with_inputs(dae__mech *m, const dae_mechanical_at *at, dae_mechanical_at *full,
                              dae_error *err)
{
  *full = *at;
  full->in = m->in;
  return dae__mech_inputs(m, at->t, err);
}

/* ---- derivatives along the motion (t + d, q + d v), v held ---- */

/* differences of fourth order with this step leave about 1e-12 */
#define RATE_STEP 1e-3

typedef dae_status along_fn(dae__mech *m, const dae_mechanical_at *at, double *out, dae_error *err);

/* d such that q moves by `relative` of its size, but at most `relative` in time where time itself
 * enters: the time scale of a given function of time is not known */
static double along_step(const dae__mech *m, const dae_mechanical_at *at, double relative,
                         bool time_enters)
{
  double q = dae__max_abs(m->nq, at->q), v = dae__max_abs(m->nq, at->v);
  double d = relative * (v > 0 ? q / v + 0.1 : 1); /* 0.1: q may pass through zero */
  return time_enters ? fmin(d, 0.1 * relative) : d;
}

/* out = sum_i weight_i fn(t + where_i d, q + where_i d v, v) */
static dae_status along(dae__mech *m, const dae_mechanical_at *at, along_fn *fn, int n, double d,
                        const double *weight, double *out, dae_error *err)
{
  dae_status status = DAE_OK;
  dae__zero(n, out);
  for (int i = -2; i <= 2 && !status; i++) {
    dae_mechanical_at moved = *at;
    if (weight[i + 2] == 0)
      continue;
    for (int j = 0; j < m->nq; j++)
      m->shifted[j] = at->q[j] + i * d * at->v[j];
    moved.q = m->shifted;
    moved.t = at->t + i * d;
    status = fn(m, &moved, m->sample, err);
    dae__axpy(n, weight[i + 2], m->sample, out);
  }
  return status;
}

static dae_status rate_along(dae__mech *m, const dae_mechanical_at *at, along_fn *fn, int n,
                             bool time_enters, double *out, dae_error *err)
{
  static const double weight[5] = {1. / 12, -8. / 12, 0, 8. / 12, -1. / 12};
  double d = along_step(m, at, RATE_STEP, time_enters);
  dae_status status = along(m, at, fn, n, d, weight, out, err);
  dae__scale(n, 1 / d, out);
  return status;
}

double dae__mech_gdot_error(const dae__mech *m, const dae_mechanical_at *at)
{
  bool exact = m->p->G && (m->p->g_t || m->p->time_free_g);
  return exact ? 0 : 16 * DBL_EPSILON / along_step(m, at, RATE_STEP, !m->p->time_free_g);
}

static dae_status second_rate_along(dae__mech *m, const dae_mechanical_at *at, along_fn *fn, int n,
                                    bool time_enters, double *out, dae_error *err)
{
  static const double weight[5] = {-1. / 12, 16. / 12, -30. / 12, 16. / 12, -1. / 12};
  double d = along_step(m, at, 5e-3, time_enters);
  dae_status status = along(m, at, fn, n, d, weight, out, err);
  dae__scale(n, 1 / (d * d), out);
  return status;
}

/* ---- the user's functions as along_fn ---- */

static dae_status user_g(dae__mech *m, const dae_mechanical_at *at, double *out, dae_error *err)
{
  return outcome(m->p->g(m->p->user, at, out), "g", at->t, err);
}

static dae_status user_k(dae__mech *m, const dae_mechanical_at *at, double *out, dae_error *err)
{
  return outcome(m->p->k(m->p->user, at, out), "k", at->t, err);
}

static dae_status user_p(dae__mech *m, const dae_mechanical_at *at, double *out, dae_error *err)
{
  return outcome(m->p->p(m->p->user, at, out), "p", at->t, err);
}

/* g_t + G v from the user's derivatives */
static dae_status user_gdot(dae__mech *m, const dae_mechanical_at *at, double *out, dae_error *err)
{
  const dae_mechanical *p = m->p;
  dae_status status = outcome(p->G(p->user, at, m->G_values), "G", at->t, err);
  dae__zero(m->ng, out);
  if (!status && p->g_t)
    status = outcome(p->g_t(p->user, at, out), "g_t", at->t, err);
  if (!status)
    dae__matrix_times(&m->G, m->G_values, 1, at->v, out);
  return status;
}

static dae_status momenta_Mv(dae__mech *m, const dae_mechanical_at *at, double *out, dae_error *err)
{
  dae_status status = outcome(m->p->M(m->p->user, at, m->M_values), "M", at->t, err);
  dae__zero(m->nq, out);
  if (!status)
    dae__matrix_times(&m->M, m->M_values, 1, at->v, out);
  return status;
}

/* ---- one quantity each, unchecked and unmasked ---- */

static dae_status raw_p_rate(dae__mech *m, const dae_mechanical_at *at, double *out, dae_error *err)
{
  if (m->p->p_rate)
    return outcome(m->p->p_rate(m->p->user, at, out), "p_rate", at->t, err);
  dae__zero(m->nq, out);
  if (m->p->constant_mass && !m->p->p)
    return DAE_OK;
  return rate_along(m, at, m->p->p ? user_p : momenta_Mv, m->nq, true, out, err);
}

static dae_status raw_f(dae__mech *m, const dae_mechanical_at *at, double *f, dae_error *err)
{
  const dae_mechanical *p = m->p;
  if (p->f)
    return outcome(p->f(p->user, at, f), "f", at->t, err);
  dae_status status = raw_p_rate(m, at, m->product, err);
  if (!status)
    status = outcome(p->F(p->user, at, f), "F", at->t, err);
  dae__axpy(m->nq, -1, m->product, f);
  return status;
}

typedef struct vary {
  dae__mech *m;
  dae_mechanical_at at;
} vary;

static dae_status p_of_v(void *context, const double *v, double *out, dae_error *err)
{
  vary *c = context;
  c->at.v = v;
  return user_p(c->m, &c->at, out, err);
}

static dae_status g_of_q(void *context, const double *q, double *out, dae_error *err)
{
  vary *c = context;
  c->at.q = q;
  return user_g(c->m, &c->at, out, err);
}

static dae_status k_of_v(void *context, const double *v, double *out, dae_error *err)
{
  vary *c = context;
  c->at.v = v;
  return user_k(c->m, &c->at, out, err);
}

static dae_status raw_M(dae__mech *m, const dae_mechanical_at *at, double *M, dae_error *err)
{
  if (m->p->M)
    return outcome(m->p->M(m->p->user, at, M), "M", at->t, err);
  return dae__difference_jacobian(&m->dM, p_of_v, &(vary){m, *at}, at->v, M, err);
}

static dae_status raw_G(dae__mech *m, const dae_mechanical_at *at, double *G, dae_error *err)
{
  if (m->p->G)
    return outcome(m->p->G(m->p->user, at, G), "G", at->t, err);
  return dae__difference_jacobian(&m->dG, g_of_q, &(vary){m, *at}, at->q, G, err);
}

static dae_status raw_K(dae__mech *m, const dae_mechanical_at *at, double *K, dae_error *err)
{
  if (m->p->K)
    return outcome(m->p->K(m->p->user, at, K), "K", at->t, err);
  return dae__difference_jacobian(&m->dK, k_of_v, &(vary){m, *at}, at->v, K, err);
}

/* g_t by central differences in time */
static dae_status time_rate_g(dae__mech *m, const dae_mechanical_at *at, double *out,
                              dae_error *err)
{
  dae_mechanical_at still = *at;
  dae__zero(m->nq, m->product);
  still.v = m->product;
  return rate_along(m, &still, user_g, m->ng, true, out, err);
}

static dae_status raw_gdot(dae__mech *m, const dae_mechanical_at *at, const double *G, double *gdot,
                           dae_error *err)
{
  const dae_mechanical *p = m->p;
  dae_status status = DAE_OK;
  if (!p->G)
    return rate_along(m, at, user_g, m->ng, !p->time_free_g, gdot, err);
  dae__zero(m->ng, gdot);
  if (p->g_t)
    status = outcome(p->g_t(p->user, at, gdot), "g_t", at->t, err);
  else if (!p->time_free_g)
    status = time_rate_g(m, at, gdot, err);
  if (!status)
    dae__matrix_times(&m->G, G, 1, at->v, gdot);
  return status;
}

static dae_status raw_gamma(dae__mech *m, const dae_mechanical_at *at, double *gamma,
                            dae_error *err)
{
  const dae_mechanical *p = m->p;
  if (p->gamma)
    return outcome(p->gamma(p->user, at, gamma), "gamma", at->t, err);
  if (p->G && (p->g_t || p->time_free_g))
    return rate_along(m, at, user_gdot, m->ng, !p->time_free_g, gamma, err);
  return second_rate_along(m, at, user_g, m->ng, !p->time_free_g, gamma, err);
}

static dae_status raw_kappa(dae__mech *m, const dae_mechanical_at *at, double *kappa,
                            dae_error *err)
{
  if (m->p->kappa)
    return outcome(m->p->kappa(m->p->user, at, kappa), "kappa", at->t, err);
  return rate_along(m, at, user_k, m->nk, true, kappa, err);
}

/* ---- together ---- */

static void mask_rows(const bool *active, const dae_pattern *p, double *values)
{
  for (int e = 0; e < dae__pattern_count(p); e++)
    if (!active[p->row[e]])
      values[e] = 0;
}

static void mask(const bool *active, int n, double *x)
{
  for (int i = 0; i < n; i++)
    if (!active[i])
      x[i] = 0;
}

/* calls the joint callback for what the user can give and takes that out of rest */
static dae_status eval_jointly(dae__mech *m, const dae_mechanical_at *at,
                               dae_mechanical_wanted *rest, dae_error *err)
{
  const dae_mechanical *p = m->p;
  dae_mechanical_wanted given = *rest, left = {0};
#define LEAVE_IF_NOT(have, member)                                                                 \
  if (!(have))                                                                                     \
    left.member = given.member, given.member = NULL
  LEAVE_IF_NOT(p->M, M);
  LEAVE_IF_NOT(p->f, f);
  LEAVE_IF_NOT(p->s, s);
  LEAVE_IF_NOT(p->c, c);
  LEAVE_IF_NOT(p->g, g);
  LEAVE_IF_NOT(p->G && (p->g_t || p->time_free_g), gdot);
  LEAVE_IF_NOT(p->G, G);
  LEAVE_IF_NOT(p->gamma, gamma);
  LEAVE_IF_NOT(p->k, k);
  LEAVE_IF_NOT(p->K, K);
  LEAVE_IF_NOT(p->kappa, kappa);
#undef LEAVE_IF_NOT
  *rest = left;
  return outcome(p->eval(p->user, at, &given), "eval", at->t, err);
}

static dae_status eval_separately(dae__mech *m, const dae_mechanical_at *at,
                                  const dae_mechanical_wanted *w, const double *G, dae_error *err)
{
  const dae_mechanical *p = m->p;
  dae_status status = DAE_OK;
  if (w->M && !status)
    status = raw_M(m, at, w->M, err);
  if (w->f && !status)
    status = raw_f(m, at, w->f, err);
  if (w->s && m->nu > 0 && !status)
    status = outcome(p->s(p->user, at, w->s), "s", at->t, err);
  if (w->c && m->nw > 0 && !status)
    status = outcome(p->c(p->user, at, w->c), "c", at->t, err);
  if (w->g && m->ng > 0 && !status)
    status = user_g(m, at, w->g, err);
  if (w->G && m->ng > 0 && !status)
    status = raw_G(m, at, w->G, err);
  if (w->gdot && m->ng > 0 && !status)
    status = raw_gdot(m, at, G, w->gdot, err);
  if (w->gamma && m->ng > 0 && !status)
    status = raw_gamma(m, at, w->gamma, err);
  if (w->k && m->nk > 0 && !status)
    status = user_k(m, at, w->k, err);
  if (w->K && m->nk > 0 && !status)
    status = raw_K(m, at, w->K, err);
  if (w->kappa && m->nk > 0 && !status)
    status = raw_kappa(m, at, w->kappa, err);
  return status;
}

/* masks dependent rows, refuses what is not finite */
static dae_status finish(const dae__mech *m, double t, const dae_mechanical_wanted *w,
                         dae_error *err)
{
  const bool *g = m->active, *k = m->active + m->ng;
  dae_status status = DAE_OK;
  if (w->f)
    status = check_rows(m, w->f, m->nq, -1, t, "the right side", err);
  if (w->s && !status)
    status = check_rows(m, w->s, m->nu, -1 - m->nq, t, "the right side", err);
  if (w->c && !status)
    status = check_rows(m, w->c, m->nw, -1 - m->nq - m->nu, t, "the residual", err);
  if (w->g && !status)
    mask(g, m->ng, w->g), status = check_rows(m, w->g, m->ng, 0, t, "the residual", err);
  if (w->gdot && !status)
    mask(g, m->ng, w->gdot), status = check_rows(m, w->gdot, m->ng, 0, t, "the rate", err);
  if (w->gamma && !status)
    mask(g, m->ng, w->gamma), status = check_rows(m, w->gamma, m->ng, 0, t, "gamma", err);
  if (w->k && !status)
    mask(k, m->nk, w->k), status = check_rows(m, w->k, m->nk, m->ng, t, "the residual", err);
  if (w->kappa && !status)
    mask(k, m->nk, w->kappa), status = check_rows(m, w->kappa, m->nk, m->ng, t, "kappa", err);
  if (w->G)
    mask_rows(g, &m->G, w->G);
  if (w->K)
    mask_rows(k, &m->K, w->K);
  return status;
}

static dae_status eval(dae__mech *m, const dae_mechanical_at *at, const dae_mechanical_wanted *w,
                       const double *G, dae_error *err)
{
  dae_mechanical_at full;
  dae_mechanical_wanted rest = *w;
  dae_status status = with_inputs(m, at, &full, err);
  if (w->f)
    m->count->evaluations++;
  if (!status && m->p->eval)
    status = eval_jointly(m, &full, &rest, err);
  if (!status)
    status = eval_separately(m, &full, &rest, G, err);
  return status ? status : finish(m, at->t, w, err);
}

dae_status dae__mech_eval(dae__mech *m, const dae_mechanical_at *at,
                          const dae_mechanical_wanted *wanted, dae_error *err)
{
  return eval(m, at, wanted, wanted->G, err);
}

dae_status dae__mech_rhs(dae__mech *m, const dae_mechanical_at *at, double *fsc, dae_error *err)
{
  dae_mechanical_wanted w = {.f = fsc, .s = fsc + m->nq, .c = fsc + m->nq + m->nu};
  return eval(m, at, &w, NULL, err);
}

dae_status dae__mech_M(dae__mech *m, const dae_mechanical_at *at, double *M, dae_error *err)
{
  return eval(m, at, &(dae_mechanical_wanted){.M = M}, NULL, err);
}

dae_status dae__mech_g(dae__mech *m, const dae_mechanical_at *at, double *g, dae_error *err)
{
  return eval(m, at, &(dae_mechanical_wanted){.g = g}, NULL, err);
}

dae_status dae__mech_G(dae__mech *m, const dae_mechanical_at *at, double *G, dae_error *err)
{
  return eval(m, at, &(dae_mechanical_wanted){.G = G}, NULL, err);
}

dae_status dae__mech_gdot(dae__mech *m, const dae_mechanical_at *at, const double *G, double *gdot,
                          dae_error *err)
{
  dae_mechanical_at full;
  dae_mechanical_wanted w = {.gdot = gdot};
  dae_status status = with_inputs(m, at, &full, err);
  if (!status)
    status = eval_separately(m, &full, &w, G, err);
  return status ? status : finish(m, at->t, &w, err);
}

dae_status dae__mech_k(dae__mech *m, const dae_mechanical_at *at, double *k, dae_error *err)
{
  return eval(m, at, &(dae_mechanical_wanted){.k = k}, NULL, err);
}

dae_status dae__mech_K(dae__mech *m, const dae_mechanical_at *at, double *K, dae_error *err)
{
  return eval(m, at, &(dae_mechanical_wanted){.K = K}, NULL, err);
}

dae_status dae__mech_gamma(dae__mech *m, const dae_mechanical_at *at, double *gamma, dae_error *err)
{
  return eval(m, at, &(dae_mechanical_wanted){.gamma = gamma, .kappa = gamma + m->ng}, NULL, err);
}

/* ---- the momentum face ---- */

dae_status dae__mech_p(dae__mech *m, const dae_mechanical_at *at, double *p, dae_error *err)
{
  if (m->p->p)
    return user_p(m, at, p, err);
  return momenta_Mv(m, at, p, err);
}

dae_status dae__mech_p_rate(dae__mech *m, const dae_mechanical_at *at, double *p_rate,
                            dae_error *err)
{
  return raw_p_rate(m, at, p_rate, err);
}

dae_status dae__mech_F(dae__mech *m, const dae_mechanical_at *at, double *F, dae_error *err)
{
  const dae_mechanical *p = m->p;
  dae_mechanical_at full;
  dae_status status = with_inputs(m, at, &full, err);
  if (status)
    return status;
  m->count->evaluations++;
  if (p->F)
    return outcome(p->F(p->user, &full, F), "F", at->t, err);
  status = raw_p_rate(m, &full, m->product, err);
  if (!status)
    status = raw_f(m, &full, F, err);
  dae__axpy(m->nq, 1, m->product, F);
  return status;
}

dae_status dae__mech_energy(dae__mech *m, const dae_mechanical_at *at, double *T, double *V,
                            bool *has_potential, dae_error *err)
{
  const dae_mechanical *p = m->p;
  dae_mechanical_at full;
  dae_status status = with_inputs(m, at, &full, err);
  *has_potential = p->energy != NULL;
  if (status || p->energy)
    return status ? status : outcome(p->energy(p->user, &full, T, V), "energy", at->t, err);
  *V = 0;
  status = dae__mech_p(m, &full, m->product, err);
  *T = dae__dot(m->nq, at->v, m->product) / 2;
  return status;
}
