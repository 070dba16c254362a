/* Projection, accelerations and the choice of independent constraints, each checked against the
 * conditions that define it. */
#include "problem/mechanical/motion.h"

#include "arena_fixture.h"
#include "core/vec.h"
#include "problem/consistent.h"
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

static dae__motion *motion_of(const dae_mechanical *p)
{
  dae__mech *m;
  dae__motion *motion;
  assert_int_equal(dae__mech_create(arena, &(dae_problem){.mechanical = p}, &m, NULL), DAE_OK);
  assert_int_equal(dae__motion_create(arena, m, &motion, NULL), DAE_OK);
  return motion;
}

/* A mechanical problem of the list at its consistent start, independent rows chosen. */
typedef struct started {
  test_problem p;
  dae__motion *motion;
  double t, y[MAX], dy[MAX];
} started;

static bool start_next(int *i, started *s)
{
  while (test_problem_at((*i)++, &s->p)) {
    if (s->p.problem.mechanical) {
      s->t = s->p.start.t;
      s->motion = motion_of(s->p.problem.mechanical);
      memcpy(s->y, s->p.start.y, (size_t)s->p.size * sizeof *s->y);
      assert_int_equal(dae__mech_consistent(s->motion, s->t, NULL, s->y, s->dy, NULL, NULL),
                       DAE_OK);
      return true;
    }
    test_problem_free(&s->p);
  }
  return false;
}

static void finish(started *s)
{
  dae__motion_free(s->motion);
  test_problem_free(&s->p);
}

/* M, G, K as dense column-major matrices at (t, y) */
typedef struct matrices {
  double M[MAX * MAX], G[MAX * MAX], K[MAX * MAX];
} matrices;

