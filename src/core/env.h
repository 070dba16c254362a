/* The caller's environment (memory functions and log hook), completed by defaults. */
#ifndef DAEDAL_CORE_ENV_H
#define DAEDAL_CORE_ENV_H

#include <daedal/env.h>
#include <stdbool.h>
#include <stdint.h>

/* Copy of env with both memory functions: malloc and free for env = NULL, or if one of its
 * functions is missing. */
dae_env dae__env_of(const dae_env *env);

/* Allocates zeroed memory. By the default functions, pages of large pieces are those of the system,
 * which are zero and take no memory before they are used. */
void *dae__env_allocate_zeroed(const dae_env *env, size_t bytes);

/* Whether count * size, rounded up to the alignment, overflows. Factors below half the bits of a
 * size_t never overflow: the division is rarely executed. */
static inline bool dae__size_overflows(size_t count, size_t size)
{
  return (count | size) >> (4 * sizeof(size_t)) && size > 0 && count > SIZE_MAX / 2 / size;
}

#endif
