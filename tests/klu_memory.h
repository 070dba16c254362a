/* KLU allocates by itself: counting what it asks for, and refusing the n-th allocation. As set-up
 * and tear-down of a test: count_klu_memory, restore_klu_memory. */
#ifndef DAEDAL_TESTS_KLU_MEMORY_H
#define DAEDAL_TESTS_KLU_MEMORY_H

#include <stdbool.h>
#include <stdlib.h>

__attribute__((unused)) static long klu_live; /* not released yet */

#ifdef DAE_WITH_KLU
#include <SuiteSparse_config.h>

static long klu_calls, klu_fail_at; /* allocations so far; the one that is refused, 0: none */

static bool klu_refuses(void)
{
  return ++klu_calls == klu_fail_at;
}

static void *klu_malloc(size_t bytes)
{
  void *memory = klu_refuses() ? NULL : malloc(bytes);
  klu_live += memory != NULL;
  return memory;
}

static void *klu_calloc(size_t count, size_t bytes)
{
  void *memory = klu_refuses() ? NULL : calloc(count, bytes);
  klu_live += memory != NULL;
  return memory;
}

static void *klu_realloc(void *old, size_t bytes)
{
  void *memory = klu_refuses() ? NULL : realloc(old, bytes);
  klu_live += memory && !old;
  return memory;
}

static void klu_free(void *memory)
{
  klu_live -= memory != NULL;
  free(memory);
}

static int count_klu_memory(void **state)
{
  (void)state;
  SuiteSparse_config.malloc_func = klu_malloc;
  SuiteSparse_config.calloc_func = klu_calloc;
  SuiteSparse_config.realloc_func = klu_realloc;
  SuiteSparse_config.free_func = klu_free;
  klu_calls = klu_live = klu_fail_at = 0;
  return 0;
}

static int restore_klu_memory(void **state)
{
  (void)state;
  SuiteSparse_config.malloc_func = malloc;
  SuiteSparse_config.calloc_func = calloc;
  SuiteSparse_config.realloc_func = realloc;
  SuiteSparse_config.free_func = free;
  return 0;
}
#endif

#endif