static void spread(const dae_pattern *p, const double *values, double *A)
{
  memset(A, 0, sizeof(double) * (size_t)(p->rows * p->cols));
  for (int j = 0; j < p->cols; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      A[p->row[e] + j * p->rows] = values[e];
}

static void matrices_at(dae__mech *m, double t, const double *y, matrices *a)
{
  static double values[MAX * MAX];
  dae_mechanical_at at = dae__mech_at(m, t, y);
  assert_int_equal(dae__mech_M(m, &at, values, NULL), DAE_OK);
  spread(&m->M, values, a->M);
  assert_int_equal(dae__mech_G(m, &at, values, NULL), DAE_OK);
  spread(&m->G, values, a->G);
  assert_int_equal(dae__mech_K(m, &at, values, NULL), DAE_OK);
  spread(&m->K, values, a->K);
}

static void move(started *s, double by)
{
  for (int i = 0; i < 2 * s->motion->m->nq; i++)
    s->y[i] += by * uniform();
}

/* ---- projection ---- */

static void test_a_projected_state_is_on_its_constraints(void **state)
{
  (void)state;
  started s;
  for (int i = 0; start_next(&i, &s); finish(&s)) {
    dae__mech *m = s.motion->m;
    const double by[] = {1e-2, 1e-4, 1e-7, 1e-10};
    for (int j = 0; j < 4 && m->nc > 0; j++) {
      move(&s, by[j]);
      bool moved = false;
      assert_int_equal(dae__motion_project(s.motion, s.t, s.y, s.y + m->nq, &moved, NULL), DAE_OK);
      assert_true(moved);
      double g[MAX], gdot[MAX], k[MAX], G[MAX * MAX];
      dae_mechanical_at at = dae__mech_at(m, s.t, s.y);
      assert_int_equal(dae__mech_g(m, &at, g, NULL), DAE_OK);
      assert_int_equal(dae__mech_G(m, &at, G, NULL), DAE_OK);
      assert_int_equal(dae__mech_gdot(m, &at, G, gdot, NULL), DAE_OK);
      assert_int_equal(dae__mech_k(m, &at, k, NULL), DAE_OK);
      double size = 1 + dae__max_abs(m->nq, s.y) + dae__max_abs(m->nq, s.y + m->nq);
      if (!(dae__max_abs(m->ng, g) < 1e-11 * size * size) ||
          !(dae__max_abs(m->ng, gdot) < 1e-10 * size * size) ||
          !(dae__max_abs(m->nk, k) < 1e-11 * size * size))
        fail_msg("%s moved by %g: g %g, gdot %g, k %g", s.p.name, by[j], dae__max_abs(m->ng, g),
                 dae__max_abs(m->ng, gdot), dae__max_abs(m->nk, k));
    }
  }
}

/* how much a second projection changes what the first left; a third must not */
static double changed_again(started *s, const char *what)
{
  dae__mech *m = s->motion->m;
  double once[MAX], twice[MAX], *v = s->y + m->nq;
  bool moved = true, again = true;
  size_t bytes = 2 * (size_t)m->nq * sizeof *once;
  assert_int_equal(dae__motion_project(s->motion, s->t, s->y, v, NULL, NULL), DAE_OK);
  memcpy(once, s->y, bytes);
  assert_int_equal(dae__motion_project(s->motion, s->t, s->y, v, &moved, NULL), DAE_OK);
  assert_int_equal(moved, memcmp(once, s->y, bytes) != 0);
  memcpy(twice, s->y, bytes);
  long projections = s->motion->memory->projections;
  assert_int_equal(dae__motion_project(s->motion, s->t, s->y, v, &again, NULL), DAE_OK);
  if (again || memcmp(twice, s->y, bytes) != 0)
    fail_msg("%s %s is projected three times", s->p.name, what);
  assert_int_equal(s->motion->memory->projections, projections);
  double change = 0;
  for (int i = 0; i < 2 * m->nq; i++)
    change = fmax(change, fabs(twice[i] - once[i]));
  return change;
}

static void test_a_projected_state_is_not_touched_again(void **state)
{
  (void)state;
  started s;
  for (int i = 0; start_next(&i, &s); finish(&s)) {
    const double by[] = {1e-4, 1e-6, 1e-8, 1e-10, 1e-12};
    for (int trial = 0; trial < 50; trial++) {
      for (int j = 0; j < s.motion->m->nq; j++) /* in motion, in every coordinate */
        s.y[s.motion->m->nq + j] += copysign(1, uniform()) + uniform();
      (void)changed_again(&s, "set in motion");
      move(&s, by[trial % 5]);
      if (changed_again(&s, "moved") > 0)
        fail_msg("%s moved by %g is projected twice", s.p.name, by[trial % 5]);
    }
  }
}

/* a velocity that nearly vanishes when it is projected: it is on its constraint relative to what it
 * was, and may be moved once more relative to what is left, by round-off of what it was */
static void test_a_projected_state_at_rest_is_touched_again_at_round_off_only(void **state)
{
  (void)state;
  started s;
  for (int i = 0; start_next(&i, &s); finish(&s))
    for (double by = 1e-2; by > 1e-15; by /= 10)
      for (int trial = 0; trial < 20; trial++) {
        move(&s, by);
        double size = by + dae__max_abs(s.motion->m->nq, s.y + s.motion->m->nq);
        double change = changed_again(&s, "moved");
        if (!(change <= 1e-11 * size))
          fail_msg("%s moved by %g is moved again by %g", s.p.name, by, change);
      }
}

/* a curve in the plane with a mass matrix that is not a multiple of the identity: the nearest point
 * is another one than in the Euclidean norm */
static int heavy_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = 4;
  M[1] = M[2] = 1;
  M[3] = 1;
  return 0;
}

static int no_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user, (void)at;
  f[0] = f[1] = 0;
  return 0;
}

static int line_g(void *user, const dae_mechanical_at *at, double *g)
{
  (void)user;
  g[0] = at->q[0] + 2 * at->q[1] - 1;
  return 0;
}

static int circle_g(void *user, const dae_mechanical_at *at, double *g)
{
  (void)user;
  g[0] = at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1;
  return 0;
}

