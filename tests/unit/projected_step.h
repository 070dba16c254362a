/* One implicit Euler step of a constrained mechanical problem, by the definition of the projected
 * equations: the projector formed densely from a split. */
#ifndef DAEDAL_TESTS_PROJECTED_STEP_H
#define DAEDAL_TESTS_PROJECTED_STEP_H

#include "arena_fixture.h"
#include "multistep/bdf.h"
#include "multistep/multipliers.h"
#include "problems/problems.h"
#include "small_matrix.h"
#include "uniform.h"

/* ---- one implicit Euler step of a problem: q' = cj (q - q_old), v' = cj (v - v_old) ---- */

enum { SIZE = 32 }; /* room for q, v, lambda, mu */

typedef struct one_step {
  const char *name;
  const dae_problem *problem;
  dae__mech *m;
  int nq, ng;
  double cj, start[SIZE], old[SIZE], predicted[SIZE];
} one_step;

typedef dae_status constructor(dae__arena *, const dae_problem *, const dae_start *,
                               const dae_bdf_options *, double *y, double *dy, dae__corrector *,
                               dae_error *);

static dae__corrector create(constructor *make, const one_step *s, const dae_bdf_options *opts,
                             double *y, double *dy)
{
  dae__corrector c;
  dae_start start = {.y = s->start};
  assert_int_equal(make(arena, s->problem, &start, opts, y, dy, &c, NULL), DAE_OK);
  assert_int_equal(c.n, 2 * s->nq + 2 * s->ng);
  return c;
}

/* a step from near the start of a problem; moved: how far from it */
static one_step step_of(const test_problem *p, double h, double moved)
{
  one_step s = {.name = p->name, .problem = &p->problem, .cj = 1 / h};
  double y[SIZE], dy[SIZE], rate[SIZE];
  dae_bdf_options opts = dae_bdf_defaults();
  assert_int_equal(dae__mech_create(arena, &p->problem, &s.m, NULL), DAE_OK);
  s.nq = s.m->nq;
  s.ng = s.m->ng;
  for (int i = 0; i < p->size; i++)
    s.start[i] = p->start.y[i] + (i < 2 * s.nq ? moved * uniform() : 0);
  dae__corrector c = create(dae__ggl_create, &s, &opts, y, dy);
  c.table->start(c.self, y, dy, s.old, rate);
  dae__copy(c.n, s.old, s.predicted);
  dae__axpy(2 * s.nq, h, rate, s.predicted);
  c.table->free(c.self);
  return s;
}

static void rates(const one_step *s, const double *Y, double *dY)
{
  dae__zero(SIZE, dY);
  for (int i = 0; i < 2 * s->nq; i++)
    dY[i] = s->cj * (Y[i] - s->old[i]);
}

static matrix qv(const one_step *s, const double *Y)
{
  return column(2 * s->nq, Y);
}

/* increments, with the matrix of the last setup, until they vanish */
static void converge(const dae__corrector *c, const one_step *s, double *Y)
{
  double dY[SIZE], delta[SIZE], size = 1;
  for (int k = 0; size > 2e-14 * (1 + dae__max_abs(2 * s->nq, Y)); k++) {
    if (k == 100)
      fail_msg("%s: increments still of size %.3g", s->name, size);
    rates(s, Y, dY);
    assert_int_equal(c->table->increment(c->self, 0, Y, dY, s->cj, 1, delta, NULL), DAE_OK);
    dae__axpy(c->n, 1, delta, Y);
    size = dae__max_abs(2 * s->nq, delta);
  }
}

/* where a corrector looks before it iterates from the prediction */
typedef struct looks {
  const double *prediction; /* as the point of a prediction; NULL: nowhere */
  const double *matrix;     /* as the point of its matrix */
} looks;

/* where the iteration from the prediction ends */
static void iterate(constructor *make, const one_step *s, const dae_bdf_options *opts, looks from,
                    double *Y)
{
  double y[SIZE], dy[SIZE], at[SIZE], dY[SIZE];
  dae__corrector c = create(make, s, opts, y, dy);
  if (from.prediction) {
    dae__copy(SIZE, from.prediction, at);
    rates(s, at, dY);
    assert_int_equal(c.table->predict(c.self, 0, at, dY, NULL), DAE_OK);
  }
  rates(s, from.matrix, dY);
  assert_int_equal(c.table->setup(c.self, 0, from.matrix, dY, s->cj, NULL), DAE_OK);
  dae__copy(SIZE, s->predicted, Y);
  converge(&c, s, Y);
  c.table->free(c.self);
}

