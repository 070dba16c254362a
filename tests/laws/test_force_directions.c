/* Constraint forces along directions of their own, M v' + B'(lambda, psi) = f: a bead that slides
 * down a rough wire y = x^2/2 with friction mu |N|, and a load z that a drive holds at z' = x'/2.
 * The reference is the hand-reduced equation
 *
 *   (1 + x^2) x'' = -(x x'^2 + x g + mu (g + x'^2)),   lambda = -(g + x'^2)/(1 + x^2)
 *
 * by the classical Runge-Kutta rule in 20,000 steps. */
#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define GRAVITY 9.81
#define FRICTION 0.3
#define END 0.6
enum { X, Y, Z, NQ, SIZE = 2 * NQ + 3 }; /* two rows on the wire, the second a copy, and one of z */

static int rough_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  memset(M, 0, NQ * NQ * sizeof *M);
  M[0] = M[4] = M[8] = 1;
  return 0;
}
static int rough_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user, (void)at;
  f[X] = f[Z] = 0;
  f[Y] = -GRAVITY;
  return 0;
}
static int rough_g(void *user, const dae_mechanical_at *at, double *g)
{
  (void)user;
  g[0] = at->q[Y] - at->q[X] * at->q[X] / 2;
  g[1] = 3 * g[0];
  return 0;
}
static int rough_k(void *user, const dae_mechanical_at *at, double *k)
{
  (void)user;
  k[0] = at->v[Z] - at->v[X] / 2;
  return 0;
}
/* G less friction along the wire in the direction of motion, by columns; the drive acts on z alone.
 */
static int rough_B(void *user, const dae_mechanical_at *at, double *B)
{
  (void)user;
  double x = at->q[X], slip = at->v[X] > 0 ? FRICTION : -FRICTION;
  for (int i = 0; i < 2; i++) {
    double size = i == 0 ? 1 : 3;
    B[0 + i] = size * (-x - slip);
    B[3 + i] = size * (1 - slip * x);
    B[6 + i] = 0;
  }
  B[2] = B[5] = 0;
  B[8] = 1;
  return 0;
}
static int rough_Bts_qv(void *user, const dae_mechanical_at *at, const double *s, double *out)
{
  (void)user;
  double slip = at->v[X] > 0 ? FRICTION : -FRICTION;
  memset(out, 0, 2 * NQ * NQ * sizeof *out);
  out[X] = -(s[0] + 3 * s[1]);
  out[Y] = -slip * (s[0] + 3 * s[1]);
  return 0;
}

static const dae_mechanical rough = {.name = "rough",
                                     .nq = NQ,
                                     .ng = 2,
                                     .nk = 1,
                                     .M = rough_M,
                                     .f = rough_f,
                                     .g = rough_g,
                                     .k = rough_k,
                                     .B = rough_B,
                                     .Bts_qv = rough_Bts_qv,
                                     .constant_mass = true,
                                     .time_free_g = true};