static void test_projection_is_the_point_of_least_mass_norm(void **state)
{
  (void)state;
  const dae_mechanical line = {.nq = 2,
                               .ng = 1,
                               .M = heavy_M,
                               .f = no_f,
                               .g = line_g,
                               .constant_mass = true,
                               .time_free_g = true};
  dae__motion *motion = motion_of(&line);
  const double from[4] = {3, 1, 2, 5};
  double q[2] = {from[0], from[1]}, v[2] = {from[2], from[3]};
  assert_int_equal(dae__motion_project(motion, 0, q, v, NULL, NULL), DAE_OK);
  assert_true(fabs(q[0] + 2 * q[1] - 1) < 1e-11);
  assert_true(fabs(v[0] + 2 * v[1]) < 1e-11);
  /* what it was moved by is M-orthogonal to the line, whose direction is (2, -1) */
  const double *now[] = {q, v};
  for (int i = 0; i < 2; i++) {
    double d[2] = {now[i][0] - from[2 * i], now[i][1] - from[2 * i + 1]};
    double Md[2] = {4 * d[0] + d[1], d[0] + d[1]};
    assert_true(fabs(2 * Md[0] - Md[1]) < 1e-10);
    assert_true(fabs(2 * d[0] - d[1]) > 0.1); /* and not orthogonal without M */
  }
  dae__motion_free(motion);
}

static void test_on_a_curve_the_projection_is_the_nearest_point_to_second_order(void **state)
{
  (void)state;
  const dae_mechanical circle = {.nq = 2,
                                 .ng = 1,
                                 .M = heavy_M,
                                 .f = no_f,
                                 .g = circle_g,
                                 .constant_mass = true,
                                 .time_free_g = true};
  double missed[2];
  for (int i = 0; i < 2; i++) {
    dae__motion *motion = motion_of(&circle);
    double by = i ? 1e-3 : 1e-2, q[2] = {0.6 + by, 0.8 + by}, v[2] = {0, 0};
    const double from[2] = {q[0], q[1]};
    assert_int_equal(dae__motion_project(motion, 0, q, v, NULL, NULL), DAE_OK);
    double d[2] = {q[0] - from[0], q[1] - from[1]};
    double Md[2] = {4 * d[0] + d[1], d[0] + d[1]};
    missed[i] = fabs(-q[1] * Md[0] + q[0] * Md[1]); /* along the tangent */
    dae__motion_free(motion);
  }
  assert_true(missed[0] < 1e-2 * 1e-2 * 10);
  assert_true(missed[1] < 0.02 * missed[0]);
}

static void test_a_state_on_its_constraints_costs_no_factorisation(void **state)
{
  (void)state;
  test_problem p = test_pendulum();
  dae__motion *motion = motion_of(p.problem.mechanical);
  double y[5] = {0.6, -0.8, 0.8, 0.6, 0}, same[5];
  bool moved = true;
  memcpy(same, y, sizeof same);
  assert_int_equal(dae__motion_project(motion, 0, y, y + 2, &moved, NULL), DAE_OK);
  assert_false(moved);
  assert_memory_equal(y, same, sizeof y);
  assert_int_equal(motion->memory->factorisations, 0);
  y[0] += 1e-5; /* then one serves position and velocity */
  assert_int_equal(dae__motion_project(motion, 0, y, y + 2, &moved, NULL), DAE_OK);
  assert_true(moved);
  assert_int_equal(motion->memory->factorisations, 1);
  assert_int_equal(motion->memory->projections, 1);
  dae__motion_free(motion);
}

/* ---- accelerations ---- */

static void test_accelerations_satisfy_the_saddle_equations(void **state)
{
  (void)state;
  static matrices a;
  started s;
  for (int i = 0; start_next(&i, &s); finish(&s)) {
    dae__mech *m = s.motion->m;
    int nq = m->nq, ng = m->ng, nk = m->nk;
    move(&s, 0.05);
    assert_int_equal(dae__motion_project(s.motion, s.t, s.y, s.y + nq, NULL, NULL), DAE_OK);
    assert_int_equal(dae__motion_accelerate(s.motion, s.t, s.y, s.dy, NULL), DAE_OK);
    double fsc[MAX], gamma[MAX];
    dae_mechanical_at at = dae__mech_at(m, s.t, s.y);
    matrices_at(m, s.t, s.y, &a);
    assert_int_equal(dae__mech_rhs(m, &at, fsc, NULL), DAE_OK);
    assert_int_equal(dae__mech_gamma(m, &at, gamma, NULL), DAE_OK);
    const double *v = s.y + nq, *a_v = s.dy + nq, *lambda = s.y + m->at.lambda;
    double size = 1 + dae__max_abs(nq, fsc) + dae__max_abs(nq, a_v) + dae__max_abs(m->nc, lambda);
    for (int row = 0; row < nq; row++) { /* M v' + G' lambda + K' psi = f, q' = v */
      double r = -fsc[row];
      for (int j = 0; j < nq; j++)
        r += a.M[row + j * nq] * a_v[j];
      for (int j = 0; j < ng; j++)
        r += a.G[j + row * ng] * lambda[j];
      for (int j = 0; j < nk; j++)
        r += a.K[j + row * nk] * lambda[ng + j];
      if (!(fabs(r) < 1e-9 * size)) /* dependent rows: by multipliers of minimum norm */
        if (s.motion->m->count->dependent == 0)
          fail_msg("%s: row %d of the dynamics is off by %g", s.p.name, row, r);
      assert_true(s.dy[row] == v[row]);
    }
    for (int row = 0; row < m->nc; row++) { /* A v' = -gamma */
      double r = gamma[row];
      for (int j = 0; j < nq; j++)
        r += (row < ng ? a.G[row + j * ng] : a.K[row - ng + j * nk]) * a_v[j];
      if (!(fabs(r) < 1e-9 * size))
        fail_msg("%s: row %d of the constraints is off by %g", s.p.name, row, r);
    }
    for (int row = 0; row < m->nu; row++)
      assert_true(s.dy[m->at.u + row] == fsc[nq + row]);
  }
}

