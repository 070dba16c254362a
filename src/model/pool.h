/* Memory of a model: many small pieces, taken one by one, released all at once.
 *
 * Failure is sticky, as in core/arena.h: a take that failed returns NULL, every later one too, and
 * dae__pool_failed says so. */
#ifndef DAEDAL_MODEL_POOL_H
#define DAEDAL_MODEL_POOL_H

#include <daedal/env.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct dae__pool {
  dae_env env;
  struct dae__block *first; /* of all blocks */
  char *free, *clear, *end; /* in the one that is filled: what is free, and zero up to clear */
  size_t next;              /* size of the next block */
  bool failed;
} dae__pool;

dae__pool *dae__pool_create(const dae_env *env); /* NULL: out of memory */
void dae__pool_free(dae__pool *pool);            /* NULL is allowed */
static inline bool dae__pool_failed(const dae__pool *pool)
{
  return pool->failed;
}
const dae_env *dae__pool_env(const dae__pool *pool);

/* Zeroed, aligned for any type. */
void *dae__pool_take(dae__pool *pool, size_t count, size_t size);
#define DAE__NEW(pool, type) ((type *)dae__pool_take((pool), 1, sizeof(type)))
#define DAE__NEW_ARRAY(pool, type, count)                                                          \
  ((type *)dae__pool_take((pool), (size_t)(count), sizeof(type)))

/* A copy of length characters, with a zero after them. */
char *dae__pool_text(dae__pool *pool, const char *text, size_t length);
/* Formatted text. */
__attribute__((format(printf, 2, 3))) char *dae__pool_print(dae__pool *pool, const char *format,
                                                            ...);

/* Lists that grow: struct { type *item; int count, room; }. The macro makes room for one more item
 * and counts it: *DAE__PUSH(pool, list) = item. After a failure it gives a place that may be
 * written to and is forgotten. */
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

#endif
