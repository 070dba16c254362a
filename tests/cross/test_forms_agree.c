/* One motion, described or integrated in different ways, ends in one state: the stabilised form
 * written out as a semi-explicit problem for plain BDF against bdf-ggl; momenta against mass and
 * force; with derivatives given against differenced ones; sparse against dense. */
#include "core/arena.h"
#include "problem/mechanical/view.h"
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 256

/* largest |a_i - b_i| / (1 + |b_i|) */
static double distance(int n, const double *a, const double *b)
{
  double max = 0;
  for (int i = 0; i < n; i++) {
    double d = fabs(a[i] - b[i]) / (1 + fabs(b[i]));
    if (!(d <= max)) /* negated: a NaN counts */
      max = d;
  }
  return max;
}

static void end_of(const test_problem *p, double tolerance, double *y)
{
  dae_bdf_options opts = support_options(tolerance);
  assert_true(p->size <= MOST);
  assert_int_equal(support_run(p, &opts, 0, NULL, NULL, y, NULL), DAE_OK);
}

/* entries that two forms have in common: a view has more multipliers at the end. As algebraic
 * variables of index 2 they are of lower order, and only states count */
static int entries(const test_problem *a, const test_problem *b)
{
  const dae_semi_explicit *s = b->problem.semi_explicit;
  int common = a->size < b->size ? a->size : b->size;
  return a->problem.mechanical && s ? s->nx : common;
}

static bool takes(const char *name, const test_problem *p)
{
  dae_integrator *it = NULL;
  dae_status status =
      dae_method_find(name, NULL)->create(&p->problem, &p->start, NULL, NULL, &it, NULL);
  dae_integrator_free(it);
  return status != DAE_ERROR_UNSUPPORTED;
}

/* the one-step methods that take both, beside each other and beside the end of the first by bdf */
static void assert_engines_agree(const test_problem *a, const test_problem *b, double tolerance,
                                 double times, const double *end)
{
  static const char *const names[] = {"explicit", "gauss", "radau", "switching"};
  int common = entries(a, b);
  for (int i = 0; i < 4; i++) {
    dae_rk_options opts = dae_rk_adaptive_defaults();
    double y[MOST], z[MOST];
    if (!takes(names[i], a) || !takes(names[i], b))
      continue;
    if (i < 2 && a->problem.semi_explicit) /* van der Pol, which is stiff */
      continue;
    opts.rtol = opts.atol = tolerance;
    assert_int_equal(support_run_with(names[i], a, &opts, 0, NULL, NULL, y, NULL), DAE_OK);
    assert_int_equal(support_run_with(names[i], b, &opts, 0, NULL, NULL, z, NULL), DAE_OK);
    double apart = distance(common, y, z), other = distance(common, y, end);
    if (getenv("DAEDAL_VERBOSE"))
      print_message("%-18s %.0e, %s: %.2f rtol apart, %.2f from bdf\n", a->name, tolerance,
                    names[i], apart / tolerance, other / tolerance);
    if (!(apart <= times * tolerance && other <= 1000 * tolerance))
      fail_msg("%s at %.0e, %s: %.2e apart, %.2e from bdf", a->name, tolerance, names[i], apart,
               other);
  }
}

static void assert_agree(const test_problem *a, const test_problem *b, double tolerance,
                         double times)
{
  double y[MOST], z[MOST];
  int common = a->size < b->size ? a->size : b->size; /* a view has more multipliers at the end */
  end_of(a, tolerance, y);
  end_of(b, tolerance, z);
  double apart = distance(common, y, z);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-18s %.0e: %.1e apart, %.2f rtol\n", a->name, tolerance, apart,
                  apart / tolerance);
  if (!(apart <= times * tolerance))
    fail_msg("%s at %.0e: %.2e apart", a->name, tolerance, apart);
  assert_engines_agree(a, b, tolerance, times, y);
}

/* ---- a mechanical problem as a semi-explicit one ---- */

static void check_view(test_problem p, dae__view_kind kind, double to)
{
  dae__arena *arena = dae__arena_create(NULL);
  test_problem view = p;
  double start[MOST] = {0};
  assert_non_null(arena);
  assert_int_equal(dae__view_semi(arena, &p.problem, kind, &view.problem, NULL), DAE_OK);
  view.size = dae_problem_size(&view.problem);
  memcpy(start, p.start.y, (size_t)p.size * sizeof *start);
  view.start.y = start;
  p.to = view.to = to;
  assert_string_equal(support_method(&p.problem)->name, "bdf-ggl");
  assert_string_equal(support_method(&view.problem)->name, "bdf");
  assert_agree(&p, &view, 1e-5, 100);
  assert_agree(&p, &view, 1e-7, 100);
  dae__arena_free(arena);
}

