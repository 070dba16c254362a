#include "model/pool.h"
#include "core/assert.h"
#include "core/env.h"
#include <stdarg.h>
#include <stdio.h>

/* Sizes in bytes of the first block and of the largest ones; each block is twice as large as the
 * one before. A piece of more than a quarter of a block gets a block of its own. Chosen, not
 * measured. */
#define FIRST_BLOCK ((size_t)8 * 1024)
#define LARGEST_BLOCK ((size_t)64 * 1024)
#define CLEAR_STRIDE ((size_t)1024) /* bytes zeroed at a time, enough for many small pieces */
#define ALIGNMENT 16                /* alignment in bytes that suits any C type */

typedef struct dae__pool_block {
  struct dae__pool_block *next;
} block;

#define HEAD ((sizeof(block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

dae__pool *dae__pool_create(const dae_env *env)
{
  dae_env own = dae__env_of(env);
  dae__pool *pool = own.allocate(own.user, sizeof *pool);
  if (pool)
    *pool = (dae__pool){.env = own, .next = FIRST_BLOCK};
  return pool;
}

void dae__pool_free(dae__pool *pool)
{
  if (!pool)
    return;
  while (pool->first) {
    block *next = pool->first->next;
    pool->env.release(pool->env.user, pool->first);
    pool->first = next;
  }
  dae_env env = pool->env;
  env.release(env.user, pool);
}

static void *pool_fail(dae__pool *pool)
{
  pool->failed = true;
  /* no free memory: every later request needs a new block */
  pool->free = pool->clear = pool->end = NULL;
  return NULL;
}

/* Allocates a piece that needs a block of its own or memory to be zeroed; not inlined, so that all
 * other pieces take a few instructions. */
__attribute__((noinline)) static void *pool_take_beyond(dae__pool *pool, size_t bytes)
{
  if ((size_t)(pool->end - pool->free) < bytes) {
    bool alone = bytes > pool->next / 4;
    size_t room = alone ? bytes : pool->next;
    bool refused = pool->failed || dae__env_stopped(&pool->env);
    block *b = refused ? NULL : pool->env.allocate(pool->env.user, HEAD + room);
    if (!b)
      return pool_fail(pool);
    *b = (block){.next = pool->first};
    pool->first = b;
    char *memory = (char *)b + HEAD;
    if (alone)
      return memset(memory, 0, bytes);
    pool->free = pool->clear = memory;
    pool->end = memory + room;
    if (room < LARGEST_BLOCK)
      pool->next *= 2;
  }
  char *memory = pool->free, *least = memory + bytes;
  char *clear =
      (size_t)(pool->end - pool->clear) < CLEAR_STRIDE ? pool->end : pool->clear + CLEAR_STRIDE;
  if (clear < least)
    clear = least;
  memset(pool->clear, 0, (size_t)(clear - pool->clear));
  DAE__ASSERT((uintptr_t)memory % ALIGNMENT == 0 && least <= pool->end);
  pool->clear = clear;
  pool->free = least;
  return memory;
}

void *dae__pool_alloc(dae__pool *pool, size_t count, size_t size)
{
  size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (dae__size_overflows(count, size))
    return pool_fail(pool);
  if (bytes == 0)
    bytes = ALIGNMENT;
  if ((size_t)(pool->clear - pool->free) < bytes)
    return pool_take_beyond(pool, bytes);
  char *memory = pool->free;
  pool->free += bytes;
  return memory;
}

char *dae__pool_text(dae__pool *pool, const char *text, size_t length)
{
  char *copy = dae__pool_alloc(pool, length + 1, 1);
  return copy ? memcpy(copy, text, length) : NULL;
}

char *dae__pool_print(dae__pool *pool, const char *format, ...)
{
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  char *text = length < 0 ? NULL : dae__pool_alloc(pool, (size_t)length + 1, 1);
  if (text)
    vsnprintf(text, (size_t)length + 1, format, again);
  va_end(arguments);
  va_end(again);
  return text;
}

bool dae__pool_grow(dae__pool *pool, void **items, int count, int *room, size_t size)
{
  if (count > INT_MAX / 2) {
    pool_fail(pool);
    return false;
  }
  int more = *room > 0 ? 2 * *room : 8;
  void *larger = dae__pool_alloc(pool, (size_t)more, size);
  if (!larger)
    return false;
  if (count > 0)
    memcpy(larger, *items, (size_t)count * size);
  *items = larger;
  *room = more;
  return true;
}
