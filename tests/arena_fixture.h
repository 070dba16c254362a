/* An arena for each test: cmocka_unit_test_setup_teardown(test, set_up, tear_down). */
#ifndef DAEDAL_TESTS_ARENA_FIXTURE_H
#define DAEDAL_TESTS_ARENA_FIXTURE_H

#include "core/arena.h"

static dae__arena *arena;

static int set_up(void **state)
{
  (void)state;
  arena = dae__arena_create(NULL);
  return arena == NULL;
}

static int tear_down(void **state)
{
  (void)state;
  dae__arena_free(arena);
  return 0;
}

#endif