static void test_ggl_is_bdf_on_the_stabilised_form(void **state)
{
  (void)state;
  check_view(test_pendulum2(), DAE__VIEW_GGL, 2);
  check_view(test_bead(), DAE__VIEW_GGL, 2);
  check_view(test_curvilinear(), DAE__VIEW_GGL, 2);
  check_view(test_slider_crank(), DAE__VIEW_GGL, 1);
  check_view(test_rheonomic_length(), DAE__VIEW_GGL, 1);
  check_view(test_motor(), DAE__VIEW_GGL, 2);
}

/* at its start all multipliers are close to zero */
static void test_ggl_is_bdf_on_the_stabilised_car_axis(void **state)
{
  (void)state;
  check_view(test_car_axis(), DAE__VIEW_GGL, 0.5);
}

static void test_ggl_is_bdf_on_nonholonomic_constraints(void **state)
{
  (void)state;
  check_view(test_knife_edge(), DAE__VIEW_GGL, 2);
  check_view(test_sleigh(), DAE__VIEW_GGL, 2);
  check_view(test_cylinder_skate(), DAE__VIEW_GGL, 2);
}

/* without stabilisation the view drifts, but little in so short a time */
static void test_ggl_agrees_with_the_velocity_constraint_alone(void **state)
{
  (void)state;
  check_view(test_pendulum2(), DAE__VIEW_VELOCITY, 1);
  check_view(test_cylinder_skate(), DAE__VIEW_VELOCITY, 1);
}

/* ---- momenta against mass and force ---- */

/* curvilinear by hand: f = F - p_q v */
static int curve_f(void *user, const dae_mechanical_at *at, double *f)
{
  double q2 = at->q[1], v2 = at->v[1];
  (void)user;
  f[0] = -0.6 * v2 * v2;
  f[1] = -1 - 0.36 * q2 * v2 * v2;
  return 0;
}

static void test_momenta_and_forces_describe_one_motion(void **state)
{
  (void)state;
  test_problem p = test_curvilinear(), q = p;
  dae_mechanical forces = *p.problem.mechanical;
  forces.p = forces.F = forces.p_rate = forces.J = NULL;
  forces.f = curve_f;
  q.problem.mechanical = &forces;
  for (double tolerance = 1e-4; tolerance > 1e-9; tolerance /= 100)
    assert_agree(&p, &q, tolerance, 10);
}

/* bead by hand: p = M v, F = dT/dq - dV/dq */
static int bead_p(void *user, const dae_mechanical_at *at, double *p)
{
  (void)user;
  p[0] = at->v[0];
  p[1] = at->q[0] * at->q[0] * at->v[1];
  return 0;
}

static int bead_F(void *user, const dae_mechanical_at *at, double *F)
{
  (void)user;
  F[0] = at->q[0] * at->v[1] * at->v[1] - 9.81 * sin(at->q[1]);
  F[1] = -9.81 * at->q[0] * cos(at->q[1]);
  return 0;
}

static void test_forces_and_momenta_describe_one_motion(void **state)
{
  (void)state;
  test_problem p = test_bead(), q = p;
  dae_mechanical momenta = *p.problem.mechanical;
  momenta.f = momenta.J = momenta.M = NULL;
  momenta.Ms_qv = NULL;
  momenta.p = bead_p;
  momenta.F = bead_F;
  q.problem.mechanical = &momenta;
  for (double tolerance = 1e-4; tolerance > 1e-9; tolerance /= 100)
    assert_agree(&p, &q, tolerance, 100);
}

/* ---- given and differenced derivatives ---- */

/* bead, parallel_bars and the chain's mode start at rest, where a differenced g_t + G v has no
 * scale but its own error */
static void test_differenced_derivatives_give_the_same_motion(void **state)
{
  (void)state;
  test_problem problems[] = {test_pendulum2(),
                             test_bead(),
                             test_spring(),
                             test_curvilinear(),
                             test_slider_crank(),
                             test_parallel_bars(),
                             test_rheonomic_length(),
                             test_knife_edge(),
                             test_sleigh(),
                             test_cylinder_skate(),
                             test_motor(),
                             test_car_axis(),
                             test_akzo_nobel(),
                             test_van_der_pol(),
                             test_transistor_amplifier(),
                             test_chain(4, TEST_CHAIN_HORIZONTAL),
                             test_chain(4, TEST_CHAIN_MODE)};
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
    support_variant memory;
    test_problem bare;
    assert_true(support_bare(&problems[i], &memory, &bare));
    assert_agree(&problems[i], &bare, 1e-6, 300); /* 100 on the chain, which whips */
    test_problem_free(&problems[i]);
  }
}

/* ---- sparse and dense ---- */

/* a problem with patterns behind callbacks that write full matrices; `values` holds one matrix */
typedef struct dense {
  const dae_mechanical *sparse;
  double values[MOST];
} dense;

