/** @file
 * Environment of the library: memory allocation, logging, and requests to stop.
 *
 * Constructors take a const dae_env pointer; NULL selects malloc, free and no log. The struct is
 * copied. The library never prints and has no mutable globals. */
#ifndef DAEDAL_ENV_H
#define DAEDAL_ENV_H

#include <stdbool.h>
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

/** Memory allocation, logging, and requests to stop. */
typedef struct dae_env {
  void *(*allocate)(void *user, size_t bytes); /**< as malloc */
  void (*release)(void *user, void *memory);   /**< as free */
  /** writes one line, given without newline; NULL: no log */
  void (*log)(void *user, dae_log_level level, const char *line);
  void *user; /**< argument of all functions */
  /** asked again and again during long work: while a model is loaded, a start made consistent, an
   * integrator created, in steps, windows and rows. true: the call ends with
   * DAE_ERROR_INTERRUPTED. Once true it has to stay true. May be called by several threads at the
   * same time, for subsystems in threads of their own. NULL: never */
  bool (*stop)(void *user);
} dae_env;

/** Default environment: malloc, free, no log, no stop. */
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