static void test_without_a_derivative_wanted_the_multipliers_are_the_same(void **state)
{
  (void)state;
  started s;
  for (int i = 0; start_next(&i, &s); finish(&s)) {
    dae__mech *m = s.motion->m;
    double other[MAX];
    memcpy(other, s.y, sizeof other);
    for (int j = m->at.lambda; j < m->at.size; j++)
      other[j] = 1e3; /* they are results, not data */
    assert_int_equal(dae__motion_accelerate(s.motion, s.t, s.y, s.dy, NULL), DAE_OK);
    assert_int_equal(dae__motion_accelerate(s.motion, s.t, other, NULL, NULL), DAE_OK);
    for (int j = 0; j < m->at.size; j++)
      assert_true(other[j] == s.y[j]);
  }
}

/* ---- dependent rows ---- */

/* 0 = A q on four coordinates: rows 2 and 3 depend on those before, row 5 is empty */
static const double combination[6][4] = {{1, 2, 0, 1}, {0, 1, -1, 3}, {1, 3, -1, 4},
                                         {2, 4, 0, 2}, {0, 0, 5, 1},  {0, 0, 0, 0}};

static int table_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  for (int i = 0; i < 16; i++)
    M[i] = i % 5 == 0 ? 1 + i : 0.2;
  return 0;
}

static int table_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user, (void)at;
  for (int i = 0; i < 4; i++)
    f[i] = 1 + i * i;
  return 0;
}

static int table_g(void *user, const dae_mechanical_at *at, double *g)
{
  (void)user;
  for (int i = 0; i < 6; i++) {
    g[i] = 0;
    for (int j = 0; j < 4; j++)
      g[i] += combination[i][j] * at->q[j];
  }
  return 0;
}

static int table_G(void *user, const dae_mechanical_at *at, double *G)
{
  (void)user, (void)at;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 4; j++)
      G[i + 6 * j] = combination[i][j];
  return 0;
}

static const char *const table_names[] = {"a", "b", "a+b", "2a", "c", "nothing"};
static const dae_mechanical table = {.nq = 4,
                                     .ng = 6,
                                     .g_names = table_names,
                                     .M = table_M,
                                     .f = table_f,
                                     .g = table_g,
                                     .G = table_G,
                                     .constant_mass = true,
                                     .time_free_g = true};

static void test_dependent_rows_are_found_and_what_they_depend_on(void **state)
{
  (void)state;
  dae__motion *motion = motion_of(&table);
  const double y[14] = {0};
  const bool expected[] = {true, true, false, false, true, false};
  char text[512];
  assert_int_equal(dae__motion_select_independent(motion, 0, y, text, sizeof text, NULL), DAE_OK);
  assert_int_equal(motion->m->count->dependent, 3);
  for (int i = 0; i < 6; i++)
    assert_int_equal(motion->m->active[i], expected[i]);
  assert_non_null(strstr(text, "constraint a+b depends on a, b\n"));
  assert_non_null(strstr(text, "constraint 2a depends on a\n"));
  assert_non_null(strstr(text, "constraint nothing depends on nothing that can move\n"));
  dae__motion_free(motion);
}

