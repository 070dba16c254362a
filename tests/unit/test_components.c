#include "linalg/components.h"

#include "arena_fixture.h"
#include "counting_env.h"
#include "linalg/pattern.h"
#include "uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LARGEST 40

/* lead[i + j n]: from j to i */
static dae_pattern pattern_of(int n, const bool *lead)
{
  int *start = DAE__ALLOC(arena, int, n + 1), *row = DAE__ALLOC(arena, int, n *n), count = 0;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++)
      if (lead[i + j * n])
        row[count++] = i;
    start[j + 1] = count;
  }
  return (dae_pattern){n, n, start, row};
}

/* against the definition: two are of one part where each can be reached from the other */
static void check(int n, const bool *lead)
{
  static bool reach[LARGEST * LARGEST];
  int component[LARGEST], size[LARGEST] = {0}, counted[LARGEST] = {0};
  dae_pattern p = pattern_of(n, lead);
  int parts = dae__components(arena, &p, component, size);
  for (int i = 0; i < n * n; i++)
    reach[i] = lead[i] || i % (n + 1) == 0;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        reach[i + j * n] = reach[i + j * n] || (reach[k + j * n] && reach[i + k * n]);
  for (int j = 0; j < n; j++) {
    assert_in_range(component[j], 0, parts - 1);
    counted[component[j]]++;
    for (int i = 0; i < n; i++)
      assert_int_equal(component[i] == component[j], reach[i + j * n] && reach[j + i * n]);
  }
  assert_memory_equal(size, counted, sizeof size);
}

static void test_parts_of_random_patterns_are_those_of_the_definition(void **state)
{
  (void)state;
  static bool lead[LARGEST * LARGEST];
  for (int trial = 0; trial < 200; trial++) {
    int n = trial % (LARGEST + 1);
    double density = 0.2 * (1 + uniform()) * (trial % 3 + 1) / (1 + 0.1 * n);
    for (int i = 0; i < n * n; i++)
      lead[i] = fabs(uniform()) < density;
    check(n, lead);
  }
}

/* the search goes as deep as there are members */
static void test_a_long_ring_is_one_part(void **state)
{
  (void)state;
  int n = 100000, *start = DAE__ALLOC(arena, int, n + 1), *row = DAE__ALLOC(arena, int, n);
  int *component = DAE__ALLOC(arena, int, n), *size = DAE__ALLOC(arena, int, n);
  for (int j = 0; j < n; j++) {
    start[j + 1] = j + 1;
    row[j] = (j + 1) % n;
  }
  dae_pattern p = {n, n, start, row};
  assert_int_equal(dae__components(arena, &p, component, size), 1);
  assert_int_equal(size[0], n);
}

static bool build(const dae_env *env)
{
  dae__arena *own = dae__arena_create(env);
  if (!own)
    return false;
  dae_pattern p = dae__pattern_diagonal(own, 500);
  int *component = DAE__ALLOC(own, int, 500), *size = DAE__ALLOC(own, int, 500);
  bool built = !dae__arena_failed(own) && dae__components(own, &p, component, size) == 500;
  dae__arena_free(own);
  return built;
}

static void test_memory_that_runs_out_is_noticed(void **state)
{
  (void)state;
  assert_int_equal(counting_env_fault(build), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_parts_of_random_patterns_are_those_of_the_definition),
      TEST(test_a_long_ring_is_one_part),
      TEST(test_memory_that_runs_out_is_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
