#include "model/pool.h"
#include "core/env.h"
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* bytes of the first block, and of the largest ones: each has twice as many as the one before.
 * Pieces that are large for that get a block of their own. */
#define FIRST_BLOCK ((size_t)8 * 1024)
#define LARGEST_BLOCK ((size_t)64 * 1024)
#define ALIGNMENT 16

typedef struct dae__block {
  struct dae__block *next;
  size_t size, used;
} block;

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

const dae_env *dae__pool_env(const dae__pool *pool)
{
  return &pool->env;
}

#define HEAD ((sizeof(block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

/* a block with room for size bytes; a large one is put behind the one that is filled */
static block *add_block(dae__pool *pool, size_t size)
{
  size_t room = size > pool->next / 4 ? size : pool->next;
  block *b = pool->env.allocate(pool->env.user, HEAD + room);
  if (!b)
    return NULL;
  *b = (block){.size = room};
  if (pool->first && room == size) {
    b->next = pool->first->next;
    pool->first->next = b;
  } else {
    b->next = pool->first;
    pool->first = b;
  }
  if (room == pool->next && room < LARGEST_BLOCK)
    pool->next *= 2;
  return b;
}

void *dae__pool_take(dae__pool *pool, size_t count, size_t size)
{
  if (pool->failed || dae__too_many(count, size)) {
    pool->failed = true;
    return NULL;
  }
  size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  block *b = pool->first;
  if (bytes == 0)
    bytes = ALIGNMENT;
  if (!b || b->size - b->used < bytes)
    b = add_block(pool, bytes);
  if (!b) {
    pool->failed = true;
    return NULL;
  }
  char *memory = (char *)b + HEAD + b->used;
  b->used += bytes;
  return memset(memory, 0, bytes);
}

char *dae__pool_text(dae__pool *pool, const char *text, size_t length)
{
  char *copy = dae__pool_take(pool, length + 1, 1);
  return copy ? memcpy(copy, text, length) : NULL;
}

char *dae__pool_print(dae__pool *pool, const char *format, ...)
{
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  char *text = length < 0 ? NULL : dae__pool_take(pool, (size_t)length + 1, 1);
  if (text)
    vsnprintf(text, (size_t)length + 1, format, again);
  va_end(arguments);
  va_end(again);
  return text;
}

bool dae__pool_grow(dae__pool *pool, void **items, int count, int *room, size_t size)
{
  if (count > INT_MAX / 2) {
    pool->failed = true;
    return false;
  }
  int more = *room > 0 ? 2 * *room : 8;
  void *larger = dae__pool_take(pool, (size_t)more, size);
  if (!larger)
    return false;
  if (count > 0)
    memcpy(larger, *items, (size_t)count * size);
  *items = larger;
  *room = more;
  return true;
}