static void test_a_short_text_is_cut_not_overrun(void **state)
{
  (void)state;
  dae__motion *motion = motion_of(&table);
  const double y[14] = {0};
  for (size_t size = 1; size < 80; size++) {
    char text[128];
    memset(text, '#', sizeof text);
    assert_int_equal(dae__motion_select_independent(motion, 0, y, text, size, NULL), DAE_OK);
    assert_non_null(memchr(text, '\0', size));
    for (size_t i = size; i < sizeof text; i++)
      assert_true(text[i] == '#');
  }
  assert_int_equal(dae__motion_select_independent(motion, 0, y, NULL, 0, NULL), DAE_OK);
  dae__motion_free(motion);
}

static void test_multipliers_of_dependent_rows_are_of_minimum_norm(void **state)
{
  (void)state;
  dae__motion *motion = motion_of(&table);
  double y[14] = {0}, dy[14];
  assert_int_equal(dae__motion_select_independent(motion, 0, y, NULL, 0, NULL), DAE_OK);
  assert_int_equal(dae__motion_accelerate(motion, 0, y, dy, NULL), DAE_OK);
  const double *lambda = y + 8;
  /* they move the system as the constraints ask */
  double M[16], f[4];
  table_M(NULL, NULL, M);
  table_f(NULL, NULL, f);
  for (int i = 0; i < 4; i++) {
    double r = -f[i];
    for (int j = 0; j < 4; j++)
      r += M[i + 4 * j] * dy[4 + j];
    for (int j = 0; j < 6; j++)
      r += combination[j][i] * lambda[j];
    assert_true(fabs(r) < 1e-12);
  }
  for (int i = 0; i < 6; i++) {
    double r = 0;
    for (int j = 0; j < 4; j++)
      r += combination[i][j] * dy[4 + j];
    assert_true(fabs(r) < 1e-12);
  }
  /* and are orthogonal to what does nothing: a + b - (a+b), 2 a - (2a), nothing */
  assert_true(dae__max_abs(6, lambda) > 0.1);
  assert_true(fabs(lambda[0] + lambda[1] - lambda[2]) < 1e-12);
  assert_true(fabs(2 * lambda[0] - lambda[3]) < 1e-12);
  assert_true(lambda[5] == 0);
  dae__motion_free(motion);
}

static void test_three_parallel_bars_carry_alike(void **state)
{
  (void)state;
  test_problem p = test_parallel_bars();
  dae__motion *motion = motion_of(p.problem.mechanical);
  double y[9], dy[9];
  char text[256];
  memcpy(y, p.start.y, sizeof y);
  assert_int_equal(dae__motion_select_independent(motion, 0, y, text, sizeof text, NULL), DAE_OK);
  assert_string_equal(text, "constraint bar3 depends on bar1, bar2\n");
  assert_int_equal(dae__motion_accelerate(motion, 0, y, dy, NULL), DAE_OK);
  double each = 2 * 9.81 * 0.8 / 3; /* sum lambda = -m gravity y at rest */
  for (int i = 6; i < 9; i++)
    assert_true(fabs(y[i] - each) < 1e-10);
  dae__motion_free(motion);
}

static void test_independent_rows_all_stay(void **state)
{
  (void)state;
  started s;
  for (int i = 0; start_next(&i, &s); finish(&s)) {
    bool redundant = strcmp(s.p.name, "parallel_bars") == 0;
    assert_int_equal(s.motion->m->count->dependent, redundant);
    for (int row = 0; row < s.motion->m->nc; row++)
      assert_int_equal(s.motion->m->active[row], !(redundant && row == 2));
  }
}

/* ---- singular matrices ---- */

static int massless_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = 1;
  M[1] = M[2] = M[3] = 0;
  return 0;
}

static int twice_g(void *user, const dae_mechanical_at *at, double *g)
{
  (void)user;
  g[0] = at->q[1] - 2 * at->q[0];
  return 0;
}

static int pull_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user, (void)at;
  f[0] = 1;
  f[1] = 3;
  return 0;
}

