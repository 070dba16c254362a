/* The log hook of the environment. */
#ifndef DAEDAL_CORE_LOG_H
#define DAEDAL_CORE_LOG_H

#include <daedal/env.h>

/* Formats a line for env->log, which is not NULL. */
__attribute__((format(printf, 3, 4))) void dae__log_line(const dae_env *env, dae_log_level level,
                                                         const char *format, ...);

/* Formats a line for env->log; without a hook the arguments are not evaluated. */
#define dae__log(env, ...)                                                                         \
  do {                                                                                             \
    if ((env) && (env)->log)                                                                       \
      dae__log_line((env), __VA_ARGS__);                                                           \
  } while (0)

#endif
