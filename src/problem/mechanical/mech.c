/* Evaluations of a mechanical problem as the methods see them: the joint callback or the separate
 * ones (mech_raw.c), results checked, rows of dependent constraints masked. */
#include "problem/mechanical/mech.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/mechanical/mech_raw.h"
#include <stdio.h>

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
static void mech_rhs_name(const dae_mechanical *p, int i, char *text, size_t size)
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

static dae_status mech_not_finite(dae_error *err, const char *name, const char *what, double t)
{
  dae__fail(err, DAE_ERROR_RECOVERABLE, name, "%s of %s is not a finite number", what, name);
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_RECOVERABLE;
}

static dae_status mech_check_rows(const dae__mech *m, const double *x, int n, int first, double t,
                                  const char *what, dae_error *err)
{
  char name[64];
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) {
      if (first < 0)
        mech_rhs_name(m->p, i - first - 1, name, sizeof name);
      else
        dae__mech_constraint_name(m->p, first + i, name, sizeof name);
      return mech_not_finite(err, name, what, t);
    }
  return DAE_OK;
}

/* names the row of a matrix entry that is not finite */
static dae_status mech_check_entries(const dae__mech *m, const dae_pattern *p, const double *values,
                                     const char *matrix, double t, dae_error *err)
{
  char name[64], what[32];
  for (int e = 0; e < dae__pattern_count(p); e++)
    if (!isfinite(values[e])) {
      if (matrix[0] == 'M')
        mech_rhs_name(m->p, p->row[e], name, sizeof name);
      else
        dae__mech_constraint_name(m->p, p->row[e] + (matrix[0] == 'K' ? m->ng : 0), name,
                                  sizeof name);
      snprintf(what, sizeof what, "an entry of %s", matrix);
      return mech_not_finite(err, name, what, t);
    }
  return DAE_OK;
}

dae_status dae__mech_inputs(dae__mech *m, double t, dae_error *err)
{
  return m->input ? dae__callback_status(m->why, m->input(m->input_user, t, m->in), "input", t, err)
                  : DAE_OK;
}

/* the point with its inputs */
static dae_status mech_with_inputs(dae__mech *m, const dae_mechanical_at *at,
                                   dae_mechanical_at *full, dae_error *err)
{
  *full = *at;
  full->in = m->in;
  return dae__mech_inputs(m, at->t, err);
}

/* ---- together ---- */

void dae__mask_rows(const dae__mech *m, const bool *active, const dae_pattern *p, double *values)
{
  if (m->count->dependent == 0)
    return;
  for (int e = 0; e < dae__pattern_count(p); e++)
    if (!active[p->row[e]])
      values[e] = 0;
}

static void mech_mask(const bool *active, int n, double *x)
{
  for (int i = 0; i < n; i++)
    if (!active[i])
      x[i] = 0;
}

/* calls the joint callback for what the user can give and takes that out of rest */
static dae_status mech_eval_jointly(dae__mech *m, const dae_mechanical_at *at,
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
  return dae__callback_status(m->why, p->eval(p->user, at, &given), "eval", at->t, err);
}

static dae_status mech_eval_separately(dae__mech *m, const dae_mechanical_at *at,
                                       const dae_mechanical_wanted *w, const double *G,
                                       dae_error *err)
{
  const dae_mechanical *p = m->p;
  dae_status status = DAE_OK;
  if (w->M && !status)
    status = dae__raw_M(m, at, w->M, err);
  if (w->f && !status)
    status = dae__raw_f(m, at, w->f, err);
  if (w->s && m->nu > 0 && !status)
    status = dae__callback_status(m->why, p->s(p->user, at, w->s), "s", at->t, err);
  if (w->c && m->nw > 0 && !status)
    status = dae__callback_status(m->why, p->c(p->user, at, w->c), "c", at->t, err);
  if (w->g && m->ng > 0 && !status)
    status = dae__raw_g(m, at, w->g, err);
  if (w->G && m->ng > 0 && !status)
    status = dae__raw_G(m, at, w->G, err);
  if (w->gdot && m->ng > 0 && !status)
    status = dae__raw_gdot(m, at, G, w->gdot, err);
  if (w->gamma && m->ng > 0 && !status)
    status = dae__raw_gamma(m, at, w->gamma, err);
  if (w->k && m->nk > 0 && !status)
    status = dae__raw_k(m, at, w->k, err);
  if (w->K && m->nk > 0 && !status)
    status = dae__raw_K(m, at, w->K, err);
  if (w->kappa && m->nk > 0 && !status)
    status = dae__raw_kappa(m, at, w->kappa, err);
  return status;
}

static void mech_mask_dependent(const dae__mech *m, const dae_mechanical_wanted *w)
{
  const bool *g = m->active, *k = m->active + m->ng;
  double *of_g[] = {w->g, w->gdot, w->gamma}, *of_k[] = {w->k, w->kappa};
  for (int i = 0; i < 3; i++)
    if (of_g[i])
      mech_mask(g, m->ng, of_g[i]);
  for (int i = 0; i < 2; i++)
    if (of_k[i])
      mech_mask(k, m->nk, of_k[i]);
  if (w->G)
    dae__mask_rows(m, g, &m->G, w->G);
  if (w->K)
    dae__mask_rows(m, k, &m->K, w->K);
}

