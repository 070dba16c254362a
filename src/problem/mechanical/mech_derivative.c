/* Creation of the evaluations of a mechanical problem, with the patterns in use and finite
 * differences for quantities that the user left out; and its derivatives, by the user's callbacks
 * or by these differences. */
#include "core/assert.h"
#include "core/env.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/mechanical/mech.h"
#include "problem/problem.h"

/* ---- creation ---- */

dae__mech_layout dae__mech_layout_of(const dae_mechanical *p)
{
  dae__mech_layout at = {.v = p->nq};
  at.u = at.v + p->nq;
  at.w = at.u + p->nu;
  at.lambda = at.w + p->nw;
  at.psi = at.lambda + p->ng;
  at.size = at.psi + p->nk;
  return at;
}

static dae_pattern mech_given_or_dense(dae__arena *arena, const dae_pattern *given, int rows,
                                       int cols)
{
  return given ? *given : dae__pattern_dense(arena, rows, cols);
}

/* Pattern [A A] of a derivative by (q, v) that has the pattern A in both halves. */
static dae_pattern mech_twice(dae__arena *arena, const dae_pattern *A)
{
  dae__block blocks[2] = {{.pattern = A}, {.col = A->cols, .pattern = A}};
  return dae__blocks_merge(arena, A->rows, 2 * A->cols, blocks, 2);
}

static void mech_choose_patterns(dae__mech *m, dae__arena *arena)
{
  const dae_mechanical *p = m->p;
  int nq = m->nq, nz = 2 * nq + m->nu + m->nw;
  m->sparse = p->M_pattern != NULL;
  m->M = mech_given_or_dense(arena, p->M_pattern, nq, nq);
  m->G = mech_given_or_dense(arena, p->G_pattern, m->ng, nq);
  m->K = mech_given_or_dense(arena, p->K_pattern, m->nk, nq);
  m->J = m->J_user = mech_given_or_dense(arena, p->J_pattern, m->nr, nz);
  m->Ms = p->constant_mass ? dae__pattern_empty(arena, nq, 2 * nq)
                           : mech_given_or_dense(arena, p->Ms_pattern, nq, 2 * nq);
  m->kq = p->k_q_pattern ? *p->k_q_pattern : m->K;
  m->B = mech_given_or_dense(arena, p->B_pattern, m->directed ? m->nc : 0, nq);
  m->Bts = mech_given_or_dense(arena, p->Bts_pattern, m->directed ? nq : 0, 2 * nq);
  if (dae__arena_failed(arena))
    return;
  m->Gts = p->Gts_pattern ? *p->Gts_pattern : dae__pattern_gram(arena, &m->G);
  if (p->Kts_pattern) {
    m->Kts = *p->Kts_pattern;
  } else if (m->nk == 0) {
    m->Kts = dae__pattern_empty(arena, nq, 2 * nq);
  } else {
    dae_pattern gram = dae__pattern_gram(arena, &m->K);
    if (!dae__arena_failed(arena))
      m->Kts = mech_twice(arena, &gram);
  }
}

/* Pattern and memory of J for a problem given by p and F: the sum of the derivatives of F and of
 * -p_rate. */
static void mech_merge_momentum_J(dae__mech *m, dae__arena *arena)
{
  dae__block blocks[2] = {{.pattern = &m->J_user}, {.pattern = &m->dprate_pattern}};
  if (!m->p->constant_mass && m->p->Ms_pattern)
    m->dprate_pattern = m->Ms;
  else
    m->dprate_pattern =
        m->sparse ? mech_twice(arena, &m->M) : dae__pattern_dense(arena, m->nq, 2 * m->nq);
  if (dae__arena_failed(arena))
    return;
  m->J = dae__blocks_merge(arena, m->nr, m->J_user.cols, blocks, 2);
  m->J_in_J = blocks[0];
  m->prate_in_J = blocks[1];
  m->J_values = DAE__ALLOC(arena, double, dae__pattern_count(&m->J_user));
  m->prate_values = DAE__ALLOC(arena, double, dae__pattern_count(&m->dprate_pattern));
  m->dprate = dae__difference_create(arena, &m->dprate_pattern, false);
}

