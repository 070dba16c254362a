/* The reduced form of a mechanical problem. With a = v', the derivatives of its rows are
 *
 *   f rows   by a   M
 *            by v   (M a)_v + (K' psi)_v - f_v
 *            by q   (M a)_q + (G' lambda)_q + (K' psi)_q - f_q
 *            by u, w, lambda, psi   -f_u, -f_w, G', K'
 *            or, with directions B of the constraint forces, by lambda and psi B', and their
 *            derivatives in place of those of G' lambda and K' psi
 *   s rows   by v, q, u', u, w      -s_v, -s_q, 1, -s_u, -s_w
 *   c rows   by v, q, u, w          -c_v, -c_q, -c_u, -c_w
 *   g rows   by a, v                G, gamma_v = 2 gdot_q
 *   k rows   by a, v                K, kappa_v, for which k_q is taken
 *
 * Rows of dependent constraints are "multiplier = 0".
 *
 * The preconditioner of small systems without w is
 *
 *         [ M   A' ]
 *   R_k = [  1     ]   of (v', u', lambda and psi),   A = [G; K], or B' for A',
 *         [ A      ]
 *
 * factored without pivoting, with one M for all stages.
 *
 * The end of a step is corrected towards the constraints, once, in the norm of its real block B(w),
 *
 *   q -= x,  x = B(w)\(0, y),  A x = (g, 0);      v -= x,  A x = (gdot, k),
 *
 * where y differs from (g, 0) and (gdot, k), as the constraint rows of B are A plus terms in w. */
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/backend.h"
#include "linalg/dense.h"
#include "linalg/saddle/schur_small.h"
#include "onestep/radau/reduced.h"

/* Smallest pivot of A M^-1 A' in the preconditioner, relative to its value before the elimination:
 * the iteration corrects inaccurate solutions. Chosen, not measured. */
#define PRECONDITIONER_PIVOT_MIN 1e-10

/* Ratio of the residual left by a correction to its initial value: corrections are small relative
 * to the state and have round-off of their own. Chosen, not measured. */
#define CORRECTION_RESIDUAL 1e-8
/* Largest number of refinements of a correction by B(w) alone, and largest ratio of two successive
 * residuals; chosen, not measured. */
#define CORRECTION_ITERATIONS 8
#define CORRECTION_DECREASE 0.5

typedef struct mechanical {
  dae__mech *m;
  dae__reduced *r;
  int first; /* index of the first constraint row and of the first multiplier */
  dae__reduced_terms terms;
  /* matrices and derivatives at the point of the Jacobians */
  double *M0, *G0, *K0, *B0, *J, *Ms, *Gts, *Kts, *Bts, *gdot_q, *k_q, *ones, *dependent;
  dae_pattern unit_u, unit_c;
  /* matrices and functions at the point of the last residual */
  double *M, *G, *K, *B, *fsc, *gamma;
  double *end;                /* ng + nc: residuals g, gdot and k at the end of the step */
  dae_mechanical_wanted want; /* functions of a residual inside the step */
  /* functions of a residual at the end of the step, constraints included */
  dae_mechanical_wanted want_end;
  bool M_known, M0_known; /* M (M0) is constant and evaluated */
  bool M_diagonal;        /* M is constant and diagonal */
  double *diagonal;
  /* data of the preconditioner */
  dae__schur_mass mass; /* factors of M */
  dae__schur *R_k;      /* factors of R_k for each stage; NULL: no preconditioner */
  /* Number of stages, and index of the factored stage; index `stages`: point of the Jacobians. */
  int stages, stage;
  double *A, *dense_B; /* dense A and B by columns */
  /* data of the correction of the end of a step */
  double *b, *x;  /* nc: right side; 2 n: solution and correction */
  double *X, *AX; /* small systems: X = B\(0, I), nc columns of nq, and A X; else NULL */
  int *pivot;     /* row exchanges of A X */
} mechanical;

