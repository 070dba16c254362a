/* The reduced form of a mechanical problem. With a = v', the derivatives of its rows are
 *
 *   f rows   by a   M
 *            by v   (M a)_v + (K' psi)_v - f_v
 *            by q   (M a)_q + (G' lambda)_q + (K' psi)_q - f_q
 *            by u, w, lambda, psi   -f_u, -f_w, G', K'
 *   s rows   by v, q, u', u, w      -s_v, -s_q, 1, -s_u, -s_w
 *   c rows   by v, q, u, w          -c_v, -c_q, -c_u, -c_w
 *   g rows   by a, v                G, gamma_v = 2 gdot_q
 *   k rows   by a, v                K, kappa_v, for which k_q is taken
 *
 * Rows of dependent constraints are "multiplier = 0". */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/radau/reduced_precondition.h"
#include "onestep/radau/reduced_project.h"

typedef struct mechanical {
  dae__mech *m;
  dae__reduced *r;
  dae__reduced_terms terms;
  /* of the matrices */
  double *M0, *G0, *K0, *J, *Ms, *Gts, *Kts, *gdot_q, *k_q, *ones, *idle;
  dae_pattern unit_u, unit_c;
  /* of residuals, at the last point */
  double *M, *G, *K, *fsc, *gamma;
  dae_mechanical_wanted want;     /* all of these that there are, */
  dae_mechanical_wanted want_end; /* and what the projection of the end needs */
  bool M_stays, M0_stays;         /* constant, and evaluated; */
  bool M_diagonal;                /* then: with nothing but */
  double *diagonal;
  dae__divisor divisor;
  dae__landing land;
} mechanical;

static int reduced_mech_first_constraint(const dae__mech *m)
{
  return m->nq + m->nu + m->nw;
}

/* ---- residual ---- */

static void reduced_mech_want_mass(mechanical *o, bool wanted)
{
  o->M_stays = !wanted;
  o->want.M = o->want_end.M = wanted ? o->M : NULL;
}

/* M and, where it is constant, whether it is diagonal: then M a needs that alone */
static void reduced_mech_look_at_mass(mechanical *o)
{
  const dae__mech *m = o->m;
  reduced_mech_want_mass(o, !m->p->constant_mass);
  o->M_diagonal = o->M_stays;
  for (int j = 0; j < m->nq && o->M_diagonal; j++) {
    o->diagonal[j] = 0;
    for (int e = m->M.start[j]; e < m->M.start[j + 1]; e++) {
      if (m->M.row[e] == j)
        o->diagonal[j] = o->M[e];
      else
        o->M_diagonal = o->M_diagonal && o->M[e] == 0;
    }
  }
}

/* r = M a - f */
static void reduced_mech_begin_with_mass(const mechanical *o, const double *a, double *restrict r)
{
  int nq = o->m->nq, i = 0;
  const double *f = o->fsc, *M = o->diagonal;
  for (; o->M_diagonal && i + 2 <= nq; i += 2)
    dae__pair_to(r + i, dae__pair_of(M + i) * dae__pair_from_anywhere(a + i) - dae__pair_of(f + i));
  for (; i < nq; i++)
    r[i] = (o->M_diagonal ? M[i] * a[i] : 0) - f[i];
  if (!o->M_diagonal)
    dae__matrix_times(&o->m->M, o->M, 1, a, r);
}

/* r += A' mu, c += A a; where A is full, rows four and two at a time */
static void reduced_mech_add_constraints(const dae_pattern *p, const double *A, const double *a,
                                         const double *mu, double *r, double *c)
{
  int rows = p->rows, cols = p->cols, i = 0;
  if (dae__pattern_count(p) != rows * cols || rows < 2) {
    dae__matrix_transposed_times(p, A, 1, mu, r);
    dae__matrix_times(p, A, 1, a, c);
    return;
  }
  for (; i + 4 <= rows; i += 4) {
    const dae__pair mu0 = dae__pair_from_anywhere(mu + i),
                    mu1 = dae__pair_from_anywhere(mu + i + 2);
    dae__pair c0 = dae__pair_from_anywhere(c + i), c1 = dae__pair_from_anywhere(c + i + 2);
    for (int j = 0; j < cols; j++) {
      dae__pair A0 = dae__pair_from_anywhere(A + j * rows + i);
      dae__pair A1 = dae__pair_from_anywhere(A + j * rows + i + 2);
      r[j] += dae__pair_sum(A0 * mu0 + A1 * mu1);
      c0 += a[j] * A0;
      c1 += a[j] * A1;
    }
    dae__pair_to(c + i, c0);
    dae__pair_to(c + i + 2, c1);
  }
  for (; i < rows; i++)
    for (int j = 0; j < cols; j++) {
      r[j] += A[j * rows + i] * mu[i];
      c[i] += A[j * rows + i] * a[j];
    }
}