static void mech_create_differences(dae__mech *m, dae__arena *arena)
{
  const dae_mechanical *p = m->p;
  const struct {
    bool missing, fine;
    const dae_pattern *pattern;
    dae__difference *d;
  } all[] = {{!p->M, true, &m->M, &m->dM},
             {m->ng > 0 && !p->G, true, &m->G, &m->dG},
             {m->nk > 0 && !p->K, true, &m->K, &m->dK},
             {!p->J, false, &m->J_user, &m->dJ},
             {!p->constant_mass && !p->Ms_qv, false, &m->Ms, &m->difference[DAE__MS_QV]},
             {m->ng > 0 && !p->Gts_q, false, &m->Gts, &m->difference[DAE__GTS_Q]},
             {m->ng > 0 && !p->gdot_q, false, &m->G, &m->difference[DAE__GDOT_Q]},
             {m->nk > 0 && !p->k_q, false, &m->kq, &m->difference[DAE__K_Q]},
             {m->nk > 0 && !p->Kts_qv, false, &m->Kts, &m->difference[DAE__KTS_QV]},
             {m->directed && !p->Bts_qv, false, &m->Bts, &m->difference[DAE__BTS_QV]}};
  for (size_t i = 0; i < sizeof all / sizeof *all && !dae__arena_failed(arena); i++)
    if (all[i].missing)
      *all[i].d = dae__difference_create(arena, all[i].pattern, all[i].fine);
  if (!p->G)
    m->difference[DAE__GTS_Q].relative = m->difference[DAE__GDOT_Q].relative = DAE__NOISY_INCREMENT;
  if (!p->K)
    m->difference[DAE__KTS_QV].relative = DAE__NOISY_INCREMENT;
}

bool dae__mech_differenced(const dae_mechanical *p)
{
  return (p->ng > 0 && !(p->G && (p->g_t || p->time_free_g))) || (p->nk > 0 && !p->K) || !p->M ||
         (!p->f && !p->p_rate);
}

static void mech_alloc_scratch(dae__mech *m, dae__arena *arena)
{
  int longest = m->nq > m->ng ? m->nq : m->ng;
  m->active = DAE__STATE(arena, bool, m->nc);
  m->count = DAE__STATE(arena, dae__mech_counts, 1);
  m->in = DAE__ALLOC(arena, double, m->p->nin);
  DAE__VECTORS(arena, m->nq, &m->shifted, &m->product);
  m->sample = DAE__ALLOC(arena, double, longest > m->nk ? longest : m->nk);
  m->z = DAE__ALLOC(arena, double, m->at.lambda);
  if (dae__arena_failed(arena))
    return;
  DAE__LIMIT_TRUTH(arena, m->active, m->nc);
  DAE__LIMIT_COUNTER(arena, &m->count->evaluations, 1);
  DAE__LIMIT(arena, &m->count->dependent, 1, 0, m->nc);
  m->M_values = DAE__ALLOC(arena, double, dae__pattern_count(&m->M));
  m->G_values = DAE__ALLOC(arena, double, dae__pattern_count(&m->G));
  m->K_values = DAE__ALLOC(arena, double, dae__pattern_count(&m->K));
  m->B_values = DAE__ALLOC(arena, double, dae__pattern_count(&m->B));
  for (int i = 0; i < m->nc; i++)
    m->active[i] = true;
}

