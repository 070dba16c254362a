/* The simplified Newton iteration of SPARK, with the matrices (2) and (3) only, solves the
 * equations of the method: ten steps agree to round-off with those of a full Newton iteration on
 * the ORIGINAL equations, written here with the problem's callbacks and the tableau,
 * dense, differenced, the moments of k as they stand. */
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STAGES 4
#define NQ 4
#define MOST ((STAGES + 1) * 2 * NQ + STAGES + 1 + STAGES) /* unknowns */

/* one step: where it starts, and the coefficients */
typedef struct step {
  const dae_mechanical *m;
  const dae_spark_tableau *T;
  double t, h;
  double y0[NQ], z0[NQ];
} step;

/* the unknowns: Y_1 ... Y_s, y1; the same of Z; L_0 ... L_s; Psi_1 ... Psi_s */
static double *part(const step *o, double *x, char name)
{
  int s = o->T->s, nq = o->m->nq;
  return name == 'Y'   ? x
         : name == 'Z' ? x + (s + 1) * nq
         : name == 'L' ? x + 2 * (s + 1) * nq
                       : x + 2 * (s + 1) * nq + (s + 1) * o->m->ng;
}

static int unknowns(const step *o)
{
  int s = o->T->s;
  return 2 * (s + 1) * o->m->nq + (s + 1) * o->m->ng + s * o->m->nk;
}

static dae_mechanical_at at(double t, const double *y, const double *z)
{
  return (dae_mechanical_at){.t = t, .q = y, .v = z};
}

/* p = dT/dv, or M v where M is constant */
static void momenta(const dae_mechanical *m, double t, const double *y, const double *z, double *p)
{
  dae_mechanical_at where = at(t, y, z);
  double M[NQ * NQ];
  if (m->p) {
    m->p(m->user, &where, p);
    return;
  }
  assert_true(m->constant_mass);
  m->M(m->user, &where, M);
  for (int i = 0; i < m->nq; i++) {
    p[i] = 0;
    for (int j = 0; j < m->nq; j++)
      p[i] += M[j * m->nq + i] * z[j];
  }
}

/* f = F - K' psi */
static void forces(const dae_mechanical *m, double t, const double *y, const double *z,
                   const double *psi, double *f)
{
  dae_mechanical_at where = at(t, y, z);
  double K[NQ];
  (m->F ? m->F : m->f)(m->user, &where, f);
  if (m->nk > 0)
    m->K(m->user, &where, K);
  for (int i = 0; i < m->nq && m->nk > 0; i++)
    f[i] -= K[i] * psi[0];
}

/* r = -G' lambda, and g */
static void constraint(const dae_mechanical *m, double t, const double *y, const double *lambda,
                       double *r, double *g)
{
  dae_mechanical_at where = at(t, y, y); /* which do not depend on velocities */
  double G[NQ];
  m->G(m->user, &where, G);
  m->g(m->user, &where, g);
  for (int i = 0; i < m->nq; i++)
    r[i] = -G[i] * lambda[0];
}

static double gdot(const dae_mechanical *m, double t, const double *y, const double *z)
{
  dae_mechanical_at where = at(t, y, z);
  double G[NQ], sum = 0;
  m->G(m->user, &where, G);
  if (m->g_t)
    m->g_t(m->user, &where, &sum);
  for (int i = 0; i < m->nq; i++)
    sum += G[i] * z[i];
  return sum;
}

static double k_at(const dae_mechanical *m, double t, const double *y, const double *z)
{
  dae_mechanical_at where = at(t, y, z);
  double k;
  m->k(m->user, &where, &k);
  return k;
}

