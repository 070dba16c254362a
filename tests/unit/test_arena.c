#include "core/arena.h"

#include "counting_env.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* sizes from nothing to more than the largest chunk */
static const size_t sizes[] = {1, 0, 7, 64, 65, 4000, 5000, 0, 3000000, 8, 100000};
#define COUNT ((int)(sizeof sizes / sizeof sizes[0]))

static void test_pieces_are_aligned_zeroed_and_apart(void **state)
{
  (void)state;
  dae__arena *arena = dae__arena_create(NULL);
  unsigned char *piece[COUNT];
  for (int i = 0; i < COUNT; i++) {
    piece[i] = dae_arena_alloc(arena, sizes[i], 1);
    assert_non_null(piece[i]);
    assert_int_equal((uintptr_t)piece[i] % 64, 0);
    for (size_t j = 0; j < sizes[i]; j++)
      assert_int_equal(piece[i][j], 0);
    memset(piece[i], i + 1, sizes[i]);
  }
  for (int i = 0; i < COUNT; i++)
    for (size_t j = 0; j < sizes[i]; j++)
      if (piece[i][j] != i + 1)
        fail_msg("piece %d was overwritten by another", i);
  assert_false(dae__arena_failed(arena));
  dae__arena_free(arena);
}

static void test_free_releases_everything(void **state)
{
  (void)state;
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  dae__arena *arena = dae__arena_create(&env);
  for (int i = 0; i < COUNT; i++)
    (void)dae_arena_state(arena, sizes[i], 1);
  assert_ptr_equal(dae__arena_env(arena)->user, &count);
  assert_true(count.live > 0);
  dae__arena_free(arena);
  assert_int_equal(count.live, 0);
  dae__arena_free(NULL);
}

static void test_small_pieces_share_chunks(void **state)
{
  (void)state;
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  dae__arena *arena = dae__arena_create(&env);
  for (int i = 0; i < 1000; i++)
    (void)DAE__ALLOC(arena, double, 8);
  assert_true(count.calls < 10);
  dae__arena_free(arena);
}

/* With every n-th allocation refused in turn, either all pieces came or failure is reported. */
static void test_failure_is_sticky_and_leaks_nothing(void **state)
{
  (void)state;
  counting_env count = {0};
  for (long n = 1;; n++) {
    count = (counting_env){.fail_at = n};
    dae_env env = counting_env_of(&count);
    dae__arena *arena = dae__arena_create(&env);
    if (!arena) {
      assert_int_equal(n, 1);
      assert_int_equal(count.live, 0);
      continue;
    }
    bool missing = false;
    for (int i = 0; i < COUNT; i++) {
      void *piece =
          i % 2 ? dae_arena_state(arena, sizes[i], 1) : dae_arena_alloc(arena, sizes[i], 1);
      assert_false(missing && piece);
      missing = missing || !piece;
    }
    assert_int_equal(dae__arena_failed(arena), missing);
    dae__arena_free(arena);
    assert_int_equal(count.live, 0);
    if (!missing)
      break;
  }
  assert_true(count.calls > 3);
}

static void test_a_size_that_overflows_fails(void **state)
{
  (void)state;
  dae__arena *arena = dae__arena_create(NULL);
  assert_null(dae_arena_alloc(arena, SIZE_MAX / 2, 8));
  assert_true(dae__arena_failed(arena));
  dae__arena_free(arena);
}

typedef struct memory {
  dae__arena *arena;
  double *x;
  int *order;
  char *name;
} memory;

static memory remember(void)
{
  memory m = {.arena = dae__arena_create(NULL)};
  m.x = DAE__STATE(m.arena, double, 600);
  (void)DAE__ALLOC(m.arena, double, 100); /* not kept */
  m.order = DAE__STATE(m.arena, int, 1);
  (void)DAE__STATE(m.arena, double, 0);
  m.name = DAE__STATE(m.arena, char, 5);
  return m;
}

static void test_kept_pieces_survive_save_and_load(void **state)
{
  (void)state;
  memory a = remember(), b = remember();
  size_t size = dae__arena_state_size(a.arena);
  assert_int_equal(size, 600 * sizeof(double) + sizeof(int) + 5);
  for (int i = 0; i < 600; i++)
    a.x[i] = 1.0 / (i + 1);
  *a.order = 5;
  memcpy(a.name, "rods", 5);
  char buffer[8192];
  memset(buffer, '#', sizeof buffer);
  dae__arena_save(a.arena, buffer);
  assert_int_equal(buffer[size], '#');

  /* back into the same arena after it went on, and into another one of the same shape */
  *a.order = 1;
  a.x[17] = 0;
  dae__arena_load(a.arena, buffer);
  dae__arena_load(b.arena, buffer);
  assert_true(a.x[17] == 1.0 / 18);
  assert_int_equal(*a.order, 5);
  assert_memory_equal(a.x, b.x, 600 * sizeof(double));
  assert_int_equal(*b.order, 5);
  assert_string_equal(b.name, "rods");
  dae__arena_free(a.arena);
  dae__arena_free(b.arena);
}

