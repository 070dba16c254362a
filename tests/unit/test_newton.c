/* When a simplified Newton iteration ends. */
#include "step/newton.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define GOAL 0.33

/* increments until it is done, where each is rate times the one before */
static int increments(dae__newton *it, bool remember, int most, double first, double rate)
{
  double norm = first;
  dae__newton_begin(it, remember, most);
  for (int count = 1;; count++, norm *= rate) {
    dae__newton_verdict verdict = dae__newton_test(it, norm, 0, GOAL);
    if (verdict != DAE__NEWTON_CONTINUE)
      return verdict == DAE__NEWTON_DONE ? count : -1;
  }
}

static void test_a_rate_that_was_measured_serves_once(void **state)
{
  (void)state;
  dae__newton it = {0};
  dae__newton_forget(&it);
  for (int step = 0; step < 6; step++)
    assert_int_equal(increments(&it, false, DAE__NEWTON_MAX, 1, 1e-4), step % 2 ? 1 : 2);
}

static void test_a_rate_does_not_serve_other_matrices_and_fixed_steps(void **state)
{
  (void)state;
  dae__newton it = {0};
  dae__newton_forget(&it);
  for (int step = 0; step < 4; step++) {
    assert_int_equal(increments(&it, false, DAE__NEWTON_MAX, 1, 1e-4), 2);
    dae__newton_forget(&it);
  }
  for (int step = 0; step < 4; step++)
    assert_int_equal(increments(&it, false, DAE__NEWTON_MAX_FIXED, 1, 1e-4), 2);
}

static void test_a_rate_serves_only_where_a_worse_one_would(void **state)
{
  (void)state;
  dae__newton it = {0};
  dae__newton_forget(&it);
  for (int step = 0; step < 4; step++) /* 0.1 / 0.9 is within the goal, 0.3 / 0.7 far from it */
    assert_int_equal(increments(&it, false, DAE__NEWTON_MAX, 1, 0.1), 2);
}

static void test_an_iteration_that_does_not_contract_fails(void **state)
{
  (void)state;
  dae__newton it = {0};
  dae__newton_forget(&it);
  assert_int_equal(increments(&it, false, DAE__NEWTON_MAX, 1, 0.95), -1);
  assert_int_equal(increments(&it, false, DAE__NEWTON_MAX, 1, 0.85), -1);
  assert_int_equal(increments(&it, true, DAE__NEWTON_MAX, NAN, 0.1), -1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_rate_that_was_measured_serves_once),
      cmocka_unit_test(test_a_rate_does_not_serve_other_matrices_and_fixed_steps),
      cmocka_unit_test(test_a_rate_serves_only_where_a_worse_one_would),
      cmocka_unit_test(test_an_iteration_that_does_not_contract_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