/* rows of y and p: values_i - value_0 - h sum ah_ij f_j - h sum at_ij r_j */
static void differential(const step *o, double *x, double f[][NQ], double r[][NQ], double *R)
{
  const dae_spark_tableau *T = o->T;
  int s = T->s, nq = o->m->nq;
  double *Y = part(o, x, 'Y'), *Z = part(o, x, 'Z'), p0[NQ], p[NQ];
  momenta(o->m, o->t, o->y0, o->z0, p0);
  for (int i = 0; i <= s; i++) {
    const double *a = i < s ? T->A + i * s : T->b, *ah = i < s ? T->Ah + i * s : T->bh;
    const double *tilde = i < s ? T->At + i * (s + 1) : T->bt;
    momenta(o->m, o->t + (i < s ? T->c[i] : 1) * o->h, Y + i * nq, Z + i * nq, p);
    for (int n = 0; n < nq; n++) {
      double by = Y[i * nq + n] - o->y0[n], bp = p[n] - p0[n];
      for (int j = 0; j < s; j++) {
        by -= o->h * a[j] * Z[j * nq + n];
        bp -= o->h * ah[j] * f[j][n];
      }
      for (int j = 0; j <= s && o->m->ng > 0; j++)
        bp -= o->h * tilde[j] * r[j][n];
      R[i * nq + n] = by;
      R[(s + 1 + i) * nq + n] = bp;
    }
  }
}

/* r at the tilde points and rows of g; returns what follows them */
static double *holonomic(const step *o, double *x, double r[][NQ], double *R)
{
  const dae_spark_tableau *T = o->T;
  int s = T->s, nq = o->m->nq;
  double *Y = part(o, x, 'Y'), *Z = part(o, x, 'Z'), *L = part(o, x, 'L');
  for (int i = 0; i <= s && o->m->ng > 0; i++) {
    double y[NQ], g;
    for (int n = 0; n < nq; n++) {
      y[n] = o->y0[n];
      for (int j = 0; j < s; j++)
        y[n] += o->h * T->Ab[i * s + j] * Z[j * nq + n];
    }
    constraint(o->m, o->t + T->ct[i] * o->h, y, &L[i], r[i], &g);
    if (i > 0) /* the first one is that of the start */
      *R++ = g / o->h;
  }
  if (o->m->ng > 0)
    *R++ = gdot(o->m, o->t + o->h, Y + s * nq, Z + s * nq);
  return R;
}

/* sum b_j c_j^(i-1) k_j, i = 1 ... s - 1, and k at the end */
static void nonholonomic(const step *o, double *x, double *R)
{
  const dae_spark_tableau *T = o->T;
  int s = T->s, nq = o->m->nq;
  double *Y = part(o, x, 'Y'), *Z = part(o, x, 'Z');
  if (o->m->nk == 0)
    return;
  for (int i = 1; i < s; i++) {
    double sum = 0;
    for (int j = 0; j < s; j++)
      sum +=
          T->b[j] * pow(T->c[j], i - 1) * k_at(o->m, o->t + T->c[j] * o->h, Y + j * nq, Z + j * nq);
    *R++ = sum;
  }
  *R = k_at(o->m, o->t + o->h, Y + s * nq, Z + s * nq);
}

static void residual(const step *o, double *x, double *R)
{
  int s = o->T->s, nq = o->m->nq, nk = o->m->nk;
  double f[STAGES][NQ], r[STAGES + 1][NQ];
  double *Y = part(o, x, 'Y'), *Z = part(o, x, 'Z'), *Psi = part(o, x, 'P');
  for (int j = 0; j < s; j++)
    forces(o->m, o->t + o->T->c[j] * o->h, Y + j * nq, Z + j * nq, nk ? &Psi[j] : NULL, f[j]);
  double *next = holonomic(o, x, r, R + 2 * (s + 1) * nq);
  nonholonomic(o, x, next);
  differential(o, x, f, r, R);
}

