/* Memory of a model: a pool of many small pieces that are released together, and arrays that grow.
 *
 * Failure is sticky, as in core/arena.h: an allocation that failed returns NULL, every later one
 * too, and pool->failed is true. */
#ifndef DAEDAL_MODEL_POOL_H
#define DAEDAL_MODEL_POOL_H

#include <daedal/env.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct dae__pool {
  dae_env env;
  struct dae__pool_block *first; /* linked list of all blocks */
  /* current block: [free, end) is free memory, of which [free, clear) is zeroed */
  char *free, *clear, *end;
  size_t next; /* size of the next block */
  bool failed;
} dae__pool;

dae__pool *dae__pool_create(const dae_env *env); /* NULL: out of memory */
void dae__pool_free(dae__pool *pool);            /* pool may be NULL */

/* Allocates zeroed memory, aligned for any type. */
void *dae__pool_alloc(dae__pool *pool, size_t count, size_t size);
#define DAE__NEW(pool, type) ((type *)dae__pool_alloc((pool), 1, sizeof(type)))
#define DAE__NEW_ARRAY(pool, type, count)                                                          \
  ((type *)dae__pool_alloc((pool), (size_t)(count), sizeof(type)))

/* Copy of `length` characters, with a terminating zero. */
char *dae__pool_text(dae__pool *pool, const char *text, size_t length);
/* Text formatted as by printf, in memory of the pool. */
__attribute__((format(printf, 2, 3))) char *dae__pool_print(dae__pool *pool, const char *format,
                                                            ...);

/* Growing list: *DAE__PUSH(pool, list) = item appends an item. After a failure the item is written
 * to `spare`, which is never read. */
#define DAE__LIST(type)                                                                            \
  struct {                                                                                         \
    type *item;                                                                                    \
    int count, room;                                                                               \
    type spare;                                                                                    \
  }
#define DAE__PUSH(pool, list)                                                                      \
  (dae__pool_push((pool), (void **)&(list)->item, &(list)->count, &(list)->room,                   \
                  sizeof *(list)->item)                                                            \
       ? &(list)->item[(list)->count - 1]                                                          \
       : &(list)->spare)
bool dae__pool_grow(dae__pool *pool, void **items, int count, int *room, size_t size);
static inline bool dae__pool_push(dae__pool *pool, void **items, int *count, int *room, size_t size)
{
  bool fits = *count < *room || dae__pool_grow(pool, items, *count, room, size);
  *count += fits;
  return fits;
}

/* Array in memory of env, at least twice as large as `old`, with the first `used` elements of `old`
 * and capacity for `needed` elements; releases `old` and sets *capacity. NULL: out of memory, `old`
 * is unchanged. */
static inline void *dae__array_grow(const dae_env *env, void *old, int *capacity, int used,
                                    int needed, size_t size)
{
  int larger = *capacity > INT_MAX / 2 ? INT_MAX : 2 * *capacity;
  if (larger < needed)
    larger = needed;
  if (larger < 64) /* least capacity, enough for most arrays of a small model */
    larger = 64;
  if ((size_t)larger > SIZE_MAX / 2 / size)
    return NULL;
  void *memory = env->allocate(env->user, (size_t)larger * size);
  if (!memory)
    return NULL;
  if (used > 0)
    memcpy(memory, old, (size_t)used * size);
  if (old)
    env->release(env->user, old);
  *capacity = larger;
  return memory;
}

#endif