/* r = R from what has been evaluated */
static void reduced_mech_put_together(const mechanical *o, const double *a, double *r)
{
  const dae__mech *m = o->m;
  int first = reduced_mech_first_constraint(m);
  const double *lambda = a + first, *psi = lambda + m->ng;
  reduced_mech_begin_with_mass(o, a, r);
  for (int i = m->nq; i < first; i++) /* u' - s, -c */
    r[i] = (i < m->nq + m->nu ? a[i] : 0) - o->fsc[i];
  dae__copy(m->nc, o->gamma, r + first);
  if (m->ng > 0)
    reduced_mech_add_constraints(&m->G, o->G, a, lambda, r, r + first);
  if (m->nk > 0)
    reduced_mech_add_constraints(&m->K, o->K, a, psi, r, r + first + m->ng);
  if (m->count->dependent > 0)
    for (int i = 0; i < m->nc; i++)
      if (!m->active[i])
        r[first + i] = lambda[i];
}

/* R_k\R in place of R */
static dae_status reduced_mech_divide_residual(mechanical *o, const dae__reduced_at *at, double *r,
                                               dae_error *err)
{
  if (!at->anew)
    dae__divisor_take_up(&o->divisor, at->stage);
  else if (!dae__divisor_set(&o->divisor, at->stage, o->G, o->K))
    return dae__fail(err, DAE_ERROR_SINGULAR, NULL, "constraints depend on each other at a stage");
  dae__divisor_divide(&o->divisor, r);
  return DAE_OK;
}

/* What is evaluated stands in r, or at the end of a step in `end`: that these are finite says that
 * all of it is. Where they are not it is looked for, by another evaluation. */
static dae_status reduced_mech_residual(void *self, const dae__reduced_at *at, double *r,
                                        dae_error *err)
{
  mechanical *o = self;
  dae__mech *m = o->m;
  dae_mechanical_at point = dae__mech_at(m, at->t, at->z);
  const dae_mechanical_wanted *want = at->end ? &o->want_end : &o->want;
  point.w = at->k + m->nq + m->nu;
  DAE__TRY(dae__mech_eval_unchecked(m, &point, want, err));
  if (!o->M_stays)
    reduced_mech_look_at_mass(o);
  reduced_mech_put_together(o, at->k, r);
  bool good = dae__all_finite(o->r->n, r);
  if (good && at->end)
    good = dae__all_finite(m->ng + m->nc, o->land.end);
  if (good)
    return o->r->memory->solved ? reduced_mech_divide_residual(o, at, r, err) : DAE_OK;
  reduced_mech_want_mass(o, true);
  return dae__mech_eval(m, &point, want, err);
}

/* ---- matrices ---- */

static dae_status reduced_mech_derive(mechanical *o, const dae_mechanical_at *at, const double *a,
                                      const double *lambda, dae_error *err)
{
  dae__mech *m = o->m;
  dae_mechanical_wanted want = {.M = o->M0_stays ? NULL : o->M0, .G = o->G0, .K = o->K0};
  dae_status status = dae__mech_eval(m, at, &want, err);
  o->M0_stays = o->M0_stays || (!status && m->p->constant_mass);
  if (!status)
    status = dae__mech_J(m, at, o->J, err);
  if (!status && !m->p->constant_mass)
    status = dae__mech_Ms(m, at, a, o->Ms, err);
  if (!status && m->ng > 0)
    status = dae__mech_Gts(m, at, lambda, o->Gts, err);
  if (!status && m->ng > 0)
    status = dae__mech_gdot_q(m, at, o->gdot_q, err);
  if (!status && m->nk > 0)
    status = dae__mech_k_q(m, at, o->k_q, err);
  if (!status && m->nk > 0)
    status = dae__mech_Kts(m, at, lambda + m->ng, o->Kts, err);
  return status;
}

