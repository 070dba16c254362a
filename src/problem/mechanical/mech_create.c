/* Preparing a mechanical problem for evaluation: effective patterns, difference objects for what
 * the user left out, scratch memory. */
#include "core/error.h"
#include "problem/mechanical/mech.h"

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

/* [A A], the pattern of d(.)/d(q,v) where both halves couple alike */
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

/* the momentum face: J is the sum of the derivatives of F and of -p_rate */
static void mech_merge_momentum_face(dae__mech *m, dae__arena *arena)
{
  dae__block blocks[2] = {{.pattern = &m->J_user}, {.pattern = &m->dprate_pattern}};
  m->dprate_pattern =
      m->p->constant_mass || !m->p->Ms_pattern
          ? (m->sparse ? mech_twice(arena, &m->M) : dae__pattern_dense(arena, m->nq, 2 * m->nq))
          : m->Ms;
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
             {!p->constant_mass && !p->Ms_qv, false, &m->Ms, &m->dMs},
             {m->ng > 0 && !p->Gts_q, false, &m->Gts, &m->dGts},
             {m->ng > 0 && !p->gdot_q, false, &m->G, &m->dgdot},
             {m->nk > 0 && !p->k_q, false, &m->kq, &m->dkq},
             {m->nk > 0 && !p->Kts_qv, false, &m->Kts, &m->dKts}};
  for (size_t i = 0; i < sizeof all / sizeof *all && !dae__arena_failed(arena); i++)
    if (all[i].missing)
      *all[i].d = dae__difference_create(arena, all[i].pattern, all[i].fine);
  /* differences of what is itself differenced, to about 1e-12 */
  if (!p->G)
    m->dGts.relative = m->dgdot.relative = 1e-6;
  if (!p->K)
    m->dKts.relative = 1e-6;
}

bool dae__mech_differenced(const dae_mechanical *p)
{
  return (p->ng > 0 && !(p->G && (p->g_t || p->time_free_g))) || (p->nk > 0 && !p->K) || !p->M ||
         (!p->f && !p->p_rate);
}

/* whether nothing has to be formed from other quantities */
static bool mech_is_joint(const dae_mechanical *p)
{
  bool dynamics = p->eval && p->M && p->f && (p->nu == 0 || p->s) && (p->nw == 0 || p->c);
  bool holonomic = p->ng == 0 || (p->g && p->G && p->gamma && (p->g_t || p->time_free_g));
  return dynamics && holonomic && (p->nk == 0 || (p->k && p->K && p->kappa));
}

static int mech_max3(int a, int b, int c)
{
  return a > b ? (a > c ? a : c) : (b > c ? b : c);
}

static void mech_alloc_scratch(dae__mech *m, dae__arena *arena)
{
  m->active = DAE__STATE(arena, bool, m->nc);
  m->count = DAE__STATE(arena, dae__mech_counts, 1);
  m->in = DAE__ALLOC(arena, double, m->p->nin);
  m->shifted = DAE__ALLOC(arena, double, m->nq);
  m->sample = DAE__ALLOC(arena, double, mech_max3(m->nq, m->ng, m->nk));
  m->product = DAE__ALLOC(arena, double, m->nq);
  m->z = DAE__ALLOC(arena, double, m->at.lambda);
  if (dae__arena_failed(arena))
    return;
  m->M_values = DAE__ALLOC(arena, double, dae__pattern_count(&m->M));
  m->G_values = DAE__ALLOC(arena, double, dae__pattern_count(&m->G));
  m->K_values = DAE__ALLOC(arena, double, dae__pattern_count(&m->K));
  for (int i = 0; i < m->nc; i++)
    m->active[i] = true;
}

dae_status dae__mech_create(dae__arena *arena, const dae_problem *problem, dae__mech **out,
                            dae_error *err)
{
  const dae_mechanical *p = problem->mechanical;
  dae_status status = dae_problem_validate(problem, err);
  dae__mech *m = DAE__ALLOC(arena, dae__mech, 1);
  *out = NULL;
  DAE__TRY(status);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *m = (dae__mech){.p = p, .nq = p->nq, .ng = p->ng, .nk = p->nk, .nu = p->nu, .nw = p->nw};
  m->at = dae__mech_layout_of(p);
  m->nc = p->ng + p->nk;
  m->nr = p->nq + p->nu + p->nw;
  m->joint = mech_is_joint(p);
  m->input = problem->input;
  m->input_user = problem->input_user;
  m->why = problem->why;
  mech_choose_patterns(m, arena);
  if (!dae__arena_failed(arena) && !p->f)
    mech_merge_momentum_face(m, arena);
  if (!dae__arena_failed(arena))
    mech_create_differences(m, arena);
  if (!dae__arena_failed(arena))
    mech_alloc_scratch(m, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *out = m;
  return DAE_OK;
}
