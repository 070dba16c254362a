/* Memory of one handle: allocated piece by piece in its constructor, released all at once.
 *
 * Failure is sticky: after a failed allocation every further one returns NULL and
 * dae__arena_failed is true, so that a constructor may allocate everything and check once, before
 * any piece is used. State pieces hold the memory of a handle between steps, without pointers:
 * save and load copy them. */
#ifndef DAEDAL_CORE_ARENA_H
#define DAEDAL_CORE_ARENA_H

#include <daedal/env.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct dae__arena dae__arena;

/* env = NULL: defaults; returns NULL: out of memory */
dae__arena *dae__arena_create(const dae_env *env);
void dae__arena_free(dae__arena *arena); /* NULL is allowed */

/* The public functions dae_arena_alloc and dae_arena_state give memory aligned to 64 bytes, not
 * NULL for count = 0. */
/* Allocates memory that is not zeroed, for values that are written before they are read. */
void *dae__arena_uninit(dae__arena *arena, size_t count, size_t size);
bool dae__arena_failed(const dae__arena *arena);
const dae_env *dae__arena_env(const dae__arena *arena);

#define DAE__ALLOC(arena, type, count)                                                             \
  ((type *)dae_arena_alloc((arena), (size_t)(count), sizeof(type)))
#define DAE__UNINIT(arena, type, count)                                                            \
  ((type *)dae__arena_uninit((arena), (size_t)(count), sizeof(type)))
#define DAE__STATE(arena, type, count)                                                             \
  ((type *)dae_arena_state((arena), (size_t)(count), sizeof(type)))

/* Size in bytes, save and load of all state pieces, copied in the order of their allocation. */
size_t dae__arena_state_size(const dae__arena *arena);
void dae__arena_save(const dae__arena *arena, void *buffer);
void dae__arena_load(dae__arena *arena, const void *buffer);

#endif
