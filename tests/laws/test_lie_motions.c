/* What the Lie-group method takes besides the examples of its paper: the weak form, whose drift
 * does not grow; coupled problems; a sparse chain; rows of F with y, enforced in the middle of
 * steps; a mass matrix. */
#include "lie_fixture.h"
#include "support.h"

#include <daedal/lie.h>
#include <stdlib.h>
#include <string.h>

#define MOST 512

static bool verbose(void)
{
  return getenv("DAEDAL_VERBOSE") != NULL;
}

static void end_of(const char *method, const test_problem *p, const void *opts, double *z)
{
  assert_true(p->size <= MOST);
  assert_int_equal(support_run_with(method, p, opts, 0, NULL, NULL, z, NULL), DAE_OK);
}

/* ---- the weak form ---- */

typedef struct halves {
  const dae_mechanical *m;
  double to, first, second, velocity;
} halves;

static void look(void *user, double t, const double *z)
{
  halves *o = user;
  double position, velocity, *half = t < o->to / 2 ? &o->first : &o->second;
  support_drift(o->m, t, z, &position, &velocity);
  *half = fmax(*half, position);
  o->velocity = fmax(o->velocity, velocity);
}

static void test_the_drift_of_the_weak_form_does_not_grow(void **state)
{
  (void)state;
  static const double tos[] = {40, 20};
  test_problem all[] = {test_pendulum(), test_slider_crank()};
  for (int i = 0; i < 2; i++) {
    halves o = {.m = all[i].problem.mechanical, .to = tos[i]};
    dae_lie_options opts = dae_lie_defaults();
    opts.form = DAE_LIE_WEAK;
    opts.order = 2;
    opts.step = 0.01;
    all[i].to = tos[i];
    assert_int_equal(support_run_with("lie", &all[i], &opts, 0, look, &o, NULL, NULL), DAE_OK);
    if (verbose())
      print_message("%s: drift %.2e, %.2e in the second half\n", all[i].name, o.first, o.second);
    assert_true(o.first > 1e-6 && o.second < 1.1 * o.first);
    assert_true(o.velocity < 1e-12);
  }
}

/* |q_n|^2 - |q_0|^2 = -(h^2/4) (|v_n|^2 - |v_0|^2), summed over the steps of the midpoint rule */
static void test_the_drift_of_the_weak_form_is_that_of_the_square_of_the_speed(void **state)
{
  (void)state;
  test_problem p = l13_problem(L13_TRACK, true);
  dae_lie_options opts = dae_lie_defaults();
  dae_integrator *it = NULL;
  double z[5], h = 1e-2;
  opts.order = 2;
  opts.step = h;
  opts.kappa = (double)INFINITY;
  assert_int_equal(dae_lie_create(&p.problem, &p.start, &opts, NULL, &it, NULL), DAE_OK);
  for (int i = 1; i <= 500; i++) {
    assert_true(dae_integrator_step(it, 5, NULL) >= 0);
    support_state(it, z, NULL);
    double drift = z[0] * z[0] + z[2] * z[2] - 1, speed = z[1] * z[1] + z[3] * z[3];
    assert_true(fabs(drift + h * h / 4 * speed) < 1e-12);
  }
  if (verbose())
    print_message("at t = 5: %.3e\n", z[0] * z[0] + z[2] * z[2] - 1);
  dae_integrator_free(it);
}

static void test_runs_in_the_weak_form_say_that_positions_are_off(void **state)
{
  (void)state;
  test_problem p = test_pendulum2();
  dae_lie_options opts = dae_lie_defaults();
  dae_summary summary;
  opts.order = 2;
  assert_int_equal(support_run_with("lie", &p, &opts, 0, NULL, NULL, NULL, &summary), DAE_OK);
  assert_null(summary.caution);
  assert_true(summary.position_drift < 1e-12);
  opts.form = DAE_LIE_WEAK;
  assert_int_equal(support_run_with("lie", &p, &opts, 0, NULL, NULL, NULL, &summary), DAE_OK);
  assert_non_null(summary.caution);
  assert_true(summary.position_drift > 1e-8 && summary.velocity_drift < 1e-12);
}

/* ---- against other methods ---- */

