/* Evaluations of a mechanical problem as the methods see them: by the fused callback eval or the
 * separate ones, quantities that the user left out formed from the others, results checked, rows of
 * dependent constraints masked.
 *
 *   f     = F - p_rate                          where momenta were given
 *   M     = dp/dv
 *   gdot  = g_t + G v, or d/dt g(t, q + t v)     where G was not given
 *   gamma = d2/dt2 g(t, q + t v),  kappa = d/dt k(t, q + t v, v),  p_rate = d/dt p(t, q + t v, v)
 *
 * The derivatives along the motion are central differences of fourth order. */
#include "problem/mechanical/mech.h"
#include "core/assert.h"
#include "core/env.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/problem.h"
#include <float.h>
#include <stdio.h>

/* Increments of differences along the motion for the first derivative, which is then accurate to
 * about 1e-12, and for the second, relative to the time in which q changes by its size. Chosen, not
 * measured. */
#define RATE_INCREMENT 1e-3
#define SECOND_RATE_INCREMENT 5e-3

/* Status of the user's callback `name` at the point `at`. */
#define CALL(name, ...)                                                                            \
  dae__callback_status(m->why, m->p->name(m->p->user, at, __VA_ARGS__), #name, at->t, err)

/* ---- names and checks ---- */

const char *dae__mech_constraint_name(const dae_mechanical *p, int row, char *text, size_t size)
{
  bool holonomic = row < p->ng;
  const char *const *names = holonomic ? p->g_names : p->k_names;
  return dae__name_or_number(names, holonomic ? "g" : "k", holonomic ? row : row - p->ng, text,
                             size);
}

/* Refuses the first value that is not finite, naming its row. */
static dae_status mech_refuse_nonfinite(const dae__mech *m, double t,
                                        const dae_mechanical_wanted *w, dae_error *err)
{
  int nq = m->nq, ng = m->ng;
  const struct {
    const double *x;
    int n;
    const dae_pattern *matrix; /* pattern of a matrix; NULL: a vector */
    bool constraint;           /* rows belong to (g, k), else to (f, s, c), from `first` on */
    int first;
    const char *what;
  } all[] = {{w->f, nq, NULL, false, 0, "the right side"},
             {w->s, m->nu, NULL, false, nq, "the right side"},
             {w->c, m->nw, NULL, false, nq + m->nu, "the residual"},
             {w->g, ng, NULL, true, 0, "the residual"},
             {w->gdot, ng, NULL, true, 0, "the rate"},
             {w->gamma, ng, NULL, true, 0, "gamma"},
             {w->k, m->nk, NULL, true, ng, "the residual"},
             {w->kappa, m->nk, NULL, true, ng, "kappa"},
             {w->M, dae__pattern_count(&m->M), &m->M, false, 0, "an entry of M"},
             {w->G, dae__pattern_count(&m->G), &m->G, true, 0, "an entry of G"},
             {w->K, dae__pattern_count(&m->K), &m->K, true, ng, "an entry of K"},
             {w->B, dae__pattern_count(&m->B), &m->B, true, 0, "an entry of B"}};
  char name[64];
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    for (int i = 0; all[k].x && i < all[k].n; i++) {
      if (isfinite(all[k].x[i]))
        continue;
      int row = all[k].first + (all[k].matrix ? all[k].matrix->row[i] : i);
      int used = all[k].constraint ? 0 : snprintf(name, sizeof name, "equation of ");
      if (all[k].constraint)
        dae__mech_constraint_name(m->p, row, name, sizeof name);
      else
        dae_problem_variable(&(dae_problem){.mechanical = m->p},
                             row < nq ? row : m->at.u + row - nq, name + used,
                             sizeof name - (size_t)used);
      dae__fail(err, DAE_ERROR_RECOVERABLE, name, "%s of %s is not a finite number", all[k].what,
                name);
      dae__fail_at(err, t, NAN);
      return DAE_ERROR_RECOVERABLE;
    }
  return DAE_OK;
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
              mech_is_finite(dae__pattern_count(&m->K), w->K) &&
              mech_is_finite(dae__pattern_count(&m->B), w->B);
  return good ? DAE_OK : mech_refuse_nonfinite(m, t, w, err);
}

dae_status dae__mech_inputs(dae__mech *m, double t, dae_error *err)
{
  return m->input ? dae__callback_status(m->why, m->input(m->input_user, t, m->in), "input", t, err)
                  : DAE_OK;
}

/* *full = the point `at` with its inputs at time at->t. */
static dae_status mech_with_inputs(dae__mech *m, const dae_mechanical_at *at,
                                   dae_mechanical_at *full, dae_error *err)
{
  *full = *at;
  full->in = m->in;
  return dae__mech_inputs(m, at->t, err);
}

/* ---- derivatives along the motion (t + d, q + d v), v held ---- */

typedef dae_status quantity_fn(dae__mech *m, const dae_mechanical_at *at, double *out,
                               dae_error *err);

/* Time increment d in which q moves by `relative` times its size; at most 0.1 `relative` where a
 * user's function of time enters, whose time scale is not known. */
static double mech_increment(const dae__mech *m, const dae_mechanical_at *at, double relative,
                             bool time_enters)
{
  double q = dae__max_abs(m->nq, at->q), v = dae__max_abs(m->nq, at->v);
  double d = relative * (v > 0 ? q / v + 0.1 : 1); /* 0.1: q may cross zero */
  return time_enters ? fmin(d, 0.1 * relative) : d;
}

/* out = first (order 1) or second (order 2) derivative of fn along the motion: by central
 * differences of fourth order, or backward ones where fn is not defined ahead of the point. */
static dae_status mech_along(dae__mech *m, const dae_mechanical_at *at, quantity_fn *fn, int n,
                             int order, bool time_enters, double *out, dae_error *err)
{
  static const double weights[2][2][5] = {{{1. / 12, -8. / 12, 0, 8. / 12, -1. / 12},
                                           {3. / 12, -16. / 12, 36. / 12, -48. / 12, 25. / 12}},
                                          {{-1. / 12, 16. / 12, -30. / 12, 16. / 12, -1. / 12},
                                           {11. / 12, -56. / 12, 114. / 12, -104. / 12, 35. / 12}}};
  double d =
      mech_increment(m, at, order == 1 ? RATE_INCREMENT : SECOND_RATE_INCREMENT, time_enters);
  dae_status status = DAE_OK;
  for (int backward = 0; backward < 2; backward++) {
    const double *weight = weights[order - 1][backward];
    int first = backward ? -4 : -2;
    status = DAE_OK;
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
    if (status != DAE_ERROR_RECOVERABLE && (status || dae__all_finite(n, out)))
      break;
  }
  dae__scale(n, 1 / (order == 1 ? d : d * d), out);
  return status;
}

double dae__mech_gdot_error(const dae__mech *m, const dae_mechanical_at *at)
{
  bool exact = m->p->G && (m->p->g_t || m->p->time_free_g);
  return exact ? 0 : 6 * DBL_EPSILON / mech_increment(m, at, RATE_INCREMENT, !m->p->time_free_g);
}

/* ---- single quantities, neither checked nor masked ---- */

static dae_status mech_call_g(dae__mech *m, const dae_mechanical_at *at, double *out,
                              dae_error *err)
{
  return CALL(g, out);
}

static dae_status mech_call_k(dae__mech *m, const dae_mechanical_at *at, double *out,
                              dae_error *err)
{
  return CALL(k, out);
}

dae_status dae__mech_p(dae__mech *m, const dae_mechanical_at *at, double *p, dae_error *err)
{
  if (m->p->p)
    return CALL(p, p);
  dae_status status = CALL(M, m->M_values);
  dae__zero(m->nq, p);
  if (!status)
    dae__matrix_times(&m->M, m->M_values, 1, at->v, p);
  return status;
}

dae_status dae__mech_p_rate(dae__mech *m, const dae_mechanical_at *at, double *p_rate,
                            dae_error *err)
{
  if (m->p->p_rate)
    return CALL(p_rate, p_rate);
  dae__zero(m->nq, p_rate);
  if (m->p->constant_mass && !m->p->p)
    return DAE_OK;
  return mech_along(m, at, dae__mech_p, m->nq, 1, true, p_rate, err);
}

static dae_status mech_form_f(dae__mech *m, const dae_mechanical_at *at, double *f, dae_error *err)
{
  if (m->p->f)
    return CALL(f, f);
  DAE__TRY(dae__mech_p_rate(m, at, m->product, err));
  DAE__TRY(CALL(F, f));
  dae__axpy(m->nq, -1, m->product, f);
  return DAE_OK;
}

/* Context of differences: the problem, and the point at which one vector is varied. */
typedef struct vary {
  dae__mech *m;
  dae_mechanical_at at;
} vary;

/* Defines the quantity as a function of the vector x, for differences. */
#define MECH_OF(function, quantity, x)                                                             \
  static dae_status mech_##quantity##_of_##x(void *context, const double *x, double *out,          \
                                             dae_error *err)                                       \
  {                                                                                                \
    vary *c = context;                                                                             \
    c->at.x = x;                                                                                   \
    return function(c->m, &c->at, out, err);                                                       \
  }