/* (x, x') of the reduced equation at END. */
static void reduced(double x0, double v0, double out[2])
{
  const int steps = 20000;
  const double h = END / steps, c[4] = {0, 0.5, 0.5, 1}, b[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  double y[2] = {x0, v0};
  for (int n = 0; n < steps; n++) {
    double k[2] = {0, 0}, sum[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
      double x = y[0] + c[i] * h * k[0], v = y[1] + c[i] * h * k[1];
      k[0] = v;
      k[1] = -(x * v * v + x * GRAVITY + FRICTION * (GRAVITY + v * v)) / (1 + x * x);
      for (int j = 0; j < 2; j++)
        sum[j] += b[i] * k[j];
    }
    for (int j = 0; j < 2; j++)
      y[j] += h * sum[j];
  }
  memcpy(out, y, sizeof y);
}

static dae_status keep_row(void *user, const dae_row *row, dae_error *err)
{
  (void)err;
  memcpy(user, row->values + 1, SIZE * sizeof(double));
  return DAE_OK;
}

static dae_status run(const char *method, const dae_mechanical *p, const char *rtol, double *end,
                      dae_summary *summary, dae_error *err)
{
  char options[4096];
  double y[SIZE] = {-1, 0.5, 0, 1, -1, 0.5};
  dae_problem problem = dae_problem_mechanical(p);
  const dae_method *m = dae_method_find(method, err);
  assert_true(m && m->options_size <= sizeof options);
  m->defaults(options);
  assert_true(dae_options_set(m->options, options, "rtol", rtol, err) >= 0);
  dae_sink sink = {.self = end, .row = keep_row};
  dae_run_plan plan = {.problem = problem,
                       .start = {.y = y},
                       .to = END,
                       .method = m,
                       .options = options,
                       .sinks = &sink,
                       .sink_count = 1};
  return dae_run(&plan, NULL, summary, err);
}

static void check_run(const char *method, const dae_mechanical *p)
{
  double exact[2], end[SIZE];
  dae_summary summary;
  dae_error err = dae_error_none();
  reduced(-1, 1, exact);
  assert_true(exact[1] > 0.1); /* it slides forward all the time */
  if (run(method, p, "1e-8", end, &summary, &err) < 0)
    fail_msg("%s: %s", method, err.text);
  const double expected[] = {exact[0], exact[0] * exact[0] / 2, (exact[0] + 1) / 2};
  for (int i = 0; i < NQ; i++)
    if (!(fabs(end[i] - expected[i]) < 1e-6))
      fail_msg("%s: q[%d] = %.10g, not %.10g", method, i, end[i], expected[i]);
  assert_true(fabs(end[NQ + X] - exact[1]) < 1e-6);
  double lambda = end[2 * NQ] + 3 * end[2 * NQ + 1];
  double force = -(GRAVITY + exact[1] * exact[1]) / (1 + exact[0] * exact[0]);
  if (!(fabs(lambda - force) < 1e-5))
    fail_msg("%s: lambda %.10g, not %.10g", method, lambda, force);
  /* T = work of all forces, friction and drive among them */
  if (!(fabs(summary.energy_error) < 1e-5))
    fail_msg("%s: imbalance %.3g", method, summary.energy_error);
}

static void test_directions_are_those_of_the_forces(void **state)
{
  (void)state;
  static const char *const methods[] = {"explicit", "gauss", "radau",
                                        "bdf-ggl",  "lie",   "switching"};
  for (int i = 0; i < 6; i++)
    check_run(methods[i], &rough);
}

static void test_directions_may_be_sparse_and_without_derivatives(void **state)
{
  (void)state;
  static const int three[] = {0, 3, 6, 9}, dense_rows[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  static const int diagonal[] = {0, 1, 2, 3}, one[] = {0, 1, 2};
  static const int G_start[] = {0, 2, 4, 4}, G_row[] = {0, 1, 0, 1};
  static const int K_start[] = {0, 1, 1, 2}, K_row[] = {0, 0};
  static const int none[] = {0, 0, 0, 0, 0, 0, 0};
  static const int Bts_start[] = {0, 3, 6, 9, 12, 15, 18};
  static const int Bts_row[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
  static const dae_pattern M = {NQ, NQ, diagonal, one}, B = {3, NQ, three, dense_rows};
  static const dae_pattern G = {2, NQ, G_start, G_row}, K = {1, NQ, K_start, K_row};
  static const dae_pattern J = {NQ, 2 * NQ, none, NULL};
  static const dae_pattern Bts = {NQ, 2 * NQ, Bts_start, Bts_row};
  dae_mechanical p = rough;
  p.Bts_qv = NULL;
  check_run("radau", &p);
  check_run("bdf-ggl", &p);
  p = rough;
  p.G_pattern = &G, p.K_pattern = &K, p.J_pattern = &J, p.B_pattern = &B, p.Bts_pattern = &Bts;
  check_run("bdf-ggl", &p);
  check_run("radau", &p);
  check_run("gauss", &p);
  p.M_pattern = &M;
  p.B_pattern = NULL;
  dae_problem problem = dae_problem_mechanical(&p);
  dae_error err;
  assert_int_equal(dae_problem_validate(&problem, &err), DAE_ERROR_PROBLEM);
  assert_string_equal(err.equation, "B_pattern");
}

static void test_methods_that_need_gradients_refuse_by_name(void **state)
{
  (void)state;
  static const char *const methods[] = {"bdf-cs",      "bdf-cm",      "bdf-ggl-star",
                                        "spark-gauss", "spark-radau", "spark-lobatto"};
  for (int i = 0; i < 6; i++) {
    double end[SIZE];
    dae_error err = dae_error_none();
    assert_int_equal(run(methods[i], &rough, "1e-6", end, NULL, &err), DAE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "along the gradients"));
  }
}

/* A direction in which no constraint is in its way. */
static int useless_B(void *user, const dae_mechanical_at *at, double *B)
{
  rough_B(user, at, B);
  B[8] = 0;
  return 0;
}

static void test_a_force_that_holds_nothing_is_named(void **state)
{
  (void)state;
  static const char *const name[] = {"drive"};
  dae_mechanical p = rough;
  double end[SIZE];
  dae_error err = dae_error_none();
  p.B = useless_B;
  p.k_names = name;
  assert_true(run("radau", &p, "1e-6", end, NULL, &err) < 0);
  assert_non_null(strstr(err.text, "drive"));
  p = rough;
  p.conservative = true;
  dae_problem problem = dae_problem_mechanical(&p);
  assert_int_equal(dae_problem_validate(&problem, &err), DAE_ERROR_PROBLEM);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_directions_are_those_of_the_forces),
      cmocka_unit_test(test_directions_may_be_sparse_and_without_derivatives),
      cmocka_unit_test(test_methods_that_need_gradients_refuse_by_name),
      cmocka_unit_test(test_a_force_that_holds_nothing_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