static void test_a_coordinate_without_mass_moves_with_its_constraint(void **state)
{
  (void)state;
  const dae_mechanical p = {.nq = 2,
                            .ng = 1,
                            .M = massless_M,
                            .f = pull_f,
                            .g = twice_g,
                            .constant_mass = true,
                            .time_free_g = true};
  dae__motion *motion = motion_of(&p);
  double y[5] = {1, 2, 0, 0, 0}, dy[5] = {0};
  assert_int_equal(dae__motion_accelerate(motion, 0, y, dy, NULL), DAE_OK);
  /* x'' - 2 lambda = 1, lambda = 3, y'' = 2 x'' */
  assert_true(fabs(dy[2] - 7) < 1e-9 && fabs(dy[3] - 14) < 1e-9 && fabs(y[4] - 3) < 1e-9);
  dae__motion_free(motion);
}

static void test_what_nothing_determines_is_named(void **state)
{
  (void)state;
  static const char *const names[] = {"heavy", "light"};
  const dae_mechanical p = {
      .nq = 2, .q_names = names, .M = massless_M, .f = pull_f, .constant_mass = true};
  dae__motion *motion = motion_of(&p);
  double y[4] = {0}, dy[4];
  dae_error err = dae_error_none();
  assert_int_equal(dae__motion_accelerate(motion, 0, y, dy, &err), DAE_ERROR_SINGULAR);
  assert_string_equal(err.equation, "light");
  assert_non_null(strstr(err.text, "mass"));
  dae__motion_free(motion);
  dae__motion_free(NULL);
}

/* one steps, the other shows: what the second does at other points leaves the first alone */
static void test_another_motion_has_factorisations_of_its_own(void **state)
{
  (void)state;
  started s;
  for (int i = 0; start_next(&i, &s);) {
    dae__motion *other;
    size_t bytes = (size_t)s.p.size * sizeof(double);
    double y[3][MAX], dy[3][MAX] = {{0}};
    assert_int_equal(dae__motion_create_second(arena, s.motion, &other, NULL), DAE_OK);
    assert_int_equal(dae__motion_reserve_dependent(other, NULL), DAE_OK);
    for (int k = 0; k < 3; k++)
      memcpy(y[k], s.y, bytes);
    for (int j = 0; j < s.motion->m->nq; j++)
      y[2][j] += 1e-3 * uniform();
    assert_int_equal(dae__motion_accelerate(s.motion, s.t, y[0], dy[0], NULL), DAE_OK);
    assert_int_equal(dae__motion_accelerate(other, s.t, y[1], dy[1], NULL), DAE_OK);
    assert_memory_equal(y[0], y[1], bytes);
    assert_memory_equal(dy[0], dy[1], bytes);
    /* the factorisation of the first, after the other has made one elsewhere */
    double top[2][MAX] = {{0}}, bottom[2][MAX] = {{0}};
    top[0][0] = top[1][0] = 1;
    dae__saddle_solve(s.motion->saddle, top[0], bottom[0]);
    assert_int_equal(dae__motion_accelerate(other, s.t, y[2], dy[2], NULL), DAE_OK);
    dae__saddle_solve(s.motion->saddle, top[1], bottom[1]);
    assert_memory_equal(top[0], top[1], sizeof top[0]);
    assert_memory_equal(bottom[0], bottom[1], sizeof bottom[0]);
    dae__motion_free(other);
    finish(&s);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_a_projected_state_is_on_its_constraints),
      TEST(test_a_projected_state_is_not_touched_again),
      TEST(test_a_projected_state_at_rest_is_touched_again_at_round_off_only),
      TEST(test_projection_is_the_point_of_least_mass_norm),
      TEST(test_on_a_curve_the_projection_is_the_nearest_point_to_second_order),
      TEST(test_a_state_on_its_constraints_costs_no_factorisation),
      TEST(test_accelerations_satisfy_the_saddle_equations),
      TEST(test_without_a_derivative_wanted_the_multipliers_are_the_same),
      TEST(test_dependent_rows_are_found_and_what_they_depend_on),
      TEST(test_a_short_text_is_cut_not_overrun),
      TEST(test_multipliers_of_dependent_rows_are_of_minimum_norm),
      TEST(test_three_parallel_bars_carry_alike),
      TEST(test_independent_rows_all_stay),
      TEST(test_a_coordinate_without_mass_moves_with_its_constraint),
      TEST(test_what_nothing_determines_is_named),
      TEST(test_another_motion_has_factorisations_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