static void solve_ggl(const one_step *s, double *Y)
{
  dae_bdf_options opts = dae_bdf_defaults();
  iterate(dae__ggl_create, s, &opts, (looks){NULL, s->predicted}, Y);
}

/* ---- the definition, densely ---- */

typedef struct split {
  matrix X, Y; /* columns of the identity: independent and dependent coordinates */
} split;

typedef struct place {
  matrix r1, r2, g, gdot, G, gdot_q;
  matrix K, D; /* of M v' - f with v' = cj v + const: derivatives with respect to q and v */
} place;

static place place_at(dae__mech *m, const double *Y, const double *dY, double cj)
{
  int n = m->nq;
  place z;
  double M[VALUES], G[VALUES], x[VALUES];
  dae_mechanical_at at = dae__mech_at(m, 0, Y);
  assert_int_equal(dae__mech_M(m, &at, M, NULL), DAE_OK);
  assert_int_equal(dae__mech_G(m, &at, G, NULL), DAE_OK);
  z.G = spread(&m->G, G);
  assert_int_equal(dae__mech_rhs(m, &at, x, NULL), DAE_OK);
  z.r2 = times(spread(&m->M, M), column(n, dY + n));
  add(&z.r2, 0, 0, -1, column(n, x)); /* M v' - f */
  z.r1 = column(n, dY);
  add(&z.r1, 0, 0, -1, column(n, Y + n)); /* q' - v */
  assert_int_equal(dae__mech_g(m, &at, x, NULL), DAE_OK);
  z.g = column(m->ng, x);
  assert_int_equal(dae__mech_gdot(m, &at, G, x, NULL), DAE_OK);
  z.gdot = column(m->ng, x);
  assert_int_equal(dae__mech_derivative(m, DAE__GDOT_Q, &at, NULL, x, NULL), DAE_OK);
  z.gdot_q = spread(&m->G, x);
  assert_int_equal(dae__mech_derivative(m, DAE__MS_QV, &at, dY + n, x, NULL), DAE_OK);
  matrix KD = spread(&m->Ms, x);
  assert_int_equal(dae__mech_J(m, &at, x, NULL), DAE_OK);
  add(&KD, 0, 0, -1, spread(&m->J, x));
  add(&KD, 0, n, cj, spread(&m->M, M));
  z.K = part(KD, 0, 0, n, n);
  z.D = part(KD, 0, n, n, n);
  return z;
}

static place place_of(const one_step *s, const double *Y)
{
  double dY[SIZE];
  rates(s, Y, dY);
  return place_at(s->m, Y, dY, s->cj);
}

static dae__multipliers estimates_by(dae__mech *m, int kind)
{
  dae__multipliers e;
  dae_bdf_options opts = dae_bdf_defaults();
  opts.multipliers = kind;
  assert_int_equal(dae__multipliers_create(arena, m, &opts, &e, NULL), DAE_OK);
  return e;
}

/* the dependent coordinates are those of the library, by the rule of multipliers.h */
static split split_by(dae__mech *m, const double *G)
{
  bool dependent[MAX] = {false};
  dae__multipliers e = estimates_by(m, DAE_BDF_MULTIPLIERS_SPLIT);
  split z = {zeros(m->nq, m->nq - m->ng), zeros(m->nq, m->ng)};
  assert_int_equal(dae__multipliers_select_split(&e, G, NULL, NULL), DAE_OK);
  for (int i = 0; i < m->ng; i++) {
    assert_in_range(e.pivot[i], 0, m->nq - 1);
    assert_false(dependent[e.pivot[i]]);
    dependent[e.pivot[i]] = true;
    z.Y.at[e.pivot[i]][i] = 1;
  }
  for (int i = 0, x = 0; i < m->nq; i++)
    if (!dependent[i])
      z.X.at[i][x++] = 1;
  dae__multipliers_free(&e);
  return z;
}

