/* The stabilised index-2 form [GGL85] of M v' + G' lambda = f, 0 = g, unknowns q v lambda mu:
 *
 *   0 = q' - v + G' mu,  0 = M v' - f + G' lambda,  0 = g_t + G v,  0 = g
 *
 * and its iteration matrix, a = v' held, H(s) = d(G' s)/dq:
 *
 *            q                            v                      lambda  mu
 *   q'    [  cj I + H(mu)                 -I                             G' ]
 *   v'    [  (M a)_q - f_q + H(lambda)    cj M + (M a)_v - f_v   G'         ]
 *   gdot  [  gdot_q                       G                                 ]
 *   g     [  G                                                              ]
 *
 * Nonholonomic constraints, extra states, algebraic variables, inputs, momenta in place of (M, f),
 * missing G or g_t and dependent constraints are left out. */
#include "ida_ggl.h"

#include "core/vec.h"
#include "linalg/pattern.h"

enum {
  ONE_Q,
  ONE_V,
  H_MU,
  GT_MU,
  INERTIA, /* (M a)_qv */
  FORCE,   /* f_qv */
  H_LAMBDA,
  MASS,
  GT_LAMBDA,
  GDOT_Q,
  G_V,
  G_Q,
  BLOCKS
};

struct ida_ggl {
  const dae_mechanical *p;
  dae_pattern one, M, G, J, Ms, H, whole;
  dae__block block[BLOCKS];
  bool has_M; /* a constant M is evaluated once */
  double *ones, *M_values, *G_values, *J_values, *Ms_values, *H_values, *gdot_q, *f;
};

