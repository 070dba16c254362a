/* Evaluations of mechanical problems against closed forms: what is differenced agrees with what is
 * given, both faces of the dynamics are the same motion, dependent rows are masked. */
#include "problem/mechanical/mech.h"

#include "arena_fixture.h"
#include "core/vec.h"
#include "problems/problems.h"
#include "uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX 128

static dae__mech *mech_of(const dae_problem *problem)
{
  dae__mech *m;
  assert_int_equal(dae__mech_create(arena, problem, &m, NULL), DAE_OK);
  return m;
}

static dae__mech *mech(const dae_mechanical *p)
{
  return mech_of(&(dae_problem){.mechanical = p});
}

static double *numbers(int n)
{
  return DAE__ALLOC(arena, double, n);
}

/* a point near the start of a problem, off its constraints */
static double *point_near(const test_problem *p)
{
  double *y = numbers(p->size);
  for (int i = 0; i < p->size; i++)
    y[i] = p->start.y[i] + 0.2 * uniform();
  return y;
}

static void assert_near(const char *problem, const char *what, int n, const double *a,
                        const double *b, double tolerance)
{
  double size = 1 + dae__max_abs(n, b);
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= tolerance * size))
      fail_msg("%s: %s[%d] is %.15g, not %.15g", problem, what, i, a[i], b[i]);
}

/* ---- constraints ---- */

typedef struct rows {
  double *g, *gdot, *G, *gamma, *k, *K;
} rows;

static rows rows_at(dae__mech *m, double t, const double *y)
{
  rows r = {numbers(m->ng), numbers(m->ng), numbers(dae__pattern_count(&m->G)),
            numbers(m->nc), numbers(m->nk), numbers(dae__pattern_count(&m->K))};
  dae_mechanical_at at = dae__mech_at(m, t, y);
  assert_int_equal(dae__mech_g(m, &at, r.g, NULL), DAE_OK);
  assert_int_equal(dae__mech_G(m, &at, r.G, NULL), DAE_OK);
  assert_int_equal(dae__mech_gdot(m, &at, r.G, r.gdot, NULL), DAE_OK);
  assert_int_equal(dae__mech_gamma(m, &at, r.gamma, NULL), DAE_OK);
  assert_int_equal(dae__mech_k(m, &at, r.k, NULL), DAE_OK);
  assert_int_equal(dae__mech_K(m, &at, r.K, NULL), DAE_OK);
  return r;
}

static void assert_rows_agree(const char *name, const dae__mech *m, rows a, rows b, double first,
                              double second)
{
  assert_near(name, "g", m->ng, a.g, b.g, 0);
  assert_near(name, "k", m->nk, a.k, b.k, 0);
  assert_near(name, "G", dae__pattern_count(&m->G), a.G, b.G, first);
  assert_near(name, "K", dae__pattern_count(&m->K), a.K, b.K, first);
  assert_near(name, "gdot", m->ng, a.gdot, b.gdot, first);
  assert_near(name, "gamma", m->ng, a.gamma, b.gamma, second);
  assert_near(name, "kappa", m->nk, a.gamma + m->ng, b.gamma + m->ng, first);
}

/* the rates of a problem's constraints at points all around its start, given and differenced */
static void compare_rates(const test_problem *p)
{
  const dae_mechanical *given = p->problem.mechanical;
  dae_mechanical without_rates = *given, bare = *given;
  without_rates.gamma = without_rates.kappa = NULL;
  bare.G = bare.K = bare.g_t = bare.gamma = bare.kappa = NULL;
  without_rates.eval = bare.eval = NULL;
  dae__mech *m[] = {mech(given), mech(&without_rates), mech(&bare)};
  for (int trial = 0; trial < 5; trial++) {
    double t = p->start.t + 0.3 * trial, *y = point_near(p);
    rows exact = rows_at(m[0], t, y);
    assert_rows_agree(p->name, m[0], rows_at(m[1], t, y), exact, 1e-9, 1e-8);
    assert_rows_agree(p->name, m[0], rows_at(m[2], t, y), exact, 1e-9, 1e-6);
  }
}

