/* The shared test problems against themselves: starts and references meet the equations they claim
 * to meet. Uses no code of the library. */
#include "points.h"

/* |value| small against `scale`; NaN passes, because it comes from an unknown entry */
static void check_small(const char *problem, const char *what, int n, const double *value,
                        double bound)
{
  for (int i = 0; i < n; i++)
    if (fabs(value[i]) > bound)
      fail_msg("%s: %s[%d] is %.3g, more than %.3g", problem, what, i + 1, value[i], bound);
}

/* g, g_t + G v, k and c at a state vector */
static void check_on_constraints(const dae_mechanical *m, double t, const double *y, double bound)
{
  double z[MAX], out[MAX], next[MAX];
  mechanical_view view = {m, G_VALUE, NULL};
  z[0] = t;
  memcpy(z + 1, y, (size_t)(2 * m->nq + m->nu + m->nw) * sizeof *y);
  dae_mechanical_at at = mechanical_at(m, z);
  if (m->ng > 0) {
    m->g(m->user, &at, out);
    check_small(m->name, "g", m->ng, out, bound);
    view.what = G_RATE;
    if (m->G) {
      mechanical_value(&view, z, next);
      check_small(m->name, "g_t + G v", m->ng, next, bound);
    }
  }
  if (m->nk > 0) {
    m->k(m->user, &at, out);
    check_small(m->name, "k", m->nk, out, bound);
  }
  if (m->nw > 0) {
    m->c(m->user, &at, out);
    check_small(m->name, "c", m->nw, out, 20 * bound);
  }
}

/* x = A\b, partial pivoting, column-major; A and b are overwritten */
static void solve(int n, double *A, double *b)
{
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      p = fabs(A[k * n + i]) > fabs(A[k * n + p]) ? i : p;
    for (int j = 0; j < n; j++) {
      double a = A[j * n + k];
      A[j * n + k] = A[j * n + p];
      A[j * n + p] = a;
    }
    double c = b[k];
    b[k] = b[p];
    b[p] = c;
    for (int i = k + 1; i < n; i++) {
      double l = A[k * n + i] / A[k * n + k];
      for (int j = k + 1; j < n; j++)
        A[j * n + i] -= l * A[j * n + k];
      b[i] -= l * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      b[i] -= A[j * n + i] * b[j];
    b[i] /= A[i * n + i];
  }
}

/* the multipliers keep the motion on the constraints: with M v' = f - G' lambda - K' psi,
 * G v' = -gamma and K v' = -kappa */
static void check_multipliers(const dae_mechanical *m, double t, const double *y, double bound)
{
  const int nq = m->nq, ng = m->ng, nk = m->nk;
  double z[MAX], A[MAX * MAX / 4], a[MAX], rate[MAX], r[MAX], size;
  if ((ng > 0 && !(m->G && m->gamma)) || (nk > 0 && !(m->K && m->kappa)))
    return;
  const double *lambda = y + 2 * nq + m->nu + m->nw, *psi = lambda + ng;
  z[0] = t;
  memcpy(z + 1, y, (size_t)(2 * nq + m->nu + m->nw) * sizeof *y);
  dae_mechanical_at at = mechanical_at(m, z);
  (m->f ? m->f : m->F)(m->user, &at, a);
  if (!m->f) { /* f = F - p_t - p_q v */
    m->p_rate(m->user, &at, r);
    for (int i = 0; i < nq; i++)
      a[i] -= r[i];
  }
  if (ng > 0) {
    mechanical_value(&(mechanical_view){m, GT_TIMES_S, lambda}, z, r);
    for (int i = 0; i < nq; i++)
      a[i] -= r[i];
  }
  if (nk > 0) {
    mechanical_value(&(mechanical_view){m, KT_TIMES_S, psi}, z, r);
    for (int i = 0; i < nq; i++)
      a[i] -= r[i];
  }
  matrix_of(m, m->M, m->M_pattern, nq, nq, &at, A);
  solve(nq, A, a);
  size = 1 + largest(nq, a) + largest(ng, lambda) + largest(nk, psi);
  if (ng > 0) {
    matrix_of(m, m->G, m->G_pattern, ng, nq, &at, A);
    times(ng, nq, A, false, a, r);
    m->gamma(m->user, &at, rate);
    for (int i = 0; i < ng; i++)
      r[i] += rate[i];
    check_small(m->name, "G v' + gamma", ng, r, bound * size);
  }
  if (nk > 0) {
    matrix_of(m, m->K, m->K_pattern, nk, nq, &at, A);
    times(nk, nq, A, false, a, r);
    m->kappa(m->user, &at, rate);
    for (int i = 0; i < nk; i++)
      r[i] += rate[i];
    check_small(m->name, "K v' + kappa", nk, r, bound * size);
  }
}