static split split_at(dae__mech *m, const double *Y)
{
  double G[VALUES];
  dae_mechanical_at at = dae__mech_at(m, 0, Y);
  assert_int_equal(dae__mech_G(m, &at, G, NULL), DAE_OK);
  return split_by(m, G);
}

/* P = X' - Q' Y' */
static matrix projector(split z, matrix G)
{
  matrix Q = solve(times(G, z.Y), times(G, z.X)), P = transposed(z.X);
  add(&P, 0, 0, -1, times(transposed(Q), transposed(z.Y)));
  return P;
}

/* s = -(G Y)^-T Y' r */
static matrix split_estimate(split z, matrix G, matrix r)
{
  return scaled(-1, solve(transposed(times(G, z.Y)), times(transposed(z.Y), r)));
}

static matrix curvature(dae__mech *m, const double *Y, matrix multipliers)
{
  double s[MAX], H[VALUES];
  dae_mechanical_at at = dae__mech_at(m, 0, Y);
  for (int i = 0; i < m->ng; i++)
    s[i] = multipliers.at[i][0];
  assert_int_equal(dae__mech_derivative(m, DAE__GTS_Q, &at, s, H, NULL), DAE_OK);
  return spread(&m->Gts, H);
}

/* what an iteration keeps from the point of its setup:
 *   J1 = [ cj I + H(s1)  -I ]
 *        [ K + H(s2)      D ] */
typedef struct kept {
  split z;
  matrix G, gdot_q, P, J1;
} kept;

static kept keep(dae__mech *m, const double *Y, const double *dY, double cj)
{
  int n = m->nq;
  place at = place_at(m, Y, dY, cj);
  kept k = {split_at(m, Y), at.G, at.gdot_q, {0}, zeros(2 * n, 2 * n)};
  k.P = projector(k.z, at.G);
  add(&k.J1, 0, 0, cj, identity(n));
  add(&k.J1, 0, 0, 1, curvature(m, Y, split_estimate(k.z, at.G, at.r1)));
  add(&k.J1, 0, n, -1, identity(n));
  add(&k.J1, n, 0, 1, at.K);
  add(&k.J1, n, 0, 1, curvature(m, Y, split_estimate(k.z, at.G, at.r2)));
  add(&k.J1, n, n, 1, at.D);
  return k;
}

/* the increment (dq, dv) for a point */
typedef matrix newton(const kept *k, const place *at);

/* [ P J1       ]     [ P(q) r ]
 * [ gdot_q  G  ] d = -[ gdot   ]                                                  [YP96 (2.14)]
 * [ G       0  ]     [ g      ] */
static matrix projected(const kept *k, const place *at)
{
  int n = k->G.cols, m = k->G.rows;
  matrix A = stacked(times(twice(k->P), k->J1), zeros(2 * m, 2 * n));
  add(&A, A.rows - 2 * m, 0, 1, k->gdot_q);
  add(&A, A.rows - 2 * m, n, 1, k->G);
  add(&A, A.rows - m, 0, 1, k->G);
  matrix R = times(twice(projector(k->z, at->G)), stacked(at->r1, at->r2));
  return scaled(-1, solve(A, stacked(R, stacked(at->gdot, at->g))));
}

/* the same by its 2p independent unknowns: dq = N xi + Y ghat, dv = N om + Y ehat, N = P',
 *   ghat = -(G Y)\g,   ehat = -(G Y)\(gdot + gdot_q dq) */
static matrix reduced(const kept *k, const place *at)
{
  int n = k->G.cols;
  matrix N = transposed(k->P), GY = times(k->G, k->z.Y), T = twice(N);
  matrix dq = scaled(-1, times(k->z.Y, solve(GY, at->g))), e = at->gdot;
  add(&e, 0, 0, 1, times(k->gdot_q, dq));
  matrix d = stacked(dq, scaled(-1, times(k->z.Y, solve(GY, e)))); /* with xi = om = 0 */
  add(&T, n, 0, -1, times(k->z.Y, solve(GY, times(k->gdot_q, N))));
  matrix PJ = times(twice(k->P), k->J1), R = times(PJ, d);
  add(&R, 0, 0, 1, times(twice(projector(k->z, at->G)), stacked(at->r1, at->r2)));
  add(&d, 0, 0, -1, times(T, solve(times(PJ, T), R)));
  return d;
}

