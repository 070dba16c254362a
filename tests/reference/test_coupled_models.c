/* The coupled example models, their systems solved as one at sharp tolerances, come to the values
 * that are known of them. */
#include "examples/motion.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* how far a run is off; five lines move as twenty do */
static double distance(const coupled_model *known, const char *method, double tolerance)
{
  const char *set = strcmp(known->name, "circuits_ring") ? NULL : "N=5";
  motion m = motion_of(known->path, (motion_plan){tolerance, set, method});
  double apart = apart_from_known(&m, known);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-18s %-12s %.0e: %.1e apart, %ld steps\n", known->name, m.summary.method,
                  tolerance, apart, m.summary.stats.steps);
  motion_free(&m);
  return apart;
}

static bool has_joints(const coupled_model *known)
{
  return !isnan(known->on_first);
}

static void test_coupled_models_come_to_their_values(void **state)
{
  const coupled_model *known;
  (void)state;
  for (int i = 0; (known = coupled_model_at(i)); i++) {
    double apart = distance(known, NULL, 1e-11);
    if (!(apart < 2e-9)) /* 1.2e-9 in structures_joint, whose errors grow as it does */
      fail_msg("%s: %.2e apart", known->name, apart);
  }
}

static void test_models_with_joints_come_to_their_values_by_spark(void **state)
{
  const coupled_model *known;
  (void)state;
  for (int i = 0; (known = coupled_model_at(i)); i++) {
    double apart = has_joints(known) ? distance(known, "spark-gauss", 1e-11) : 0;
    if (!(apart < 1e-11))
      fail_msg("%s: %.2e apart", known->name, apart);
  }
}

static void test_closed_forms_give_the_values(void **state)
{
  const coupled_model *known;
  (void)state;
  for (int i = 0; (known = coupled_model_at(i)); i++)
    for (int k = 0; known->exact && k < known->times; k++) {
      double value[16];
      assert_true(known->columns <= 16);
      known->exact(known->time[k], value);
      for (int j = 0; j < known->columns; j++)
        assert_true(apart(value[j], known->value[k * known->columns + j]) < 1e-13);
    }
}

/* the same mechanism by its accelerations and by a joint */
static void test_the_two_pairs_of_pendula_move_alike(void **state)
{
  (void)state;
  motion a = motion_of(coupled_model_find("two_pendula")->path, (motion_plan){.tolerance = 1e-11});
  motion b =
      motion_of(coupled_model_find("linked_pendula")->path, (motion_plan){.tolerance = 1e-11});
  assert_int_equal(a.rows, b.rows);
  for (long row = 0; row < a.rows; row++) {
    assert_true(fabs(motion_at(&a, row, "t") - motion_at(&b, row, "t")) < 1e-12);
    assert_true(apart(motion_at(&a, row, "left.theta"), motion_at(&b, row, "left.theta")) < 1e-9);
    assert_true(apart(motion_at(&a, row, "right.phi"), motion_at(&b, row, "right.phi")) < 1e-9);
    assert_true(apart(motion_at(&a, row, "right.lambda"), motion_at(&b, row, "lambda(bar)")) <
                1e-8);
  }
  motion_free(&a);
  motion_free(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closed_forms_give_the_values),
      cmocka_unit_test(test_coupled_models_come_to_their_values),
      cmocka_unit_test(test_models_with_joints_come_to_their_values_by_spark),
      cmocka_unit_test(test_the_two_pairs_of_pendula_move_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
