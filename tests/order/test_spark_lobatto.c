/* spark-lobatto at fixed step: order 2s - 2, and the errors of an independent implementation of
 * Lobatto IIIA-x-IIIB and of the (s,s) members IIIC and IIID [J09]. */
#include "spark_orders.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* the error of IIIC with s = 2 changes its sign with h: its order cannot be seen */
enum { UNSEEN = 0 };

typedef struct lobatto_case {
  dae_spark_member member;
  dae_spark_hat hat;
  int s, order;
  spark_row pendulum, knife, skate;
} lobatto_case;

#define PENDULUM_AB_2                                                                              \
  {                                                                                                \
    40,                                                                                            \
    {                                                                                              \
      1.06e-03, 1.32e-03, 2.46e-03, NONE                                                           \
    }                                                                                              \
  }
#define PENDULUM_AB_3                                                                              \
  {                                                                                                \
    20,                                                                                            \
    {                                                                                              \
      1.58e-06, 2.16e-06, 1.11e-06, NONE                                                           \
    }                                                                                              \
  }
#define PENDULUM_SS_2                                                                              \
  {                                                                                                \
    40,                                                                                            \
    {                                                                                              \
      2.11e-03, 2.64e-03, 4.91e-03, NONE                                                           \
    }                                                                                              \
  }
#define PENDULUM_SS_3                                                                              \
  {                                                                                                \
    32,                                                                                            \
    {                                                                                              \
      4.61e-07, 6.13e-07, 5.26e-07, NONE                                                           \
    }                                                                                              \
  }
#define AB(x) DAE_SPARK_MEMBER_AB, DAE_SPARK_HAT_##x
#define SS(x) DAE_SPARK_MEMBER_##x, DAE_SPARK_HAT_SAME

static const lobatto_case cases[] = {
    {AB(B),
     2,
     2,
     PENDULUM_AB_2,
     {40, {7.26e-04, 1.20e-04, NONE, 1.82e-04}},
     {40, {6.81e-04, 1.84e-04, 2.94e-05, 1.82e-04}}},
    {AB(B),
     3,
     4,
     PENDULUM_AB_3,
     {20, {2.45e-06, 1.35e-07, NONE, 2.05e-07}},
     {20, {2.04e-06, 3.94e-07, 3.31e-08, 2.04e-07}}},
    {AB(C),
     2,
     UNSEEN,
     PENDULUM_AB_2,
     {40, {2.28e-03, 1.55e-04, NONE, 2.35e-04}},
     {40, {1.90e-03, 3.79e-04, 3.76e-05, 2.32e-04}}},
    {AB(C),
     3,
     4,
     PENDULUM_AB_3,
     {20, {7.78e-06, 5.40e-07, NONE, 8.20e-07}},
     {20, {6.12e-06, 1.22e-06, 1.19e-07, 7.32e-07}}},
    {AB(D),
     2,
     2,
     PENDULUM_AB_2,
     {40, {2.35e-03, 2.39e-04, NONE, 3.63e-04}},
     {40, {1.96e-03, 4.30e-04, 5.89e-05, 3.63e-04}}},
    {AB(D),
     3,
     4,
     PENDULUM_AB_3,
     {20, {7.73e-06, 5.37e-07, NONE, 8.15e-07}},
     {20, {6.12e-06, 1.24e-06, 1.32e-07, 8.13e-07}}},
    {AB(C_STAR),
     2,
     UNSEEN,
     PENDULUM_AB_2,
     {40, {2.43e-03, 3.24e-04, NONE, 4.91e-04}},
     {40, {2.02e-03, 4.80e-04, 8.02e-05, 4.94e-04}}},
    {AB(C_STAR),
     3,
     4,
     PENDULUM_AB_3,
     {20, {7.70e-06, 5.40e-07, NONE, 8.20e-07}},
     {20, {6.13e-06, 1.27e-06, 1.46e-07, 9.02e-07}}},
    {SS(C),
     2,
     UNSEEN,
     PENDULUM_SS_2,
     {40, {2.28e-03, 1.55e-04, NONE, 2.35e-04}},
     {40, {1.63e-03, 3.32e-04, 3.49e-05, 2.15e-04}}},
    {SS(C),
     3,
     4,
     PENDULUM_SS_3,
     {32, {1.18e-06, 8.23e-08, NONE, 1.25e-07}},
     {32, {8.67e-07, 1.78e-07, 1.95e-08, 1.21e-07}}},
    {SS(D),
     2,
     2,
     PENDULUM_SS_2,
     {40, {2.35e-03, 2.39e-04, NONE, 3.63e-04}},
     {40, {1.70e-03, 3.89e-04, 5.92e-05, 3.65e-04}}},
    {SS(D),
     3,
     4,
     PENDULUM_SS_3,
     {32, {1.18e-06, 8.22e-08, NONE, 1.25e-07}},
     {32, {8.70e-07, 1.83e-07, 2.20e-08, 1.36e-07}}},
};

static void test_lobatto_errors_and_orders_are_those_of_the_reference(void **state)
{
  (void)state;
  test_problem pendulum = test_pendulum_light(), knife = test_knife_edge();
  test_problem skate = test_cylinder_skate();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const lobatto_case *c = &cases[i];
    dae_spark_options opts = dae_spark_defaults();
    opts.stages = c->s;
    opts.member = c->member;
    opts.hat = c->hat;
    spark_check("spark-lobatto", &pendulum, &opts, 2 * c->s - 2, &c->pendulum);
    spark_check("spark-lobatto", &knife, &opts, c->order, &c->knife);
    bool unseen = c->member == DAE_SPARK_MEMBER_C; /* 3.80 in the reference too */
    spark_check("spark-lobatto", &skate, &opts, unseen ? UNSEEN : c->order, &c->skate);
  }
}

