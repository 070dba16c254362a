/* Memory of one handle: taken piece by piece in its constructor, released all at once.
 *
 * Failure is sticky: after a take that failed every further one returns NULL and
 * dae__arena_failed says so, so that a constructor may take all it needs and check once, before
 * it uses any of it. Kept pieces hold what a handle remembers between steps, without pointers:
 * they are what save and load copy. */
#ifndef DAEDAL_CORE_ARENA_H
#define DAEDAL_CORE_ARENA_H

#include <daedal/env.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct dae__arena dae__arena;

dae__arena *dae__arena_create(const dae_env *env); /* env NULL: defaults; NULL: out of memory */
void dae__arena_free(dae__arena *arena);           /* NULL is allowed */

/* count elements of size bytes, zeroed, aligned to 64 bytes; never NULL for count = 0. */
void *dae__arena_alloc(dae__arena *arena, size_t count, size_t size);
void *dae__arena_state(dae__arena *arena, size_t count, size_t size);
/* Not zeroed: for what is written, if ever, before it is read. */
void *dae__arena_uninit(dae__arena *arena, size_t count, size_t size);
bool dae__arena_failed(const dae__arena *arena);
const dae_env *dae__arena_env(const dae__arena *arena);

#define DAE__ALLOC(arena, type, count)                                                             \
  ((type *)dae__arena_alloc((arena), (size_t)(count), sizeof(type)))
#define DAE__UNINIT(arena, type, count)                                                            \
  ((type *)dae__arena_uninit((arena), (size_t)(count), sizeof(type)))
#define DAE__STATE(arena, type, count)                                                             \
  ((type *)dae__arena_state((arena), (size_t)(count), sizeof(type)))

/* The kept pieces as bytes, in the order they were taken. */
size_t dae__arena_kept_size(const dae__arena *arena);
void dae__arena_save(const dae__arena *arena, void *buffer);
void dae__arena_load(dae__arena *arena, const void *buffer);

#endif