dae_status dae__mech_create(dae__arena *arena, const dae_problem *problem, dae__mech **out,
                            dae_error *err)
{
  const dae_mechanical *p = problem->mechanical;
  *out = NULL;
  DAE__TRY(dae_problem_validate(problem, err));
  dae__mech *m = DAE__ALLOC(arena, dae__mech, 1);
  DAE__TRY(dae__arena_status(arena, err));
  *m = (dae__mech){.p = p, .nq = p->nq, .ng = p->ng, .nk = p->nk, .nu = p->nu, .nw = p->nw};
  m->at = dae__mech_layout_of(p);
  m->nc = p->ng + p->nk;
  m->nr = p->nq + p->nu + p->nw;
  m->directed = p->B && m->nc > 0;
  m->eval_all = p->eval && p->M && p->f && (p->nu == 0 || p->s) && (p->nw == 0 || p->c) &&
                (p->ng == 0 || (p->g && p->G && p->gamma && (p->g_t || p->time_free_g))) &&
                (p->nk == 0 || (p->k && p->K && p->kappa));
  m->stop = dae__env_stopping(dae__arena_env(arena));
  m->input = problem->input;
  m->input_user = problem->input_user;
  m->why = problem->why;
  mech_choose_patterns(m, arena);
  if (!dae__arena_failed(arena) && !p->f)
    mech_merge_momentum_J(m, arena);
  if (!dae__arena_failed(arena))
    mech_create_differences(m, arena);
  if (!dae__arena_failed(arena))
    mech_alloc_scratch(m, arena);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__ASSERT(m->J.rows == m->nr && m->J.cols == m->at.lambda);
  *out = m;
  return DAE_OK;
}

/* ---- d(f,s,c)/d(q,v,u,w) ---- */

/* Context of differences: the point at which one or two vectors are varied, and the vector s of a
 * contraction. */
typedef struct vary {
  dae__mech *m;
  dae_mechanical_at at;
  const double *s;
  dae__mech_part part;
} vary;