/* names what is not finite */
static dae_status mech_refuse(const dae__mech *m, double t, const dae_mechanical_wanted *w,
                              dae_error *err)
{
  dae_status status = DAE_OK;
  if (w->f)
    status = mech_check_rows(m, w->f, m->nq, -1, t, "the right side", err);
  if (w->s && !status)
    status = mech_check_rows(m, w->s, m->nu, -1 - m->nq, t, "the right side", err);
  if (w->c && !status)
    status = mech_check_rows(m, w->c, m->nw, -1 - m->nq - m->nu, t, "the residual", err);
  if (w->g && !status)
    status = mech_check_rows(m, w->g, m->ng, 0, t, "the residual", err);
  if (w->gdot && !status)
    status = mech_check_rows(m, w->gdot, m->ng, 0, t, "the rate", err);
  if (w->gamma && !status)
    status = mech_check_rows(m, w->gamma, m->ng, 0, t, "gamma", err);
  if (w->k && !status)
    status = mech_check_rows(m, w->k, m->nk, m->ng, t, "the residual", err);
  if (w->kappa && !status)
    status = mech_check_rows(m, w->kappa, m->nk, m->ng, t, "kappa", err);
  if (w->M && !status)
    status = mech_check_entries(m, &m->M, w->M, "M", t, err);
  if (w->G && !status)
    status = mech_check_entries(m, &m->G, w->G, "G", t, err);
  if (w->K && !status)
    status = mech_check_entries(m, &m->K, w->K, "K", t, err);
  return status;
}

static inline bool mech_is_finite(int n, const double *x)
{
  return !x || dae__all_finite(n, x);
}

static dae_status mech_check(const dae__mech *m, double t, const dae_mechanical_wanted *w,
                             dae_error *err)
{
  bool good = mech_is_finite(m->nq, w->f) && mech_is_finite(m->nu, w->s) &&
              mech_is_finite(m->nw, w->c) && mech_is_finite(m->ng, w->g) &&
              mech_is_finite(m->ng, w->gdot) && mech_is_finite(m->ng, w->gamma) &&
              mech_is_finite(m->nk, w->k) && mech_is_finite(m->nk, w->kappa) &&
              mech_is_finite(dae__pattern_count(&m->M), w->M) &&
              mech_is_finite(dae__pattern_count(&m->G), w->G) &&
              mech_is_finite(dae__pattern_count(&m->K), w->K);
  return good ? DAE_OK : mech_refuse(m, t, w, err);
}

static dae_status mech_eval_by_parts(dae__mech *m, const dae_mechanical_at *at,
                                     const dae_mechanical_wanted *w, const double *G,
                                     dae_error *err)
{
  dae_mechanical_wanted rest = *w;
  dae_status status = m->p->eval ? mech_eval_jointly(m, at, &rest, err) : DAE_OK;
  return status ? status : mech_eval_separately(m, at, &rest, G, err);
}

/* G: the Jacobian that gdot is formed with */
static dae_status mech_eval_unchecked(dae__mech *m, const dae_mechanical_at *at,
                                      const dae_mechanical_wanted *w, const double *G,
                                      dae_error *err)
{
  dae_mechanical_at full;
  dae_status status = m->input ? dae__mech_inputs(m, at->t, err) : DAE_OK;
  m->count->evaluations += w->f != NULL;
  if (at->in != m->in) {
    full = *at;
    full.in = m->in;
    at = &full;
  }
  if (!status && m->joint) {
    int code = m->p->eval(m->p->user, at, w);
    status = code == 0 ? DAE_OK : dae__callback_status(m->why, code, "eval", at->t, err);
  } else if (!status) {
    status = mech_eval_by_parts(m, at, w, G, err);
  }
  if (!status && m->count->dependent > 0)
    mech_mask_dependent(m, w);
  return status;
}

/* what has no rows is not wanted */
static dae_mechanical_wanted mech_with_rows(const dae__mech *m, const dae_mechanical_wanted *w)
{
  dae_mechanical_wanted some = *w;
  if (m->nu == 0)
    some.s = NULL;
  if (m->nw == 0)
    some.c = NULL;
  if (m->ng == 0)
    some.g = some.gdot = some.G = some.gamma = NULL;
  if (m->nk == 0)
    some.k = some.K = some.kappa = NULL;
  return some;
}

static dae_status mech_eval(dae__mech *m, const dae_mechanical_at *at,
                            const dae_mechanical_wanted *w, const double *G, dae_error *err)
{
  dae_mechanical_wanted some = mech_with_rows(m, w);
  dae_status status = mech_eval_unchecked(m, at, &some, G, err);
  return status ? status : mech_check(m, at->t, &some, err);
}