static void test_multipliers_are_those_of_spark_gauss(void **state)
{
  (void)state;
  test_problem all[] = {test_pendulum(), test_cylinder_skate(), test_slider_crank(),
                        test_parallel_bars(), test_rheonomic_length()};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    double a[MOST], b[MOST], apart = 0;
    dae_lie_options lie = dae_lie_defaults();
    dae_spark_options spark = dae_spark_defaults();
    lie.order = 4;
    lie.rtol = lie.atol = 1e-9;
    spark.rtol = spark.atol = 1e-10;
    end_of("lie", &all[i], &lie, a);
    end_of("spark-gauss", &all[i], &spark, b);
    for (int k = 2 * all[i].problem.mechanical->nq; k < all[i].size; k++)
      apart = fmax(apart, fabs(a[k] - b[k]) / (1 + fabs(b[k])));
    if (verbose())
      print_message("%-17s multipliers %.1e apart\n", all[i].name, apart);
    assert_true(apart < 1e-6);
  }
}

static void test_a_sparse_chain_moves_as_by_bdf(void **state)
{
  (void)state;
  test_problem p = test_chain(60, TEST_CHAIN_HORIZONTAL);
  assert_non_null(p.memory);
  p.to = 0.4;
  double lie_end[MOST], bdf_end[MOST], apart = 0;
  dae_lie_options opts = dae_lie_defaults();
  dae_bdf_options bdf = support_options(1e-9);
  dae_summary summary;
  opts.rtol = opts.atol = 1e-9;
  opts.order = 4;
  assert_true(p.size <= MOST);
  assert_int_equal(support_run_with("lie", &p, &opts, 0, NULL, NULL, lie_end, &summary), DAE_OK);
  assert_true(summary.position_drift < 1e-12 && summary.velocity_drift < 1e-10);
  end_of("bdf-cs", &p, &bdf, bdf_end);
  int states = 2 * p.problem.mechanical->nq;
  for (int i = 0; i < states; i++)
    apart = fmax(apart, fabs(lie_end[i] - bdf_end[i]));
  if (verbose())
    print_message("chain of 60: %.1e apart after %ld steps, drift %.1e %.1e\n", apart,
                  summary.stats.steps, summary.position_drift, summary.velocity_drift);
  assert_true(apart < 1e-5);
  test_problem_free(&p);
}

static void check_coupled(test_problem p, int n)
{
  double error[2], z[MOST];
  for (int i = 0; i < 2; i++) {
    dae_lie_options opts = dae_lie_defaults();
    opts.order = 2;
    opts.step = p.to / (n << i);
    end_of("lie", &p, &opts, z);
    error[i] = support_error(&p, z);
  }
  if (verbose())
    print_message("%-17s order %.3f (%.1e)\n", p.name, log2(error[0] / error[1]), error[1]);
  assert_true(fabs(log2(error[0] / error[1]) - 2) < 0.1);
}

static void test_coupled_problems_are_assembled(void **state)
{
  (void)state;
  check_coupled(test_structures(), 200);
  check_coupled(test_two_circuits(), 100);
}

/* ---- rows with y, and a mass matrix ---- */

static int index1_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = -at->x[0] + at->y[0];
  return 0;
}

static int index1_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  double y = at->y[0];
  (void)user;
  F[0] = y + 0.1 * y * y * y - sin(at->t) - at->x[0];
  return 0;
}

/* M(x) x' = M(x) (-x2, x1) + x (y - t - x1): x on the unit circle, y = t + cos t */
static void mass(const double *x, double *M)
{
  M[0] = 2 + x[1];
  M[1] = 0.1;
  M[2] = 0.3 * x[0];
  M[3] = 1 + x[0] * x[0];
}

static int mass_M(void *user, const dae_semi_explicit_at *at, double *M)
{
  (void)user;
  mass(at->x, M);
  return 0;
}

static int mass_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *x = at->x;
  double M[4], along = at->y[0] - at->t - x[0];
  (void)user;
  mass(x, M);
  f[0] = -M[0] * x[1] + M[2] * x[0] + along * x[0];
  f[1] = -M[1] * x[1] + M[3] * x[0] + along * x[1];
  return 0;
}