/* ---- preconditioner ---- */

/* Factors R_k of a stage; false: constraints depend on each other. */
static bool reduced_mech_factor_stage(mechanical *o, int stage, const double *G, const double *K,
                                      const double *B)
{
  const dae__mech *m = o->m;
  const dae__schur_kernel *kernel = dae__schur_kernel_for(&o->mass, m->nc);
  o->stage = stage;
  if (!m->directed && m->nk == 0 && dae__pattern_count(&m->G) == m->ng * m->nq)
    return kernel->factor(&o->mass, PRECONDITIONER_PIVOT_MIN, G, NULL, &o->R_k[stage]);
  dae__schur_put_rows(&m->G, G, 0, m->nc, o->A);
  dae__schur_put_rows(&m->K, K, m->ng, m->nc, o->A);
  if (!m->directed)
    return kernel->factor(&o->mass, PRECONDITIONER_PIVOT_MIN, o->A, NULL, &o->R_k[stage]);
  dae__schur_put_rows(&m->B, B, 0, m->nc, o->dense_B);
  return kernel->factor(&o->mass, PRECONDITIONER_PIVOT_MIN, o->dense_B, o->A, &o->R_k[stage]);
}

static bool reduced_mech_factor_preconditioner(void *self)
{
  mechanical *o = self;
  const dae__mech *m = o->m;
  return m->count->dependent == 0 && dae__schur_mass_set(&o->mass, &m->M, o->M0) &&
         reduced_mech_factor_stage(o, o->stages, o->G0, o->K0, o->B0);
}

static void reduced_mech_precondition(const void *self, double *b)
{
  const mechanical *o = self;
  DAE__ASSERT(o->R_k && o->stage <= o->stages);
  dae__schur_kernel_for(&o->mass, o->m->nc)
      ->solve(&o->mass, &o->R_k[o->stage], b, b + o->m->nq + o->m->nu);
}

/* ---- residual ---- */

static void reduced_mech_want_mass(mechanical *o, bool wanted)
{
  o->M_known = !wanted;
  o->want.M = o->want_end.M = wanted ? o->M : NULL;
}

/* After an evaluation of M: a constant M is not evaluated again, and is tested for being
 * diagonal. */