MECH_OF(dae__mech_p, p, v)
MECH_OF(mech_call_g, g, q)
MECH_OF(mech_call_k, k, v)
#undef MECH_OF

/* gdot = g_t + G v, with the Jacobian G at the same point; by differences of g where the user gave
 * no G. */
static dae_status mech_form_gdot(dae__mech *m, const dae_mechanical_at *at, const double *G,
                                 double *gdot, dae_error *err)
{
  const dae_mechanical *p = m->p;
  if (!p->G)
    return mech_along(m, at, mech_call_g, m->ng, 1, !p->time_free_g, gdot, err);
  dae__zero(m->ng, gdot);
  if (p->g_t) {
    DAE__TRY(CALL(g_t, gdot));
  } else if (!p->time_free_g) {
    dae_mechanical_at at_rest = *at;
    dae__zero(m->nq, m->product);
    at_rest.v = m->product;
    DAE__TRY(mech_along(m, &at_rest, mech_call_g, m->ng, 1, true, gdot, err));
  }
  dae__matrix_times(&m->G, G, 1, at->v, gdot);
  return DAE_OK;
}

/* out = g_t + G v from the user's derivatives. */
static dae_status mech_exact_gdot(dae__mech *m, const dae_mechanical_at *at, double *out,
                                  dae_error *err)
{
  dae_status status = CALL(G, m->G_values);
  dae__zero(m->ng, out);
  if (!status && m->p->g_t)
    status = CALL(g_t, out);
  if (!status)
    dae__matrix_times(&m->G, m->G_values, 1, at->v, out);
  return status;
}

