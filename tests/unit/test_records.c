/* Records in bounded memory: evenly spread, the first and the last among them. */
#include "output/report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void add_numbers(dae__records *all, long from, long to)
{
  for (long i = from; i < to; i++)
    dae__records_add(all, (const double[]){(double)i, -(double)i});
}

static void test_what_fits_is_kept_whole(void **state)
{
  (void)state;
  dae__arena *arena = dae__arena_create(NULL);
  dae__records all = dae__records_create(arena, 2, 10);
  assert_false(dae__arena_failed(arena));
  add_numbers(&all, 0, 10);
  dae__records_end(&all);
  assert_int_equal(all.count, 10);
  assert_int_equal(all.stride, 1);
  for (int i = 0; i < 10; i++)
    assert_true(all.value[2 * i] == i && all.value[2 * i + 1] == -i);
  dae__arena_free(arena);
}

static void test_what_does_not_fit_is_spread_evenly(void **state)
{
  (void)state;
  for (long room = 2; room <= 9; room++)
    for (long count = 1; count <= 100; count++) {
      dae__arena *arena = dae__arena_create(NULL);
      dae__records all = dae__records_create(arena, 2, room);
      add_numbers(&all, 0, count);
      dae__records_end(&all);
      assert_int_equal(all.added, count);
      assert_true(all.count <= room + 1);
      assert_true(count <= room || 2 * all.count >= room); /* not more is lost than has to be */
      assert_true(all.value[0] == 0);
      assert_true(all.value[2 * (all.count - 1)] == (double)(count - 1));
      for (long i = 1; i + 1 < all.count; i++)
        assert_true(all.value[2 * i] == (double)(i * all.stride));
      dae__arena_free(arena);
    }
}

static void test_nothing_is_nothing(void **state)
{
  (void)state;
  dae__arena *arena = dae__arena_create(NULL);
  dae__records all = dae__records_create(arena, 3, 0);
  dae__records_end(&all);
  assert_int_equal(all.count, 0);
  dae__arena_free(arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_fits_is_kept_whole),
      cmocka_unit_test(test_what_does_not_fit_is_spread_evenly),
      cmocka_unit_test(test_nothing_is_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