/* Algorithm 2.1 as it is printed, with its signs put right: P d = P(q) J1\(-r), G dq = -g,
 * gdot_q dq + G dv = -gdot */
static matrix printed(const kept *k, const place *at)
{
  int n = k->G.cols;
  matrix hat = solve(k->J1, scaled(-1, stacked(at->r1, at->r2)));
  matrix P = projector(k->z, at->G), PG = stacked(k->P, k->G), e = at->gdot;
  matrix dq = solve(PG, stacked(times(P, part(hat, 0, 0, n, 1)), scaled(-1, at->g)));
  add(&e, 0, 0, 1, times(k->gdot_q, dq));
  matrix dv = solve(PG, stacked(times(P, part(hat, n, 0, n, 1)), scaled(-1, e)));
  return stacked(dq, dv);
}

/* the same iteration with dense increments */
static void iterate_dense(newton *increment, const one_step *s, double *Y)
{
  double dY[SIZE], size = 1;
  rates(s, s->predicted, dY);
  kept k = keep(s->m, s->predicted, dY, s->cj);
  dae__copy(SIZE, s->predicted, Y);
  for (int i = 0; size > 2e-14 * (1 + dae__max_abs(2 * s->nq, Y)); i++) {
    place at = place_of(s, Y);
    matrix d = increment(&k, &at);
    if (i == 100)
      fail_msg("%s: increments still of size %.3g", s->name, size);
    for (int j = 0; j < d.rows; j++)
      Y[j] += d.at[j][0];
    size = largest(d);
  }
}

static double apart(const one_step *s, const double *A, const double *B)
{
  return distance(qv(s, A), qv(s, B));
}

/* ---- the problems, with the second derivatives that they leave to differences, the noise of which
 *      would hide what is compared here ---- */

static int circle_Gts_q(void *user, const dae_mechanical_at *at, const double *s, double *out)
{
  (void)user, (void)at;
  out[0] = out[3] = s[0];
  out[1] = out[2] = 0;
  return 0;
}

static int circle_gdot_q(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = at->v[0];
  out[1] = at->v[1];
  return 0;
}

/* the constraints of the slider crank are curved in the angles a = q0 of the crank, b = q3 of the
 * rod alone, so that G has columns G_a(a) and G_b(b): their derivatives */
static void crank_curvature(const double *q, double *in_a, double *in_b)
{
  double l1 = 0.5, half = 1.25 / 2;
  in_a[0] = l1 * cos(q[0]);
  in_a[1] = l1 * sin(q[0]);
  in_a[2] = in_a[3] = 0;
  in_b[0] = half * cos(q[3]);
  in_b[1] = half * sin(q[3]);
  in_b[2] = -in_b[0];
  in_b[3] = -in_b[1];
}

static int crank_Gts_q(void *user, const dae_mechanical_at *at, const double *s, double *out)
{
  double in_a[4], in_b[4];
  (void)user;
  crank_curvature(at->q, in_a, in_b);
  dae__zero(25, out);
  out[0] = dae__dot(4, in_a, s);
  out[18] = dae__dot(4, in_b, s);
  return 0;
}

static int crank_gdot_q(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  crank_curvature(at->q, out, out + 12);
  dae__zero(8, out + 4);
  dae__zero(4, out + 16);
  dae__scale(4, at->v[0], out);
  dae__scale(4, at->v[3], out + 12);
  return 0;
}

enum { PROBLEMS = 4 };

static test_problem with_curvature(test_problem p, dae_mechanical *copy)
{
  bool crank = p.problem.mechanical->nq == 5;
  *copy = *p.problem.mechanical;
  copy->Gts_q = crank ? crank_Gts_q : circle_Gts_q;
  copy->gdot_q = crank ? crank_gdot_q : circle_gdot_q;
  p.problem.mechanical = copy;
  return p;
}

static test_problem problem_at(int i)
{
  static dae_mechanical spring, crank;
  switch (i) {
  case 0:
    return test_pendulum2();
  case 1:
    return test_bead();
  case 2:
    return with_curvature(test_spring(), &spring);
  default:
    return with_curvature(test_slider_crank(), &crank);
  }
}

#endif
