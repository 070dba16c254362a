/* What the library needs from its surroundings: memory and a place to log to.
 *
 * Constructors take a const dae_env pointer; NULL means malloc, free and silence. The struct is
 * copied. The library never prints and has no mutable globals. */
#ifndef DAEDAL_ENV_H
#define DAEDAL_ENV_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dae_log_level { DAE_LOG_DEBUG, DAE_LOG_INFO, DAE_LOG_WARNING } dae_log_level;

typedef struct dae_env {
  void *(*allocate)(void *user, size_t bytes); /* as malloc */
  void (*release)(void *user, void *memory);   /* as free */
  void (*log)(void *user, dae_log_level level, const char *line);
  void *user;
} dae_env;

/* malloc, free, no log. */
dae_env dae_env_defaults(void);

#ifdef __cplusplus
}
#endif
#endif