static void test_differenced_rates_of_constraints_agree_with_given_ones(void **state)
{
  (void)state;
  test_problem p;
  int compared = 0;
  for (int i = 0; test_problem_at(i, &p); i++) {
    const dae_mechanical *given = p.problem.mechanical;
    if (given && (given->gamma || given->kappa)) {
      compare_rates(&p);
      compared++;
    }
    test_problem_free(&p);
  }
  assert_true(compared >= 10);
}

static void test_rates_of_a_moving_rod_are_the_closed_forms(void **state)
{
  (void)state;
  /* g = (x^2 + y^2 - 1 - t^2)/2, G v + g_t = q.v - t, gamma = v.v - 1 */
  test_problem p = test_rheonomic_length();
  dae_mechanical bare = *p.problem.mechanical;
  bare.G = bare.g_t = bare.gamma = NULL;
  dae__mech *m = mech(&bare);
  for (int trial = 0; trial < 10; trial++) {
    double t = 0.4 * trial, *y = point_near(&p);
    rows r = rows_at(m, t, y);
    double gdot = y[0] * y[2] + y[1] * y[3] - t, gamma = y[2] * y[2] + y[3] * y[3] - 1;
    assert_true(fabs(r.gdot[0] - gdot) < 1e-10 * (1 + t));
    assert_true(fabs(r.gamma[0] - gamma) < 1e-6 * (1 + t));
    assert_true(fabs(r.G[0] - y[0]) < 1e-11 && fabs(r.G[1] - y[1]) < 1e-11);
  }
}

static void assert_one_call_gives_what_separate_calls_give(test_problem a, test_problem b, double t)
{
  dae__mech *m[] = {mech_of(&a.problem), mech_of(&b.problem)};
  double *y = point_near(&a);
  assert_true(m[1]->eval_all && !m[0]->eval_all);
  assert_rows_agree("eval", m[0], rows_at(m[1], t, y), rows_at(m[0], t, y), 1e-15, 1e-15);
  double f[2][4] = {{0}}, M[2][16] = {{0}};
  for (int i = 0; i < 2; i++) {
    dae_mechanical_at at = dae__mech_at(m[i], t, y);
    assert_int_equal(dae__mech_rhs(m[i], &at, f[i], NULL), DAE_OK);
    assert_int_equal(dae__mech_M(m[i], &at, M[i], NULL), DAE_OK);
    assert_int_equal(m[i]->count->evaluations, 1);
  }
  assert_memory_equal(f[0], f[1], sizeof f[0]);
  assert_memory_equal(M[0], M[1], sizeof M[0]);
}

static void test_one_call_for_everything_gives_what_separate_calls_give(void **state)
{
  (void)state;
  assert_one_call_gives_what_separate_calls_give(test_pendulum(), test_pendulum_eval(), 0);
  assert_one_call_gives_what_separate_calls_give(test_car_axis(), test_car_axis_eval(), 0.7);
}

/* ---- both faces ----
 *
 *   p = M v,  M = [a c q0; c q0 1],  a = (1 + q1^2)(1 + sin(t)/5),  c = 3/10
 *   p_t + p_q v = (a_t v0 + 2 q1 v1 (1 + sin(t)/5) v0 + c v0 v1, c v0^2) */

static double stretch(double t)
{
  return 1 + 0.2 * sin(t);
}

static int face_M(void *user, const dae_mechanical_at *at, double *M)
{
  const double *q = at->q;
  (void)user;
  M[0] = (1 + q[1] * q[1]) * stretch(at->t);
  M[1] = M[2] = 0.3 * q[0];
  M[3] = 1;
  return 0;
}

static int face_p(void *user, const dae_mechanical_at *at, double *p)
{
  double M[4];
  face_M(user, at, M);
  p[0] = M[0] * at->v[0] + M[2] * at->v[1];
  p[1] = M[1] * at->v[0] + M[3] * at->v[1];
  return 0;
}

