/* The contraction report of the coupled example models: factors of plain sweeps at the start, those
 * of joints on either system, what the length of a window adds [WHM11 (54)], and the distance to a
 * higher index [E07 Example 3.7, alpha -> 1]. */
#include "problems/coupled_models.h"
#include <daedal/daedal.h>
#include <daedal/model.h>
#include <daedal/wave.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static dae_contraction report_of(const char *path, const char *set)
{
  dae_model *model;
  dae_error err = dae_error_none();
  dae_model_options opts = dae_model_defaults();
  dae_contraction found;
  opts.set = &set;
  opts.set_count = set ? 1 : 0;
  assert_int_equal(dae_model_load(path, &opts, NULL, &model, &err), DAE_OK);
  dae_start start = dae_model_start(model);
  dae_status status =
      dae_contraction_at(dae_model_problem(model), start.t, start.y, NULL, &found, &err);
  if (status)
    fail_msg("%s: %s", path, err.text);
  dae_model_free(model);
  return found;
}

static void check(const char *name, const char *what, double found, double known)
{
  if (!isnan(known) && !(fabs(found - known) <= 1e-5 * fabs(known)))
    fail_msg("%s, %s: %.8g, known is %.8g", name, what, found, known);
}

static void test_factors_are_the_known_ones(void **state)
{
  const coupled_model *known;
  (void)state;
  for (int i = 0; (known = coupled_model_at(i)); i++) {
    dae_contraction found = report_of(known->path, NULL);
    check(known->name, "gauss-seidel", found.gauss_seidel, known->gauss_seidel);
    check(known->name, "jacobi", found.jacobi, known->jacobi);
    check(known->name, "on the first", found.on_first, known->on_first);
    check(known->name, "on the last", found.on_second, known->on_second);
    if (strcmp(known->name, "circuits_ring") != 0) /* greedy: too many systems to try all */
      check(known->name, "best order", found.best, known->best);
  }
}

static void test_best_order_and_loop_are_named(void **state)
{
  (void)state;
  dae_contraction found = report_of(coupled_model_find("three_circuits")->path, NULL);
  assert_string_equal(found.order, "one, three, two");
  assert_string_equal(found.loop, "one.z, two.z, three.z");
}

/* gamma = 4/11 + (13/121 + 4/11/16) W^2 */
static void test_growth_with_the_window_is_that_of_whm11(void **state)
{
  (void)state;
  dae_contraction found = report_of(coupled_model_find("structures_joint")->path, NULL);
  assert_true(fabs(found.on_second - 4.0 / 11) <= 1e-12);
  assert_true(fabs(found.second_growth - (13.0 / 121 + 4.0 / 11 / 16)) <= 1e-5);
}

static void test_margin_tells_the_distance_to_a_higher_index(void **state)
{
  (void)state;
  const char *path = coupled_model_find("two_circuits")->path;
  assert_true(fabs(report_of(path, "a=0.9").margin - 0.1) <= 1e-9);
  assert_true(fabs(report_of(path, "a=0.999").margin - 0.001) <= 1e-9);
  assert_true(fabs(report_of(path, "a=1.1").margin - 0.1) <= 1e-9);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_factors_are_the_known_ones),
      cmocka_unit_test(test_best_order_and_loop_are_named),
      cmocka_unit_test(test_growth_with_the_window_is_that_of_whm11),
      cmocka_unit_test(test_margin_tells_the_distance_to_a_higher_index),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
