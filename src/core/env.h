/* The caller's environment (memory functions, log hook, and requests to stop), completed by
 * defaults. */
#ifndef DAEDAL_CORE_ENV_H
#define DAEDAL_CORE_ENV_H

#include <daedal/env.h>
#include <daedal/status.h>
#include <stdbool.h>
#include <stdint.h>

/* Copy of env with both memory functions: malloc and free for env = NULL, or if one of its
 * functions is missing. */
dae_env dae__env_of(const dae_env *env);

/* Whether the caller wants the work to end. Every new block of memory asks, as an allocation that
 * fails; loops without allocations ask themselves. Whoever began the work turns the failure into
 * DAE_ERROR_INTERRUPTED by dae__env_status. */
static inline bool dae__env_stopped(const dae_env *env)
{
  return env && env->stop && env->stop(env->user);
}

/* The environment, if it may stop the work, else NULL: for a test in every evaluation. */
static inline const dae_env *dae__env_stopping(const dae_env *env)
{
  return env->stop ? env : NULL;
}

/* DAE_OK, or DAE_ERROR_INTERRUPTED, recorded in err. */
dae_status dae__env_proceed(const dae_env *env, dae_error *err);
/* The status of work that may have been stopped: a failure becomes DAE_ERROR_INTERRUPTED, recorded
 * in err. */
dae_status dae__env_status(const dae_env *env, dae_status status, dae_error *err);
/* Copy of an environment that does not stop, for files and reports, which an end in order needs. */
dae_env dae__env_unstopped(const dae_env *env);

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
