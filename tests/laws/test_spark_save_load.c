/* Stepping on after load gives the same bits in every way a SPARK integrator can be at work:
 * IIIA-x-IIIB with its full Jacobian, the momentum form, two halves of a step, and steps that had
 * to go on to the decoupled or the full iteration. */
#include "same_bits.h"
#include "text_problem.h"

#include <stdlib.h>

static same_set_up spark_of(const test_problem *p, const char *method, double step)
{
  return same_set_up_of(p, dae_method_find(method, NULL), step);
}

static void check_often(const same_set_up *s)
{
  static const int before[] = {0, 1, 2, 5, 17};
  for (size_t i = 0; i < sizeof before / sizeof *before; i++)
    same_check(s, before[i]);
}

/* ---- Lobatto ---- */

static void check_members(const test_problem *p, double step)
{
  for (int member = DAE_SPARK_MEMBER_AB; member <= DAE_SPARK_MEMBER_D; member++) {
    same_set_up s = spark_of(p, "spark-lobatto", step);
    s.opts.spark.member = (dae_spark_member)member;
    s.opts.spark.stages = 3;
    check_often(&s);
  }
}

static void test_lobatto_goes_on_with_the_same_bits(void **state)
{
  (void)state;
  test_problem skate = test_cylinder_skate(), bars = test_parallel_bars();
  check_members(&skate, 0);
  check_members(&skate, 0.05);
  check_members(&bars, 0); /* a row that was taken out */
}

static void test_lobatto_on_a_sparse_chain_goes_on_with_the_same_bits(void **state)
{
  (void)state;
  test_problem p = test_chain(40, TEST_CHAIN_MODE);
  assert_non_null(p.memory);
  check_members(&p, 0);
  check_members(&p, 1e-3);
  test_problem_free(&p);
}

/* ---- the momentum form ---- */

static void test_the_momentum_form_goes_on_with_the_same_bits(void **state)
{
  (void)state;
  static const char *const methods[] = {"spark-gauss", "spark-radau", "spark-lobatto"};
  for (int derivatives = 0; derivatives < 2; derivatives++) {
    test_problem all[] = {test_curv_ham(derivatives), test_curv_lag(derivatives),
                          test_mixed(derivatives)};
    for (int i = 0; i < 9; i++) {
      same_set_up s = spark_of(&all[i / 3], methods[i % 3], 0);
      check_often(&s);
      s = spark_of(&all[i / 3], methods[i % 3], 0.05);
      s.opts.spark.stages = 3;
      check_often(&s);
    }
  }
}

/* ---- two halves of a step ---- */

static void test_doubled_steps_go_on_with_the_same_bits(void **state)
{
  (void)state;
  static const char *const methods[] = {"spark-gauss", "spark-radau", "spark-lobatto"};
  test_problem all[] = {test_pendulum(), test_cylinder_skate(), test_mixed(true)};
  for (int i = 0; i < 9; i++) {
    same_set_up s = spark_of(&all[i / 3], methods[i % 3], 0);
    s.opts.spark.estimate = DAE_SPARK_ESTIMATE_DOUBLING;
    s.opts.spark.stages = 3;
    check_often(&s);
  }
}

/* the polynomial of the first half is part of what is saved */
static void test_both_halves_of_a_loaded_step_are_shown_as_before(void **state)
{
  (void)state;
  test_problem p = test_pendulum();
  same_set_up s = spark_of(&p, "spark-gauss", 0);
  s.opts.spark.estimate = DAE_SPARK_ESTIMATE_DOUBLING;
  dae_integrator *it = same_create(&s), *fresh = same_create(&s);
  size_t size;
  same_step_on(&s, it, 6);
  void *saved = same_save(it, &size);
  assert_int_equal(dae_integrator_load(fresh, saved, size, NULL), DAE_OK);
  dae_view view = dae_integrator_view(it);
  for (int i = 0; i <= 16; i++) {
    double t = view.t_previous + i * (view.t - view.t_previous) / 16, a[5], b[5];
    double da[5] = {0}, db[5] = {0}; /* multipliers have none */
    assert_int_equal(dae_integrator_interpolate(it, t, a, da, NULL), DAE_OK);
    assert_int_equal(dae_integrator_interpolate(fresh, t, b, db, NULL), DAE_OK);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_equal(da, db, sizeof da);
  }
  free(saved);
  dae_integrator_free(it);
  dae_integrator_free(fresh);
}

/* ---- steps that had to go on to another iteration ---- */

static dae_stats stats_after(const same_set_up *s, int steps)
{
  dae_integrator *it = same_create(s);
  same_step_on(s, it, steps);
  dae_stats stats = dae_integrator_stats(it);
  dae_integrator_free(it);
  return stats;
}

/* fresh handles have no full Jacobian yet: it is made when the loaded step asks for it */
static void test_steps_by_the_full_iteration_go_on_with_the_same_bits(void **state)
{
  (void)state;
  static const char *const anchors[] = {"a=1.5", "a=0.5"};
  for (int i = 0; i < 2; i++) {
    test_problem p;
    dae_model *model = text_problem(text_pulled, &anchors[i], 1, 4, &p);
    same_set_up s = spark_of(&p, "spark-gauss", 0.1);
    s.opts.spark.stages = 3 + i;
    assert_true(stats_after(&s, 5).full > 0);
    check_often(&s);
    same_check(&s, 20); /* about where it tries the simplified iteration again */
    same_check(&s, 21);
    same_check(&s, 22);
    dae_model_free(model);
  }
}

static void test_sparse_steps_by_the_full_iteration_go_on_with_the_same_bits(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(text_many_pulled, NULL, 0, 4, &p);
  same_set_up s = spark_of(&p, "spark-gauss", 0.1);
  s.opts.spark.stages = 3;
  assert_true(stats_after(&s, 5).full > 0);
  check_often(&s);
  dae_model_free(model);
}

static void test_steps_by_the_decoupled_iteration_go_on_with_the_same_bits(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(text_lagged, NULL, 0, 4, &p);
  for (int fixed = 0; fixed < 2; fixed++) {
    same_set_up s = spark_of(&p, "spark-gauss", fixed ? 0.1 : 0);
    s.opts.spark.stages = 3;
    assert_true(stats_after(&s, 5).decoupled > 0);
    check_often(&s);
    same_check(&s, 20);
    same_check(&s, 21);
    same_check(&s, 22);
  }
  dae_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lobatto_goes_on_with_the_same_bits),
      cmocka_unit_test(test_lobatto_on_a_sparse_chain_goes_on_with_the_same_bits),
      cmocka_unit_test(test_the_momentum_form_goes_on_with_the_same_bits),
      cmocka_unit_test(test_doubled_steps_go_on_with_the_same_bits),
      cmocka_unit_test(test_both_halves_of_a_loaded_step_are_shown_as_before),
      cmocka_unit_test(test_steps_by_the_full_iteration_go_on_with_the_same_bits),
      cmocka_unit_test(test_sparse_steps_by_the_full_iteration_go_on_with_the_same_bits),
      cmocka_unit_test(test_steps_by_the_decoupled_iteration_go_on_with_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