static int face_p_rate(void *user, const dae_mechanical_at *at, double *out)
{
  const double *q = at->q, *v = at->v;
  (void)user;
  out[0] = (1 + q[1] * q[1]) * 0.2 * cos(at->t) * v[0] + 2 * q[1] * v[1] * stretch(at->t) * v[0] +
           0.3 * v[0] * v[1];
  out[1] = 0.3 * v[0] * v[0];
  return 0;
}

static int face_F(void *user, const dae_mechanical_at *at, double *F)
{
  (void)user;
  F[0] = sin(at->q[0]) - at->v[1] + at->in[0];
  F[1] = at->q[0] * at->q[1] + at->t;
  return 0;
}

static int face_f(void *user, const dae_mechanical_at *at, double *f)
{
  double rate[2];
  face_F(user, at, f);
  face_p_rate(user, at, rate);
  f[0] -= rate[0];
  f[1] -= rate[1];
  return 0;
}

static int face_input(void *user, double t, double *in)
{
  (void)user;
  in[0] = 10 * t;
  return 0;
}

static dae__mech *face(const dae_mechanical *p)
{
  return mech_of(&(dae_problem){.mechanical = p, .input = face_input});
}

static void test_momenta_and_masses_are_two_faces_of_one_problem(void **state)
{
  (void)state;
  const dae_mechanical by_momenta = {.nq = 2, .nin = 1, .p = face_p, .F = face_F};
  const dae_mechanical with_rate = {
      .nq = 2, .nin = 1, .M = face_M, .p = face_p, .F = face_F, .p_rate = face_p_rate};
  const dae_mechanical by_mass = {.nq = 2, .nin = 1, .M = face_M, .f = face_f};
  dae__mech *m[] = {face(&by_momenta), face(&with_rate), face(&by_mass)};
  for (int trial = 0; trial < 10; trial++) {
    double t = 0.5 * trial, y[4], in;
    for (int i = 0; i < 4; i++)
      y[i] = uniform();
    face_input(NULL, t, &in);
    dae_mechanical_at at = {.t = t, .q = y, .v = y + 2, .in = &in};
    double M[4], f[2], p[2], F[2], rate[2];
    face_M(NULL, &at, M);
    face_f(NULL, &at, f);
    face_p(NULL, &at, p);
    face_F(NULL, &at, F);
    face_p_rate(NULL, &at, rate);
    for (int i = 0; i < 3; i++) {
      double out[4];
      at = dae__mech_at(m[i], t, y); /* its inputs are looked up */
      assert_int_equal(dae__mech_M(m[i], &at, out, NULL), DAE_OK);
      assert_near("faces", "M", 4, out, M, 1e-11);
      assert_int_equal(dae__mech_rhs(m[i], &at, out, NULL), DAE_OK);
      assert_near("faces", "f", 2, out, f, 1e-9);
      assert_int_equal(dae__mech_p(m[i], &at, out, NULL), DAE_OK);
      assert_near("faces", "p", 2, out, p, 1e-15);
      assert_int_equal(dae__mech_p_rate(m[i], &at, out, NULL), DAE_OK);
      assert_near("faces", "p_rate", 2, out, rate, 1e-9);
      assert_int_equal(dae__mech_F(m[i], &at, out, NULL), DAE_OK);
      assert_near("faces", "F", 2, out, F, 1e-9);
    }
  }
}

static int face_J(void *user, const dae_mechanical_at *at, double *J)
{
  (void)user, (void)at;
  for (int i = 0; i < 8; i++)
    J[i] = i;
  return 0;
}