static void reduced_mech_check_mass(mechanical *o)
{
  const dae__mech *m = o->m;
  reduced_mech_want_mass(o, !m->p->constant_mass);
  o->M_diagonal = o->M_known;
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

/* r += A' mu, unless mu is NULL, and c += A a; for dense A four rows at a time */
static void reduced_mech_add_constraints(const dae_pattern *p, const double *A, const double *a,
                                         const double *mu, double *r, double *c)
{
  int rows = p->rows, cols = p->cols, i = 0;
  if (dae__pattern_count(p) != rows * cols || rows < 2 || !mu) {
    if (mu)
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

/* r = R by the last evaluated functions */
static void reduced_mech_assemble(const mechanical *o, const double *a, double *restrict r)
{
  const dae__mech *m = o->m;
  int first = o->first;
  const double *lambda = a + first, *psi = lambda + m->ng, *f = o->fsc, *M = o->diagonal;
  bool directed = m->directed; /* forces along B, not along G and K */
  int e = 0;                   /* rows M a - f */
  for (; o->M_diagonal && e + 2 <= m->nq; e += 2)
    dae__pair_to(r + e, dae__pair_of(M + e) * dae__pair_from_anywhere(a + e) - dae__pair_of(f + e));
  for (; e < m->nq; e++)
    r[e] = (o->M_diagonal ? M[e] * a[e] : 0) - f[e];
  if (!o->M_diagonal)
    dae__matrix_times(&m->M, o->M, 1, a, r);
  for (int i = m->nq; i < first; i++) /* rows u' - s and -c */
    r[i] = (i < m->nq + m->nu ? a[i] : 0) - o->fsc[i];
  dae__copy(m->nc, o->gamma, r + first);
  if (m->ng > 0)
    reduced_mech_add_constraints(&m->G, o->G, a, directed ? NULL : lambda, r, r + first);
  if (m->nk > 0)
    reduced_mech_add_constraints(&m->K, o->K, a, directed ? NULL : psi, r, r + first + m->ng);
  if (directed)
    dae__matrix_transposed_times(&m->B, o->B, 1, lambda, r);
  if (m->count->dependent > 0)
    for (int i = 0; i < m->nc; i++)
      if (!m->active[i])
        r[first + i] = lambda[i];
}

/* Residual of a stage. Finite r, and finite `end` at the end of a step, imply that all functions
 * are finite. Otherwise a second evaluation finds the function that is not. */
static dae_status reduced_mech_residual(void *self, const dae__reduced_at *at, double *r,
                                        dae_error *err)
{
  mechanical *o = self;
  dae__mech *m = o->m;
  dae_mechanical_at point = dae__mech_at(m, at->t, at->z);
  const dae_mechanical_wanted *want = at->end ? &o->want_end : &o->want;
  point.w = at->k + m->nq + m->nu;
  DAE__TRY(dae__mech_eval_unchecked(m, &point, want, err));
  if (!o->M_known)
    reduced_mech_check_mass(o);
  reduced_mech_assemble(o, at->k, r);
  bool finite = dae__all_finite(o->r->n, r);
  if (finite && at->end)
    finite = dae__all_finite(m->ng + m->nc, o->end);
  if (!finite) {
    reduced_mech_want_mass(o, true);
    return dae__mech_eval(m, &point, want, err);
  }
  if (!o->r->memory->preconditioned)
    return DAE_OK;
  if (!at->refactor)
    o->stage = at->stage;
  else if (!reduced_mech_factor_stage(o, at->stage, o->G, o->K, o->B))
    return dae__fail(err, DAE_ERROR_SINGULAR, NULL,
                     "the constraints are linearly dependent at a stage");
  reduced_mech_precondition(o, r);
  return DAE_OK;
}

/* ---- Jacobians ---- */

static dae_status reduced_mech_linearise(void *self, const dae__reduced_at *at, dae_error *err)
{
  mechanical *o = self;
  dae__mech *m = o->m;
  const double *a = at->k, *lambda = at->k + o->first;
  dae_mechanical_at point = dae__mech_at(m, at->t, at->z);
  dae_mechanical_wanted want = {
      .M = o->M0_known ? NULL : o->M0, .G = o->G0, .K = o->K0, .B = o->B0};
  point.w = at->k + m->nq + m->nu;
  DAE__TRY(dae__mech_eval(m, &point, &want, err));
  o->M0_known = o->M0_known || m->p->constant_mass;
  DAE__TRY(dae__mech_J(m, &point, o->J, err));
  if (!m->p->constant_mass)
    DAE__TRY(dae__mech_derivative(m, DAE__MS_QV, &point, a, o->Ms, err));
  if (m->directed) {
    DAE__TRY(dae__mech_derivative(m, DAE__BTS_QV, &point, lambda, o->Bts, err));
  } else {
    DAE__TRY(dae__mech_derivative(m, DAE__GTS_Q, &point, lambda, o->Gts, err));
    DAE__TRY(dae__mech_derivative(m, DAE__KTS_QV, &point, lambda + m->ng, o->Kts, err));
  }
  DAE__TRY(dae__mech_derivative(m, DAE__GDOT_Q, &point, NULL, o->gdot_q, err));
  DAE__TRY(dae__mech_derivative(m, DAE__K_Q, &point, NULL, o->k_q, err));
  for (int i = 0; i < m->nc; i++)
    o->dependent[i] = m->active[i] ? 0 : 1;
  dae__reduced_gather(&o->terms, o->r);
  return DAE_OK;
}

/* ---- correction of the end of a step ---- */

/* y += a A x */
static void reduced_mech_add_Ax(const mechanical *o, double a, const double *x, double *y)
{
  const dae__mech *m = o->m;
  if (m->ng > 0)
    dae__matrix_times(&m->G, o->G, a, x, y);
  if (m->nk > 0)
    dae__matrix_times(&m->K, o->K, a, x, y + m->ng);
}

/* Computes X = B(w)\(0, I) and the factors of A X; false: large system or singular A X. Rows of
 * dependent constraints are unit rows, as their right side is zero. */
static bool reduced_mech_factor_AX(mechanical *o)
{
  const dae__mech *m = o->m;
  int nc = m->nc;
  if (!o->X)
    return false;
  for (int c = 0; c < nc; c++) {
    double *AX = o->AX + c * nc;
    dae__zero(o->r->n, o->x);
    dae__zero(nc, AX);
    o->x[o->first + c] = 1;
    if (o->r->memory->preconditioned)
      reduced_mech_precondition(o, o->x);
    dae__solver_solve(o->r->real, o->x);
    dae__copy(m->nq, o->x, o->X + c * m->nq);
    reduced_mech_add_Ax(o, 1, o->x, AX);
    if (!m->active[c])
      AX[c] = 1;
  }
  return dae__lu_factor(nc, o->AX, o->pivot) == 0;
}

/* x with A x = b: x = X y with (A X) y = b where A X is factored, else x = B(w)\(0, b); refined
 * while the residual decreases. b is replaced by the residual. */
static void reduced_mech_correct(mechanical *o, bool direct, double *b, double *x)
{
  const dae__mech *m = o->m;
  double *y = o->x + m->nq, before = INFINITY,
         enough = CORRECTION_RESIDUAL * dae__max_abs(m->nc, b);
  dae__zero(m->nq, x);
  for (int i = 0; i < (direct ? 2 : CORRECTION_ITERATIONS); i++) {
    double left = dae__max_abs(m->nc, b);
    if (!(left < CORRECTION_DECREASE * before) || left <= enough)
      return;
    before = left;
    dae__zero(o->r->n, o->x);
    if (direct) {
      dae__copy(m->nc, b, y);
      dae__lu_solve(m->nc, o->AX, o->pivot, y);
      for (int c = 0; c < m->nc; c++)
        dae__axpy(m->nq, y[c], o->X + c * m->nq, o->x);
    } else {
      dae__copy(m->nc, b, o->x + o->first);
      dae__solver_solve(o->r->real, o->x);
    }
    dae__axpy(m->nq, 1, o->x, x);
    reduced_mech_add_Ax(o, -1, o->x, b);
  }
}

/* One correction of the end of a step in the norm of B(w). The Jacobians of the step belong to
 * another point: gdot_q and k_q are evaluated at z. */
static dae_status reduced_mech_correct_end(void *self, double t, const double *dz, double *z,
                                           dae_error *err)
{
  mechanical *o = self;
  dae__mech *m = o->m;
  const double *dv = dz + m->nq;
  double *g = o->end, *gdot = g + m->ng, *k = gdot + m->ng, *b = o->b, *x = o->x + o->r->n;
  dae_mechanical_at at = dae__mech_at(m, t, z);
  if (m->ng > 0)
    DAE__TRY(dae__mech_derivative(m, DAE__GDOT_Q, &at, NULL, o->gdot_q, err));
  if (m->nk > 0)
    DAE__TRY(dae__mech_derivative(m, DAE__K_Q, &at, NULL, o->k_q, err));
  /* linearised g, gdot and k at the end of the step */
  dae__matrix_times(&m->G, o->G, 1, dz, g);
  dae__matrix_times(&m->G, o->G, 1, dv, gdot);
  dae__matrix_times(&m->G, o->gdot_q, 1, dz, gdot);
  dae__matrix_times(&m->K, o->K, 1, dv, k);
  dae__matrix_times(&m->kq, o->k_q, 1, dz, k);
  dae__zero(m->nc, b);
  dae__copy(m->ng, g, b);
  bool direct = reduced_mech_factor_AX(o);
  reduced_mech_correct(o, direct, b, x);
  dae__axpy(m->nq, -1, x, z); /* correction of q */
  dae__matrix_times(&m->G, o->gdot_q, -1, x, gdot);
  dae__matrix_times(&m->kq, o->k_q, -1, x, k);
  dae__copy(m->ng, gdot, b);
  dae__copy(m->nk, k, b + m->ng);
  reduced_mech_correct(o, direct, b, x);
  dae__axpy(m->nq, -1, x, z + m->nq); /* correction of v */
  return DAE_OK;
}

static void reduced_mech_name(const void *self, int i, char *text, size_t size)
{
  const mechanical *o = self;
  const dae_problem problem = {.mechanical = o->m->p};
  (void)dae_problem_variable(&problem, o->m->nq + i, text, size);
}

#define VERBS                                                                                      \
  .residual = reduced_mech_residual, .linearise = reduced_mech_linearise, .name = reduced_mech_name
static const dae__reduced_table unconstrained_table = {VERBS};
static const dae__reduced_table constrained_table = {VERBS,
                                                     .correct_end = reduced_mech_correct_end};
static const dae__reduced_table preconditioned_table = {
    VERBS, .correct_end = reduced_mech_correct_end,
    .factor_preconditioner = reduced_mech_factor_preconditioner,
    .precondition = reduced_mech_precondition};
#undef VERBS

/* ---- creation ---- */

static void reduced_mech_add_terms(mechanical *o, dae__arena *arena)
{
  const dae__mech *m = o->m;
  dae__reduced_terms *t = &o->terms;
  int nq = m->nq, u = nq, w = nq + m->nu, first = o->first, psi = first + m->ng;
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
    TERM(&m->G, o->G0, .power = 0, .factor = 1, .row = first);
    TERM(&m->G, o->gdot_q, .power = 1, .factor = 2, .row = first);
  }
  if (m->ng > 0 && !m->directed) {
    TERM(&m->Gts, o->Gts, .power = 2, .factor = 1);
    TERM(&m->G, o->G0, .power = 0, .factor = 1, .col = first, .transposed = true);
  }
  if (m->nk > 0) {
    TERM(&m->K, o->K0, .power = 0, .factor = 1, .row = psi);
    TERM(&m->kq, o->k_q, .power = 1, .factor = 1, .row = psi);
  }
  if (m->nk > 0 && !m->directed) {
    TERM(&m->Kts, o->Kts, .power = 2, .factor = 1, .col0 = 0, .col1 = nq);
    TERM(&m->Kts, o->Kts, .power = 1, .factor = 1, .col0 = nq, .col1 = 2 * nq);
    TERM(&m->K, o->K0, .power = 0, .factor = 1, .col = psi, .transposed = true);
  }
  if (m->directed) {
    TERM(&m->Bts, o->Bts, .power = 2, .factor = 1, .col0 = 0, .col1 = nq);
    TERM(&m->Bts, o->Bts, .power = 1, .factor = 1, .col0 = nq, .col1 = 2 * nq);
    TERM(&m->B, o->B0, .power = 0, .factor = 1, .col = first, .transposed = true);
  }
  TERM(&o->unit_c, o->dependent, .power = 0, .factor = 1, .row = first, .col = first);
#undef TERM
}

static void reduced_mech_alloc_memory(mechanical *o, dae__arena *arena)
{
  const dae__mech *m = o->m;
  if (o->r->n <= DAE__SMALL_N && m->nc > 0 && m->nc <= DAE__SCHUR_ROWS && m->nw == 0) {
    dae__schur_mass_create(arena, m->nq, true, &o->mass);
    o->R_k = dae__schur_create(arena, m->nq, m->nc, o->stages + 1);
    o->A = DAE__ALLOC(arena, double, m->nc * m->nq);
    o->dense_B = DAE__ALLOC(arena, double, m->directed ? m->nc * m->nq : 0);
  }
  DAE__VECTORS(arena, dae__pattern_count(&m->M), &o->M0, &o->M);
  DAE__VECTORS(arena, dae__pattern_count(&m->G), &o->G0, &o->G);
  o->gdot_q = DAE__STATE(arena, double, dae__pattern_count(&m->G));
  DAE__VECTORS(arena, dae__pattern_count(&m->K), &o->K0, &o->K);
  o->k_q = DAE__STATE(arena, double, dae__pattern_count(&m->kq));
  o->J = DAE__ALLOC(arena, double, dae__pattern_count(&m->J));
  o->Ms = DAE__ALLOC(arena, double, dae__pattern_count(&m->Ms));
  o->Gts = DAE__ALLOC(arena, double, dae__pattern_count(&m->Gts));
  o->Kts = DAE__ALLOC(arena, double, dae__pattern_count(&m->Kts));
  o->Bts = DAE__ALLOC(arena, double, dae__pattern_count(&m->Bts));
  DAE__VECTORS(arena, dae__pattern_count(&m->B), &o->B0, &o->B);
  o->ones = DAE__ALLOC(arena, double, m->nu);
  DAE__VECTORS(arena, m->nc, &o->dependent, &o->gamma, &o->b);
  o->fsc = DAE__ALLOC(arena, double, m->nr);
  o->diagonal = DAE__UNINIT(arena, double, m->nq);
  o->end = DAE__ALLOC(arena, double, m->ng + m->nc);
  o->x = DAE__ALLOC(arena, double, 2 * o->r->n);
  if (o->r->n > DAE__SMALL_N)
    return;
  o->X = DAE__UNINIT(arena, double, m->nc * m->nq);
  o->AX = DAE__UNINIT(arena, double, m->nc * m->nc);
  o->pivot = DAE__UNINIT(arena, int, m->nc);
}

dae_status dae__reduced_mechanical(dae__arena *arena, const dae_adapter *adapter, dae__reduced *r,
                                   dae_error *err)
{
  dae__mech *m = adapter->forms->m;
  mechanical *o = DAE__ALLOC(arena, mechanical, 1);
  DAE__TRY(dae__arena_status(arena, err));
  *o = (mechanical){.m = m, .r = r, .first = m->nq + m->nu + m->nw, .stages = 2 * r->pairs + 1};
  r->self = o;
  r->powers = 3;
  r->n2 = m->nq;
  r->n1 = m->nu;
  r->n = m->at.size - m->nq;
  r->algebraic = m->nw > 0;
  r->late = m->nw > 0 ? 0 : o->first;
  r->tested = DAE__ALLOC(arena, bool, r->n);
  o->unit_u = dae__pattern_diagonal(arena, m->nu);
  o->unit_c = dae__pattern_diagonal(arena, m->nc);
  reduced_mech_alloc_memory(o, arena);
  r->table = o->R_k ? &preconditioned_table : m->nc > 0 ? &constrained_table : &unconstrained_table;
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < r->n; i++)
    r->tested[i] = i < o->first;
  for (int i = 0; i < m->nu; i++)
    o->ones[i] = 1;
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
  if (m->directed)
    o->want.B = o->B;
  o->want_end = o->want;
  if (m->ng > 0) {
    o->want_end.g = o->end;
    o->want_end.gdot = o->end + m->ng;
  }
  if (m->nk > 0)
    o->want_end.k = o->end + 2 * m->ng;
  reduced_mech_add_terms(o, arena);
  dae__reduced_merge(arena, &o->terms, r);
  return dae__arena_status(arena, err);
}