static dae_status reduced_mech_linearise(void *self, const dae__reduced_at *at, dae_error *err)
{
  mechanical *o = self;
  dae__mech *m = o->m;
  dae_mechanical_at point = dae__mech_at(m, at->t, at->z);
  point.w = at->k + m->nq + m->nu;
  dae_status status =
      reduced_mech_derive(o, &point, at->k, at->k + reduced_mech_first_constraint(m), err);
  DAE__TRY(status);
  for (int i = 0; i < m->nc; i++)
    o->idle[i] = m->active[i] ? 0 : 1;
  dae__reduced_gather(&o->terms, o->r);
  return DAE_OK;
}

static bool reduced_mech_prepare(void *self)
{
  mechanical *o = self;
  return dae__divisor_prepare(&o->divisor, o->M0, o->G0, o->K0);
}

static void reduced_mech_divide(const void *self, double *b)
{
  dae__divisor_divide(&((const mechanical *)self)->divisor, b);
}

static dae_status reduced_mech_land(void *self, double t, const double *dz, double *z,
                                    dae_error *err)
{
  return dae__land(&((mechanical *)self)->land, t, dz, z, err);
}

static void reduced_mech_name(const void *self, int i, char *text, size_t size)
{
  const mechanical *o = self;
  const dae_problem problem = {.mechanical = o->m->p};
  (void)dae_problem_variable(&problem, o->m->nq + i, text, size);
}

static const dae__reduced_table reduced_mech_verbs = {.residual = reduced_mech_residual,
                                                      .linearise = reduced_mech_linearise,
                                                      .land = reduced_mech_land,
                                                      .name = reduced_mech_name};
static const dae__reduced_table few = {.residual = reduced_mech_residual,
                                       .linearise = reduced_mech_linearise,
                                       .prepare = reduced_mech_prepare,
                                       .divide = reduced_mech_divide,
                                       .land = reduced_mech_land,
                                       .name = reduced_mech_name};
static const dae__reduced_table unconstrained = {.residual = reduced_mech_residual,
                                                 .linearise = reduced_mech_linearise,
                                                 .name = reduced_mech_name};

/* ---- creation ---- */

static void reduced_mech_want_parts(mechanical *o)
{
  const dae__mech *m = o->m;
  o->want = (dae_mechanical_wanted){.M = o->M, .f = o->fsc};
  if (m->nu > 0)
    o->want.s = o->fsc + m->nq;
  if (m->nw > 0)
    o->want.c = o->fsc + m->nq + m->nu;
  if (m->ng > 0) {
    o->want.G = o->G;
    o->want.gamma = o->gamma;
  }
  if (m->nk > 0) {
    o->want.K = o->K;
    o->want.kappa = o->gamma + m->ng;
  }
  o->want_end = o->want;
  if (m->ng > 0) {
    o->want_end.g = o->land.end;
    o->want_end.gdot = o->land.end + m->ng;
  }
  if (m->nk > 0)
    o->want_end.k = o->land.end + 2 * m->ng;
}

static void reduced_mech_add_terms(mechanical *o, dae__arena *arena)
{
  const dae__mech *m = o->m;
  dae__reduced_terms *t = &o->terms;
  int nq = m->nq, u = nq, w = nq + m->nu, first = reduced_mech_first_constraint(m),
      psi = first + m->ng;
#define TERM(pattern, values, ...)                                                                 \
  dae__reduced_term_add(arena, t, (dae__reduced_place){__VA_ARGS__}, pattern, values)
  TERM(&m->M, o->M0, .power = 0, .factor = 1);
  TERM(&o->unit_u, o->ones, .power = 0, .factor = 1, .row = u, .col = u);
  TERM(&m->J, o->J, .power = 2, .factor = -1, .col0 = 0, .col1 = nq);
  TERM(&m->J, o->J, .power = 1, .factor = -1, .col0 = nq, .col1 = 2 * nq);
  if (m->nu > 0)
    TERM(&m->J, o->J, .power = 1, .factor = -1, .col = u, .col0 = 2 * nq, .col1 = 2 * nq + m->nu);
  if (m->nw > 0)
    TERM(&m->J, o->J, .power = 0, .factor = -1, .col = w, .col0 = 2 * nq + m->nu,
         .col1 = 2 * nq + m->nu + m->nw);
  if (!m->p->constant_mass) {
    TERM(&m->Ms, o->Ms, .power = 2, .factor = 1, .col0 = 0, .col1 = nq);
    TERM(&m->Ms, o->Ms, .power = 1, .factor = 1, .col0 = nq, .col1 = 2 * nq);
  }
  if (m->ng > 0) {
    TERM(&m->Gts, o->Gts, .power = 2, .factor = 1);
    TERM(&m->G, o->G0, .power = 0, .factor = 1, .row = first);
    TERM(&m->G, o->G0, .power = 0, .factor = 1, .col = first, .transposed = true);
    TERM(&m->G, o->gdot_q, .power = 1, .factor = 2, .row = first);
  }
  if (m->nk > 0) {
    TERM(&m->Kts, o->Kts, .power = 2, .factor = 1, .col0 = 0, .col1 = nq);
    TERM(&m->Kts, o->Kts, .power = 1, .factor = 1, .col0 = nq, .col1 = 2 * nq);
    TERM(&m->K, o->K0, .power = 0, .factor = 1, .row = psi);
    TERM(&m->K, o->K0, .power = 0, .factor = 1, .col = psi, .transposed = true);
    TERM(&m->kq, o->k_q, .power = 1, .factor = 1, .row = psi);
  }
  TERM(&o->unit_c, o->idle, .power = 0, .factor = 1, .row = first, .col = first);
#undef TERM
}

