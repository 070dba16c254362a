/** @file
 * Environment of the library: memory allocation and logging.
 *
 * Constructors take a const dae_env pointer; NULL selects malloc, free and no log. The struct is
 * copied. The library never prints and has no mutable globals. */
#ifndef DAEDAL_ENV_H
#define DAEDAL_ENV_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Level of a log line. */
typedef enum dae_log_level {
  DAE_LOG_DEBUG,  /**< an attempt at a step */
  DAE_LOG_INFO,   /**< a changed start value, a decision */
  DAE_LOG_WARNING /**< an unusual problem: dependent constraints */
} dae_log_level;

/** Memory allocation and logging. */
typedef struct dae_env {
  void *(*allocate)(void *user, size_t bytes); /**< as malloc */
  void (*release)(void *user, void *memory);   /**< as free */
  /** writes one line, given without newline; NULL: no log */
  void (*log)(void *user, dae_log_level level, const char *line);
  void *user; /**< argument of all three functions */
} dae_env;

/** Default environment: malloc, free, no log. */
dae_env dae_env_defaults(void);

/** Memory of an integrator, released with it. */
typedef struct dae__arena dae_arena;

/** Workspace: count elements of this size in bytes, zeroed; NULL: out of memory. */
void *dae_arena_alloc(dae_arena *arena, size_t count, size_t size);
/** Saved state: like dae_arena_alloc, and saved and loaded with the integrator. All memory that
 * the next step depends on is saved state; it must not contain pointers. */
void *dae_arena_state(dae_arena *arena, size_t count, size_t size);

#ifdef __cplusplus
}
#endif
#endif