/* ---- several quantities at a point ---- */

void dae__mech_mask_rows(const dae__mech *m, const bool *active, const dae_pattern *p,
                         double *values)
{
  if (m->count->dependent == 0)
    return;
  for (int e = 0; e < dae__pattern_count(p); e++)
    if (!active[p->row[e]])
      values[e] = 0;
}

static void mech_mask_dependent(const dae__mech *m, const dae_mechanical_wanted *w)
{
  const bool *g = m->active, *k = m->active + m->ng;
  double *of_g[] = {w->g, w->gdot, w->gamma}, *of_k[] = {w->k, w->kappa};
  for (int x = 0; x < 3; x++)
    for (int i = 0; of_g[x] && i < m->ng; i++)
      if (!g[i])
        of_g[x][i] = 0;
  for (int x = 0; x < 2; x++)
    for (int i = 0; of_k[x] && i < m->nk; i++)
      if (!k[i])
        of_k[x][i] = 0;
  if (w->G)
    dae__mech_mask_rows(m, g, &m->G, w->G);
  if (w->K)
    dae__mech_mask_rows(m, k, &m->K, w->K);
}

/* Evaluates by the fused callback eval the quantities that the user gave, and removes them from
 * *rest. */
static dae_status mech_eval_given(dae__mech *m, const dae_mechanical_at *at,
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
  LEAVE_IF_NOT(p->B, B);
#undef LEAVE_IF_NOT
  *rest = left;
  return CALL(eval, &given);
}