static void check_F(const dae_semi_explicit *m, double t, const double *y, double bound)
{
  double out[MAX];
  dae_semi_explicit_at at = {.t = t, .x = y, .y = y + m->nx};
  if (m->ny > 0 && m->nin == 0) {
    assert_int_equal(m->F(m->user, &at, out), 0);
    check_small(m->name, "F", m->ny, out, bound);
  }
}

static void test_starts_are_consistent(void **state)
{
  test_problem p;
  (void)state;
  for (int i = 0; test_problem_at(i, &p); i++) {
    assert_true(p.consistent);
    if (p.problem.mechanical)
      check_on_constraints(p.problem.mechanical, p.start.t, p.start.y, 4e-16);
    if (p.problem.semi_explicit)
      check_F(p.problem.semi_explicit, p.start.t, p.start.y, 4e-16);
    test_problem_free(&p);
  }
}

static void test_references_meet_constraints_and_saddle_equation(void **state)
{
  test_problem p;
  (void)state;
  for (int i = 0; test_problem_at(i, &p); i++) {
    double bound = 40 * (p.accuracy + 1e-16);
    if (p.reference && p.problem.mechanical) {
      check_on_constraints(p.problem.mechanical, p.to, p.reference, bound);
      check_multipliers(p.problem.mechanical, p.to, p.reference, bound);
    }
    if (p.reference && p.problem.semi_explicit)
      check_F(p.problem.semi_explicit, p.to, p.reference, bound);
    test_problem_free(&p);
  }
}

static double energy_of(const dae_mechanical *m, double t, const double *y)
{
  double z[MAX], T, V;
  z[0] = t;
  memcpy(z + 1, y, (size_t)(2 * m->nq + m->nu + m->nw) * sizeof *y);
  dae_mechanical_at at = mechanical_at(m, z);
  assert_int_equal(m->energy(m->user, &at, &T, &V), 0);
  return T + V;
}

static void test_references_of_conservative_problems_keep_the_energy(void **state)
{
  test_problem p;
  (void)state;
  for (int i = 0; test_problem_at(i, &p); i++) {
    const dae_mechanical *m = p.problem.mechanical;
    if (p.conservative && p.reference && m->energy) {
      double start = energy_of(m, p.start.t, p.start.y), end = energy_of(m, p.to, p.reference);
      if (fabs(end - start) > 1e-14 * (1 + fabs(start)) * (1 + fabs(end)))
        fail_msg("%s: energy %.17g at the start, %.17g at the end", p.name, start, end);
    }
    test_problem_free(&p);
  }
}

/* the sign of the joint's multiplier, and the wires: coupled references solved by hand */
static void test_coupled_references_meet_their_equations(void **state)
{
  const test_problem circuits = test_two_circuits(), structures = test_structures();
  const dae_coupled *c = circuits.problem.coupled, *s = structures.problem.coupled;
  double F, f[2], M[4], G[2], z[2], a[2][2];
  (void)state;
  for (int end = 0; end < 2; end++) {
    const double *y = end ? circuits.reference : circuits.start.y;
    for (int i = 0; i < 2; i++) {
      double in[2];
      for (int w = 0; w < c->wires; w++)
        if (c->wire[w].part == i)
          in[c->wire[w].input] = y[2 * c->wire[w].from.part + c->wire[w].from.variable];
      const dae_semi_explicit *m = c->part[i].semi_explicit;
      dae_semi_explicit_at at = {.x = y + 2 * i, .y = y + 2 * i + 1, .in = in};
      assert_int_equal(m->F(m->user, &at, &F), 0);
      assert_true(fabs(F) <= 4e-15);
    }
  }
  const double *y = structures.reference;
  for (int i = 0; i < 2; i++)
    z[i] = y[4 * s->joint->z[i].part + s->joint->z[i].variable];
  s->joint->g(s->joint->user, structures.to, z, &F);
  s->joint->G(s->joint->user, structures.to, z, G);
  assert_true(fabs(F) <= 1e-14);
  for (int i = 0; i < 2; i++) { /* M v' = f - G' lambda */
    const dae_mechanical *m = s->part[i].mechanical;
    dae_mechanical_at at = {.q = y + 4 * i, .v = y + 4 * i + 2};
    m->M(m->user, &at, M);
    m->f(m->user, &at, f);
    f[s->joint->z[i].variable] -= G[i] * y[8];
    solve(2, M, f);
    memcpy(a[i], f, sizeof f);
  }
  assert_true(fabs(a[0][1] - 2 * a[1][0]) <= 1e-13);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_starts_are_consistent),
      cmocka_unit_test(test_references_meet_constraints_and_saddle_equation),
      cmocka_unit_test(test_references_of_conservative_problems_keep_the_energy),
      cmocka_unit_test(test_coupled_references_meet_their_equations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
