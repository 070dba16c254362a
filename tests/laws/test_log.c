/* What goes to the log hook: a line for each attempt at a step, warnings of dependent constraints.
 */
#include "problems/problems.h"
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct book {
  long accepted, rejected, moved, dependent;
} book;

static void note(void *user, dae_log_level level, const char *line)
{
  book *b = user;
  if (level == DAE_LOG_DEBUG && strstr(line, "accepted"))
    b->accepted++;
  else if (level == DAE_LOG_DEBUG)
    b->rejected++;
  b->moved += level == DAE_LOG_INFO && strstr(line, "moved") != NULL;
  b->dependent += level == DAE_LOG_WARNING && strstr(line, "bar3 depends on bar1, bar2") != NULL;
}

static book read_log(test_problem p, dae_summary *summary)
{
  book b = {0};
  dae_env env = dae_env_defaults();
  env.log = note;
  env.user = &b;
  dae_run_plan plan = {
      .problem = p.problem, .start = p.start, .to = p.to, .method = support_method(&p.problem)};
  assert_int_equal(dae_run(&plan, &env, summary, NULL), DAE_OK);
  return b;
}

static void test_every_attempt_has_its_line(void **state)
{
  (void)state;
  dae_summary summary;
  book b = read_log(test_transistor_amplifier(), &summary);
  assert_true(summary.stats.rejected_by_error > 0);
  assert_int_equal(b.accepted, summary.stats.steps);
  assert_int_equal(b.rejected,
                   summary.stats.rejected_by_error + summary.stats.rejected_by_convergence);
  assert_int_equal(b.moved + b.dependent, 0);
}

static void test_dependent_constraints_are_a_warning(void **state)
{
  (void)state;
  dae_summary summary;
  assert_int_equal(read_log(test_parallel_bars(), &summary).dependent, 1);
}

static void test_moved_start_values_are_told(void **state)
{
  (void)state;
  dae_summary summary;
  test_problem p = test_pendulum();
  const double off[] = {1.1, 0, 0, 0, 0};
  p.start.y = off;
  p.to = 0.1;
  assert_int_equal(read_log(p, &summary).moved, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_attempt_has_its_line),
      cmocka_unit_test(test_dependent_constraints_are_a_warning),
      cmocka_unit_test(test_moved_start_values_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