dae_status dae__mech_eval(dae__mech *m, const dae_mechanical_at *at,
                          const dae_mechanical_wanted *wanted, dae_error *err)
{
  return mech_eval(m, at, wanted, wanted->G, err);
}

dae_status dae__mech_eval_unchecked(dae__mech *m, const dae_mechanical_at *at,
                                    const dae_mechanical_wanted *wanted, dae_error *err)
{
  return mech_eval_unchecked(m, at, wanted, wanted->G, err);
}

dae_status dae__mech_rhs(dae__mech *m, const dae_mechanical_at *at, double *fsc, dae_error *err)
{
  dae_mechanical_wanted w = {.f = fsc, .s = fsc + m->nq, .c = fsc + m->nq + m->nu};
  return mech_eval(m, at, &w, NULL, err);
}

dae_status dae__mech_M(dae__mech *m, const dae_mechanical_at *at, double *M, dae_error *err)
{
  return mech_eval(m, at, &(dae_mechanical_wanted){.M = M}, NULL, err);
}

dae_status dae__mech_g(dae__mech *m, const dae_mechanical_at *at, double *g, dae_error *err)
{
  return mech_eval(m, at, &(dae_mechanical_wanted){.g = g}, NULL, err);
}

dae_status dae__mech_G(dae__mech *m, const dae_mechanical_at *at, double *G, dae_error *err)
{
  return mech_eval(m, at, &(dae_mechanical_wanted){.G = G}, NULL, err);
}

dae_status dae__mech_gdot(dae__mech *m, const dae_mechanical_at *at, const double *G, double *gdot,
                          dae_error *err)
{
  dae_mechanical_at full;
  dae_mechanical_wanted w = {.gdot = gdot};
  dae_status status = mech_with_inputs(m, at, &full, err);
  if (!status)
    status = mech_eval_separately(m, &full, &w, G, err);
  if (!status && m->count->dependent > 0)
    mech_mask_dependent(m, &w);
  return status ? status : mech_check(m, at->t, &w, err);
}

dae_status dae__mech_k(dae__mech *m, const dae_mechanical_at *at, double *k, dae_error *err)
{
  return mech_eval(m, at, &(dae_mechanical_wanted){.k = k}, NULL, err);
}

dae_status dae__mech_K(dae__mech *m, const dae_mechanical_at *at, double *K, dae_error *err)
{
  return mech_eval(m, at, &(dae_mechanical_wanted){.K = K}, NULL, err);
}

dae_status dae__mech_gamma(dae__mech *m, const dae_mechanical_at *at, double *gamma, dae_error *err)
{
  return mech_eval(m, at, &(dae_mechanical_wanted){.gamma = gamma, .kappa = gamma + m->ng}, NULL,
                   err);
}

/* ---- the momentum face ---- */

dae_status dae__mech_p(dae__mech *m, const dae_mechanical_at *at, double *p, dae_error *err)
{
  return dae__raw_p(m, at, p, err);
}

dae_status dae__mech_p_rate(dae__mech *m, const dae_mechanical_at *at, double *p_rate,
                            dae_error *err)
{
  return dae__raw_p_rate(m, at, p_rate, err);
}

dae_status dae__mech_F(dae__mech *m, const dae_mechanical_at *at, double *F, dae_error *err)
{
  const dae_mechanical *p = m->p;
  dae_mechanical_at full;
  DAE__TRY(mech_with_inputs(m, at, &full, err));
  m->count->evaluations++;
  if (p->F)
    return dae__callback_status(m->why, p->F(p->user, &full, F), "F", at->t, err);
  dae_status status = dae__raw_p_rate(m, &full, m->product, err);
  if (!status)
    status = dae__raw_f(m, &full, F, err);
  dae__axpy(m->nq, 1, m->product, F);
  return status;
}

dae_status dae__mech_energy(dae__mech *m, const dae_mechanical_at *at, double *T, double *V,
                            bool *has_potential, dae_error *err)
{
  const dae_mechanical *p = m->p;
  dae_mechanical_at full;
  dae_status status = mech_with_inputs(m, at, &full, err);
  *has_potential = p->energy != NULL;
  if (status || p->energy)
    return status ? status
                  : dae__callback_status(m->why, p->energy(p->user, &full, T, V), "energy", at->t,
                                         err);
  *V = 0;
  status = dae__mech_p(m, &full, m->product, err);
  *T = dae__dot(m->nq, at->v, m->product) / 2;
  return status;
}

dae_status dae__mech_energy_rate(dae__mech *m, const dae_mechanical_at *at, const double *in_rate,
                                 double *T_rate, double *V_rate, dae_error *err)
{
  const dae_mechanical *p = m->p;
  dae_mechanical_at full;
  dae_status status = mech_with_inputs(m, at, &full, err);
  return status
             ? status
             : dae__callback_status(m->why, p->energy_rate(p->user, &full, in_rate, T_rate, V_rate),
                                    "energy_rate", at->t, err);
}
