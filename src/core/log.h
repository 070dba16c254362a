/* The log hook of the environment. */
#ifndef DAEDAL_CORE_LOG_H
#define DAEDAL_CORE_LOG_H

#include <daedal/env.h>
#include <stdbool.h>

/* Formats a line and passes it to env->log, which is not NULL. */
__attribute__((format(printf, 3, 4))) void dae__log_line(const dae_env *env, dae_log_level level,
                                                         const char *format, ...);

static inline bool dae__log_enabled(const dae_env *env)
{
  return env && env->log;
}

/* Formats a line and passes it to env->log; without a log hook the arguments are not evaluated. */
#define dae__log(env, ...)                                                                         \
  do {                                                                                             \
    if (dae__log_enabled(env))                                                                     \
      dae__log_line((env), __VA_ARGS__);                                                           \
  } while (0)

#endif
