/** @file
 * What the library needs from its surroundings: memory and a place to log to.
 *
 * Constructors take a const dae_env pointer; NULL means malloc, free and silence. The struct is
 * copied. The library never prints and has no mutable globals. */
#ifndef DAEDAL_ENV_H
#define DAEDAL_ENV_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a log line is about. */
typedef enum dae_log_level {
  DAE_LOG_DEBUG,  /**< an attempt at a step */
  DAE_LOG_INFO,   /**< something was moved or chosen */
  DAE_LOG_WARNING /**< something is odd: dependent constraints */
} dae_log_level;

/** Memory, and a place to log to. */
typedef struct dae_env {
  void *(*allocate)(void *user, size_t bytes); /**< as malloc */
  void (*release)(void *user, void *memory);   /**< as free */
  /** one line, without its end; NULL: silence */
  void (*log)(void *user, dae_log_level level, const char *line);
  void *user; /**< handed to all three */
} dae_env;

/** malloc, free, no log. */
dae_env dae_env_defaults(void);

#ifdef __cplusplus
}
#endif
#endif
