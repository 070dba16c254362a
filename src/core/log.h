/* The log hook. */
#ifndef DAEDAL_CORE_LOG_H
#define DAEDAL_CORE_LOG_H

#include <daedal/env.h>

/* Formats a line and hands it to env->log, if there is one. */
__attribute__((format(printf, 3, 4))) void dae__log(const dae_env *env, dae_log_level level,
                                                    const char *format, ...);

#endif