/* x = A\x, partial pivoting, by rows */
static void solve(int n, double A[][MOST], double *x)
{
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      p = fabs(A[i][k]) > fabs(A[p][k]) ? i : p;
    for (int j = 0; j < n; j++) {
      double a = A[k][j];
      A[k][j] = A[p][j];
      A[p][j] = a;
    }
    double a = x[k];
    x[k] = x[p];
    x[p] = a;
    for (int i = k + 1; i < n; i++) {
      double l = A[i][k] / A[k][k];
      for (int j = k; j < n; j++)
        A[i][j] -= l * A[k][j];
      x[i] -= l * x[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      x[i] -= A[i][j] * x[j];
    x[i] /= A[i][i];
  }
}

/* Newton's iteration with a Jacobian differenced at every iterate */
static void newton(const step *o, double *x)
{
  static double A[MOST][MOST];
  int n = unknowns(o);
  double R[MOST], plus[MOST], minus[MOST];
  assert_true(n <= MOST);
  for (int iteration = 0; iteration < 12; iteration++) {
    residual(o, x, R);
    for (int j = 0; j < n; j++) {
      double d = 1e-5 * (1 + fabs(x[j])), keep = x[j];
      x[j] = keep + d;
      residual(o, x, plus);
      x[j] = keep - d;
      residual(o, x, minus);
      x[j] = keep;
      for (int i = 0; i < n; i++)
        A[i][j] = (plus[i] - minus[i]) / (2 * d);
    }
    solve(n, A, R);
    for (int i = 0; i < n; i++)
      x[i] -= R[i];
  }
}

static void start_from(const step *o, const double *state, double *x)
{
  int s = o->T->s, nq = o->m->nq;
  for (int i = 0; i <= s; i++) {
    memcpy(part(o, x, 'Y') + i * nq, o->y0, (size_t)nq * sizeof *x);
    memcpy(part(o, x, 'Z') + i * nq, o->z0, (size_t)nq * sizeof *x);
    if (o->m->ng > 0)
      part(o, x, 'L')[i] = state[2 * nq];
    if (o->m->nk > 0 && i < s)
      part(o, x, 'P')[i] = state[2 * nq + o->m->ng];
  }
}

static double difference(int n, const double *a, const double *b)
{
  double largest = 0;
  for (int i = 0; i < n; i++)
    largest = fmax(largest, fabs(a[i] - b[i]));
  return largest;
}

/* ten steps of 0.1 from the start, each from where the other iteration's last one ended */
static void check(const test_problem *p, dae_spark_family family, int s)
{
  const dae_mechanical *m = p->problem.mechanical;
  dae_spark_options opts = dae_spark_defaults();
  dae_spark_tableau *T;
  dae_integrator *it;
  step o = {.m = m, .h = 0.1};
  double worst = 0, state[2 * NQ + 2], x[MOST];
  opts.stages = s;
  opts.step = o.h;
  opts.project = false;
  assert_true(m->nq <= NQ && m->ng <= 1 && m->nk <= 1 && s <= STAGES);
  assert_int_equal(dae_spark_tableau_create(family, DAE_SPARK_HAT_SAME, s, NULL, &T, NULL), DAE_OK);
  assert_int_equal((family == DAE_SPARK_GAUSS ? dae_spark_gauss_create : dae_spark_radau_create)(
                       &p->problem, &p->start, &opts, NULL, &it, NULL),
                   DAE_OK);
  o.T = T;
  for (int n = 0; n < 10; n++) {
    support_state(it, state, NULL);
    o.t = dae_integrator_view(it).t;
    memcpy(o.y0, state, (size_t)m->nq * sizeof *state);
    memcpy(o.z0, state + m->nq, (size_t)m->nq * sizeof *state);
    start_from(&o, state, x);
    o.h = (n + 1) * opts.step - o.t; /* as the integrator rounds it */
    newton(&o, x);
    assert_true(dae_integrator_step(it, p->to, NULL) >= 0);
    support_state(it, state, NULL);
    worst = fmax(worst, difference(m->nq, state, part(&o, x, 'Y') + s * m->nq));
    worst = fmax(worst, difference(m->nq, state + m->nq, part(&o, x, 'Z') + s * m->nq));
  }
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-16s %s s = %d: %.1e\n", p->name, T->name, s, worst);
  if (!(worst < 1e-13))
    fail_msg("%s, %s, s = %d: the iterations differ by %.2e", p->name, T->name, s, worst);
  dae_integrator_free(it);
  dae_spark_tableau_free(T);
}

static test_problem (*const problems[])(void) = {
    test_pendulum_light, test_track,          test_rheonomic_length, test_knife_edge,
    test_sleigh,         test_cylinder_skate, test_curvilinear};

static void check_family(dae_spark_family family)
{
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
    for (int s = 1; s <= STAGES; s++) {
      test_problem p = problems[i]();
      check(&p, family, s);
    }
}

static void test_gauss_steps_are_those_of_a_full_newton_iteration(void **state)
{
  (void)state;
  check_family(DAE_SPARK_GAUSS);
}

static void test_radau_steps_are_those_of_a_full_newton_iteration(void **state)
{
  (void)state;
  check_family(DAE_SPARK_RADAU);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gauss_steps_are_those_of_a_full_newton_iteration),
      cmocka_unit_test(test_radau_steps_are_those_of_a_full_newton_iteration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