/* for a constant force Gauss with s stages and Lobatto IIIA-IIIB with s + 1 are the same */
static void test_lobatto_and_gauss_are_the_same_under_a_constant_force(void **state)
{
  (void)state;
  test_problem p = test_pendulum_light();
  for (int s = 1; s <= 5; s++) {
    dae_spark_options opts = dae_spark_defaults();
    double gauss[SPARK_MOST], lobatto[SPARK_MOST];
    opts.step = p.to / 20;
    opts.stages = s;
    spark_run("spark-gauss", &p, &opts, gauss);
    opts.stages = s + 1;
    spark_run("spark-lobatto", &p, &opts, lobatto);
    for (int i = 0; i < p.size; i++)
      assert_true(fabs(gauss[i] - lobatto[i]) < 1e-12);
  }
}

static void test_variable_steps_follow_the_tolerance(void **state)
{
  (void)state;
  test_problem (*const make[])(void) = {test_pendulum_light, test_knife_edge, test_cylinder_skate,
                                        test_track};
  for (size_t i = 0; i < sizeof make / sizeof *make; i++)
    for (int member = DAE_SPARK_MEMBER_AB; member <= DAE_SPARK_MEMBER_D; member++)
      for (int digits = 3; digits <= 7; digits += 2) {
        test_problem p = make[i]();
        dae_spark_options opts = dae_spark_defaults();
        double y[SPARK_MOST];
        opts.rtol = opts.atol = pow(10, -digits);
        opts.member = (dae_spark_member)member;
        spark_run("spark-lobatto", &p, &opts, y);
        double error = support_error(&p, y);
        if (getenv("DAEDAL_VERBOSE"))
          print_message("%-16s member %d, tolerance %.0e: error %.2e\n", p.name, member, opts.rtol,
                        error);
        assert_true(error <= 100 * opts.rtol);
      }
}

static void test_what_is_not_determined_is_refused(void **state)
{
  (void)state;
  test_problem p = test_pendulum_light();
  dae_spark_options opts = dae_spark_defaults();
  dae_integrator *it;
  dae_error err = dae_error_none();
  opts.stages = 3;
  opts.hat = DAE_SPARK_HAT_A; /* psi is not determined */
  assert_true(dae_spark_lobatto_create(&p.problem, &p.start, &opts, NULL, &it, &err) < 0);
  assert_non_null(strstr(err.text, "Lobatto IIIA"));
  opts.hat = DAE_SPARK_HAT_B;
  opts.member = DAE_SPARK_MEMBER_C; /* has none */
  assert_true(dae_spark_lobatto_create(&p.problem, &p.start, &opts, NULL, &it, &err) < 0);
  opts.hat = DAE_SPARK_HAT_SAME;
  opts.stages = 1;
  assert_true(dae_spark_lobatto_create(&p.problem, &p.start, &opts, NULL, &it, &err) < 0);
  opts.stages = 2;
  assert_int_equal(dae_spark_gauss_create(&p.problem, &p.start, &opts, NULL, &it, &err),
                   DAE_ERROR_OPTION);
  assert_string_equal(err.equation, "member");
}

/* a crank without mass, led by its constraints: spark-gauss takes it */
static int crank_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = 1;
  M[1] = M[2] = M[3] = 0;
  return 0;
}

static int crank_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user;
  f[0] = -at->q[0];
  f[1] = 0;
  return 0;
}

static int crank_g(void *user, const dae_mechanical_at *at, double *g)
{
  (void)user;
  g[0] = at->q[1] - 2 * at->q[0];
  return 0;
}

static void test_coordinates_without_mass_that_a_constraint_determines_are_taken(void **state)
{
  (void)state;
  static const char *const names[] = {"x", "follower"};
  const dae_mechanical m = {.nq = 2,
                            .ng = 1,
                            .q_names = names,
                            .M = crank_M,
                            .f = crank_f,
                            .g = crank_g,
                            .time_free_g = true};
  const double y[] = {1, 2, 0, 0, 0};
  const dae_problem p = dae_problem_mechanical(&m);
  const dae_start start = {.y = y};
  dae_integrator *it;
  dae_error err = dae_error_none();
  assert_int_equal(dae_spark_lobatto_create(&p, &start, NULL, NULL, &it, &err), DAE_OK);
  dae_integrator_free(it);
  assert_int_equal(dae_spark_gauss_create(&p, &start, NULL, NULL, &it, &err), DAE_OK);
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, 1, &err);
  assert_int_equal(status, DAE_END);
  double end[5];
  support_state(it, end, NULL);
  assert_true(fabs(end[0] - cos(1)) < 1e-5 && fabs(end[1] - 2 * cos(1)) < 1e-5);
  dae_integrator_free(it);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lobatto_errors_and_orders_are_those_of_the_reference),
      cmocka_unit_test(test_lobatto_and_gauss_are_the_same_under_a_constant_force),
      cmocka_unit_test(test_variable_steps_follow_the_tolerance),
      cmocka_unit_test(test_what_is_not_determined_is_refused),
      cmocka_unit_test(test_coordinates_without_mass_that_a_constraint_determines_are_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