/* what a face says is not formed from the other one, and J belongs to f */
static void test_two_faces_that_are_given_are_used_as_they_are(void **state)
{
  (void)state;
  const dae_mechanical both = {.nq = 2,
                               .nin = 1,
                               .M = face_M,
                               .f = face_f,
                               .p = face_p,
                               .F = face_F,
                               .p_rate = face_p_rate,
                               .J = face_J};
  dae_mechanical without_rate = both, by_momenta = both;
  without_rate.p_rate = NULL;
  by_momenta.f = NULL;
  by_momenta.p_rate = NULL;
  assert_false(dae__mech_differenced(&both));
  assert_false(dae__mech_differenced(&without_rate)); /* it stands in no residual */
  assert_true(dae__mech_differenced(&by_momenta));
  dae__mech *m = face(&both);
  assert_int_equal(m->dprate.colours, 0);
  double y[4] = {0.3, -0.7, 0.5, 1.1}, out[8], known[8];
  const struct {
    dae_status (*ask)(dae__mech *m, const dae_mechanical_at *at, double *out, dae_error *err);
    dae_mechanical_fn *callback;
    size_t count;
  } faces[] = {{dae__mech_M, face_M, 4}, {dae__mech_rhs, face_f, 2},
               {dae__mech_p, face_p, 2}, {dae__mech_F, face_F, 2},
               {dae__mech_J, face_J, 8}, {dae__mech_p_rate, face_p_rate, 2}};
  for (size_t i = 0; i < sizeof faces / sizeof *faces; i++) {
    dae_mechanical_at at = dae__mech_at(m, 0.6, y);
    assert_int_equal(faces[i].ask(m, &at, out, NULL), DAE_OK);
    assert_int_equal(faces[i].callback(NULL, &at, known), 0);
    assert_memory_equal(out, known, faces[i].count * sizeof *out);
  }
}

static void test_jacobians_of_both_faces_agree(void **state)
{
  (void)state;
  const dae_mechanical by_momenta = {.nq = 2, .nin = 1, .p = face_p, .F = face_F};
  const dae_mechanical by_mass = {.nq = 2, .nin = 1, .M = face_M, .f = face_f};
  dae__mech *m[] = {face(&by_momenta), face(&by_mass)};
  double y[4] = {0.3, -0.7, 0.5, 1.1}, s[2] = {0.4, -1.2}, J[2][8], Ms[2][8];
  for (int i = 0; i < 2; i++) {
    dae_mechanical_at at = dae__mech_at(m[i], 0.6, y);
    assert_int_equal(dae__mech_J(m[i], &at, J[i], NULL), DAE_OK);
    assert_int_equal(dae__mech_derivative(m[i], DAE__MS_QV, &at, s, Ms[i], NULL), DAE_OK);
  }
  assert_near("faces", "J", 8, J[0], J[1], 1e-3); /* a difference of differences */
  assert_near("faces", "Ms", 8, Ms[0], Ms[1], 1e-3);
  const double by_hand[8] = {0, 0.3 * s[0], 2 * y[1] * stretch(0.6) * s[0], 0, 0, 0, 0, 0};
  double expected[8];
  memcpy(expected, by_hand, sizeof expected);
  expected[0] = 0.3 * s[1];
  assert_near("faces", "Ms", 8, Ms[1], expected, 1e-6);
}

static void test_a_constant_mass_has_no_rate_of_its_momenta(void **state)
{
  (void)state;
  test_problem p = test_pendulum();
  dae__mech *m = mech_of(&p.problem);
  double y[5] = {0.3, 0.4, 5, -6, 0}, rate[2], f[2], F[2];
  dae_mechanical_at at = dae__mech_at(m, 0, y);
  assert_int_equal(dae__mech_p_rate(m, &at, rate, NULL), DAE_OK);
  assert_true(rate[0] == 0 && rate[1] == 0);
  assert_int_equal(dae__mech_F(m, &at, F, NULL), DAE_OK);
  assert_int_equal(dae__mech_rhs(m, &at, f, NULL), DAE_OK);
  assert_memory_equal(F, f, sizeof f);
  assert_int_equal(dae__pattern_count(&m->Ms), 0);
}