static int mass_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->x[0] * at->x[0] + at->x[1] * at->x[1] - 1;
  return 0;
}

typedef struct semi_case {
  dae_semi_explicit p;
  double start[4], end[4]; /* at t = 1 */
} semi_case;

static void check_orders(const semi_case *c, dae_lie_iteration iteration)
{
  test_problem p = {.name = c->p.name,
                    .problem = {.semi_explicit = &c->p},
                    .start = {.y = c->start},
                    .to = 1,
                    .size = c->p.nx + c->p.ny,
                    .reference = c->end};
  for (int order = 2; order <= 4; order += 2) {
    double x[2], y[2], z[4];
    for (int i = 0; i < 2; i++) {
      dae_lie_options opts = dae_lie_defaults();
      opts.step = (order == 2 ? 1.0 / 40 : 1.0 / 10) / (1 << i);
      opts.order = order;
      opts.lie_iteration = iteration;
      end_of("lie", &p, &opts, z);
      x[i] = support_error_of(&p, z, 0, c->p.nx);
      y[i] = support_error_of(&p, z, c->p.nx, p.size);
    }
    if (verbose())
      print_message("%-10s order %d, iteration %d: %.3f of x (%.1e), %.3f of y (%.1e)\n", p.name,
                    order, iteration, log2(x[0] / x[1]), x[1], log2(y[0] / y[1]), y[1]);
    assert_true(fabs(log2(x[0] / x[1]) - order) < 0.12);
    assert_true(fabs(log2(y[0] / y[1]) - order) < 0.12);
  }
}

static const semi_case index1 = {{.name = "index1", .nx = 1, .ny = 1, .f = index1_f, .F = index1_F},
                                 {1, 0.9},
                                 {1.224785745801, 1.631769824420}};
static const semi_case with_mass = {
    {.name = "with_mass", .nx = 2, .ny = 1, .f = mass_f, .F = mass_F, .M = mass_M},
    {1, 0, 0},
    {0.54030230586813971740, 0.84147098480789650665, 1.54030230586813971740}};

static void test_rows_with_y_are_enforced_in_the_middle_of_steps(void **state)
{
  (void)state;
  check_orders(&index1, DAE_LIE_NEWTON);
  check_orders(&index1, DAE_LIE_NESTED);
}

/* the error of one step size, as tabulated for an independent implementation */
static void test_the_error_of_index_1_is_that_of_the_table(void **state)
{
  (void)state;
  test_problem p = {.name = "index1",
                    .problem = {.semi_explicit = &index1.p},
                    .start = {.y = index1.start},
                    .to = 1,
                    .size = 2};
  dae_lie_options opts = dae_lie_defaults();
  double z[2];
  opts.step = 1.0 / 80;
  end_of("lie", &p, &opts, z);
  if (verbose())
    print_message("index1, h = 1/80: x %.3e\n", fabs(z[0] - index1.end[0]));
  assert_true(fabs(z[0] - index1.end[0]) < 3e-6); /* 3.7e-3 where F is enforced at the ends */
  assert_true(fabs(z[1] + 0.1 * z[1] * z[1] * z[1] - sin(1) - z[0]) < 1e-14);
}

static void test_a_mass_matrix_that_moves_keeps_the_order(void **state)
{
  (void)state;
  check_orders(&with_mass, DAE_LIE_NEWTON);
  check_orders(&with_mass, DAE_LIE_NESTED);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_drift_of_the_weak_form_does_not_grow),
      cmocka_unit_test(test_the_drift_of_the_weak_form_is_that_of_the_square_of_the_speed),
      cmocka_unit_test(test_runs_in_the_weak_form_say_that_positions_are_off),
      cmocka_unit_test(test_multipliers_are_those_of_spark_gauss),
      cmocka_unit_test(test_a_sparse_chain_moves_as_by_bdf),
      cmocka_unit_test(test_coupled_problems_are_assembled),
      cmocka_unit_test(test_rows_with_y_are_enforced_in_the_middle_of_steps),
      cmocka_unit_test(test_the_error_of_index_1_is_that_of_the_table),
      cmocka_unit_test(test_a_mass_matrix_that_moves_keeps_the_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
