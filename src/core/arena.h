/* Memory of one handle: allocated piece by piece in its constructor, released all at once.
 *
 * Failure is sticky: after a failed allocation every further one returns NULL and
 * dae__arena_failed is true, so that a constructor may allocate everything and check once, before
 * any piece is used. State pieces hold the memory of a handle between steps, without pointers:
 * save and load copy them. */
#ifndef DAEDAL_CORE_ARENA_H
#define DAEDAL_CORE_ARENA_H

#include <daedal/env.h>
#include <daedal/status.h>
#include <limits.h>
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
/* A NULL arena, whose own creation failed, counts as failed: pieces of it are NULL. */
bool dae__arena_failed(const dae__arena *arena);
/* DAE_OK, or DAE_ERROR_MEMORY, recorded in err, after a failed allocation. */
dae_status dae__arena_status(const dae__arena *arena, dae_error *err);
const dae_env *dae__arena_env(const dae__arena *arena);

#define DAE__ALLOC(arena, type, count)                                                             \
  ((type *)dae_arena_alloc((arena), (size_t)(count), sizeof(type)))
#define DAE__UNINIT(arena, type, count)                                                            \
  ((type *)dae__arena_uninit((arena), (size_t)(count), sizeof(type)))
#define DAE__STATE(arena, type, count)                                                             \
  ((type *)dae_arena_state((arena), (size_t)(count), sizeof(type)))

/* Sets each of several pointers, given by their addresses, to `count` zeroed doubles of its own. */
#define DAE__VECTORS(arena, count, ...)                                                            \
  dae__arena_vectors((arena), (size_t)(count), (double **const[]){__VA_ARGS__},                    \
                     sizeof((double **const[]){__VA_ARGS__}) / sizeof(double **))
void dae__arena_vectors(dae__arena *arena, size_t count, double **const *vectors, size_t n);

/* Range [min, max] of `count` integers or truth values of `size` bytes each, inside a state piece:
 * a load refuses others, since they index memory, or counters that could overflow. size = 0:
 * `count` doubles, which must be finite and not near overflow. */
void dae__arena_limit(dae__arena *arena, const void *first, int count, size_t size, long min,
                      long max);
#define DAE__LIMIT(arena, first, count, min, max)                                                  \
  dae__arena_limit((arena), (first), (int)(count), sizeof *(first), (min), (max))
#define DAE__LIMIT_TRUTH(arena, first, count) DAE__LIMIT(arena, first, count, 0, 1)
#define DAE__LIMIT_FINITE(arena, first, count)                                                     \
  dae__arena_limit((arena), (first), (int)(count), 0 * sizeof *(first), 0, 0)
#define DAE__LIMIT_COUNTER(arena, first, count)                                                    \
  DAE__LIMIT(arena, first, count, 0, sizeof *(first) == sizeof(int) ? INT_MAX / 2 : LONG_MAX / 2)

/* Size in bytes, save and load of all state pieces, copied in the order of their allocation. */
size_t dae__arena_state_size(const dae__arena *arena);
void dae__arena_save(const dae__arena *arena, void *buffer);
/* Whether all integers of a saved buffer are within their limits. */
bool dae__arena_check(const dae__arena *arena, const void *buffer);
/* Copies a saved buffer into the state pieces, then calls the reload functions; returns the status
 * of the first one that fails. */
dae_status dae__arena_load(dae__arena *arena, const void *buffer);

/* Registers a function that recomputes data outside the state pieces after every load, as a
 * factorisation; functions are called in the order of their registration. */
typedef dae_status dae__reload(void *self);
void dae__arena_on_load(dae__arena *arena, dae__reload *reload, void *self);

#endif