static void test_energy_without_one_given_is_kinetic(void **state)
{
  (void)state;
  const dae_mechanical by_mass = {.nq = 2, .nin = 1, .M = face_M, .f = face_f};
  dae__mech *m = face(&by_mass);
  double y[4] = {0.3, -0.7, 0.5, 1.1}, p[2], T, V;
  bool has;
  dae_mechanical_at at = dae__mech_at(m, 0.6, y);
  face_p(NULL, &at, p);
  assert_int_equal(dae__mech_energy(m, &at, &T, &V, &has, NULL), DAE_OK);
  assert_false(has);
  assert_true(V == 0);
  assert_true(fabs(T - (y[2] * p[0] + y[3] * p[1]) / 2) < 1e-15);
  test_problem pendulum = test_pendulum();
  m = mech_of(&pendulum.problem);
  double z[5] = {0, -1, 2, 0, 0};
  at = dae__mech_at(m, 0, z);
  assert_int_equal(dae__mech_energy(m, &at, &T, &V, &has, NULL), DAE_OK);
  assert_true(has && T == 2 && V == -9.81);
}

/* ---- masks ---- */

static void test_rows_that_are_taken_out_are_zero_and_others_stay(void **state)
{
  (void)state;
  test_problem problems[] = {test_parallel_bars(), test_cylinder_skate(), test_car_axis_bare(),
                             test_slider_crank()};
  for (int i = 0; i < 4; i++) {
    const test_problem *p = &problems[i];
    dae__mech *m = mech_of(&p->problem);
    double *y = point_near(p);
    rows all = rows_at(m, p->start.t, y);
    for (int out = 0; out < m->nc; out++) {
      m->active[out] = false;
      m->count->dependent = 1;
      rows r = rows_at(m, p->start.t, y);
      for (int row = 0; row < m->ng; row++) {
        bool zero = row == out;
        assert_true(r.g[row] == (zero ? 0 : all.g[row]));
        assert_true(r.gdot[row] == (zero ? 0 : all.gdot[row]));
      }
      for (int row = 0; row < m->nc; row++)
        assert_true(r.gamma[row] == (row == out ? 0 : all.gamma[row]));
      for (int row = 0; row < m->nk; row++)
        assert_true(r.k[row] == (m->ng + row == out ? 0 : all.k[row]));
      for (int e = 0; e < dae__pattern_count(&m->G); e++)
        assert_true(r.G[e] == (m->G.row[e] == out ? 0 : all.G[e]));
      for (int e = 0; e < dae__pattern_count(&m->K); e++)
        assert_true(r.K[e] == (m->ng + m->K.row[e] == out ? 0 : all.K[e]));
      m->active[out] = true;
    }
  }
}

/* ---- layout and names ---- */

static void test_the_state_vector_is_laid_out_as_documented(void **state)
{
  (void)state;
  const dae_mechanical p = {.nq = 3, .ng = 2, .nk = 1, .nu = 4, .nw = 5};
  dae__mech_layout at = dae__mech_layout_of(&p);
  assert_int_equal(at.v, 3);
  assert_int_equal(at.u, 6);
  assert_int_equal(at.w, 10);
  assert_int_equal(at.lambda, 15);
  assert_int_equal(at.psi, 17);
  assert_int_equal(at.size, 18);
}

static void test_constraints_without_names_are_numbered(void **state)
{
  (void)state;
  const char *const names[] = {"rod", NULL};
  const dae_mechanical p = {.nq = 3, .ng = 2, .nk = 2, .g_names = names};
  const char *const expected[] = {"rod", "g[2]", "k[1]", "k[2]"};
  for (int i = 0; i < 4; i++) {
    char text[64];
    assert_string_equal(dae__mech_constraint_name(&p, i, text, sizeof text), expected[i]);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_differenced_rates_of_constraints_agree_with_given_ones),
      TEST(test_rates_of_a_moving_rod_are_the_closed_forms),
      TEST(test_one_call_for_everything_gives_what_separate_calls_give),
      TEST(test_momenta_and_masses_are_two_faces_of_one_problem),
      TEST(test_two_faces_that_are_given_are_used_as_they_are),
      TEST(test_jacobians_of_both_faces_agree),
      TEST(test_a_constant_mass_has_no_rate_of_its_momenta),
      TEST(test_energy_without_one_given_is_kinetic),
      TEST(test_rows_that_are_taken_out_are_zero_and_others_stay),
      TEST(test_the_state_vector_is_laid_out_as_documented),
      TEST(test_constraints_without_names_are_numbered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