static void reduced_mech_alloc_memory(mechanical *o, dae__arena *arena)
{
  const dae__mech *m = o->m;
  o->M0 = DAE__ALLOC(arena, double, dae__pattern_count(&m->M));
  o->M = DAE__ALLOC(arena, double, dae__pattern_count(&m->M));
  o->G0 = DAE__ALLOC(arena, double, dae__pattern_count(&m->G));
  o->G = DAE__ALLOC(arena, double, dae__pattern_count(&m->G));
  o->gdot_q = DAE__STATE(arena, double, dae__pattern_count(&m->G));
  o->K0 = DAE__ALLOC(arena, double, dae__pattern_count(&m->K));
  o->K = DAE__ALLOC(arena, double, dae__pattern_count(&m->K));
  o->k_q = DAE__STATE(arena, double, dae__pattern_count(&m->kq));
  o->J = DAE__ALLOC(arena, double, dae__pattern_count(&m->J));
  o->Ms = DAE__ALLOC(arena, double, dae__pattern_count(&m->Ms));
  o->Gts = DAE__ALLOC(arena, double, dae__pattern_count(&m->Gts));
  o->Kts = DAE__ALLOC(arena, double, dae__pattern_count(&m->Kts));
  o->ones = DAE__ALLOC(arena, double, m->nu);
  o->idle = DAE__ALLOC(arena, double, m->nc);
  o->fsc = DAE__ALLOC(arena, double, m->nr);
  o->gamma = DAE__ALLOC(arena, double, m->nc);
  o->diagonal = DAE__UNINIT(arena, double, m->nq);
  o->land = (dae__landing){
      .m = o->m, .r = o->r, .G = o->G, .K = o->K, .gdot_q = o->gdot_q, .k_q = o->k_q};
  dae__landing_take(&o->land, arena);
}

dae_status dae__reduced_mechanical(dae__arena *arena, const dae__rk_adapter *adapter,
                                   dae__reduced *r, dae_error *err)
{
  dae__mech *m = adapter->m;
  mechanical *o = DAE__ALLOC(arena, mechanical, 1);
  if (!o)
    return dae__out_of_memory(err);
  *o = (mechanical){.m = m, .r = r};
  r->self = o;
  r->powers = 3;
  r->n2 = m->nq;
  r->n1 = m->nu;
  r->n = m->at.size - m->nq;
  dae__divisor_take(&o->divisor, arena, m, r->n, 2 * r->pairs + 1);
  r->table = o->divisor.rough ? &few : m->nc > 0 ? &reduced_mech_verbs : &unconstrained;
  r->cautious = m->nw > 0;
  r->tested = DAE__ALLOC(arena, bool, r->n);
  o->unit_u = dae__pattern_diagonal(arena, m->nu);
  o->unit_c = dae__pattern_diagonal(arena, m->nc);
  reduced_mech_alloc_memory(o, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int i = 0; i < r->n; i++)
    r->tested[i] = i < reduced_mech_first_constraint(m);
  for (int i = 0; i < m->nu; i++)
    o->ones[i] = 1;
  reduced_mech_want_parts(o);
  reduced_mech_add_terms(o, arena);
  dae__reduced_merge(arena, &o->terms, r);
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}