static int fill(int status, const dense *d, const dae_pattern *pattern, double *out)
{
  memset(out, 0, (size_t)(pattern->rows * pattern->cols) * sizeof *out);
  for (int j = 0; j < pattern->cols; j++)
    for (int e = pattern->start[j]; e < pattern->start[j + 1]; e++)
      out[j * pattern->rows + pattern->row[e]] = d->values[e];
  return status;
}

static int dense_M(void *user, const dae_mechanical_at *at, double *out)
{
  dense *d = user;
  const dae_mechanical *p = d->sparse;
  return fill(p->M(p->user, at, d->values), d, p->M_pattern, out);
}

static int dense_G(void *user, const dae_mechanical_at *at, double *out)
{
  dense *d = user;
  const dae_mechanical *p = d->sparse;
  return fill(p->G(p->user, at, d->values), d, p->G_pattern, out);
}

static int dense_f(void *user, const dae_mechanical_at *at, double *out)
{
  const dae_mechanical *p = ((dense *)user)->sparse;
  return p->f(p->user, at, out);
}

static int dense_g(void *user, const dae_mechanical_at *at, double *out)
{
  const dae_mechanical *p = ((dense *)user)->sparse;
  return p->g(p->user, at, out);
}

static int dense_gamma(void *user, const dae_mechanical_at *at, double *out)
{
  const dae_mechanical *p = ((dense *)user)->sparse;
  return p->gamma(p->user, at, out);
}

static int dense_gdot_q(void *user, const dae_mechanical_at *at, double *out)
{
  dense *d = user;
  const dae_mechanical *p = d->sparse;
  return fill(p->gdot_q(p->user, at, d->values), d, p->G_pattern, out);
}

static int dense_Gts_q(void *user, const dae_mechanical_at *at, const double *s, double *out)
{
  dense *d = user;
  const dae_mechanical *p = d->sparse;
  return fill(p->Gts_q(p->user, at, s, d->values), d, p->Gts_pattern, out);
}

static void check_dense(test_problem p)
{
  const dae_mechanical *sparse = p.problem.mechanical;
  dense d = {.sparse = sparse};
  dae_mechanical full = {.name = sparse->name,
                         .nq = sparse->nq,
                         .ng = sparse->ng,
                         .user = &d,
                         .M = dense_M,
                         .f = dense_f,
                         .g = dense_g,
                         .G = dense_G,
                         .gamma = dense_gamma,
                         .Gts_q = dense_Gts_q,
                         .gdot_q = dense_gdot_q,
                         .constant_mass = true,
                         .time_free_g = true};
  test_problem q = p;
  assert_non_null(sparse->G_pattern);
  assert_true(sparse->G_pattern->start[sparse->nq] <= MOST);
  assert_true(sparse->Gts_pattern->start[sparse->nq] <= MOST);
  q.problem.mechanical = &full;
  assert_agree(&p, &q, 1e-4, 10);
  assert_agree(&p, &q, 1e-7, 10);
  test_problem_free(&p);
}

static void test_sparse_and_dense_chains_move_alike(void **state)
{
  (void)state;
  check_dense(test_chain(12, TEST_CHAIN_MODE));
  check_dense(test_chain(4, TEST_CHAIN_HORIZONTAL));
}

/* ---- methods that share a problem ---- */

static void test_bdf_and_ggl_agree_where_there_is_no_constraint(void **state)
{
  (void)state;
  test_problem p = test_bouncing_ball();
  dae_bdf_options opts = support_options(1e-7);
  double y[2][4];
  for (int i = 0; i < 2; i++) {
    dae_integrator *it;
    dae_status status = i ? dae_bdf_ggl_create(&p.problem, &p.start, &opts, NULL, &it, NULL)
                          : dae_bdf_create(&p.problem, &p.start, &opts, NULL, &it, NULL);
    while (status == DAE_OK)
      status = dae_integrator_step(it, 0.4, NULL);
    assert_int_equal(status, DAE_END);
    support_state(it, y[i], NULL);
    dae_integrator_free(it);
  }
  assert_true(distance(4, y[0], y[1]) < 1e-6);
  assert_true(fabs(y[0][1] - (1 - 9.81 * 0.08)) < 1e-6);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ggl_is_bdf_on_the_stabilised_form),
      cmocka_unit_test(test_ggl_is_bdf_on_the_stabilised_car_axis),
      cmocka_unit_test(test_ggl_is_bdf_on_nonholonomic_constraints),
      cmocka_unit_test(test_ggl_agrees_with_the_velocity_constraint_alone),
      cmocka_unit_test(test_momenta_and_forces_describe_one_motion),
      cmocka_unit_test(test_forces_and_momenta_describe_one_motion),
      cmocka_unit_test(test_differenced_derivatives_give_the_same_motion),
      cmocka_unit_test(test_sparse_and_dense_chains_move_alike),
      cmocka_unit_test(test_bdf_and_ggl_agree_where_there_is_no_constraint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
