/* The surroundings as the library uses them. */
#ifndef DAEDAL_CORE_ENV_H
#define DAEDAL_CORE_ENV_H

#include <daedal/env.h>
#include <stdbool.h>
#include <stdint.h>

/* A copy that can be called without asking: NULL, or an env without both memory functions, gets
 * malloc and free. */
dae_env dae__env_of(const dae_env *env);

/* Whether count * size, rounded up, is no number of bytes. Halves of a size_t are never too large:
 * there is hardly ever anything to divide. */
static inline bool dae__too_many(size_t count, size_t size)
{
  return (count | size) >> (4 * sizeof(size_t)) && size > 0 && count > SIZE_MAX / 2 / size;
}

#endif
