/* Stepping on after load gives the same bits in every way a Lie-group integrator can be at work:
 * orders, iterations, forms; dense and sparse; and after a restart that changed which rows of F
 * contain y. */
#include "lie_tracks.h"
#include "problems/l13.h"
#include "same_bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static same_set_up lie_of(const test_problem *p, double step, int order)
{
  same_set_up s = same_set_up_of(p, dae_method_find("lie", NULL), step);
  s.opts.lie.order = order;
  return s;
}

static void check_often(const same_set_up *s)
{
  static const int before[] = {0, 1, 2, 5, 17};
  for (size_t i = 0; i < sizeof before / sizeof *before; i++)
    same_check(s, before[i]);
}

/* variable and fixed steps of both orders */
static void check_steps(const test_problem *p, double step, void change(dae_lie_options *))
{
  for (int i = 0; i < 4; i++) {
    same_set_up s = lie_of(p, i % 2 ? step : 0, i / 2 ? 4 : 2);
    if (change)
      change(&s.opts.lie);
    check_often(&s);
  }
}

static void by_nesting(dae_lie_options *opts)
{
  opts->lie_iteration = DAE_LIE_NESTED;
}

static void weakly(dae_lie_options *opts)
{
  opts->form = DAE_LIE_WEAK;
}

static void test_the_examples_go_on_with_the_same_bits(void **state)
{
  (void)state;
  for (l13_example which = 0; which < L13_EXAMPLES; which++)
    for (int derivatives = 0; derivatives < 2; derivatives++) {
      test_problem p = l13_problem(which, derivatives);
      check_steps(&p, p.to / 50, NULL);
      check_steps(&p, p.to / 50, by_nesting);
    }
}

static void test_mechanical_problems_go_on_with_the_same_bits(void **state)
{
  (void)state;
  test_problem all[] = {test_cylinder_skate(), test_parallel_bars(), test_motor(),
                        test_pendulum_bare(), test_structures()};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    check_steps(&all[i], 0.01, NULL);
    check_steps(&all[i], 0.01, weakly);
    check_steps(&all[i], 0.01, by_nesting);
  }
}

static void test_a_sparse_chain_goes_on_with_the_same_bits(void **state)
{
  (void)state;
  test_problem p = test_chain(40, TEST_CHAIN_MODE);
  assert_non_null(p.memory);
  for (int i = 0; i < 4; i++) { /* both forms, variable and fixed steps */
    same_set_up s = lie_of(&p, i % 2 * 1e-3, 2);
    s.opts.lie.form = i / 2 ? DAE_LIE_WEAK : DAE_LIE_GGL;
    same_check(&s, 1);
    same_check(&s, 6);
  }
  test_problem_free(&p);
}

static void test_sparse_rows_with_and_without_y_go_on_with_the_same_bits(void **state)
{
  (void)state;
  static const double start[LIE_ROD + 1];
  for (int end_given = 0; end_given < 2; end_given++) {
    lie_rod rod = {.end_given = end_given};
    dae_semi_explicit d = lie_rod_of(&rod);
    test_problem p = {.name = "rod",
                      .problem = {.semi_explicit = &d},
                      .start = {.y = start},
                      .to = 4,
                      .size = LIE_ROD + 1};
    check_steps(&p, 0.05, NULL);
  }
}

/* ---- after a restart that changed the rows ---- */

/* saved where the row is of the second kind, loaded where it is, where it never was, and where it
 * no longer is */
static void check_changed(const test_problem *p, bool *kind, double step,
                          void (*change)(dae_lie_options *))
{
  same_set_up s = lie_of(p, step, 2);
  size_t size;
  double y[LIE_ROD + 1];
  change(&s.opts.lie);
  *kind = false;
  dae_integrator *it = same_create(&s), *fresh = same_create(&s), *elsewhere = same_create(&s);
  same_step_on(&s, it, 4);
  same_step_on(&s, elsewhere, 3);
  *kind = true;
  support_state(it, y, NULL);
  assert_int_equal(dae_integrator_restart(it, dae_integrator_view(it).t, y, NULL), DAE_OK);
  same_step_on(&s, it, 3);
  void *saved = same_save(it, &size);
  same_record first = same_record_steps(&s, it);
  assert_true(first.steps > 1);
  *kind = false; /* and back */
  support_state(it, y, NULL);
  assert_int_equal(dae_integrator_restart(it, dae_integrator_view(it).t, y, NULL), DAE_OK);
  *kind = true;
  dae_integrator *all[] = {it, fresh, elsewhere};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(dae_integrator_load(all[i], saved, size, NULL), DAE_OK);
    same_assert(&s, &first, same_record_steps(&s, all[i]), "a handle that had other rows");
    dae_integrator_free(all[i]);
  }
  free(first.values);
  free(saved);
}

static void as_it_is(dae_lie_options *opts)
{
  (void)opts;
}

static void test_changed_rows_go_on_with_the_same_bits(void **state)
{
  (void)state;
  static const double start[] = {1, 0, 0}, cold[LIE_ROD + 1];
  lie_track track = {.R = 1};
  lie_rod rod = {0};
  dae_semi_explicit of_track = lie_track_of(&track), of_rod = lie_rod_of(&rod);
  test_problem small = {.name = "track",
                        .problem = {.semi_explicit = &of_track},
                        .start = {.y = start},
                        .to = 4,
                        .size = 3};
  test_problem sparse = {.name = "rod",
                         .problem = {.semi_explicit = &of_rod},
                         .start = {.y = cold},
                         .to = 4,
                         .size = LIE_ROD + 1};
  for (int fixed = 0; fixed < 2; fixed++) {
    check_changed(&small, &track.circle, fixed * 0.02, as_it_is);
    check_changed(&small, &track.circle, fixed * 0.02, by_nesting);
    check_changed(&sparse, &rod.end_given, fixed * 0.02, as_it_is);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_examples_go_on_with_the_same_bits),
      cmocka_unit_test(test_mechanical_problems_go_on_with_the_same_bits),
      cmocka_unit_test(test_a_sparse_chain_goes_on_with_the_same_bits),
      cmocka_unit_test(test_sparse_rows_with_and_without_y_go_on_with_the_same_bits),
      cmocka_unit_test(test_changed_rows_go_on_with_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