/* Status of the user's callback `name` at the point `at`. */
#define CALL(name, ...)                                                                            \
  dae__callback_status(m->why, m->p->name(m->p->user, at, __VA_ARGS__), #name, at->t, err)

static dae_status mech_check_derivative(const dae_pattern *p, const double *values,
                                        const char *what, dae_error *err)
{
  if (dae__all_finite(dae__pattern_count(p), values))
    return DAE_OK;
  return dae__fail(err, DAE_ERROR_RECOVERABLE, what,
                   "the derivative %s has an entry that is not a finite number", what);
}

/* (f, s, c), or (F, s, c) for a problem given by p and F, as a function of z = (q, v, u, w). */
static dae_status mech_rhs_of_z(void *context, const double *z, double *out, dae_error *err)
{
  vary *c = context;
  dae__mech *m = c->m;
  dae_mechanical_at *at = &c->at;
  at->q = z;
  at->v = z + m->nq;
  at->u = z + 2 * m->nq;
  at->w = z + 2 * m->nq + m->nu;
  if (m->p->f)
    return dae__mech_rhs(m, at, out, err);
  DAE__TRY(dae__mech_F(m, at, out, err));
  if (m->p->s)
    DAE__TRY(CALL(s, out + m->nq));
  return m->p->c ? CALL(c, out + m->nq + m->nu) : DAE_OK;
}

static dae_status mech_p_rate_of_qv(void *context, const double *z, double *out, dae_error *err)
{
  vary *c = context;
  c->at.q = z;
  c->at.v = z + c->m->nq;
  return dae__mech_p_rate(c->m, &c->at, out, err);
}

/* m->z = (q, v, u, w) as one vector. */
static const double *mech_gather(dae__mech *m, const dae_mechanical_at *at)
{
  dae__copy(m->nq, at->q, m->z);
  dae__copy(m->nq, at->v, m->z + m->nq);
  dae__copy(m->nu, at->u, m->z + 2 * m->nq);
  dae__copy(m->nw, at->w, m->z + 2 * m->nq + m->nu);
  return m->z;
}

dae_status dae__mech_J(dae__mech *m, const dae_mechanical_at *point, double *J, dae_error *err)
{
  vary c = {.m = m, .at = *point};
  const dae_mechanical_at *at = &c.at;
  bool momenta = m->p->f == NULL;
  double *user = momenta ? m->J_values : J;
  c.at.in = m->in;
  DAE__TRY(dae__mech_inputs(m, at->t, err));
  DAE__TRY(m->p->J ? CALL(J, user)
                   : dae__difference_jacobian(&m->dJ, mech_rhs_of_z, &c, mech_gather(m, point),
                                              user, err));
  if (momenta) {
    c.at = *point;
    DAE__TRY(dae__difference_jacobian(&m->dprate, mech_p_rate_of_qv, &c, mech_gather(m, point),
                                      m->prate_values, err));
    DAE__TRY(mech_check_derivative(&m->dprate_pattern, m->prate_values, "p_rate", err));
    dae__zero(dae__pattern_count(&m->J), J);
    dae__block_add(&m->J_in_J, 1, m->J_values, J);
    dae__block_add(&m->prate_in_J, -1, m->prate_values, J);
  }
  return mech_check_derivative(&m->J, J, "J", err);
}

/* ---- derivatives of contracted matrices and of constraints ---- */

/* A derivative as the user's description gives it. */
typedef struct mech_given {
  const char *name;
  dae_mechanical_fn *fn;
  dae_mechanical_fn_s *fn_s;
  const dae_pattern *pattern;
  bool by_v; /* derivative by q and v, else by q alone */
  bool none; /* derivative that is zero */
} mech_given;

static mech_given mech_given_of(const dae__mech *m, dae__mech_part part)
{
  const dae_mechanical *p = m->p;
  switch (part) {
  case DAE__MS_QV:
    return (mech_given){"Ms_qv", NULL, p->Ms_qv, &m->Ms, true, p->constant_mass};
  case DAE__GTS_Q:
    return (mech_given){"Gts_q", NULL, p->Gts_q, &m->Gts, false, m->ng == 0};
  case DAE__GDOT_Q:
    return (mech_given){"gdot_q", p->gdot_q, NULL, &m->G, false, m->ng == 0};
  case DAE__K_Q:
    return (mech_given){"k_q", p->k_q, NULL, &m->kq, false, m->nk == 0};
  case DAE__BTS_QV:
    return (mech_given){"Bts_qv", NULL, p->Bts_qv, &m->Bts, true, !m->directed};
  default:
    return (mech_given){"Kts_qv", NULL, p->Kts_qv, &m->Kts, true, m->nk == 0};
  }
}

/* The function that is differentiated, of q or (q, v). */
static dae_status mech_part_of_qv(void *context, const double *z, double *out, dae_error *err)
{
  vary *c = context;
  dae__mech *m = c->m;
  dae_mechanical_wanted want = {0};
  c->at.q = z;
  if (mech_given_of(m, c->part).by_v)
    c->at.v = z + m->nq;
  if (c->part == DAE__K_Q)
    return dae__mech_k(m, &c->at, out, err);
  if (c->part == DAE__MS_QV)
    want.M = m->M_values;
  else if (c->part == DAE__KTS_QV)
    want.K = m->K_values;
  else if (c->part == DAE__BTS_QV)
    want.B = m->B_values;
  else if (c->part == DAE__GTS_Q || m->p->G)
    want.G = m->G_values;
  DAE__TRY(dae__mech_eval(m, &c->at, &want, err));
  if (c->part == DAE__GDOT_Q)
    return dae__mech_gdot(m, &c->at, m->G_values, out, err);
  dae__zero(m->nq, out);
  if (want.M)
    dae__matrix_times(&m->M, want.M, 1, c->s, out);
  else if (want.B)
    dae__matrix_transposed_times(&m->B, want.B, 1, c->s, out);
  else
    dae__matrix_transposed_times(want.G ? &m->G : &m->K, want.G ? want.G : want.K, 1, c->s, out);
  return DAE_OK;
}

dae_status dae__mech_derivative(dae__mech *m, dae__mech_part part, const dae_mechanical_at *at,
                                const double *s, double *values, dae_error *err)
{
  mech_given given = mech_given_of(m, part);
  vary c = {.m = m, .at = *at, .s = s, .part = part};
  void *user = m->p->user;
  if (given.none)
    return DAE_OK;
  if (given.fn || given.fn_s) {
    int code = given.fn ? given.fn(user, at, values) : given.fn_s(user, at, s, values);
    DAE__TRY(dae__callback_status(m->why, code, given.name, at->t, err));
  } else {
    DAE__TRY(dae__difference_jacobian(&m->difference[part], mech_part_of_qv, &c,
                                      given.by_v ? mech_gather(m, at) : at->q, values, err));
  }
  if (part == DAE__GDOT_Q || part == DAE__K_Q)
    dae__mech_mask_rows(m, m->active + (part == DAE__K_Q ? m->ng : 0), given.pattern, values);
  return mech_check_derivative(given.pattern, values, given.name, err);
}