static void test_many_kept_pieces_are_saved_in_their_order(void **state)
{
  (void)state;
  enum { PIECES = 200 };
  dae__arena *arena = dae__arena_create(NULL);
  int *piece[PIECES], saved[PIECES];
  for (int i = 0; i < PIECES; i++) {
    piece[i] = DAE__STATE(arena, int, 1);
    *piece[i] = 1000 + i;
  }
  assert_int_equal(dae__arena_state_size(arena), sizeof saved);
  dae__arena_save(arena, saved);
  for (int i = 0; i < PIECES; i++) {
    assert_int_equal(saved[i], 1000 + i);
    *piece[i] = 0;
  }
  dae__arena_load(arena, saved);
  for (int i = 0; i < PIECES; i++)
    assert_int_equal(*piece[i], 1000 + i);
  dae__arena_free(arena);
}

/* Numbers of a saved buffer beyond their limits are found, wherever they are: of all sizes, and the
 * limits themselves are within. */
static void test_saved_numbers_beyond_their_limits_are_refused(void **state)
{
  (void)state;
  dae__arena *arena = dae__arena_create(NULL);
  (void)DAE__STATE(arena, double, 3);
  int *place = DAE__STATE(arena, int, 4);
  long *count = DAE__STATE(arena, long, 2);
  bool *truth = DAE__STATE(arena, bool, 2);
  double *real = DAE__STATE(arena, double, 2);
  char buffer[1024];
  DAE__LIMIT(arena, place, 4, -1, 9);
  DAE__LIMIT_COUNTER(arena, count, 2);
  DAE__LIMIT_TRUTH(arena, truth, 2);
  DAE__LIMIT_FINITE(arena, real, 2);
  assert_true(dae__arena_state_size(arena) <= sizeof buffer);
  const struct {
    int place;
    long count;
    unsigned char truth;
    double real;
    bool valid;
  } saved[] = {{9, LONG_MAX / 2, 1, 1e199, true},
               {-1, 0, 0, -1e199, true},
               {10, 0, 0, 0, false},
               {-2, 0, 0, 0, false},
               {0, -1, 0, 0, false},
               {0, LONG_MAX / 2 + 1, 0, 0, false},
               {0, 0, 2, 0, false},
               {0, 0, 0, INFINITY, false},
               {0, 0, 0, -1e300, false},
               {0, 0, 0, NAN, false}};
  for (size_t i = 0; i < sizeof saved / sizeof *saved; i++) {
    place[3] = saved[i].place;
    count[1] = saved[i].count;
    memcpy(&truth[1], &saved[i].truth, 1);
    real[1] = saved[i].real;
    dae__arena_save(arena, buffer);
    assert_int_equal(dae__arena_check(arena, buffer), saved[i].valid);
  }
  dae__arena_free(arena);
}

static void test_vectors_are_zeroed_and_apart(void **state)
{
  (void)state;
  dae__arena *arena = dae__arena_create(NULL);
  double *a, *b, *c;
  DAE__VECTORS(arena, 5, &a, &b, &c);
  for (int i = 0; i < 5; i++) {
    assert_true(a[i] == 0 && b[i] == 0 && c[i] == 0);
    a[i] = 1, b[i] = 2, c[i] = 3;
  }
  for (int i = 0; i < 5; i++)
    assert_true(a[i] == 1 && b[i] == 2 && c[i] == 3);
  assert_int_equal(dae__arena_status(arena, NULL), DAE_OK);
  dae__arena_free(arena);
}

static void test_an_arena_that_was_not_created_counts_as_failed(void **state)
{
  (void)state;
  dae_error err = dae_error_none();
  double *a = (double *)&err, *b = a;
  DAE__VECTORS(NULL, 5, &a, &b);
  assert_null(a);
  assert_null(b);
  assert_true(dae__arena_failed(NULL));
  assert_int_equal(dae__arena_status(NULL, &err), DAE_ERROR_MEMORY);
  assert_int_equal(err.status, DAE_ERROR_MEMORY);
}

static void test_an_empty_arena_saves_nothing(void **state)
{
  (void)state;
  dae__arena *arena = dae__arena_create(NULL);
  (void)DAE__STATE(arena, double, 0);
  assert_int_equal(dae__arena_state_size(arena), 0);
  dae__arena_save(arena, NULL);
  dae__arena_load(arena, NULL);
  dae__arena_free(arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pieces_are_aligned_zeroed_and_apart),
      cmocka_unit_test(test_free_releases_everything),
      cmocka_unit_test(test_small_pieces_share_chunks),
      cmocka_unit_test(test_failure_is_sticky_and_leaks_nothing),
      cmocka_unit_test(test_a_size_that_overflows_fails),
      cmocka_unit_test(test_kept_pieces_survive_save_and_load),
      cmocka_unit_test(test_many_kept_pieces_are_saved_in_their_order),
      cmocka_unit_test(test_saved_numbers_beyond_their_limits_are_refused),
      cmocka_unit_test(test_vectors_are_zeroed_and_apart),
      cmocka_unit_test(test_an_arena_that_was_not_created_counts_as_failed),
      cmocka_unit_test(test_an_empty_arena_saves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