static dae_status mech_eval_by_parts(dae__mech *m, const dae_mechanical_at *at,
                                     const dae_mechanical_wanted *wanted, dae_error *err)
{
  const dae_mechanical *p = m->p;
  dae_mechanical_wanted rest = *wanted;
  const dae_mechanical_wanted *w = &rest;
  bool exact = p->G && (p->g_t || p->time_free_g);
  if (p->eval)
    DAE__TRY(mech_eval_given(m, at, &rest, err));
  if (w->M)
    DAE__TRY(
        p->M ? CALL(M, w->M)
             : dae__difference_jacobian(&m->dM, mech_p_of_v, &(vary){m, *at}, at->v, w->M, err));
  if (w->f)
    DAE__TRY(mech_form_f(m, at, w->f, err));
  if (w->s && m->nu > 0)
    DAE__TRY(CALL(s, w->s));
  if (w->c && m->nw > 0)
    DAE__TRY(CALL(c, w->c));
  if (w->g && m->ng > 0)
    DAE__TRY(CALL(g, w->g));
  if (w->G && m->ng > 0)
    DAE__TRY(
        p->G ? CALL(G, w->G)
             : dae__difference_jacobian(&m->dG, mech_g_of_q, &(vary){m, *at}, at->q, w->G, err));
  if (w->gdot && m->ng > 0)
    DAE__TRY(mech_form_gdot(m, at, wanted->G, w->gdot, err));
  if (w->gamma && m->ng > 0)
    DAE__TRY(p->gamma ? CALL(gamma, w->gamma)
                      : mech_along(m, at, exact ? mech_exact_gdot : mech_call_g, m->ng,
                                   exact ? 1 : 2, !p->time_free_g, w->gamma, err));
  if (w->k && m->nk > 0)
    DAE__TRY(CALL(k, w->k));
  if (w->K && m->nk > 0)
    DAE__TRY(
        p->K ? CALL(K, w->K)
             : dae__difference_jacobian(&m->dK, mech_k_of_v, &(vary){m, *at}, at->v, w->K, err));
  if (w->kappa && m->nk > 0)
    DAE__TRY(p->kappa ? CALL(kappa, w->kappa)
                      : mech_along(m, at, mech_call_k, m->nk, 1, true, w->kappa, err));
  return w->B && m->directed ? CALL(B, w->B) : DAE_OK;
}

dae_status dae__mech_eval_unchecked(dae__mech *m, const dae_mechanical_at *at,
                                    const dae_mechanical_wanted *w, dae_error *err)
{
  dae_mechanical_at full;
  dae_status status = m->input ? dae__mech_inputs(m, at->t, err) : DAE_OK;
  if (m->stop && !status)
    status = dae__env_proceed(m->stop, err);
  m->count->evaluations += w->f != NULL;
  if (at->in != m->in) {
    full = *at;
    full.in = m->in;
    at = &full;
  }
  if (!status && m->eval_all) {
    int code = m->p->eval(m->p->user, at, w);
    status = code == 0 ? DAE_OK : dae__callback_status(m->why, code, "eval", at->t, err);
  } else if (!status) {
    status = mech_eval_by_parts(m, at, w, err);
  }
  if (!status && m->count->dependent > 0)
    mech_mask_dependent(m, w);
  return status;
}