/* out += A x, or A' x, term by term */
static void add_times(const dae_pattern *p, const double *A, const double *x, double *out)
{
  for (int j = 0; j < p->cols; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      out[p->row[e]] += A[e] * x[j];
}

static void add_transposed(const dae_pattern *p, const double *A, const double *x, double *out)
{
  for (int j = 0; j < p->cols; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      out[j] += A[e] * x[p->row[e]];
}

/* ---- what the problem gives ---- */

static bool written_out(const dae_mechanical *p)
{
  bool constraints = p->ng == 0 || (p->G && (p->g_t || p->time_free_g));
  return p->M && p->f && constraints && p->nk + p->nu + p->nw + p->nin == 0;
}

static bool has_derivatives(const dae_mechanical *p)
{
  bool curvature = p->ng == 0 || (p->Gts_q && p->gdot_q);
  return p->J && (p->constant_mass || p->Ms_qv) && curvature;
}

static int evaluate_jointly(const ida_ggl *s, const dae_mechanical_at *at, double *M, double *f,
                            double *g, double *gdot)
{
  bool constraints = s->p->ng > 0;
  dae_mechanical_wanted want = {.M = M,
                                .f = f,
                                .g = constraints ? g : NULL,
                                .gdot = constraints ? gdot : NULL,
                                .G = constraints ? s->G_values : NULL};
  return s->p->eval(s->p->user, at, &want);
}

static int evaluate_separately(const ida_ggl *s, const dae_mechanical_at *at, double *M, double *f,
                               double *g, double *gdot)
{
  const dae_mechanical *p = s->p;
  if ((M && p->M(p->user, at, M)) || (f && p->f(p->user, at, f)))
    return 1;
  if (p->ng == 0)
    return 0;
  if (p->G(p->user, at, s->G_values) || (g && p->g(p->user, at, g)))
    return 1;
  if (!gdot)
    return 0;
  dae__zero(p->ng, gdot);
  int refused = p->g_t && p->g_t(p->user, at, gdot);
  add_times(&s->G, s->G_values, at->v, gdot);
  return refused;
}

/* M and G, and f, g, gdot where not NULL */
static int evaluate(ida_ggl *s, const dae_mechanical_at *at, double *f, double *g, double *gdot)
{
  double *M = s->has_M && s->p->constant_mass ? NULL : s->M_values;
  int refused = s->p->eval ? evaluate_jointly(s, at, M, f, g, gdot)
                           : evaluate_separately(s, at, M, f, g, gdot);
  s->has_M = s->has_M || !refused;
  return refused;
}

/* ---- residual ---- */

int ida_ggl_residual(ida_ggl *s, double t, const double *y, const double *dy, double *R)
{
  int nq = s->p->nq, ng = s->p->ng;
  const double *v = y + nq, *lambda = v + nq, *mu = lambda + ng;
  double *Rq = R, *Rv = R + nq, *gdot = Rv + nq, *g = gdot + ng;
  int refused = evaluate(s, &(dae_mechanical_at){.t = t, .q = y, .v = v}, s->f, g, gdot);
  if (refused)
    return refused;
  for (int i = 0; i < nq; i++) {
    Rq[i] = dy[i] - v[i];
    Rv[i] = -s->f[i];
  }
  add_transposed(&s->G, s->G_values, mu, Rq);
  add_times(&s->M, s->M_values, dy + nq, Rv);
  add_transposed(&s->G, s->G_values, lambda, Rv);
  return 0;
}

/* ---- iteration matrix ---- */

static void add(const ida_ggl *s, int which, double factor, const double *values, double *matrix)
{
  dae__block_add(&s->block[which], factor, values, matrix);
}

static void add_first_derivatives(const ida_ggl *s, double cj, double *matrix)
{
  add(s, ONE_Q, cj, s->ones, matrix);
  add(s, ONE_V, -1, s->ones, matrix);
  add(s, MASS, cj, s->M_values, matrix);
  add(s, FORCE, -1, s->J_values, matrix);
  add(s, GT_MU, 1, s->G_values, matrix);
  add(s, GT_LAMBDA, 1, s->G_values, matrix);
  add(s, G_V, 1, s->G_values, matrix);
  add(s, G_Q, 1, s->G_values, matrix);
}

static int add_curvature(const ida_ggl *s, const dae_mechanical_at *at, const double *lambda,
                         const double *mu, double *matrix)
{
  const dae_mechanical *p = s->p;
  if (p->ng == 0)
    return 0;
  int refused = p->gdot_q(p->user, at, s->gdot_q) || p->Gts_q(p->user, at, lambda, s->H_values);
  add(s, GDOT_Q, 1, s->gdot_q, matrix);
  add(s, H_LAMBDA, 1, s->H_values, matrix);
  refused = refused || p->Gts_q(p->user, at, mu, s->H_values);
  add(s, H_MU, 1, s->H_values, matrix);
  return refused;
}

int ida_ggl_matrix(ida_ggl *s, double t, double cj, const double *y, const double *dy,
                   double *matrix)
{
  const dae_mechanical *p = s->p;
  const double *v = y + p->nq, *lambda = v + p->nq, *mu = lambda + p->ng, *a = dy + p->nq;
  dae_mechanical_at at = {.t = t, .q = y, .v = v};
  dae__zero(dae__pattern_count(&s->whole), matrix);
  if (evaluate(s, &at, NULL, NULL, NULL) || p->J(p->user, &at, s->J_values))
    return 1;
  if (!p->constant_mass && p->Ms_qv(p->user, &at, a, s->Ms_values))
    return 1;
  add_first_derivatives(s, cj, matrix);
  add(s, INERTIA, 1, s->Ms_values, matrix);
  return add_curvature(s, &at, lambda, mu, matrix);
}

/* ---- construction ---- */

static dae_pattern given_or_dense(dae__arena *arena, const dae_pattern *p, int rows, int cols)
{
  return p ? *p : dae__pattern_dense(arena, rows, cols);
}

static void merge(ida_ggl *s, dae__arena *arena)
{
  int nq = s->p->nq, ng = s->p->ng, v = nq, lambda = 2 * nq, mu = lambda + ng, n = mu + ng;
  const dae__block block[BLOCKS] = {
      [ONE_Q] = {0, 0, &s->one, false, NULL},       [ONE_V] = {0, v, &s->one, false, NULL},
      [H_MU] = {0, 0, &s->H, false, NULL},          [GT_MU] = {0, mu, &s->G, true, NULL},
      [INERTIA] = {v, 0, &s->Ms, false, NULL},      [FORCE] = {v, 0, &s->J, false, NULL},
      [H_LAMBDA] = {v, 0, &s->H, false, NULL},      [MASS] = {v, v, &s->M, false, NULL},
      [GT_LAMBDA] = {v, lambda, &s->G, true, NULL}, [GDOT_Q] = {lambda, 0, &s->G, false, NULL},
      [G_V] = {lambda, v, &s->G, false, NULL},      [G_Q] = {mu, 0, &s->G, false, NULL}};
  memcpy(s->block, block, sizeof block);
  s->whole = dae__blocks_merge(arena, n, n, s->block, BLOCKS);
}

static void make_matrix(ida_ggl *s, dae__arena *arena)
{
  const dae_mechanical *p = s->p;
  int nq = p->nq;
  int *none = DAE__ALLOC(arena, int, 2 * nq + 1);
  s->one = dae__pattern_diagonal(arena, nq);
  s->J = given_or_dense(arena, p->J_pattern, nq, 2 * nq);
  s->Ms = p->constant_mass ? (dae_pattern){nq, 2 * nq, none, NULL}
                           : given_or_dense(arena, p->Ms_pattern, nq, 2 * nq);
  s->H = p->Gts_pattern ? *p->Gts_pattern : dae__pattern_gram(arena, &s->G);
  if (dae__arena_failed(arena))
    return;
  s->ones = DAE__ALLOC(arena, double, nq);
  s->J_values = DAE__ALLOC(arena, double, dae__pattern_count(&s->J));
  s->Ms_values = DAE__ALLOC(arena, double, dae__pattern_count(&s->Ms));
  s->H_values = DAE__ALLOC(arena, double, dae__pattern_count(&s->H));
  s->gdot_q = DAE__ALLOC(arena, double, dae__pattern_count(&s->G));
  for (int i = 0; s->ones && i < nq; i++)
    s->ones[i] = 1;
  merge(s, arena);
}

ida_ggl *ida_ggl_create(dae__arena *arena, const dae_mechanical *p)
{
  ida_ggl *s = written_out(p) && has_derivatives(p) ? DAE__ALLOC(arena, ida_ggl, 1) : NULL;
  if (!s)
    return NULL;
  s->p = p;
  s->M = given_or_dense(arena, p->M_pattern, p->nq, p->nq);
  s->G = given_or_dense(arena, p->G_pattern, p->ng, p->nq);
  if (dae__arena_failed(arena))
    return NULL;
  s->M_values = DAE__ALLOC(arena, double, dae__pattern_count(&s->M));
  s->G_values = DAE__ALLOC(arena, double, dae__pattern_count(&s->G));
  s->f = DAE__ALLOC(arena, double, p->nq);
  make_matrix(s, arena);
  return dae__arena_failed(arena) ? NULL : s;
}

const dae_pattern *ida_ggl_pattern(const ida_ggl *s)
{
  return &s->whole;
}
