/* Arrays that grow: memory taken anew, twice as large, and copied. */
#ifndef DAEDAL_MODEL_GROW_H
#define DAEDAL_MODEL_GROW_H

#include <daedal/env.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

/* The first `used` elements of old in memory that holds at least `needed`; old is released and
 * *capacity set. NULL: out of memory, all is as before. */
static inline void *dae__grown(const dae_env *env, void *old, int *capacity, int used, int needed,
                               size_t size)
{
  int larger = *capacity > INT_MAX / 2 ? INT_MAX : 2 * *capacity;
  if (larger < needed)
    larger = needed;
  if (larger < 64) /* enough for most arrays of a small model */
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