dae_status dae__mech_eval(dae__mech *m, const dae_mechanical_at *at,
                          const dae_mechanical_wanted *wanted, dae_error *err)
{
  dae_mechanical_wanted w = *wanted; /* wanted without members that have no rows */
  if (m->nu == 0)
    w.s = NULL;
  if (m->nw == 0)
    w.c = NULL;
  if (m->ng == 0)
    w.g = w.gdot = w.G = w.gamma = NULL;
  if (m->nk == 0)
    w.k = w.K = w.kappa = NULL;
  if (!m->directed)
    w.B = NULL;
  dae_status status = dae__mech_eval_unchecked(m, at, &w, err);
  return status ? status : mech_check(m, at->t, &w, err);
}

dae_status dae__mech_rhs(dae__mech *m, const dae_mechanical_at *at, double *fsc, dae_error *err)
{
  dae_mechanical_wanted w = {.f = fsc, .s = fsc + m->nq, .c = fsc + m->nq + m->nu};
  return dae__mech_eval(m, at, &w, err);
}

#define MECH_ONE(name)                                                                             \
  dae_status dae__mech_##name(dae__mech *m, const dae_mechanical_at *at, double *out,              \
                              dae_error *err)                                                      \
  {                                                                                                \
    return dae__mech_eval(m, at, &(dae_mechanical_wanted){.name = out}, err);                      \
  }
MECH_ONE(M)
MECH_ONE(g)
MECH_ONE(G)
MECH_ONE(k)
MECH_ONE(K)
#undef MECH_ONE

dae_status dae__mech_gdot(dae__mech *m, const dae_mechanical_at *at, const double *G, double *gdot,
                          dae_error *err)
{
  dae_mechanical_at full;
  dae_mechanical_wanted w = {.gdot = gdot};
  DAE__TRY(mech_with_inputs(m, at, &full, err));
  if (m->ng > 0)
    DAE__TRY(mech_form_gdot(m, &full, G, gdot, err));
  if (m->count->dependent > 0)
    mech_mask_dependent(m, &w);
  return mech_check(m, at->t, &w, err);
}

/* ---- momenta and energy ---- */

dae_status dae__mech_F(dae__mech *m, const dae_mechanical_at *at, double *F, dae_error *err)
{
  dae_mechanical_at full;
  DAE__TRY(mech_with_inputs(m, at, &full, err));
  at = &full;
  m->count->evaluations++;
  if (m->p->F)
    return CALL(F, F);
  dae_status status = dae__mech_p_rate(m, at, m->product, err);
  if (!status)
    status = mech_form_f(m, at, F, err);
  dae__axpy(m->nq, 1, m->product, F);
  return status;
}

dae_status dae__mech_energy(dae__mech *m, const dae_mechanical_at *at, double *T, double *V,
                            bool *has_potential, dae_error *err)
{
  dae_mechanical_at full;
  *has_potential = m->p->energy != NULL;
  DAE__TRY(mech_with_inputs(m, at, &full, err));
  at = &full;
  if (m->p->energy)
    return CALL(energy, T, V);
  *V = 0;
  dae_status status = dae__mech_p(m, at, m->product, err);
  *T = dae__dot(m->nq, at->v, m->product) / 2;
  return status;
}

dae_status dae__mech_energy_rate(dae__mech *m, const dae_mechanical_at *at, const double *in_rate,
                                 double *T_rate, double *V_rate, dae_error *err)
{
  dae_mechanical_at full;
  DAE__ASSERT(m->p->energy_rate);
  DAE__TRY(mech_with_inputs(m, at, &full, err));
  at = &full;
  return CALL(energy_rate, in_rate, T_rate, V_rate);
}

dae_status dae__mech_gamma(dae__mech *m, const dae_mechanical_at *at, double *gamma, dae_error *err)
{
  dae_mechanical_wanted w = {.gamma = gamma, .kappa = gamma + m->ng};
  return dae__mech_eval(m, at, &w, err);
}
